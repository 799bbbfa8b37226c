/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/select_path.h - private: paths with placeholders for the keys that a
 * `select` found (spec section 5.2): /spec/containers/#0/ports/#1.
 */
#ifndef FX_MUTATORS_KUBEMOD_SELECT_PATH_H
#define FX_MUTATORS_KUBEMOD_SELECT_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/jsonpath/jsonpath.h"

/* Appends the path with each `#N` replaced by part N, escaped (RFC 6901). If there is no
 * part N, appends `#(BADINDEX)` and returns false. A failure is kept in `buf`. */
bool fx_select_path_print(struct fx_buf *buf, struct fx_text path,
                          const struct fx_jsonpath_part *parts, size_t n_parts);

/* Gets the highest N of the `#N` in a path; false if there is none. */
bool fx_select_path_highest(struct fx_text path, size_t *ret_number) FX_MUST_USE;

/* Appends the text of a template with each `.#N` in the form of text/template: `(index
 * .SelectKeyParts N)`. A failure is kept in `buf`. */
void fx_select_path_rewrite(struct fx_buf *buf, struct fx_text value);

#endif
