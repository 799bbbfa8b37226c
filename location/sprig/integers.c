/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/integers.c - Sprig's integers: add, seq, until, …
 */
#include "location/sprig/functions.h"

#include <stdint.h>

#include "base/err.h"
#include "base/limits.h"
#include "base/strconv.h"
#include "location/gotemplate/value.h"

static bool return_int64(struct template_call *call, int64_t integer) {
    *call->ret = value_int64(integer);
    return true;
}

static int64_t argument(const struct template_call *call, size_t i) {
    return value_to_int64(&call->arguments[i]);
}

/* Adds two integers. An overflow wraps around, as in Go. */
static int64_t add_wrapping(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t multiply_wrapping(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static bool call_atoi(struct template_call *call) {
    int64_t integer = 0; /* the nearest one if the text is out of range */
    (void)fx_go_parse_int(call->arguments[0].string, 10, &integer);
    *call->ret = value_int(integer);
    return true;
}

static bool call_int(struct template_call *call) {
    *call->ret = value_int(argument(call, 0));
    return true;
}

static bool call_int64(struct template_call *call) {
    return return_int64(call, argument(call, 0));
}

/* Parses the text of the value as an octal number. */
static bool call_to_decimal(struct template_call *call) {
    struct fx_text text = {0};
    int64_t integer = 0;
    if (!value_text(call->run, &call->arguments[0], &text)) {
        return false;
    }
    const bool is_number = fx_go_parse_int(text, 8, &integer) == FX_GO_NUMBER;
    return return_int64(call, is_number ? integer : 0);
}

static bool call_add(struct template_call *call) {
    int64_t sum = 0;
    for (size_t i = 0; i < call->n_arguments; i++) {
        sum = add_wrapping(sum, argument(call, i));
    }
    return return_int64(call, sum);
}

static bool call_add1(struct template_call *call) {
    return return_int64(call, add_wrapping(argument(call, 0), 1));
}

static bool call_sub(struct template_call *call) {
    const int64_t opposite = (int64_t)(0 - (uint64_t)argument(call, 1));
    return return_int64(call, add_wrapping(argument(call, 0), opposite));
}

static bool call_mul(struct template_call *call) {
    int64_t product = argument(call, 0);
    for (size_t i = 1; i < call->n_arguments; i++) {
        product = multiply_wrapping(product, argument(call, i));
    }
    return return_int64(call, product);
}

static bool check_divisor(struct template_call *call) {
    return argument(call, 1) != 0 ||
           fx_fail(call->err, FX_EMUTATE, "runtime error: integer divide by zero");
}

/* Divides. The lowest integer divided by -1 gives itself. */
static bool call_div(struct template_call *call) {
    const int64_t a = argument(call, 0);
    const int64_t b = argument(call, 1);
    if (!check_divisor(call)) {
        return false;
    }
    return return_int64(call, b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b);
}

static bool call_mod(struct template_call *call) {
    const int64_t b = argument(call, 1);
    if (!check_divisor(call)) {
        return false;
    }
    return return_int64(call, b == -1 ? 0 : argument(call, 0) % b);
}

enum { MOST, LEAST };

static bool call_extreme(struct template_call *call) {
    const bool wants_most = call->function->variant == MOST;
    int64_t extreme = argument(call, 0);
    for (size_t i = 1; i < call->n_arguments; i++) {
        const int64_t number = argument(call, i);
        extreme = (wants_most ? number > extreme : number < extreme) ? number : extreme;
    }
    return return_int64(call, extreme);
}

/* The numbers start, start + step, …, up to but not including stop. */
struct progression {
    int64_t start, stop, step;
};

static uint64_t distance(int64_t a, int64_t b) {
    return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

/* Returns the number of steps; 0 if the step has the wrong sign. */
static uint64_t count_steps(const struct progression *p) {
    const bool is_falling = p->stop < p->start;
    if (p->step == 0 || p->stop == p->start || is_falling != (p->step < 0)) {
        return 0;
    }
    return (distance(p->start, p->stop) - 1) / distance(0, p->step) + 1;
}

/* Makes the list of the numbers. Returns NULL over a limit. */
static struct template_list *make_progression(struct template_call *call,
                                              const struct progression *p) {
    const uint64_t n = count_steps(p);
    if (n > FX_LIMIT_TEMPLATE_STEPS) {
        (void)fx_fail(call->err, FX_ELIMIT, "list has more than %u numbers",
                      FX_LIMIT_TEMPLATE_STEPS);
        return NULL;
    }
    struct template_list *list =
        run_spend(call->run, (size_t)n) ? value_list_new(call->run, (size_t)n) : NULL;
    if (list == NULL) {
        return NULL;
    }
    list->type = TYPE_INTS;
    int64_t number = p->start;
    for (size_t i = 0; i < list->n; i++) {
        list->values[i] = value_int(number);
        number = add_wrapping(number, p->step);
    }
    return list;
}

static bool return_progression(struct template_call *call,
                               struct progression progression) {
    struct template_list *list = make_progression(call, &progression);
    return return_list(call, list);
}

static bool call_until(struct template_call *call) {
    const int64_t stop = call->arguments[0].integer;
    return return_progression(call, (struct progression){0, stop, stop < 0 ? -1 : 1});
}

static bool call_until_step(struct template_call *call) {
    return return_progression(call, (struct progression){call->arguments[0].integer,
                                                         call->arguments[1].integer,
                                                         call->arguments[2].integer});
}

/* Computes `seq last`, `seq first last` and `seq first step last`. The list includes the
 * last number. It is empty for other numbers of arguments, and for a step with the wrong
 * sign. */
static struct progression seq_progression(const struct template_call *call) {
    const size_t n = call->n_arguments;
    const struct value *arguments = call->arguments;
    if (n == 0 || n > 3) {
        return (struct progression){0};
    }
    const int64_t first = n == 1 ? 1 : arguments[0].integer;
    const int64_t last = arguments[n - 1].integer;
    const int64_t towards = last < first ? -1 : 1;
    return (struct progression){first, add_wrapping(last, towards),
                                n == 3 ? arguments[1].integer : towards};
}

static bool call_seq(struct template_call *call) {
    const struct progression progression = seq_progression(call);
    const struct template_list *list = make_progression(call, &progression);
    if (list == NULL) {
        return false;
    }
    struct fx_buf *text = run_scratch(call->run);
    for (size_t i = 0; i < list->n; i++) {
        if (i > 0) {
            fx_buf_char(text, ' ');
        }
        fx_buf_integer(text, list->values[i].integer);
    }
    return run_take_scratch(call->run, call->ret);
}

const struct function functions_integers[] = {
    FUNCTION("atoi", call_atoi, 1, STRING),
    FUNCTION("int", call_int, 1, ANY),
    FUNCTION("int64", call_int64, 1, ANY),
    FUNCTION("toDecimal", call_to_decimal, 1, ANY),
    VARIADIC("add", call_add, 1, ANY),
    FUNCTION("add1", call_add1, 1, ANY),
    FUNCTION("sub", call_sub, 1, ANY, ANY),
    VARIADIC("mul", call_mul, 1, ANY, ANY),
    FUNCTION("div", call_div, 1, ANY, ANY),
    FUNCTION("mod", call_mod, 1, ANY, ANY),
    VARIADIC_VARIANT("max", call_extreme, MOST, 1, ANY, ANY),
    VARIADIC_VARIANT("biggest", call_extreme, MOST, 1, ANY, ANY),
    VARIADIC_VARIANT("min", call_extreme, LEAST, 1, ANY, ANY),
    VARIADIC("seq", call_seq, 1, INT),
    FUNCTION("until", call_until, 1, INT),
    FUNCTION("untilStep", call_until_step, 1, INT, INT, INT),
    {.name = NULL},
};
