/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/completion.h - completion scripts, written from the tables of commands and options.
 */
#ifndef FX_CLI_COMPLETION_H
#define FX_CLI_COMPLETION_H

#include "base/buf.h"
#include "cli/options.h"

/* Appends the script of one shell. */
void fx_completion_bash(struct fx_buf *buf);
void fx_completion_zsh(struct fx_buf *buf);
void fx_completion_fish(struct fx_buf *buf);

/* Is the option's argument a path? */
bool fx_completion_is_path(const struct fx_option *option);

/* Appends `words` (NULL ends), a blank between them. */
void fx_completion_words(struct fx_buf *buf, const char *const *words);

/* Appends the names of all commands likewise. */
void fx_completion_commands(struct fx_buf *buf);

#endif
