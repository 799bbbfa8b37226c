/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/fakes.h - for the tests of this room: mutators that do as a test pleases, and
 * snapshots of them.
 */
#ifndef FX_ADMISSION_FAKES_H
#define FX_ADMISSION_FAKES_H

#include <stdlib.h>

#include "engine/snapshot.h"
#include "value/tree.h"

/* Edits an object whose root, metadata and spec are owned; tells whether it changed it.
 */
typedef bool fake_edit(const struct fx_request *request, json_t *root, struct fx_err *err,
                       bool *ret_changed);

struct fake {
    struct fx_mutator mutator; /* first */
    fake_edit *edit;
};

static inline bool fake_match(const struct fx_mutator *self,
                              const struct fx_request *request,
                              const struct fx_subject *subject,
                              struct fx_verdict *ret_verdict, struct fx_err *err) {
    (void)self;
    (void)request;
    (void)subject;
    (void)err;
    *ret_verdict = (struct fx_verdict){.matched = true};
    return true;
}

static inline bool fake_apply(const struct fx_mutator *self,
                              const struct fx_request *request, json_t **root,
                              struct fx_effect *ret_effect, struct fx_err *err) {
    const struct fake *fake = (const struct fake *)self;
    json_t *object = fx_tree_own_root(root);
    static const char *const owned[] = {"metadata", "spec"};
    for (size_t i = 0; i < FX_COUNT(owned); i++) {
        if (fx_tree_view_key(object, owned[i]) != NULL &&
            fx_tree_own_key(object, fx_text_of(owned[i])) == NULL) {
            return fx_fail_nomem(err);
        }
    }
    ret_effect->applied = true;
    return fake->edit(request, object, err, &ret_effect->changed);
}

static inline void fake_destroy(struct fx_mutator *self) {
    fx_mutator_finish(self);
    free(self);
}

/* A snapshot of `count` mutators named Fake/a, Fake/b, … NULL without memory. */
static inline struct fx_snapshot *fake_snapshot(fake_edit *const *edits, size_t count) {
    static const struct fx_mutator_ops ops = {fake_match, fake_apply, fake_destroy};
    struct fx_mutator *mutators[26] = {0};
    struct fx_snapshot *snapshot = NULL;
    struct fx_err err = FX_ERR_INIT;
    for (size_t i = 0; i < count; i++) {
        const char name[] = {(char)('a' + i), '\0'};
        struct fake *fake = calloc(1, sizeof *fake);
        json_t *source = json_pack("{s:s}", "name", name);
        if (fake == NULL || !fx_mutator_init(&fake->mutator, &ops, FX_TEXT("test"),
                                             FX_TEXT("Fake"), fx_text_of(name), source)) {
            abort();
        }
        json_decref(source);
        fake->edit = edits[i];
        mutators[i] = &fake->mutator;
    }
    if (!fx_snapshot_build(mutators, count, 1, &snapshot, &err)) {
        abort();
    }
    for (size_t i = 0; i < count; i++) {
        fx_mutator_unref(mutators[i]);
    }
    return snapshot;
}

#endif
