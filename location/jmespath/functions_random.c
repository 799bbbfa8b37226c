/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/functions_random.c - random(): a text that a regular expression
 * matches.
 */
#include <assert.h>

#include "base/random.h"
#include "base/regex.h"
#include "location/jmespath/functions.h"
#include "location/jmespath/random_pattern.h"

#define UNITS_OF_A_CHOICE       4u
#define UNITS_OF_A_PATTERN_BYTE 16u /* it is compiled, too */

struct random_run {
    struct fx_buf out;
    struct fx_err *err;
};

/* Chooses a number below `n`, which is less than 2^40: of 64 random bits each result is
 * equally likely but for a part in 2^24. */
static bool choose(struct random_run *run, uint64_t n, uint64_t *ret_choice) {
    uint64_t number = 0;
    assert(n > 0);
    if (!fx_spend(UNITS_OF_A_CHOICE)) {
        return fx_fail_exceeded(run->err);
    }
    if (!fx_random_take(&number, sizeof number)) {
        return fx_fail(run->err, FX_EINTERNAL, "the kernel gives no random bytes");
    }
    *ret_choice = number % n;
    return true;
}

static bool write_rune(struct random_run *run, const struct random_class *class) {
    char bytes[4];
    uint64_t n = 0;
    uint64_t choice = 0;
    for (size_t i = 0; i < class->n; i++) {
        n += class->ranges[i].last - class->ranges[i].first + 1;
    }
    if (!fx_spend(class->n / 8) || !choose(run, n, &choice)) {
        return fx_budget_exceeded() == FX_EXCEEDED_NOTHING ? false
                                                           : fx_fail_exceeded(run->err);
    }
    for (size_t i = 0; i < class->n; i++) {
        const uint64_t size = class->ranges[i].last - class->ranges[i].first + 1;
        if (choice < size) {
            const uint32_t rune = class->ranges[i].first + (uint32_t)choice;
            fx_buf_add(&run->out, bytes, fx_text_encode_rune(rune, bytes));
            break;
        }
        choice -= size;
    }
    return true;
}

static bool write_node(struct random_run *run, const struct random_node *node);

static bool write_choice(struct random_run *run, const struct random_node *node) {
    const struct random_node *child = node->first;
    uint64_t choice = 0;
    if (!choose(run, node->n_children, &choice)) {
        return false;
    }
    for (; choice > 0; choice--) {
        (void)fx_spend(1);
        child = child->next;
    }
    return write_node(run, child);
}

static bool write_repeat(struct random_run *run, const struct random_node *node) {
    uint64_t more = 0;
    if (!choose(run, (uint64_t)node->most - node->least + 1, &more)) {
        return false;
    }
    for (uint64_t n = node->least + more; n > 0 && !run->out.failed; n--) {
        if (!write_node(run, node->first)) {
            return false;
        }
    }
    return true;
}

/* The recursion is as deep as the pattern (FX_LIMIT_RANDOM_DEPTH). */
static bool write_node(struct random_run *run, const struct random_node *node) {
    switch (node->type) {
    case RANDOM_RUNE: return write_rune(run, &node->class);
    case RANDOM_CHOICE: return write_choice(run, node);
    case RANDOM_REPEAT: return write_repeat(run, node);
    case RANDOM_SEQUENCE: break;
    }
    for (const struct random_node *child = node->first; child != NULL;
         child = child->next) {
        if (!fx_spend(1)) {
            return fx_fail_exceeded(run->err);
        }
        if (!write_node(run, child)) {
            return false;
        }
    }
    return true;
}

/* A pattern has to be a regular expression of Go, too. */
static bool check_pattern(struct fx_text pattern, struct fx_err *err) {
    struct fx_regex *regex = NULL;
    if (pattern.len == 0) {
        return fx_fail(err, FX_EINVALID, "the pattern is empty");
    }
    if (!fx_spend(pattern.len * UNITS_OF_A_PATTERN_BYTE)) {
        return fx_fail_exceeded(err);
    }
    const bool ok = fx_regex_compile(pattern, &regex, err);
    fx_regex_destroy(regex);
    return ok || jmespath_fail_pattern(err);
}

static bool call_random(const struct fx_jmespath_call *call, json_t **ret_value,
                        struct fx_err *err) {
    const struct fx_text pattern = jmespath_argument_text(call, 0);
    struct random_node *node = NULL;
    struct random_run run = {.err = err};
    if (!check_pattern(pattern, err) ||
        !jmespath_random_read(call->arena, pattern, &node, err)) {
        return false;
    }
    jmespath_result_init(&run.out);
    if (write_node(&run, node)) {
        return fx_jmespath_give_buf(&run.out, ret_value, err);
    }
    fx_buf_finish(&run.out);
    return false;
}

const struct fx_jmespath_function fx_jmespath_random_functions[] = {
    {.name = "random",
     .parameters = {{.types = FX_JMESPATH_STRING}},
     .is_random = true,
     .call = call_random},
    {.name = NULL},
};
