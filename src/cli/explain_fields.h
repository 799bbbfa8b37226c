/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain_fields.h - what became of each field: the changes of a trace, replayed on
 * the object that came in and told field by field.
 *
 * A trace names places by pointers, which shift where lists grow and shrink. Here a place
 * is a node of a tree of its own, which follows its element. A field is:
 *   - what a mutator wrote: of an object made on the way, with one member, that member;
 *   - a whole list where its elements are plain values, such as capabilities;
 *   - an element of a list, where it came, went or was replaced.
 * A field below another one tells also what befell it through the other; not the reverse.
 */
#ifndef FX_CLI_EXPLAIN_FIELDS_H
#define FX_CLI_EXPLAIN_FIELDS_H

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

/* What one mutator made of the field in its turn. */
struct fx_field_step {
    uint32_t mutator, pass; /* as in a trace: perhaps FX_TRACE_EXTERNAL */
    json_t *value;          /* counted; NULL: absent */
};

/* A place in the object: a field that changed, or one on the way to some. */
struct fx_field {
    struct fx_field *parent, *next, *first, *last; /* NULL ends */
    struct fx_text name; /* of the member; of an element its `name`, or no data */
    json_t *element;     /* a list element as it was first seen, counted; else NULL */
    size_t index;        /* in the list, now or when it was last there */
    bool is_gone;        /* it left its list */

    bool is_told;    /* it changed: what follows counts */
    json_t *initial; /* before the first change of it, counted; NULL: absent */
    struct fx_field_step *steps;
    size_t n_steps, cap_steps;
};

struct fx_fields {
    struct fx_arena arena;
    struct fx_field *root;
    struct fx_field **items; /* those with steps: parents first, neighbours together */
    size_t n_items, cap_items;
    json_t *object; /* after the last change, counted */
};

/* Replays the trace of `object`. Errors: FX_ENOMEM; FX_EINTERNAL where the trace is not
 * one of this object. ret_fields (zeroed) is to be finished in any case. */
bool fx_fields_make(const struct fx_trace *trace, json_t *object,
                    struct fx_fields *ret_fields, struct fx_err *err) FX_MUST_USE;
void fx_fields_finish(struct fx_fields *fields); /* NULL, zeroed are fine */

/* Does the last value of the field differ from the first? */
bool fx_field_differs(const struct fx_field *field);

/* Appends where the field is, as a location (see explain_path.h), and as a JSON pointer
 * into the object after the last change (where it is absent: as it last was there). */
void fx_field_print_path(struct fx_buf *buf, const struct fx_field *field);
void fx_field_print_pointer(struct fx_buf *buf, const struct fx_field *field);

#endif
