/* SPDX-License-Identifier: Apache-2.0
 *
 * location.c - gatekeeper/location.jsonl: the nodes and the printed form of a path.
 */
#include "location/gatekeeper/location.h"

#include "kinds.h"
#include "skips.h"
#include "value/tree.h"

/* Returns a step in the form of the cases: {type, ref} or {type, keyField, keyValue,
 * glob}. */
static json_t *step_node(const struct fx_location_step *step) {
    const struct fx_text type =
        fx_text_of(step->type == FX_LOCATION_LIST ? "List" : "Object");
    if (step->type == FX_LOCATION_OBJECT) {
        return json_pack("{s:o, s:o}", "type", fx_tree_new_string(type), "ref",
                         fx_tree_new_string(step->name));
    }
    return json_pack("{s:o, s:o, s:b, s:O?}", "type", fx_tree_new_string(type),
                     "keyField", fx_tree_new_string(step->name), "glob", step->glob,
                     "keyValue", step->value);
}

static json_t *nodes_of(const struct fx_location *location) {
    json_t *nodes = json_array();
    for (size_t i = 0; nodes != NULL && i < location->n_steps; i++) {
        if (json_array_append_new(nodes, step_node(&location->steps[i])) != 0) {
            json_decref(nodes);
            return NULL;
        }
    }
    return nodes;
}

static void compare(json_t *row, const struct fx_location *location,
                    struct fx_case_result *result) {
    json_t *nodes = nodes_of(location);
    fx_case_expect_json(result, "nodes", fx_tree_view_key(row, "nodes"), nodes);
    json_decref(nodes);

    struct fx_buf printed;
    fx_buf_init(&printed, 0);
    fx_location_print(&printed, location);
    fx_case_expect_text(result, "printed", fx_tree_view_string(row, "string"),
                        (struct fx_text){printed.data, printed.len});
    fx_buf_finish(&printed);
}

void fx_case_location(json_t *row, struct fx_case_result *result) {
    result->skipped = fx_case_skip_reason(row, NULL);
    if (result->skipped != NULL) {
        return;
    }
    struct fx_location *location = NULL;
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_location_parse(fx_tree_view_string(row, "location"),
                                      FX_LOCATION_GATEKEEPER, &location, &err);
    fx_case_expect_bool(result, ok ? "ok" : err.msg,
                        json_is_true(fx_tree_view_key(row, "ok")), ok);
    if (ok) {
        compare(row, location, result);
    } else {
        fx_case_expect_part(result, "error", fx_tree_view_string(row, "error"),
                            fx_text_of(err.msg));
    }
    fx_location_destroy(location);
}
