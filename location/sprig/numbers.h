/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/numbers.h - private: what functions_floats.c gives the
 * table in functions_numbers.c.
 */
#ifndef FX_LOCATION_SPRIG_NUMBERS_H
#define FX_LOCATION_SPRIG_NUMBERS_H

#include <stdbool.h>

#include "base/macros.h"
#include "location/gotemplate/function.h"

bool call_float64(struct call *call) FX_MUST_USE;
bool call_addf(struct call *call) FX_MUST_USE;
bool call_add1f(struct call *call) FX_MUST_USE;
bool call_subf(struct call *call) FX_MUST_USE;
bool call_mulf(struct call *call) FX_MUST_USE;
bool call_divf(struct call *call) FX_MUST_USE;
bool call_maxf(struct call *call) FX_MUST_USE;
bool call_minf(struct call *call) FX_MUST_USE;
bool call_floor(struct call *call) FX_MUST_USE;
bool call_ceil(struct call *call) FX_MUST_USE;
bool call_round(struct call *call) FX_MUST_USE;

#endif
