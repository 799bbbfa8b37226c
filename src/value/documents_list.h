/* SPDX-License-Identifier: Apache-2.0
 *
 * value/documents_list.h - putting what was read into the list of documents (inside this
 * room only).
 */
#ifndef FX_VALUE_DOCUMENTS_LIST_H
#define FX_VALUE_DOCUMENTS_LIST_H

#include "value/documents.h"

/* Adds a document: the items of a `List` one by one, nothing for null. Its marks are
 * those from `first_mark` on; a node without a mark is said to be at `line`. Consumes
 * `root`. Errors: FX_ENOMEM. */
bool fx_documents_add_take(struct fx_documents *documents, json_t *root,
                           size_t first_mark, uint32_t line,
                           struct fx_err *err) FX_MUST_USE;

#endif
