/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/lists_test.c - Sprig's Lists, as the library has them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "location/sprig/testing_table.h"

static const struct table_case lists_are_made_cases[] = {
    {"{{ list 1 \"a\" }}", "[1 a]", NULL},
    {"{{ tuple }}|{{ list }}", "[]|[]", NULL},
    {"{{ append .Target.arr \"q\" }} {{ prepend .Target.arr \"q\" }}",
     "[x y z q] [q x y z]", NULL},
    {"{{ push .Target.ea nil }} {{ mustAppend (list 1) 2 }} {{ mustPush (list) 2 }} {{ "
     "mustPrepend (list 1) 2 }}",
     "[<nil>] [1 2] [2] [2 1]", NULL},
    {"{{ append .Target.arr .Target.nope }}", "[x y z <nil>]", NULL},
    {"{{ concat (list 1) (list 2 3) }}", "[1 2 3]", NULL},
    {"{{ concat }}|{{ concat (list) .Target.ea }}", "[]|[]", NULL},
    {"{{ concat (list 1) 5 }}", NULL, "Cannot concat type int as list"},
    {"{{ concat nil }}", NULL,
     "runtime error: invalid memory address or nil pointer dereference"},
    {"{{ append \"abc\" 1 }}", NULL, "Cannot push on type string"},
    {"{{ prepend 5 1 }}", NULL, "Cannot prepend on type int"},
    {"{{ push .Target.nope 1 }}", NULL,
     "runtime error: invalid memory address or nil pointer dereference"},
    {"{{ mustPrepend .Target.labels 1 }}", NULL, "Cannot prepend on type map"},
    {"{{ $l := list 1 2 }}{{ $m := append $l 3 }}{{ $l }} {{ $m }}", "[1 2] [1 2 3]",
     NULL},
};

static void lists_are_made(void **state) {
    (void)state;
    check_table(lists_are_made_cases, FX_COUNT(lists_are_made_cases));
}

static const struct table_case lists_are_cut_cases[] = {
    {"{{ first .Target.arr }} {{ rest .Target.arr }} {{ last .Target.arr }} {{ initial "
     ".Target.arr }}",
     "x [y z] z [x y]", NULL},
    {"{{ first (list) }}|{{ last (list) }}|{{ rest (list) }}|{{ initial (list) }}",
     "<no value>|<no value>|[]|[]", NULL},
    {"{{ mustFirst (list 1) }} {{ mustRest (list 1) }} {{ mustLast (list 1 2) }} {{ "
     "mustInitial (list 1 2) }}",
     "1 [] 2 [1]", NULL},
    {"{{ first \"abc\" }}", NULL, "Cannot find first on type string"},
    {"{{ last 5 }}", NULL, "Cannot find last on type int"},
    {"{{ rest .Target.labels }}", NULL, "Cannot find rest on type map"},
    {"{{ initial nil }}", NULL,
     "runtime error: invalid memory address or nil pointer dereference"},
    {"{{ slice .Target.arr 1 }} {{ slice .Target.arr 0 2 }} {{ slice .Target.arr }} {{ "
     "slice .Target.arr 3 }}",
     "[y z] [x y] [x y z] []", NULL},
    {"{{ slice .Target.arr \"1\" 2.9 }} {{ mustSlice .Target.arr 1 2 }}", "[y] [y]",
     NULL},
    {"{{ slice (list) 5 9 }}", "<no value>", NULL},
    {"{{ slice .Target.arr 2 1 }}", NULL,
     "reflect.Value.Slice: slice index out of bounds"},
    {"{{ slice .Target.arr -1 }}", NULL,
     "reflect.Value.Slice: slice index out of bounds"},
    {"{{ slice (list 1 2) 0 3 }}", NULL,
     "reflect.Value.Slice: slice index out of bounds"},
    {"{{ slice \"abc\" 1 }}", NULL, "list should be type of slice or array but string"},
    {"{{ slice nil }}", NULL,
     "runtime error: invalid memory address or nil pointer dereference"},
    {"{{ slice (splitList \",\" \"a,b\") 1 | printf \"%T %v\" }}",
     "[]string %!v(MISSING)", NULL},
    {"{{ chunk 2 .Target.arr }} {{ chunk 5 .Target.arr }} {{ chunk 1 .Target.arr | len "
     "}} {{ mustChunk 3 .Target.arr }}",
     "[[x y] [z]] [[x y z]] 3 [[x y z]]", NULL},
    {"{{ chunk 2 .Target.ea }} {{ chunk 2 (list 1) | printf \"%T\" }} {{ chunk -2 "
     ".Target.arr }}",
     "[] [][]interface {} []", NULL},
    {"{{ chunk 0 .Target.arr }}", NULL, "runtime error: makeslice: len out of range"},
    {"{{ chunk -1 .Target.ea }}", NULL, "runtime error: makeslice: len out of range"},
    {"{{ chunk 2 \"abc\" }}", NULL, "Cannot chunk type string"},
    {"{{ chunk \"2\" .Target.arr }}", NULL, "expected integer; found \"2\""},
};

static void lists_are_cut(void **state) {
    (void)state;
    check_table(lists_are_cut_cases, FX_COUNT(lists_are_cut_cases));
}

static const struct table_case elements_are_compared_cases[] = {
    {"{{ reverse .Target.arr }} {{ mustReverse (list) }} {{ reverse (list 1 nil) }}",
     "[z y x] [] [<nil> 1]", NULL},
    {"{{ reverse \"abc\" }}", NULL, "Cannot find reverse on type string"},
    {"{{ uniq (list 1 2 1) }} {{ uniq .Target.ea }} {{ mustUniq (list 1 1.0 \"1\" nil "
     "nil (list 1) (list 1)) }}",
     "[1 2] [] [1 1 1 <nil> [1]]", NULL},
    {"{{ uniq 5 }}", NULL, "Cannot find uniq on type int"},
    {"{{ without .Target.arr \"x\" \"z\" }} {{ without .Target.arr }} {{ mustWithout "
     "(list 1 2) 1 2 }} {{ without .Target.nums 3 }} {{ without .Target.nums 3.0 }}",
     "[y] [x y z] [] [3 1 2] [1 2]", NULL},
    {"{{ without (list nil 1) nil }}", "[1]", NULL},
    {"{{ without \"abc\" \"a\" }}", NULL, "Cannot find without on type string"},
    {"{{ has \"x\" .Target.arr }} {{ has 3 .Target.nums }} {{ has 3.0 .Target.nums }} {{ "
     "has nil .Target.mixed }} {{ has 1 nil }} {{ has 1 .Target.nope }} {{ mustHas (dict "
     "\"a\" 1) (list (dict \"a\" 1)) }}",
     "true false true true false false true", NULL},
    {"{{ has \"a\" \"abc\" }}", NULL, "Cannot find has on type string"},
    {"{{ mustHas 1 .Target.labels }}", NULL, "Cannot find has on type map"},
};

static void elements_are_compared(void **state) {
    (void)state;
    check_table(elements_are_compared_cases, FX_COUNT(elements_are_compared_cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_made),
        cmocka_unit_test(lists_are_cut),
        cmocka_unit_test(elements_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
