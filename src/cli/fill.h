/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/fill.h - sentences in lines that fit a terminal.
 */
#ifndef FX_CLI_FILL_H
#define FX_CLI_FILL_H

#include <stddef.h>

#include "base/buf.h"
#include "base/text.h"

#define FX_FILL_WIDTH 80u

/* How many columns the text takes: its runes. */
size_t fx_fill_columns(struct fx_text text);

/* Appends the words, in plain text (policy/plain.h), in lines of FX_FILL_WIDTH, and a
 * line's end. The first line goes on at `column`, where the caller is; further ones stand
 * behind `indent` blanks. */
void fx_fill(struct fx_buf *buf, struct fx_text words, size_t column, size_t indent);

#endif
