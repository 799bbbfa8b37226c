/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/types.h - private to the room: the types of the opaque values that
 * the Kubernetes libraries make, and pieces for their tables of overloads.
 */
#ifndef FX_LOCATION_CEL_LIBRARY_TYPES_H
#define FX_LOCATION_CEL_LIBRARY_TYPES_H

#include "location/cel/function.h"

extern const struct fx_cel_type fx_cel_url;      /* kubernetes.URL */
extern const struct fx_cel_type fx_cel_quantity; /* kubernetes.Quantity */
extern const struct fx_cel_type fx_cel_ip;       /* net.IP */
extern const struct fx_cel_type fx_cel_cidr;     /* net.CIDR */
extern const struct fx_cel_type fx_cel_semver;   /* kubernetes.Semver */
extern const struct fx_cel_type fx_cel_format;   /* kubernetes.NamedFormat */

#define FX_CEL_OPAQUE_TYPE(variable, name_) \
    const struct fx_cel_type variable = {   \
        .kind = FX_CEL_TYPE_OPAQUE,         \
        .name = (name_),                    \
    }

#endif
