/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/access_reviews.h - asks the API server whether a user may do
 * something (SubjectAccessReview, authorization.k8s.io/v1). Answers are kept for as long
 * as API servers keep those of a webhook authorizer: five minutes if access is allowed,
 * 30 seconds if not. Loop thread only.
 */
#ifndef FX_CLUSTER_REFERENCES_ACCESS_REVIEWS_H
#define FX_CLUSTER_REFERENCES_ACCESS_REVIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/list.h"
#include "base/macros.h"
#include "base/text.h"
#include "cluster/references/fetches.h"
#include "kube/client.h"

/* The answers. Zeroed is empty. */
struct fx_access_cache {
    struct fx_access_answer {
        uint64_t hash; /* of the spec */
        char *spec;    /* as JSON */
        json_t *status;
        uint64_t until_ns;
    } *items; /* sorted by hash and spec */
    size_t n_items, cap_items;
};

void fx_access_cache_finish(struct fx_access_cache *cache);

/* The `status` of the answer for this spec, borrowed; NULL: there is none, or it has
 * expired. */
json_t *fx_access_cache_find(const struct fx_access_cache *cache, struct fx_text spec,
                             uint64_t now_ns);

/* Stores the answer, with a new reference. If the cache is full, removes the answer that
 * expires first. Without memory, the answer is not stored. */
void fx_access_cache_put(struct fx_access_cache *cache, struct fx_text spec,
                         json_t *status, uint64_t now_ns);

struct fx_access_reviews {
    struct fx_kube_client *client;
    struct fx_list_link *first; /* in progress */
    size_t n_items;
    struct fx_access_cache cache;
};

/* Allocates nothing. The client is borrowed until fx_access_reviews_finish(). */
void fx_access_reviews_init(struct fx_access_reviews *reviews,
                            struct fx_kube_client *client);

/* Cancels all requests without calling their callbacks. Zeroed is allowed. */
void fx_access_reviews_finish(struct fx_access_reviews *reviews);

/* Starts the review of this spec. Reports the `status` of the answer, an object with
 * `allowed`; at once if it is in the cache. Failures: FX_EIO, FX_EMUTATE (the server
 * refuses the spec), FX_ENOMEM. `deadline_ns` 0: the default timeout. False without
 * memory, or if too many requests are in progress. */
bool fx_access_reviews_start(struct fx_access_reviews *reviews, json_t *spec,
                             uint64_t deadline_ns, fx_cluster_on_fetched *on_done,
                             void *user) FX_MUST_USE;

#endif
