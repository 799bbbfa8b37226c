/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/mutator.c - the head that all mutators share: names, counting, order.
 */
#include "engine/mutator.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/policy_text.h"

bool fx_mutator_init(struct fx_mutator *mutator, const struct fx_mutator_ops *ops,
                     struct fx_text group, struct fx_text kind, struct fx_text name,
                     const json_t *policy) {
    *mutator = (struct fx_mutator){
        .ops = ops,
        .group = fx_text_dup(group),
        .kind = fx_text_dup(kind),
        .name = fx_text_dup(name),
        .policy = policy == NULL ? NULL : fx_policy_text_create(policy),
    };
    atomic_init(&mutator->refs, 1);
    return mutator->group != NULL && mutator->kind != NULL && mutator->name != NULL &&
           (policy == NULL || mutator->policy != NULL);
}

void fx_mutator_share_policy(struct fx_mutator *mutator, struct fx_policy_text *policy) {
    if (fx_policy_text_equal(mutator->policy, policy)) {
        struct fx_policy_text *own = mutator->policy;
        mutator->policy = fx_policy_text_ref(policy);
        fx_policy_text_unref(own);
    }
}

void fx_mutator_finish(struct fx_mutator *mutator) {
    free(mutator->group);
    free(mutator->kind);
    free(mutator->name);
    free(mutator->origin.file);
    fx_policy_text_unref(mutator->policy);
    free(mutator->footprint);
    mutator->group = NULL;
    mutator->kind = NULL;
    mutator->name = NULL;
    mutator->origin = (struct fx_origin){0};
    mutator->policy = NULL;
    mutator->footprint = NULL;
}

struct fx_mutator *fx_mutator_ref(struct fx_mutator *mutator) {
    (void)atomic_fetch_add_explicit(&mutator->refs, 1, memory_order_relaxed);
    return mutator;
}

void fx_mutator_unref(struct fx_mutator *mutator) {
    if (mutator == NULL) {
        return;
    }
    /* The last one must see all that the others did before they let go. */
    const unsigned before =
        atomic_fetch_sub_explicit(&mutator->refs, 1, memory_order_acq_rel);
    assert(before > 0);
    if (before == 1) {
        mutator->ops->destroy(mutator);
    }
}

int fx_mutator_compare(const struct fx_mutator *a, const struct fx_mutator *b) {
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    int order = strcmp(a->group, b->group);
    if (order == 0) {
        order = strcmp(a->kind, b->kind);
    }
    return order != 0 ? order : strcmp(a->name, b->name);
}

void fx_mutator_print_id(struct fx_buf *buf, const struct fx_mutator *mutator) {
    fx_buf_printf(buf, "%s.%s /%s", mutator->kind, mutator->group, mutator->name);
}
