/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/foreach_internal.h - private: a foreach as compiled.
 */
#ifndef FX_KYVERNO_FOREACH_INTERNAL_H
#define FX_KYVERNO_FOREACH_INTERNAL_H

#include "context_entries.h"
#include "foreach.h"
#include "preconditions.h"

struct foreach_entry {
    struct fx_text list_text;
    struct fx_jmespath *list; /* NULL: it does not compile; `fault` says why */
    char *fault;
    bool is_descending;
    struct kyverno_context_entries *context;     /* or NULL */
    struct kyverno_preconditions *preconditions; /* or NULL */
    struct kyverno_patch *patch;                 /* one of the two */
    struct kyverno_foreach *nested;
};

struct kyverno_foreach {
    struct foreach_entry *entries;
    size_t n;
    const struct kyverno_patch_ops *ops;
};

#endif
