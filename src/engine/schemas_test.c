/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/schemas_test.c - catalogs, and where a rule finds the schema of a kind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "base/budget.h"
#include "base/limits.h"
#include "engine/request.h"
#include "engine/schemas.h"
#include "value/json.h"

static json_t *read_json(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *value = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(value);
    return value;
}

/* A definition of kind KIND in version v1 of the group, whose objects have FIELD. */
static json_t *make_crd(const char *group, const char *kind, const char *field) {
    char text[600];
    (void)snprintf(text, sizeof text,
                   "{\"apiVersion\":\"apiextensions.k8s.io/v1\","
                   "\"kind\":\"CustomResourceDefinition\",\"spec\":{\"group\":\"%s\","
                   "\"names\":{\"kind\":\"%s\"},\"versions\":[{\"name\":\"v1\","
                   "\"served\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
                   "\"properties\":{\"%s\":{\"type\":\"string\"}}}}}]}}",
                   group, kind, field);
    return read_json(text);
}

static struct fx_schema_catalog *make_catalog(json_t *const *objects_take, size_t n) {
    struct fx_schema_catalog *catalog = NULL;
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_schemas_of_crds(objects_take, n, &catalog, &err));
    for (size_t i = 0; i < n; i++) {
        json_decref(objects_take[i]);
    }
    return catalog;
}

static struct fx_schema_catalog *catalog_of(const char *group, const char *kind,
                                            const char *field) {
    json_t *objects[] = {make_crd(group, kind, field)};
    struct fx_schema_catalog *catalog = make_catalog(objects, 1);
    assert_non_null(catalog);
    return catalog;
}

static bool has_field(struct fx_schema schema, const char *field) {
    return schema.set != NULL && fx_schema_field(schema, fx_text_of(field)).set != NULL;
}

static struct fx_schema find_in(const struct fx_schema_catalog *catalog,
                                const char *kind) {
    return fx_schema_find(fx_schema_catalog_set(catalog), FX_TEXT("x.dev"), FX_TEXT("v1"),
                          fx_text_of(kind));
}

/* ---- catalogs -------------------------------------------------------------------- */

static void definitions_become_catalogs(void **state) {
    (void)state;
    json_t *none[] = {read_json("{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}"),
                      read_json("{\"apiVersion\":\"apiextensions.k8s.io/v1beta1\","
                                "\"kind\":\"CustomResourceDefinition\",\"spec\":{}}"),
                      read_json("[1]")};
    assert_null(make_catalog(none, FX_COUNT(none)));
    json_t *some[] = {
        read_json("{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}"),
        make_crd("x.dev", "Widget", "size"),
        read_json("{\"apiVersion\":\"apiextensions.k8s.io/v1\","
                  "\"kind\":\"CustomResourceDefinition\"}"), /* has no spec */
        make_crd("x.dev", "Widget", "later"),
        make_crd("x.dev", "Gadget", "color"),
    };
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_schemas_check_crd(some[1], &err));
    assert_false(fx_schemas_check_crd(some[2], &err));
    assert_int_equal(err.code, FX_EINVALID);
    assert_ptr_equal(err.node, some[2]);
    struct fx_schema_catalog *catalog = make_catalog(some, FX_COUNT(some));
    assert_non_null(catalog);
    assert_true(has_field(find_in(catalog, "Widget"), "size"));
    assert_false(has_field(find_in(catalog, "Widget"), "later"));
    assert_true(has_field(find_in(catalog, "Gadget"), "color"));
    assert_null(find_in(catalog, "Pod").set);
    assert_ptr_equal(fx_schema_catalog_ref(catalog), catalog);
    fx_schema_catalog_unref(catalog);
    assert_true(has_field(find_in(catalog, "Widget"), "size"));
    fx_schema_catalog_unref(catalog);
    assert_null(fx_schema_catalog_ref(NULL));
    fx_schema_catalog_unref(NULL);
}

/* ---- finding --------------------------------------------------------------------- */

static enum fx_code find_kind(const struct fx_request *request, const char *group,
                              const char *kind, struct fx_schema *ret_schema) {
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_schemas_find(request, fx_text_of(group), FX_TEXT("v1"),
                                    fx_text_of(kind), ret_schema, &err);
    assert_true(ok == (err.code == FX_OK));
    return err.code;
}

static void given_ones_come_first(void **state) {
    (void)state;
    struct fx_schemas schemas = {.given = {NULL, catalog_of("x.dev", "Widget", "size"),
                                           catalog_of("", "Pod", "other")}};
    struct fx_request request = {.schemas = NULL};
    struct fx_schema schema;
    assert_int_equal(find_kind(&request, "", "Pod", &schema), FX_OK);
    assert_ptr_equal(schema.set, &fx_schema_builtin);
    assert_int_equal(find_kind(&request, "x.dev", "Widget", &schema), FX_OK);
    assert_null(schema.set);
    request.schemas = &schemas;
    assert_int_equal(find_kind(&request, "x.dev", "Widget", &schema), FX_OK);
    assert_true(has_field(schema, "size"));
    assert_int_equal(find_kind(&request, "", "Pod", &schema), FX_OK);
    assert_true(has_field(schema, "other"));
    assert_int_equal(find_kind(&request, "", "Service", &schema), FX_OK);
    assert_ptr_equal(schema.set, &fx_schema_builtin);
    assert_int_equal(find_kind(&request, "x.dev", "Gadget", &schema), FX_OK);
    assert_null(schema.set);
    fx_schema_catalog_unref(schemas.given[1]);
    fx_schema_catalog_unref(schemas.given[2]);
}

/* An API server. */
struct api {
    struct fx_schema_catalog *catalog;
    enum fx_lookup answer;
    enum fx_code failure;
    unsigned n_questions;
};

static enum fx_lookup look_up(void *user, struct fx_text group, struct fx_text version,
                              struct fx_schema_catalog **ret_catalog,
                              struct fx_err *err) {
    struct api *api = user;
    assert_true(fx_text_is(version, "v1") && !fx_text_is(group, "given.dev"));
    api->n_questions++;
    if (api->answer == FX_LOOKUP_FOUND) {
        *ret_catalog = fx_schema_catalog_ref(api->catalog);
    } else if (api->answer == FX_LOOKUP_FAILED) {
        (void)fx_fail(err, api->failure, "no schemas");
    }
    return api->answer;
}

/* A review in a cluster. */
struct scene {
    struct api api;
    struct fx_schemas schemas;
    struct fx_inputs inputs;
    struct fx_request request;
};

static void start(struct scene *scene, enum fx_lookup answer) {
    *scene = (struct scene){
        .api = {.catalog = catalog_of("x.dev", "Widget", "size"),
                .answer = answer,
                .failure = FX_EMUTATE},
        .schemas = {.given = {catalog_of("given.dev", "Thing", "name")},
                    .look_up = look_up},
    };
    fx_inputs_init(&scene->inputs, NULL, 0);
    scene->schemas.user = &scene->api;
    scene->request.schemas = &scene->schemas;
    scene->request.inputs = &scene->inputs;
}

static void finish(struct scene *scene) {
    fx_inputs_finish(&scene->inputs);
    fx_schema_catalog_unref(scene->api.catalog);
    fx_schema_catalog_unref(scene->schemas.given[0]);
}

static void kept_ones_are_found_at_once(void **state) {
    (void)state;
    struct scene scene;
    struct fx_schema schema;
    start(&scene, FX_LOOKUP_FOUND);
    assert_int_equal(find_kind(&scene.request, "given.dev", "Thing", &schema), FX_OK);
    assert_true(has_field(schema, "name"));
    assert_int_equal(find_kind(&scene.request, "x.dev", "Widget", &schema), FX_OK);
    assert_true(has_field(schema, "size"));
    scene.api.answer = FX_LOOKUP_FAILED; /* the review keeps what it has */
    assert_int_equal(find_kind(&scene.request, "x.dev", "Widget", &schema), FX_OK);
    assert_true(has_field(schema, "size"));
    assert_int_equal(scene.api.n_questions, 1);
    assert_int_equal(find_kind(&scene.request, "x.dev", "Gadget", &schema), FX_OK);
    assert_null(schema.set);
    finish(&scene);
}

static void others_are_waited_for(void **state) {
    (void)state;
    struct scene scene;
    struct fx_schema schema;
    start(&scene, FX_LOOKUP_WAIT);
    assert_int_equal(find_kind(&scene.request, "x.dev", "Widget", &schema), FX_EINPUT);
    assert_int_equal(find_kind(&scene.request, "x.dev", "Gadget", &schema), FX_EINPUT);
    assert_int_equal(find_kind(&scene.request, "", "Pod", &schema), FX_EINPUT);
    assert_int_equal(scene.inputs.n_entries, 2);
    assert_int_equal(scene.api.n_questions, 2);
    fx_inputs_look_up(&scene.inputs, NULL, NULL); /* leaves them alone */
    assert_true(fx_inputs_are_missing(&scene.inputs));
    struct fx_input_entry *entry = scene.inputs.first;
    assert_int_equal(entry->key.type, FX_INPUT_SCHEMA);
    assert_true(fx_text_is(entry->key.group, "x.dev"));
    fx_inputs_give_schemas(entry, fx_schema_catalog_ref(scene.api.catalog), NULL);
    struct fx_err err = FX_ERR_INIT;
    (void)fx_fail(&err, FX_EIO, "refused");
    fx_inputs_give_schemas(entry->next, NULL, &err);
    assert_false(fx_inputs_are_missing(&scene.inputs));
    assert_int_equal(find_kind(&scene.request, "x.dev", "Widget", &schema), FX_OK);
    assert_true(has_field(schema, "size"));
    assert_int_equal(find_kind(&scene.request, "", "Pod", &schema), FX_OK);
    assert_ptr_equal(schema.set, &fx_schema_builtin);
    finish(&scene);
}

static void failures_leave_the_built_in_ones(void **state) {
    (void)state;
    struct scene scene;
    struct fx_schema schema;
    start(&scene, FX_LOOKUP_FAILED);
    assert_int_equal(find_kind(&scene.request, "", "Pod", &schema), FX_OK);
    assert_ptr_equal(schema.set, &fx_schema_builtin);
    assert_int_equal(find_kind(&scene.request, "x.dev", "Widget", &schema), FX_OK);
    assert_null(schema.set);
    scene.api.failure = FX_ENOMEM;
    assert_int_equal(find_kind(&scene.request, "y.dev", "Widget", &schema), FX_ENOMEM);
    scene.request.inputs = NULL; /* nothing can be fetched */
    assert_int_equal(find_kind(&scene.request, "", "Pod", &schema), FX_OK);
    assert_ptr_equal(schema.set, &fx_schema_builtin);
    assert_int_equal(scene.api.n_questions, 3);
    finish(&scene);
}

static void there_are_limits(void **state) {
    (void)state;
    struct scene scene;
    struct fx_schema schema;
    start(&scene, FX_LOOKUP_WAIT);
    scene.inputs.n_rounds = FX_LIMIT_INPUT_ROUNDS;
    assert_int_equal(find_kind(&scene.request, "", "Pod", &schema), FX_EMUTATE);
    scene.inputs.n_rounds = 0;
    struct fx_budget budget = {.exceeded = FX_EXCEEDED_TIME};
    fx_budget_swap(&budget);
    const enum fx_code code = find_kind(&scene.request, "", "Pod", &schema);
    fx_budget_swap(&budget);
    assert_int_equal(code, FX_EDEADLINE);
    finish(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_become_catalogs),
        cmocka_unit_test(given_ones_come_first),
        cmocka_unit_test(kept_ones_are_found_at_once),
        cmocka_unit_test(others_are_waited_for),
        cmocka_unit_test(failures_leave_the_built_in_ones),
        cmocka_unit_test(there_are_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
