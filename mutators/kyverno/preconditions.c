/* SPDX-License-Identifier: Apache-2.0
 *
 * preconditions.c - compiles preconditions, and evaluates them.
 */
#include "preconditions.h"

#include "base/budget.h"
#include "condition.h"
#include "value/json.h"
#include "value/tree.h"

struct precondition {
    const struct kyverno_path *path;
    struct kyverno_template *key, *value; /* NULL: not given, which is null */
    struct fx_text operator_name;
    enum kyverno_operator operator_;
    bool has_operator; /* the name is known */
};

/* The conditions of `any`, of `all`, or of a list. */
struct precondition_part {
    const char *name; /* as in struct kyverno_false_condition */
    bool is_given;
    struct precondition *items;
    size_t n;
};

struct kyverno_preconditions {
    struct precondition_part any, all;
};

/* ---- compiling -----------------------------------------------------------------------
 */

static bool compile_side(const struct kyverno_template_compile *with, const json_t *node,
                         const struct kyverno_path *path, const char *name,
                         struct kyverno_template **ret) {
    json_t *side = fx_tree_view_key(node, name);
    const struct kyverno_path below = {.above = path, .key = fx_text_of(name)};
    if (side == NULL) {
        return true;
    }
    *ret = fx_kyverno_template_compile(with, side, &below);
    return *ret != NULL;
}

static bool compile_operator(const struct kyverno_template_compile *with,
                             const json_t *node, struct precondition *made) {
    const struct fx_text name = fx_tree_view_string(node, "operator");
    const char *copy = fx_arena_copy(with->arena, name);
    made->operator_name = (struct fx_text){copy, name.len};
    made->has_operator = fx_kyverno_operator(name, &made->operator_);
    return copy != NULL || fx_fail_nomem(with->err);
}

static bool compile_condition(const struct kyverno_template_compile *with,
                              const json_t *node, const struct kyverno_path *path,
                              struct precondition *made) {
    if (!json_is_object(node)) {
        return fx_fail_in(with->err, node, FX_EINVALID, "a condition must be an object");
    }
    made->path = fx_kyverno_path_keep(with->arena, path);
    if (made->path == NULL) {
        return fx_fail_nomem(with->err);
    }
    return compile_operator(with, node, made) &&
           compile_side(with, node, path, "key", &made->key) &&
           compile_side(with, node, path, "value", &made->value);
}

static bool compile_items(const struct kyverno_template_compile *with, const json_t *list,
                          const struct kyverno_path *path,
                          struct precondition_part *part) {
    const size_t n = json_array_size(list);
    part->items = fx_arena_alloc(with->arena, n * sizeof *part->items);
    if (part->items == NULL) {
        return fx_fail_nomem(with->err);
    }
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        const struct kyverno_path below = {.above = path, .index = i};
        part->n = i + 1;
        ok = compile_condition(with, json_array_get(list, i), &below, &part->items[i]);
    }
    return ok;
}

/* Compiles `any` or `all`, if it is given. */
static bool compile_part(const struct kyverno_template_compile *with,
                         const json_t *conditions, const struct kyverno_path *path,
                         struct precondition_part *part) {
    const json_t *list = fx_tree_view_key(conditions, part->name);
    const struct kyverno_path below = {.above = path, .key = fx_text_of(part->name)};
    if (list == NULL || json_is_null(list)) {
        return true;
    }
    part->is_given = true;
    return json_is_array(list)
               ? compile_items(with, list, &below, part)
               : fx_fail_in(with->err, list, FX_EINVALID,
                            "`%s` of preconditions must be a list", part->name);
}

static bool compile_form(const struct kyverno_template_compile *with,
                         const json_t *conditions, const struct kyverno_path *path,
                         struct kyverno_preconditions *made) {
    if (json_is_array(conditions)) {
        made->all = (struct precondition_part){.name = "", .is_given = true};
        return compile_items(with, conditions, path, &made->all);
    }
    if (!json_is_object(conditions)) {
        return fx_fail_in(with->err, conditions, FX_EINVALID,
                          "preconditions must be an object with `any` or `all`, or a "
                          "list");
    }
    return compile_part(with, conditions, path, &made->any) &&
           compile_part(with, conditions, path, &made->all);
}

bool fx_kyverno_preconditions_compile(const struct kyverno_template_compile *with,
                                      json_t *conditions, const struct kyverno_path *path,
                                      struct kyverno_preconditions **ret_preconditions) {
    *ret_preconditions = NULL;
    if (conditions == NULL || json_is_null(conditions)) {
        return true;
    }
    struct kyverno_preconditions *made = fx_arena_alloc(with->arena, sizeof *made);
    if (made == NULL) {
        return fx_fail_nomem(with->err);
    }
    *made =
        (struct kyverno_preconditions){.any = {.name = "any"}, .all = {.name = "all"}};
    if (!compile_form(with, conditions, path, made)) {
        fx_kyverno_preconditions_finish(made);
        return false;
    }
    *ret_preconditions = made->any.is_given || made->all.n > 0 ? made : NULL;
    return true;
}

static void finish_part(struct precondition_part *part) {
    for (size_t i = 0; i < part->n; i++) {
        fx_kyverno_template_finish(part->items[i].key);
        fx_kyverno_template_finish(part->items[i].value);
    }
}

void fx_kyverno_preconditions_finish(struct kyverno_preconditions *preconditions) {
    if (preconditions != NULL) {
        finish_part(&preconditions->any);
        finish_part(&preconditions->all);
    }
}

/* ---- evaluating ----------------------------------------------------------------------
 */

static bool eval_side(const struct kyverno_template *side, const char *name,
                      const struct kyverno_path *path, struct kyverno_context *context,
                      json_t **ret_value, struct fx_err *err) {
    const struct kyverno_path below = {.above = path, .key = fx_text_of(name)};
    if (side == NULL) {
        *ret_value = json_null();
        return true;
    }
    if (fx_kyverno_template_eval(side, &below, &context->scope, ret_value, err)) {
        return true;
    }
    return err->code == FX_EMUTATE
               ? fx_err_prefix(err,
                               "failed to substitute variables in condition %s: ", name)
               : false;
}

/* Remembers the condition, if someone asked for it. */
static void keep_false(struct kyverno_false_condition *ret,
                       const struct precondition_part *part, size_t index, json_t *key,
                       json_t *value) {
    if (ret == NULL) {
        return;
    }
    fx_kyverno_false_condition_finish(ret);
    *ret = (struct kyverno_false_condition){.part = part->name,
                                            .index = index,
                                            .key = json_incref(key),
                                            .value = json_incref(value)};
    if (index < part->n) {
        ret->operator_ = part->items[index].operator_name;
    }
}

static bool compare(const struct precondition *condition, struct kyverno_context *context,
                    const json_t *key, const json_t *value, bool *ret_holds,
                    struct fx_err *err) {
    if (condition->operator_name.len == 0) {
        return fx_fail(err, FX_EMUTATE, "a condition has no operator");
    }
    if (!condition->has_operator) {
        return fx_fail(err, FX_EMUTATE, "unknown operator %.*s of a condition",
                       FX_TEXT_ARG(condition->operator_name));
    }
    *ret_holds = fx_kyverno_condition(key, condition->operator_, value, context->arena);
    return fx_budget_exceeded() == FX_EXCEEDED_NOTHING || fx_fail_exceeded(err);
}

/* Evaluates the condition at `index` of the part. */
static bool eval_condition(const struct precondition_part *part, size_t index,
                           struct kyverno_context *context, bool *ret_holds,
                           struct kyverno_false_condition *ret_false,
                           struct fx_err *err) {
    const struct precondition *condition = &part->items[index];
    json_t *key = NULL;
    json_t *value = NULL;
    const bool ok =
        eval_side(condition->key, "key", condition->path, context, &key, err) &&
        eval_side(condition->value, "value", condition->path, context, &value, err) &&
        compare(condition, context, key, value, ret_holds, err);
    if (ok && !*ret_holds) {
        keep_false(ret_false, part, index, key, value);
    }
    json_decref(key);
    json_decref(value);
    return ok;
}

/* Evaluates the conditions up to the first one that is `wanted`, which the part then is;
 * otherwise it is not. */
static bool eval_part(const struct precondition_part *part, bool wanted,
                      struct kyverno_context *context, bool *ret_holds,
                      struct kyverno_false_condition *ret_false, struct fx_err *err) {
    *ret_holds = !wanted;
    for (size_t i = 0; *ret_holds != wanted && i < part->n; i++) {
        if (!eval_condition(part, i, context, ret_holds, ret_false, err)) {
            return false;
        }
    }
    return true;
}

static bool eval_any(const struct precondition_part *any, struct kyverno_context *context,
                     bool *ret_holds, struct kyverno_false_condition *ret_false,
                     struct fx_err *err) {
    *ret_holds = true;
    if (!any->is_given) {
        return true;
    }
    if (any->n == 0) {
        keep_false(ret_false, any, 0, NULL, NULL);
    }
    return eval_part(any, true, context, ret_holds, ret_false, err);
}

bool fx_kyverno_preconditions_eval(const struct kyverno_preconditions *preconditions,
                                   struct kyverno_context *context, bool *ret_holds,
                                   struct kyverno_false_condition *ret_false,
                                   struct fx_err *err) {
    bool any = true;
    bool all = true;
    const bool ok =
        preconditions == NULL ||
        (eval_any(&preconditions->any, context, &any, ret_false, err) &&
         eval_part(&preconditions->all, false, context, &all, ret_false, err));
    *ret_holds = any && all;
    if (ok && *ret_holds && ret_false != NULL) {
        fx_kyverno_false_condition_finish(ret_false);
    }
    return ok;
}

/* ---- the condition that decided ------------------------------------------------------
 */

void fx_kyverno_false_condition_finish(struct kyverno_false_condition *condition) {
    json_decref(condition->key);
    json_decref(condition->value);
    *condition = (struct kyverno_false_condition){.part = NULL};
}

void fx_kyverno_false_condition_print(struct fx_buf *buf,
                                      const struct kyverno_false_condition *condition) {
    if (condition->key == NULL) {
        fx_buf_printf(buf, "%s: no conditions", condition->part);
        return;
    }
    fx_buf_printf(buf, "%s%s%zu: ", condition->part,
                  condition->part[0] == '\0' ? "" : "/", condition->index);
    fx_json_write(buf, condition->key, FX_JSON_COMPACT);
    fx_buf_printf(buf, " %.*s ", FX_TEXT_ARG(condition->operator_));
    fx_json_write(buf, condition->value, FX_JSON_COMPACT);
}
