/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/fetches.h - fetches objects of any kind for reviews that wait for
 * them. The resource of a kind is read from the API server, and again after a while
 * (kube/discovery.h). Loop thread only.
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
#include "kube/kinds.h"

/* Reports the result, once, later, on the loop. The callee takes the value; if it is
 * NULL, `failure` is the reason. FX_EMUTATE: the server has no such object or kind (or
 * refuses the name). FX_EINVALID: the kind is namespaced, and no namespace is given.
 * FX_EIO: the request failed, which says nothing about the object. FX_ENOMEM. */
typedef void fx_cluster_on_fetched(json_t *value_take, const struct fx_err *failure,
                                   void *user);

/* Converts the failure of a request to such an error. */
void fx_cluster_fetch_error(const struct fx_kube_failure *failure, struct fx_err *err);

struct fx_cluster_fetches {
    struct fx_kube_client *client;
    struct fx_list_link *first; /* in progress */
    size_t n_items;
    struct fx_kube_kinds kinds; /* whose resource is known */
};

/* Allocates nothing. The client is borrowed until fx_cluster_fetches_finish(). */
void fx_cluster_fetches_init(struct fx_cluster_fetches *fetches,
                             struct fx_kube_client *client);

/* Cancels all requests without calling their callbacks. Zeroed is allowed. */
void fx_cluster_fetches_finish(struct fx_cluster_fetches *fetches);

/* The object to fetch. Borrowed for the call. */
struct fx_cluster_fetch_request {
    /* The key of an object. With `labels_only`, only its metadata is fetched. */
    const struct fx_input_key *key;
    uint64_t deadline_ns; /* 0: the default timeout */
    /* Converts the object to the reported one: returns a new reference, or NULL without
     * memory. `convert` NULL: the object itself is reported, after
     * fx_kube_object_strip(). `is_current`: no change of the object was reported since
     * the request started. */
    json_t *(*convert)(json_t *object, bool is_current, void *converter);
    void *converter;
    fx_cluster_on_fetched *on_done;
    void *user;
};

/* Starts a request. False without memory, or if too many are in progress. */
bool fx_cluster_fetches_start(struct fx_cluster_fetches *fetches,
                              const struct fx_cluster_fetch_request *request) FX_MUST_USE;

/* Reports that an object with that name changed: answers to requests in progress may be
 * older. */
void fx_cluster_fetches_object_changed(struct fx_cluster_fetches *fetches,
                                       struct fx_text name);

#endif
