/* SPDX-License-Identifier: Apache-2.0
 *
 * kubemod_pathtemplates.c - kubemod/pathtemplates.json: replaces the placeholders of a
 * path by key parts.
 */
#include <string.h>

#include "kinds.h"
#include "location/jsonpath/jsonpath.h"
#include "mutators/kubemod/select_path.h"
#include "value/tree.h"

#define MOST_PARTS 16

/* Removes the first part from `["a"]["b"]`; false if there is none. */
static bool next_part(struct fx_text *rest, struct fx_jsonpath_part *ret_part) {
    static const char open[] = "[\"";
    static const char close[] = "\"]";
    if (!fx_text_starts(*rest, FX_TEXT("[\""))) {
        return false;
    }
    const char *start = rest->data + sizeof open - 1;
    const char *end = strstr(start, close);
    if (end == NULL) {
        return false;
    }
    *ret_part = (struct fx_jsonpath_part){.key = {start, (size_t)(end - start)}};
    const size_t used = (size_t)(end - rest->data) + sizeof close - 1;
    rest->data += used;
    rest->len -= used;
    return true;
}

void fx_case_pathtemplates(json_t *row, struct fx_case_result *result) {
    struct fx_jsonpath_part parts[MOST_PARTS];
    size_t n_parts = 0;
    struct fx_text rest = fx_tree_view_string(row, "selectKey");
    if (fx_text_starts(rest, FX_TEXT("$"))) {
        rest.data++;
        rest.len--;
    }
    while (n_parts < MOST_PARTS && next_part(&rest, &parts[n_parts])) {
        n_parts++;
    }
    const struct fx_text expect = fx_tree_view_string(row, "expect");
    struct fx_buf path;
    fx_buf_init(&path, 0);
    const bool ok = fx_select_path_print(&path, fx_tree_view_string(row, "pathTemplate"),
                                         parts, n_parts);
    fx_case_expect_text(result, "path", expect, (struct fx_text){path.data, path.len});
    fx_case_expect_bool(result, "every part is there",
                        !fx_text_contains(expect, FX_TEXT("(BADINDEX)")), ok);
    fx_buf_finish(&path);
}
