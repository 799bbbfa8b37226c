/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/eval_project.c - evaluates projections: an expression on each element
 * of a list or member of an object. Elements for which it gives null or a missing key are
 * left out.
 */
#include "location/jmespath/eval.h"

#include "value/tree.h"

/* Evaluates `body` on the element, and appends the value to the list. */
static bool project(struct fx_jmespath_run *run, const struct fx_jmespath_node *body,
                    json_t *element, json_t *list) {
    json_t *value = NULL;
    if (!fx_jmespath_eval_or_null(run, body, element, &value)) {
        return false;
    }
    if (json_is_null(value)) {
        return true;
    }
    return fx_tree_append_take(list, value) || fx_fail_nomem(run->err);
}

/* Evaluates what is projected, or gives null if this fails because of the data. Then
 * *ret_value is null for anything but a value of this type. */
static bool eval_source(struct fx_jmespath_run *run,
                        const struct fx_jmespath_node *source, json_t *subject,
                        json_type type, json_t **ret_value) {
    const bool ok = fx_jmespath_eval_or_null(run, source, subject, ret_value);
    if (ok && json_typeof(*ret_value) != type) {
        json_decref(*ret_value);
        *ret_value = json_null();
    }
    return ok;
}

/* Is it an error of the data, which an original would also find? Refused memory, limits
 * and inputs that have to be fetched are not. */
static bool is_error_of_data(const struct fx_err *err) {
    return err->code == FX_EINVALID || err->code == FX_EMUTATE;
}

/* The same, also for an error. Flattening, filters and projections of objects hide the
 * errors of what they are applied to. */
static bool eval_source_or_null(struct fx_jmespath_run *run,
                                const struct fx_jmespath_node *source, json_t *subject,
                                json_type type, json_t **ret_value) {
    if (eval_source(run, source, subject, type, ret_value)) {
        return true;
    }
    if (!is_error_of_data(run->err)) {
        return false;
    }
    fx_err_reset(run->err);
    *ret_value = json_null();
    return true;
}

/* Adds what becomes of one element of a list. `body` is what follows the list. */
typedef bool add_element(struct fx_jmespath_run *run, const struct fx_jmespath_node *body,
                         json_t *element, json_t *list);

/* Makes a list of the elements of another one; null of null. */
static enum fx_jmespath_outcome eval_elements(struct fx_jmespath_run *run,
                                              const struct fx_jmespath_node *body,
                                              json_t *source_take, add_element *add,
                                              json_t **ret_value) {
    json_t *list = json_is_null(source_take) ? json_null() : json_array();
    bool ok = list != NULL || fx_fail_nomem(run->err);
    for (size_t i = 0; ok && i < json_array_size(source_take); i++) {
        ok = add(run, body, json_array_get(source_take, i), list);
    }
    json_decref(source_take);
    *ret_value = fx_tree_keep_if(ok, list);
    return fx_jmespath_outcome_of(ok);
}

enum fx_jmespath_outcome fx_jmespath_eval_each(struct fx_jmespath_run *run,
                                               const struct fx_jmespath_node *node,
                                               json_t *subject, json_t **ret_value) {
    json_t *source = NULL;
    return eval_source(run, node->first, subject, JSON_ARRAY, &source)
               ? eval_elements(run, node->first->next, source, project, ret_value)
               : FX_JMESPATH_ERROR;
}

enum fx_jmespath_outcome fx_jmespath_eval_values(struct fx_jmespath_run *run,
                                                 const struct fx_jmespath_node *node,
                                                 json_t *subject, json_t **ret_value) {
    json_t *source = NULL;
    struct query_member *members = NULL;
    size_t n = 0;
    if (!eval_source_or_null(run, node->first, subject, JSON_OBJECT, &source)) {
        return FX_JMESPATH_ERROR;
    }
    json_t *list = json_is_null(source) ? json_null() : json_array();
    bool ok = list != NULL || fx_fail_nomem(run->err);
    ok = ok && (json_is_null(source) ||
                fx_jmespath_members(&run->arena, source, &members, &n, run->err));
    for (size_t i = 0; ok && i < n; i++) {
        ok = project(run, node->first->next, members[i].value, list);
    }
    json_decref(source);
    *ret_value = fx_tree_keep_if(ok, list);
    return fx_jmespath_outcome_of(ok);
}

/* Projects the element if the condition is true for it. */
static bool filter(struct fx_jmespath_run *run, const struct fx_jmespath_node *body,
                   json_t *element, json_t *list) {
    json_t *truth = NULL;
    if (!fx_jmespath_eval_or_null(run, body->next, element, &truth)) {
        return false;
    }
    const bool is_true = fx_jmespath_is_true(truth);
    json_decref(truth);
    return !is_true || project(run, body, element, list);
}

enum fx_jmespath_outcome fx_jmespath_eval_filter(struct fx_jmespath_run *run,
                                                 const struct fx_jmespath_node *node,
                                                 json_t *subject, json_t **ret_value) {
    json_t *source = NULL;
    return eval_source_or_null(run, node->first, subject, JSON_ARRAY, &source)
               ? eval_elements(run, node->first->next, source, filter, ret_value)
               : FX_JMESPATH_ERROR;
}

/* Appends the element, or the elements of an element that is a list. */
static bool flatten(struct fx_jmespath_run *run, const struct fx_jmespath_node *body,
                    json_t *element, json_t *list) {
    (void)body;
    if (!fx_jmespath_spend(run, 1)) {
        return false;
    }
    if (!json_is_array(element)) {
        return fx_tree_append_take(list, json_incref(element)) || fx_fail_nomem(run->err);
    }
    return fx_jmespath_spend(run, json_array_size(element)) &&
           (json_array_extend(list, element) == 0 || fx_fail_nomem(run->err));
}

enum fx_jmespath_outcome fx_jmespath_eval_flatten(struct fx_jmespath_run *run,
                                                  const struct fx_jmespath_node *node,
                                                  json_t *subject, json_t **ret_value) {
    json_t *source = NULL;
    return eval_source_or_null(run, node->first, subject, JSON_ARRAY, &source)
               ? eval_elements(run, node->first->next, source, flatten, ret_value)
               : FX_JMESPATH_ERROR;
}

/* ---- slices ------------------------------------------------------------------------ */

/* Moves a bound of a slice into the list: negative ones count from its end. */
static int64_t slice_bound(int64_t bound, int64_t size, bool is_forward) {
    const int64_t lowest = is_forward ? 0 : -1;
    const int64_t highest = is_forward ? size : size - 1;
    const int64_t at = bound < 0 ? bound + size : bound;
    return at < lowest ? lowest : at > highest ? highest : at;
}

/* The first index of the slice, the step, and the number of elements. */
struct slice_range {
    int64_t start, step, count;
};

static struct slice_range find_range(const struct query_slice *slice, int64_t size) {
    const int64_t step = slice->has[2] ? slice->part[2] : 1;
    const bool is_forward = step > 0;
    const int64_t start = slice->has[0] ? slice_bound(slice->part[0], size, is_forward)
                          : is_forward  ? 0
                                        : size - 1;
    const int64_t stop = slice->has[1] ? slice_bound(slice->part[1], size, is_forward)
                         : is_forward  ? size
                                       : -1;
    const int64_t distance = is_forward ? stop - start : start - stop;
    /* A step of more than the list gives one element: its size is enough. */
    const int64_t length = step == INT64_MIN ? INT64_MAX : step < 0 ? -step : step;
    return (struct slice_range){
        start,
        length > size ? (is_forward ? size + 1 : -size - 1) : step,
        distance <= 0 ? 0 : (distance - 1) / length + 1,
    };
}

enum fx_jmespath_outcome fx_jmespath_eval_slice(struct fx_jmespath_run *run,
                                                const struct fx_jmespath_node *node,
                                                json_t *subject, json_t **ret_value) {
    if (!json_is_array(subject)) {
        return fx_jmespath_eval_take(run, json_null(), ret_value);
    }
    if (node->as.slice.has[2] && node->as.slice.part[2] == 0) {
        (void)fx_fail_at(run->err, FX_EINVALID, node->off, node->len,
                         "the step of a slice cannot be 0");
        return FX_JMESPATH_ERROR;
    }
    const struct slice_range range =
        find_range(&node->as.slice, (int64_t)json_array_size(subject));
    json_t *list = json_array();
    bool ok = (list != NULL || fx_fail_nomem(run->err)) &&
              fx_jmespath_spend(run, (size_t)range.count);
    for (int64_t i = 0; ok && i < range.count; i++) {
        json_t *element = json_array_get(subject, (size_t)(range.start + i * range.step));
        ok = fx_tree_append_take(list, json_incref(element)) || fx_fail_nomem(run->err);
    }
    *ret_value = fx_tree_keep_if(ok, list);
    return fx_jmespath_outcome_of(ok);
}
