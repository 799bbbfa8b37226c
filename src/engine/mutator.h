/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/mutator.h - a rule of a policy, as every dialect gives it to the loop. A mutator
 * mutates an object or, as a validator, checks it; `fx_mutator` stands for both.
 */
#ifndef FX_ENGINE_MUTATOR_H
#define FX_ENGINE_MUTATOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_access;
struct fx_arena;
struct fx_access_hashes;
struct fx_denial;
struct fx_existing_ops; /* engine/existing.h */
struct fx_criterion;
struct fx_input;
struct fx_mutator;
struct fx_policy_text;
struct fx_request;
struct fx_subject;
struct fx_trace_change;

/* The result of a mutation. */
struct fx_effect {
    bool applied; /* the location was found, and the tests were true */
    bool changed; /* the object differs (design section 5) */
    /* The mutator does not match the object as it is now: `apply` checks a criterion that
     * `match` does not. */
    bool unmatched;
    /* Set by a mutator that may write anywhere: the object's type and names have not
     * changed. */
    bool keeps_names;
    bool keeps_metadata; /* labels and annotations have not changed */
    /* If it did not apply: the field of the policy that prevented it ("pathTests",
     * "location", "conditions", …), a constant. Otherwise NULL. */
    const char *criterion;
    /* If it changed the object: all changes are below the first `depth` steps of the one
     * path that it declares as written. 0 if they may be anywhere. */
    size_t depth;
};

/* The result of a match. If it did not match, `criterion` is the first criterion that
 * failed, by its field name in the policy ("applyTo", "kinds", "namespaces", …), with an
 * index if it is an entry of a list ("match[2]"). It is a constant, or memory of the
 * mutator. */
struct fx_verdict {
    bool matched;
    const char *criterion;
};

/* How a dialect shows the object to its rules: with members that the object does not
 * have, or without some that it has. The object is restored before rules of another
 * dialect run, so no result contains the view. Neither function may change the object's
 * type or names. Rules must not write members that a view adds. */
struct fx_object_view {
    /* Changes *root to the view, copying on write. *ret_kept is a new reference, or NULL,
     * that `restore` needs. Errors: FX_ENOMEM. */
    bool (*show)(const struct fx_request *request, json_t **root, json_t **ret_kept,
                 struct fx_err *err);

    /* Undoes `show`. The caller keeps the reference `kept`. Errors: FX_ENOMEM. */
    bool (*restore)(json_t **root, const json_t *kept, struct fx_err *err);
};

struct fx_mutator_ops {
    /* Does the mutator match the request and the object? Pure: no I/O, no clock, no
     * allocation kept. On failure `err` has the reason; the loop adds the mutator. */
    bool (*match)(const struct fx_mutator *self, const struct fx_request *request,
                  const struct fx_subject *subject, struct fx_verdict *ret_verdict,
                  struct fx_err *err);

    /* Mutates *root, copying on write. If nothing changes, *root keeps its nodes,
     * including names and texts. Applied again to the result, it should change nothing; a
     * mutator that settles (engine/access.h) never does. After a failure *root may be
     * half written, unless the head has `restores`. */
    bool (*apply)(const struct fx_mutator *self, const struct fx_request *request,
                  json_t **root, struct fx_effect *ret_effect, struct fx_err *err);

    /* Of a validator (fx_run_options.action), whose `apply` changes nothing: checks the
     * object after the last pass, if it matches. Of a rule with `checks_deletes`: checks
     * the deleted object, if it matches; it may only fail. Appends the message of a
     * violation to `entry`; an empty entry means no violation. `note` says what went
     * wrong while the message was made (FX_OK for nothing). NULL if the dialect has no
     * validators. */
    bool (*validate)(const struct fx_mutator *self, const struct fx_request *request,
                     json_t *root, struct fx_buf *entry, struct fx_err *note,
                     struct fx_err *err);
    /* Of a rule that mutates existing objects (FX_ACTION_EXISTING), whose `apply` and
     * `validate` are not used: it is only matched. NULL if the dialect has none. */
    const struct fx_existing_ops *existing;
    /* How the entries of validators that deny are joined; NULL joins them with "; ". */
    const struct fx_denial *denial;

    /* The field of the policy that has the operations, for messages; NULL if there is
     * none. */
    const char *operations;

    /* The view of the object for `match`, `apply` and `validate`; NULL if there is none.
     * No step of a mutator with a view is skipped as unchanged. */
    const struct fx_object_view *view;

    /* For `fixpoint explain`: describes a criterion that this mutator's `match` or
     * `apply` reported. ret_criterion is zeroed, and its buffers are initialised; a
     * failure is kept in them. If NULL, reports print only the name of the criterion. */
    void (*explain)(const struct fx_mutator *self, const char *criterion,
                    struct fx_criterion *ret_criterion);

    /* For `fixpoint explain`: appends what the object has instead of what the criterion
     * asks for. It is called right after `match` with the same arguments reported the
     * criterion. The text quotes the object, so it is never logged. A failure is kept in
     * `found`. If NULL, reports do not have this text. */
    void (*found)(const struct fx_mutator *self, const struct fx_request *request,
                  const struct fx_subject *subject, const char *criterion,
                  struct fx_buf *found);

    /* For `fixpoint explain`: sets the cause of each change that a step made, if it is
     * known. Called right after `apply` with the same request changed the object, which
     * was `before`. The causes are made in the arena. If NULL, reports have no causes.
     * False without memory. */
    bool (*causes)(const struct fx_mutator *self, const struct fx_request *request,
                   json_t *before, struct fx_trace_change *changes, size_t n_changes,
                   struct fx_arena *arena);

    /* Declares what `match` and `apply` may read and write in an object, beyond what
     * every review reads (type, names, labels, annotations). NULL if that may be
     * everything. */
    void (*access)(const struct fx_mutator *self, struct fx_access *access);

    /* May it match objects of this namespace (fx_subject_object_namespace(); empty for
     * cluster-scoped objects)? The result depends on the name alone. If it is false,
     * `match` would not match. If NULL, only the head's `namespaces` count. */
    bool (*may_match_namespace)(const struct fx_mutator *self,
                                struct fx_text object_namespace);

    /* Makes a small object on which the mutator probably acts, for `fixpoint check`,
     * which tries policies out. Returns a new reference; NULL if no object can be derived
     * from the policy (no error), or without memory (*err is set). The function may be
     * missing (NULL). */
    json_t *(*example)(const struct fx_mutator *self, struct fx_err *err);

    /* The same with all fields that it reads, as far as they are known. If it fails on
     * this object, too, it is reported. NULL if the mutator also needs what the object
     * does not have (the old object, the user), or as above. May be missing (NULL): then
     * a failure on an example is not reported. */
    json_t *(*full_example)(const struct fx_mutator *self, struct fx_err *err);

    /* Frees the mutator and its memory. */
    void (*destroy)(struct fx_mutator *self);
};

/* What a report says about a criterion of a policy, for any object. */
struct fx_criterion {
    /* The lower the rank, the later `match` or `apply` checks the criterion; the last one
     * has rank 0. Reports begin with the lowest rank, because the mutator came nearest to
     * acting. Ranks of all dialects are compared. */
    unsigned rank;
    bool keeps_present;   /* it fails because the field exists, and is not overwritten */
    bool asks_namespace;  /* it may be true for the same object in another namespace */
    bool needs_namespace; /* it may fail only because the namespace is not known */
    bool is_particular;   /* what the object has instead depends on the policy */
    bool is_silent;       /* reports leave the mutator out: another rule of the policy is
                           * the one that counts for this object */
    struct fx_buf field;  /* its path in `spec` of the policy: "match.kinds" */
    struct fx_buf wanted; /* the value that the policy asks for, in one line; or empty */
};

/* The message of a denial: `begin`, then the entries, with `between` between them. If
 * `between` is NULL, the message is the first entry alone, and the status of the response
 * lists all entries as causes. */
struct fx_denial {
    const char *begin, *between;
};

/* Objects that a mutator may match. */
struct fx_binding {
    struct fx_text group, version, kind;
    unsigned operations; /* FX_OPERATION_BIT */
    bool no_operation;   /* also if there is no operation (NONE) */
    bool any_group, any_version, any_kind;
};

/* Where the policy was read. */
struct fx_origin {
    char *file; /* NULL for a policy of a cluster */
    uint32_t line;
};

/* What a mutator does. All but the first run once, after the last pass, and change
 * nothing. DENY, WARN and AUDIT are validators; the action is the consequence of a
 * violation. EXISTING comes after them: it is only matched, and what it mutates are other
 * objects, after the review (engine/existing.h). */
enum fx_action {
    FX_ACTION_MUTATE,   /* changes the object */
    FX_ACTION_DENY,     /* denies the request */
    FX_ACTION_WARN,     /* allows the request, with a warning to the user */
    FX_ACTION_AUDIT,    /* allows the request, with an audit annotation */
    FX_ACTION_EXISTING, /* allows the request, which triggers a job */
};

/* How the loop runs a mutator. A mutator with zeroed options mutates in every pass, is
 * matched right before it is applied, and makes the review fail if it fails. */
struct fx_run_options {
    enum fx_action action;
    /* Applied at most once in a review (design section 5): in the first pass, or in a
     * later one if mutators that are reinvoked, or of another rank, have changed the
     * object since its last match. A rule for existing objects: once to each target. */
    bool once;
    /* With `once`: applied again, if it was applied in the first pass, in the second one
     * if a mutator of its rank was applied in the first, and in a later one if mutators
     * of another rank have changed the object since. This is what API servers do for a
     * reinvocationPolicy of IfNeeded. */
    bool again;
    /* Matched before any mutator of its tier is applied, so that it does not see their
     * changes. It is the same for all mutators of a rank. */
    bool match_first;
    /* If it fails, it is skipped, and the outcome has the reason. */
    bool ignores_failure;
    /* With `once`: when it has changed the object, the other rules of its policy are not
     * applied any more in this review. */
    bool ends_policy;
    /* With `once` and `ignores_failure`: if it fails, the changes that rules of its
     * policy have made in this pass are dropped, too, and the other rules of the policy
     * are not applied any more. It is the same for all rules of a policy. */
    bool restores_policy;
    /* Of a rule that mutates: it has `validate`, too, which a DELETE is checked by. */
    bool checks_deletes;
    /* Of a rule that mutates existing objects: requests of Fixpoint itself trigger it,
     * too; it also runs when its policy becomes active or changes; its changes are
     * written by server-side apply. */
    bool on_own_requests, on_policy_change, by_apply;
};

#define FX_RANKS 8u

/* The head of every mutator: the struct of a dialect begins with it. Dialects fill it
 * with fx_mutator_init(). In a snapshot it is immutable and counted. */
struct fx_mutator {
    const struct fx_mutator_ops *ops;
    atomic_uint refs;
    /* Its order in a pass: the rank of the dialect, below FX_RANKS; the tier among the
     * mutators of the dialect; the order in that tier. Lower ones come first. */
    unsigned rank;
    int32_t tier;
    uint8_t tier_order;
    char *group, *kind;
    char *namespace_;  /* of the policy; NULL if that is cluster-scoped */
    char *full_name;   /* "namespace/name" or "name"; with a rule, "name:rule" */
    const char *name;  /* of the policy */
    const char *rule;  /* the rule's name if the policy gives several; otherwise NULL */
    char *policy_name; /* private: the memory of `name` if there is a rule */
    uint32_t position; /* of the rule in its policy */
    int64_t generation;
    struct fx_run_options run;
    bool restores; /* if its mutation fails, the object is unchanged */
    /* It reads request->admission, and request->old_object. */
    bool reads_request, reads_old_object;
    bool has_share; /* all such mutators together may take only a share of a review's time
                     * (fx_request.share_percent) */
    /* The inputs of the mutator besides the object (engine/input.h): constants, or its
     * own memory. Name and labels of the object's namespace are always there. */
    const struct fx_input *inputs;
    size_t n_inputs;
    struct fx_origin origin;
    struct fx_policy_text *policy; /* counted; equal policies compile to equal mutators */

    /* Derived from the declared access by fx_mutator_derive_access(). The mutator owns
     * `hashes`. If it is NULL, no step is skipped, because steps may depend on anything.
     * Otherwise the outcome of a step depends only on the paths of `hashes`, the policy
     * and the request. */
    struct fx_access_hashes *hashes;
    bool keeps_names;    /* no path that it writes leads to the object's type or names */
    bool keeps_metadata; /* no path that it writes leads into metadata */
    bool is_typed;       /* it assumes types of nodes, so it may be in conflict */
    bool reads_parts;    /* it reads only a part of an object */

    /* For the index, in the mutator's memory. Without bindings it may match any object.
     * With bindings it matches no other object, and its `match` finds that before it can
     * fail. */
    const struct fx_binding *bindings;
    size_t n_bindings;
    const struct fx_text *namespaces; /* exact names; empty for any namespace */
    size_t n_namespaces;
};

/* Fills the head: copies the names, keeps the policy as text (`policy` is NULL for none),
 * sets one reference. The head keeps no reference to `policy`. False without memory; then
 * fx_mutator_finish() frees what was copied. */
bool fx_mutator_init(struct fx_mutator *mutator, const struct fx_mutator_ops *ops,
                     struct fx_text group, struct fx_text kind, struct fx_text name,
                     const json_t *policy) FX_MUST_USE;

/* Sets the namespace of the policy, right after fx_mutator_init(). False without memory.
 */
bool fx_mutator_set_namespace(struct fx_mutator *mutator,
                              struct fx_text namespace_) FX_MUST_USE;

/* Sets the name of one of several rules of a policy, and its position, which orders them
 * in a pass; after fx_mutator_set_namespace(). False without memory. */
bool fx_mutator_set_rule(struct fx_mutator *mutator, struct fx_text rule,
                         uint32_t position) FX_MUST_USE;

/* Sets the fields that are derived from the declared access. Call it once, after the
 * dialect has finished the mutator: compilations and links do this for each mutator that
 * they get. False without memory. */
bool fx_mutator_derive_access(struct fx_mutator *mutator) FX_MUST_USE;

/* Replaces the mutator's policy text with `policy` if both are equal, so that there is
 * only one. Call it before the mutator is in a snapshot. */
void fx_mutator_share_policy(struct fx_mutator *mutator, struct fx_policy_text *policy);

/* Frees what fx_mutator_init() made. Called by `destroy` of the dialects. */
void fx_mutator_finish(struct fx_mutator *mutator);

struct fx_mutator *fx_mutator_ref(struct fx_mutator *mutator);
void fx_mutator_unref(struct fx_mutator *mutator); /* calls destroy at 0; NULL is fine */

/* May it write anywhere in an object, including its type and names? */
bool fx_mutator_writes_anywhere(const struct fx_mutator *mutator);

/* Does it read all of an object, but only of the kinds that it is bound to? */
static inline bool fx_mutator_reads_whole_kinds(const struct fx_mutator *mutator) {
    return !mutator->reads_parts && mutator->n_bindings > 0;
}

/* Describes a criterion that the mutator reported, with fx_mutator_ops.explain; without
 * it, `field` is the name of the criterion. The caller finishes ret_criterion. A failure
 * is kept in its buffers. */
void fx_mutator_explain(const struct fx_mutator *mutator, const char *criterion,
                        struct fx_criterion *ret_criterion);
void fx_criterion_finish(struct fx_criterion *criterion); /* a zeroed criterion is fine */

/* Does it run after the last pass, without changing the object? */
static inline bool fx_mutator_is_validator(const struct fx_mutator *mutator) {
    return mutator->run.action != FX_ACTION_MUTATE;
}

/* Does it mutate other objects than that of the request? */
static inline bool fx_mutator_is_existing(const struct fx_mutator *mutator) {
    return mutator->run.action == FX_ACTION_EXISTING;
}

/* Does it match no object at all? Then it is there for explanations. */
static inline bool fx_mutator_never_matches(const struct fx_mutator *mutator) {
    return mutator->n_bindings == 1 && mutator->bindings[0].operations == 0 &&
           !mutator->bindings[0].no_operation;
}

/* Compares in the order of a pass: validators last, after them rules for existing
 * objects; by rank, tier and tier_order, then by group, kind, namespace and name,
 * bytewise, then by the rule's position and name. */
int fx_mutator_compare(const struct fx_mutator *a, const struct fx_mutator *b);

/* Compares only the ids. Returns 0 if both are versions of the same rule of one policy.
 * Rules of one policy may have the same name (Kyverno cuts the names of generated rules):
 * then their positions count, too. */
int fx_mutator_compare_ids(const struct fx_mutator *a, const struct fx_mutator *b);

/* Are both rules of one policy? Such mutators follow one another in a pass. */
bool fx_mutator_has_same_policy(const struct fx_mutator *a, const struct fx_mutator *b);

/* Appends the id for messages: `<Kind>.<group> <namespace>/<name>`, and `:<rule>` if the
 * policy has several. */
void fx_mutator_print_id(struct fx_buf *buf, const struct fx_mutator *mutator);

#endif
