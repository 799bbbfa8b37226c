/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/partial_decode_policies_random_test.c - MutatingAdmissionPolicies and Pods
 * made at random, of few names, so that they meet: an object that is read in part for the
 * policies gets the same response, byte for byte, as the whole object. And the loop gives
 * the same result if it does not use what the policies declare.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "admission/steps.h"
#include "base/limits.h"
#include "base/slow_testing.h"
#include "engine/converge.h"
#include "policy/policies.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

#define ROUNDS  1500 /* sets of policies, … */
#define OBJECTS 6    /* … and objects for each */

/* ---- chance ---------------------------------------------------------------------- */

static uint64_t dice_state = UINT64_C(20261123);

/* SplitMix64; a number below `n`. */
static unsigned throw(unsigned n) {
    dice_state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = dice_state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (unsigned)((z ^ (z >> 31)) % n);
}

static bool one_in(unsigned n) {
    return throw(n) == 0;
}

#define PICK(array) ((array)[throw(FX_COUNT(array))])

/* ---- expressions ----------------------------------------------------------------- */

/* How many variables the policy has so far, and whether the expression sees them. */
static unsigned n_variables;
static bool sees_variables;
static unsigned n_items; /* names of macros in scope: x0, x1, … */

static void add_test(struct fx_buf *buf, unsigned depth);
static void add_value(struct fx_buf *buf, unsigned depth);

static const char *const names[] = {"a", "b", "sidecar"};
static const char *const lists[] = {"containers", "initContainers", "volumes",
                                    "tolerations"};

/* A list of objects. */
static void add_list(struct fx_buf *buf, unsigned depth) {
    const char *list = PICK(lists);
    switch (throw(depth > 0 ? 7 : 3)) {
    case 0: fx_buf_printf(buf, "object.?spec.%s.orValue([])", list); break;
    case 3:
        add_list(buf, depth - 1);
        fx_buf_printf(buf, ".filter(x%u, ", n_items++);
        add_test(buf, depth - 1);
        fx_buf_str(buf, ")");
        n_items--;
        break;
    case 4:
        fx_buf_str(buf, "(");
        add_list(buf, depth - 1);
        fx_buf_str(buf, " + ");
        add_list(buf, depth - 1);
        fx_buf_str(buf, ")");
        break;
    case 5:
        fx_buf_str(buf, "(");
        add_test(buf, depth - 1);
        fx_buf_printf(buf, " ? object.spec.containers : object.spec.%s)", list);
        break;
    case 6: fx_buf_printf(buf, "object.spec.containers[%u].env", throw(2)); break;
    default: fx_buf_printf(buf, "object.spec.%s", list); break;
    }
}

/* An object of the tree. */
static void add_object(struct fx_buf *buf, unsigned depth) {
    switch (throw(depth > 0 ? 9 : 6)) {
    case 0: fx_buf_str(buf, "object"); break;
    case 1: fx_buf_str(buf, "object.spec"); break;
    case 2: fx_buf_str(buf, "object.metadata.labels"); break;
    case 3:
        fx_buf_str(buf, one_in(2) ? "oldObject.spec" : "object.spec.nodeSelector");
        break;
    case 4:
    case 5:
        if (n_items > 0) {
            fx_buf_printf(buf, "x%u", throw(n_items));
        } else if (sees_variables && n_variables > 0) {
            fx_buf_printf(buf, "variables.v%u", throw(n_variables));
        } else {
            fx_buf_str(buf, "object.spec.securityContext");
        }
        break;
    case 6:
        add_list(buf, depth - 1);
        fx_buf_printf(buf, "[%u]", throw(2));
        break;
    default:
        add_object(buf, depth - 1);
        fx_buf_printf(buf, one_in(3) ? ".?%s.orValue({})" : "[\"%s\"]",
                      one_in(2) ? "resources" : PICK(names));
        break;
    }
}

/* A value of any type. */
static void add_value(struct fx_buf *buf, unsigned depth) {
    static const char *const fields[] = {"name", "image", "key",      "value", "a",
                                         "b",    "cpu",   "requests", "env"};
    switch (throw(depth > 0 ? 9 : 3)) {
    case 0: fx_buf_printf(buf, "\"%s\"", PICK(names)); break;
    case 3: add_object(buf, depth - 1); break;
    case 4: add_list(buf, depth - 1); break;
    case 5:
        fx_buf_str(buf, "size(");
        add_list(buf, depth - 1);
        fx_buf_str(buf, ")");
        break;
    case 6:
        add_list(buf, depth - 1);
        fx_buf_printf(buf, ".map(x%u, ", n_items++);
        add_value(buf, depth - 1);
        fx_buf_str(buf, ")");
        n_items--;
        break;
    case 7:
        fx_buf_str(buf, "(");
        add_test(buf, depth - 1);
        fx_buf_str(buf, " ? dyn(");
        add_value(buf, depth - 1);
        fx_buf_str(buf, ") : dyn(");
        add_value(buf, depth - 1);
        fx_buf_str(buf, "))");
        break;
    default:
        add_object(buf, depth > 0 ? depth - 1 : 0);
        fx_buf_printf(buf, ".%s", PICK(fields));
        break;
    }
}

static void add_test(struct fx_buf *buf, unsigned depth) {
    static const char *const macros[] = {"all", "exists", "exists_one"};
    switch (throw(depth > 0 ? 8 : 3)) {
    case 0:
        fx_buf_str(buf, "has(");
        add_object(buf, 0);
        fx_buf_printf(buf, ".%s)", PICK(names));
        break;
    case 1:
        fx_buf_printf(buf, "\"%s\" in ", PICK(names));
        add_object(buf, 0);
        break;
    case 3:
        add_list(buf, depth - 1);
        fx_buf_printf(buf, ".%s(x%u, ", PICK(macros), n_items++);
        add_test(buf, depth - 1);
        fx_buf_str(buf, ")");
        n_items--;
        break;
    case 4:
    case 5:
        fx_buf_str(buf, one_in(3) ? "!(" : "(");
        add_test(buf, depth - 1);
        fx_buf_str(buf, one_in(2) ? " && " : " || ");
        add_test(buf, depth - 1);
        fx_buf_str(buf, ")");
        break;
    default:
        fx_buf_str(buf, "dyn(");
        add_value(buf, depth > 0 ? depth - 1 : 0);
        fx_buf_str(buf, one_in(2) ? ") == " : ") != ");
        add_value(buf, depth > 0 ? depth - 1 : 0);
        break;
    }
}

/* ---- configurations -------------------------------------------------------------- */

/* A text that is seldom one that fails. */
static void add_text(struct fx_buf *buf) {
    if (one_in(3)) {
        fx_buf_str(buf, "string(object.spec.containers[0].name)");
    } else {
        fx_buf_printf(buf, "\"%s\"", PICK(names));
    }
}

static void add_container(struct fx_buf *buf, const char *name) {
    fx_buf_printf(buf, "Object.spec.containers{name: %s", name);
    if (one_in(2)) {
        fx_buf_str(buf, ", imagePullPolicy: ");
        add_text(buf);
    }
    if (one_in(4)) {
        fx_buf_str(buf,
                   ", env: [Object.spec.containers.env{name: \"a\", value: \"new\"}]");
    }
    if (one_in(4)) {
        fx_buf_str(buf, ", ports: [Object.spec.containers.ports{containerPort: 80");
        fx_buf_str(buf, one_in(2) ? "}]" : ", protocol: \"UDP\", name: \"p\"}]");
    }
    if (one_in(4)) {
        fx_buf_str(buf, ", resources: Object.spec.containers.resources{limits: {\"cpu\": "
                        "\"1500m\"}}");
    }
    fx_buf_str(buf, "}");
}

static void add_containers(struct fx_buf *buf) {
    switch (throw(4)) {
    case 0:
        fx_buf_str(buf, "object.spec.containers.map(c, ");
        add_container(buf, "c.name");
        fx_buf_str(buf, ")");
        break;
    case 1:
        fx_buf_printf(buf, "object.spec.containers.filter(c, c.name != \"%s\").map(c, ",
                      PICK(names));
        add_container(buf, "c.name");
        fx_buf_str(buf, ")");
        break;
    case 2:
        fx_buf_str(buf, "[");
        add_container(buf, "\"sidecar\"");
        fx_buf_str(buf, "] + [");
        add_container(buf, "\"b\"");
        fx_buf_str(buf, "]");
        break;
    default:
        fx_buf_str(buf, "[");
        add_container(buf, one_in(2) ? "\"sidecar\"" : "\"a\"");
        fx_buf_str(buf, "]");
        break;
    }
}

static void add_spec(struct fx_buf *buf) {
    switch (throw(5)) {
    case 0:
    case 1:
        fx_buf_str(buf, "containers: ");
        add_containers(buf);
        break;
    case 2: fx_buf_str(buf, "nodeSelector: {\"a\": \"1\"}"); break;
    case 3: fx_buf_str(buf, "priority: 7, ?hostname: object.?spec.hostname"); break;
    default:
        fx_buf_str(buf, "securityContext: Object.spec.securityContext{runAsUser: 1}");
        break;
    }
}

static void add_configuration(struct fx_buf *buf) {
    switch (throw(6)) {
    case 0:
        fx_buf_str(buf, "Object{metadata: Object.metadata{labels: {\"new\": ");
        add_text(buf);
        fx_buf_str(buf, "}}}");
        break;
    case 1:
        fx_buf_str(buf, "Object{metadata: Object.metadata{annotations: {");
        add_text(buf);
        fx_buf_str(buf, ": \"x\"}}}");
        break;
    case 2:
        add_test(buf, 2);
        fx_buf_str(buf, " ? Object{} : Object{spec: Object.spec{");
        add_spec(buf);
        fx_buf_str(buf, "}}");
        break;
    default:
        fx_buf_str(buf, "Object{spec: Object.spec{");
        add_spec(buf);
        fx_buf_str(buf, "}}");
        break;
    }
}

/* ---- JSON patches ---------------------------------------------------------------- */

static void add_operation(struct fx_buf *buf) {
    static const char *const operations[] = {"add",  "add",  "add", "replace",
                                             "test", "copy", "move"};
    static const char *const paths[] = {
        "\"/metadata/labels/new\"",
        "\"/metadata/labels/a~1b\"",
        "\"/spec/containers/0/image\"",
        "\"/spec/nodeSelector/b\"",
        "\"/spec/hostname\"",
        "\"/spec/containers/\" + string(0) + \"/image\"",
        "\"/spec/containers/-1/command/-\"",
        "\"/spec/\" + object.metadata.name",
    };
    static const char *const values[] = {"\"x\"", "\"x\"", "object.spec.nodeSelector",
                                         "object.metadata.name"};
    if (one_in(3)) {
        fx_buf_printf(buf,
                      "JSONPatch{op: \"add\", path: \"/spec/containers/%s\", value: ",
                      one_in(2) ? "-" : "0");
        add_container(buf, "\"sidecar\"");
        fx_buf_str(buf, "}");
    } else if (one_in(4)) {
        fx_buf_printf(buf, "JSONPatch{op: \"remove\", path: %s}", PICK(paths));
    } else {
        fx_buf_printf(buf, "JSONPatch{op: \"%s\", path: %s, from: %s, value: %s}",
                      PICK(operations), PICK(paths), PICK(paths), PICK(values));
    }
}

static void add_patch(struct fx_buf *buf) {
    if (one_in(4)) {
        add_test(buf, 2);
        fx_buf_str(buf, " ? [] : ");
    }
    fx_buf_str(buf, "[");
    add_operation(buf);
    if (one_in(3)) {
        fx_buf_str(buf, ", ");
        add_operation(buf);
    }
    fx_buf_str(buf, "]");
}

/* ---- policies -------------------------------------------------------------------- */

static void add_mutation(struct fx_buf *buf) {
    if (one_in(3)) {
        fx_buf_str(buf, "  - {patchType: JSONPatch, jsonPatch: {expression: '");
        add_patch(buf);
    } else {
        fx_buf_str(buf, "  - {patchType: ApplyConfiguration, applyConfiguration: "
                        "{expression: '");
        add_configuration(buf);
    }
    fx_buf_str(buf, "'}}\n");
}

static void add_variables(struct fx_buf *buf) {
    const unsigned n = one_in(3) ? 1 + throw(3) : 0;
    fx_buf_str(buf, n > 0 ? "  variables:\n" : "");
    for (n_variables = 0; n_variables < n; n_variables++) {
        fx_buf_printf(buf, "  - {name: v%u, expression: '", n_variables);
        add_value(buf, 2);
        fx_buf_str(buf, "'}\n");
    }
}

static void add_policy(struct fx_buf *buf, unsigned number) {
    static const char *const annotations[] = {"", "", "", "Warn", "Fail"};
    const char *annotation = PICK(annotations);
    fx_buf_printf(buf,
                  "---\napiVersion: admissionregistration.k8s.io/v1\n"
                  "kind: MutatingAdmissionPolicy\nmetadata:\n  name: p%u\n",
                  number);
    if (annotation[0] != '\0') {
        fx_buf_printf(buf,
                      "  annotations: {policies.fixpoint.dev/mutation-validation-policy: "
                      "%s}\n",
                      annotation);
    }
    fx_buf_printf(buf,
                  "spec:\n  matchConstraints: {resourceRules: [{apiGroups: [''], "
                  "apiVersions: [v1], operations: ['*'], resources: [%s]}]%s}\n"
                  "  failurePolicy: %s\n  reinvocationPolicy: %s\n",
                  one_in(8) ? "secrets" : "pods",
                  one_in(6) ? ", objectSelector: {matchLabels: {a: x}}" : "",
                  one_in(2) ? "Fail" : "Ignore", one_in(2) ? "Never" : "IfNeeded");
    sees_variables = false;
    if (one_in(2)) {
        fx_buf_str(buf, "  matchConditions:\n  - {name: c, expression: '");
        add_test(buf, 3);
        fx_buf_str(buf, "'}\n");
    }
    sees_variables = true;
    add_variables(buf);
    fx_buf_str(buf, "  mutations:\n");
    for (unsigned n = 1 + (one_in(3) ? throw(2) : 0); n > 0; n--) {
        add_mutation(buf);
    }
    fx_buf_printf(buf,
                  "---\napiVersion: admissionregistration.k8s.io/v1\n"
                  "kind: MutatingAdmissionPolicyBinding\nmetadata: {name: b%u}\n"
                  "spec: {policyName: p%u}\n",
                  number, number);
}

/* An Assign runs after the policies, so that they are reinvoked. */
static void add_assign(struct fx_buf *buf) {
    fx_buf_str(buf, "---\napiVersion: mutations.gatekeeper.sh/v1\nkind: Assign\n"
                    "metadata: {name: g}\nspec:\n  applyTo: [{groups: [''], versions: "
                    "[v1], kinds: [Pod]}]\n  location: 'spec.containers[name: "
                    "sidecar].image'\n  parameters: {assign: {value: late}}\n");
}

/* Of policies at random some are refused; what is left of them is in the snapshot. */
static struct fx_policies *make_policies(struct fx_buf *buf) {
    struct fx_policies *policies = NULL;
    struct fx_err err = FX_ERR_INIT;
    fx_buf_reset(buf);
    for (unsigned n = 1 + (one_in(3) ? throw(3) : 0), i = 0; i < n; i++) {
        add_policy(buf, i);
    }
    if (one_in(4)) {
        add_assign(buf);
    }
    const struct fx_policy_input input = {.file = "p.yaml",
                                          .text = {buf->data, buf->len}};
    if (!fx_policies_build(&input, 1, NULL, 1, &policies, &err)) {
        fail_msg("%s\n%s", err.msg, buf->data);
    }
    return policies;
}

/* ---- objects --------------------------------------------------------------------- */

static void add_one_container(struct fx_buf *buf, const char *name) {
    static const char *const extras[] = {
        ",\"image\":\"i\"",
        ",\"env\":[{\"name\":\"a\",\"value\":\"1\"},{\"name\":\"b\"}]",
        ",\"ports\":[{\"containerPort\":80},{\"containerPort\":80,\"protocol\":\"UDP\"}]",
        ",\"ports\":[{\"containerPort\":80,\"protocol\":\"UDP\"},{\"containerPort\":81}]",
        ",\"resources\":{\"limits\":{\"cpu\":\"1000m\"},\"requests\":{\"cpu\":1}}",
        ",\"command\":[\"a\",\"sidecar\"]",
        ",\"imagePullPolicy\":\"Always\",\"env\":[]",
        ",\"securityContext\":{\"runAsUser\":5}",
    };
    fx_buf_printf(buf, "{\"name\":\"%s\"%s%s,\"tty\":true}", name, PICK(extras),
                  one_in(2) ? "" : ",\"livenessProbe\":{\"periodSeconds\":3}");
}

static void add_optional(struct fx_buf *buf, const char *text) {
    fx_buf_str(buf, one_in(2) ? text : "");
}

static void add_pod(struct fx_buf *buf) {
    fx_buf_str(buf,
               "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"status\":{\"phase\":\"x\"},"
               "\"metadata\":{\"name\":\"hostname\",\"managedFields\":[{\"manager\":"
               "\"m\"}]");
    add_optional(buf, ",\"labels\":{\"a\":\"x\",\"b\":\"1\",\"a/b\":\"c\"}");
    add_optional(buf, ",\"annotations\":{\"a\":\"b\"}");
    fx_buf_str(buf, "},\"spec\":{\"priority\":1");
    add_optional(buf, ",\"nodeSelector\":{\"a\":\"1\",\"b\":\"2\"}");
    add_optional(buf, ",\"hostname\":\"a\"");
    add_optional(buf, ",\"securityContext\":{\"runAsUser\":2,\"fsGroup\":3}");
    add_optional(buf, ",\"tolerations\":[{\"key\":\"a\",\"operator\":\"Exists\"}]");
    add_optional(buf, ",\"volumes\":[{\"name\":\"a\",\"emptyDir\":{\"sizeLimit\":"
                      "\"1024Mi\"}}]");
    fx_buf_str(buf, ",\"containers\":[");
    add_one_container(buf, "a");
    if (one_in(2)) {
        fx_buf_str(buf, ",");
        add_one_container(buf, one_in(6) ? "a" : "b");
    }
    fx_buf_str(buf, "]}}");
}

static void make_review(struct fx_buf *buf) {
    const bool is_update = one_in(3);
    fx_buf_reset(buf);
    fx_buf_printf(buf,
                  "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\","
                  "\"request\":{\"uid\":\"u\",\"operation\":\"%s\",\"namespace\":\"ns\","
                  "\"name\":\"hostname\",\"resource\":{\"group\":\"\",\"version\":\"v1\","
                  "\"resource\":\"pods\"},\"kind\":{\"group\":\"\",\"version\":\"v1\","
                  "\"kind\":\"Pod\"},\"object\":",
                  is_update ? "UPDATE" : "CREATE");
    add_pod(buf);
    if (is_update) {
        fx_buf_str(buf, ",\"oldObject\":");
        add_pod(buf);
    }
    fx_buf_str(buf, "}}");
}

/* ---- the test -------------------------------------------------------------------- */

/* How often each result occurred. */
static struct {
    unsigned policies, refused, reviews, parts, patches, patches_of_parts, denials,
        skipped;
} counts;

struct policies_answer {
    struct fx_review *review;
    const struct fx_review_result *result;
};

static struct policies_answer run(struct fx_snapshot *snapshot, struct fx_text text,
                                  bool partial_decode) {
    const struct fx_admission admission = {.own_namespace = "own",
                                           .partial_decode = partial_decode};
    struct fx_review *review = fx_review_create(&admission, snapshot, text, 0);
    assert_non_null(review);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    return (struct policies_answer){review, fx_review_result(review)};
}

static void count(const struct policies_answer *part) {
    const bool is_part = part->review->partial_decode &&
                         fx_snapshot_part(part->review->snapshot, FX_TEXT(""),
                                          FX_TEXT("v1"), FX_TEXT("Pod")) != NULL &&
                         part->review->snapshot->reads.omits_rest;
    const bool is_patch = part->result->decision == FX_DECISION_MUTATED;
    counts.reviews++;
    counts.parts += is_part ? 1 : 0;
    counts.patches += is_patch ? 1 : 0;
    counts.patches_of_parts += is_part && is_patch ? 1 : 0;
    counts.denials += part->result->decision == FX_DECISION_DENIED ? 1 : 0;
    counts.skipped +=
        part->result->outcome != NULL && part->result->outcome->n_skipped > 0;
}

static void compare(struct fx_snapshot *snapshot, const struct fx_buf *policies,
                    const struct fx_buf *review) {
    const struct fx_text text = {review->data, review->len};
    const struct policies_answer whole = run(snapshot, text, false);
    const struct policies_answer part = run(snapshot, text, true);
    count(&part);
    if (whole.result->decision != part.result->decision ||
        whole.result->status != part.result->status ||
        whole.result->body->len != part.result->body->len ||
        (whole.result->decision != FX_DECISION_FAILED && /* the message has a random id */
         memcmp(whole.result->body->data, part.result->body->data,
                whole.result->body->len) != 0)) {
        (void)fprintf(stderr, "%s\n%s\nwhole: %s\npart: %s\n", policies->data,
                      review->data, whole.result->body->data, part.result->body->data);
        fail();
    }
    fx_review_destroy(whole.review);
    fx_review_destroy(part.review);
}

/* ---- the loop -------------------------------------------------------------------- */

/* The result; NULL after a failure. */
static json_t *converge(const struct fx_snapshot *snapshot, json_t *object, bool plain) {
    const struct fx_request request = {
        .operation = FX_OPERATION_CREATE, .plain = plain, .mutation_id = "id"};
    struct fx_arena arena;
    struct fx_outcome outcome;
    struct fx_err err = FX_ERR_INIT;
    json_t *root = json_incref(object);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    const bool ok = fx_converge(snapshot, &request, &arena, NULL, &root, &outcome, &err);
    assert_true(ok || !fx_err_is_ours(&err));
    fx_outcome_finish(&outcome);
    fx_arena_finish(&arena);
    return fx_tree_keep_if(ok, root);
}

static void compare_loops(const struct fx_snapshot *snapshot,
                          const struct fx_buf *policies, const struct fx_buf *review) {
    struct fx_err err = FX_ERR_INIT;
    json_t *body = fx_json_read((struct fx_text){review->data, review->len}, NULL, &err);
    assert_non_null(body);
    json_t *object = fx_tree_view_key(fx_tree_view_key(body, "request"), "object");
    json_t *result = converge(snapshot, object, false);
    json_t *plain = converge(snapshot, object, true);
    if ((result == NULL) != (plain == NULL) ||
        (result != NULL && !fx_equal(result, plain))) {
        (void)fprintf(stderr, "%s\n%s\n", policies->data, review->data);
        fail();
    }
    json_decref(result);
    json_decref(plain);
    json_decref(body);
}

static void declarations_are_right(void **state) {
    (void)state;
    struct fx_buf text, review;
    fx_buf_init(&text, 0);
    fx_buf_init(&review, 0);
    const unsigned rounds = ROUNDS / slow();
    for (unsigned i = 0; i < rounds; i++) {
        struct fx_policies *policies = make_policies(&text);
        counts.policies++;
        counts.refused += policies->findings.n_items > 0 ? 1 : 0;
        for (unsigned k = 0; k < OBJECTS; k++) {
            make_review(&review);
            compare(policies->snapshot, &text, &review);
            compare_loops(policies->snapshot, &text, &review);
        }
        fx_policies_unref(policies);
    }
    fx_buf_finish(&text);
    fx_buf_finish(&review);
    print_message("%u sets, %u with refused policies; %u reviews: %u of a part, %u "
                  "patches, %u of them of a part, %u denials, %u with skipped rules\n",
                  counts.policies, counts.refused, counts.reviews, counts.parts,
                  counts.patches, counts.patches_of_parts, counts.denials,
                  counts.skipped);
    assert_true(counts.parts > counts.reviews / 3);
    assert_true(counts.patches_of_parts > counts.reviews / 10);
    assert_true(counts.denials > counts.reviews / 50);
    assert_true(counts.skipped > counts.reviews / 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declarations_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
