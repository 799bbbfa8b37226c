/* SPDX-License-Identifier: Apache-2.0
 *
 * cel_values.h - the typed JSON in which cases of admission-policy/ write CEL values:
 * {"int": "1"}, {"list": […]}, {"timestamp": "…"}.
 */
#ifndef FX_CONFORMANCE_CEL_VALUES_H
#define FX_CONFORMANCE_CEL_VALUES_H

#include <stdbool.h>

#include <jansson.h>

#include "base/buf.h"
#include "location/cel/cel.h"

/* The value that typed JSON describes; an error value if it is none of these. Values that
 * JSON has (`is_tree`) are nodes of a tree in which *ret_tree gets a reference. */
struct fx_cel_value fx_case_cel_read(struct fx_cel_run *run, const json_t *typed,
                                     bool is_tree, json_t **ret_tree);

/* Appends typed JSON in one form: maps sorted by the text of their keys. `false` if it is
 * no typed JSON. */
void fx_case_cel_print_typed(struct fx_buf *buf, const json_t *typed);

/* Appends a value in the same form; Object{…} as a map if `is_untyped`. */
void fx_case_cel_print(struct fx_buf *buf, struct fx_cel_value value, bool is_untyped);

#endif
