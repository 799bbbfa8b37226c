/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/cli.c - the table of commands, and running the command that argv names.
 */
#include "cli/cli.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <uv.h>
#include <yaml.h>

#include "base/suggestion.h"
#include "cli/commands.h"
#include "net/http_server.h"
#include "net/tls.h"
#include "value/json.h"

/* ---- the table of commands ------------------------------------------------------- */

const struct fx_command *const fx_commands[] = {
    &fx_command_apply,   &fx_command_diff,
    &fx_command_explain, &fx_command_check,
    &fx_command_test,    &fx_command_review,
    &fx_command_serve,   &fx_command_disable,
    &fx_command_enable,  &fx_command_ping,
    &fx_command_help,    &fx_command_completion,
    &fx_command_version, NULL,
};

const struct fx_command *fx_command_find(const char *name) {
    for (size_t i = 0; fx_commands[i] != NULL; i++) {
        if (strcmp(fx_commands[i]->name, name) == 0) {
            return fx_commands[i];
        }
    }
    return NULL;
}

enum fx_exit fx_command_say_unknown(const char *name) {
    struct fx_suggestion nearest;
    fx_suggestion_init(&nearest, fx_text_of(name));
    for (size_t i = 0; fx_commands[i] != NULL; i++) {
        fx_suggestion_offer(&nearest, fx_commands[i]->name);
    }
    if (nearest.word != NULL) {
        fx_say("unknown command `%s`; did you mean `%s`?", name, nearest.word);
    } else {
        fx_say("unknown command `%s`; `fixpoint help` lists the commands", name);
    }
    return FX_EXIT_USAGE;
}

/* ---- the command line ------------------------------------------------------------ */

static enum fx_exit usage_error(const struct fx_command *command) {
    fx_say("see `fixpoint help %s`", command->name);
    return FX_EXIT_USAGE;
}

/* Does the command accept these operands? */
static bool operands_fit(const struct fx_command *command,
                         const struct fx_strings *operands) {
    if (operands->n_items == 0) {
        if (command->operand_needed) {
            fx_say("%s: %s is missing", command->name, command->operand);
        }
        return !command->operand_needed;
    }
    if (command->operand == NULL) {
        fx_say("%s: unexpected argument `%s`%s", command->name, operands->items[0],
               command->stray != NULL ? command->stray : "");
        return false;
    }
    if (operands->n_items > 1 && !command->takes_paths) {
        fx_say("%s: unexpected argument `%s`", command->name, operands->items[1]);
        return false;
    }
    return true;
}

static enum fx_exit run_with(const struct fx_command *command, int argc, char **argv,
                             void *values, struct fx_command_line *line) {
    struct fx_err err = FX_ERR_INIT;
    if (!fx_options_parse(command->options, argc, argv, values, line, &err)) {
        fx_say("%s: %s", command->name, err.msg);
        return err.code == FX_ENOMEM ? FX_EXIT_BUG : usage_error(command);
    }
    if (line->help) {
        return fx_help_show(command);
    }
    if (!operands_fit(command, &line->operands)) {
        return usage_error(command);
    }
    if (command->operand != NULL) {
        void *field = (char *)values + command->operands_offset;
        *(struct fx_strings *)field = line->operands;
    }
    return command->run(values);
}

static enum fx_exit run_command(const struct fx_command *command, int argc, char **argv) {
    void *values = calloc(1, command->values_size + 1);
    if (values == NULL) {
        return fx_say_nomem();
    }
    struct fx_command_line line = {0};
    const enum fx_exit status = run_with(command, argc, argv, values, &line);
    fx_strings_finish(&line.operands);
    fx_options_finish(command->options, values);
    free(values);
    return status;
}

int fx_cli_main(int argc, char **argv) {
    /* A closed pipe is reported as an error of write() and gives an exit status. */
    (void)signal(SIGPIPE, SIG_IGN);
    if (argc < 2) {
        fx_say("no command; `fixpoint help` lists the commands");
        return FX_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return (int)fx_help_show(NULL);
    }
    if (strcmp(name, "--version") == 0) {
        name = "version";
    }
    const struct fx_command *command = fx_command_find(name);
    return (int)(command == NULL ? fx_command_say_unknown(name)
                                 : run_command(command, argc - 1, argv + 1));
}

/* ---- version --------------------------------------------------------------------- */

struct version_options {
    unsigned output;
};

enum { OUTPUT_TEXT, OUTPUT_JSON };
static const char *const output_words[] = {"text", "json", NULL};

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

struct version_part {
    const char *name, *version;
};

static void print_text(struct fx_buf *buf, const struct version_part *parts) {
    fx_buf_printf(buf, "fixpoint %s\n", parts->version);
    for (parts++; parts->name != NULL; parts++) {
        fx_buf_printf(buf, "  %-10s%s\n", parts->name, parts->version);
    }
}

static void print_json(struct fx_buf *buf, const struct version_part *parts) {
    const char *separator = "{";
    for (; parts->name != NULL; parts++) {
        fx_buf_str(buf, separator);
        fx_json_write_string(buf, fx_text_of(parts->name), FX_JSON_COMPACT);
        fx_buf_char(buf, ':');
        fx_json_write_string(buf, fx_text_of(parts->version), FX_JSON_COMPACT);
        separator = ",";
    }
    fx_buf_str(buf, "}\n");
}

static enum fx_exit run_version(const void *values) {
    const struct version_part parts[] = {
        {"version", FX_VERSION},
        {"compiler", COMPILER},
        {"jansson", jansson_version_str()},
        {"libyaml", yaml_get_version_string()},
        {"libuv", uv_version_string()},
        {"http", fx_http_library()},
        {"tls", fx_tls_library()},
        {NULL, NULL},
    };
    const struct version_options *given = values;
    struct fx_buf buf = {0};
    (given->output == OUTPUT_JSON ? print_json : print_text)(&buf, parts);
    return fx_output_take(&buf);
}

static const struct fx_option options[] = {
    {"output", 'o', FX_OPTION_CHOICE, offsetof(struct version_options, output), "FORMAT",
     output_words, "text or json"},
    {.name = NULL},
};

const struct fx_command fx_command_version = {
    .name = "version",
    .usage = "[-o text|json]",
    .summary = "print the version",
    .details = "Prints the versions of fixpoint, of the compiler and of the libraries.\n",
    .options = options,
    .values_size = sizeof(struct version_options),
    .run = run_version,
};
