/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/dicts_test.c - Sprig's Dicts, as in the library; where its order is
 * random, in the order of the keys.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "location/sprig/testing_table.h"

static const struct table_case keys_are_looked_up_cases[] = {
    {"[{{ get .Target.labels \"a\" }}][{{ get .Target.labels \"zz\" }}][{{ get "
     ".Target.nope \"a\" }}]",
     "[1][][]", NULL},
    {"{{ get .Target.nul \"a\" }}", NULL,
     "wrong type for value; expected map[string]interface {}; got interface {}"},
    {"{{ get .Target.arr \"a\" }}", NULL,
     "wrong type for value; expected map[string]interface {}; got []interface {}"},
    {"{{ get .Target.labels 1 }}", NULL, "expected string; found 1"},
    {"{{ get .Target \"nul\" }}", "<no value>", NULL},
    {"{{ hasKey .Target.labels \"a\" }} {{ hasKey .Target.labels \"z\" }} {{ hasKey "
     ".Target \"nul\" }} {{ hasKey .Target.nope \"a\" }}",
     "true false true false", NULL},
    {"{{ hasKey nil \"a\" }}", "false", NULL},
    {"{{ pluck \"a\" (dict \"a\" 1) (dict \"b\" 2) (dict \"a\" 3) }} {{ pluck \"a\" }} "
     "{{ pluck \"a\" .Target.nope .Target.labels }}",
     "[1 3] [] [1]", NULL},
    {"{{ keys .Target.labels | sortAlpha }} {{ values (dict \"a\" 1) }} {{ keys "
     ".Target.nope }} {{ keys (dict \"a\" 1) (dict \"a\" 2) }} {{ keys }}",
     "[a b] [1] [] [a a] []", NULL},
    {"{{ keys (dict \"a\" 1) | printf \"%T\" }} {{ values .Target.nope }}", "[]string []",
     NULL},
    {"{{ keys .Target.nul }}", NULL,
     "wrong type for value; expected map[string]interface {}; got interface {}"},
    {"{{ dig \"a\" \"b\" \"def\" (dict \"a\" (dict \"b\" 1)) }} {{ dig \"x\" \"y\" "
     "\"def\" (dict) }} {{ dig \"a\" \"x\" 7 (dict \"a\" (dict \"b\" 1)) }} {{ dig "
     "\"nul\" 7 .Target }}",
     "1 def 7 <no value>", NULL},
    {"{{ dig \"a\" 1 }}", NULL, "dig needs at least three arguments"},
    {"{{ dig \"n\" \"b\" 1 .Target }}", NULL,
     "interface conversion: interface {} is float64, not map[string]interface {}"},
    {"{{ dig \"nul\" \"b\" 1 .Target }}", NULL,
     "interface conversion: interface {} is nil, not map[string]interface {}"},
    {"{{ dig \"a\" 1 .Target.nope }}", NULL,
     "interface conversion: interface {} is nil, not map[string]interface {}"},
    {"{{ dig 1 2 (dict) }}", NULL,
     "interface conversion: interface {} is int, not string"},
    {"{{ dig \"a\" 1 (split \",\" \"a\") }}", NULL,
     "interface conversion: interface {} is map[string]string, not map[string]interface "
     "{}"},
};

static void keys_are_looked_up(void **state) {
    (void)state;
    check_table(keys_are_looked_up_cases, FX_COUNT(keys_are_looked_up_cases));
}

static const struct table_case maps_are_made_cases[] = {
    {"{{ dict \"a\" 1 \"b\" }} {{ dict }} {{ dict 1 2 nil 3 true 4 1.5 5 }}",
     "map[a:1 b:] map[] map[1:2 1.5:5 <nil>:3 true:4]", NULL},
    {"{{ dict \"a\" 1 \"a\" 2 }} {{ dict \"b\" 1 \"a\" .Target.nope }}",
     "map[a:2] map[a:<nil> b:1]", NULL},
    {"{{ pick .Target.labels \"a\" }} {{ omit .Target.labels \"a\" }} {{ pick "
     ".Target.labels \"a\" \"z\" \"a\" }} {{ pick .Target.labels }} {{ omit "
     ".Target.labels }}",
     "map[a:1] map[b:2] map[a:1] map[] map[a:1 b:2]", NULL},
    {"{{ pick .Target.nope \"a\" }} {{ omit .Target.nope \"a\" }}", "map[] map[]", NULL},
    {"{{ pick .Target.nul \"a\" }}", NULL,
     "wrong type for value; expected map[string]interface {}; got interface {}"},
    {"{{ omit .Target.labels 1 }}", NULL, "expected string; found 1"},
};

static void maps_are_made(void **state) {
    (void)state;
    check_table(maps_are_made_cases, FX_COUNT(maps_are_made_cases));
}

static const struct table_case maps_are_changed_in_place_cases[] = {
    {"{{ set (dict \"a\" 1) \"b\" 2 }} {{ unset (dict \"a\" 1) \"a\" }}",
     "map[a:1 b:2] map[]", NULL},
    {"{{ $d := dict \"a\" 1 }}{{ $_ := set $d \"a\" 2 }}{{ $_ := set $d \"b\" 3 }}{{ $_ "
     ":= unset $d \"zz\" }}{{ $d }}",
     "map[a:2 b:3]", NULL},
    {"{{ $d := .Target.labels }}{{ $_ := set $d \"c\" \"3\" }}{{ .Target.labels }}",
     "map[a:1 b:2 c:3]", NULL},
    {"{{ $_ := unset .Target.labels \"a\" }}{{ .Target.labels }}", "map[b:2]", NULL},
    {"{{ set .Target.nope \"a\" 1 }}", NULL, "assignment to entry in nil map"},
    {"{{ unset .Target.nope \"a\" }}", "map[]", NULL},
    {"{{ set .Target.labels \"a\" nil }}", "map[a:<nil> b:2]", NULL},
    {"{{ set .Target.nul \"a\" 1 }}", NULL,
     "wrong type for value; expected map[string]interface {}; got interface {}"},
    {"{{ set .Target.arr \"a\" 1 }}", NULL,
     "wrong type for value; expected map[string]interface {}; got []interface {}"},
    {"{{ $d := dict }}{{ range $k, $v := .Target.labels }}{{ $_ := set $d $k (add 1 $v) "
     "}}{{ end }}{{ $d }}",
     "map[a:2 b:3]", NULL},
};

static void maps_are_changed_in_place(void **state) {
    (void)state;
    check_table(maps_are_changed_in_place_cases,
                FX_COUNT(maps_are_changed_in_place_cases));
}

static const struct table_case maps_are_merged_cases[] = {
    {"{{ merge (dict \"a\" 1) (dict \"a\" 2 \"b\" 3) }}", "map[a:1 b:3]", NULL},
    {"{{ merge (dict \"a\" 0) (dict \"a\" 2) }}", "map[a:2]", NULL},
    {"{{ merge (dict \"a\" \"\") (dict \"a\" 2) }}", "map[a:2]", NULL},
    {"{{ merge (dict \"a\" nil) (dict \"a\" 2) }}", "map[a:2]", NULL},
    {"{{ merge (dict \"a\" false) (dict \"a\" true) }}", "map[a:true]", NULL},
    {"{{ merge (dict \"a\" (list)) (dict \"a\" (list 1)) }}", "map[a:[1]]", NULL},
    {"{{ merge (dict \"a\" (list 2)) (dict \"a\" (list 1)) }}", "map[a:[2]]", NULL},
    {"{{ merge (dict \"a\" (dict)) (dict \"a\" (list 1)) }}", "map[a:[1]]", NULL},
    {"{{ merge (dict \"a\" (dict \"x\" 1)) (dict \"a\" (list 1)) }}", "map[a:map[x:1]]",
     NULL},
    {"{{ merge (dict \"a\" (dict \"x\" 1)) (dict \"a\" (dict \"x\" 2 \"y\" 3)) }}",
     "map[a:map[x:1 y:3]]", NULL},
    {"{{ merge (dict \"a\" (dict \"x\" 0)) (dict \"a\" (dict \"x\" 2 \"y\" 3)) }}",
     "map[a:map[x:2 y:3]]", NULL},
    {"{{ merge (dict \"a\" 1) (dict \"a\" (dict \"x\" 2)) }}", "map[a:1]", NULL},
    {"{{ merge (dict \"a\" 0) (dict \"a\" (dict \"x\" 2)) }}", "map[a:map[x:2]]", NULL},
    {"{{ merge (dict \"a\" nil) (dict \"a\" (dict \"x\" 2)) }}", "map[a:map[x:2]]", NULL},
    {"{{ merge (dict \"a\" (dict \"x\" 2)) (dict \"a\" nil) }}", "map[a:map[x:2]]", NULL},
    {"{{ merge (dict \"a\" (dict \"x\" 2)) (dict \"a\" 5) }}", "map[a:map[x:2]]", NULL},
    {"{{ merge (dict \"a\" (dict)) (dict \"a\" 5) }}", "map[a:5]", NULL},
    {"{{ merge (dict) (dict \"a\" nil) }}", "map[]", NULL},
    {"{{ merge (dict) (dict \"a\" 0 \"b\" \"\" \"c\" (list) \"d\" (dict)) }}",
     "map[a:0 b: c:[] d:map[]]", NULL},
    {"{{ merge (dict \"a\" 1) (dict \"a\" nil) }}", "map[a:1]", NULL},
    {"{{ mergeOverwrite (dict \"a\" 1) (dict \"a\" nil) }}", "map[a:<nil>]", NULL},
    {"{{ mergeOverwrite (dict \"a\" 1) (dict \"a\" 0) }}", "map[a:0]", NULL},
    {"{{ mergeOverwrite (dict \"a\" 1) (dict \"a\" \"\") }}", "map[a:]", NULL},
    {"{{ mergeOverwrite (dict \"a\" 1) (dict \"a\" false) }}", "map[a:false]", NULL},
    {"{{ mergeOverwrite (dict \"a\" 1) (dict \"a\" (list)) }}", "map[a:[]]", NULL},
    {"{{ mergeOverwrite (dict \"a\" 1) (dict \"a\" (list 1)) }}", "map[a:[1]]", NULL},
    {"{{ mergeOverwrite (dict \"a\" 1) (dict \"a\" (dict)) }}", "map[a:1]", NULL},
    {"{{ mergeOverwrite (dict \"a\" 1) (dict \"a\" (dict \"x\" 1)) }}", "map[a:1]", NULL},
    {"{{ mergeOverwrite (dict \"a\" 0) (dict \"a\" (dict \"x\" 1)) }}", "map[a:map[x:1]]",
     NULL},
    {"{{ mergeOverwrite (dict \"a\" (dict \"x\" 1)) (dict \"a\" 5) }}", "map[a:5]", NULL},
    {"{{ mergeOverwrite (dict \"a\" (dict \"x\" 1)) (dict \"a\" 0) }}", "map[a:0]", NULL},
    {"{{ mergeOverwrite (dict \"a\" (dict \"x\" 1)) (dict \"a\" (list)) }}", "map[a:[]]",
     NULL},
    {"{{ mergeOverwrite (dict \"a\" (dict \"x\" 1)) (dict \"a\" (list 2)) }}",
     "map[a:[2]]", NULL},
    {"{{ mergeOverwrite (dict \"a\" (dict \"x\" 1)) (dict \"a\" (dict)) }}",
     "map[a:map[x:1]]", NULL},
    {"{{ mergeOverwrite (dict \"a\" (dict \"x\" 1 \"z\" 4)) (dict \"a\" (dict \"x\" 2 "
     "\"y\" 3)) }}",
     "map[a:map[x:2 y:3 z:4]]", NULL},
    {"{{ mergeOverwrite (dict \"a\" (dict \"x\" 1)) (dict \"a\" nil) }}", "map[a:<nil>]",
     NULL},
    {"{{ mergeOverwrite (dict \"a\" (list 1)) (dict \"a\" (list)) }}", "map[a:[]]", NULL},
    {"{{ mergeOverwrite (dict \"a\" (list 1)) (dict \"a\" (list 2 3)) }}", "map[a:[2 3]]",
     NULL},
    {"{{ mergeOverwrite (dict \"a\" (list 1)) (dict \"a\" 7) }}", "map[a:7]", NULL},
    {"{{ mergeOverwrite (dict \"a\" (list 1)) (dict \"a\" (dict \"x\" 1)) }}",
     "map[a:[1]]", NULL},
    {"{{ mergeOverwrite (dict \"a\" (list)) (dict \"a\" (dict \"x\" 1)) }}",
     "map[a:map[x:1]]", NULL},
    {"{{ mergeOverwrite (dict) (dict \"a\" nil \"b\" 0 \"c\" (list) \"d\" (dict)) }}",
     "map[a:<nil> b:0 c:[] d:map[]]", NULL},
    {"{{ mergeOverwrite (dict \"a\" 1) (dict) }}", "map[a:1]", NULL},
    {"{{ merge (dict \"a\" 1) (dict) }}", "map[a:1]", NULL},
    {"{{ merge (dict) (dict \"a\" 1) (dict \"a\" 2 \"b\" 2) (dict \"c\" 3) }}",
     "map[a:1 b:2 c:3]", NULL},
    {"{{ mergeOverwrite (dict) (dict \"a\" 1) (dict \"a\" 2 \"b\" 2) (dict \"c\" 3) }}",
     "map[a:2 b:2 c:3]", NULL},
    {"{{ merge (dict \"a\" (splitList \",\" \"x\")) (dict \"a\" (list 1)) }}",
     "map[a:[x]]", NULL},
    {"{{ merge (dict \"a\" (splitList \",\" \"x\")) (dict \"a\" (list)) }}", "map[a:[x]]",
     NULL},
    {"{{ mergeOverwrite (dict \"a\" (splitList \",\" \"x\")) (dict \"a\" (list 1)) }}",
     "map[a:[1]]", NULL},
    {"{{ merge (dict \"a\" (split \",\" \"x\")) (dict \"a\" (dict \"b\" 1)) }}", NULL,
     "reflect.Value.SetMapIndex: value of type interface {} is not assignable to type "
     "string"},
    {"{{ mergeOverwrite (dict \"a\" (split \",\" \"x\")) (dict \"a\" (dict \"b\" 1)) }}",
     NULL,
     "reflect.Value.SetMapIndex: value of type interface {} is not assignable to type "
     "string"},
    {"{{ merge (dict \"a\" (split \",\" \"x\")) (dict \"a\" (dict \"b\" \"q\")) }}", NULL,
     "reflect.Value.SetMapIndex: value of type interface {} is not assignable to type "
     "string"},
    {"{{ merge (dict \"a\" (dict \"b\" 1)) (dict \"a\" (split \",\" \"x\")) }}",
     "map[a:map[_0:x b:1]]", NULL},
    {"{{ mustMerge (dict \"a\" (splitList \",\" \"x\")) (dict \"a\" (list 1)) }}",
     "map[a:[x]]", NULL},
    {"{{ mustMergeOverwrite (dict \"a\" (splitList \",\" \"x\")) (dict \"a\" (list 1)) "
     "}}",
     "map[a:[1]]", NULL},
    {"{{ $s := dict \"x\" 1 }}{{ $d := dict }}{{ $_ := merge $d (dict \"a\" $s) }}{{ $_ "
     ":= set $s \"x\" 2 }}{{ $d }}",
     "map[a:map[x:2]]", NULL},
    {"{{ $s := dict \"x\" 1 }}{{ $d := dict \"a\" (dict) }}{{ $_ := merge $d (dict \"a\" "
     "$s) }}{{ $_ := set $s \"x\" 2 }}{{ $d }}",
     "map[a:map[x:1]]", NULL},
    {"{{ $s := dict \"x\" 1 }}{{ $d := dict \"a\" nil }}{{ $_ := merge $d (dict \"a\" "
     "$s) }}{{ $_ := set $s \"x\" 2 }}{{ $d }}",
     "map[a:map[x:2]]", NULL},
    {"{{ merge (dict \"a\" (dict \"b\" (dict \"c\" 1))) (dict \"a\" (dict \"b\" (dict "
     "\"c\" 2 \"d\" 3) \"e\" 4)) }}",
     "map[a:map[b:map[c:1 d:3] e:4]]", NULL},
    {"{{ merge .Target.nope (dict \"a\" 1) }}", "map[a:1]", NULL},
    {"{{ merge (dict \"a\" 1) .Target.nope }}", "map[a:1]", NULL},
    {"{{ mergeOverwrite (dict \"a\" 1) .Target.nope }}", "map[a:1]", NULL},
    {"{{ merge (dict \"a\" 1) }}", "map[a:1]", NULL},
    {"{{ merge .Target.nope .Target.nope }}", "map[]", NULL},
    {"{{ merge (dict \"a\" (toDate \"2006\" \"2020\")) (dict \"a\" (toDate \"2006\" "
     "\"2021\")) }}",
     "map[a:2020-01-01 00:00:00 +0000 UTC]", NULL},
    {"{{ mergeOverwrite (dict \"a\" (toDate \"2006\" \"2020\")) (dict \"a\" (toDate "
     "\"2006\" \"2021\")) }}",
     "map[a:2021-01-01 00:00:00 +0000 UTC]", NULL},
    {"{{ mergeOverwrite (dict \"a\" 1) (dict \"a\" (toDate \"2006\" \"2021\")) }}",
     "map[a:2021-01-01 00:00:00 +0000 UTC]", NULL},
    {"{{ merge (dict \"a\" 1) (dict \"a\" (semver \"1.2.3\")) }}", "map[a:1]", NULL},
    {"{{ mergeOverwrite (dict \"a\" 1) (dict \"a\" (semver \"1.2.3\")) }}",
     "map[a:1.2.3]", NULL},
    {"{{ mergeOverwrite (dict \"a\" (semver \"1.1.1\")) (dict \"a\" (semver \"1.2.3\")) "
     "}}",
     "map[a:1.2.3]", NULL},
    {"{{ merge (dict \"a\" (semver \"1.1.1\")) (dict \"a\" (semver \"1.2.3\")) }}",
     "map[a:1.1.1]", NULL},
    {"{{ merge (dict \"a\" 0.0) (dict \"a\" 2) }}", "map[a:2]", NULL},
    {"{{ mergeOverwrite (dict \"l\" (list (dict \"a\" 1))) (dict \"l\" (list (dict \"b\" "
     "2))) }}",
     "map[l:[map[b:2]]]", NULL},
    {"{{ merge (dict \"a\" (list nil)) (dict \"a\" (list 1)) }}", "map[a:[<nil>]]", NULL},
    {"{{ merge (dict \"a\" (toDate \"2006\" \"x\")) (dict \"a\" 4) }}",
     "map[a:0001-01-01 00:00:00 +0000 UTC]", NULL},
};

static void maps_are_merged(void **state) {
    (void)state;
    check_table(maps_are_merged_cases, FX_COUNT(maps_are_merged_cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_looked_up),
        cmocka_unit_test(maps_are_made),
        cmocka_unit_test(maps_are_changed_in_place),
        cmocka_unit_test(maps_are_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
