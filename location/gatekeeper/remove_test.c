/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/remove_test.c - setters that only remove: what is removed, what
 * stays shared, and the reason where nothing happens.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/macros.h"
#include "location/gatekeeper/testing.h"
#include "location/gatekeeper/write.h"
#include "value/equal.h"

/* Counts, and removes. */
static bool sweep(const void *user, const struct fx_write_position *position,
                  enum fx_write *ret_write, json_t **ret_value,
                  const char **ret_criterion, struct fx_err *err) {
    (void)ret_value;
    (void)ret_criterion;
    (void)err;
    size_t *const *count = user;
    ++**count;
    assert_non_null(position->old);
    *ret_write = FX_WRITE_REMOVE;
    return true;
}

static struct fx_path_tests *compile_test(const struct fx_location *location,
                                          const char *sub_path, const char *test) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_path_tests *tests = NULL;
    struct fx_location *prefix = must_parse_extended(sub_path);
    const struct fx_path_test_entry entry = {prefix, fx_text_of(test)};
    if (!fx_path_tests_compile(location, &entry, 1, &tests, &err)) {
        fail_msg("`%s`: %s", sub_path, err.msg);
    }
    fx_location_destroy(prefix);
    return tests;
}

/* `test` is NULL, or the condition for `sub_path`. */
static bool remove_at(const char *text, const char *sub_path, const char *test,
                      json_t **root, struct fx_written *ret_written, struct fx_err *err) {
    struct fx_location *location = must_parse_extended(text);
    struct fx_path_tests *tests =
        test == NULL ? NULL : compile_test(location, sub_path, test);
    size_t count = 0;
    size_t *const user = &count;
    const struct fx_setter setter = {.set = sweep, .user = &user, .removes = true};
    const bool ok = fx_location_write(location, tests, &setter, root, ret_written, err);
    if (ok) {
        assert_true(ret_written->applied == (count > 0));
    }
    fx_path_tests_destroy(tests);
    fx_location_destroy(location);
    return ok;
}

/* `after` NULL: unchanged, and `criterion` is the reason. */
static const struct remove_case {
    const char *location, *sub_path, *test, *before, *after, *criterion;
} removals[] = {
    /* Fields. */
    {"a", NULL, NULL, "{\"a\":1,\"b\":2}", "{\"b\":2}", NULL},
    {"a", NULL, NULL, "{\"a\":null}", "{}", NULL},
    {"a", NULL, NULL, "{\"b\":2}", NULL, "location"},
    {"a.b", NULL, NULL, "{\"a\":{\"b\":{\"c\":1}},\"z\":[]}", "{\"a\":{},\"z\":[]}",
     NULL},
    {"a.b", NULL, NULL, "{\"z\":[]}", NULL, "location"},
    {"a.b.c", NULL, NULL, "{\"a\":{}}", NULL, "location"},
    /* Fields of elements. */
    {"l[k: *].x", NULL, NULL, "{\"l\":[{\"k\":1,\"x\":1},{\"x\":2},{}]}",
     "{\"l\":[{\"k\":1},{},{}]}", NULL},
    {"l[k: *].x", NULL, NULL, "{\"l\":[]}", NULL, "location"},
    {"l[k: *].x", NULL, NULL, "{\"l\":[{},{}]}", NULL, "location"},
    {"l[k: *].x", NULL, NULL, "{}", NULL, "location"},
    {"l[k: * except a].x", NULL, NULL,
     "{\"l\":[{\"k\":\"a\",\"x\":1},{\"k\":\"b\",\"x\":2},{\"x\":3}]}",
     "{\"l\":[{\"k\":\"a\",\"x\":1},{\"k\":\"b\"},{}]}", NULL},
    {"l[k: * except a].x", NULL, NULL, "{\"l\":[{\"k\":\"a\",\"x\":1}]}", NULL,
     "location"},
    {"l[k: v].x", NULL, NULL,
     "{\"l\":[{\"k\":\"v\",\"x\":1},7,{\"k\":\"w\",\"x\":2},{\"k\":\"v\",\"x\":3}]}",
     "{\"l\":[{\"k\":\"v\"},7,{\"k\":\"w\",\"x\":2},{\"k\":\"v\"}]}", NULL},
    {"l[k: v].x", NULL, NULL, "{\"l\":[{\"k\":\"w\",\"x\":2}]}", NULL, "location"},
    {"l[k: v].x", NULL, NULL, "{}", NULL, "location"},
    {"l[k: v].k", NULL, NULL, "{\"l\":[{\"k\":\"v\"}]}", "{\"l\":[{}]}", NULL},
    {"l[k: v].k", NULL, NULL, "{\"l\":[]}", NULL, "location"},
    /* Elements: all with the key. */
    {"l[k: v]", NULL, NULL, "{\"l\":[{\"k\":\"v\",\"x\":1},{\"k\":\"w\"},{\"k\":\"v\"}]}",
     "{\"l\":[{\"k\":\"w\"}]}", NULL},
    {"l[k: v]", NULL, NULL, "{\"l\":[{\"k\":\"v\"}]}", "{\"l\":[]}", NULL},
    {"l[k: 5]", NULL, NULL, "{\"l\":[{\"k\":\"5\"},{\"k\":5},{\"k\":5.0}]}",
     "{\"l\":[{\"k\":\"5\"},{\"k\":5}]}", NULL},
    {"l[k: v]", NULL, NULL, "{\"l\":[{\"k\":\"w\"},{}]}", NULL, "location"},
    {"l[k: v]", NULL, NULL, "{\"l\":[]}", NULL, "location"},
    {"l[k: v]", NULL, NULL, "{}", NULL, "location"},
    {"a.l[k: v]", NULL, NULL, "{}", NULL, "location"},
    {"a[n: *].l[k: v]", NULL, NULL,
     "{\"a\":[{\"l\":[{\"k\":\"v\"}]},{\"l\":[{\"k\":\"w\"}]},{}]}",
     "{\"a\":[{\"l\":[]},{\"l\":[{\"k\":\"w\"}]},{}]}", NULL},
    /* All of them, or all but some. */
    {"l[k: *]", NULL, NULL, "{\"l\":[{\"k\":\"v\"},{},\"s\",null]}", "{\"l\":[]}", NULL},
    {"l[k: *]", NULL, NULL, "{\"l\":[]}", NULL, "location"},
    {"l[k: * except v]", NULL, NULL,
     "{\"l\":[{\"k\":\"v\"},{\"k\":\"w\"},{},\"v\",{\"k\":\"v\",\"x\":1}]}",
     "{\"l\":[{\"k\":\"v\"},{\"k\":\"v\",\"x\":1}]}", NULL},
    {"l[k: * except v, 5]", NULL, NULL, "{\"l\":[{\"k\":5},{\"k\":\"v\"}]}", NULL,
     "location"},
    {"l[k: * except '5']", NULL, NULL, "{\"l\":[{\"k\":5},{\"k\":\"5\"}]}",
     "{\"l\":[{\"k\":\"5\"}]}", NULL},
    {"l[k: * except 5]", NULL, NULL, "{\"l\":[{\"k\":5.0}]}", "{\"l\":[]}", NULL},
    /* Path tests hold as elsewhere. */
    {"a.b", "a.b", "MustExist", "{\"a\":{\"b\":1}}", "{\"a\":{}}", NULL},
    {"a.b", "a.b", "MustExist", "{\"a\":{}}", NULL, "pathTests"},
    {"a.b", "a.b", "MustNotExist", "{\"a\":{\"b\":1}}", NULL, "pathTests"},
    {"a.b", "a.b", "MustNotExist", "{\"a\":{}}", NULL, "location"},
    {"a.b", "a", "MustExist", "{}", NULL, "pathTests"},
    {"a.b", "a", "ever", "{\"a\":{\"b\":1}}", NULL, "pathTests"},
    {"l[k: v].x", "l[k: v]", "MustNotExist", "{\"l\":[{\"k\":\"v\",\"x\":1}]}", NULL,
     "pathTests"},
    {"l[k: v].x", "l[k: v]", "MustExist", "{\"l\":[{\"k\":\"w\",\"x\":1}]}", NULL,
     "pathTests"},
    {"l[k: v]", "l[k: v]", "MustExist", "{\"l\":[{\"k\":\"v\"}]}", "{\"l\":[]}", NULL},
    {"l[k: v]", "l[k: v]", "MustExist", "{\"l\":[{\"k\":\"w\"}]}", NULL, "pathTests"},
    {"l[k: v]", "l[k: v]", "MustNotExist", "{\"l\":[{\"k\":\"v\"}]}", NULL, "pathTests"},
    {"l[k: v]", "l", "MustNotExist", "{\"l\":[{\"k\":\"v\"}]}", NULL, "pathTests"},
    {"l[k: *]", "l[k: *]", "MustNotExist", "{\"l\":[{}]}", NULL, "pathTests"},
    {"l[k: *]", "l[k: *]", "MustExist", "{\"l\":[{}]}", "{\"l\":[]}", NULL},
    {"l[k: *]", "l[k: *]", "MustExist", "{\"l\":[]}", NULL, "location"},
    {"l[k: * except v].x", "l[k: * except v]", "MustNotExist",
     "{\"l\":[{\"k\":\"w\",\"x\":1}]}", NULL, "pathTests"},
    /* The first reason on the walk counts. */
    {"l[k: *].m.x", "l[k: *].m", "MustExist", "{\"l\":[{\"m\":{}},{}]}", NULL,
     "location"},
    {"l[k: *].m.x", "l[k: *].m", "MustExist", "{\"l\":[{},{\"m\":{}}]}", NULL,
     "pathTests"},
};

static void assert_criterion(const char *criterion, const char *expected) {
    if (expected == NULL) {
        assert_null(criterion);
    } else {
        assert_non_null(criterion);
        assert_string_equal(criterion, expected);
    }
}

static void check_removal(const struct remove_case *c, json_t **root) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_written written = {0};
    if (!remove_at(c->location, c->sub_path, c->test, root, &written, &err)) {
        fail_msg("`%s`: %s", c->location, err.msg);
    }
    assert_true(written.changed == (c->after != NULL));
    assert_true(written.applied == (c->after != NULL));
    assert_criterion(written.criterion, c->criterion);
    if (c->after != NULL) {
        assert_json(*root, c->after);
    }
}

/* With an unshared tree and with a shared one, whose other holder sees no change. A
 * second run changes nothing, and where nothing changes nothing is copied. */
static void removes(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(removals); i++) {
        const struct remove_case *c = &removals[i];
        json_t *own = must_read(c->before);
        check_removal(c, &own);
        json_decref(own);

        json_t *before = must_read(c->before);
        json_t *root = json_incref(before);
        check_removal(c, &root);
        json_t *untouched = must_read(c->before);
        assert_true(fx_equal(before, untouched));
        assert_true((root == before) == (c->after == NULL));
        json_t *settled = json_incref(root);
        struct fx_written again = {0};
        struct fx_err err = FX_ERR_INIT;
        assert_true(remove_at(c->location, c->sub_path, c->test, &root, &again, &err));
        assert_true(!again.changed && !again.applied && root == settled);
        json_decref(settled);
        json_decref(untouched);
        json_decref(root);
        json_decref(before);
    }
}

static void fails_where_shapes_differ(void **state) {
    (void)state;
    static const struct {
        const char *location, *object, *msg;
    } cases[] = {
        {"a.b", "{\"a\":\"s\"}",
         "mismatch between path entry (type: object) and received object (type: string). "
         "Path: b"},
        {"a.b", "{\"a\":null}",
         "mismatch between path entry (type: object) and received object (type: <nil>). "
         "Path: b"},
        {"l[k: *].x", "{\"l\":[{},7]}",
         "mismatch between path entry (type: object) and received object (type: int64). "
         "Path: x"},
        {"l[k: v]", "{\"l\":{}}",
         "mismatch between path entry (type: List) and received object (type: "
         "map[string]interface {}). Path: [k: v]"},
        {"l[k: * except a, 5]", "{\"l\":true}",
         "mismatch between path entry (type: List) and received object (type: bool). "
         "Path: [k: * except \"a\", 5]"},
        {"l[k: v]", "{\"l\":[\"s\",{\"k\":\"v\"}]}",
         "cast error, unable to case string to map[string]interface{}"},
        {"l[k: v]", "{\"l\":[{\"k\":\"v\"},1.5]}",
         "cast error, unable to case float64 to map[string]interface{}"},
        {"", "{}", "attempting to mutate an empty target location"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        json_t *root = must_read(cases[i].object);
        struct fx_err err = FX_ERR_INIT;
        struct fx_written written = {0};
        assert_false(remove_at(cases[i].location, NULL, NULL, &root, &written, &err));
        assert_int_equal(err.code, FX_EMUTATE);
        assert_string_equal(err.msg, cases[i].msg);
        json_decref(root);
    }
}

/* The remaining elements of a list, and all beside the path, stay shared. */
static void copies_only_the_way(void **state) {
    (void)state;
    json_t *before = must_read("{\"z\":{},\"l\":[{\"k\":\"v\"},{\"k\":\"w\"}]}");
    json_t *root = json_incref(before);
    struct fx_err err = FX_ERR_INIT;
    struct fx_written written = {0};
    assert_true(remove_at("l[k: v]", NULL, NULL, &root, &written, &err));
    assert_json(before, "{\"z\":{},\"l\":[{\"k\":\"v\"},{\"k\":\"w\"}]}");
    assert_json(root, "{\"z\":{},\"l\":[{\"k\":\"w\"}]}");
    assert_ptr_equal(json_object_get(before, "z"), json_object_get(root, "z"));
    assert_ptr_equal(json_array_get(json_object_get(before, "l"), 1),
                     json_array_get(json_object_get(root, "l"), 0));
    json_decref(root);
    json_decref(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(removes),
        cmocka_unit_test(fails_where_shapes_differ),
        cmocka_unit_test(copies_only_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
