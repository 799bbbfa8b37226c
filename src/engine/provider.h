/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/provider.h - an HTTPS server that is asked for values (spec section 7).
 */
#ifndef FX_ENGINE_PROVIDER_H
#define FX_ENGINE_PROVIDER_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/resource.h"

struct fx_provider;

/* How a provider is asked: one const table of a dialect. */
struct fx_provider_protocol {
    /* Appends the body of a request (POST, application/json) for these keys. */
    void (*write_request)(const struct fx_text *keys, size_t n_keys, struct fx_buf *body);

    /* Reads the body of an answer. Returns its items by their keys, objects with `value`
     * and `error`: a new reference; or NULL with the error: FX_EMUTATE with the complete
     * message where the answer reports a failure, FX_EINVALID where it is malformed,
     * FX_ENOMEM. */
    json_t *(*read_answer)(const struct fx_provider *provider, json_t *root,
                           struct fx_err *err);
};

struct fx_provider {
    struct fx_resource resource; /* first; FX_RESOURCE_PROVIDER */
    const struct fx_provider_protocol *protocol;
    struct fx_text url;  /* https; borrowed from the source */
    uint64_t timeout_ms; /* 0: the default, 5 s */
    char *ca_pem;        /* its certificates, decoded: the only ones trusted */
    size_t ca_pem_len;
};

/* Makes one. `url` is a text of `source`; `ca_pem` is copied. NULL without memory. */
struct fx_provider *fx_provider_create(const struct fx_provider_protocol *protocol,
                                       struct fx_text name, json_t *source,
                                       struct fx_text url, uint64_t timeout_ms,
                                       struct fx_text ca_pem) FX_MUST_USE;

#endif
