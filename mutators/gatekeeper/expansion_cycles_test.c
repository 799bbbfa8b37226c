/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/expansion_cycles_test.c - templates that expand each other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "engine/resource.h"
#include "mutators/gatekeeper/expansion_testing.h"

#define N_MAX 8

/* Templates as "Kinds>Kind"; those of a cycle as a mask, `x` each. */
static const struct {
    const char *about, *templates[N_MAX], *in_cycle;
} cases[] = {
    {"none", {NULL}, ""},
    {"one", {"A>B"}, "-"},
    {"a chain", {"A>B", "B>C", "C>D"}, "---"},
    {"two that make the same", {"A>C", "B>C"}, "--"},
    {"a diamond", {"A>B", "A>C", "B>D", "C>D", "D>E"}, "-----"},
    {"a cycle of two", {"A>B", "B>A"}, "xx"},
    {"a cycle of three, in any order", {"C>A", "A>B", "B>C"}, "xxx"},
    {"what leads in and out is not in it", {"S>A", "A>B", "B>A", "B>T", "T>U"}, "-xx--"},
    {"between two cycles is in none", {"A>B", "B>A", "B>C", "C>D", "D>C"}, "xx-xx"},
    {"one of several kinds", {"X A Y>B", "P Q B>A"}, "xx"},
    {"two cycles that share a type", {"A>B", "B>A", "A>C", "C>A"}, "xxxx"},
    {"a second template of the same edge", {"A>B", "A>B", "B>A"}, "xxx"},
    {"itself", {"A>A", "A>B"}, "x-"},
    {"the way round", {"A>B", "B>C", "C>D", "D>E", "E>F", "F>B"}, "-xxxxx"},
};

static struct fx_resource *parse(const char *arrow, char kinds[32]) {
    const size_t len = strcspn(arrow, ">");
    memcpy(kinds, arrow, len);
    kinds[len] = '\0';
    return &fake_expansion(&(struct fake_template){"t", "g", "v1", kinds, NULL, "g", "v1",
                                                   arrow + len + 1})
                ->resource;
}

static void finds_cycles(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        print_message("%s\n", cases[i].about);
        struct fx_resource *resources[N_MAX] = {NULL};
        char kinds[N_MAX][32];
        bool in_cycle[N_MAX] = {false};
        size_t n = 0;
        for (; n < N_MAX && cases[i].templates[n] != NULL; n++) {
            resources[n] = parse(cases[i].templates[n], kinds[n]);
        }
        assert_int_equal(n, strlen(cases[i].in_cycle));
        assert_true(fx_expansion_find_cycles(resources, n, in_cycle));
        for (size_t k = 0; k < n; k++) {
            assert_int_equal(in_cycle[k], cases[i].in_cycle[k] == 'x');
            fx_resource_unref(resources[k]);
        }
    }
}

/* Types are equal where all three parts are; other resources are passed over. */
static void types_are_whole(void **state) {
    (void)state;
    struct fx_provider *provider = fx_provider_create(
        NULL, FX_TEXT("p"), NULL, FX_TEXT("https://p"), 0, FX_TEXT(""));
    struct fx_resource *resources[] = {
        &provider->resource,
        &fake_expansion(
             &(struct fake_template){"a", "g", "v1", "A", NULL, "g", "v1", "B"})
             ->resource,
        &fake_expansion(
             &(struct fake_template){"b", "g", "v2", "B", NULL, "g", "v1", "A"})
             ->resource,
        &fake_expansion(
             &(struct fake_template){"c", "h", "v1", "B", NULL, "g", "v1", "A"})
             ->resource,
    };
    bool in_cycle[FX_COUNT(resources)] = {false};
    assert_true(fx_expansion_find_cycles(resources, FX_COUNT(resources), in_cycle));
    for (size_t i = 0; i < FX_COUNT(resources); i++) {
        assert_false(in_cycle[i]);
        fx_resource_unref(resources[i]);
    }
}

/* A long cycle takes no stack, and no time to speak of. */
static void a_long_cycle(void **state) {
    (void)state;
    enum { N = 20000 };
    static struct fx_resource *resources[N];
    static char kinds[N][8];
    static bool in_cycle[N];
    for (size_t i = 0; i < N; i++) {
        (void)snprintf(kinds[i], sizeof kinds[i], "K%zu", i);
    }
    for (size_t i = 0; i < N; i++) {
        resources[i] =
            &fake_expansion(&(struct fake_template){"t", "g", "v1", kinds[i], NULL, "g",
                                                    "v1", kinds[(i + 1) % N]})
                 ->resource;
    }
    assert_true(fx_expansion_find_cycles(resources, N - 1, in_cycle));
    assert_false(in_cycle[0] || in_cycle[N - 2]);
    assert_true(fx_expansion_find_cycles(resources, N, in_cycle));
    for (size_t i = 0; i < N; i++) {
        assert_true(in_cycle[i]);
        fx_resource_unref(resources[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_cycles),
        cmocka_unit_test(types_are_whole),
        cmocka_unit_test(a_long_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
