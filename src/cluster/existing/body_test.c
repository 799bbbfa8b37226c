/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/existing/body_test.c - the bodies of writes.
 */
#include "cluster/existing/existing_testing.h"
#include "value/equal.h"
#include "value/json.h"

#define IDENTITY                                                                 \
    "\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"," \
    "\"uid\":\"u\",\"resourceVersion\":\"7\""

/* An object with these further members of its metadata, and of itself. */
static json_t *object(const char *of_metadata, const char *rest) {
    struct fx_buf text = {0};
    struct fx_err err = FX_ERR_INIT;
    fx_buf_printf(&text, "{" IDENTITY "%s}%s}", of_metadata, rest);
    json_t *made = fx_json_read(fx_buf_view(&text), NULL, &err);
    assert_non_null(made);
    fx_buf_finish(&text);
    return made;
}

struct row {
    const char *before[2], *after[2], *patch[2];
    bool removes;
};

static const struct row rows[] = {
    {{"", ""}, {"", ""}, {"", ""}, false},
    {{"", ""},
     {",\"labels\":{\"a\":\"b\"}", ""},
     {",\"labels\":{\"a\":\"b\"}", ""},
     false},
    {{",\"labels\":{\"a\":\"b\",\"c\":\"d\"}", ""},
     {",\"labels\":{\"c\":\"e\"}", ""},
     {",\"labels\":{\"a\":null,\"c\":\"e\"}", ""},
     true},
    {{"", ",\"l\":[1,2,{\"x\":1}],\"n\":1"},
     {"", ",\"l\":[1,2,{\"x\":2}],\"n\":1.0"},
     {"", ",\"l\":[1,2,{\"x\":2}]"},
     false},
    {{"", ",\"o\":{\"p\":{\"q\":1,\"r\":2}}"},
     {"", ",\"o\":{\"p\":{\"q\":1,\"r\":3}},\"e\":{}"},
     {"", ",\"o\":{\"p\":{\"r\":3}},\"e\":{}"},
     false},
    {{"", ",\"o\":{\"p\":1}"}, {"", ",\"o\":[1]"}, {"", ",\"o\":[1]"}, false},
    {{"", ",\"o\":{\"p\":1}"}, {"", ""}, {"", ",\"o\":null"}, true},
    {{"", ",\"o\":1"}, {"", ",\"o\":null"}, {"", ",\"o\":null"}, true},
    {{"", ""}, {"", ",\"o\":null"}, {"", ""}, false},
};

static void bodies_have_what_differs(void **state) {
    (void)state;
    for (size_t i = 0; i < 2 * FX_COUNT(rows); i++) {
        const struct row *row = &rows[i / 2];
        const bool by_apply = i % 2 == 1;
        struct fx_existing_body body = {.body = NULL};
        struct fx_err err = FX_ERR_INIT;
        json_t *before = object(row->before[0], row->before[1]);
        json_t *after = object(row->after[0], row->after[1]);
        json_t *wanted = object(row->patch[0], row->patch[1]);
        assert_true(fx_existing_body_make(before, after, by_apply, &body, &err));
        assert_true(fx_equal(body.body, wanted));
        assert_int_equal(body.by_apply, by_apply && !row->removes);
        json_decref(body.body);
        json_decref(wanted);
        json_decref(after);
        json_decref(before);
    }
}

static void expect_refused(json_t *before_take, json_t *after_take) {
    struct fx_existing_body body = {.body = NULL};
    struct fx_err err = FX_ERR_INIT;
    assert_false(fx_existing_body_make(before_take, after_take, false, &body, &err));
    assert_int_equal(err.code, FX_EMUTATE);
    assert_null(body.body);
    json_decref(before_take);
    json_decref(after_take);
}

static void the_identity_stays(void **state) {
    (void)state;
    static const char *const others[] = {",\"name\":\"b\"", ",\"namespace\":\"x\"",
                                         ",\"uid\":\"v\"", ",\"resourceVersion\":\"8\""};
    for (size_t i = 0; i < FX_COUNT(others); i++) {
        expect_refused(object("", ""), object(others[i], ""));
    }
    expect_refused(object("", ""), object("", ",\"kind\":\"Secret\""));
    expect_refused(object("", ""), object("", ",\"apiVersion\":\"v2\""));
    expect_refused(object("", ""), object("", ",\"metadata\":null"));
    expect_refused(object(",\"resourceVersion\":\"\"", ""),
                   object(",\"resourceVersion\":\"\"", ",\"a\":1"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_have_what_differs),
        cmocka_unit_test(the_identity_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
