/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/value.h - values while an expression is evaluated, and the run they
 * belong to (inside this room only).
 *
 * Nothing is counted and nothing copied: a value points into the object, into the program
 * or into the run's arena, all of which outlive it.
 */
#ifndef FX_LOCATION_JSONPATH_VALUE_H
#define FX_LOCATION_JSONPATH_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/jsonpath/program.h"

struct fx_go_time;

enum value_kind {
    VALUE_UNDEFINED,
    VALUE_NODE,    /* of the object; also true, false and null, wherever they come from */
    VALUE_NUMBER,  /* a double, perhaps infinite or none */
    VALUE_INTEGER, /* a literal: the same as a double, but exact */
    VALUE_COUNT,   /* what length() gives: an integer that is equal to no double */
    VALUE_TEXT,
    VALUE_DATE,
    VALUE_LIST,
    VALUE_MAP,
};

struct path_value {
    enum value_kind kind;
    union {
        json_t *node;
        double number;
        int64_t integer; /* INTEGER and COUNT */
        struct fx_text text;
        const struct fx_go_time *date;
        const struct value_list *list;
        const struct value_map *map;
    } as;
};

struct value_list {
    struct path_value *values;
    size_t n_values, cap_values;
};

struct value_member {
    struct fx_text key;
    struct path_value value;
};

struct value_map {
    struct value_member *members; /* sorted by key, each key once */
    size_t n_members, cap_members;
};

/* A part of the way from the root to a value: what a branching step chose. */
struct key_part {
    const struct node *step;
    bool is_index;
    size_t index;
    struct fx_text key;
};

/* The way of a path's value, for the placeholders of an object's key. */
struct key_parts {
    const struct node *path;
    struct key_part *parts;
    size_t n_parts, cap_parts;
};

/* One evaluation. */
struct path_run {
    const struct fx_jsonpath *program;
    json_t *root; /* what $ is */
    struct fx_err *err;
    bool is_over;          /* no memory, or over a bound: nothing goes on */
    unsigned quiet;        /* > 0: failures only end a branch, nobody reads their words */
    unsigned frames;       /* calls in one another */
    struct fx_bound outer; /* of the thread's budget, before this evaluation */
    const struct key_parts *way; /* of the placeholders; NULL: none */
    struct {
        struct fx_text text;
        struct fx_regex *regex;                    /* NULL: the text is none */
    } patterns[FX_LIMIT_JSONPATH_OBJECT_PATTERNS]; /* from the object */
    size_t n_patterns;
    struct fx_arena arena;
};

/* ---- evaluate.c
 * ---------------------------------------------------------------------------
 */

#define RUN_BLOCK_BYTES 1536 /* memory of a small evaluation */

/* A run with its first memory in `block`, aligned for anything. Until it is finished, it
 * may spend FX_LIMIT_JSONPATH_STEPS units of the thread's budget (base/budget.h). */
void fx_jsonpath_run_init(struct path_run *run, const struct fx_jsonpath *program,
                          json_t *root, void *block, struct fx_err *err);
void fx_jsonpath_run_finish(struct path_run *run);

/* The expression fails on this object; the span is the node's. Always false. Where nobody
 * reads the words none are made. */
#define FX_JSONPATH_FAIL(run, node, ...) \
    ((run)->quiet == 0 &&                \
     fx_fail_at((run)->err, FX_EMUTATE, (node)->off, (node)->len, __VA_ARGS__))

/* Spends units; false where the budget is exceeded: FX_ELIMIT, or FX_EDEADLINE. */
bool fx_jsonpath_fail_exceeded(struct path_run *run);

static inline bool fx_jsonpath_spend(struct path_run *run, size_t units) {
    return fx_spend(units) || fx_jsonpath_fail_exceeded(run);
}

/* Enters a call within another; false (FX_ELIMIT) where there are too many. */
bool fx_jsonpath_enter(struct path_run *run) FX_MUST_USE;
static inline void fx_jsonpath_leave(struct path_run *run) {
    run->frames--;
}

/* Memory until the end of the run; NULL with FX_ENOMEM or FX_ELIMIT. */
void *fx_jsonpath_alloc(struct path_run *run, size_t bytes) FX_MUST_USE;

/* Room for one more of `size` bytes behind the *cap that are full, moving *items. */
bool fx_jsonpath_grow(struct path_run *run, void *items, size_t *cap,
                      size_t size) FX_MUST_USE;

/* ---- value.c --------------------------------------------------------------------- */

static inline struct path_value fx_jsonpath_of_node(json_t *node) {
    return (struct path_value){.kind = VALUE_NODE, .as.node = node};
}

struct path_value fx_jsonpath_of_bool(bool truth);
struct path_value fx_jsonpath_of_number(double number);

bool fx_jsonpath_is_null(const struct path_value *value);
bool fx_jsonpath_as_bool(const struct path_value *value, bool *ret_truth) FX_MUST_USE;
bool fx_jsonpath_as_text(const struct path_value *value,
                         struct fx_text *ret_text) FX_MUST_USE;

/* A number: a double and, where it is one, the exact integer. */
struct number {
    double real;
    bool is_exact;
    int64_t integer;
};

/* A number, a numeric text, or undefined, which is NaN (spec section 7.2). */
bool fx_jsonpath_as_number(const struct path_value *value,
                           struct number *ret_number) FX_MUST_USE;

/* Negative, 0, positive; *ret_ordered false where one of them is NaN. */
int fx_jsonpath_compare_numbers(const struct number *a, const struct number *b,
                                bool *ret_ordered);

/* What Go's int64(x) makes of it on common machines: the least integer for what does not
 * fit. */
int64_t fx_jsonpath_truncate(double number);

bool fx_jsonpath_is_list(const struct path_value *value, size_t *ret_count);
struct path_value fx_jsonpath_list_at(const struct path_value *list, size_t index);

/* Is it a map? Its members, sorted by key, where `ret_map` is not NULL: false then also
 * where the run is over. */
bool fx_jsonpath_is_map(const struct path_value *value);
bool fx_jsonpath_members(struct path_run *run, const struct path_value *value,
                         const struct value_map **ret_map) FX_MUST_USE;
size_t fx_jsonpath_map_size(const struct path_value *map);
/* False where it has no such member, or the run is over. */
bool fx_jsonpath_map_find(struct path_run *run, const struct path_value *map,
                          struct fx_text key, struct path_value *ret_value) FX_MUST_USE;

bool fx_jsonpath_append(struct path_run *run, struct value_list *list,
                        const struct path_value *value) FX_MUST_USE;

/* Its type in words, with an article: "a list". */
const char *fx_jsonpath_type_name(const struct path_value *value);

/* Deep equality (spec section 7.2): types must agree. False with run->is_over where the
 * run ends meanwhile. */
bool fx_jsonpath_equal(struct path_run *run, const struct path_value *a,
                       const struct path_value *b);

/* ---- value_text.c ---------------------------------------------------------------- */

/* The text of %v (spec section 4), in the run's memory or the value's own. */
bool fx_jsonpath_text(struct path_run *run, const struct path_value *value,
                      struct fx_text *ret_text) FX_MUST_USE;

/* A new reference to the value as JSON (jsonpath.h says what becomes of what JSON has no
 * word for); NULL where the run is over. */
json_t *fx_jsonpath_json(struct path_run *run,
                         const struct path_value *value) FX_MUST_USE;

/* ---- eval.c ---------------------------------------------------------------------- */

/* Evaluates a node. `current` is what @ means. */
bool fx_jsonpath_eval_node(struct path_run *run, const struct node *node,
                           const struct path_value *current,
                           struct path_value *ret_value) FX_MUST_USE;

/* The first child, or the next sibling, NULL where there is none. */
static inline const struct node *fx_jsonpath_first(const struct path_run *run,
                                                   const struct node *node) {
    return node->first == 0 ? NULL : &run->program->nodes[node->first];
}

static inline const struct node *fx_jsonpath_next(const struct path_run *run,
                                                  const struct node *node) {
    return node->next == 0 ? NULL : &run->program->nodes[node->next];
}

/* The same where there is one. */
static inline const struct node *fx_jsonpath_child(const struct path_run *run,
                                                   const struct node *node) {
    return &run->program->nodes[node->first];
}

static inline const struct node *fx_jsonpath_sibling(const struct path_run *run,
                                                     const struct node *node) {
    return &run->program->nodes[node->next];
}

/* ---- operate.c ------------------------------------------------------------------- */

bool fx_jsonpath_operate(struct path_run *run, const struct node *infix,
                         const struct path_value *left, const struct path_value *right,
                         struct path_value *ret_value) FX_MUST_USE;
bool fx_jsonpath_prefix(struct path_run *run, const struct node *prefix,
                        const struct path_value *operand,
                        struct path_value *ret_value) FX_MUST_USE;

bool fx_jsonpath_call(struct path_run *run, const struct node *call,
                      const struct path_value *argument,
                      struct path_value *ret_value) FX_MUST_USE;

/* ---- walk.c ---------------------------------------------------------------------- */

/* Called for each value that a path leads to; false ends the walk. */
struct path_walk {
    struct path_run *run;
    struct key_parts way;
    bool keeps_way;
    bool (*found)(struct path_walk *walk, const struct path_value *value);
    void *user;
};

/* Finds all values of the path. What fails within is passed over; false only where the
 * run is over, or `found` says so. */
bool fx_jsonpath_walk(struct path_walk *walk, const struct node *path,
                      const struct path_value *current) FX_MUST_USE;

/* Evaluates the path: one value, or the list of those that it leads to. */
bool fx_jsonpath_eval_path(struct path_run *run, const struct node *path,
                           const struct path_value *current,
                           struct path_value *ret_value) FX_MUST_USE;

#endif
