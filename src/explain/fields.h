/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/fields.h - what happened to each field: the changes of a trace, replayed on the
 * object that came in.
 *
 * A trace names fields by JSON pointers, whose indices shift where lists grow and shrink.
 * Here a field is a node of a tree, which follows its list element. A field is reported
 * if it is
 *   - what a mutator wrote; the single member, where that is a new object with one
 * member;
 *   - a whole list, where its elements are plain values, such as capabilities;
 *   - a list element that was added, removed or replaced.
 * The report on a field includes what changed it through a field above it, but not what
 * changed fields below it.
 */
#ifndef FX_EXPLAIN_FIELDS_H
#define FX_EXPLAIN_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/trace.h"

/* What one step of a mutator made of the field. */
struct fx_field_step {
    uint32_t mutator, pass; /* as in a trace: perhaps FX_TRACE_EXTERNAL */
    json_t *value;          /* counted; NULL: absent */
};

/* A field that changed, or one on the way to such a field. */
struct fx_field {
    struct fx_field *parent, *next, *first, *last; /* NULL ends */
    struct fx_text name; /* of the member; of a list element its `name`, or no data */
    json_t *element;     /* a list element as it was first seen, counted; else NULL */
    size_t index;        /* in the list; of a removed element, its last one */
    bool is_gone;        /* it was removed from its list */

    bool is_reported; /* it changed: the members below are valid */
    json_t *initial;  /* the value before the first change, counted; NULL: absent */
    struct fx_field_step *steps;
    size_t n_steps, cap_steps;
};

struct fx_fields {
    struct fx_arena arena;
    struct fx_field *root;
    struct fx_field **items; /* those with steps, parents first, in tree order */
    size_t n_items, cap_items;
    json_t *object; /* after the last change, counted */
};

/* Replays the trace on `object`, which is not changed. ret_fields (zeroed) is to be
 * finished in any case. Errors: FX_ENOMEM; FX_EINTERNAL where the trace is not one of
 * this object. */
bool fx_fields_make(const struct fx_trace *trace, json_t *object,
                    struct fx_fields *ret_fields, struct fx_err *err) FX_MUST_USE;
void fx_fields_finish(struct fx_fields *fields); /* NULL, zeroed are fine */

/* Does the last value of the field differ from the first? */
bool fx_field_differs(const struct fx_field *field);

/* Appends the path of the field (explain/names.h), or a JSON pointer into the object
 * after the last change; of a field that is absent then, the last one it had. Failure
 * sticks in `buf`. */
void fx_field_print_path(struct fx_buf *buf, const struct fx_field *field);
void fx_field_print_pointer(struct fx_buf *buf, const struct fx_field *field);

#endif
