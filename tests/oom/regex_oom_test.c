/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/regex_oom_test.c - RE2 allocates when it compiles and when it matches. Each
 * of these allocations is refused in turn: the answer is right or FX_ENOMEM, and the
 * expression can be used on. Reviews end in 503 or as without a refusal.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "admission/review.h"
#include "base/regex.h"
#include "policy/policies.h"
#include "refuse.h"

#define RUNS_MAX 10000

static bool ever_after; /* not one allocation alone is refused, but all from there on */

/* ---- expressions ---- */

static const struct example {
    const char *pattern, *text;
    bool matches;
} examples[] = {
    {"^a+b$", "aaaab", true},
    {"^a+b$", "aaaac", false},
    {"(x+x+)+y", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxy", true},
    {"(?i)[a-z0-9]{2,40}\\.example\\.com", "Registry.EXAMPLE.com/a/b", true},
    {"\\bword\\b", "no such words", false},
    {"(a|b|c)*d(?P<n>e|f)", "abcabcabcdf", true},
    {"(a|b|cd|ce)*d|[^a]|abc|abd", "abcabcabcdf", true},
};

static struct fx_regex *compile(const char *pattern) {
    struct fx_regex *regex = NULL;
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_regex_compile(fx_text_of(pattern), &regex, &err));
    return regex;
}

/* With no memory for allocation `nth`. False where it did not need it. */
static bool try_compile(const char *pattern, long nth) {
    struct fx_regex *regex = NULL;
    struct fx_err err = FX_ERR_INIT;
    const long before = refuse_live();
    refuse_from(nth, ever_after);
    const bool ok = fx_regex_compile(fx_text_of(pattern), &regex, &err);
    const bool refused = refuse_stop();
    assert_true(ok || (refused && err.code == FX_ENOMEM));
    fx_regex_destroy(regex);
    assert_int_equal(refuse_live(), before);
    return refused;
}

static void test_compiles_without_memory(void **state) {
    (void)state;
    fx_regex_destroy(compile("a")); /* what RE2 allocates once */
    for (size_t i = 0; i < FX_COUNT(examples); i++) {
        for (int way = 0; way < 2; way++) {
            ever_after = way == 1;
            long n = 0;
            while (try_compile(examples[i].pattern, n)) {
                assert_true(++n < RUNS_MAX);
            }
            assert_true(n > 50); /* it was tried at all */
        }
    }
}

/* False without memory. */
static bool ask(const struct fx_regex *regex, const char *text, bool finds,
                bool *ret_matches) {
    struct fx_regex_span spans[3];
    struct fx_err err = FX_ERR_INIT;
    const struct fx_text whole = fx_text_of(text);
    const bool ok = finds ? fx_regex_find(regex, whole, 0, spans, FX_COUNT(spans), &err)
                          : fx_regex_match(regex, whole, ret_matches, &err);
    if (ok && finds) {
        *ret_matches = spans[0].from != FX_REGEX_NO_SPAN;
    }
    assert_true(ok || err.code == FX_ENOMEM);
    return ok;
}

/* With no memory for allocation `nth`, of an expression that is new each time: it keeps
 * what it has allocated once. False where it did not need it. */
static bool try_match(const struct example *example, bool finds, long nth) {
    struct fx_regex *regex = compile(example->pattern);
    refuse_from(nth, ever_after);
    bool matches = false;
    const bool ok = ask(regex, example->text, finds, &matches);
    const bool refused = refuse_stop();
    assert_true(refused || ok);
    assert_true(!ok || matches == example->matches);
    assert_true(ask(regex, example->text, finds, &matches));
    assert_int_equal(matches, example->matches);
    fx_regex_destroy(regex);
    return refused;
}

static void test_matches_without_memory(void **state) {
    (void)state;
    long most = 0;
    for (int way = 0; way < 4; way++) {
        ever_after = (way & 1) != 0;
        for (size_t i = 0; i < FX_COUNT(examples); i++) {
            long n = 0;
            while (try_match(&examples[i], (way & 2) != 0, n)) {
                assert_true(++n < RUNS_MAX);
            }
            most = n > most ? n : most;
        }
    }
    assert_true(most > 5); /* it was tried at all */
}

/* ---- reviews ---- */

static const char policies_text[] =
    "{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: {name: r, namespace: "
    "ns}, spec: {type: Patch, match: [{select: $.kind, matchRegex: '^P.d$'}, {select: "
    "'$.spec.containers[? @.image =~ \"^reg.*/app\"].name', matchFor: Any}], patch: "
    "[{op: add, path: /metadata/labels/a, value: x}]}}\n"
    "---\n"
    "{apiVersion: mutations.fixpoint.dev/v1alpha1, kind: Assign, metadata: {name: a}, "
    "spec: {applyTo: [{groups: [''], versions: [v1], kinds: [Pod]}], location: "
    "'spec.priority', parameters: {assign: {value: 1}}, conditions: [{location: "
    "metadata.name, operator: Matches, values: ['^n[aeiou]m+e$']}]}}\n";

static const char review_text[] =
    "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":"
    "{\"uid\":\"u\",\"operation\":\"CREATE\",\"namespace\":\"ns\",\"name\":\"name\","
    "\"kind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"},\"userInfo\":"
    "{\"username\":\"me\"},\"object\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\","
    "\"metadata\":{\"name\":\"name\",\"namespace\":\"ns\",\"labels\":{}},\"spec\":"
    "{\"containers\":[{\"name\":\"c\",\"image\":\"registry/app\"}]}},\"oldObject\":"
    "null}}";

static struct fx_policies *build(void) {
    const struct fx_policy_input input = {.file = "p.yaml",
                                          .text = fx_text_of(policies_text)};
    struct fx_policies *made = NULL;
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_policies_build(&input, 1, NULL, 1, &made, &err));
    if (made->findings.n_items > 0) {
        fail_msg("%s", made->findings.items[0].text);
    }
    return made;
}

/* The patch, or what is said; the caller frees it. */
static char *travel(long nth, unsigned *ret_status, bool *ret_refused) {
    struct fx_policies *policies = build();
    const struct fx_admission admission = {.partial_decode = true,
                                           .collects_stats = true};
    struct fx_review *review =
        fx_review_create(&admission, policies->snapshot, fx_text_of(review_text), 0);
    assert_non_null(review);
    refuse_from(nth < 0 ? LONG_MAX : nth, ever_after);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    *ret_refused = refuse_stop();
    const struct fx_review_result *result = fx_review_result(review);
    *ret_status = result->status;
    if (result->status == 503) {
        assert_int_equal(result->decision, FX_DECISION_BROKEN);
        for (size_t i = 0; result->outcome != NULL && i < result->outcome->n_stats; i++) {
            assert_false(result->outcome->stats[i].failed); /* nobody is to blame */
        }
    }
    /* Without memory for a body there is none. */
    char *body = strdup(result->body->len == 0 ? "" : result->body->data);
    assert_non_null(body);
    fx_review_destroy(review);
    fx_policies_unref(policies);
    return body;
}

static void test_reviews_without_memory(void **state) {
    (void)state;
    unsigned n_broken = 0;
    for (int way = 0; way < 2; way++) {
        unsigned status = 0;
        bool refused = false;
        ever_after = way == 1;
        char *right = travel(-1, &status, &refused);
        assert_int_equal(status, 200);
        assert_non_null(strstr(right, "\"patch\""));
        long n = 0;
        for (refused = true; refused; n++) {
            char *body = travel(n, &status, &refused);
            assert_true(status == 503 ? refused : strcmp(body, right) == 0);
            n_broken += status == 503;
            free(body);
            assert_true(n < RUNS_MAX);
        }
        free(right);
    }
    assert_true(n_broken > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compiles_without_memory),
        cmocka_unit_test(test_matches_without_memory),
        cmocka_unit_test(test_reviews_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
