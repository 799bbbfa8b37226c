/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/semver_test.c - versions and their constraints, as the
 * library has them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "location/sprig/testing_table.h"

static const struct table_case versions_are_parsed_cases[] = {
    {"{{ (semver \"1.2.3-alpha+b\").Minor }} {{ (semver \"1.2.3-alpha\").Prerelease }} "
     "{{ semver \"v1.2\" }}",
     "2 alpha 1.2.0", NULL},
    {"{{ $v := semver \"v1.2-rc.1+b.7\" }}{{ $v.Major }} {{ $v.Minor }} {{ $v.Patch }} "
     "{{ $v.Prerelease }} {{ $v.Metadata }} {{ $v.Original }} {{ $v }}",
     "1 2 0 rc.1 b.7 v1.2-rc.1+b.7 1.2.0-rc.1+b.7", NULL},
    {"{{ semver \"01.02.03\" }} {{ semver \"1\" }} {{ semver \"1-a\" }} {{ semver "
     "\"1+b\" }}",
     "1.2.3 1.0.0 1.0.0-a 1.0.0+b", NULL},
    {"{{ semver \"\" }}", NULL, "Invalid Semantic Version"},
    {"{{ semver \"1.2.3.4\" }}", NULL, "Invalid Semantic Version"},
    {"{{ semver \"x\" }}", NULL, "Invalid Semantic Version"},
    {"{{ semver \"V1\" }}", NULL, "Invalid Semantic Version"},
    {"{{ semver \"1.\" }}", NULL, "Invalid Semantic Version"},
    {"{{ semver \"1.2.3-\" }}", NULL, "Invalid Semantic Version"},
    {"{{ semver \"1.2.3-01\" }}", NULL, "Version segment starts with 0"},
    {"{{ semver \"1.2.3-a..b\" }}", NULL, "Invalid Semantic Version"},
    {"{{ semver \" 1\" }}", NULL, "Invalid Semantic Version"},
    {"{{ semver 1 }}", NULL, "expected string; found 1"},
    {"{{ (semver \"1.2.3\").Build }}", NULL,
     "can't evaluate field Build in type *semver.Version"},
};

static void versions_are_parsed(void **state) {
    (void)state;
    check_table(versions_are_parsed_cases, FX_COUNT(versions_are_parsed_cases));
}

static const struct table_case constraints_are_checked_cases[] = {
    {"{{ semverCompare \"^1.2.0\" \"1.3.0\" }} {{ semverCompare \">=1.20-0\" "
     "\"v1.21.3-gke.1\" }}",
     "true true", NULL},
    {"{{ semverCompare \"bad\" \"1\" }}", NULL, "improper constraint: bad"},
    {"{{ semverCompare \"1\" \"bad\" }}", NULL, "Invalid Semantic Version"},
    {"{{ semverCompare \"bad\" \"bad\" }}", NULL, "improper constraint: bad"},
    {"{{ semverCompare \"\" \"1.2.3\" }}", NULL, "improper constraint: "},
    {"{{ semverCompare \">=1.2<3\" \"1.2.3\" }}", NULL, "improper constraint: >=1.2<3"},
    {"{{ semverCompare \">=1.2 <3\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \">=1.2,<3\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \">=1.2 , <3\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"1.2 - 1.4 || 9\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"1.2 -1.4\" \"1.2.3\" }}", NULL, "improper constraint: 1.2 -1.4"},
    {"{{ semverCompare \"1.2- 1.4\" \"1.2.3\" }}", NULL, "improper constraint: 1.2- 1.4"},
    {"{{ semverCompare \"1.2 1.2.1\" \"1.2.3\" }}", "false", NULL},
    {"{{ semverCompare \"*\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"x\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"X\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"1.x\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"1.X.3\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"1.*\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"1.2.x\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"x.2\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"v1\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"V1\" \"1.2.3\" }}", NULL, "improper constraint: V1"},
    {"{{ semverCompare \"=v1.2\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"==1.2\" \"1.2.3\" }}", NULL, "improper constraint: ==1.2"},
    {"{{ semverCompare \"!=1.2\" \"1.2.3\" }}", "false", NULL},
    {"{{ semverCompare \"~>1.2\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"~ 1.2\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"^ 1\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"=>1\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"=<2\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"<1.3\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \">1\" \"1.2.3\" }}", "false", NULL},
    {"{{ semverCompare \">1.2\" \"1.2.3\" }}", "false", NULL},
    {"{{ semverCompare \"<2.x\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"1.2.3.4\" \"1.2.3\" }}", NULL, "improper constraint: 1.2.3.4"},
    {"{{ semverCompare \"1.2.3-\" \"1.2.3\" }}", NULL, "improper constraint: 1.2.3-"},
    {"{{ semverCompare \"1.2.3-a\" \"1.2.3\" }}", "false", NULL},
    {"{{ semverCompare \"1.2.3+\" \"1.2.3\" }}", NULL, "improper constraint: 1.2.3+"},
    {"{{ semverCompare \"1.2.3+b\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"01.2\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"1.02\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"1|2\" \"1.2.3\" }}", NULL, "constraint Parser Error"},
    {"{{ semverCompare \"1||\" \"1.2.3\" }}", NULL, "improper constraint: "},
    {"{{ semverCompare \"||1\" \"1.2.3\" }}", NULL, "improper constraint: "},
    {"{{ semverCompare \" 1.2.3 \" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"1,2\" \"1.2.3\" }}", "false", NULL},
    {"{{ semverCompare \"1, ,2\" \"1.2.3\" }}", NULL, "improper constraint: 1, ,2"},
    {"{{ semverCompare \",1\" \"1.2.3\" }}", NULL, "improper constraint: ,1"},
    {"{{ semverCompare \"1,\" \"1.2.3\" }}", NULL, "improper constraint: 1,"},
    {"{{ semverCompare \"~1.2.3-beta\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"^0\" \"1.2.3\" }}", "false", NULL},
    {"{{ semverCompare \"^0.0\" \"1.2.3\" }}", "false", NULL},
    {"{{ semverCompare \"^0.0.3\" \"1.2.3\" }}", "false", NULL},
    {"{{ semverCompare \"^0.2\" \"1.2.3\" }}", "false", NULL},
    {"{{ semverCompare \"~0\" \"1.2.3\" }}", "false", NULL},
    {"{{ semverCompare \">= 1.2.3 || < 1\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"1.2 - 1\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"1.2 - 1.x\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"1.2 - *\" \"1.2.3\" }}", "false", NULL},
    {"{{ semverCompare \"99999999999999999999\" \"1.2.3\" }}", NULL,
     "constraint Parser Error"},
    {"{{ semverCompare \"1.2x\" \"1.2.3\" }}", NULL, "constraint Parser Error"},
    {"{{ semverCompare \"xx\" \"1.2.3\" }}", NULL, "constraint Parser Error"},
    {"{{ semverCompare \"1.2.3 - 2.3.4 || 3 - 4\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"> 1.2.3 ,<  2\" \"1.2.3\" }}", "false", NULL},
    {"{{ semverCompare \"!1\" \"1.2.3\" }}", NULL, "improper constraint: !1"},
    {"{{ semverCompare \"<>1\" \"1.2.3\" }}", NULL, "improper constraint: <>1"},
    {"{{ semverCompare \">\" \"1.2.3\" }}", NULL, "improper constraint: >"},
    {"{{ semverCompare \"^\" \"1.2.3\" }}", NULL, "improper constraint: ^"},
    {"{{ semverCompare \"1.2.3\\t<2\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"a\" \"1.2.3\" }}", NULL, "improper constraint: a"},
    {"{{ semverCompare \"1.2.3 a\" \"1.2.3\" }}", NULL, "improper constraint: 1.2.3 a"},
    {"{{ semverCompare \"1.2.3-01\" \"1.2.3\" }}", NULL, "constraint Parser Error"},
    {"{{ semverCompare \"1.2.3-a..b\" \"1.2.3\" }}", NULL,
     "improper constraint: 1.2.3-a..b"},
    {"{{ semverCompare \"!=1.x\" \"1.2.3\" }}", "false", NULL},
    {"{{ semverCompare \"!=1\" \"1.2.3\" }}", "false", NULL},
    {"{{ semverCompare \"<=1\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \">=1.x\" \"1.2.3\" }}", "true", NULL},
    {"{{ semverCompare \"1.2.3 || bad\" \"1.2.3\" }}", NULL, "improper constraint:  bad"},
    {"{{ semverCompare \"bad || 1.2\" \"1.2.3\" }}", NULL, "improper constraint: bad "},
    {"{{ semverCompare \"1.2,1.2.1\" \"1.2.3\" }}", "false", NULL},
};

static void constraints_are_checked(void **state) {
    (void)state;
    check_table(constraints_are_checked_cases, FX_COUNT(constraints_are_checked_cases));
}

static const struct table_case prereleases_are_ordered_cases[] = {
    {"{{ range list \"1.0.0-alpha\" \"1.0.0-alpha.1\" \"1.0.0-alpha.beta\" "
     "\"1.0.0-beta\" \"1.0.0-beta.2\" \"1.0.0-beta.11\" \"1.0.0-rc.1\" \"1.0.0\" }}{{ "
     "semverCompare \">1.0.0-beta.2\" . }}{{ semverCompare \"<1.0.0-beta.2\" . }} {{ end "
     "}}",
     "falsetrue falsetrue falsetrue falsetrue falsefalse truefalse truefalse truefalse ",
     NULL},
    {"{{ range list \"1.0.0-a\" \"1.0.1\" \"1.1.0-b\" \"2.0.0\" \"0.0.1\" \"0.9.0\" }}{{ "
     "semverCompare \"!=1.0\" . }}{{ semverCompare \"!=1\" . }}{{ semverCompare "
     "\"!=1.0-a\" . }}{{ semverCompare \"!=1.0.1\" . }} {{ end }}",
     "falsefalsefalsetrue falsefalsetruefalse falsefalsetruetrue truetruetruetrue "
     "truetruetruetrue truetruetruetrue ",
     NULL},
    {"{{ range list \"0.0.3\" \"0.0.4\" \"0.1.0\" \"0.2.3\" \"1.0.0\" \"1.9.9\" "
     "\"2.0.0\" }}{{ semverCompare \"^0.0.3\" . }}{{ semverCompare \"^0.0\" . }}{{ "
     "semverCompare \"^0\" . }}{{ semverCompare \"^0.2.3\" . }}{{ semverCompare \"^1\" . "
     "}} {{ end }}",
     "truetruetruefalsefalse falsetruetruefalsefalse falsefalsetruefalsefalse "
     "falsefalsetruetruefalse falsefalsefalsefalsetrue falsefalsefalsefalsetrue "
     "falsefalsefalsefalsefalse ",
     NULL},
    {"{{ range list \"1.1.9\" \"1.2.0\" \"1.2.9\" \"1.3.0\" \"2.0.0\" }}{{ semverCompare "
     "\"~1.2\" . }}{{ semverCompare \"~1\" . }}{{ semverCompare \"~1.2.3\" . }}{{ "
     "semverCompare \">1.2\" . }}{{ semverCompare \"<=1.2\" . }} {{ end }}",
     "falsetruefalsefalsetrue truetruefalsefalsetrue truetruetruefalsetrue "
     "falsetruefalsetruefalse falsefalsefalsetruefalse ",
     NULL},
    {"{{ range list \"1.1.9\" \"1.2.0\" \"1.4.9\" \"1.5.0\" }}{{ semverCompare \"1.2 - "
     "1.4\" . }}{{ semverCompare \"1.2.0 - 1.4.0\" . }} {{ end }}",
     "falsefalse truetrue truefalse falsefalse ", NULL},
};

static void prereleases_are_ordered(void **state) {
    (void)state;
    check_table(prereleases_are_ordered_cases, FX_COUNT(prereleases_are_ordered_cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_are_parsed),
        cmocka_unit_test(constraints_are_checked),
        cmocka_unit_test(prereleases_are_ordered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
