/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/check.h - small checks of the parts of a configuration. Private to this room.
 */
#ifndef FX_KUBE_CHECK_H
#define FX_KUBE_CHECK_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

#define FX_KUBE_PEM_BYTES_MAX (1u << 20) /* certificates, or a key */

/* `text` without ASCII white space at both ends. */
struct fx_text fx_kube_trim(struct fx_text text);

/* Checks that `pem` looks like PEM: it has a BEGIN line, no NUL, and is not too long. The
 * content is not parsed. Errors: FX_EINVALID, FX_ELIMIT. */
bool fx_kube_check_pem(struct fx_text pem, struct fx_err *err) FX_MUST_USE;

/* Checks that `name` is a valid namespace name (a label of RFC 1123). Errors:
 * FX_EINVALID.
 */
bool fx_kube_check_namespace(struct fx_text name, struct fx_err *err) FX_MUST_USE;

#endif
