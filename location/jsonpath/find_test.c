/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/find_test.c - the matches of a path and their key parts (spec
 * section 5.2).
 */
#include "location/jsonpath/testing.h"

static const char document[] =
    "{\"m\":{\"z/1\":1,\"007\":2,\"\":3,\"a[\\\"b\\\"]\":{\"x\":4},\"no\":null},"
    "\"l\":[{\"p\":[1,2]},{\"p\":[3]},{\"q\":[4]}],\"s\":\"text\"}";

/* `value@part/part` of each match; keys with quotes, indexes without. */
static void write_places(struct fx_buf *buf, const struct fx_jsonpath_matches *matches) {
    for (size_t i = 0; i < matches->n_matches; i++) {
        const struct fx_jsonpath_match *match = &matches->matches[i];
        fx_buf_str(buf, i > 0 ? " " : "");
        fx_json_write(buf, match->value, FX_JSON_SORT_KEYS);
        for (size_t k = 0; k < match->n_parts; k++) {
            fx_buf_char(buf, k == 0 ? '@' : ',');
            if (match->parts[k].is_index) {
                fx_buf_number(buf, match->parts[k].index);
            } else {
                fx_text_quote_go(buf, match->parts[k].key);
            }
        }
    }
}

static void test_places(void **state) {
    static const char *const rows[][2] = {
        {"$.s", "\"text\""},
        {"$.no", ""},
        {"$.s.x", ""},
        {"$.l[9]", ""},
        {"@", "null"},
        {"@.x", ""},
        {"$.l[0].p[1]", "2"},
        {"$.m[*]", "3@\"\" 2@\"007\" {\"x\":4}@\"a[\\\"b\\\"]\" null@\"no\" 1@\"z/1\""},
        {"$.m.no.x", ""},
        {"$.l[*].p[*]", "1@0,0 2@0,1 3@1,0"},
        {"$.l[1:].p[0]", "3@1"},
        {"$.l[::-1].p[::-1]", "3@1,0 2@0,1 1@0,0"},
        {"$.l[2,0].*[0]", "4@2,\"q\" 1@0,\"p\""},
        {"$.l[? isDefined(@.p)].p[? @ > 1]", "2@0,1 3@1,0"},
        {"$.m[\"z/1\",\"007\",\"none\"]", "1@\"z/1\" 2@\"007\""},
        {"$..p", "[1,2]@\"l\",0 [3]@\"l\",1"},
        {"$..[\"x\"]", "4@\"m\",\"a[\\\"b\\\"]\",\"x\""},
        {"$.l..*[1]", "2@0,\"p\""},
        {"$.s..(@)", "\"text\""},
        {"$.s({\"k\" + @: 1})[*]", "1@\"ktext\""},
    };
    json_t *root = read_json(document);
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct fx_jsonpath *path = compile(rows[i][0], FX_JSONPATH_PATH);
        struct fx_jsonpath_matches matches = {0};
        struct fx_err err = FX_ERR_INIT;
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        assert_true(fx_jsonpath_find(path, root, &matches, &err));
        write_places(&buf, &matches);
        if (strcmp(buf.data == NULL ? "" : buf.data, rows[i][1]) != 0) {
            fail_msg("%s: expected %s, got %s", rows[i][0], rows[i][1], buf.data);
        }
        fx_buf_finish(&buf);
        fx_jsonpath_matches_finish(&matches);
        fx_jsonpath_matches_finish(&matches);
        fx_jsonpath_destroy(path);
    }
    json_decref(root);
    (void)state;
}

/* Matches own their keys. */
static void test_keys_outlive_the_object(void **state) {
    json_t *root = read_json(document);
    struct fx_jsonpath *path = compile("$.m[*]", FX_JSONPATH_PATH);
    struct fx_jsonpath_matches matches = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_jsonpath_find(path, root, &matches, &err));
    json_decref(root);
    fx_jsonpath_destroy(path);
    assert_true(fx_text_is(matches.matches[4].parts[0].key, "z/1"));
    fx_jsonpath_matches_finish(&matches);
    fx_jsonpath_matches_finish(NULL);
    (void)state;
}

static void test_counts_parts(void **state) {
    static const struct {
        const char *text;
        size_t count;
    } rows[] = {
        {"$", 0},
        {"$.a.b[0]", 0},
        {"$.a[*].b", 1},
        {"$.*[? @.x[*] == 1].b[1:2]", 3},
        {"$.a[1,2][-1:]", 2},
        {"$.a(@.b[*])", 0},
    };
    size_t count = 0;
    (void)state;
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct fx_jsonpath *path = compile(rows[i].text, FX_JSONPATH_PATH);
        assert_true(fx_jsonpath_count_parts(path, &count));
        assert_int_equal(count, rows[i].count);
        fx_jsonpath_destroy(path);
    }
    struct fx_jsonpath *path = compile("$..x[*]", FX_JSONPATH_PATH);
    assert_false(fx_jsonpath_count_parts(path, &count));
    fx_jsonpath_destroy(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_keys_outlive_the_object),
        cmocka_unit_test(test_counts_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
