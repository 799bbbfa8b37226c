/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/cost_fuzz.c - any function with arguments of any shape and length:
 * it takes no longer than what it pays for, and ends where it may pay no more.
 *
 *     function (2 bytes) | shape | arguments that are large (bits) | arguments | size |
 * text
 *
 * The text is a shape, too, repeated up to the size.
 */
#include <assert.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cost_testing.h"
#include "base/limits.h"
#include "location/sprig/cost_testing.h"
#include "location/sprig/functions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEAD           6
#define MOST_ARGUMENTS 64u
#define MOST_EXPONENT  17u /* sizes go up to 2^17 */

/* The price of regular expressions is not by the bytes of their arguments. */
static bool is_regex(const struct function *function) {
    for (size_t i = 0; functions_regex[i].name != NULL; i++) {
        if (function == &functions_regex[i]) {
            return true;
        }
    }
    return false;
}

static const struct function *pick(size_t index) {
    size_t n = 0;
    while (function_at(&fx_sprig, n) != NULL) {
        n++;
    }
    const struct function *function = function_at(&fx_sprig, index % n);
    return function->call == NULL || is_regex(function) ? NULL : function;
}

static size_t count_arguments(const struct function *function, uint8_t wanted) {
    const size_t n = cost_count_parameters(function);
    return function->variadic ? n + wanted % MOST_ARGUMENTS : n;
}

/* Exponents in the upper bits, the rest below: short ones are as likely as long ones. */
static size_t size_of(uint8_t byte) {
    const size_t whole = (size_t)1 << (byte % (MOST_EXPONENT + 1));
    return whole + whole * (byte / (MOST_EXPONENT + 1)) / 16;
}

/* The arguments are built in a run of their own, which pays for them. */
static void call(struct template_run *built, const struct cost_case *of,
                 struct cost *ret_cost) {
    alignas(max_align_t) char block[4096];
    struct fx_err err = FX_ERR_INIT;
    struct template_run run;
    struct value result;
    const struct value *arguments = cost_arguments(built, of);
    run_init(&run, block, sizeof block, &err);
    if (arguments != NULL) {
        cost_begin(ret_cost);
        const bool ok =
            function_call(&run, of->function, arguments, of->n_arguments, &result);
        cost_end(ret_cost);
        assert(!ok || ret_cost->units <= FX_LIMIT_TEMPLATE_STEPS);
        assert(ok || err.code != FX_OK);
    }
    run_finish(&run);
}

static void work(void *user, struct cost *ret_cost) {
    alignas(max_align_t) char block[4096];
    struct fx_err err = FX_ERR_INIT;
    struct template_run built;
    run_init(&built, block, sizeof block, &err);
    call(&built, user, ret_cost);
    run_finish(&built);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < HEAD) {
        return 0;
    }
    const struct function *function = pick((size_t)data[0] << 8 | data[1]);
    if (function == NULL) {
        return 0;
    }
    struct cost_case of = {
        .function = function,
        .shape = data[2] % (N_COST_SHAPES + 1u),
        .large = data[3],
        .n_arguments = count_arguments(function, data[4]),
        .size = size_of(data[5]),
    };
    cost_given = (struct fx_text){(const char *)data + HEAD, size - HEAD};
    cost_check(work, &of, COST_NS_FREE);
    return 0;
}
