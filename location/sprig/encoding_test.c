/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/encoding_test.c - Sprig's Paths, Encoding, Hashes and
 * URLs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "location/sprig/testing_table.h"

static const struct table_case paths_cases[] = {
    {"{{ base \"a/b.c\" }} {{ dir \"a/b.c\" }} {{ clean \"a/../b\" }} {{ ext \"a/b.c\" "
     "}} {{ isAbs \"/a\" }}",
     "b.c a b .c true", NULL},
    {"{{ osBase \"a/b.c\" }} {{ osDir \"a/b.c\" }} {{ osClean \"a//b/\" }} {{ osExt "
     "\"a.b.c\" }} {{ osIsAbs \"a\" }}",
     "b.c a a/b .c false", NULL},
    {"{{ base \"\" }} {{ base \"/\" }} {{ base \"//\" }} {{ base \"a/\" }} {{ base "
     "\"/a//\" }} {{ base \".\" }}",
     ". / / a a .", NULL},
    {"{{ dir \"\" }} {{ dir \"/\" }} {{ dir \"a\" }} {{ dir \"/a\" }} {{ dir \"a/b/\" }} "
     "{{ dir \"../a\" }}",
     ". / . / a/b ..", NULL},
    {"{{ clean \"\" }} {{ clean \"/..\" }} {{ clean \"../../a\" }} {{ clean \"a/../..\" "
     "}} {{ clean \"/a/./b//c/..\" }} {{ clean \"./\" }} {{ clean \"a/.../b\" }} {{ "
     "clean \"/\" }}",
     ". / ../../a .. /a/b . a/.../b /", NULL},
    {"[{{ ext \"\" }}][{{ ext \"a\" }}][{{ ext \"a.b/c\" }}][{{ ext \".a\" }}][{{ ext "
     "\"a.\" }}]{{ isAbs \"\" }}",
     "[][][][.a][.]false", NULL},
};

static void paths(void **state) {
    (void)state;
    check_table(paths_cases, FX_COUNT(paths_cases));
}

static const struct table_case bytes_as_text_cases[] = {
    {"{{ b64enc \"abc\" }} {{ b64dec \"YWJj\" }} {{ b64dec \"!\" }}",
     "YWJj abc illegal base64 data at input byte 0", NULL},
    {"{{ b32enc \"abc\" }} {{ b32dec \"MFRGG===\" }}", "MFRGG=== abc", NULL},
    {"[{{ b64enc \"\" }}{{ b64dec \"\" }}{{ b32enc \"\" }}{{ b32dec \"\" }}]{{ b64enc "
     "\"a\" }} {{ b64enc \"ab\" }} {{ b32enc \"a\" }} {{ b32enc \"ab\" }} {{ b32enc "
     "\"abcd\" }} {{ b32enc \"abcde\" }} {{ b32enc \"abcdef\" }}",
     "[]YQ== YWI= ME====== MFRA==== MFRGGZA= MFRGGZDF MFRGGZDFMY======", NULL},
    {"{{ b64dec \"YQ\" }}|{{ b64dec \"YQ=\" }}|{{ b64dec \"YQ==\" }}|{{ b64dec \"YQ===\" "
     "}}|{{ b64dec \"Y\" }}|{{ b64dec \"=\" }}|{{ b64dec \"YW=j\" }}|{{ b64dec "
     "\"YWI=\\n\" }}|{{ b64dec \"Y\\nQ==\" }}|{{ b64dec \"YQ\\n=\" }}|{{ b64dec "
     "\"YQ==x\" }}|{{ b64dec \"Y W\" }}",
     "illegal base64 data at input byte 0|illegal base64 data at input byte 3|a|illegal "
     "base64 data at input byte 4|illegal base64 data at input byte 0|illegal base64 "
     "data at input byte 0|illegal base64 data at input byte 2|ab|a|illegal base64 data "
     "at input byte 4|illegal base64 data at input byte 4|illegal base64 data at input "
     "byte 1",
     NULL},
    {"{{ b32dec \"ME\" }}|{{ b32dec \"ME======\" }}|{{ b32dec \"ME=====\" }}|{{ b32dec "
     "\"me======\" }}|{{ b32dec \"MFRGG==\" }}|{{ b32dec \"MFR=====\" }}|{{ b32dec \"M\" "
     "}}|{{ b32dec \"=\" }}|{{ b32dec \"MFRGG===\\n\" }}|{{ b32dec \"MF\\nRGG===\" }}|{{ "
     "b32dec \"MFRGG=A=\" }}|{{ b32dec \"1\" }}|{{ b32dec \"MFRGG====\" }}",
     "illegal base32 data at input byte 0|a|illegal base32 data at input byte 7|illegal "
     "base32 data at input byte 0|illegal base32 data at input byte 7|illegal base32 "
     "data at input byte 3|illegal base32 data at input byte 0|illegal base32 data at "
     "input byte 0|abc|abc|illegal base32 data at input byte 5|illegal base32 data at "
     "input byte 0|abc",
     NULL},
    {"{{ b64enc 5 }}", NULL, "expected string; found 5"},
};

static void bytes_as_text(void **state) {
    (void)state;
    check_table(bytes_as_text_cases, FX_COUNT(bytes_as_text_cases));
}

static const struct table_case digests_cases[] = {
    {"{{ sha1sum \"abc\" }} {{ sha256sum \"abc\" | trunc 12 }}",
     "a9993e364706816aba3e25717850c26c9cd0d89d ba7816bf8f01", NULL},
    {"{{ adler32sum \"abc\" }} {{ adler32sum \"\" }}", "38600999 1", NULL},
    {"{{ sha1sum \"\" }} {{ sha256sum \"\" }}",
     "da39a3ee5e6b4b0d3255bfef95601890afd80709 "
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     NULL},
    {"{{ sha256sum .Target.nul }}", NULL,
     "wrong type for value; expected string; got interface {}"},
};

static void digests(void **state) {
    (void)state;
    check_table(digests_cases, FX_COUNT(digests_cases));
}

static const struct table_case urls_are_parsed_cases[] = {
    {"{{ (urlParse \"http://u:p@h:80/p?q=1#f\").host }} {{ (urlParse "
     "\"http://u:p@h:80/p?q=1#f\").userinfo }}",
     "h:80 u:p", NULL},
    {"{{ urlParse \"http://u:p@h:80/p?q=1#f\" }}",
     "map[fragment:f host:h:80 hostname:h opaque: path:/p query:q=1 scheme:http "
     "userinfo:u:p]",
     NULL},
    {"{{ urlParse \"mailto:a@b\" }} {{ urlParse \"\" }} {{ urlParse \"*\" }} {{ urlParse "
     "\"a/b\" }} {{ urlParse \"//h/p\" }} {{ urlParse \"///p\" }}",
     "map[fragment: host: hostname: opaque:a@b path: query: scheme:mailto userinfo:] "
     "map[fragment: host: hostname: opaque: path: query: scheme: userinfo:] "
     "map[fragment: host: hostname: opaque: path:* query: scheme: userinfo:] "
     "map[fragment: host: hostname: opaque: path:a/b query: scheme: userinfo:] "
     "map[fragment: host:h hostname:h opaque: path:/p query: scheme: userinfo:] "
     "map[fragment: host: hostname: opaque: path:///p query: scheme: userinfo:]",
     NULL},
    {"{{ urlParse \"HTTPS://[::1]:80/%41%20?a%zz#%42\" }} {{ urlParse "
     "\"http://[fe80::1%25en0]:9\" }} {{ urlParse \"http://u%40:@h:/\" }}",
     "map[fragment:B host:[::1]:80 hostname:::1 opaque: path:/A  query:a%zz scheme:https "
     "userinfo:] map[fragment: host:[fe80::1%en0]:9 hostname:fe80::1%en0 opaque: path: "
     "query: scheme:http userinfo:] map[fragment: host:h: hostname:h opaque: path:/ "
     "query: scheme:http userinfo:u%40:]",
     NULL},
    {"{{ urlParse \"http://[::1\" }}", NULL,
     "unable to parse url: parse \"http://[::1\": missing ']' in host"},
    {"{{ urlParse \"http://h:x/\" }}", NULL,
     "unable to parse url: parse \"http://h:x/\": invalid port \":x\" after host"},
    {"{{ urlParse \"http://a b/\" }}", NULL,
     "unable to parse url: parse \"http://a b/\": invalid character \" \" in host name"},
    {"{{ urlParse \"http://h/%zz\" }}", NULL,
     "unable to parse url: parse \"http://h/%zz\": invalid URL escape \"%zz\""},
    {"{{ urlParse \"http://h/#%zz\" }}", NULL,
     "unable to parse url: parse \"http://h/#%zz\": invalid URL escape \"%zz\""},
    {"{{ urlParse \"http://u<@h/\" }}", NULL,
     "unable to parse url: parse \"http://u<@h/\": net/url: invalid userinfo"},
    {"{{ urlParse \"http://%41/\" }}", NULL,
     "unable to parse url: parse \"http://%41/\": invalid URL escape \"%41\""},
    {"{{ urlParse \":a\" }}", NULL,
     "unable to parse url: parse \":a\": missing protocol scheme"},
    {"{{ urlParse \"1a:b\" }}", NULL,
     "unable to parse url: parse \"1a:b\": first path segment in URL cannot contain "
     "colon"},
    {"{{ urlParse \"a\\nb\" }}", NULL,
     "unable to parse url: parse \"a\\nb\": net/url: invalid control character in URL"},
};

static void urls_are_parsed(void **state) {
    (void)state;
    check_table(urls_are_parsed_cases, FX_COUNT(urls_are_parsed_cases));
}

static const struct table_case urls_are_joined_cases[] = {
    {"{{ urlJoin (dict \"scheme\" \"http\" \"host\" \"h:80\" \"path\" \"/p\" \"query\" "
     "\"q=1\" \"fragment\" \"f\") }}",
     "http://h:80/p?q=1#f", NULL},
    {"{{ urlJoin (urlParse \"http://u%40:p@h/a%20b/%C3%A9?x=%31#a%20b\") }}",
     "http://u%40:p@h/a%20b/%C3%A9?x=%31#a%20b", NULL},
    {"{{ urlJoin (dict) }}|{{ urlJoin .Target.nope }}|{{ urlJoin (dict \"path\" \"a:b\") "
     "}}|{{ urlJoin (dict \"path\" \"*\") }}|{{ urlJoin (dict \"host\" \"h\" \"path\" "
     "\"p\") }}|{{ urlJoin (dict \"scheme\" \"file\" \"path\" \"/a\") }}",
     "||./a:b|*|//h/p|file:///a", NULL},
    {"{{ urlJoin (dict \"scheme\" \"mailto\" \"opaque\" \"a@b\" \"host\" \"no\") }} {{ "
     "urlJoin (dict \"host\" \"h\" \"userinfo\" \"u:p w\") }}",
     NULL,
     "unable to parse userinfo in dict: parse \"proto://u:p w@host\": net/url: invalid "
     "userinfo"},
    {"{{ urlJoin (dict \"host\" \"h\" \"userinfo\" \"u:p%20w\") }} {{ urlJoin (dict "
     "\"host\" \"h\" \"userinfo\" \"a/b\") }}",
     "//u:p%20w@h //h", NULL},
    {"{{ urlJoin (dict \"host\" 1) }}", NULL,
     "unable to parse host key, must be of type string, but int found"},
    {"{{ urlJoin (dict \"host\" nil) }}", NULL,
     "runtime error: invalid memory address or nil pointer dereference"},
};

static void urls_are_joined(void **state) {
    (void)state;
    check_table(urls_are_joined_cases, FX_COUNT(urls_are_joined_cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths),           cmocka_unit_test(bytes_as_text),
        cmocka_unit_test(digests),         cmocka_unit_test(urls_are_parsed),
        cmocka_unit_test(urls_are_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
