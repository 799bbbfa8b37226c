/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/conflicts_test.c - schema conflicts, rule by rule. Paths are written as
 * fake_access() takes them (engine/fake_mutator.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "engine/conflicts.h"
#include "engine/fake_mutator.h"

#define MAX 8

static struct fake *make(const char *name, const char *path) {
    static const struct fx_mutator_ops ops = {.match = fake_match,
                                              .apply = fake_apply,
                                              .access = fake_access,
                                              .destroy = fake_destroy};
    const struct fake_plan plan = {.name = name, .binding = "Pod"};
    struct fake *fake = fake_create(&plan);
    assert_non_null(fake);
    fake->path = path;
    fake->is_typed = true;
    assert_true(fake_declare(fake, &ops));
    return fake;
}

/* `sees`: for each path the indices of those reported for it; a `*` before them: it is
 * itself disabled. */
static const struct {
    const char *paths[MAX];
    const char *sees[MAX];
} cases[] = {
    {{"spec.c.i"}, {""}},
    {{"spec.c.i", "spec.c.i"}, {"", ""}},
    {{"spec.c.i", "spec.c.j", "spec.d[name].e"}, {"", "", ""}},
    /* (a) more than one known type */
    {{"spec.c.i", "spec.c[name].i"}, {"*01", "*01"}},
    {{"spec.c.i", "spec.c[name]"}, {"*01", "*01"}},
    {{"spec.c:set", "spec.c.i"}, {"*01", "*01"}},
    {{"spec.c:set", "spec.c[name].i"}, {"*01", "*01"}},
    {{"spec.c:set", "spec.c:string"}, {"*01", "*01"}},
    {{"spec.c", "spec.c.i"}, {"", ""}},
    {{"spec.c", "spec.c[name].i"}, {"", ""}},
    {{"spec.c", "spec.c:set"}, {"", ""}},
    {{"spec.c", "spec.c:string!"}, {"", ""}},
    {{"spec.c.i", "spec.c[name].i", "spec.c.j"}, {"*012", "*012", "*012"}},
    /* (b) a list of two keys */
    {{"spec.c[name].i", "spec.c[id].j"}, {"*01", "*01"}},
    {{"spec.c[name]", "spec.c[id]"}, {"*01", "*01"}},
    {{"spec.c[name].i", "spec.c[name].j"}, {"", ""}},
    {{"spec.c[name].i", "spec.c[id].j", "spec.c[name].k"}, {"*012", "*012", "*012"}},
    /* (c) an end that others pass */
    {{"x.image:string!", "x.image.foo"}, {"*01", "*01"}},
    {{"x.image!", "x.image.foo"}, {"*01", "*01"}},
    {{"x.image!", "x.image[k].foo"}, {"*01", "*01"}},
    {{"x.image!", "x.image"}, {"", ""}},
    {{"x.image!", "x.image!"}, {"", ""}},
    /* A path that ends there too, but need not, is no member. */
    {{"a.b.foo.bar", "a.b.foo", "a.b.foo!"}, {"*02", "02", "*02"}},
    {{"spec.c", "spec.c.i", "spec.c[name].i"}, {"12", "*12", "*12"}},
    /* A conflict above is seen below, not the other way round. */
    {{"a.b.c", "a[k].b", "a.b", "a.x"}, {"*0123", "*0123", "*0123", "*0123"}},
    {{"a.b.c", "a.b[k].c", "a.x", "a.b"}, {"*01", "*01", "", "01"}},
    /* Two conflicts on one path. */
    {{"a.b.c", "a.b[k].c", "a.b.c!", "a.b.c.d", "z"},
     {"*0123", "*0123", "*0123", "*0123", ""}},
};

static void expect_sees(const struct fx_conflict_set *set, const char *sees,
                        const char *path) {
    char got[MAX + 2] = "";
    size_t len = 0;
    assert_true(set->n_members <= MAX);
    if (set->disabled) {
        got[len++] = '*';
    }
    for (size_t i = 0; i < set->n_members; i++) {
        got[len++] = (char)('0' + set->members[i]);
    }
    if (strcmp(got, sees) != 0) {
        fail_msg("%s: wanted `%s`, got `%s`", path, sees, got);
    }
}

static void rules(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_mutator *mutators[MAX];
        struct fx_conflicts conflicts = {0};
        struct fx_err err = FX_ERR_INIT;
        size_t n = 0;
        for (; n < MAX && cases[i].paths[n] != NULL; n++) {
            mutators[n] = &make("x", cases[i].paths[n])->head;
        }
        assert_true(fx_conflicts_find(mutators, n, &conflicts, &err));
        assert_int_equal(conflicts.n_mutators, n);
        for (size_t k = 0; k < n; k++) {
            expect_sees(&conflicts.sets[k], cases[i].sees[k], cases[i].paths[k]);
            fx_mutator_unref(mutators[k]);
        }
        fx_conflicts_finish(&conflicts);
    }
}

/* Bindings must overlap in kind and operation; disabled in one is disabled in all. */
static void bindings(void **state) {
    (void)state;
    struct fake *a = make("a", "spec.c.i");
    struct fake *b = make("b", "spec.c[k].i");
    struct fake *c = make("c", "spec.c:set");
    struct fx_mutator *mutators[] = {&a->head, &b->head, &c->head};
    struct fx_conflicts conflicts = {0};
    struct fx_err err = FX_ERR_INIT;
    b->binding.operations = FX_OPERATION_BIT(FX_OPERATION_UPDATE);
    c->binding.kind = FX_TEXT("Job");
    assert_true(fx_conflicts_find(mutators, 3, &conflicts, &err));
    for (size_t i = 0; i < 3; i++) {
        expect_sees(&conflicts.sets[i], "", "apart");
    }
    fx_conflicts_finish(&conflicts);

    /* b is bound to a's kind and to c's: it sees all, they only see it. */
    const struct fx_binding both[] = {a->binding, c->binding};
    b->head.bindings = both;
    b->head.n_bindings = 2;
    assert_true(fx_conflicts_find(mutators, 3, &conflicts, &err));
    expect_sees(&conflicts.sets[0], "*01", "a");
    expect_sees(&conflicts.sets[1], "*012", "b");
    expect_sees(&conflicts.sets[2], "*12", "c");
    fx_conflicts_finish(&conflicts);

    /* DELETE has no tree. */
    b->head.bindings = &b->binding;
    b->head.n_bindings = 1;
    a->binding.operations = FX_OPERATION_BIT(FX_OPERATION_DELETE);
    b->binding.operations = FX_OPERATION_BIT(FX_OPERATION_DELETE);
    assert_true(fx_conflicts_find(mutators, 3, &conflicts, &err));
    expect_sees(&conflicts.sets[0], "", "a");
    fx_conflicts_finish(&conflicts);
    for (size_t i = 0; i < 3; i++) {
        fx_mutator_unref(mutators[i]);
    }
}

static void prints(void **state) {
    (void)state;
    struct fx_mutator *mutators[] = {
        &make("foo-conflict", "spec.c[k].i")->head,
        &make("foo", "spec.c.i")->head,
        &make("B", "spec.c.i")->head,
    };
    struct fx_conflicts conflicts = {0};
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    assert_true(fx_conflicts_find(mutators, 3, &conflicts, &err));
    fx_conflicts_print(&conflicts, 0, mutators, &buf);
    assert_string_equal(buf.data, "the following mutators have conflicting schemas: "
                                  "[Fake.test.dev /B,Fake.test.dev /foo,Fake.test.dev "
                                  "/foo-conflict]");
    fx_buf_finish(&buf);
    fx_conflicts_finish(&conflicts);
    fx_conflicts_finish(NULL);
    for (size_t i = 0; i < 3; i++) {
        fx_mutator_unref(mutators[i]);
    }
}

static void prints_the_first_of_many(void **state) {
    (void)state;
    enum { N = FX_LIMIT_CONFLICT_IDS + 6 };
    struct fx_mutator *mutators[N];
    char names[N][16];
    for (size_t i = 0; i < N; i++) {
        (void)snprintf(names[i], sizeof names[i], "m%03zu", i);
        mutators[i] = &make(names[i], i % 2 == 0 ? "spec.c[k].i" : "spec.c.i")->head;
    }
    /* Last in a pass, first by text. */
    mutators[N - 1]->rank = 1;
    mutators[N - 1]->kind[0] = 'A';
    struct fx_conflicts conflicts = {0};
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf all;
    struct fx_buf text;
    fx_buf_init(&all, 0);
    fx_buf_init(&text, 0);
    fx_buf_str(&all, "the following mutators have conflicting schemas: "
                     "[Aake.test.dev /");
    fx_buf_str(&all, names[N - 1]);
    for (size_t i = 0; i + 1 < FX_LIMIT_CONFLICT_IDS; i++) {
        fx_buf_printf(&all, ",Fake.test.dev /%s", names[i]);
    }
    fx_buf_str(&all, " and 6 more]");
    assert_true(fx_conflicts_find(mutators, N, &conflicts, &err));
    fx_conflicts_print(&conflicts, 3, mutators, &text);
    assert_string_equal(text.data, all.data);
    fx_buf_finish(&text);
    fx_buf_finish(&all);
    fx_conflicts_finish(&conflicts);
    for (size_t i = 0; i < N; i++) {
        fx_mutator_unref(mutators[i]);
    }
}

/* 10,000 mutators, all in one conflict, then each with a path of its own. */
static void many(void **state) {
    (void)state;
    enum { N = 10000 };
    static struct fx_mutator *mutators[N];
    static char paths[N][32];
    for (int in_conflict = 0; in_conflict < 2; in_conflict++) {
        for (size_t i = 0; i < N; i++) {
            (void)snprintf(paths[i], sizeof paths[i], "spec.f%zu.c%s",
                           in_conflict != 0 ? 0 : i, i % 2 == 0 ? "[k].i" : ".i");
            mutators[i] = &make("x", paths[i])->head;
        }
        struct fx_conflicts conflicts = {0};
        struct fx_err err = FX_ERR_INIT;
        const uint64_t before = fx_clock_ns();
        assert_true(fx_conflicts_find(mutators, N, &conflicts, &err));
        const double ms = (double)(fx_clock_ns() - before) / 1e6;
        print_message("%d mutators, %s: %.1f ms\n", N,
                      in_conflict != 0 ? "one conflict" : "no conflict", ms);
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(conflicts.sets[i].n_members, in_conflict != 0 ? N : 0);
            fx_mutator_unref(mutators[i]);
        }
        fx_conflicts_finish(&conflicts);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules),  cmocka_unit_test(bindings),
        cmocka_unit_test(prints), cmocka_unit_test(prints_the_first_of_many),
        cmocka_unit_test(many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
