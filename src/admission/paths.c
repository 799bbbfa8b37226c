/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/paths.c - finds the dialect of a path.
 */
#include "admission/paths.h"

#include "engine/dialect.h"

/* Is it the path, or does it begin with it and have an argument? */
static bool matches(const struct fx_webhook_path *entry, struct fx_text path,
                    struct fx_text *ret_argument) {
    const struct fx_text wanted = fx_text_of(entry->path);
    const bool has_argument = fx_text_ends(wanted, FX_TEXT("/"));
    if (!fx_text_starts(path, wanted) || (path.len > wanted.len) != has_argument) {
        return false;
    }
    *ret_argument = fx_text_rest(path, wanted.len);
    return true;
}

const struct fx_webhook_path *fx_webhook_path_find(struct fx_text path,
                                                   const struct fx_webhook **ret_webhook,
                                                   struct fx_text *ret_argument) {
    for (size_t i = 0; fx_dialects[i] != NULL; i++) {
        const struct fx_webhook *webhook = fx_dialects[i]->webhook;
        const struct fx_webhook_path *at = webhook == NULL ? NULL : webhook->paths;
        for (; at != NULL && at->path != NULL; at++) {
            if (matches(at, path, ret_argument)) {
                *ret_webhook = webhook;
                return at;
            }
        }
    }
    return NULL;
}
