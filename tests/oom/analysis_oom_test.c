/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/analysis_oom_test.c - policies tried out with every allocation refused in
 * turn, on objects made and given: a clean failure each time, and nothing left behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/analysis.h"
#include "base/file.h"
#include "base/limits.h"
#include "policy/policies.h"
#include "refuse.h"
#include "value/json.h"

#define POLICIES FX_SOURCE_DIR "/tests/oom/analysis.yaml"
#define RUNS_MAX 200000 /* no run needs that many allocations */

static struct fx_policies *policies;
static json_t *object;

static int read_input(void **state) {
    (void)state;
    static const char text[] = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{"
                               "\"name\":\"p\",\"namespace\":"
                               "\"n\",\"labels\":{\"net\":\"none\"}},\"spec\":{"
                               "\"schedulerName\":\"s\",\"containers\":"
                               "[{\"name\":\"c\"}]}}";
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf bytes;
    fx_buf_init(&bytes, 0);
    assert_true(fx_file_read(POLICIES, FX_LIMIT_POLICY_FILE_BYTES, &bytes, &err));
    const struct fx_policy_input input = {.file = "a.yaml",
                                          .text = {bytes.data, bytes.len}};
    assert_true(fx_policies_build(&input, 1, NULL, 1, &policies, &err));
    assert_int_equal(fx_findings_count(&policies->findings, FX_SEVERITY_ERROR), 0);
    fx_buf_finish(&bytes);
    object = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(object);
    return 0;
}

static int forget_input(void **state) {
    (void)state;
    fx_policies_unref(policies);
    json_decref(object);
    return 0;
}

/* What the snapshot remembers of namespaces from then on is no leak. */
static void analyse_once(const struct fx_analysis_input *input) {
    struct fx_analysis analysis;
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_analysis_run(input, &analysis, &err));
    fx_analysis_finish(&analysis);
}

/* Refuses one allocation after the other until an analysis needs no more. */
static void refuse_analyses(bool made, bool ever_after, size_t n_findings) {
    const struct fx_analysis_input input = {
        .snapshot = policies->snapshot,
        .namespaces = &policies->namespaces,
        .objects = &object,
        .n_objects = 1,
        .made = made,
    };
    analyse_once(&input);
    const long live = refuse_live();
    long n = 0;
    for (bool refused = true; refused; n++) {
        struct fx_analysis analysis;
        struct fx_err err = FX_ERR_INIT;
        assert_true(n < RUNS_MAX);
        refuse_from(n, ever_after);
        const bool ok = fx_analysis_run(&input, &analysis, &err);
        refused = refuse_stop();
        assert_int_equal(ok, !refused);
        if (ok) {
            assert_int_equal(analysis.n_findings, n_findings);
        } else {
            assert_int_equal(err.code, FX_ENOMEM);
        }
        fx_analysis_finish(&analysis);
        assert_int_equal(refuse_live(), live);
    }
    assert_true(n > 100); /* it was tried at all */
}

static void test_made(void **state) {
    (void)state;
    refuse_analyses(true, false, 8);
    refuse_analyses(true, true, 8);
}

static void test_given(void **state) {
    (void)state;
    refuse_analyses(false, false, 3);
    refuse_analyses(false, true, 3);
}

int main(void) {
    refuse_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_made),
        cmocka_unit_test(test_given),
    };
    return cmocka_run_group_tests(tests, read_input, forget_input);
}
