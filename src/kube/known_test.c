/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/known_test.c - the sorted set against a plain array, and its memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "base/slow_testing.h"
#include "kube/backoff.h"
#include "kube/known.h"

#define N_NAMES 40u

/* The naive implementation: one entry for each possible name. */
struct known_entry {
    char namespace_[8], name[8], uid[8], version[8];
    bool known, seen;
};

static struct known_entry entries[N_NAMES];
static size_t n_gone;

static struct fx_kube_identity identity_of(const struct known_entry *entry) {
    return (struct fx_kube_identity){fx_text_of(entry->namespace_),
                                     fx_text_of(entry->name), fx_text_of(entry->uid),
                                     fx_text_of(entry->version)};
}

static struct known_entry *entry_of(struct fx_text namespace_, struct fx_text name) {
    for (size_t i = 0; i < N_NAMES; i++) {
        if (fx_text_is(namespace_, entries[i].namespace_) &&
            fx_text_is(name, entries[i].name)) {
            return &entries[i];
        }
    }
    fail_msg("no such object");
    return NULL;
}

static void on_gone(struct fx_text namespace_, struct fx_text name, void *user) {
    struct known_entry *entry = entry_of(namespace_, name);
    (void)user;
    if (entry != NULL) { /* else the test has failed already */
        assert_true(entry->known && !entry->seen);
        entry->known = false;
        n_gone++;
    }
}

/* Includes namespaces that sort differently with "/" appended. */
static void name_entries(void) {
    static const char *const some[] = {"", "a", "a-b", "a.b", "b"};
    for (size_t i = 0; i < N_NAMES; i++) {
        entries[i] = (struct known_entry){0};
        (void)snprintf(entries[i].namespace_, sizeof entries[i].namespace_, "%s",
                       some[i % FX_COUNT(some)]);
        (void)snprintf(entries[i].name, sizeof entries[i].name, "n%zu",
                       i / FX_COUNT(some));
    }
}

static void key_of(const struct fx_kube_known_object *object, char out[32]) {
    (void)snprintf(out, 32, "%.*s", (int)object->key_len, object->text);
}

static void compare(const struct fx_kube_known *known) {
    size_t n_known = 0;
    for (size_t i = 0; i < N_NAMES; i++) {
        struct fx_kube_identity state;
        const struct fx_kube_identity which = identity_of(&entries[i]);
        const bool found = fx_kube_known_find(known, &which, &state);
        assert_true(found == entries[i].known);
        n_known += found;
        if (found) {
            assert_true(fx_text_is(state.namespace_, entries[i].namespace_));
            assert_true(fx_text_is(state.name, entries[i].name));
            assert_true(fx_text_is(state.uid, entries[i].uid));
            assert_true(fx_text_is(state.version, entries[i].version));
        }
    }
    assert_int_equal(known->n_objects, n_known);
    for (size_t i = 1; i < known->n_objects; i++) {
        char before[32], after[32];
        key_of(&known->objects[i - 1], before);
        key_of(&known->objects[i], after);
        assert_true(strcmp(before, after) < 0);
    }
}

static void step(struct fx_kube_known *known, struct fx_kube_random *random) {
    struct known_entry *entry = &entries[fx_kube_random_between(random, 0, N_NAMES - 1)];
    const uint64_t what = fx_kube_random_between(random, 0, 19);
    struct fx_kube_identity identity = identity_of(entry);
    if (what == 0) {
        fx_kube_known_begin_list(known);
        for (size_t i = 0; i < N_NAMES; i++) {
            entries[i].seen = false;
        }
    } else if (what == 1) {
        fx_kube_known_remove_unseen(known, on_gone, NULL);
    } else if (what < 6) {
        fx_kube_known_remove(known, &identity);
        entry->known = false;
    } else {
        (void)snprintf(entry->uid, sizeof entry->uid, "%d",
                       (int)fx_kube_random_between(random, 0, 2));
        (void)snprintf(entry->version, sizeof entry->version, "%d",
                       (int)fx_kube_random_between(random, 8, 11));
        entry->known = entry->seen = true;
        identity = identity_of(entry);
        assert_true(fx_kube_known_put(known, &identity));
    }
}

static void as_the_naive_one(void **state) {
    (void)state;
    struct fx_kube_random random = {42};
    struct fx_kube_known known = {0};
    name_entries();
    n_gone = 0;
    for (size_t i = 0; i < 20000 / slow(); i++) {
        step(&known, &random);
        compare(&known);
    }
    assert_true(n_gone > 100 / slow());
    fx_kube_known_finish(&known);
    fx_kube_known_finish(&known);
}

/* Names as people give them, and all that the C library takes for them. */
static void ten_thousand_cost_little(void **state) {
    (void)state;
    struct fx_kube_known known = {0};
    const struct mallinfo2 before = mallinfo2();
    for (unsigned i = 0; i < 10000; i++) {
        char name[64], uid[64], version[24];
        (void)snprintf(name, sizeof name, "team-%05u-production", i);
        (void)snprintf(uid, sizeof uid, "9974bb1d-2203-42d7-81cd-5112%08x", i);
        (void)snprintf(version, sizeof version, "%u", 1200345678 + i);
        const struct fx_kube_identity identity = {
            {0}, fx_text_of(name), fx_text_of(uid), fx_text_of(version)};
        assert_true(fx_kube_known_put(&known, &identity));
    }
    const struct mallinfo2 after = mallinfo2();
    const size_t taken = after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
    if (taken > (size_t)150 * 10000) {
        fail_msg("%zu bytes each", taken / 10000);
    }
    fx_kube_known_finish(&known);
}

/* It is still there, and any state of it is another one. */
static void a_state_may_be_in_doubt(void **state) {
    (void)state;
    struct fx_kube_known known = {0};
    struct fx_kube_identity found;
    const struct fx_kube_identity one = {FX_TEXT("n"), FX_TEXT("a"), FX_TEXT("u"),
                                         FX_TEXT("1")};
    const struct fx_kube_identity other = {FX_TEXT("n"), FX_TEXT("b"), FX_TEXT("v"),
                                           FX_TEXT("2")};
    assert_true(fx_kube_known_put(&known, &one));
    fx_kube_known_forget_version(&known, &other);
    assert_int_equal(known.n_objects, 1);
    fx_kube_known_forget_version(&known, &one);
    assert_true(fx_kube_known_find(&known, &one, &found));
    assert_true(fx_text_is(found.uid, "u"));
    assert_int_equal(found.version.len, 0);
    assert_true(fx_kube_known_put(&known, &one));
    assert_true(fx_kube_known_find(&known, &one, &found));
    assert_true(fx_text_is(found.version, "1"));
    fx_kube_known_finish(&known);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_naive_one),
        cmocka_unit_test(a_state_may_be_in_doubt),
        cmocka_unit_test(ten_thousand_cost_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
