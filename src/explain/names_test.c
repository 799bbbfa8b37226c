/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/names_test.c - values with placeholders.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explain/names.h"
#include "value/json.h"
#include "value/tree.h"

static json_t *read_json(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *node = fx_json_read(fx_text_of(text), NULL, &err);
    if (node == NULL) {
        fail_msg("`%s`: %s", text, err.msg);
    }
    return node;
}

/* Only the very node of a placeholder is one, however deep. */
static void test_placeholders(void **state) {
    (void)state;
    static const struct fx_external external = {.provider = {"p", 1}};
    struct fx_placeholders *placeholders = fx_placeholders_create();
    assert_non_null(placeholders);
    json_t *plain = read_json("{\"a\":1}");
    json_t *same = fx_reveal_placeholders(placeholders, plain);
    assert_ptr_equal(same, plain);
    assert_null(fx_reveal_placeholders(placeholders, NULL));
    json_decref(same);

    json_t *node = fx_placeholders_make(placeholders, &external, FX_TEXT("ng\"inx"));
    json_t *fake = json_integer(json_integer_value(node));
    json_t *value = json_pack("{s:[o, {s:O}]}", "l", fake, "x", node);
    assert_non_null(value);
    json_t *revealed = fx_reveal_placeholders(placeholders, value);
    json_t *list = fx_tree_view_key(revealed, "l");
    assert_true(json_is_integer(json_array_get(list, 0)));
    assert_true(fx_text_is(fx_tree_view_string(json_array_get(list, 1), "x"),
                           "<value of provider \"p\" for \"ng\\\"inx\">"));
    json_decref(revealed);
    json_decref(value);
    json_decref(node);
    json_decref(plain);
    fx_placeholders_destroy(placeholders);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_placeholders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
