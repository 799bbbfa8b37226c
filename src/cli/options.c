/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/options.c - parses a command line with getopt_long(), by a table of options.
 */
#include "cli/options.h"

#include <assert.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggestion.h"
#include "base/vec.h"
#include "engine/dialect.h"

/* ---- durations and sizes --------------------------------------------------------- */

struct unit {
    const char *name;
    uint64_t factor;
};

/* Reads digits at *at into *ret_number and moves *at past them. */
static bool read_digits(const char **at, uint64_t *ret_number) {
    uint64_t number = 0;
    const char *start = *at;
    for (; **at >= '0' && **at <= '9'; (*at)++) {
        const uint64_t digit = (uint64_t)(**at - '0');
        if (number > (UINT64_MAX - digit) / 10) {
            return false;
        }
        number = number * 10 + digit;
    }
    *ret_number = number;
    return *at > start;
}

/* Reads letters at *at as one of `units` (ended by a NULL name). */
static const struct unit *read_unit(const char **at, const struct unit *units) {
    const size_t len = strspn(*at, "kmhsKMGi");
    for (; units->name != NULL; units++) {
        if (strlen(units->name) == len && strncmp(units->name, *at, len) == 0) {
            *at += len;
            return units;
        }
    }
    return NULL;
}

/* Reads a number and its unit, and adds their product to *total. */
static bool add_part(const char **at, const struct unit *units, uint64_t *total) {
    uint64_t number = 0;
    if (!read_digits(at, &number)) {
        return false;
    }
    const struct unit *unit = read_unit(at, units);
    if (unit == NULL || number > (UINT64_MAX - *total) / unit->factor) {
        return false;
    }
    *total += number * unit->factor;
    return true;
}

bool fx_duration_parse(const char *text, uint64_t *ret_ms) {
    static const struct unit units[] = {
        {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {NULL, 0}};
    uint64_t total = 0;
    do {
        if (!add_part(&text, units, &total)) {
            return false;
        }
    } while (*text != '\0');
    *ret_ms = total;
    return total > 0;
}

bool fx_size_parse(const char *text, size_t *ret_bytes) {
    static const struct unit units[] = {
        {"", 1},
        {"k", 1000},
        {"M", 1000000},
        {"G", 1000000000},
        {"Ki", 1024},
        {"Mi", UINT64_C(1) << 20},
        {"Gi", UINT64_C(1) << 30},
        {NULL, 0},
    };
    uint64_t total = 0;
    if (!add_part(&text, units, &total) || *text != '\0' || total == 0 ||
        total > SIZE_MAX) {
        return false;
    }
    *ret_bytes = (size_t)total;
    return true;
}

#define LONG_BASE 256 /* getopt's value of the first long option */

static void add_option(struct fx_option_table *table, size_t *n,
                       const struct fx_option *option) {
    assert(*n < FX_OPTIONS_MAX);
    table->items[(*n)++] = *option;
}

static void add_settings(struct fx_option_table *table, size_t *n,
                         const struct fx_option *row) {
    for (size_t i = 0; fx_dialects[i] != NULL; i++) {
        const struct fx_dialect_setting *at = fx_dialects[i]->settings;
        for (; at != NULL && at->name != NULL; at++) {
            struct fx_option option = *row;
            option.name = at->name;
            option.argument = at->argument;
            option.help = at->help;
            add_option(table, n, &option);
        }
    }
}

const struct fx_option *fx_options_expand(const struct fx_option *options,
                                          struct fx_option_table *ret_table) {
    size_t n = 0;
    for (; options->name != NULL; options++) {
        if (options->type == FX_OPTION_SETTINGS) {
            add_settings(ret_table, &n, options);
        } else {
            add_option(ret_table, &n, options);
        }
    }
    ret_table->items[n] = (struct fx_option){.name = NULL};
    return ret_table->items;
}

void fx_strings_finish(struct fx_strings *strings) {
    if (strings != NULL) {
        free(strings->items);
        *strings = (struct fx_strings){0};
    }
}

size_t fx_strings_count_stdin(const struct fx_strings *strings) {
    size_t count = 0;
    for (size_t i = 0; i < strings->n_items; i++) {
        count += strcmp(strings->items[i], "-") == 0;
    }
    return count;
}

static bool add_string(struct fx_strings *strings, const char *string,
                       struct fx_err *err) {
    if (!FX_VEC_GROW(strings->items, strings->n_items, strings->cap_items)) {
        return fx_fail_nomem(err);
    }
    strings->items[strings->n_items++] = string;
    return true;
}

void fx_options_finish(const struct fx_option *options, void *values) {
    for (; options->name != NULL; options++) {
        if (options->type == FX_OPTION_LIST) {
            fx_strings_finish((void *)((char *)values + options->offset));
        }
    }
}

/* ---- one argument ---------------------------------------------------------------- */

static bool fail_argument(const struct fx_option *option, const char *argument,
                          const char *what, struct fx_err *err) {
    return fx_fail(err, FX_EINVALID, "--%s: `%s` is not %s", option->name, argument,
                   what);
}

static bool set_choice(const struct fx_option *option, unsigned *field,
                       const char *argument, struct fx_err *err) {
    char choices[128] = "one of";
    for (unsigned i = 0; option->choices[i] != NULL; i++) {
        if (strcmp(option->choices[i], argument) == 0) {
            *field = i;
            return true;
        }
        (void)strncat(choices, i > 0 ? ", " : " ", sizeof choices - strlen(choices) - 1);
        (void)strncat(choices, option->choices[i], sizeof choices - strlen(choices) - 1);
    }
    return fail_argument(option, argument, choices, err);
}

static bool set_count(const struct fx_option *option, size_t *field, const char *argument,
                      struct fx_err *err) {
    const size_t len = strlen(argument);
    if (strspn(argument, "0123456789") != len || !fx_size_parse(argument, field)) {
        return fail_argument(option, argument, "a number above 0", err);
    }
    return true;
}

static bool set_duration(const struct fx_option *option, uint64_t *field,
                         const char *argument, struct fx_err *err) {
    return fx_duration_parse(argument, field) ||
           fail_argument(option, argument, "a duration such as 500ms, 5s or 1m30s", err);
}

static bool is_none(const char *argument) {
    return strcmp(argument, "0") == 0;
}

static bool set_option(const struct fx_option *option, void *values, const char *argument,
                       struct fx_err *err) {
    void *field = (char *)values + option->offset;
    switch (option->type) {
    case FX_OPTION_FLAG: *(bool *)field = true; return true;
    case FX_OPTION_TEXT: *(const char **)field = argument; return true;
    case FX_OPTION_LIST: return add_string(field, argument, err);
    case FX_OPTION_SETTINGS:
        fx_dialect_settings_set(field, option->name, argument);
        return true;
    case FX_OPTION_CHOICE: return set_choice(option, field, argument, err);
    case FX_OPTION_COUNT: return set_count(option, field, argument, err);
    case FX_OPTION_SIZE:
        return fx_size_parse(argument, field) ||
               fail_argument(option, argument, "a size such as 512, 64Ki or 8Mi", err);
    case FX_OPTION_DURATION: return set_duration(option, field, argument, err);
    case FX_OPTION_COUNT_OR_NONE:
        *(size_t *)field = 0;
        return is_none(argument) || set_count(option, field, argument, err);
    case FX_OPTION_DURATION_OR_NONE:
        *(uint64_t *)field = 0;
        return is_none(argument) || set_duration(option, field, argument, err);
    case FX_OPTION_DURATION_OR_OFF:
        *(uint64_t *)field = FX_DURATION_OFF;
        return is_none(argument) || set_duration(option, field, argument, err);
    }
    return false;
}

/* ---- getopt's own form of the table ---------------------------------------------- */

struct getopt_tables {
    char letters[2 * FX_OPTIONS_MAX + 4];
    struct option names[FX_OPTIONS_MAX + 2];
};

static void make_tables(const struct fx_option *options,
                        struct getopt_tables *ret_tables) {
    size_t count = 0;
    char *letter = ret_tables->letters;
    *letter++ = ':'; /* getopt then distinguishes a missing argument */
    for (; options[count].name != NULL; count++) {
        const size_t i = count;
        const bool takes = options[i].type != FX_OPTION_FLAG;
        ret_tables->names[i] =
            (struct option){options[i].name, takes ? 1 : 0, NULL, LONG_BASE + (int)i};
        if (options[i].letter != '\0') {
            *letter++ = options[i].letter;
            if (takes) {
                *letter++ = ':';
            }
        }
    }
    *letter++ = 'h';
    *letter = '\0';
    ret_tables->names[count] = (struct option){"help", 0, NULL, 'h'};
}

/* The option of a value that getopt returned. */
static const struct fx_option *option_of(const struct fx_option *options, int value) {
    if (value >= LONG_BASE) {
        return &options[value - LONG_BASE];
    }
    while (options->letter != value) {
        assert(options->name != NULL);
        options++;
    }
    return options;
}

static bool fail_unknown(const struct fx_option *options, const char *word,
                         struct fx_err *err) {
    if (optopt >= LONG_BASE) {
        return fx_fail(err, FX_EINVALID, "--%s takes no argument",
                       option_of(options, optopt)->name);
    }
    if (optopt != 0) {
        return fx_fail(err, FX_EINVALID, "unknown option `-%c`", optopt);
    }
    const struct fx_text given = {word, strcspn(word, "=")};
    struct fx_suggestion nearest;
    fx_suggestion_init(&nearest, (struct fx_text){given.data + 2, given.len - 2});
    for (; options->name != NULL; options++) {
        fx_suggestion_offer(&nearest, options->name);
    }
    if (nearest.word == NULL) {
        return fx_fail(err, FX_EINVALID, "unknown option `%.*s`", FX_TEXT_ARG(given));
    }
    return fx_fail(err, FX_EINVALID, "unknown option `%.*s`; did you mean `--%s`?",
                   FX_TEXT_ARG(given), nearest.word);
}

static bool fail_missing(const struct fx_option *options, struct fx_err *err) {
    const struct fx_option *option = option_of(options, optopt);
    return fx_fail(err, FX_EINVALID, "--%s needs an argument: %s", option->name,
                   option->argument);
}

bool fx_options_parse(const struct fx_option *options, int argc, char **argv,
                      void *values, struct fx_command_line *ret_line,
                      struct fx_err *err) {
    struct fx_option_table expanded;
    struct getopt_tables tables = {0};
    options = fx_options_expand(options, &expanded);
    make_tables(options, &tables);
    opterr = 0;
    optind = 0; /* getopt begins anew */
    for (;;) {
        const int value = getopt_long(argc, argv, tables.letters, tables.names, NULL);
        if (value == -1) {
            break;
        }
        if (value == 'h') {
            ret_line->help = true;
            return true;
        }
        if (value == '?') {
            return fail_unknown(options, argv[optind - 1], err);
        }
        if (value == ':') {
            return fail_missing(options, err);
        }
        if (!set_option(option_of(options, value), values, optarg, err)) {
            return false;
        }
    }
    for (; optind < argc; optind++) {
        if (!add_string(&ret_line->operands, argv[optind], err)) {
            return false;
        }
    }
    return true;
}
