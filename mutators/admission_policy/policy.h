/* SPDX-License-Identifier: Apache-2.0
 *
 * admission_policy/policy.h - MutatingAdmissionPolicy and its binding as they are
 * compiled: documents become these structs, the link step joins them into rules
 * (spec/mutating-admission-policy.md). Kyverno's MutatingPolicy, which needs no binding,
 * becomes the same structs (Kyverno spec section 18).
 */
#ifndef FX_ADMISSION_POLICY_POLICY_H
#define FX_ADMISSION_POLICY_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/dialect.h"
#include "engine/link.h"
#include "engine/mutator.h"
#include "engine/selector.h"
#include "engine/unit.h"
#include "location/cel/cel.h"
#include "merge/schema.h"

#define MAP_GROUP         "admissionregistration.k8s.io"
#define MAP_OWN_GROUP     "policies.fixpoint.dev"
#define MAP_KYVERNO_GROUP "policies.kyverno.io"
#define MAP_KYVERNO_API   "kyverno" /* the dialect of Kyverno's other policies */
/* A setting of that dialect: the namespace whose PolicyExceptions count, "*" for all. */
#define MAP_EXCEPTIONS_SETTING "policy-exceptions"
#define MAP_RANK               0u
/* The place of Kyverno's policies in a pass: after the ModRules, whose rank is 2. */
#define MAP_KYVERNO_RANK 3u

/* An annotation of a policy: mutationValidationPolicy of KEP-3962. */
#define MAP_VALIDATION_ANNOTATION "policies.fixpoint.dev/mutation-validation-policy"

/* Indices in fx_map_kinds: each kind of API servers in both groups, and Kyverno's. */
enum {
    MAP_POLICY,
    MAP_BINDING,
    MAP_OWN_POLICY,
    MAP_OWN_BINDING,
    MAP_MUTATING_POLICY,
    MAP_NAMESPACED_MUTATING_POLICY,
    MAP_EXCEPTION,
    MAP_KINDS_END
};
extern const struct fx_kind fx_map_kinds[];

/* ---- match (section 3) ---------------------------------------------------------- */

enum map_scope { MAP_SCOPE_ANY, MAP_SCOPE_NAMESPACED, MAP_SCOPE_CLUSTER };

/* One of resourceRules or excludeResourceRules. The nodes belong to the document. */
struct map_resource_rule {
    const json_t *groups, *versions, *resources; /* arrays of strings, with "*" */
    const json_t *names;                         /* the same; NULL: any name */
    unsigned operations;                         /* FX_OPERATION_BIT */
    enum map_scope scope;
};

/* matchConstraints of a policy, or matchResources of a binding. */
struct map_match {
    struct map_resource_rule *rules, *excludes;
    size_t n_rules, n_excludes;
    struct fx_selector *namespace_selector, *object_selector; /* NULL: everything */
    bool is_exact;                                            /* matchPolicy: Exact */
};

/* ---- a policy (section 1) ------------------------------------------------------- */

/* A CEL expression of a policy. `text` is as the policy has it, borrowed. */
struct map_expression {
    struct fx_text text;
    struct fx_cel_program *program;
};

/* A variable; `type` is what later expressions see (section 6). */
struct map_variable {
    const char *name;
    struct map_expression expression;
    const struct fx_cel_type *type;
};

struct map_condition {
    struct fx_text name;
    struct map_expression expression;
};

enum map_patch_type { MAP_APPLY_CONFIGURATION, MAP_JSON_PATCH };

struct map_mutation {
    enum map_patch_type type;
    struct map_expression expression;
    /* Counted: the tree of an ApplyConfiguration that is the same for every object
     * (configuration.h). NULL: the expression is evaluated. */
    json_t *constant;
};

/* The declarations that the expressions of a policy are compiled against: one environment
 * for match conditions, one for variables, one for mutations (section 12). Variables have
 * fixed positions in fx_cel_run.variables. What is not declared in one of them, such as
 * `variables` for match conditions, has a name that no expression can have. */
enum map_slot {
    MAP_SLOT_OBJECT,
    MAP_SLOT_OLD_OBJECT,
    MAP_SLOT_REQUEST,
    MAP_SLOT_NAMESPACE_OBJECT,
    MAP_SLOT_AUTHORIZER,
    MAP_SLOT_REQUEST_RESOURCE, /* authorizer.requestResource */
    MAP_SLOT_VARIABLES,
    MAP_SLOT_PARAMS, /* declared only if the policy has a paramKind */
    /* The others are declared only in policies of Kyverno. */
    MAP_SLOT_IMAGES,     /* the images of the object */
    MAP_SLOT_EXCEPTIONS, /* what exceptions allow */
    MAP_SLOT_RESOURCE,   /* resource.Get() */
    /* Refused: `image` (metadata of a registry), `http`, `globalContext`. */
    MAP_SLOT_IMAGE_DATA,
    MAP_SLOT_HTTP,
    MAP_SLOT_GLOBAL_CONTEXT,
    MAP_SLOTS
};

/* The values of the annotation MAP_VALIDATION_ANNOTATION: what happens if the mutations
 * change their own result. */
enum map_validation { MAP_VALIDATION_SKIP, MAP_VALIDATION_WARN, MAP_VALIDATION_FAIL };

/* ---- policies of Kyverno for Pods: autogen (Kyverno spec section 18) -------------- */

/* The object that the expressions of a rule see, and change. */
enum map_view {
    MAP_VIEW_OBJECT,   /* the object of the request */
    MAP_VIEW_TEMPLATE, /* a Pod made of spec.template */
    MAP_VIEW_CRON_JOB, /* a Pod made of spec.jobTemplate.spec.template */
    MAP_VIEWS
};

struct map_policy {
    struct fx_linkable head;
    json_t *document;      /* counted: texts and nodes are its */
    struct fx_arena arena; /* of types */
    struct map_match match;
    /* What the rules of a view match: without resource rules, there are none. The
     * documents are counted, and hold what is matched. */
    struct map_match view_matches[MAP_VIEWS];
    json_t *view_constraints[MAP_VIEWS];
    bool is_kyverno;
    bool is_dormant; /* evaluation.admission.enabled: false */
    bool has_params;
    struct fx_named_kind param_kind; /* if it has; texts of the document */
    struct map_variable *variables;
    struct map_condition *conditions;
    struct map_mutation *mutations;
    size_t n_variables, n_conditions, n_mutations;
    bool ignores_failure; /* failurePolicy: Ignore */
    bool reinvokes;       /* reinvocationPolicy: IfNeeded */
    enum map_validation validation;
    struct fx_cel_env condition_env, variable_env, mutation_env;
    /* Of match conditions: the first slots, and, for Kyverno, variables. */
    struct fx_cel_variable condition_declared[MAP_SLOTS];
    /* The type of `variables`: its fields are those that have been compiled so far. */
    struct fx_cel_type variables_type;
    struct fx_cel_field *variable_fields;
    struct fx_cel_variable declared[MAP_SLOTS]; /* for variables and mutations */
};

/* A binding; its target is the name of its policy. */
struct map_binding {
    struct fx_linkable head;
    json_t *document; /* counted */
    bool has_match;
    struct map_match match;
    bool has_param_ref;
    struct fx_text param_name;          /* data NULL: none */
    struct fx_text param_namespace;     /* data NULL: none */
    struct fx_selector *param_selector; /* NULL: none */
    bool denies_missing;                /* parameterNotFoundAction: Deny, or not given */
};

/* A PolicyException of Kyverno: where it holds, the policies that it names do not run
 * (conditions), or see what it allows (`images`, `allowedValues`). */
struct map_exception {
    struct fx_linkable head;
    /* `document` is its own; conditions are compiled as those of a policy. */
    struct map_policy policy;
    /* Of the document: policyRefs, objects with kind and name; arrays of strings, or
     * NULL: what it allows. */
    const json_t *references, *images, *values;
    bool is_allowed; /* exceptions of its namespace count */
};

/* Compile one document (policy_read.c, binding_read.c, kyverno_read.c, exception_read.c).
 * Every fault that an API server would refuse the object for is added to the compilation,
 * with its field and the words of the spec ("spec.mutations[0].jsonPatch.expression: …
 * must evaluate to …"); then they fail with the first one. Errors: FX_EINVALID,
 * FX_ENOMEM, FX_EDEADLINE. */
bool fx_map_policy_compile(json_t *document, struct fx_compilation *ret_compilation,
                           struct fx_err *err) FX_MUST_USE;
bool fx_map_binding_compile(json_t *document, struct fx_compilation *ret_compilation,
                            struct fx_err *err) FX_MUST_USE;
bool fx_map_kyverno_compile(json_t *document, struct fx_compilation *ret_compilation,
                            struct fx_err *err) FX_MUST_USE;
bool fx_map_exception_compile(json_t *document, struct fx_compilation *ret_compilation,
                              struct fx_err *err) FX_MUST_USE;

/* Reads matchConstraints or matchResources at `field` ("spec.matchConstraints"). Faults
 * as above; false without memory. fx_map_match_finish() in any case. */
bool fx_map_match_read(json_t *resources, const char *field, struct map_match *ret_match,
                       struct fx_compilation *compilation,
                       struct fx_err *err) FX_MUST_USE;
void fx_map_match_finish(struct map_match *match);

/* ---- rules ------------------------------------------------------------------------ */

/* What a rule does if it matches. */
enum map_rule_type {
    MAP_RULE_INVOKE, /* runs the mutations with one parameter, or without */
    MAP_RULE_FAIL,   /* a configuration error: fails with a message (section 4) */
    /* A validator beside a rule of type INVOKE, for policies whose `validation` is not
     * SKIP: warns or denies if the mutations would change their own result. */
    MAP_RULE_VALIDATE,
    /* A binding that allows that there is no parameter has none: it never matches. It is
     * there for explanations; the index does not have it. */
    MAP_RULE_ABSENT,
};

/* A rule: one policy, one binding, one parameter. Its head is counted; it counts the
 * units that it refers to. */
struct map_rule {
    struct fx_mutator head;
    struct fx_unit *policy_unit, *binding_unit,
        *param_unit; /* the last two may be NULL */
    const struct map_policy *policy;
    const struct map_binding *binding; /* NULL: any binding (an error of the policy) */
    enum map_rule_type type;
    char *message; /* of MAP_RULE_FAIL: after "denied request: " */
    /* Of a parameter that is looked up in the namespace of the request: the rule is for
     * requests of this namespace only … */
    struct fx_text only_namespace; /* data NULL: of any */
    /* … and a rule that reports that there is none is for all namespaces but these. */
    const struct fx_text *but_namespaces;
    size_t n_but_namespaces;
    bool only_cluster_scoped; /* the rule is for cluster-scoped requests only */
    bool only_namespaced;     /* the rule is for requests in a namespace only */
    bool lacks_params;        /* there is no parameter: of types FAIL and ABSENT */
    /* Of a policy of Kyverno: the view of its expressions, and the exceptions that name
     * it. A namespaced one has `only_namespace`, and `is_namespaced`. */
    enum map_view view;
    bool is_namespaced;
    struct fx_unit *const *exceptions;
    size_t n_exceptions;
};

/* What the rule matches: matchConstraints of its policy, or of its view. */
const struct map_match *fx_map_rule_constraints(const struct map_rule *rule);

/* Makes a rule with the ops of rule.c from a filled-in template: the head is set here,
 * texts are copied, units are counted. NULL without memory. */
struct fx_mutator *fx_map_rule_create(const struct map_rule *given,
                                      uint32_t position) FX_MUST_USE;

/* For `fixpoint check`: a small object that the rule matches; NULL if none can be derived
 * from the policy, or without memory (example.c). */
json_t *fx_map_example(const struct fx_mutator *self, struct fx_err *err) FX_MUST_USE;

/* The same with all fields that the rule reads; NULL if it reads more than the object
 * and a parameter (full_example.c). */
json_t *fx_map_full_example(const struct fx_mutator *self,
                            struct fx_err *err) FX_MUST_USE;

/* Is it a kind that API servers have themselves, as far as it is known? (link.c) */
bool fx_map_is_builtin(const struct fx_named_kind *kind);

/* The slots that an expression reads, as a set of 1u << enum map_slot (slots.c). */
unsigned fx_map_slots_of(const struct fx_cel_node *root);

/* The link step (link.c), and that of Kyverno's policies (kyverno_link.c). */
void fx_map_link(struct fx_unit *unit, struct fx_link *link);
void fx_map_kyverno_link(struct fx_unit *unit, struct fx_link *link);

#endif
