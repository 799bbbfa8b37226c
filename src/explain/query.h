/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/query.h - the field that `fixpoint explain --field` names. It is written
 * as
 *   - a location, `spec.containers[name: web].image`, with `*` for any element;
 *   - a path as reports print it, with `[0]` for a list element without a name, and `[*]`
 *     for any;
 *   - a JSON pointer, `/spec/containers/0/image`.
 */
#ifndef FX_EXPLAIN_QUERY_H
#define FX_EXPLAIN_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/access.h"
#include "explain/fields.h"

struct fx_query; /* opaque */

/* Parses `text`, which may go afterwards. Errors: FX_ESYNTAX, FX_ELIMIT, with the message
 * of the location parser; FX_ENOMEM. */
bool fx_query_parse(struct fx_text text, struct fx_query **ret_query,
                    struct fx_err *err) FX_MUST_USE;
void fx_query_destroy(struct fx_query *query); /* NULL is fine */

/* Is it the field that the query names, or one above or below it? */
bool fx_query_covers(const struct fx_query *query, const struct fx_field *field);

/* The path of the field, as fx_access_may_write() takes it. Borrowed. */
const struct fx_path_step *fx_query_path(const struct fx_query *query,
                                         size_t *ret_n_steps);

#endif
