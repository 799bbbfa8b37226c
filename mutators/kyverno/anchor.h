/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/anchor.h - the marks of keys in the patches and patterns of a policy
 * (spec/kyverno.md section 9.1): "(name)" is a condition, "+(name)" is added if absent.
 */
#ifndef FX_KYVERNO_ANCHOR_H
#define FX_KYVERNO_ANCHOR_H

#include <stdbool.h>

#include <jansson.h>

#include "base/text.h"

/* In the order of the characters of their marks. */
enum kyverno_anchor {
    KYVERNO_ANCHOR_NONE,
    KYVERNO_ANCHOR_CONDITION, /* (k) */
    KYVERNO_ANCHOR_ADD,       /* +(k) */
    KYVERNO_ANCHOR_GLOBAL,    /* <(k) */
    KYVERNO_ANCHOR_EQUALITY,  /* =(k) */
    KYVERNO_ANCHOR_NEGATION,  /* X(k) */
    KYVERNO_ANCHOR_EXISTENCE, /* ^(k) */
    KYVERNO_ANCHOR_END,
};

struct kyverno_key {
    enum kyverno_anchor anchor;
    struct fx_text name; /* without the mark; a part of the key */
};

struct kyverno_key fx_kyverno_key(struct fx_text key);

/* Is it a condition, a global condition, or an addition? Only these have a meaning in a
 * patch outside of the value of a condition. */
bool fx_kyverno_is_patch_anchor(enum kyverno_anchor anchor);

/* Has the value such an anchor in it, at any depth, or a text in parentheses? Spends
 * from the thread's budget; false if that is exceeded. */
bool fx_kyverno_has_anchor(const json_t *value);

#endif
