/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/shapes.c - the shapes that several kinds share. `match` and
 * `applyTo` are searched for unknown fields only: the engine refuses their wrong types.
 */
#include "mutators/gatekeeper/shapes.h"

static const struct field metadata_fields[] = {
    FIELD_TEXT("name", "string"),
    FIELD_TEXT("namespace", "string"),
    {"generation", FIELD_INTEGER, "int64", NULL, NULL},
    FIELDS_END,
};

const struct shape fx_metadata_shape = {"ObjectMeta", metadata_fields, .open = true};

static const struct field match_kinds_fields[] = {
    FIELD("apiGroups"),
    FIELD("kinds"),
    FIELDS_END,
};

static const struct shape match_kinds_shape = {"Kinds", match_kinds_fields, false};

static const struct field requirement_fields[] = {
    FIELD("key"),
    FIELD("operator"),
    FIELD("values"),
    FIELDS_END,
};

static const struct shape requirement_shape = {"LabelSelectorRequirement",
                                               requirement_fields, false};

static const struct field selector_fields[] = {
    FIELD("matchLabels"),
    {"matchExpressions", FIELD_ANY, NULL, NULL, &requirement_shape},
    FIELDS_END,
};

static const struct shape selector_shape = {"LabelSelector", selector_fields, false};

static const struct field match_fields[] = {
    {"kinds", FIELD_ANY, NULL, NULL, &match_kinds_shape},
    FIELD("scope"),
    FIELD("namespaces"),
    FIELD("excludedNamespaces"),
    {"labelSelector", FIELD_ANY, NULL, NULL, &selector_shape},
    {"namespaceSelector", FIELD_ANY, NULL, NULL, &selector_shape},
    FIELD("name"),
    FIELD("source"),
    FIELDS_FURTHER,
    {"annotationSelector", FIELD_ANY, NULL, NULL, &selector_shape},
    FIELDS_END,
};

const struct shape fx_match_shape = {"Match", match_fields, false};

static const struct field apply_to_fields[] = {
    FIELD("groups"), FIELD("versions"), FIELD("kinds"), FIELD("operations"), FIELDS_END,
};

const struct shape fx_apply_to_shape = {"ApplyTo", apply_to_fields, false};

static const struct field path_test_fields[] = {
    FIELD_TEXT("subPath", "string"),
    FIELD_TEXT("condition", "tester.Condition"),
    FIELDS_END,
};

const struct shape fx_path_test_shape = {"PathTest", path_test_fields, false};

static const struct field from_metadata_fields[] = {
    FIELD_TEXT("field", "unversioned.Field"),
    FIELDS_END,
};

static const struct shape from_metadata_shape = {"FromMetadata", from_metadata_fields,
                                                 false};

static const struct field external_data_fields[] = {
    FIELD_TEXT("provider", "string"),
    FIELD_TEXT("dataSource", "types.ExternalDataSource"),
    FIELD_TEXT("failurePolicy", "types.ExternalDataFailurePolicy"),
    FIELD_TEXT("default", "string"),
    FIELDS_END,
};

static const struct shape external_data_shape = {"ExternalData", external_data_fields,
                                                 false};

static const struct field assign_field_fields[] = {
    FIELD("value"),
    {"fromMetadata", FIELD_OBJECT, "@.FromMetadata", NULL, &from_metadata_shape},
    {"externalData", FIELD_OBJECT, "@.ExternalData", NULL, &external_data_shape},
    FIELDS_FURTHER,
    FIELD_TEXT("fromObject", "string"),
    FIELDS_END,
};

const struct shape fx_assign_field_shape = {"AssignField", assign_field_fields, false};

static const struct field condition_fields[] = {
    FIELD_LOCATION,
    FIELD_TEXT("operator", "@.ConditionOperator"),
    {"values", FIELD_LIST, "[]interface {}", NULL, NULL},
    FIELDS_END,
};

const struct shape fx_condition_shape = {"Condition", condition_fields, false};
