/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/bench/review_cost.c - runs one review many times, from bytes to bytes and without
 * a network, for callgrind. The cost of a review is the difference of the costs of two
 * runs, divided by the difference of their counts.
 *
 *     review-cost policies.yaml review.json 200
 *
 * prints the answer of the last review.
 */
#include <stdio.h>
#include <stdlib.h>

#include "admission/review.h"
#include "base/file.h"
#include "base/limits.h"
#include "policy/policies.h"
#include "value/node_pool.h"

static void give_up(const char *what, const struct fx_err *err) {
    (void)fprintf(stderr, "review-cost: %s: %s\n", what, err->msg);
    exit(1);
}

static struct fx_text read_file(const char *path, struct fx_buf *bytes) {
    struct fx_err err = FX_ERR_INIT;
    fx_buf_init(bytes, 0);
    if (!fx_file_read(path, FX_LIMIT_BODY_BYTES, bytes, &err)) {
        give_up(path, &err);
    }
    return (struct fx_text){bytes->data, bytes->len};
}

static struct fx_policies *build(const char *path) {
    struct fx_buf bytes;
    struct fx_err err = FX_ERR_INIT;
    struct fx_policies *policies = NULL;
    const struct fx_policy_input input = {.file = path, .text = read_file(path, &bytes)};
    if (!fx_policies_build(&input, 1, NULL, 1, &policies, &err)) {
        give_up(path, &err);
    }
    fx_buf_finish(&bytes);
    return policies;
}

static void review(const struct fx_admission *admission, struct fx_snapshot *snapshot,
                   struct fx_text text, bool is_told) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_review *review = fx_review_create(admission, snapshot, text, 0);
    if (review == NULL || fx_review_run(review) != FX_REVIEW_DONE) {
        (void)fx_fail(&err, FX_EINVALID, "no memory, or it waits for somebody");
        give_up("the review", &err);
    }
    if (is_told) {
        const struct fx_buf *body = fx_review_result(review)->body;
        (void)printf("%.*s\n", (int)body->len, body->data);
    }
    fx_review_destroy(review);
}

static enum fx_lookup find_input(void *user, const struct fx_input_key *key,
                                 json_t **ret_object, struct fx_err *err) {
    const struct fx_policies *policies = user;
    *ret_object = fx_namespaces_find(&policies->namespaces, key->name);
    if (*ret_object == NULL) {
        (void)fx_fail_nomem(err);
        return FX_LOOKUP_FAILED;
    }
    return FX_LOOKUP_FOUND;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        (void)fprintf(stderr, "usage: review-cost POLICIES REVIEW TIMES\n");
        return 2;
    }
    struct fx_buf bytes;
    struct fx_policies *policies = build(argv[1]);
    const struct fx_text text = read_file(argv[2], &bytes);
    const struct fx_admission admission = {
        .collects_stats = true,
        .partial_decode = true,
        .own_namespace = "fixpoint",
        .find_input = find_input,
        .user = policies,
    };
    const long times = strtol(argv[3], NULL, 10);
    fx_node_pool_install();
    for (long i = 1; i <= times; i++) {
        review(&admission, policies->snapshot, text, i == times);
    }
    fx_buf_finish(&bytes);
    fx_policies_unref(policies);
    return 0;
}
