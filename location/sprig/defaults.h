/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/defaults.h - private: what functions_json.c gives the
 * table in functions_defaults.c.
 */
#ifndef FX_LOCATION_SPRIG_DEFAULTS_H
#define FX_LOCATION_SPRIG_DEFAULTS_H

#include <stdbool.h>

#include "base/macros.h"
#include "location/gotemplate/function.h"

bool call_from_json(struct call *call) FX_MUST_USE;
bool call_must_from_json(struct call *call) FX_MUST_USE;
bool call_to_json(struct call *call) FX_MUST_USE;
bool call_must_to_json(struct call *call) FX_MUST_USE;
bool call_to_pretty_json(struct call *call) FX_MUST_USE;
bool call_must_to_pretty_json(struct call *call) FX_MUST_USE;
bool call_to_raw_json(struct call *call) FX_MUST_USE;

#endif
