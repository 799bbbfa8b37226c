/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/access_reviews.c - requests in progress, and a sorted array of
 * answers.
 */
#include "cluster/references/access_reviews.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "kube/backoff.h"
#include "kube/body.h"
#include "value/json.h"
#include "value/tree.h"

#define NS_IN_S    UINT64_C(1000000000)
#define ALLOWED_NS (300 * NS_IN_S)
#define DENIED_NS  (30 * NS_IN_S)

static const struct fx_kube_resource resource = {
    "authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview"};

/* ---- answers --------------------------------------------------------------------- */

struct answer_key {
    uint64_t hash;
    struct fx_text spec;
};

static struct answer_key key_of(struct fx_text spec) {
    return (struct answer_key){fx_hash_text(FX_HASH_START, spec), spec};
}

static int compare_answers(const void *key, const void *item) {
    const struct answer_key *wanted = key;
    const struct fx_access_answer *answer = item;
    return wanted->hash != answer->hash
               ? (wanted->hash < answer->hash ? -1 : 1)
               : fx_text_compare(wanted->spec, fx_text_of(answer->spec));
}

static size_t find_index(const struct fx_access_cache *cache,
                         const struct answer_key *key, bool *ret_found) {
    return fx_sorted_find(cache->items, cache->n_items, sizeof *cache->items, key,
                          compare_answers, ret_found);
}

static void drop(struct fx_access_answer *answer) {
    free(answer->spec);
    json_decref(answer->status);
}

static void remove_at(struct fx_access_cache *cache, size_t at) {
    drop(&cache->items[at]);
    FX_SORTED_REMOVE(cache->items, cache->n_items, at);
}

static void remove_first_to_end(struct fx_access_cache *cache) {
    size_t first = 0;
    for (size_t i = 1; i < cache->n_items; i++) {
        if (cache->items[i].until_ns < cache->items[first].until_ns) {
            first = i;
        }
    }
    remove_at(cache, first);
}

json_t *fx_access_cache_find(const struct fx_access_cache *cache, struct fx_text spec,
                             uint64_t now_ns) {
    const struct answer_key key = key_of(spec);
    bool found = false;
    const size_t at = find_index(cache, &key, &found);
    return found && now_ns < cache->items[at].until_ns ? cache->items[at].status : NULL;
}

void fx_access_cache_put(struct fx_access_cache *cache, struct fx_text spec,
                         json_t *status, uint64_t now_ns) {
    const struct answer_key key = key_of(spec);
    const bool allowed = json_is_true(fx_tree_view_key(status, "allowed"));
    bool found = false;
    size_t at = find_index(cache, &key, &found);
    if (found) {
        remove_at(cache, at);
    } else if (cache->n_items == FX_LIMIT_ACCESS_ANSWERS) {
        remove_first_to_end(cache);
    }
    char *copy = fx_text_dup(spec);
    if (copy == NULL || !FX_VEC_GROW(cache->items, cache->n_items, cache->cap_items)) {
        free(copy);
        return;
    }
    at = find_index(cache, &key, &found);
    FX_SORTED_INSERT(cache->items, cache->n_items, at);
    cache->items[at] = (struct fx_access_answer){
        .hash = key.hash,
        .spec = copy,
        .status = json_incref(status),
        .until_ns = now_ns + (allowed ? ALLOWED_NS : DENIED_NS),
    };
}

void fx_access_cache_finish(struct fx_access_cache *cache) {
    for (size_t i = 0; i < cache->n_items; i++) {
        drop(&cache->items[i]);
    }
    free(cache->items);
    *cache = (struct fx_access_cache){0};
}

/* ---- requests -------------------------------------------------------------------- */

struct access_review {
    struct fx_list_link link; /* of `reviews->first` */
    struct fx_access_reviews *reviews;
    struct fx_buf spec;
    struct fx_kube_call *call;
    fx_cluster_on_fetched *on_done;
    void *user;
};

static void destroy(struct access_review *review) {
    fx_buf_finish(&review->spec);
    free(review);
}

static struct fx_text spec_of(const struct access_review *review) {
    return (struct fx_text){review->spec.data, review->spec.len};
}

/* The status of the answer, a new reference; NULL and an error if there is none. */
static json_t *read_answer(const struct fx_kube_answer *answer, struct fx_err *err) {
    if (answer->failure != NULL) {
        fx_cluster_fetch_error(answer->failure, err);
        return NULL;
    }
    json_t *status = fx_tree_view_key(answer->object, "status");
    if (!json_is_boolean(fx_tree_view_key(status, "allowed"))) {
        (void)fx_fail(err, FX_EIO,
                      "create subjectaccessreviews.authorization.k8s.io: the answer has "
                      "no status");
        return NULL;
    }
    return json_incref(status);
}

static void on_answer(const struct fx_kube_answer *answer, void *user) {
    struct access_review *review = user;
    struct fx_access_reviews *reviews = review->reviews;
    struct fx_err err = FX_ERR_INIT;
    json_t *status = read_answer(answer, &err);
    if (status != NULL) {
        fx_access_cache_put(&reviews->cache, spec_of(review), status, fx_clock_ns());
    }
    fx_list_remove(&reviews->first, &review->link);
    reviews->n_items--;
    review->on_done(status, status == NULL ? &err : NULL, review->user);
    destroy(review);
}

/* False without memory. */
static bool send_review(struct access_review *review, json_t *spec,
                        uint64_t deadline_ns) {
    struct fx_access_reviews *reviews = review->reviews;
    json_t *body = json_object();
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_CREATE,
        .resource = &resource,
        .body = body,
        .timeout_ms =
            deadline_ns == 0 ? FX_LIMIT_REVIEW_MS : fx_timeout_until(deadline_ns),
    };
    const bool made = body != NULL && fx_kube_body_set_type(body, &resource) &&
                      fx_tree_set_take(body, FX_TEXT("spec"), json_incref(spec));
    if (made) {
        review->call = fx_kube_call_start(reviews->client, &request, on_answer, review);
    }
    json_decref(body);
    return review->call != NULL;
}

static struct access_review *create(struct fx_access_reviews *reviews,
                                    const struct fx_buf *spec_take) {
    struct access_review *review =
        reviews->n_items < FX_LIMIT_OBJECT_FETCHES ? calloc(1, sizeof *review) : NULL;
    if (review != NULL) {
        review->reviews = reviews;
        review->spec = *spec_take;
    }
    return review;
}

bool fx_access_reviews_start(struct fx_access_reviews *reviews, json_t *spec,
                             uint64_t deadline_ns, fx_cluster_on_fetched *on_done,
                             void *user) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_json_write(&text, spec, FX_JSON_COMPACT);
    json_t *status =
        text.failed
            ? NULL
            : fx_access_cache_find(&reviews->cache, (struct fx_text){text.data, text.len},
                                   fx_clock_ns());
    struct access_review *review =
        text.failed || status != NULL ? NULL : create(reviews, &text);
    if (review == NULL) {
        fx_buf_finish(&text);
        if (status != NULL) {
            on_done(json_incref(status), NULL, user);
        }
        return status != NULL;
    }
    review->on_done = on_done;
    review->user = user;
    if (!send_review(review, spec, deadline_ns)) {
        destroy(review);
        return false;
    }
    fx_list_add(&reviews->first, &review->link);
    reviews->n_items++;
    return true;
}

void fx_access_reviews_init(struct fx_access_reviews *reviews,
                            struct fx_kube_client *client) {
    *reviews = (struct fx_access_reviews){.client = client};
}

void fx_access_reviews_finish(struct fx_access_reviews *reviews) {
    for (struct fx_list_link *link = fx_list_pop(&reviews->first); link != NULL;
         link = fx_list_pop(&reviews->first)) {
        struct access_review *review = (struct access_review *)link;
        fx_kube_call_cancel(review->call);
        destroy(review);
    }
    fx_access_cache_finish(&reviews->cache);
    *reviews = (struct fx_access_reviews){.client = NULL};
}
