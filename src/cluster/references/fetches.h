/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/fetches.h - single objects of one resource that reviews wait for,
 * asked of the API server. Loop thread only.
 */
#ifndef FX_CLUSTER_REFERENCES_FETCHES_H
#define FX_CLUSTER_REFERENCES_FETCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "kube/client.h"
#include "kube/object.h"

/* How what was asked for is told: once, later, on the loop. The object is to be taken
 * over; NULL: why there is none. FX_EMUTATE: the server has none (or no name for one);
 * FX_EIO: it could not be asked, and that is no verdict; FX_ENOMEM. */
typedef void fx_cluster_on_fetched(json_t *object_take, const struct fx_err *failure,
                                   void *user);

struct fx_cluster_fetches {
    struct fx_kube_client *client;
    const struct fx_kube_resource *resource;
    struct fx_kube_type_meta kind;
    struct fx_cluster_fetch *first;
    size_t n_items;
};

/* The resource is borrowed until the end. False without memory. */
bool fx_cluster_fetches_init(struct fx_cluster_fetches *fetches,
                             struct fx_kube_client *client,
                             const struct fx_kube_resource *resource) FX_MUST_USE;

/* Cancels what is under way, which is not told any more. Zeroed is fine. */
void fx_cluster_fetches_finish(struct fx_cluster_fetches *fetches);

/* What to ask for; borrowed for the call. */
struct fx_cluster_fetch_request {
    struct fx_text name;
    bool metadata_only;
    uint64_t deadline_ns; /* 0: none of its own */
    /* Makes of the object what is told (a new reference; NULL: no memory), or NULL: it is
     * told itself, without what nobody reads (fx_kube_object_strip()). `is_current`: no
     * change of it has been told of since it was asked for. */
    json_t *(*read)(json_t *object, bool is_current, void *reader);
    void *reader;
    fx_cluster_on_fetched *on_done;
    void *user;
};

/* Asks. False without memory, or where too many are asked for already. */
bool fx_cluster_fetches_start(struct fx_cluster_fetches *fetches,
                              const struct fx_cluster_fetch_request *order) FX_MUST_USE;

/* The object of that name has changed: what comes of it may be older. */
void fx_cluster_fetches_object_changed(struct fx_cluster_fetches *fetches,
                                       struct fx_text name);

#endif
