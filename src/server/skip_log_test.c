/* SPDX-License-Identifier: Apache-2.0
 *
 * server/skip_log_test.c - at most one line a minute for each mutator that is skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "server/review_log.h"

#define MUTATORS (FX_SKIP_LOG_ITEMS + 2u)

static uint64_t now;

static uint64_t clock_ns(void) {
    return now;
}

/* As many rules as there is room for, and two more. */
static char kind[] = "ModRule";
static char names[MUTATORS][16];
static struct fx_mutator *all[MUTATORS];

static int setup(void **state) {
    (void)state;
    for (size_t i = 0; i < MUTATORS; i++) {
        all[i] = calloc(1, sizeof *all[i]);
        assert_non_null(all[i]);
        (void)snprintf(names[i], sizeof names[i], "shop/rule-%zu", i);
        all[i]->kind = kind;
        all[i]->name = names[i] + strlen("shop/");
        all[i]->full_name = names[i];
    }
    return 0;
}

static int teardown(void **state) {
    (void)state;
    for (size_t i = 0; i < MUTATORS; i++) {
        free(all[i]);
    }
    return 0;
}

static char written[4000];

/* Records a review that skipped the rule, and keeps the log line. */
static void note(struct fx_skip_log *log, uint32_t rule, bool fails) {
    char text[] = "S3cret is no number";
    struct fx_skipped_mutator drop = {
        .mutator = rule, .pass = 1, .fails = fails, .message = text};
    const struct fx_outcome outcome = {.iterations = 1, .skipped = &drop, .n_skipped = 1};
    const struct fx_snapshot snapshot = {.mutators = all, .n_mutators = MUTATORS};
    const struct fx_review_result result = {
        .uid = FX_TEXT("u"),
        .operation = FX_TEXT("CREATE"),
        .kind = FX_TEXT("Secret"),
        .namespace_ = FX_TEXT("shop"),
        .name = FX_TEXT("web"),
        .outcome = &outcome,
        .snapshot = &snapshot,
    };
    FILE *file = tmpfile();
    assert_non_null(file);
    const int kept = dup(STDERR_FILENO);
    assert_true(kept >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    fx_skip_log_record(log, &result, clock_ns);
    assert_true(dup2(kept, STDERR_FILENO) >= 0 && close(kept) == 0);
    assert_int_equal(fseek(file, 0, SEEK_SET), 0);
    written[fread(written, 1, sizeof written - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
}

static void expect(const char *rule, const char *times) {
    assert_non_null(strstr(
        written, "\"level\":\"warn\",\"msg\":\"mutator skipped after a failure\""));
    assert_non_null(strstr(written, rule));
    assert_non_null(strstr(written, times));
    assert_non_null(strstr(written, "\"uid\":\"u\",\"operation\":\"CREATE\""));
    assert_null(strstr(written, "S3cret"));
}

static void one_line_a_minute(void **state) {
    (void)state;
    struct fx_skip_log log = {.n_items = 0};
    now = 1;
    note(&log, 0, true);
    expect("\"mutator\":\"ModRule/shop/rule-0\"", "\"times\":1,");
    now += FX_SKIP_LOG_NS - 1;
    note(&log, 0, true);
    note(&log, 0, true);
    assert_string_equal(written, "");
    now++;
    note(&log, 0, true);
    expect("\"mutator\":\"ModRule/shop/rule-0\"", "\"times\":3,");
    note(&log, 0, true);
    assert_string_equal(written, "");
}

/* Each mutator by itself; a mutator that was dropped without a failure is not logged. */
static void of_each(void **state) {
    (void)state;
    struct fx_skip_log log = {.n_items = 0};
    now = 1;
    note(&log, 0, true);
    note(&log, 1, false);
    assert_string_equal(written, "");
    note(&log, 1, true);
    expect("ModRule/shop/rule-1", "\"times\":1,");
}

/* A full table reuses an entry that is old enough. */
static void full_table(void **state) {
    (void)state;
    struct fx_skip_log log = {.n_items = 0};
    now = 1;
    for (uint32_t i = 0; i < FX_SKIP_LOG_ITEMS; i++) {
        note(&log, i, true);
        assert_true(written[0] != '\0');
    }
    note(&log, FX_SKIP_LOG_ITEMS, true);
    assert_string_equal(written, "");
    now += FX_SKIP_LOG_NS;
    note(&log, FX_SKIP_LOG_ITEMS, true);
    expect("ModRule/shop/rule-64", "\"times\":1,");
    assert_int_equal(log.n_items, FX_SKIP_LOG_ITEMS);
}

static void no_user(void **state) {
    (void)state;
    struct fx_skip_log log = {.n_items = 0};
    const struct fx_review_result result = {.outcome = NULL};
    fx_skip_log_record(&log, &result, clock_ns);
    assert_int_equal(log.n_items, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_line_a_minute),
        cmocka_unit_test(of_each),
        cmocka_unit_test(full_table),
        cmocka_unit_test(no_user),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
