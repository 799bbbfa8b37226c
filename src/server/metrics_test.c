/* SPDX-License-Identifier: Apache-2.0
 *
 * server/metrics_test.c - the list: names, labels and buckets, as printed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "server/metrics.h"

static char *print(const struct fx_metrics *metrics) {
    struct fx_buf buf = {0};
    fx_registry_print(metrics->registry, &buf);
    char *text = fx_buf_steal(&buf);
    assert_non_null(text);
    return text;
}

static void expect(const char *text, const char *part, bool there) {
    if (fx_text_contains(fx_text_of(text), fx_text_of(part)) != there) {
        fail_msg("%s `%s` in:\n%s", there ? "no" : "there is", part, text);
    }
}

static void test_at_first(void **state) {
    (void)state;
    struct fx_metrics metrics;
    assert_true(fx_metrics_init(&metrics, 1));
    char *text = print(&metrics);
    expect(text,
           "# TYPE gatekeeper_mutation_request_count counter\n"
           "gatekeeper_mutation_request_count{mutation_status=\"success\"} 0\n"
           "gatekeeper_mutation_request_count{mutation_status=\"skip\"} 0\n"
           "gatekeeper_mutation_request_count{mutation_status=\"error\"} 0\n",
           true);
    expect(text, "fixpoint_build_info{version=\"" FX_VERSION "\"} 1\n", true);
    expect(text, "# TYPE fixpoint_connections gauge\n", true);
    expect(text, "\nfixpoint_connections ", false); /* not read yet */
    expect(text, "fixpoint_reviews_total{decision=\"broken\"} 0\n", true);
    expect(text, "fixpoint_reloads_total{result=\"failed\"} 0\n", true);
    expect(text, "\nprocess_open_fds ", true);
    free(text);
    fx_metrics_finish(&metrics);
}

static void test_values(void **state) {
    (void)state;
    struct fx_metrics metrics;
    assert_true(fx_metrics_init(&metrics, 1));
    fx_metrics_count(&metrics, FX_METRIC_MUTATIONS, FX_MUTATION_ERROR);
    fx_metrics_count(&metrics, FX_METRIC_MUTATIONS, FX_MUTATION_ERROR);
    fx_metrics_set(&metrics, FX_METRIC_NOT_AFTER, FX_CERTIFICATE_LEAF, 1764000000);
    char *text = print(&metrics);
    expect(text, "gatekeeper_mutation_request_count{mutation_status=\"error\"} 2\n",
           true);
    expect(text, "fixpoint_certificate_not_after_seconds{kind=\"leaf\"} 1764000000\n",
           true);
    expect(text, "fixpoint_certificate_not_after_seconds{kind=\"ca\"}", false);
    free(text);
    fx_metrics_finish(&metrics);
}

/* The upper bounds of a histogram's series, as one line. */
static char *bounds_of(const char *text, const char *start) {
    struct fx_buf list = {0};
    fx_buf_str(&list, "");
    for (const char *at = text; (at = strstr(at, start)) != NULL;) {
        const char *end = strchr(at += strlen(start), '"');
        assert_non_null(end);
        fx_buf_add(&list, at, (size_t)(end - at));
        fx_buf_char(&list, ' ');
    }
    char *made = fx_buf_steal(&list);
    assert_non_null(made);
    return made;
}

/* Spec section 9. */
static void test_gatekeepers_buckets(void **state) {
    (void)state;
    static const struct {
        const char *start, *bounds;
    } cases[] = {
        {"gatekeeper_mutation_request_duration_seconds_bucket{mutation_status=\"skip\","
         "le=\"",
         "0.001 0.002 0.003 0.004 0.005 0.006 0.007 0.008 0.009 0.01 0.02 0.03 0.04 0.05 "
         "0.06 0.07 0.08 0.09 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1 1.5 2 2.5 3 3.5 4 "
         "4.5 "
         "5 5.5 6 6.5 7 7.5 8 8.5 9 9.5 10 +Inf "},
        {"gatekeeper_mutation_system_iterations_bucket{success=\"false\",le=\"",
         "1 2 3 4 5 6 7 8 9 10 20 50 100 200 500 +Inf "},
        {"gatekeeper_mutator_ingestion_duration_seconds_bucket{status=\"error\",le=\"",
         "0.001 0.002 0.003 0.004 0.005 0.006 0.007 0.008 0.009 0.01 0.02 0.03 0.04 0.05 "
         "+Inf "},
    };
    struct fx_metrics metrics;
    assert_true(fx_metrics_init(&metrics, 1));
    char *text = print(&metrics);
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        char *bounds = bounds_of(text, cases[i].start);
        assert_string_equal(bounds, cases[i].bounds);
        free(bounds);
    }
    free(text);
    fx_metrics_finish(&metrics);
}

static void test_histogram(void **state) {
    (void)state;
    struct fx_metrics metrics;
    assert_true(fx_metrics_init(&metrics, 1));
    fx_metrics_observe(&metrics, FX_METRIC_ITERATIONS, FX_SUCCESS_TRUE, 2);
    fx_metrics_observe(&metrics, FX_METRIC_ITERATIONS, FX_SUCCESS_TRUE, 3);
    fx_metrics_observe(&metrics, FX_METRIC_ITERATIONS, FX_SUCCESS_TRUE, 501);
    char *text = print(&metrics);
    expect(text, "_iterations_bucket{success=\"true\",le=\"1\"} 0\n", true);
    expect(text, "_iterations_bucket{success=\"true\",le=\"2\"} 1\n", true);
    expect(text, "_iterations_bucket{success=\"true\",le=\"500\"} 2\n", true);
    expect(text, "_iterations_bucket{success=\"true\",le=\"+Inf\"} 3\n", true);
    expect(text, "_iterations_sum{success=\"true\"} 506\n", true);
    expect(text, "_iterations_count{success=\"false\"} 0\n", true);
    free(text);
    fx_metrics_finish(&metrics);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_first),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_gatekeepers_buckets),
        cmocka_unit_test(test_histogram),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
