/* SPDX-License-Identifier: Apache-2.0
 *
 * server/review_log_test.c - reading a trace id, and the lines as they are written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "server/review_log.h"

#define ID "4bf92f3577b34da6a3ce929d0e0e4736"

static void test_trace_id(void **state) {
    (void)state;
    static const struct {
        const char *header, *id;
    } cases[] = {
        {"00-" ID "-00f067aa0ba902b7-01", ID},
        {"cc-" ID "-00f067aa0ba902b7-01-what-the-future-is-like", ID},
        {NULL, ""},
        {"", ""},
        {"00-" ID "-00f067aa0ba902b7-00", ID},
        {"01-" ID "-00f067aa0ba902b7-01", ID},
        {"01-" ID "-00f067aa0ba902b7-01-", ID},
        {"01-" ID "-00f067aa0ba902b7-01x", ""},
        {"00-" ID "-00f067aa0ba902b7-01-x", ""},
        {"00-" ID "-00f067aa0ba902b7-01-", ""},
        {"ff-" ID "-00f067aa0ba902b7-01", ""},
        {"0f-" ID "-00f067aa0ba902b7-01", ID},
        {"0F-" ID "-00f067aa0ba902b7-01", ""},
        {"0-0" ID "-00f067aa0ba902b7-01", ""},
        {"00x" ID "-00f067aa0ba902b7-01", ""},
        {"00-" ID "-0000000000000000-01", ""},
        {"00-" ID "-00f067aa0ba902bg-01", ""},
        {"00-" ID "-00f067aa0ba902b7x01", ""},
        {"00-" ID "-00f067aa0ba902b7-0g", ""},
        {" 00-" ID "-00f067aa0ba902b7-01", ""},
        {"00-" ID "-00f067aa0ba902b7", ""},
        {"00-" ID "x00f067aa0ba902b7-01", ""},
        {"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", ""},
        {"00-00000000000000000000000000000000-00f067aa0ba902b7-01", ""},
        {"00-4bf92f3577b34da6a3ce929d0e0e473\"-00f067aa0ba902b7-01", ""},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        char id[FX_TRACE_ID_SIZE];
        fx_trace_id_read(fx_text_of(cases[i].header), id);
        assert_string_equal(id, cases[i].id);
    }
}

/* What fx_log_review() writes to standard error. */
static char written[20000];

static void write_line(const struct fx_review_result *result) {
    FILE *file = tmpfile();
    assert_non_null(file);
    const int kept = dup(STDERR_FILENO);
    assert_true(kept >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    fx_log_review(result, FX_TEXT("00-" ID "-00f067aa0ba902b7-01"), 0.5);
    assert_true(dup2(kept, STDERR_FILENO) >= 0 && close(kept) == 0);
    assert_int_equal(fseek(file, 0, SEEK_SET), 0);
    written[fread(written, 1, sizeof written - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
}

static void assert_has(const char *part) {
    if (strstr(written, part) == NULL) {
        fail_msg("no `%s` in: %s", part, written);
    }
}

#define TEXT(literal) {literal, sizeof(literal) - 1}

/* Two mutators, and a review of a Pod. */
static char assign_kind[] = "Assign", first_name[] = "a", second_name[] = "b";
static struct fx_mutator first = {
    .kind = assign_kind, .name = first_name, .full_name = first_name};
static struct fx_mutator second = {
    .kind = assign_kind, .name = second_name, .full_name = second_name};
static struct fx_mutator *both[] = {&first, &second};
static const struct fx_snapshot snapshot = {.mutators = both, .n_mutators = 2};
static const struct fx_review_result pod = {
    .status = 200,
    .uid = TEXT("u"),
    .operation = TEXT("CREATE"),
    .version = TEXT("v1"),
    .kind = TEXT("Pod"),
    .namespace_ = TEXT("shop"),
    .name = TEXT("web"),
    .username = TEXT("alice"),
    .snapshot = &snapshot,
};

static void test_changed(void **state) {
    (void)state;
    uint32_t applied[] = {0, 1};
    const struct fx_outcome outcome = {
        .mutated = true, .iterations = 3, .applied = applied, .n_applied = 2};
    const struct fx_patch patch = {.n_ops = 4};
    struct fx_review_result result = pod;
    result.decision = FX_DECISION_MUTATED;
    result.outcome = &outcome;
    result.patch = &patch;
    write_line(&result);
    assert_has("\"level\":\"info\",\"msg\":\"review changed\",\"uid\":\"u\"");
    assert_has("\"namespace\":\"shop\",\"name\":\"web\",\"username\":\"alice\"");
    assert_has("\"trace_id\":\"" ID "\",\"ms\":0.5");
    assert_has("\"mutators\":\"Assign/a, Assign/b\",\"iterations\":3,\"operations\":4}");
}

static void test_cycle(void **state) {
    (void)state;
    struct fx_cycle_mutator cycle[] = {{0, TEXT("/spec/x")}, {1, TEXT("/spec/y")}};
    const struct fx_outcome outcome = {.iterations = 3, .cycle = cycle, .n_cycle = 2};
    const struct fx_err failure = {.code = FX_ENOCONVERGE, .msg = "not converging"};
    struct fx_review_result result = pod;
    result.decision = FX_DECISION_FAILED;
    result.outcome = &outcome;
    result.failure = &failure;
    write_line(&result);
    assert_has("\"level\":\"warn\",\"msg\":\"review failed\"");
    assert_has(
        "\"error\":\"not converging\",\"cycle\":\"Assign/a /spec/x, Assign/b /spec/y\"}");
}

/* The message of a mutation may quote the object: only the response has it. */
static void test_failed_mutation(void **state) {
    (void)state;
    const struct fx_outcome outcome = {.failed = both[1]};
    const struct fx_err failure = {.code = FX_EMUTATE, .msg = "S3cret is not a list"};
    struct fx_review_result result = pod;
    result.decision = FX_DECISION_FAILED;
    result.outcome = &outcome;
    result.failure = &failure;
    write_line(&result);
    assert_has("\"msg\":\"review failed\"");
    assert_has("\"mutator\":\"Assign/b\"");
    assert_null(strstr(written, "S3cret"));
}

/* Who denies it; what they say quotes the object. */
static void test_denied(void **state) {
    (void)state;
    struct fx_violation violations[] = {
        {.mutator = 0, .action = FX_ACTION_DENY, .entry = TEXT("a: \"S3cret\"")},
        {.mutator = 1, .action = FX_ACTION_DENY, .entry = TEXT("b")},
    };
    const struct fx_outcome outcome = {
        .iterations = 2,
        .violations = violations,
        .n_violations = 2,
        .denial = TEXT("rejected by a: \"S3cret\",b"),
    };
    const struct fx_err failure = {.code = FX_EDENIED, .msg = "rejected by a: S3cret"};
    struct fx_review_result result = pod;
    result.decision = FX_DECISION_DENIED;
    result.outcome = &outcome;
    result.failure = &failure;
    write_line(&result);
    assert_has("\"level\":\"info\",\"msg\":\"review denied\",\"uid\":\"u\"");
    assert_has("\"denied_by\":\"Assign/a, Assign/b\",\"iterations\":2}");
    assert_null(strstr(written, "S3cret"));
}

/* Who warns and audits stands in the line of a changed object, or in one of its own. */
static void test_warned(void **state) {
    (void)state;
    struct fx_violation violations[] = {
        {.mutator = 0, .action = FX_ACTION_WARN, .entry = TEXT("S3cret")},
        {.mutator = 1, .action = FX_ACTION_AUDIT, .entry = TEXT("S3cret")},
    };
    const struct fx_outcome outcome = {
        .iterations = 1,
        .violations = violations,
        .n_violations = 2,
    };
    struct fx_review_result result = pod;
    result.decision = FX_DECISION_UNCHANGED;
    result.outcome = &outcome;
    write_line(&result);
    assert_has("\"level\":\"info\",\"msg\":\"review unchanged\",\"uid\":\"u\"");
    assert_has(
        "\"warned_by\":\"Assign/a\",\"audited_by\":\"Assign/b\",\"iterations\":1}");
    assert_null(strstr(written, "S3cret"));
    result.decision = FX_DECISION_MUTATED;
    write_line(&result);
    assert_has("\"msg\":\"review changed\"");
    assert_has(
        "\"operations\":0,\"warned_by\":\"Assign/a\",\"audited_by\":\"Assign/b\"}");
}

static void test_quiet(void **state) {
    (void)state;
    struct fx_review_result result = pod;
    result.decision = FX_DECISION_UNCHANGED;
    write_line(&result);
    assert_string_equal(written, "");
    result.decision = FX_DECISION_SKIPPED;
    write_line(&result);
    assert_string_equal(written, "");
}

/* Whatever the names are, a line is written. */
static void test_long_names(void **state) {
    (void)state;
    static char controls[10000];
    static char quotes[10000];
    memset(controls, 1, sizeof controls);
    memset(quotes, '"', sizeof quotes);
    static uint32_t applied[10000];
    const struct fx_outcome outcome = {
        .mutated = true, .iterations = 2, .applied = applied, .n_applied = 10000};
    struct fx_review_result result = pod;
    result.decision = FX_DECISION_MUTATED;
    result.outcome = &outcome;
    result.name = (struct fx_text){controls, sizeof controls};
    result.uid = result.group = result.version = result.kind = result.namespace_ =
        result.username = result.operation = (struct fx_text){quotes, sizeof quotes};
    write_line(&result);
    assert_has("\"name\":\"????");
    assert_has("Assign/a, Assign/a, …\"");
    assert_int_equal(written[strlen(written) - 1], '\n');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace_id), cmocka_unit_test(test_changed),
        cmocka_unit_test(test_cycle),    cmocka_unit_test(test_failed_mutation),
        cmocka_unit_test(test_denied),   cmocka_unit_test(test_warned),
        cmocka_unit_test(test_quiet),    cmocka_unit_test(test_long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
