/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/kyverno_test.c - MutatingPolicies of Kyverno: what they do to
 * an object, alone and in their order, to controllers of Pods, and with exceptions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/failures.h"
#include "engine/input.h"
#include "mutators/admission_policy/rule_testing.h"
#include "value/tree.h"

/* ---- documents --------------------------------------------------------------------- */

#define MATCH(groups, versions, resources)                    \
    "matchConstraints: {resourceRules: [{apiGroups: [" groups \
    "], apiVersions: [" versions                              \
    "], operations: [CREATE, UPDATE], resources: [" resources "]}]}, "
#define ANY  MATCH("'*'", "'*'", "'*'")
#define PODS MATCH("''", "v1", "pods")
#define KYVERNO(kind, metadata, spec)                                                \
    "---\n{apiVersion: policies.kyverno.io/v1, kind: " kind ", metadata: {" metadata \
    "}, spec: {" spec "}}\n"
#define MUTATING(name, spec) KYVERNO("MutatingPolicy", "name: " name, spec)
#define IN_NAMESPACE(name, spec) \
    KYVERNO("NamespacedMutatingPolicy", "name: " name ", namespace: shop", spec)
#define EXCEPTION(namespace_, spec)                               \
    KYVERNO("PolicyException", "name: e, namespace: " namespace_, \
            "policyRefs: [{kind: MutatingPolicy, name: p}], " spec)
#define MUTATE(mutation) "mutations: [" mutation "]"
#define LABEL(key, value) \
    APPLY("Object{metadata: Object.metadata{labels: {\"" key "\": " value "}}}")
#define PULL                                                                    \
    APPLY("Object{spec: Object.spec{containers: object.spec.containers.map(c, " \
          "Object.spec.containers{name: c.name, imagePullPolicy: \"Always\"})}}")

#define POD "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop"
#define DEPLOYMENT_HEAD                                                              \
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: shop}, " \
    "spec: "
#define DEPLOYMENT(template_) DEPLOYMENT_HEAD "{template: " template_ "}}"
#define PLAIN_POD             DEPLOYMENT("{spec: {containers: [{name: c, image: i}]}}")
#define PULLED \
    DEPLOYMENT("{spec: {containers: [{name: c, image: i, imagePullPolicy: Always}]}}")

/* ---- what policies do -------------------------------------------------------------- */

static const struct {
    const char *documents, *object, *wanted; /* NULL: the object stays */
} rows[] = {
    {MUTATING("p", ANY MUTATE(LABEL("a", "\"1\""))), POD "}}",
     POD ", labels: {a: '1'}}}"},
    /* by name: the second one sees what the first one wrote */
    {MUTATING("b", ANY MUTATE(LABEL("b", "object.metadata.labels.a + \"2\"")))
         MUTATING("a", ANY MUTATE(LABEL("a", "\"1\""))),
     POD "}}", POD ", labels: {a: '1', b: '12'}}}"},
    /* each mutation sees the object of the one before it, and so do variables */
    {MUTATING("p", ANY "variables: [{name: len, expression: "
                       "'string(size(object.metadata.?labels.orValue({})))'}], "
                       "mutations: [" LABEL("a", "variables.len") ", " LABEL(
                           "b", "variables.len") "]"),
     POD "}}", POD ", labels: {a: '0', b: '1'}}}"},
    /* it runs once in a review, unless it says IfNeeded */
    {MUTATING("p", ANY MUTATE(LABEL("a", "object.metadata.?labels.a.orValue(\"\") + "
                                         "\"x\"")))
         MUTATING("q", ANY MUTATE(LABEL("b", "\"1\""))),
     POD "}}", POD ", labels: {a: x, b: '1'}}}"},
    /* conditions see variables, the images, and the request with its object */
    {MUTATING("p",
              ANY "variables: [{name: v, expression: 'object.metadata.name'}], "
                  "matchConditions: [{name: Any text, expression: 'variables.v == "
                  "\"a\" && request.object.metadata.name == \"a\" && "
                  "request.oldObject == null && images.containers == [\"i\"] && "
                  "images.initContainers.size() == 0'}], " MUTATE(LABEL("a", "\"1\""))),
     POD "}, spec: {containers: [{name: c, image: i}]}}",
     POD ", labels: {a: '1'}}, spec: {containers: [{name: c, image: i}]}}"},
    {MUTATING("p", ANY "matchConditions: [{name: c, expression: "
                       "'object.metadata.name == \"b\"'}], " MUTATE(LABEL("a", "\"1\""))),
     POD "}}", NULL},
    /* failures that are ignored */
    {MUTATING("p", ANY "failurePolicy: Ignore, matchConditions: [{name: c, expression: "
                       "'object.spec.none == 1'}], " MUTATE(LABEL("a", "\"1\""))),
     POD "}}", NULL},
    {MUTATING("p", ANY
              "evaluation: {admission: {enabled: false}}, " MUTATE(LABEL("a", "\"1\""))),
     POD "}}", NULL},
    {MUTATING("p", ANY "targetMatchConstraints: {}, " MUTATE(LABEL("a", "\"1\""))),
     POD "}}", NULL},
    /* a custom resource has no schema: its lists are replaced */
    {MUTATING("p", ANY MUTATE(APPLY("Object{spec: Object.spec{l: [2]}}"))),
     "{apiVersion: e.com/v1, kind: W, metadata: {name: w}, spec: {l: [1], m: {a: 1}}}",
     "{apiVersion: e.com/v1, kind: W, metadata: {name: w}, spec: {l: [2], m: {a: 1}}}"},
    /* namespaced: only objects in the namespace, and not the Namespace itself */
    {IN_NAMESPACE("p", ANY MUTATE(LABEL("a", "\"1\""))), POD "}}",
     POD ", labels: {a: '1'}}}"},
    {IN_NAMESPACE("p", ANY MUTATE(LABEL("a", "\"1\""))),
     "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: other}}", NULL},
    {IN_NAMESPACE("p", ANY MUTATE(LABEL("a", "\"1\""))),
     "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}", NULL},
};

static enum fx_lookup find_input(void *user, const struct fx_input_key *key,
                                 json_t **ret_value, struct fx_err *err) {
    (void)user;
    if (!fx_text_is(key->kind, "ConfigMap") || !fx_text_is(key->name, "c") ||
        !fx_text_is(key->namespace_, "shop")) {
        (void)fx_fail(err, FX_EMUTATE, "there is none");
        return FX_LOOKUP_FAILED;
    }
    *ret_value = json_pack("{s:{s:s}}", "data", "v", "1");
    return FX_LOOKUP_FOUND;
}

/* Converges; *ret_error is the first failure of a policy, or empty. */
static json_t *converge(const struct rule_bench *bench, const char *text,
                        struct fx_buf *error) {
    struct fx_inputs inputs;
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    struct fx_outcome outcome = {0};
    fx_inputs_init(&inputs, NULL, 0);
    inputs.find = find_input;
    const struct fx_request request = {.operation = FX_OPERATION_CREATE,
                                       .inputs = &inputs};
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    json_t *root = must_read(text);
    if (!fx_converge(bench->snapshot, &request, &arena, NULL, &root, &outcome, &err)) {
        fx_buf_str(error, err.msg);
    }
    fx_outcome_finish(&outcome);
    fx_arena_finish(&arena);
    fx_inputs_finish(&inputs);
    return root;
}

static void check_object(const char *documents, const char *object, const char *wanted) {
    struct rule_bench bench;
    struct fx_buf error;
    fx_buf_init(&error, 0);
    build_bench(&bench, documents);
    json_t *got = converge(&bench, object, &error);
    json_t *expected = must_read(wanted == NULL ? object : wanted);
    if (error.len > 0) {
        fail_msg("%s: %s", documents, error.data);
    }
    if (!fx_equal(got, expected)) {
        char *text = json_dumps(got, 0);
        fail_msg("%s: %s", documents, text);
    }
    json_decref(expected);
    json_decref(got);
    fx_buf_finish(&error);
    drop_bench(&bench);
}

static void policies(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        check_object(rows[i].documents, rows[i].object, rows[i].wanted);
    }
}

/* ---- controllers of Pods ----------------------------------------------------------- */

static const struct {
    const char *documents, *object, *wanted;
} controllers[] = {
    {MUTATING("p", PODS MUTATE(PULL)), PLAIN_POD, PULLED},
    {MUTATING("p", PODS
              "autogen: {podControllers: {controllers: [deployments]}}, " MUTATE(PULL)),
     PLAIN_POD, PULLED},
    {MUTATING("p",
              PODS "autogen: {podControllers: {controllers: [jobs]}}, " MUTATE(PULL)),
     PLAIN_POD, NULL},
    {MUTATING("p", PODS "autogen: {podControllers: {controllers: []}}, " MUTATE(PULL)),
     PLAIN_POD, NULL},
    {KYVERNO("MutatingPolicy",
             "name: p, annotations: {pod-policies.kyverno.io/autogen-controllers: none}",
             PODS MUTATE(PULL)),
     PLAIN_POD, NULL},
    {KYVERNO("MutatingPolicy",
             "name: p, annotations: {pod-policies.kyverno.io/autogen-controllers: "
             "'DaemonSet, Deployment'}",
             PODS MUTATE(PULL)),
     PLAIN_POD, PULLED},
    /* a policy that is not for Pods alone */
    {MUTATING("p", MATCH("''", "v1", "pods, services") MUTATE(PULL)), PLAIN_POD, NULL},
    {MUTATING("p", "matchConstraints: {objectSelector: {matchLabels: {a: b}}, "
                   "resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: "
                   "['*'], resources: [pods]}]}, " MUTATE(PULL)),
     PLAIN_POD, NULL},
    {MUTATING("p", PODS MUTATE(PULL)),
     "{apiVersion: batch/v1, kind: CronJob, metadata: {name: a}, spec: {jobTemplate: "
     "{spec: {template: {spec: {containers: [{name: c}]}}}}}}",
     "{apiVersion: batch/v1, kind: CronJob, metadata: {name: a}, spec: {jobTemplate: "
     "{spec: {template: {spec: {containers: [{name: c, imagePullPolicy: Always}]}}}}}}"},
    {MUTATING("p", PODS MUTATE(PULL)), DEPLOYMENT_HEAD "{replicas: 1}}", NULL},
    /* metadata are those of the template, in the namespace of the object */
    {MUTATING("p", PODS MUTATE(LABEL("a", "object.kind + \"-\" + "
                                          "object.metadata.namespace"))),
     PLAIN_POD,
     DEPLOYMENT("{metadata: {labels: {a: Pod-shop}}, spec: {containers: [{name: c, "
                "image: i}]}}")},
    {MUTATING("p", PODS "matchConditions: [{name: c, expression: "
                        "'object.metadata.labels.x == \"z\" && "
                        "request.object.kind == \"Deployment\"'}], " MUTATE(
                            PATCH("[JSONPatch{op: \"remove\", path: "
                                  "\"/metadata/labels\"}]"))),
     DEPLOYMENT("{metadata: {labels: {x: z}}, spec: {}}"),
     DEPLOYMENT("{metadata: {}, spec: {}}")},
    /* paths that an expression computes */
    {MUTATING("p", PODS MUTATE(
                       PATCH("object.spec.containers.map(c, JSONPatch{op: \"add\", path: "
                             "\"/spec/containers/\" + "
                             "string(object.spec.containers.indexOf(c)) + "
                             "\"/imagePullPolicy\", value: \"Always\"})"))),
     PLAIN_POD, PULLED},
};

static void pod_controllers(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(controllers); i++) {
        check_object(controllers[i].documents, controllers[i].object,
                     controllers[i].wanted);
    }
}

/* ---- exceptions -------------------------------------------------------------------- */

#define ALLOWING                                                              \
    MUTATING("p", ANY MUTATE(LABEL("a", "object.spec.containers[0].image in " \
                                        "exceptions.allowedImages ? \"in\" : \"out\"")))
#define IMAGE_POD(labels) POD labels "}, spec: {containers: [{name: c, image: i}]}}"

static const struct {
    const char *documents, *object, *wanted;
} exempted[] = {
    {MUTATING("p", ANY MUTATE(LABEL("a", "\"1\""))) EXCEPTION("exempt", ""), POD "}}",
     NULL},
    {MUTATING("p", ANY MUTATE(LABEL("a", "\"1\""))) EXCEPTION("other", ""), POD "}}",
     POD ", labels: {a: '1'}}}"},
    {MUTATING("q", ANY MUTATE(LABEL("a", "\"1\""))) EXCEPTION("exempt", ""), POD "}}",
     POD ", labels: {a: '1'}}}"},
    {MUTATING("p", ANY MUTATE(LABEL("a", "\"1\"")))
         EXCEPTION("exempt", "matchConditions: [{name: c, expression: "
                             "'object.metadata.name == \"a\"'}]"),
     POD "}}", NULL},
    {MUTATING("p", ANY MUTATE(LABEL("a", "\"1\"")))
         EXCEPTION("exempt", "matchConditions: [{name: c, expression: "
                             "'object.metadata.name == \"b\"'}]"),
     POD "}}", POD ", labels: {a: '1'}}}"},
    /* an exception that fails does not hold */
    {MUTATING("p", ANY MUTATE(LABEL("a", "\"1\""))) EXCEPTION(
         "exempt", "matchConditions: [{name: c, expression: 'object.none == 1'}]"),
     POD "}}", POD ", labels: {a: '1'}}}"},
    /* its conditions see the controller, not the Pod of its template */
    {MUTATING("p", PODS MUTATE(PULL))
         EXCEPTION("exempt", "matchConditions: [{name: c, expression: "
                             "'object.kind == \"Deployment\"'}]"),
     PLAIN_POD, NULL},
    /* what it allows is a value */
    {ALLOWING, IMAGE_POD(""), IMAGE_POD(", labels: {a: out}")},
    {ALLOWING EXCEPTION("exempt", "images: [i, j]"), IMAGE_POD(""),
     IMAGE_POD(", labels: {a: in}")},
    {ALLOWING EXCEPTION("exempt", "images: [j], allowedValues: [i]"), IMAGE_POD(""),
     IMAGE_POD(", labels: {a: out}")},
};

static void exceptions(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(exempted); i++) {
        check_object(exempted[i].documents, exempted[i].object, exempted[i].wanted);
    }
}

/* ---- objects of the cluster -------------------------------------------------------- */

#define GET(call) MUTATING("p", ANY MUTATE(LABEL("a", "resource." call)))

static void other_objects(void **state) {
    (void)state;
    check_object(GET("Get(\"v1\", \"configmaps\", \"shop\", \"c\").data.v"), POD "}}",
                 POD ", labels: {a: '1'}}}");
}

static const struct {
    const char *documents, *error;
} failing[] = {
    {GET("Get(\"v1\", \"configmaps\", \"shop\", \"d\").data.v"),
     "no configmaps `d` in namespace `shop`"},
    {GET("get(\"v1\", \"secrets\", \"shop\", \"c\").data.v"),
     "Fixpoint does not read Secrets"},
    {GET("get(\"e.com/v1\", \"widgets\", \"shop\", \"c\").data.v"),
     "the kind of the resource `widgets` in the group `e.com` is not known"},
    {MUTATING("p",
              ANY "matchConditions: [{name: c, expression: 'object.none == 1'}], " MUTATE(
                  LABEL("a", "\"1\""))),
     "policy \"p\" denied request: expression 'object.none == 1' resulted in error: no "
     "such "
     "key: none"},
};

static void failures(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(failing); i++) {
        struct rule_bench bench;
        struct fx_buf error;
        fx_buf_init(&error, 0);
        build_bench(&bench, failing[i].documents);
        json_t *got = converge(&bench, POD "}}", &error);
        fx_buf_str(&error, "");
        if (error.data == NULL || strstr(error.data, failing[i].error) == NULL) {
            fail_msg("%s: %s", failing[i].documents,
                     error.data == NULL ? "no failure" : error.data);
        }
        json_decref(got);
        fx_buf_finish(&error);
        drop_bench(&bench);
    }
}

/* ---- policies that are refused ----------------------------------------------------- */

static const struct {
    const char *document, *error;
} refused[] = {
    {MUTATING("p", MUTATE(PULL)), "spec.matchConstraints: Required value"},
    {MUTATING("p", ANY "reinvocationPolicy: Often, " MUTATE(PULL)),
     "spec.reinvocationPolicy: Unsupported value: \"Often\""},
    {MUTATING("p",
              ANY "matchConditions: [{name: '', expression: 'true'}], " MUTATE(PULL)),
     "spec.matchConditions[0].name: Required value"},
    {MUTATING("p", ANY MUTATE(LABEL("a", "http.Get(\"http://x\").y"))),
     "Fixpoint sends no HTTP requests for policies"},
    {MUTATING("p", ANY MUTATE(LABEL("a", "globalContext.Get(\"x\", \"y\")"))),
     "Fixpoint does not read GlobalContextEntries"},
    {MUTATING("p", ANY MUTATE(LABEL("a", "image.GetMetadata(\"i\").digest"))),
     "Fixpoint does not ask registries of images"},
    {MUTATING("p", ANY MUTATE(LABEL("a", "resource.List(\"v1\", \"pods\", \"\").kind"))),
     "Fixpoint does not list objects for policies"},
    {MUTATING("p", ANY MUTATE(LABEL("a", "params.a"))),
     "undeclared reference to 'params'"},
    {KYVERNO("PolicyException", "name: e, namespace: n", "images: [i]"),
     "spec.policyRefs: Required value"},
    {KYVERNO("PolicyException", "name: e, namespace: n", "policyRefs: [{name: p}]"),
     "spec.policyRefs[0].kind: Required value"},
    {EXCEPTION("n", "matchConditions: [{name: c, expression: '1'}]"),
     "must evaluate to bool"},
};

static void faults(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(refused); i++) {
        struct fx_compilation compilation = {0};
        struct fx_err err = FX_ERR_INIT;
        json_t *document = must_read(refused[i].document);
        assert_false(fx_dialect_admission_policy.compile(document, &compilation, &err));
        if (strstr(err.msg, refused[i].error) == NULL) {
            fail_msg("%s: %s", refused[i].document, err.msg);
        }
        fx_compilation_finish(&compilation);
        json_decref(document);
    }
}

static const struct {
    const char *document, *warning;
} warned[] = {
    {MUTATING("p", ANY "evaluation: {admission: {enabled: false}}, " MUTATE(PULL)),
     "the policy changes no object of a request"},
    {MUTATING("p", ANY "evaluation: {mutateExisting: {enabled: true}}, " MUTATE(PULL)),
     "Fixpoint does not change existing objects yet"},
    {MUTATING("p", ANY "targetMatchConstraints: {}, " MUTATE(PULL)),
     "so the policy does nothing"},
    {MUTATING("p",
              PODS "autogen: {podControllers: {controllers: [pods]}}, " MUTATE(PULL)),
     "`pods` is not a controller of Pods"},
    {MUTATING("p", ANY "paramKind: {}, " MUTATE(PULL)), "paramKind"},
    {EXCEPTION("n", ""), "see --policy-exceptions"},
};

static bool has_warning(const struct fx_compilation *compilation, const char *part) {
    for (size_t i = 0; i < compilation->n_warnings; i++) {
        if (strstr(compilation->warnings[i].text, part) != NULL) {
            return true;
        }
    }
    return false;
}

static void warnings(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(warned); i++) {
        struct fx_compilation compilation = {0};
        struct fx_err err = FX_ERR_INIT;
        json_t *document = must_read(warned[i].document);
        assert_true(fx_dialect_admission_policy.compile(document, &compilation, &err));
        if (!has_warning(&compilation, warned[i].warning)) {
            fail_msg("%s: no warning", warned[i].document);
        }
        fx_compilation_finish(&compilation);
        json_decref(document);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies),   cmocka_unit_test(pod_controllers),
        cmocka_unit_test(exceptions), cmocka_unit_test(other_objects),
        cmocka_unit_test(failures),   cmocka_unit_test(faults),
        cmocka_unit_test(warnings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
