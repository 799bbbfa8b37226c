/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/targets.c - compiles targets, and makes the queries for their objects.
 */
#include "targets.h"

#include "base/budget.h"
#include "base/limits.h"
#include "base/wildcard.h"
#include "engine/request.h"
#include "merge/schema.h"
#include "value/tree.h"

#define KINDS_PER_UNIT 8u /* compared for a unit of the budget */

/* ---- compile ------------------------------------------------------------------------
 */

static bool refuse(const struct kyverno_template_compile *with, const json_t *node,
                   size_t at, const char *what) {
    return fx_fail_in(with->err, node, FX_EINVALID, "mutate.targets[%zu]%s", at, what);
}

static bool check(const struct kyverno_template_compile *with, const json_t *target,
                  size_t at) {
    static const char *const needed[] = {"apiVersion", "kind"};
    static const char *const missing[] = {".apiVersion: Required value",
                                          ".kind: Required value"};
    if (!json_is_object(target)) {
        return refuse(with, target, at, ": expected an object");
    }
    for (size_t i = 0; i < FX_COUNT(needed); i++) {
        if (fx_tree_view_string(target, needed[i]).len == 0) {
            return refuse(with, target, at, missing[i]);
        }
    }
    return true;
}

/* Compiles what names the objects of a target. */
static bool compile_selector(const struct kyverno_template_compile *with, json_t *given,
                             const struct kyverno_path *path,
                             struct kyverno_target *target) {
    json_t *tree = fx_tree_copy(given);
    if (tree == NULL) {
        return fx_fail_nomem(with->err);
    }
    fx_tree_remove_key(tree, FX_TEXT("context"));
    fx_tree_remove_key(tree, FX_TEXT("preconditions"));
    target->path = fx_kyverno_path_keep(with->arena, path);
    target->selector = fx_kyverno_template_compile(with, tree, path);
    json_decref(tree);
    return target->selector != NULL && (target->path != NULL || fx_fail_nomem(with->err));
}

/* Compiles the `context` of the target, after that of the rule. */
static bool compile_context(const struct kyverno_template_compile *with,
                            const json_t *given, struct fx_text policy_namespace,
                            struct kyverno_target *target) {
    const struct kyverno_path path = {.key = FX_TEXT("context")};
    const json_t *own = fx_tree_view_key(given, "context");
    const json_t *of_rule = fx_tree_view_key(with->document, "context");
    if (own == NULL || json_is_null(own)) {
        return true;
    }
    if (!json_is_array(own)) {
        return fx_fail_in(with->err, own, FX_EINVALID, "context: expected a list");
    }
    json_t *both = json_array();
    bool ok = both != NULL;
    for (size_t i = 0; ok && i < json_array_size(of_rule); i++) {
        ok = fx_tree_append_take(both, json_incref(json_array_get(of_rule, i)));
    }
    for (size_t i = 0; ok && i < json_array_size(own); i++) {
        ok = fx_tree_append_take(both, json_incref(json_array_get(own, i)));
    }
    ok = (ok || fx_fail_nomem(with->err)) &&
         fx_kyverno_context_entries_compile(with, both, &path, policy_namespace,
                                            &target->context);
    json_decref(both);
    return ok;
}

static bool compile_target(const struct kyverno_template_compile *with, json_t *given,
                           const struct kyverno_path *path,
                           struct fx_text policy_namespace,
                           struct kyverno_target *target) {
    const struct kyverno_path conditions = {.above = path,
                                            .key = FX_TEXT("preconditions")};
    return check(with, given, path->index) &&
           compile_selector(with, given, path, target) &&
           compile_context(with, given, policy_namespace, target) &&
           fx_kyverno_preconditions_compile(with,
                                            fx_tree_view_key(given, "preconditions"),
                                            &conditions, &target->preconditions);
}

bool fx_kyverno_targets_compile(const struct kyverno_template_compile *with, json_t *list,
                                struct fx_text policy_namespace,
                                struct kyverno_targets *ret) {
    const struct kyverno_path mutate = {.key = FX_TEXT("mutate")};
    const struct kyverno_path targets = {.above = &mutate, .key = FX_TEXT("targets")};
    const size_t n = json_array_size(list);
    *ret = (struct kyverno_targets){.policy_namespace = policy_namespace};
    if (n > FX_LIMIT_EXISTING_QUERIES) {
        return fx_fail_in(with->err, list, FX_ELIMIT,
                          "mutate.targets: must have at most %u items",
                          FX_LIMIT_EXISTING_QUERIES);
    }
    ret->items = n == 0 ? NULL : fx_arena_alloc(with->arena, n * sizeof *ret->items);
    if (n > 0 && ret->items == NULL) {
        return fx_fail_nomem(with->err);
    }
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        const struct kyverno_path path = {.above = &targets, .index = i};
        ret->items[ret->n++] = (struct kyverno_target){.selector = NULL};
        ok = compile_target(with, json_array_get(list, i), &path, policy_namespace,
                            &ret->items[i]);
    }
    return ok;
}

void fx_kyverno_targets_finish(struct kyverno_targets *targets) {
    for (size_t i = 0; i < targets->n; i++) {
        fx_kyverno_template_finish(targets->items[i].selector);
        fx_kyverno_context_entries_finish(targets->items[i].context);
        fx_kyverno_preconditions_finish(targets->items[i].preconditions);
    }
    *targets = (struct kyverno_targets){.n = 0};
}

bool fx_kyverno_targets_read_objects(const struct kyverno_targets *targets) {
    bool reads = false;
    for (size_t i = 0; !reads && i < targets->n; i++) {
        reads = fx_kyverno_context_entries_read_objects(targets->items[i].context);
    }
    return reads;
}

/* ---- queries ------------------------------------------------------------------------
 */

/* Reads a text; a field that is missing or null is an empty one. */
static bool read_text(const json_t *tree, const char *key, struct fx_text *ret,
                      struct fx_err *err) {
    const json_t *value = fx_tree_view_key(tree, key);
    *ret = value == NULL ? FX_TEXT("") : fx_tree_text(value);
    return value == NULL || json_is_null(value) || json_is_string(value) ||
           fx_fail(err, FX_EMUTATE, "target: %s is no text", key);
}

/* Keeps the targets of a Policy in its namespace. */
static bool enter_namespace(struct fx_text own, struct fx_text *namespace_,
                            struct fx_err *err) {
    if (own.data == NULL) {
        return true;
    }
    if (namespace_->len > 0 && !fx_wildcard_match(*namespace_, own)) {
        return fx_fail(err, FX_EMUTATE,
                       "target: a Policy mutates objects of its own namespace, %.*s, and "
                       "none of %.*s",
                       FX_TEXT_ARG(own), FX_TEXT_ARG(*namespace_));
    }
    *namespace_ = own;
    return true;
}

/* Is it a version that a cluster serves by default? */
static bool is_stable(struct fx_text version) {
    return !fx_text_contains(version, FX_TEXT("alpha")) &&
           !fx_text_contains(version, FX_TEXT("beta"));
}

bool fx_kyverno_add_queries(struct fx_existing_queries *queries,
                            const struct fx_existing_query *query, json_t *selector,
                            struct fx_err *err) {
    struct fx_existing_query one = *query;
    bool found = false;
    bool ok = true;
    if (!fx_wildcard_is_pattern(query->group) &&
        !fx_wildcard_is_pattern(query->version)) {
        return fx_existing_queries_add(queries, query, selector, err);
    }
    if (!fx_spend(fx_schema_builtin.n_kinds / KINDS_PER_UNIT)) {
        return fx_fail_exceeded(err);
    }
    for (size_t at = 0; ok && fx_schema_next_of_kind(&fx_schema_builtin, query->kind, &at,
                                                     &one.group, &one.version);) {
        if (fx_wildcard_match(query->group, one.group) &&
            fx_wildcard_match(query->version, one.version) && is_stable(one.version)) {
            found = true;
            ok = fx_existing_queries_add(queries, &one, selector, err);
        }
    }
    return ok && (found || fx_fail(err, FX_EMUTATE,
                                   "Kubernetes has no kind `%.*s` in these versions: "
                                   "write its group and version, as in `example.com/v1`",
                                   FX_TEXT_ARG(query->kind)));
}

static bool add_query(const struct kyverno_targets *targets, const json_t *tree,
                      struct fx_existing_queries *queries, struct fx_err *err) {
    struct fx_subject type;
    struct fx_existing_query query = {.selector = NULL};
    json_t *selector = fx_tree_view_key(tree, "selector");
    fx_subject_read_type(tree, &type);
    query.group = fx_text_is(type.api_version, "*") ? type.api_version : type.group;
    query.version = type.version;
    query.kind = type.kind;
    return read_text(tree, "name", &query.name, err) &&
           read_text(tree, "namespace", &query.namespace_, err) &&
           enter_namespace(targets->policy_namespace, &query.namespace_, err) &&
           fx_kyverno_add_queries(queries, &query,
                                  json_is_null(selector) ? NULL : selector, err);
}

bool fx_kyverno_target_select(const struct kyverno_targets *targets, size_t at,
                              struct kyverno_context *context,
                              struct fx_existing_queries *queries, struct fx_err *err) {
    const struct kyverno_target *target = &targets->items[at];
    json_t *tree = NULL;
    if (!fx_kyverno_template_eval(target->selector, target->path, &context->scope, &tree,
                                  err)) {
        return false;
    }
    const bool ok = add_query(targets, tree, queries, err);
    json_decref(tree);
    if (!ok && err->code == FX_EINVALID) {
        err->code = FX_EMUTATE; /* the variables of the trigger made it so */
    }
    return ok;
}
