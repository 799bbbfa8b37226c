/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/literal.h - private: what Go's literals say.
 */
#ifndef FX_LOCATION_GOTEMPLATE_LITERAL_H
#define FX_LOCATION_GOTEMPLATE_LITERAL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/gotemplate/program.h"
#include "location/gotemplate/scanner.h"

/* Reads a NUMBER or RUNE token. Errors: FX_ESYNTAX. */
bool literal_read_number(const struct token *token, struct literal *ret_literal,
                         struct fx_err *err) FX_MUST_USE;

/* Reads a STRING or RAW_STRING token; the text lies in the arena, or in the source.
 * Errors: FX_ESYNTAX, FX_ENOMEM. */
bool literal_read_string(struct fx_arena *arena, const struct token *token,
                         struct fx_text *ret_string, struct fx_err *err) FX_MUST_USE;

#endif
