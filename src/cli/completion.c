/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/completion.c - `fixpoint completion`.
 */

#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"

/* ---- shared by all shells -------------------------------------------------------- */

/* Is the option's argument a path? */
static bool is_path(const struct fx_option *option) {
    return option->argument != NULL && (strcmp(option->argument, "PATH") == 0 ||
                                        strcmp(option->argument, "FILE") == 0);
}

/* Appends `items` (NULL-terminated), separated by blanks. */
static void print_items(struct fx_buf *buf, const char *const *items) {
    for (size_t i = 0; items[i] != NULL; i++) {
        fx_buf_printf(buf, "%s%s", i > 0 ? " " : "", items[i]);
    }
}

/* Appends the names of all commands, separated by blanks. */
static void print_commands(struct fx_buf *buf) {
    for (size_t i = 0; fx_commands[i] != NULL; i++) {
        fx_buf_printf(buf, "%s%s", i > 0 ? " " : "", fx_commands[i]->name);
    }
}

/* Appends the text for use within single quotes, each single quote as `escaped`. */
static void print_quoted(struct fx_buf *buf, const char *text, const char *escaped) {
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fx_buf_str(buf, escaped);
        } else {
            fx_buf_char(buf, *text);
        }
    }
}

/* Appends the words that an operand may be. The operand of `help` is a command. */
static void print_operand_words(struct fx_buf *buf, const struct fx_command *command) {
    if (command->operand_words != NULL) {
        print_items(buf, command->operand_words);
    } else if (command->operand != NULL && !command->takes_paths) {
        print_commands(buf);
    }
}

/* ---- bash ------------------------------------------------------------------------ */

/* Appends a case "command:option" for each option whose argument is not a path. */
static void bash_arguments(struct fx_buf *buf, const struct fx_command *command) {
    struct fx_option_table table;
    for (const struct fx_option *option = fx_options_expand(command->options, &table);
         option->name != NULL; option++) {
        if (option->type == FX_OPTION_FLAG || is_path(option)) {
            continue;
        }
        fx_buf_printf(buf, "        %s:--%s", command->name, option->name);
        if (option->letter != '\0') {
            fx_buf_printf(buf, "|%s:-%c", command->name, option->letter);
        }
        fx_buf_str(buf, ") words=\"");
        if (option->choices != NULL) {
            print_items(buf, option->choices);
        }
        fx_buf_str(buf, "\" ;;\n");
    }
}

static void bash_command(struct fx_buf *buf, const struct fx_command *command) {
    fx_buf_printf(buf, "        %s:*) words=\"", command->name);
    print_operand_words(buf, command);
    struct fx_option_table table;
    for (const struct fx_option *option = fx_options_expand(command->options, &table);
         option->name != NULL; option++) {
        fx_buf_printf(buf, " --%s", option->name);
    }
    fx_buf_str(buf, " --help\"; files=yes ;;\n");
}

static void print_bash(struct fx_buf *buf) {
    fx_buf_str(buf, "# bash completion of fixpoint\n"
                    "_fixpoint() {\n"
                    "    local words= files=\n"
                    "    local current=${COMP_WORDS[COMP_CWORD]}\n"
                    "    local before=${COMP_WORDS[COMP_CWORD-1]}\n"
                    "    case ${COMP_CWORD}:${COMP_WORDS[1]}:${before} in\n"
                    "        1:*) words=\"");
    print_commands(buf);
    fx_buf_str(buf, "\" ;;\n"
                    "    *) case ${COMP_WORDS[1]}:${before} in\n");
    for (size_t i = 0; fx_commands[i] != NULL; i++) {
        bash_arguments(buf, fx_commands[i]);
    }
    for (size_t i = 0; fx_commands[i] != NULL; i++) {
        bash_command(buf, fx_commands[i]);
    }
    fx_buf_str(buf,
               "        esac ;;\n"
               "    esac\n"
               "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
               "    if [ -n \"$files\" ] && [ \"${current#-}\" = \"$current\" ]; then\n"
               "        compopt -o default\n"
               "    fi\n"
               "}\n"
               "complete -F _fixpoint fixpoint\n");
}

/* ---- zsh ------------------------------------------------------------------------- */

/* '[*](-p --policies)'{-p,--policies}'[help]:PATH:_files' */
static void zsh_option(struct fx_buf *buf, const struct fx_option *option) {
    fx_buf_str(buf, "            ");
    if (option->type == FX_OPTION_LIST) {
        fx_buf_str(buf, "'*'");
    }
    if (option->letter != '\0') {
        fx_buf_printf(buf, "{-%c,--%s}'[", option->letter, option->name);
    } else {
        fx_buf_printf(buf, "'--%s[", option->name);
    }
    print_quoted(buf, option->help, "'\\''");
    fx_buf_char(buf, ']');
    if (option->argument != NULL) {
        fx_buf_printf(buf, ":%s:", option->argument);
    }
    if (option->choices != NULL) {
        fx_buf_char(buf, '(');
        print_items(buf, option->choices);
        fx_buf_char(buf, ')');
    } else if (is_path(option)) {
        fx_buf_str(buf, "_files");
    }
    fx_buf_str(buf, "' \\\n");
}

static void zsh_command(struct fx_buf *buf, const struct fx_command *command) {
    fx_buf_printf(buf, "    %s)\n        _arguments \\\n", command->name);
    struct fx_option_table table;
    for (const struct fx_option *option = fx_options_expand(command->options, &table);
         option->name != NULL; option++) {
        zsh_option(buf, option);
    }
    if (command->takes_paths) {
        fx_buf_printf(buf, "            '*:%s:_files' \\\n", command->operand);
    } else if (command->operand != NULL) {
        fx_buf_printf(buf, "            '1:%s:(", command->operand);
        print_operand_words(buf, command);
        fx_buf_str(buf, ")' \\\n");
    }
    fx_buf_str(buf, "            {-h,--help}'[this help]' ;;\n");
}

static void print_zsh(struct fx_buf *buf) {
    fx_buf_str(buf, "#compdef fixpoint\n"
                    "_fixpoint() {\n"
                    "    if (( CURRENT == 2 )); then\n"
                    "        local -a commands=(\n");
    for (size_t i = 0; fx_commands[i] != NULL; i++) {
        fx_buf_printf(buf, "            '%s:", fx_commands[i]->name);
        print_quoted(buf, fx_commands[i]->summary, "'\\''");
        fx_buf_str(buf, "'\n");
    }
    fx_buf_str(buf, "        )\n"
                    "        _describe command commands\n"
                    "        return\n"
                    "    fi\n"
                    "    shift words\n"
                    "    (( CURRENT-- ))\n"
                    "    case $words[1] in\n");
    for (size_t i = 0; fx_commands[i] != NULL; i++) {
        zsh_command(buf, fx_commands[i]);
    }
    fx_buf_str(buf, "    esac\n"
                    "}\n"
                    "compdef _fixpoint fixpoint\n");
}

/* ---- fish ------------------------------------------------------------------------ */

static void fish_option(struct fx_buf *buf, const struct fx_command *command,
                        const struct fx_option *option) {
    fx_buf_printf(buf, "complete -c fixpoint -n '__fish_seen_subcommand_from %s' -l %s",
                  command->name, option->name);
    if (option->letter != '\0') {
        fx_buf_printf(buf, " -s %c", option->letter);
    }
    if (option->choices != NULL) {
        fx_buf_str(buf, " -x -a '");
        print_items(buf, option->choices);
        fx_buf_char(buf, '\'');
    } else if (is_path(option)) {
        fx_buf_str(buf, " -r -F");
    } else if (option->type != FX_OPTION_FLAG) {
        fx_buf_str(buf, " -x");
    }
    fx_buf_str(buf, " -d '");
    print_quoted(buf, option->help, "\\'");
    fx_buf_str(buf, "'\n");
}

static void fish_command(struct fx_buf *buf, const struct fx_command *command) {
    fx_buf_printf(buf, "complete -c fixpoint -n __fish_use_subcommand -a %s -d '",
                  command->name);
    print_quoted(buf, command->summary, "\\'");
    fx_buf_str(buf, "'\n");
    if (command->takes_paths) {
        fx_buf_printf(buf,
                      "complete -c fixpoint -n '__fish_seen_subcommand_from %s' -F\n",
                      command->name);
    } else if (command->operand != NULL) {
        fx_buf_printf(buf,
                      "complete -c fixpoint -n '__fish_seen_subcommand_from %s' -a '",
                      command->name);
        print_operand_words(buf, command);
        fx_buf_str(buf, "'\n");
    }
    struct fx_option_table table;
    for (const struct fx_option *option = fx_options_expand(command->options, &table);
         option->name != NULL; option++) {
        fish_option(buf, command, option);
    }
}

static void print_fish(struct fx_buf *buf) {
    fx_buf_str(buf, "# fish completion of fixpoint\n"
                    "complete -c fixpoint -f\n"
                    "complete -c fixpoint -s h -l help -d 'this help'\n");
    for (size_t i = 0; fx_commands[i] != NULL; i++) {
        fish_command(buf, fx_commands[i]);
    }
}

/* ---- the command ----------------------------------------------------------------- */

static void (*const shells[])(struct fx_buf *buf) = {print_bash, print_zsh, print_fish};
static const char *const shell_words[] = {"bash", "zsh", "fish", NULL};

static enum fx_exit run_completion(const void *values) {
    const char *shell = ((const struct fx_operand_values *)values)->operands.items[0];
    struct fx_buf buf = {0};
    for (size_t i = 0; i < FX_COUNT(shells); i++) {
        if (strcmp(shell_words[i], shell) == 0) {
            shells[i](&buf);
            return fx_output_take(&buf);
        }
    }
    fx_say("completion: `%s` is not one of bash, zsh, fish", shell);
    return FX_EXIT_USAGE;
}

static const struct fx_option options[] = {{.name = NULL}};

const struct fx_command fx_command_completion = {
    .name = "completion",
    .usage = "bash|zsh|fish",
    .summary = "print a completion script for a shell",
    .details = "To load it into the current shell:\n"
               "  bash   source <(fixpoint completion bash)\n"
               "  zsh    source <(fixpoint completion zsh)\n"
               "  fish   fixpoint completion fish | source\n",
    .options = options,
    .values_size = sizeof(struct fx_operand_values),
    .operand = "SHELL",
    .operand_needed = true,
    .operand_words = shell_words,
    .run = run_completion,
};
