/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/provider.h - who may be asked for values: `Provider` (spec section 7).
 */
#ifndef FX_ENGINE_PROVIDER_H
#define FX_ENGINE_PROVIDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"
#include "engine/resource.h"

struct fx_provider {
    struct fx_resource resource; /* first; FX_RESOURCE_PROVIDER */
    struct fx_text url;          /* https; borrowed from the source */
    uint64_t timeout_ms;         /* 0: the default, 5 s */
    char *ca_pem;                /* its certificates, decoded: the only ones trusted */
    size_t ca_pem_len;
};

/* Makes one. `url` is a text of `source`; `ca_pem` is copied. NULL without memory. */
struct fx_provider *fx_provider_create(struct fx_text name, json_t *source,
                                       struct fx_text url, uint64_t timeout_ms,
                                       struct fx_text ca_pem) FX_MUST_USE;

#endif
