/* SPDX-License-Identifier: Apache-2.0
 *
 * server/certificates.h - the certificate in use: from two files, read again when they
 * change, or made by ourselves at the start.
 */
#ifndef FX_SERVER_CERTIFICATES_H
#define FX_SERVER_CERTIFICATES_H

#include <stdbool.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "net/tls.h"
#include "server/metrics.h"
#include "server/server.h"

struct fx_certificates; /* opaque */

/* The first certificate, blocking. `on_change` is called on the loop with each further
 * one (borrowed). Everything is borrowed until it is closed. Errors: FX_EINVALID (the
 * pair is bad), FX_EIO (a file cannot be read, or `tls_cert_out` be written), FX_ENOMEM.
 */
struct fx_certificates *
fx_certificates_create(uv_loop_t *loop, const struct fx_server_options *options,
                       struct fx_metrics *metrics,
                       void (*on_change)(struct fx_tls_config *config, void *user),
                       void *user, struct fx_err *err) FX_MUST_USE;

/* The one in use, borrowed. */
struct fx_tls_config *fx_certificates_current(const struct fx_certificates *certificates);

/* Reads the files again now; nothing to do for a self-signed one. */
void fx_certificates_reload(struct fx_certificates *certificates);

/* Is the one in use valid at this moment? Else why not, a constant. */
bool fx_certificates_valid_now(const struct fx_certificates *certificates,
                               const char **ret_reason);

/* Ends it; the memory goes when no worker uses it any more. NULL is fine. */
void fx_certificates_close(struct fx_certificates *certificates);

#endif
