/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/convert.h - private: numbers and lists of text made of any value,
 * as Sprig's functions take them. What cannot be converted is 0.
 */
#ifndef FX_LOCATION_SPRIG_CONVERT_H
#define FX_LOCATION_SPRIG_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"
#include "location/gotemplate/run.h"
#include "location/gotemplate/value.h"

/* Floats are truncated, text is read by its prefix, bool is 0 or 1. */
int64_t value_to_int64(const struct value *value);

/* Text: strconv.ParseFloat. */
bool value_to_float64(struct template_run *run, const struct value *value,
                      double *ret_number) FX_MUST_USE;

/* A []string: of a list the texts of its elements without nil; of nil none; else the one
 * text of the value. */
bool value_to_strings(struct template_run *run, const struct value *value,
                      struct list **ret_list) FX_MUST_USE;

#endif
