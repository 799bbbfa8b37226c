/* SPDX-License-Identifier: Apache-2.0
 *
 * value/documents.h - reads the Kubernetes objects of a file.
 */
#ifndef FX_VALUE_DOCUMENTS_H
#define FX_VALUE_DOCUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "value/marks.h"

/* One object of a file. */
struct fx_document {
    json_t *root;  /* counted */
    uint32_t line; /* of its first node, from 1 */
};

struct fx_documents {
    struct fx_document *items;
    size_t n_items, cap_items;
    struct fx_marks marks; /* of all of them */
};

/* Frees the list and drops its objects. NULL and zeroed lists are fine. */
void fx_documents_finish(struct fx_documents *documents);

/* Reads JSON or YAML, which it distinguishes like kubectl (a text that begins with `{` is
 * read as JSON, and as YAML if it is not valid JSON): every document of a stream, every
 * item of a `List` (any kind ending in List with `items`); empty documents are skipped.
 * On failure `ret_documents` has the documents before the error, so the caller can use
 * them. Errors: those of fx_json_read() and fx_yaml_next(). */
bool fx_documents_read(struct fx_text text, struct fx_documents *ret_documents,
                       struct fx_err *err) FX_MUST_USE;

/* Returns the reason why the document is not a Kubernetes object (an object with
 * `apiVersion` and `kind`), as a constant; NULL if it is one. */
const char *fx_document_fault(const struct fx_document *document);

/* Finds the line and column (from 1, in runes) of the byte at `off`. */
void fx_documents_position(struct fx_text text, size_t off, uint32_t *ret_line,
                           uint32_t *ret_column);

#endif
