/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/faults_testing.h - for the tests of this room: documents with
 * other members, and their faults.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_FAULTS_TESTING_H
#define FX_MUTATORS_ADMISSION_POLICY_FAULTS_TESTING_H

#include <string.h>

#include "engine/dialect.h"
#include "value/json.h"
#include "value/tree.h"

extern const struct fx_dialect fx_dialect_admission_policy;

#define POLICY                                                                          \
    "{\"apiVersion\":\"admissionregistration.k8s.io/v1\",\"kind\":"                     \
    "\"MutatingAdmissionPolicy\",\"metadata\":{\"name\":\"p\"},\"spec\":{"              \
    "\"matchConstraints\":{\"resourceRules\":[{\"apiGroups\":[\"\"],"                   \
    "\"apiVersions\":[\"v1\"],\"operations\":[\"CREATE\"],\"resources\":[\"pods\"]}]}," \
    "\"reinvocationPolicy\":\"Never\",\"mutations\":[{\"patchType\":\"JSONPatch\","     \
    "\"jsonPatch\":{\"expression\":\"[JSONPatch{op: 'remove', path: '/x'}]\"}}]}}"

#define BINDING                                                         \
    "{\"apiVersion\":\"admissionregistration.k8s.io/v1\",\"kind\":"     \
    "\"MutatingAdmissionPolicyBinding\",\"metadata\":{\"name\":\"b\"}," \
    "\"spec\":{\"policyName\":\"p\"}}"

static inline json_t *must_read(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *value = fx_json_read(fx_text_of(text), NULL, &err);
    if (value == NULL) {
        fail_msg("%s: %s", text, err.msg);
    }
    return value;
}

/* Returns the document with another value, a JSON text, at the path of members and
 * indexes ("spec/mutations/0/patchType"); NULL as the value removes the member. */
static inline json_t *document_with(const char *document, const char *path,
                                    const char *value) {
    json_t *root = must_read(document);
    json_t *at = root;
    const char *key = path;
    for (const char *slash = strchr(key, '/'); slash != NULL; slash = strchr(key, '/')) {
        const struct fx_text name = {key, (size_t)(slash - key)};
        at = json_is_array(at) ? json_array_get(at, (size_t)(name.data[0] - '0'))
                               : fx_tree_view_text(at, name);
        assert_non_null(at);
        key = slash + 1;
    }
    assert_int_equal(value == NULL ? json_object_del(at, key)
                                   : json_object_set_new(at, key, must_read(value)),
                     0);
    return root;
}

/* Appends the faults of the document, one a line, without their excerpts: a line ends
 * where the excerpt begins. */
static inline void print_faults(struct fx_buf *buf, json_t *document) {
    struct fx_compilation made = {0};
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_dialect_admission_policy.compile(document, &made, &err);
    assert_int_equal(ok, made.n_faults == 0);
    for (size_t i = 0; i < made.n_faults; i++) {
        fx_buf_str(buf, i == 0 ? "" : "\n");
        fx_buf_text(buf, (struct fx_text){made.faults[i].text,
                                          strcspn(made.faults[i].text, "\n")});
    }
    fx_compilation_finish(&made);
}

#define NO_FAULTS ""

/* One document: the member that differs, and the faults. */
struct fault_case {
    const char *path, *value, *faults;
};

static inline void expect_faults(const char *document, const struct fault_case *cases,
                                 size_t n_cases) {
    for (size_t i = 0; i < n_cases; i++) {
        json_t *root = document_with(document, cases[i].path, cases[i].value);
        struct fx_buf got;
        fx_buf_init(&got, 0);
        fx_buf_str(&got, "");
        print_faults(&got, root);
        if (!fx_text_is(fx_buf_view(&got), cases[i].faults)) {
            print_message("%s: %s\n", cases[i].path,
                          cases[i].value == NULL ? "removed" : cases[i].value);
            assert_string_equal(got.data == NULL ? "" : got.data, cases[i].faults);
        }
        fx_buf_finish(&got);
        json_decref(root);
    }
}

#endif
