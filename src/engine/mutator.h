/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/mutator.h - what every policy dialect gives the fixpoint loop.
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
struct fx_access_hashes;
struct fx_denial;
struct fx_criterion;
struct fx_input;
struct fx_object_view;
struct fx_mutator;
struct fx_policy_text;
struct fx_request;
struct fx_subject;

/* "Applied": the location was found and the tests held. "Changed": the tree differs. Two
 * facts, never one (design section 5). */
struct fx_effect {
    bool applied;
    bool changed;
    /* Of one that may write anywhere: it left the object's type and names alone, and … */
    bool keeps_names;
    bool keeps_metadata; /* … labels and annotations, too */
    /* Where it did not apply, what stood against it: the field of the policy
     * ("pathTests", "location", "conditions", …), a constant; else NULL. */
    const char *criterion;
    /* Where it changed something: all of it lies at the end of so many of the first steps
     * of the one path that it declares as written; 0: anywhere. */
    size_t depth;
};

/* The answer of a match, and where it is no, the first criterion that failed: its field
 * name in the policy ("applyTo", "kinds", "namespaces", …), with the index of an entry of
 * a list ("match[2]"). A constant, or the mutator's. */
struct fx_verdict {
    bool matched;
    const char *criterion;
};

struct fx_mutator_ops {
    /* Is this request ours? Pure: no I/O, no clock, no allocation kept. */
    bool (*match)(const struct fx_mutator *self, const struct fx_request *request,
                  const struct fx_subject *subject, struct fx_verdict *ret_verdict,
                  struct fx_err *err);

    /* Rewrites *root, copying on write; where it reports !changed, *root shares all with
     * what it was, names and texts included. A repeat is to report !changed: that of one
     * that settles (engine/access.h), always. On failure *root may be half written,
     * unless the head says that it restores it: the loop drops it. */
    bool (*apply)(const struct fx_mutator *self, const struct fx_request *request,
                  json_t **root, struct fx_effect *ret_effect, struct fx_err *err);

    /* Of a validator (fx_run_options.action), whose `apply` changes nothing: checks the
     * object after the last pass, if it matches. Appends the message of a violation to
     * `entry`; an empty entry is no violation. `note` says what went wrong while the
     * message was made (FX_OK: nothing). NULL: the dialect has no validators. */
    bool (*validate)(const struct fx_mutator *self, const struct fx_request *request,
                     json_t *root, struct fx_buf *entry, struct fx_err *note,
                     struct fx_err *err);
    /* How the entries of validators that deny are joined; NULL: with "; ". */
    const struct fx_denial *denial;

    /* The field of a policy that restricts it to operations, for messages; NULL: there is
     * none. */
    const char *operations;

    /* How the object is shown to `match`, `apply` and `validate`; NULL: as it is. No step
     * of a mutator with a view is skipped as unchanged. */
    const struct fx_object_view *view;

    /* For `fixpoint explain`: describes a criterion that this mutator's `match` or
     * `apply` reported. ret_criterion is zeroed, its buffers are initialised; failure
     * sticks in them. NULL: reports print the name of the criterion and nothing else. */
    void (*explain)(const struct fx_mutator *self, const char *criterion,
                    struct fx_criterion *ret_criterion);

    /* For `fixpoint explain`: appends what the object has instead of what the criterion
     * asks for, right after `match` of the same arguments reported it. Never for a log:
     * it quotes the object. Failure sticks in `found`. NULL: reports do not say. */
    void (*found)(const struct fx_mutator *self, const struct fx_request *request,
                  const struct fx_subject *subject, const char *criterion,
                  struct fx_buf *found);

    /* Declares what `match` and `apply` may read and write in an object, beyond what
     * every review reads (type, names, labels, annotations). NULL: everything. */
    void (*access)(const struct fx_mutator *self, struct fx_access *access);

    /* May it match objects of this namespace (fx_subject_object_namespace(); empty: of
     * none)? A function of the name alone. Where it returns false, `match` would not
     * match either. NULL: the head's `namespaces` say all there is to say. */
    bool (*may_match_namespace)(const struct fx_mutator *self,
                                struct fx_text object_namespace);

    /* Makes a small object on which the mutator probably acts, for `fixpoint check`,
     * which tries policies out. A new reference; NULL if none can be derived from the
     * policy (no error), or without memory (*err is set). The slot itself may be NULL. */
    json_t *(*example)(const struct fx_mutator *self, struct fx_err *err);

    /* Frees the mutator and all that is its own. */
    void (*destroy)(struct fx_mutator *self);
};

/* What a report says of one criterion of a policy, whatever the object. */
struct fx_criterion {
    /* How early `match` or `apply` checks the criterion: reports list those that are
     * checked last first, as they came nearest to acting. 0: nothing is checked behind
     * it. Ranks are compared between dialects, too. */
    unsigned rank;
    bool keeps_present;   /* the field is there already and is never overwritten */
    bool asks_namespace;  /* it may hold for the same object in another namespace */
    bool needs_namespace; /* it may fail only since the object's namespace is not known */
    struct fx_buf field;  /* where `spec` of the policy has it: "match.kinds" */
    struct fx_buf wanted; /* what the policy asks for there, in one line; may be empty */
};

/* The message of a denial: `begin`, then the entries with `between` between them. */
struct fx_denial {
    const char *begin, *between;
};

/* Objects a mutator can want. */
struct fx_binding {
    struct fx_text group, version, kind;
    unsigned operations; /* FX_OPERATION_BIT */
    bool no_operation;   /* also where there is no operation (NONE) */
    bool any_group, any_version, any_kind;
};

/* Where the policy was read. */
struct fx_origin {
    char *file; /* NULL where there is none (the cluster) */
    uint32_t line;
};

/* What a mutator does. All but the first are validators: they run once, after the last
 * pass, change nothing, and the action says what becomes of a violation. */
enum fx_action {
    FX_ACTION_MUTATE, /* changes the object */
    FX_ACTION_DENY,   /* denies the request */
    FX_ACTION_WARN,   /* allows the request, with a warning to the user */
    FX_ACTION_AUDIT,  /* allows the request, with an audit annotation */
};

/* How the loop runs a mutator. Zeroed: it mutates, in every pass, is matched right before
 * it is applied, and its failure fails the review. */
struct fx_run_options {
    enum fx_action action;
    /* Applied at most once in a review (design section 5): in the first pass, or in a
     * later one, if mutators that are reinvoked, or of another rank, have changed the
     * object since its last match. */
    bool once;
    /* Its match is decided before any mutator of its tier is applied, so that it does not
     * see what they did. The same for all mutators of a rank. */
    bool match_first;
    /* Where it fails, it alone is skipped, and the outcome says so. */
    bool ignores_failure;
};

#define FX_RANKS 8u

/* The head of every mutator: a dialect's own struct begins with it. Immutable and
 * counted once it is in a snapshot; dialects fill it with fx_mutator_init(). */
struct fx_mutator {
    const struct fx_mutator_ops *ops;
    atomic_uint refs;
    unsigned rank; /* the dialect's place in a pass, below FX_RANKS, and … */
    int32_t tier;  /* … its own among those of the dialect; … */
    uint8_t place; /* … and among those of the tier */
    char *group, *kind;
    char *namespace_;  /* where the policy lives; NULL: in none */
    char *full_name;   /* "namespace/name", or the name alone; with a rule, "name:rule" */
    const char *name;  /* of the policy */
    const char *rule;  /* the rule's name, where the policy gives several; NULL: none */
    char *policy_name; /* private: the memory of `name` where there is a rule */
    uint32_t position; /* of the rule in its policy */
    int64_t generation;
    struct fx_run_options run;
    bool restores;  /* where its mutation fails, the object is as it was */
    bool has_share; /* it belongs to those of one namespace, who together may take only a
                     * share of a review's time (fx_request.share_percent) */
    /* What the mutator needs besides the object (engine/input.h): constants, or its own
     * memory. Name and labels of the object's namespace are always there. */
    const struct fx_input *inputs;
    size_t n_inputs;
    struct fx_origin origin;
    struct fx_policy_text *policy; /* as it was read, counted; equal ones compile equal */

    /* Derived from the declared access by fx_mutator_derive_access(). `hashes` are the
     * mutator's own. NULL: its steps depend on anything, and none is skipped; otherwise
     * the outcome of a step is a function of what they name, of the policy and of the
     * request, and of nothing else. */
    struct fx_access_hashes *hashes;
    bool keeps_names;    /* no path that it writes leads to the object's type or names, */
    bool keeps_metadata; /* … or into metadata */
    bool is_typed;       /* it assumes types of what it writes: it may be in conflict */

    /* For the index; all memory is the mutator's own. No bindings: any object. Where
     * these say no, `match` would say no as well, before anything in it can fail. */
    const struct fx_binding *bindings;
    size_t n_bindings;
    const struct fx_text *namespaces; /* exact names only; 0: anywhere */
    size_t n_namespaces;
};

/* Fills the head: copies the names, writes the policy down (NULL: there is none), sets
 * one reference. The policy itself may go: what else of it a mutator needs, it counts.
 * False without memory (what was copied is freed by fx_mutator_finish). */
bool fx_mutator_init(struct fx_mutator *mutator, const struct fx_mutator_ops *ops,
                     struct fx_text group, struct fx_text kind, struct fx_text name,
                     const json_t *policy) FX_MUST_USE;

/* The same for a policy that lives in a namespace: behind fx_mutator_init(), before
 * anybody asks for the name. False without memory. */
bool fx_mutator_set_namespace(struct fx_mutator *mutator,
                              struct fx_text namespace_) FX_MUST_USE;

/* The same for one of several rules of a policy: its name, and its position in the
 * policy, which orders the rules of a pass; behind fx_mutator_set_namespace(). False
 * without memory. */
bool fx_mutator_set_rule(struct fx_mutator *mutator, struct fx_text rule,
                         uint32_t position) FX_MUST_USE;

/* Fills what is derived from the declared access. Once, when the dialect has finished the
 * mutator: a compilation and a link do it for each mutator that they are given. False
 * without memory. */
bool fx_mutator_derive_access(struct fx_mutator *mutator) FX_MUST_USE;

/* Somebody else keeps that policy, too: where it is the mutator's, there is one text of
 * it from now on. Before the mutator is in a snapshot. */
void fx_mutator_share_policy(struct fx_mutator *mutator, struct fx_policy_text *policy);

/* Frees what fx_mutator_init() made; for `destroy` of the dialects. */
void fx_mutator_finish(struct fx_mutator *mutator);

struct fx_mutator *fx_mutator_ref(struct fx_mutator *mutator);
void fx_mutator_unref(struct fx_mutator *mutator); /* calls destroy at 0; NULL is fine */

/* May it write anywhere in an object, its type and names included? */
bool fx_mutator_writes_anywhere(const struct fx_mutator *mutator);

/* Describes a criterion that the mutator reported (fx_mutator_ops.explain; without it,
 * `field` is the name of the criterion). ret_criterion is to be finished. Failure sticks
 * in its buffers. */
void fx_mutator_explain(const struct fx_mutator *mutator, const char *criterion,
                        struct fx_criterion *ret_criterion);
void fx_criterion_finish(struct fx_criterion *criterion); /* zeroed ones are fine */

static inline bool fx_mutator_is_validator(const struct fx_mutator *mutator) {
    return mutator->run.action != FX_ACTION_MUTATE;
}

/* The order of a pass, validators behind all others: rank, tier and place, then group,
 * kind, namespace and name, bytewise, then the rule's position and name. */
int fx_mutator_compare(const struct fx_mutator *a, const struct fx_mutator *b);

/* By the id alone: 0 where both are versions of one rule of one policy. */
int fx_mutator_compare_ids(const struct fx_mutator *a, const struct fx_mutator *b);

/* Appends the id that messages name it by: `<Kind>.<group> <namespace>/<name>`, and
 * `:<rule>` where it is one of several. */
void fx_mutator_print_id(struct fx_buf *buf, const struct fx_mutator *mutator);

#endif
