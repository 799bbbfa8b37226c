/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/dicts.h - private to functions_dicts.c: the calls of its
 * table that have a file of their own (functions_merge.c).
 */
#ifndef FX_LOCATION_SPRIG_DICTS_H
#define FX_LOCATION_SPRIG_DICTS_H

#include <stdbool.h>

#include "location/gotemplate/function.h"

bool call_merge(struct call *call);
bool call_merge_overwrite(struct call *call);

#endif
