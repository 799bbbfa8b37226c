/* SPDX-License-Identifier: Apache-2.0
 *
 * base/dns_name_test.c - what may be a name, and what may not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/dns_name.h"
#include "base/macros.h"

static void tells_names(void **state) {
    (void)state;
    static const char *const names[] = {
        "a", "0", "a-b", "a.b", "ip-10-0-0-1.eu.internal", "a--b"};
    static const char *const others[] = {
        "",     ".",        "..",  "a.",  ".a",      "a..b", "-a",     "a-",
        "a-.b", "a.-b",     "A",   "a/b", "a_b",     "a b",  "../../", "a%2fb",
        "a\n",  "\xc3\xa4", "a?b", "a#b", "..%2f..", "a:b",  "@",
    };
    for (size_t i = 0; i < FX_COUNT(names); i++) {
        assert_true(fx_dns_is_subdomain(fx_text_of(names[i])));
    }
    for (size_t i = 0; i < FX_COUNT(others); i++) {
        assert_false(fx_dns_is_subdomain(fx_text_of(others[i])));
    }
    assert_false(fx_dns_is_subdomain(FX_TEXT("a\0b")));
}

static void a_name_has_253_bytes_at_most(void **state) {
    (void)state;
    char text[254];
    memset(text, 'a', sizeof text);
    assert_true(fx_dns_is_subdomain((struct fx_text){text, 253}));
    assert_false(fx_dns_is_subdomain((struct fx_text){text, 254}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_names),
        cmocka_unit_test(a_name_has_253_bytes_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
