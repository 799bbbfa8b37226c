/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/existing.c - queries for objects that exist, and the effect of a rule on one of
 * them.
 */
#include "engine/existing.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "base/vec.h"
#include "base/wildcard.h"
#include "engine/selector.h"
#include "value/equal.h"

/* ---- queries ---------------------------------------------------------------------- */

/* Copies the texts into one block. */
static bool copy_query(struct fx_existing_query *to,
                       const struct fx_existing_query *from) {
    const struct fx_text texts[] = {from->group, from->version, from->kind,
                                    from->namespace_, from->name};
    struct fx_text *const copies[] = {&to->group, &to->version, &to->kind,
                                      &to->namespace_, &to->name};
    size_t bytes = 1;
    for (size_t i = 0; i < FX_COUNT(texts); i++) {
        bytes += texts[i].len;
    }
    char *at = to->texts = malloc(bytes);
    for (size_t i = 0; at != NULL && i < FX_COUNT(texts); i++) {
        if (texts[i].len > 0) {
            memcpy(at, texts[i].data, texts[i].len);
        }
        *copies[i] = (struct fx_text){at, texts[i].len};
        at += texts[i].len;
    }
    return to->texts != NULL;
}

static void finish_query(struct fx_existing_query *query) {
    free(query->texts);
    fx_selector_destroy(query->selector);
}

/* Compiles and checks the selector; NULL stands for any labels. */
static bool read_selector(json_t *selector, struct fx_existing_query *query,
                          struct fx_err *err) {
    if (selector == NULL) {
        return true;
    }
    if (!fx_selector_compile(selector, "selector", FX_SELECTOR_OVER_LABELS,
                             &query->selector, err)) {
        return false;
    }
    if (!fx_selector_check(query->selector, err)) {
        err->code = err->code == FX_EMUTATE ? FX_EINVALID : err->code;
        return false;
    }
    return true;
}

bool fx_existing_queries_add(struct fx_existing_queries *queries,
                             const struct fx_existing_query *query, json_t *selector,
                             struct fx_err *err) {
    if (query->version.len == 0 || query->kind.len == 0) {
        return fx_fail(err, FX_EINVALID, "a target needs `apiVersion` and `kind`");
    }
    if (queries->n_items == FX_LIMIT_EXISTING_QUERIES) {
        return fx_fail(err, FX_ELIMIT, "a rule has more than %u targets",
                       FX_LIMIT_EXISTING_QUERIES);
    }
    struct fx_existing_query made = {.selector = NULL};
    if (!FX_VEC_GROW(queries->items, queries->n_items, queries->cap_items) ||
        !copy_query(&made, query)) {
        return fx_fail_nomem(err);
    }
    if (!read_selector(selector, &made, err)) {
        finish_query(&made);
        return false;
    }
    queries->items[queries->n_items++] = made;
    return true;
}

void fx_existing_queries_finish(struct fx_existing_queries *queries) {
    for (size_t i = 0; i < queries->n_items; i++) {
        finish_query(&queries->items[i]);
    }
    free(queries->items);
    *queries = (struct fx_existing_queries){0};
}

bool fx_existing_query_is_exact(const struct fx_existing_query *query) {
    return query->name.len > 0 && !fx_wildcard_is_pattern(query->name) &&
           !fx_wildcard_is_pattern(query->namespace_);
}

static bool fits_text(struct fx_text pattern, struct fx_text text) {
    return pattern.len == 0 || fx_wildcard_match(pattern, text);
}

bool fx_existing_query_fits(const struct fx_existing_query *query, const json_t *object,
                            bool *ret_fits, struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    *ret_fits = fx_text_equal(subject.group, query->group) &&
                fx_text_equal(subject.version, query->version) &&
                fx_text_equal(subject.kind, query->kind) &&
                fits_text(query->namespace_, subject.namespace_) &&
                fits_text(query->name, subject.name);
    return !*ret_fits || query->selector == NULL ||
           fx_selector_eval(query->selector, subject.labels, ret_fits, err);
}

/* ---- one target ------------------------------------------------------------------- */

/* Applies the rule once. *ret_changed is false if the object is equal to what it was. */
static bool apply_once(const struct fx_mutator *rule, const struct fx_request *request,
                       json_t *trigger, json_t **target, bool *ret_changed,
                       struct fx_err *err) {
    struct fx_effect effect = {.applied = false};
    json_t *before = json_incref(*target);
    const bool ok =
        rule->ops->existing->apply(rule, request, trigger, target, &effect, err);
    *ret_changed = ok && *target != before && !fx_equal(before, *target);
    json_decref(before);
    return ok;
}

bool fx_existing_apply(const struct fx_mutator *rule, const struct fx_request *request,
                       json_t *trigger, json_t **target,
                       enum fx_existing_result *ret_result, struct fx_err *err) {
    assert(rule->run.action == FX_ACTION_EXISTING);
    json_t *original = json_incref(*target);
    const unsigned most = rule->run.once ? 1 : FX_LIMIT_EXISTING_PASSES;
    unsigned n_changes = 0;
    bool changed = true;
    bool ok = true;
    while (ok && changed && n_changes < most) {
        ok = apply_once(rule, request, trigger, target, &changed, err);
        n_changes += ok && changed ? 1 : 0;
    }
    const bool settled = rule->run.once || n_changes < most;
    *ret_result = !settled                                        ? FX_EXISTING_UNSETTLED
                  : n_changes == 0 || fx_equal(original, *target) ? FX_EXISTING_SAME
                                                                  : FX_EXISTING_CHANGED;
    if (ok && fx_budget_exceeded() != FX_EXCEEDED_NOTHING) {
        ok = fx_fail_exceeded(err);
    }
    if (!ok || *ret_result != FX_EXISTING_CHANGED) {
        json_decref(*target);
        *target = json_incref(original);
    }
    json_decref(original);
    return ok;
}
