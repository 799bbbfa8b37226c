/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/dryrun/dryrun_test.c - requests and their answers, to the byte
 * where KubeMod's clients read it; where rules count; what ends a dry run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "mutators/kubemod/dryrun/dryrun.h"
#include "value/json.h"
#include "value/tree.h"

#define OBJECT(namespace)                                                         \
    "\"resourceManifest\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{" \
    "\"name\":\"p\"" namespace ",\"labels\":{\"a\":\"b\"}}}"
#define POD                  OBJECT("")
#define POD_IN_SHOP          OBJECT(",\"namespace\":\"shop\"")
#define METADATA(name, more) "{\"metadata\":{\"name\":\"" name "\"" more "},\"spec\":"
#define MATCH                "\"match\":[{\"select\":\"$.kind\",\"matchValue\":\"Pod\"}]"
#define PATCH(name, more)                                                            \
    METADATA(name, more)                                                             \
    "{\"type\":\"Patch\"," MATCH ",\"patch\":[{\"op\":\"add\",\"path\":\"/metadata/" \
    "labels/c\",\"value\":\"d\"}]}}"
#define REJECT(name, more, message) \
    METADATA(name, more)            \
    "{\"type\":\"Reject\"," MATCH ",\"rejectMessage\":\"" message "\"}}"
#define IN(name) ",\"namespace\":\"" name "\""

static struct fx_dry_run_answer ask(const char *request, uint64_t deadline_ns) {
    struct fx_dry_run_answer answer;
    fx_dry_run_kubemod.answer(fx_text_of(request), NULL, deadline_ns, NULL, &answer);
    assert_non_null(answer.body.data);
    return answer;
}

/* ---- whole answers --------------------------------------------------------------- */

static const struct {
    const char *about, *request, *answer;
    unsigned status;
} whole[] = {
    {"a patch, and a rule that refuses its result",
     "{" POD
     ",\"modRules\":[" PATCH("label", "") "," REJECT("no", "", "{{.Namespace}}") "]}",
     "{\"patch\":[{\"op\":\"add\",\"path\":\"/metadata/labels/c\",\"value\":\"d\"}],"
     "\"diff\":\"@@ -4,3 +4,4 @@\\n   name: p\\n   labels:\\n     a: b\\n+    c: d\\n\","
     "\"rejections\":[\"dryrun-namespace/no: \\\"dryrun-namespace\\\"\"],"
     "\"warnings\":[],\"rules\":["
     "{\"source\":\"modRules[0]\",\"kind\":\"ModRule\","
     "\"name\":\"dryrun-namespace/label\",\"matched\":true,\"changed\":true},"
     "{\"source\":\"modRules[1]\",\"kind\":\"ModRule\","
     "\"name\":\"dryrun-namespace/no\",\"matched\":true,\"changed\":false}]}\n",
     200},
    {"no rules", "{" POD ",\"modRules\":[]}",
     "{\"patch\":[],\"diff\":\"\",\"rejections\":[],\"warnings\":[],\"rules\":[]}\n",
     200},
    {"null is as good as nothing",
     "{" POD ",\"modRules\":[],\"policies\":null,\"operation\":null,\"namespace\":null}",
     "{\"patch\":[],\"diff\":\"\",\"rejections\":[],\"warnings\":[],\"rules\":[]}\n",
     200},
    {"a fault of the request", "{\"modRules\":[]}",
     "{\"error\":\"`resourceManifest` is missing: the object to try the rules on\"}\n",
     400},
    {"faults of rules",
     "{" POD ",\"modRules\":[{\"metadata\":{\"name\":\"a\"},\"spec\":{}},"
     "{\"metadata\":{\"name\":\"b\"}}]}",
     "{\"error\":\"modRules[0]: ModRule/dryrun-namespace/a: spec.type: Required value\\n"
     "modRules[0]: ModRule/dryrun-namespace/a: spec.match: Required value\\n"
     "modRules[1]: ModRule/dryrun-namespace/b: spec: Required value\"}\n",
     400},
    {"something else as a rule",
     "{" POD ",\"modRules\":[{\"apiVersion\":\"v1\"},{\"kind\":\"Pod\"}]}",
     "{\"error\":\"modRules[0]: not a ModRule of api.kubemod.io/v1beta1; put other "
     "policies into `policies`\\nmodRules[1]: not a ModRule of "
     "api.kubemod.io/v1beta1; put other policies into `policies`\"}\n",
     400},
    {"metadata that is none", "{" POD ",\"modRules\":[{\"metadata\":7}]}",
     "{\"error\":\"modRules[0]: ModRule has no `metadata.name`\"}\n", 400},
};

static void test_whole_answers(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(whole); i++) {
        struct fx_dry_run_answer answer = ask(whole[i].request, 0);
        if (strcmp(answer.body.data, whole[i].answer) != 0) {
            fail_msg("%s: %s", whole[i].about, answer.body.data);
        }
        assert_int_equal(answer.status, whole[i].status);
        assert_false(answer.retry_after);
        fx_buf_finish(&answer.body);
    }
}

/* ---- where rules count ----------------------------------------------------------- */

static const struct {
    const char *about, *request;
    size_t n_patch;
    const char *rejection, *criterion; /* of the first; NULL: there is none */
} placed[] = {
    {"without a namespace all rules apply",
     "{" POD_IN_SHOP ",\"modRules\":[" PATCH("a", IN("bank")) "]}", 1, NULL, NULL},
    {"so they do where one refuses what came of it",
     "{" POD_IN_SHOP
     ",\"modRules\":[" PATCH("a", IN("bank")) "," REJECT("b", "", "") "]}",
     1, "dryrun-namespace/b", NULL},
    {"and for what is in no namespace",
     "{\"resourceManifest\":{\"apiVersion\":\"v1\",\"kind\":\"Namespace\","
     "\"metadata\":{\"name\":\"n\"}},\"modRules\":[{\"metadata\":{\"name\":\"a\"},"
     "\"spec\":{\"type\":\"Patch\",\"match\":[{\"select\":\"$.kind\"}],\"patch\":[{"
     "\"op\":\"add\",\"path\":\"/metadata/labels/c\",\"value\":\"d\"}]}}]}",
     1, NULL, NULL},
    {"in a namespace, one that lives there",
     "{" POD ",\"namespace\":\"shop\",\"modRules\":[" PATCH("a", IN("shop")) "]}", 1,
     NULL, NULL},
    {"one that does not say where it lives, lives there",
     "{" POD_IN_SHOP ",\"namespace\":\"shop\",\"modRules\":[" REJECT(
         "a", "", "{{ .Target.metadata.namespace }}") "]}",
     0, "shop/a: \"shop\"", NULL},
    {"one that lives elsewhere",
     "{" POD ",\"namespace\":\"shop\",\"modRules\":[" PATCH("a", IN("bank")) "]}", 0,
     NULL, "namespace"},
    {"one of the cluster, for what is in no namespace",
     "{" POD
     ",\"namespace\":\"shop\",\"modRules\":[" PATCH("a", IN("kubemod-system")) "]}",
     0, NULL, "targetNamespaceRegex"},
    {"the same in no namespace",
     "{" POD ",\"namespace\":\"\",\"modRules\":[" PATCH("a", IN("kubemod-system")) "]}",
     1, NULL, NULL},
    {"in no namespace, one that does not say where it lives",
     "{" POD ",\"namespace\":\"\",\"modRules\":[" PATCH("a", "") "]}", 0, NULL,
     "namespace"},
    {"the name of a Namespace that is sent is enough",
     "{" POD
     ",\"namespaceManifest\":{\"metadata\":{\"name\":\"shop\"}},\"modRules\":[" REJECT(
         "a", "", "{{ .Target.syntheticRefs.namespace.metadata.name }}") "]}",
     0, "shop/a: \"shop\"", NULL},
    {"of one that is named there is its name",
     "{" POD ",\"namespace\":\"shop\",\"modRules\":[" REJECT(
         "a", "", "{{ .Target.syntheticRefs.namespace.metadata.labels }}") "]}",
     0, "shop/a: \"map[kubernetes.io/metadata.name:shop]\"", NULL},
    {"and otherwise no synthetic references",
     "{" POD ",\"modRules\":[" REJECT("a", "", "{{ .Target.syntheticRefs }}") "]}", 0,
     "dryrun-namespace/a: \"map[]\"", NULL},
};

static void test_places(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(placed); i++) {
        struct fx_dry_run_answer answer = ask(placed[i].request, 0);
        struct fx_err err = FX_ERR_INIT;
        json_t *said = fx_json_read(fx_text_of(answer.body.data), NULL, &err);
        const json_t *first = json_array_get(fx_tree_view_key(said, "rejections"), 0);
        const json_t *rule = json_array_get(fx_tree_view_key(said, "rules"), 0);
        const struct fx_text criterion = fx_tree_view_string(rule, "criterion");
        if (answer.status != 200 ||
            json_array_size(fx_tree_view_key(said, "patch")) != placed[i].n_patch ||
            !fx_text_equal(fx_tree_text(first), fx_text_of(placed[i].rejection)) ||
            !fx_text_equal(criterion, fx_text_of(placed[i].criterion))) {
            fail_msg("%s: %s", placed[i].about, answer.body.data);
        }
        json_decref(said);
        fx_buf_finish(&answer.body);
    }
}

/* ---- the end of patience --------------------------------------------------------- */

static void test_deadline(void **state) {
    (void)state;
    struct fx_dry_run_answer answer =
        ask("{" POD ",\"modRules\":[" PATCH("a", "") "]}", 1);
    assert_int_equal(answer.status, 503);
    assert_true(answer.retry_after);
    assert_non_null(strstr(answer.body.data, "deadline exceeded"));
    fx_buf_finish(&answer.body);
}

/* A provider is no part of a dry run. */
static void test_external_data(void **state) {
    (void)state;
    struct fx_dry_run_answer answer =
        ask("{" POD ",\"policies\":[{\"apiVersion\":\"mutations.gatekeeper.sh/v1\","
            "\"kind\":\"Assign\",\"metadata\":{\"name\":\"out\"},\"spec\":{\"applyTo\":[{"
            "\"groups\":[\"\"],\"versions\":[\"v1\"],\"kinds\":[\"Pod\"]}],\"location\":"
            "\"spec.nodeName\",\"parameters\":{\"assign\":{\"externalData\":{"
            "\"provider\":\"p\",\"dataSource\":\"Username\"}}}}}]}",
            0);
    assert_int_equal(answer.status, 400);
    assert_non_null(strstr(answer.body.data, "a dry run calls no providers"));
    fx_buf_finish(&answer.body);
}

/* Whose rules are those of the cluster is the server's word. */
static void test_rules_of_another_namespace(void **state) {
    (void)state;
    const struct fx_dialect_settings settings = {
        .items = {{"cluster-modrules-namespace", "rules"}}, .n_items = 1};
    const struct fx_text request = FX_TEXT(
        "{" POD ",\"namespace\":\"\",\"modRules\":[" PATCH("a", IN("rules")) "]}");
    struct fx_dry_run_answer answer;
    fx_dry_run_kubemod.answer(request, NULL, 0, NULL, &answer);
    assert_non_null(strstr(answer.body.data, "\"patch\":[]"));
    fx_buf_finish(&answer.body);
    fx_dry_run_kubemod.answer(request, &settings, 0, NULL, &answer);
    assert_int_equal(answer.status, 200);
    assert_null(strstr(answer.body.data, "\"patch\":[]"));
    fx_buf_finish(&answer.body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_answers),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_rules_of_another_namespace),
        cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_external_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
