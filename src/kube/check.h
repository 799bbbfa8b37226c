/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/check.h - small checks of what a configuration is made of (inside this room only).
 */
#ifndef FX_KUBE_CHECK_H
#define FX_KUBE_CHECK_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

#define FX_KUBE_PEM_BYTES_MAX (1u << 20) /* certificates, or a key */

/* Without the white space (ASCII's) around it. */
struct fx_text fx_kube_trim(struct fx_text text);

/* Is it PEM, as far as can be told without reading it? Errors: FX_EINVALID, FX_ELIMIT. */
bool fx_kube_check_pem(struct fx_text pem, struct fx_err *err) FX_MUST_USE;

/* Can a namespace have this name (a label of RFC 1123)? Errors: FX_EINVALID. */
bool fx_kube_check_namespace(struct fx_text name, struct fx_err *err) FX_MUST_USE;

#endif
