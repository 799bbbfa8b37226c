/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/urls_test.c - url(), isURL(), and jsonpatch.escapeKey().
 */
#include "location/cel_library/testing.h"

static const struct library_case parts_cases[] = {
    {"url('HTTPS://u:p@A.com:8080/a%2Fb?q=1&q=2&r=#frag')",
     "https://u:p@A.com:8080/a%2Fb?q=1&q=2&r=#frag", 5},
    {"url('https://a.com/%2F').getScheme()", "https", 3},
    {"url('https://a.com/a b').getEscapedPath()", "/a%20b", 3},
    {"url('https://a.com/é').getEscapedPath()", "/%C3%A9", 3},
    {"url('https://a.com/%2F').getEscapedPath()", "/%2F", 3},
    {"url('https://[::1]:443/x').getHost()", "[::1]:443", 3},
    {"url('https://[::1]:443/x').getHostname()", "::1", 0},
    {"url('https://[fe80::1%25en%20]/x').getHostname()", "fe80::1%en ", 0},
    {"url('https://[::1]:443/x').getPort()", "443", 0},
    {"url('https://a.com:/x').getPort()", "", 0},
    {"url('//host/path').getHost()", "host", 0},
    {"url('/path?x=1').getHost()", "", 0},
    {"url('mailto:a@b.com').getEscapedPath()", "", 0},
    {"url('https:/a.com')", "https:/a.com", 0},
    {"url('*').getEscapedPath()", "*", 0},
    {"url('https://%ff%C3%A9/').getHost()", "�é", 0},
};

static void parts(void **state) {
    (void)state;
    check_cases(parts_cases, FX_COUNT(parts_cases));
}

static const struct library_case queries_cases[] = {
    {"url('https://a.com?b=2&a=b+c%20d&a=%C3%A9').getQuery()", "{b: [2], a: [b c d, é]}",
     0},
    {"url('https://a.com?x&&=1&y=a=b').getQuery()", "{x: [], : [1], y: [a=b]}", 0},
    {"url('https://a.com?%zz=1&a=%z&x=1;y=2').getQuery()", "{}", 5},
    {"url('https://a.com').getQuery()", "{}", 0},
};

static void queries(void **state) {
    (void)state;
    check_cases(queries_cases, FX_COUNT(queries_cases));
}

static const struct library_case refused_cases[] = {
    {"url('')", "! URL parse error during conversion from string: parse \"\": empty url",
     0},
    {"url('relative/path')",
     "! URL parse error during conversion from string: parse \"relative/path\": invalid "
     "URI for request",
     0},
    {"url('://x')",
     "! URL parse error during conversion from string: parse \"://x\": missing protocol "
     "scheme",
     0},
    {"url('https://a.com#')",
     "! URL parse error during conversion from string: parse \"https://a.com#\": invalid "
     "character \"#\" in host name",
     0},
    {"url('https://a.com/%zz')",
     "! URL parse error during conversion from string: parse \"https://a.com/%zz\": "
     "invalid URL escape \"%zz\"",
     0},
    {"url('/a#%zz')",
     "! URL parse error during conversion from string: parse \"/a#%zz\": invalid URL "
     "escape \"%zz\"",
     0},
    {"url('/a?x#%zz')",
     "! URL parse error during conversion from string: parse \"/a?x#%zz\": invalid URL "
     "escape \"%zz\"",
     0},
    {"url('https://[::1')",
     "! URL parse error during conversion from string: parse \"https://[::1\": missing "
     "']' in host",
     0},
    {"url('https://a.com:port/')",
     "! URL parse error during conversion from string: parse \"https://a.com:port/\": "
     "invalid port \":port\" after host",
     0},
    {"url('https://a.com/\\u007f')",
     "! URL parse error during conversion from string: parse \"https://a.com/\\x7f\": "
     "net/url: invalid control character in URL",
     0},
    {"isURL('relative')", "false", 1},
    {"isURL('https://a.com?a=b%20c&d=%C3%A9')", "true", 1},
};

static void refused(void **state) {
    (void)state;
    check_cases(refused_cases, FX_COUNT(refused_cases));
}

static const struct library_case equal_cases[] = {
    {"url('https://a.b/c') == url('HTTPS://a.b/c')", "true", 5},
    {"url('https://a.b/c') == url('https://a.b/c?')", "false", 0},
    {"{url('https://a.b/c'): 1}.size()", "1", 0},
    {"dyn(url('https://a.b/c')) == dyn('x')", "! no such overload", 0},
};

static void equal(void **state) {
    (void)state;
    check_cases(equal_cases, FX_COUNT(equal_cases));
}

static const struct library_case keys_of_patches_cases[] = {
    {"jsonpatch.escapeKey('k8s.io/my~label')", "k8s.io~1my~0label", 2},
    {"jsonpatch.escapeKey('')", "", 0},
};

static void keys_of_patches(void **state) {
    (void)state;
    check_cases(keys_of_patches_cases, FX_COUNT(keys_of_patches_cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts),           cmocka_unit_test(queries),
        cmocka_unit_test(refused),         cmocka_unit_test(equal),
        cmocka_unit_test(keys_of_patches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
