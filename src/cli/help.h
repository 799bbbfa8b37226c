/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/help.h - help texts in 80 columns, made from the tables that parsing uses.
 */
#ifndef FX_CLI_HELP_H
#define FX_CLI_HELP_H

#include "base/buf.h"
#include "cli/commands.h"

/* Appends the help of a command, or, for NULL, that of the whole. */
void fx_help_print(struct fx_buf *buf, const struct fx_command *command);

/* Writes it to standard output. */
enum fx_exit fx_help_show(const struct fx_command *command);

#endif
