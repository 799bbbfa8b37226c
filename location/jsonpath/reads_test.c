/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/reads_test.c - what an expression may read, and that nothing else
 * makes a difference.
 */
#include "location/jsonpath/testing.h"

#include <stdio.h>

#include "value/json_part_testing.h"

/* The wanted parts of the object; `!` marks the position of the value. */
static const struct {
    const char *expression, *reads;
} reads[] = {
    {"$.a.b", "{a{b!}}"},
    {"$[\"a\"].b", "{a{b!}}"},
    {"$.l[*].a", "{l[]{a!}}"},
    {"$.l[0].a", "{l[]{a!}}"},
    {"$.l[\"0\"].a", "{l[]{a!}}"},
    {"$.l[0:2].a", "{l[]{a!}}"},
    {"$.l[*]", "{l![]}"},
    {"$.l[*][*].a", "{l![]*}"},
    {"$.l[*].m[*].a", "{l[]{m[]{a!}}}"},
    {"$.l[? @.n == \"x\"].a", "{l[]{n* a!}}"},
    {"$.l[? @.n].a", "{l[]{n a!}}"},
    {"$.l[? isDefined(@.n.o)].a", "{l[]{n{o} a!}}"},
    {"$.l[length(@) - 1].a", "{l[]{a!}}"},
    {"$.l[$.i].a", "{l[]{a!} i*}"},
    {"$.a[\"b\", \"c\"].d", "{a!*}"},
    {"$.a..b", "{a!*}"},
    {"$..b", "!*"},
    {"$.*.b", "[]{b!}"},
    {"$", "!"},
    {"$.a(@.b)", "{a{b!}}"},
    {"$.a(@.b == 1)", "{a{b*}}"},
    {"@.a", ""},
    {"a.b", "{a{b!}}"},
    {"a[\"0\"]", "{a![]}"},
    {"a[$.b].c", "{a[]{c!} b*}"},
    {"isDefined($.a.b)", "{a{b}}"},
    {"length($.a.b)", "{a{b[]}}"},
    {"isEmpty($.l[*])", "{l[]*}"},
    {"length($.a) + $.b.c", "{a[] b{c*}}"},
    {"$.a == \"x\" && !$.b || $.c in [$.d, 1]", "{a* b* c* d*}"},
    {"$.a ? $.b : $.c", "{a* b* c*}"},
    {"[$.a, {\"k\": $.b}]", "{a* b*}"},
    {"{#0: $.l[*].a}", "{l[]{a*}}"},
    {"$.a =~ $.b", "{a* b*}"},
    {"date($.a) < date(\"2020-01-01\")", "{a}"},
    {"nothing($.a)", ""},
    {"\"x\"", ""},
};

/* Marks the position in the text by a `!` after its name. */
static void print(struct fx_buf *buf, struct fx_json_part *root,
                  struct fx_json_cursor cursor) {
    char marked[64];
    const struct fx_text key = cursor.part == NULL ? FX_TEXT("") : cursor.part->key;
    if (cursor.part != NULL) {
        (void)snprintf(marked, sizeof marked, "%.*s!", FX_TEXT_ARG(key));
        cursor.part->key = fx_text_of(marked);
        if (cursor.part == root) {
            fx_buf_char(buf, '!');
        }
    }
    part_testing_print(buf, root);
    if (cursor.part != NULL) {
        cursor.part->key = key;
    }
}

static void finds_what_is_read(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(reads); i++) {
        struct fx_jsonpath *path = compile(reads[i].expression, FX_JSONPATH_EXPRESSION);
        struct fx_json_part root = {.omits_rest = true};
        struct fx_json_cursor cursor;
        struct fx_buf text;
        fx_buf_init(&text, 0);
        assert_true(fx_jsonpath_reads(path, &root, &cursor));
        print(&text, &root, cursor);
        if (strcmp(text.len == 0 ? "" : text.data, reads[i].reads) != 0) {
            fail_msg("%s: wanted %s, got %s", reads[i].expression, reads[i].reads,
                     text.data);
        }
        fx_buf_finish(&text);
        fx_json_part_finish(&root);
        fx_jsonpath_destroy(path);
    }
}

#define ELEMENTS           "[{\"a\":1,\"n\":\"x\",\"y\":1},{\"a\":2},3,[{\"a\":4}]]"
#define KEYED              "{\"0\":{\"a\":1},\"p\":{\"a\":2,\"n\":{\"o\":1}}}"
#define DEEP               "[{\"m\":[{\"a\":1},{\"b\":2}]},{\"m\":{\"k\":{\"a\":5}}}]"
#define OBJECT(a, l, more) "{\"a\":" a ",\"l\":" l more "}"

static const char *const objects[] = {
    OBJECT("{\"b\":1,\"x\":2}", ELEMENTS, ",\"b\":{\"c\":1},\"i\":1,\"z\":{}"),
    OBJECT("[1,{\"b\":2,\"c\":3}]", KEYED, ",\"b\":0,\"i\":\"p\""),
    OBJECT("null", DEEP, ",\"b\":{}"),
    OBJECT("{\"b\":{\"c\":{}}}", "\"text\"", ""),
};

/* The whole object, and the part in which all of the value is wanted, give the same
 * result. */
static void parts_give_the_same(void **state) {
    (void)state;
    struct fx_buf of_whole, of_part;
    fx_buf_init(&of_whole, 0);
    fx_buf_init(&of_part, 0);
    for (size_t i = 0; i < FX_COUNT(reads); i++) {
        struct fx_jsonpath *path = compile(reads[i].expression, FX_JSONPATH_EXPRESSION);
        struct fx_json_part root = {.omits_rest = true};
        struct fx_json_cursor cursor;
        assert_true(fx_jsonpath_reads(path, &root, &cursor));
        fx_json_cursor_all(cursor);
        fx_json_part_prune(&root);
        for (size_t k = 0; k < FX_COUNT(objects); k++) {
            struct fx_err err = FX_ERR_INIT;
            json_t *whole = read_json(objects[k]);
            json_t *part = fx_json_read_part(fx_text_of(objects[k]), &root, NULL, &err);
            evaluate_to(&of_whole, reads[i].expression, whole);
            evaluate_to(&of_part, reads[i].expression, part);
            assert_string_equal(of_whole.data, of_part.data);
            json_decref(whole);
            json_decref(part);
        }
        fx_json_part_finish(&root);
        fx_jsonpath_destroy(path);
    }
    fx_buf_finish(&of_whole);
    fx_buf_finish(&of_part);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_is_read),
        cmocka_unit_test(parts_give_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
