/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/reads_test.c - what a query reads of its root, and whether it reads
 * anything.
 */
#include "location/jmespath/testing.h"
#include "value/json_part.h"

/* Writes the tree: `a{b c}`; `a[b]` for elements of a list; `*` for a whole value. */
static void write_part(struct fx_buf *buf, const struct fx_json_part *part) {
    if (!part->omits_rest) {
        fx_buf_char(buf, '*');
        return;
    }
    fx_buf_char(buf, part->is_list ? '[' : '{');
    for (const struct fx_json_part *below = part->first; below != NULL;
         below = below->next) {
        fx_buf_str(buf, below == part->first ? "" : " ");
        fx_buf_text(buf, below->key);
        write_part(buf, below);
    }
    fx_buf_char(buf, part->is_list ? ']' : '}');
}

static void parts_are_found(void **state) {
    (void)state;
    static const struct {
        const char *query, *expected;
    } rows[] = {
        {"a", "{a*}"},
        {"a.b.c", "{a{b{c*}}}"},
        {"a.b || a.c", "{a{c* b*}}"},
        {"@", "*"},
        {"@.a", "{a*}"},
        {"@ | a", "{a*}"},
        {"a | b", "{a{b*}}"},
        {"keys(@)", "*"},
        {"*.a", "*"},
        {"'x'", "{}"},
        {"`{\"a\": 1}`.a", "{}"},
        {"[a.x, b]", "{b* a{x*}}"},
        {"{k: a.x}", "{a{x*}}"},
        {"a[*].b", "{a[b*]}"},
        {"a[0].b", "{a[b*]}"},
        {"a[-1]", "{a*}"},
        {"a[1:].b", "{a[b*]}"},
        {"a[?b == 'x'].c", "{a[c* b*]}"},
        {"a[?b].c.d", "{a[c{d*} b[]]}"},
        {"a[].b", "{a*}"},
        {"a[*].b[*].c", "{a[b[c*]]}"},
        {"!(a.b)", "{a{b[]}}"},
        {"!a.b", "{a[]}"}, /* of the truth of a */
        {"length(a.b)", "{a{b*}}"},
        {"map(&x, a.b)", "{a{b*}}"},
        {"a.*.b", "{a*}"},
        {"a == b", "{b* a*}"},
    };
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct fx_jmespath *query = compile(rows[i].query);
        struct fx_json_part root = {.omits_rest = true};
        struct fx_json_cursor cursor;
        assert_true(fx_jmespath_reads(query, &root, &cursor));
        fx_json_cursor_all(cursor);
        fx_json_part_prune(&root);
        fx_buf_reset(&buf);
        write_part(&buf, &root);
        if (strcmp(buf.data, rows[i].expected) != 0) {
            fail_msg("%s: expected %s, got %s", rows[i].query, rows[i].expected,
                     buf.data);
        }
        fx_json_part_finish(&root);
        fx_jmespath_destroy(query);
    }
    fx_buf_finish(&buf);
}

/* The caller may not use the value, but only whether it exists. */
static void the_value_is_wanted_by_the_caller(void **state) {
    (void)state;
    struct fx_jmespath *query = compile("a.b");
    struct fx_json_part root = {.omits_rest = true};
    struct fx_json_cursor cursor;
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    assert_true(fx_jmespath_reads(query, &root, &cursor));
    write_part(&buf, &root);
    assert_string_equal(buf.data, "{a{b{}}}");
    fx_buf_finish(&buf);
    fx_json_part_finish(&root);
    fx_jmespath_destroy(query);
}

static void constants_are_known(void **state) {
    (void)state;
    static const struct {
        const char *query;
        bool is_constant;
    } rows[] = {
        {"'x'", true},
        {"`{\"a\": [1]}`.a[0]", true},
        {"`[{\"a\": 1}]`[?a == `1`].a | [0]", true},
        {"length('x') == `1` && !`false`", true},
        {"map(&a, `[{\"a\": 1}]`)", true},
        {"['x', {y: 'z'}]", true},
        {"`[[1]]`[]", true},
        {"a", false},
        {"@", false},
        {"[0]", false},
        {"'x' || a", false},
        {"a.b", false},
        {"a | 'x'", false}, /* may fail */
        {"map(&a, b)", false},
        {"`[1]`[*].[@] | [a]", true}, /* of a list: null */
        {"[a]", false},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct fx_jmespath *query = compile(rows[i].query);
        if (fx_jmespath_is_constant(query) != rows[i].is_constant) {
            fail_msg("%s", rows[i].query);
        }
        assert_true(fx_jmespath_is_deterministic(query));
        fx_jmespath_destroy(query);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_found),
        cmocka_unit_test(the_value_is_wanted_by_the_caller),
        cmocka_unit_test(constants_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
