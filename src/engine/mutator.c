/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/mutator.c - the head that all mutators share: names, counting, order.
 */
#include "engine/mutator.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/access.h"
#include "engine/policy_text.h"

bool fx_mutator_init(struct fx_mutator *mutator, const struct fx_mutator_ops *ops,
                     struct fx_text group, struct fx_text kind, struct fx_text name,
                     const json_t *policy) {
    *mutator = (struct fx_mutator){
        .ops = ops,
        .group = fx_text_dup(group),
        .kind = fx_text_dup(kind),
        .full_name = fx_text_dup(name),
        .policy = policy == NULL ? NULL : fx_policy_text_create(policy),
    };
    mutator->name = mutator->full_name;
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

/* `name` is the end of `full_name`, in the same memory. */
bool fx_mutator_set_namespace(struct fx_mutator *mutator, struct fx_text namespace_) {
    assert(mutator->namespace_ == NULL);
    struct fx_buf full;
    fx_buf_init(&full, 0);
    fx_buf_text(&full, namespace_);
    fx_buf_char(&full, '/');
    const size_t at = full.len;
    fx_buf_str(&full, mutator->name);
    char *text = fx_buf_steal(&full);
    fx_buf_finish(&full);
    mutator->namespace_ = fx_text_dup(namespace_);
    if (text == NULL || mutator->namespace_ == NULL) {
        free(text);
        return false;
    }
    free(mutator->full_name);
    mutator->full_name = text;
    mutator->name = text + at;
    return true;
}

bool fx_mutator_set_rule(struct fx_mutator *mutator, struct fx_text rule,
                         uint32_t position) {
    assert(mutator->rule == NULL);
    struct fx_buf full;
    fx_buf_init(&full, 0);
    fx_buf_printf(&full, "%s:", mutator->full_name);
    const size_t at = full.len;
    fx_buf_text(&full, rule);
    char *text = fx_buf_steal(&full);
    fx_buf_finish(&full);
    mutator->policy_name = strdup(mutator->name);
    if (text == NULL || mutator->policy_name == NULL) {
        free(text);
        return false;
    }
    free(mutator->full_name);
    mutator->full_name = text;
    mutator->name = mutator->policy_name;
    mutator->rule = text + at;
    mutator->position = position;
    return true;
}

void fx_mutator_finish(struct fx_mutator *mutator) {
    free(mutator->group);
    free(mutator->kind);
    free(mutator->full_name);
    free(mutator->namespace_);
    free(mutator->policy_name);
    free(mutator->origin.file);
    fx_policy_text_unref(mutator->policy);
    free(mutator->hashes);
    mutator->group = NULL;
    mutator->kind = NULL;
    mutator->full_name = NULL;
    mutator->name = NULL;
    mutator->policy_name = NULL;
    mutator->rule = NULL;
    mutator->namespace_ = NULL;
    mutator->origin = (struct fx_origin){0};
    mutator->policy = NULL;
    mutator->hashes = NULL;
}

struct fx_mutator *fx_mutator_ref(struct fx_mutator *mutator) {
    (void)atomic_fetch_add_explicit(&mutator->refs, 1, memory_order_relaxed);
    return mutator;
}

void fx_mutator_unref(struct fx_mutator *mutator) {
    if (mutator == NULL) {
        return;
    }
    /* The last owner must see all writes of the others. */
    const unsigned before =
        atomic_fetch_sub_explicit(&mutator->refs, 1, memory_order_acq_rel);
    assert(before > 0);
    if (before == 1) {
        mutator->ops->destroy(mutator);
    }
}

/* Compares by the id of the policy. */
static int compare_policies(const struct fx_mutator *a, const struct fx_mutator *b) {
    int order = strcmp(a->group, b->group);
    if (order == 0) {
        order = strcmp(a->kind, b->kind);
    }
    if (order == 0) {
        order = fx_text_compare(fx_text_of(a->namespace_), fx_text_of(b->namespace_));
    }
    return order != 0 ? order : strcmp(a->name, b->name);
}

bool fx_mutator_has_same_policy(const struct fx_mutator *a, const struct fx_mutator *b) {
    return a == b || compare_policies(a, b) == 0;
}

int fx_mutator_compare_ids(const struct fx_mutator *a, const struct fx_mutator *b) {
    int order = compare_policies(a, b);
    if (order == 0) {
        order = fx_text_compare(fx_text_of(a->rule), fx_text_of(b->rule));
    }
    if (order == 0 && a->position != b->position) {
        order = a->position < b->position ? -1 : 1;
    }
    return order;
}

int fx_mutator_compare(const struct fx_mutator *a, const struct fx_mutator *b) {
    if (fx_mutator_is_validator(a) != fx_mutator_is_validator(b)) {
        return fx_mutator_is_validator(b) ? -1 : 1;
    }
    if (fx_mutator_is_existing(a) != fx_mutator_is_existing(b)) {
        return fx_mutator_is_existing(b) ? -1 : 1;
    }
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    if (a->tier != b->tier) {
        return a->tier < b->tier ? -1 : 1;
    }
    if (a->tier_order != b->tier_order) {
        return a->tier_order < b->tier_order ? -1 : 1;
    }
    const int order = compare_policies(a, b);
    if (order != 0) {
        return order;
    }
    if (a->position != b->position) {
        return a->position < b->position ? -1 : 1;
    }
    return fx_text_compare(fx_text_of(a->rule), fx_text_of(b->rule));
}

void fx_mutator_print_id(struct fx_buf *buf, const struct fx_mutator *mutator) {
    fx_buf_printf(buf, "%s.%s %s/%s", mutator->kind, mutator->group,
                  mutator->namespace_ == NULL ? "" : mutator->namespace_, mutator->name);
    if (mutator->rule != NULL) {
        fx_buf_printf(buf, ":%s", mutator->rule);
    }
}

bool fx_mutator_writes_anywhere(const struct fx_mutator *mutator) {
    return mutator->hashes == NULL || mutator->hashes->n_steps == 0;
}

void fx_mutator_explain(const struct fx_mutator *mutator, const char *criterion,
                        struct fx_criterion *ret_criterion) {
    *ret_criterion = (struct fx_criterion){.rank = 0};
    fx_buf_init(&ret_criterion->field, 0);
    fx_buf_init(&ret_criterion->wanted, 0);
    if (mutator->ops->explain != NULL) {
        mutator->ops->explain(mutator, criterion, ret_criterion);
    } else {
        fx_buf_str(&ret_criterion->field, criterion);
    }
}

void fx_criterion_finish(struct fx_criterion *criterion) {
    fx_buf_finish(&criterion->field);
    fx_buf_finish(&criterion->wanted);
}
