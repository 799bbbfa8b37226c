/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/url_path.h - the paths of `apiCall`: which object of the API server one names.
 */
#ifndef FX_KYVERNO_URL_PATH_H
#define FX_KYVERNO_URL_PATH_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/input.h"

/* Reads a path such as /api/v1/namespaces/NAME or
 * /apis/GROUP/VERSION/namespaces/NAMESPACE/deployments/NAME. The texts of *ret_key are
 * borrowed from the path, but the kind, which is a constant. Errors: FX_EMUTATE (a list,
 * a subresource, a query, an unknown resource, names that no object has). */
bool fx_kyverno_url_path_read(struct fx_text path, struct fx_input_key *ret_key,
                              struct fx_err *err) FX_MUST_USE;

/* Counts the slashes of a text outside of its variables. A value that a variable brings
 * must not add any: it would name another object than the policy means. */
size_t fx_kyverno_count_slashes(struct fx_text text);

#endif
