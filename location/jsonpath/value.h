/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/value.h - private: values during an evaluation, and the evaluation
 * itself.
 *
 * Values are neither counted nor copied: they point into the object, the program or the
 * run's arena, and all of these outlive them.
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

enum path_value_kind {
    VALUE_UNDEFINED,
    VALUE_NODE,    /* a node of the object, or true, false, null */
    VALUE_NUMBER,  /* a double, which may be infinite or NaN */
    VALUE_INTEGER, /* a literal: like a double, but exact */
    VALUE_COUNT,   /* the result of length(): an integer that equals no double */
    VALUE_TEXT,
    VALUE_DATE,
    VALUE_LIST,
    VALUE_MAP,
};

struct path_value {
    enum path_value_kind kind;
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

/* The key or index that a branching step selected on the way to a value. */
struct key_part {
    const struct expression_node *step;
    bool is_index;
    size_t index;
    struct fx_text key;
};

/* The key parts of a value, for the placeholders in the key of an object. */
struct key_parts {
    const struct expression_node *path;
    struct key_part *parts;
    size_t n_parts, cap_parts;
};

/* One evaluation. */
struct path_run {
    const struct fx_jsonpath *program;
    json_t *root; /* $ */
    struct fx_err *err;
    bool is_over;    /* out of memory, or over a limit: the evaluation ends */
    unsigned quiet;  /* > 0: a failure only ends a branch, and its message is not used */
    unsigned frames; /* nested calls */
    struct fx_bound outer; /* the bound of the thread's budget before this evaluation */
    const struct key_parts *way; /* key parts for placeholders, or NULL */
    struct {
        struct fx_text text;
        struct fx_regex *regex;                    /* NULL if the text is not a pattern */
    } patterns[FX_LIMIT_JSONPATH_OBJECT_PATTERNS]; /* patterns from the object */
    size_t n_patterns;
    struct fx_arena arena;
};

/* ---- evaluate.c ------------------------------------------------------------------ */

#define RUN_BLOCK_BYTES 1536 /* enough for a small evaluation */

/* Starts an evaluation whose first memory is `block`, of RUN_BLOCK_BYTES, aligned for
 * any type. Until fx_jsonpath_run_finish() it may spend FX_LIMIT_JSONPATH_STEPS units
 * of the thread's budget (base/budget.h). */
void fx_jsonpath_run_init(struct path_run *run, const struct fx_jsonpath *program,
                          json_t *root, void *block, struct fx_err *err);
void fx_jsonpath_run_finish(struct path_run *run);

/* Fails with FX_EMUTATE and the span of the node. Always false. No message is made
 * while run->quiet. */
#define FX_JSONPATH_FAIL(run, node, ...) \
    ((run)->quiet == 0 &&                \
     fx_fail_at((run)->err, FX_EMUTATE, (node)->off, (node)->len, __VA_ARGS__))

/* Spends budget units. False, with FX_ELIMIT or FX_EDEADLINE, if the budget is
 * exceeded. */
bool fx_jsonpath_fail_exceeded(struct path_run *run);

static inline bool fx_jsonpath_spend(struct path_run *run, size_t units) {
    return fx_spend(units) || fx_jsonpath_fail_exceeded(run);
}

/* Enters a nested call. False, with FX_ELIMIT, if there are too many. */
bool fx_jsonpath_enter(struct path_run *run) FX_MUST_USE;
static inline void fx_jsonpath_leave(struct path_run *run) {
    run->frames--;
}

/* Allocates memory that lives until the end of the run. Returns NULL with FX_ENOMEM or
 * FX_ELIMIT. */
void *fx_jsonpath_alloc(struct path_run *run, size_t bytes) FX_MUST_USE;

/* Makes room for one more item of `size` bytes in a full array: see fx_arena_grown(). */
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

/* A number: the double and, for an integer, its exact value. */
struct number {
    double real;
    bool is_exact;
    int64_t integer;
};

/* Converts a number, a numeric text, or undefined, which gives NaN (spec section 7.2). */
bool fx_jsonpath_as_number(const struct path_value *value,
                           struct number *ret_number) FX_MUST_USE;

/* Returns a negative number, 0 or a positive one. *ret_ordered is false if a number is
 * NaN. */
int fx_jsonpath_compare_numbers(const struct number *a, const struct number *b,
                                bool *ret_ordered);

/* Converts as Go's int64(x) does on common machines: a number that does not fit gives
 * the least integer. */
int64_t fx_jsonpath_truncate(double number);

bool fx_jsonpath_is_list(const struct path_value *value, size_t *ret_count);
struct path_value fx_jsonpath_list_at(const struct path_value *list, size_t index);

/* fx_jsonpath_members() gets the members of a map, sorted by key. False if the run is
 * over. */
bool fx_jsonpath_is_map(const struct path_value *value);
bool fx_jsonpath_members(struct path_run *run, const struct path_value *value,
                         const struct value_map **ret_map) FX_MUST_USE;
size_t fx_jsonpath_map_size(const struct path_value *map);
/* Gets a member. False if it does not exist, or the run is over. */
bool fx_jsonpath_map_find(struct path_run *run, const struct path_value *map,
                          struct fx_text key, struct path_value *ret_value) FX_MUST_USE;

bool fx_jsonpath_append(struct path_run *run, struct value_list *list,
                        const struct path_value *value) FX_MUST_USE;

/* Returns the name of the type with an article: "a list". */
const char *fx_jsonpath_type_name(const struct path_value *value);

/* Compares deeply (spec section 7.2): types must be equal. Returns false with
 * run->is_over if the run ends. */
bool fx_jsonpath_equal(struct path_run *run, const struct path_value *a,
                       const struct path_value *b);

/* ---- value_text.c ---------------------------------------------------------------- */

/* Gets the text of %v (spec section 4), in the memory of the run or of the value. */
bool fx_jsonpath_text(struct path_run *run, const struct path_value *value,
                      struct fx_text *ret_text) FX_MUST_USE;

/* Returns a new reference to the value as JSON (see struct fx_jsonpath_result), or NULL
 * if the run is over. */
json_t *fx_jsonpath_json(struct path_run *run,
                         const struct path_value *value) FX_MUST_USE;

/* ---- eval.c ---------------------------------------------------------------------- */

/* Evaluates a node. `current` is the value of @. */
bool fx_jsonpath_eval_node(struct path_run *run, const struct expression_node *node,
                           const struct path_value *current,
                           struct path_value *ret_value) FX_MUST_USE;

/* ---- operate.c ------------------------------------------------------------------- */

bool fx_jsonpath_operate(struct path_run *run, const struct expression_node *infix,
                         const struct path_value *left, const struct path_value *right,
                         struct path_value *ret_value) FX_MUST_USE;
bool fx_jsonpath_prefix(struct path_run *run, const struct expression_node *prefix,
                        const struct path_value *operand,
                        struct path_value *ret_value) FX_MUST_USE;

bool fx_jsonpath_call(struct path_run *run, const struct expression_node *call,
                      const struct path_value *argument,
                      struct path_value *ret_value) FX_MUST_USE;

/* ---- walk.c ---------------------------------------------------------------------- */

/* A walk along a path. `found` is called for each value that the path selects; false
 * ends the walk. */
struct path_walk {
    struct path_run *run;
    struct key_parts way;
    bool keeps_way;
    bool (*found)(struct path_walk *walk, const struct path_value *value);
    void *user;
};

/* Calls walk->found for all values of the path. Branches that fail are skipped. False
 * only if the run is over, or if `found` returned false. */
bool fx_jsonpath_walk(struct path_walk *walk, const struct expression_node *path,
                      const struct path_value *current) FX_MUST_USE;

/* Evaluates the path to one value, or to the list of the values that it selects. */
bool fx_jsonpath_eval_path(struct path_run *run, const struct expression_node *path,
                           const struct path_value *current,
                           struct path_value *ret_value) FX_MUST_USE;

#endif
