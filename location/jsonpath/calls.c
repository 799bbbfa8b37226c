/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/calls.c - calls that fail whatever they are called on. KubeMod takes
 * them when it reads a rule, so they are no syntax errors.
 */
#include "location/jsonpath/jsonpath.h"
#include "location/jsonpath/program.h"

static bool has_one_argument(const struct fx_jsonpath *path, const struct node *call) {
    return call->first != 0 && path->nodes[call->first].next == 0;
}

bool fx_jsonpath_check_call(const struct fx_jsonpath *path, const struct node *call,
                            enum fx_code code, struct fx_err *err) {
    if (call->type == NODE_UNKNOWN) {
        const struct node *variable = &path->nodes[call->first];
        return fx_fail_at(err, code, variable->off, variable->len,
                          "there is no function `%.*s`: there are length, isDefined, "
                          "isUndefined, isEmpty, isNotEmpty and date",
                          FX_TEXT_ARG(variable->as.text));
    }
    return has_one_argument(path, call) ||
           fx_fail_at(err, code, call->off, call->len, "`%s` takes exactly one argument",
                      fx_jsonpath_function_name((enum function_id)call->id));
}

bool fx_jsonpath_check_calls(const struct fx_jsonpath *path, struct fx_err *err) {
    for (size_t i = 0; i < path->n_nodes; i++) {
        const struct node *node = &path->nodes[i];
        const bool is_call = node->type == NODE_CALL || node->type == NODE_UNKNOWN;
        if (is_call && !fx_jsonpath_check_call(path, node, FX_EINVALID, err)) {
            return false;
        }
    }
    return true;
}
