/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/texts.c - lists of texts out of a policy.
 */
#include "mutators/gatekeeper/texts.h"

#include "engine/unmarshal.h"
#include "value/tree.h"

bool fx_texts_read(const json_t *object, const struct texts_field *field,
                   struct fx_text **ret_texts, size_t *ret_count, struct fx_err *err) {
    const struct fx_go_field whole = {field->owner, field->path, field->type};
    struct fx_text_list list = {0};
    if (!fx_text_list_read(fx_tree_view_key(object, field->name), &whole,
                           field->type_each, &list, err)) {
        return false;
    }
    *ret_texts = list.items;
    *ret_count = list.n_items;
    return true;
}
