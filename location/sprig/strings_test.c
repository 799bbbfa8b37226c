/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/strings_test.c - every function of Sprig's strings: the examples of
 * the templates spec, edge cases, error messages.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "location/sprig/testing_table.h"

static const struct table_case examples_of_the_spec_cases[] = {
    {"{{ hello }}", "Hello!", NULL},
    {"{{ abbrev 5 \"hello world\" }}", "he...", NULL},
    {"{{ abbrevboth 5 10 \"1234 5678 9123\" }}", "...5678...", NULL},
    {"{{ trunc 5 \"hello world\" }}|{{ trunc -5 \"hello world\" }}", "hello|world", NULL},
    {"[{{ trim \"  a b \\n\" }}]", "[a b]", NULL},
    {"{{ trimAll \"$-\" \"$5.00-\" }}", "5.00", NULL},
    {"{{ trimPrefix \"repo/\" \"repo/nginx\" }}", "nginx", NULL},
    {"{{ trimSuffix \":1\" \"nginx:1\" }}", "nginx", NULL},
    {"{{ upper \"aé\" }}{{ lower \"AB\" }}", "AÉab", NULL},
    {"{{ title \"hello world\" }} {{ untitle \"Hello World\" }}",
     "Hello World hello world", NULL},
    {"{{ substr 1 4 \"abcdef\" }}|{{ substr -1 3 \"abcdef\" }}|{{ substr 2 -1 \"abcdef\" "
     "}}",
     "bcd|abc|cdef", NULL},
    {"{{ repeat 3 \"ab\" }}", "ababab", NULL},
    {"{{ nospace \" a b c\" }}", "abc", NULL},
    {"{{ initials \"First Try\" }}", "FT", NULL},
    {"{{ swapcase \"Hello World\" }}", "hELLO wORLD", NULL},
    {"{{ snakecase \"FirstName\" }} {{ camelcase \"http_server\" }} {{ kebabcase "
     "\"FirstName\" }}",
     "first_name HttpServer first-name", NULL},
    {"{{ wrap 5 \"aaa bbb ccc\" | replace \"\\n\" \"/\" }} {{ wrapWith 3 \",\" "
     "\"aaaaaa\" }}",
     "aaa/bbb/ccc aaa,aaa", NULL},
    {"{{ contains \"cat\" \"catch\" }}", "true", NULL},
    {"{{ hasPrefix \"re\" \"redis\" }} {{ hasSuffix \"is\" \"redis\" }}", "true true",
     NULL},
    {"{{ quote \"a\\\"b\" 1 nil }}", "\"a\\\"b\" \"1\"", NULL},
    {"{{ squote \"a'b\" 1 }}", "'a'b' '1'", NULL},
    {"{{ cat \"a\" nil 1 true }}", "a 1 true", NULL},
    {"[{{ indent 2 \"a\\nb\" | replace \"\\n\" \"/\" }}]", "[  a/  b]", NULL},
    {"[{{ nindent 2 \"a\\nb\" | replace \"\\n\" \"/\" }}]", "[/  a/  b]", NULL},
    {"{{ replace \":\" \"-\" \"a:b:c\" }}", "a-b-c", NULL},
    {"{{ plural \"one\" \"many\" 1 }} {{ plural \"one\" \"many\" 2 }}", "one many", NULL},
    {"{{ toString 1.5 }}{{ toString .Target.big }}", "1.51.00065e+09", NULL},
    {"{{ toStrings .Target.nums }}", "[3 1 2]", NULL},
    {"{{ join \",\" .Target.mixed }}", "a,,0,b", NULL},
    {"{{ (split \":\" \"a:b\")._1 }}", "b", NULL},
    {"{{ (splitn \":\" 2 \"a:b:c\")._1 }}", "b:c", NULL},
    {"{{ splitList \":\" \"a:b:c\" }}", "[a b c]", NULL},
    {"{{ sortAlpha (list \"b\" \"a\" 3) }}", "[3 a b]", NULL},
};

static void examples_of_the_spec(void **state) {
    (void)state;
    check_table(examples_of_the_spec_cases, FX_COUNT(examples_of_the_spec_cases));
}

static const struct table_case edges_cases[] = {
    {"{{ snakecase \"FirstName\" }} {{ snakecase \"HTTPServer\" }} {{ snakecase "
     "\"NoHTTPS\" }} {{ snakecase \"GO_PATH\" }} {{ snakecase \"GO PATH\" }} {{ "
     "snakecase \"GO-PATH\" }} {{ snakecase \"http2xx\" }} {{ snakecase \"HTTP20xOK\" }} "
     "{{ snakecase \"Duration2m3s\" }} {{ snakecase \"Bld4Floor3rd\" }} {{ snakecase "
     "\"No.123Number\" }}",
     "first_name http_server no_https go_path go_path go_path http_2xx http_20x_ok "
     "duration_2m3s bld4_floor_3rd no.123_number",
     NULL},
    {"{{ snakecase \"  spaces  here \" }}|{{ snakecase \"_a__b_\" }}|{{ snakecase "
     "\"--a\" }}|{{ snakecase \"a.B\" }}|{{ snakecase \"A.b.C\" }}|{{ snakecase \"\" "
     "}}|{{ snakecase \"123\" }}|{{ snakecase \"a1\" }}|{{ snakecase \"A1\" }}|{{ "
     "snakecase \"1A\" }}|{{ snakecase \"1a\" }}|{{ snakecase \"AB1C\" }}|{{ snakecase "
     "\"ab12cd34\" }}",
     "__spaces__here_|_a__b_|__a|a.b|a.b.c||123|a1|a1|1_a|1a|ab1_c|ab_12cd34", NULL},
    {"{{ camelcase \"some_words\" }} {{ camelcase \"http_server\" }} {{ camelcase "
     "\"no_https\" }} {{ camelcase \"_complex__case_\" }} {{ camelcase \"some words\" }} "
     "{{ camelcase \"GOLANG_IS_GREAT\" }} {{ camelcase \"a-b-c\" }} {{ camelcase \"a.b\" "
     "}} {{ camelcase \"1a_2b\" }} {{ camelcase \"FooBar_baz\" }}|{{ camelcase \"-a\" "
     "}}|{{ camelcase \"__\" }}|{{ camelcase \"\" }}|{{ camelcase \"a\\tb\" }}|{{ "
     "camelcase \"éa_éb\" }}",
     "SomeWords HttpServer NoHttps _Complex_Case_ SomeWords GolangIsGreat ABC A.b 1a2b "
     "FoobarBaz|-A|___||AB|ÉaÉb",
     NULL},
    {"{{ swapcase \"Hello World\" }}|{{ swapcase \"ǆǅ xǅ é É\" }}|{{ swapcase \"a "
     "b\\tc_d-e\" }}|{{ swapcase \"AbC aBc\" }}|{{ swapcase \"1a a1b\" }}",
     "hELLO wORLD|ǅǆ Xǆ É é|A B\tC_D-E|aBc AbC|1A A1B", NULL},
    {"{{ untitle \"Hello World\\tFoo\\nBar Baz-Qux _Abc\" }}|{{ untitle \"ÉA  ÉB\" }}|{{ "
     "title \"hello wORLD foo-bar foo_bar foo.bar éa 1a ǆ\" }}|{{ title \"it's "
     "'quoted'\" }}",
     "hello world\tfoo\nbar baz-Qux _Abc|éA  éB|Hello WORLD Foo-Bar Foo_bar Foo.Bar Éa "
     "1a ǅ|It'S 'Quoted'",
     NULL},
    {"{{ initials \"First Try\" }}|{{ initials \" a  b\" }}|{{ initials \"éa "
     "bc\\tde\\nfg-hi\" }}|{{ initials \"\" }}",
     "FT|ab|Ãbdf|", NULL},
    {"{{ nospace \" a b\\tc\\u00a0d\\u2003e\\x85f\\v\" }}|{{ trim \"\\u00a0 a\\u3000\" "
     "}}|{{ trimAll \"\" \" a \" }}|{{ trimAll \"é\" \"éaé\" }}",
     "abcÂdâef|a| a |a", NULL},
    {"{{ plural \"one\" \"many\" 0 }} {{ plural \"one\" \"many\" -1 }}", "many many",
     NULL},
    {"{{ cat }}|{{ cat nil }}|{{ cat \"\" }}|{{ cat \" a\" \"b \" }}|{{ cat (list 1 nil) "
     ".Target.labels }}|{{ cat .Target.nope \"x\" }}|{{ cat 1.0 \"%d\" }}",
     "||| a b |[1 <nil>] map[a:1 b:2]|x|1 %d", NULL},
    {"{{ quote }}|{{ quote nil }}|{{ quote \"\" nil \"\" }}|{{ quote (list \"a\") "
     ".Target.labels }}|{{ quote \"é\\u200b\\n\\x00\" }}|{{ quote .Target.big }}",
     "||\"\" \"\"|\"[a]\" \"map[a:1 b:2]\"|\"é\\u200b\\n\\x00\"|\"1.00065e+09\"", NULL},
    {"{{ squote nil }}|{{ squote (list nil 1) \"\" nil }}", "|'[<nil> 1]' ''", NULL},
    {"{{ indent 0 \"a\\n\" }}|{{ indent 2 \"a\\n\\nb\\n\" }}|{{ nindent 2 \"\" }}|{{ "
     "indent 1 \"\" }}",
     "a\n|  a\n  \n  b\n  |\n  | ", NULL},
    {"{{ repeat 0 \"a\" }}|{{ repeat 3 \"\" }}", "|", NULL},
    {"{{ replace \"\" \"-\" \"aéb\" }}|{{ replace \"a\" \"\" \"banana\" }}|{{ replace "
     "\"aa\" \"b\" \"aaaaa\" }}|{{ replace \"x\" \"y\" \"\" }}|{{ replace \"\" \"x\" "
     "\"\" }}|{{ printf \"%q\" (replace \"\" \"-\" \"\\xffa\") }}",
     "-a-é-b-|bnn|bba||x|\"-\\xff-a-\"", NULL},
    {"{{ split \"\" \"aéb\" }}|{{ split \",\" \"\" }}|{{ split \",\" \"a,b,,c\" }}|{{ "
     "splitn \",\" 0 \"a,b\" }}|{{ splitn \",\" -1 \"a,b,c\" }}|{{ splitn \",\" 1 "
     "\"a,b\" }}|{{ splitn \"\" 2 \"abc\" }}|{{ splitn \",\" 2 \"a,b,c\" }}",
     "map[_0:a _1:é _2:b]|map[_0:]|map[_0:a _1:b _2: _3:c]|map[]|map[_0:a _1:b "
     "_2:c]|map[_0:a,b]|map[_0:a _1:bc]|map[_0:a _1:b,c]",
     NULL},
    {"{{ splitList \"\" \"aéb\" }}|{{ splitList \",\" \"\" }}|{{ len (splitList \",\" "
     "\"\") }}|{{ len (splitList \"\" \"\") }}|{{ typeOf (splitList \",\" \"a\") }}|{{ "
     "typeOf (split \",\" \"a\") }}|{{ typeOf (toStrings (list 1)) }}|{{ typeOf "
     "(sortAlpha (list 1)) }}",
     "[a é b]|[]|1|0|[]string|map[string]string|[]string|[]string", NULL},
    {"{{ join \",\" nil }}|{{ join \",\" (list nil 1 2.5 true (list 1 \"a\") (dict \"a\" "
     "nil)) }}|{{ join \",\" 5 }}|{{ join \",\" .Target.labels }}|{{ join \",\" (until "
     "3) }}|{{ join \",\" (splitList \",\" \"b,a\") }}|{{ join \",\" .Target.nope }}",
     "|1,2.5,true,[1 a],map[a:<nil>]|5|map[a:1 b:2]|0,1,2|b,a|", NULL},
    {"{{ toStrings nil }}|{{ toStrings \"a\" }}|{{ toStrings (list 1 nil \"a\" 1e9) "
     "}}|{{ len (toStrings nil) }}|{{ toStrings .Target.nope }}",
     "[]|[a]|[1 a 1e+09]|0|[]", NULL},
    {"{{ sortAlpha \"x\" }}|{{ sortAlpha nil }}|{{ sortAlpha (list 10 9 \"b\" nil \"a\" "
     "\"B\") }}|{{ sortAlpha .Target.labels }}|{{ sortAlpha .Target.nope }}",
     "[x]|[<nil>]|[10 9 B a b]|[map[a:1 b:2]]|[<nil>]", NULL},
    {"{{ trunc 0 \"abc\" }}|{{ trunc -3 \"abc\" }}|{{ trunc -5 \"abc\" }}|{{ trunc 5 "
     "\"abc\" }}|{{ printf \"%q\" (trunc 2 \"héllo\") }}|{{ trunc -0 \"abc\" }}|{{ trunc "
     "-9223372036854775808 \"abc\" }}",
     "|abc|abc|abc|\"h\\xc3\"||abc", NULL},
    {"{{ substr 3 -1 \"abc\" }}|{{ substr 3 3 \"abc\" }}|{{ substr 1 10 \"abc\" }}|{{ "
     "substr 0 10 \"abc\" }}",
     "||bc|abc", NULL},
    {"{{ substr -1 2 \"abc\" }}", "ab", NULL},
    {"{{ contains \"\" \"abc\" }} {{ contains \"x\" \"\" }} {{ hasPrefix \"\" \"\" }} {{ "
     "trimPrefix \"a\" \"aab\" }} {{ trimSuffix \"\" \"a\" }}",
     "true false true ab a", NULL},
    {"{{ toString nil }}|{{ toString \"a\" }}|{{ toString (list 1 \"a\" nil) }}|{{ "
     "toString 1.0 }}|{{ toString true }}|{{ toString (semver \"1.2.3\") }}|{{ toString "
     "(dict \"a\" 1) }}|{{ toString .Target.nul }}",
     "<nil>|a|[1 a <nil>]|1|true|1.2.3|map[a:1]|<nil>", NULL},
    {"{{ snakecase \"a²b\" }} {{ snakecase \"a٣b\" }} {{ snakecase \"ǅa\" }} {{ "
     "snakecase \"aǅb\" }} {{ snakecase \"a中B\" }} {{ snakecase \"aⅣb\" }} {{ snakecase "
     "\"a\\tb\\u00a0c\" }} {{ snakecase \"a+B$C\" }} {{ snakecase \"ÀÉa\" }} {{ "
     "snakecase \"aʰB\" }} {{ snakecase \"aªB\" }} {{ snakecase \"İaSß\" }}",
     "a_²b a_٣b ǅa aǅb a_中_b a_Ⅳb a_b_c a_+_b_$_c à_éa aʰ_b aª_b ia_sß", NULL},
    {"{{ camelcase \"ǆa a_ǆ\" }} {{ camelcase \" a\" }}|{{ camelcase \"\\u00a0a\" }}|{{ "
     "camelcase \"a\\u2003b\" }}|{{ camelcase \"ǅ_ǅǅ\" }}|{{ camelcase \" \" }}|",
     "ǄaAǄ  A| A|AB|ǄǄǆ|  |", NULL},
    {"{{ kebabcase \"_ -a\" }} {{ kebabcase \"aB1cD\" }} {{ kebabcase \"a\\u00a0b\" }}",
     "---a a-b-1c-d a-b", NULL},
};

static void edges(void **state) {
    (void)state;
    check_table(edges_cases, FX_COUNT(edges_cases));
}

static const struct table_case errors_cases[] = {
    {"{{ indent -1 \"a\" }}", NULL,
     "error calling indent: strings: negative Repeat count"},
    {"{{ nindent -1 \"a\" }}", NULL,
     "error calling nindent: strings: negative Repeat count"},
    {"{{ repeat -1 \"a\" }}", NULL,
     "error calling repeat: strings: negative Repeat count"},
    {"{{ substr 0 0 \"abc\" }}|{{ substr 0 -1 \"abc\" }}|{{ substr -5 -5 \"abc\" }}",
     NULL, "error calling substr: runtime error: slice bounds out of range [:-5]"},
    {"{{ substr -1 10 \"abc\" }}", NULL,
     "error calling substr: runtime error: slice bounds out of range [:10] with length "
     "3"},
    {"{{ substr 5 6 \"abc\" }}", NULL,
     "error calling substr: runtime error: slice bounds out of range [5:3]"},
    {"{{ substr 4 -1 \"abc\" }}", NULL,
     "error calling substr: runtime error: slice bounds out of range [4:3]"},
    {"{{ substr 2 1 \"abc\" }}", NULL,
     "error calling substr: runtime error: slice bounds out of range [2:1]"},
    {"{{ substr -1 -1 \"abc\" }}", NULL,
     "error calling substr: runtime error: slice bounds out of range [:-1]"},
};

static void errors(void **state) {
    (void)state;
    check_table(errors_cases, FX_COUNT(errors_cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_the_spec),
        cmocka_unit_test(edges),
        cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
