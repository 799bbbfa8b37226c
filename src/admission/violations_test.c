/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/violations_test.c - the response to a request that validators allow with a
 * warning or an audit annotation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "admission/review.h"
#include "admission/review_texts.h"
#include "base/limits.h"
#include "engine/fake_mutator.h"
#include "engine/snapshot.h"

static struct fx_snapshot *make_snapshot(const struct fake_plan *plans, size_t n) {
    struct fx_mutator **mutators = calloc(n, sizeof(struct fx_mutator *));
    struct fx_snapshot *snapshot = NULL;
    struct fx_err err = FX_ERR_INIT;
    assert_non_null(mutators);
    for (size_t i = 0; i < n; i++) {
        struct fake *fake = fake_create(&plans[i]);
        assert_non_null(fake);
        mutators[i] = &fake->head;
    }
    const struct fx_snapshot_parts parts = {.mutators = mutators, .n_mutators = n};
    assert_true(fx_snapshot_build(&parts, 1, &snapshot, &err));
    for (size_t i = 0; i < n; i++) {
        fx_mutator_unref(mutators[i]);
    }
    free(mutators);
    return snapshot;
}

/* The response to a request for an unremarkable Pod; to be freed. */
static char *respond(const struct fake_plan *plans, size_t n,
                     enum fx_decision wanted_decision) {
    static const struct fx_admission admission = {.partial_decode = true,
                                                  .collects_stats = true};
    struct fx_snapshot *snapshot = make_snapshot(plans, n);
    char *request = with_quotes(REQUEST(POD_KIND ",'operation':'CREATE'," POD));
    struct fx_review *review =
        fx_review_create(&admission, snapshot, fx_text_of(request), 0);
    assert_non_null(review);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    const struct fx_review_result *result = fx_review_result(review);
    assert_int_equal(result->status, 200);
    assert_int_equal(result->decision, wanted_decision);
    char *body = strdup(result->body->data);
    assert_non_null(body);
    fx_review_destroy(review);
    fx_snapshot_unref(snapshot);
    free(request);
    return body;
}

/* `part` has ' for ". */
static void expect(const struct fake_plan *plans, size_t n, enum fx_decision decision,
                   const char *part) {
    char *body = respond(plans, n, decision);
    char *wanted = with_quotes(part);
    if (strstr(body, wanted) == NULL) {
        fail_msg("wanted %s, got %s", wanted, body);
    }
    free(wanted);
    free(body);
}

#define WARNS(id, text)  {.name = id, .action = FX_ACTION_WARN, .violation = text}
#define AUDITS(id, text) {.name = id, .action = FX_ACTION_AUDIT, .violation = text}

static void warnings_are_in_the_response(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        WARNS("a", "two\nlines"),
        WARNS("b", NULL),
        WARNS("c", "old"),
    };
    expect(plans, FX_COUNT(plans), FX_DECISION_UNCHANGED,
           "'allowed':true,'status':{'message':'Resource was not mutated','code':200},"
           "'warnings':['Fake.test.dev /a: two lines','Fake.test.dev /c: old']}}");
}

static void audits_are_annotations(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        AUDITS("a", "two\nlines"),
        AUDITS("not a key", "is hashed"),
        WARNS("w", "old"),
    };
    expect(plans, FX_COUNT(plans), FX_DECISION_UNCHANGED,
           "'code':200},'auditAnnotations':{'Fake_a':'two\\nlines','Fake_not_a_key-");
    expect(plans, FX_COUNT(plans), FX_DECISION_UNCHANGED,
           "':'is hashed'},'warnings':['Fake.test.dev /w: old']}}");
}

static void a_patch_has_them_too(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        AUDITS("a", "old"),
        {.name = "m", .set_key = "x", .set_value = "1"},
    };
    expect(plans, FX_COUNT(plans), FX_DECISION_MUTATED,
           "'auditAnnotations':{'mutators':'Fake/m','iterations':'2','Fake_a':'old'}}}");
}

static void a_denial_has_them_too(void **state) {
    (void)state;
    const struct fake_plan plans[] = {
        AUDITS("a", "old"),
        {.name = "d", .action = FX_ACTION_DENY, .violation = "no owner"},
        WARNS("w", "older"),
    };
    expect(plans, FX_COUNT(plans), FX_DECISION_DENIED,
           "'allowed':false,'status':{'message':'no owner','reason':'no owner',"
           "'code':403},'auditAnnotations':{'Fake_a':'old'},"
           "'warnings':['Fake.test.dev /w: older']}}");
}

/* The name part of a key has 63 characters at most. */
static void long_keys_are_cut_and_differ(void **state) {
    (void)state;
    char names[2][101];
    for (size_t i = 0; i < 2; i++) {
        memset(names[i], 'n', 100);
        names[i][99] = (char)('0' + i);
        names[i][100] = '\0';
    }
    const struct fake_plan plans[] = {AUDITS(names[0], "0"), AUDITS(names[1], "1")};
    char *body = respond(plans, 2, FX_DECISION_UNCHANGED);
    const char *first = strstr(body, "\"Fake_nnn");
    assert_non_null(first);
    const char *second = strstr(first + 1, "\"Fake_nnn");
    assert_non_null(second);
    assert_int_equal(strcspn(first + 1, "\""), 63);
    assert_int_equal(strcspn(second + 1, "\""), 63);
    assert_memory_not_equal(first, second, 64);
    free(body);
}

static void very_many_are_counted(void **state) {
    (void)state;
    enum { N = FX_LIMIT_VIOLATIONS + 7 };
    static char names[2 * N][8];
    static struct fake_plan plans[2 * N];
    for (size_t i = 0; i < FX_COUNT(plans); i++) {
        (void)snprintf(names[i], sizeof names[i], "n%03zu", i);
        plans[i] = (struct fake_plan)WARNS(names[i], "old");
        plans[i].action = i < N ? FX_ACTION_WARN : FX_ACTION_AUDIT;
    }
    expect(plans, FX_COUNT(plans), FX_DECISION_UNCHANGED,
           "'Fake.test.dev /n099: old','and 7 more']}}");
    expect(plans, FX_COUNT(plans), FX_DECISION_UNCHANGED,
           "'Fake_n206':'old','omitted':'7'},'warnings':");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warnings_are_in_the_response),
        cmocka_unit_test(audits_are_annotations),
        cmocka_unit_test(a_patch_has_them_too),
        cmocka_unit_test(a_denial_has_them_too),
        cmocka_unit_test(long_keys_are_cut_and_differ),
        cmocka_unit_test(very_many_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
