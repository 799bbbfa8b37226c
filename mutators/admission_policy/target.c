/* SPDX-License-Identifier: Apache-2.0
 *
 * target.c - finds the schema of a kind, and the ways in which a mutation fails.
 */
#include "mutators/admission_policy/target.h"

#include <stdarg.h>

#include "base/budget.h"
#include "value/equal.h"
#include "value/tree.h"

bool fx_map_reject(struct fx_map_refusal *refusal, unsigned code, struct fx_err *err) {
    if (refusal->message.failed || refusal->message.data == NULL) {
        return fx_fail_nomem(err);
    }
    refusal->code = code;
    return fx_fail(err, FX_EMUTATE, "%s", refusal->message.data);
}

bool fx_map_reject_with(struct fx_map_refusal *refusal, unsigned code, struct fx_err *err,
                        const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    fx_buf_vprintf(&refusal->message, fmt, args);
    va_end(args);
    return fx_map_reject(refusal, code, err);
}

bool fx_map_fail_work(struct fx_err *err) {
    return fx_budget_exceeded() != FX_EXCEEDED_NOTHING ? fx_fail_exceeded(err)
                                                       : fx_fail_nomem(err);
}

void fx_map_target_print_api_version(struct fx_buf *buf,
                                     const struct fx_map_target *target) {
    if (target->group.len > 0) {
        fx_buf_text(buf, target->group);
        fx_buf_char(buf, '/');
    }
    fx_buf_text(buf, target->version);
}

bool fx_map_target_refuse(const struct fx_map_target *target,
                          struct fx_map_refusal *refusal, struct fx_err *err) {
    return fx_map_reject_with(
        refusal, 503, err,
        "Resource kind %.*s/%.*s, Kind=%.*s not found. There can be a delay between when "
        "CustomResourceDefinitions are created and when they are available.",
        FX_TEXT_ARG(target->group), FX_TEXT_ARG(target->version),
        FX_TEXT_ARG(target->kind));
}

/* Sets the field to the text; false without memory. */
static bool set_text(json_t *object, const char *key, struct fx_text text) {
    return fx_tree_set_take(object, fx_text_of(key), fx_tree_new_string(text));
}

bool fx_map_target_set_kind(const struct fx_map_target *target, json_t *object,
                            struct fx_err *err) {
    struct fx_buf version;
    fx_buf_init(&version, 0);
    fx_map_target_print_api_version(&version, target);
    const bool ok = !version.failed &&
                    set_text(object, "apiVersion", fx_buf_view(&version)) &&
                    set_text(object, "kind", target->kind);
    fx_buf_finish(&version);
    return ok || fx_fail_nomem(err);
}

/* ---- the result -------------------------------------------------------------------- */

static bool is_same(const json_t *a, const json_t *b, const char *key) {
    const json_t *one = fx_tree_view_key(a, key);
    const json_t *other = fx_tree_view_key(b, key);
    return one == other || (one != NULL && other != NULL && fx_equal(one, other));
}

static struct fx_map_change compare(const json_t *before, const json_t *after) {
    const json_t *old = fx_tree_view_key(before, "metadata");
    const json_t *new = fx_tree_view_key(after, "metadata");
    struct fx_map_change change = {.changed = true};
    change.keeps_names =
        is_same(before, after, "apiVersion") && is_same(before, after, "kind") &&
        (old == new || (is_same(old, new, "name") && is_same(old, new, "namespace") &&
                        is_same(old, new, "generateName")));
    change.keeps_metadata =
        old == new || (is_same(old, new, "labels") && is_same(old, new, "annotations"));
    return change;
}

bool fx_map_replace(json_t **root, json_t *result_take, struct fx_map_change *ret_change,
                    struct fx_err *err) {
    const bool is_equal = fx_equal(*root, result_take);
    const bool is_known = fx_budget_exceeded() == FX_EXCEEDED_NOTHING;
    *ret_change = (struct fx_map_change){false, true, true};
    if (is_equal || !is_known) {
        json_decref(result_take);
        return is_known || fx_fail_exceeded(err);
    }
    *ret_change = compare(*root, result_take);
    json_decref(*root);
    *root = result_take;
    return true;
}
