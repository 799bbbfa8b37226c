/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/encoding.h - private to functions_encoding.c: the calls
 * of its table that have a file of their own.
 */
#ifndef FX_LOCATION_SPRIG_ENCODING_H
#define FX_LOCATION_SPRIG_ENCODING_H

#include <stdbool.h>

#include "location/gotemplate/function.h"

/* functions_paths.c */
bool call_base(struct call *call);
bool call_dir(struct call *call);
bool call_clean(struct call *call);
bool call_ext(struct call *call);
bool call_is_abs(struct call *call);

/* functions_urls.c */
bool call_url_parse(struct call *call);
bool call_url_join(struct call *call);

#endif
