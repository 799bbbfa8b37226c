/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/compilation_test.c - the message of a fault: its field, and its position where
 * no caret can show it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/limits.h"
#include "engine/dialect.h"

static const struct {
    const char *node; /* NULL: none */
    uint32_t off, len;
    size_t field_len;
    const char *text, *field, *message;
} cases[] = {
    {"$.a ]", 4, 1, 4, "spec: bad", "spec", "bad (at character 5)"},
    {"$.\xC3\xA4 ]", 5, 1, 0, "bad", "", "bad (at character 5)"},
    {"a\nb\n  c", 6, 1, 0, "bad", "", "bad (at line 3, character 3)"},
    {"a\n", 0, 1, 0, "bad", "", "bad (at line 1, character 1)"},
    {"abc", 9, 2, 0, "bad", "", "bad (at character 4)"},
    {"abc", 1, 0, 4, "spec: bad", "spec", "bad"},
    {NULL, 1, 1, 4, "spec: bad", "spec", "bad"},
};

static void prints_faults(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_compilation compilation = {0};
        struct fx_buf text;
        json_t *node = cases[i].node == NULL ? json_object() : json_string(cases[i].node);
        const struct fx_fault fault = {
            .type = FX_FAULT_INVALID,
            .node = node,
            .off = cases[i].off,
            .len = cases[i].len,
            .field_len = cases[i].field_len,
        };
        assert_true(
            fx_compilation_fault(&compilation, &fault, fx_text_of(cases[i].text)));
        assert_int_equal(compilation.n_faults, 1);
        assert_string_equal(compilation.faults[0].text, cases[i].text);
        fx_buf_init(&text, 0);
        fx_fault_print(&text, &compilation.faults[0]);
        assert_string_equal(text.data, cases[i].message);
        assert_true(fx_text_is(fx_fault_field(&compilation.faults[0]), cases[i].field));
        fx_buf_finish(&text);
        fx_compilation_finish(&compilation);
        json_decref(node);
    }
}

/* So many are kept, and the others are counted. */
static void bounds_faults(void **state) {
    (void)state;
    struct fx_compilation compilation = {0};
    const struct fx_fault fault = {.type = FX_FAULT_REQUIRED};
    for (size_t i = 0; i < FX_LIMIT_FINDINGS + 7; i++) {
        assert_true(fx_compilation_fault(&compilation, &fault, FX_TEXT("missing")));
    }
    assert_int_equal(compilation.n_faults, FX_LIMIT_FINDINGS);
    assert_int_equal(compilation.n_more_faults, 7);
    fx_compilation_finish(&compilation);
    assert_int_equal(compilation.n_more_faults, 0);
}

static void bounds_warnings(void **state) {
    (void)state;
    struct fx_compilation compilation = {0};
    for (size_t i = 0; i < FX_LIMIT_FINDINGS + 7; i++) {
        assert_true(fx_compilation_warn(&compilation, NULL, "%zu", i));
    }
    assert_int_equal(compilation.n_warnings, FX_LIMIT_FINDINGS);
    assert_string_equal(compilation.warnings[FX_LIMIT_FINDINGS - 1].text, "99");
    assert_int_equal(compilation.n_more_warnings, 7);
    fx_compilation_finish(&compilation);
    assert_int_equal(compilation.n_more_warnings, 0);
}

static void names_types(void **state) {
    (void)state;
    assert_string_equal(fx_fault_type_name(FX_FAULT_INVALID), "FieldValueInvalid");
    assert_string_equal(fx_fault_type_name(FX_FAULT_REQUIRED), "FieldValueRequired");
    assert_string_equal(fx_fault_type_name(FX_FAULT_TYPE), "FieldValueTypeInvalid");
}

static void keeps_settings(void **state) {
    (void)state;
    struct fx_dialect_settings settings = {.n_items = 0};
    assert_null(fx_dialect_settings_get(NULL, "a"));
    assert_null(fx_dialect_settings_get(&settings, "a"));
    fx_dialect_settings_set(&settings, "a", "1");
    fx_dialect_settings_set(&settings, "b", "2");
    fx_dialect_settings_set(&settings, "a", "3");
    assert_int_equal(settings.n_items, 2);
    assert_string_equal(fx_dialect_settings_get(&settings, "a"), "3");
    assert_string_equal(fx_dialect_settings_get(&settings, "b"), "2");
    assert_null(fx_dialect_settings_get(&settings, "c"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_faults),   cmocka_unit_test(bounds_faults),
        cmocka_unit_test(bounds_warnings), cmocka_unit_test(names_types),
        cmocka_unit_test(keeps_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
