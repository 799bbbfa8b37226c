/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/commands.c - the table of commands.
 */
#include "cli/commands.h"

#include <string.h>

#include "cli/output.h"
#include "cli/suggest.h"

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

void fx_command_say_unknown(const char *name) {
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
}
