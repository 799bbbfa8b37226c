/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/query_test.c - what --field takes, and which places it is about.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/limits.h"
#include "explain/report.h"
#include "value/json.h"

static struct fx_query *must_parse(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_query *query = NULL;
    if (!fx_query_parse(fx_text_of(text), &query, &err)) {
        fail_msg("`%s`: %s", text, err.msg);
    }
    return query;
}

static void test_faults(void **state) {
    (void)state;
    static const char *const faults[] = {
        ".",    "..a", "spec.",  "spec[0", "spec[name]", "a..b",
        "/a~2", "/a~", "a[\"0]", "[0]",    "a[-1]",
    };
    for (size_t i = 0; i < FX_COUNT(faults); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_query *query = NULL;
        if (fx_query_parse(fx_text_of(faults[i]), &query, &err)) {
            fail_msg("`%s` was taken", faults[i]);
        }
        assert_int_equal(err.code, FX_ESYNTAX);
        assert_null(query);
    }
}

static json_t *read_json(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *node = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(node);
    return node;
}

/* The one field that differs. */
static void make_field(const char *before, const char *after, struct fx_arena *arena,
                       struct fx_explain_fields *ret_fields) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_trace trace;
    const struct fx_trace_step step = {
        .pass = 1, .verdict.matched = true, .effect = {.applied = true, .changed = true}};
    json_t *old = read_json(before);
    json_t *new = read_json(after);
    fx_trace_init(&trace, arena);
    assert_true(fx_trace_record(&trace, &step, old, new));
    assert_true(fx_explain_fields_make(&trace, old, ret_fields, &err));
    assert_int_equal(ret_fields->n_items, 1);
    fx_trace_finish(&trace);
    json_decref(old);
    json_decref(new);
}

static void expect_has(const struct fx_explain_fields *fields, const char *text,
                       bool has) {
    struct fx_query *query = must_parse(text);
    if (fx_query_covers(query, fields->items[0]) != has) {
        fail_msg("`%s` %s", text, has ? "misses it" : "has it");
    }
    fx_query_destroy(query);
}

static void test_has(void **state) {
    (void)state;
    static const struct {
        const char *before, *after;
        const char *in[15], *out[15]; /* NULL ends */
    } cases[] = {
        {"{\"s\":{\"c\":[{\"name\":\"a\"},{\"name\":\"b\",\"i\":1}]}}",
         "{\"s\":{\"c\":[{\"name\":\"a\"},{\"name\":\"b\",\"i\":2}]}}",
         {"", "s", "s.c", ".s.c", "s.c[name: b]", "s.c[name: *].i", "s.c[name: b].i",
          "s.c[1].i", "s.c[*]", "/s", "/s/c/1", "/s/c/1/i", "s.c[name: b].i.deeper",
          "s.c[name: * except \"a\"]", NULL},
         {"x", "s.i", "s.c[name: a].i", "s.c[0]", "/s/c/0", "/s/c/name", "s.c.i",
          "s.c[name: b].x", "s.c[key: b]", "s.c[name: * except b]", "/s/c/01", "s[*]",
          NULL}},
        {"{\"m\":{\"a.b/c\":1}}",
         "{\"m\":{\"a.b/c\":2}}",
         {"m.\"a.b/c\"", "m.'a.b/c'", "/m/a.b~1c", NULL},
         {"m.\"a.b\"", "/m/a.b/c", NULL}},
        {"{\"l\":[{\"key\":\"[0]\",\"v\":1}]}",
         "{\"l\":[{\"key\":\"[0]\",\"v\":2}]}",
         {"l[key: \"[0]\"].v", "l[0].v", "l[key: '[0]']", NULL},
         {"l[key: \"[1]\"].v", "l[1].v", NULL}},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_arena arena;
        struct fx_explain_fields fields = {0};
        fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
        make_field(cases[i].before, cases[i].after, &arena, &fields);
        for (size_t j = 0; cases[i].in[j] != NULL; j++) {
            expect_has(&fields, cases[i].in[j], true);
        }
        for (size_t j = 0; cases[i].out[j] != NULL; j++) {
            expect_has(&fields, cases[i].out[j], false);
        }
        fx_explain_fields_finish(&fields);
        fx_arena_finish(&arena);
    }
}

/* What is printed for a field names it. */
static void test_printed_is_taken(void **state) {
    (void)state;
    static const char *const names[] = {
        "a", "5", "", "a b", "x.y/z", "q\\\\", "'", "\\\"", "ä", "-", "\\u0001", "[0]",
    };
    for (size_t i = 0; i < FX_COUNT(names); i++) {
        char before[200];
        char after[200];
        (void)snprintf(before, sizeof before, "{\"l\":[{\"name\":\"%s\",\"%s\":1}]}",
                       names[i], i % 2 == 0 ? "v" : names[i - 1]);
        (void)snprintf(after, sizeof after, "{\"l\":[{\"name\":\"%s\",\"%s\":2}]}",
                       names[i], i % 2 == 0 ? "v" : names[i - 1]);
        struct fx_arena arena;
        struct fx_explain_fields fields = {0};
        struct fx_buf path;
        fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
        fx_buf_init(&path, 0);
        make_field(before, after, &arena, &fields);
        fx_explain_field_print_path(&path, fields.items[0]);
        expect_has(&fields, path.data, true);
        fx_buf_reset(&path);
        fx_explain_field_print_pointer(&path, fields.items[0]);
        expect_has(&fields, path.data, true);
        fx_buf_finish(&path);
        fx_explain_fields_finish(&fields);
        fx_arena_finish(&arena);
    }
}

static void print_path(struct fx_buf *buf, const struct fx_query *query) {
    static const char *const types[] = {
        [FX_PATH_MEMBER] = "member",
        [FX_PATH_ELEMENT] = "element",
        [FX_PATH_TOKEN] = "token",
    };
    size_t n_steps = 0;
    const struct fx_path_step *path = fx_query_path(query, &n_steps);
    for (size_t i = 0; i < n_steps; i++) {
        fx_buf_printf(buf, "%s %.*s", types[path[i].type], FX_TEXT_ARG(path[i].name));
        if (path[i].value != NULL) {
            fx_buf_char(buf, '=');
            fx_json_write(buf, path[i].value, FX_JSON_COMPACT);
        }
        fx_buf_char(buf, ' ');
    }
}

static void test_path(void **state) {
    (void)state;
    static const struct {
        const char *query, *path;
    } cases[] = {
        {"s", "member s "},
        {"s.c[name: a].i", "member s member c element name=\"a\" member i "},
        {"c[port: 80]", "member c element port=80 "},
        {"c[name: *]", "member c element name "},
        {"c[0]", "member c element =0 "},
        {"c[*]", "member c element  "},
        {"/s/c~1d/0", "token s token c/d token 0 "},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        struct fx_query *query = must_parse(cases[i].query);
        print_path(&buf, query);
        assert_string_equal(buf.data, cases[i].path);
        fx_query_destroy(query);
        fx_buf_finish(&buf);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_has),
        cmocka_unit_test(test_printed_is_taken),
        cmocka_unit_test(test_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
