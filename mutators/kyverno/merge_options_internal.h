/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/merge_options_internal.h - private: the places of lists as a tree.
 */
#ifndef FX_KYVERNO_MERGE_OPTIONS_INTERNAL_H
#define FX_KYVERNO_MERGE_OPTIONS_INTERNAL_H

#include <stddef.h>

#include "base/text.h"
#include "merge_options.h"

/* A step of a path. Elements of lists have no step: the fields of an element are below
 * the list. */
struct kyverno_merge_place {
    struct fx_text name;
    struct kyverno_merge_place *below; /* the first one */
    struct kyverno_merge_place *next;  /* beside this one */
    bool appends;                      /* elements are appended unless they are there */
    struct fx_text *keys;              /* or merged by these keys */
    size_t n_keys;
};

struct kyverno_merge_options {
    struct kyverno_merge_place root;
    bool has_wildcards;
};

#endif
