/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain_path.h - places in an object as `explain` names them: as
 * locations, `spec.containers[name: web].image`; an element without a name by its number,
 * `spec.tolerations[0].effect`. Names that are not plain words stand in quotes. What is
 * printed can be given to --field.
 */
#ifndef FX_CLI_EXPLAIN_PATH_H
#define FX_CLI_EXPLAIN_PATH_H

#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/text.h"

/* Appends one step. */
void fx_path_push_member(struct fx_buf *buf, struct fx_text name);
void fx_path_push_element(struct fx_buf *buf, struct fx_text name, size_t index);

/* The `name` of a list element; no data where it has none. */
struct fx_text fx_path_element_name(const json_t *element);

/* Appends the place that a JSON pointer names within `root`; what is not there by its
 * tokens. */
void fx_path_print_pointer(struct fx_buf *buf, json_t *root, struct fx_text pointer);

#endif
