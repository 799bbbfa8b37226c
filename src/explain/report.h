/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/report.h - what mutation did to one object: which mutator changed which field,
 * which mutator did nothing and why, and which validators found a violation. Built from
 * the trace of a finished review, and printed as text or as JSON. Pure: no I/O.
 */
#ifndef FX_EXPLAIN_REPORT_H
#define FX_EXPLAIN_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/access.h"
#include "engine/converge.h"
#include "engine/snapshot.h"
#include "engine/trace.h"

/* ---- the fields ------------------------------------------------------------------ */

/* The changes of each field: those of a trace, replayed on the incoming object. A trace
 * names fields by JSON pointers, whose indices shift when lists grow or shrink. Here a
 * field is a node of a tree, which moves with its list element. A field is reported if
 * it is
 *   - a field that a mutator wrote; if that is a new object with one member, the member;
 *   - a whole list, if its elements are plain values, such as capabilities;
 *   - a list element that was added, removed or replaced.
 * The report on a field includes changes of fields above it that changed this field, but
 * not changes of fields below it. */

/* The value that one step of a mutator gave the field. */
struct fx_explain_field_step {
    uint32_t mutator, pass; /* as in a trace: may be FX_TRACE_EXTERNAL */
    json_t *value;          /* counted; NULL: absent */
    /* What the value was computed from: a cause for each change of the step. */
    struct fx_explain_cause *causes;
    bool undoes; /* the mutator has failed, which undoes its policy */
};

/* A cause in a list, in the arena of the fields. */
struct fx_explain_cause {
    const struct fx_trace_cause *cause; /* borrowed from the trace */
    struct fx_explain_cause *next;
};

/* A field that changed, or one on the way to such a field. */
struct fx_explain_field {
    struct fx_explain_field *parent, *next, *first, *last; /* NULL: none */
    struct fx_text name; /* of the member; for a list element its `name`, or no data */
    json_t *element;     /* a list element as it was first seen, counted; else NULL */
    size_t index;        /* in the list; of a removed element, its last index */
    bool is_gone;        /* it was removed from its list */

    bool is_reported; /* it changed: the members below are valid */
    json_t *initial;  /* the value before the first change, counted; NULL: absent */
    struct fx_explain_field_step *steps;
    size_t n_steps, cap_steps;
};

struct fx_explain_fields {
    struct fx_arena arena;
    struct fx_explain_field *root;
    /* The fields with steps, parents first, in tree order. */
    struct fx_explain_field **items;
    size_t n_items, cap_items;
    json_t *object; /* after the last change, counted */
};

/* Replays the trace on `object`, which is not changed. The caller finishes ret_fields
 * (zeroed) in any case. Errors: FX_ENOMEM; FX_EINTERNAL if the trace does not fit this
 * object. */
bool fx_explain_fields_make(const struct fx_trace *trace, json_t *object,
                            struct fx_explain_fields *ret_fields,
                            struct fx_err *err) FX_MUST_USE;
void fx_explain_fields_finish(
    struct fx_explain_fields *fields); /* NULL and zeroed are fine */

/* Does the last value of the field differ from the first? */
bool fx_explain_field_differs(const struct fx_explain_field *field);

/* Appends the path of the field (explain/names.h), or its JSON pointer in the object
 * after the last change (if the field is then absent: the last pointer it had). Failure
 * sticks in `buf`. */
void fx_explain_field_print_path(struct fx_buf *buf,
                                 const struct fx_explain_field *field);
void fx_explain_field_print_pointer(struct fx_buf *buf,
                                    const struct fx_explain_field *field);

/* ---- the query ------------------------------------------------------------------- */

/* The field that `fixpoint explain --field` names. It is written as
 *   - a location, `spec.containers[name: web].image`, with `*` for any element;
 *   - a path as reports print it, with `[0]` for a list element without a name, and `[*]`
 *     for any;
 *   - a JSON pointer, `/spec/containers/0/image`. */
struct fx_query; /* opaque */

/* Parses `text`, which is not used afterwards. Errors: FX_ESYNTAX, FX_ELIMIT, with the
 * message of the location parser; FX_ENOMEM. */
bool fx_query_parse(struct fx_text text, struct fx_query **ret_query,
                    struct fx_err *err) FX_MUST_USE;
void fx_query_destroy(struct fx_query *query); /* NULL is fine */

/* Is the field the one that the query names, or above or below it? */
bool fx_query_covers(const struct fx_query *query, const struct fx_explain_field *field);

/* The path of the query's field, for fx_access_may_write(). Borrowed. */
const struct fx_path_step *fx_query_path(const struct fx_query *query,
                                         size_t *ret_n_steps);

/* ---- the mutators that changed nothing ------------------------------------------- */

/* In the order of the report: mutators that came nearest to acting first. The texts are
 * the names in JSON. */
#define FX_INACTIVE_REASONS(X)                                                        \
    X(SKIPPED, "skipped")        /* it failed and was skipped */                      \
    X(ELSEWHERE, "elsewhere")    /* it changed fields that the query does not name */ \
    X(UNCHANGED, "unchanged")    /* it applied; the object already had the values */  \
    X(PRESENT, "present")        /* the field exists, and it overwrites nothing */    \
    X(NOT_APPLIED, "notApplied") /* it matched; the criterion failed */               \
    X(LATE, "late")              /* it matches only the result */                     \
    X(NOT_MATCHED, "notMatched") /* the criterion failed */                           \
    X(CONFLICT, "conflict")      /* disabled by a conflict */                         \
    X(NOT_REACHED, "notReached") /* the review ended before its step */

enum fx_inactive_reason {
#define X(name, text) FX_INACTIVE_##name,
    FX_INACTIVE_REASONS(X)
#undef X
};

const char *fx_inactive_reason_name(enum fx_inactive_reason reason);

struct fx_inactive {
    uint32_t mutator; /* its index in the snapshot */
    enum fx_inactive_reason reason;
    const char *criterion; /* of NOT_APPLIED, NOT_MATCHED, LATE; "" for none. Borrowed */
    struct fx_criterion policy; /* if there is a criterion: what the policy wants */
    /* Of NOT_MATCHED and LATE: what the mutator found instead, and in which pass.
     * Borrowed from the trace. */
    struct fx_text found;
    uint32_t pass;
    const char *failure; /* of SKIPPED: the error message, borrowed from the trace */
};

struct fx_inactive_list {
    struct fx_inactive *items; /* sorted by reason and criterion */
    size_t n_items;
};

/* What a list is about. */
enum fx_inactive_role {
    FX_INACTIVE_MUTATORS,
    FX_INACTIVE_VALIDATORS,
    FX_INACTIVE_EXISTING, /* rules that mutate existing objects */
};

/* The input of the list. Everything is borrowed. */
struct fx_inactive_input {
    const struct fx_snapshot *snapshot;
    const struct fx_trace *trace;
    const struct fx_explain_fields *fields;
    const struct fx_query *query;     /* or NULL: all fields */
    const struct fx_outcome *outcome; /* or NULL: the loop did not run */
    enum fx_inactive_role role;
};

/* Lists the mutators that changed nothing: with a query, those that may write its field
 * and did not change it. A mutator that reported a failure, or whose failure ended the
 * review, is not listed. The
 * caller finishes ret_list (zeroed) in any case. Errors: FX_ENOMEM. */
bool fx_inactive_find(const struct fx_inactive_input *input,
                      struct fx_inactive_list *ret_list, struct fx_err *err) FX_MUST_USE;
void fx_inactive_list_finish(struct fx_inactive_list *list); /* zeroed is fine */

/* Are both inactive for the same reason, by the same criterion? */
bool fx_inactive_same(const struct fx_inactive *a, const struct fx_inactive *b);

/* ---- the report ------------------------------------------------------------------ */

/* The input of a report. Everything is borrowed and must outlive the report. */
struct fx_explain_input {
    json_t *object;   /* as it was sent */
    const char *file; /* the file of the object */
    uint32_t line;    /* the line at which its text begins */
    const struct fx_snapshot *snapshot;
    const struct fx_trace *trace;
    const struct fx_outcome *outcome; /* NULL: the loop did not run */
    const struct fx_err *failure;     /* NULL: the review succeeded */
    struct fx_text skipped;       /* why the object is not mutated at all; or no data */
    bool is_changed;              /* the result differs from the object */
    bool is_delete;               /* the request is a DELETE: only validators run */
    bool lacks_namespace;         /* it may be namespaced, and its namespace is unknown */
    const struct fx_query *query; /* report this field only; NULL: all fields */
    const char *query_text;       /* the text of `query` */
};

struct fx_explanation {
    struct fx_explain_input input;
    struct fx_explain_fields fields;
    struct fx_inactive_list inactive;   /* the mutators that changed nothing */
    struct fx_inactive_list validators; /* the validators that found no violation */
    struct fx_inactive_list existing;   /* rules for existing objects that do not match */
};

/* Builds the report. The caller finishes ret_explanation in any case. Errors: FX_ENOMEM;
 * FX_EINTERNAL if the trace does not fit this object. */
bool fx_explanation_make(const struct fx_explain_input *input,
                         struct fx_explanation *ret_explanation,
                         struct fx_err *err) FX_MUST_USE;
void fx_explanation_finish(struct fx_explanation *explanation); /* zeroed ones are fine */

/* Appends the report as text, in lines of 80 columns. `colour`: with ANSI colours; `all`:
 * long lists are not cut. Failure sticks in `buf`. */
void fx_explanation_print_text(struct fx_buf *buf,
                               const struct fx_explanation *explanation, bool colour,
                               bool all);

/* Appends the report as one line of JSON. Failure sticks in `buf`. */
void fx_explanation_print_json(struct fx_buf *buf,
                               const struct fx_explanation *explanation);

/* ---- for both printers ----------------------------------------------------------- */

/* Does the report include the field? With a query, only fields that it covers. */
bool fx_explanation_includes(const struct fx_explanation *explanation,
                             const struct fx_explain_field *field);

/* The number of validators in the snapshot, and that of rules for existing objects. */
size_t fx_explanation_validators(const struct fx_explanation *explanation);
size_t fx_explanation_existing(const struct fx_explanation *explanation);

/* The error of a validator that found a violation but could not make its message; or
 * NULL. Borrowed. */
const char *fx_explanation_validator_error(const struct fx_explanation *explanation,
                                           uint32_t mutator);

/* The mutator or provider of a step. Everything is borrowed. */
struct fx_actor {
    const char *kind;    /* "Assign"; "Provider" if the value came from a provider */
    struct fx_text name; /* "namespace/name", or only the name */
    int32_t tier;        /* the mutator's tier; 0: none */
    const struct fx_origin *origin; /* where the policy was read; or NULL */
};

struct fx_actor fx_actor_of(const struct fx_mutator *mutator);

/* The actor of a step. `mutator` as in a trace; if it is FX_TRACE_EXTERNAL, `before`, the
 * value that the step replaced, identifies the provider. */
struct fx_actor fx_explanation_actor(const struct fx_explanation *explanation,
                                     uint32_t mutator, const json_t *before);

#endif
