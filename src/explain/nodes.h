/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/nodes.h - private to fields.c: the tree of fields, and how a field follows its
 * list element through the changes of the list. Values are borrowed.
 */
#ifndef FX_EXPLAIN_NODES_H
#define FX_EXPLAIN_NODES_H

#include "explain/fields.h"

/* Finds or makes the member `name` below the field. NULL without memory. */
struct fx_field *fx_field_child(struct fx_fields *fields, struct fx_field *parent,
                                struct fx_text name);

/* Finds or makes the field that a change is about, before the change is applied: the one
 * it names, or the list where an element that is no object is added or removed. The
 * indices behind a new element are moved on. *ret_is_element: the field is a list
 * element, and the change adds, removes or replaces it. NULL without memory. */
struct fx_field *fx_field_of_change(struct fx_fields *fields,
                                    const struct fx_trace_change *change,
                                    bool *ret_is_element);

/* Marks the list element as removed, and moves the indices behind it back. */
void fx_field_leave(struct fx_field *element);

/* The value of the field in the object; NULL where it is absent. */
json_t *fx_field_view(const struct fx_field *field, json_t *object);

/* The value that the field had when `above`, a field above it, had this value. */
json_t *fx_field_view_in(const struct fx_field *field, const struct fx_field *above,
                         json_t *value);

/* The value of the field, given that its parent has the value `parent` now. Looks for a
 * list element and notes its index. */
json_t *fx_field_follow(struct fx_field *field, json_t *parent);

#endif
