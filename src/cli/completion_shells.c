/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/completion_shells.c - the completion scripts for bash, zsh and fish.
 */
#include "cli/commands.h"
#include "cli/completion.h"

/* Appends the text for within single quotes; `escaped` stands for such a quote. */
static void print_quoted(struct fx_buf *buf, const char *text, const char *escaped) {
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fx_buf_str(buf, escaped);
        } else {
            fx_buf_char(buf, *text);
        }
    }
}

/* The words an operand may be; help takes the commands. */
static void print_operand_words(struct fx_buf *buf, const struct fx_command *command) {
    if (command->operand_words != NULL) {
        fx_completion_words(buf, command->operand_words);
    } else if (command->operand != NULL && !command->takes_paths) {
        fx_completion_commands(buf);
    }
}

/* ---- bash ------------------------------------------------------------------------ */

/* The cases "command:option" whose argument is one of some words, or no path at all. */
static void bash_arguments(struct fx_buf *buf, const struct fx_command *command) {
    struct fx_option_table table;
    for (const struct fx_option *option = fx_options_expand(command->options, &table);
         option->name != NULL; option++) {
        if (option->type == FX_OPTION_FLAG || fx_completion_is_path(option)) {
            continue;
        }
        fx_buf_printf(buf, "        %s:--%s", command->name, option->name);
        if (option->letter != '\0') {
            fx_buf_printf(buf, "|%s:-%c", command->name, option->letter);
        }
        fx_buf_str(buf, ") words=\"");
        if (option->choices != NULL) {
            fx_completion_words(buf, option->choices);
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

void fx_completion_bash(struct fx_buf *buf) {
    fx_buf_str(buf, "# bash completion of fixpoint\n"
                    "_fixpoint() {\n"
                    "    local words= files=\n"
                    "    local current=${COMP_WORDS[COMP_CWORD]}\n"
                    "    local before=${COMP_WORDS[COMP_CWORD-1]}\n"
                    "    case ${COMP_CWORD}:${COMP_WORDS[1]}:${before} in\n"
                    "        1:*) words=\"");
    fx_completion_commands(buf);
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
        fx_completion_words(buf, option->choices);
        fx_buf_char(buf, ')');
    } else if (fx_completion_is_path(option)) {
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

void fx_completion_zsh(struct fx_buf *buf) {
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
        fx_completion_words(buf, option->choices);
        fx_buf_char(buf, '\'');
    } else if (fx_completion_is_path(option)) {
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

void fx_completion_fish(struct fx_buf *buf) {
    fx_buf_str(buf, "# fish completion of fixpoint\n"
                    "complete -c fixpoint -f\n"
                    "complete -c fixpoint -s h -l help -d 'this help'\n");
    for (size_t i = 0; fx_commands[i] != NULL; i++) {
        fish_command(buf, fx_commands[i]);
    }
}
