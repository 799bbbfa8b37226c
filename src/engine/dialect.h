/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/dialect.h - how a policy language joins the house: one const table, named in
 * mutators/CMakeLists.txt.
 */
#ifndef FX_ENGINE_DIALECT_H
#define FX_ENGINE_DIALECT_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/kind.h"
#include "engine/link.h"
#include "engine/mutator.h"
#include "engine/request.h"
#include "engine/resource.h"

/* What kind of fault it is: as Kubernetes names it among the causes of a refusal. */
#define FX_FAULT_TYPES(X)             \
    X(INVALID, "FieldValueInvalid")   \
    X(REQUIRED, "FieldValueRequired") \
    X(TYPE, "FieldValueTypeInvalid")

enum fx_fault_type {
#define X(name, text) FX_FAULT_##name,
    FX_FAULT_TYPES(X)
#undef X
};

const char *fx_fault_type_name(enum fx_fault_type type);

/* One thing that is wrong with a policy. */
struct fx_fault {
    enum fx_fault_type type;
    const json_t *node; /* at fault, borrowed from the policy; may be NULL */
    uint32_t off, len;  /* the span within its text; len 0: none */
    size_t field_len;   /* `text` begins with so much of a field's path, then ": " */
    char *text;         /* "spec.type: Required value" */
};

/* The field of the fault, and its message without the field. The message of a fault in a
 * part of a text has the position in the text ("(at character 5)"). */
struct fx_text fx_fault_field(const struct fx_fault *fault);
void fx_fault_print(struct fx_buf *buf, const struct fx_fault *fault);

/* A setting of a dialect: how all its policies are meant. The command line has the option
 * `--<name> <argument>` for it. */
struct fx_dialect_setting {
    const char *name;     /* "cluster-rules-namespace"; NULL ends a list */
    const char *argument; /* how help names the value: "NAME" */
    const char *help;     /* lower case, no full stop */
};

#define FX_DIALECT_SETTINGS_MAX 8u

/* The settings that an operator gave, by name. Zeroed: every dialect's defaults. */
struct fx_dialect_settings {
    struct {
        const char *name, *value; /* both borrowed */
    } items[FX_DIALECT_SETTINGS_MAX];
    size_t n_items;
};

/* Sets the value of a setting, in place of an earlier one. */
void fx_dialect_settings_set(struct fx_dialect_settings *settings, const char *name,
                             const char *value);

/* The value of a setting; NULL where it was not given. `settings` may be NULL. */
const char *fx_dialect_settings_get(const struct fx_dialect_settings *settings,
                                    const char *name);

/* Collects what a policy yields, and what its author should hear. */
struct fx_compilation {
    const struct fx_dialect_settings *settings; /* under which; borrowed, NULL: zeroed */
    struct fx_mutator **mutators;               /* counted */
    size_t n_mutators, cap_mutators;
    struct fx_resource **resources; /* counted */
    size_t n_resources, cap_resources;
    /* What the link step needs of the policy, or NULL; set by a dialect that has one. */
    struct fx_linkable *linkable;
    struct fx_warning {
        const json_t *node; /* the value it is about, borrowed from the policy */
        char *text;
    } *warnings;
    size_t n_warnings, cap_warnings;
    size_t n_more_warnings; /* beyond FX_LIMIT_FINDINGS, only counted */
    /* All that is wrong with a policy that fails, where its dialect does not stop at the
     * first fault: what the error of `compile` says in one sentence, one by one. */
    struct fx_fault *faults;
    size_t n_faults, cap_faults;
    size_t n_more_faults; /* the same */
};

/* Drops the mutators, warnings and faults, and forgets the settings. NULL and zeroed ones
 * are fine. */
void fx_compilation_finish(struct fx_compilation *compilation);

/* Adds a mutator, a resource (its reference is taken, also on failure), a warning
 * (copied, or counted where there are very many). False without memory. */
bool fx_compilation_add_take(struct fx_compilation *compilation,
                             struct fx_mutator *mutator) FX_MUST_USE;
bool fx_compilation_add_resource_take(struct fx_compilation *compilation,
                                      struct fx_resource *resource) FX_MUST_USE;
FX_PRINTF(3, 4)
bool fx_compilation_warn(struct fx_compilation *compilation, const json_t *node,
                         const char *fmt, ...) FX_MUST_USE;

/* Adds the fault with a copy of the message, or only counts it if there are very many.
 * False without memory. */
bool fx_compilation_fault(struct fx_compilation *compilation,
                          const struct fx_fault *fault,
                          struct fx_text message) FX_MUST_USE;

/* The namespace of a policy that lives in one. */
struct fx_text fx_policy_namespace(const struct fx_subject *policy);

/* The annotations of a Pod by which the rules of a dialect learn its Node: if a Pod that
 * is bound has the first one, with the value "true", the Node's name is written into the
 * second. */
struct fx_node_annotations {
    const char *asks, *names;
};

struct fx_webhook; /* engine/webhook.h */

struct fx_dialect {
    const char *name;            /* of the folder in mutators/ */
    unsigned rank;               /* position in a pass: a lower rank comes first */
    const struct fx_kind *kinds; /* its table; kind NULL ends */
    const struct fx_node_annotations *node_annotations; /* or NULL: it has none */
    const struct fx_webhook *webhook; /* or NULL: it adds nothing to the webhook */
    const struct fx_dialect_setting *settings; /* or NULL */

    /* Compiles one policy object of one of `kinds` (group, version and kind already
     * checked), under the settings that the compilation names. Fails with the messages
     * of the dialect (FX_EINVALID, FX_ESYNTAX; node and span of the text in error), and
     * may report several faults one by one; a policy that fails yields nothing else.
     * Unknown fields are warnings that name them. */
    bool (*compile)(json_t *policy, struct fx_compilation *ret_compilation,
                    struct fx_err *err);

    /* Makes the rules of one policy, whose unit has role FX_ROLE_POLICY, of it and of
     * what it looks up (engine/link.h). NULL: the rules of `compile` are all there are.
     */
    void (*link)(struct fx_unit *policy, struct fx_link *link);

    /* Sets the fields that a policy of one of `kinds` does not have to their defaults,
     * copying on write; malformed values stay. Errors: FX_ENOMEM. May be
     * NULL: there are no defaults. */
    bool (*set_defaults)(json_t **policy, struct fx_err *err);

    /* Of all resources, finds the expansions of this dialect that expand each other in a
     * cycle: sets their elements of `ret_in_cycle`, which has one for each resource, and
     * leaves the others. False without memory. May be NULL: there are none. */
    bool (*find_cycles)(struct fx_resource *const *resources, size_t n_resources,
                        bool *ret_in_cycle);
};

/* All dialects; NULL ends. Made by mutators/CMakeLists.txt. */
extern const struct fx_dialect *const fx_dialects[];

/* ---- dry runs: rules run on an object that is sent with them ---------------------- */

struct fx_dry_run_answer {
    unsigned status;    /* HTTP: 200; 400 for all that is wrong with the request; 503 no
                         * memory, deadline exceeded; 500 our bug */
    bool retry_after;   /* with 503: it may succeed a moment later */
    struct fx_buf body; /* JSON; empty without memory for it. To be finished */
};

/* One route over HTTP. The functions are pure and run on any thread. */
struct fx_dry_run {
    const char *method, *path; /* "PUT", "/v1/dryrun" */

    /* Answers the body of a request. `settings`: those of the dialects, NULL: their
     * defaults. Ends at `deadline_ns` (base/clock.h; 0: none), or soon after it.
     * `activity` receives what the dry run is doing; NULL: it is not reported. */
    void (*answer)(struct fx_text request, const struct fx_dialect_settings *settings,
                   uint64_t deadline_ns, struct fx_activity *activity,
                   struct fx_dry_run_answer *ret_answer);

    /* Writes an answer that has only this message: {"error": "…"}. Replaces `body`. */
    void (*write_error)(struct fx_buf *body, struct fx_text message);
};

/* All of them; NULL ends. Made by mutators/dryrun/CMakeLists.txt. */
extern const struct fx_dry_run *const fx_dry_runs[];

#endif
