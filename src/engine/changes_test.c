/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/changes_test.c - which changes concern whom, spot by spot; and where there is no
 * room for more, everybody.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "engine/changes.h"

struct way {
    uint32_t spots[8];
    size_t n;
};

/* Of names with dots between them. */
static struct way way_of(const char *names) {
    struct way way = {.n = 0};
    uint32_t spot = FX_SPOT_ROOT;
    while (*names != '\0') {
        const size_t len = strcspn(names, ".");
        spot = fx_spot_of_field(spot, (struct fx_text){names, len});
        assert_int_not_equal(spot, 0);
        way.spots[way.n++] = spot;
        names += len + (names[len] == '.');
    }
    return way;
}

static struct fx_footprint *footprint(const char *reads, const char *writes) {
    struct fx_footprint_draft draft = {.is_full = false};
    struct fx_footprint *made = NULL;
    const struct way read = way_of(reads);
    const struct way written = way_of(writes);
    fx_footprint_add_way(&draft, read.spots, read.n);
    memcpy(draft.steps, written.spots, sizeof written.spots);
    draft.n_steps = written.n;
    assert_true(fx_footprint_make(&draft, &made));
    assert_non_null(made);
    return made;
}

/* Who reads this, and who writes that, of which so many steps stay what they are. */
static const struct {
    const char *reads, *writes;
    size_t depth;
    bool concerns;
} rows[] = {
    {"a.b", "a.b", 2, true},       {"a.b", "a.c", 2, false},
    {"a.b", "a.b.c", 3, true}, /* within */
    {"a.b.c", "a.b", 2, true}, /* around */
    {"a.b", "a.c", 1, true},   /* a itself is made */
    {"a.b.c", "a.b.d.e", 2, true}, {"a.b.c", "a.b.d.e", 3, false},
    {"a.b.c", "x.b.c", 3, false},  {"ab.c", "a.bc", 2, false},
    {"a.b", "x.y", 0, true}, /* anywhere */
    {"a.b", "x", 2, true},   /* more than there are: anywhere, too */
};

static void concerns(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct fx_arena arena;
        struct fx_changes changes;
        fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
        assert_true(fx_changes_init(&changes, &arena, 2));
        struct fx_footprint *print = footprint(rows[i].reads, rows[i].writes);
        assert_false(fx_changes_concern(&changes, print, 0));
        fx_changes_add(&changes, print, rows[i].depth);
        if (fx_changes_concern(&changes, print, 0) != rows[i].concerns) {
            fail_msg("%s, %s", rows[i].reads, rows[i].writes);
        }
        assert_false(fx_changes_concern(&changes, print, changes.now));
        fx_changes_add(&changes, NULL, 1);
        assert_true(fx_changes_concern(&changes, print, changes.now - 1));
        free(print);
        fx_arena_finish(&arena);
    }
}

static void full_of_changes(void **state) {
    (void)state;
    struct fx_arena arena;
    struct fx_changes changes;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    assert_true(fx_changes_init(&changes, &arena, 1));
    struct fx_footprint *reader = footprint("reader", "");
    const size_t room = changes.n_slots / 2;
    for (size_t i = 0; i < room; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "a%zu", i);
        struct fx_footprint *writer = footprint("a", name);
        fx_changes_add(&changes, writer, 1);
        free(writer);
        assert_false(fx_changes_concern(&changes, reader, 0));
    }
    struct fx_footprint *writer = footprint("a", "more");
    fx_changes_add(&changes, writer, 1);
    assert_true(fx_changes_concern(&changes, reader, changes.now - 1));
    assert_false(fx_changes_concern(&changes, reader, changes.now));
    free(writer);
    free(reader);
    fx_arena_finish(&arena);
}

/* After so many changes nobody counts them any more. */
static void out_of_time(void **state) {
    (void)state;
    struct fx_arena arena;
    struct fx_changes changes;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    assert_true(fx_changes_init(&changes, &arena, 1));
    struct fx_footprint *print = footprint("a", "b");
    changes.now = UINT32_MAX - 1;
    assert_false(fx_changes_concern(&changes, print, changes.now));
    fx_changes_add(&changes, print, 1);
    fx_changes_add(&changes, print, 1);
    assert_true(fx_changes_concern(&changes, print, changes.now));
    free(print);
    fx_arena_finish(&arena);
}

static void too_many_spots(void **state) {
    (void)state;
    struct fx_footprint_draft draft = {.is_full = false};
    struct fx_footprint *made = NULL;
    for (uint32_t i = 1; i <= FX_FOOTPRINT_SPOTS + 1; i++) {
        assert_true(fx_footprint_make(&draft, &made));
        assert_non_null(made);
        free(made);
        fx_footprint_add_way(&draft, &i, 1);
        fx_footprint_add_way(&draft, &i, 1); /* counts once */
    }
    assert_true(fx_footprint_make(&draft, &made));
    assert_null(made);
    draft = (struct fx_footprint_draft){.is_full = false};
    fx_footprint_add_way(&draft, NULL, 0);
    assert_true(fx_footprint_make(&draft, &made));
    assert_null(made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(concerns),
        cmocka_unit_test(full_of_changes),
        cmocka_unit_test(out_of_time),
        cmocka_unit_test(too_many_spots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
