/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/regex_cache.h - private: the regular expressions of one execution:
 * in a range the same one is asked for again and again.
 */
#ifndef FX_LOCATION_SPRIG_REGEX_CACHE_H
#define FX_LOCATION_SPRIG_REGEX_CACHE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/regex.h"
#include "base/text.h"
#include "location/gotemplate/run.h"

/* The compiled pattern, borrowed until the next call. A new one costs steps by the size
 * of its program. Errors: as fx_regex_compile(). */
bool run_regex(struct run *run, struct fx_text pattern, const struct fx_regex **ret_regex,
               struct fx_err *err) FX_MUST_USE;

#endif
