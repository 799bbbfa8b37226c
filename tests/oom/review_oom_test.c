/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/review_oom_test.c - policies of our own group, and whole reviews with their
 * pauses under them: read in part and starting over, with a namespace that comes later,
 * with answers of a provider. Every allocation is refused in turn: each ends in 503 or as
 * without a refusal, the next one ends as it should, and nothing is left behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "admission/review.h"
#include "base/file.h"
#include "base/limits.h"
#include "policy/policies.h"
#include "refuse.h"
#include "value/json.h"

#define RUNS_MAX 100000 /* no run needs that many allocations */
#define PAUSES   4      /* no review makes more */

static struct fx_buf text; /* of the policies */
static struct fx_policies *policies;

static struct fx_policies *build(const struct fx_policies *previous) {
    const struct fx_policy_input input = {.file = "own.yaml",
                                          .text = {text.data, text.len}};
    struct fx_policies *made = NULL;
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_policies_build(&input, 1, previous, 1, &made, &err);
    assert_true(ok || (made == NULL && err.code == FX_ENOMEM));
    return made;
}

static int build_policies(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    fx_buf_init(&text, 0);
    assert_true(fx_file_read(FX_SOURCE_DIR "/tests/oom/own.yaml",
                             FX_LIMIT_POLICY_FILE_BYTES, &text, &err));
    policies = build(NULL);
    assert_non_null(policies);
    assert_int_equal(policies->findings.n_items, 0);
    assert_int_equal(policies->snapshot->n_mutators, 9);
    return 0;
}

static int forget_policies(void **state) {
    (void)state;
    fx_policies_unref(policies);
    fx_buf_finish(&text);
    return 0;
}

/* Beside those in force, and from nothing. */
static void refuse_builds(const struct fx_policies *previous, bool ever_after) {
    const long live = refuse_live();
    long n = 0;
    for (bool refused = true; refused; n++) {
        assert_true(n < RUNS_MAX);
        refuse_from(n, ever_after);
        struct fx_policies *made = build(previous);
        refused = refuse_stop();
        assert_int_equal(made == NULL, refused);
        fx_policies_unref(made);
        assert_int_equal(refuse_live(), live);
    }
    assert_true(n > 300); /* it was tried at all */
}

static void test_builds(void **state) {
    (void)state;
    refuse_builds(NULL, false);
    refuse_builds(NULL, true);
    refuse_builds(policies, false);
    refuse_builds(policies, true);
}

/* ---- reviews --------------------------------------------------------------------- */

#define POD(namespace, more)                                                            \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\","             \
    "\"namespace\":\"" namespace "\",\"annotations\":{\"mutate\":\"yes\"},"             \
                                 "\"managedFields\":[{\"manager\":\"m\","               \
                                 "\"fieldsV1\":{\"f:spec\":{}}}]},\"spec\":{"           \
                                 "\"volumes\":[{\"name\":\"v\"}],"                      \
                                 "\"containers\":[{\"name\":\"web\",\"image\":\"nginx:" \
                                 "1\",\"args\":[\"--debug\","                           \
                                 "\"--x\"],\"env\":[{\"name\":\"CONTAINER\",\"value\":" \
                                 "\"?\"}]},{\"name\":"                                  \
                                 "\"proxy\",\"image\":\"envoy\",\"ports\":[{"           \
                                 "\"containerPort\":1}]}]" more "}}"
#define REVIEW(operation, namespace, object, old)                                       \
    "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":" \
    "{\"uid\":\"u\",\"operation\":\"" operation                                         \
    "\",\"namespace\":\"" namespace "\",\"name\":\"p\",\"kind\":{\"group\":\"\","       \
                                    "\"version\":\"v1\",\"kind\":\"Pod\"},"             \
                                    "\"userInfo\":{\"username\":\"me\"},\"options\":{"  \
                                    "\"a\":[1,2]},\"object\":" object                   \
                                    ",\"oldObject\":" old "}}"

#define VALUE(key) "{\"key\":\"" key "\",\"value\":\"given\"}"
#define ANSWER(items)                                                  \
    "{\"apiVersion\":\"externaldata.gatekeeper.sh/v1beta1\",\"kind\":" \
    "\"ProviderResponse\",\"response\":{\"idempotent\":true,\"items\":[" items "]}}"

static const struct journey {
    const char *name, *body;
    const char *answer; /* of the provider; NULL: it cannot be reached */
    enum fx_decision decision;
} journeys[] = {
    {"create", REVIEW("CREATE", "red", POD("red", ""), "null"), NULL,
     FX_DECISION_MUTATED},
    {"update", REVIEW("UPDATE", "red", POD("red", ""), POD("red", "")), NULL,
     FX_DECISION_MUTATED},
    {"delete", REVIEW("DELETE", "red", "null", POD("red", "")), NULL,
     FX_DECISION_SKIPPED},
    {"no namespace", REVIEW("CREATE", "gone", POD("gone", ""), "null"), NULL,
     FX_DECISION_FAILED},
    {"more fields",
     REVIEW("CREATE", "red", POD("red", ",\"hostNetwork\":false,\"x\":1"), "null"), NULL,
     FX_DECISION_MUTATED},
    {"asks",
     REVIEW("CREATE", "asking",
            POD("asking", ",\"schedulerName\":\"s\",\"nodeName\":\"n\""), "null"),
     ANSWER(VALUE("s") "," VALUE("n")), FX_DECISION_MUTATED},
    {"asks in part",
     REVIEW("CREATE", "asking", POD("asking", ",\"nodeName\":\"n\""), "null"), ANSWER(""),
     FX_DECISION_FAILED},
    {"asks in vain",
     REVIEW("CREATE", "asking", POD("asking", ",\"schedulerName\":\"s\""), "null"), NULL,
     FX_DECISION_FAILED},
    {"cut", "{\"kind\":\"AdmissionReview\",\"request\":{\"object\":{\"spec\":[1,2", NULL,
     FX_DECISION_REFUSED},
};

/* Every namespace is to be asked for. */
static enum fx_lookup find_later(void *user, const struct fx_input_key *key,
                                 json_t **ret_object, struct fx_err *err) {
    (void)user;
    (void)key;
    (void)ret_object;
    (void)err;
    return FX_LOOKUP_WAIT;
}

static const struct fx_admission admissions[] = {
    {.own_namespace = "own", .find_input = find_later},
    {.own_namespace = "own", .find_input = find_later, .partial_decode = true},
    {.own_namespace = "own",
     .find_input = find_later,
     .partial_decode = true,
     .annotates = true,
     .reports_passes = true,
     .collects_stats = true},
};

/* ---- the others' part, who have memory ------------------------------------------- */

static void give_namespace(struct fx_input_entry *entry) {
    struct fx_err failure = FX_ERR_INIT;
    refuse_pause();
    const struct fx_text name = entry->key.name;
    if (fx_text_is(name, "gone")) {
        (void)fx_fail(&failure, FX_EMUTATE, "namespaces \"gone\" not found");
        fx_inputs_give(entry, NULL, &failure);
    } else {
        json_t *object = json_pack("{s:s,s:s,s:{s:s#,s:{s:s}}}", "apiVersion", "v1",
                                   "kind", "Namespace", "metadata", "name", name.data,
                                   (int)name.len, "labels", "team", "red");
        assert_non_null(object);
        fx_inputs_give(entry, object, NULL);
    }
    refuse_resume();
}

static void answer_inputs(struct fx_review *review, const char *answer) {
    uint64_t deadline_ns = 0;
    for (struct fx_input_entry *entry = fx_review_inputs(review, &deadline_ns)->first;
         entry != NULL; entry = entry->next) {
        if (entry->state != FX_INPUT_AWAITED) {
            continue;
        }
        if (entry->key.type == FX_INPUT_OBJECT) {
            give_namespace(entry);
        } else if (answer != NULL) {
            fx_external_give(entry, fx_text_of(answer));
        } else {
            fx_external_fail(entry, "no route to host");
        }
    }
}

/* ---- one review ------------------------------------------------------------------ */

static bool is_done(struct fx_review *review, const struct journey *journey) {
    switch (fx_review_run(review)) {
    case FX_REVIEW_WANTS_INPUTS: answer_inputs(review, journey->answer); return false;
    case FX_REVIEW_DONE: break;
    }
    return true;
}

/* What was refused may have been dispensable: then all is as without a refusal. */
static void expect_end(const struct journey *journey,
                       const struct fx_review_result *result, bool refused) {
    if (refused && result->decision == FX_DECISION_BROKEN) {
        assert_int_equal(result->status, 503);
        assert_true(result->retry_after);
        assert_null(result->patch);
        assert_true(result->body->len == 0 || result->body->data[0] != '{');
        return;
    }
    if (result->decision != journey->decision) {
        fail_msg("%s: ends as %d: %s", journey->name, (int)result->decision,
                 result->failure == NULL ? "" : result->failure->msg);
    }
    assert_int_equal(result->status,
                     journey->decision == FX_DECISION_REFUSED ? 400 : 200);
    assert_true((result->patch != NULL) == (journey->decision == FX_DECISION_MUTATED));
}

/* False where it was refused an allocation. */
static bool travel(const struct journey *journey, const struct fx_admission *admission,
                   long nth, bool ever_after) {
    refuse_from(nth, ever_after);
    struct fx_review *review =
        fx_review_create(admission, policies->snapshot, fx_text_of(journey->body), 0);
    for (unsigned pauses = 0; review != NULL && !is_done(review, journey); pauses++) {
        assert_true(pauses < PAUSES);
    }
    const bool refused = refuse_stop();
    assert_true(review != NULL || refused);
    if (review != NULL) {
        expect_end(journey, fx_review_result(review), refused);
    }
    fx_review_destroy(review);
    return !refused;
}

static void refuse_all(const struct journey *journey,
                       const struct fx_admission *admission, bool ever_after) {
    assert_true(travel(journey, admission, RUNS_MAX, false)); /* caches are filled */
    const long live = refuse_live();
    long n = 0;
    for (; !travel(journey, admission, n, ever_after); n++) {
        assert_true(n < RUNS_MAX);
        if (refuse_live() != live) {
            fail_msg("%s: %ld allocations are left behind, where number %ld was refused",
                     journey->name, refuse_live() - live, n);
        }
    }
    assert_true(n > 2); /* it was tried at all */
}

static void test_reviews(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(journeys); i++) {
        for (size_t k = 0; k < FX_COUNT(admissions); k++) {
            refuse_all(&journeys[i], &admissions[k], false);
            refuse_all(&journeys[i], &admissions[k], true);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builds),
        cmocka_unit_test(test_reviews),
    };
    refuse_install();
    return cmocka_run_group_tests(tests, build_policies, forget_policies);
}
