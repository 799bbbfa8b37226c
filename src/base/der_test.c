/* SPDX-License-Identifier: Apache-2.0
 *
 * base/der_test.c - values of ASN.1: X.690's rules of encoding, and what breaks them.
 */
#include "base/der.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define BYTES(literal) ((struct fx_text){(literal), sizeof(literal) - 1})

static bool is_value(struct fx_text bytes) {
    struct fx_text content;
    struct fx_text whole;
    struct fx_text from = bytes;
    unsigned tag = 0;
    const bool ok = fx_der_take_any(&from, &tag, &content, &whole);
    if (ok) {
        assert_int_equal(from.len + whole.len, bytes.len);
        assert_ptr_equal(whole.data, bytes.data);
        assert_ptr_equal(content.data + content.len, whole.data + whole.len);
    }
    return ok;
}

static void lengths_are_minimal(void **state) {
    static char long_one[3 + 128] = "\x04\x81\x80";
    static char longer[4 + 256] = "\x04\x82\x01";
    (void)state;
    assert_true(is_value(BYTES("\x04\x00")));
    assert_true(is_value(BYTES("\x04\x02xy")));
    assert_true(is_value(BYTES("\x04\x02xyz")));
    assert_true(is_value((struct fx_text){long_one, sizeof long_one}));
    assert_true(is_value((struct fx_text){longer, sizeof longer}));
    assert_false(is_value((struct fx_text){long_one, sizeof long_one - 1}));
    assert_false(is_value(BYTES("")));
    assert_false(is_value(BYTES("\x04")));
    assert_false(is_value(BYTES("\x04\x81\x01x")));                /* fits one byte */
    assert_false(is_value(BYTES("\x04\x82\x00\x01x")));            /* begins with 0 */
    assert_false(is_value(BYTES("\x04\x80x\x00\x00")));            /* indefinite */
    assert_false(is_value(BYTES("\x04\x85\x01\x01\x01\x01\x01"))); /* 4 GiB */
    assert_false(is_value(BYTES("\x1f\x81\x01\x00")));             /* a long tag */
}

static void integers(void **state) {
    static const struct {
        struct fx_text content;
        bool ok;
        int64_t integer;
    } cases[] = {
        {{"\x00", 1}, true, 0},
        {{"\x7f", 1}, true, 127},
        {{"\x00\x80", 2}, true, 128},
        {{"\x80", 1}, true, -128},
        {{"\xff\x7f", 2}, true, -129},
        {{"\x7f\xff\xff\xff\xff\xff\xff\xff", 8}, true, INT64_MAX},
        {{"\x80\x00\x00\x00\x00\x00\x00\x00", 8}, true, INT64_MIN},
        {{"", 0}, false, 0},
        {{"\x00\x7f", 2}, false, 0},
        {{"\xff\x80", 2}, false, 0},
        {{"\x00\x80\x00\x00\x00\x00\x00\x00\x00", 9}, false, 0},
    };
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        int64_t integer = 0;
        assert_int_equal(fx_der_integer(cases[i].content, &integer), cases[i].ok);
        assert_true(!cases[i].ok || integer == cases[i].integer);
    }
}

static void identifiers(void **state) {
    static const struct {
        struct fx_text content;
        const char *text; /* NULL: it is none */
    } cases[] = {
        {{"\x55\x04\x03", 3}, "2.5.4.3"},
        {{"\x2a\x86\x48\x86\xf7\x0d", 6}, "1.2.840.113549"},
        {{"\x00", 1}, "0.0"},
        {{"\x4f", 1}, "1.39"},
        {{"\x88\x37\x03", 3}, "2.999.3"}, /* the example of X.690 */
        {{"\x2a\x87\xff\xff\xff\x7f", 6}, "1.2.2147483647"},
        {{"", 0}, NULL},
        {{"\x2a\x80\x01", 3}, NULL},
        {{"\x2a\x86", 2}, NULL},
        {{"\x2a\x88\x80\x80\x80\x00", 6}, NULL},
    };
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        assert_int_equal(fx_der_oid_print(&buf, cases[i].content), cases[i].text != NULL);
        if (cases[i].text != NULL) {
            assert_string_equal(buf.data, cases[i].text);
        }
        for (size_t other = 0; other < FX_COUNT(cases); other++) {
            if (cases[other].text != NULL) {
                assert_int_equal(fx_der_oid_is(cases[i].content, cases[other].text),
                                 i == other);
            }
        }
        fx_buf_finish(&buf);
    }
    assert_false(fx_der_oid_is(BYTES("\x55\x04"), "2.5.4.3"));
    assert_false(fx_der_oid_is(BYTES("\x55\x04\x03\x01"), "2.5.4.3"));
}

static void bits_and_booleans(void **state) {
    struct fx_text from = BYTES("\x03\x02\x05\xa0\x03\x01\x00\x03\x02\x05\xa1");
    struct fx_text bytes;
    unsigned unused = 0;
    bool boolean = false;
    (void)state;
    assert_true(fx_der_take_bits(&from, &bytes, &unused));
    assert_int_equal(bytes.len, 1);
    assert_int_equal(unused, 5);
    assert_true(fx_der_take_bits(&from, &bytes, &unused));
    assert_int_equal(bytes.len, 0);
    assert_false(fx_der_take_bits(&from, &bytes, &unused)); /* a bit that is not used */
    assert_true(fx_der_boolean(BYTES("\xff"), &boolean));
    assert_true(boolean);
    assert_true(fx_der_boolean(BYTES("\x00"), &boolean));
    assert_false(boolean);
    assert_false(fx_der_boolean(BYTES("\x01"), &boolean));
    assert_false(fx_der_boolean(BYTES(""), &boolean));
}

static void optional_ones(void **state) {
    struct fx_text from = BYTES("\x02\x01\x07\x04\x05x");
    struct fx_text content;
    (void)state;
    assert_true(fx_der_take_optional(&from, FX_DER_BOOLEAN, &content));
    assert_null(content.data);
    assert_true(fx_der_take_optional(&from, FX_DER_INTEGER, &content));
    assert_int_equal(content.len, 1);
    assert_false(fx_der_take_optional(&from, FX_DER_OCTET_STRING, &content));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_are_minimal), cmocka_unit_test(integers),
        cmocka_unit_test(identifiers),         cmocka_unit_test(bits_and_booleans),
        cmocka_unit_test(optional_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
