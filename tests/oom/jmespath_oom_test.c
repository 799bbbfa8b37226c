/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/jmespath_oom_test.c - Kyverno's queries with every allocation refused in
 * turn: no memory is said to be the reason, nothing else, and nothing is left behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "location/jmespath/function.h"
#include "location/jmespath/jmespath.h"
#include "refuse.h"
#include "value/json.h"
#include "value/tree.h"

#define RUNS_MAX 100000

static const char document[] =
    "{\"a\":{\"b\":{\"c\":1},\"x\":null,\"d\":[1,2.5,\"x\",{\"e\":[true]}]},"
    "\"l\":[3,1,2.5],\"ls\":[\"b\",\"a\",\"c\"],\"s\":\"text\",\"n\":-2.5,"
    "\"lo\":[{\"k\":\"b\",\"v\":2},{\"k\":\"a\",\"v\":1}],"
    "\"long\":"
    "\"0123456789012345678901234567890123456789012345678901234567890123456789\"}";

static const char *const queries[] = {
    "a.b.c",
    "a.\"d\"[3].e[0] || 'x' && `[1, {\"y\": 2}]`",
    "{x: a.*.c, y: [l[::-1], lo[?v > `1`].k, a.d[]], z: !nope}",
    "@ | lo[*].k | [0]",
    "'it\\'s' == s || keys(@)",
    /* each function of JMESPath */
    "[abs(n), ceil(n), floor(n), avg(l), to_number('1.5'), to_number('12')]",
    "[length(s), reverse(s), reverse(l), starts_with(s, 't'), ends_with(s, 't')]",
    "[contains(s, 'x'), contains(l, `1`), join('-', ls), to_string(@), to_string(s)]",
    "[keys(a), values(a), merge(a, a.b, {q: n}), type(a), to_array(n), to_array(l)]",
    "[not_null(nope, nope, nope, nope, nope, nope, s), map(&length(k), lo)]",
    "[sort(l), sort(ls), sort_by(lo, &k), max(l), min(ls), max_by(lo, &v), "
    "min_by(lo, &to_string(v))]",
    "to_number('0.000000000000000000000000000000000000000000000000000000000000000001')",
};

static bool find_name(void *context, struct fx_text name, json_t **ret_value,
                      struct fx_err *err) {
    (void)err;
    *ret_value = json_incref(fx_tree_view_text(context, name));
    return true;
}

static bool give_all(void *context, json_t **ret_object, struct fx_err *err) {
    (void)err;
    *ret_object = json_incref(context);
    return true;
}

/* Evaluates on the names of `root`. False without memory. */
static bool search(const char *text, json_t *root) {
    const struct fx_jmespath_scope scope = {find_name, give_all, root};
    struct fx_jmespath *query = NULL;
    struct fx_err err = FX_ERR_INIT;
    json_t *value = NULL;
    const bool ok =
        fx_jmespath_compile(fx_text_of(text), &query, &err) &&
        fx_jmespath_search(query, NULL, &scope, &value, &err) == FX_JMESPATH_VALUE;
    if (!ok && err.code != FX_ENOMEM) {
        fail_msg("%s: %s", text, err.msg);
    }
    json_decref(value);
    fx_jmespath_destroy(query);
    return ok;
}

static bool find_reads(const char *text, json_t *root) {
    struct fx_jmespath *query = NULL;
    struct fx_json_part part = {.omits_rest = true};
    struct fx_json_cursor cursor;
    struct fx_err err = FX_ERR_INIT;
    (void)root;
    const bool ok = fx_jmespath_compile(fx_text_of(text), &query, &err) &&
                    fx_jmespath_reads(query, &part, &cursor);
    fx_json_part_finish(&part);
    fx_jmespath_destroy(query);
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
        assert_true(refuse_lost_nothing(&live, false));
    }
    assert_true(n > 4); /* it was tried at all */
}

static void refuse_each(bool (*act)(const char *text, json_t *root)) {
    struct fx_err err = FX_ERR_INIT;
    json_t *root = fx_json_read(fx_text_of(document), NULL, &err);
    assert_non_null(root);
    for (size_t i = 0; i < FX_COUNT(queries); i++) {
        refuse_all(act, queries[i], root, false);
        refuse_all(act, queries[i], root, true);
    }
    json_decref(root);
}

static void test_values(void **state) {
    (void)state;
    refuse_each(search);
}

static void test_reads(void **state) {
    (void)state;
    refuse_each(find_reads);
}

/* A function that the queries above do not call is not covered. */
static void test_functions(void **state) {
    (void)state;
    const struct fx_jmespath_function *table = fx_jmespath_standard_functions;
    for (size_t i = 0; table[i].name != NULL; i++) {
        bool is_called = false;
        for (size_t q = 0; q < FX_COUNT(queries); q++) {
            is_called = is_called || strstr(queries[q], table[i].name) != NULL;
        }
        if (!is_called) {
            fail_msg("%s is not called", table[i].name);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_functions),
    };
    refuse_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
