/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/fetches.h - fetches single objects of one resource for reviews that
 * wait for them. Loop thread only.
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
#include "kube/client.h"
#include "kube/object.h"

/* Reports the result, once, later, on the loop. The callee takes over the object; if it
 * is NULL, `failure` is the reason. FX_EMUTATE: the server has no such object (or refuses
 * the name); FX_EIO: the request failed, which is not a verdict; FX_ENOMEM. */
typedef void fx_cluster_on_fetched(json_t *object_take, const struct fx_err *failure,
                                   void *user);

struct fx_cluster_fetches {
    struct fx_kube_client *client;
    const struct fx_kube_resource *resource;
    struct fx_kube_type_meta type;
    struct fx_list_link *first;
    size_t n_items;
};

/* `resource` is borrowed until fx_cluster_fetches_finish(). False without memory. */
bool fx_cluster_fetches_init(struct fx_cluster_fetches *fetches,
                             struct fx_kube_client *client,
                             const struct fx_kube_resource *resource) FX_MUST_USE;

/* Cancels all requests without calling their callbacks. Zeroed is allowed. */
void fx_cluster_fetches_finish(struct fx_cluster_fetches *fetches);

/* What to fetch. Borrowed for the call. */
struct fx_cluster_fetch_request {
    struct fx_text name;
    bool metadata_only;
    uint64_t deadline_ns; /* 0: the default timeout */
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

/* Notes that the object of that name changed: answers to requests in progress may be
 * older.
 */
void fx_cluster_fetches_object_changed(struct fx_cluster_fetches *fetches,
                                       struct fx_text name);

#endif
