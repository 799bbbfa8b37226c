/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/policy_read.c - compiles a ClusterPolicy or a Policy (spec/kyverno.md section
 * 1). What does not concern mutation is left to Kyverno: warnings name it.
 */
#include <stdlib.h>

#include "autogen.h"
#include "base/limits.h"
#include "limits.h"
#include "merge_options.h"
#include "policy.h"
#include "reading.h"
#include "value/tree.h"

static const char *const root_fields[] = {"apiVersion", "kind",   "metadata",
                                          "spec",       "status", NULL};
static const char *const spec_fields[] = {"rules",
                                          "applyRules",
                                          "failurePolicy",
                                          "webhookConfiguration",
                                          "webhookTimeoutSeconds",
                                          "background",
                                          "admission",
                                          "mutateExistingOnPolicyUpdate",
                                          "useServerSideApply",
                                          "schemaValidation",
                                          "generateExisting",
                                          "generateExistingOnPolicyUpdate",
                                          "validationFailureAction",
                                          "validationFailureActionOverrides",
                                          "emitWarning",
                                          NULL};
static const char *const rule_fields[] = {"name",
                                          "match",
                                          "exclude",
                                          "preconditions",
                                          "celPreconditions",
                                          "context",
                                          "imageExtractors",
                                          "mutate",
                                          "validate",
                                          "generate",
                                          "verifyImages",
                                          "skipBackgroundRequests",
                                          "reportProperties",
                                          NULL};
static const char *const mutate_fields[] = {"patchStrategicMerge",
                                            "patchesJson6902",
                                            "foreach",
                                            "targets",
                                            "overlay",
                                            "patches",
                                            "mutateExistingOnPolicyUpdate",
                                            NULL};

/* A policy that is being read. */
struct kyverno_policy_reading {
    struct kyverno_reading reading;
    struct kyverno_policy *policy;
    size_t cap_rules;
};

static void destroy_policy(struct fx_linkable *self) {
    struct kyverno_policy *policy = (struct kyverno_policy *)self; /* its first member */
    for (size_t i = 0; i < policy->n_rules; i++) {
        struct kyverno_rule_body *rule = &policy->rules[i];
        fx_kyverno_match_finish(&rule->match);
        fx_kyverno_match_finish(&rule->exclude);
        fx_kyverno_context_entries_finish(rule->context);
        fx_kyverno_preconditions_finish(rule->preconditions);
        fx_kyverno_extractors_finish(rule->extractors);
        fx_kyverno_template_finish(rule->rest);
        fx_kyverno_patch_finish(rule->patch);
        fx_kyverno_foreach_finish(rule->foreach);
        fx_kyverno_targets_finish(&rule->targets);
        json_decref(rule->document);
    }
    fx_arena_finish(&policy->arena);
    json_decref(policy->document);
    free(policy);
}

/* ---- the rest of a rule -------------------------------------------------------------
 */

/* Were all variables of the preconditions resolved when they held? That is so if nothing
 * in them can be jumped over, and if they have no other texts. */
static bool are_all_evaluated(const json_t *conditions) {
    const json_t *any = fx_tree_view_key(conditions, "any");
    const json_t *lists[] = {any, fx_tree_view_key(conditions, "all"), conditions};
    for (size_t i = 0; i < FX_COUNT(lists); i++) {
        for (size_t j = 0; json_is_array(lists[i]) && j < json_array_size(lists[i]);
             j++) {
            if (fx_tree_view_key(json_array_get(lists[i], j), "message") != NULL) {
                return false;
            }
        }
    }
    return json_array_size(any) <= 1;
}

/* Returns the rule without its patch and without what is always evaluated before it. NULL
 * without memory. */
static json_t *make_rest(const json_t *rule, const char *field) {
    const json_t *conditions = fx_tree_view_key(rule, "preconditions");
    json_t *rest = fx_tree_copy(rule);
    json_t *mutate = rest == NULL ? NULL : fx_tree_own_key(rest, FX_TEXT("mutate"));
    if (mutate == NULL) {
        json_decref(rest);
        return NULL;
    }
    fx_tree_remove_key(mutate, fx_text_of(field));
    fx_tree_remove_key(mutate, FX_TEXT("targets"));
    if (are_all_evaluated(conditions)) {
        fx_tree_remove_key(rest, FX_TEXT("preconditions"));
    }
    return rest;
}

static bool compile_rest(const struct kyverno_template_compile *with,
                         struct kyverno_rule_body *rule) {
    json_t *rest = make_rest(rule->document, rule->patch->field);
    if (rest == NULL) {
        return fx_fail_nomem(with->err);
    }
    rule->rest = fx_kyverno_template_compile(with, rest, NULL);
    json_decref(rest);
    if (rule->rest != NULL && fx_kyverno_template_constant(rule->rest) != NULL) {
        fx_kyverno_template_finish(rule->rest);
        rule->rest = NULL;
        return true;
    }
    return rule->rest != NULL;
}

/* ---- a rule -------------------------------------------------------------------------
 */

static bool read_matches(const struct kyverno_reading *reading,
                         struct kyverno_rule_body *rule) {
    json_t *match = NULL;
    json_t *exclude = NULL;
    if (!fx_kyverno_read_object(reading, rule->document, "", "match", &match) ||
        !fx_kyverno_read_object(reading, rule->document, "", "exclude", &exclude)) {
        return false;
    }
    if (match == NULL) {
        return fx_kyverno_refuse(reading, rule->document, "match: Required value");
    }
    rule->has_exclude = exclude != NULL;
    return fx_kyverno_match_read(reading, match, "match", &rule->match) &&
           (exclude == NULL ||
            fx_kyverno_match_read(reading, exclude, "exclude", &rule->exclude)) &&
           ((fx_kyverno_match_bindings(&rule->match, reading->arena, &rule->bindings,
                                       &rule->n_bindings) &&
             fx_kyverno_match_namespaces(&rule->match, reading->arena, &rule->namespaces,
                                         &rule->n_namespaces)) ||
            fx_fail_nomem(reading->err));
}

static bool compile_patch(const struct kyverno_policy_reading *of,
                          const struct kyverno_template_compile *with, json_t *mutate,
                          struct kyverno_rule_body *rule) {
    const struct kyverno_path path = {.key = FX_TEXT("mutate")};
    const struct kyverno_path foreach_path = {.above = &path, .key = FX_TEXT("foreach")};
    json_t *list = fx_tree_view_key(mutate, "foreach");
    if (list != NULL && !json_is_null(list)) {
        return fx_kyverno_foreach_compile(with, list, &foreach_path,
                                          of->policy->namespace_, &fx_kyverno_patch_ops,
                                          &rule->foreach);
    }
    if (!fx_kyverno_patch_compile(with, mutate, &path, &rule->patch)) {
        return fx_err_prefix(with->err, "mutate.");
    }
    return compile_rest(with, rule);
}

static const json_t *annotations_of(const struct kyverno_policy *policy) {
    return fx_tree_view_key(fx_tree_view_key(policy->document, "metadata"),
                            "annotations");
}

/* Kyverno ignores the extractors of rules that mutate: they count only if an annotation
 * says so. */
static bool compile_extractors(const struct kyverno_policy_reading *of,
                               struct kyverno_rule_body *rule) {
    const struct fx_text counts =
        fx_tree_view_string(annotations_of(of->policy), KYVERNO_IMAGE_EXTRACTORS);
    return !fx_text_is(counts, "true") ||
           fx_kyverno_extractors_compile(
               fx_tree_view_key(rule->document, "imageExtractors"), of->reading.arena,
               &rule->extractors, of->reading.err);
}

static bool compile_parts(const struct kyverno_policy_reading *of, json_t *mutate,
                          struct kyverno_rule_body *rule) {
    const struct kyverno_path context = {.key = FX_TEXT("context")};
    const struct kyverno_path conditions = {.key = FX_TEXT("preconditions")};
    const struct kyverno_template_compile with = {
        .document = rule->document,
        .has_target = json_array_size(fx_tree_view_key(mutate, "targets")) > 0,
        .arena = of->reading.arena,
        .err = of->reading.err,
    };
    return read_matches(&of->reading, rule) &&
           fx_kyverno_context_entries_compile(
               &with, fx_tree_view_key(rule->document, "context"), &context,
               of->policy->namespace_, &rule->context) &&
           fx_kyverno_preconditions_compile(
               &with, fx_tree_view_key(rule->document, "preconditions"), &conditions,
               &rule->preconditions) &&
           fx_kyverno_targets_compile(&with, fx_tree_view_key(mutate, "targets"),
                                      of->policy->namespace_, &rule->targets) &&
           compile_extractors(of, rule) && compile_patch(of, &with, mutate, rule);
}

/* Names the parts of a rule that do not concern this program. */
static bool warn_left(const struct kyverno_reading *reading, const json_t *rule,
                      struct fx_text name) {
    static const char *const left[] = {"validate", "generate", "verifyImages"};
    for (size_t i = 0; i < FX_COUNT(left); i++) {
        const json_t *node = fx_tree_view_key(rule, left[i]);
        if (node != NULL && !json_is_null(node) &&
            !fx_compilation_warn(reading->compilation, node,
                                 "rule %.*s: %s is left to Kyverno", FX_TEXT_ARG(name),
                                 left[i])) {
            return fx_fail_nomem(reading->err);
        }
    }
    return true;
}

/* Has `mutate` a member that is neither null nor an empty text? Without one Kyverno takes
 * the rule for one that does not mutate. */
static bool has_method(const json_t *mutate) {
    for (void *iter = fx_node_first(mutate); iter != NULL;
         iter = fx_node_next(mutate, iter)) {
        const json_t *value = json_object_iter_value(iter);
        if (!json_is_null(value) &&
            (!json_is_string(value) || fx_tree_text(value).len > 0)) {
            return true;
        }
    }
    return false;
}

/* Does the rule mutate, the object of the request or existing ones? */
static bool read_mutate(const struct kyverno_reading *reading, const json_t *rule,
                        struct fx_text name, json_t **ret_mutate) {
    json_t *targets = NULL;
    if (!warn_left(reading, rule, name) ||
        !fx_kyverno_read_object(reading, rule, "", "mutate", ret_mutate) ||
        !fx_kyverno_read_list(reading, *ret_mutate, "mutate", "targets", &targets) ||
        !fx_kyverno_warn_unknown(reading, *ret_mutate, "mutate", mutate_fields)) {
        return false;
    }
    if (!has_method(*ret_mutate)) {
        *ret_mutate = NULL;
    }
    return true;
}

/* Does a rule with targets also run when its policy changes? The rule or the policy says
 * so. */
static bool read_policy_change(const struct kyverno_policy_reading *of,
                               const json_t *mutate, struct kyverno_rule_body *rule) {
    static const char key[] = "mutateExistingOnPolicyUpdate";
    const json_t *own = fx_tree_view_key(mutate, key);
    if (own != NULL && !json_is_null(own) && !json_is_boolean(own)) {
        return fx_kyverno_refuse(&of->reading, own, "mutate.%s: expected true or false",
                                 key);
    }
    rule->runs_on_policy_change =
        json_is_boolean(own) ? json_is_true(own) : of->policy->runs_on_policy_change;
    return true;
}

/* Warns about an operation for which no rule can be of use (section 17). */
static bool warn_delete(const struct kyverno_policy_reading *of,
                        const struct kyverno_rule_body *rule) {
    return rule->is_generated || rule->targets.n > 0 ||
           !fx_kyverno_match_names_delete(&rule->match) ||
           fx_compilation_warn(of->reading.compilation,
                               fx_tree_view_key(rule->document, "match"),
                               "rule %.*s: there is no object to patch on DELETE: %s",
                               FX_TEXT_ARG(rule->name),
                               of->policy->ignores_failure
                                   ? "the rule is not applied then"
                                   : "the rule fails and denies the deletion; remove "
                                     "DELETE from `operations`") ||
           fx_fail_nomem(of->reading.err);
}

static bool add_rule(struct kyverno_policy_reading *of, json_t *document,
                     bool is_generated) {
    struct kyverno_policy *policy = of->policy;
    const struct kyverno_reading *reading = &of->reading;
    struct fx_text name;
    json_t *mutate = NULL;
    if (!fx_kyverno_read_text(reading, document, "", "name", &name) ||
        !read_mutate(reading, document, name, &mutate)) {
        return false;
    }
    if (mutate == NULL) {
        return true;
    }
    if (!FX_ARENA_GROW(reading->arena, policy->rules, policy->n_rules, of->cap_rules)) {
        return fx_fail_nomem(reading->err);
    }
    struct kyverno_rule_body *rule = &policy->rules[policy->n_rules++];
    *rule = (struct kyverno_rule_body){
        .name = name, .document = json_incref(document), .is_generated = is_generated};
    return fx_kyverno_warn_unknown(reading, document, "", rule_fields) &&
           compile_parts(of, mutate, rule) && read_policy_change(of, mutate, rule) &&
           warn_delete(of, rule);
}

/* ---- the rules ----------------------------------------------------------------------
 */

/* A fault in a generated rule is one of the rule from which it was made, and has no place
 * in the document. */
static bool add_rules(struct kyverno_policy_reading *of, const json_t *rules,
                      bool is_generated) {
    for (size_t i = 0; i < json_array_size(rules); i++) {
        if (!add_rule(of, json_array_get(rules, i), is_generated)) {
            if (is_generated) {
                of->reading.err->node = NULL;
            }
            return fx_err_is_ours(of->reading.err) || of->reading.err->code == FX_ENOMEM
                       ? false
                       : fx_err_prefix(of->reading.err, "spec.rules[%zu].", i);
        }
    }
    return true;
}

static bool check_rules(const struct kyverno_reading *reading, const json_t *rules) {
    for (size_t i = 0; i < json_array_size(rules); i++) {
        struct fx_text name;
        if (!fx_kyverno_read_text(reading, json_array_get(rules, i), "spec.rules", "name",
                                  &name)) {
            return false;
        }
        if (name.len == 0) {
            return fx_kyverno_refuse(reading, json_array_get(rules, i),
                                     "spec.rules[%zu].name: Required value", i);
        }
    }
    return json_array_size(rules) <= FX_LIMIT_KYVERNO_RULES ||
           fx_kyverno_refuse(reading, rules, "spec.rules: must have at most %u items",
                             FX_LIMIT_KYVERNO_RULES);
}

static bool add_generated(struct kyverno_policy_reading *of, const json_t *spec) {
    json_t *rules = NULL;
    if (!fx_kyverno_autogen(spec, annotations_of(of->policy), &rules, of->reading.err)) {
        return false;
    }
    const bool ok = add_rules(of, rules, true);
    json_decref(rules);
    return ok;
}

/* ---- the policy ---------------------------------------------------------------------
 */

static bool read_failure_policy(struct kyverno_policy_reading *of, const json_t *spec) {
    static const char *const words[] = {"Ignore", "Fail", NULL};
    json_t *webhook = NULL;
    size_t own = 0;
    size_t of_webhook = 0;
    if (!fx_kyverno_read_object(&of->reading, spec, "spec", "webhookConfiguration",
                                &webhook) ||
        !fx_kyverno_read_word(&of->reading, spec, "spec", "failurePolicy", words, &own) ||
        !fx_kyverno_read_word(&of->reading, webhook, "spec.webhookConfiguration",
                              "failurePolicy", words, &of_webhook)) {
        return false;
    }
    const json_t *conditions = fx_tree_view_key(webhook, "matchConditions");
    if (json_array_size(conditions) > 0) {
        return fx_kyverno_refuse(
            &of->reading, conditions,
            "spec.webhookConfiguration.matchConditions: Fixpoint "
            "does not evaluate CEL conditions of Kyverno's policies");
    }
    of->policy->ignores_failure = (words[of_webhook] == NULL ? own : of_webhook) == 0;
    return true;
}

static bool read_policy_update(struct kyverno_policy_reading *of, const json_t *spec) {
    const json_t *given = fx_tree_view_key(spec, "mutateExistingOnPolicyUpdate");
    of->policy->runs_on_policy_change = json_is_true(given);
    return given == NULL || json_is_null(given) || json_is_boolean(given) ||
           fx_kyverno_refuse(&of->reading, given,
                             "spec.mutateExistingOnPolicyUpdate: expected true or false");
}

static bool read_apply_rules(struct kyverno_policy_reading *of, const json_t *spec) {
    static const char *const words[] = {"One", "All", NULL};
    size_t word = 0;
    const bool ok =
        fx_kyverno_read_word(&of->reading, spec, "spec", "applyRules", words, &word);
    of->policy->applies_one = word == 0;
    return ok;
}

/* Are the rules for requests? With the annotation, they are, though Kyverno leaves them
 * out: so both programs can run in a cluster without running a rule twice. */
static bool is_for_requests(const json_t *document) {
    const json_t *admission =
        fx_tree_view_key(fx_tree_view_key(document, "spec"), "admission");
    const json_t *annotations =
        fx_tree_view_key(fx_tree_view_key(document, "metadata"), "annotations");
    return !json_is_false(admission) ||
           fx_text_is(fx_tree_view_string(annotations, KYVERNO_ADMISSION_ANNOTATION),
                      "true");
}

static bool read_spec(struct kyverno_policy_reading *of) {
    const struct kyverno_reading *reading = &of->reading;
    json_t *spec = NULL;
    json_t *rules = NULL;
    if (!fx_kyverno_read_object(reading, of->policy->document, "", "spec", &spec)) {
        return false;
    }
    if (spec == NULL) {
        return fx_kyverno_refuse(reading, NULL, "spec: Required value");
    }
    if (!fx_kyverno_warn_unknown(reading, of->policy->document, "", root_fields) ||
        !fx_kyverno_warn_unknown(reading, spec, "spec", spec_fields) ||
        !fx_kyverno_read_objects(reading, spec, "spec", "rules", &rules) ||
        !check_rules(reading, rules) || !read_failure_policy(of, spec) ||
        !read_apply_rules(of, spec) || !read_policy_update(of, spec)) {
        return false;
    }
    if (!is_for_requests(of->policy->document)) {
        return fx_compilation_warn(reading->compilation, NULL,
                                   "spec.admission is false: no request is mutated") ||
               fx_fail_nomem(reading->err);
    }
    return fx_kyverno_merge_options_compile(annotations_of(of->policy), reading->arena,
                                            &of->policy->merge_options, reading->err) &&
           add_rules(of, rules, false) && add_generated(of, spec);
}

bool fx_kyverno_policy_compile(json_t *document, struct fx_compilation *ret_compilation,
                               struct fx_err *err) {
    struct kyverno_policy *policy = calloc(1, sizeof *policy);
    struct fx_subject subject;
    if (policy == NULL) {
        return fx_fail_nomem(err);
    }
    policy->head.destroy = destroy_policy;
    policy->document = json_incref(document);
    fx_arena_init(&policy->arena, KYVERNO_POLICY_ARENA_BYTES);
    fx_subject_read(document, &subject);
    policy->name = subject.name;
    if (fx_text_is(subject.kind, fx_kyverno_kinds[KYVERNO_POLICY].kind)) {
        policy->namespace_ = fx_policy_namespace(&subject);
    }
    struct kyverno_policy_reading of = {
        .reading = {ret_compilation, &policy->arena, document, err}, .policy = policy};
    if (!read_spec(&of)) {
        destroy_policy(&policy->head);
        return false;
    }
    ret_compilation->linkable = &policy->head;
    return true;
}
