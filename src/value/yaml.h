/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml.h - YAML as kubectl and every controller read it (sigs.k8s.io/yaml over
 * YAML 1.1, go-yaml v2's resolution of plain scalars), and as kubectl prints it.
 */
#ifndef FX_VALUE_YAML_H
#define FX_VALUE_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_marks;

struct fx_yaml_reader; /* opaque: a position in a stream of documents */

/* Starts reading `text` (UTF-8, with or without a byte order mark), which must outlive
 * the reader. NULL without memory. */
struct fx_yaml_reader *fx_yaml_open(struct fx_text text) FX_MUST_USE;

/* Frees the reader; NULL is fine. */
void fx_yaml_close(struct fx_yaml_reader *reader);

/* Reads the next document into *ret_document (a new reference; JSON null for an empty
 * one), or sets it to NULL at the end of the stream. Anchors are expanded by sharing
 * nodes, the expansion counted against FX_LIMIT_YAML_NODES, nesting against
 * FX_LIMIT_JSON_DEPTH. After a failure the stream is at its end.
 *
 * `marks` (may be NULL) receives positions. Errors: FX_ESYNTAX (off: the byte; go-yaml's
 * message if it has one, with the line as a prefix: "yaml: line 2: …"), FX_ELIMIT,
 * FX_ENOMEM. */
bool fx_yaml_next(struct fx_yaml_reader *reader, struct fx_marks *marks,
                  json_t **ret_document, struct fx_err *err) FX_MUST_USE;

/* Appends the value as a block-style YAML document, keys in the object's order, without a
 * leading `---`. The output reads back as the same value: strings that would resolve to
 * another type are quoted, long and multi-line ones are written like kubectl (`|`
 * blocks). A failure (no memory, or the thread's budget exceeded: base/budget.h) is kept
 * in `buf`. */
void fx_yaml_write(struct fx_buf *buf, const json_t *value);

/* Appends the value in one line: a scalar as in YAML; a list, an object or a text of
 * several lines as JSON; "(absent)" for NULL. Control characters are not escaped. A
 * failure (no memory, or the thread's budget exceeded) is kept in `buf`. */
void fx_value_print(struct fx_buf *buf, const json_t *value);

#endif
