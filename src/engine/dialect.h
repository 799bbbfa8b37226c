/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/dialect.h - how a policy language is added: one const table, named in
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

/* The type of a fault, as Kubernetes names it among the causes of a rejection. */
#define FX_FAULT_TYPES(X)                    \
    X(INVALID, "FieldValueInvalid")          \
    X(REQUIRED, "FieldValueRequired")        \
    X(TYPE, "FieldValueTypeInvalid")         \
    X(UNSUPPORTED, "FieldValueNotSupported") \
    X(FORBIDDEN, "FieldValueForbidden")      \
    X(DUPLICATE, "FieldValueDuplicate")      \
    X(TOO_MANY, "FieldValueTooMany")         \
    X(INTERNAL, "InternalError")

enum fx_fault_type {
#define X(name, text) FX_FAULT_##name,
    FX_FAULT_TYPES(X)
#undef X
};

const char *fx_fault_type_name(enum fx_fault_type type);

/* One fault of a policy. */
struct fx_fault {
    enum fx_fault_type type;
    const json_t *node; /* the faulty node, borrowed from the policy; may be NULL */
    uint32_t off, len;  /* the span in its text; `len` is 0 if there is none */
    bool tells_place;   /* the message itself says where in the text the fault is */
    size_t field_len; /* this many bytes of `text` are a field's path, then comes ": " */
    char *text;       /* "spec.type: Required value" */
    char *brief; /* the same for a report that shows the node and the span: without what
                  * `text` quotes of them; NULL if that is `text` */
};

/* The field of the fault, and its message without the field. The message of a fault in a
 * part of a text has the position in the text ("(at character 5)"), unless it tells the
 * place itself. */
struct fx_text fx_fault_field(const struct fx_fault *fault);
void fx_fault_print(struct fx_buf *buf, const struct fx_fault *fault);

/* A setting of a dialect, for all its policies. The command line has the option `--<name>
 * <argument>` for it. */
struct fx_dialect_setting {
    const char *name;     /* "cluster-rules-namespace"; NULL ends a list */
    const char *argument; /* the name of the value in the help: "NAME" */
    const char *help;     /* in lower case, without a full stop */
};

#define FX_DIALECT_SETTINGS_MAX 8u

/* The settings that an operator gave, by name. Zeroed, all dialects have their
 * defaults. */
struct fx_dialect_settings {
    struct {
        const char *name, *value; /* both borrowed */
    } items[FX_DIALECT_SETTINGS_MAX];
    size_t n_items;
};

/* Sets the value of a setting. It replaces an earlier value. */
void fx_dialect_settings_set(struct fx_dialect_settings *settings, const char *name,
                             const char *value);

/* Returns the value of a setting; NULL if it was not given. `settings` may be NULL. */
const char *fx_dialect_settings_get(const struct fx_dialect_settings *settings,
                                    const char *name);

/* The result of compiling a policy, with warnings and faults for its author. */
struct fx_compilation {
    const struct fx_dialect_settings *settings; /* borrowed; NULL for the defaults */
    struct fx_mutator **mutators;               /* counted */
    size_t n_mutators, cap_mutators;
    struct fx_resource **resources; /* counted */
    size_t n_resources, cap_resources;
    /* What the link step needs of the policy; set by a dialect that has a link step,
     * otherwise NULL. */
    struct fx_linkable *linkable;
    struct fx_warning {
        const json_t *node; /* the value of the warning, borrowed from the policy */
        char *text;
    } *warnings;
    size_t n_warnings, cap_warnings;
    size_t n_more_warnings; /* warnings beyond FX_LIMIT_FINDINGS, which are only
                             * counted */
    /* The faults of a policy that fails, one by one, if its dialect does not stop at the
     * first fault. The error of `compile` says the same in one sentence. */
    struct fx_fault *faults;
    size_t n_faults, cap_faults;
    size_t n_more_faults; /* faults that are only counted */
};

/* Drops the mutators, warnings and faults, and forgets the settings. NULL and zeroed
 * compilations are fine. */
void fx_compilation_finish(struct fx_compilation *compilation);

/* Add a mutator or a resource (its reference is taken, also on failure) or a warning
 * (copied, or only counted if there are very many). False without memory. */
bool fx_compilation_add_take(struct fx_compilation *compilation,
                             struct fx_mutator *mutator) FX_MUST_USE;
bool fx_compilation_add_resource_take(struct fx_compilation *compilation,
                                      struct fx_resource *resource) FX_MUST_USE;
FX_PRINTF(3, 4)
bool fx_compilation_warn(struct fx_compilation *compilation, const json_t *node,
                         const char *fmt, ...) FX_MUST_USE;

/* Adds the fault with a copy of the message (and of `brief`), or only counts it if there
 * are very many. False without memory. */
bool fx_compilation_fault(struct fx_compilation *compilation,
                          const struct fx_fault *fault,
                          struct fx_text message) FX_MUST_USE;

/* Returns the namespace of a policy of a namespaced kind. */
struct fx_text fx_policy_namespace(const struct fx_subject *policy);

/* The annotations of a Pod from which the rules of a dialect learn its Node. When a Pod
 * that has the first one, with the value "true", is bound, the Node's name is written
 * into the second one. */
struct fx_node_annotations {
    const char *asks, *names;
};

struct fx_webhook;       /* engine/webhook.h */
struct fx_schemas;       /* engine/schemas.h */
struct fx_type_warnings; /* engine/type_warnings.h */

struct fx_dialect {
    const char *name;            /* the name of the folder in mutators/ */
    unsigned rank;               /* position in a pass: a lower rank comes first */
    const struct fx_kind *kinds; /* its table; ends with `kind` NULL */
    const struct fx_node_annotations *node_annotations; /* NULL if it has none */
    const struct fx_webhook *webhook; /* NULL if it adds nothing to the webhook */
    const struct fx_dialect_setting *settings; /* NULL if it has none */

    /* Compiles one policy object of one of `kinds` (group, version and kind are already
     * checked), under the settings of the compilation. Fails with the messages of the
     * dialect (FX_EINVALID, FX_ESYNTAX; node and span of the text in the error), and may
     * report several faults one by one. A policy that fails gives nothing else. Unknown
     * fields give warnings that name them. */
    bool (*compile)(json_t *policy, struct fx_compilation *ret_compilation,
                    struct fx_err *err);

    /* Makes the rules of one policy, whose unit has role FX_ROLE_POLICY, from the policy
     * and the units that it looks up (engine/link.h). NULL if `compile` gives all
     * rules. */
    void (*link)(struct fx_unit *policy, struct fx_link *link);

    /* Checks the expressions of a compiled policy once more, against the schemas of the
     * kinds that it matches. Kinds without a schema do not count. `ret_warnings` is
     * initialised, and finished by the caller. If `waits` is set, schemas are missing
     * for which `look_up` said FX_LOOKUP_WAIT: call it again when they are there. Spends
     * from the thread's budget; any thread. Errors: FX_ENOMEM, FX_EDEADLINE, FX_ELIMIT.
     * NULL if the dialect has no types. */
    bool (*check_types)(const struct fx_unit *policy, const struct fx_schemas *schemas,
                        struct fx_type_warnings *ret_warnings, struct fx_err *err);

    /* Sets missing fields of a policy of one of `kinds` to their defaults, copying on
     * write. Malformed values do not change. Errors: FX_ENOMEM. NULL if there are no
     * defaults. */
    bool (*set_defaults)(json_t **policy, struct fx_err *err);

    /* Finds the expansions of this dialect that expand each other in a cycle, among all
     * resources. Sets their elements of `ret_in_cycle`, which has one for each resource,
     * and does not change the others. False without memory. NULL if there are no
     * expansions. */
    bool (*find_cycles)(struct fx_resource *const *resources, size_t n_resources,
                        bool *ret_in_cycle);
};

/* All dialects; ends with NULL. Made by mutators/CMakeLists.txt. */
extern const struct fx_dialect *const fx_dialects[];

/* ---- dry runs: rules run on an object that is sent with them ---------------------- */

struct fx_dry_run_answer {
    unsigned status;  /* HTTP: 200; 400 for a faulty request; 503 without memory or beyond
                       * the deadline; 500 for an internal error */
    bool retry_after; /* with 503: a repeated request may succeed */
    struct fx_buf body; /* JSON; empty without memory for it; finished by the caller */
};

/* One route over HTTP. The functions are pure and run on any thread. */
struct fx_dry_run {
    const char *method, *path; /* "PUT", "/v1/dryrun" */

    /* Answers the body of a request. `settings` are those of the dialects, NULL for their
     * defaults. Ends at `deadline_ns` (base/clock.h; 0 for none), or soon after it.
     * `activity` receives what the dry run is doing; it may be NULL. */
    void (*answer)(struct fx_text request, const struct fx_dialect_settings *settings,
                   uint64_t deadline_ns, struct fx_activity *activity,
                   struct fx_dry_run_answer *ret_answer);

    /* Replaces `body` with an answer that has only this message: {"error": "…"}. */
    void (*write_error)(struct fx_buf *body, struct fx_text message);
};

/* All dry runs; ends with NULL. Made by mutators/dryrun/CMakeLists.txt. */
extern const struct fx_dry_run *const fx_dry_runs[];

#endif
