/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_merge.c - the merge key (yaml.org/type/merge.html).
 */
#include "value/yaml_merge.h"

#include <stddef.h>

#include "value/node.h"
#include "value/tree.h"

static bool refuse(struct fx_err *err) {
    return fx_fail(err, FX_ESYNTAX,
                   "yaml: map merge requires map or sequence of maps as the value");
}

static bool merge_mapping(json_t *mapping, json_t *from, struct fx_err *err) {
    if (!json_is_object(from)) {
        return refuse(err);
    }
    for (void *at = json_object_iter(from); at != NULL;
         at = json_object_iter_next(from, at)) {
        json_t *value = json_incref(json_object_iter_value(at));
        if (!fx_tree_set_take(mapping, fx_node_key(at), value)) {
            return fx_fail_nomem(err);
        }
    }
    return true;
}

bool fx_yaml_merge(json_t *mapping, json_t *value, bool aliased, struct fx_err *err) {
    if (!json_is_array(value) || aliased) {
        return merge_mapping(mapping, value, err);
    }
    for (size_t i = json_array_size(value); i > 0; i--) {
        if (!merge_mapping(mapping, json_array_get(value, i - 1), err)) {
            return false;
        }
    }
    return true;
}
