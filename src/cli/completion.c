/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/completion.c - `fixpoint completion`.
 */
#include "cli/completion.h"

#include <string.h>

#include "cli/commands.h"
#include "cli/output.h"

static const struct {
    const char *name;
    void (*print)(struct fx_buf *buf);
} shells[] = {
    {"bash", fx_completion_bash},
    {"zsh", fx_completion_zsh},
    {"fish", fx_completion_fish},
};

static const char *const shell_words[] = {"bash", "zsh", "fish", NULL};

bool fx_completion_is_path(const struct fx_option *option) {
    return option->argument != NULL && (strcmp(option->argument, "PATH") == 0 ||
                                        strcmp(option->argument, "FILE") == 0);
}

void fx_completion_words(struct fx_buf *buf, const char *const *words) {
    for (size_t i = 0; words[i] != NULL; i++) {
        fx_buf_printf(buf, "%s%s", i > 0 ? " " : "", words[i]);
    }
}

void fx_completion_commands(struct fx_buf *buf) {
    for (size_t i = 0; fx_commands[i] != NULL; i++) {
        fx_buf_printf(buf, "%s%s", i > 0 ? " " : "", fx_commands[i]->name);
    }
}

static enum fx_exit run_completion(const void *values, const char *operand) {
    (void)values;
    for (size_t i = 0; i < FX_COUNT(shells); i++) {
        if (strcmp(shells[i].name, operand) == 0) {
            struct fx_buf buf = {0};
            shells[i].print(&buf);
            const enum fx_exit status = fx_output_write(&buf);
            fx_buf_finish(&buf);
            return status;
        }
    }
    fx_say("completion: `%s` is not one of bash, zsh, fish", operand);
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
    .operand = "SHELL",
    .operand_needed = true,
    .operand_words = shell_words,
    .run = run_completion,
};
