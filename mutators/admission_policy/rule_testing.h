/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/rule_testing.h - private: policies, bindings and parameters
 * become rules, which run on an object. Included behind <cmocka.h>.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_RULE_TESTING_H
#define FX_MUTATORS_ADMISSION_POLICY_RULE_TESTING_H

#include <jansson.h>

#include "base/limits.h"
#include "engine/converge.h"
#include "engine/dialect.h"
#include "engine/link.h"
#include "engine/snapshot.h"
#include "mutators/admission_policy/policy.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/yaml.h"

extern const struct fx_dialect fx_dialect_admission_policy;

/* Documents: the rest of `spec` follows the head. */
#define POLICY_HEAD(name)                                                                \
    "---\n{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicy, " \
    "metadata: {name: " name "}, spec: {matchConstraints: {resourceRules: "              \
    "[{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']}]}, "
#define POLICY(name, spec) POLICY_HEAD(name) "reinvocationPolicy: Never, " spec "}}\n"
#define AGAIN(name, spec)  POLICY_HEAD(name) "reinvocationPolicy: IfNeeded, " spec "}}\n"
#define BINDING(name, spec)                                     \
    "---\n{apiVersion: admissionregistration.k8s.io/v1, kind: " \
    "MutatingAdmissionPolicyBinding, metadata: {name: " name "}, spec: {" spec "}}\n"
#define APPLY(expression)                                                                \
    "{patchType: ApplyConfiguration, applyConfiguration: {expression: '" expression "'}" \
    "}"
#define PATCH(expression) \
    "{patchType: JSONPatch, jsonPatch: {expression: '" expression "'}}"

/* What was read and built. */
struct rule_bench {
    struct fx_unit *units[32];
    size_t n_units;
    struct fx_units index;
    struct fx_linked *linked[16];
    size_t n_linked;
    struct fx_snapshot *snapshot;
};

static inline json_t *must_read(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_yaml_reader *reader = fx_yaml_open(fx_text_of(text));
    json_t *value = NULL;
    assert_non_null(reader);
    if (!fx_yaml_next(reader, NULL, &value, &err)) {
        fail_msg("`%s`: %s", text, err.msg);
    }
    fx_yaml_close(reader);
    return value;
}

static inline const struct fx_kind *find_map_kind(const struct fx_subject *subject) {
    for (const struct fx_kind *kind = fx_map_kinds; kind->kind != NULL; kind++) {
        if (fx_text_is(subject->kind, kind->kind) &&
            fx_text_is(subject->group, kind->group)) {
            return kind;
        }
    }
    return NULL;
}

static inline struct fx_unit *make_unit(json_t *document) {
    struct fx_subject subject;
    struct fx_err err = FX_ERR_INIT;
    struct fx_dialect_settings settings = {.n_items = 0};
    struct fx_compilation compilation = {.settings = &settings};
    fx_dialect_settings_set(&settings, MAP_EXCEPTIONS_SETTING, "exempt");
    fx_subject_read(document, &subject);
    const struct fx_kind *kind = find_map_kind(&subject);
    if (kind == NULL) {
        return fx_unit_create_object(&subject, "default", document, NULL);
    }
    if (!fx_dialect_admission_policy.compile(document, &compilation, &err)) {
        fail_msg("%.*s: %s", FX_TEXT_ARG(subject.name), err.msg);
    }
    struct fx_unit *unit = fx_unit_create(&fx_dialect_admission_policy, kind, &subject,
                                          document, NULL, &compilation);
    fx_compilation_finish(&compilation);
    return unit;
}

static inline void read_units(struct rule_bench *bench, const char *text) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_yaml_reader *reader = fx_yaml_open(fx_text_of(text));
    json_t *document = NULL;
    while (fx_yaml_next(reader, NULL, &document, &err) && document != NULL) {
        assert_true(bench->n_units < FX_COUNT(bench->units));
        bench->units[bench->n_units] = make_unit(document);
        assert_non_null(bench->units[bench->n_units]);
        bench->n_units++;
        json_decref(document);
        document = NULL;
    }
    if (err.code != FX_OK) {
        fail_msg("%s: %s", text, err.msg);
    }
    fx_yaml_close(reader);
}

/* Compiles and links the documents. */
static inline void build_bench(struct rule_bench *bench, const char *text) {
    struct fx_mutator *rules[64];
    size_t n_rules = 0;
    struct fx_err err = FX_ERR_INIT;
    *bench = (struct rule_bench){0};
    read_units(bench, text);
    assert_true(fx_units_fill(&bench->index, bench->units, bench->n_units));
    for (size_t i = 0; i < bench->n_units; i++) {
        if (bench->units[i]->kind == NULL ||
            bench->units[i]->kind->role != FX_ROLE_POLICY) {
            continue;
        }
        struct fx_linked *linked = fx_link_policy(&bench->index, bench->units[i]);
        assert_non_null(linked);
        bench->linked[bench->n_linked++] = linked;
        for (size_t k = 0; k < linked->n_rules; k++) {
            rules[n_rules++] = linked->rules[k];
        }
    }
    const struct fx_snapshot_parts parts = {.mutators = rules, .n_mutators = n_rules};
    assert_true(fx_snapshot_build(&parts, 1, &bench->snapshot, &err));
}

static inline void drop_bench(struct rule_bench *bench) {
    fx_snapshot_unref(bench->snapshot);
    for (size_t i = 0; i < bench->n_linked; i++) {
        fx_linked_unref(bench->linked[i]);
    }
    fx_units_finish(&bench->index);
    for (size_t i = 0; i < bench->n_units; i++) {
        fx_unit_unref(bench->units[i]);
    }
}

#endif
