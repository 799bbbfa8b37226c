/* SPDX-License-Identifier: Apache-2.0
 *
 * unify.c - free types of the checker. What is assignable to what, and which of several
 * possible meanings a free type gets, is the behaviour of cel-go's checker: policies see
 * it in the types of results and in messages.
 */
#include "location/cel/unify.h"

#include "base/budget.h"
#include "base/limits.h"
#include "location/cel/messages.h"

/* What a free type stood for before a change. */
struct fx_cel_unifier_change {
    unsigned id;
    const struct fx_cel_type *before;
};

/* Spends for one type that is looked at. False if the unifier has stopped. */
static bool step(struct fx_cel_unifier *unifier, unsigned nesting) {
    if (++unifier->steps > FX_LIMIT_CEL_CHECK_STEPS || !fx_spend(1) ||
        nesting > FX_LIMIT_CEL_TYPE_DEPTH) {
        unifier->over_limit = true;
    }
    return !unifier->over_limit && !unifier->no_memory;
}

static const struct fx_cel_type *made(struct fx_cel_unifier *unifier,
                                      const struct fx_cel_type *type) {
    unifier->no_memory |= type == NULL;
    return type != NULL ? type : &fx_cel_error_type;
}

const struct fx_cel_type *fx_cel_unify_free(struct fx_cel_unifier *unifier) {
    if (unifier->n_bound == 0) {
        unifier->n_bound = 1; /* id 0 is no free type */
    }
    while (unifier->cap_bound <= unifier->n_bound) {
        if (!fx_arena_grown(unifier->scratch, &unifier->bound, &unifier->cap_bound,
                            sizeof *unifier->bound)) {
            return made(unifier, NULL);
        }
    }
    struct fx_cel_type *type = fx_arena_alloc(unifier->scratch, sizeof *type);
    if (type == NULL) {
        return made(unifier, NULL);
    }
    *type = (struct fx_cel_type){
        .kind = FX_CEL_TYPE_PARAMETER, .name = "", .id = (unsigned)unifier->n_bound};
    unifier->bound[unifier->n_bound++] = NULL;
    return type;
}

const struct fx_cel_type *
fx_cel_unify_instantiate(struct fx_cel_unifier *unifier, const struct fx_cel_type *type,
                         const struct fx_cel_type *free[FX_CEL_PARAMETERS]) {
    if (type->kind == FX_CEL_TYPE_PARAMETER) {
        const size_t i = type->name[0] == 'K' ? 1 : type->name[0] == 'V' ? 2 : 0;
        if (free[i] == NULL) {
            free[i] = fx_cel_unify_free(unifier);
        }
        return free[i];
    }
    if (type->params[0] == NULL) {
        return type;
    }
    const struct fx_cel_type *params[2] = {
        fx_cel_unify_instantiate(unifier, type->params[0], free),
        type->params[1] == NULL
            ? NULL
            : fx_cel_unify_instantiate(unifier, type->params[1], free)};
    if (params[0] == type->params[0] && params[1] == type->params[1]) {
        return type;
    }
    struct fx_cel_type *copy = fx_arena_alloc(unifier->scratch, sizeof *copy);
    if (copy != NULL) {
        *copy = *type;
        copy->params[0] = params[0];
        copy->params[1] = params[1];
    }
    return made(unifier, copy);
}

/* ---- what free types stand for ----------------------------------------------------- */

static bool is_free(const struct fx_cel_type *type) {
    return type->kind == FX_CEL_TYPE_PARAMETER && type->id != 0;
}

static const struct fx_cel_type *meaning(const struct fx_cel_unifier *unifier,
                                         const struct fx_cel_type *type) {
    return is_free(type) ? unifier->bound[type->id] : NULL;
}

static void bind(struct fx_cel_unifier *unifier, const struct fx_cel_type *type,
                 const struct fx_cel_type *to) {
    if (!FX_ARENA_GROW(unifier->scratch, unifier->changes, unifier->n_changes,
                       unifier->cap_changes)) {
        unifier->no_memory = true;
        return;
    }
    unifier->changes[unifier->n_changes++] =
        (struct fx_cel_unifier_change){type->id, unifier->bound[type->id]};
    unifier->bound[type->id] = to;
}

static void undo(struct fx_cel_unifier *unifier) {
    while (unifier->n_changes > 0) {
        const struct fx_cel_unifier_change *change =
            &unifier->changes[--unifier->n_changes];
        unifier->bound[change->id] = change->before;
    }
}

/* Does the free type occur in `within`? If it stood for that, it would contain itself. */
static bool occurs(struct fx_cel_unifier *unifier, const struct fx_cel_type *type,
                   const struct fx_cel_type *within, unsigned nesting) {
    if (!step(unifier, nesting)) {
        return true;
    }
    if (is_free(within)) {
        const struct fx_cel_type *to = meaning(unifier, within);
        return within->id == type->id ||
               (to != NULL && occurs(unifier, type, to, nesting + 1));
    }
    for (size_t i = 0; i < 2; i++) {
        if (within->params[i] != NULL &&
            occurs(unifier, type, within->params[i], nesting + 1)) {
            return true;
        }
    }
    return false;
}

/* ---- assignability ----------------------------------------------------------------- */

/* Types that null is assignable to. That of an undefined field, which has no name, is
 * none of them. */
static bool is_nullable(const struct fx_cel_type *type) {
    switch ((int)type->kind) {
    case FX_CEL_TYPE_NULL:
    case FX_CEL_TYPE_DURATION:
    case FX_CEL_TYPE_TIMESTAMP:
    case FX_CEL_TYPE_OPTIONAL:
    case FX_CEL_TYPE_STRUCT: return true;
    case FX_CEL_TYPE_OPAQUE: return type->name[0] != '\0';
    default: return fx_cel_is_wrapper(type);
    }
}

static bool is_less_specific(struct fx_cel_unifier *unifier, const struct fx_cel_type *a,
                             const struct fx_cel_type *b, unsigned nesting) {
    if (!step(unifier, nesting)) {
        return false;
    }
    if (fx_cel_is_dyn(a) || a->kind == FX_CEL_TYPE_PARAMETER) {
        return true;
    }
    if (fx_cel_is_dyn(b) || b->kind == FX_CEL_TYPE_PARAMETER || a->kind != b->kind) {
        return false;
    }
    if (a->kind == FX_CEL_TYPE_TYPE) {
        return true;
    }
    if (a->params[0] == NULL || b->params[0] == NULL) {
        return fx_cel_type_equal(a, b);
    }
    return is_less_specific(unifier, a->params[0], b->params[0], nesting + 1) &&
           (a->params[1] == NULL ||
            is_less_specific(unifier, a->params[1], b->params[1], nesting + 1));
}

static const struct fx_cel_type *made_with(struct fx_cel_unifier *unifier,
                                           const struct fx_cel_type *type,
                                           const struct fx_cel_type *first,
                                           const struct fx_cel_type *second);

/* The type without the fields of objects with a schema. */
static const struct fx_cel_type *without_fields(struct fx_cel_unifier *unifier,
                                                const struct fx_cel_type *type,
                                                unsigned nesting) {
    if (type->kind == FX_CEL_TYPE_MAP && type->fields != NULL) {
        return &fx_cel_map_string_dyn;
    }
    if (type->params[0] == NULL || !step(unifier, nesting)) {
        return type;
    }
    const struct fx_cel_type *first =
        without_fields(unifier, type->params[0], nesting + 1);
    const struct fx_cel_type *second =
        type->params[1] == NULL ? NULL
                                : without_fields(unifier, type->params[1], nesting + 1);
    return first == type->params[0] && second == type->params[1]
               ? type
               : made_with(unifier, type, first, second);
}

/* Are objects with a schema at the same places of both, which are equal otherwise, of the
 * same schema? */
static bool have_same_fields(struct fx_cel_unifier *unifier, const struct fx_cel_type *a,
                             const struct fx_cel_type *b, unsigned nesting) {
    if (a == b) {
        return true;
    }
    if (a->fields != b->fields || !step(unifier, nesting)) {
        return false;
    }
    for (size_t i = 0; i < 2; i++) {
        if (a->params[i] != NULL && b->params[i] != NULL &&
            !have_same_fields(unifier, a->params[i], b->params[i], nesting + 1)) {
            return false;
        }
    }
    return true;
}

/* Is it the type of `{}`, whose keys may have any type? */
static bool is_empty_map(const struct fx_cel_type *type) {
    return type->kind == FX_CEL_TYPE_MAP && is_free(type->params[0]);
}

const struct fx_cel_type *fx_cel_unify_join(struct fx_cel_unifier *unifier,
                                            const struct fx_cel_type *a,
                                            const struct fx_cel_type *b) {
    if (a->fields != NULL && is_empty_map(b)) {
        return a;
    }
    if (b->fields != NULL && is_empty_map(a)) {
        return b;
    }
    if (!have_same_fields(unifier, a, b, 0)) {
        a = without_fields(unifier, a, 0);
        b = without_fields(unifier, b, 0);
    }
    return is_less_specific(unifier, a, b, 0) ? a : b;
}

static bool is_assignable(struct fx_cel_unifier *unifier, const struct fx_cel_type *from,
                          const struct fx_cel_type *to, unsigned nesting);

/* Can the free type `to` stand for `from`, or what it stands for already? If it can, it
 * does from now on. *ret_is_bound: it stood for something before. */
static bool can_mean(struct fx_cel_unifier *unifier, const struct fx_cel_type *from,
                     const struct fx_cel_type *to, unsigned nesting, bool *ret_is_bound) {
    const struct fx_cel_type *before = meaning(unifier, to);
    *ret_is_bound = true;
    if (from->id == to->id) {
        return true;
    }
    if (before == NULL) {
        *ret_is_bound = false;
        if (occurs(unifier, to, from, nesting)) {
            return false;
        }
        bind(unifier, to, from);
        return true;
    }
    if (fx_cel_type_equal(from, before) && have_same_fields(unifier, from, before, 0)) {
        return true;
    }
    if (!is_assignable(unifier, from, before, nesting + 1)) {
        return false;
    }
    const struct fx_cel_type *general = fx_cel_unify_join(unifier, from, before);
    if (!occurs(unifier, to, general, nesting)) {
        bind(unifier, to, general);
    }
    return true;
}

/* Of two types that are neither free nor dyn. */
static bool is_same_assignable(struct fx_cel_unifier *unifier,
                               const struct fx_cel_type *from,
                               const struct fx_cel_type *to, unsigned nesting) {
    if (from->kind == FX_CEL_TYPE_NULL || to->kind == FX_CEL_TYPE_NULL) {
        return unifier->null_is_any ||
               is_nullable(from->kind == FX_CEL_TYPE_NULL ? to : from);
    }
    if (from->kind != to->kind) {
        return false;
    }
    if (from->kind <= FX_CEL_TYPE_TYPE) {
        return true; /* wrappers have the kind of what they contain */
    }
    if (from->params[0] == NULL || to->params[0] == NULL) {
        return from->name[0] != '\0' && fx_cel_type_equal(from, to);
    }
    return is_assignable(unifier, from->params[0], to->params[0], nesting + 1) &&
           (from->params[1] == NULL ||
            is_assignable(unifier, from->params[1], to->params[1], nesting + 1));
}

static bool is_assignable(struct fx_cel_unifier *unifier, const struct fx_cel_type *from,
                          const struct fx_cel_type *to, unsigned nesting) {
    bool is_bound = false;
    if (!step(unifier, nesting)) {
        return false;
    }
    if (is_free(to)) {
        if (can_mean(unifier, from, to, nesting, &is_bound)) {
            return true;
        }
        if (is_bound) {
            return false;
        }
    }
    if (is_free(from)) {
        return can_mean(unifier, to, from, nesting, &is_bound);
    }
    return fx_cel_is_dyn_or_error(from) || fx_cel_is_dyn_or_error(to) ||
           is_same_assignable(unifier, from, to, nesting);
}

bool fx_cel_unify_all(struct fx_cel_unifier *unifier,
                      const struct fx_cel_type *const *from,
                      const struct fx_cel_type *const *to, size_t n) {
    unifier->n_changes = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_assignable(unifier, from[i], to[i], 0)) {
            undo(unifier);
            return false;
        }
    }
    return true;
}

bool fx_cel_unify(struct fx_cel_unifier *unifier, const struct fx_cel_type *from,
                  const struct fx_cel_type *to) {
    return from == to || fx_cel_unify_all(unifier, &from, &to, 1);
}

/* ---- making types ------------------------------------------------------------------ */

const struct fx_cel_type *fx_cel_unify_list(struct fx_cel_unifier *unifier,
                                            const struct fx_cel_type *element) {
    static const struct fx_cel_type *const constants[] = {
        &fx_cel_list_string, &fx_cel_list_int,  &fx_cel_list_dyn,  &fx_cel_list_uint,
        &fx_cel_list_double, &fx_cel_list_bool, &fx_cel_list_bytes};
    for (size_t i = 0; i < FX_COUNT(constants); i++) {
        if (constants[i]->params[0] == element) {
            return constants[i];
        }
    }
    return made(unifier, fx_cel_list_of(unifier->arena, element));
}

const struct fx_cel_type *fx_cel_unify_map(struct fx_cel_unifier *unifier,
                                           const struct fx_cel_type *key,
                                           const struct fx_cel_type *value) {
    if (key == &fx_cel_dyn && value == &fx_cel_dyn) {
        return &fx_cel_map_dyn;
    }
    return made(unifier, fx_cel_map_of(unifier->arena, key, value));
}

const struct fx_cel_type *fx_cel_unify_optional(struct fx_cel_unifier *unifier,
                                                const struct fx_cel_type *inner) {
    if (inner == &fx_cel_dyn) {
        return &fx_cel_optional_dyn;
    }
    return made(unifier, fx_cel_optional_of(unifier->arena, inner));
}

/* The type with other parameters. */
static const struct fx_cel_type *made_with(struct fx_cel_unifier *unifier,
                                           const struct fx_cel_type *type,
                                           const struct fx_cel_type *first,
                                           const struct fx_cel_type *second) {
    switch ((int)type->kind) {
    case FX_CEL_TYPE_LIST: return fx_cel_unify_list(unifier, first);
    case FX_CEL_TYPE_MAP: return fx_cel_unify_map(unifier, first, second);
    case FX_CEL_TYPE_OPTIONAL: return fx_cel_unify_optional(unifier, first);
    default: return made(unifier, fx_cel_type_of_type(unifier->arena, first));
    }
}

static const struct fx_cel_type *resolve(struct fx_cel_unifier *unifier,
                                         const struct fx_cel_type *type, bool to_dyn,
                                         unsigned nesting) {
    if (!step(unifier, nesting)) {
        return &fx_cel_error_type;
    }
    if (type->kind == FX_CEL_TYPE_PARAMETER) {
        const struct fx_cel_type *to = meaning(unifier, type);
        const struct fx_cel_type *rest = to_dyn ? &fx_cel_dyn : type;
        return to != NULL ? resolve(unifier, to, to_dyn, nesting + 1) : rest;
    }
    if (type->params[0] == NULL) {
        return type;
    }
    const struct fx_cel_type *first =
        resolve(unifier, type->params[0], to_dyn, nesting + 1);
    const struct fx_cel_type *second =
        type->params[1] == NULL ? NULL
                                : resolve(unifier, type->params[1], to_dyn, nesting + 1);
    if (first == type->params[0] && second == type->params[1]) {
        return type;
    }
    return made_with(unifier, type, first, second);
}

const struct fx_cel_type *fx_cel_unify_resolve(struct fx_cel_unifier *unifier,
                                               const struct fx_cel_type *type,
                                               bool to_dyn) {
    return type->kind < FX_CEL_TYPE_TYPE ? type : resolve(unifier, type, to_dyn, 0);
}
