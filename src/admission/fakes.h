/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/fakes.h - for the tests of this room: mutators that do as a test pleases, and
 * snapshots of them.
 */
#ifndef FX_ADMISSION_FAKES_H
#define FX_ADMISSION_FAKES_H

#include <stdlib.h>

#include "admission/review.h"
#include "engine/resource.h"
#include "engine/snapshot.h"
#include "value/tree.h"

/* Edits an object whose root, metadata and spec are owned; returns whether it changed it.
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

/* A view that hides nothing. */
static inline bool fake_put_on(const struct fx_request *request, json_t **root,
                               json_t **ret_kept, struct fx_err *err) {
    (void)request;
    (void)root;
    (void)err;
    *ret_kept = NULL;
    return true;
}

static inline bool fake_take_off(json_t **root, const json_t *kept, struct fx_err *err) {
    (void)root;
    (void)kept;
    (void)err;
    return true;
}

/* The inputs of a mutator that reads its whole namespace, and the Node that the label
 * `node` names. */
static inline bool fake_node_key(const struct fx_request *request,
                                 const struct fx_subject *subject,
                                 struct fx_input_key *ret_key) {
    (void)request;
    *ret_key = fx_input_core_key("Node", fx_tree_view_string(subject->labels, "node"));
    return ret_key->name.len > 0;
}

static const struct fx_input fake_inputs[] = {
    {.type = FX_INPUT_OBJECT, .key = fx_input_namespace_key},
    {.type = FX_INPUT_OBJECT, .key = fake_node_key, .warns = true},
};

static inline void fake_set_inputs(struct fx_mutator *mutator, bool reads_namespace,
                                   bool reads_node) {
    mutator->inputs = reads_namespace ? fake_inputs : fake_inputs + 1;
    mutator->n_inputs = (reads_namespace ? 1u : 0u) + (reads_node ? 1u : 0u);
}

/* An edit that reads the ConfigMap `a` of the namespace, then the one that the member
 * `next` of that one names, and so on, and writes the last name into the label `last`.
 * Its mutator has a row for it. */
static inline bool fake_follow(const struct fx_request *request, json_t *root,
                               struct fx_err *err, bool *ret_changed) {
    struct fx_text name = FX_TEXT("a");
    struct fx_text last = {0};
    json_t *metadata = fx_tree_view_key(root, "metadata");
    while (name.len > 0) {
        struct fx_input_key key = fx_input_core_key("ConfigMap", name);
        json_t *value = NULL;
        key.namespace_ = request->namespace_;
        last = name;
        if (!fx_inputs_read(request->inputs, &key, &value, err)) {
            return false;
        }
        name = fx_tree_view_string(value, "next");
    }
    *ret_changed = !fx_text_equal(fx_tree_view_string(metadata, "last"), last);
    return !*ret_changed ||
           fx_tree_set_take(metadata, FX_TEXT("last"), fx_tree_new_string(last)) ||
           fx_fail_nomem(err);
}

static const struct fx_input fake_asked[] = {{.type = FX_INPUT_OBJECT}};

/* The first input that the review waits for. */
static inline struct fx_input_entry *fake_awaited(struct fx_review *review) {
    uint64_t deadline_ns = 0;
    struct fx_input_entry *entry = fx_review_inputs(review, &deadline_ns)->first;
    while (entry->state != FX_INPUT_AWAITED) {
        entry = entry->next;
    }
    return entry;
}

/* What a snapshot is made of. */
struct fake_parts {
    fake_edit *const *edits; /* mutators named Fake/a, Fake/b, … */
    size_t n_edits;
    struct fx_resource *const *resources; /* their references are taken */
    size_t n_resources;
};

static inline struct fx_mutator *fake_mutator(fake_edit *edit, const char *name) {
    static const struct fx_mutator_ops ops = {
        .match = fake_match, .apply = fake_apply, .destroy = fake_destroy};
    struct fake *fake = calloc(1, sizeof *fake);
    json_t *source = json_pack("{s:s}", "name", name);
    if (fake == NULL || !fx_mutator_init(&fake->mutator, &ops, FX_TEXT("test"),
                                         FX_TEXT("Fake"), fx_text_of(name), source)) {
        abort();
    }
    json_decref(source);
    fake->edit = edit;
    return &fake->mutator;
}

/* The mutators may ask for outside values where there is a resource, a provider. */
static inline struct fx_snapshot *fake_snapshot_of(const struct fake_parts *fakes) {
    static const struct fx_input call = {.type = FX_INPUT_CALL, .phase = FX_INPUT_AFTER};
    struct fx_mutator *mutators[26] = {0};
    struct fx_snapshot *snapshot = NULL;
    struct fx_err err = FX_ERR_INIT;
    for (size_t i = 0; i < fakes->n_edits; i++) {
        const char name[] = {(char)('a' + i), '\0'};
        mutators[i] = fake_mutator(fakes->edits[i], name);
        mutators[i]->inputs = &call;
        mutators[i]->n_inputs = fakes->n_resources > 0 ? 1 : 0;
    }
    const struct fx_snapshot_parts parts = {
        .mutators = mutators,
        .n_mutators = fakes->n_edits,
        .resources = fakes->resources,
        .n_resources = fakes->n_resources,
    };
    if (!fx_snapshot_build(&parts, 1, &snapshot, &err)) {
        abort();
    }
    for (size_t i = 0; i < fakes->n_edits; i++) {
        fx_mutator_unref(mutators[i]);
    }
    for (size_t i = 0; i < fakes->n_resources; i++) {
        fx_resource_unref(fakes->resources[i]);
    }
    return snapshot;
}

static inline struct fx_snapshot *fake_snapshot(fake_edit *const *edits, size_t count) {
    const struct fake_parts fakes = {.edits = edits, .n_edits = count};
    return fake_snapshot_of(&fakes);
}

/* The protocol of a dialect that this room does not know. */
extern const struct fx_provider_protocol fx_external_data_protocol;

static inline struct fx_resource *fake_provider(const char *name) {
    json_t *source = json_pack("{s:s}", "name", name);
    struct fx_provider *provider =
        fx_provider_create(&fx_external_data_protocol, fx_text_of(name), source,
                           FX_TEXT("https://p"), 0, FX_TEXT("pem"));
    json_decref(source);
    if (provider == NULL) {
        abort();
    }
    return &provider->resource;
}

#endif
