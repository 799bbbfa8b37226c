/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/snapshot_alone_test.c - which mutators write where no other does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/fake_mutator.h"
#include "engine/footprint.h"
#include "engine/snapshot.h"

#define MOST 4

/* The field names on the way to what it writes, each a letter; `[` is a step into the
 * list that stands there. NULL: it has no footprint; "": it may write anywhere. */
static struct fx_mutator *make(const char *name, const char *way,
                               struct fx_schema schema) {
    const struct fake_plan plan = {.name = name, .binding = "Pod"};
    struct fake *fake = fake_create(&plan);
    assert_non_null(fake);
    fake->head.schema = schema;
    struct fx_footprint_draft draft = {.n_steps = 0};
    uint32_t spot = FX_SPOT_ROOT;
    for (const char *at = way; at != NULL && *at != '\0'; at++) {
        spot = *at == '[' ? spot : fx_spot_of_field(spot, (struct fx_text){at, 1});
        draft.steps[draft.n_steps++] = spot;
    }
    assert_true(way == NULL || fx_footprint_make(&draft, &fake->head.footprint));
    return &fake->head;
}

static const struct {
    const char *ways[MOST]; /* as above; "-" ends */
    const char *alone;      /* y or n for each */
} rows[] = {
    {{"ab", "-"}, "y"},
    {{"ab", "ac", "-"}, "yy"},
    {{"ab", "ab", "ac", "-"}, "nny"},
    {{"a", "ab", "b", "-"}, "nny"},
    {{"abc", "b", "a", "-"}, "nyn"},
    {{"abc", "bc", "c", "-"}, "yyy"},
    {{"sc[i", "sc[p", "mlo", "-"}, "yyy"},
    {{"sc[i", "sc[", "-"}, "nn"}, /* the element itself */
    {{"sc[i", "sci", "-"}, "nn"}, /* lists are looked through */
    {{"sc[", "sc", "-"}, "nn"},
    {{"sc[", "sd", "-"}, "yy"},
    {{"a", "", "-"}, "yn"}, /* of those who say where they write */
    {{"a", NULL, "-"}, "yn"},
    {{"a", NULL, "ab", "-"}, "nnn"},
    {{"-"}, ""},
};

static void knows_who_writes_alone(void **state) {
    (void)state;
    static const char *const names[MOST] = {"a", "b", "c", "d"};
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct fx_mutator *mutators[MOST] = {NULL};
        struct fx_snapshot *snapshot = NULL;
        struct fx_err err = FX_ERR_INIT;
        const size_t n = strlen(rows[i].alone);
        for (size_t k = 0; k < n; k++) {
            mutators[k] =
                make(names[k], rows[i].ways[k], (struct fx_schema){.n_steps = 0});
        }
        const struct fx_snapshot_parts parts = {.mutators = mutators, .n_mutators = n};
        assert_true(fx_snapshot_build(&parts, 1, &snapshot, &err));
        for (size_t k = 0; k < n; k++) {
            assert_int_equal(snapshot->alone[k], rows[i].alone[k] == 'y');
            fx_mutator_unref(mutators[k]);
        }
        fx_snapshot_unref(snapshot);
    }
}

/* Who is left out of every review undoes nothing: b and c are in conflict. */
static void forgets_the_disabled(void **state) {
    (void)state;
    const struct fx_schema_step object[] = {{FX_TEXT("x"), FX_SCHEMA_OBJECT},
                                            {FX_TEXT("y"), FX_SCHEMA_UNKNOWN}};
    const struct fx_schema_step list[] = {{FX_TEXT("x"), FX_SCHEMA_LIST},
                                          {FX_TEXT("y"), FX_SCHEMA_UNKNOWN}};
    struct fx_mutator *mutators[] = {
        make("a", "x", (struct fx_schema){.n_steps = 0}),
        make("b", "x", (struct fx_schema){object, FX_COUNT(object), false}),
        make("c", NULL, (struct fx_schema){list, FX_COUNT(list), false}),
    };
    struct fx_snapshot *snapshot = NULL;
    struct fx_err err = FX_ERR_INIT;
    const struct fx_snapshot_parts parts = {.mutators = mutators, .n_mutators = 3};
    assert_true(fx_snapshot_build(&parts, 1, &snapshot, &err));
    assert_true(fx_snapshot_is_disabled(snapshot, 1));
    assert_true(snapshot->alone[0]);
    assert_false(snapshot->alone[1]);
    assert_false(snapshot->alone[2]);
    fx_snapshot_unref(snapshot);
    for (size_t i = 0; i < FX_COUNT(mutators); i++) {
        fx_mutator_unref(mutators[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_who_writes_alone),
        cmocka_unit_test(forgets_the_disabled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
