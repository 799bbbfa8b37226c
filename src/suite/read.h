/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/read.h - reading suites: documents of kind Suite, and folders. Private to this
 * room.
 */
#ifndef FX_SUITE_READ_H
#define FX_SUITE_READ_H

#include "suite/suite.h"

#define FX_SUITE_GATOR_GROUP "test.gatekeeper.sh"
#define FX_SUITE_OWN_GROUP   "test.fixpoint.dev"

/* Adds every Suite of the text, which is taken. A text that does not parse is reported,
 * and added with its fault, if `named` (the file was given as a suite) or if the text
 * mentions Suites; otherwise it is ignored. *ret_found: something was added. Errors:
 * FX_ENOMEM. */
bool fx_suites_read(struct fx_suites *suites, const char *file, struct fx_buf *text_take,
                    bool named, bool *ret_found, struct fx_err *err) FX_MUST_USE;

/* Reports the fault, and keeps it with a copy of its message; `text` names a file that
 * lives as long as the suites. Errors: FX_ENOMEM. */
bool fx_suites_keep_fault(struct fx_suites *suites, const struct fx_suite_text *text,
                          struct fx_err *fault, struct fx_suite_fault *ret_fault,
                          struct fx_err *err) FX_MUST_USE;

bool fx_suite_is_folder(const char *path);

/* Reads options.yaml: the fields of a case in a folder that have no file of their own. A
 * fault is reported; `ret_fault` then has a reason. Errors: FX_ENOMEM. */
bool fx_suites_read_options(struct fx_suites *suites, const char *file,
                            struct fx_buf *text_take, struct fx_suite_case *ret_case,
                            struct fx_suite_fault *ret_fault,
                            struct fx_err *err) FX_MUST_USE;

/* Suites as plain folders:
 *
 *   sidecar/policies/…             or policies.yaml; folders below have it too
 *   sidecar/injects/object.yaml    each folder with one is a case
 *   sidecar/injects/expected.yaml  the whole object; or, instead of it, an empty file
 *                                  `unchanged`, or `error.txt` or `denied.txt`, part of
 *                                  the message of the failure or denial
 *   sidecar/injects/old.yaml       as it was, for UPDATE and DELETE
 *   sidecar/injects/options.yaml   the other fields of a case of a Suite
 *
 * If the file is the object of a case, adds the case. The suite of its policies is added
 * unless it is among those from index `first` on. Errors: FX_EIO, FX_ENOMEM. */
bool fx_suites_add_folder_case(struct fx_suites *suites, const char *file, size_t first,
                               struct fx_err *err) FX_MUST_USE;

#endif
