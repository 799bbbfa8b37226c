/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kyverno/preconditions_test.c - the forms of preconditions and the order in
 * which they are evaluated (spec/kyverno.md section 5). patch_test.c has the operators.
 */
#include "mutators/kyverno/preconditions.h"

#include <string.h>

#include "mutators/kyverno/testing.h"

/* Evaluates preconditions: "true", "false: " and the condition that decided, or "! " and
 * the message. */
static void eval(json_t *conditions, struct fx_buf *buf) {
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    struct kyverno_context context;
    struct kyverno_preconditions *made = NULL;
    struct kyverno_false_condition false_ = {.part = NULL};
    const struct fx_request request = {.operation = FX_OPERATION_CREATE};
    bool holds = false;
    fx_arena_init(&arena, KYVERNO_TEST_ARENA);
    const struct kyverno_template_compile with = {.arena = &arena, .err = &err};
    const struct kyverno_path path = {.key = FX_TEXT("preconditions")};
    assert_true(fx_kyverno_context_init(&context, &request, NULL, &arena, &err));
    fx_buf_reset(buf);
    if (!fx_kyverno_preconditions_compile(&with, conditions, &path, &made)) {
        assert_non_null(err.node);
        fx_buf_printf(buf, "!! %s", err.msg);
    } else if (!fx_kyverno_preconditions_eval(made, &context, &holds, &false_, &err)) {
        fx_buf_printf(buf, "! %s", err.msg);
    } else if (holds) {
        assert_null(false_.part);
        fx_buf_str(buf, "true");
    } else {
        fx_buf_str(buf, "false: ");
        fx_kyverno_false_condition_print(buf, &false_);
    }
    fx_kyverno_false_condition_finish(&false_);
    fx_kyverno_preconditions_finish(made);
    fx_kyverno_context_finish(&context);
    fx_arena_finish(&arena);
}

#define EQUALS(key, value) "{\"key\":" key ",\"operator\":\"Equals\",\"value\":" value "}"
#define TRUE               EQUALS("\"{{ request.operation }}\"", "\"CREATE\"")
#define FALSE              EQUALS("1", "2")
#define FAULT              EQUALS("\"{{ nope }}\"", "1")

static void test_forms(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"null", "true"},
        {"{}", "true"},
        {"[]", "true"},
        {"{\"any\":null,\"all\":[]}", "true"},
        {"{\"any\":[]}", "false: any: no conditions"},
        {"{\"any\":[],\"all\":[" TRUE "]}", "false: any: no conditions"},
        {"[" TRUE "," TRUE "]", "true"},
        {"[" TRUE "," FALSE "]", "false: 1: 1 Equals 2"},
        {"{\"any\":[" FALSE "," TRUE "]}", "true"},
        {"{\"any\":[" FALSE "," FALSE "]}", "false: any/1: 1 Equals 2"},
        {"{\"any\":[" TRUE "],\"all\":[" FALSE "]}", "false: all/0: 1 Equals 2"},
        {"{\"any\":[" FALSE "],\"all\":[" TRUE "]}", "false: any/0: 1 Equals 2"},
        /* evaluation ends at the condition that decides a part; both parts count */
        {"{\"any\":[" TRUE "," FAULT "]}", "true"},
        {"{\"all\":[" FALSE "," FAULT "]}", "false: all/0: 1 Equals 2"},
        {"{\"any\":[" FALSE "],\"all\":[" FAULT "]}",
         "! failed to substitute variables in condition key: failed to resolve nope at "
         "path /preconditions/all/0/key: JMESPath query failed: Unknown key \"nope\" in "
         "path"},
        /* a missing side is null */
        {"[{\"operator\":\"notequals\",\"value\":1}]", "false: 0: null notequals 1"},
        {"[{\"key\":\"a\",\"operator\":\"NotEquals\"}]", "true"},
        {"[{\"key\":1,\"operator\":\"Like\"}]", "! unknown operator Like of a condition"},
        {"[{\"key\":1}]", "! a condition has no operator"},
        {"[1]", "!! a condition must be an object"},
        {"{\"all\":{}}", "!! `all` of preconditions must be a list"},
        {"\"x\"", "!! preconditions must be an object with `any` or `all`, or a list"},
    };
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *conditions = kyverno_read(rows[i][0]);
        eval(conditions, &buf);
        if (strcmp(buf.data, rows[i][1]) != 0) {
            fail_msg("%s: expected %s, got %s", rows[i][0], rows[i][1], buf.data);
        }
        json_decref(conditions);
    }
    fx_buf_finish(&buf);
}

/* Without preconditions everything holds. */
static void test_none(void **state) {
    (void)state;
    bool holds = false;
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_kyverno_preconditions_eval(NULL, NULL, &holds, NULL, &err));
    assert_true(holds);
    fx_kyverno_preconditions_finish(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
