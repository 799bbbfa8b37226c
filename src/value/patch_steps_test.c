/* SPDX-License-Identifier: Apache-2.0
 *
 * value/patch_steps_test.c - a patch does what its operations do one by one: what is kept
 * from one to the next (the nodes on the last path) changes nothing.
 */
#include "value/patch_testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "value/equal.h"
#include "value/patch.h"

/* Applies the operations each for itself; false at the first that fails. */
static bool apply_each(const struct fx_patch *patch, json_t **root) {
    struct fx_err err = FX_ERR_INIT;
    for (size_t i = 0; i < patch->n_ops; i++) {
        struct fx_patch one = *patch;
        one.ops = &patch->ops[i];
        one.n_ops = 1;
        if (!fx_patch_apply(&one, root, &err)) {
            return false;
        }
    }
    return true;
}

/* Is it applied? */
static bool check(const char *before_text, const char *patch_text) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    struct fx_patch patch;
    json_t *before = tree(before_text);
    json_t *document = tree(patch_text);
    json_t *roots[2] = {json_incref(before), tree(before_text)}; /* shared, and not */
    json_t *expected = json_incref(before);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_patch_init(&patch, &arena);
    assert_true(fx_patch_parse(&patch, document, &err));
    const bool applies = apply_each(&patch, &expected);
    for (size_t i = 0; i < FX_COUNT(roots); i++) {
        if (fx_patch_apply(&patch, &roots[i], &err) != applies ||
            !fx_equal(roots[i], expected)) {
            fail_msg("%s: %s", patch_text, err.msg);
        }
        json_decref(roots[i]);
    }
    assert_unchanged(before, before_text);
    assert_unchanged(document, patch_text);
    json_decref(expected);
    json_decref(document);
    json_decref(before);
    fx_arena_finish(&arena);
    return applies;
}

/* What is written may be where the next operation goes through. */
static const char *const patches[] = {
    "[{\"op\":\"add\",\"path\":\"/a/b/x\",\"value\":{}},"
    "{\"op\":\"add\",\"path\":\"/a/b/x/y\",\"value\":1},"
    "{\"op\":\"add\",\"path\":\"/a/b/x/z\",\"value\":2},"
    "{\"op\":\"add\",\"path\":\"/a/bb\",\"value\":3}]",
    "[{\"op\":\"add\",\"path\":\"/a/b/x\",\"value\":1},"
    "{\"op\":\"replace\",\"path\":\"/a/b\",\"value\":{}},"
    "{\"op\":\"add\",\"path\":\"/a/b/y\",\"value\":1}]",
    "[{\"op\":\"add\",\"path\":\"/a/b/x\",\"value\":1},"
    "{\"op\":\"copy\",\"from\":\"/a/b\",\"path\":\"/a/c\"},"
    "{\"op\":\"add\",\"path\":\"/a/b/y\",\"value\":1},"
    "{\"op\":\"add\",\"path\":\"/a/c/z\",\"value\":1}]",
    "[{\"op\":\"add\",\"path\":\"/a/b/x\",\"value\":1},"
    "{\"op\":\"move\",\"from\":\"/a/b\",\"path\":\"/a/c\"},"
    "{\"op\":\"add\",\"path\":\"/a/b\",\"value\":{}},"
    "{\"op\":\"add\",\"path\":\"/a/b/y\",\"value\":1}]",
    "[{\"op\":\"add\",\"path\":\"/l/0/x\",\"value\":1},"
    "{\"op\":\"add\",\"path\":\"/l/0\",\"value\":{}},"
    "{\"op\":\"add\",\"path\":\"/l/0/y\",\"value\":1},"
    "{\"op\":\"remove\",\"path\":\"/l/0\"},"
    "{\"op\":\"add\",\"path\":\"/l/0/z\",\"value\":1}]",
    "[{\"op\":\"add\",\"path\":\"/a/b/x\",\"value\":1},"
    "{\"op\":\"replace\",\"path\":\"\",\"value\":{\"a\":{\"b\":{}}}},"
    "{\"op\":\"add\",\"path\":\"/a/b/y\",\"value\":1}]",
    "[{\"op\":\"copy\",\"from\":\"\",\"path\":\"/a/b/c\"},"
    "{\"op\":\"add\",\"path\":\"/a/b/y\",\"value\":1},"
    "{\"op\":\"add\",\"path\":\"/a/b/c/a/b/z\",\"value\":1}]",
    "[{\"op\":\"add\",\"path\":\"/n/n/n/n/n/n/n/n/n/n/x\",\"value\":1},"
    "{\"op\":\"add\",\"path\":\"/n/n/n/n/n/n/n/n/n/n/y\",\"value\":1},"
    "{\"op\":\"add\",\"path\":\"/n/n/n/n/x\",\"value\":1},"
    "{\"op\":\"add\",\"path\":\"/n/n/n/n/n/n/n/n/n/z\",\"value\":1}]",
    "[{\"op\":\"add\",\"path\":\"/a/t~1~0/x\",\"value\":1},"
    "{\"op\":\"add\",\"path\":\"/a/t~1~0/y\",\"value\":1},"
    "{\"op\":\"add\",\"path\":\"/a/t~0~1/y\",\"value\":1},"
    "{\"op\":\"add\",\"path\":\"/a//x\",\"value\":1}]",
};

#define BEFORE                                                                      \
    "{\"a\":{\"b\":{},\"bb\":{},\"t/~\":{},\"t~/\":{},\"\":{}},\"l\":[{},{},[{}]]," \
    "\"n\":{\"n\":{\"n\":{\"n\":{\"n\":{\"n\":{\"n\":{\"n\":{\"n\":{\"n\":{}}}}}}}}}}}"

static void goes_on_where_it_was(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(patches); i++) {
        assert_true(check(BEFORE, patches[i]));
    }
}

/* ---- any patches ------------------------------------------------------------------- */

static unsigned draw(unsigned *seed, unsigned below) {
    return (unsigned)rand_r(seed) % below;
}

/* Paths into the tree above, or into what was put there. */
static void draw_path(struct fx_buf *text, unsigned *seed) {
    static const char *const tokens[] = {"a", "b", "bb", "l", "0", "1", "2", "n", "c"};
    const unsigned depth = draw(seed, 5);
    fx_buf_str(text, draw(seed, 3) == 0 ? "/l/0" : draw(seed, 2) == 0 ? "/a/b" : "");
    for (unsigned i = 0; i < depth; i++) {
        fx_buf_printf(text, "/%s", tokens[draw(seed, FX_COUNT(tokens))]);
    }
}

static void draw_op(struct fx_buf *text, unsigned *seed) {
    static const char *const kinds[] = {"add",  "add",  "add",    "replace",
                                        "move", "copy", "remove", "test"};
    static const char *const values[] = {"1", "{}", "{\"b\":{\"c\":[]}}", "[{},[{}]]"};
    fx_buf_printf(text, "{\"op\":\"%s\",\"path\":\"", kinds[draw(seed, FX_COUNT(kinds))]);
    draw_path(text, seed);
    fx_buf_str(text, "\",\"from\":\"");
    draw_path(text, seed);
    fx_buf_printf(text, "\",\"value\":%s}", values[draw(seed, FX_COUNT(values))]);
}

/* Most end with a failure: patches are drawn until enough have applied. */
static void does_what_each_does(void **state) {
    (void)state;
    unsigned n_applied = 0;
    for (unsigned i = 1; i <= 10000; i++) {
        unsigned seed = i;
        struct fx_buf text;
        fx_buf_init(&text, 0);
        const unsigned n_ops = 2 + draw(&seed, 4);
        for (unsigned j = 0; j < n_ops; j++) {
            fx_buf_str(&text, j == 0 ? "[" : ",");
            draw_op(&text, &seed);
        }
        fx_buf_char(&text, ']');
        n_applied += check(BEFORE, text.data);
        fx_buf_finish(&text);
    }
    assert_true(n_applied > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_on_where_it_was),
        cmocka_unit_test(does_what_each_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
