/* SPDX-License-Identifier: Apache-2.0
 *
 * base/err_test.c - filling, prefixing and cutting errors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/err.h"
#include "base/text.h"

static void fills(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    const int node = 0;
    assert_false(fx_fail_at(&err, FX_ESYNTAX, 7, 2, "`%s` is odd", "x"));
    assert_int_equal(err.code, FX_ESYNTAX);
    assert_int_equal(err.off, 7);
    assert_int_equal(err.len, 2);
    assert_string_equal(err.msg, "`x` is odd");
    assert_false(fx_fail_in(&err, &node, FX_EINVALID, "no"));
    assert_ptr_equal(err.node, &node);
    assert_int_equal(err.len, 0);
    assert_false(fx_fail(&err, FX_ELIMIT, "more"));
    assert_null(err.node);
    assert_false(fx_err_is_ours(&err));
    assert_false(fx_fail_nomem(&err));
    assert_string_equal(err.msg, "out of memory");
    assert_true(fx_err_is_ours(&err));
}

static void prefixes(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    (void)fx_fail_at(&err, FX_ESYNTAX, 3, 1, "bad");
    assert_false(fx_err_prefix(&err, "file %d: ", 4));
    assert_string_equal(err.msg, "file 4: bad");
    assert_int_equal(err.code, FX_ESYNTAX);
    assert_int_equal(err.off, 3);
}

static void assert_cut(const struct fx_err *err) {
    const struct fx_text text = fx_text_of(err->msg);
    assert_true(text.len < sizeof err->msg);
    assert_true(text.len > sizeof err->msg - 8);
    assert_true(fx_text_ends(text, FX_TEXT("…")));
    assert_true(fx_text_is_utf8(text));
}

/* At every shift one of the two-byte runes would be split somewhere. */
static void cuts_at_runes(void **state) {
    (void)state;
    char runes[2 * FX_ERR_TEXT + 1];
    struct fx_err err = FX_ERR_INIT;
    for (size_t i = 0; i < FX_ERR_TEXT; i++) {
        memcpy(runes + 2 * i, "\xC3\xA9", 3);
    }
    (void)fx_fail(&err, FX_EINVALID, "%s", runes);
    assert_cut(&err);
    (void)fx_fail(&err, FX_EINVALID, "x%s", runes);
    assert_cut(&err);
    (void)fx_err_prefix(&err, "ab");
    assert_cut(&err);
    assert_true(fx_text_starts(fx_text_of(err.msg), FX_TEXT("abx")));
    (void)fx_err_prefix(&err, "%s", runes);
    assert_cut(&err);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills),
        cmocka_unit_test(prefixes),
        cmocka_unit_test(cuts_at_runes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
