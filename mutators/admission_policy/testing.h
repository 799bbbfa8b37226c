/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/testing.h - for tests: runs one mutation, whose expression is
 * given as text, on an object.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_TESTING_H
#define FX_MUTATORS_ADMISSION_POLICY_TESTING_H

#include <stdbool.h>
#include <string.h>

#include "base/limits.h"
#include "location/cel/cel.h"
#include "location/cel_library/library.h"
#include "mutators/admission_policy/configuration.h"
#include "mutators/admission_policy/json_patch.h"
#include "value/equal.h"
#include "value/tree.h"

struct mutation_test {
    struct fx_map_refusal refusal; /* what a mutation that fails leaves */
    struct fx_err err;
};

static inline void mutation_test_init(struct mutation_test *test) {
    *test = (struct mutation_test){.err = FX_ERR_INIT};
    fx_buf_init(&test->refusal.message, 0);
}

static inline void mutation_test_finish(struct mutation_test *test) {
    fx_buf_finish(&test->refusal.message);
}

static inline bool test_find_target(struct mutation_test *test, const json_t *object,
                                    const struct fx_schema_set *schemas,
                                    struct fx_map_target *ret_target) {
    struct fx_text version = fx_tree_view_string(object, "apiVersion");
    struct fx_text group = FX_TEXT("");
    if (memchr(version.data, '/', version.len) != NULL) {
        group = fx_text_cut(&version, '/');
    }
    *ret_target = (struct fx_map_target){
        .group = group, .version = version, .kind = fx_tree_view_string(object, "kind")};
    const struct fx_schema_set *sets[] = {schemas, &fx_schema_builtin};
    for (size_t i = 0; i < 2 && ret_target->schema.set == NULL; i++) {
        if (sets[i] != NULL) {
            ret_target->schema =
                fx_schema_find(sets[i], group, version, ret_target->kind);
        }
    }
    ret_target->is_decoded =
        fx_schema_find(&fx_schema_builtin, group, version, ret_target->kind).set != NULL;
    return ret_target->schema.set != NULL ||
           fx_map_target_refuse(ret_target, &test->refusal, &test->err);
}

/* Merges the tree without and with the ways that save work. Both have the same result,
 * and leave `before` as it was. */
static inline bool test_merge(struct mutation_test *test, struct fx_map_target *target,
                              struct fx_arena *arena, json_t *tree, json_t **root) {
    struct mutation_test plain;
    struct fx_map_change change;
    mutation_test_init(&plain);
    json_t *other = json_incref(*root);
    target->has_usual_version = false;
    const bool ok = fx_map_configuration_merge(tree, target, root, arena, &test->refusal,
                                               &change, &test->err);
    target->has_usual_version = true;
    const bool is_changed = change.changed;
    const bool other_ok = fx_map_configuration_merge(tree, target, &other, arena,
                                                     &plain.refusal, &change, &plain.err);
    assert_int_equal(ok, other_ok);
    assert_true(!ok || (fx_equal(*root, other) && is_changed == change.changed));
    json_decref(other);
    mutation_test_finish(&plain);
    return ok;
}

static inline bool test_configure(struct mutation_test *test,
                                  struct fx_map_target *target, struct fx_arena *arena,
                                  struct fx_cel_value value, json_t **root) {
    json_t *tree = fx_map_configuration_read(value, &test->refusal, &test->err);
    const bool ok = tree != NULL && test_merge(test, target, arena, tree, root);
    json_decref(tree);
    return ok;
}

/* Evaluates the expression, of type Object or list(JSONPatch), and applies its value to
 * *root. An error of the expression is refused with its message. */
static inline bool test_mutate_in(struct mutation_test *test, struct fx_arena *arena,
                                  const char *expression,
                                  const struct fx_schema_set *schemas, json_t **root) {
    static const struct fx_cel_variable variables[] = {{"object", &fx_cel_dyn}};
    static const struct fx_cel_env env = {.variables = variables,
                                          .n_variables = 1,
                                          .libraries = fx_cel_mutation_libraries,
                                          .has_objects = true};
    struct fx_cel_value object = fx_cel_make_node(*root);
    struct fx_cel_run run = {
        .arena = arena, .variables = &object, .cost_limit = FX_CEL_COST_LIMIT};
    struct fx_cel_faults faults = {.arena = arena};
    struct fx_cel_program *program = NULL;
    struct fx_map_target target;
    enum fx_cel_stage stage = FX_CEL_STAGE_PARSE;
    if (!fx_cel_compile(&env, fx_text_of(expression), NULL, &program, &faults, &stage,
                        &test->err)) {
        return false;
    }
    const struct fx_cel_value value = fx_cel_eval(program, &run, &test->err);
    struct fx_map_change change;
    bool ok = false;
    if (fx_cel_is_error(value)) {
        ok = (value.flags & FX_CEL_FATAL) == 0 &&
             fx_map_reject_with(&test->refusal, 403, &test->err, "%s", value.error);
    } else {
        ok = test_find_target(test, *root, schemas, &target) &&
             (value.kind == FX_CEL_LIST
                  ? fx_map_patch(value, &target, root, arena, &test->refusal, &change,
                                 &test->err)
                  : test_configure(test, &target, arena, value, root));
    }
    fx_cel_destroy(program);
    return ok;
}

static inline bool test_mutate(struct mutation_test *test, const char *expression,
                               const struct fx_schema_set *schemas, json_t **root) {
    struct fx_arena arena;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    const bool ok = test_mutate_in(test, &arena, expression, schemas, root);
    fx_arena_finish(&arena);
    return ok;
}

#endif
