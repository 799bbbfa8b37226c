/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/cost/meter.c - does one piece of work after the other and tells the units of the
 * budget that each spends; callgrind, under which it runs, writes the instructions of
 * each as one part of its file. cost.py puts both together.
 *
 *     cost-meter SET SIZE [INDEX...]
 *     cost-meter SET list
 *     cost-meter names
 *
 * prints a line for each case: index, subject, shape, size, units, ok or failed; or the
 * cases of a set, or the functions of templates, of JMESPath and of CEL, each after its
 * set.
 */
#include "meter.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <valgrind/callgrind.h>

#include "base/budget.h"
#include "base/macros.h"
#include "location/cel_library/library.h"
#include "location/gotemplate/function.h"
#include "location/jmespath/function.h"
#include "location/sprig/sprig.h"

static const struct meter_set *const sets[] = {
    &meter_templates, &meter_formats,  &meter_expressions,  &meter_queries,
    &meter_functions, &meter_programs, &meter_compilations, &meter_merges,
    &meter_policies,  &meter_values,
};

static uint64_t units_before, units;
static bool was_ok, was_started;

/* What earlier cases left in the heap is put in order first: else the allocator would do
 * so at a time of its own, and the case of that time would pay. */
void meter_start(void) {
    was_started = true;
    (void)malloc_trim(0);
    units_before = fx_budget_spent();
    CALLGRIND_ZERO_STATS;
    CALLGRIND_TOGGLE_COLLECT;
}

void meter_stop(bool ok) {
    CALLGRIND_TOGGLE_COLLECT;
    units = fx_budget_spent() - units_before;
    was_ok = ok;
}

/* Functions of templates that can be called, under each code's first name. */
static void list_template_functions(void) {
    for (size_t i = 0; function_at(&fx_sprig, i) != NULL; i++) {
        bool is_alias = false;
        for (size_t k = 0; k < i; k++) {
            is_alias |=
                function_at(&fx_sprig, k)->call == function_at(&fx_sprig, i)->call;
        }
        if (function_at(&fx_sprig, i)->call != NULL && !is_alias) {
            (void)printf("templates\t%s\n", function_at(&fx_sprig, i)->name);
        }
    }
}

/* Functions of CEL: those without code are operators of the evaluator. */
static void list_cel_functions(void) {
    for (size_t i = 0; fx_cel_mutation_libraries[i] != NULL; i++) {
        const struct fx_cel_overload *overload = fx_cel_mutation_libraries[i];
        for (; overload->function != NULL; overload++) {
            if (overload->call != NULL) {
                (void)printf("functions\t%s\n", overload->function);
            }
        }
    }
}

static void list_queries(void) {
    for (size_t i = 0; fx_jmespath_function_at(i) != NULL; i++) {
        (void)printf("queries\t%s()\n", fx_jmespath_function_at(i)->name);
    }
}

static const struct meter_set *find_set(const char *name) {
    for (size_t i = 0; i < FX_COUNT(sets); i++) {
        if (strcmp(sets[i]->name, name) == 0) {
            return sets[i];
        }
    }
    return NULL;
}

static bool measure(const struct meter_set *set, size_t index, size_t size) {
    struct meter_case of;
    if (!set->describe(index, &of)) {
        return false;
    }
    was_started = false;
    set->run(index, size);
    if (was_started) {
        CALLGRIND_DUMP_STATS_AT("case");
        (void)printf("%zu\t%s\t%s\t%zu\t%llu\t%s\n", index, of.subject, of.shape, size,
                     (unsigned long long)units, was_ok ? "ok" : "failed");
    }
    return true;
}

static void list_cases(const struct meter_set *set) {
    struct meter_case of;
    for (size_t i = 0; set->describe(i, &of); i++) {
        (void)printf("%zu\t%s\t%s\n", i, of.subject, of.shape);
    }
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "names") == 0) {
        list_template_functions();
        list_queries();
        list_cel_functions();
        return 0;
    }
    const struct meter_set *set = argc < 3 ? NULL : find_set(argv[1]);
    if (set == NULL) {
        (void)fprintf(stderr, "usage: cost-meter SET SIZE [INDEX...]\n");
        return 2;
    }
    if (strcmp(argv[2], "list") == 0) {
        list_cases(set);
        return 0;
    }
    const size_t size = strtoul(argv[2], NULL, 10);
    for (size_t i = 0; argc == 3 && measure(set, i, size); i++) {
    }
    for (int i = 3; i < argc; i++) {
        (void)measure(set, strtoul(argv[i], NULL, 10), size);
    }
    return 0;
}
