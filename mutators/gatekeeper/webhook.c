/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/webhook.c - the requests that Gatekeeper's webhooks skip (spec
 * section 8, steps 1 to 3), the check of its label, its annotations, and its paths.
 */
#include "mutators/gatekeeper/webhook.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "mutators/gatekeeper/policy.h"
#include "value/tree.h"

#define DEFAULT_OWN_NAMESPACE "gatekeeper-system"

/* ---- the label of exempt namespaces ----------------------------------------------- */

#define LABEL "admission.gatekeeper.sh/ignore"

static const char *passes(const struct fx_guard_request *request) {
    if (request->operation == FX_OPERATION_DELETE) {
        return "Delete is always allowed";
    }
    const bool is_namespace =
        request->group.len == 0 && fx_text_is(request->kind, "Namespace");
    return is_namespace ? NULL : "Not a namespace";
}

static bool is_exempt(const struct fx_exemptions *exempt, struct fx_text name) {
    for (size_t i = 0; i < exempt->n_names; i++) {
        if (fx_text_is(name, exempt->names[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < exempt->n_prefixes; i++) {
        if (fx_text_starts(name, fx_text_of(exempt->prefixes[i]))) {
            return true;
        }
    }
    for (size_t i = 0; i < exempt->n_suffixes; i++) {
        if (fx_text_ends(name, fx_text_of(exempt->suffixes[i]))) {
            return true;
        }
    }
    return false;
}

static bool has_label(const json_t *object) {
    const json_t *metadata = fx_tree_view_key(object, "metadata");
    return fx_tree_view_key(fx_tree_view_key(metadata, "labels"), LABEL) != NULL;
}

/* True for a request that only keeps the label. A write of `status` or `finalize` may
 * also contain labels, so it is checked, too. It is allowed to keep the label, because
 * the controller that empties and removes a Namespace writes both: a denial would keep
 * the Namespace for ever. */
static bool only_keeps_label(const struct fx_guard_request *request) {
    return request->subresource.len > 0 && has_label(request->object) &&
           has_label(request->old_object);
}

static bool allows(const struct fx_guard_request *request, struct fx_buf *message) {
    const json_t *metadata = fx_tree_view_key(request->object, "metadata");
    const struct fx_text name = fx_tree_view_string(metadata, "name");
    if (is_exempt(request->exempt, name)) {
        fx_buf_printf(message, "Namespace %.*s is allowed to set " LABEL,
                      FX_TEXT_ARG(name));
        return true;
    }
    if (only_keeps_label(request)) {
        fx_buf_str(message, "Namespace has the " LABEL " label already");
        return true;
    }
    if (has_label(request->object)) {
        fx_buf_str(message, "Only exempt namespace can have the " LABEL " label");
        return false;
    }
    fx_buf_str(message, "Namespace is not setting the " LABEL " label");
    return true;
}

static const struct fx_guard label_guard = {.passes = passes, .allows = allows};

/* Remove `part` from the start or the end of `text`; false if it is not there. */
static bool take_start(struct fx_text *text, struct fx_text part) {
    if (!fx_text_starts(*text, part)) {
        return false;
    }
    text->data += part.len;
    text->len -= part.len;
    return true;
}

static bool take_end(struct fx_text *text, struct fx_text part) {
    if (!fx_text_ends(*text, part)) {
        return false;
    }
    text->len -= part.len;
    return true;
}

static const char *skips_user(struct fx_text username, const char *own_namespace) {
    const char *own = own_namespace == NULL ? DEFAULT_OWN_NAMESPACE : own_namespace;
    const bool is_own = take_start(&username, FX_TEXT("system:serviceaccount:")) &&
                        take_end(&username, FX_TEXT(":gatekeeper-admin")) &&
                        fx_text_is(username, own);
    return is_own ? "Gatekeeper does not self-manage" : NULL;
}

/* Checks the name of a Config. Gatekeeper reads only the Config of one name, and refuses
 * all others. */
static bool check_config_name(const struct fx_subject *policy, struct fx_err *err) {
    if (!fx_text_is(policy->group, CONFIG_GROUP) || !fx_text_is(policy->kind, "Config") ||
        fx_text_is(policy->name, CONFIG_NAME)) {
        return true;
    }
    const json_t *metadata = fx_tree_view_key(policy->object, "metadata");
    return fx_fail_in(err, fx_tree_view_key(metadata, "name"), FX_EINVALID,
                      "config resource must have name '" CONFIG_NAME "'");
}

/* ---- the annotations of changed objects ------------------------------------------- */

#define METADATA    FX_TEXT("metadata")
#define ANNOTATIONS FX_TEXT("annotations")
#define ID_KEY      FX_TEXT("gatekeeper.sh/mutation-id")
#define LIST_KEY    FX_TEXT("gatekeeper.sh/mutations")

static int by_bytes(const void *a, const void *b) {
    const char *const *left = a;
    const char *const *right = b;
    return strcmp(*left, *right);
}

/* Returns the names of the mutators that applied, `Assign//a:7`, with the namespace
 * between the slashes. They are sorted by the whole text, so `a-b:0` comes before
 * `a:7`. */
static const char **name_all(const struct fx_snapshot *snapshot,
                             const struct fx_outcome *outcome, struct fx_arena *arena) {
    const char **names = fx_arena_alloc(arena, outcome->n_applied * sizeof *names);
    for (size_t i = 0; names != NULL && i < outcome->n_applied; i++) {
        const struct fx_mutator *mutator = snapshot->mutators[outcome->applied[i]];
        names[i] = fx_arena_printf(arena, "%s/%s/%s:%" PRId64, mutator->kind,
                                   mutator->namespace_ == NULL ? "" : mutator->namespace_,
                                   mutator->name, mutator->generation);
        if (names[i] == NULL) {
            return NULL;
        }
    }
    if (names != NULL) {
        qsort(names, outcome->n_applied, sizeof *names, by_bytes);
    }
    return names;
}

/* Returns the value of the second annotation; NULL if out of memory. */
static json_t *new_list(const struct fx_snapshot *snapshot,
                        const struct fx_outcome *outcome, struct fx_arena *arena) {
    const char **names = name_all(snapshot, outcome, arena);
    if (names == NULL) {
        return NULL;
    }
    struct fx_buf text;
    fx_buf_init(&text, 0);
    for (size_t i = 0; i < outcome->n_applied; i++) {
        fx_buf_str(&text, i == 0 ? "" : ", ");
        fx_buf_str(&text, names[i]);
    }
    json_t *list = text.failed ? NULL : fx_tree_new_string(fx_buf_view(&text));
    fx_buf_finish(&text);
    return list;
}

/* Returns the object's child of that name, writable. Makes it if it is missing or not an
 * object. */
static json_t *own_object(json_t *parent, struct fx_text key) {
    if (!json_is_object(fx_tree_view_text(parent, key)) &&
        !fx_tree_set_take(parent, key, json_object())) {
        return NULL;
    }
    return fx_tree_own_key(parent, key);
}

/* Adds the annotations `gatekeeper.sh/mutation-id` and `gatekeeper.sh/mutations`. The
 * second has the sorted `<Kind>//<name>:<generation>` of the mutators that applied in a
 * pass that changed the object. */
static bool annotate_object(const struct fx_snapshot *snapshot,
                            const struct fx_outcome *outcome, const char *mutation_id,
                            struct fx_arena *arena, json_t **root, struct fx_err *err) {
    const json_t *present = fx_tree_view_key(*root, "metadata");
    if (present != NULL && !json_is_object(present)) {
        return true;
    }
    if (fx_tree_own_root(root) == NULL) {
        return fx_fail_nomem(err);
    }
    json_t *metadata = own_object(*root, METADATA);
    json_t *annotations = metadata == NULL ? NULL : own_object(metadata, ANNOTATIONS);
    const bool ok =
        annotations != NULL &&
        fx_tree_set_take(annotations, ID_KEY,
                         fx_tree_new_string(fx_text_of(mutation_id))) &&
        fx_tree_set_take(annotations, LIST_KEY, new_list(snapshot, outcome, arena));
    return ok || fx_fail_nomem(err);
}

static const struct fx_webhook_path paths[] = {
    {.path = "/v1/admitlabel", .endpoint = FX_ENDPOINT_GUARD},
    {.path = NULL},
};

/* Groups of Gatekeeper of which Fixpoint reads no kinds. */
static const char *const reserved_groups[] = {
    "templates.gatekeeper.sh", "constraints.gatekeeper.sh", "status.gatekeeper.sh", NULL};

const struct fx_webhook fx_gatekeeper_webhook = {
    .paths = paths,
    .guard = &label_guard,
    .skips_user = skips_user,
    .reserved_message = "Not mutating gatekeeper resources",
    .reserved_groups = reserved_groups,
    .check = check_config_name,
    .annotate = annotate_object,
};
