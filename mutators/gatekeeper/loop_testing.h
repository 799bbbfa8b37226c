/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/loop_testing.h - private: several policies and one object in the
 * loop, for the tests of this room. Included behind testing.h.
 */
#ifndef FX_MUTATORS_GATEKEEPER_LOOP_TESTING_H
#define FX_MUTATORS_GATEKEEPER_LOOP_TESTING_H

#include <jansson.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/macros.h"
#include "engine/converge.h"
#include "engine/external.h"
#include "engine/snapshot.h"
#include "mutators/gatekeeper/testing.h"

#define LOOP_POLICIES 8
#define LOOP_UUID     "00000000-0000-0000-0000-000000000000"

/* One evaluation and what came of it. */
struct loop {
    json_t *policies[LOOP_POLICIES];
    size_t n_policies;
    struct fx_snapshot *snapshot;
    struct fx_request request;
    struct fx_arena arena;
    struct fx_outcome outcome;
    struct fx_err err;
    json_t *root;
    bool ok;
};

static inline void loop_build(struct loop *loop, const char *const *policies) {
    struct fx_compilation compilation = {0};
    for (; policies[loop->n_policies] != NULL; loop->n_policies++) {
        json_t *policy = must_read(policies[loop->n_policies]);
        assert_true(loop->n_policies < LOOP_POLICIES);
        loop->policies[loop->n_policies] = policy;
        if (!fx_dialect_gatekeeper.compile(policy, &compilation, &loop->err)) {
            fail_msg("%s", loop->err.msg);
        }
    }
    const struct fx_snapshot_parts parts = {.mutators = compilation.mutators,
                                            .n_mutators = compilation.n_mutators};
    assert_true(fx_snapshot_build(&parts, 1, &loop->snapshot, &loop->err));
    fx_compilation_finish(&compilation);
}

/* Runs the policies (NULL ends) on a Pod of this spec. */
static inline void loop_run(struct loop *loop, const char *const *policies,
                            const char *spec) {
    *loop = (struct loop){.err = FX_ERR_INIT, .request = request_create};
    loop_build(loop, policies);
    loop->request.mutation_id = LOOP_UUID;
    loop->request.placeholders = fx_placeholders_create();
    fx_arena_init(&loop->arena, FX_LIMIT_ARENA_BYTES);
    loop->root = pod_of(spec);
    loop->ok = fx_converge(loop->snapshot, &loop->request, &loop->arena, NULL,
                           &loop->root, &loop->outcome, &loop->err);
}

static inline void loop_finish(struct loop *loop) {
    fx_outcome_finish(&loop->outcome);
    json_decref(loop->root);
    fx_arena_finish(&loop->arena);
    fx_placeholders_destroy(loop->request.placeholders);
    fx_snapshot_unref(loop->snapshot);
    for (size_t i = 0; i < loop->n_policies; i++) {
        json_decref(loop->policies[i]);
    }
    *loop = (struct loop){0};
}

#endif
