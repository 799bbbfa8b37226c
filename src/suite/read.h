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

/* Adds every Suite of the text, which is taken. Texts that do not parse are told, and
 * added with their fault, where `named` (somebody said that this file is a suite) or
 * where the text speaks of Suites; else they are left alone. *ret_found tells whether
 * anything was added. Errors: FX_ENOMEM. */
bool fx_suites_read(struct fx_suites *suites, const char *file, struct fx_buf *text_take,
                    bool named, bool *ret_found, struct fx_err *err) FX_MUST_USE;

/* Reads options.yaml: the fields of a case that are no files of their own in a folder.
 * What is wrong with it is told; `ret_fault` then has a reason. Errors: FX_ENOMEM. */
bool fx_suites_read_options(struct fx_suites *suites, const char *file,
                            struct fx_buf *text_take, struct fx_suite_case *ret_case,
                            struct fx_suite_fault *ret_fault,
                            struct fx_err *err) FX_MUST_USE;

#endif
