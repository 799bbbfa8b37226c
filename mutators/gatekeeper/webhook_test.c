/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/webhook_test.c - the annotations that say which mutators changed
 * an object.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mutators/gatekeeper/webhook.h"
#include "value/equal.h"
#include "value/json.h"

static char assign[] = "Assign", metadata[] = "AssignMetadata";
static char a[] = "a", a_b[] = "a-b", m[] = "m";
static struct fx_mutator first = {.kind = assign, .name = a, .generation = 7};
static struct fx_mutator second = {.kind = assign, .name = a_b};
static struct fx_mutator third = {.kind = metadata, .name = m, .generation = 2};
static struct fx_mutator *all[] = {&first, &second, &third};

static json_t *must_read(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *value = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(value);
    return value;
}

#define WRITTEN                             \
    "\"gatekeeper.sh/mutation-id\":\"id\"," \
    "\"gatekeeper.sh/mutations\":\"Assign//a-b:0, Assign//a:7, AssignMetadata//m:2\""

static const struct {
    const char *before, *after;
} cases[] = {
    {"{}", "{\"metadata\":{\"annotations\":{" WRITTEN "}}}"},
    {"{\"metadata\":{\"name\":\"x\",\"annotations\":null}}",
     "{\"metadata\":{\"name\":\"x\",\"annotations\":{" WRITTEN "}}}"},
    {"{\"metadata\":{\"annotations\":{\"keep\":\"1\",\"gatekeeper.sh/"
     "mutation-id\":\"0\"}}}",
     "{\"metadata\":{\"annotations\":{\"keep\":\"1\"," WRITTEN "}}}"},
    {"{\"metadata\":\"odd\"}", "{\"metadata\":\"odd\"}"},
};

static void says_who_changed_it(void **state) {
    (void)state;
    uint32_t applied[] = {0, 1, 2};
    const struct fx_snapshot snapshot = {.mutators = all, .n_mutators = 3};
    const struct fx_outcome outcome = {.applied = applied, .n_applied = 3};
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_arena arena;
        fx_arena_init(&arena, 4096);
        json_t *before = must_read(cases[i].before);
        json_t *same = must_read(cases[i].before);
        json_t *after = must_read(cases[i].after);
        json_t *root = json_incref(before);
        assert_true(fx_gatekeeper_webhook.annotate(&snapshot, &outcome, "id", &arena,
                                                   &root, &err));
        assert_true(fx_equal(root, after));
        assert_true(fx_equal(before, same)); /* a shared object does not change */
        json_decref(root);
        json_decref(after);
        json_decref(same);
        json_decref(before);
        fx_arena_finish(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_who_changed_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
