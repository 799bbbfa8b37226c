/* SPDX-License-Identifier: Apache-2.0
 *
 * value/patch_align.c - aligning two lists by the cheapest edit script (Wagner and
 * Fischer, 1974), with what Kubernetes merges lists by deciding what is the same thing.
 */
#include "value/patch_align.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/macros.h"
#include "value/equal.h"
#include "value/patch.h"
#include "value/tree.h"

/* What a step costs. An edit is cheaper than a replacement, a replacement cheaper than a
 * removal and an addition. */
#define COST_EDIT    2u
#define COST_REPLACE 6u
#define COST_ONE     4u /* a removal, an addition */

/* A window that does not reach the end of both lists may stop where one of its sides is
 * used up; each element of the other side it has not used counts this much, more than
 * half of COST_ONE and less than all of it: one too many by a shift stays for the next
 * window, unlike elements are replaced and not all removed. */
#define COST_LEFT 3u

#define BUDGET (1u << 20)

void fx_align_init(struct fx_align *align) {
    align->budget = BUDGET;
}

static const json_t *element(const struct fx_align_side *side, size_t i) {
    return json_array_get(side->array, side->at + i);
}

void fx_align_trim(struct fx_align_side *before, struct fx_align_side *after) {
    while (before->at < before->end && after->at < after->end &&
           fx_equal(element(before, 0), element(after, 0))) {
        before->at++;
        after->at++;
    }
    while (before->at < before->end && after->at < after->end &&
           fx_equal(json_array_get(before->array, before->end - 1),
                    json_array_get(after->array, after->end - 1))) {
        before->end--;
        after->end--;
    }
}

/* The merge keys of the Kubernetes types, those first that tell mounts, owners and
 * devices apart where several share a name. */
const char *const fx_patch_merge_keys[] = {
    "mountPath", "devicePath", "uid",         "name", "key",  "containerPort",
    "port",      "ip",         "topologyKey", "id",   "type", NULL,
};

/* The first of the keys that both objects have tells whether they are the same thing. */
static bool is_same_thing(const json_t *a, const json_t *b) {
    for (const char *const *key = fx_patch_merge_keys; *key != NULL; key++) {
        const json_t *left = fx_tree_view_key(a, *key);
        const json_t *right = left == NULL ? NULL : fx_tree_view_key(b, *key);
        if (right != NULL) {
            return fx_equal(left, right);
        }
    }
    return true;
}

static enum fx_align_step compare(const json_t *a, const json_t *b) {
    if (fx_equal(a, b)) {
        return FX_ALIGN_KEEP;
    }
    if (json_is_array(a) && json_is_array(b)) {
        return FX_ALIGN_EDIT;
    }
    if (json_is_object(a) && json_is_object(b) && is_same_thing(a, b)) {
        return FX_ALIGN_EDIT;
    }
    return FX_ALIGN_REPLACE;
}

static unsigned pair_cost(uint8_t step) {
    switch ((enum fx_align_step)step) {
    case FX_ALIGN_KEEP: return 0;
    case FX_ALIGN_EDIT: return COST_EDIT;
    case FX_ALIGN_REPLACE: return COST_REPLACE;
    case FX_ALIGN_REMOVE:
    case FX_ALIGN_ADD: break;
    }
    return COST_ONE;
}

/* cost[i][j]: the least for the first i and j elements. */
static void fill(struct fx_align *align, size_t n, size_t m) {
    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= m; j++) {
            unsigned best = i == 0 && j == 0 ? 0 : UINT16_MAX;
            if (i > 0 && j > 0) {
                best = align->cost[i - 1][j - 1] + pair_cost(align->pair[i - 1][j - 1]);
            }
            if (i > 0 && align->cost[i - 1][j] + COST_ONE < best) {
                best = align->cost[i - 1][j] + COST_ONE;
            }
            if (j > 0 && align->cost[i][j - 1] + COST_ONE < best) {
                best = align->cost[i][j - 1] + COST_ONE;
            }
            align->cost[i][j] = (uint16_t)best;
        }
    }
}

/* Where a window that is not the last stops: on its lower or right edge. */
static void best_stop(const struct fx_align *align, size_t *n, size_t *m) {
    const size_t rows = *n;
    const size_t columns = *m;
    unsigned best = align->cost[rows][columns];
    for (size_t j = 0; j < columns; j++) {
        const unsigned cost = align->cost[rows][j] + COST_LEFT * (unsigned)(columns - j);
        if (cost < best) {
            best = cost;
            *n = rows;
            *m = j;
        }
    }
    for (size_t i = 0; i < rows; i++) {
        const unsigned cost = align->cost[i][columns] + COST_LEFT * (unsigned)(rows - i);
        if (cost < best) {
            best = cost;
            *n = i;
            *m = columns;
        }
    }
}

/* The last step of the cheapest way to (i, j). */
static enum fx_align_step last_step(const struct fx_align *align, size_t i, size_t j) {
    const unsigned cost = align->cost[i][j];
    if (i > 0 && j > 0 &&
        align->cost[i - 1][j - 1] + pair_cost(align->pair[i - 1][j - 1]) == cost) {
        return (enum fx_align_step)align->pair[i - 1][j - 1];
    }
    return i > 0 && align->cost[i - 1][j] + COST_ONE == cost ? FX_ALIGN_REMOVE
                                                             : FX_ALIGN_ADD;
}

/* The way back from (i, j), then turned round. */
static void trace(const struct fx_align *align, size_t i, size_t j,
                  struct fx_align_steps *ret_steps) {
    uint8_t backwards[2 * FX_ALIGN_WINDOW];
    size_t count = 0;
    while (i > 0 || j > 0) {
        const enum fx_align_step step = last_step(align, i, j);
        backwards[count++] = (uint8_t)step;
        i -= step != FX_ALIGN_ADD;
        j -= step != FX_ALIGN_REMOVE;
    }
    for (size_t k = 0; k < count; k++) {
        ret_steps->steps[k] = backwards[count - 1 - k];
    }
    ret_steps->n_steps = count;
}

static void repeat(struct fx_align_steps *steps, enum fx_align_step step, size_t count) {
    assert(count <= sizeof steps->steps);
    memset(steps->steps, (int)step, count);
    steps->n_steps = count;
}

static size_t count_equal(const struct fx_align_side *before,
                          const struct fx_align_side *after, size_t most) {
    size_t count = 0;
    while (count < most && fx_equal(element(before, count), element(after, count))) {
        count++;
    }
    return count;
}

/* Element by element, where the budget does not allow for more. */
static void pair_by_place(const struct fx_align_side *before,
                          const struct fx_align_side *after, size_t count,
                          struct fx_align_steps *ret_steps) {
    for (size_t i = 0; i < count; i++) {
        ret_steps->steps[i] = (uint8_t)compare(element(before, i), element(after, i));
    }
    ret_steps->n_steps = count;
}

void fx_align_next(struct fx_align *align, const struct fx_align_side *before,
                   const struct fx_align_side *after, struct fx_align_steps *ret_steps) {
    const size_t rest_before = before->end - before->at;
    const size_t rest_after = after->end - after->at;
    size_t n = rest_before < FX_ALIGN_WINDOW ? rest_before : FX_ALIGN_WINDOW;
    size_t m = rest_after < FX_ALIGN_WINDOW ? rest_after : FX_ALIGN_WINDOW;
    if (n == 0 || m == 0) {
        repeat(ret_steps, n == 0 ? FX_ALIGN_ADD : FX_ALIGN_REMOVE, n + m);
        return;
    }
    const size_t kept = count_equal(before, after, n < m ? n : m);
    if (kept > 0) {
        repeat(ret_steps, FX_ALIGN_KEEP, kept);
        return;
    }
    if (n * m > align->budget) {
        pair_by_place(before, after, n < m ? n : m, ret_steps);
        return;
    }
    align->budget -= n * m;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            align->pair[i][j] = (uint8_t)compare(element(before, i), element(after, j));
        }
    }
    fill(align, n, m);
    if (n < rest_before || m < rest_after) {
        best_stop(align, &n, &m);
    }
    trace(align, n, m, ret_steps);
}
