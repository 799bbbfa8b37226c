/* SPDX-License-Identifier: Apache-2.0
 *
 * value/patch_diff_test.c - the patch between two trees: small, and right when applied.
 */
#include "value/patch_testing.h"

#include <stdlib.h>

#include "base/limits.h"
#include "value/equal.h"
#include "value/patch.h"

static void assert_patch(const struct fx_patch *patch, const char *text) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_patch_write(&buf, patch, FX_JSON_COMPACT);
    assert_string_equal(buf.data, text);
    fx_buf_finish(&buf);
}

static const struct {
    const char *before, *after, *patch;
} diffs[] = {
    {"{}", "{}", "[]"},
    {"{\"a\":5,\"b\":[1,2.0]}", "{\"b\":[1.0,2],\"a\":5.0}", "[]"},
    {"1", "[]", "[{\"op\":\"replace\",\"path\":\"\",\"value\":[]}]"},
    {"{}", "[]", "[{\"op\":\"replace\",\"path\":\"\",\"value\":[]}]"},
    {"{\"a\":1,\"b\":2,\"c\":{\"d\":3}}", "{\"b\":3,\"c\":{\"e\":null},\"x/~y\":{}}",
     "[{\"op\":\"remove\",\"path\":\"/a\"},{\"op\":\"replace\",\"path\":\"/"
     "b\",\"value\":3},"
     "{\"op\":\"remove\",\"path\":\"/c/d\"},"
     "{\"op\":\"add\",\"path\":\"/c/e\",\"value\":null},"
     "{\"op\":\"add\",\"path\":\"/x~1~0y\",\"value\":{}}]"},
    {"{\"a\":null}", "{}", "[{\"op\":\"remove\",\"path\":\"/a\"}]"},
    {"{\"a\":{}}", "{\"a\":[]}", "[{\"op\":\"replace\",\"path\":\"/a\",\"value\":[]}]"},
    /* lists: at the end, the front, in the middle */
    {"[1,2]", "[1,2,3,4]",
     "[{\"op\":\"add\",\"path\":\"/2\",\"value\":3},"
     "{\"op\":\"add\",\"path\":\"/3\",\"value\":4}]"},
    {"[1,2]", "[0,1,2]", "[{\"op\":\"add\",\"path\":\"/0\",\"value\":0}]"},
    {"[1,2,3,4]", "[1,4]",
     "[{\"op\":\"remove\",\"path\":\"/1\"},{\"op\":\"remove\",\"path\":\"/1\"}]"},
    {"[1,2,3]", "[]",
     "[{\"op\":\"remove\",\"path\":\"/0\"},{\"op\":\"remove\",\"path\":\"/0\"},"
     "{\"op\":\"remove\",\"path\":\"/0\"}]"},
    {"[1,2,3]", "[1,9,3]", "[{\"op\":\"replace\",\"path\":\"/1\",\"value\":9}]"},
    {"[1,2,3,4,5]", "[2,3,9,5,6]",
     "[{\"op\":\"remove\",\"path\":\"/0\"},{\"op\":\"replace\",\"path\":\"/"
     "2\",\"value\":9},"
     "{\"op\":\"add\",\"path\":\"/4\",\"value\":6}]"},
    /* a changed element is edited where it stands, by its name where others moved it */
    {"[{\"name\":\"a\",\"v\":1},{\"name\":\"b\"}]",
     "[{\"name\":\"a\",\"v\":2},{\"name\":\"b\"}]",
     "[{\"op\":\"replace\",\"path\":\"/0/v\",\"value\":2}]"},
    {"[{\"name\":\"a\",\"v\":1}]", "[{\"name\":\"s\",\"v\":1},{\"name\":\"a\",\"v\":2}]",
     "[{\"op\":\"add\",\"path\":\"/0\",\"value\":{\"name\":\"s\",\"v\":1}},"
     "{\"op\":\"replace\",\"path\":\"/1/v\",\"value\":2}]"},
    {"[{\"name\":\"a\",\"v\":1},{\"name\":\"b\",\"v\":1}]", "[{\"name\":\"b\",\"v\":3}]",
     "[{\"op\":\"remove\",\"path\":\"/0\"},"
     "{\"op\":\"replace\",\"path\":\"/0/v\",\"value\":3}]"},
    {"[{\"name\":\"a\"}]", "[{\"name\":\"b\"}]",
     "[{\"op\":\"replace\",\"path\":\"/0\",\"value\":{\"name\":\"b\"}}]"},
    {"[{\"port\":80},{\"port\":81,\"x\":1}]", "[{\"port\":81,\"x\":2}]",
     "[{\"op\":\"remove\",\"path\":\"/0\"},"
     "{\"op\":\"replace\",\"path\":\"/0/x\",\"value\":2}]"},
    {"[{\"name\":\"v\",\"mountPath\":\"/a\"}]",
     "[{\"name\":\"v\",\"mountPath\":\"/b\"},{\"name\":\"v\",\"mountPath\":\"/"
     "a\",\"r\":true}]",
     "[{\"op\":\"add\",\"path\":\"/0\",\"value\":{\"name\":\"v\",\"mountPath\":\"/b\"}},"
     "{\"op\":\"add\",\"path\":\"/1/r\",\"value\":true}]"},
    {"[{\"key\":\"k\",\"type\":\"t\",\"v\":1},{\"key\":\"l\",\"type\":\"t\",\"v\":1}]",
     "[{\"type\":\"u\"},{\"key\":\"k\",\"type\":\"w\",\"v\":1},{\"key\":\"l\",\"type\":"
     "\"t\","
     "\"v\":2}]",
     "[{\"op\":\"add\",\"path\":\"/0\",\"value\":{\"type\":\"u\"}},"
     "{\"op\":\"replace\",\"path\":\"/1/type\",\"value\":\"w\"},"
     "{\"op\":\"replace\",\"path\":\"/2/v\",\"value\":2}]"},
    {"[[1],[2,3]]", "[[1],[2,4]]",
     "[{\"op\":\"replace\",\"path\":\"/1/1\",\"value\":4}]"},
};

/* The patch of the two gives `after`, and leaves `before` as it was. Returns the number
 * of its operations. `patch_text` may be NULL. */
static size_t check_diff(const char *before_text, const char *after_text,
                         const char *patch_text) {
    struct fx_arena arena;
    struct fx_patch patch;
    struct fx_err err = FX_ERR_INIT;
    json_t *before = tree(before_text);
    json_t *after = tree(after_text);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_patch_init(&patch, &arena);
    assert_true(fx_patch_diff(&patch, before, after, &err));
    if (patch_text != NULL) {
        assert_patch(&patch, patch_text);
    }
    json_t *root = json_incref(before);
    if (!fx_patch_apply(&patch, &root, &err)) {
        fail_msg("%s", err.msg);
    }
    assert_true(fx_equal(root, after));
    assert_unchanged(before, before_text);
    for (size_t i = 0; i < patch.n_ops; i++) {
        assert_int_equal(patch.ops[i].old != NULL, patch.ops[i].kind != FX_PATCH_ADD);
    }
    const size_t n_ops = patch.n_ops;
    json_decref(root);
    json_decref(before);
    json_decref(after);
    fx_arena_finish(&arena);
    return n_ops;
}

static void makes_small_patches(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(diffs); i++) {
        (void)check_diff(diffs[i].before, diffs[i].after, diffs[i].patch);
    }
}

/* [0,1,…] without `without`, with -1 before `with`. */
static char *numbers(int count, int without, int with) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_char(&buf, '[');
    for (int i = 0; i < count; i++) {
        if (i == with) {
            fx_buf_str(&buf, "-1,");
        }
        if (i != without) {
            fx_buf_printf(&buf, i + 1 < count ? "%d," : "%d", i);
        }
    }
    fx_buf_char(&buf, ']');
    return fx_buf_steal(&buf);
}

/* The window must not make a shift a rewrite of the following elements. */
static void finds_two_edits_in_a_long_list(void **state) {
    (void)state;
    char *before = numbers(5000, -1, -1);
    char *after = numbers(5000, 10, 4900);
    (void)check_diff(before, after,
                     "[{\"op\":\"remove\",\"path\":\"/10\"},"
                     "{\"op\":\"add\",\"path\":\"/4899\",\"value\":-1}]");
    (void)check_diff(after, before,
                     "[{\"op\":\"add\",\"path\":\"/10\",\"value\":10},"
                     "{\"op\":\"remove\",\"path\":\"/4900\"}]");
    free(before);
    free(after);
}

/* One element gone early, every 50th another one: no window of the alignment is free of
 * edits, and none may pay for the shift again. */
static void finds_edits_in_each_window(void **state) {
    (void)state;
    struct fx_buf before;
    struct fx_buf after;
    fx_buf_init(&before, 0);
    fx_buf_init(&after, 0);
    for (int i = 0; i < 1000; i++) {
        fx_buf_printf(&before, "%s%d", i == 0 ? "[" : ",", i);
        if (i != 1) {
            fx_buf_printf(&after, "%s%d", i == 0 ? "[" : ",", i % 50 == 0 ? -1 - i : i);
        }
    }
    fx_buf_char(&before, ']');
    fx_buf_char(&after, ']');
    assert_int_equal(check_diff(before.data, after.data, NULL), 21);
    assert_int_equal(check_diff(after.data, before.data, NULL), 21);
    fx_buf_finish(&before);
    fx_buf_finish(&after);
}

/* Nothing in common, more than the budget of comparisons: still right, still bounded. */
static void rewrites_an_endless_list(void **state) {
    (void)state;
    struct fx_buf before;
    struct fx_buf after;
    fx_buf_init(&before, 0);
    fx_buf_init(&after, 0);
    for (int i = 0; i < 30000; i++) {
        fx_buf_printf(&before, "%s%d", i == 0 ? "[" : ",", i);
        fx_buf_printf(&after, "%s%d", i == 0 ? "[" : ",", -1 - i);
    }
    fx_buf_str(&before, "]");
    fx_buf_str(&after, ",1,2,3]");
    assert_int_equal(check_diff(before.data, after.data, NULL), 30003);
    assert_int_equal(check_diff(after.data, before.data, NULL), 30003);
    fx_buf_finish(&before);
    fx_buf_finish(&after);
}

/* Moving what is behind each of very many elements would take for ever; behind the last
 * one nothing is moved. */
static void rewrites_where_too_much_moves(void **state) {
    (void)state;
    const int n = (int)FX_LIMIT_PATCH_MOVES;
    char *few = numbers(10, -1, -1);
    char *most = numbers(n + 10, -1, -1);
    char *more = numbers(n + 20, -1, -1);
    struct fx_buf behind; /* as many as may be taken out, and what stays */
    fx_buf_init(&behind, 0);
    fx_buf_printf(&behind, "{\"a\":{\"l\":[%d]}}", n);
    struct fx_buf before;
    for (int extra = 0; extra < 2; extra++) {
        char *list = numbers(n + 1, -1, extra == 0 ? -1 : 5);
        fx_buf_init(&before, 0);
        fx_buf_printf(&before, "{\"a\":{\"l\":%s}}", list);
        assert_int_equal(check_diff(before.data, behind.data, NULL), extra == 0 ? n : 1);
        fx_buf_finish(&before);
        free(list);
    }
    assert_int_equal(check_diff(few, most, NULL), n); /* appended */
    assert_int_equal(check_diff(few, more, NULL), n + 10);
    assert_int_equal(check_diff(more, "[]", NULL), 1);
    fx_buf_finish(&behind);
    free(few);
    free(most);
    free(more);
}

/* So many things, each changed in its place. */
static char *things(int count, int value) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_char(&text, '[');
    for (int i = 0; i < count; i++) {
        fx_buf_printf(&text, "%s{\"name\":\"n%d\",\"v\":%d}", i == 0 ? "" : ",", i,
                      value);
    }
    fx_buf_char(&text, ']');
    return fx_buf_steal(&text);
}

/* Things that stay in their places need no search, however many they are: what may be
 * spent on searching is left for the list that needs it. */
static void pairs_things_in_their_places(void **state) {
    (void)state;
    const int n = 20000;
    struct fx_buf before, after;
    fx_buf_init(&before, 0);
    fx_buf_init(&after, 0);
    char *old = things(n, 1);
    char *new = things(n, 2);
    fx_buf_printf(&before, "{\"a\":%s,\"b\":[1,2,3,4,5]}", old);
    fx_buf_printf(&after, "{\"a\":%s,\"b\":[1,3,0,5]}", new);
    assert_int_equal(check_diff(before.data, after.data, NULL), n + 2);
    fx_buf_finish(&before);
    fx_buf_finish(&after);
    free(old);
    free(new);
}

/* With every bound on the arena a diff either succeeds or says so. */
static void survives_each_full_arena(void **state) {
    (void)state;
    json_t *before = tree("{\"a\":[1,2,3],\"b\":{\"c\":1}}");
    json_t *after = tree("{\"a\":[1,3,4],\"b\":{\"d\":2,\"e\":3}}");
    bool ok = false;
    size_t max = 0;
    for (; !ok && max < 10000; max++) {
        struct fx_arena arena;
        struct fx_patch patch;
        struct fx_err err = FX_ERR_INIT;
        fx_arena_init(&arena, max);
        fx_patch_init(&patch, &arena);
        ok = fx_patch_diff(&patch, before, after, &err);
        assert_true(ok || err.code == FX_ENOMEM);
        fx_arena_finish(&arena);
    }
    assert_true(ok);
    assert_true(max > 100);
    json_decref(before);
    json_decref(after);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_small_patches),
        cmocka_unit_test(finds_two_edits_in_a_long_list),
        cmocka_unit_test(finds_edits_in_each_window),
        cmocka_unit_test(rewrites_an_endless_list),
        cmocka_unit_test(rewrites_where_too_much_moves),
        cmocka_unit_test(pairs_things_in_their_places),
        cmocka_unit_test(survives_each_full_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
