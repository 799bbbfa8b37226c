/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/access.c - declarations of access, and what the engine derives from them.
 */
#include "engine/access.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "engine/mutator.h"
#include "value/patch.h"
#include "value/pointer.h"

/* ---- the declaration --------------------------------------------------------------- */

static void begin_path(struct fx_access *access, const struct fx_access_path *path) {
    if (!FX_VEC_GROW(access->paths, access->n_paths, access->cap_paths)) {
        access->failed = true;
        return;
    }
    access->paths[access->n_paths] = *path;
    access->paths[access->n_paths++].first = access->n_steps;
}

void fx_access_read(struct fx_access *access) {
    begin_path(access, &(struct fx_access_path){.writes = false});
}

void fx_access_write(struct fx_access *access, enum fx_access_type type,
                     bool must_terminate) {
    begin_path(access, &(struct fx_access_path){.writes = true,
                                                .type = type,
                                                .must_terminate = must_terminate});
}

void fx_access_step(struct fx_access *access, struct fx_path_step step) {
    if (access->failed ||
        !FX_VEC_GROW(access->steps, access->n_steps, access->cap_steps)) {
        access->failed = true;
        return;
    }
    assert(access->n_paths > 0);
    access->steps[access->n_steps++] = step;
    access->paths[access->n_paths - 1].n_steps++;
}

bool fx_access_declare(struct fx_access *access, const struct fx_mutator *mutator) {
    access->n_paths = 0;
    access->n_steps = 0;
    access->matches_metadata = false;
    access->uses_old_value = false;
    access->failed = false;
    mutator->ops->access(mutator, access);
    return !access->failed;
}

void fx_access_finish(struct fx_access *access) {
    free(access->paths);
    free(access->steps);
    *access = (struct fx_access){.failed = false};
}

/* ---- type, names and metadata ---------------------------------------------------- */

static bool may_be(const struct fx_path_step *step, const char *name) {
    return step->type == FX_PATH_ANY ||
           (step->type != FX_PATH_ELEMENT && step->type != FX_PATH_APPEND &&
            fx_text_is(step->name, name));
}

static bool keeps_metadata(const struct fx_path_step *steps, size_t n_steps) {
    return n_steps > 0 && !may_be(&steps[0], "metadata");
}

/* Does a write at this path keep the type and the names of the object? */
static bool keeps_names(const struct fx_path_step *steps, size_t n_steps) {
    if (n_steps == 0 || may_be(&steps[0], "apiVersion") || may_be(&steps[0], "kind")) {
        return false;
    }
    return keeps_metadata(steps, n_steps) ||
           (steps[0].type != FX_PATH_ANY && n_steps > 1 && steps[1].type != FX_PATH_ANY &&
            (may_be(&steps[1], "labels") || may_be(&steps[1], "annotations")));
}

/* ---- hashes ---------------------------------------------------------------------- */

#define FNV_PRIME UINT32_C(16777619)

/* Ends each name, so that `ab`, `c` differs from `a`, `bc`. This byte is never part of
 * UTF-8. */
#define NAME_END 0xFFu

/* FNV-1a. */
uint32_t fx_path_hash(uint32_t parent, struct fx_text name) {
    uint32_t hash = parent;
    for (size_t i = 0; i < name.len; i++) {
        hash = (hash ^ (unsigned char)name.data[i]) * FNV_PRIME;
    }
    hash = (hash ^ NAME_END) * FNV_PRIME;
    return hash == 0 ? 1 : hash;
}

struct hash_list {
    uint32_t items[FX_ACCESS_HASHES];
    size_t n_items;
};

struct hashing {
    struct hash_list passed, read, written;
    bool is_full; /* there are too many hashes, or everything is read */
};

static bool has(const uint32_t *hashes, size_t n, uint32_t hash) {
    for (size_t i = 0; i < n; i++) {
        if (hashes[i] == hash) {
            return true;
        }
    }
    return false;
}

static void add_hash(struct hashing *hashing, struct hash_list *list, uint32_t hash) {
    if (has(list->items, list->n_items, hash)) {
        return;
    }
    if (list->n_items == FX_ACCESS_HASHES) {
        hashing->is_full = true;
    } else {
        list->items[list->n_items++] = hash;
    }
}

/* Computes the hashes after each step, up to a step that may be a member or an element:
 * the rest of the path counts as a part of the value before it. An element has the hash
 * of its list. */
static void hash_steps(const struct fx_path_step *steps, size_t n_steps,
                       struct hash_list *ret_way) {
    uint32_t hash = FX_PATH_HASH_ROOT;
    ret_way->n_items = 0;
    for (size_t i = 0;
         n_steps <= FX_ACCESS_HASHES && i < n_steps &&
         (steps[i].type == FX_PATH_MEMBER || steps[i].type == FX_PATH_ELEMENT);
         i++) {
        hash = steps[i].type == FX_PATH_MEMBER ? fx_path_hash(hash, steps[i].name) : hash;
        ret_way->items[ret_way->n_items++] = hash;
    }
}

/* Adds the path as one that is read, and the keys that identify elements on it. */
static void add_way(struct hashing *hashing, const struct fx_path_step *steps,
                    const struct hash_list *way) {
    if (way->n_items == 0) {
        hashing->is_full = true;
        return;
    }
    const size_t last = way->n_items - 1;
    for (size_t i = 0; i < last; i++) {
        add_hash(hashing, &hashing->passed, way->items[i]);
    }
    add_hash(hashing, &hashing->read, way->items[last]);
    for (size_t i = 0; i < last; i++) {
        if (steps[i].type == FX_PATH_ELEMENT) {
            add_hash(hashing, &hashing->read, fx_path_hash(way->items[i], steps[i].name));
        }
    }
}

/* Adds the paths that expressions read. */
static void add_parts(struct hashing *hashing, const struct fx_json_part *of,
                      uint32_t hash) {
    for (const struct fx_json_part *part = of->first; part != NULL; part = part->next) {
        const uint32_t own = fx_path_hash(hash, part->key);
        if (part->omits_rest && !part->is_list && part->first != NULL) {
            add_hash(hashing, &hashing->passed, own);
            add_parts(hashing, part, own);
        } else {
            add_hash(hashing, &hashing->read, own);
        }
    }
}

/* Returns how many steps of a written path come before a step to an element that may be
 * made. */
static size_t count_stable(const struct fx_path_step *steps, size_t n_steps) {
    size_t n = 1;
    while (n < n_steps && (steps[n].type == FX_PATH_MEMBER || steps[n].value == NULL)) {
        n++;
    }
    return n;
}

/* Do the paths added so far read no node on the stable part of the written path, and
 * nothing below its end? */
static bool lies_apart(const struct hashing *hashing, const struct fx_path_step *steps,
                       const struct hash_list *way) {
    const size_t n_stable = count_stable(steps, way->n_items);
    for (size_t i = 0; i < hashing->read.n_items; i++) {
        if (has(way->items, n_stable, hashing->read.items[i])) {
            return false;
        }
    }
    return !has(hashing->passed.items, hashing->passed.n_items, way->items[n_stable - 1]);
}

/* Adds the written paths, after all that are read. If there are several, each may be
 * written, so there is no single way. Returns whether the mutator settles. */
static bool add_written(struct hashing *hashing, const struct fx_access *access) {
    size_t n_written = 0;
    bool settles = false;
    for (size_t i = 0; i < access->n_paths; i++) {
        const struct fx_access_path *path = &access->paths[i];
        const struct fx_path_step *steps = fx_access_steps(access, path);
        struct hash_list way;
        if (!path->writes) {
            continue;
        }
        hash_steps(steps, path->n_steps, &way);
        hashing->written.n_items = 0;
        settles = false;
        if (++n_written == 1 && way.n_items > 0 && keeps_names(steps, path->n_steps)) {
            settles = way.n_items == path->n_steps && !access->uses_old_value &&
                      lies_apart(hashing, steps, &way);
            hashing->written = way;
        }
        add_way(hashing, steps, &way);
    }
    return settles;
}

static uint32_t *copy_hashes(uint32_t *to, const struct hash_list *list) {
    memcpy(to, list->items, list->n_items * sizeof *to);
    return to + list->n_items;
}

static struct fx_access_hashes *make_hashes(const struct hashing *hashing) {
    const size_t n =
        hashing->passed.n_items + hashing->read.n_items + hashing->written.n_items;
    struct fx_access_hashes *made = malloc(sizeof *made + n * sizeof *made->items);
    if (made != NULL) {
        *made = (struct fx_access_hashes){
            .n_passed = (uint32_t)hashing->passed.n_items,
            .n_read = (uint32_t)hashing->read.n_items,
            .n_steps = (uint32_t)hashing->written.n_items,
        };
        (void)copy_hashes(
            copy_hashes(copy_hashes(made->items, &hashing->passed), &hashing->read),
            &hashing->written);
    }
    return made;
}

bool fx_access_hash(const struct fx_access *access,
                    struct fx_access_hashes **ret_hashes) {
    struct hashing hashing;
    hashing.passed.n_items = hashing.read.n_items = hashing.written.n_items = 0;
    const struct fx_json_part *parts = access->parts;
    hashing.is_full = parts != NULL && (!parts->omits_rest || parts->is_list);
    if (parts != NULL) {
        add_parts(&hashing, parts, FX_PATH_HASH_ROOT);
    }
    for (size_t i = 0; i < access->n_paths; i++) {
        const struct fx_access_path *path = &access->paths[i];
        struct hash_list way;
        if (!path->writes) {
            hash_steps(fx_access_steps(access, path), path->n_steps, &way);
            add_way(&hashing, fx_access_steps(access, path), &way);
        }
    }
    const bool settles = add_written(&hashing, access);
    *ret_hashes = hashing.is_full ? NULL : make_hashes(&hashing);
    if (*ret_hashes != NULL) {
        const uint32_t metadata = fx_path_hash(FX_PATH_HASH_ROOT, FX_TEXT("metadata"));
        (*ret_hashes)->settles = settles;
        (*ret_hashes)->matches_metadata = access->matches_metadata;
        (*ret_hashes)->writes_metadata =
            hashing.written.n_items > 0 && hashing.written.items[0] == metadata;
    }
    return hashing.is_full || *ret_hashes != NULL;
}

/* ---- what the head of a mutator has ---------------------------------------------- */

static void derive_flags(struct fx_mutator *mutator, const struct fx_access *access) {
    mutator->keeps_names = true;
    mutator->keeps_metadata = true;
    for (size_t i = 0; i < access->n_paths; i++) {
        const struct fx_access_path *path = &access->paths[i];
        const struct fx_path_step *steps = fx_access_steps(access, path);
        if (path->writes) {
            mutator->keeps_names =
                mutator->keeps_names && keeps_names(steps, path->n_steps);
            mutator->keeps_metadata =
                mutator->keeps_metadata && keeps_metadata(steps, path->n_steps);
            mutator->is_typed = mutator->is_typed || path->type != FX_ACCESS_UNTYPED;
        }
    }
}

bool fx_mutator_derive_access(struct fx_mutator *mutator) {
    if (mutator->ops->access == NULL) {
        return true;
    }
    assert(mutator->hashes == NULL);
    const bool needs_hashes =
        mutator->ops->view == NULL && !fx_mutator_is_validator(mutator);
    struct fx_json_part parts = {.omits_rest = true};
    struct fx_access access = {.parts = &parts};
    bool ok = fx_access_declare(&access, mutator);
    if (ok) {
        derive_flags(mutator, &access);
        mutator->reads_parts = parts.omits_rest && !parts.is_list;
        ok = !needs_hashes || fx_access_hash(&access, &mutator->hashes);
    }
    fx_json_part_finish(&parts);
    fx_access_finish(&access);
    return ok;
}

/* ---- parts to decode ------------------------------------------------------------- */

static bool add_member(struct fx_json_cursor place, struct fx_text name) {
    const bool ok = fx_json_cursor_member(&place, name);
    fx_json_cursor_all(place);
    return ok;
}

/* Adds the members that identify an element of a list: the key of the path, and the keys
 * by which a diff aligns two lists. */
static bool add_keys(struct fx_json_cursor element, const struct fx_path_step *step) {
    bool ok = step->type != FX_PATH_ELEMENT || add_member(element, step->name);
    for (const char *const *key = fx_patch_merge_keys; ok && *key != NULL; key++) {
        ok = add_member(element, fx_text_of(*key));
    }
    return ok;
}

/* Of a list that gets a new element, only the number of elements and their keys count. */
static bool add_path(const struct fx_path_step *steps, size_t n_steps,
                     struct fx_json_part *parts) {
    struct fx_json_cursor place = {.part = parts};
    const bool appends = n_steps > 0 && steps[n_steps - 1].type == FX_PATH_APPEND;
    bool ok = true;
    for (size_t i = 0; ok && i < n_steps; i++) {
        if (steps[i].type == FX_PATH_MEMBER) {
            ok = fx_json_cursor_member(&place, steps[i].name);
        } else if (appends || i + 1 < n_steps) {
            fx_json_cursor_element(&place);
            ok = add_keys(place, &steps[i]);
        }
    }
    if (n_steps > 0 && !appends) {
        fx_json_cursor_all(place);
    }
    return ok;
}

static bool add_declared(struct fx_access *access, const struct fx_mutator *mutator) {
    bool ok = fx_access_declare(access, mutator);
    for (size_t i = 0; ok && i < access->n_paths; i++) {
        const struct fx_access_path *path = &access->paths[i];
        ok = add_path(fx_access_steps(access, path), path->n_steps, access->parts);
    }
    return ok;
}

bool fx_access_add_parts_of(const struct fx_mutator *mutator,
                            struct fx_json_part *parts) {
    struct fx_access access = {.parts = parts};
    const bool ok = add_declared(&access, mutator);
    fx_access_finish(&access);
    fx_json_part_prune(parts);
    return ok;
}

static bool add_common(struct fx_json_part *parts) {
    static const char *const of_metadata[] = {"name", "generateName", "namespace",
                                              "labels", "annotations"};
    struct fx_path_step steps[2] = {{.name = FX_TEXT("apiVersion")}};
    bool ok = add_path(steps, 1, parts);
    steps[0].name = FX_TEXT("kind");
    ok = ok && add_path(steps, 1, parts);
    steps[0].name = FX_TEXT("metadata");
    for (size_t i = 0; ok && i < FX_COUNT(of_metadata); i++) {
        steps[1].name = fx_text_of(of_metadata[i]);
        ok = add_path(steps, 2, parts);
    }
    return ok;
}

bool fx_access_add_parts(struct fx_mutator *const *mutators, size_t n_mutators,
                         bool by_kind, struct fx_json_part *parts) {
    struct fx_access access = {.parts = parts};
    bool ok = add_common(parts);
    for (size_t i = 0; ok && i < n_mutators; i++) {
        if (by_kind && fx_mutator_reads_whole_kinds(mutators[i])) {
            continue;
        }
        if (mutators[i]->ops->access != NULL) {
            ok = add_declared(&access, mutators[i]);
        } else {
            fx_json_cursor_all((struct fx_json_cursor){.part = parts});
        }
    }
    fx_access_finish(&access);
    fx_json_part_prune(parts);
    return ok;
}

/* ---- may it write a field? ------------------------------------------------------- */

/* May both steps lead to the same member or element? Elements with different keys may be
 * the same. */
static bool steps_meet(const struct fx_path_step *asked, const struct fx_path_step *own) {
    size_t index = 0;
    if (own->type == FX_PATH_ANY || own->type == FX_PATH_APPEND) {
        return true;
    }
    if (own->type == FX_PATH_ELEMENT) {
        return asked->type == FX_PATH_TOKEN
                   ? fx_pointer_index(asked->name, &index)
                   : asked->type == FX_PATH_ELEMENT &&
                         (asked->value == NULL || own->value == NULL ||
                          !fx_text_equal(asked->name, own->name) ||
                          json_equal(asked->value, own->value));
    }
    return asked->type == FX_PATH_ELEMENT
               ? own->type == FX_PATH_TOKEN && fx_pointer_index(own->name, &index)
               : fx_text_equal(asked->name, own->name);
}

bool fx_access_may_write(const struct fx_mutator *mutator,
                         const struct fx_path_step *path, size_t n_steps, bool *ret_may,
                         struct fx_err *err) {
    *ret_may = mutator->ops->access == NULL && !fx_mutator_is_validator(mutator);
    if (mutator->ops->access == NULL) {
        return true;
    }
    struct fx_access access = {.parts = NULL};
    const bool ok = fx_access_declare(&access, mutator);
    for (size_t i = 0; ok && i < access.n_paths && !*ret_may; i++) {
        const struct fx_access_path *own = &access.paths[i];
        const struct fx_path_step *steps = fx_access_steps(&access, own);
        *ret_may = own->writes;
        for (size_t k = 0; *ret_may && k < n_steps && k < own->n_steps; k++) {
            *ret_may = steps_meet(&path[k], &steps[k]);
        }
    }
    fx_access_finish(&access);
    return ok || fx_fail_nomem(err);
}
