/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/cost_fuzz.c - any overload of any library with arguments of its
 * types, of any shape and length: the call and the formula of its cost take no longer
 * than what they pay for.
 *
 *     overload (2 bytes) | shape | arguments that are large (bits) | size | text
 *
 * The overload 0xffff stands for each of them, 0xfffe for each that searches for regular
 * expressions.
 *
 * The text is a shape, too, repeated up to the size.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/cost_testing.h"
#include "base/limits.h"
#include "location/cel_library/cost_testing.h"
#include "location/cel_library/kyverno.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEAD          5
#define EACH          0xffffu
#define EACH_SEARCH   0xfffeu
#define MOST_OF_EACH  4096u /* bytes: all overloads take long */
#define MOST_EXPONENT 17u   /* sizes go up to 2^17 */

/* A search for a regular expression may cost more than it spends, up to its limit, and
 * nothing interrupts it. So functions that search have a deadline, and end with the
 * search that is running then. */
#define DEADLINE_NS UINT64_C(20000000)
#define SEARCH_NS   ((uint64_t)FX_LIMIT_REGEX_WORK * 40) /* on a busy machine */

static bool searches(const struct fx_cel_overload *overload) {
    return overload != NULL && overload->regex_argument != 0;
}

/* The overload with this number; NULL after the last one. */
static const struct fx_cel_overload *overload_at(size_t number) {
    for (size_t i = 0; fx_cel_kyverno_libraries[i] != NULL; i++) {
        const struct fx_cel_overload *overload = fx_cel_kyverno_libraries[i];
        for (; overload->function != NULL; overload++) {
            if (number-- == 0) {
                return overload;
            }
        }
    }
    return NULL;
}

static size_t count_overloads(void) {
    size_t n = 0;
    while (overload_at(n) != NULL) {
        n++;
    }
    return n;
}

/* Calls the overload, and computes the cost of the call. */
static void call(const struct cel_cost_case *of, const struct fx_cel_value *args,
                 struct cost *ret_cost) {
    const struct fx_cel_overload *overload = of->overload;
    const struct fx_bound bound =
        fx_budget_narrow(0, searches(overload) ? fx_clock_ns() + DEADLINE_NS : 0);
    cost_begin(ret_cost);
    const struct fx_cel_value result = overload->call(of->run, args);
    const uint64_t cost = overload->cost == NULL ? 1 : overload->cost(args, result);
    cost_end(ret_cost);
    (void)fx_budget_widen(bound);
    assert(cost < UINT64_MAX / 2); /* a sum of costs does not overflow */
    assert(!fx_cel_is_error(result) || result.error[0] != '\0');
    assert((result.flags & FX_CEL_FATAL) == 0 || of->run->err->code != FX_OK);
}

static void work(void *user, struct cost *ret_cost) {
    struct cel_cost_case of = *(const struct cel_cost_case *)user;
    struct fx_cel_value args[FX_CEL_MOST_ARGUMENTS] = {{0}};
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    struct fx_cel_run run = {
        .arena = &arena, .cost_limit = FX_CEL_COST_LIMIT, .err = &err};
    of.run = &run;
    *ret_cost = (struct cost){0, 0};
    if (cel_cost_arguments(&of, args)) {
        fx_err_reset(&err);
        call(&of, args, ret_cost);
    }
    fx_arena_finish(&arena);
}

static void check(struct cel_cost_case *of, size_t number) {
    of->overload = overload_at(number);
    if (of->overload != NULL && of->overload->call != NULL) {
        cost_check(work, of,
                   searches(of->overload) ? DEADLINE_NS + SEARCH_NS : COST_NS_FREE);
    }
}

static void check_each(struct cel_cost_case *of, size_t n, bool only_searches) {
    for (size_t i = 0; i < n; i++) {
        if (!only_searches || searches(overload_at(i))) {
            check(of, i);
        }
    }
}

/* Exponents in the upper bits, the rest below: short ones are as likely as long ones. */
static size_t size_of(uint8_t byte) {
    const size_t whole = (size_t)1 << (byte % (MOST_EXPONENT + 1));
    return whole + whole * (byte / (MOST_EXPONENT + 1)) / 16;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < HEAD) {
        return 0;
    }
    const size_t number = (size_t)data[0] << 8 | data[1];
    const size_t n = count_overloads();
    struct cel_cost_case of = {
        .shape = data[2] % N_CEL_COST_SHAPES,
        .large = data[3],
        .size = size_of(data[4]),
        .given = {(const char *)data + HEAD, size - HEAD},
    };
    if (number == EACH) {
        of.size = of.size < MOST_OF_EACH ? of.size : MOST_OF_EACH;
        check_each(&of, n, false);
    } else if (number == EACH_SEARCH) {
        check_each(&of, n, true);
    } else {
        check(&of, number % n);
    }
    return 0;
}
