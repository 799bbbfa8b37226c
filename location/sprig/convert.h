/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/convert.h - private: numbers and lists of texts from any value, as
 * Sprig's functions convert them. What cannot be converted is 0.
 */
#ifndef FX_LOCATION_SPRIG_CONVERT_H
#define FX_LOCATION_SPRIG_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"
#include "location/gotemplate/run.h"
#include "location/gotemplate/value.h"

/* Floats are truncated, texts are parsed in the base of their prefix, bool gives 0 or
 * 1. */
int64_t value_to_int64(const struct value *value);

/* Texts are parsed with strconv.ParseFloat. */
bool value_to_float64(struct template_run *run, const struct value *value,
                      double *ret_number) FX_MUST_USE;

/* Makes a []string: of a list the texts of the elements that are not nil; of nil an
 * empty one; else one with the text of the value. */
bool value_to_strings(struct template_run *run, const struct value *value,
                      struct list **ret_list) FX_MUST_USE;

#endif
