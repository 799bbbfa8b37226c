/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/quarantine.c - the list of members, and whether two policies are the same.
 */
#include "engine/quarantine.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/policy_text.h"
#include "value/equal.h"
#include "value/tree.h"

static const char *const reason_texts[] = {
#define X(name, text) [FX_FAILURE_##name] = text,
    FX_FAILURE_REASONS(X)
#undef X
};

void fx_quarantined_print(struct fx_buf *buf, const struct fx_quarantined *member) {
    fx_buf_printf(buf, "quarantined after %u failures in a row, the last one because %s",
                  (unsigned)member->times, reason_texts[member->reason]);
}

/* Compares two values; either may be NULL. */
static bool are_equal(const json_t *a, const json_t *b) {
    return a == b || (a != NULL && b != NULL && fx_equal(a, b));
}

static const json_t *view_uid(const json_t *source) {
    return fx_tree_view_key(fx_tree_view_key(source, "metadata"), "uid");
}

/* Returns false without memory. Then a member leaves the quarantine, and returns after
 * its next failures. */
static bool is_same_policy(const struct fx_policy_text *a,
                           const struct fx_policy_text *b) {
    if (fx_policy_text_equal(a, b)) {
        return true;
    }
    json_t *left = fx_policy_text_read(a);
    json_t *right = fx_policy_text_read(b);
    const bool same =
        left != NULL && right != NULL && are_equal(view_uid(left), view_uid(right)) &&
        are_equal(fx_tree_view_key(left, "spec"), fx_tree_view_key(right, "spec"));
    json_decref(left);
    json_decref(right);
    return same;
}

bool fx_quarantine_is_same(const struct fx_mutator *a, const struct fx_mutator *b) {
    /* A rule without a policy of its own is linked: the units that it was made of may
     * have changed. */
    return a == b || (a->policy != NULL && fx_mutator_compare(a, b) == 0 &&
                      is_same_policy(a->policy, b->policy));
}

static int compare_member(const void *mutator, const void *element) {
    struct fx_mutator *const *other = element;
    return fx_mutator_compare(mutator, *other);
}

bool fx_quarantine_find(const struct fx_quarantined *member,
                        struct fx_mutator *const *mutators, size_t n_mutators,
                        size_t *ret_index) {
    struct fx_mutator *const *found =
        bsearch(member->mutator, mutators, n_mutators, sizeof(struct fx_mutator *),
                compare_member);
    if (found == NULL || !fx_quarantine_is_same(*found, member->mutator)) {
        return false;
    }
    *ret_index = (size_t)(found - mutators);
    return true;
}

struct fx_quarantine *fx_quarantine_create(size_t room) {
    struct fx_quarantine *made =
        calloc(1, sizeof *made + room * sizeof(struct fx_quarantined));
    if (made != NULL) {
        atomic_init(&made->refs, 1);
    }
    return made;
}

void fx_quarantine_add(struct fx_quarantine *quarantine,
                       const struct fx_quarantined *member) {
    quarantine->members[quarantine->n_members] = *member;
    (void)fx_mutator_ref(member->mutator);
    quarantine->n_members++;
}

bool fx_quarantine_has(const struct fx_quarantine *quarantine,
                       const struct fx_mutator *mutator) {
    for (size_t i = 0; i < quarantine->n_members; i++) {
        if (fx_mutator_compare(quarantine->members[i].mutator, mutator) == 0) {
            return true;
        }
    }
    return false;
}

struct fx_quarantine *fx_quarantine_ref(struct fx_quarantine *quarantine) {
    if (quarantine != NULL) {
        (void)atomic_fetch_add_explicit(&quarantine->refs, 1, memory_order_relaxed);
    }
    return quarantine;
}

void fx_quarantine_unref(struct fx_quarantine *quarantine) {
    if (quarantine == NULL ||
        atomic_fetch_sub_explicit(&quarantine->refs, 1, memory_order_acq_rel) != 1) {
        return;
    }
    for (size_t i = 0; i < quarantine->n_members; i++) {
        fx_mutator_unref(quarantine->members[i].mutator);
    }
    free(quarantine);
}
