/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/existing/existing_testing.h - rules and triggers for the tests of this room.
 */
#ifndef FX_CLUSTER_EXISTING_TESTING_H
#define FX_CLUSTER_EXISTING_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cluster/existing/existing_internal.h"
#include "engine/fake_mutator.h"

/* A snapshot with the rules `a` and `b`. */
static inline struct fx_snapshot *make_rules(void) {
    static const struct fake_plan plans[] = {
        {.name = "a", .action = FX_ACTION_EXISTING},
        {.name = "b", .action = FX_ACTION_EXISTING},
    };
    struct fx_mutator *rules[FX_COUNT(plans)];
    struct fx_snapshot *made = NULL;
    struct fx_err err = FX_ERR_INIT;
    for (size_t i = 0; i < FX_COUNT(plans); i++) {
        rules[i] = &fake_create(&plans[i])->head;
    }
    const struct fx_snapshot_parts parts = {.mutators = rules,
                                            .n_mutators = FX_COUNT(plans)};
    assert_true(fx_snapshot_build(&parts, 1, &made, &err));
    for (size_t i = 0; i < FX_COUNT(plans); i++) {
        fx_mutator_unref(rules[i]);
    }
    return made;
}

/* A trigger of the first rule, for the Pod of that name, with data of that size. NULL
 * without memory. */
static inline struct fx_trigger *make_trigger(struct fx_snapshot *snapshot,
                                              const char *name, const char *data) {
    static const uint32_t rules[] = {0};
    const struct fx_request request = {.operation = FX_OPERATION_CREATE,
                                       .namespace_ = FX_TEXT("shop")};
    json_t *object = json_pack("{s:s, s:s, s:{s:s}, s:s}", "apiVersion", "v1", "kind",
                               "Pod", "metadata", "name", name, "data", data);
    struct fx_trigger *made =
        object == NULL ? NULL : fx_trigger_create(snapshot, rules, 1, &request, object);
    json_decref(object);
    return made;
}

#endif
