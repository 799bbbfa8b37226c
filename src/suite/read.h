/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/read.h - documents of kind Suite, and the options of a case in a folder. Private
 * to this room.
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

/* Reads options.yaml: the fields of a case in a folder that have no file of their own. A
 * fault is reported; `ret_fault` then has a reason. Errors: FX_ENOMEM. */
bool fx_suites_read_options(struct fx_suites *suites, const char *file,
                            struct fx_buf *text_take, struct fx_suite_case *ret_case,
                            struct fx_suite_fault *ret_fault,
                            struct fx_err *err) FX_MUST_USE;

#endif
