/* SPDX-License-Identifier: Apache-2.0
 *
 * base/digest_test.c - the examples that come with FIPS 180-4, and texts of every length
 * around the ends of blocks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/digest.h"

static void check(const uint8_t *digest, size_t len, const char *hex) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    for (size_t i = 0; i < len; i++) {
        fx_buf_printf(&buf, "%02x", digest[i]);
    }
    assert_string_equal(buf.data, hex);
    fx_buf_finish(&buf);
}

#define TWO_BLOCKS "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"

static void examples_of_the_standard(void **state) {
    (void)state;
    static const struct {
        const char *text, *sha1, *sha256;
    } cases[] = {
        {"abc", "a9993e364706816aba3e25717850c26c9cd0d89d",
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {TWO_BLOCKS, "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"", "da39a3ee5e6b4b0d3255bfef95601890afd80709",
         "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        uint8_t sha1[FX_SHA1_BYTES];
        uint8_t sha256[FX_SHA256_BYTES];
        fx_sha1(fx_text_of(cases[i].text), sha1);
        fx_sha256(fx_text_of(cases[i].text), sha256);
        check(sha1, sizeof sha1, cases[i].sha1);
        check(sha256, sizeof sha256, cases[i].sha256);
    }
}

static void a_million_letters(void **state) {
    (void)state;
    struct fx_buf buf;
    uint8_t sha1[FX_SHA1_BYTES];
    uint8_t sha256[FX_SHA256_BYTES];
    fx_buf_init(&buf, 0);
    fx_buf_fill(&buf, 'a', 1000000);
    fx_sha1((struct fx_text){buf.data, buf.len}, sha1);
    fx_sha256((struct fx_text){buf.data, buf.len}, sha256);
    check(sha1, sizeof sha1, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    check(sha256, sizeof sha256,
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    fx_buf_finish(&buf);
}

/* The digest of the digests of `a` repeated 0 to 200 times (computed by another
 * implementation): padding is right at every length. */
static void every_length(void **state) {
    (void)state;
    struct fx_buf text;
    struct fx_buf all;
    uint8_t sha1[FX_SHA1_BYTES];
    uint8_t sha256[FX_SHA256_BYTES];
    fx_buf_init(&text, 0);
    fx_buf_init(&all, 0);
    for (size_t len = 0; len <= 200; len++) {
        fx_sha1((struct fx_text){text.data, text.len}, sha1);
        fx_sha256((struct fx_text){text.data, text.len}, sha256);
        fx_buf_add(&all, sha1, sizeof sha1);
        fx_buf_add(&all, sha256, sizeof sha256);
        fx_buf_char(&text, 'a');
    }
    fx_sha256((struct fx_text){all.data, all.len}, sha256);
    check(sha256, sizeof sha256,
          "97f5cfb3e47c8aa3caa83eb71891521d1e44034f7e780813b1f9ed10c2227f25");
    fx_buf_finish(&text);
    fx_buf_finish(&all);
}

static void adler32(void **state) {
    (void)state;
    struct fx_buf buf;
    assert_int_equal(fx_adler32(FX_TEXT("")), 1);
    assert_int_equal(fx_adler32(FX_TEXT("abc")), 38600999);
    assert_int_equal(fx_adler32(FX_TEXT("Wikipedia")), 0x11e60398);
    fx_buf_init(&buf, 0);
    fx_buf_fill(&buf, '\xff', 100000);
    assert_int_equal(fx_adler32((struct fx_text){buf.data, buf.len}), 345649196u);
    fx_buf_finish(&buf);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_the_standard),
        cmocka_unit_test(a_million_letters),
        cmocka_unit_test(every_length),
        cmocka_unit_test(adler32),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
