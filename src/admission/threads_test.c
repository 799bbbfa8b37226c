/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/threads_test.c - reviews on several threads at once, under one snapshot and
 * with one namespace object, are answered as they are on one; and so while the snapshot
 * they began with is replaced. Meant for ThreadSanitizer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "admission/review.h"
#include "admission/review_policies.h"
#include "admission/review_texts.h"
#include "value/node_pool.h"

#define N_THREADS 4
#define N_REVIEWS 150

/* A value that a policy puts into each object, a list of which elements change, and a
 * rule of which each new snapshot finds out anew whether it is for the namespace. */
static const char policies_text[] =
    "apiVersion: mutations.gatekeeper.sh/v1\n"
    "kind: Assign\n"
    "metadata: {name: tolerations}\n"
    "spec:\n"
    "  applyTo: [{groups: [''], versions: [v1], kinds: [Pod]}]\n"
    "  match: {namespaceSelector: {matchLabels: {tier: a}}}\n"
    "  location: spec.tolerations\n"
    "  parameters: {assign: {value: [{key: k, operator: Exists}]}}\n"
    "---\n"
    "apiVersion: mutations.gatekeeper.sh/v1\n"
    "kind: Assign\n"
    "metadata: {name: pull}\n"
    "spec:\n"
    "  applyTo: [{groups: [''], versions: [v1], kinds: [Pod]}]\n"
    "  location: 'spec.containers[name: *].imagePullPolicy'\n"
    "  parameters: {assign: {value: Always}}\n"
    "---\n"
    "apiVersion: api.kubemod.io/v1beta1\n"
    "kind: ModRule\n"
    "metadata: {name: host, namespace: kubemod-system}\n"
    "spec:\n"
    "  type: Patch\n"
    "  targetNamespaceRegex: ^[m-o]$\n"
    "  match: [{select: $.kind, matchValue: Pod}]\n"
    "  patch: [{op: add, path: /spec/hostname, value: h}]\n";

static const char request_text[] = REQUEST(
    POD_KIND ",'namespace':'n','operation':'CREATE','oldObject':{'x':[1]},'object':{"
             "'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','namespace':'n'},"
             "'spec':{'containers':[{'name':'a','image':'i'},{'name':'b'}]}}");

/* What the threads share. The lock is that of the active snapshot. */
static struct {
    pthread_mutex_t lock;
    struct fx_snapshot *snapshot;
    json_t *namespace_object;
    char *request, *expected;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static enum fx_lookup find_input(void *user, const struct fx_input_key *key,
                                 json_t **ret_object, struct fx_err *err) {
    (void)user;
    (void)key;
    (void)err;
    *ret_object = json_incref(shared.namespace_object);
    return FX_LOOKUP_FOUND;
}

static struct fx_snapshot *sample(void) {
    (void)pthread_mutex_lock(&shared.lock);
    struct fx_snapshot *snapshot = fx_snapshot_ref(shared.snapshot);
    (void)pthread_mutex_unlock(&shared.lock);
    return snapshot;
}

static void replace_snapshot(void) {
    struct fx_snapshot *next = snapshot_of(policies_text);
    (void)pthread_mutex_lock(&shared.lock);
    struct fx_snapshot *old = shared.snapshot;
    shared.snapshot = next;
    (void)pthread_mutex_unlock(&shared.lock);
    fx_snapshot_unref(old);
}

/* The body of the answer, to be freed. */
static char *answer(bool partial_decode) {
    const struct fx_admission admission = {.own_namespace = "own",
                                           .partial_decode = partial_decode,
                                           .find_input = find_input};
    struct fx_snapshot *snapshot = sample();
    struct fx_review *review =
        fx_review_create(&admission, snapshot, fx_text_of(shared.request), 0);
    char *body = NULL;
    if (review != NULL && fx_review_run(review) == FX_REVIEW_DONE) {
        body = fx_buf_steal(fx_review_result(review)->body);
    }
    fx_review_destroy(review);
    fx_snapshot_unref(snapshot);
    return body;
}

/* Gives `user` back where every answer was the expected one. */
static void *run(void *user) {
    for (int i = 0; i < N_REVIEWS; i++) {
        char *body = answer(i % 3 != 0);
        if (body == NULL || strcmp(body, shared.expected) != 0) {
            user = NULL;
        }
        free(body);
    }
    return user;
}

static void test_threads(void **state) {
    (void)state;
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, run, &shared), 0);
    }
    for (int i = 0; i < 10; i++) {
        replace_snapshot();
    }
    for (int i = 0; i < N_THREADS; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_non_null(result);
    }
    assert_int_equal(shared.namespace_object->refcount, 1);
}

static int set_up(void **state) {
    (void)state;
    fx_node_pool_install();
    shared.snapshot = snapshot_of(policies_text);
    shared.namespace_object =
        json_pack("{s:s, s:s, s:{s:s, s:{s:s}}}", "apiVersion", "v1", "kind", "Namespace",
                  "metadata", "name", "n", "labels", "tier", "a");
    shared.request = with_quotes(request_text);
    shared.expected = answer(false);
    return shared.expected == NULL || strstr(shared.expected, "\"patch\"") == NULL;
}

static int tear_down(void **state) {
    (void)state;
    fx_snapshot_unref(shared.snapshot);
    json_decref(shared.namespace_object);
    free(shared.expected);
    free(shared.request);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
