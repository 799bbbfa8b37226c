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
#include "engine/snapshot.h"

#define MOST 4

/* `path` is what it writes (fake_access()). NULL: it declares nothing; "": it may write
 * anywhere. */
static struct fx_mutator *make(const char *name, const char *path, bool is_typed) {
    static const struct fx_mutator_ops ops = {.match = fake_match,
                                              .apply = fake_apply,
                                              .access = fake_access,
                                              .destroy = fake_destroy};
    const struct fake_plan plan = {.name = name, .binding = "Pod"};
    struct fake *fake = fake_create(&plan);
    assert_non_null(fake);
    fake->path = path;
    fake->is_typed = is_typed;
    assert_true(path == NULL || fake_declare(fake, &ops));
    return &fake->head;
}

static const struct {
    const char *paths[MOST]; /* as above; "-" ends */
    const char *alone;       /* y or n for each */
} rows[] = {
    {{"a.b", "-"}, "y"},
    {{"a.b", "a.c", "-"}, "yy"},
    {{"a.b", "a.b", "a.c", "-"}, "nny"},
    {{"a", "a.b", "b", "-"}, "nny"},
    {{"a.b.c", "b", "a", "-"}, "nyn"},
    {{"a.b.c", "b.c", "c", "-"}, "yyy"},
    {{"s.c[k].i", "s.c[k].p", "m.l.o", "-"}, "yyy"},
    {{"s.c[k].i", "s.c[k]", "-"}, "nn"}, /* the element itself */
    {{"s.c[k].i", "s.c.i", "-"}, "nn"},  /* lists are looked through */
    {{"s.c[k]", "s.c", "-"}, "nn"},
    {{"s.c[k]", "s.d", "-"}, "yy"},
    {{"a", "", "-"}, "yn"}, /* of those who say where they write */
    {{"a", NULL, "-"}, "yn"},
    {{"a", NULL, "a.b", "-"}, "nnn"},
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
            mutators[k] = make(names[k], rows[i].paths[k], false);
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

/* A mutator that is skipped in every review undoes nothing: b and c are in conflict. */
static void forgets_the_disabled(void **state) {
    (void)state;
    struct fx_mutator *mutators[] = {
        make("a", "x", false),
        make("b", "x.y", true),
        make("c", "x[y]", true),
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
