/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/unmarshal.h - checks the types of values, with the errors of Go's encoding/json:
 * `json: cannot unmarshal string into Go struct field Match.spec.match.name of type …`.
 */
#ifndef FX_ENGINE_UNMARSHAL_H
#define FX_ENGINE_UNMARSHAL_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* A field as Go names it. */
struct fx_go_field {
    const char *owner; /* the innermost struct: "Match" */
    const char *path;  /* from the root: "spec.match.namespaces" */
    const char *type;  /* "[]wildcard.Wildcard" */
};

/* Fails with FX_EINVALID and this message; the node of the error is `node`. Always
 * false. */
bool fx_fail_unmarshal(const json_t *node, const struct fx_go_field *field,
                       struct fx_err *err);

/* Check the type. NULL (a missing value) and null are valid, as in Go; then *ret_node is
 * NULL. *ret_node is borrowed. */
bool fx_unmarshal_object(json_t *node, const struct fx_go_field *field, json_t **ret_node,
                         struct fx_err *err) FX_MUST_USE;
bool fx_unmarshal_array(json_t *node, const struct fx_go_field *field, json_t **ret_node,
                        struct fx_err *err) FX_MUST_USE;
bool fx_unmarshal_string(json_t *node, const struct fx_go_field *field, json_t **ret_node,
                         struct fx_err *err) FX_MUST_USE;

/* Copies of the texts of a JSON array of strings, in one block of memory. */
struct fx_text_list {
    struct fx_text *items;
    size_t n_items;
};

/* Reads an array. NULL and null give the empty list; a null element gives the empty text.
 * `field` is that of the list, `element` the Go type of its elements. Errors:
 * FX_EINVALID, FX_ENOMEM. */
bool fx_text_list_read(json_t *array, const struct fx_go_field *field,
                       const char *element, struct fx_text_list *ret_list,
                       struct fx_err *err) FX_MUST_USE;

/* Frees the list. NULL and zeroed lists are fine. */
void fx_text_list_finish(struct fx_text_list *list);

bool fx_text_list_has(const struct fx_text_list *list, struct fx_text text);

#endif
