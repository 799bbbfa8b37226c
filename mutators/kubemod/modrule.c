/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/modrule.c - a ModRule as a mutator: matches an object, and patches or
 * rejects it.
 */
#include "mutators/kubemod/modrule.h"

#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "mutators/kubemod/last_applied.h"
#include "mutators/kubemod/limits.h"
#include "mutators/kubemod/synthetic_refs.h"
#include "value/equal.h"
#include "value/tree.h"

#define UNITS_OF_ITEM 4u /* for each item of a match */

struct fx_text fx_modrule_namespace(const struct fx_request *request,
                                    const struct fx_subject *subject) {
    return fx_subject_object_namespace(subject, request);
}

/* Finds out whether the rule is for this namespace (section 3). */
static bool is_for(const struct modrule *rule, struct fx_text namespace_, bool *ret_is,
                   struct fx_err *err) {
    *ret_is = namespace_.len > 0 && fx_text_is(namespace_, rule->head.namespace_);
    if (*ret_is || !rule->is_cluster) {
        return true;
    }
    if (rule->target != NULL) {
        return fx_regex_match(rule->target, namespace_, ret_is, err);
    }
    *ret_is = namespace_.len == 0;
    return true;
}

/* True if the object is in a namespace with the label that disables rules, or is such a
 * namespace itself. Cluster-scoped objects are never ignored, as with a
 * namespaceSelector. */
static bool is_ignored(const struct fx_request *request,
                       const struct fx_subject *subject) {
    const json_t *labels = subject->labels;
    if (!subject->is_namespace) {
        const json_t *namespace_ = fx_modrule_namespace(request, subject).len > 0
                                       ? request->namespace_object
                                       : NULL;
        labels = fx_tree_view_key(fx_tree_view_key(namespace_, "metadata"), "labels");
    }
    return fx_text_is(fx_tree_view_string(labels, MODRULE_IGNORE), "true");
}

json_t *fx_modrule_object(const struct fx_subject *subject) {
    union {
        const json_t *read;
        json_t *counted;
    } object = {.read = subject->object};
    return object.counted;
}

/* Finds out whether all items hold. *ret_criterion is that of the first one that does
 * not. */
static bool match_items(const struct modrule *rule, json_t *object, bool *ret_matched,
                        const char **ret_criterion, struct fx_err *err) {
    *ret_matched = true;
    for (size_t i = 0; i < rule->n_items && *ret_matched; i++) {
        const struct match_item *item = &rule->items[i];
        *ret_criterion = item->criterion;
        if (!fx_spend(UNITS_OF_ITEM)) {
            return fx_fail_exceeded(err);
        }
        if (!fx_match_item_eval(item, object, ret_matched, err)) {
            if (!fx_err_is_ours(err)) {
                (void)fx_err_prefix(err, "spec.%s.select: ", item->criterion);
            }
            return false;
        }
    }
    return true;
}

static bool match_rule(const struct fx_mutator *self, const struct fx_request *request,
                       const struct fx_subject *subject, struct fx_verdict *ret_verdict,
                       struct fx_err *err) {
    const struct modrule *rule = (const struct modrule *)self;
    *ret_verdict = (struct fx_verdict){false, MODRULE_OPERATIONS};
    if ((rule->operations & FX_OPERATION_BIT(request->operation)) == 0) {
        return true;
    }
    ret_verdict->criterion = rule->is_cluster ? MODRULE_TARGET : MODRULE_NAMESPACE;
    bool is_ours = true;
    if (!request->everywhere &&
        !is_for(rule, fx_modrule_namespace(request, subject), &is_ours, err)) {
        return false;
    }
    if (!is_ours) {
        return true;
    }
    ret_verdict->criterion = MODRULE_IGNORE;
    if (is_ignored(request, subject)) {
        return true;
    }
    const struct fx_bound outer = fx_budget_narrow(FX_LIMIT_MODRULE_UNITS, 0);
    const bool ok = match_items(rule, fx_modrule_object(subject), &ret_verdict->matched,
                                &ret_verdict->criterion, err);
    (void)fx_budget_widen(outer);
    ret_verdict->matched = ok && ret_verdict->matched;
    if (ret_verdict->matched) {
        ret_verdict->criterion = NULL;
    }
    return ok;
}

/* Applies the plan to a copy, because the nodes of the object are shared. The copy is
 * dropped if the plan fails or changes nothing. */
static bool apply_plan(const struct plan *plan, json_t **root, bool *ret_changed,
                       struct fx_err *err) {
    json_t *before = json_incref(*root); /* the plan and the annotation borrow from it */
    const bool ok = fx_plan_apply(plan, root, err) &&
                    fx_last_applied_follow(plan, fx_last_applied_view(before), root, err);
    *ret_changed = ok && !fx_equal(before, *root);
    if (*ret_changed) {
        json_decref(before);
    } else {
        json_decref(*root);
        *root = before;
    }
    return ok;
}

/* Applies a plain plan to the object itself, if it has no annotation of kubectl. */
static bool apply_plain(const struct plan *plan, json_t **root, bool *ret_changed,
                        struct fx_err *err) {
    if (!fx_plan_is_plain(plan, *root, ret_changed)) {
        return apply_plan(plan, root, ret_changed, err);
    }
    return !*ret_changed || fx_plan_apply(plan, root, err);
}

static bool apply_rule(const struct fx_mutator *self, const struct fx_request *request,
                       json_t **root, struct fx_effect *ret_effect, struct fx_err *err) {
    const struct modrule *rule = (const struct modrule *)self;
    const bool has_note = fx_last_applied_view(*root) != NULL;
    const struct fx_bound outer = fx_budget_narrow(FX_LIMIT_MODRULE_UNITS, 0);
    struct plan plan;
    bool changed = false;
    fx_plan_init(&plan);
    const bool ok =
        fx_plan_make(rule->patch, rule->n_patch, request, *root, &plan, err) &&
        (has_note ? apply_plan(&plan, root, &changed, err)
                  : apply_plain(&plan, root, &changed, err));
    (void)fx_budget_widen(outer);
    if (ok) {
        *ret_effect = (struct fx_effect){
            .applied = true,
            .changed = changed,
            .keeps_names = self->keeps_names,
            .keeps_metadata = self->keeps_metadata && !has_note,
        };
    }
    fx_plan_finish(&plan);
    return ok;
}

/* The apply slot of a validator, which changes nothing. */
static bool apply_nothing(const struct fx_mutator *self, const struct fx_request *request,
                          json_t **root, struct fx_effect *ret_effect,
                          struct fx_err *err) {
    (void)self;
    (void)request;
    (void)root;
    (void)err;
    *ret_effect = (struct fx_effect){.applied = false};
    return true;
}

/* ---- rules of type Reject --------------------------------------------------------- */

/* The format in which KubeMod names a rejecting rule: ns/name: "message". */
static const struct fx_denial denial = {
    .begin = "operation rejected by the following ModRule(s): ",
    .between = ",",
};

static bool execute_message(const struct modrule *rule, const struct fx_request *request,
                            json_t *root, struct fx_buf *message, struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(root, &subject);
    json_t *namespace_ = fx_tree_new_string(fx_modrule_namespace(request, &subject));
    if (namespace_ == NULL) {
        return fx_fail_nomem(err);
    }
    const struct fx_gotemplate_field fields[] = {
        {FX_TEXT("Namespace"), namespace_, false},
        {FX_TEXT("Target"), root, false},
    };
    const struct fx_gotemplate_context context = {fields, FX_COUNT(fields)};
    const bool ok = fx_gotemplate_execute(rule->message, &context, message, err) &&
                    (!message->failed || fx_fail_nomem(err));
    json_decref(namespace_);
    return ok;
}

/* Rejects the object. If the template of the message fails, the denial has only the name
 * of the rule, and `note` has the reason. */
static bool validate_rule(const struct fx_mutator *self, const struct fx_request *request,
                          json_t *root, struct fx_buf *entry, struct fx_err *note,
                          struct fx_err *err) {
    const struct modrule *rule = (const struct modrule *)self;
    struct fx_buf message;
    fx_buf_init(&message, 0);
    bool ok =
        rule->message == NULL || execute_message(rule, request, root, &message, err);
    if (!ok && !fx_err_is_ours(err)) {
        (void)fx_fail(note, err->code, "its `rejectMessage` fails: %s", err->msg);
        fx_err_reset(err);
        fx_buf_reset(&message);
        ok = true;
    }
    fx_buf_str(entry, self->full_name);
    if (message.len > 0) {
        fx_buf_str(entry, ": \"");
        fx_buf_text(entry, fx_buf_view(&message));
        fx_buf_char(entry, '"');
    }
    fx_buf_finish(&message);
    return ok;
}

/* True if the rule may match objects in the namespace. If the regular expression fails,
 * `match` reports the reason. */
static bool may_match_namespace(const struct fx_mutator *self,
                                struct fx_text namespace_) {
    struct fx_err err = FX_ERR_INIT;
    bool is_ours = false;
    return !is_for((const struct modrule *)self, namespace_, &is_ours, &err) || is_ours;
}

static void finish_rule(struct modrule *rule) {
    for (size_t i = 0; i < rule->n_items; i++) {
        fx_match_item_finish(&rule->items[i]);
    }
    for (size_t i = 0; i < rule->n_patch; i++) {
        fx_patch_operation_finish(&rule->patch[i]);
    }
    free(rule->items);
    free(rule->patch);
    free(rule->bindings);
    fx_regex_destroy(rule->target);
    json_decref(rule->target_pattern);
    fx_gotemplate_destroy(rule->message);
}

void fx_modrule_destroy(struct modrule *rule) {
    if (rule != NULL) {
        finish_rule(rule);
        fx_mutator_finish(&rule->head);
        free(rule);
    }
}

static void destroy_rule(struct fx_mutator *self) {
    fx_modrule_destroy((struct modrule *)self);
}

static const struct fx_mutator_ops patch_ops = {
    .match = match_rule,
    .apply = apply_rule,
    .operations = MODRULE_OPERATIONS,
    .explain = fx_modrule_explain,
    .found = fx_modrule_found,
    .example = fx_modrule_example,
    .view = &fx_synthetic_refs,
    .may_match_namespace = may_match_namespace,
    .access = fx_modrule_access,
    .destroy = destroy_rule,
};

static const struct fx_mutator_ops reject_ops = {
    .match = match_rule,
    .apply = apply_nothing,
    .validate = validate_rule,
    .denial = &denial,
    .explain = fx_modrule_explain,
    .found = fx_modrule_found,
    .view = &fx_synthetic_refs,
    .may_match_namespace = may_match_namespace,
    .access = fx_modrule_access,
    .destroy = destroy_rule,
};

void fx_modrule_set_type(struct modrule *rule, bool rejects) {
    rule->rejects = rejects;
    rule->head.ops = rejects ? &reject_ops : &patch_ops;
    rule->head.run.action = rejects ? FX_ACTION_DENY : FX_ACTION_MUTATE;
}

/* Returns the namespace whose rules apply to the whole cluster. */
static const char *cluster_namespace(const struct fx_dialect_settings *settings) {
    const char *given = fx_dialect_settings_get(settings, CLUSTER_NAMESPACE_SETTING);
    return given != NULL ? given : KUBEMOD_CLUSTER_NAMESPACE;
}

bool fx_modrule_begin(struct modrule *rule, const struct fx_subject *policy,
                      json_t *source, const struct fx_dialect_settings *settings) {
    const struct fx_text namespace_ = fx_policy_namespace(policy);
    struct fx_mutator *head = &rule->head;
    if (!fx_mutator_init(head, &patch_ops, FX_TEXT(KUBEMOD_GROUP), FX_TEXT("ModRule"),
                         policy->name, source) ||
        !fx_mutator_set_namespace(head, namespace_)) {
        return false;
    }
    const json_t *metadata = fx_tree_view_key(source, "metadata");
    head->generation = json_integer_value(fx_tree_view_key(metadata, "generation"));
    head->rank = KUBEMOD_RANK;
    head->run.once = true;
    head->run.match_first = true;
    head->run.ignores_failure = true;
    head->restores = true;
    rule->is_cluster = fx_text_is(namespace_, cluster_namespace(settings));
    head->tier_order =
        rule->is_cluster ? 0 : 1; /* cluster rules come first (section 4) */
    head->has_share = !rule->is_cluster;
    return true;
}

/* ---- the index ------------------------------------------------------------------- */

/* Returns the kinds that the item requires: `select: $.kind` with a value or values. NULL
 * if it tests something else. */
static const json_t *kinds_of(const struct match_item *item) {
    struct fx_buf select;
    fx_buf_init(&select, 0);
    fx_jsonpath_print(&select, item->select);
    const bool tests_kind =
        !select.failed && !item->negate && fx_text_is(fx_buf_view(&select), "$.kind");
    fx_buf_finish(&select);
    if (!tests_kind) {
        return NULL;
    }
    return item->value != NULL ? item->value : item->values;
}

static bool add_bindings(struct modrule *rule, const json_t *kinds) {
    const size_t n = json_is_array(kinds) ? json_array_size(kinds) : 1;
    rule->bindings = calloc(n, sizeof *rule->bindings);
    if (rule->bindings == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const json_t *kind = json_is_array(kinds) ? json_array_get(kinds, i) : kinds;
        rule->bindings[i] = (struct fx_binding){
            .kind = fx_tree_text(kind),
            .operations = rule->operations,
            .any_group = true,
            .any_version = true,
            .any_kind = kind == NULL,
        };
    }
    rule->head.bindings = rule->bindings;
    rule->head.n_bindings = n;
    return true;
}

/* Sets the fields for the index. A rule in the cluster namespace may be for any
 * namespace. */
bool fx_modrule_index(struct modrule *rule) {
    const json_t *kinds = NULL;
    for (size_t i = 0; i < rule->n_items && kinds == NULL; i++) {
        kinds = kinds_of(&rule->items[i]);
    }
    if (!rule->is_cluster) {
        rule->own_namespace = fx_text_of(rule->head.namespace_);
        rule->head.namespaces = &rule->own_namespace;
        rule->head.n_namespaces = 1;
    }
    return add_bindings(rule, kinds) && fx_modrule_find_inputs(rule);
}
