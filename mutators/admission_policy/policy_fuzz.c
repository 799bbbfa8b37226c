/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/policy_fuzz.c - any JSON object as a policy or a binding:
 * either reasons, or rules that match an object or not, and mutate it or fail. Neither
 * the policy nor the incoming object changes.
 *
 * The input is a policy; or an object with a `policy`, a `binding` for it, and a
 * parameter, `param`. With `kyverno` it is a MutatingPolicy of Kyverno, and `exception` a
 * PolicyException.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/budget.h"
#include "engine/converge.h"
#include "engine/dialect.h"
#include "engine/request.h"
#include "engine/snapshot.h"
#include "mutators/admission_policy/policy.h"
#include "mutators/admission_policy/type_check.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct fx_dialect fx_dialect_admission_policy;

#define MOST_UNITS       (UINT64_C(1) << 22) /* of the budget, for one input */
#define MOST_ARENA_BYTES ((size_t)16 << 20)

static const char binding_text[] =
    "{\"apiVersion\":\"admissionregistration.k8s.io/v1\",\"kind\":"
    "\"MutatingAdmissionPolicyBinding\",\"metadata\":{\"name\":\"b\"},\"spec\":"
    "{\"policyName\":\"p\",\"paramRef\":{\"name\":\"c\"}}}";

static const char object_text[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":"
    "\"ns\",\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":\"a\","
    "\"image\":\"i:1\",\"env\":[{\"name\":\"A\",\"value\":\"1\"}]},{\"name\":\"b\"}],"
    "\"volumes\":[{\"name\":\"v\",\"emptyDir\":{}}],\"priority\":5}}";

static const char controller_text[] =
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"CronJob\",\"metadata\":{\"name\":\"j\","
    "\"namespace\":\"ns\"},\"spec\":{\"jobTemplate\":{\"spec\":{\"template\":{"
    "\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":"
    "\"a\",\"image\":\"i:1\"}]}}}}}}";

static json_t *read_constant(struct fx_text text) {
    static struct fx_err err;
    json_t *value = fx_json_read(text, NULL, &err);
    assert(value != NULL);
    return value;
}

/* ---- compiling -------------------------------------------------------------------- */

static bool compile_as(json_t *document, size_t kind, struct fx_compilation *made,
                       struct fx_err *err) {
    switch (kind) {
    case MAP_POLICY: return fx_map_policy_compile(document, made, err);
    case MAP_BINDING: return fx_map_binding_compile(document, made, err);
    case MAP_EXCEPTION: return fx_map_exception_compile(document, made, err);
    default: return fx_map_kyverno_compile(document, made, err);
    }
}

/* Compiles a document of the kind; NULL if it is refused. Its text stays the same. */
static struct fx_unit *compile(json_t *document, size_t kind, const char *name) {
    struct fx_compilation made = {0};
    struct fx_err err = FX_ERR_INIT;
    struct fx_unit *unit = NULL;
    const struct fx_subject subject = {.name = fx_text_of(name),
                                       .namespace_ = FX_TEXT("ns")};
    struct fx_dialect_settings settings = {.n_items = 0};
    fx_dialect_settings_set(&settings, MAP_EXCEPTIONS_SETTING, "*");
    made.settings = &settings;
    json_t *before = fx_tree_deep_copy(document);
    assert(before != NULL);
    const bool ok = compile_as(document, kind, &made, &err);
    if (ok) {
        assert(made.n_faults == 0);
        unit = fx_unit_create(&fx_dialect_admission_policy, &fx_map_kinds[kind], &subject,
                              document, NULL, &made);
        assert(unit != NULL);
    } else {
        assert(err.code != FX_OK && err.msg[0] != '\0');
        assert(err.code != FX_EINVALID || made.n_faults > 0);
    }
    assert(json_equal(document, before)); /* nothing compiled is ever modified */
    json_decref(before);
    fx_compilation_finish(&made);
    return unit;
}

static struct fx_unit *make_object(json_t *given) {
    struct fx_subject subject;
    fx_subject_read(given, &subject);
    if (subject.name.len == 0 || subject.kind.len == 0) {
        return NULL;
    }
    struct fx_unit *unit = fx_unit_create_object(&subject, "ns", given, NULL);
    assert(unit != NULL);
    return unit;
}

/* ---- running ---------------------------------------------------------------------- */

static void check_example(const struct fx_mutator *rule) {
    struct fx_err err = FX_ERR_INIT;
    json_t *example = rule->ops->example == NULL ? NULL : rule->ops->example(rule, &err);
    assert(example == NULL || json_is_object(example));
    json_decref(example);
}

static void mutate(const struct fx_snapshot *snapshot, struct fx_text text) {
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    struct fx_outcome outcome = {0};
    json_t *before = read_constant(text);
    json_t *untouched = read_constant(text);
    json_t *root = json_incref(before);
    const struct fx_request request = {.operation = FX_OPERATION_CREATE,
                                       .source = FX_SOURCE_ORIGINAL};
    fx_arena_init(&arena, MOST_ARENA_BYTES);
    if (!fx_converge(snapshot, &request, &arena, NULL, &root, &outcome, &err)) {
        assert(err.code != FX_OK && err.code != FX_EINTERNAL && err.msg[0] != '\0');
    }
    assert(json_equal(before, untouched));
    fx_outcome_finish(&outcome);
    fx_arena_finish(&arena);
    json_decref(root);
    json_decref(untouched);
    json_decref(before);
}

static void link_and_run(struct fx_unit *const *items, size_t n_items) {
    struct fx_units units = {0};
    struct fx_err err = FX_ERR_INIT;
    const bool filled = fx_units_fill(&units, items, n_items);
    assert(filled);
    struct fx_linked *linked = fx_link_policy(&units, items[0]);
    assert(linked != NULL);
    for (size_t i = 0; i < linked->n_rules; i++) {
        check_example(linked->rules[i]);
    }
    const struct fx_snapshot_parts parts = {.mutators = linked->rules,
                                            .n_mutators = linked->n_rules};
    struct fx_snapshot *snapshot = NULL;
    const bool built = fx_snapshot_build(&parts, 1, &snapshot, &err);
    assert(built);
    mutate(snapshot, FX_TEXT(object_text));
    mutate(snapshot, FX_TEXT(controller_text));
    fx_snapshot_unref(snapshot);
    fx_linked_unref(linked);
    fx_units_finish(&units);
}

/* ---- types ------------------------------------------------------------------------ */

/* A catalog in which Pods have this schema; NULL if it cannot be read. */
static struct fx_schema_catalog *make_catalog(const json_t *schema) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_schema_builder *builder = fx_schema_builder_create();
    assert(builder != NULL);
    if (!fx_schema_add_structural(builder, FX_TEXT(""), FX_TEXT("v1"), FX_TEXT("Pod"),
                                  schema, &err)) {
        assert(err.code != FX_OK && err.msg[0] != '\0');
        fx_schema_builder_destroy(builder);
        return NULL;
    }
    return fx_schema_catalog_create(builder);
}

static void check_warning(const struct fx_type_warning *warning) {
    assert(warning->n_faults > 0 && warning->text[0] != '\0');
    assert(warning->field[0] != '\0' && warning->kind[0] != '\0');
    for (size_t i = 0; i < warning->n_faults; i++) {
        assert(warning->faults[i].at <= warning->expression.len);
        assert(warning->faults[i].message[0] != '\0');
    }
}

/* Checks the types of the policy, with the schema of the input and with built-in ones. */
static void check_types(const struct fx_unit *policy, const json_t *schema) {
    struct fx_schemas schemas = {.look_up = NULL};
    struct fx_type_warnings warnings;
    struct fx_err err = FX_ERR_INIT;
    schemas.given[0] = json_is_object(schema) ? make_catalog(schema) : NULL;
    fx_type_warnings_init(&warnings);
    if (fx_map_check_types(policy, &schemas, &warnings, &err)) {
        assert(!warnings.waits);
        for (size_t i = 0; i < warnings.n_items; i++) {
            check_warning(&warnings.items[i]);
        }
    } else {
        assert(err.code != FX_OK && err.msg[0] != '\0');
    }
    fx_type_warnings_finish(&warnings);
    fx_schema_catalog_unref(schemas.given[0]);
}

/* ---- one input -------------------------------------------------------------------- */

/* A policy of Kyverno, for all namespaces or for one, with an exception. */
static void check_kyverno(json_t *policy, json_t *exception, bool is_namespaced) {
    const size_t kind =
        is_namespaced ? MAP_NAMESPACED_MUTATING_POLICY : MAP_MUTATING_POLICY;
    struct fx_unit *units[2] = {
        compile(policy, kind, "p"),
        exception == NULL ? NULL : compile(exception, MAP_EXCEPTION, "e"),
    };
    if (units[0] != NULL) {
        check_types(units[0], NULL);
        link_and_run(units, units[1] != NULL ? 2 : 1);
    }
    for (size_t i = 0; i < FX_COUNT(units); i++) {
        fx_unit_unref(units[i]);
    }
}

static void check_input(json_t *input) {
    json_t *policy = fx_tree_view_key(input, "policy");
    json_t *kyverno = fx_tree_view_key(input, "kyverno");
    json_t *exception = fx_tree_view_key(input, "exception");
    if (json_is_object(kyverno)) {
        exception = json_is_object(exception) ? exception : NULL;
        check_kyverno(kyverno, exception, false);
        check_kyverno(kyverno, exception, true);
        return;
    }
    json_t *param = fx_tree_view_key(input, "param");
    json_t *given = fx_tree_view_key(input, "binding");
    json_t *binding =
        json_is_object(given) ? json_incref(given) : read_constant(FX_TEXT(binding_text));
    struct fx_unit *units[3] = {
        compile(json_is_object(policy) ? policy : input, MAP_POLICY, "p"),
        compile(binding, MAP_BINDING, "b"),
        json_is_object(param) ? make_object(param) : NULL,
    };
    if (units[0] != NULL) {
        check_types(units[0], fx_tree_view_key(input, "schema"));
    }
    if (units[0] != NULL && units[1] != NULL) {
        link_and_run(units, units[2] != NULL ? 3 : 2);
    }
    for (size_t i = 0; i < FX_COUNT(units); i++) {
        fx_unit_unref(units[i]);
    }
    json_decref(binding);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_err err = FX_ERR_INIT;
    json_t *input = fx_json_read((struct fx_text){(const char *)data, size}, NULL, &err);
    if (json_is_object(input)) {
        const struct fx_bound outer = fx_budget_narrow(MOST_UNITS, 0);
        check_input(input);
        (void)fx_budget_widen(outer);
    }
    json_decref(input);
    return 0;
}
