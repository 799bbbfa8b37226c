/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/cost/policies.c - MutatingAdmissionPolicies of many parts on one object: many
 * parameters, bindings, mutations, conditions and variables.
 */
#include "meter.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "engine/converge.h"
#include "policy/policies.h"
#include "value/json.h"

#define GROUP "\"apiVersion\":\"admissionregistration.k8s.io/v1\","
#define ADDS_B                                                                   \
    "\"mutations\":[{\"patchType\":\"JSONPatch\",\"jsonPatch\":{\"expression\":" \
    "\"[JSONPatch{op: 'add', path: '/data/b', value: 'x'}]\"}}]"
#define MOST_CONDITIONS 64u /* of a policy */
#define PART_BYTES      64u /* of the size for a part */

/* Each `%zu` of a part is its number. Parts are put together with commas. */
static const struct policy_shape {
    const char *name;
    const char *spec;     /* of the policy, beside the head; with `%s` for the parts */
    const char *part;     /* NULL: the parts are documents */
    const char *document; /* NULL: there is one binding */
    size_t most;          /* parts; 0: any number */
} shapes[] = {
    {"parameters",
     "\"paramKind\":{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\"},\"mutations\":[{"
     "\"patchType\":\"ApplyConfiguration\",\"applyConfiguration\":{\"expression\":"
     "\"Object{metadata: Object.metadata{labels: {params.metadata.name: "
     "params.data.v}}}\"}}]",
     NULL,
     "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"p%zu\","
     "\"namespace\":\"shop\",\"labels\":{\"is\":\"p\"}},\"data\":{\"v\":\"x\"}}",
     0},
    {"parameters that a condition leaves out",
     "\"paramKind\":{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\"},\"matchConditions\":[{"
     "\"name\":\"never\",\"expression\":\"params.data.v == object.data.a\"}]," ADDS_B,
     NULL,
     "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"p%zu\","
     "\"namespace\":\"shop\",\"labels\":{\"is\":\"p\"}},\"data\":{\"v\":\"x\"}}",
     0},
    {"bindings",
     "\"mutations\":[{\"patchType\":\"JSONPatch\",\"jsonPatch\":{\"expression\":"
     "\"[JSONPatch{op: 'add', path: '/data/a', value: object.data.a + 'a'}]\"}}]",
     NULL,
     "{" GROUP "\"kind\":\"MutatingAdmissionPolicyBinding\",\"metadata\":{\"name\":"
     "\"b%zu\"},\"spec\":{\"policyName\":\"many\"}}",
     0},
    {"mutations", "\"mutations\":[%s]",
     "{\"patchType\":\"JSONPatch\",\"jsonPatch\":{\"expression\":\"[JSONPatch{op: 'add', "
     "path: '/data/k%zu', value: 'v'}]\"}}",
     NULL, 0},
    {"match conditions", "\"matchConditions\":[%s]," ADDS_B,
     "{\"name\":\"c%zu\",\"expression\":\"has(object.data.a)\"}", NULL, MOST_CONDITIONS},
    {"variables",
     "\"variables\":[{\"name\":\"v0\",\"expression\":\"object.data.a\"},%s],"
     "\"mutations\":[{\"patchType\":\"JSONPatch\",\"jsonPatch\":{\"expression\":"
     "\"[JSONPatch{op: 'add', path: '/data/b', value: variables.v1}]\"}}]",
     "{\"name\":\"v%zu\",\"expression\":\"variables.v0 + 'a'\"}", NULL, 0},
};

static bool describe(size_t index, struct meter_case *ret_case) {
    if (index >= FX_COUNT(shapes)) {
        return false;
    }
    (void)snprintf(ret_case->subject, sizeof ret_case->subject, "policy: %s",
                   shapes[index].name);
    (void)snprintf(ret_case->shape, sizeof ret_case->shape, "one ConfigMap");
    return true;
}

/* ---- policies ---------------------------------------------------------------------- */

/* Appends `n` times the text with the number, from 1, in place of `%zu`. */
static void add_parts(struct fx_buf *buf, const char *text, size_t n) {
    const char *at = strstr(text, "%zu");
    for (size_t i = 1; i <= n; i++) {
        fx_buf_str(buf, i > 1 ? "," : "");
        fx_buf_add(buf, text, (size_t)(at - text));
        fx_buf_printf(buf, "%zu%s", i, at + strlen("%zu"));
    }
}

static void add_spec(struct fx_buf *buf, const struct policy_shape *shape, size_t n) {
    const char *at = shape->part == NULL ? NULL : strstr(shape->spec, "%s");
    if (at == NULL) {
        fx_buf_str(buf, shape->spec);
        return;
    }
    fx_buf_add(buf, shape->spec, (size_t)(at - shape->spec));
    add_parts(buf, shape->part, n);
    fx_buf_str(buf, at + strlen("%s"));
}

static void add_documents(struct fx_buf *buf, const struct policy_shape *shape,
                          size_t n) {
    fx_buf_str(buf, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{" GROUP
                    "\"kind\":\"MutatingAdmissionPolicy\",\"metadata\":{\"name\":"
                    "\"many\"},\"spec\":{\"reinvocationPolicy\":\"Never\","
                    "\"matchConstraints\":{\"resourceRules\":[{\"apiGroups\":[\"*\"],"
                    "\"apiVersions\":[\"*\"],\"operations\":[\"*\"],\"resources\":"
                    "[\"*\"]}]},");
    add_spec(buf, shape, n);
    fx_buf_str(buf, "}}");
    if (strstr(shape->spec, "paramKind") != NULL || shape->document == NULL) {
        fx_buf_str(buf, ",{" GROUP "\"kind\":\"MutatingAdmissionPolicyBinding\","
                        "\"metadata\":{\"name\":\"one\"},\"spec\":{\"policyName\":"
                        "\"many\"");
        fx_buf_str(buf, shape->document == NULL
                            ? "}}"
                            : ",\"paramRef\":{\"namespace\":\"shop\",\"selector\":{"
                              "\"matchLabels\":{\"is\":\"p\"}},"
                              "\"parameterNotFoundAction\":\"Deny\"}}}");
    }
    if (shape->document != NULL) {
        fx_buf_char(buf, ',');
        add_parts(buf, shape->document, n);
    }
    fx_buf_str(buf, "]}");
}

static struct fx_policies *build(const struct policy_shape *shape, size_t n) {
    struct fx_policies *policies = NULL;
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    add_documents(&text, shape, n);
    const struct fx_policy_input input = {.file = "policies.json",
                                          .text = fx_buf_view(&text)};
    if (!fx_policies_build(&input, 1, NULL, 1, &policies, &err)) {
        (void)fprintf(stderr, "%s: %s\n", shape->name, err.msg);
    }
    for (size_t i = 0; policies != NULL && i < policies->findings.n_items; i++) {
        (void)fprintf(stderr, "%s: %s\n", shape->name, policies->findings.items[i].text);
    }
    fx_buf_finish(&text);
    return policies;
}

/* ---- one object -------------------------------------------------------------------- */

static void converge(const struct fx_snapshot *snapshot) {
    struct fx_inputs inputs;
    struct fx_arena arena;
    struct fx_outcome outcome = {0};
    struct fx_err err = FX_ERR_INIT;
    json_t *root = json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:s}}", "apiVersion", "v1",
                             "kind", "ConfigMap", "metadata", "name", "web", "namespace",
                             "shop", "data", "a", "b");
    json_t *namespace_ = json_pack("{s:s, s:s, s:{s:s}}", "apiVersion", "v1", "kind",
                                   "Namespace", "metadata", "name", "shop");
    const struct fx_request request = {.operation = FX_OPERATION_CREATE,
                                       .namespace_object = namespace_,
                                       .inputs = &inputs};
    fx_inputs_init(&inputs, NULL, 0);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    meter_start();
    meter_stop(fx_converge(snapshot, &request, &arena, NULL, &root, &outcome, &err));
    fx_outcome_finish(&outcome);
    fx_arena_finish(&arena);
    fx_inputs_finish(&inputs);
    json_decref(namespace_);
    json_decref(root);
}

static void run(size_t index, size_t size) {
    const struct policy_shape *shape = &shapes[index];
    const size_t wanted = size / PART_BYTES + 1;
    const size_t n = shape->most > 0 && wanted > shape->most ? shape->most : wanted;
    struct fx_policies *policies = build(shape, n);
    if (policies != NULL) {
        converge(policies->snapshot);
    }
    fx_policies_unref(policies);
}

const struct meter_set meter_policies = {"policies", describe, run};
