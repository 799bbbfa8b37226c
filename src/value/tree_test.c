/* SPDX-License-Identifier: Apache-2.0
 *
 * value/tree_test.c - viewing, owning and writing; what is shared stays as it was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

static json_t *tree(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *root = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(root);
    return root;
}

static void assert_tree(const json_t *root, const char *text) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_json_write(&buf, root, FX_JSON_COMPACT);
    assert_string_equal(buf.data, text);
    fx_buf_finish(&buf);
}

static void views(void **state) {
    (void)state;
    json_t *root = tree("{\"a\":{\"b\":\"x\"},\"n\":1,\"k\\u0000y\":2}");
    const json_t *a = fx_tree_view_key(root, "a");
    assert_non_null(a);
    assert_true(fx_text_is(fx_tree_view_string(a, "b"), "x"));
    assert_null(fx_tree_view_string(a, "c").data);
    assert_null(fx_tree_view_string(root, "n").data);
    assert_null(fx_tree_view_key(NULL, "a"));
    assert_null(fx_tree_view_key(fx_tree_view_key(root, "n"), "a"));
    assert_null(fx_tree_text(NULL).data);
    assert_int_equal(json_integer_value(fx_tree_view_text(root, FX_TEXT("k\0y"))), 2);
    assert_null(fx_tree_view_text(root, FX_TEXT("k\0z")));
    assert_null(fx_tree_view_text(root, (struct fx_text){0}));
    json_decref(root);
}

static void owns_without_a_copy_what_nobody_shares(void **state) {
    (void)state;
    json_t *root = tree("{\"a\":[{}]}");
    json_t *before = root;
    json_t *list = fx_tree_view_key(root, "a");
    json_t *element = json_array_get(list, 0);
    assert_ptr_equal(fx_tree_own_root(&root), before);
    assert_ptr_equal(fx_tree_own_key(root, FX_TEXT("a")), list);
    assert_ptr_equal(fx_tree_own_index(list, 0), element);
    assert_null(fx_tree_own_key(root, FX_TEXT("b")));
    assert_null(fx_tree_own_index(list, 1));
    json_decref(root);
}

/* Writing at the bottom of one reference leaves the other as it was, and everything
 * beside the way down shared between them. */
static void copies_what_is_shared(void **state) {
    (void)state;
    const char *text = "{\"z\":{\"q\\u0000r\":[1,{\"s\":\"t\"}]},\"a\":{\"b\":1}}";
    json_t *before = tree(text);
    json_t *after = json_incref(before);
    json_t *z = fx_tree_own_key(fx_tree_own_root(&after), FX_TEXT("z"));
    json_t *list = fx_tree_own_key(z, FX_TEXT("q\0r"));
    json_t *element = fx_tree_own_index(list, 1);
    assert_non_null(element);
    assert_true(fx_tree_is_unshared(element));
    assert_true(fx_tree_set_take(element, FX_TEXT("s"), json_true()));
    assert_tree(before, text);
    assert_tree(after, "{\"z\":{\"q\\u0000r\":[1,{\"s\":true}]},\"a\":{\"b\":1}}");
    assert_ptr_not_equal(before, after);
    assert_ptr_equal(fx_tree_view_key(before, "a"), fx_tree_view_key(after, "a"));
    json_decref(before);
    assert_ptr_equal(fx_tree_own_root(&after), after);
    json_decref(after);
}

static void copies_scalars(void **state) {
    (void)state;
    json_t *root = tree("[\"a\\u0000b\",-7,1.5,true,null]");
    json_t *other = json_incref(root);
    json_t *owned = fx_tree_own_root(&other);
    for (size_t i = 0; i < json_array_size(owned); i++) {
        const json_t *was = json_array_get(root, i);
        const json_t *copy = fx_tree_own_index(owned, i);
        assert_true(fx_equal(was, copy));
        assert_true(i >= 3 || was != copy);
    }
    json_decref(root);
    json_decref(other);
    json_t *singleton = json_true();
    assert_ptr_equal(fx_tree_own_root(&singleton), json_true());
}

static void writes_lists(void **state) {
    (void)state;
    json_t *list = json_array();
    assert_true(fx_tree_append_take(list, json_integer(2)));
    assert_true(fx_tree_insert_take(list, 0, json_integer(1)));
    assert_true(fx_tree_insert_take(list, 2, fx_tree_new_string((struct fx_text){0})));
    assert_true(fx_tree_set_index_take(list, 1, json_null()));
    assert_false(fx_tree_set_index_take(list, 3, json_integer(1)));
    assert_false(fx_tree_insert_take(list, 4, json_integer(1)));
    assert_false(fx_tree_append_take(list, NULL));
    assert_tree(list, "[1,null,\"\"]");
    fx_tree_remove_index(list, 0);
    fx_tree_remove_index(list, 9);
    assert_tree(list, "[null,\"\"]");
    json_decref(list);
}

static void writes_objects(void **state) {
    (void)state;
    json_t *object = json_object();
    assert_true(fx_tree_set_take(object, (struct fx_text){0}, json_integer(1)));
    assert_true(fx_tree_set_take(object, FX_TEXT("a\0b"), json_integer(2)));
    assert_true(fx_tree_set_take(object, FX_TEXT("c"), json_integer(3)));
    assert_true(fx_tree_set_take(object, FX_TEXT(""), json_integer(4)));
    assert_false(fx_tree_set_take(object, FX_TEXT("d"), NULL));
    assert_tree(object, "{\"\":4,\"a\\u0000b\":2,\"c\":3}");
    fx_tree_remove_key(object, FX_TEXT("a\0b"));
    fx_tree_remove_key(object, FX_TEXT("a"));
    fx_tree_remove_key(object, (struct fx_text){0});
    assert_tree(object, "{\"c\":3}");
    json_decref(object);
}

static void names_go_types(void **state) {
    (void)state;
    static const char *const expected[] = {
        "string", "int64", "float64",        "bool",
        "bool",   "<nil>", "[]interface {}", "map[string]interface {}",
    };
    json_t *root = tree("[\"\",1,1.0,true,false,null,[],{}]");
    for (size_t i = 0; i < FX_COUNT(expected); i++) {
        assert_string_equal(fx_tree_go_type(json_array_get(root, i)), expected[i]);
    }
    assert_string_equal(fx_tree_go_type(NULL), "<nil>");
    json_decref(root);
}

static void wipes_what_nobody_else_sees(void **state) {
    (void)state;
    json_t *shared = json_string("shared");
    json_t *tree =
        json_pack("{s:s, s:[s, i], s:O}", "a", "one", "b", "two", 3, "c", shared);
    assert_non_null(tree);
    fx_tree_wipe(tree);
    assert_memory_equal(json_string_value(json_object_get(tree, "a")), "\0\0\0", 4);
    json_t *list = json_object_get(tree, "b");
    assert_memory_equal(json_string_value(json_array_get(list, 0)), "\0\0\0", 4);
    assert_int_equal(json_integer_value(json_array_get(list, 1)), 3);
    assert_string_equal(json_string_value(shared), "shared");
    json_incref(tree);
    fx_tree_wipe(NULL);
    json_decref(tree);
    json_decref(tree);
    json_decref(shared);
}

/* A deep copy has all keys, NULs in them included, and shares nothing that can be
 * written. */
static void copies_deeply(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{\"a\\u0000b\":1,\"a\":{\"\":[2.5,\"x\\u0000y\",[null,true,{\"k\":false}]]}}",
        "[]",
        "\"x\"",
        "7",
        "null",
    };
    for (size_t i = 0; i < FX_COUNT(texts); i++) {
        json_t *root = tree(texts[i]);
        json_t *copy = fx_tree_deep_copy(root);
        assert_tree(copy, texts[i]);
        assert_true(json_is_null(root) || copy != root);
        json_t *inner = fx_tree_view_key(copy, "a");
        assert_true(inner == NULL || fx_tree_is_unshared(inner));
        assert_true(inner == NULL || inner != fx_tree_view_key(root, "a"));
        json_decref(copy);
        assert_tree(root, texts[i]);
        json_decref(root);
    }
    assert_null(fx_tree_deep_copy(NULL));
}

/* A copy with another member, in its place or behind the others. */
static void copies_but_for_one(void **state) {
    (void)state;
    const struct {
        struct fx_text key;
        const char *text;
    } rows[] = {
        {FX_TEXT("a"), "{\"a\":true,\"q\\u0000r\":[1],\"\":2}"},
        {FX_TEXT("q\0r"), "{\"a\":{},\"q\\u0000r\":true,\"\":2}"},
        {FX_TEXT("q"), "{\"a\":{},\"q\\u0000r\":[1],\"\":2,\"q\":true}"},
        {FX_TEXT(""), "{\"a\":{},\"q\\u0000r\":[1],\"\":true}"},
        {{NULL, 0}, "{\"a\":{},\"q\\u0000r\":[1],\"\":true}"},
    };
    const char *text = "{\"a\":{},\"q\\u0000r\":[1],\"\":2}";
    json_t *before = tree(text);
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        json_t *copy = fx_tree_with_take(before, rows[i].key, json_true());
        assert_non_null(copy);
        assert_tree(copy, rows[i].text);
        json_decref(copy);
    }
    assert_tree(before, text);
    assert_true(fx_tree_is_unshared(json_object_get(before, "a")));
    assert_null(fx_tree_with_take(before, FX_TEXT("a"), NULL));
    json_decref(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views),
        cmocka_unit_test(owns_without_a_copy_what_nobody_shares),
        cmocka_unit_test(copies_what_is_shared),
        cmocka_unit_test(copies_but_for_one),
        cmocka_unit_test(copies_deeply),
        cmocka_unit_test(copies_scalars),
        cmocka_unit_test(writes_lists),
        cmocka_unit_test(writes_objects),
        cmocka_unit_test(names_go_types),
        cmocka_unit_test(wipes_what_nobody_else_sees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
