/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/annotate.c - the annotations that say which mutators changed an
 * object.
 */
#include "mutators/gatekeeper/webhook.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "value/tree.h"

#define METADATA    FX_TEXT("metadata")
#define ANNOTATIONS FX_TEXT("annotations")
#define ID_KEY      FX_TEXT("gatekeeper.sh/mutation-id")
#define LIST_KEY    FX_TEXT("gatekeeper.sh/mutations")

static int by_bytes(const void *a, const void *b) {
    const char *const *left = a;
    const char *const *right = b;
    return strcmp(*left, *right);
}

/* `Assign//a:7`, with the namespace between the slashes, sorted: by the whole text, in
 * which `a-b:0` comes before `a:7`. */
static const char **name_all(const struct fx_snapshot *snapshot,
                             const struct fx_outcome *outcome, struct fx_arena *arena) {
    const char **names = fx_arena_alloc(arena, outcome->n_applied * sizeof *names);
    for (size_t i = 0; names != NULL && i < outcome->n_applied; i++) {
        const struct fx_mutator *mutator = snapshot->mutators[outcome->applied[i]];
        names[i] = fx_arena_printf(arena, "%s/%s/%s:%" PRId64, mutator->kind,
                                   mutator->namespace_ == NULL ? "" : mutator->namespace_,
                                   mutator->name, mutator->generation);
        if (names[i] == NULL) {
            return NULL;
        }
    }
    if (names != NULL) {
        qsort(names, outcome->n_applied, sizeof *names, by_bytes);
    }
    return names;
}

/* The value of the second annotation; NULL without memory. */
static json_t *new_list(const struct fx_snapshot *snapshot,
                        const struct fx_outcome *outcome, struct fx_arena *arena) {
    const char **names = name_all(snapshot, outcome, arena);
    if (names == NULL) {
        return NULL;
    }
    struct fx_buf text;
    fx_buf_init(&text, 0);
    for (size_t i = 0; i < outcome->n_applied; i++) {
        fx_buf_str(&text, i == 0 ? "" : ", ");
        fx_buf_str(&text, names[i]);
    }
    json_t *list =
        text.failed ? NULL : fx_tree_new_string((struct fx_text){text.data, text.len});
    fx_buf_finish(&text);
    return list;
}

/* The object's child of that name, writable; made where there is none, or no object. */
static json_t *own_object(json_t *parent, struct fx_text key) {
    if (!json_is_object(fx_tree_view_text(parent, key)) &&
        !fx_tree_set_take(parent, key, json_object())) {
        return NULL;
    }
    return fx_tree_own_key(parent, key);
}

bool fx_annotate(const struct fx_snapshot *snapshot, const struct fx_outcome *outcome,
                 const char *mutation_id, struct fx_arena *arena, json_t **root,
                 struct fx_err *err) {
    const json_t *present = fx_tree_view_key(*root, "metadata");
    if (present != NULL && !json_is_object(present)) {
        return true;
    }
    if (fx_tree_own_root(root) == NULL) {
        return fx_fail_nomem(err);
    }
    json_t *metadata = own_object(*root, METADATA);
    json_t *annotations = metadata == NULL ? NULL : own_object(metadata, ANNOTATIONS);
    const bool ok =
        annotations != NULL &&
        fx_tree_set_take(annotations, ID_KEY,
                         fx_tree_new_string(fx_text_of(mutation_id))) &&
        fx_tree_set_take(annotations, LIST_KEY, new_list(snapshot, outcome, arena));
    return ok || fx_fail_nomem(err);
}
