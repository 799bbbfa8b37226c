/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/messages_test.c - messages of protobuf as values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "location/cel/check_testing.h"

static const struct fx_cel_env plain_env = {.libraries = testing_libraries};

static struct fx_cel_value evaluate(const struct fx_cel_program *program,
                                    struct fx_arena *arena, struct fx_err *err) {
    struct fx_cel_run run = {.arena = arena, .cost_limit = FX_CEL_COST_LIMIT};
    return fx_cel_eval(program, &run, err);
}

static struct fx_cel_program *compile(struct fx_arena *arena, const char *text) {
    struct fx_cel_program *program = NULL;
    struct fx_cel_faults faults = {.arena = arena};
    struct fx_err err = FX_ERR_INIT;
    enum fx_cel_stage stage = FX_CEL_STAGE_PARSE;
    if (!fx_cel_compile(&plain_env, fx_text_of(text), NULL, &program, &faults, &stage,
                        &err)) {
        fail_msg("%s: %s", text, faults.n > 0 ? faults.items[0].message : err.msg);
    }
    return program;
}

static void test_values(void **state) {
    static const struct {
        const char *text, *error; /* NULL: the value is true */
    } rows[] = {
        {"google.protobuf.Timestamp{seconds: 1, nanos: 5} > timestamp(1)", NULL},
        {"google.protobuf.Timestamp{} == timestamp(0)", NULL},
        {"google.protobuf.Duration{seconds: -1, nanos: -5} < duration('-1s')", NULL},
        {"google.protobuf.Int32Value{value: 7} + 1 == 8", NULL},
        {"google.protobuf.UInt64Value{} == 0u", NULL},
        {"google.protobuf.BytesValue{value: b'a'} == b'a'", NULL},
        {"google.protobuf.StringValue{?value: {}.?a} == ''", NULL},
        {"google.protobuf.BoolValue{value: 1 == 1}", NULL},
        {"google.protobuf.FloatValue{value: 1.5} == 1.5", NULL},
        {"google.protobuf.Struct{fields: {'a': dyn(1)}}.a == 1", NULL},
        {"google.protobuf.Struct{}.size() == 0", NULL},
        {"google.protobuf.ListValue{values: [1]} == [1]", NULL},
        {"google.protobuf.Value{string_value: 'a'} == 'a'", NULL},
        {"google.protobuf.Value{} == null", NULL},
        {"google.protobuf.Timestamp{seconds: 253402300800} == timestamp(0)",
         "timestamp overflow"},
        {"google.protobuf.Timestamp{nanos: -1} == timestamp(0)", "timestamp overflow"},
        {"google.protobuf.Duration{seconds: 9223372037} == duration('1s')",
         "duration overflow"},
        {"google.protobuf.Int32Value{value: 2147483648} == 1",
         "google.protobuf.Int32Value.value"},
        {"google.protobuf.Int64Value{value: dyn('a')} == 1", "value type: string"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fx_arena arena;
        struct fx_err err = FX_ERR_INIT;
        fx_arena_init(&arena, 1u << 20);
        struct fx_cel_program *program = compile(&arena, rows[i].text);
        const struct fx_cel_value value = evaluate(program, &arena, &err);
        if (rows[i].error == NULL
                ? !fx_cel_is_true(value)
                : !fx_cel_is_error(value) || strstr(value.error, rows[i].error) == NULL) {
            fail_msg("%s: %s", rows[i].text,
                     fx_cel_is_error(value) ? value.error : "a value");
        }
        fx_cel_destroy(program);
        fx_arena_finish(&arena);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
