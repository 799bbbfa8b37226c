/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/options.h - the options of a command, as one const table that parsing, help and
 * completion read.
 */
#ifndef FX_CLI_OPTIONS_H
#define FX_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* The type of an option's field, and the form of its argument. */
enum fx_option_type {
    FX_OPTION_FLAG,     /* bool; no argument */
    FX_OPTION_TEXT,     /* const char *; borrowed from argv */
    FX_OPTION_LIST,     /* struct fx_strings; the option repeats */
    FX_OPTION_CHOICE,   /* unsigned; the index of one of `choices` */
    FX_OPTION_COUNT,    /* size_t; "100" */
    FX_OPTION_SIZE,     /* size_t of bytes; "64Ki", "8Mi" */
    FX_OPTION_DURATION, /* uint64_t of milliseconds; "500ms", "1m30s" */
    /* The same, but "0" counts as if the option was not given. */
    FX_OPTION_COUNT_OR_NONE,
    FX_OPTION_DURATION_OR_NONE,
    FX_OPTION_DURATION_OR_OFF, /* the same, but "0" gives FX_DURATION_OFF */
    /* struct fx_dialect_settings; the row is replaced by the settings of all dialects */
    FX_OPTION_SETTINGS,
};

#define FX_DURATION_OFF UINT64_MAX

/* One option. If it is not given, its value stays zero: false, NULL, none, the first
 * choice, 0. */
struct fx_option {
    const char *name; /* without the dashes; NULL ends a table */
    char letter;      /* '\0': none */
    enum fx_option_type type;
    size_t offset;        /* of the field in the command's values */
    const char *argument; /* the name of the argument in help: "PATH"; NULL for FLAG */
    const char *const *choices; /* CHOICE: the values, NULL-terminated */
    const char *help;           /* lower case, no full stop */
};

/* A row of a table, for macros that make several. `type` is one of enum fx_option_type
 * without its prefix. */
#define FX_OPTION_ROW(name, letter, type, offset, argument, choices, help) \
    {name, letter, FX_OPTION_##type, offset, argument, choices, help}

/* The row FX_OPTION_SETTINGS of a table whose values have a struct fx_dialect_settings.
 */
#define FX_DIALECT_OPTIONS(values, member) \
    {.name = "", .type = FX_OPTION_SETTINGS, .offset = offsetof(values, member)}

/* Strings borrowed from argv. */
struct fx_strings {
    const char **items;
    size_t n_items, cap_items;
};

#define FX_OPTIONS_MAX 64

struct fx_option_table {
    struct fx_option items[FX_OPTIONS_MAX + 1]; /* a NULL name ends them */
};

/* Fills the table with the options, and replaces the row FX_OPTION_SETTINGS by one row
 * for each setting of a dialect. Returns the items. */
const struct fx_option *fx_options_expand(const struct fx_option *options,
                                          struct fx_option_table *ret_table);

/* The contents of a command line other than options. */
struct fx_command_line {
    struct fx_strings operands; /* the arguments that are not options */
    bool help;                  /* --help or -h was given: parsing stopped there */
};

/* Parses argv[1] and so on: options into `values`, operands into `ret_line`, both zeroed.
 * Errors: FX_EINVALID, with a message that names the option; FX_ENOMEM. */
bool fx_options_parse(const struct fx_option *options, int argc, char **argv,
                      void *values, struct fx_command_line *ret_line,
                      struct fx_err *err) FX_MUST_USE;

/* Frees the lists among the values. */
void fx_options_finish(const struct fx_option *options, void *values);

void fx_strings_finish(struct fx_strings *strings); /* NULL and zeroed are fine */

/* How many of the strings are "-": standard input. */
size_t fx_strings_count_stdin(const struct fx_strings *strings);

/* Reads "500ms", "5s", "2m", "1h" and sums of them ("1m30s") as milliseconds; "8Mi",
 * "64Ki", "1G", "512" as bytes. Neither may be 0. False if the text is invalid or the
 * value is too large. */
bool fx_duration_parse(const char *text, uint64_t *ret_ms) FX_MUST_USE;
bool fx_size_parse(const char *text, size_t *ret_bytes) FX_MUST_USE;

#endif
