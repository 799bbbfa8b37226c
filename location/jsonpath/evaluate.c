/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/evaluate.c - one evaluation: its memory and limits, and its result, a
 * value or the matches of a path.
 */
#include "location/jsonpath/value.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/vec.h"

#define UNITS_OF_RUN 4u

void fx_jsonpath_run_init(struct path_run *run, const struct fx_jsonpath *program,
                          json_t *root, void *block, struct fx_err *err) {
    *run = (struct path_run){
        .program = program,
        .root = root,
        .err = err,
        .outer = fx_budget_narrow(FX_LIMIT_JSONPATH_STEPS, 0),
    };
    fx_arena_init_within(&run->arena, FX_LIMIT_JSONPATH_MEMORY, block, RUN_BLOCK_BYTES);
    (void)fx_spend(UNITS_OF_RUN); /* an exceeded budget is reported by the first step */
}

void fx_jsonpath_run_finish(struct path_run *run) {
    for (size_t i = 0; i < run->n_patterns; i++) {
        fx_regex_destroy(run->patterns[i].regex);
    }
    fx_arena_finish(&run->arena);
    (void)fx_budget_widen(run->outer);
}

bool fx_jsonpath_fail_exceeded(struct path_run *run) {
    run->is_over = true;
    if (fx_budget_exceeded() == FX_EXCEEDED_TIME ||
        fx_thread_budget.bound.units == run->outer.units) {
        return fx_fail_exceeded(run->err);
    }
    return fx_fail(run->err, FX_ELIMIT, "expression takes more than %u steps",
                   FX_LIMIT_JSONPATH_STEPS);
}

bool fx_jsonpath_enter(struct path_run *run) {
    if (run->frames >= FX_LIMIT_JSONPATH_FRAMES) {
        run->is_over = true;
        return fx_fail(run->err, FX_ELIMIT,
                       "expression and object together are too deep: more than %u levels",
                       FX_LIMIT_JSONPATH_FRAMES);
    }
    run->frames++;
    return true;
}

static bool fail_alloc(struct path_run *run, size_t bytes) {
    run->is_over = true;
    if (bytes <= run->arena.max - run->arena.total) {
        return fx_fail_nomem(run->err);
    }
    return fx_fail(run->err, FX_ELIMIT, "expression takes more than %u MiB",
                   FX_LIMIT_JSONPATH_MEMORY >> 20);
}

void *fx_jsonpath_alloc(struct path_run *run, size_t bytes) {
    void *piece = fx_arena_alloc(&run->arena, bytes);
    if (piece == NULL) {
        (void)fail_alloc(run, bytes);
    }
    return piece;
}

bool fx_jsonpath_grow(struct path_run *run, void *items, size_t *cap, size_t size) {
    return fx_arena_grown(&run->arena, items, cap, size) ||
           fail_alloc(run, fx_vec_bigger(*cap) * size);
}

/* ---- values ---------------------------------------------------------------------- */

void fx_jsonpath_result_finish(struct fx_jsonpath_result *result) {
    if (result == NULL) {
        return;
    }
    for (size_t i = 0; i < result->n_values; i++) {
        json_decref(result->values[i]);
    }
    free(result->values);
    *result = (struct fx_jsonpath_result){0};
}

/* Allocates the values of a result. */
static bool make_room(struct path_run *run, enum fx_jsonpath_shape shape, size_t count,
                      struct fx_jsonpath_result *ret_result) {
    *ret_result = (struct fx_jsonpath_result){.shape = shape};
    if (count == 0) {
        return true;
    }
    ret_result->values = malloc(count * sizeof(json_t *));
    return ret_result->values != NULL || fx_fail_nomem(run->err);
}

static bool add_value(struct path_run *run, const struct path_value *value,
                      struct fx_jsonpath_result *result) {
    json_t *node = NULL;
    if (value->kind != VALUE_UNDEFINED) {
        node = fx_jsonpath_json(run, value);
        if (node == NULL) {
            return false;
        }
    }
    result->values[result->n_values++] = node;
    return true;
}

static bool make_list(struct path_run *run, const struct path_value *list, size_t count,
                      struct fx_jsonpath_result *ret_result) {
    bool ok = make_room(run, FX_JSONPATH_LIST, count, ret_result);
    for (size_t i = 0; ok && i < count; i++) {
        const struct path_value entry = fx_jsonpath_list_at(list, i);
        ok = add_value(run, &entry, ret_result);
    }
    return ok;
}

static bool make_result(struct path_run *run, const struct path_value *value,
                        struct fx_jsonpath_result *ret_result) {
    size_t count = 0;
    if (value->kind == VALUE_UNDEFINED) {
        return make_room(run, FX_JSONPATH_UNDEFINED, 0, ret_result);
    }
    if (fx_jsonpath_is_list(value, &count)) {
        return make_list(run, value, count, ret_result);
    }
    return make_room(run, FX_JSONPATH_VALUE, 1, ret_result) &&
           add_value(run, value, ret_result);
}

bool fx_jsonpath_eval(const struct fx_jsonpath *path, json_t *root,
                      struct fx_jsonpath_result *ret_result, struct fx_err *err) {
    alignas(max_align_t) char block[RUN_BLOCK_BYTES];
    struct path_run run;
    fx_jsonpath_run_init(&run, path, root, block, err);
    const struct path_value none = fx_jsonpath_of_node(json_null());
    struct path_value value;
    struct fx_jsonpath_result result = {0};
    const bool ok =
        fx_jsonpath_eval_node(&run, &path->nodes[path->root], &none, &value) &&
        make_result(&run, &value, &result);
    if (ok) {
        *ret_result = result;
    } else {
        fx_jsonpath_result_finish(&result);
    }
    fx_jsonpath_run_finish(&run);
    return ok;
}

/* ---- matches --------------------------------------------------------------------- */

void fx_jsonpath_matches_finish(struct fx_jsonpath_matches *matches) {
    if (matches == NULL) {
        return;
    }
    for (size_t i = 0; i < matches->n_matches; i++) {
        json_decref(matches->matches[i].value);
    }
    free(matches->matches);
    *matches = (struct fx_jsonpath_matches){0};
}

/* A match; its key parts are in the memory of the run. */
struct found_node {
    struct path_value value;
    const struct key_part *parts;
    size_t n_parts;
};

struct found_nodes {
    struct found_node *items;
    size_t n_items, cap_items;
    size_t n_parts, key_bytes; /* sums over all matches */
};

static bool add_found(struct path_walk *walk, const struct path_value *value) {
    struct found_nodes *finding = walk->user;
    struct path_run *run = walk->run;
    const size_t n_parts = walk->way.n_parts;
    if (!fx_jsonpath_spend(run, 2 + n_parts)) {
        return false;
    }
    struct key_part *parts = fx_jsonpath_alloc(run, n_parts * sizeof *parts);
    if (parts == NULL || (finding->n_items == finding->cap_items &&
                          !fx_jsonpath_grow(run, &finding->items, &finding->cap_items,
                                            sizeof *finding->items))) {
        return false;
    }
    size_t bytes = 0;
    for (size_t i = 0; i < n_parts; i++) {
        parts[i] = walk->way.parts[i];
        bytes += parts[i].key.len;
    }
    finding->n_parts += n_parts;
    finding->key_bytes += bytes;
    finding->items[finding->n_items++] = (struct found_node){*value, parts, n_parts};
    return fx_jsonpath_spend(run, bytes / FX_BUDGET_BYTES);
}

/* The memory, after the matches, for the next key part and the next key. */
struct behind {
    struct fx_jsonpath_part *part;
    char *key;
};

static void put_parts(struct behind *behind, const struct found_node *found,
                      struct fx_jsonpath_match *match) {
    match->parts = behind->part;
    match->n_parts = found->n_parts;
    for (size_t i = 0; i < found->n_parts; i++) {
        const struct key_part *part = &found->parts[i];
        if (part->key.len > 0) {
            memcpy(behind->key, part->key.data, part->key.len);
        }
        *behind->part++ = (struct fx_jsonpath_part){
            part->is_index, part->index, {behind->key, part->key.len}};
        behind->key += part->key.len;
    }
}

/* Makes one block of memory of the matches, their key parts and the bytes of the keys. */
static bool make_matches(struct path_run *run, const struct found_nodes *finding,
                         struct fx_jsonpath_matches *ret_matches) {
    const size_t bytes = finding->n_items * sizeof(struct fx_jsonpath_match) +
                         finding->n_parts * sizeof(struct fx_jsonpath_part) +
                         finding->key_bytes;
    *ret_matches = (struct fx_jsonpath_matches){0};
    if (finding->n_items == 0) {
        return true;
    }
    ret_matches->matches = malloc(bytes);
    if (ret_matches->matches == NULL) {
        return fx_fail_nomem(run->err);
    }
    struct fx_jsonpath_part *parts =
        (struct fx_jsonpath_part *)(void *)(ret_matches->matches + finding->n_items);
    struct behind behind = {parts, (char *)(parts + finding->n_parts)};
    for (size_t i = 0; i < finding->n_items; i++) {
        struct fx_jsonpath_match *match = &ret_matches->matches[i];
        match->value = fx_jsonpath_json(run, &finding->items[i].value);
        if (match->value == NULL) {
            return false;
        }
        ret_matches->n_matches++;
        put_parts(&behind, &finding->items[i], match);
    }
    return true;
}

bool fx_jsonpath_find(const struct fx_jsonpath *path, json_t *root,
                      struct fx_jsonpath_matches *ret_matches, struct fx_err *err) {
    alignas(max_align_t) char block[RUN_BLOCK_BYTES];
    struct path_run run;
    fx_jsonpath_run_init(&run, path, root, block, err);
    const struct path_value none = fx_jsonpath_of_node(json_null());
    struct found_nodes finding = {0};
    struct path_walk walk = {
        .run = &run, .keeps_way = true, .found = add_found, .user = &finding};
    struct fx_jsonpath_matches matches = {0};
    const bool ok = fx_jsonpath_walk(&walk, &path->nodes[path->root], &none) &&
                    make_matches(&run, &finding, &matches);
    if (ok) {
        *ret_matches = matches;
    } else {
        fx_jsonpath_matches_finish(&matches);
    }
    fx_jsonpath_run_finish(&run);
    return ok;
}
