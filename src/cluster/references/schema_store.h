/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/schema_store.h - the API server's list of OpenAPI documents, and the
 * schemas of those that were read. The caller locks. Private to this room. Pure.
 */
#ifndef FX_CLUSTER_REFERENCES_SCHEMA_STORE_H
#define FX_CLUSTER_REFERENCES_SCHEMA_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "engine/schemas.h"

/* Zeroed is empty. A document has the name of its path in the list: "apis/apps/v1". */
struct fx_schema_store {
    json_t *list;           /* the last answer; NULL: none */
    uint64_t list_until_ns; /* when it is read again */
    uint64_t none_until_ns; /* when it is read again for a document that it does not have:
                             * earlier, as a definition may be new */
    struct fx_kept_schemas {
        char *name;
        char *hash;       /* as in the list; empty: to be fetched */
        bool fetch_again; /* with the next list, as the last fetch failed */
        struct fx_schema_catalog *catalog; /* NULL: none was read */
        uint64_t used_ns;
    } *items;
    size_t n_items, cap_items;
};

void fx_schema_store_finish(struct fx_schema_store *store);

/* Must the list be read again before the document can be looked up? */
bool fx_schema_store_needs_list(const struct fx_schema_store *store, const char *name,
                                uint64_t now_ns);

/* Finds the schemas of a document. WAIT: the list has to be read, if
 * fx_schema_store_needs_list(), else the document. FAILED: there are none. */
enum fx_lookup fx_schema_store_find(struct fx_schema_store *store, const char *name,
                                    uint64_t now_ns,
                                    struct fx_schema_catalog **ret_catalog,
                                    struct fx_err *err);

/* Keeps the list. NULL: it could not be read, and the previous one stays. */
void fx_schema_store_keep_list(struct fx_schema_store *store, json_t *list,
                               uint64_t now_ns);

/* Keeps what was read of a document. NULL: it could not be read, and the previous catalog
 * stays. If there are too many, the one that was not used for the longest time is
 * dropped. False without memory. */
bool fx_schema_store_keep(struct fx_schema_store *store, const char *name,
                          struct fx_schema_catalog *catalog_take,
                          uint64_t now_ns) FX_MUST_USE;

#endif
