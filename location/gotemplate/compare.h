/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/compare.h - private: text/template's comparisons. int and uint
 * compare by value, all else only within its kind (templates spec, "Built-in functions").
 */
#ifndef FX_LOCATION_GOTEMPLATE_COMPARE_H
#define FX_LOCATION_GOTEMPLATE_COMPARE_H

#include <stdbool.h>

#include "base/macros.h"
#include "location/gotemplate/run.h"
#include "location/gotemplate/value.h"

/* a == b; nil and what is missing equal only each other. Errors, as below: FX_EMUTATE in
 * Go's words. */
bool compare_equal(struct run *run, const struct value *a, const struct value *b,
                   bool *ret_equal) FX_MUST_USE;

/* a < b, of numbers and strings. */
bool compare_less(struct run *run, const struct value *a, const struct value *b,
                  bool *ret_less) FX_MUST_USE;

#endif
