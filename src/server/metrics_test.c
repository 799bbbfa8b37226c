/* SPDX-License-Identifier: Apache-2.0
 *
 * server/metrics_test.c - what the registry prints.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"
#include "server/metrics.h"

static char *print(const struct fx_metrics *metrics) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_metrics_print(metrics, &buf);
    return fx_buf_steal(&buf);
}

static void assert_has(const char *text, const char *part) {
    if (!fx_text_contains(fx_text_of(text), fx_text_of(part))) {
        print_error("no `%s` in:\n%s\n", part, text);
        fail();
    }
}

static void test_zero(void **state) {
    (void)state;
    struct fx_metrics metrics;
    fx_metrics_init(&metrics);
    char *text = print(&metrics);
    assert_has(text, "# TYPE gatekeeper_mutation_request_count counter\n"
                     "gatekeeper_mutation_request_count{mutation_status=\"success\"} 0\n"
                     "gatekeeper_mutation_request_count{mutation_status=\"skip\"} 0\n"
                     "gatekeeper_mutation_request_count{mutation_status=\"error\"} 0\n");
    assert_has(text, "fixpoint_build_info{version=\"" FX_VERSION "\"} 1\n");
    assert_has(text, "# TYPE fixpoint_connections gauge\nfixpoint_connections 0\n");
    assert_has(text, "fixpoint_reviews_total{decision=\"broken\"} 0\n");
    assert_has(text, "fixpoint_reloads_total{result=\"failed\"} 0\n");
    free(text);
}

static void test_values(void **state) {
    (void)state;
    struct fx_metrics metrics;
    fx_metrics_init(&metrics);
    fx_metrics_count(&metrics, FX_METRIC_MUTATIONS, FX_MUTATION_ERROR);
    fx_metrics_count(&metrics, FX_METRIC_MUTATIONS, FX_MUTATION_ERROR);
    fx_metrics_set(&metrics, FX_METRIC_NOT_AFTER, 0, 1764000000);
    char *text = print(&metrics);
    assert_has(text, "gatekeeper_mutation_request_count{mutation_status=\"error\"} 2\n");
    assert_has(text, "fixpoint_certificate_not_after_seconds 1764000000\n");
    free(text);
}

static void test_histogram(void **state) {
    (void)state;
    struct fx_metrics metrics;
    fx_metrics_init(&metrics);
    fx_metrics_observe(&metrics, FX_METRIC_ITERATIONS, FX_SUCCESS_TRUE, 2);
    fx_metrics_observe(&metrics, FX_METRIC_ITERATIONS, FX_SUCCESS_TRUE, 3);
    fx_metrics_observe(&metrics, FX_METRIC_ITERATIONS, FX_SUCCESS_TRUE, 501);
    char *text = print(&metrics);
    assert_has(text, "_iterations_bucket{success=\"true\",le=\"1\"} 0\n");
    assert_has(text, "_iterations_bucket{success=\"true\",le=\"2\"} 1\n");
    assert_has(text, "_iterations_bucket{success=\"true\",le=\"3\"} 2\n");
    assert_has(text, "_iterations_bucket{success=\"true\",le=\"500\"} 2\n");
    assert_has(text, "_iterations_bucket{success=\"true\",le=\"+Inf\"} 3\n");
    assert_has(text, "_iterations_sum{success=\"true\"} 506\n");
    assert_has(text, "_iterations_count{success=\"true\"} 3\n");
    assert_has(text, "_iterations_count{success=\"false\"} 0\n");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zero),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_histogram),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
