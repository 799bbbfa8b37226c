/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/settle_test.c - mutators of Fixpoint's own group that change each
 * other's conditions and sources. The loop converges, or reports the cycle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "mutators/gatekeeper/loop_testing.h"
#include "mutators/gatekeeper/testing.h"

#define POLICY(group, kind, name, spec)                                           \
    "{'apiVersion':'mutations." group "/v1alpha1','kind':'" kind "','metadata':{" \
    "'name':'" name "'},'spec':{" POD_ONLY "," spec "}}"
#define MINE(kind, name, spec) POLICY("fixpoint.dev", kind, name, spec)

#define VALUE(location, value) \
    "'location':'" location "','parameters':{'assign':{'value':" value "}}"
#define FROM(location, from) \
    "'location':'" location "','parameters':{'assign':{'fromObject':'" from "'}}"
#define AT(location) "'location':'" location "'"
#define IF(location, operator) \
    ",'conditions':[{'location':'" location "','operator':'" operator"'}]"

#define NOT_CONVERGING \
    "mutation not converging: mutation " LOOP_UUID " not converging for  Pod ns p"

/* after: NULL: no convergence. */
static const struct {
    const char *policies[LOOP_POLICIES + 1], *before, *after;
    unsigned iterations;
} rows[] = {
    /* The last mutator of a pass determines the value: Assign, Remove, then
     * Gatekeeper's. */
    {{MINE("Assign", "z", VALUE("spec.x", "1")), MINE("Remove", "a", AT("spec.x"))},
     "{}",
     "{}",
     1},
    {{MINE("Assign", "z", VALUE("spec.x", "1")), MINE("Remove", "a", AT("spec.x"))},
     "{'x':2}",
     "{}",
     2},
    {{MINE("Remove", "z", AT("spec.x")),
      POLICY("gatekeeper.sh", "Assign", "a", VALUE("spec.x", "1"))},
     "{}",
     "{'x':1}",
     2},
    {{MINE("Remove", "z", AT("spec.x")),
      POLICY("gatekeeper.sh", "Assign", "a", VALUE("spec.x", "1"))},
     "{'x':1}",
     "{'x':1}",
     1},
    /* A chain against the order of the pass takes a pass for each link. */
    {{MINE("Assign", "c", FROM("spec.d", "spec.c")),
      MINE("Assign", "b", FROM("spec.c", "spec.b")),
      MINE("Assign", "a", FROM("spec.b", "spec.a"))},
     "{'a':1}",
     "{'a':1,'b':1,'c':1,'d':1}",
     2},
    {{MINE("Assign", "a", FROM("spec.d", "spec.c")),
      MINE("Assign", "b", FROM("spec.c", "spec.b")),
      MINE("Assign", "c", FROM("spec.b", "spec.a"))},
     "{'a':1}",
     "{'a':1,'b':1,'c':1,'d':1}",
     4},
    /* Two that copy from each other agree. */
    {{MINE("Assign", "a", FROM("spec.x", "spec.y")),
      MINE("Assign", "b", FROM("spec.y", "spec.x"))},
     "{'x':1,'y':2}",
     "{'x':2,'y':2}",
     2},
    /* A condition that its own mutator ends. */
    {{MINE("Assign", "a", VALUE("spec.x", "1") IF("spec.x", "DoesNotExist"))},
     "{}",
     "{'x':1}",
     2},
    {{MINE("Assign", "a", VALUE("spec.y", "1") IF("spec.x", "Exists")),
      MINE("Remove", "a", AT("spec.x") IF("spec.y", "Exists"))},
     "{'x':1}",
     "{'y':1}",
     2},
    /* x while there is no y, y while there is an x, and away with either. */
    {{MINE("Assign", "a", VALUE("spec.y", "1") IF("spec.x", "Exists")),
      MINE("Assign", "b", VALUE("spec.x", "1") IF("spec.y", "DoesNotExist")),
      MINE("Remove", "a", AT("spec.x") IF("spec.y", "Exists")),
      MINE("Remove", "b", AT("spec.y") IF("spec.x", "DoesNotExist"))},
     "{}",
     NULL,
     5},
    /* Each holds a copy of the other, and grows. */
    {{MINE("Assign", "a", FROM("spec.x.y", "spec.z")),
      MINE("Assign", "b", FROM("spec.z.w", "spec.x"))},
     "{'z':{}}",
     NULL,
     3},
};

static void settles_or_tells(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct loop loop;
        loop_run(&loop, rows[i].policies, rows[i].before);
        if (rows[i].after != NULL) {
            assert_true(loop.ok);
            assert_json(json_object_get(loop.root, "spec"), rows[i].after);
        } else {
            assert_false(loop.ok);
            assert_int_equal(loop.err.code, FX_ENOCONVERGE);
            assert_string_equal(loop.err.msg, NOT_CONVERGING);
            assert_true(loop.outcome.n_cycle > 0);
        }
        assert_int_equal(loop.outcome.iterations, rows[i].iterations);
        loop_finish(&loop);
    }
}

/* The cycle of conditions names its mutators. */
static void names_the_cycle(void **state) {
    (void)state;
    const char *const *policies = rows[FX_COUNT(rows) - 2].policies;
    struct loop loop;
    loop_run(&loop, policies, "{}");
    assert_false(loop.ok);
    bool is_reported[4] = {false};
    for (size_t i = 0; i < loop.outcome.n_cycle; i++) {
        const struct fx_cycle_mutator *member = &loop.outcome.cycle[i];
        assert_true(fx_text_is(member->path, "/spec/x") ||
                    fx_text_is(member->path, "/spec/y"));
        is_reported[member->mutator] = true;
    }
    assert_true(is_reported[1] || (is_reported[0] && is_reported[2] && is_reported[3]));
    loop_finish(&loop);
}

/* Doubling with every pass, the copies meet their bound: an error, and soon. */
static void stops_what_doubles(void **state) {
    (void)state;
    static const char *const policies[] = {
        MINE("Assign", "a", FROM("spec.x.a", "spec.z")),
        MINE("Assign", "b", FROM("spec.x.b", "spec.z")),
        MINE("Assign", "c", FROM("spec.x.c", "spec.z")),
        MINE("Assign", "d", FROM("spec.x.d", "spec.z")),
        MINE("Assign", "e", FROM("spec.x.e", "spec.z")),
        MINE("Assign", "f", FROM("spec.x.f", "spec.z")),
        MINE("Assign", "g", FROM("spec.z.w", "spec.x")),
        NULL,
    };
    struct loop loop;
    loop_run(&loop, policies, "{'z':{}}");
    assert_false(loop.ok);
    assert_int_equal(loop.err.code, FX_EMUTATE);
    assert_string_equal(loop.err.msg,
                        "mutation " LOOP_UUID " for mutator "
                        "Assign.mutations.fixpoint.dev /g failed for  Pod ns p: value at "
                        "spec.x is too large to be copied");
    loop_finish(&loop);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settles_or_tells),
        cmocka_unit_test(names_the_cycle),
        cmocka_unit_test(stops_what_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
