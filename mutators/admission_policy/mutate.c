/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/mutate.c - the mutations of a policy, in order. One that
 * fails leaves the object as it was, and the next one runs.
 */
#include <stdio.h>

#include "base/text.h"
#include "engine/failures.h"
#include "engine/schemas.h"
#include "mutators/admission_policy/configuration.h"
#include "mutators/admission_policy/invoke.h"
#include "mutators/admission_policy/json_patch.h"
#include "mutators/admission_policy/target.h"
#include "value/tree.h"

void fx_map_name_mutation(size_t index, char ret_part[MAP_PART_BYTES]) {
    (void)snprintf(ret_part, MAP_PART_BYTES, "mutations[%zu]", index);
}

/* ---- reports ----------------------------------------------------------------------- */

static bool add_failure(const struct fx_request *request,
                        const struct fx_failure *failure, const struct fx_buf *message,
                        struct fx_err *err) {
    struct fx_failure given = *failure;
    given.message = fx_buf_view(message);
    return (!message->failed && fx_failures_add(request->failures, &given)) ||
           fx_fail_nomem(err);
}

bool fx_map_report(const struct map_rule *rule, const struct fx_request *request,
                   const struct fx_failure *failure, struct fx_err *err) {
    const bool is_ignored = rule->policy->ignores_failure;
    struct fx_failure given = *failure;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    if (rule->binding == NULL) {
        fx_buf_printf(&text, "policy \"%s\" denied request: ", rule->policy_unit->name);
    } else {
        fx_buf_printf(&text, "policy '%s' with binding '%s' denied request: ",
                      rule->policy_unit->name, rule->binding_unit->name);
    }
    fx_buf_text(&text, failure->message);
    given.code = is_ignored ? 0 : 403;
    given.reason = is_ignored ? NULL : failure->reason;
    const bool ok = add_failure(request, &given, &text, err);
    fx_buf_finish(&text);
    return ok;
}

static const char *reason_of(unsigned code) {
    return code == 503 ? "ServiceUnavailable" : "InternalError";
}

/* ---- one mutation ------------------------------------------------------------------ */

/* The mutations of a rule, as they run. */
struct map_running {
    struct map_activation *activation;
    const struct map_rule *rule;
    bool reports;
    size_t index;                /* of the mutation */
    struct fx_map_target target; /* the kind of the object */
    bool ends; /* the request is denied with a status of its own: nothing else runs */
    struct map_mutated mutated;
};

/* Reports why a mutation failed. A code of 500 or more is reported as it is. */
static bool report(struct map_running *running, unsigned code, struct fx_buf *message,
                   struct fx_err *err) {
    const struct fx_request *request = running->activation->request;
    running->mutated.failed = true;
    running->ends = code >= 500;
    if (message->failed) {
        return fx_fail_nomem(err);
    }
    if (!running->reports) {
        return true;
    }
    char part[MAP_PART_BYTES];
    fx_map_name_mutation(running->index, part);
    const struct fx_failure failure = {
        .code = code,
        .reason = running->ends ? reason_of(code) : "Invalid",
        .part = fx_text_of(part),
        .message = fx_buf_view(message),
    };
    return running->ends ? add_failure(request, &failure, message, err)
                         : fx_map_report(running->rule, request, &failure, err);
}

/* Is it the group of custom resources? Those have a dot in their names. */
static bool is_custom_group(struct fx_text group) {
    const struct fx_schema_set *set = &fx_schema_builtin;
    bool is_builtin = !fx_text_contains(group, FX_TEXT("."));
    for (size_t i = 0; i < set->n_kinds && !is_builtin; i++) {
        struct fx_text name = fx_text_of(set->texts + set->kinds[i].name);
        is_builtin = fx_text_equal(fx_text_cut(&name, '/'), group);
    }
    return !is_builtin;
}

static bool has_usual_version(const struct fx_subject *subject) {
    const size_t slash = subject->group.len > 0;
    return subject->kind.len > 0 && subject->version.len > 0 &&
           subject->api_version.len == subject->group.len + slash + subject->version.len;
}

/* Finds the schema of the object's kind. ApplyConfiguration fails for a custom resource
 * without a schema. JSON patches need none, and neither do kinds of API servers that are
 * newer than the built-in schemas: their maps are merged, and their lists are atomic.
 * Kyverno merges all kinds without a schema like that, and does not decode the result of
 * a JSON patch: the API server drops what the kind does not have. */
static bool find_target(struct map_running *running, enum map_patch_type type,
                        const json_t *root, struct fx_map_refusal *refusal,
                        struct fx_err *err) {
    struct fx_map_target *target = &running->target;
    const bool is_kyverno = running->rule->policy->is_kyverno;
    const bool is_merge = type == MAP_APPLY_CONFIGURATION;
    struct fx_schema known;
    struct fx_subject subject;
    fx_subject_read_type(root, &subject);
    if (!fx_schemas_find(running->activation->request, subject.group, subject.version,
                         subject.kind, &known, err)) {
        return false;
    }
    *target = (struct fx_map_target){.group = subject.group,
                                     .version = subject.version,
                                     .kind = subject.kind,
                                     .has_usual_version = has_usual_version(&subject)};
    if (known.set != NULL) {
        target->schema = known;
        target->is_decoded =
            (is_merge || !is_kyverno) &&
            fx_schemas_is_builtin(running->activation->request, subject.group,
                                  subject.version, subject.kind);
        return true;
    }
    target->schema = fx_schema_any;
    return !is_merge || is_kyverno || !is_custom_group(subject.group) ||
           fx_map_target_refuse(target, refusal, err);
}

/* Evaluates the expression of the mutation. Fails with FX_EMUTATE and a message, or with
 * another error. */
static bool evaluate(const struct map_running *running,
                     const struct map_mutation *mutation, json_t *root,
                     struct fx_cel_value *ret_value, struct fx_map_refusal *refusal,
                     struct fx_err *err) {
    if (!fx_map_activation_begin(running->activation, root, false, MAP_MUTATION_COST,
                                 err)) {
        return false;
    }
    switch (fx_map_evaluate(running->activation, &mutation->expression, ret_value,
                            &refusal->message, err)) {
    case MAP_EVALUATED: return true;
    case MAP_BROKEN: return false;
    case MAP_FAILED:
    case MAP_EXHAUSTED: break;
    }
    return fx_fail(err, FX_EMUTATE, "the expression failed");
}

/* The tree of an ApplyConfiguration: a new reference, or NULL. */
static json_t *read_configuration(const struct map_running *running,
                                  const struct map_mutation *mutation, json_t *root,
                                  struct fx_map_refusal *refusal, struct fx_err *err) {
    struct fx_cel_value value;
    if (mutation->constant != NULL) {
        return json_incref(mutation->constant);
    }
    return evaluate(running, mutation, root, &value, refusal, err)
               ? fx_map_configuration_read(value, refusal, err)
               : NULL;
}

/* Values of the expression are parts of the object. The tree of a configuration counts
 * those that are in it, so the object can be written afterwards. */
static bool configure(const struct map_running *running,
                      const struct map_mutation *mutation, json_t **root,
                      struct fx_map_refusal *refusal, struct fx_map_change *ret_change,
                      struct fx_err *err) {
    json_t *tree = read_configuration(running, mutation, *root, refusal, err);
    const bool ok =
        tree != NULL &&
        fx_map_configuration_merge(tree, &running->target, root,
                                   &running->activation->arena, refusal, ret_change, err);
    json_decref(tree);
    return ok;
}

/* The object that the values of the expression refer to lives until they are used. */
static bool patch(const struct map_running *running, const struct map_mutation *mutation,
                  json_t **root, struct fx_map_refusal *refusal,
                  struct fx_map_change *ret_change, struct fx_err *err) {
    struct fx_cel_value value;
    json_t *before = json_incref(*root);
    const bool ok = evaluate(running, mutation, *root, &value, refusal, err) &&
                    fx_map_patch(value, &running->target, root,
                                 &running->activation->arena, refusal, ret_change, err);
    json_decref(before);
    return ok;
}

/* Evaluates the expression and changes the object. Fails with FX_EMUTATE and a refusal,
 * or with another error. */
static bool run_mutation(struct map_running *running, const struct map_mutation *mutation,
                         json_t **root, struct fx_map_refusal *refusal,
                         struct fx_map_change *ret_change, struct fx_err *err) {
    return find_target(running, mutation->type, *root, refusal, err) &&
           (mutation->type == MAP_APPLY_CONFIGURATION
                ? configure(running, mutation, root, refusal, ret_change, err)
                : patch(running, mutation, root, refusal, ret_change, err));
}

static bool step(struct map_running *running, const struct map_mutation *mutation,
                 json_t **root, struct fx_err *err) {
    struct fx_map_refusal refusal = {.code = 403};
    struct fx_map_change change = {false, true, true};
    fx_buf_init(&refusal.message, 0);
    bool ok = run_mutation(running, mutation, root, &refusal, &change, err);
    if (ok) {
        running->mutated.n_succeeded++;
        running->mutated.change = change;
    } else if (err->code == FX_EMUTATE) {
        fx_err_reset(err);
        ok = report(running, refusal.code, &refusal.message, err);
    }
    fx_buf_finish(&refusal.message);
    return ok;
}

bool fx_map_mutate_one(struct map_activation *activation, const struct map_rule *rule,
                       size_t index, json_t **root, struct fx_err *err) {
    struct map_running running = {.activation = activation, .rule = rule, .index = index};
    return step(&running, &rule->policy->mutations[index], root, err);
}

static bool run_all(struct map_running *running, json_t **root, struct fx_err *err) {
    const struct map_policy *policy = running->rule->policy;
    bool ok = true;
    for (size_t i = 0; ok && !running->ends && i < policy->n_mutations; i++) {
        running->index = i;
        ok = step(running, &policy->mutations[i], root, err);
    }
    return ok;
}

/* Several mutations may undo each other's changes, and an internal failure of a later one
 * undoes those before it. So the object is kept. */
static bool run_several(struct map_running *running, json_t **root, struct fx_err *err) {
    json_t *result = json_incref(*root);
    const bool ok = run_all(running, &result, err);
    if (!ok) {
        json_decref(result);
        return false;
    }
    return fx_map_replace(root, result, &running->mutated.change, err);
}

bool fx_map_mutate(struct map_activation *activation, const struct map_rule *rule,
                   bool reports, json_t **root, struct map_mutated *ret_mutated,
                   struct fx_err *err) {
    struct map_running running = {.activation = activation,
                                  .rule = rule,
                                  .reports = reports,
                                  .mutated.change = {false, true, true}};
    const bool ok = rule->policy->n_mutations > 1 ? run_several(&running, root, err)
                                                  : run_all(&running, root, err);
    *ret_mutated = running.mutated;
    return ok;
}
