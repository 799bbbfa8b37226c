/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/webhook.c - which requests and objects Gatekeeper's webhooks let
 * through unchanged (spec section 8, steps 1 to 3), and its paths.
 */
#include "mutators/gatekeeper/webhook.h"

#include "base/macros.h"
#include "mutators/gatekeeper/policy.h"
#include "value/tree.h"

#define DEFAULT_OWN_NAMESPACE "gatekeeper-system"

/* Takes `part` off the front or the back of `text`; false where it is not there. */
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

/* Gatekeeper reads the one Config called so, and lets its users store no other. */
static bool check(const struct fx_subject *policy, struct fx_err *err) {
    if (!fx_text_is(policy->group, CONFIG_GROUP) || !fx_text_is(policy->kind, "Config") ||
        fx_text_is(policy->name, CONFIG_NAME)) {
        return true;
    }
    const json_t *metadata = fx_tree_view_key(policy->object, "metadata");
    return fx_fail_in(err, fx_tree_view_key(metadata, "name"), FX_EINVALID,
                      "config resource must have name '" CONFIG_NAME "'");
}

static const struct fx_webhook_path paths[] = {
    {"/v1/admitlabel", FX_ENDPOINT_GUARD},
    {.path = NULL},
};

/* Gatekeeper's groups that have none of the kinds. */
static const char *const reserved_groups[] = {
    "templates.gatekeeper.sh", "constraints.gatekeeper.sh", "status.gatekeeper.sh", NULL};

const struct fx_webhook fx_gatekeeper_webhook = {
    .paths = paths,
    .guard = &fx_label_guard,
    .skips_user = skips_user,
    .reserved_message = "Not mutating gatekeeper resources",
    .reserved_groups = reserved_groups,
    .check = check,
    .annotate = fx_annotate,
};
