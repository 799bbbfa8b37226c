/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/changes_test.c - which changes concern which mutators, path by path; and without
 * room for more changes, all mutators.
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
#include "engine/converge_run.h"

/* Adds the steps of names with dots between them. */
static void add_names(struct fx_access *access, const char *names) {
    while (*names != '\0') {
        const size_t len = strcspn(names, ".");
        fx_access_step(access, (struct fx_path_step){.name = {names, len}});
        names += len + (names[len] == '.');
    }
}

static struct fx_access_hashes *hashes_of(const char *reads, const char *writes) {
    struct fx_access access = {.parts = NULL};
    struct fx_access_hashes *made = NULL;
    fx_access_read(&access);
    add_names(&access, reads);
    if (writes != NULL) {
        fx_access_write(&access, FX_ACCESS_UNTYPED, false);
        add_names(&access, writes);
    }
    assert_true(fx_access_hash(&access, &made));
    assert_non_null(made);
    fx_access_finish(&access);
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
        struct fx_access_hashes *reader = hashes_of(rows[i].reads, NULL);
        struct fx_access_hashes *writer = hashes_of("z", rows[i].writes);
        assert_false(fx_changes_concern(&changes, reader, 0));
        fx_changes_add(&changes, writer, rows[i].depth);
        if (fx_changes_concern(&changes, reader, 0) != rows[i].concerns) {
            fail_msg("%s, %s", rows[i].reads, rows[i].writes);
        }
        assert_false(fx_changes_concern(&changes, reader, changes.now));
        fx_changes_add(&changes, NULL, 1);
        assert_true(fx_changes_concern(&changes, reader, changes.now - 1));
        free(reader);
        free(writer);
        fx_arena_finish(&arena);
    }
}

static void full_of_changes(void **state) {
    (void)state;
    struct fx_arena arena;
    struct fx_changes changes;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    assert_true(fx_changes_init(&changes, &arena, 1));
    struct fx_access_hashes *reader = hashes_of("reader", NULL);
    const size_t room = changes.n_slots / 2;
    for (size_t i = 0; i < room; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "a%zu", i);
        struct fx_access_hashes *writer = hashes_of("a", name);
        fx_changes_add(&changes, writer, 1);
        free(writer);
        assert_false(fx_changes_concern(&changes, reader, 0));
    }
    struct fx_access_hashes *writer = hashes_of("a", "more");
    fx_changes_add(&changes, writer, 1);
    assert_true(fx_changes_concern(&changes, reader, changes.now - 1));
    assert_false(fx_changes_concern(&changes, reader, changes.now));
    free(writer);
    free(reader);
    fx_arena_finish(&arena);
}

/* After so many changes they are not counted any more. */
static void out_of_time(void **state) {
    (void)state;
    struct fx_arena arena;
    struct fx_changes changes;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    assert_true(fx_changes_init(&changes, &arena, 1));
    struct fx_access_hashes *hashes = hashes_of("a", "b");
    changes.now = UINT32_MAX - 1;
    assert_false(fx_changes_concern(&changes, hashes, changes.now));
    fx_changes_add(&changes, hashes, 1);
    fx_changes_add(&changes, hashes, 1);
    assert_true(fx_changes_concern(&changes, hashes, changes.now));
    free(hashes);
    fx_arena_finish(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(concerns),
        cmocka_unit_test(full_of_changes),
        cmocka_unit_test(out_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
