/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/namespace_table.h - names and labels of namespaces as short texts,
 * sorted by name. Private to this room. Pure.
 */
#ifndef FX_CLUSTER_REFERENCES_NAMESPACE_TABLE_H
#define FX_CLUSTER_REFERENCES_NAMESPACE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"

struct fx_namespace_entry; /* opaque */

/* Zeroed is empty. */
struct fx_namespace_table {
    struct fx_namespace_entry **items;
    size_t n_items, cap_items;
};

void fx_namespace_table_finish(struct fx_namespace_table *table);

/* Adds or replaces the name and labels of the object (a Namespace, or its metadata
 * alone). False without memory. */
bool fx_namespace_table_put(struct fx_namespace_table *table,
                            const json_t *object) FX_MUST_USE;

void fx_namespace_table_remove(struct fx_namespace_table *table, struct fx_text name);

/* Copies the entry of that name to `*ret_entry` (free() it). False if there is none, or
 * (`*ret_nomem`) without memory. */
bool fx_namespace_table_copy(const struct fx_namespace_table *table, struct fx_text name,
                             struct fx_namespace_entry **ret_entry,
                             bool *ret_nomem) FX_MUST_USE;

/* A new Namespace object with the name and labels of the entry; NULL without memory. */
json_t *fx_namespace_entry_object(const struct fx_namespace_entry *entry) FX_MUST_USE;

/* A new Namespace object with the name and labels of `object`; NULL without memory. */
json_t *fx_namespace_reduce(const json_t *object) FX_MUST_USE;

#endif
