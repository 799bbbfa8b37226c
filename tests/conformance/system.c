/* SPDX-License-Identifier: Apache-2.0
 *
 * system.c - upserts and removals of mutators, and the conflicts between them.
 */
#include "system.h"

#include <stdlib.h>

#include "base/vec.h"
#include "engine/dialect.h"
#include "engine/resource.h"
#include "mutators/gatekeeper/policy.h"
#include "value/tree.h"

/* Adds a provider. Nothing connects to it, because the row has its answers. */
static bool add_provider(struct fx_case_system *system, const char *name) {
    json_t *nothing = json_object();
    struct fx_provider *provider = NULL;
    if (nothing != NULL &&
        FX_VEC_GROW(system->providers, system->n_providers, system->cap_providers)) {
        provider = fx_provider_create(&fx_external_data_protocol, fx_text_of(name),
                                      nothing, FX_TEXT(""), 0, FX_TEXT(""));
    }
    json_decref(nothing);
    if (provider != NULL) {
        system->providers[system->n_providers++] = &provider->resource;
    }
    return provider != NULL;
}

static bool rebuild(struct fx_case_system *system, struct fx_err *err) {
    struct fx_snapshot *snapshot = NULL;
    const struct fx_snapshot_parts parts = {
        .mutators = system->mutators,
        .n_mutators = system->n_mutators,
        .resources = system->providers,
        .n_resources = system->n_providers,
    };
    if (!fx_snapshot_build(&parts, 1, &snapshot, err)) {
        return false;
    }
    fx_snapshot_unref(system->snapshot);
    system->snapshot = snapshot;
    return true;
}

bool fx_case_system_init(struct fx_case_system *system, const json_t *row,
                         struct fx_err *err) {
    *system = (struct fx_case_system){0};
    const char *name = NULL;
    json_t *answers = NULL;
    json_object_foreach (fx_tree_view_key(row, "providers"), name, answers) {
        if (!json_is_null(answers) && !add_provider(system, name)) {
            return fx_fail_nomem(err);
        }
    }
    return rebuild(system, err);
}

void fx_case_system_finish(struct fx_case_system *system) {
    if (system == NULL) {
        return;
    }
    for (size_t i = 0; i < system->n_mutators; i++) {
        fx_mutator_unref(system->mutators[i]);
    }
    for (size_t i = 0; i < system->n_providers; i++) {
        fx_resource_unref(system->providers[i]);
    }
    free(system->mutators);
    free(system->providers);
    fx_snapshot_unref(system->snapshot);
    json_decref(system->upsert_errors);
    *system = (struct fx_case_system){0};
}

/* ---- compiling ------------------------------------------------------------------- */

static const struct fx_dialect *find_dialect(struct fx_text group, struct fx_text kind) {
    for (size_t i = 0; fx_dialects[i] != NULL; i++) {
        const struct fx_kind *spoken = fx_dialects[i]->kinds;
        for (; spoken->kind != NULL; spoken++) {
            if (fx_text_is(group, spoken->group) && fx_text_is(kind, spoken->kind)) {
                return fx_dialects[i];
            }
        }
    }
    return NULL;
}

/* Returns the only mutator of a Gatekeeper policy, as a new reference. */
static struct fx_mutator *compile(json_t *policy, struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(policy, &subject);
    const struct fx_dialect *dialect = find_dialect(subject.group, subject.kind);
    if (dialect == NULL) {
        (void)fx_fail(err, FX_EINVALID, "no dialect has the kind `%.*s`",
                      FX_TEXT_ARG(subject.kind));
        return NULL;
    }
    struct fx_compilation compilation = {0};
    struct fx_mutator *mutator = NULL;
    if (dialect->compile(policy, &compilation, err)) {
        if (compilation.n_mutators == 1) {
            mutator = fx_mutator_ref(compilation.mutators[0]);
        } else {
            (void)fx_fail(err, FX_EINTERNAL, "%zu mutators of one policy",
                          compilation.n_mutators);
        }
    }
    fx_compilation_finish(&compilation);
    return mutator;
}

/* ---- upserts and removals --------------------------------------------------------- */

static bool has_id(const struct fx_mutator *mutator, struct fx_text kind,
                   struct fx_text name) {
    return fx_text_is(kind, mutator->kind) && fx_text_is(name, mutator->full_name);
}

static void drop(struct fx_case_system *system, size_t at) {
    fx_mutator_unref(system->mutators[at]);
    system->n_mutators--;
    for (; at < system->n_mutators; at++) {
        system->mutators[at] = system->mutators[at + 1];
    }
}

static void drop_equal(struct fx_case_system *system, const struct fx_mutator *mutator) {
    for (size_t i = 0; i < system->n_mutators; i++) {
        if (fx_mutator_compare_ids(system->mutators[i], mutator) == 0) {
            drop(system, i);
            return;
        }
    }
}

/* Records the error that the upsert of `mutator` reports, if the mutator has a
 * conflict. */
static bool note_conflict(struct fx_case_system *system, const struct fx_mutator *mutator,
                          struct fx_err *err) {
    const struct fx_snapshot *snapshot = system->snapshot;
    size_t at = 0;
    while (at < snapshot->n_mutators && snapshot->mutators[at] != mutator) {
        at++;
    }
    if (at == snapshot->n_mutators || snapshot->conflicts.sets[at].n_members == 0) {
        return true;
    }
    if (system->upsert_errors == NULL) {
        system->upsert_errors = json_array();
    }
    struct fx_buf words;
    fx_buf_init(&words, 0);
    fx_conflicts_print(&snapshot->conflicts, at, snapshot->mutators, &words);
    const bool ok =
        !words.failed && json_array_append_new(system->upsert_errors,
                                               json_stringn(words.data, words.len)) == 0;
    fx_buf_finish(&words);
    return ok || fx_fail_nomem(err);
}

bool fx_case_system_upsert(struct fx_case_system *system, json_t *policy,
                           struct fx_err *err) {
    struct fx_mutator *mutator = compile(policy, err);
    if (mutator == NULL) {
        return false;
    }
    drop_equal(system, mutator);
    if (!FX_VEC_GROW(system->mutators, system->n_mutators, system->cap_mutators)) {
        fx_mutator_unref(mutator);
        return fx_fail_nomem(err);
    }
    system->mutators[system->n_mutators++] = mutator;
    return rebuild(system, err) && note_conflict(system, mutator, err);
}

bool fx_case_system_remove(struct fx_case_system *system, struct fx_text kind,
                           struct fx_text name, struct fx_err *err) {
    for (size_t i = 0; i < system->n_mutators; i++) {
        if (has_id(system->mutators[i], kind, name)) {
            drop(system, i);
            break;
        }
    }
    return rebuild(system, err);
}

/* ---- comparing ------------------------------------------------------------------- */

static json_t *id_of(const struct fx_mutator *mutator) {
    return json_sprintf("%s/%s", mutator->kind, mutator->full_name);
}

/* Returns the ids of the mutators that are disabled. */
static json_t *disabled(const struct fx_snapshot *snapshot) {
    json_t *ids = json_array();
    for (size_t i = 0; i < snapshot->n_mutators; i++) {
        if (snapshot->conflicts.sets[i].disabled) {
            (void)json_array_append_new(ids, id_of(snapshot->mutators[i]));
        }
    }
    return ids;
}

static json_t *members(const struct fx_snapshot *snapshot, size_t index) {
    const struct fx_conflict_set *set = &snapshot->conflicts.sets[index];
    json_t *ids = json_array();
    for (size_t i = 0; i < set->n_members; i++) {
        (void)json_array_append_new(ids, id_of(snapshot->mutators[set->members[i]]));
    }
    return ids;
}

static json_t *members_by_id(const struct fx_snapshot *snapshot) {
    json_t *by_id = json_object();
    for (size_t i = 0; i < snapshot->n_mutators; i++) {
        if (snapshot->conflicts.sets[i].n_members > 0) {
            json_t *id = id_of(snapshot->mutators[i]);
            (void)json_object_set_new(by_id, json_string_value(id), members(snapshot, i));
            json_decref(id);
        }
    }
    return by_id;
}

/* Compares `got`, if the case has an expected value. `got` is consumed. */
static void compare_take(struct fx_case_result *result, const json_t *expect,
                         const char *key, json_t *got) {
    const json_t *expected = fx_tree_view_key(expect, key);
    if (expected != NULL) {
        fx_case_expect_json(result, key, expected, got);
    }
    json_decref(got);
}

void fx_case_system_compare(const struct fx_case_system *system, const json_t *expect,
                            struct fx_case_result *result) {
    compare_take(result, expect, "conflicts", disabled(system->snapshot));
    compare_take(result, expect, "conflictsById", members_by_id(system->snapshot));
    compare_take(result, expect, "upsertErrors", json_incref(system->upsert_errors));
}
