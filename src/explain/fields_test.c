/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/fields_test.c - traces of known steps, and the stories they make.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "explain/report.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/pointer.h"

#define MAX_STEPS 6

/* What the object is after the step of a mutator. */
struct step {
    uint32_t mutator, pass;
    const char *object;
};

static json_t *read_json(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *node = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(node);
    return node;
}

/* Gives the object after the last step. */
static json_t *record(struct fx_trace *trace, json_t *object, const struct step *steps) {
    json_t *before = json_incref(object);
    for (size_t i = 0; i < MAX_STEPS && steps[i].object != NULL; i++) {
        const struct fx_trace_step step = {
            .mutator = steps[i].mutator,
            .pass = steps[i].pass,
            .verdict.matched = true,
            .effect = {.applied = true, .changed = true},
        };
        json_t *after = read_json(steps[i].object);
        assert_true(fx_trace_record(trace, &step, before, after));
        json_decref(before);
        before = after;
    }
    return before;
}

static void print_value(struct fx_buf *buf, const json_t *value) {
    if (value == NULL) {
        fx_buf_char(buf, '-');
    } else {
        fx_json_write(buf, value, FX_JSON_COMPACT);
    }
}

/* "path /pointer: initial 1>value 2>value" */
static void print_field(struct fx_buf *buf, const struct fx_explain_field *field) {
    struct fx_buf path;
    fx_buf_init(&path, 0);
    fx_explain_field_print_path(&path, field);
    fx_buf_printf(buf, "%s ", path.data);
    fx_buf_finish(&path);
    fx_explain_field_print_pointer(buf, field);
    fx_buf_str(buf, ": ");
    print_value(buf, field->initial);
    for (size_t i = 0; i < field->n_steps; i++) {
        fx_buf_printf(buf, " %u>", (unsigned)field->steps[i].mutator);
        print_value(buf, field->steps[i].value);
    }
    fx_buf_char(buf, '\n');
}

/* The last value of each field without fields below is what stands at its pointer in the
 * end, and all of it is what the last step made. */
static void check_end(const struct fx_explain_fields *fields, const json_t *end) {
    assert_true(fx_equal(fields->object, end));
    for (size_t i = 0; i < fields->n_items; i++) {
        const struct fx_explain_field *field = fields->items[i];
        const json_t *last = field->steps[field->n_steps - 1].value;
        struct fx_buf pointer;
        fx_buf_init(&pointer, 0);
        fx_explain_field_print_pointer(&pointer, field);
        const struct fx_text text = {pointer.data, pointer.len};
        assert_true(field->first != NULL || last == NULL ||
                    fx_equal(last, fx_pointer_view(fields->object, text)));
        fx_buf_finish(&pointer);
    }
}

static char *story_of(const char *object, const struct step *steps) {
    struct fx_arena arena;
    struct fx_trace trace;
    struct fx_explain_fields fields = {0};
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf buf;
    json_t *root = read_json(object);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_trace_init(&trace, &arena);
    fx_buf_init(&buf, 0);
    json_t *end = record(&trace, root, steps);
    if (!fx_explain_fields_make(&trace, root, &fields, &err)) {
        fail_msg("%s", err.msg);
    }
    check_end(&fields, end);
    json_decref(end);
    for (size_t i = 0; i < fields.n_items; i++) {
        print_field(&buf, fields.items[i]);
    }
    fx_explain_fields_finish(&fields);
    fx_trace_finish(&trace);
    fx_arena_finish(&arena);
    json_decref(root);
    return fx_buf_steal(&buf);
}

static const struct story {
    const char *name, *object;
    struct step steps[MAX_STEPS];
    const char *expected;
} stories[] = {
    {"nothing", "{\"a\":1}", {{0, 1, "{\"a\":1}"}}, ""},
    {"one field", "{\"a\":1}", {{7, 1, "{\"a\":2}"}}, "a /a: 1 7>2\n"},
    {"a chain",
     "{\"a\":1}",
     {{0, 1, "{\"a\":2}"}, {1, 1, "{\"a\":3}"}, {0, 2, "{\"a\":2}"}},
     "a /a: 1 0>2 1>3 0>2\n"},
    {"a parent made on the way is no field",
     "{}",
     {{0, 1, "{\"m\":{\"l\":{\"x.y/z\":\"1\"}}}"},
      {1, 1, "{\"m\":{\"l\":{\"x.y/z\":\"1\",\"b\":\"2\"}}}"}},
     "m.l.\"x.y/z\" /m/l/x.y~1z: - 0>\"1\"\nm.l.b /m/l/b: - 1>\"2\"\n"},
    {"an object of two is one, and what changes in it another",
     "{}",
     {{0, 1, "{\"s\":{\"a\":1,\"b\":2}}"}, {1, 1, "{\"s\":{\"a\":3,\"b\":2}}"}},
     "s /s: - 0>{\"a\":1,\"b\":2}\ns.a /s/a: - 0>1 1>3\n"},
    {"what goes with its parent",
     "{\"s\":{\"a\":1,\"b\":2}}",
     {{0, 1, "{\"s\":{\"a\":2,\"b\":2}}"}, {1, 1, "{}"}},
     "s /s: {\"a\":2,\"b\":2} 1>-\ns.a /s/a: 1 0>2 1>-\n"},
    {"a list of plain values is one field",
     "{\"l\":[\"a\",\"b\"]}",
     {{0, 1, "{\"l\":[\"x\",\"a\",\"b\",\"c\"]}"}, {1, 1, "{\"l\":[\"x\",\"c\"]}"}},
     "l /l: [\"a\",\"b\"] 0>[\"x\",\"a\",\"b\",\"c\"] 1>[\"x\",\"c\"]\n"},
    {"lists in lists",
     "{\"l\":[[1],[2]]}",
     {{0, 1, "{\"l\":[[1],[2,3]]}"}, {1, 1, "{\"l\":[[1],[2]]}"}},
     "l[1] /l/1: [2] 0>[2,3] 1>[2]\n"},
    {"an element keeps its place when others come and go",
     "{\"c\":[{\"name\":\"a\",\"i\":1},{\"name\":\"b\",\"i\":1}]}",
     {{0, 1, "{\"c\":[{\"name\":\"a\",\"i\":1},{\"name\":\"b\",\"i\":2}]}"},
      {1, 1,
       "{\"c\":[{\"name\":\"n\",\"i\":9},{\"name\":\"a\",\"i\":1},"
       "{\"name\":\"b\",\"i\":2}]}"},
      {2, 1,
       "{\"c\":[{\"name\":\"n\",\"i\":9},{\"name\":\"a\",\"i\":1},"
       "{\"name\":\"b\",\"i\":3}]}"},
      {3, 1, "{\"c\":[{\"name\":\"a\",\"i\":1},{\"name\":\"b\",\"i\":3}]}"},
      {0, 2, "{\"c\":[{\"name\":\"a\",\"i\":1},{\"name\":\"b\",\"i\":2}]}"}},
     "c[name: b].i /c/1/i: 1 0>2 2>3 0>2\n"
     "c[name: n] /c/0: - 1>{\"name\":\"n\",\"i\":9} 3>-\n"},
    {"an element that comes again is the same",
     "{\"c\":[{\"name\":\"a\",\"i\":1}]}",
     {{0, 1, "{\"c\":[{\"name\":\"a\",\"i\":1},{\"name\":\"n\",\"i\":9}]}"},
      {1, 1, "{\"c\":[{\"name\":\"a\",\"i\":1}]}"},
      {0, 2, "{\"c\":[{\"name\":\"n\",\"i\":9},{\"name\":\"a\",\"i\":1}]}"}},
     "c[name: n] /c/0: - 0>{\"name\":\"n\",\"i\":9} 1>- 0>{\"name\":\"n\",\"i\":9}\n"},
    {"what changes in a new element",
     "{\"c\":[]}",
     {{0, 1, "{\"c\":[{\"name\":\"n\",\"i\":9}]}"},
      {1, 1, "{\"c\":[{\"name\":\"n\",\"i\":8}]}"}},
     "c[name: n] /c/0: - 0>{\"name\":\"n\",\"i\":9}\nc[name: n].i /c/0/i: - 0>9 1>8\n"},
    {"elements without a name go by their number",
     "{\"t\":[{\"k\":1,\"e\":1,\"z\":1},{\"k\":2,\"e\":1,\"z\":1}]}",
     {{0, 1, "{\"t\":[{\"k\":1,\"e\":1,\"z\":1},{\"k\":2,\"e\":2,\"z\":1}]}"},
      {1, 1, "{\"t\":[{\"q\":0},{\"k\":1,\"e\":1,\"z\":1},{\"k\":2,\"e\":2,\"z\":1}]}"},
      {2, 1, "{\"t\":[{\"q\":0},{\"k\":1,\"e\":1,\"z\":1},{\"k\":2,\"e\":3,\"z\":1}]}"}},
     "t[2].e /t/2/e: 1 0>2 2>3\nt[0] /t/0: - 1>{\"q\":0}\n"},
    {"a whole list, and a member of an element of it",
     "{}",
     {{0, 1, "{\"c\":[{\"name\":\"a\",\"i\":1}]}"},
      {1, 1, "{\"c\":[{\"name\":\"a\",\"i\":2}]}"},
      {2, 1, "{\"c\":7}"}},
     "c /c: - 0>[{\"name\":\"a\",\"i\":1}] 2>7\nc[name: a].i /c/0/i: - 0>1 1>2 2>-\n"},
};

static void test_stories(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(stories); i++) {
        char *got = story_of(stories[i].object, stories[i].steps);
        if (strcmp(got, stories[i].expected) != 0) {
            fail_msg("%s: expected\n%sgot\n%s", stories[i].name, stories[i].expected,
                     got);
        }
        free(got);
    }
}

/* An element that is replaced by one of another name is two fields. */
static void test_exchange(void **state) {
    (void)state;
    const struct step steps[MAX_STEPS] = {
        {0, 1, "{\"c\":[{\"name\":\"b\",\"x\":2},{\"name\":\"z\"}]}"}};
    char *got = story_of("{\"c\":[{\"name\":\"a\",\"y\":1},{\"name\":\"z\"}]}", steps);
    assert_string_equal(got, "c[name: a] /c/0: {\"name\":\"a\",\"y\":1} 0>-\n"
                             "c[name: b] /c/0: - 0>{\"name\":\"b\",\"x\":2}\n");
    free(got);
}

/* A trace of another object is our own fault, and said to be. */
static void test_wrong_object(void **state) {
    (void)state;
    struct fx_arena arena;
    struct fx_trace trace;
    struct fx_explain_fields fields = {0};
    struct fx_err err = FX_ERR_INIT;
    json_t *root = read_json("{\"a\":{\"b\":1}}");
    json_t *other = read_json("{}");
    const struct step steps[MAX_STEPS] = {{0, 1, "{\"a\":{\"b\":2}}"}};
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_trace_init(&trace, &arena);
    json_decref(record(&trace, root, steps));
    assert_false(fx_explain_fields_make(&trace, other, &fields, &err));
    assert_int_equal(err.code, FX_EINTERNAL);
    fx_explain_fields_finish(&fields);
    fx_trace_finish(&trace);
    fx_arena_finish(&arena);
    json_decref(other);
    json_decref(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stories),
        cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_wrong_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
