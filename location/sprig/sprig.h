/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/sprig.h - the functions of Sprig that KubeMod's templates have
 * (templates spec). Those whose result depends on chance, the clock, the network or a
 * secret are refused when a template is compiled, with the reason.
 */
#ifndef FX_LOCATION_SPRIG_SPRIG_H
#define FX_LOCATION_SPRIG_SPRIG_H

#include "location/gotemplate/gotemplate.h"

/* The library for fx_gotemplate_compile(). */
extern const struct fx_gotemplate_library fx_sprig;

#endif
