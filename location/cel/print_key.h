/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/print_key.h - private to the room: keys and indexes in messages.
 */
#ifndef FX_LOCATION_CEL_PRINT_KEY_H
#define FX_LOCATION_CEL_PRINT_KEY_H

#include "location/cel/run.h"

/* The error "<before><the key><after>", with the key as Go's %v prints it. */
struct fx_cel_value fx_cel_fail_key(struct fx_cel_run *run, const char *before,
                                    struct fx_cel_value key, const char *after);

#endif
