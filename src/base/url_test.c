/* SPDX-License-Identifier: Apache-2.0
 *
 * base/url_test.c - URLs that are taken apart, and those that are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/limits.h"
#include "base/url.h"

static const struct {
    const char *text, *scheme, *host, *target, *written;
    uint16_t port;
    bool has_port, is_ipv6;
} good[] = {
    {"https://a", "https", "a", "", "/", 443, false, false},
    {"http://a", "http", "a", "", "/", 80, false, false},
    {"HTTPS://A.example/", "HTTPS", "A.example", "/", "/", 443, false, false},
    {"https://a:8443/validate", "https", "a", "/validate", "/validate", 8443, true,
     false},
    {"https://a:1", "https", "a", "", "/", 1, true, false},
    {"https://a:65535", "https", "a", "", "/", 65535, true, false},
    {"https://a:00443/", "https", "a", "/", "/", 443, true, false},
    {"https://a:/x", "https", "a", "/x", "/x", 443, false, false},
    {"https://a?x=1", "https", "a", "?x=1", "/?x=1", 443, false, false},
    {"https://a/b?x=1&y=%20/?#top?", "https", "a", "/b?x=1&y=%20/?", "/b?x=1&y=%20/?",
     443, false, false},
    {"https://a#top", "https", "a", "", "/", 443, false, false},
    {"https://a/u@b", "https", "a", "/u@b", "/u@b", 443, false, false},
    {"https://a//b//", "https", "a", "//b//", "//b//", 443, false, false},
    {"https://10.0.0.1:9/", "https", "10.0.0.1", "/", "/", 9, true, false},
    {"https://[::1]:9443/v", "https", "::1", "/v", "/v", 9443, true, true},
    {"https://[fe80::1.2.3.4]", "https", "fe80::1.2.3.4", "", "/", 443, false, true},
    {"https://[2001:DB8:0:0:0:0:0:1]/", "https", "2001:DB8:0:0:0:0:0:1", "/", "/", 443,
     false, true},
    {"https://p.ns.svc.cluster.local:443/", "https", "p.ns.svc.cluster.local", "/", "/",
     443, true, false},
    {"https://under_score~!$&'()*+,;=/", "https", "under_score~!$&'()*+,;=", "/", "/",
     443, false, false},
    {"gopher://a", "gopher", "a", "", "/", 0, false, false},
    {"svn+ssh.2-x://a:7/", "svn+ssh.2-x", "a", "/", "/", 7, true, false},
};

static void urls_are_taken_apart(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(good); i++) {
        struct fx_url url = {0};
        struct fx_err err = FX_ERR_INIT;
        struct fx_buf target = {0};
        if (!fx_url_parse(fx_text_of(good[i].text), &url, &err)) {
            fail_msg("`%s`: %s", good[i].text, err.msg);
        }
        assert_true(fx_text_is(url.scheme, good[i].scheme));
        assert_true(fx_text_is(url.host, good[i].host));
        assert_true(fx_text_is(url.target, good[i].target));
        assert_int_equal(url.port, good[i].port);
        assert_int_equal(url.has_port, good[i].has_port);
        assert_int_equal(url.is_ipv6, good[i].is_ipv6);
        fx_url_write_target(&url, &target);
        assert_string_equal(target.data, good[i].written);
        fx_buf_finish(&target);
    }
}

static const struct {
    const char *text;
    uint32_t off, len;
    const char *why;
} bad[] = {
    {"", 0, 0, "not a URL with a scheme and a host"},
    {"a", 0, 1, "not a URL with a scheme and a host"},
    {"a/b", 0, 3, "not a URL with a scheme and a host"},
    {"//a/b", 0, 5, "not a URL with a scheme and a host"},
    {"https:/a", 0, 8, "not a URL with a scheme and a host"},
    {"https:a", 0, 7, "not a URL with a scheme and a host"},
    {"1https://a", 0, 10, "not a URL with a scheme and a host"},
    {"ht_tp://a", 0, 9, "not a URL with a scheme and a host"},
    {"://a", 0, 4, "not a URL with a scheme and a host"},
    {"https://", 8, 0, "no host"},
    {"https:///x", 8, 0, "no host"},
    {"https://:443", 8, 0, "no host"},
    {"https://?x", 8, 0, "no host"},
    {"https://u@a", 8, 2, "a user name is not allowed in it"},
    {"https://u:secret@a", 8, 9, "a user name is not allowed in it"},
    {"https://@a", 8, 1, "a user name is not allowed in it"},
    {"https://a b", 9, 1, "a character that no URL has"},
    {" https://a", 0, 1, "a character that no URL has"},
    {"https://a/\r\nX: 1", 10, 1, "a character that no URL has"},
    {"https://a/\n", 10, 1, "a character that no URL has"},
    {"https://a/\t", 10, 1, "a character that no URL has"},
    {"https://a/\x7f", 10, 1, "a character that no URL has"},
    {"https://\xc3\xa4.example", 8, 1, "a character that no URL has"},
    {"https://a/\xff", 10, 1, "a character that no URL has"},
    {"https://a%41/", 9, 1, "a character that no host name has"},
    {"https://a\\b/", 9, 1, "a character that no host name has"},
    {"https://a[b]/", 9, 1, "a character that no host name has"},
    {"https://a:0", 10, 1, "a port is 1 to 65535"},
    {"https://a:65536", 10, 5, "a port is 1 to 65535"},
    {"https://a:000443", 10, 6, "not a port"},
    {"https://a:99999999999", 10, 11, "not a port"},
    {"https://a:+1", 10, 2, "not a port"},
    {"https://a:1:2", 10, 3, "not a port"},
    {"https://::1/", 8, 0, "no host"},
    {"https://[::1", 8, 4, "not an IPv6 address in brackets"},
    {"https://[]", 8, 2, "not an IPv6 address in brackets"},
    {"https://[a]", 8, 3, "not an IPv6 address in brackets"},
    {"https://[1.2.3.4]", 8, 9, "not an IPv6 address in brackets"},
    {"https://[fe80::1%25eth0]/", 8, 16, "not an IPv6 address in brackets"},
    {"https://[fe80::1%eth0]/", 8, 14, "not an IPv6 address in brackets"},
    {"https://[1:2:3:4:5:6:7:8:9]", 8, 19, "not an IPv6 address in brackets"},
    {"https://[1::2::3]", 8, 9, "not an IPv6 address in brackets"},
    {"https://[v1.x]", 8, 6, "not an IPv6 address in brackets"},
    {"https://[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]", 8, 51,
     "not an IPv6 address in brackets"},
    {"https://[::1]443", 13, 3, "a port begins with a colon"},
};

static void bad_urls_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(bad); i++) {
        struct fx_url url = {.port = 7};
        struct fx_err err = FX_ERR_INIT;
        if (fx_url_parse(fx_text_of(bad[i].text), &url, &err)) {
            fail_msg("`%s` was taken", bad[i].text);
        }
        assert_int_equal(err.code, FX_ESYNTAX);
        assert_string_equal(err.msg, bad[i].why);
        assert_int_equal(err.off, bad[i].off);
        assert_int_equal(err.len, bad[i].len);
        assert_int_equal(url.port, 7); /* untouched */
    }
}

static void a_nul_is_no_character_of_a_url(void **state) {
    (void)state;
    struct fx_url url;
    struct fx_err err = FX_ERR_INIT;
    assert_false(fx_url_parse(FX_TEXT("https://a\0b/"), &url, &err));
    assert_int_equal(err.off, 9);
    assert_false(fx_url_parse((struct fx_text){0}, &url, &err));
}

static void a_url_is_bounded(void **state) {
    (void)state;
    struct fx_url url;
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf text = {0};
    fx_buf_str(&text, "https://a/");
    fx_buf_fill(&text, 'x', FX_LIMIT_URL_BYTES - text.len);
    assert_true(fx_url_parse((struct fx_text){text.data, text.len}, &url, &err));
    fx_buf_char(&text, 'x');
    assert_false(fx_url_parse((struct fx_text){text.data, text.len}, &url, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    fx_buf_finish(&text);
}

static void schemes_have_no_case(void **state) {
    (void)state;
    struct fx_url url;
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_url_parse(FX_TEXT("hTTpS://a"), &url, &err));
    assert_true(fx_url_is_scheme(&url, "https"));
    assert_false(fx_url_is_scheme(&url, "http"));
    assert_false(fx_url_is_scheme(&url, "httpsx"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls_are_taken_apart),
        cmocka_unit_test(bad_urls_are_refused),
        cmocka_unit_test(a_nul_is_no_character_of_a_url),
        cmocka_unit_test(a_url_is_bounded),
        cmocka_unit_test(schemes_have_no_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
