/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/parts.c - how many key parts a path leaves behind.
 */
#include "location/jsonpath/jsonpath.h"
#include "location/jsonpath/program.h"

bool fx_jsonpath_count_parts(const struct fx_jsonpath *path, size_t *ret_count) {
    size_t count = 0;
    for (node_index i = path->nodes[path->root].first; i != 0; i = path->nodes[i].next) {
        if (path->nodes[i].type == STEP_DESCEND) {
            return false;
        }
        count += fx_jsonpath_is_branching(&path->nodes[i]) ? 1 : 0;
    }
    *ret_count = count;
    return true;
}
