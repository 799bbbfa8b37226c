/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/kyverno_texts_test.c - Kyverno's functions of texts, patterns, names
 * and versions.
 */
#include "location/jmespath/testing.h"

static const char document[] =
    "{\"s\": \"Hello World\", \"u\": \"h\xc3\xa9llo \xe2\x9c\x93\", \"n\": 25, \"f\": "
    "-0.0625, \"big\": 1e25, \"small\": 2.5e-9, \"nul\": null}";

static void replacing(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"replace('aXbXcX', 'X', '--', `2`)", "\"a--b--cX\""},
        {"replace('aXbXcX', 'X', '', `-1`)", "\"abc\""},
        {"replace('aXbXcX', 'X', '-', `0`)", "\"aXbXcX\""},
        {"replace('aXbXcX', 'X', '-', `1.9`)", "\"a-bXcX\""},
        {"replace('aXbXcX', 'X', '-', `-0.5`)", "\"aXbXcX\""},
        {"replace('ab', '', '.', `2`)", "\".a.b\""},
        {"replace('ab', '', '.', `3`)", "\".a.b.\""},
        {"replace_all(u, '', '|')", "\"|h|\xc3\xa9|l|l|o| |\xe2\x9c\x93|\""},
        {"replace_all('aaaa', 'aa', 'b')", "\"bb\""},
        {"replace_all('', '', 'x')", "\"x\""},
        {"replace_all('abc', 'abcd', 'x')", "\"abc\""},
        {"replace_all(`1`, '1', '2')",
         "! the argument is a number, but has to be a string"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void cutting(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"trim('--a-b-+', '+-')", "\"a-b\""},
        {"trim('\xc3\xa9\xc3\xa8z\xc3\xa9', '\xc3\xa9')", "\"\xc3\xa8z\""},
        {"trim('aaa', 'a')", "\"\""},
        {"trim(s, '')", "\"Hello World\""},
        {"trim_prefix('aab', 'a')", "\"ab\""},
        {"trim_prefix('ab', 'abc')", "\"ab\""},
        {"truncate(u, `2.9`)", "\"h\xc3\xa9\""},
        {"truncate(u, `1e300`)", "\"h\xc3\xa9llo \xe2\x9c\x93\""},
        {"truncate(u, `-3`)", "\"\""},
        {"split('a,b,,c', ',')", "[\"a\",\"b\",\"\",\"c\"]"},
        {"split(',', ',')", "[\"\",\"\"]"},
        {"split('', ',')", "[\"\"]"},
        {"split('', '')", "[]"},
        {"split('\xc3\xa9\xe2\x9c\x93', '')", "[\"\xc3\xa9\",\"\xe2\x9c\x93\"]"},
        {"split('aaa', 'aa')", "[\"\",\"a\"]"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void letters(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"compare('a', 'B')", "1"},
        {"compare('a', 'ab')", "-1"},
        {"compare(s, s)", "0"},
        {"to_upper('stra\xc3\x9f"
         "e \xc3\xa9')",
         "\"STRA\xc3\x9f"
         "E \xc3\x89\""},
        {"to_lower('\xc3\x84\xce\xa9')", "\"\xc3\xa4\xcf\x89\""},
        {"equal_fold('HeLLo', 'hEllO')", "true"},
        {"equal_fold('\xce\xa3', '\xcf\x82')", "true"}, /* sigma, final sigma */
        {"equal_fold('\xe2\x84\xaa', 'k')", "true"},    /* the sign of Kelvin */
        {"equal_fold('\xc4\xb0', 'i')", "false"},       /* Turkish */
        {"equal_fold('\xc4\xb1', 'I')", "false"},
        {"equal_fold('\xc3\x9f', 'SS')", "false"},
        {"equal_fold('ab', 'a')", "false"},
        {"to_boolean('TRUE')", "true"},
        {"to_boolean('falsE')", "false"},
        {"to_boolean('tru')",
         "! function `to_boolean`: expected 'true' or 'false', got \"tru\""},
        {"to_boolean('')",
         "! function `to_boolean`: expected 'true' or 'false', got \"\""},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void patterns(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"regex_match('^[0-9]+$', n)", "true"},
        {"regex_match('lo', s)", "true"},
        {"regex_match('^-0\\.0625$', f)", "true"},
        {"regex_match('^10000000000000000000000000$', big)", "true"},
        {"regex_match('^0\\.0000000025$', small)", "true"},
        {"regex_match('(', s)",
         "! function `regex_match`: error parsing regexp: missing closing ): `(`"},
        {"regex_replace_all('(?P<a>l+)(o)?', s, '<${a}|$2>')", "\"He<ll|o> Wor<l|>d\""},
        {"regex_replace_all('l', s, '$$$x${0}$')", "\"He$l$$l$o Wor$l$d\""},
        {"regex_replace_all('o', s, n)", "\"Hell25 W25rld\""},
        {"regex_replace_all('x*', 'ab', '-')", "\"-a-b-\""},
        {"regex_replace_all_literal('l+', s, '$0')", "\"He$0o Wor$0d\""},
        {"regex_replace_all_literal('5', n, f)", "\"2-0.0625\""},
        {"pattern_match('H*o ?or*', s)", "true"},
        {"pattern_match('2?', n)", "true"},
        {"pattern_match('[a-z]*', s)", "false"},
        {"pattern_match('*', nul)",
         "! the argument is null, but has to be a number or a string"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void names(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"image_normalize('app')", "\"docker.io/app:latest\""},
        {"image_normalize('org/app:1.0')", "\"docker.io/org/app:1.0\""},
        {"image_normalize('localhost:5000/a/b')", "\"localhost:5000/a/b:latest\""},
        {"image_normalize('[::1]:5000/a')", "\"[::1]:5000/a:latest\""},
        {"image_normalize('a:1@sha256:" DIGEST "')", "\"docker.io/a@sha256:" DIGEST "\""},
        {"image_normalize('a@sha256:abcd')",
         "! function `image_normalize`: invalid reference of an image"},
        {"image_normalize('A')",
         "! function `image_normalize`: invalid reference of an image"},
        {"path_canonicalize('/a/./b//../c/')", "\"/a/c\""},
        {"path_canonicalize('a/../..')", "\"..\""},
        {"path_canonicalize('a/..')", "\".\""},
        {"path_canonicalize('')", "\"\""},
        {"is_external_url('https://1.1.1.1/x')", "true"},
        {"is_external_url('https://127.8.9.1:80')", "false"},
        {"is_external_url('http://172.31.255.255')", "false"},
        {"is_external_url('http://172.32.0.0')", "true"},
        {"is_external_url('http://[fc00::1]')", "false"},
        {"is_external_url('http://[::ffff:10.0.0.1]')", "false"},
        {"is_external_url('http://[::ffff:9.9.9.9]')", "true"},
        {"is_external_url('http://example.com')",
         "! function `is_external_url`: the host \"example.com\" is not an IP address, "
         "and Fixpoint looks up no names"},
        {"is_external_url('http://[fe80::1%25eth0]')",
         "! function `is_external_url`: the host \"fe80::1%eth0\" is not an IP "
         "address, and Fixpoint looks up no names"},
        {"is_external_url('http://a b')",
         "! function `is_external_url`: parse \"http://a b\": invalid character \" \" in "
         "host name"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void versions(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"semver_compare('1.5.0', '>=1.0.0 <2.0.0')", "true"},
        {"semver_compare('2.0.0', '>=1.0.0 <2.0.0')", "false"},
        {"semver_compare('3.1.4', '<1.0.0 || 3.x')", "true"},
        {"semver_compare('1.2.9', '1.2.x')", "true"},
        {"semver_compare('1.3.0', '1.2.x')", "false"},
        {"semver_compare('1.3.0', '>1.2.x')", "true"},
        {"semver_compare('1.2.9', '<=1.2.x')", "true"},
        {"semver_compare('1.2.0', '<1.2.x')", "false"},
        {"semver_compare('1.2.0', '>= 1.2.x')", "true"},
        {"semver_compare('1.0.5', '1.x.x')", "true"},
        {"semver_compare('1.2.3', '!1.2.4')", "true"},
        {"semver_compare('1.2.3', '!= 1.2.3')", "false"},
        {"semver_compare('1.2.3', '==1.2.3')", "true"},
        {"semver_compare('1.0.0-rc.1', '<1.0.0')", "true"},
        {"semver_compare('1.0.0-rc.10', '>1.0.0-rc.9')", "true"},
        {"semver_compare('nonsense', '<0.0.1')", "true"}, /* counts as 0.0.0 */
        {"semver_compare('1.2.3', '')",
         "! function `semver_compare`: invalid range of versions: \"\" lacks a "
         "comparison"},
        {"semver_compare('1.2.3', '1.2.3 ||')",
         "! function `semver_compare`: invalid range of versions: \"1.2.3 ||\" lacks a "
         "comparison"},
        {"semver_compare('1.2.3', '^1.2.3')",
         "! function `semver_compare`: invalid range of versions: \"^1.2.3\" has an "
         "unknown operator"},
        {"semver_compare('1.2.3', '1.2.3 || >1.2')",
         "! function `semver_compare`: invalid range of versions: \">1.2\" is no "
         "version"},
        {"semver_compare('1.2.3', '>=')",
         "! function `semver_compare`: invalid range of versions: \">=\" has no "
         "version"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replacing), cmocka_unit_test(cutting),
        cmocka_unit_test(letters),   cmocka_unit_test(patterns),
        cmocka_unit_test(names),     cmocka_unit_test(versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
