/* SPDX-License-Identifier: Apache-2.0
 *
 * base/hash_test.c - the vectors that the inventors of FNV publish, and texts apart.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/macros.h"

static void known_hashes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t hash;
    } known[] = {
        {"", UINT64_C(0xcbf29ce484222325)},
        {"a", UINT64_C(0xaf63dc4c8601ec8c)},
        {"b", UINT64_C(0xaf63df4c8601f1a5)},
        {"foobar", UINT64_C(0x85944171f73967e8)},
    };
    for (size_t i = 0; i < FX_COUNT(known); i++) {
        const char *text = known[i].text;
        const uint64_t hash = fx_hash_bytes(FX_HASH_START, text, strlen(text));
        assert_true(hash == known[i].hash);
    }
    assert_true(fx_hash_bytes(FX_HASH_START, NULL, 0) == FX_HASH_START);
}

static void in_pieces_it_is_the_same(void **state) {
    (void)state;
    const uint64_t head = fx_hash_bytes(FX_HASH_START, "foo", 3);
    assert_true(fx_hash_bytes(head, "bar", 3) ==
                fx_hash_bytes(FX_HASH_START, "foobar", 6));
}

static uint64_t hash_two(const char *a, const char *b) {
    return fx_hash_text(fx_hash_text(FX_HASH_START, fx_text_of(a)), fx_text_of(b));
}

static void texts_do_not_run_together(void **state) {
    (void)state;
    assert_true(hash_two("ab", "c") == hash_two("ab", "c"));
    assert_true(hash_two("ab", "c") != hash_two("a", "bc"));
    assert_true(hash_two("", "abc") != hash_two("abc", ""));
    assert_true(hash_two(NULL, "") == hash_two("", NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_hashes),
        cmocka_unit_test(in_pieces_it_is_the_same),
        cmocka_unit_test(texts_do_not_run_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
