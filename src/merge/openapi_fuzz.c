/* SPDX-License-Identifier: Apache-2.0
 *
 * merge/openapi_fuzz.c - a JSON text as an OpenAPI document, as a
 * CustomResourceDefinition, and as a schema. The set that is made of it is sound: all
 * indexes are within its arrays, fields are sorted; a failure leaves it empty.
 */
#include <assert.h>
#include <string.h>

#include "merge/builder_internal.h"
#include "value/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_struct(const struct fx_schema_builder *builder,
                         const struct fx_schema_node *node) {
    assert(node->first <= builder->n_fields &&
           node->n <= builder->n_fields - node->first);
    for (size_t i = 0; i < node->n; i++) {
        const struct fx_schema_field *field = &builder->fields[node->first + i];
        assert(field->name < builder->texts.len && field->node < builder->n_nodes &&
               field->default_ <= builder->n_defaults);
        assert(i == 0 || strcmp(builder->texts.data + field[-1].name,
                                builder->texts.data + field->name) < 0);
    }
}

static void check_set(struct fx_schema_builder *builder) {
    const struct fx_schema_set *set = fx_schema_builder_set(builder);
    for (size_t i = 0; i < set->n_nodes; i++) {
        const struct fx_schema_node *node = &set->nodes[i];
        assert(node->type <= FX_SCHEMA_LIST && node->format <= FX_SCHEMA_DATE_TIME);
        assert(node->element < set->n_nodes);
        if (node->type == FX_SCHEMA_STRUCT) {
            check_struct(builder, node);
        } else if (node->type == FX_SCHEMA_LIST) {
            assert(node->first <= builder->n_keys &&
                   node->n <= builder->n_keys - node->first);
        }
    }
    for (size_t i = 0; i < set->n_kinds; i++) {
        assert(set->kinds[i].node < set->n_nodes);
        assert(i == 0 || strcmp(set->texts + set->kinds[i - 1].name,
                                set->texts + set->kinds[i].name) < 0);
    }
}

typedef bool add_document(struct fx_schema_builder *builder, const json_t *document,
                          struct fx_err *err);

static bool add_schema(struct fx_schema_builder *builder, const json_t *document,
                       struct fx_err *err) {
    return fx_schema_add_structural(builder, FX_TEXT("g"), FX_TEXT("v1"), FX_TEXT("K"),
                                    document, err);
}

static void try_document(add_document *add, const json_t *document) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_schema_builder *builder = fx_schema_builder_create();
    if (builder != NULL && add(builder, document, &err)) {
        check_set(builder);
    } else if (builder != NULL) {
        assert(err.code == FX_EINVALID || err.code == FX_ELIMIT || err.code == FX_ENOMEM);
        assert(builder->n_nodes == 0 && builder->n_kinds == 0 && builder->n_fields == 0);
    }
    fx_schema_builder_destroy(builder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_err err = FX_ERR_INIT;
    json_t *document =
        fx_json_read((struct fx_text){(const char *)data, size}, NULL, &err);
    if (document != NULL) {
        try_document(fx_schema_add_openapi, document);
        try_document(fx_schema_add_crd, document);
        try_document(add_schema, document);
    }
    json_decref(document);
    return 0;
}
