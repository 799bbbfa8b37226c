/* SPDX-License-Identifier: Apache-2.0
 *
 * merge/typed_internal.h - private: paths, keys of list items, and the parts of
 * fx_typed_merge().
 */
#ifndef FX_MERGE_TYPED_INTERNAL_H
#define FX_MERGE_TYPED_INTERNAL_H

#include "merge/typed.h"

/* The way to a node, from the node up: each step is on the stack of its caller. */
struct typed_path {
    const struct typed_path *above; /* NULL: the step below the root */
    enum typed_step {
        TYPED_FIELD, /* .name */
        TYPED_INDEX, /* [0] */
        TYPED_ITEM,  /* [name="a"]: the keys of `item` */
        TYPED_VALUE, /* [="x"] */
    } step;
    struct fx_text name;
    size_t index;
    struct fx_schema list; /* of TYPED_ITEM */
    const json_t *item;    /* of TYPED_ITEM and TYPED_VALUE */
};

/* A walk over a tree with its schema, which collects messages. */
struct typed_walk {
    bool is_live; /* the tree is the live object, not a configuration */
    struct fx_arena *arena;
    struct fx_buf *messages; /* lines: "  .path: text", each after a newline */
    size_t n_messages;       /* with those that are not shown */
    size_t n_shown;
    bool failed; /* no memory, or the budget is exceeded */
};

/* Are there so many messages that further ones are only counted? */
bool fx_typed_is_full(const struct typed_walk *walk);

/* Adds "path: text"; the steps of `path` are the way to the node. */
FX_PRINTF(3, 4)
void fx_typed_report(struct typed_walk *walk, const struct typed_path *path,
                     const char *fmt, ...);

void fx_typed_print_path(struct fx_buf *buf, const struct typed_path *path);

/* The Go type of a node that stands for a value that JSON does not have; else NULL. */
const char *fx_typed_foreign_type(const json_t *node);

/* What an unknown type means for this value: a scalar, an atomic list, or a map of values
 * of unknown type. Other types are themselves. */
enum fx_schema_type fx_typed_type(struct fx_schema schema, const json_t *node);

/* The schema of a member of a struct or map; `set` NULL: it is not declared. */
struct fx_schema fx_typed_member(struct fx_schema schema, struct fx_text name);

/* The schema of the elements of a list, also of one of unknown type. */
struct fx_schema fx_typed_element(struct fx_schema list);

/* Checks the parts of the live object that the configuration is merged with. */
void fx_typed_check_live(struct typed_walk *walk, struct fx_schema schema,
                         const json_t *live, const json_t *patch,
                         const struct typed_path *path);

/* Checks the tree against the schema and reports each mistake (typed_check.c). */
void fx_typed_check(struct typed_walk *walk, struct fx_schema schema, const json_t *node,
                    const struct typed_path *path);

/* Reports the path of each atomic list, map or struct in the tree, without a text. */
void fx_typed_find_atomics(struct typed_walk *walk, struct fx_schema schema,
                           const json_t *node, const struct typed_path *path);

/* ---- items of sets and of lists with keys (typed_items.c) -------------------------- */

/* Has the element a key? */
bool fx_typed_has_key(struct fx_schema list, const json_t *item);

/* Appends why the element has no key. False if it has one. */
bool fx_typed_print_item_fault(struct fx_buf *buf, struct fx_schema list,
                               const json_t *item);

/* Gives each item a number, the same to items of the same key, from 0. `ret_numbers` has
 * room for n_a + n_b numbers: those of `a`, then those of `b`. False without memory or if
 * the thread's budget is exceeded. */
bool fx_typed_number_items(struct fx_schema list, const json_t *a, const json_t *b,
                           struct fx_arena *arena, size_t *ret_numbers) FX_MUST_USE;

#endif
