/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/commands.h - the table that describes a command. Each command has a file of its own
 * and a row in cli.c.
 */
#ifndef FX_CLI_COMMANDS_H
#define FX_CLI_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/cli.h"
#include "cli/options.h"

struct fx_command {
    const char *name;
    const char *usage;   /* the arguments: "-p PATH... -f PATH... [OPTION]..." */
    const char *summary; /* lower case, no full stop */
    const char *details; /* paragraphs; lines that begin with a space stay as they are */
    const struct fx_option *options;
    size_t values_size; /* the size of the struct that the options fill */

    /* The operand: its name in messages, and whether it is required. It is stored,
     * borrowed, in the struct fx_strings at this offset of the values. If `takes_paths`,
     * the command takes any number of paths. If `operand` is NULL, the command takes no
     * operands; `stray` (or NULL) is then a hint for the error message. */
    const char *operand, *stray;
    size_t operands_offset;
    bool operand_needed, takes_paths;
    const char *const *operand_words; /* for completion; NULL-terminated; may be NULL */

    /* Runs the command with the values of its options and operands. */
    enum fx_exit (*run)(const void *values);
};

/* The values of a command that takes an operand and no options. */
struct fx_operand_values {
    struct fx_strings operands;
};

/* All commands, in the order of the help; NULL-terminated. */
extern const struct fx_command *const fx_commands[];

/* The command of that name, or NULL. */
const struct fx_command *fx_command_find(const char *name);

/* Prints the error that the command does not exist, and suggests the nearest name. */
enum fx_exit fx_command_say_unknown(const char *name);

/* Prints the help of a command; NULL: the general help. */
enum fx_exit fx_help_show(const struct fx_command *command);

extern const struct fx_command fx_command_apply, fx_command_diff, fx_command_explain,
    fx_command_check, fx_command_test, fx_command_review, fx_command_serve,
    fx_command_disable, fx_command_enable, fx_command_ping, fx_command_version,
    fx_command_help, fx_command_completion;

#endif
