/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/context_internal.h - private: what the files of the context share.
 */
#ifndef FX_KYVERNO_CONTEXT_INTERNAL_H
#define FX_KYVERNO_CONTEXT_INTERNAL_H

#include "context.h"
#include "context_entries.h"

/* ---- compiled entries (context_entries.c) --------------------------------------------
 */

/* An entry with `variable`. */
struct kyverno_entry_variable {
    struct kyverno_template *value, *default_; /* NULL: not given */
    struct kyverno_template *query_text;       /* `jmesPath`, or NULL */
    /* If `jmesPath` has no variables: the query; NULL if it does not compile. */
    struct fx_jmespath *query;
};

/* An entry with `configMap`. */
struct kyverno_entry_map {
    struct kyverno_template *name, *namespace_; /* NULL: not given */
};

/* An entry with `apiCall`: one object of the API server. `variable` has the rest. */
struct kyverno_entry_call {
    struct kyverno_template *path;
    size_t n_slashes; /* that the path must have */
};

enum kyverno_entry_source {
    KYVERNO_ENTRY_VARIABLE,
    KYVERNO_ENTRY_MAP,
    KYVERNO_ENTRY_CALL
};

struct kyverno_context_entry {
    struct fx_text name;
    const struct kyverno_path *path; /* of the source: `/context/0/variable` */
    enum kyverno_entry_source source;
    struct kyverno_entry_variable variable;
    struct kyverno_entry_map map;
    struct kyverno_entry_call call;
};

struct kyverno_context_entries {
    struct kyverno_context_entry *items;
    size_t n;
    struct fx_text policy_namespace; /* data NULL: the policy has none */
};

/* ---- evaluation (context_load.c) -----------------------------------------------------
 */

/* An entry in a frame. Zeroed: not evaluated. */
struct kyverno_entry_state {
    json_t *value;  /* counted; NULL: not evaluated, or under evaluation */
    size_t bytes;   /* of the value as JSON */
    bool is_begun;  /* it is evaluated, or under evaluation */
    unsigned level; /* the highest level of the frames that its value depends on */
};

/* An entry under evaluation. It is on the stack. */
struct kyverno_loading {
    struct kyverno_loading *outer; /* which needs this one; or NULL */
    const struct kyverno_frame *frame;
    size_t index;   /* of the entry in the frame */
    unsigned level; /* the highest level of the frames that it has read so far */
};

/* Evaluates the entries that the query mentions, in the order of their declaration, each
 * once. For struct fx_jmespath_scope. */
bool fx_kyverno_load_mentioned(struct kyverno_context *context, struct fx_text query,
                               struct fx_err *err) FX_MUST_USE;

/* May the entry at `index` of the frame be read now? An entry under evaluation sees the
 * entries before it, and those after it whose names are not declared before. */
bool fx_kyverno_entry_is_visible(const struct kyverno_context *context,
                                 const struct kyverno_frame *frame, size_t index);

/* Notes that the entries under evaluation depend on a frame of this level. */
void fx_kyverno_note_level(struct kyverno_context *context, unsigned level);

/* Drops the values of the frame that depend on frames of this level or higher ones. */
void fx_kyverno_frame_forget(struct kyverno_context *context, struct kyverno_frame *frame,
                             unsigned level);

/* Evaluates the source of an entry, whose value is not null (context_source.c). */
bool fx_kyverno_entry_eval(struct kyverno_context *context,
                           const struct kyverno_context_entries *entries,
                           const struct kyverno_context_entry *entry, json_t **ret_value,
                           struct fx_err *err) FX_MUST_USE;

/* ---- names (context_names.c) ---------------------------------------------------------
 */

/* The value that the caller of the review gave for the variable (fx_request.variables),
 * in place of what the rule or the request would give it; borrowed, or NULL. */
json_t *fx_kyverno_given_variable(const struct kyverno_context *context,
                                  struct fx_text name);

/* Finds a name that is no entry: `request`, `images`, … As `find` of struct
 * fx_jmespath_scope. */
bool fx_kyverno_find_name(struct kyverno_context *context, struct fx_text name,
                          json_t **ret_value, struct fx_err *err) FX_MUST_USE;

/* Sets all these names that there are in an object. */
bool fx_kyverno_add_names(struct kyverno_context *context, json_t *object,
                          struct fx_err *err) FX_MUST_USE;

/* Finds `element`, `elementIndex` and those with the depth of a frame. */
bool fx_kyverno_find_element(const struct kyverno_frame *frame, struct fx_text name,
                             json_t **ret_value, struct fx_err *err) FX_MUST_USE;

/* Sets these names of a frame in an object. */
bool fx_kyverno_add_element(const struct kyverno_frame *frame, json_t *object,
                            struct fx_err *err) FX_MUST_USE;

#endif
