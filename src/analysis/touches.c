/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/touches.c - one mutator alone: does it change a field that the API server
 * treats as immutable, or the labels by which Pods are selected?
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyzer.h"
#include "analysis/fields.h"
#include "analysis/leaves.h"
#include "value/equal.h"
#include "value/pointer.h"
#include "value/tree.h"

#define TEMPLATE_LABELS "/spec/template/metadata/labels"
#define OTHER_KINDS_MAX 32u /* of one mutator that are checked */

/* What one mutator made of the object. */
struct touch {
    struct analyzer *analyzer;
    const struct trial_case *tcase;
    uint32_t mutator;
    struct fx_subject subject; /* of the object as it was */
    json_t *after;             /* counted; NULL where it does not act */
    struct leaves leaves;
};

static void touch_finish(struct touch *touch) {
    json_decref(touch->after);
    fx_leaves_finish(&touch->leaves);
}

/* Runs the mutator alone. */
static bool touch_init(struct touch *touch, struct analyzer *analyzer,
                       const struct trial_case *tcase, uint32_t mutator,
                       struct fx_err *err) {
    *touch = (struct touch){.analyzer = analyzer, .tcase = tcase, .mutator = mutator};
    fx_subject_read(tcase->object, &touch->subject);
    const struct trial trial = fx_analyzer_trial(analyzer, tcase, &mutator, 1);
    struct trial_outcome outcome;
    if (!fx_trial_run(&trial, tcase->object, &outcome, err)) {
        return false;
    }
    bool ok = true;
    if (outcome.settled && !fx_equal(outcome.object, tcase->object)) {
        touch->after = json_incref(outcome.object);
        ok = fx_leaves_find(analyzer, tcase->object, outcome.object, &touch->leaves, err);
    }
    fx_trial_finish(&outcome);
    if (!ok) {
        touch_finish(touch);
    }
    return ok;
}

/* ---- findings -------------------------------------------------------------------- */

/* "<id> changes <path> of <kind><rest>" */
static bool report_change(const struct touch *touch, enum fx_analysis_rule rule,
                          const char *path, const char *rest, struct fx_err *err) {
    char *copy = fx_text_dup(fx_text_of(path));
    if (copy == NULL) {
        return fx_fail_nomem(err);
    }
    struct fx_buf text = {0};
    fx_analyzer_print_id(&text, touch->analyzer, touch->mutator);
    fx_buf_str(&text, " changes ");
    fx_analyzer_print_path(&text, path);
    fx_buf_printf(&text, " of %.*s%s", FX_TEXT_ARG(touch->subject.kind), rest);
    const struct fx_analysis_finding finding = {
        .rule = rule,
        .mutators = {touch->mutator},
        .n_mutators = 1,
        .text = text.data,
        .path = copy,
        .values = {fx_pointer_view(touch->tcase->object, fx_text_of(path)),
                   fx_pointer_view(touch->after, fx_text_of(path))},
        .n_values = 2,
    };
    const bool ok =
        text.failed ? fx_fail_nomem(err)
                    : fx_analyzer_report(touch->analyzer, touch->tcase, &finding, err);
    fx_buf_finish(&text);
    free(copy);
    return ok;
}

static bool report_immutable(const struct touch *touch, const char *path,
                             struct fx_err *err) {
    const struct fx_mutator *mutator =
        touch->analyzer->snapshot->mutators[touch->mutator];
    const char *field = mutator->ops->operations;
    char rest[160];
    (void)snprintf(
        rest, sizeof rest,
        " on UPDATE, which the API server refuses there; restrict %s to CREATE",
        field == NULL ? "the policy" : field);
    return report_change(touch, FX_ANALYSIS_UPDATE, path, rest, err);
}

static bool find_immutable(const struct touch *touch, struct fx_err *err) {
    const struct fx_subject *subject = &touch->subject;
    bool *noted = &touch->analyzer->noted[touch->mutator];
    for (size_t i = 0; !*noted && i < touch->leaves.n_paths; i++) {
        const char *path = touch->leaves.paths[i];
        if (fx_field_is_immutable(subject->group, subject->kind, path)) {
            *noted = true;
            return report_immutable(touch, path, err);
        }
    }
    return true;
}

static bool find_selector(const struct touch *touch, struct fx_err *err) {
    const struct fx_subject *subject = &touch->subject;
    for (size_t i = 0; i < touch->leaves.n_paths; i++) {
        const char *path = touch->leaves.paths[i];
        if (fx_field_is_selector(subject->group, subject->kind, path)) {
            return report_change(
                touch, FX_ANALYSIS_SELECTOR, path,
                fx_kind_selects_template(subject->group, subject->kind)
                    ? ", which must agree with the Pod template and may never "
                      "change after creation"
                    : ", by which it finds its Pods",
                err);
        }
    }
    return true;
}

static json_t *view_match_labels(const json_t *object) {
    const json_t *spec = fx_tree_view_key(object, "spec");
    return fx_tree_view_key(fx_tree_view_key(spec, "selector"), "matchLabels");
}

static json_t *view_template_labels(const json_t *object) {
    const json_t *template_ =
        fx_tree_view_key(fx_tree_view_key(object, "spec"), "template");
    return fx_tree_view_key(fx_tree_view_key(template_, "metadata"), "labels");
}

/* Reports a label of the template that the selector needs, and that was changed. */
static bool find_lost_label(const struct touch *touch, struct fx_err *err) {
    json_t *wanted = view_match_labels(touch->tcase->object);
    const json_t *before = view_template_labels(touch->tcase->object);
    const json_t *after = view_template_labels(touch->after);
    for (void *at = json_object_iter(wanted); at != NULL;
         at = json_object_iter_next(wanted, at)) {
        const struct fx_text key = {json_object_iter_key(at),
                                    json_object_iter_key_len(at)};
        const json_t *value = json_object_iter_value(at);
        if (!fx_equal(value, fx_tree_view_text(before, key)) ||
            fx_equal(value, fx_tree_view_text(after, key))) {
            continue;
        }
        struct fx_buf path = {0};
        fx_buf_str(&path, TEMPLATE_LABELS);
        fx_pointer_push(&path, key);
        const bool ok =
            path.failed ? fx_fail_nomem(err)
                        : report_change(touch, FX_ANALYSIS_SELECTOR, path.data,
                                        ", by which spec.selector finds its Pods", err);
        fx_buf_finish(&path);
        return ok;
    }
    return true;
}

/* ---- objects of other shapes ----------------------------------------------------- */

/* A deep copy of the object with another type, or the same (group.data NULL). */
static json_t *copy_as(const json_t *object, const struct fx_binding *binding) {
    json_t *copy = json_deep_copy(object);
    if (copy == NULL || binding == NULL) {
        return copy;
    }
    json_t *version =
        json_sprintf("%.*s%s%.*s", FX_TEXT_ARG(binding->group),
                     binding->group.len > 0 ? "/" : "", FX_TEXT_ARG(binding->version));
    if (!fx_tree_set_take(copy, FX_TEXT("apiVersion"), version) ||
        !fx_tree_set_take(copy, FX_TEXT("kind"), fx_tree_new_string(binding->kind))) {
        json_decref(copy);
        return NULL;
    }
    return copy;
}

/* The object at the end of these fields, made where it is missing; NULL where something
 * else stands there (*ret_fits false), or without memory. */
static json_t *object_at(json_t *object, const char *const *fields, bool *ret_fits) {
    for (; *fields != NULL; fields++) {
        json_t *child = fx_tree_view_key(object, *fields);
        if (child == NULL) {
            child = json_object();
            if (!fx_tree_set_take(object, fx_text_of(*fields), child)) {
                return NULL;
            }
        }
        object = child;
        *ret_fits = json_is_object(object);
        if (!*ret_fits) {
            return NULL;
        }
    }
    return object;
}

/* Gives a workload a label that its selector asks for. *ret_fits: it can be one. */
static bool add_label(json_t *object, struct fx_text label, bool *ret_fits,
                      struct fx_err *err) {
    static const char *const selector[] = {"spec", "selector", "matchLabels", NULL};
    static const char *const template_[] = {"spec", "template", "metadata", "labels",
                                            NULL};
    json_t *wanted = object_at(object, selector, ret_fits);
    json_t *labels = wanted == NULL ? NULL : object_at(object, template_, ret_fits);
    if (!*ret_fits) {
        return true;
    }
    return (labels != NULL && fx_tree_set_take(wanted, label, json_string("example")) &&
            fx_tree_set_take(labels, label, json_string("example"))) ||
           fx_fail_nomem(err);
}

/* Runs the mutator on another object, with the same request. */
static bool try_other(const struct touch *touch, json_t *object,
                      bool (*check)(const struct touch *touch, struct fx_err *err),
                      struct fx_err *err) {
    struct trial_case tcase = *touch->tcase;
    tcase.object = object;
    struct touch other;
    if (!touch_init(&other, touch->analyzer, &tcase, touch->mutator, err)) {
        return false;
    }
    const bool ok = other.after == NULL || check(&other, err);
    touch_finish(&other);
    return ok;
}

/* The last token of the pointer, unescaped, as a node that holds its text. */
static json_t *last_token(const char *path) {
    struct fx_text rest = fx_text_of(path);
    struct fx_buf token = {0};
    while (rest.len > 0 && fx_pointer_next(&rest, &token)) {
    }
    json_t *node = token.failed || token.data == NULL
                       ? NULL
                       : fx_tree_new_string((struct fx_text){token.data, token.len});
    fx_buf_finish(&token);
    return node;
}

/* If the mutator changes labels of a template: would it change one that the selector
 * needs? The object made by the analysis has no such label yet. */
static bool look_at_template(const struct touch *touch, struct fx_err *err) {
    const struct fx_subject *subject = &touch->subject;
    if (!fx_kind_selects_template(subject->group, subject->kind)) {
        return true;
    }
    for (size_t i = 0; i < touch->leaves.n_paths; i++) {
        const char *path = touch->leaves.paths[i];
        if (!fx_analyzer_path_begins(TEMPLATE_LABELS, path)) {
            continue;
        }
        json_t *label = last_token(path);
        json_t *object = copy_as(touch->tcase->object, NULL);
        bool fits = true;
        bool ok = label != NULL && object != NULL
                      ? add_label(object, fx_tree_text(label), &fits, err)
                      : fx_fail_nomem(err);
        if (ok && fits) {
            ok = try_other(touch, object, find_lost_label, err);
        }
        json_decref(label);
        json_decref(object);
        return ok;
    }
    return true;
}

/* Runs the mutator on the other kinds that it is bound to. */
static bool check_kinds(const struct touch *touch,
                        bool (*check)(const struct touch *touch, struct fx_err *err),
                        struct fx_err *err) {
    const struct fx_mutator *mutator =
        touch->analyzer->snapshot->mutators[touch->mutator];
    for (size_t i = 0; i < mutator->n_bindings && i < OTHER_KINDS_MAX; i++) {
        const struct fx_binding *binding = &mutator->bindings[i];
        if (binding->any_group || binding->any_version || binding->any_kind ||
            !fx_kind_has_fields(binding->group, binding->kind) ||
            fx_text_equal(binding->kind, touch->subject.kind)) {
            continue;
        }
        json_t *object = copy_as(touch->tcase->object, binding);
        const bool ok =
            object == NULL ? fx_fail_nomem(err) : try_other(touch, object, check, err);
        json_decref(object);
        if (!ok) {
            return false;
        }
    }
    return true;
}

/* ---- both operations ------------------------------------------------------------- */

static bool find_selectors(const struct touch *touch, struct fx_err *err) {
    return find_selector(touch, err) && find_lost_label(touch, err) &&
           (touch->tcase->origin != FX_ANALYSIS_MADE || look_at_template(touch, err));
}

static bool find_all(const struct touch *touch, struct fx_err *err) {
    return find_immutable(touch, err) && find_selectors(touch, err);
}

static bool check_under(struct analyzer *analyzer, const struct trial_case *tcase,
                        uint32_t mutator, enum fx_operation operation,
                        struct fx_err *err) {
    bool (*check)(const struct touch *touch, struct fx_err *err) =
        operation == FX_OPERATION_UPDATE ? find_all : find_selectors;
    struct trial_case there = *tcase;
    there.request.operation = operation;
    struct touch touch;
    if (!touch_init(&touch, analyzer, &there, mutator, err)) {
        return false;
    }
    bool ok = touch.after == NULL || check(&touch, err);
    if (touch.after != NULL && tcase->origin == FX_ANALYSIS_MADE) {
        ok = ok && check_kinds(&touch, check, err);
    }
    touch_finish(&touch);
    return ok;
}

bool fx_analyzer_check_alone(struct analyzer *analyzer, const struct trial_case *tcase,
                             uint32_t mutator, struct fx_err *err) {
    return check_under(analyzer, tcase, mutator, FX_OPERATION_CREATE, err) &&
           check_under(analyzer, tcase, mutator, FX_OPERATION_UPDATE, err);
}
