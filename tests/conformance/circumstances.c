/* SPDX-License-Identifier: Apache-2.0
 *
 * circumstances.c - reads the circumstances of a case.
 */
#include "circumstances.h"

#include "value/tree.h"

/* The UUID with which the expectations were recorded. */
#define MUTATION_ID "00000000-0000-0000-0000-000000000000"

struct fx_request fx_case_request(json_t *row) {
    const json_t *operation = fx_tree_view_key(row, "operation");
    const json_t *type = fx_tree_view_key(row, "sourceType");
    const struct fx_text source = type == NULL ? FX_TEXT("Original") : fx_tree_text(type);
    json_t *namespace_object = fx_tree_view_key(row, "namespace");
    return (struct fx_request){
        .operation = operation == NULL ? FX_OPERATION_CREATE
                                       : fx_operation_parse(fx_tree_text(operation)),
        .source = fx_source_parse(source),
        .source_text = source,
        .namespace_object = json_is_object(namespace_object) ? namespace_object : NULL,
        .mutation_id = MUTATION_ID,
        .user_info = row, /* the row has a `username`, as user info has */
        .annotates = json_is_true(fx_tree_view_key(row, "annotations")),
    };
}
