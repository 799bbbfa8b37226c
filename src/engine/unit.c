/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/unit.c - one compiled document: its parts, counting, order.
 */
#include "engine/unit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/dialect.h"
#include "engine/kind.h"
#include "engine/policy_text.h"
#include "value/tree.h"

/* Copies the text, with a NUL, to `*room`, which is after the struct, and moves `*room`
 * on. */
static struct fx_text copy_text(char **room, struct fx_text text) {
    char *copy = *room;
    memcpy(copy, text.data == NULL ? "" : text.data, text.len);
    *room += text.len + 1;
    return (struct fx_text){copy, text.len};
}

/* Allocates a unit. The texts of its id are after the struct; `more` bytes are for other
 * texts. */
static struct fx_unit *allocate(const struct fx_subject *subject, size_t more,
                                char **ret_room) {
    const struct fx_text space = subject->namespace_;
    struct fx_unit *unit =
        calloc(1, sizeof *unit + subject->name.len + space.len + 2 + more);
    if (unit == NULL) {
        return NULL;
    }
    *ret_room = (char *)(unit + 1);
    unit->name = copy_text(ret_room, subject->name).data;
    if (space.len > 0) {
        unit->namespace_ = copy_text(ret_room, space).data;
    }
    atomic_init(&unit->refs, 1);
    atomic_init(&unit->object, NULL);
    return unit;
}

/* Returns one text that the unit, its rules, and the other owners of the document
 * share. */
static struct fx_policy_text *share_text(const struct fx_compilation *compilation,
                                         const json_t *document,
                                         struct fx_policy_text *policy) {
    for (size_t i = 0; policy != NULL && i < compilation->n_mutators; i++) {
        fx_mutator_share_policy(compilation->mutators[i], policy);
    }
    if (compilation->n_mutators > 0) {
        return fx_policy_text_ref(compilation->mutators[0]->policy);
    }
    return policy != NULL ? fx_policy_text_ref(policy) : fx_policy_text_create(document);
}

struct fx_unit *fx_unit_create(const struct fx_dialect *dialect,
                               const struct fx_kind *kind,
                               const struct fx_subject *subject, const json_t *document,
                               struct fx_policy_text *policy,
                               struct fx_compilation *compilation) {
    char *room = NULL;
    struct fx_unit *unit = allocate(subject, 0, &room);
    if (unit == NULL) {
        return NULL;
    }
    unit->policy = share_text(compilation, document, policy);
    if (unit->policy == NULL) {
        free(unit);
        return NULL;
    }
    unit->dialect = dialect;
    unit->kind = kind;
    unit->rules = compilation->mutators;
    unit->n_rules = compilation->n_mutators;
    unit->resources = compilation->resources;
    unit->n_resources = compilation->n_resources;
    unit->linkable = compilation->linkable;
    compilation->mutators = NULL;
    compilation->n_mutators = compilation->cap_mutators = 0;
    compilation->resources = NULL;
    compilation->n_resources = compilation->cap_resources = 0;
    compilation->linkable = NULL;
    return unit;
}

/* ---- objects ---------------------------------------------------------------------- */

json_t *fx_unit_reduce_object(json_t *object) {
    json_t *kept = json_incref(object); /* shared, so that it is copied */
    if (fx_tree_own_root(&kept) == NULL) {
        json_decref(kept);
        return NULL;
    }
    fx_tree_remove_key(kept, FX_TEXT("status"));
    json_t *metadata = fx_tree_own_key(kept, FX_TEXT("metadata"));
    if (metadata == NULL) {
        json_decref(kept);
        return NULL;
    }
    fx_tree_remove_key(metadata, FX_TEXT("managedFields"));
    fx_tree_remove_key(metadata, FX_TEXT("resourceVersion"));
    return kept;
}

/* Allocates a unit with all names of the object, and nothing else. */
static struct fx_unit *allocate_object(const struct fx_subject *subject,
                                       struct fx_text file_namespace) {
    char *room = NULL;
    struct fx_unit *unit = allocate(subject,
                                    subject->group.len + subject->version.len +
                                        subject->kind.len + file_namespace.len + 4,
                                    &room);
    if (unit != NULL) {
        unit->named.group = copy_text(&room, subject->group);
        unit->named.version = copy_text(&room, subject->version);
        unit->named.kind = copy_text(&room, subject->kind);
    }
    if (unit != NULL && file_namespace.len > 0) {
        unit->file_namespace = copy_text(&room, file_namespace).data;
    }
    return unit;
}

static struct fx_policy_text *write_object(json_t *object) {
    json_t *kept = fx_unit_reduce_object(object);
    struct fx_policy_text *text = kept == NULL ? NULL : fx_policy_text_create(kept);
    json_decref(kept);
    return text;
}

struct fx_unit *fx_unit_create_object(const struct fx_subject *subject,
                                      const char *file_namespace, json_t *object,
                                      struct fx_policy_text *policy) {
    struct fx_unit *unit =
        allocate_object(subject, file_namespace == NULL ? (struct fx_text){0}
                                                        : fx_text_of(file_namespace));
    if (unit == NULL) {
        return NULL;
    }
    unit->policy = policy == NULL ? write_object(object) : fx_policy_text_ref(policy);
    if (unit->policy == NULL) {
        free(unit);
        return NULL;
    }
    unit->labels = json_incref(subject->labels);
    return unit;
}

json_t *fx_unit_get_object(struct fx_unit *unit) {
    json_t *object = atomic_load_explicit(&unit->object, memory_order_acquire);
    if (object != NULL) {
        return object;
    }
    json_t *none = NULL;
    object = fx_policy_text_read(unit->policy);
    /* If two threads read it, one of them keeps its tree. */
    if (object != NULL &&
        !atomic_compare_exchange_strong_explicit(
            &unit->object, &none, object, memory_order_acq_rel, memory_order_acquire)) {
        json_decref(object);
        object = none;
    }
    return object;
}

struct fx_text fx_unit_kind_name(const struct fx_unit *unit) {
    return unit->kind == NULL ? unit->named.kind : fx_text_of(unit->kind->kind);
}

/* ---- both ------------------------------------------------------------------------- */

static bool set_origin(struct fx_origin *origin, const char *file, uint32_t line) {
    assert(origin->file == NULL);
    origin->file = strdup(file);
    origin->line = line;
    return origin->file != NULL;
}

bool fx_unit_set_origin(struct fx_unit *unit, const char *file, uint32_t line) {
    bool ok = set_origin(&unit->origin, file, line);
    for (size_t i = 0; ok && i < unit->n_rules; i++) {
        ok = set_origin(&unit->rules[i]->origin, file, line);
    }
    for (size_t i = 0; ok && i < unit->n_resources; i++) {
        ok = set_origin(&unit->resources[i]->origin, file, line);
    }
    return ok;
}

static void destroy(struct fx_unit *unit) {
    for (size_t i = 0; i < unit->n_rules; i++) {
        fx_mutator_unref(unit->rules[i]);
    }
    for (size_t i = 0; i < unit->n_resources; i++) {
        fx_resource_unref(unit->resources[i]);
    }
    if (unit->linkable != NULL) {
        unit->linkable->destroy(unit->linkable);
    }
    free(unit->rules);
    free(unit->resources);
    free(unit->origin.file);
    json_decref(unit->labels);
    json_decref(atomic_load_explicit(&unit->object, memory_order_relaxed));
    fx_policy_text_unref(unit->policy);
    free(unit);
}

struct fx_unit *fx_unit_ref(struct fx_unit *unit) {
    (void)atomic_fetch_add_explicit(&unit->refs, 1, memory_order_relaxed);
    return unit;
}

void fx_unit_unref(struct fx_unit *unit) {
    /* The last owner must see all writes of the others. */
    if (unit != NULL &&
        atomic_fetch_sub_explicit(&unit->refs, 1, memory_order_acq_rel) == 1) {
        destroy(unit);
    }
}

bool fx_unit_equal(const struct fx_unit *a, const struct fx_unit *b) {
    return a->origin.file != NULL && b->origin.file != NULL &&
           a->origin.line == b->origin.line &&
           strcmp(a->origin.file, b->origin.file) == 0 &&
           fx_policy_text_equal(a->policy, b->policy);
}

/* ---- order ------------------------------------------------------------------------ */

static int compare_rows(const struct fx_unit *a, const struct fx_unit *b) {
    const struct fx_kind *x = a->kind;
    const struct fx_kind *y = b->kind;
    if (x->role != y->role) {
        return x->role > y->role ? 1 : -1;
    }
    int order = 0;
    if (x->role == FX_ROLE_POLICY) {
        order = strcmp(x->group, y->group);
        return order != 0 ? order : strcmp(x->kind, y->kind);
    }
    order = strcmp(a->dialect->name, b->dialect->name);
    return order != 0 ? order : (x > y) - (x < y); /* both are of one table */
}

static int compare_kinds(const struct fx_unit *a, const struct fx_unit *b) {
    if (a->kind != NULL && b->kind != NULL) {
        return compare_rows(a, b);
    }
    const int order = (a->kind == NULL) - (b->kind == NULL);
    return order != 0 ? order : fx_named_kind_compare(&a->named, &b->named);
}

int fx_unit_compare(const struct fx_unit *a, const struct fx_unit *b) {
    int order = compare_kinds(a, b);
    if (order == 0) {
        order = fx_text_compare(fx_text_of(a->namespace_), fx_text_of(b->namespace_));
    }
    return order != 0 ? order : strcmp(a->name, b->name);
}
