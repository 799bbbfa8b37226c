/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/functions.h - private: the tables of Sprig's functions, by
 * the sections of its manual. Each ends with a NULL name.
 */
#ifndef FX_LOCATION_SPRIG_FUNCTIONS_H
#define FX_LOCATION_SPRIG_FUNCTIONS_H

#include "location/gotemplate/function.h"

extern const struct function functions_strings[];
extern const struct function functions_numbers[];  /* integers, floats */
extern const struct function functions_defaults[]; /* defaults, reflection, flow, JSON */
extern const struct function functions_lists[];
extern const struct function functions_dicts[];
extern const struct function functions_dates[];
extern const struct function functions_regex[];
extern const struct function
    functions_encoding[]; /* base32, base64, hashes, urls, paths */
extern const struct function functions_semver[];

/* The types of objects that they give: `struct fx_go_time`, `struct version`. */
extern const struct object_type time_type;
extern const struct object_type version_type;

#endif
