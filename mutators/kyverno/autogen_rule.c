/* SPDX-License-Identifier: Apache-2.0
 *
 * autogen_rule.c - makes a rule for controllers from a rule for Pods.
 */
#include "autogen_rule.h"

#include "autogen.h"
#include "base/budget.h"
#include "base/buf.h"
#include "kind_pattern.h"
#include "value/tree.h"

#define MOST_NAME_BYTES 63u

const struct kyverno_controller fx_kyverno_controllers[KYVERNO_CONTROLLERS] = {
    {"DaemonSet", "apps/v1/DaemonSet", KYVERNO_AUTOGEN_TEMPLATE},
    {"Deployment", "apps/v1/Deployment", KYVERNO_AUTOGEN_TEMPLATE},
    {"Job", "batch/v1/Job", KYVERNO_AUTOGEN_TEMPLATE},
    {"StatefulSet", "apps/v1/StatefulSet", KYVERNO_AUTOGEN_TEMPLATE},
    {"ReplicaSet", "apps/v1/ReplicaSet", KYVERNO_AUTOGEN_TEMPLATE},
    {"ReplicationController", "v1/ReplicationController", KYVERNO_AUTOGEN_TEMPLATE},
    {"CronJob", "batch/v1/CronJob", KYVERNO_AUTOGEN_CRON_JOB},
};

/* Of each form: the start of the names of its rules, the way to the template, and the way
 * as variables write it. */
static const struct autogen_form {
    const char *name, *pointer, *dots;
    const char *steps[5]; /* from the template up to the root */
} autogen_forms[KYVERNO_AUTOGEN_FORMS] = {
    {"autogen-", "/spec/template", "spec.template.", {"template", "spec", NULL}},
    {"autogen-cronjob-",
     "/spec/jobTemplate/spec/template",
     "spec.jobTemplate.spec.template.",
     {"template", "spec", "jobTemplate", "spec", NULL}},
};

/* The rule under construction. Its nodes are shared with nobody. */
struct autogen {
    const struct autogen_form *form;
    json_t *kinds;
    struct fx_err *err;
};

bool fx_kyverno_is_controller(struct fx_text kind) {
    for (size_t i = 0; i < KYVERNO_CONTROLLERS; i++) {
        if (fx_text_is(kind, fx_kyverno_controllers[i].kind)) {
            return true;
        }
    }
    return false;
}

bool fx_kyverno_lists_pod(const json_t *kinds) {
    for (size_t i = 0; i < json_array_size(kinds); i++) {
        struct kyverno_kind_pattern pattern;
        if (fx_kyverno_kind_parse(fx_tree_text(json_array_get(kinds, i)), &pattern) &&
            fx_text_is(pattern.kind, "Pod")) {
            return true;
        }
    }
    return false;
}

/* ---- variables -----------------------------------------------------------------------
 */

static json_t *rewrite(const struct autogen *autogen, const json_t *node);

/* The length of "request.object." or "request.oldObject." at the start of the text if
 * "spec" or "metadata" follows it; else 0. */
static size_t variable_length(struct fx_text text) {
    static const struct fx_text starts[] = {{"request.object.", 15},
                                            {"request.oldObject.", 18}};
    for (size_t i = 0; i < FX_COUNT(starts); i++) {
        if (fx_text_starts(text, starts[i])) {
            const struct fx_text rest = fx_text_rest(text, starts[i].len);
            return fx_text_starts(rest, FX_TEXT("spec")) ||
                           fx_text_starts(rest, FX_TEXT("metadata"))
                       ? starts[i].len
                       : 0;
        }
    }
    return 0;
}

/* Appends the text with each variable of the Pod led into the template. */
static void rewrite_text(const struct autogen *autogen, struct fx_text text,
                         struct fx_buf *buf) {
    fx_buf_str(buf, "");
    for (size_t i = 0; i < text.len;) {
        const size_t n = variable_length(fx_text_rest(text, i));
        if (n == 0) {
            fx_buf_char(buf, text.data[i++]);
            continue;
        }
        fx_buf_text(buf, (struct fx_text){text.data + i, n});
        fx_buf_str(buf, autogen->form->dots);
        i += n;
    }
}

static json_t *rewrite_string(const struct autogen *autogen, struct fx_text text) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    rewrite_text(autogen, text, &buf);
    json_t *made = buf.failed ? NULL : fx_tree_new_string(fx_buf_view(&buf));
    fx_buf_finish(&buf);
    if (made == NULL) {
        (void)fx_fail_nomem(autogen->err);
    }
    return made;
}

static bool rewrite_member(const struct autogen *autogen, void *iter, json_t *made) {
    struct fx_buf key;
    json_t *value = rewrite(autogen, json_object_iter_value(iter));
    if (value == NULL) {
        return false;
    }
    fx_buf_init(&key, 0);
    rewrite_text(autogen, fx_node_key(iter), &key);
    bool ok = !key.failed;
    if (ok) {
        ok = fx_tree_set_take(made, fx_buf_view(&key), value);
    } else {
        json_decref(value);
    }
    fx_buf_finish(&key);
    return ok || fx_fail_nomem(autogen->err);
}

static json_t *rewrite_container(const struct autogen *autogen, const json_t *node) {
    json_t *made = json_is_object(node) ? json_object() : json_array();
    bool ok = made != NULL || fx_fail_nomem(autogen->err);
    for (void *iter = fx_node_first(node); ok && iter != NULL;
         iter = fx_node_next(node, iter)) {
        ok = rewrite_member(autogen, iter, made);
    }
    for (size_t i = 0; ok && i < json_array_size(node); i++) {
        json_t *element = rewrite(autogen, json_array_get(node, i));
        ok = element != NULL &&
             (fx_tree_append_take(made, element) || fx_fail_nomem(autogen->err));
    }
    return fx_tree_keep_if(ok, made);
}

/* A copy of the node, whose depth the readers limit, with the variables of the Pod led
 * into the template. NULL after a failure. */
static json_t *rewrite(const struct autogen *autogen, const json_t *node) {
    const struct fx_text text = fx_tree_text(node);
    if (!fx_spend(1) || !fx_spend_text(text.len)) {
        (void)fx_fail_exceeded(autogen->err);
        return NULL;
    }
    if (json_is_string(node)) {
        return rewrite_string(autogen, text);
    }
    return json_is_object(node) || json_is_array(node)
               ? rewrite_container(autogen, node)
               : json_incref(fx_node_unconst(node));
}

/* ---- match and exclude ---------------------------------------------------------------
 */

/* Replaces the kinds of a filter if it has Pods, or, if `any`, if it has kinds. */
static bool replace_kinds(const struct autogen *autogen, json_t *filter, bool any) {
    json_t *resources = fx_tree_view_key(filter, "resources");
    const json_t *kinds = fx_tree_view_key(resources, "kinds");
    if (any ? json_array_size(kinds) == 0 : !fx_kyverno_lists_pod(kinds)) {
        return true;
    }
    return fx_tree_set_take(resources, FX_TEXT("kinds"), json_incref(autogen->kinds)) ||
           fx_fail_nomem(autogen->err);
}

/* Removes the filters that have kinds, but not Pods: a rule for CronJobs does not apply
 * to what they match. */
static void remove_others(json_t *list) {
    for (size_t i = json_array_size(list); i > 0; i--) {
        const json_t *resources =
            fx_tree_view_key(json_array_get(list, i - 1), "resources");
        const json_t *kinds = fx_tree_view_key(resources, "kinds");
        if (json_array_size(kinds) > 0 && !fx_kyverno_lists_pod(kinds)) {
            fx_tree_remove_index(list, i - 1);
        }
    }
}

static bool replace_filters(const struct autogen *autogen, json_t *block) {
    json_t *list = fx_tree_view_key(block, "any");
    if (json_array_size(list) > 0 &&
        autogen->form == &autogen_forms[KYVERNO_AUTOGEN_CRON_JOB]) {
        remove_others(list);
    }
    if (json_array_size(list) == 0) {
        list = fx_tree_view_key(block, "all");
    }
    if (json_array_size(list) == 0) {
        return replace_kinds(autogen, block, true);
    }
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(list); i++) {
        ok = replace_kinds(autogen, json_array_get(list, i), false);
    }
    return ok;
}

/* Has a filter of the block Pods among its kinds? *ret_any: has one any kinds? */
static bool block_lists_pod(const json_t *block, bool *ret_any) {
    static const char *const lists[] = {"any", "all"};
    const json_t *kinds = fx_tree_view_key(fx_tree_view_key(block, "resources"), "kinds");
    bool found = fx_kyverno_lists_pod(kinds);
    *ret_any = json_array_size(kinds) > 0;
    for (size_t k = 0; k < FX_COUNT(lists); k++) {
        const json_t *list = fx_tree_view_key(block, lists[k]);
        for (size_t i = 0; i < json_array_size(list); i++) {
            kinds = fx_tree_view_key(
                fx_tree_view_key(json_array_get(list, i), "resources"), "kinds");
            found = found || fx_kyverno_lists_pod(kinds);
            *ret_any = *ret_any || json_array_size(kinds) > 0;
        }
    }
    return found;
}

static bool is_for_pods(const json_t *rule) {
    bool any = false;
    if (!block_lists_pod(fx_tree_view_key(rule, "match"), &any)) {
        return false;
    }
    return block_lists_pod(fx_tree_view_key(rule, "exclude"), &any) || !any;
}

/* ---- mutate --------------------------------------------------------------------------
 */

static bool set_take(const struct autogen *autogen, json_t *object, const char *key,
                     json_t *value) {
    return fx_tree_set_take(object, fx_text_of(key), value) ||
           fx_fail_nomem(autogen->err);
}

/* Puts a patch for Pods into the template of a controller. */
static json_t *wrap_take(const struct autogen *autogen, json_t *patch) {
    const char *const *step = autogen->form->steps;
    for (; *step != NULL && patch != NULL; step++) {
        json_t *above = json_object();
        if (above == NULL) {
            json_decref(patch);
            patch = NULL;
        } else {
            patch =
                fx_tree_keep_if(fx_tree_set_take(above, fx_text_of(*step), patch), above);
        }
    }
    if (patch == NULL) {
        (void)fx_fail_nomem(autogen->err);
    }
    return patch;
}

/* A JSON patch with the place below which it applies. */
static json_t *place_patch(const struct autogen *autogen, json_t *patch) {
    json_t *placed = json_object();
    const bool ok =
        placed == NULL
            ? fx_fail_nomem(autogen->err)
            : set_take(autogen, placed, KYVERNO_AUTOGEN_PATCH_TEXT, json_incref(patch)) &&
                  set_take(autogen, placed, KYVERNO_AUTOGEN_PATCH_BELOW,
                           fx_tree_new_string(fx_text_of(autogen->form->pointer)));
    return fx_tree_keep_if(ok, placed);
}

/* The methods of a patch, in the order in which one of several counts. */
static const struct autogen_method {
    const char *name;
    bool is_json_patch;
} autogen_methods[] = {
    {"patchStrategicMerge", false},
    {"overlay", false},
    {"patchesJson6902", true},
    {"patches", true},
};

/* Changes the patch of `mutate`, or of an entry of a foreach, to one for controllers.
 * False, without an error, if there is none. */
static bool wrap_patch(const struct autogen *autogen, json_t *holder, bool *ret_found) {
    for (size_t i = 0; i < FX_COUNT(autogen_methods); i++) {
        const struct autogen_method *method = &autogen_methods[i];
        json_t *patch = fx_tree_view_key(holder, method->name);
        if (patch == NULL || json_is_null(patch)) {
            continue;
        }
        json_t *made = method->is_json_patch ? place_patch(autogen, patch)
                                             : wrap_take(autogen, json_incref(patch));
        *ret_found = true;
        return made != NULL && set_take(autogen, holder, method->name, made);
    }
    return true;
}

static bool wrap_foreach(const struct autogen *autogen, json_t *list, bool is_nested,
                         bool *ret_found);

/* An entry loses its order, as in Kyverno, unless it has a JSON patch or is nested: of
 * those Kyverno makes nothing that can be used. */
static bool wrap_entry(const struct autogen *autogen, json_t *entry, bool is_nested,
                       bool *ret_found) {
    json_t *below = fx_tree_view_key(entry, "foreach");
    if (json_is_array(below)) {
        return wrap_foreach(autogen, below, true, ret_found);
    }
    if (!is_nested && (fx_tree_view_key(entry, "patchStrategicMerge") != NULL ||
                       fx_tree_view_key(entry, "overlay") != NULL)) {
        fx_tree_remove_key(entry, FX_TEXT("order"));
    }
    return wrap_patch(autogen, entry, ret_found);
}

static bool wrap_foreach(const struct autogen *autogen, json_t *list, bool is_nested,
                         bool *ret_found) {
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(list); i++) {
        ok = wrap_entry(autogen, json_array_get(list, i), is_nested, ret_found);
    }
    return ok;
}

/* ---- the rule ------------------------------------------------------------------------
 */

static bool set_name(const struct autogen *autogen, json_t *rule) {
    struct fx_buf name;
    fx_buf_init(&name, 0);
    fx_buf_str(&name, autogen->form->name);
    fx_buf_text(&name, fx_tree_view_string(rule, "name"));
    struct fx_text text = fx_buf_view(&name);
    if (text.len > MOST_NAME_BYTES) {
        text.len = fx_text_rune_floor(text.data, MOST_NAME_BYTES);
    }
    const bool ok =
        !name.failed && fx_tree_set_take(rule, FX_TEXT("name"), fx_tree_new_string(text));
    fx_buf_finish(&name);
    return ok || fx_fail_nomem(autogen->err);
}

static bool change_rule(const struct autogen *autogen, json_t *rule, bool *ret_found) {
    json_t *mutate = fx_tree_view_key(rule, "mutate");
    json_t *foreach = fx_tree_view_key(mutate, "foreach");
    return set_name(autogen, rule) &&
           replace_filters(autogen, fx_tree_view_key(rule, "match")) &&
           replace_filters(autogen, fx_tree_view_key(rule, "exclude")) &&
           (json_array_size(foreach) > 0
                ? wrap_foreach(autogen, foreach, false, ret_found)
                : wrap_patch(autogen, mutate, ret_found));
}

bool fx_kyverno_autogen_rule(const json_t *rule, enum kyverno_autogen_form form,
                             json_t *kinds, json_t **ret_rule, struct fx_err *err) {
    const struct autogen autogen = {&autogen_forms[form], kinds, err};
    const json_t *mutate = fx_tree_view_key(rule, "mutate");
    bool found = false;
    *ret_rule = NULL;
    if (!json_is_object(mutate) || fx_tree_view_key(mutate, "targets") != NULL ||
        fx_text_starts(fx_tree_view_string(rule, "name"), FX_TEXT("autogen-")) ||
        !is_for_pods(rule)) {
        return true;
    }
    json_t *made = rewrite(&autogen, rule);
    if (made == NULL || !change_rule(&autogen, made, &found)) {
        json_decref(made);
        return false;
    }
    *ret_rule = fx_tree_keep_if(found, made);
    return true;
}
