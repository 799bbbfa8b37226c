/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/regex_test.c - Sprig's regular expressions: the examples of the
 * templates spec, edge cases, error messages.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "location/sprig/testing_table.h"

static const struct table_case examples_of_the_spec_cases[] = {
    {"{{ regexMatch \"^re\" \"redis\" }}", "true", NULL},
    {"{{ regexFind \"[a-z]+\" \"12ab34cd\" }} {{ regexFindAll \"[a-z]+\" \"12ab34cd\" -1 "
     "}}",
     "ab [ab cd]", NULL},
    {"{{ regexReplaceAll \"(.+)/(.*)\" \"repo/nginx:1\" \"my/${2}\" }} {{ "
     "regexReplaceAll \"a(x*)b\" \"-ab-axxb-\" \"$1W\" }}",
     "my/nginx:1 ---", NULL},
    {"{{ regexReplaceAllLiteral \"a(x*)b\" \"-ab-axxb-\" \"${1}\" }}", "-${1}-${1}-",
     NULL},
    {"{{ regexSplit \"z+\" \"pizza\" -1 }}", "[pi a]", NULL},
    {"{{ regexQuoteMeta \"1.2*\" }}", "1\\.2\\*", NULL},
};

static void examples_of_the_spec(void **state) {
    (void)state;
    check_table(examples_of_the_spec_cases, FX_COUNT(examples_of_the_spec_cases));
}

static const struct table_case edges_cases[] = {
    {"{{ regexMatch \"(\" \"a\" }}|{{ regexMatch \"a\" \"\" }}", "false|false", NULL},
    {"{{ mustRegexMatch \"(?P<n>a)(?P<n>b)\" \"a\" }}", "false", NULL},
    {"{{ regexFindAll \"a\" \"banana\" 2 }} {{ regexFindAll \"a\" \"banana\" 0 }} {{ "
     "regexFindAll \"x\" \"banana\" -1 }} {{ regexFindAll \"\" \"abc\" -1 | len }} {{ "
     "regexFindAll \"a*\" \"baaac\" -1 | printf \"%q\" }} {{ typeOf (regexFindAll \"a\" "
     "\"b\" 1) }} {{ regexFindAll \"x*\" \"é\" -1 | len }}",
     "[a a] [] [] 4 [\"\" \"aaa\" \"\"] []string 2", NULL},
    {"{{ regexReplaceAll \"a\" \"banana\" \"$0$0\" }} {{ regexReplaceAll "
     "\"(?P<x>a)(n)?\" \"banana\" \"[${x}-$2]\" }} {{ regexReplaceAll \"a\" \"banana\" "
     "\"$\" }} {{ regexReplaceAll \"a\" \"banana\" \"$$\" }} {{ regexReplaceAll \"a\" "
     "\"banana\" \"${x\" }} {{ regexReplaceAll \"a\" \"banana\" \"$x.\" }} {{ "
     "regexReplaceAll \"(a)\" \"banana\" \"$01\" }} {{ regexReplaceAll \"(a)\" "
     "\"banana\" \"${1}1$é\" }} {{ regexReplaceAll \"(a)\" \"banana\" \"$9$1_\" }} {{ "
     "regexReplaceAll \"(a)\" \"banana\" \"$-${}${ }\" }}",
     "baanaanaa b[a-n][a-n][a-] b$n$n$ b$n$n$ b${xn${xn${x b.n.n. bnn ba1na1na1 bnn "
     "b$-${}${ }n$-${}${ }n$-${}${ }",
     NULL},
    {"{{ regexReplaceAll \"a*\" \"baaac\" \"-\" }} {{ regexReplaceAll \"\" \"éa\" \"-\" "
     "}} {{ regexReplaceAll \"^\" \"abc\" \"-\" }} {{ regexReplaceAll \"$\" \"abc\" "
     "\"-\" }} {{ regexReplaceAll \"\\\\b\" \"ab cd\" \"|\" }} {{ regexReplaceAll "
     "\"(?m)^\" \"a\\nb\" \"> \" }} {{ regexReplaceAll \"b*\" \"\" \"-\" }} {{ "
     "regexReplaceAll \"^a\" \"aaa\" \"b\" }} {{ regexReplaceAll \"x*$\" \"ax\" \"-\" }}",
     "-b-c- -é-a- -abc abc- |ab| |cd| > a\n> b - baa a-", NULL},
    {"{{ regexReplaceAllLiteral \"a*\" \"baaac\" \"$1\" }} {{ regexReplaceAllLiteral "
     "\"(a)\" \"aa\" \"$$\" }}",
     "$1b$1c$1 $$$$", NULL},
    {"{{ regexSplit \"a\" \"banana\" 0 }}|{{ regexSplit \"a\" \"banana\" 1 }}|{{ "
     "regexSplit \"a\" \"banana\" 2 | printf \"%q\" }}|{{ regexSplit \"a\" \"banana\" -1 "
     "| printf \"%q\" }}|{{ regexSplit \"\" \"abc\" -1 | printf \"%q\" }}|{{ regexSplit "
     "\"a*\" \"baaac\" -1 | printf \"%q\" }}|{{ regexSplit \"\" \"\" -1 | printf \"%q\" "
     "}}|{{ regexSplit \"x\" \"\" -1 | printf \"%q\" }}|{{ regexSplit \"^\" \"abc\" -1 | "
     "printf \"%q\" }}|{{ regexSplit \"a\" \"aXa\" -1 | printf \"%q\" }}|{{ regexSplit "
     "\"\" \"abc\" 2 | printf \"%q\" }}",
     "[]|[banana]|[\"b\" \"nana\"]|[\"b\" \"n\" \"n\" \"\"]|[\"a\" \"b\" \"c\"]|[\"b\" "
     "\"c\"]|[]|[\"\"]|[\"abc\"]|[\"\" \"X\" \"\"]|[\"a\" \"bc\"]",
     NULL},
    {"{{ regexQuoteMeta \"a.b*c[d]e(f)g{h}i\\\\j^k$l+m?n|o-p\" }} {{ regexFind \"a(b)?\" "
     "\"xab\" }}|{{ regexFind \"z\" \"a\" }}|{{ regexFind \"\" \"a\" }}",
     "a\\.b\\*c\\[d\\]e\\(f\\)g\\{h\\}i\\\\j\\^k\\$l\\+m\\?n\\|o-p ab||", NULL},
    {"{{ regexReplaceAll \"(a)(b)?\" \"ab a\" \"<$2>\" }} {{ regexReplaceAll \"a\" \"a\" "
     "\"$1$12345678901\" }} {{ range (list \"a\" \"b\" \"a(\") }}{{ regexMatch . \"abc\" "
     "}}{{ end }}",
     "<b> <>  truetruefalse", NULL},
    {"{{ range until 40 }}{{ regexFind (printf \"%d$\" .) \"7 17 27\" }}{{ end }}", "727",
     NULL},
};

static void edges(void **state) {
    (void)state;
    check_table(edges_cases, FX_COUNT(edges_cases));
}

static const struct table_case errors_cases[] = {
    {"{{ regexFind \"(\" \"a\" }}", NULL,
     "error calling regexFind: regexp: Compile(`(`): error parsing regexp: missing "
     "closing ): `(`"},
    {"{{ mustRegexFind \"(\" \"a\" }}", NULL,
     "error calling mustRegexFind: error parsing regexp: missing closing ): `(`"},
    {"{{ regexFindAll \"[\" \"a\" 1 }}", NULL,
     "error calling regexFindAll: regexp: Compile(`[`): error parsing regexp: missing "
     "closing ]: `[`"},
    {"{{ mustRegexFindAll \"[\" \"a\" 1 }}", NULL,
     "error calling mustRegexFindAll: error parsing regexp: missing closing ]: `[`"},
    {"{{ regexSplit \"[\" \"a\" 1 }}", NULL,
     "error calling regexSplit: regexp: Compile(`[`): error parsing regexp: missing "
     "closing ]: `[`"},
    {"{{ mustRegexSplit \"a**\" \"a\" 1 }}", NULL,
     "error calling mustRegexSplit: error parsing regexp: invalid nested repetition "
     "operator: `**`"},
    {"{{ mustRegexReplaceAll \"a\\\\\" \"a\" \"b\" }}", NULL,
     "error calling mustRegexReplaceAll: error parsing regexp: trailing backslash at end "
     "of expression: ``"},
    {"{{ mustRegexReplaceAllLiteral \"a{1001}\" \"a\" \"b\" }}", NULL,
     "error calling mustRegexReplaceAllLiteral: error parsing regexp: invalid repeat "
     "count: `{1001}`"},
    {"{{ mustRegexMatch \"(?<n>a)\" \"a\" }}", NULL,
     "error calling mustRegexMatch: error parsing regexp: invalid or unsupported Perl "
     "syntax: `(?<`"},
    {"{{ mustRegexMatch \"(?P<n\" \"a\" }}", NULL,
     "error calling mustRegexMatch: error parsing regexp: invalid named capture: "
     "`(?P<n`"},
    {"{{ mustRegexMatch \"\\\\8\" \"a\" }}", NULL,
     "error calling mustRegexMatch: error parsing regexp: invalid escape sequence: "
     "`\\8`"},
    {"{{ mustRegexMatch \"(a)\\\\1\" \"a\" }}", NULL,
     "error calling mustRegexMatch: error parsing regexp: invalid escape sequence: "
     "`\\1`"},
    {"{{ mustRegexMatch \"(?=a)\" \"a\" }}", NULL,
     "error calling mustRegexMatch: error parsing regexp: invalid or unsupported Perl "
     "syntax: `(?=`"},
    {"{{ mustRegexMatch \"\\\\p{Klingon}\" \"a\" }}", NULL,
     "error calling mustRegexMatch: error parsing regexp: invalid character class range: "
     "`\\p{Klingon}`"},
    {"{{ mustRegexMatch \"[b-a]\" \"a\" }}", NULL,
     "error calling mustRegexMatch: error parsing regexp: invalid character class range: "
     "`b-a`"},
    {"{{ mustRegexMatch \"a)\" \"a\" }}", NULL,
     "error calling mustRegexMatch: error parsing regexp: unexpected ): `a)`"},
    {"{{ mustRegexMatch \"*\" \"a\" }}", NULL,
     "error calling mustRegexMatch: error parsing regexp: missing argument to repetition "
     "operator: `*`"},
    {"{{ mustRegexMatch \"[[:foo:]]\" \"a\" }}", NULL,
     "error calling mustRegexMatch: error parsing regexp: invalid character class range: "
     "`[:foo:]`"},
    {"{{ mustRegexMatch \"(?i\" \"a\" }}", NULL,
     "error calling mustRegexMatch: error parsing regexp: invalid or unsupported Perl "
     "syntax: `(?i`"},
    {"{{ mustRegexMatch \"a{2}{3}\" \"a\" }}", NULL,
     "error calling mustRegexMatch: error parsing regexp: invalid nested repetition "
     "operator: `{2}{3}`"},
    {"{{ mustRegexMatch \"(?z)\" \"a\" }}", NULL,
     "error calling mustRegexMatch: error parsing regexp: invalid or unsupported Perl "
     "syntax: `(?z`"},
    {"{{ mustRegexMatch \"x{2,1}\" \"a\" }}", NULL,
     "error calling mustRegexMatch: error parsing regexp: invalid repeat count: `{2,1}`"},
    {"{{ mustRegexMatch \"\\\\pX\" \"a\" }}", NULL,
     "error calling mustRegexMatch: error parsing regexp: invalid character class range: "
     "`\\pX`"},
    {"{{ mustRegexMatch \"\\\\p\" \"a\" }}", NULL,
     "error calling mustRegexMatch: error parsing regexp: invalid character class range: "
     "`\\p`"},
    {"{{ mustRegexMatch \"\\\\x{110000}\" \"a\" }}", NULL,
     "error calling mustRegexMatch: error parsing regexp: invalid escape sequence: "
     "`\\x{110000`"},
    {"{{ regexFind \"`(\" \"a\" }}", NULL,
     "error calling regexFind: regexp: Compile(\"`(\"): error parsing regexp: missing "
     "closing ): ``(`"},
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
