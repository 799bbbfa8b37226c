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

bool fx_kind_has_version(const struct fx_kind *kind, struct fx_text version) {
    for (size_t i = 0; kind->versions[i] != NULL; i++) {
        if (fx_text_is(version, kind->versions[i])) {
            return true;
        }
    }
    return false;
}

/* The id's texts lie behind the struct. */
static struct fx_unit *allocate(const struct fx_subject *subject) {
    const struct fx_text name = subject->name;
    const struct fx_text space = subject->namespace_;
    struct fx_unit *unit = calloc(1, sizeof *unit + name.len + space.len + 2);
    if (unit == NULL) {
        return NULL;
    }
    char *texts = (char *)(unit + 1);
    memcpy(texts, name.data == NULL ? "" : name.data, name.len);
    unit->name = texts;
    if (space.len > 0) {
        texts += name.len + 1;
        memcpy(texts, space.data, space.len);
        unit->namespace_ = texts;
    }
    atomic_init(&unit->refs, 1);
    return unit;
}

/* One text for the unit, its rules, and whoever else keeps the document. */
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
    struct fx_unit *unit = allocate(subject);
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
    fx_policy_text_unref(unit->policy);
    free(unit);
}

struct fx_unit *fx_unit_ref(struct fx_unit *unit) {
    (void)atomic_fetch_add_explicit(&unit->refs, 1, memory_order_relaxed);
    return unit;
}

void fx_unit_unref(struct fx_unit *unit) {
    /* The last one must see all that the others did before they let go. */
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

static int compare_kinds(const struct fx_kind *a, const struct fx_kind *b) {
    if (a->role == FX_ROLE_POLICY) {
        const int order = strcmp(a->group, b->group);
        return order != 0 ? order : strcmp(a->kind, b->kind);
    }
    return (a > b) - (a < b); /* of one table: see fx_unit_compare() */
}

int fx_unit_compare(const struct fx_unit *a, const struct fx_unit *b) {
    int order = (a->kind->role > b->kind->role) - (a->kind->role < b->kind->role);
    if (order == 0 && a->kind->role != FX_ROLE_POLICY) {
        order = strcmp(a->dialect->name, b->dialect->name);
    }
    if (order == 0) {
        order = compare_kinds(a->kind, b->kind);
    }
    if (order == 0) {
        order = fx_text_compare(fx_text_of(a->namespace_), fx_text_of(b->namespace_));
    }
    return order != 0 ? order : strcmp(a->name, b->name);
}
