/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/discovery.c - one GET, and a search in its answer.
 */
#include "kube/discovery.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value/tree.h"

#define MOST_PLURAL_BYTES 253u

struct fx_kube_discovery {
    char *group, *version, *kind;
    struct fx_kube_call *call;
    fx_kube_on_discovered *on_done;
    void *user;
};

/* ---- the answer ------------------------------------------------------------------ */

/* Can the text be the name of a resource: one segment of a path, and not a
 * subresource? */
static bool is_plural(struct fx_text name) {
    return name.len > 0 && name.len <= MOST_PLURAL_BYTES &&
           memchr(name.data, '/', name.len) == NULL &&
           memchr(name.data, '\0', name.len) == NULL;
}

bool fx_kube_discovery_read(const json_t *list, struct fx_text kind,
                            struct fx_text *ret_plural, bool *ret_is_namespaced) {
    const json_t *resources = fx_tree_view_key(list, "resources");
    for (size_t i = 0; i < json_array_size(resources); i++) {
        const json_t *resource = json_array_get(resources, i);
        const struct fx_text name = fx_tree_view_string(resource, "name");
        if (fx_text_equal(fx_tree_view_string(resource, "kind"), kind) &&
            is_plural(name)) {
            *ret_plural = name;
            *ret_is_namespaced = json_is_true(fx_tree_view_key(resource, "namespaced"));
            return true;
        }
    }
    return false;
}

/* ---- the request ----------------------------------------------------------------- */

static void destroy(struct fx_kube_discovery *discovery) {
    free(discovery->group);
    free(discovery->version);
    free(discovery->kind);
    free(discovery);
}

void fx_kube_discovery_cancel(struct fx_kube_discovery *discovery) {
    if (discovery != NULL) {
        fx_kube_call_cancel(discovery->call);
        destroy(discovery);
    }
}

static void report_result(struct fx_kube_discovery *discovery,
                          const struct fx_kube_discovered *discovered) {
    discovery->on_done(discovered, discovery->user);
    destroy(discovery);
}

/* Reports the failure. Whatever a 404 names, the version does not exist. */
static void report_failure(struct fx_kube_discovery *discovery,
                           const struct fx_kube_failure *failure) {
    struct fx_kube_failure copy = *failure;
    if (copy.reason == FX_KUBE_REASON_NOT_FOUND) {
        copy.reason = FX_KUBE_REASON_UNKNOWN;
    }
    report_result(discovery, &(struct fx_kube_discovered){.failure = &copy});
}

static void report_unknown(struct fx_kube_discovery *discovery) {
    struct fx_kube_failure failure = {.reason = FX_KUBE_REASON_UNKNOWN};
    (void)snprintf(failure.message, sizeof failure.message,
                   "%.200s%s%.200s: the server has no kind `%.200s` in this version",
                   discovery->group, discovery->group[0] == '\0' ? "" : "/",
                   discovery->version, discovery->kind);
    report_result(discovery, &(struct fx_kube_discovered){.failure = &failure});
}

static void report_resource(struct fx_kube_discovery *discovery, struct fx_text plural,
                            bool is_namespaced) {
    char name[MOST_PLURAL_BYTES + 1];
    memcpy(name, plural.data, plural.len);
    name[plural.len] = '\0';
    report_result(discovery, &(struct fx_kube_discovered){
                                 .resource = {.group = discovery->group,
                                              .version = discovery->version,
                                              .plural = name,
                                              .kind = discovery->kind},
                                 .is_namespaced = is_namespaced,
                             });
}

static void on_answer(const struct fx_kube_answer *answer, void *user) {
    struct fx_kube_discovery *discovery = user;
    struct fx_text plural;
    bool is_namespaced = false;
    discovery->call = NULL;
    if (answer->failure != NULL) {
        report_failure(discovery, answer->failure);
    } else if (fx_kube_discovery_read(answer->object, fx_text_of(discovery->kind),
                                      &plural, &is_namespaced)) {
        report_resource(discovery, plural, is_namespaced);
    } else {
        report_unknown(discovery);
    }
}

struct fx_kube_discovery *fx_kube_discovery_start(struct fx_kube_client *client,
                                                  const struct fx_kube_resource *wanted,
                                                  uint64_t timeout_ms,
                                                  fx_kube_on_discovered *on_done,
                                                  void *user) {
    struct fx_kube_discovery *discovery = calloc(1, sizeof *discovery);
    if (discovery == NULL) {
        return NULL;
    }
    *discovery = (struct fx_kube_discovery){
        .group = fx_text_dup(fx_text_of(wanted->group)),
        .version = fx_text_dup(fx_text_of(wanted->version)),
        .kind = fx_text_dup(fx_text_of(wanted->kind)),
        .on_done = on_done,
        .user = user,
    };
    const struct fx_kube_resource version_itself = {wanted->group, wanted->version, "",
                                                    ""};
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_GET,
        .resource = &version_itself,
        .timeout_ms = timeout_ms,
    };
    if (discovery->group != NULL && discovery->version != NULL &&
        discovery->kind != NULL) {
        discovery->call = fx_kube_call_start(client, &request, on_answer, discovery);
    }
    if (discovery->call == NULL) {
        destroy(discovery);
        return NULL;
    }
    return discovery;
}
