/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/names.h - prints the names of objects, fields and values from providers.
 *
 * A field is named by its path: `spec.containers[name: web].image`. A list element
 * without a `name` is named by its index, `spec.tolerations[0].effect`; a member that is
 * not a plain word is quoted. fx_query_parse() reads these paths. The functions append to
 * `buf`, where failure sticks; text from an object is not made plain (policy/plain.h)
 * unless the function's comment says so.
 */
#ifndef FX_EXPLAIN_NAMES_H
#define FX_EXPLAIN_NAMES_H

#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/external.h"

/* Appends one step of a path: a member, or a list element by its name or, if `name.data`
 * is NULL, by its index. */
void fx_print_member(struct fx_buf *buf, struct fx_text name);
void fx_print_element(struct fx_buf *buf, struct fx_text name, size_t index);

/* The `name` of a list element, borrowed; data is NULL if it has none. */
struct fx_text fx_element_name(const json_t *element);

/* Appends the path of the field that a JSON pointer names within `root`. Steps that do
 * not exist in `root` are printed as the tokens of the pointer. */
void fx_print_pointer(struct fx_buf *buf, json_t *root, struct fx_text pointer);

/* Appends "Pod/shop/web", "ClusterRole/admin", or "Pod/shop/web-*" for an object whose
 * name is not yet generated. As plain text. */
void fx_print_object(struct fx_buf *buf, const json_t *object);

/* Replaces each placeholder in the value by a text, `<value of provider "p" for
 * "nginx">`. Returns a new reference, to the value itself if it has no placeholders. NULL
 * if the value is NULL, or without memory. `placeholders` may be NULL. */
json_t *fx_reveal_placeholders(const struct fx_placeholders *placeholders,
                               json_t *value) FX_MUST_USE;

#endif
