/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/target.c - the common part of all kinds: match, applyTo, location,
 * path tests and conditions.
 */
#include "mutators/gatekeeper/target.h"

#include <assert.h>
#include <stdlib.h>

#include "mutators/gatekeeper/glob.h"
#include "value/tree.h"

#define NAME_MAX_BYTES 63u

static bool check_name(const struct policy *policy, struct fx_err *err) {
    if (policy->name.len <= NAME_MAX_BYTES) {
        return true;
    }
    const json_t *metadata = fx_shape_view(policy->source, "metadata");
    return fx_fail_in(err, fx_shape_view(metadata, "name"), FX_EINVALID,
                      "maximum name length is %u characters", NAME_MAX_BYTES);
}

/* Sets the namespaces, so that the engine may ignore the mutator for objects in other
 * namespaces. */
static void set_namespaces(struct target *target) {
    struct fx_mutator *mutator = &target->mutator;
    mutator->namespaces =
        fx_match_exact_namespaces(target->match, &mutator->n_namespaces);
}

/* Sets the head and compiles `match`. */
static bool init_target(struct target *target, const struct policy *policy,
                        const struct fx_mutator_ops *ops, struct fx_err *err) {
    struct fx_mutator *mutator = &target->mutator;
    if (!fx_mutator_init(mutator, ops, fx_text_of(policy->group),
                         fx_text_of(policy->kind), policy->name, policy->source) ||
        (policy->namespace_.len > 0 &&
         !fx_mutator_set_namespace(mutator, policy->namespace_))) {
        return fx_fail_nomem(err);
    }
    const json_t *metadata = fx_shape_view(policy->source, "metadata");
    mutator->rank = GATEKEEPER_RANK;
    mutator->generation = json_integer_value(fx_shape_view(metadata, "generation"));
    if (!fx_match_compile(fx_shape_view(policy->spec, "match"),
                          policy->extended ? FX_MATCH_EXTENDED : FX_MATCH_GATEKEEPER,
                          &target->match, err)) {
        return false;
    }
    set_namespaces(target);
    return check_name(policy, err);
}

/* Warns about a match that Gatekeeper accepts but that always fails. */
static bool warn_of_failure(const struct target *target, const struct policy *policy,
                            struct fx_compilation *compilation, struct fx_err *err) {
    struct fx_err failure = FX_ERR_INIT;
    if (fx_match_check(target->match, &failure)) {
        return true;
    }
    if (fx_err_is_ours(&failure)) {
        return fx_fail_nomem(err);
    }
    return fx_compilation_warn(compilation, fx_policy_node(policy, failure.node),
                               "every object that gets this far fails: %s",
                               failure.msg) ||
           fx_fail_nomem(err);
}

static bool warn_of_glob(const json_t *glob, struct fx_compilation *compilation,
                         struct fx_err *err) {
    return !fx_glob_has_literal_star(fx_tree_text(glob)) ||
           fx_compilation_warn(compilation, glob,
                               "\"*\" within a name is taken literally") ||
           fx_fail_nomem(err);
}

static bool warn_of_globs(const json_t *globs, struct fx_compilation *compilation,
                          struct fx_err *err) {
    size_t index = 0;
    const json_t *glob = NULL;
    json_array_foreach (globs, index, glob) {
        if (!warn_of_glob(glob, compilation, err)) {
            return false;
        }
    }
    return true;
}

/* Warns about a valid match that is unlikely to be intended. */
static bool warn_of_match(const struct target *target, const struct policy *policy,
                          struct fx_compilation *compilation, struct fx_err *err) {
    const json_t *match = fx_shape_view(policy->spec, "match");
    return warn_of_globs(fx_shape_view(match, "namespaces"), compilation, err) &&
           warn_of_globs(fx_shape_view(match, "excludedNamespaces"), compilation, err) &&
           warn_of_glob(fx_shape_view(match, "name"), compilation, err) &&
           warn_of_failure(target, policy, compilation, err);
}

/* Warns about a test that never holds: no value is written after it. An empty sub path is
 * never evaluated. */
static bool warn_of_path_test(const json_t *path_test, struct fx_compilation *compilation,
                              struct fx_err *err) {
    const struct fx_text condition = fx_tree_view_string(path_test, "condition");
    const struct fx_text sub_path = fx_tree_view_string(path_test, "subPath");
    if (fx_path_test_parse(condition) != FX_PATH_TEST_NEVER ||
        fx_text_trim_space(sub_path).len == 0) {
        return true;
    }
    return fx_compilation_warn(
               compilation,
               fx_shape_node(fx_shape_view(path_test, "condition"), path_test),
               "\"%.*s\" is not a condition of path tests (MustExist, MustNotExist): the "
               "mutator never changes anything",
               FX_TEXT_ARG(condition)) ||
           fx_fail_nomem(err);
}

static bool warn_of_path_tests(const struct target *target, const struct policy *policy,
                               struct fx_compilation *compilation, struct fx_err *err) {
    const json_t *path_tests =
        target->has_path_tests ? fx_shape_view(policy->parameters, "pathTests") : NULL;
    size_t index = 0;
    const json_t *path_test = NULL;
    json_array_foreach (path_tests, index, path_test) {
        if (!warn_of_path_test(path_test, compilation, err)) {
            return false;
        }
    }
    return true;
}

void fx_target_finish(struct target *target) {
    fx_match_destroy(target->match);
    fx_apply_to_destroy(target->apply_to);
    fx_path_tests_destroy(target->tests);
    fx_conditions_finish(&target->conditions);
    fx_location_destroy(target->location);
    fx_mutator_finish(&target->mutator);
}

bool fx_target_add(const struct policy *policy, size_t size,
                   const struct fx_mutator_ops *ops, compile_target *compile,
                   struct fx_compilation *ret_compilation, struct fx_err *err) {
    assert(size >= sizeof(struct target));
    struct target *target = calloc(1, size);
    if (target == NULL) {
        return fx_fail_nomem(err);
    }
    if (!init_target(target, policy, ops, err) ||
        !warn_of_match(target, policy, ret_compilation, err) ||
        !compile(target, policy, err) ||
        !warn_of_path_tests(target, policy, ret_compilation, err) ||
        !fx_conditions_compile(policy, target->location, &target->conditions, err) ||
        !fx_conditions_warn(&target->conditions, policy, ret_compilation, err)) {
        ops->destroy(&target->mutator);
        return false;
    }
    return fx_compilation_add_take(ret_compilation, &target->mutator) ||
           fx_fail_nomem(err);
}

/* The entries of pathTests, with their parsed sub paths, which are counted. */
struct path_test_list {
    struct fx_path_test_entry *items;
    struct fx_location **paths;
    size_t n_items;
};

static void path_test_list_finish(struct path_test_list *entries) {
    for (size_t i = 0; i < entries->n_items; i++) {
        fx_location_destroy(entries->paths[i]);
    }
    free(entries->paths);
    free(entries->items);
}

static bool parse_entry(struct path_test_list *entries, const struct policy *policy,
                        const json_t *path_test, struct fx_err *err) {
    const struct fx_text text = fx_tree_view_string(path_test, "subPath");
    struct fx_location *path = NULL;
    if (!fx_location_parse(text, policy->syntax, &path, err)) {
        err->node = fx_shape_node(fx_shape_view(path_test, "subPath"), path_test);
        return fx_err_prefix(err, "problem parsing sub path `%.*s` for %s %.*s: ",
                             FX_TEXT_ARG(text), policy->kind, FX_TEXT_ARG(policy->name));
    }
    entries->paths[entries->n_items] = path;
    entries->items[entries->n_items++] =
        (struct fx_path_test_entry){path, fx_tree_view_string(path_test, "condition")};
    return true;
}

static bool parse_entries(struct path_test_list *entries, const struct policy *policy,
                          const json_t *path_tests, struct fx_err *err) {
    const size_t count = json_array_size(path_tests);
    entries->items = calloc(count + 1, sizeof *entries->items);
    entries->paths = calloc(count + 1, sizeof(struct fx_location *));
    if (entries->items == NULL || entries->paths == NULL) {
        return fx_fail_nomem(err);
    }
    for (size_t i = 0; i < count; i++) {
        if (!parse_entry(entries, policy, json_array_get(path_tests, i), err)) {
            return false;
        }
    }
    return true;
}

/* Sets the node of the error: the sub path of the entry at `err->off`. */
static void set_entry_node(struct fx_err *err, const json_t *path_tests) {
    const json_t *path_test = json_array_get(path_tests, err->off);
    err->node = fx_shape_node(fx_shape_view(path_test, "subPath"), path_test);
    err->off = 0;
}

bool fx_target_compile_path_tests(struct target *target, const struct policy *policy,
                                  struct fx_err *err) {
    const json_t *path_tests = fx_shape_view(policy->parameters, "pathTests");
    if (json_array_size(path_tests) == 0) {
        return true;
    }
    target->has_path_tests = true;
    struct path_test_list entries = {0};
    bool ok = parse_entries(&entries, policy, path_tests, err);
    if (ok) {
        ok = fx_path_tests_compile(target->location, entries.items, entries.n_items,
                                   &target->tests, err);
        if (!ok && err->code == FX_EINVALID) {
            set_entry_node(err, path_tests);
        }
    }
    path_test_list_finish(&entries);
    return ok;
}

bool fx_target_compile_apply_to(struct target *target, const struct policy *policy,
                                struct fx_err *err) {
    struct fx_mutator *mutator = &target->mutator;
    if (!fx_apply_to_compile(fx_shape_view(policy->spec, "applyTo"), policy->kind,
                             policy->name, &target->apply_to, err)) {
        err->node = fx_policy_node(policy, err->node);
        return false;
    }
    mutator->bindings = fx_apply_to_bindings(target->apply_to, &mutator->n_bindings);
    return true;
}

bool fx_target_compile_operations(struct target *target, const struct policy *policy,
                                  struct fx_err *err) {
    json_t *node = fx_policy_view_further(policy, policy->spec, "operations");
    if (node == NULL) {
        return true;
    }
    if (!fx_operations_compile(node, policy->kind, policy->name, &target->operations,
                               err)) {
        err->node = node;
        return false;
    }
    target->has_operations = true;
    target->mutator.bindings = &target->operations;
    target->mutator.n_bindings = 1;
    return true;
}

/* ---- the location ----------------------------------------------------------------- */

const json_t *fx_target_location_node(const struct policy *policy) {
    return fx_shape_view(policy->spec, "location");
}

struct fx_text fx_target_location_text(const struct policy *policy) {
    return fx_tree_view_string(policy->spec, "location");
}

bool fx_target_parse_location(struct target *target, const struct policy *policy,
                              struct fx_err *err) {
    if (fx_location_parse(fx_target_location_text(policy), policy->syntax,
                          &target->location, err)) {
        return true;
    }
    err->node = fx_policy_node(policy, fx_target_location_node(policy));
    return false;
}

bool fx_target_parse_location_of(struct target *target, const struct policy *policy,
                                 const char *kind, struct fx_err *err) {
    if (fx_target_parse_location(target, policy, err)) {
        return true;
    }
    const struct fx_text text = fx_target_location_text(policy);
    return fx_err_prefix(err, "invalid location format `%.*s` for %s %.*s: ",
                         FX_TEXT_ARG(text), kind, FX_TEXT_ARG(policy->name));
}

bool fx_target_check_metadata(const struct target *target, const struct policy *policy,
                              const char *kind, struct fx_err *err) {
    const struct fx_location *location = target->location;
    if (location->n_steps == 0 || !fx_text_is(location->steps[0].name, "metadata")) {
        return true;
    }
    return fx_fail_in(err, fx_policy_node(policy, fx_target_location_node(policy)),
                      FX_EINVALID, "%s %.*s can't change metadata", kind,
                      FX_TEXT_ARG(policy->name));
}

bool fx_target_check_key(const struct target *target, const struct policy *policy,
                         struct fx_err *err) {
    const json_t *node = fx_policy_node(policy, fx_target_location_node(policy));
    const struct fx_location_step *last = fx_target_last_step(target);
    if (last == NULL) {
        return fx_fail_in(err, node, FX_EINVALID, "empty path");
    }
    if (target->location->n_steps > 1 && last->type == FX_LOCATION_OBJECT &&
        last[-1].type == FX_LOCATION_LIST && fx_text_equal(last->name, last[-1].name)) {
        return fx_fail_in(err, node, FX_EINVALID,
                          "invalid path format: changing the item key is not allowed");
    }
    return true;
}

bool fx_target_is_label(const struct fx_location *location) {
    const struct fx_location_step *steps = location->steps;
    return location->n_steps == 3 && steps[1].type == FX_LOCATION_OBJECT &&
           steps[2].type == FX_LOCATION_OBJECT && fx_text_is(steps[0].name, "metadata") &&
           (fx_text_is(steps[1].name, "labels") ||
            fx_text_is(steps[1].name, "annotations"));
}

const struct fx_location_step *fx_target_last_step(const struct target *target) {
    const struct fx_location *location = target->location;
    return location->n_steps == 0 ? NULL : &location->steps[location->n_steps - 1];
}

/* ---- access ------------------------------------------------------------------------ */

static void add_steps(struct fx_access *access, const struct fx_location *location) {
    for (size_t i = 0; i < location->n_steps; i++) {
        const struct fx_location_step *step = &location->steps[i];
        const bool is_list = step->type == FX_LOCATION_LIST;
        fx_access_step(access, (struct fx_path_step){
                                   .type = is_list ? FX_PATH_ELEMENT : FX_PATH_MEMBER,
                                   .name = step->name,
                                   .value = step->value,
                               });
    }
}

static void read_location(struct fx_access *access, const struct fx_location *location) {
    fx_access_read(access);
    add_steps(access, location);
}

static void read_metadata(struct fx_access *access, struct fx_text name) {
    access->matches_metadata = true;
    fx_access_read(access);
    fx_access_step(access, (struct fx_path_step){.name = FX_TEXT("metadata")});
    fx_access_step(access, (struct fx_path_step){.name = name});
}

void fx_target_access(const struct fx_mutator *self, struct fx_access *access) {
    const struct target *target = (const struct target *)self; /* its first member */
    if (fx_match_asks_labels(target->match)) {
        read_metadata(access, FX_TEXT("labels"));
    }
    if (fx_match_asks_annotations(target->match)) {
        read_metadata(access, FX_TEXT("annotations"));
    }
    for (size_t i = 0; i < target->conditions.n_items; i++) {
        read_location(access, target->conditions.items[i].field.location);
    }
    if (target->from != NULL) {
        read_location(access, target->from);
    }
    if (target->location->n_steps > 0) {
        fx_access_write(access, target->type, target->must_terminate);
        add_steps(access, target->location);
    }
    access->uses_old_value = target->uses_old_value;
}

/* ---- the engine's slots ------------------------------------------------------------ */

static const struct target *target_of(const struct fx_mutator *mutator) {
    return (const struct target *)mutator; /* it is the first member */
}

bool fx_target_match(const struct fx_mutator *self, const struct fx_request *request,
                     const struct fx_subject *subject, struct fx_verdict *ret_verdict,
                     struct fx_err *err) {
    const struct target *target = target_of(self);
    if (target->apply_to != NULL &&
        !fx_apply_to_holds(target->apply_to, request, subject)) {
        *ret_verdict = (struct fx_verdict){false, "applyTo"};
        return true;
    }
    if (target->has_operations && !fx_operations_hold(&target->operations, request)) {
        *ret_verdict = (struct fx_verdict){false, "operations"};
        return true;
    }
    if (!fx_match_eval(target->match, request, subject, ret_verdict, err)) {
        return false;
    }
    bool hold = true;
    if (ret_verdict->matched &&
        !fx_conditions_hold(&target->conditions, subject->object, &hold, err)) {
        return false;
    }
    if (!hold) {
        *ret_verdict = (struct fx_verdict){false, CRITERION_CONDITIONS};
    }
    return true;
}

/* A setter that is called only at positions at which the conditions hold. */
struct guard {
    const struct conditions *conditions;
    struct answers *answers;
    const struct fx_setter *setter;
};

static bool set_guarded(const void *user, const struct fx_write_position *position,
                        enum fx_write *ret_write, json_t **ret_value,
                        const char **ret_criterion, struct fx_err *err) {
    const struct guard *guard = user;
    bool hold = false;
    if (!fx_conditions_hold_at(guard->conditions, position, guard->answers, &hold, err)) {
        return false;
    }
    if (!hold) {
        *ret_write = FX_WRITE_PASS;
        *ret_criterion = CRITERION_CONDITIONS;
        return true;
    }
    return guard->setter->set(guard->setter->user, position, ret_write, ret_value,
                              ret_criterion, err);
}

static bool write_guarded(const struct target *target, const struct fx_setter *setter,
                          json_t **root, struct fx_written *ret_written,
                          struct fx_err *err) {
    struct answers answers = {.keys = {NULL}};
    const struct guard guard = {&target->conditions, &answers, setter};
    const struct fx_setter guarded = {
        .set = set_guarded, .user = &guard, .removes = setter->removes};
    return fx_location_write(target->location, target->tests, &guarded, root, ret_written,
                             err);
}

bool fx_target_write(const struct target *target, const struct fx_setter *setter,
                     json_t **root, struct fx_effect *ret_effect, struct fx_err *err) {
    struct fx_written written = {0};
    const bool ok = target->conditions.vary
                        ? write_guarded(target, setter, root, &written, err)
                        : fx_location_write(target->location, target->tests, setter, root,
                                            &written, err);
    if (!ok) {
        return false;
    }
    *ret_effect = (struct fx_effect){
        .applied = written.applied,
        .changed = written.changed,
        .criterion = written.criterion,
        .depth = written.depth,
    };
    return true;
}
