/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain_places.h - private to explain_fields.c: the tree of places, and how a place
 * follows its element through the changes of a list.
 */
#ifndef FX_CLI_EXPLAIN_PLACES_H
#define FX_CLI_EXPLAIN_PLACES_H

#include "cli/explain_fields.h"

/* The member of that name below the place; made if need be. NULL without memory. */
struct fx_field *fx_place_member(struct fx_fields *fields, struct fx_field *parent,
                                 struct fx_text name);

/* The place that the change, which is not yet made, is about: the one it names, or its
 * list where what comes or goes is no object. A new element moves those behind it on.
 * *ret_is_element: the place is an element of a list, and the change that of the element.
 * NULL without memory. */
struct fx_field *fx_place_of_change(struct fx_fields *fields,
                                    const struct fx_trace_change *change,
                                    bool *ret_is_element);

/* The element was taken away: those behind it move up. */
void fx_place_leave(struct fx_field *element);

/* The value at the place in the object; NULL where it is absent. Borrowed. */
json_t *fx_place_view(const struct fx_field *field, json_t *object);

/* The value at the place, given a value that `above`, a place above it, had once. */
json_t *fx_place_in(const struct fx_field *field, const struct fx_field *above,
                    json_t *value);

/* The value at the place, given that its parent is `parent` now: an element is looked
 * for, and remembers where it is. */
json_t *fx_place_follow(struct fx_field *field, json_t *parent);

#endif
