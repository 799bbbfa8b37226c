/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/cost/formats.c - every verb of printf, with flags and without, on values of every
 * kind: as many directives as fit the size, and an argument for each.
 */
#include "meter.h"

#include <stdalign.h>
#include <stdio.h>

#include "location/sprig/cost_testing.h"

static const char verbs[] = "vdboOxXcqUeEfFgGtsTpz";
static const char *const flags[] = {"%", "%+#", "%60.60", "%-0300.300", "% x%#"};
static const unsigned values[] = {COST_SUBNORMAL, COST_HUGE_NUMBER, COST_INTEGER,
                                  COST_NESTED,    COST_TIMES,       COST_VERSIONS,
                                  FX_SHAPE_MARKS, FX_SHAPE_INVALID};

#define N_VERBS  (sizeof verbs - 1)
#define N_FLAGS  FX_COUNT(flags)
#define N_VALUES FX_COUNT(values)

/* Verb, flags and value of a case. */
struct directive {
    char verb;
    const char *flags;
    unsigned value;
};

static bool find(size_t index, struct directive *ret_directive) {
    if (index >= N_VERBS * N_FLAGS * N_VALUES) {
        return false;
    }
    *ret_directive = (struct directive){
        verbs[index / (N_FLAGS * N_VALUES)],
        flags[index / N_VALUES % N_FLAGS],
        values[index % N_VALUES],
    };
    return true;
}

static bool describe(size_t index, struct meter_case *ret_case) {
    struct directive of;
    if (!find(index, &of)) {
        return false;
    }
    (void)snprintf(ret_case->subject, sizeof ret_case->subject, "printf %%%c", of.verb);
    (void)snprintf(ret_case->shape, sizeof ret_case->shape, "%s%c of %s", of.flags,
                   of.verb, cost_shape_name(of.value));
    return true;
}

/* The format, and the arguments behind it; NULL without memory. */
static struct value *make_arguments(struct template_run *run, const struct directive *of,
                                    size_t n) {
    struct fx_buf format;
    struct fx_text text = {0};
    struct value *arguments = run_alloc(run, (n + 1) * sizeof *arguments);
    fx_buf_init(&format, 0);
    for (size_t i = 0; arguments != NULL && i < n; i++) {
        fx_buf_str(&format, of->flags);
        fx_buf_char(&format, of->verb);
        if (!cost_any(run, of->value, 8, &arguments[i + 1])) {
            arguments = NULL;
        }
    }
    const bool ok = arguments != NULL &&
                    run_copy(run, (struct fx_text){format.data, format.len}, &text);
    fx_buf_finish(&format);
    if (!ok) {
        return NULL;
    }
    arguments[0] = value_string(text);
    return arguments;
}

static void call(struct template_run *built, const struct directive *of, size_t n) {
    alignas(max_align_t) char block[4096];
    struct fx_err err = FX_ERR_INIT;
    const struct value *arguments = make_arguments(built, of, n);
    struct template_run run;
    struct value result;
    run_init(&run, block, sizeof block, &err);
    if (arguments != NULL) {
        meter_start();
        meter_stop(function_call(&run, function_find(&fx_sprig, FX_TEXT("printf")),
                                 arguments, n + 1, &result));
    }
    run_finish(&run);
}

static void run(size_t index, size_t size) {
    alignas(max_align_t) char block[4096];
    struct directive of;
    struct fx_err err = FX_ERR_INIT;
    struct template_run built;
    run_init(&built, block, sizeof block, &err);
    if (find(index, &of)) {
        call(&built, &of, size / 16 + 1);
    }
    run_finish(&built);
}

const struct meter_set meter_formats = {"formats", describe, run};
