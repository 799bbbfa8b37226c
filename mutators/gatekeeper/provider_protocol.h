/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/provider_protocol.h - private: Gatekeeper's external data.
 */
#ifndef FX_MUTATORS_GATEKEEPER_PROVIDER_PROTOCOL_H
#define FX_MUTATORS_GATEKEEPER_PROVIDER_PROTOCOL_H

#include "engine/resource.h"

extern const struct fx_provider_protocol fx_external_data_protocol;

#endif
