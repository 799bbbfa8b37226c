/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/webhooks/disable.c - a record in annotations, and a selector that matches
 * nothing.
 */
#include "cluster/webhooks/disable.h"

#include <string.h>

#include "base/buf.h"
#include "base/date.h"
#include "base/text.h"
#include "cluster/webhooks/owners.h"
#include "kube/body.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

#define PREFIX    "fixpoint.dev/disabled"
#define AT        PREFIX "-at"
#define BY        PREFIX "-by"
#define REASON    PREFIX "-reason"
#define UNTIL     PREFIX "-until"
#define SELECTORS PREFIX "-selectors"
#define OWNERS    PREFIX "-owners"

static const char *const annotations_of_record[] = {AT,    BY,        REASON,
                                                    UNTIL, SELECTORS, OWNERS};

/* ---- the selector that matches no object ------------------------------------------ */

/* A label that exists and does not exist: no object matches. */
static json_t *new_impossible_selector(void) {
    return json_pack("{s:[{s:s, s:s}, {s:s, s:s}]}", "matchExpressions", "key", PREFIX,
                     "operator", "Exists", "key", PREFIX, "operator", "DoesNotExist");
}

/* Whether it is that selector, as the API server returns it. */
static bool is_impossible(const json_t *selector) {
    static const char *const operators[] = {"Exists", "DoesNotExist"};
    const json_t *expressions = fx_tree_view_key(selector, "matchExpressions");
    if (json_array_size(expressions) != FX_COUNT(operators)) {
        return false;
    }
    for (size_t i = 0; i < FX_COUNT(operators); i++) {
        const json_t *expression = json_array_get(expressions, i);
        if (!fx_text_is(fx_tree_view_string(expression, "key"), PREFIX) ||
            !fx_text_is(fx_tree_view_string(expression, "operator"), operators[i])) {
            return false;
        }
    }
    return true;
}

static json_t *view_selector(const json_t *webhook) {
    return fx_tree_view_key(webhook, "objectSelector");
}

static bool any_impossible(const json_t *configuration) {
    const json_t *webhooks = fx_tree_view_key(configuration, "webhooks");
    for (size_t i = 0; i < json_array_size(webhooks); i++) {
        if (is_impossible(view_selector(json_array_get(webhooks, i)))) {
            return true;
        }
    }
    return false;
}

/* ---- reading --------------------------------------------------------------------- */

static const json_t *view_annotations(const json_t *configuration) {
    return fx_tree_view_key(fx_tree_view_key(configuration, "metadata"), "annotations");
}

static const char *view_annotation(const json_t *configuration, const char *key) {
    return json_string_value(fx_tree_view_key(view_annotations(configuration), key));
}

void fx_disable_read(const json_t *configuration, struct fx_disable_record *ret_record) {
    *ret_record = (struct fx_disable_record){
        .recorded = view_annotation(configuration, SELECTORS) != NULL,
        .at = view_annotation(configuration, AT),
        .by = view_annotation(configuration, BY),
        .reason = view_annotation(configuration, REASON),
        .until = view_annotation(configuration, UNTIL),
    };
    if (ret_record->until != NULL && ret_record->until[0] == '\0') {
        ret_record->until = NULL;
    }
    ret_record->disabled = any_impossible(configuration);
    ret_record->has_end = ret_record->until != NULL &&
                          fx_date_parse(fx_text_of(ret_record->until), &ret_record->end);
}

/* The selectors in the record; `{}` without a record. NULL: invalid, or no memory. */
static json_t *read_remembered(const json_t *configuration, struct fx_err *err) {
    const char *text = view_annotation(configuration, SELECTORS);
    json_t *before =
        text == NULL ? json_object() : fx_json_read(fx_text_of(text), NULL, err);
    if (before != NULL && !json_is_object(before)) {
        json_decref(before);
        before = NULL;
        (void)fx_fail(err, FX_ESYNTAX, "not an object");
    }
    if (before == NULL) {
        (void)(text == NULL ? fx_fail_nomem(err)
                            : fx_err_prefix(err, "annotation %s: ", SELECTORS));
    }
    return before;
}

static json_t *view_remembered(const json_t *webhook, const json_t *remembered) {
    return fx_tree_view_text(remembered, fx_tree_view_string(webhook, "name"));
}

/* API servers before 1.21 merge the two fields of a selector: a disable replaced the
 * expressions only, and the labels are still those of others. A new reference; NULL
 * without memory. */
static json_t *with_labels(json_t *before, json_t *labels) {
    json_t *selector = json_copy(before);
    return fx_tree_keep_if(
        fx_tree_set_take(selector, FX_TEXT("matchLabels"), json_incref(labels)),
        selector);
}

/* The selector before the disable, as a new reference; NULL without memory. */
static json_t *selector_before(const json_t *webhook, const json_t *remembered) {
    json_t *now = view_selector(webhook);
    const bool is_ours = is_impossible(now);
    json_t *labels = is_ours ? fx_tree_view_key(now, "matchLabels") : NULL;
    json_t *before = is_ours ? view_remembered(webhook, remembered) : now;
    if (!json_is_object(before)) {
        return json_object();
    }
    return labels != NULL ? with_labels(before, labels) : json_incref(before);
}

/* ---- writing --------------------------------------------------------------------- */

/* A webhook of that name with that selector, which is consumed. */
static bool append_webhook(json_t *webhooks, json_t *name, json_t *selector_take) {
    return selector_take != NULL &&
           fx_tree_append_take(webhooks, json_pack("{s:O, s:o}", "name", name,
                                                   "objectSelector", selector_take));
}

static bool is_configuration(const json_t *configuration, struct fx_err *err) {
    const json_t *webhooks = fx_tree_view_key(configuration, "webhooks");
    if (json_array_size(webhooks) == 0) {
        return fx_fail(err, FX_EINVALID, "the configuration has no webhooks");
    }
    for (size_t i = 0; i < json_array_size(webhooks); i++) {
        if (fx_tree_view_string(json_array_get(webhooks, i), "name").len == 0) {
            return fx_fail(err, FX_EINVALID, "webhooks[%zu] has no name", i);
        }
    }
    return true;
}

/* ---- disabling ------------------------------------------------------------------- */

static bool set_json(json_t *object, const char *key, const json_t *value) {
    struct fx_buf text = {0};
    fx_json_write(&text, value, FX_JSON_COMPACT);
    const bool ok =
        !text.failed && fx_kube_body_set_text(object, key, fx_buf_view(&text));
    fx_buf_finish(&text);
    return ok;
}

/* Records the selectors before the disable, `{"WEBHOOK":SELECTOR,…}`, in one annotation.
 */
static bool remember_selectors(json_t *annotations, const json_t *configuration,
                               const json_t *remembered) {
    const json_t *webhooks = fx_tree_view_key(configuration, "webhooks");
    json_t *before = json_object();
    bool ok = before != NULL;
    for (size_t i = 0; ok && i < json_array_size(webhooks); i++) {
        const json_t *webhook = json_array_get(webhooks, i);
        ok = fx_tree_set_take(before, fx_tree_view_string(webhook, "name"),
                              selector_before(webhook, remembered));
    }
    ok = ok && set_json(annotations, SELECTORS, before);
    json_decref(before);
    return ok;
}

/* The owners in the record; `{}` if there are none, or if the annotation is not JSON:
 * then no owner is restored. NULL without memory. */
static json_t *read_owners(const json_t *configuration) {
    const char *text = view_annotation(configuration, OWNERS);
    struct fx_err err = FX_ERR_INIT;
    json_t *owners = text == NULL ? NULL : fx_json_read(fx_text_of(text), NULL, &err);
    return owners != NULL || err.code == FX_ENOMEM ? owners : json_object();
}

/* For webhooks that are disabled already, keeps the owners of the record. */
static bool add_owners_before(json_t *owners, const json_t *configuration,
                              const json_t *remembered) {
    const json_t *webhooks = fx_tree_view_key(configuration, "webhooks");
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(webhooks); i++) {
        const json_t *webhook = json_array_get(webhooks, i);
        json_t *before = view_remembered(webhook, remembered);
        if (is_impossible(view_selector(webhook)) && before != NULL) {
            ok = fx_tree_set_take(owners, fx_tree_view_string(webhook, "name"),
                                  json_incref(before));
        }
    }
    return ok;
}

static bool remember_owners(json_t *annotations, const json_t *configuration) {
    json_t *owners = fx_owners_read(configuration, FX_DISABLE_MANAGER);
    json_t *remembered = read_owners(configuration);
    bool ok = owners != NULL && remembered != NULL &&
              add_owners_before(owners, configuration, remembered);
    if (ok && json_object_size(owners) > 0) {
        ok = set_json(annotations, OWNERS, owners);
    }
    json_decref(remembered);
    json_decref(owners);
    return ok;
}

/* A text that is not given is not set. */
static bool set_given(json_t *object, const char *key, const char *value) {
    return value == NULL || fx_kube_body_set_text(object, key, fx_text_of(value));
}

/* An existing end may have another owner, too, and would stay if it were omitted: it is
 * set to empty. */
static bool set_end(json_t *annotations, const json_t *configuration, int64_t end) {
    return end != 0 ? fx_kube_body_set_date(annotations, UNTIL, end)
                    : view_annotation(configuration, UNTIL) == NULL ||
                          fx_kube_body_set_text(annotations, UNTIL, FX_TEXT(""));
}

static bool write_record(json_t *metadata, const json_t *configuration,
                         const json_t *remembered,
                         const struct fx_disable_request *request) {
    json_t *annotations = json_object();
    const bool ok = annotations != NULL &&
                    fx_kube_body_set_date(annotations, AT, request->now) &&
                    set_given(annotations, BY, request->by) &&
                    set_given(annotations, REASON, request->reason) &&
                    set_end(annotations, configuration, request->end) &&
                    remember_selectors(annotations, configuration, remembered) &&
                    remember_owners(annotations, configuration);
    return fx_tree_set_take(metadata, FX_TEXT("annotations"),
                            fx_tree_keep_if(ok, annotations));
}

static bool write_impossible(json_t *webhooks, const json_t *configuration) {
    const json_t *from = fx_tree_view_key(configuration, "webhooks");
    for (size_t i = 0; i < json_array_size(from); i++) {
        json_t *name = fx_tree_view_key(json_array_get(from, i), "name");
        if (!append_webhook(webhooks, name, new_impossible_selector())) {
            return false;
        }
    }
    return true;
}

/* Adds the webhooks to the body; both are consumed. NULL if not `ok`, or without memory.
 */
static json_t *complete(json_t *body_take, json_t *webhooks_take, bool ok,
                        struct fx_err *err) {
    webhooks_take = fx_tree_keep_if(ok, webhooks_take);
    ok = fx_tree_set_take(body_take, FX_TEXT("webhooks"), webhooks_take) ||
         fx_fail_nomem(err);
    return fx_tree_keep_if(ok, body_take);
}

json_t *fx_disable_apply(const json_t *configuration,
                         const struct fx_disable_request *request, struct fx_err *err) {
    if (!is_configuration(configuration, err)) {
        return NULL;
    }
    json_t *remembered = read_remembered(configuration, err);
    if (remembered == NULL && err->code != FX_ENOMEM) {
        *err = FX_ERR_INIT; /* an invalid record does not prevent disabling */
        remembered = json_object();
    }
    if (remembered == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    json_t *metadata = NULL;
    json_t *body = fx_kube_body_for(configuration, &metadata);
    json_t *webhooks = json_array();
    const bool ok = body != NULL && webhooks != NULL &&
                    write_record(metadata, configuration, remembered, request) &&
                    write_impossible(webhooks, configuration);
    json_decref(remembered);
    return complete(body, webhooks, ok, err);
}

/* ---- enabling -------------------------------------------------------------------- */

/* Whether the webhook is disabled, or restored but not handed over yet. Another selector
 * was written on purpose since, and stays. */
static bool is_ours(const json_t *webhook, const json_t *remembered) {
    const json_t *now = view_selector(webhook);
    const json_t *before = view_remembered(webhook, remembered);
    return is_impossible(now) || (before != NULL && now != NULL && fx_equal(now, before));
}

static bool write_remembered(json_t *webhooks, const json_t *configuration,
                             const json_t *remembered) {
    const json_t *from = fx_tree_view_key(configuration, "webhooks");
    for (size_t i = 0; i < json_array_size(from); i++) {
        const json_t *webhook = json_array_get(from, i);
        json_t *name = fx_tree_view_key(webhook, "name");
        if (is_ours(webhook, remembered) &&
            !append_webhook(webhooks, name, selector_before(webhook, remembered))) {
            return false;
        }
    }
    return true;
}

/* Applies the record unchanged: an apply without it would remove it. */
static bool keep_record(json_t *metadata, const json_t *configuration) {
    json_t *annotations = json_object();
    bool ok = annotations != NULL;
    for (size_t i = 0; ok && i < FX_COUNT(annotations_of_record); i++) {
        ok = fx_kube_body_share(annotations, view_annotations(configuration),
                                annotations_of_record[i]);
    }
    return fx_tree_set_take(metadata, FX_TEXT("annotations"),
                            fx_tree_keep_if(ok, annotations));
}

json_t *fx_enable_apply(const json_t *configuration, struct fx_err *err) {
    if (!is_configuration(configuration, err)) {
        return NULL;
    }
    if (view_annotation(configuration, SELECTORS) == NULL) {
        (void)fx_fail(err, FX_EINVALID, "%s",
                      any_impossible(configuration)
                          ? "it is disabled, but the record of its selectors is missing: "
                            "set the objectSelector of its webhooks by hand"
                          : "the configuration is not disabled");
        return NULL;
    }
    json_t *remembered = read_remembered(configuration, err);
    if (remembered == NULL) {
        return NULL;
    }
    json_t *metadata = NULL;
    json_t *body = fx_kube_body_for(configuration, &metadata);
    json_t *webhooks = json_array();
    const bool ok = body != NULL && webhooks != NULL &&
                    keep_record(metadata, configuration) &&
                    write_remembered(webhooks, configuration, remembered);
    json_decref(remembered);
    return complete(body, webhooks, ok, err);
}

/* ---- handing over ---------------------------------------------------------------- */

/* null removes an annotation of any field manager. */
static bool drop_record(json_t *metadata, const json_t *configuration) {
    json_t *annotations = json_object();
    bool ok = annotations != NULL;
    for (size_t i = 0; ok && i < FX_COUNT(annotations_of_record); i++) {
        const char *key = annotations_of_record[i];
        ok = view_annotation(configuration, key) == NULL ||
             fx_tree_set_take(annotations, fx_text_of(key), json_null());
    }
    return fx_tree_set_take(metadata, FX_TEXT("annotations"),
                            fx_tree_keep_if(ok, annotations));
}

json_t *fx_enable_hand_over(const json_t *configuration, struct fx_err *err) {
    json_t *metadata = NULL;
    json_t *patch = fx_kube_body_for(configuration, &metadata);
    json_t *owners = read_owners(configuration);
    const bool ok =
        patch != NULL && owners != NULL && drop_record(metadata, configuration) &&
        fx_tree_set_take(metadata, FX_TEXT("managedFields"),
                         fx_owners_give_back(configuration, owners, FX_DISABLE_MANAGER));
    json_decref(owners);
    return fx_tree_keep_if(ok || fx_fail_nomem(err), patch);
}
