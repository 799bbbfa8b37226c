/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/printf_test.c - Go's fmt verbs, flags and widths: the examples of the
 * templates spec, edge cases, error texts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "location/sprig/testing_table.h"

static const struct table_case verbs_cases[] = {
    {"{{ printf \"%v|%+v|%#v|%T\" \"a\" \"a\" \"a\" \"a\" }}", "a|a|\"a\"|string", NULL},
    {"{{ printf \"%v|%+v|%#v|%T\" 5 5 5 5 }}", "5|5|5|int", NULL},
    {"{{ printf \"%v|%+v|%#v|%T\" 1.5 1.5 1.0 1.5 }}", "1.5|1.5|1|float64", NULL},
    {"{{ printf \"%v|%+v|%#v|%T\" nil nil nil nil }}", "<nil>|<nil>|<nil>|<nil>", NULL},
    {"{{ printf \"%v|%+v|%#v|%T\" true true true true }}", "true|true|true|bool", NULL},
    {"{{ printf \"%v|%+v|%#v|%T\" .Target.labels .Target.labels .Target.labels "
     ".Target.labels }}",
     "map[a:1 b:2]|map[a:1 b:2]|map[string]interface {}{\"a\":\"1\", "
     "\"b\":\"2\"}|map[string]interface {}",
     NULL},
    {"{{ printf \"%v|%+v|%#v|%T\" .Target.mixed .Target.mixed .Target.mixed "
     ".Target.mixed }}",
     "[a  0 <nil> b]|[a  0 <nil> b]|[]interface {}{\"a\", \"\", 0, interface {}(nil), "
     "\"b\"}|[]interface {}",
     NULL},
    {"{{ printf \"%v|%#v|%T\" (splitList \",\" \"a,b\") (splitList \",\" \"a,b\") "
     "(splitList \",\" \"a,b\") }}",
     "[a b]|[]string{\"a\", \"b\"}|[]string", NULL},
    {"{{ printf \"%v|%#v\" (list (dict \"a\" (list nil 1)) (until 2)) (list (dict \"a\" "
     "(list nil 1)) (until 2)) }}",
     "[map[a:[<nil> 1]] [0 1]]|[]interface {}{map[string]interface {}{\"a\":[]interface "
     "{}{interface {}(nil), 1}}, []int{0, 1}}",
     NULL},
    {"{{ printf \"%d|%5d|%-5d|%05d|%+d|% d|%x|%X|%#x|%o|%#o|%O|%b|%#b\" 42 42 42 42 42 "
     "42 42 42 42 42 42 42 42 42 }}",
     "42|   42|42   |00042|+42| 42|2a|2A|0x2a|52|052|0o52|101010|0b101010", NULL},
    {"{{ printf \"%d|%5d|%-5d|%05d|%+d|% d|%x|%X|%#x|%o|%#o|%O|%b\" -42 -42 -42 -42 -42 "
     "-42 -42 -42 -42 -42 -42 -42 -42 }}",
     "-42|  -42|-42  |-0042|-42|-42|-2a|-2A|-0x2a|-52|-052|-0o52|-101010", NULL},
    {"{{ printf \"%.3d|%6.3d|%-6.3d|%06.3d|%.0d|%.0d|%+.3d\" 7 7 7 7 0 1 7 }}",
     "007|   007|007   |   007||1|+007", NULL},
    {"{{ printf \"%d %x\" -9223372036854775808 -9223372036854775808 }}",
     "-9223372036854775808 -8000000000000000", NULL},
    {"{{ printf \"%c|%c|%q|%q|%+q|%U|%#U|%5c|%-5c|\" 65 128512 65 128512 128512 65 "
     "128512 65 65 }}",
     "A|😀|'A'|'😀'|'\\U0001f600'|U+0041|U+1F600 '😀'|    A|A    |", NULL},
    {"{{ printf \"%q|%q|%q\" 10 39 34 }}", "'\\n'|'\\''|'\"'", NULL},
    {"{{ printf \"%s|%10s|%-10s|%.2s|%5.1s|%05s\" \"héllo\" \"héllo\" \"héllo\" "
     "\"héllo\" \"héllo\" \"ab\" }}",
     "héllo|     héllo|héllo     |hé|    h|000ab", NULL},
    {"{{ printf \"%q|%+q|%#q|%#q|%12q|%-12q|\" \"é\\n\" \"é\\n\" \"é\" \"a`b\" \"ab\" "
     "\"ab\" }}",
     "\"é\\n\"|\"\\u00e9\\n\"|`é`|\"a`b\"|        \"ab\"|\"ab\"        |", NULL},
    {"{{ printf \"%x|%X|% x|%#x|% #X|%.2x|%8x|%-8x|\" \"hello\" \"hello\" \"hello\" "
     "\"hello\" \"hello\" \"hello\" \"ab\" \"ab\" }}",
     "68656c6c6f|68656C6C6F|68 65 6c 6c 6f|0x68656c6c6f|0X68 0X65 0X6C 0X6C 0X6F|6865|   "
     " 6162|6162    |",
     NULL},
    {"{{ printf \"%e|%E|%f|%F|%g|%G|%.2e|%.0f|%8.2f|%-8.2f|%08.2f|%+.1f|% .1f\" "
     "1234.5678 1234.5678 1234.5678 1234.5678 1234.5678 1e21 1234.5678 2.5 -1.5 -1.5 "
     "-1.5 1.5 1.5 }}",
     "1.234568e+03|1.234568E+03|1234.567800|1234.567800|1234.5678|1E+21|1.23e+03|2|   "
     "-1.50|-1.50   |-0001.50|+1.5| 1.5",
     NULL},
    {"{{ printf \"%.3g|%.10g|%#g|%#.3g|%#f|%#.0f|%#e\" 1234.5678 1234.5678 1.0 1.0 1.0 "
     "1.0 1.0 }}",
     "1.23e+03|1234.5678|1.00000|1.00|1.000000|1.|1.000000e+00", NULL},
    {"{{ printf \"%b|%x|%X|%.2x|%x\" 1.0 1.5 1.5 1.999 5e-324 }}",
     "4503599627370496p-52|0x1.8p+00|0X1.8P+00|0x1.00p+01|0x1p-1074", NULL},
    {"{{ printf \"%v|%f|%+v|%08v|%e\" (float64 \"inf\") (float64 \"-inf\") (float64 "
     "\"nan\") (float64 \"inf\") (float64 \"nan\") }}",
     "+Inf|-Inf|NaN|    +Inf|NaN", NULL},
    {"{{ printf \"%t|%v|%5t|%-7t|%q\" true false true true true }}",
     "true|false| true|true   |%!q(bool=true)", NULL},
    {"{{ printf \"%d|%s|%z|%!|%d\" \"x\" 5 1 1 1.5 }}",
     "%!d(string=x)|%!s(int=5)|%!z(int=1)|%!!(int=1)|%!d(float64=1.5)", NULL},
    {"{{ printf \"%s %d %v\" \"a\" }}", "a %!d(MISSING) %!v(MISSING)", NULL},
    {"{{ printf \"a\" 1 \"b\" nil .Target.arr }}",
     "a%!(EXTRA int=1, string=b, <nil>, []interface {}=[x y z])", NULL},
    {"{{ printf \"%[2]d %[1]d|%[1]d %d|%[3]d|%[0]d|%[x]d|%[1]|%[]d\" 1 2 }}",
     "2 1|1 2|%!d(BADINDEX)|%!d(BADINDEX)|%!d(BADINDEX)|%!|(int=1)%!d(BADINDEX)", NULL},
    {"{{ printf \"%*d|%-*d|%.*f|%[3]*.[2]*[1]f\" 5 42 5 42 2 3.14159 }}",
     "   42|42   |3.14|%!f(int=000000000000000000000000000000000000000005)", NULL},
    {"{{ printf \"%*d\" \"x\" 1 }}", "%!(BADWIDTH)1", NULL},
    {"{{ printf \"%.*d\" \"x\" 1 }}", "%!(BADPREC)1", NULL},
    {"{{ printf \"%*d|%.*d\" -5 42 -1 42 }}", "42   |%!(BADPREC)42", NULL},
    {"{{ printf \"%[3]2d|%[1].2d|%\" 1 2 3 }}", "%!d(BADINDEX)|%!d(BADINDEX)|%!(NOVERB)",
     NULL},
    {"{{ printf \"%\" }}", "%!(NOVERB)", NULL},
    {"{{ printf \"%%|%5%|%-%\" }}", "%|%|%", NULL},
    {"{{ printf \"%d|%s|%x|%5.1f|%q\" .Target.nested .Target.arr .Target.arr "
     ".Target.nested .Target.arr }}",
     "[[%!d(float64=1) %!d(float64=2)] [%!d(float64=3)]]|[x y z]|[78 79 7a]|[[  1.0   "
     "2.0] [  3.0]]|[\"x\" \"y\" \"z\"]",
     NULL},
    {"{{ printf \"%s|%d\" .Target.mixed .Target.mixed }}",
     "[a  %!s(float64=0) <nil> b]|[%!d(string=a) %!d(string=) %!d(float64=0) <nil> "
     "%!d(string=b)]",
     NULL},
    {"{{ printf \"%s|%5s|%x\" .Target.labels .Target.labels .Target.labels }}",
     "map[a:1 b:2]|map[    a:    1     b:    2]|map[61:31 62:32]", NULL},
    {"{{ printf \"%v|%s|%d|%q|%x|%T\" (semver \"1.2.3-a\") (semver \"v1.2\") (semver "
     "\"1.2.3\").Major (semver \"1.2.3\") (semver \"1.2.3\") (semver \"1.2.3\") }}",
     "1.2.3-a|1.2.0|1|\"1.2.3\"|312e322e33|*semver.Version", NULL},
    {"{{ printf \"%v|%#v|%d|%x\" (semver \"1.20.3\").Minor (semver \"1.20.3\").Minor "
     "(semver \"1.20.3\").Minor (semver \"1.20.3\").Minor }}",
     "20|0x14|20|14", NULL},
    {"{{ printf \"%v|%s\" (toDate \"2006-01-02\" \"2020-01-02\") (toDate \"2006-01-02\" "
     "\"2020-01-02\") }}",
     "2020-01-02 00:00:00 +0000 UTC|2020-01-02 00:00:00 +0000 UTC", NULL},
    {"{{ printf \"%w|%6.2T|%.1T\" .Target.arr 5 nil }}",
     "%!w([]interface {}=[x y z])|    in|<nil>", NULL},
    {"{{ printf \"%v\" .Target.nope }}|{{ printf \"%s\" .Target.nope }}",
     "<nil>|%!s(<nil>)", NULL},
    {"{{ printf \"%é\" 1 }}", "%!é(int=1)", NULL},
    {"{{ printf \"\" }}|{{ printf \"\" 1 }}", "|%!(EXTRA int=1)", NULL},
    {"{{ printf \"%-05d|%+ d|%0-5d|%# x|%+x\" 7 7 7 255 255 }}",
     "7    |+7|7    | 0xff|+ff", NULL},
    {"{{ printf \"%10v|%-10v|%010v|%.1v\" .Target.arr .Target.labels 1.5 \"abc\" }}",
     "[         x          y          z]|map[a         :1          b         :2         "
     "]|00000001.5|a",
     NULL},
    {"{{ printf \"%99999999999d\" 1 }}", "%!(NOVERB)%!(EXTRA int=1)", NULL},
};

static void verbs(void **state) {
    (void)state;
    check_table(verbs_cases, FX_COUNT(verbs_cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verbs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
