/* SPDX-License-Identifier: Apache-2.0
 *
 * value/patch_brief_test.c - patches that give an object whole where very many members
 * were added: right when applied, never longer, and only where nothing is lost.
 */
#include "value/patch_testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "value/equal.h"
#include "value/json_part_testing.h"
#include "value/patch.h"

struct made {
    struct fx_arena arena;
    struct fx_patch patch;
    struct fx_buf text; /* the patch as it is written */
};

typedef bool diff_function(struct fx_patch *patch, json_t *before, json_t *after,
                           struct fx_err *err);

static void make(struct made *made, diff_function *diff, json_t *before, json_t *after) {
    struct fx_err err = FX_ERR_INIT;
    fx_arena_init(&made->arena, FX_LIMIT_ARENA_BYTES);
    fx_patch_init(&made->patch, &made->arena);
    fx_buf_init(&made->text, 0);
    assert_true(diff(&made->patch, before, after, &err));
    fx_patch_write(&made->text, &made->patch, FX_JSON_COMPACT);
    assert_false(made->text.failed);
}

static void finish(struct made *made) {
    fx_buf_finish(&made->text);
    fx_arena_finish(&made->arena);
}

/* Applied, and written, read and applied, the patch gives `after`. */
static void assert_gives(const struct made *made, json_t *before, const json_t *after) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    struct fx_patch again;
    json_t *document = tree(made->text.data);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_patch_init(&again, &arena);
    assert_true(fx_patch_parse(&again, document, &err));
    assert_int_equal(again.n_ops, made->patch.n_ops);
    const struct fx_patch *patches[] = {&made->patch, &again};
    for (size_t i = 0; i < FX_COUNT(patches); i++) {
        json_t *root = json_incref(before);
        if (!fx_patch_apply(patches[i], &root, &err)) {
            fail_msg("%s: %s", made->text.data, err.msg);
        }
        assert_true(fx_equal(root, after));
        json_decref(root);
    }
    json_decref(document);
    fx_arena_finish(&arena);
}

/* Both patches give `after`, and the brief one is no longer than the other. Returns the
 * number of its operations. */
static size_t check(json_t *before, json_t *after) {
    struct made brief;
    struct made plain;
    make(&brief, fx_patch_diff_brief, before, after);
    make(&plain, fx_patch_diff, before, after);
    assert_gives(&brief, before, after);
    assert_gives(&plain, before, after);
    assert_true(brief.text.len <= plain.text.len);
    for (size_t i = 0; i < brief.patch.n_ops; i++) {
        assert_int_equal(brief.patch.ops[i].old != NULL,
                         brief.patch.ops[i].kind != FX_PATCH_ADD);
    }
    const size_t n_ops = brief.patch.n_ops;
    finish(&brief);
    finish(&plain);
    return n_ops;
}

/* `{"a":{"m":{` and what was there, `count` members more, `}}}`. */
static char *object(const char *before, int count) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_printf(&text, "{\"a\":{\"m\":{%s", before);
    for (int i = 0; i < count; i++) {
        fx_buf_printf(&text, "%s\"k%d\":\"v%d\"", i == 0 && before[0] == '\0' ? "" : ",",
                      i, i);
    }
    fx_buf_str(&text, "}}}");
    return fx_buf_steal(&text);
}

static size_t check_texts(const char *before_text, const char *after_text) {
    json_t *before = tree(before_text);
    json_t *after = tree(after_text);
    const size_t n_ops = check(before, after);
    assert_unchanged(before, before_text);
    assert_unchanged(after, after_text);
    json_decref(before);
    json_decref(after);
    return n_ops;
}

/* What `m` holds before, what of it is there after, how many members are added, and in
 * how many operations. */
static const struct {
    const char *before, *still;
    int added;
    size_t n_ops;
} cases[] = {
    {"", "", 15, 15},
    {"", "", 16, 1},
    {"\"x\":\"y\"", "\"x\":\"y\"", 15, 15},
    {"\"x\":\"y\"", "\"x\":\"y\"", 16, 1},
    {"\"x\":\"y\"", "\"x\":\"z\"", 16, 1},
    {"\"x\":\"y\"", "", 17, 1},
    {"\"x\":\"y\"", "", 16, 17},
    /* what is no string is not written again */
    {"\"x\":1.0", "\"x\":1.0", 100, 100},
    {"\"x\":\"y\"", "\"x\":null", 100, 101},
    {"\"x\":{}", "\"x\":{\"y\":1}", 100, 101},
    /* nor what is long */
    {"\"x\":\"0123456789012345678901234567890123456789012345678901234567890123456789"
     "01234567890123456789012345678901234567890123456789012345678901234567890123456789\"",
     "\"x\":\"0123456789012345678901234567890123456789012345678901234567890123456789"
     "01234567890123456789012345678901234567890123456789012345678901234567890123456789\"",
     16, 16},
};

static void gives_objects_whole(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        char *before = object(cases[i].before, 0);
        char *after = object(cases[i].still, cases[i].added);
        const size_t n_ops = check_texts(before, after);
        if (n_ops != cases[i].n_ops) {
            fail_msg("%s: %zu", before, n_ops);
        }
        free(before);
        free(after);
    }
}

static void shows_the_object(void **state) {
    (void)state;
    char *after_text = object("\"x\":\"y\"", 16);
    json_t *before = tree("{\"a\":{\"m\":{\"x\":\"y\"}}}");
    json_t *after = tree(after_text);
    struct made made;
    make(&made, fx_patch_diff_brief, before, after);
    assert_int_equal(made.patch.n_ops, 1);
    const char head[] =
        "[{\"op\":\"replace\",\"path\":\"/a/m\",\"value\":{\"x\":\"y\",\"k0\"";
    assert_memory_equal(made.text.data, head, sizeof head - 1);
    finish(&made);
    json_decref(before);
    json_decref(after);
    free(after_text);
}

/* The document itself is never replaced, however little it held. */
static void leaves_the_root(void **state) {
    (void)state;
    char *text = object("", 30);
    assert_true(strncmp(text, "{\"a\":{\"m\":", 10) == 0);
    text[strlen(text) - 2] = '\0';
    assert_int_equal(check_texts("{}", text + 10), 30);
    free(text);
}

/* Of an object that was read in part, what was not read must not be lost. */
static void leaves_what_was_read_in_part(void **state) {
    (void)state;
    const struct fx_text path[] = {FX_TEXT("a"), FX_TEXT("m"), FX_TEXT("x")};
    struct fx_json_part wanted = {.omits_rest = true};
    struct fx_err err = FX_ERR_INIT;
    assert_true(part_testing_add(&wanted, path, FX_COUNT(path)));
    json_t *before = fx_json_read_part(
        FX_TEXT("{\"a\":{\"m\":{\"x\":\"y\",\"lost\":\"z\"}}}"), &wanted, NULL, &err);
    assert_non_null(before);
    json_t *after = json_deep_copy(before);
    json_t *members = json_object_get(json_object_get(after, "a"), "m");
    for (int i = 0; i < 100; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "k%d", i);
        assert_int_equal(json_object_set_new(members, key, json_string("v")), 0);
    }
    struct made made;
    make(&made, fx_patch_diff_brief, before, after);
    assert_int_equal(made.patch.n_ops, 100);
    assert_true(fx_patch_is_whole(&made.patch));
    finish(&made);
    json_decref(before);
    json_decref(after);
    fx_json_part_finish(&wanted);
}

/* ---- any objects ------------------------------------------------------------------- */

static unsigned draw(unsigned *seed, unsigned below) {
    return (unsigned)rand_r(seed) % below;
}

/* A value of any kind, most of them strings. */
static json_t *draw_value(unsigned *seed) {
    switch (draw(seed, 200)) {
    case 0: return json_integer(draw(seed, 5));
    case 1: return json_object();
    case 2: return json_pack("[s]", "e");
    default: break;
    }
    char text[40];
    const unsigned length = draw(seed, draw(seed, 10) == 0 ? 39 : 6);
    memset(text, 'a' + (int)draw(seed, 3), length);
    text[length] = '\0';
    return json_string(text);
}

/* Adds, changes and removes members, of keys that need escapes, too. */
static void change(json_t *members, unsigned times, unsigned *seed) {
    static const char *const heads[] = {"k", "example.com/k", "~", "\""};
    for (unsigned i = 0; i < times; i++) {
        char key[32];
        (void)snprintf(key, sizeof key, "%s%u", heads[draw(seed, FX_COUNT(heads))],
                       draw(seed, 40));
        if (draw(seed, 12) == 0) {
            (void)json_object_del(members, key);
        } else {
            assert_int_equal(json_object_set_new(members, key, draw_value(seed)), 0);
        }
    }
}

/* Two objects of members, one of them in a list. */
static json_t *draw_tree(unsigned *seed) {
    json_t *first = json_object();
    json_t *second = json_object();
    change(first, draw(seed, 6), seed);
    change(second, draw(seed, 30), seed);
    return json_pack("{s:{s:o},s:[{s:s,s:o}]}", "metadata", "m", first, "list", "name",
                     "x", "m", second);
}

static void gives_the_result_of_any_change(void **state) {
    (void)state;
    size_t n_shorter = 0;
    for (unsigned i = 1; i <= 1000; i++) {
        unsigned seed = i;
        json_t *before = draw_tree(&seed);
        json_t *after = json_deep_copy(before);
        json_t *first = json_object_get(json_object_get(after, "metadata"), "m");
        json_t *element = json_array_get(json_object_get(after, "list"), 0);
        change(first, draw(&seed, 80), &seed);
        change(json_object_get(element, "m"), draw(&seed, 80), &seed);
        struct made plain;
        make(&plain, fx_patch_diff, before, after);
        n_shorter += check(before, after) < plain.patch.n_ops;
        finish(&plain);
        json_decref(before);
        json_decref(after);
    }
    assert_true(n_shorter > 100);
    assert_true(n_shorter < 900);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_objects_whole),
        cmocka_unit_test(shows_the_object),
        cmocka_unit_test(leaves_the_root),
        cmocka_unit_test(leaves_what_was_read_in_part),
        cmocka_unit_test(gives_the_result_of_any_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
