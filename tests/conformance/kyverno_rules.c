/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno_rules.c - kyverno/mutate-run.jsonl, and the cases of Kyverno's own rules in
 * mutate.jsonl: policies are built and linked as in a folder of files, and the object is
 * mutated as in a review.
 */
#include <stdlib.h>

#include "answer.h"
#include "base/limits.h"
#include "engine/admission_request.h"
#include "kinds.h"
#include "kyverno_case.h"
#include "kyverno_compare.h"
#include "policy/policies.h"
#include "value/json.h"
#include "value/tree.h"

/* ---- policies --------------------------------------------------------------------- */

/* All documents of the case, as a List. */
static json_t *make_documents(const json_t *row) {
    json_t *items = json_array();
    (void)json_array_extend(items, fx_tree_view_key(row, "policies"));
    (void)json_array_extend(items, fx_tree_view_key(row, "exceptions"));
    return json_pack("{s:s, s:s, s:o}", "apiVersion", "v1", "kind", "List", "items",
                     items);
}

struct fx_policies *fx_kyverno_case_build(const json_t *row, struct fx_buf *ret_fault) {
    struct fx_policies *policies = NULL;
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf text;
    struct fx_dialect_settings settings = {.n_items = 0};
    json_t *documents = make_documents(row);
    fx_buf_init(&text, 0);
    fx_json_write(&text, documents, FX_JSON_COMPACT);
    fx_dialect_settings_set(&settings, "policy-exceptions", "*");
    const struct fx_policy_input input = {.file = "case.json",
                                          .text = fx_buf_view(&text)};
    const struct fx_policy_sources sources = {
        .inputs = &input, .n_inputs = 1, .generation = 1, .settings = &settings};
    if (!fx_policies_build_from(&sources, &policies, &err)) {
        fx_buf_str(ret_fault, err.msg);
    }
    fx_buf_finish(&text);
    json_decref(documents);
    for (size_t i = 0; policies != NULL && i < policies->findings.n_items; i++) {
        const struct fx_finding *finding = &policies->findings.items[i];
        if (finding->severity == FX_SEVERITY_ERROR && ret_fault->len == 0) {
            fx_buf_str(ret_fault, finding->text);
        }
    }
    return policies;
}

/* ---- the request ------------------------------------------------------------------ */

static enum fx_lookup find_input(void *user, const struct fx_input_key *key,
                                 json_t **ret_value, struct fx_err *err) {
    const json_t *maps = fx_tree_view_key(user, "configMaps");
    for (size_t i = 0; key->type == FX_INPUT_OBJECT && i < json_array_size(maps); i++) {
        json_t *map = json_array_get(maps, i);
        const json_t *metadata = fx_tree_view_key(map, "metadata");
        if (fx_text_equal(key->kind, fx_tree_view_string(map, "kind")) &&
            fx_text_equal(key->name, fx_tree_view_string(metadata, "name")) &&
            fx_text_equal(key->namespace_, fx_tree_view_string(metadata, "namespace"))) {
            *ret_value = json_incref(map);
            return FX_LOOKUP_FOUND;
        }
    }
    (void)fx_fail(err, FX_EMUTATE, "there is no such object");
    return FX_LOOKUP_FAILED;
}

static json_t *view_object(const json_t *row, const char *key) {
    json_t *object = fx_tree_view_key(row, key);
    return json_is_object(object) ? object : NULL;
}

/* The Namespace of the object, with the labels of the case. A new reference, or NULL. */
static json_t *make_namespace(const json_t *row) {
    json_t *labels = view_object(row, "namespaceLabels");
    const json_t *metadata =
        fx_tree_view_key(fx_tree_view_key(row, "resource"), "metadata");
    const struct fx_text name = fx_tree_view_string(metadata, "namespace");
    return labels == NULL ? NULL
                          : json_pack("{s:s, s:s, s:{s:o, s:O}}", "apiVersion", "v1",
                                      "kind", "Namespace", "metadata", "name",
                                      fx_tree_new_string(name), "labels", labels);
}

/* Makes the AdmissionRequest if the case has none. A new reference. */
static json_t *make_admission(const json_t *row, const struct fx_request *request) {
    json_t *given = view_object(row, "request");
    if (given != NULL) {
        return json_incref(given);
    }
    struct fx_subject subject;
    fx_subject_read(fx_tree_view_key(row, "resource"), &subject);
    json_t *made = fx_admission_request_make(request, &subject);
    if (request->user_info != NULL) {
        (void)json_object_set(made, "userInfo", fx_node_unconst(request->user_info));
    } else {
        (void)json_object_del(made, "userInfo");
    }
    return made;
}

static struct fx_request make_request(const json_t *row) {
    const json_t *user = view_object(row, "userInfo");
    const struct fx_text operation = fx_tree_view_string(row, "operation");
    const json_t *admission = view_object(row, "request");
    struct fx_request request = {
        .operation =
            operation.len == 0 ? FX_OPERATION_CREATE : fx_operation_parse(operation),
        .source = FX_SOURCE_ORIGINAL,
        .user_info = view_object(user, "userInfo"),
        .roles = fx_tree_view_key(user, "roles"),
        .cluster_roles = fx_tree_view_key(user, "clusterRoles"),
        .old_object = view_object(row, "oldResource"),
    };
    request.only_validators = request.operation == FX_OPERATION_DELETE;
    if (admission != NULL) {
        request.namespace_ = fx_tree_view_string(admission, "namespace");
        if (request.namespace_.data == NULL) {
            request.namespace_ = FX_TEXT("");
        }
    }
    return request;
}

/* ---- the answer ---------------------------------------------------------------------
 */

/* Did the rule come to its preconditions? */
static bool has_matched(const struct fx_trace_step *step) {
    const struct fx_text criterion = fx_text_of(step->verdict.criterion);
    return step->verdict.matched || step->failure != NULL ||
           fx_text_is(criterion, "preconditions") ||
           fx_text_is(criterion, "PolicyException");
}

/* The rules that matched, in order, with what became of them: an array as
 * `expect.rules`. */
static json_t *list_rules(const struct fx_trace *trace,
                          const struct fx_snapshot *snapshot) {
    json_t *rules = json_array();
    for (size_t i = 0; i < trace->n_steps; i++) {
        const struct fx_trace_step *step = &trace->steps[i];
        const struct fx_mutator *rule = snapshot->mutators[step->mutator];
        if (has_matched(step) && !step->is_late) {
            const char *status = step->failure != NULL  ? "error"
                                 : step->effect.changed ? "pass"
                                                        : "skip";
            (void)json_array_append_new(rules,
                                        json_pack("{s:s, s:s, s:s}", "policy", rule->name,
                                                  "rule", rule->rule, "status", status));
        }
    }
    return rules;
}

void fx_kyverno_case_begin(json_t *row, struct fx_kyverno_case *ret) {
    ret->namespace_ = make_namespace(row);
    ret->request = make_request(row);
    ret->admission = make_admission(row, &ret->request);
    ret->request.admission = ret->admission;
    ret->request.namespace_object = ret->namespace_;
    fx_inputs_init(&ret->inputs, NULL, 0);
    ret->inputs.find = find_input;
    ret->inputs.user = row;
    ret->request.inputs = &ret->inputs;
}

void fx_kyverno_case_end(struct fx_kyverno_case *case_) {
    fx_inputs_finish(&case_->inputs);
    json_decref(case_->admission);
    json_decref(case_->namespace_);
}

static void mutate(json_t *row, const struct fx_snapshot *snapshot,
                   struct fx_kyverno_answer *ret) {
    struct fx_arena arena;
    struct fx_trace trace;
    struct fx_kyverno_case case_;
    fx_kyverno_case_begin(row, &case_);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_trace_init(&trace, &arena);
    struct fx_mutation mutation = {
        .snapshot = snapshot,
        .trace = &trace,
        .request = case_.request,
        .object = fx_tree_view_key(row, case_.request.only_validators ? "oldResource"
                                                                      : "resource"),
        .inputs = &case_.inputs,
        .arena = &arena,
    };
    ret->ok =
        fx_mutation_begin(&mutation, &ret->err) && fx_mutation_end(&mutation, &ret->err);
    ret->object = json_incref(mutation.result);
    ret->rules = list_rules(&trace, snapshot);
    if (ret->ok) {
        ret->parts_agree = fx_case_part_agrees(&mutation, &ret->part_err);
    }
    fx_mutation_finish(&mutation);
    fx_trace_finish(&trace);
    fx_arena_finish(&arena);
    fx_kyverno_case_end(&case_);
}

void fx_case_kyverno_rules(json_t *row, struct fx_case_result *result) {
    struct fx_buf fault;
    struct fx_kyverno_answer answer = {
        .err = FX_ERR_INIT, .parts_agree = true, .part_err = FX_ERR_INIT};
    fx_buf_init(&fault, 0);
    struct fx_policies *policies = fx_kyverno_case_build(row, &fault);
    if (fault.len > 0) {
        (void)fx_fail(&answer.err, FX_EINVALID, "%s", fault.data);
    } else if (policies != NULL) {
        mutate(row, policies->snapshot, &answer);
    }
    fx_kyverno_compare(row, &answer, result);
    json_decref(answer.object);
    json_decref(answer.rules);
    fx_policies_unref(policies);
    fx_buf_finish(&fault);
}
