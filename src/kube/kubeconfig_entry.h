/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/kubeconfig_entry.h - the entries of a kubeconfig's lists, their fields, and words
 * that name both (inside this room only).
 */
#ifndef FX_KUBE_KUBECONFIG_ENTRY_H
#define FX_KUBE_KUBECONFIG_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "value/marks.h"

/* A kubeconfig that was read. */
struct fx_kubeconfig {
    const char *file; /* for words; borrowed */
    json_t *root;     /* counted; an object */
    struct fx_marks marks;
};

/* A set of fields: `clusters[1].cluster`, or the whole file. Borrowed. */
struct fx_kubeconfig_entry {
    const struct fx_kubeconfig *kubeconfig;
    const json_t *fields; /* an object; NULL: none */
    const json_t *around; /* where a field would be that is missing; null has no place */
    const json_t *beyond; /* what that is in */
    const char *list;     /* "clusters"; NULL: the file itself */
    const char *item;     /* "cluster" */
    size_t index;
};

/* The file itself. */
struct fx_kubeconfig_entry fx_kubeconfig_top(const struct fx_kubeconfig *kubeconfig);

/* The fields under `item` of the one entry of `list` that has the name. Errors:
 * FX_EINVALID where there is none, more than one (client-go refuses duplicates, too), or
 * something is of another type. */
bool fx_kubeconfig_find(const struct fx_kubeconfig *kubeconfig, const char *list,
                        const char *item, struct fx_text name,
                        struct fx_kubeconfig_entry *ret_entry,
                        struct fx_err *err) FX_MUST_USE;

/* The field's text; empty where it is missing, null or empty: for client-go that is the
 * same. Errors: FX_EINVALID where it is no string, or holds a NUL. */
bool fx_kubeconfig_string(const struct fx_kubeconfig_entry *entry, const char *field,
                          struct fx_text *ret_text, struct fx_err *err) FX_MUST_USE;

/* The field's truth; false where it is missing or null. Errors: FX_EINVALID. */
bool fx_kubeconfig_bool(const struct fx_kubeconfig_entry *entry, const char *field,
                        bool *ret_value, struct fx_err *err) FX_MUST_USE;

/* Is there anything in the field: no null, and not empty? */
bool fx_kubeconfig_has(const struct fx_kubeconfig_entry *entry, const char *field);

/* Puts `FILE:LINE:COLUMN: clusters[1].cluster.FIELD: ` before the error, as far as it is
 * known. Always false. */
bool fx_kubeconfig_add_position(const struct fx_kubeconfig_entry *entry,
                                const char *field, struct fx_err *err);

#endif
