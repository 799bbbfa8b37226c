/* SPDX-License-Identifier: Apache-2.0
 *
 * value/patch_align.c - aligns two lists by the cheapest edit script (Wagner and Fischer,
 * 1974). The merge keys of Kubernetes decide which elements are the same thing.
 */
#include "value/patch_internal.h"

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

/* A window that does not reach the end of both lists may stop where one of its sides
 * ends. Then each unused element of the other side costs this much. It is more than half
 * of COST_ONE, so that different elements are replaced and not all removed. It is less
 * than COST_ONE, so that after a shift a surplus element is left for the next window. */
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

/* The merge keys of the Kubernetes types. Those that distinguish mounts, owners and
 * devices of the same name come first. */
#define MERGE_KEYS(X) \
    X(mountPath)      \
    X(devicePath)     \
    X(uid)            \
    X(name)           \
    X(key)            \
    X(containerPort)  \
    X(port)           \
    X(ip)             \
    X(topologyKey)    \
    X(id)             \
    X(type)

#define X(key) #key,
const char *const fx_patch_merge_keys[] = {MERGE_KEYS(X) NULL};
#undef X

/* A bit for each length that a merge key has. */
#define X(key) | 1u << (sizeof #key - 1)
enum { LENGTHS = 0u MERGE_KEYS(X) };
#undef X

#define N_KEYS (FX_COUNT(fx_patch_merge_keys) - 1)

/* In an object of at most so many members each key is compared with the merge keys. In a
 * larger one the merge keys are looked up. */
#define FEW_MEMBERS 32u

/* Returns the bit of the merge key; 0 for any other key. */
static unsigned key_bit(void *iter) {
    const size_t len = json_object_iter_key_len(iter);
    if (len > 31 || ((unsigned)LENGTHS >> len & 1u) == 0) {
        return 0;
    }
    const struct fx_text key = {json_object_iter_key(iter), len};
    for (unsigned i = 0; i < N_KEYS; i++) {
        if (key.data[0] == fx_patch_merge_keys[i][0] &&
            fx_text_is(key, fx_patch_merge_keys[i])) {
            return 1u << i;
        }
    }
    return 0;
}

static void note_key(struct fx_align_identity *identity, unsigned bit,
                     const json_t *value) {
    if ((identity->keys & (bit - 1)) == 0) {
        identity->value = value; /* the first merge key so far */
    }
    identity->keys |= bit;
}

static struct fx_align_identity identify(const json_t *element) {
    struct fx_align_identity identity = {0};
    if (json_object_size(element) > FEW_MEMBERS) {
        for (unsigned i = 0; i < N_KEYS; i++) {
            const json_t *value = fx_tree_view_key(element, fx_patch_merge_keys[i]);
            if (value != NULL) {
                note_key(&identity, 1u << i, value);
            }
        }
        return identity;
    }
    void *iter = json_is_object(element) ? fx_node_first(element) : NULL;
    for (; iter != NULL; iter = fx_node_next(element, iter)) {
        const unsigned bit = key_bit(iter);
        if (bit != 0) {
            note_key(&identity, bit, json_object_iter_value(iter));
        }
    }
    return identity;
}

/* An element and its identity. */
struct align_element {
    const json_t *node;
    const struct fx_align_identity *identity;
};

/* Returns the value of the merge key with that bit. The element has this key. */
static const json_t *value_of(const struct align_element *element, unsigned bit) {
    const unsigned keys = element->identity->keys;
    return (keys & (0u - keys)) == bit
               ? element->identity->value
               : fx_tree_view_key(element->node, fx_patch_merge_keys[__builtin_ctz(bit)]);
}

/* Compares the first merge key that both objects have; without such a key, returns
 * `otherwise`. */
static bool is_same_thing(const struct align_element *a, const struct align_element *b,
                          bool otherwise) {
    const unsigned both = a->identity->keys & b->identity->keys;
    const unsigned first = both & (0u - both);
    return both == 0 ? otherwise : fx_equal(value_of(a, first), value_of(b, first));
}

static enum fx_align_step compare_elements(const struct align_element *a,
                                           const struct align_element *b) {
    if (json_is_object(a->node) && json_is_object(b->node) &&
        !is_same_thing(a, b, true)) {
        return FX_ALIGN_REPLACE;
    }
    if (fx_equal(a->node, b->node)) {
        return FX_ALIGN_KEEP;
    }
    const bool is_alike = (json_is_array(a->node) && json_is_array(b->node)) ||
                          (json_is_object(a->node) && json_is_object(b->node));
    return is_alike ? FX_ALIGN_EDIT : FX_ALIGN_REPLACE;
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

/* Computes cost[i][j], the lowest cost for the first i and j elements. */
static void fill_costs(struct fx_align *align, size_t n, size_t m) {
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

/* Finds the best end, on its lower or right edge, of a window that is not the last
 * one. */
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

/* Returns the last step of the cheapest way to (i, j). */
static enum fx_align_step last_step(const struct fx_align *align, size_t i, size_t j) {
    const unsigned cost = align->cost[i][j];
    if (i > 0 && j > 0 &&
        align->cost[i - 1][j - 1] + pair_cost(align->pair[i - 1][j - 1]) == cost) {
        return (enum fx_align_step)align->pair[i - 1][j - 1];
    }
    return i > 0 && align->cost[i - 1][j] + COST_ONE == cost ? FX_ALIGN_REMOVE
                                                             : FX_ALIGN_ADD;
}

/* Collects the steps from (i, j) back to the start, and reverses them. */
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

/* A window: n elements of one list, and m elements of the other. */
struct align_window {
    struct fx_align *align;
    const struct fx_align_side *before, *after;
    size_t n, m;
};

static struct align_element before_at(const struct align_window *window, size_t i) {
    return (struct align_element){element(window->before, i), &window->align->before[i]};
}

static struct align_element after_at(const struct align_window *window, size_t j) {
    return (struct align_element){element(window->after, j), &window->align->after[j]};
}

static void identify_all(const struct align_window *window) {
    for (size_t i = 0; i < window->n; i++) {
        window->align->before[i] = identify(element(window->before, i));
    }
    for (size_t j = 0; j < window->m; j++) {
        window->align->after[j] = identify(element(window->after, j));
    }
}

/* Pairs elements by index. This is used if it is known to be best, or if the budget does
 * not allow more. */
static void pair_by_index(const struct align_window *window,
                          struct fx_align_steps *ret_steps) {
    const size_t count = window->n < window->m ? window->n : window->m;
    for (size_t i = 0; i < count; i++) {
        const struct align_element a = before_at(window, i);
        const struct align_element b = after_at(window, i);
        ret_steps->steps[i] = (uint8_t)compare_elements(&a, &b);
    }
    ret_steps->n_steps = count;
}

/* Is it certain that no element of `before` is the same thing? */
static bool is_new(const struct align_window *window, const struct align_element *thing) {
    size_t i = 0;
    while (i < window->n) {
        const struct align_element old = before_at(window, i);
        if (is_same_thing(&old, thing, true)) {
            return false;
        }
        i++;
    }
    return true;
}

/* Answers fx_align_is_by_index() for a window. Identifies no more elements than
 * necessary. */
static bool is_paired_by_index(const struct align_window *window) {
    struct fx_align *align = window->align;
    if (window->n > window->m) {
        return false;
    }
    for (size_t i = 0; i < window->n; i++) {
        const struct align_element a = before_at(window, i);
        const struct align_element b = after_at(window, i);
        align->before[i] = identify(a.node);
        align->after[i] = identify(b.node);
        if (!is_same_thing(&a, &b, false)) {
            return false;
        }
    }
    for (size_t j = window->n; j < window->m; j++) {
        const struct align_element thing = after_at(window, j);
        align->after[j] = identify(thing.node);
        if (!is_new(window, &thing)) {
            return false;
        }
    }
    return true;
}

bool fx_align_is_by_index(struct fx_align *align, const struct fx_align_side *before,
                          const struct fx_align_side *after) {
    const size_t n = before->end - before->at;
    const size_t m = after->end - after->at;
    const struct align_window window = {align, before, after, n, m};
    return m <= FX_ALIGN_WINDOW && is_paired_by_index(&window);
}

/* Compares each element of one list with each of the other. */
static void compare_all(const struct align_window *window) {
    for (size_t i = 0; i < window->n; i++) {
        const struct align_element a = before_at(window, i);
        for (size_t j = 0; j < window->m; j++) {
            const struct align_element b = after_at(window, j);
            window->align->pair[i][j] = (uint8_t)compare_elements(&a, &b);
        }
    }
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
    const struct align_window window = {align, before, after, n, m};
    const bool is_whole = n == rest_before && m == rest_after;
    const bool is_paired = (n == m || is_whole) && is_paired_by_index(&window);
    if (!is_paired) {
        identify_all(&window);
    }
    if (is_paired || n * m > align->budget) {
        pair_by_index(&window, ret_steps);
        return;
    }
    align->budget -= n * m;
    compare_all(&window);
    fill_costs(align, n, m);
    if (!is_whole) {
        best_stop(align, &n, &m);
    }
    trace(align, n, m, ret_steps);
}
