/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/partial_decode_test.c - what no policy reads of a review makes no difference:
 * with it and without it, what a real API server sent is answered with the same bytes.
 * What a policy does read is there, and where a part is not enough, the whole is read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "admission/review.h"
#include "admission/review_policies.h"
#include "base/file.h"
#include "base/limits.h"

#define RECORDINGS FX_SOURCE_DIR "/tests/recordings/admission"

/* Acts on whatever has labels or can have them. */
static const char plain[] = "apiVersion: mutations.gatekeeper.sh/v1\n"
                            "kind: AssignMetadata\n"
                            "metadata: {name: owner}\n"
                            "spec:\n"
                            "  location: metadata.labels.owner\n"
                            "  parameters: {assign: {value: me}}\n";

/* The same, where the manager `x` owns fields of the object. */
static const char conditional[] =
    "apiVersion: mutations.fixpoint.dev/v1alpha1\n"
    "kind: AssignMetadata\n"
    "metadata: {name: owner}\n"
    "spec:\n"
    "  location: metadata.labels.owner\n"
    "  conditions:\n"
    "  - {location: 'metadata.managedFields[manager: x].operation', operator: Exists}\n"
    "  parameters: {assign: {value: me}}\n";

/* Copies from there. */
static const char copying[] = "apiVersion: mutations.fixpoint.dev/v1alpha1\n"
                              "kind: AssignMetadata\n"
                              "metadata: {name: owner}\n"
                              "spec:\n"
                              "  location: metadata.labels.owner\n"
                              "  parameters: {assign: {fromObject: "
                              "'metadata.managedFields[manager: x].manager'}}\n";

/* Reviews the text; appends the answer. */
static enum fx_decision answer(struct fx_snapshot *snapshot, struct fx_text text,
                               bool partial_decode, struct fx_buf *ret_body) {
    const struct fx_admission admission = {.own_namespace = "own",
                                           .partial_decode = partial_decode};
    struct fx_review *review = fx_review_create(&admission, snapshot, text, 0);
    assert_non_null(review);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    const struct fx_review_result *result = fx_review_result(review);
    const enum fx_decision decision = result->decision;
    fx_buf_add(ret_body, result->body->data, result->body->len);
    fx_review_destroy(review);
    return decision;
}

/* The decision on one recording, which is the same either way. */
static enum fx_decision review(struct fx_snapshot *snapshot, const char *path) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf bytes, whole, part;
    fx_buf_init(&bytes, 0);
    fx_buf_init(&whole, 0);
    fx_buf_init(&part, 0);
    assert_true(fx_file_read(path, FX_LIMIT_BODY_BYTES, &bytes, &err));
    const struct fx_text text = fx_buf_view(&bytes);
    const enum fx_decision decision = answer(snapshot, text, false, &whole);
    assert_int_equal(answer(snapshot, text, true, &part), decision);
    assert_int_equal(whole.len, part.len);
    assert_memory_equal(whole.data, part.data, whole.len);
    fx_buf_finish(&bytes);
    fx_buf_finish(&whole);
    fx_buf_finish(&part);
    return decision;
}

/* How many of the recordings are mutated under the policies. */
static size_t count_mutated(const char *policies) {
    struct fx_snapshot *snapshot = snapshot_of(policies);
    struct fx_file_list files = {0};
    struct fx_err err = FX_ERR_INIT;
    size_t n_mutated = 0;
    assert_true(fx_file_list_add(&files, RECORDINGS, &err));
    for (size_t i = 0; i < files.n_paths; i++) {
        n_mutated += review(snapshot, files.paths[i]) == FX_DECISION_MUTATED;
    }
    assert_true(files.n_paths >= 30);
    fx_file_list_finish(&files);
    fx_snapshot_unref(snapshot);
    return n_mutated;
}

static void test_recordings(void **state) {
    (void)state;
    const size_t n_all = count_mutated(plain);
    const size_t n_owned = count_mutated(conditional);
    assert_true(n_all > n_owned && n_owned > 0);
    assert_int_equal(count_mutated(copying), n_owned);
}

/* What is wanted of the object by policies with these locations. */
static const struct {
    const char *location, *path; /* the keys, with blanks between them */
    bool wanted;
} lookups[] = {
    {"spec.a.b", "kind", true},
    {"spec.a.b", "metadata generateName", true},
    {"spec.a.b", "metadata labels x", true},
    {"spec.a.b", "metadata managedFields", false},
    {"spec.a.b", "metadata ownerReferences", false},
    {"spec.a.b", "status", false},
    {"spec.a.b", "spec a b c", true},
    {"spec.a.b", "spec a c", false},
    {"spec.a.b", "spec b", false},
    {"spec.l[k: v].f", "spec l k", true},
    {"spec.l[k: v].f", "spec l f g", true},
    {"spec.l[k: v].f", "spec l name", true}, /* aligns lists */
    {"spec.l[k: v].f", "spec l g", false},
    {"spec.l[k: *].m[name: *].f", "spec l m f", true},
    {"spec.l[k: *].m[name: *].f", "spec l m g", false},
    {"spec.l[k: *].m[name: *].f", "spec l f", false},
    {"spec.l[k: v]", "spec l g", true},
};

static bool wants(const struct fx_json_part *part, const char *path) {
    while (part->omits_rest && *path != '\0') {
        const size_t len = strcspn(path, " ");
        part = fx_json_part_find(part, (struct fx_text){path, len});
        if (part == NULL) {
            return false;
        }
        path += len + (path[len] == ' ');
    }
    return true;
}

static void test_wishes(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(lookups); i++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "apiVersion: mutations.gatekeeper.sh/v1\nkind: Assign\n"
                       "metadata: {name: a}\nspec:\n"
                       "  applyTo: [{groups: [''], versions: [v1], kinds: [Pod]}]\n"
                       "  location: '%s'\n"
                       "  parameters: {assign: {value: {k: v}}}\n",
                       lookups[i].location);
        struct fx_snapshot *snapshot = snapshot_of(text);
        assert_int_equal(wants(&snapshot->reads, lookups[i].path), lookups[i].wanted);
        fx_snapshot_unref(snapshot);
    }
}

#define POD(spec)                                                                       \
    "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":" \
    "{\"uid\":\"u\",\"operation\":\"CREATE\",\"object\":{\"apiVersion\":\"v1\","        \
    "\"kind\":"                                                                         \
    "\"Pod\",\"metadata\":{\"name\":\"p\"},\"spec\":" spec "}}}"

/* A port that gets another name is another port: it is replaced, with what it had. A list
 * where an object should be fails, in words that quote it. */
static const struct {
    const char *review, *expected; /* in the answer */
    enum fx_decision decision;
} returns[] = {
    {POD("{\"ports\":[{\"containerPort\":80,\"name\":\"http\",\"protocol\":\"TCP\"}]}"),
     "\"patch\":\"", FX_DECISION_MUTATED},
    {POD("{\"ports\":{\"containerPort\":80,\"protocol\":\"TCP\"}}"), "\"allowed\":false",
     FX_DECISION_FAILED},
    {POD("{\"ports\":[7,{\"containerPort\":80,\"protocol\":\"TCP\"}]}"), "\"patch\":\"",
     FX_DECISION_MUTATED},
};

/* The id of a mutation is another each time. */
static void blank_id(const struct fx_buf *body) {
    char *id = strstr(body->data, "mutation ");
    if (id != NULL) {
        memset(id + strlen("mutation "), '-', 36);
    }
}

static void test_return_to_the_whole(void **state) {
    (void)state;
    struct fx_snapshot *snapshot =
        snapshot_of("apiVersion: mutations.gatekeeper.sh/v1\nkind: Assign\n"
                    "metadata: {name: a}\nspec:\n"
                    "  applyTo: [{groups: [''], versions: [v1], kinds: [Pod]}]\n"
                    "  location: 'spec.ports[containerPort: 80].name'\n"
                    "  parameters: {assign: {value: web}}\n");
    for (size_t i = 0; i < FX_COUNT(returns); i++) {
        const struct fx_text text = fx_text_of(returns[i].review);
        struct fx_buf whole, part;
        fx_buf_init(&whole, 0);
        fx_buf_init(&part, 0);
        assert_int_equal(answer(snapshot, text, false, &whole), returns[i].decision);
        assert_int_equal(answer(snapshot, text, true, &part), returns[i].decision);
        assert_non_null(strstr(whole.data, returns[i].expected));
        blank_id(&whole);
        blank_id(&part);
        assert_string_equal(whole.data, part.data);
        fx_buf_finish(&whole);
        fx_buf_finish(&part);
    }
    fx_snapshot_unref(snapshot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recordings),
        cmocka_unit_test(test_wishes),
        cmocka_unit_test(test_return_to_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
