/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/rule_session.c - the policies and objects of a Test, and its policies one by one.
 */
#include "suite/rule_session.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "engine/kind.h"
#include "engine/request.h"
#include "value/tree.h"

void fx_rule_session_destroy(struct fx_rule_session *session) {
    if (session == NULL) {
        return;
    }
    for (size_t i = 0; session->stages != NULL && i < session->policies.n_items; i++) {
        fx_snapshot_unref(session->stages[i].snapshot);
    }
    free(session->stages);
    fx_objects_finish(&session->policies);
    fx_objects_finish(&session->objects);
    fx_objects_finish(&session->others);
    fx_namespaces_finish(&session->namespaces);
    fx_rule_values_finish(&session->values);
    fx_suite_bad_file_finish(&session->bad);
    free(session);
}

/* ---- reading ----------------------------------------------------------------------- */

static bool read_paths(const struct fx_suite_reading *reading,
                       const struct fx_suite_paths *paths,
                       const struct fx_suite_source *source,
                       struct fx_objects *ret_objects) {
    bool ok = true;
    for (size_t i = 0; ok && reading->bad->reason == NULL && i < paths->n_items; i++) {
        ok = fx_suite_read_all(reading, &paths->items[i], source, ret_objects);
    }
    return ok;
}

/* Gives objects without a namespace the namespace `default`, unless their kind is known
 * to have none. */
static bool set_namespaces(struct fx_objects *objects) {
    bool ok = true;
    for (size_t i = 0; ok && i < objects->n_items; i++) {
        ok = fx_rule_set_namespace(&objects->items[i]);
    }
    return ok;
}

bool fx_rule_set_namespace(json_t **object) {
    struct fx_subject subject;
    fx_subject_read(*object, &subject);
    if (subject.namespace_.len > 0 ||
        fx_kind_is_cluster_scoped(subject.group, subject.kind) ||
        !json_is_object(fx_tree_view_key(*object, "metadata"))) {
        return true;
    }
    json_t *root = fx_tree_own_root(object);
    json_t *metadata = root != NULL ? fx_tree_own_key(root, FX_TEXT("metadata")) : NULL;
    return metadata != NULL &&
           fx_tree_set_take(metadata, FX_TEXT("namespace"), json_string("default"));
}

static bool read_session(struct fx_rule_session *session,
                         const struct fx_suite_test *test,
                         const struct fx_suite_host *host, struct fx_err *err) {
    const struct fx_rule_inputs *inputs = session->inputs;
    const struct fx_suite_reading reading = {host, &session->bad, err};
    if (!read_paths(&reading, &test->mutators, test->source, &session->policies) ||
        !read_paths(&reading, &inputs->objects, inputs->source, &session->objects) ||
        !read_paths(&reading, &inputs->targets, inputs->source, &session->others) ||
        !read_paths(&reading, &inputs->others, inputs->source, &session->others) ||
        !fx_rule_values_read(inputs, &reading, &session->values)) {
        return false;
    }
    session->stages = calloc(session->policies.n_items + 1, sizeof *session->stages);
    return (session->stages != NULL && set_namespaces(&session->objects)) ||
           fx_fail_nomem(err);
}

struct fx_rule_session *fx_rule_session_of(struct fx_suite_inputs *inputs,
                                           const struct fx_suite_test *test,
                                           const struct fx_suite_host *host,
                                           struct fx_err *err) {
    for (size_t i = inputs->n_sessions; i > 0; i--) {
        if (inputs->sessions[i - 1]->inputs == test->rule_inputs) {
            return inputs->sessions[i - 1];
        }
    }
    struct fx_rule_session *made = NULL;
    if (FX_VEC_GROW(inputs->sessions, inputs->n_sessions, inputs->cap_sessions)) {
        made = calloc(1, sizeof *made);
    }
    if (made == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    made->inputs = test->rule_inputs;
    inputs->sessions[inputs->n_sessions++] = made;
    return read_session(made, test, host, err) ? made : NULL;
}

/* ---- the objects around ------------------------------------------------------------ */

static bool add_all(struct fx_namespaces *namespaces, json_t *const *objects,
                    size_t n_objects) {
    bool ok = true;
    for (size_t i = 0; ok && i < n_objects; i++) {
        ok = !fx_namespaces_can_hold(objects[i]) ||
             fx_namespaces_add(namespaces, objects[i]);
    }
    return ok;
}

bool fx_rule_session_set_policies(struct fx_rule_session *session,
                                  struct fx_policies *policies, struct fx_err *err) {
    if (session->compiled == policies) {
        return true;
    }
    const struct fx_namespaces *given = &policies->namespaces;
    struct fx_namespaces *namespaces = &session->namespaces;
    if (!add_all(namespaces, given->objects, given->n_objects) ||
        !fx_rule_values_add_namespaces(&session->values, namespaces) ||
        !add_all(namespaces, session->others.items, session->others.n_items) ||
        !add_all(namespaces, session->objects.items, session->objects.n_items)) {
        return fx_fail_nomem(err);
    }
    session->compiled = policies;
    return true;
}

/* ---- one policy -------------------------------------------------------------------- */

static bool is_of(const struct fx_mutator *mutator, const json_t *policy) {
    const json_t *metadata = fx_tree_view_key(policy, "metadata");
    const char *namespace_ = mutator->namespace_;
    /* A policy that names no namespace is compiled with a default one. */
    const struct fx_text given = fx_tree_view_string(metadata, "namespace");
    return fx_text_is(fx_tree_view_string(policy, "kind"), mutator->kind) &&
           fx_text_is(fx_tree_view_string(metadata, "name"), mutator->name) &&
           (namespace_ == NULL || given.len == 0 || fx_text_is(given, namespace_));
}

static bool build_stage(const struct fx_rule_session *session, const json_t *policy,
                        struct fx_rule_stage *stage, struct fx_err *err) {
    const struct fx_snapshot *all = session->compiled->snapshot;
    struct fx_mutator **mutators = calloc(all->n_mutators + 1, sizeof(*mutators));
    if (mutators == NULL) {
        return fx_fail_nomem(err);
    }
    size_t n_mutators = 0;
    for (size_t i = 0; i < all->n_mutators; i++) {
        if (is_of(all->mutators[i], policy)) {
            mutators[n_mutators++] = all->mutators[i];
        }
    }
    const struct fx_snapshot_parts parts = {.mutators = mutators,
                                            .n_mutators = n_mutators,
                                            .resources = all->resources,
                                            .n_resources = all->n_resources};
    const bool ok = fx_snapshot_build(&parts, all->generation, &stage->snapshot, err);
    free(mutators);
    return ok;
}

struct fx_snapshot *fx_rule_session_stage(struct fx_rule_session *session, size_t policy,
                                          struct fx_err *err) {
    struct fx_rule_stage *stage = &session->stages[policy];
    if (stage->snapshot == NULL &&
        !build_stage(session, session->policies.items[policy], stage, err)) {
        return NULL;
    }
    return stage->snapshot;
}
