/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/help.c - `fixpoint help`, and `--help` everywhere.
 */
#include <string.h>

#include "base/buf.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "explain/layout.h"

#define OPTION_COLUMN 28 /* where the help text of an option begins */

/* ---- filling lines --------------------------------------------------------------- */

/* Appends text line by line. Lines that are empty or begin with a blank stay as they are;
 * each other line becomes a filled paragraph. */
static void print_paragraphs(struct fx_buf *buf, const char *text) {
    while (*text != '\0') {
        const size_t len = strcspn(text, "\n");
        if (text[0] == ' ' || len == 0) {
            fx_buf_add(buf, text, len);
            fx_buf_char(buf, '\n');
        } else {
            fx_layout_wrap(buf, (struct fx_text){text, len}, 0, 0);
        }
        text += text[len] == '\n' ? len + 1 : len;
    }
}

/* ---- one command ----------------------------------------------------------------- */

static void print_option(struct fx_buf *buf, const struct fx_option *option) {
    const size_t start = buf->len;
    if (option->letter != '\0') {
        fx_buf_printf(buf, "  -%c, --%s", option->letter, option->name);
    } else {
        fx_buf_printf(buf, "      --%s", option->name);
    }
    if (option->argument != NULL) {
        fx_buf_printf(buf, " %s", option->argument);
    }
    size_t column = buf->len - start;
    if (column + 2 > OPTION_COLUMN) {
        fx_buf_char(buf, '\n');
        column = 0;
    }
    fx_buf_fill(buf, ' ', OPTION_COLUMN - column);
    fx_layout_wrap(buf, fx_text_of(option->help), OPTION_COLUMN, OPTION_COLUMN);
}

static const struct fx_option help_option = {
    .name = "help", .letter = 'h', .help = "print this help"};

static void print_command(struct fx_buf *buf, const struct fx_command *command) {
    fx_buf_printf(buf, "fixpoint %s - %s\n\n", command->name, command->summary);
    fx_buf_str(buf, "Usage: fixpoint ");
    fx_buf_str(buf, command->name);
    const size_t column = strlen("Usage: fixpoint ") + strlen(command->name);
    fx_layout_wrap(buf, fx_text_of(command->usage), column, strlen("Usage: fixpoint "));
    fx_buf_char(buf, '\n');
    print_paragraphs(buf, command->details);
    fx_buf_str(buf, "\nOptions:\n");
    struct fx_option_table table;
    for (const struct fx_option *option = fx_options_expand(command->options, &table);
         option->name != NULL; option++) {
        print_option(buf, option);
    }
    print_option(buf, &help_option);
}

/* ---- all commands ---------------------------------------------------------------- */

static const char overview_head[] =
    "fixpoint - mutates Kubernetes objects according to policies until nothing\nchanges "
    "any more: as an admission webhook, and on the command line\n"
    "\n"
    "Usage: fixpoint COMMAND [OPTION]...\n"
    "\n"
    "Commands:\n";

static const char overview_tail[] =
    "\n"
    "`fixpoint help COMMAND` describes a command. Output goes to standard "
    "output,\nmessages go to standard error.\n"
    "\n"
    "Exit status:\n"
    "   0  done\n"
    "   1  differences, failed tests or findings\n"
    "   2  invalid command line\n"
    "   3  invalid policy or input\n"
    "   4  a mutation failed, was denied or does not converge\n"
    "   5  error of a file, a socket or a cluster\n"
    "   6  `serve` ended before all requests were answered (--grace)\n"
    "  70  internal error\n";

enum fx_exit fx_help_show(const struct fx_command *command) {
    struct fx_buf buf = {0};
    if (command != NULL) {
        print_command(&buf, command);
        return fx_output_take(&buf);
    }
    fx_buf_str(&buf, overview_head);
    for (size_t i = 0; fx_commands[i] != NULL; i++) {
        fx_buf_printf(&buf, "  %-12s%s\n", fx_commands[i]->name, fx_commands[i]->summary);
    }
    fx_buf_str(&buf, overview_tail);
    return fx_output_take(&buf);
}

/* ---- the command `help` ---------------------------------------------------------- */

static enum fx_exit run_help(const void *values) {
    const struct fx_strings *names =
        &((const struct fx_operand_values *)values)->operands;
    const struct fx_command *command =
        names->n_items > 0 ? fx_command_find(names->items[0]) : NULL;
    return names->n_items > 0 && command == NULL ? fx_command_say_unknown(names->items[0])
                                                 : fx_help_show(command);
}

static const struct fx_option options[] = {{.name = NULL}};

const struct fx_command fx_command_help = {
    .name = "help",
    .usage = "[COMMAND]",
    .summary = "describe fixpoint or one of its commands",
    .details = "Without COMMAND, lists the commands and the exit statuses.\n",
    .options = options,
    .values_size = sizeof(struct fx_operand_values),
    .operand = "COMMAND",
    .run = run_help,
};
