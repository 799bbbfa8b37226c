/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/write_test.c - what is written where, what is created, and that
 * shared trees stay unchanged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "location/gatekeeper/testing.h"
#include "location/gatekeeper/write.h"
#include "value/equal.h"

/* What the setter of these tests does, and the number of calls. */
struct order {
    enum fx_write write;
    json_t *value;
    size_t *count;
};

static bool obey(const void *user, const struct fx_write_position *position,
                 enum fx_write *ret_write, json_t **ret_value, const char **ret_criterion,
                 struct fx_err *err) {
    (void)position;
    (void)ret_criterion;
    (void)err;
    const struct order *order = user;
    ++*order->count;
    *ret_write = order->write;
    *ret_value = order->write == FX_WRITE_SET ? json_incref(order->value) : NULL;
    return true;
}

struct result {
    bool ok, applied, changed;
    size_t count;
    struct fx_err err;
};

/* `test` is NULL, or the condition for the whole location. */
static struct result run(const char *text, const char *sub_path, const char *test,
                         struct order order, json_t **root) {
    struct result result = {.err = FX_ERR_INIT};
    struct fx_location *location = must_parse(text);
    struct fx_path_tests *tests = NULL;
    if (test != NULL) {
        struct fx_location *prefix = must_parse(sub_path);
        const struct fx_path_test_entry entry = {prefix, fx_text_of(test)};
        assert_true(fx_path_tests_compile(location, &entry, 1, &tests, &result.err));
        fx_location_destroy(prefix);
    }
    order.count = &result.count;
    const struct fx_setter setter = {.set = obey, .user = &order};
    struct fx_written written = {0};
    result.ok = fx_location_write(location, tests, &setter, root, &written, &result.err);
    result.applied = written.applied;
    result.changed = written.changed;
    fx_path_tests_destroy(tests);
    fx_location_destroy(location);
    return result;
}

#define V "\"V\""

/* Each sets "V" (or `value`). `after` NULL: as before. */
static const struct write_case {
    const char *location, *sub_path, *test, *value, *before, *after;
    size_t count; /* runs of the setter */
} writes[] = {
    /* Objects. */
    {"a", NULL, NULL, V, "{}", "{\"a\":\"V\"}", 1},
    {"a", NULL, NULL, V, "{\"b\":1,\"a\":[2],\"c\":3}", "{\"b\":1,\"a\":\"V\",\"c\":3}",
     1},
    {"a", NULL, NULL, "null", "{\"a\":1}", "{\"a\":null}", 1},
    {"a.b.c", NULL, NULL, V, "{}", "{\"a\":{\"b\":{\"c\":\"V\"}}}", 1},
    {"a.b", NULL, NULL, V, "{\"a\":{\"x\":1}}", "{\"a\":{\"x\":1,\"b\":\"V\"}}", 1},
    {"a.b", NULL, NULL, V, "{\"a\":{\"b\":\"V\"}}", NULL, 1},
    {"a", NULL, NULL, "5", "{\"a\":5.0}", NULL, 1},
    {"'a.b'", NULL, NULL, V, "{}", "{\"a.b\":\"V\"}", 1},
    {"x", NULL, NULL, V, "{\"a\\u0000b\":1}", "{\"a\\u0000b\":1,\"x\":\"V\"}", 1},
    /* Globs: every element, and nothing is created. */
    {"l[k: *].x", NULL, NULL, V, "{\"l\":[{\"k\":1},{},{\"x\":2}]}",
     "{\"l\":[{\"k\":1,\"x\":\"V\"},{\"x\":\"V\"},{\"x\":\"V\"}]}", 3},
    {"l[k: *].x", NULL, NULL, V, "{\"l\":[]}", NULL, 0},
    {"l[k: *].x", NULL, NULL, V, "{}", NULL, 0},
    {"a.l[k: *].x", NULL, NULL, V, "{}", NULL, 0},
    {"l[k: *].m[k: *].x", NULL, NULL, V, "{\"l\":[{},{\"m\":[{}]}]}",
     "{\"l\":[{},{\"m\":[{\"x\":\"V\"}]}]}", 1},
    /* Keys: all duplicates, created where there is none. */
    {"l[k: v].x", NULL, NULL, V, "{\"l\":[{\"k\":\"v\"},{\"k\":\"w\"},7,{\"k\":\"v\"}]}",
     "{\"l\":[{\"k\":\"v\",\"x\":\"V\"},{\"k\":\"w\"},7,{\"k\":\"v\",\"x\":\"V\"}]}", 2},
    {"l[k: v].x", NULL, NULL, V, "{\"l\":[{\"k\":\"w\"}]}",
     "{\"l\":[{\"k\":\"w\"},{\"k\":\"v\",\"x\":\"V\"}]}", 1},
    {"a.l[k: v].x", NULL, NULL, V, "{}", "{\"a\":{\"l\":[{\"k\":\"v\",\"x\":\"V\"}]}}",
     1},
    {"l[k: v].m[j: 2].x", NULL, NULL, V, "{}",
     "{\"l\":[{\"k\":\"v\",\"m\":[{\"j\":2,\"x\":\"V\"}]}]}", 1},
    /* Keys of different types differ. */
    {"l[k: 5].x", NULL, NULL, V, "{\"l\":[{\"k\":\"5\"},{\"k\":5},{\"k\":6}]}",
     "{\"l\":[{\"k\":\"5\"},{\"k\":5,\"x\":\"V\"},{\"k\":6}]}", 1},
    {"l[k: '5'].x", NULL, NULL, V, "{\"l\":[{\"k\":5}]}",
     "{\"l\":[{\"k\":5},{\"k\":\"5\",\"x\":\"V\"}]}", 1},
    {"l[k: 5].x", NULL, NULL, V, "{\"l\":[{\"k\":5.0}]}",
     "{\"l\":[{\"k\":5},{\"k\":5,\"x\":\"V\"}]}", 1},
    {"l[k: true].x", NULL, NULL, V, "{\"l\":[{\"k\":true}]}",
     "{\"l\":[{\"k\":true},{\"k\":\"true\",\"x\":\"V\"}]}", 1},
    /* The location ends in an element: the first one with the key is replaced as a
     * whole. */
    {"l[k: v]", NULL, NULL, "{\"k\":\"v\",\"n\":1}",
     "{\"l\":[{\"k\":\"v\",\"o\":1},{\"k\":\"v\"}]}",
     "{\"l\":[{\"k\":\"v\",\"n\":1},{\"k\":\"v\"}]}", 1},
    {"l[k: v]", NULL, NULL, "{\"k\":\"v\"}", "{\"l\":[{\"k\":\"w\"}]}",
     "{\"l\":[{\"k\":\"w\"},{\"k\":\"v\"}]}", 1},
    {"l[k: 5]", NULL, NULL, "{\"k\":5}", "{}", "{\"l\":[{\"k\":5}]}", 1},
    {"l[k: v]", NULL, NULL, "{\"k\":\"v\"}", "{\"l\":[{\"k\":\"v\"},7]}", NULL, 1},
    /* Path tests. */
    {"a.b", "a.b", "MustExist", V, "{\"a\":{}}", NULL, 0},
    {"a.b", "a.b", "MustExist", V, "{\"a\":{\"b\":null}}", "{\"a\":{\"b\":\"V\"}}", 1},
    {"a.b", "a.b", "MustNotExist", V, "{\"a\":{\"b\":null}}", NULL, 0},
    {"a.b", "a.b", "MustNotExist", V, "{}", "{\"a\":{\"b\":\"V\"}}", 1},
    {"a.b.c", "a.b", "MustExist", V, "{}", NULL, 0},
    {"a.b.c", "a.b", "MustNotExist", V, "{\"a\":{\"b\":7}}", NULL, 0},
    {"a.b", "a", "always", V, "{}", NULL, 0},
    {"a.b", "a", "always", V, "{\"a\":{}}", NULL, 0},
    {"l[k: *].x", "l[k: *].x", "MustNotExist", V, "{\"l\":[{\"x\":1},{}]}",
     "{\"l\":[{\"x\":1},{\"x\":\"V\"}]}", 1},
    {"l[k: *].x", "l[k: *]", "MustNotExist", V, "{\"l\":[{}]}", NULL, 0},
    {"l[k: *].x", "l[k: *]", "MustExist", V, "{\"l\":[{}]}", "{\"l\":[{\"x\":\"V\"}]}",
     1},
    {"l[k: v].x", "l[k: v]", "MustExist", V, "{\"l\":[{\"k\":\"w\"}]}", NULL, 0},
    {"l[k: v].x", "l[k: v]", "MustNotExist", V, "{\"l\":[{\"k\":\"v\"}]}", NULL, 0},
    {"l[k: v].x", "l[k: v]", "MustNotExist", V, "{\"l\":[]}",
     "{\"l\":[{\"k\":\"v\",\"x\":\"V\"}]}", 1},
    {"l[k: v].x", "l[k: v].x", "MustExist", V, "{\"a\":1}", NULL, 0},
    {"l[k: v]", "l[k: v]", "MustExist", "{\"k\":\"v\"}", "{\"l\":[]}", NULL, 0},
    {"l[k: v]", "l[k: v]", "MustNotExist", "{\"k\":\"v\"}",
     "{\"l\":[{\"k\":\"v\",\"o\":1}]}", NULL, 0},
};

static void check_write(const struct write_case *c) {
    json_t *root = must_read(c->before);
    const struct order order = {.write = FX_WRITE_SET, .value = must_read(c->value)};
    const struct result result = run(c->location, c->sub_path, c->test, order, &root);
    if (!result.ok) {
        fail_msg("`%s`: %s", c->location, result.err.msg);
    }
    if (c->after != NULL) {
        assert_json(root, c->after);
    } else {
        json_t *before = must_read(c->before);
        assert_true(fx_equal(root, before));
        json_decref(before);
    }
    assert_true(result.changed == (c->after != NULL));
    assert_true(result.applied == (c->count > 0));
    assert_int_equal(result.count, c->count);
    json_decref(order.value);
    json_decref(root);
}

static void writes_and_creates(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(writes); i++) {
        check_write(&writes[i]);
    }
}

/* The other holder of a shared tree sees no change, and where nothing changes nothing
 * is copied. A second run changes nothing. */
static void leaves_shared_trees_alone(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(writes); i++) {
        const struct write_case *c = &writes[i];
        json_t *before = must_read(c->before);
        json_t *root = json_incref(before);
        const struct order order = {.write = FX_WRITE_SET, .value = must_read(c->value)};
        assert_true(run(c->location, c->sub_path, c->test, order, &root).ok);
        json_t *untouched = must_read(c->before);
        assert_true(fx_equal(before, untouched));
        assert_true((root == before) == (c->after == NULL));
        json_t *settled = json_incref(root);
        const struct result again = run(c->location, c->sub_path, c->test, order, &root);
        assert_true(again.ok && !again.changed && root == settled);
        json_decref(settled);
        json_decref(untouched);
        json_decref(before);
        json_decref(root);
        json_decref(order.value);
    }
}

static void fails_where_shapes_differ(void **state) {
    (void)state;
    static const struct {
        const char *location, *value, *object, *msg;
    } cases[] = {
        {"a.b", V, "[]",
         "mismatch between path entry (type: object) and received object (type: []"
         "interface {}). Path: a"},
        {"a.b", V, "{\"a\":null}",
         "mismatch between path entry (type: object) and received object (type: <nil>). "
         "Path: b"},
        {"a.'b c'.d", V, "{\"a\":\"s\"}",
         "mismatch between path entry (type: object) and received object (type: string). "
         "Path: \"b c\""},
        {"l[k: v].x", V, "{\"l\":{}}",
         "mismatch between path entry (type: List) and received object (type: "
         "map[string]interface {}). Path: [k: v]"},
        {"l[k: *].x", V, "{\"l\":5}",
         "mismatch between path entry (type: List) and received object (type: int64). "
         "Path: [k: *]"},
        {"l[k: *].x", V, "{\"l\":[{},1.5]}",
         "mismatch between path entry (type: object) and received object (type: "
         "float64). Path: x"},
        {"l[k: v]", "{\"k\":\"v\"}", "{\"l\":[true]}",
         "cast error, unable to case bool to map[string]interface{}"},
        {"l[k: v]", "[\"k\"]", "{}",
         "assign.value for keyed list is not an object: [\"k\"]"},
        {"l[k: v]", "{\"k\":\"w\"}", "{\"l\":[{\"k\":\"v\"}]}",
         "key value of replaced object must not change"},
        {"l[k: 5]", "{\"k\":\"5\"}", "{}",
         "key value of replaced object must not change"},
        {"l[k: *]", V, "{\"l\":[{}]}", "can't append to a globbed list"},
        {"", V, "{}", "attempting to mutate an empty target location"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        json_t *root = must_read(cases[i].object);
        const struct order order = {.write = FX_WRITE_SET,
                                    .value = must_read(cases[i].value)};
        const struct result result = run(cases[i].location, NULL, NULL, order, &root);
        assert_false(result.ok);
        assert_int_equal(result.err.code, FX_EMUTATE);
        assert_string_equal(result.err.msg, cases[i].msg);
        json_decref(order.value);
        json_decref(root);
    }
}

/* The object after KEEP or REMOVE. */
static void keeps_and_removes(void **state) {
    (void)state;
    static const struct {
        enum fx_write write;
        const char *location, *before, *after;
    } cases[] = {
        {FX_WRITE_KEEP, "a.b", "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":1}}"},
        {FX_WRITE_KEEP, "a.b", "{}", "{\"a\":{}}"},
        {FX_WRITE_KEEP, "l[k: v].x", "{}", "{\"l\":[{\"k\":\"v\"}]}"},
        {FX_WRITE_KEEP, "l[k: v]", "{}", "{\"l\":[]}"},
        {FX_WRITE_REMOVE, "a.b", "{\"a\":{\"b\":1,\"c\":2}}", "{\"a\":{\"c\":2}}"},
        {FX_WRITE_REMOVE, "a.b", "{\"a\":{\"c\":2}}", "{\"a\":{\"c\":2}}"},
        {FX_WRITE_REMOVE, "l[k: v]", "{\"l\":[{\"k\":1},{\"k\":\"v\"},{\"k\":\"v\"}]}",
         "{\"l\":[{\"k\":1},{\"k\":\"v\"}]}"},
        {FX_WRITE_REMOVE, "l[k: v]", "{\"l\":[{\"k\":1}]}", "{\"l\":[{\"k\":1}]}"},
        {FX_WRITE_REMOVE, "l[k: *].x", "{\"l\":[{\"x\":1},{}]}", "{\"l\":[{},{}]}"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        json_t *root = must_read(cases[i].before);
        json_t *before = json_incref(root);
        const struct order order = {.write = cases[i].write};
        const struct result result = run(cases[i].location, NULL, NULL, order, &root);
        assert_true(result.ok && result.applied);
        assert_json(root, cases[i].after);
        assert_json(before, cases[i].before);
        assert_true(result.changed == (strcmp(cases[i].before, cases[i].after) != 0));
        json_decref(before);
        json_decref(root);
    }
}

/* An unshared tree is written in place; the value is that of the policy. */
static void writes_in_place(void **state) {
    (void)state;
    json_t *root = must_read("{\"a\":{\"l\":[{\"k\":\"v\"}]}}");
    json_t *const list = json_object_get(json_object_get(root, "a"), "l");
    json_t *const element = json_array_get(list, 0);
    json_t *const same_root = root;
    const struct order order = {.write = FX_WRITE_SET, .value = must_read("{\"n\":1}")};
    assert_true(run("a.l[k: v].x", NULL, NULL, order, &root).changed);
    assert_ptr_equal(root, same_root);
    assert_ptr_equal(json_object_get(json_object_get(root, "a"), "l"), list);
    assert_ptr_equal(json_array_get(list, 0), element);
    assert_ptr_equal(json_object_get(element, "x"), order.value);
    json_decref(order.value);
    json_decref(root);
}

/* Only the nodes on the path are copied; the rest stays shared. */
static void copies_only_the_way(void **state) {
    (void)state;
    json_t *before = must_read(
        "{\"z\":{},\"a\":{\"y\":[1],\"l\":[{\"k\":\"w\"},{\"k\":\"v\"}]},\"b\":[]}");
    json_t *root = json_incref(before);
    const struct order order = {.write = FX_WRITE_SET, .value = must_read(V)};
    assert_true(run("a.l[k: v].x", NULL, NULL, order, &root).changed);
    assert_json(root, "{\"z\":{},\"a\":{\"y\":[1],\"l\":[{\"k\":\"w\"},{\"k\":\"v\","
                      "\"x\":\"V\"}]},\"b\":[]}");
    const json_t *old_a = json_object_get(before, "a");
    const json_t *new_a = json_object_get(root, "a");
    assert_ptr_not_equal(old_a, new_a);
    assert_ptr_equal(json_object_get(before, "z"), json_object_get(root, "z"));
    assert_ptr_equal(json_object_get(old_a, "y"), json_object_get(new_a, "y"));
    assert_ptr_equal(json_array_get(json_object_get(old_a, "l"), 0),
                     json_array_get(json_object_get(new_a, "l"), 0));
    json_decref(order.value);
    json_decref(root);
    json_decref(before);
}

/* A subtree that a policy wrote twice is one node with two parents. */
static void copies_what_occurs_twice(void **state) {
    (void)state;
    json_t *root = must_read("{\"l\":[{\"k\":1},{\"k\":2}]}");
    const struct order order = {.write = FX_WRITE_SET, .value = must_read("{\"n\":1}")};
    assert_true(run("l[k: *].x", NULL, NULL, order, &root).changed);
    const struct order inner = {.write = FX_WRITE_SET, .value = must_read(V)};
    assert_true(run("l[k: 1].x.n", NULL, NULL, inner, &root).changed);
    assert_json(root,
                "{\"l\":[{\"k\":1,\"x\":{\"n\":\"V\"}},{\"k\":2,\"x\":{\"n\":1}}]}");
    assert_json(order.value, "{\"n\":1}");
    json_decref(inner.value);
    json_decref(order.value);
    json_decref(root);
}

static bool refuse(const void *user, const struct fx_write_position *position,
                   enum fx_write *ret_write, json_t **ret_value,
                   const char **ret_criterion, struct fx_err *err) {
    (void)user;
    (void)position;
    (void)ret_criterion;
    (void)ret_write;
    (void)ret_value;
    return fx_fail(err, FX_EMUTATE, "refused");
}

static void passes_on_a_setters_failure(void **state) {
    (void)state;
    static const char *const locations[] = {"a.b", "l[k: v].x", "l[k: v]", "m[k: 1].x"};
    for (size_t i = 0; i < FX_COUNT(locations); i++) {
        json_t *root = must_read("{\"m\":[{\"k\":1}]}");
        json_t *before = json_incref(root);
        struct fx_location *location = must_parse(locations[i]);
        const struct fx_setter setter = {.set = refuse};
        struct fx_written written = {0};
        struct fx_err err = FX_ERR_INIT;
        assert_false(fx_location_write(location, NULL, &setter, &root, &written, &err));
        assert_string_equal(err.msg, "refused");
        assert_json(before, "{\"m\":[{\"k\":1}]}");
        fx_location_destroy(location);
        json_decref(before);
        json_decref(root);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_and_creates),
        cmocka_unit_test(leaves_shared_trees_alone),
        cmocka_unit_test(fails_where_shapes_differ),
        cmocka_unit_test(keeps_and_removes),
        cmocka_unit_test(writes_in_place),
        cmocka_unit_test(copies_only_the_way),
        cmocka_unit_test(copies_what_occurs_twice),
        cmocka_unit_test(passes_on_a_setters_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
