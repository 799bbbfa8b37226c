/* SPDX-License-Identifier: Apache-2.0
 *
 * value/patch_test.c - reading, applying and writing JSON patches.
 */
#include "value/patch_testing.h"

#include <stdlib.h>

#include "base/limits.h"
#include "value/equal.h"
#include "value/patch.h"

/* `result` in angle brackets: the error. */
static const struct {
    const char *document, *patch, *result;
} patches[] = {
    /* RFC 6902 appendix A */
    {"{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\"}]",
     "{\"foo\":\"bar\",\"baz\":\"qux\"}"},
    {"{\"foo\":[\"bar\",\"baz\"]}",
     "[{\"op\":\"add\",\"path\":\"/foo/1\",\"value\":\"qux\"}]",
     "{\"foo\":[\"bar\",\"qux\",\"baz\"]}"},
    {"{\"baz\":\"qux\",\"foo\":\"bar\"}", "[{\"op\":\"remove\",\"path\":\"/baz\"}]",
     "{\"foo\":\"bar\"}"},
    {"{\"foo\":[\"bar\",\"qux\",\"baz\"]}", "[{\"op\":\"remove\",\"path\":\"/foo/1\"}]",
     "{\"foo\":[\"bar\",\"baz\"]}"},
    {"{\"foo\":{\"bar\":\"baz\",\"waldo\":\"fred\"},\"qux\":{\"corge\":\"grault\"}}",
     "[{\"op\":\"move\",\"from\":\"/foo/waldo\",\"path\":\"/qux/thud\"}]",
     "{\"foo\":{\"bar\":\"baz\"},\"qux\":{\"corge\":\"grault\",\"thud\":\"fred\"}}"},
    {"[\"all\",\"grass\",\"cows\",\"eat\"]",
     "[{\"op\":\"move\",\"from\":\"/1\",\"path\":\"/3\"}]",
     "[\"all\",\"cows\",\"eat\",\"grass\"]"},
    {"{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}",
     "[{\"op\":\"test\",\"path\":\"/baz\",\"value\":\"qux\"},"
     "{\"op\":\"test\",\"path\":\"/foo/1\",\"value\":2.0}]",
     "{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}"},
    {"{\"baz\":\"qux\"}", "[{\"op\":\"test\",\"path\":\"/baz\",\"value\":\"bar\"}]",
     "<operation 0 (test /baz): the value differs>"},
    {"{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/baz/bat\",\"value\":\"qux\"}]",
     "<operation 0 (add /baz/bat): the path does not exist>"},
    {"{\"/\":9,\"~1\":10}", "[{\"op\":\"test\",\"path\":\"/~01\",\"value\":10}]",
     "{\"/\":9,\"~1\":10}"},
    {"{\"foo\":[\"bar\"]}", "[{\"op\":\"add\",\"path\":\"/foo/-\",\"value\":[\"a\"]}]",
     "{\"foo\":[\"bar\",[\"a\"]]}"},
    /* the root */
    {"{\"a\":1}", "[{\"op\":\"add\",\"path\":\"\",\"value\":[1]}]", "[1]"},
    {"{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"\",\"value\":null}]", "null"},
    {"{\"a\":1}", "[{\"op\":\"copy\",\"from\":\"\",\"path\":\"/b\"}]",
     "{\"a\":1,\"b\":{\"a\":1}}"},
    {"{\"a\":[2]}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"\"}]", "[2]"},
    {"{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"\"}]",
     "<operation 0 (remove ): the whole document cannot be removed>"},
    /* moves into themselves, copies of themselves */
    {"{\"a\":{\"b\":1}}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a/c\"}]",
     "<operation 0 (move /a/c): a value cannot be moved into itself>"},
    {"{\"a\":1,\"ab\":{}}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/ab/c\"}]",
     "{\"ab\":{\"c\":1}}"},
    {"{\"a\":1}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a\"}]", "{\"a\":1}"},
    {"{\"a\":1}", "[{\"op\":\"move\",\"from\":\"/b\",\"path\":\"/b\"}]",
     "<operation 0 (move /b): the path to take from does not exist>"},
    {"{\"a\":{\"b\":1}}",
     "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/c\"},"
     "{\"op\":\"replace\",\"path\":\"/a/c/b\",\"value\":2}]",
     "{\"a\":{\"b\":1,\"c\":{\"b\":2}}}"},
    /* missing nodes */
    {"{\"a\":1}",
     "[{\"op\":\"add\",\"path\":\"/b\",\"value\":1},"
     "{\"op\":\"replace\",\"path\":\"/c\",\"value\":1}]",
     "<operation 1 (replace /c): the path does not exist>"},
    {"{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"/b\"}]",
     "<operation 0 (remove /b): the path does not exist>"},
    {"{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/a/b\",\"value\":1}]",
     "<operation 0 (add /a/b): the path does not exist>"},
    {"[1]", "[{\"op\":\"add\",\"path\":\"/2\",\"value\":1}]",
     "<operation 0 (add /2): the path does not exist>"},
    {"[1]", "[{\"op\":\"add\",\"path\":\"/1\",\"value\":2}]", "[1,2]"},
    {"[1]", "[{\"op\":\"replace\",\"path\":\"/1\",\"value\":2}]",
     "<operation 0 (replace /1): the path does not exist>"},
    {"[1]", "[{\"op\":\"replace\",\"path\":\"/0\",\"value\":2}]", "[2]"},
    {"[1]", "[{\"op\":\"remove\",\"path\":\"/-\"}]",
     "<operation 0 (remove /-): `-` is not an index of the list>"},
    {"[1]", "[{\"op\":\"add\",\"path\":\"/01\",\"value\":2}]",
     "<operation 0 (add /01): `01` is not an index of the list>"},
    {"[[1]]", "[{\"op\":\"add\",\"path\":\"/x/0\",\"value\":2}]",
     "<operation 0 (add /x/0): `x` is not an index of the list>"},
    {"{\"a\":null}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":null}]",
     "{\"a\":null}"},
    {"{}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":null}]",
     "<operation 0 (test /a): the path does not exist>"},
    /* documents that are no patch */
    {"{}", "{}", "<a JSON patch must be a list of operations>"},
    {"{}", "[1]", "<operation 0: an operation must be an object>"},
    {"{}", "[{}]", "<operation 0: `op` must be a string>"},
    {"{}", "[{\"op\":\"put\",\"path\":\"/a\"}]",
     "<operation 0: `put` is not an operation of a JSON patch>"},
    {"{}", "[{\"op\":\"add\",\"value\":1}]",
     "<operation 0: `path` must be a JSON pointer>"},
    {"{}", "[{\"op\":\"add\",\"path\":\"a\",\"value\":1}]",
     "<operation 0: `path` must be a JSON pointer>"},
    {"{}", "[{\"op\":\"remove\",\"path\":\"/a~\"}]",
     "<operation 0: `path` must be a JSON pointer>"},
    {"{}", "[{\"op\":\"add\",\"path\":\"/a\"}]", "<operation 0: `value` is missing>"},
    {"{}", "[{\"op\":\"copy\",\"path\":\"/a\"}]",
     "<operation 0: `from` must be a JSON pointer>"},
};

static void check_patch(const char *document_text, const char *patch_text,
                        const char *result) {
    struct fx_arena arena;
    struct fx_patch patch;
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf got;
    json_t *before = tree(document_text);
    json_t *document = tree(patch_text);
    json_t *root = json_incref(before);
    fx_buf_init(&got, 0);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_patch_init(&patch, &arena);
    if (fx_patch_parse(&patch, document, &err) && fx_patch_apply(&patch, &root, &err)) {
        fx_json_write(&got, root, FX_JSON_COMPACT);
    } else {
        fx_buf_printf(&got, "<%s>", err.msg);
        assert_int_equal(err.code, FX_EINVALID);
    }
    assert_string_equal(got.data, result);
    assert_unchanged(before, document_text);
    assert_unchanged(document, patch_text);
    json_decref(root);
    json_decref(before);
    json_decref(document);
    fx_buf_finish(&got);
    fx_arena_finish(&arena);
}

static void applies_patches(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(patches); i++) {
        check_patch(patches[i].document, patches[i].patch, patches[i].result);
    }
}

/* A patch of copies, each of the whole tree so far: the nth doubles it. */
static void bounds_copies(void **state) {
    (void)state;
    struct fx_arena arena;
    struct fx_patch patch;
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    for (int i = 0; i < 64; i++) {
        fx_buf_printf(&text, "%s{\"op\":\"copy\",\"from\":\"\",\"path\":\"/k%d\"}",
                      i == 0 ? "[" : ",", i);
    }
    fx_buf_char(&text, ']');
    json_t *document = tree(text.data);
    json_t *root = json_object();
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_patch_init(&patch, &arena);
    assert_true(fx_patch_parse(&patch, document, &err));
    assert_false(fx_patch_apply(&patch, &root, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    json_decref(root);
    json_decref(document);
    fx_buf_finish(&text);
    fx_arena_finish(&arena);
}

/* A value of the greatest depth fits at the root and nowhere below. */
static void bounds_depth(void **state) {
    (void)state;
    struct fx_arena arena;
    struct fx_patch patch;
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_fill(&text, '[', FX_LIMIT_JSON_DEPTH);
    fx_buf_fill(&text, ']', FX_LIMIT_JSON_DEPTH);
    json_t *deep = tree(text.data);
    json_t *document = tree("[{\"op\":\"add\",\"path\":\"\",\"value\":0},"
                            "{\"op\":\"add\",\"path\":\"/0\",\"value\":1}]");
    json_t *root = json_array();
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_patch_init(&patch, &arena);
    assert_true(fx_patch_parse(&patch, document, &err));
    patch.ops[0].value = deep;
    assert_true(fx_patch_apply(&patch, &root, &err));
    patch.ops[1].value = deep;
    assert_false(fx_patch_apply(&patch, &root, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    assert_string_equal(err.msg, "operation 1 (add /0): exceeded max depth");
    json_decref(root);
    json_decref(deep);
    json_decref(document);
    fx_buf_finish(&text);
    fx_arena_finish(&arena);
}

/* What a diff inserted is shared with `after`; writing on must not reach it there. */
static void leaves_inserted_values_alone(void **state) {
    (void)state;
    struct fx_arena arena;
    struct fx_patch patch;
    struct fx_err err = FX_ERR_INIT;
    json_t *document = tree("[{\"op\":\"add\",\"path\":\"/a\",\"value\":{\"b\":[1]}},"
                            "{\"op\":\"add\",\"path\":\"/a/b/-\",\"value\":2}]");
    json_t *root = json_object();
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_patch_init(&patch, &arena);
    assert_true(fx_patch_parse(&patch, document, &err));
    assert_true(fx_patch_apply(&patch, &root, &err));
    assert_tree(root, "{\"a\":{\"b\":[1,2]}}");
    assert_tree(patch.ops[0].value, "{\"b\":[1]}");
    json_decref(root);
    json_decref(document);
    fx_arena_finish(&arena);
}

static void writes_with_lines(void **state) {
    (void)state;
    struct fx_arena arena;
    struct fx_patch patch;
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf buf;
    json_t *document = tree("[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/<\"},"
                            "{\"op\":\"add\",\"path\":\"/b\",\"value\":[{}]}]");
    fx_buf_init(&buf, 0);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_patch_init(&patch, &arena);
    fx_patch_write(&buf, &patch, FX_JSON_INDENT);
    assert_string_equal(buf.data, "[]");
    fx_buf_reset(&buf);
    assert_true(fx_patch_parse(&patch, document, &err));
    fx_patch_write(&buf, &patch, FX_JSON_INDENT | FX_JSON_HTML);
    assert_string_equal(buf.data, "[\n    {\n        \"op\": \"move\",\n"
                                  "        \"from\": \"/a\",\n"
                                  "        \"path\": \"/\\u003c\"\n    },\n"
                                  "    {\n        \"op\": \"add\",\n"
                                  "        \"path\": \"/b\",\n"
                                  "        \"value\": [\n            {}\n        ]\n"
                                  "    }\n]");
    json_decref(document);
    fx_buf_finish(&buf);
    fx_arena_finish(&arena);
}

static long allocations_left;

static void *refusing_malloc(size_t size) {
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

/* Refuses each allocation of a node in turn while a shared tree is patched. */
static void survives_each_refused_node(void **state) {
    (void)state;
    struct fx_arena arena;
    struct fx_patch patch;
    struct fx_err err = FX_ERR_INIT;
    const char *text = "{\"a\":{\"b\":[1,{\"c\":\"d\"}]},\"e\":[[],[]]}";
    json_t *before = tree(text);
    json_t *after = tree("{\"a\":{\"b\":[1,{\"c\":\"f\",\"g\":1}]},\"e\":[[1],[],2]}");
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_patch_init(&patch, &arena);
    assert_true(fx_patch_diff(&patch, before, after, &err));
    bool ok = false;
    long refused = 0;
    json_set_alloc_funcs(refusing_malloc, free);
    while (!ok && refused < 1000) {
        json_t *root = json_incref(before);
        allocations_left = refused++;
        ok = fx_patch_apply(&patch, &root, &err);
        assert_true(ok || err.code == FX_ENOMEM);
        assert_int_equal(ok, fx_equal(root, after));
        json_decref(root);
    }
    json_set_alloc_funcs(malloc, free);
    assert_true(ok);
    assert_true(refused > 10);
    assert_unchanged(before, text);
    json_decref(before);
    json_decref(after);
    fx_arena_finish(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(applies_patches),
        cmocka_unit_test(bounds_copies),
        cmocka_unit_test(bounds_depth),
        cmocka_unit_test(leaves_inserted_values_alone),
        cmocka_unit_test(writes_with_lines),
        cmocka_unit_test(survives_each_refused_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
