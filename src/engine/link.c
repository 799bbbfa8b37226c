/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/link.c - lookups among units, and what a link step made of them.
 */
#include "engine/link.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "engine/dialect.h"
#include "engine/kind.h"

/* ---- the index -------------------------------------------------------------------- */

static int compare_rows(const struct fx_kind *a, const struct fx_kind *b) {
    return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static struct fx_text target_of(const struct fx_unit *unit) {
    return unit->linkable == NULL ? (struct fx_text){0} : unit->linkable->target;
}

/* Compares kinds. A kind is a row, or, if `row` is NULL, a name. */
static int compare_kind(const struct fx_unit *unit, const struct fx_kind *row,
                        const struct fx_named_kind *named) {
    const int order = compare_rows(unit->kind, row);
    return order != 0 || row != NULL ? order : fx_named_kind_compare(&unit->named, named);
}

static int compare_name(const struct fx_unit *unit, struct fx_text namespace_,
                        struct fx_text name) {
    const int order = fx_text_compare(fx_text_of(unit->namespace_), namespace_);
    return order != 0 ? order : fx_text_compare(fx_text_of(unit->name), name);
}

static int compare_units(const void *a, const void *b) {
    const struct fx_unit *x = a;
    const struct fx_unit *y = b;
    const int order = compare_kind(x, y->kind, &y->named);
    return order != 0 ? order
                      : compare_name(x, fx_text_of(y->namespace_), fx_text_of(y->name));
}

static int by_name(const void *a, const void *b) {
    struct fx_unit *const *x = a;
    struct fx_unit *const *y = b;
    return compare_units(*x, *y);
}

static int by_target(const void *a, const void *b) {
    struct fx_unit *const *x = a;
    struct fx_unit *const *y = b;
    int order = compare_rows((*x)->kind, (*y)->kind);
    order = order != 0 ? order : fx_text_compare(target_of(*x), target_of(*y));
    return order != 0 ? order : by_name(a, b);
}

bool fx_units_fill(struct fx_units *units, struct fx_unit *const *items, size_t n_items) {
    units->by_name = calloc(n_items + 1, sizeof(struct fx_unit *));
    units->by_target = calloc(n_items + 1, sizeof(struct fx_unit *));
    if (units->by_name == NULL || units->by_target == NULL) {
        return false;
    }
    if (n_items > 0) {
        memcpy(units->by_name, items, n_items * sizeof(struct fx_unit *));
    }
    if (!fx_sorted_keep_last(units->by_name, &n_items, compare_units)) {
        return false;
    }
    units->n_by_name = n_items;
    for (size_t i = 0; i < units->n_by_name; i++) {
        if (target_of(units->by_name[i]).len > 0) {
            units->by_target[units->n_by_target++] = units->by_name[i];
        }
    }
    qsort(units->by_target, units->n_by_target, sizeof(struct fx_unit *), by_target);
    return true;
}

/* The id of a unit. */
struct unit_key {
    const struct fx_kind *kind;
    struct fx_text namespace_, name;
};

static int compare_key(const void *key, const void *item) {
    const struct unit_key *wanted = key;
    struct fx_unit *const *unit = item;
    const int order = compare_rows((*unit)->kind, wanted->kind);
    return -(order != 0 ? order : compare_name(*unit, wanted->namespace_, wanted->name));
}

struct fx_unit *fx_units_find(const struct fx_units *units, const struct fx_kind *kind,
                              struct fx_text namespace_, struct fx_text name) {
    const struct unit_key key = {kind, namespace_, name};
    bool found = false;
    const size_t at = fx_sorted_find(units->by_name, units->n_by_name,
                                     sizeof(struct fx_unit *), &key, compare_key, &found);
    return found ? units->by_name[at] : NULL;
}

struct fx_unit *fx_units_find_same(const struct fx_units *units,
                                   const struct fx_unit *unit) {
    struct fx_unit *const *found = units->n_by_name == 0
                                       ? NULL
                                       : bsearch(&unit, units->by_name, units->n_by_name,
                                                 sizeof(struct fx_unit *), by_name);
    return found == NULL ? NULL : *found;
}

void fx_units_finish(struct fx_units *units) {
    if (units != NULL) {
        free(units->by_name);
        free(units->by_target);
        *units = (struct fx_units){0};
    }
}

/* ---- lookups ---------------------------------------------------------------------- */

enum lookup_type {
    LOOKUP_NAME,    /* the unit of that kind, namespace and name */
    LOOKUP_TARGET,  /* the units of that kind and target */
    LOOKUP_KIND,    /* the units of that kind */
    LOOKUP_OBJECTS, /* objects of a kind that the policy names */
};

/* One lookup and the units that it found. */
struct fx_link_lookup {
    enum lookup_type type;
    const struct fx_kind *kind;  /* NULL for LOOKUP_OBJECTS */
    char *namespace_;            /* NULL for any */
    char *name;                  /* NULL for any; or the target */
    struct fx_named_kinds named; /* of LOOKUP_OBJECTS: the kind */
    const struct fx_selector *selector;
    char *unavailable;
    struct fx_unit **found; /* counted */
    size_t n_found, cap_found;
};

/* Compares a unit with the units that the lookup means. Of these, `selector` and a name
 * without a namespace select some. */
static int compare_lookup(const struct fx_link_lookup *lookup,
                          const struct fx_unit *unit) {
    const int order = compare_kind(unit, lookup->kind, lookup->named.items);
    if (order != 0 || lookup->type == LOOKUP_KIND) {
        return order;
    }
    if (lookup->type == LOOKUP_TARGET) {
        return fx_text_compare(target_of(unit), fx_text_of(lookup->name));
    }
    if (lookup->namespace_ == NULL) {
        return 0;
    }
    const struct fx_text space = fx_text_of(lookup->namespace_);
    return lookup->name != NULL ? compare_name(unit, space, fx_text_of(lookup->name))
                                : fx_text_compare(fx_text_of(unit->namespace_), space);
}

/* Returns the index of the first unit that is not before the units that the lookup means,
 * or, with `after`, of the first unit after them. */
static size_t find_bound(const struct fx_link_lookup *lookup,
                         struct fx_unit *const *items, size_t n_items, bool after) {
    size_t low = 0;
    size_t high = n_items;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = compare_lookup(lookup, items[middle]);
        if (order < 0 || (after && order == 0)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The units that remain to be checked. */
struct found_units {
    struct fx_unit *const *items;
    size_t n_items;
    /* Objects of files that name no namespace, which are checked last. Some of them are
     * in the namespace of the lookup (fx_unit.file_namespace). */
    struct fx_unit *const *unplaced;
    size_t n_unplaced;
};

static struct fx_unit *const *find_range(struct fx_unit *const *items, size_t n_items,
                                         const struct fx_link_lookup *lookup,
                                         size_t *ret_n) {
    const size_t first = find_bound(lookup, items, n_items, false);
    *ret_n = find_bound(lookup, items, n_items, true) - first;
    return items + first;
}

static struct found_units look_up(const struct fx_units *units,
                                  const struct fx_link_lookup *lookup) {
    const bool is_target = lookup->type == LOOKUP_TARGET;
    struct fx_unit *const *items = is_target ? units->by_target : units->by_name;
    const size_t n_items = is_target ? units->n_by_target : units->n_by_name;
    struct found_units found = {0};
    found.items = find_range(items, n_items, lookup, &found.n_items);
    if (lookup->type == LOOKUP_OBJECTS && lookup->namespace_ != NULL &&
        lookup->namespace_[0] != '\0') {
        struct fx_link_lookup unplaced = *lookup;
        char none[] = "";
        unplaced.namespace_ = none;
        found.unplaced = find_range(items, n_items, &unplaced, &found.n_unplaced);
    }
    return found;
}

static bool is_picked(const struct fx_link_lookup *lookup, const struct fx_unit *unit) {
    struct fx_err ignored = FX_ERR_INIT;
    bool fits = true;
    return lookup->type != LOOKUP_OBJECTS ||
           ((lookup->name == NULL || strcmp(lookup->name, unit->name) == 0) &&
            (lookup->selector == NULL ||
             (fx_selector_eval(lookup->selector, unit->labels, &fits, &ignored) &&
              fits)));
}

/* Returns the next unit that the lookup finds; NULL if there are no more. */
static struct fx_unit *take_next(const struct fx_link_lookup *lookup,
                                 struct found_units *left) {
    while (left->n_items > 0) {
        struct fx_unit *unit = *left->items++;
        left->n_items--;
        if (is_picked(lookup, unit)) {
            return unit;
        }
    }
    while (left->n_unplaced > 0) {
        struct fx_unit *unit = *left->unplaced++;
        left->n_unplaced--;
        if (unit->file_namespace != NULL &&
            strcmp(lookup->namespace_, unit->file_namespace) == 0 &&
            is_picked(lookup, unit)) {
            return unit;
        }
    }
    return NULL;
}

/* Returns why objects of the kind cannot be read; NULL if they can. */
static const char *find_fault(const struct fx_units *units,
                              const struct fx_named_kind *kind) {
    if (kind->group.len == 0 && fx_text_is(kind->kind, "Secret")) {
        return FX_SECRETS_ARE_NOT_READ;
    }
    for (size_t i = 0; i < units->n_states; i++) {
        if (fx_named_kind_compare(&units->states[i].kind, kind) == 0) {
            return units->states[i].unavailable;
        }
    }
    return units->states == NULL ? NULL : "they are not read yet";
}

static void lookup_finish(struct fx_link_lookup *lookup) {
    for (size_t i = 0; i < lookup->n_found; i++) {
        fx_unit_unref(lookup->found[i]);
    }
    free(lookup->found);
    free(lookup->namespace_);
    free(lookup->name);
    fx_named_kinds_finish(&lookup->named);
    free(lookup->unavailable);
}

/* Looks up, and keeps the units that are found. False without memory. */
static bool keep_found(const struct fx_units *units, struct fx_link_lookup *lookup) {
    struct found_units left = look_up(units, lookup);
    struct fx_unit *unit = NULL;
    while ((unit = take_next(lookup, &left)) != NULL) {
        if (!FX_VEC_GROW(lookup->found, lookup->n_found, lookup->cap_found)) {
            return false;
        }
        lookup->found[lookup->n_found++] = fx_unit_ref(unit);
    }
    return true;
}

/* Copies a text of a lookup, if there is one. False without memory. */
static bool copy_text(struct fx_text text, char **ret_copy) {
    *ret_copy = text.data == NULL ? NULL : fx_text_dup(text);
    return text.data == NULL || *ret_copy != NULL;
}

static bool fill_objects(const struct fx_units *units, struct fx_link_lookup *lookup,
                         const struct fx_named_kind *kind) {
    const char *fault = find_fault(units, kind);
    return copy_text(fx_text_of(fault), &lookup->unavailable) &&
           fx_named_kinds_add(&lookup->named, kind) &&
           (fault != NULL || keep_found(units, lookup));
}

/* Records a lookup with its result; NULL without memory. `query` has the names to look
 * up, and the kind if `lookup` has none. */
static const struct fx_link_lookup *record(struct fx_link *link,
                                           struct fx_link_lookup lookup,
                                           const struct fx_object_query *query) {
    struct fx_linked *linked = link->linked;
    if (link->failed) {
        return NULL;
    }
    const bool ok =
        copy_text(query->namespace_, &lookup.namespace_) &&
        copy_text(query->name, &lookup.name) &&
        (lookup.type == LOOKUP_OBJECTS ? fill_objects(link->units, &lookup, &query->kind)
                                       : keep_found(link->units, &lookup)) &&
        FX_VEC_GROW(linked->lookups, linked->n_lookups, linked->cap_lookups);
    if (!ok) {
        link->failed = true;
        lookup_finish(&lookup);
        return NULL;
    }
    linked->lookups[linked->n_lookups] = lookup;
    return &linked->lookups[linked->n_lookups++];
}

struct fx_unit *fx_link_find(struct fx_link *link, const struct fx_kind *kind,
                             struct fx_text namespace_, struct fx_text name) {
    const struct fx_object_query query = {
        .namespace_ = namespace_.data == NULL ? FX_TEXT("") : namespace_,
        .name = name.data == NULL ? FX_TEXT("") : name};
    const struct fx_link_lookup *lookup =
        record(link, (struct fx_link_lookup){.type = LOOKUP_NAME, .kind = kind}, &query);
    return lookup == NULL || lookup->n_found == 0 ? NULL : lookup->found[0];
}

struct fx_unit *const *fx_link_list(struct fx_link *link, const struct fx_kind *kind,
                                    struct fx_text target, size_t *ret_n) {
    const struct fx_object_query query = {.name = target};
    const struct fx_link_lookup *lookup = record(
        link,
        (struct fx_link_lookup){.type = target.data == NULL ? LOOKUP_KIND : LOOKUP_TARGET,
                                .kind = kind},
        &query);
    *ret_n = lookup == NULL ? 0 : lookup->n_found;
    return lookup == NULL ? NULL : lookup->found;
}

/* Reports once for each kind that its objects cannot be read. */
static void report_unavailable(struct fx_link *link,
                               const struct fx_link_lookup *lookup) {
    const struct fx_linked *linked = link->linked;
    for (const struct fx_link_lookup *l = linked->lookups; l < lookup; l++) {
        if (fx_named_kinds_equal(&l->named, &lookup->named)) {
            return;
        }
    }
    struct fx_buf kind;
    fx_buf_init(&kind, 0);
    fx_named_kind_print(&kind, lookup->named.items);
    fx_link_report(link, true, "objects of %s cannot be read: %s",
                   kind.failed ? "a kind" : kind.data, lookup->unavailable);
    fx_buf_finish(&kind);
}

struct fx_objects_found fx_link_find_objects(struct fx_link *link,
                                             const struct fx_object_query *query) {
    const struct fx_link_lookup *lookup = record(
        link,
        (struct fx_link_lookup){.type = LOOKUP_OBJECTS, .selector = query->selector},
        query);
    if (lookup == NULL) {
        return (struct fx_objects_found){0};
    }
    if (lookup->unavailable != NULL) {
        report_unavailable(link, lookup);
    }
    return (struct fx_objects_found){lookup->found, lookup->n_found, lookup->unavailable};
}

static bool is_same(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool is_current(const struct fx_link_lookup *lookup,
                       const struct fx_units *units) {
    if (lookup->type == LOOKUP_OBJECTS) {
        const char *fault = find_fault(units, lookup->named.items);
        if (fault != NULL || lookup->unavailable != NULL) {
            return is_same(fault, lookup->unavailable);
        }
    }
    struct found_units left = look_up(units, lookup);
    for (size_t i = 0; i < lookup->n_found; i++) {
        if (take_next(lookup, &left) != lookup->found[i]) {
            return false;
        }
    }
    return take_next(lookup, &left) == NULL;
}

bool fx_linked_is_current(const struct fx_linked *linked, const struct fx_units *units) {
    for (size_t i = 0; i < linked->n_lookups; i++) {
        if (!is_current(&linked->lookups[i], units)) {
            return false;
        }
    }
    return true;
}

static bool is_any_or(const char *wanted, struct fx_text text) {
    return wanted == NULL || fx_text_is(text, wanted);
}

bool fx_linked_concerns(const struct fx_linked *linked, const struct fx_named_kind *kind,
                        struct fx_text namespace_, struct fx_text name) {
    for (size_t i = 0; i < linked->n_lookups; i++) {
        const struct fx_link_lookup *lookup = &linked->lookups[i];
        if (lookup->type == LOOKUP_OBJECTS &&
            fx_named_kind_compare(lookup->named.items, kind) == 0 &&
            is_any_or(lookup->namespace_, namespace_) && is_any_or(lookup->name, name)) {
            return true;
        }
    }
    return false;
}

bool fx_linked_list_kinds(const struct fx_linked *linked, struct fx_named_kinds *kinds) {
    for (size_t i = 0; i < linked->n_lookups; i++) {
        const struct fx_link_lookup *lookup = &linked->lookups[i];
        if (lookup->named.n_items > 0 && kinds->n_items < FX_LIMIT_NAMED_KINDS &&
            !fx_named_kinds_add(kinds, lookup->named.items)) {
            return false;
        }
    }
    return true;
}

/* ---- what a link step makes ------------------------------------------------------- */

void fx_link_report(struct fx_link *link, bool is_error, const char *fmt, ...) {
    struct fx_linked *linked = link->linked;
    if (link->failed || linked->n_reports == FX_LIMIT_FINDINGS) {
        return;
    }
    struct fx_buf text;
    va_list args;
    fx_buf_init(&text, 0);
    va_start(args, fmt);
    fx_buf_vprintf(&text, fmt, args);
    va_end(args);
    char *own = fx_buf_steal(&text);
    fx_buf_finish(&text);
    if (own == NULL ||
        !FX_VEC_GROW(linked->reports, linked->n_reports, linked->cap_reports)) {
        free(own);
        link->failed = true;
        return;
    }
    linked->reports[linked->n_reports++] = (struct fx_link_report){is_error, own};
}

void fx_link_report_binding(struct fx_link *link, struct fx_unit *binding,
                            const struct fx_objects_found *parameters,
                            const char *fault) {
    struct fx_linked *linked = link->linked;
    struct fx_link_binding made = {.has_parameters = parameters != NULL};
    if (link->failed) {
        return;
    }
    if (!copy_text(fx_text_of(fault), &made.fault) ||
        !FX_VEC_GROW(linked->bindings, linked->n_bindings, linked->cap_bindings)) {
        free(made.fault);
        link->failed = true;
        return;
    }
    made.unit = fx_unit_ref(binding);
    if (parameters != NULL) {
        made.parameters = *parameters;
    }
    linked->bindings[linked->n_bindings++] = made;
}

static int compare_binding(const void *unit, const void *element) {
    const struct fx_link_binding *binding = element;
    return compare_units(unit, binding->unit);
}

const struct fx_link_binding *fx_linked_find_binding(const struct fx_linked *linked,
                                                     const struct fx_unit *binding) {
    return linked->n_bindings == 0
               ? NULL
               : bsearch(binding, linked->bindings, linked->n_bindings,
                         sizeof *linked->bindings, compare_binding);
}

void fx_link_add_take(struct fx_link *link, struct fx_mutator *rule) {
    struct fx_linked *linked = link->linked;
    const bool is_full = linked->n_rules == FX_LIMIT_LINKED_RULES;
    if (is_full && !link->is_full) {
        fx_link_report(link, true, "gives more than %u rules; the rest is ignored",
                       FX_LIMIT_LINKED_RULES);
    }
    link->is_full = is_full;
    if (!is_full && !link->failed && fx_mutator_derive_access(rule) &&
        FX_VEC_GROW(linked->rules, linked->n_rules, linked->cap_rules)) {
        linked->rules[linked->n_rules++] = rule;
        return;
    }
    link->failed = link->failed || !is_full;
    fx_mutator_unref(rule);
}

static void destroy(struct fx_linked *linked) {
    for (size_t i = 0; i < linked->n_rules; i++) {
        fx_mutator_unref(linked->rules[i]);
    }
    for (size_t i = 0; i < linked->n_reports; i++) {
        free(linked->reports[i].text);
    }
    for (size_t i = 0; i < linked->n_lookups; i++) {
        lookup_finish(&linked->lookups[i]);
    }
    for (size_t i = 0; i < linked->n_bindings; i++) {
        fx_unit_unref(linked->bindings[i].unit);
        free(linked->bindings[i].fault);
    }
    free(linked->bindings);
    free(linked->rules);
    free(linked->reports);
    free(linked->lookups);
    fx_unit_unref(linked->policy);
    free(linked);
}

static int compare_linked(const void *policy, const void *element) {
    struct fx_linked *const *linked = element;
    const struct fx_unit *unit = policy;
    return by_name(&unit, &(*linked)->policy);
}

struct fx_linked *fx_linked_find(struct fx_linked *const *linked, size_t n_linked,
                                 const struct fx_unit *policy) {
    struct fx_linked *const *found =
        n_linked == 0 ? NULL
                      : bsearch(policy, linked, n_linked, sizeof(struct fx_linked *),
                                compare_linked);
    return found == NULL ? NULL : *found;
}

struct fx_linked *fx_linked_ref(struct fx_linked *linked) {
    (void)atomic_fetch_add_explicit(&linked->refs, 1, memory_order_relaxed);
    return linked;
}

void fx_linked_unref(struct fx_linked *linked) {
    /* The last owner must see all writes of the others. */
    if (linked != NULL &&
        atomic_fetch_sub_explicit(&linked->refs, 1, memory_order_acq_rel) == 1) {
        destroy(linked);
    }
}

/* A rule has the origin of its policy. */
static bool set_origins(const struct fx_linked *linked) {
    for (size_t i = 0; i < linked->n_rules; i++) {
        struct fx_origin *origin = &linked->rules[i]->origin;
        if (origin->file == NULL && linked->policy->origin.file != NULL) {
            origin->file = strdup(linked->policy->origin.file);
            origin->line = linked->policy->origin.line;
            if (origin->file == NULL) {
                return false;
            }
        }
    }
    return true;
}

struct fx_linked *fx_link_policy(const struct fx_units *units, struct fx_unit *policy) {
    struct fx_linked *linked = calloc(1, sizeof *linked);
    if (linked == NULL) {
        return NULL;
    }
    atomic_init(&linked->refs, 1);
    linked->policy = fx_unit_ref(policy);
    struct fx_link link = {.units = units, .linked = linked};
    policy->dialect->link(policy, &link);
    if (link.failed || !set_origins(linked)) {
        fx_linked_unref(linked);
        return NULL;
    }
    return linked;
}
