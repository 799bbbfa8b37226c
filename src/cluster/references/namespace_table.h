/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/namespace_table.h - namespaces as short texts, sorted by name.
 * Private to this room. Pure.
 */
#ifndef FX_CLUSTER_REFERENCES_NAMESPACE_TABLE_H
#define FX_CLUSTER_REFERENCES_NAMESPACE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"

struct fx_namespace_entry; /* one of them */

/* Zeroed is empty. */
struct fx_namespace_table {
    struct fx_namespace_entry **items;
    size_t n_items, cap_items;
};

void fx_namespace_table_finish(struct fx_namespace_table *spaces);

/* Adds or replaces: the name and labels of the object (a Namespace, or its metadata
 * alone). False without memory. */
bool fx_namespace_table_put(struct fx_namespace_table *spaces,
                            const json_t *object) FX_MUST_USE;

void fx_namespace_table_remove(struct fx_namespace_table *spaces, struct fx_text name);

/* What is known of the namespace of that name, copied to `ret_space` (free() it). False
 * where it is not there, or (`*ret_nomem`) without memory. */
bool fx_namespace_table_copy(const struct fx_namespace_table *spaces, struct fx_text name,
                             struct fx_namespace_entry **ret_space,
                             bool *ret_nomem) FX_MUST_USE;

/* A new Namespace object of its name and labels; NULL without memory. */
json_t *fx_namespace_entry_object(const struct fx_namespace_entry *space) FX_MUST_USE;

/* The same of an object that was just read; NULL without memory. */
json_t *fx_namespace_reduce(const json_t *object) FX_MUST_USE;

#endif
