/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/folder.h - suites as plain folders:
 *
 *   sidecar/policies/…             or policies.yaml; folders below have it too
 *   sidecar/injects/object.yaml    each folder with one is a case
 *   sidecar/injects/expected.yaml  the whole object; or, instead of it, an empty file
 *                                  `unchanged`, or `error.txt` or `denied.txt`, part of
 *                                  the message of the failure or denial
 *   sidecar/injects/old.yaml       as it was, for UPDATE and DELETE
 *   sidecar/injects/options.yaml   the other fields of a case of a Suite
 *
 * Private to this room.
 */
#ifndef FX_SUITE_FOLDER_H
#define FX_SUITE_FOLDER_H

#include "base/file.h"
#include "suite/suite.h"

/* If the file is the object of a case, adds the case. The suite of its policies is added
 * unless it is among those from index `first` on. Errors: FX_EIO,
 * FX_ENOMEM. */
bool fx_suites_add_folder_case(struct fx_suites *suites, const char *file, size_t first,
                               struct fx_err *err) FX_MUST_USE;

#endif
