/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/config_test.c - kind Config: what is refused, what is warned of,
 * and the declared access.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mutators/gatekeeper/config.h"
#include "mutators/gatekeeper/resource_testing.h"

#define NAMED(name, spec)                                                      \
    "{'apiVersion':'config.gatekeeper.sh/v1alpha1','kind':'Config','metadata'" \
    ":{'name':'" name "','namespace':'gatekeeper-system'},'spec':" spec "}"
#define CONFIG(spec)   NAMED("config", spec)
#define MATCH(entries) CONFIG("{'match':" entries "}")

static const struct refusal refused[] = {
    {CONFIG("'x'"),
     "json: cannot unmarshal string into Go struct field Config.spec of type "
     "v1alpha1.ConfigSpec",
     "'x'", 0, 0},
    {MATCH("{}"),
     "json: cannot unmarshal object into Go struct field ConfigSpec.spec.match of type "
     "[]v1alpha1.MatchEntry",
     "{}", 0, 0},
    {MATCH("['x']"),
     "json: cannot unmarshal string into Go struct field ConfigSpec.spec.match of type "
     "v1alpha1.MatchEntry",
     "'x'", 0, 0},
    {MATCH("[{'processes':'*'}]"),
     "json: cannot unmarshal string into Go struct field "
     "MatchEntry.spec.match.processes of type []string",
     "'*'", 0, 0},
    {MATCH("[{'processes':[7]}]"),
     "json: cannot unmarshal number into Go struct field "
     "MatchEntry.spec.match.processes of type string",
     "7", 0, 0},
    {MATCH("[{'excludedNamespaces':'x'}]"),
     "json: cannot unmarshal string into Go struct field "
     "MatchEntry.spec.match.excludedNamespaces of type []wildcard.Wildcard",
     "'x'", 0, 0},
    {MATCH("[{},{'excludedNamespaces':[{}]}]"),
     "json: cannot unmarshal object into Go struct field "
     "MatchEntry.spec.match.excludedNamespaces of type wildcard.Wildcard",
     "{}", 0, 0},
};

static void refuses(void **state) {
    (void)state;
    expect_refusals(refused, FX_COUNT(refused));
}

#define EMPTY "without `processes` and `excludedNamespaces` the entry has no effect"

static const struct warned warned[] = {
    {CONFIG("{'sync':{'syncOnly':[]},'validation':{'traces':[]},'readiness':"
            "{'statsEnabled':true}},'status':{}"),
     "", 1},
    {CONFIG("null"), "", 1},
    {MATCH("[{'processes':['audit','sync','webhook','mutation-webhook','*'],"
           "'excludedNamespaces':['a','*b','c*','*d*','*','']}]"),
     "", 1},
    {CONFIG("{'matches':7}"), "unknown field 'spec.matches' @ 7", 1},
    {MATCH("[{'processes':['*'],'excludedNamespaces':['a'],'x':1}]"),
     "unknown field 'spec.match[0].x' @ 1", 1},
    {MATCH("[{'processes':['*','mutation'],'excludedNamespaces':['a']}]"),
     "no process is called 'mutation' @ 'mutation'", 1},
    {MATCH("[{'processes':[null],'excludedNamespaces':['a']}]"),
     "no process is called '' @ [null]", 1},
    {MATCH("[{'processes':['*'],'excludedNamespaces':['a*b','**','***']}]"),
     "'*' within a name is taken literally @ 'a*b'; "
     "'*' within a name is taken literally @ '***'",
     1},
    {MATCH("[null,{},{'processes':['*']},{'excludedNamespaces':['a']}]"),
     EMPTY " @ {}; " EMPTY " @ {'processes':['*']}; " EMPTY
           " @ {'excludedNamespaces':['a']}",
     1},
    {NAMED("other", "{}"), "only the Config named `config` has any effect @ 'other'", 0},
    {NAMED("", "{}"), "only the Config named `config` has any effect @ ''", 0},
};

static void warns(void **state) {
    (void)state;
    expect_warnings(warned, FX_COUNT(warned));
}

static void compiles(void **state) {
    (void)state;
    json_t *policy =
        must_read(MATCH("[{'processes':['audit','mutation-webhook'],'excludedNamespaces'"
                        ":['kube-*','a']},null,{'processes':['*'],"
                        "'excludedNamespaces':['b']}]"));
    struct fx_compilation made = must_yield(policy, 1);
    const struct fx_exclusion *exclusion = (const struct fx_exclusion *)made.resources[0];
    assert_int_equal(exclusion->resource.ops->type, FX_RESOURCE_EXCLUSION);
    assert_string_equal(exclusion->resource.name, "config");
    assert_int_equal(exclusion->n_entries, 3);
    assert_int_equal(exclusion->entries[0].processes.n_items, 2);
    assert_int_equal(exclusion->entries[0].globs.n_items, 2);
    assert_int_equal(exclusion->entries[1].processes.n_items, 0);
    assert_true(fx_exclusion_covers(exclusion, "mutation-webhook", FX_TEXT("kube-x")));
    assert_true(fx_exclusion_covers(exclusion, "mutation-webhook", FX_TEXT("b")));
    assert_true(fx_exclusion_covers(exclusion, "sync", FX_TEXT("b")));
    assert_false(fx_exclusion_covers(exclusion, "sync", FX_TEXT("a")));
    assert_false(fx_exclusion_covers(exclusion, "mutation-webhook", FX_TEXT("c")));
    fx_compilation_finish(&made);
    json_decref(policy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(warns),
        cmocka_unit_test(compiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
