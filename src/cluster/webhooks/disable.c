/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/webhooks/disable.c - the record in annotations, and the selector that matches
 * nothing.
 */
#include "cluster/webhooks/disable.h"

#include <string.h>

#include "base/buf.h"
#include "base/date.h"
#include "base/text.h"
#include "kube/body.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

#define FIELDS   FX_TEXT("fieldsV1")
#define WEBHOOKS FX_TEXT("f:webhooks")
#define SELECTOR FX_TEXT("f:objectSelector")

static const char *const identity[] = {"manager", "operation", "apiVersion",
                                       "subresource"};

#define PREFIX    "fixpoint.dev/disabled"
#define AT        PREFIX "-at"
#define BY        PREFIX "-by"
#define REASON    PREFIX "-reason"
#define UNTIL     PREFIX "-until"
#define SELECTORS PREFIX "-selectors"
#define OWNERS    PREFIX "-owners"

static const char *const annotations_of_record[] = {AT,    BY,        REASON,
                                                    UNTIL, SELECTORS, OWNERS};

/* ---- owners of the selectors ----------------------------------------------------- */

static json_t *view_entries(const json_t *configuration) {
    return fx_tree_view_key(fx_tree_view_key(configuration, "metadata"), "managedFields");
}

static bool is_of(const json_t *entry, const char *manager) {
    return fx_text_is(fx_tree_view_string(entry, "manager"), manager);
}

/* Writes `k:{"name":"WEBHOOK"}`. False without memory. */
static bool write_member(struct fx_buf *member, struct fx_text webhook) {
    json_t *key = json_object();
    fx_buf_init(member, 0);
    fx_buf_str(member, "k:");
    if (key != NULL && fx_kube_body_set_text(key, "name", webhook)) {
        fx_json_write(member, key, FX_JSON_COMPACT);
    } else {
        member->failed = true;
    }
    json_decref(key);
    return !member->failed;
}

static json_t *view_owned_selector(const json_t *entry, struct fx_text member) {
    const json_t *webhooks =
        fx_tree_view_text(fx_tree_view_text(entry, FIELDS), WEBHOOKS);
    return fx_tree_view_text(fx_tree_view_text(webhooks, member), SELECTOR);
}

static bool same_owner(const json_t *a, const json_t *b) {
    for (size_t i = 0; i < FX_COUNT(identity); i++) {
        if (!fx_text_equal(fx_tree_view_string(a, identity[i]),
                           fx_tree_view_string(b, identity[i]))) {
            return false;
        }
    }
    return true;
}

/* A new entry of the same owner with these fields, which it takes. NULL without
 * memory. */
static json_t *new_entry(const json_t *owner, json_t *fields_take) {
    json_t *entry = json_object();
    bool ok = entry != NULL && fields_take != NULL;
    for (size_t i = 0; ok && i < FX_COUNT(identity); i++) {
        ok = fx_kube_body_share(entry, owner, identity[i]);
    }
    ok = ok && fx_tree_set_take(entry, FIELDS, json_incref(fields_take));
    json_decref(fields_take);
    return fx_tree_keep_if(ok, entry);
}

/* ---- reading the owners ---------------------------------------------------------- */

/* False without memory. */
static bool read_webhook(const json_t *configuration, struct fx_text webhook,
                         const char *except, json_t *owners) {
    const json_t *entries = view_entries(configuration);
    struct fx_buf member;
    json_t *found = json_array();
    bool ok = write_member(&member, webhook) && found != NULL;
    for (size_t i = 0; ok && i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        json_t *selector = view_owned_selector(entry, fx_buf_view(&member));
        if (json_is_object(selector) && !is_of(entry, except)) {
            ok = fx_tree_append_take(found, new_entry(entry, json_incref(selector)));
        }
    }
    fx_buf_finish(&member);
    if (!ok || json_array_size(found) == 0) {
        json_decref(found);
        return ok;
    }
    return fx_tree_set_take(owners, webhook, found);
}

/* The owners except the manager `except`, as {"WEBHOOK":[{"manager":…,"operation":…,
 * "apiVersion":…,"fieldsV1":…}]}, with the fields below objectSelector; webhooks without
 * owners are skipped. A new tree; NULL without memory. */
static json_t *list_owners(const json_t *configuration, const char *except) {
    const json_t *webhooks = fx_tree_view_key(configuration, "webhooks");
    json_t *owners = json_object();
    bool ok = owners != NULL;
    for (size_t i = 0; ok && i < json_array_size(webhooks); i++) {
        const struct fx_text name =
            fx_tree_view_string(json_array_get(webhooks, i), "name");
        ok = name.len == 0 || read_webhook(configuration, name, except, owners);
    }
    return fx_tree_keep_if(ok, owners);
}

/* ---- giving ownership back ------------------------------------------------------- */

/* The object at the key, borrowed; created if there is none. NULL without memory. */
static json_t *get_object(json_t *object, struct fx_text key) {
    json_t *child = fx_tree_view_text(object, key);
    if (json_is_object(child)) {
        return child;
    }
    return object != NULL && fx_tree_set_take(object, key, json_object())
               ? fx_tree_view_text(object, key)
               : NULL;
}

/* The entry of the owner, borrowed; created if there is none. NULL without memory. */
static json_t *get_entry(json_t *entries, const json_t *owner) {
    for (size_t i = 0; i < json_array_size(entries); i++) {
        json_t *entry = json_array_get(entries, i);
        if (same_owner(entry, owner)) {
            return entry;
        }
    }
    json_t *entry = new_entry(owner, json_object());
    if (entry == NULL ||
        !fx_kube_body_set_text(entry, "fieldsType", FX_TEXT("FieldsV1"))) {
        json_decref(entry);
        return NULL;
    }
    return fx_tree_append_take(entries, entry) ? entry : NULL;
}

/* Checks an owner from the annotation. An edited annotation must not lead to an entry
 * that an API server would refuse. */
static bool is_valid_owner(const json_t *owner) {
    const struct fx_text operation = fx_tree_view_string(owner, "operation");
    return fx_tree_view_string(owner, "manager").len > 0 &&
           fx_tree_view_string(owner, "apiVersion").len > 0 &&
           (fx_text_is(operation, "Apply") || fx_text_is(operation, "Update")) &&
           json_is_object(fx_tree_view_text(owner, FIELDS));
}

/* False without memory. */
static bool give_to_owner(json_t *entries, const json_t *owner, struct fx_text member) {
    json_t *entry = get_entry(entries, owner);
    json_t *fields = entry == NULL ? NULL : get_object(entry, FIELDS);
    json_t *webhooks = fields == NULL ? NULL : get_object(fields, WEBHOOKS);
    json_t *webhook = webhooks == NULL ? NULL : get_object(webhooks, member);
    json_t *selector = webhook == NULL ? NULL : get_object(webhook, SELECTOR);
    json_t *given = fx_tree_deep_copy(fx_tree_view_text(owner, FIELDS));
    const bool ok = selector != NULL && given != NULL &&
                    json_object_update_missing(selector, given) == 0;
    json_decref(given);
    return ok;
}

static bool give_webhook(json_t *entries, const json_t *ours, struct fx_text webhook,
                         const json_t *owners) {
    const json_t *before = fx_tree_view_text(owners, webhook);
    struct fx_buf member;
    bool ok = write_member(&member, webhook);
    const struct fx_text key = fx_buf_view(&member);
    const bool is_ours = ok && view_owned_selector(ours, key) != NULL;
    for (size_t i = 0; is_ours && ok && i < json_array_size(before); i++) {
        const json_t *owner = json_array_get(before, i);
        ok = !is_valid_owner(owner) || give_to_owner(entries, owner, key);
    }
    fx_buf_finish(&member);
    return ok;
}

/* A copy of the entries without those of the manager; NULL without memory. */
static json_t *copy_without(const json_t *entries, const char *manager) {
    json_t *copy = json_array();
    bool ok = copy != NULL;
    for (size_t i = 0; ok && i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        ok = is_of(entry, manager) || fx_tree_append_take(copy, fx_tree_deep_copy(entry));
    }
    return fx_tree_keep_if(ok, copy);
}

/* The managedFields of the configuration without the manager `from`. The owners in
 * `owners` (from list_owners(); anything else in it is ignored) get back the parts of
 * objectSelectors that this manager owned. A new tree; never an empty list, which an API
 * server would ignore. NULL without memory. */
static json_t *give_back_owners(const json_t *configuration, const json_t *owners,
                                const char *from) {
    const json_t *webhooks = fx_tree_view_key(configuration, "webhooks");
    const json_t *entries = view_entries(configuration);
    json_t *made = copy_without(entries, from);
    bool ok = made != NULL;
    for (size_t i = 0; ok && i < json_array_size(entries); i++) {
        const json_t *ours = json_array_get(entries, i);
        for (size_t j = 0; ok && is_of(ours, from) && j < json_array_size(webhooks);
             j++) {
            ok = give_webhook(made, ours,
                              fx_tree_view_string(json_array_get(webhooks, j), "name"),
                              owners);
        }
    }
    ok = ok && (json_array_size(made) > 0 || fx_tree_append_take(made, json_object()));
    return fx_tree_keep_if(ok, made);
}

/* ---- the selector that matches no object ----------------------------------------- */

/* A selector that requires a label both to exist and not to exist. */
static json_t *new_impossible_selector(void) {
    return json_pack("{s:[{s:s, s:s}, {s:s, s:s}]}", "matchExpressions", "key", PREFIX,
                     "operator", "Exists", "key", PREFIX, "operator", "DoesNotExist");
}

/* Is it that selector, in the form that an API server returns? */
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

/* The selectors in the record; `{}` without a record. NULL if they are invalid, or
 * without memory. */
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

/* The selector with these labels. API servers before 1.21 merge the two fields of a
 * selector: there, a disable replaced only the expressions, and the labels are still
 * those of other managers. A new reference; NULL without memory. */
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

/* Appends a webhook with that name and that selector, which it consumes. */
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

/* The owners in the record; `{}` if there are none, or if the annotation is not JSON
 * (then no owner is restored). NULL without memory. */
static json_t *read_owners(const json_t *configuration) {
    const char *text = view_annotation(configuration, OWNERS);
    struct fx_err err = FX_ERR_INIT;
    json_t *owners = text == NULL ? NULL : fx_json_read(fx_text_of(text), NULL, &err);
    return owners != NULL || err.code == FX_ENOMEM ? owners : json_object();
}

/* Adds the owners of the record for webhooks that are already disabled. */
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
    json_t *owners = list_owners(configuration, FX_DISABLE_MANAGER);
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

/* Sets object[key], unless the value is NULL. */
static bool set_given(json_t *object, const char *key, const char *value) {
    return value == NULL || fx_kube_body_set_text(object, key, fx_text_of(value));
}

/* Sets the end. Without an end, sets an existing one to empty: it may also have another
 * owner, so omitting it would not remove it. */
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

/* Adds the webhooks to the body, and consumes both. NULL if not `ok`, or without
 * memory. */
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

/* Is the webhook disabled, or restored but not handed over yet? Otherwise another client
 * has written its selector since, which stays. */
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

/* Removes the record with null, which removes annotations of any field manager. */
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
                         give_back_owners(configuration, owners, FX_DISABLE_MANAGER));
    json_decref(owners);
    return fx_tree_keep_if(ok || fx_fail_nomem(err), patch);
}
