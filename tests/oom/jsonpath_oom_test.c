/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/jsonpath_oom_test.c - KubeMod's expressions with every allocation refused in
 * turn: no memory is said to be the reason, nothing else, and nothing is left behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "location/jsonpath/jsonpath.h"
#include "refuse.h"
#include "value/json.h"

#define RUNS_MAX 100000

static const char document[] =
    "{\"kind\":\"Pod\",\"pattern\":\"P\",\"a\":[1,2.5,\"x\",{\"b\":null,\"007\":[true]}],"
    "\"long\":"
    "\"0123456789012345678901234567890123456789012345678901234567890123456789\"}";

static const char *const expressions[] = {
    "$.kind == \"Pod\"",
    "$.a[*]",
    "$..*",
    "$..[? @ =~ $.pattern && @ !~ \"[0-9]\"]",
    "[$, $.no, [$.no, date(\"2020-01-01\"), 1 / 0], \"a\" + \"b\" + $.long, $.a[0] + 1]",
    "{\"x\": {\"y\": $.no}, #0: $.a[*], # + 1: $..b, \"n\" + #0: $..*}",
    "$.a[? \"\" + @ < $.long + $.long + $.long + $.long + $.long].b.c.d.e.f.g.h.i.j.k.l",
    "$.kind ? length(kind) + 1 : -\"1\"",
    "$.a[0, 1, \"b\"]",
};

static const char *const places[] = {"$.kind", "$.a[*]", "$..*", "$.a[3]({\"k\": @})[*]"};

/* False without memory. */
static bool evaluate(const char *text, json_t *root) {
    struct fx_jsonpath *path = NULL;
    struct fx_jsonpath_result result = {0};
    struct fx_err err = FX_ERR_INIT;
    const bool ok =
        fx_jsonpath_compile(fx_text_of(text), FX_JSONPATH_EXPRESSION, &path, &err) &&
        fx_jsonpath_eval(path, root, &result, &err);
    assert_true(ok || err.code == FX_ENOMEM);
    fx_jsonpath_result_finish(&result);
    fx_jsonpath_destroy(path);
    return ok;
}

static bool find(const char *text, json_t *root) {
    struct fx_jsonpath *path = NULL;
    struct fx_jsonpath_matches found = {0};
    struct fx_err err = FX_ERR_INIT;
    const bool ok =
        fx_jsonpath_compile(fx_text_of(text), FX_JSONPATH_PATH, &path, &err) &&
        fx_jsonpath_find(path, root, &found, &err);
    assert_true(ok || err.code == FX_ENOMEM);
    fx_jsonpath_matches_finish(&found);
    fx_jsonpath_destroy(path);
    return ok;
}

/* Refuses one allocation after the other until it needs no more. */
static void refuse_all(bool (*act)(const char *text, json_t *root), const char *text,
                       json_t *root, bool ever_after) {
    assert_true(act(text, root)); /* what is allocated once, is */
    long live = refuse_live();
    long n = 0;
    for (bool refused = true; refused; n++) {
        assert_true(n < RUNS_MAX);
        refuse_from(n, ever_after);
        const bool ok = act(text, root);
        refused = refuse_stop();
        assert_int_equal(ok, !refused);
        assert_true(refuse_lost_nothing(&live, strstr(text, "=~") != NULL));
    }
    assert_true(n > 4); /* it was tried at all */
}

static void refuse_each(bool (*act)(const char *text, json_t *root),
                        const char *const *texts, size_t n_texts) {
    struct fx_err err = FX_ERR_INIT;
    json_t *root = fx_json_read(fx_text_of(document), NULL, &err);
    assert_non_null(root);
    for (size_t i = 0; i < n_texts; i++) {
        refuse_all(act, texts[i], root, false);
        refuse_all(act, texts[i], root, true);
    }
    json_decref(root);
}

static void test_values(void **state) {
    refuse_each(evaluate, expressions, FX_COUNT(expressions));
    (void)state;
}

static void test_places(void **state) {
    refuse_each(find, places, FX_COUNT(places));
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_places),
    };
    refuse_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
