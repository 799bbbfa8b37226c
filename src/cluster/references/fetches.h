/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/fetches.h - fetches objects of any kind for reviews that wait for
 * them. Which resource has a kind is read from the API server once, and again after a
 * while (kube/discovery.h). Loop thread only.
 */
#ifndef FX_CLUSTER_REFERENCES_FETCHES_H
#define FX_CLUSTER_REFERENCES_FETCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "base/list.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/input.h"
#include "kube/client.h"

/* Reports the result, once, later, on the loop. The callee takes over the value; if it is
 * NULL, `failure` is the reason. FX_EMUTATE: the server has no such object or kind (or
 * refuses the name); FX_EINVALID: the kind is namespaced, and no namespace is given;
 * FX_EIO: the request failed, which is not a verdict; FX_ENOMEM. */
typedef void fx_cluster_on_fetched(json_t *value_take, const struct fx_err *failure,
                                   void *user);

/* The failure of a request as such an error. */
void fx_cluster_fetch_error(const struct fx_kube_failure *failure, struct fx_err *err);

struct fx_cluster_fetches {
    struct fx_kube_client *client;
    struct fx_list_link *first; /* in progress */
    size_t n_items;
    /* Kinds whose resource is known, the oldest first. */
    struct fx_fetched_kind {
        char *texts; /* of the resource; its own */
        struct fx_kube_resource resource;
        bool is_namespaced;
        uint64_t until_ns; /* then it is read again */
    } *kinds;
    size_t n_kinds, cap_kinds;
};

/* Allocates nothing. The client is borrowed until fx_cluster_fetches_finish(). */
void fx_cluster_fetches_init(struct fx_cluster_fetches *fetches,
                             struct fx_kube_client *client);

/* Cancels all requests without calling their callbacks. Zeroed is allowed. */
void fx_cluster_fetches_finish(struct fx_cluster_fetches *fetches);

/* What to fetch. Borrowed for the call. */
struct fx_cluster_fetch_request {
    const struct fx_input_key *key; /* of an object; `labels_only`: its metadata */
    uint64_t deadline_ns;           /* 0: the default timeout */
    /* Converts the object to the one that is reported (a new reference; NULL: no memory).
     * NULL: the object itself is reported, after fx_kube_object_strip(). `is_current`: no
     * change of the object was noted since the request started. */
    json_t *(*convert)(json_t *object, bool is_current, void *converter);
    void *converter;
    fx_cluster_on_fetched *on_done;
    void *user;
};

/* Starts a request. False without memory, or if too many are in progress. */
bool fx_cluster_fetches_start(struct fx_cluster_fetches *fetches,
                              const struct fx_cluster_fetch_request *request) FX_MUST_USE;

/* Notes that an object of that name changed: answers to requests in progress may be
 * older. */
void fx_cluster_fetches_object_changed(struct fx_cluster_fetches *fetches,
                                       struct fx_text name);

#endif
