/* SPDX-License-Identifier: Apache-2.0
 *
 * server/certificates.h - the certificate in use: from two files, read again when they
 * change, or given by whoever keeps it (a Secret), or made by ourselves at the start.
 */
#ifndef FX_SERVER_CERTIFICATES_H
#define FX_SERVER_CERTIFICATES_H

#include <stdbool.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "net/tls.h"
#include "net/tls_issue.h"
#include "server/metrics.h"
#include "server/server.h"

struct fx_certificates; /* opaque */

/* Who serves with it, and is told on the loop when there is another one. */
struct fx_certificates_users {
    size_t n_threads;
    void (*on_change)(void *user);
    void *user;
};

/* The first certificate, blocking; where it will be given, one of our own making stands
 * in until then and counts as not valid. Everything is borrowed until it is closed.
 * Errors: FX_EINVALID (the pair is bad), FX_EIO (a file cannot be read, or
 * `tls_cert_out` be written), FX_ENOMEM. */
struct fx_certificates *fx_certificates_create(uv_loop_t *loop,
                                               const struct fx_server_options *options,
                                               struct fx_metrics *metrics,
                                               const struct fx_certificates_users *users,
                                               struct fx_err *err) FX_MUST_USE;

/* The one in use, borrowed: the configuration of that thread alone. */
struct fx_tls_config *fx_certificates_current(const struct fx_certificates *certificates,
                                              size_t thread);

/* Here it is: a chain and its key, PEM. A pair that cannot be used is logged, and the one
 * in use stays. */
void fx_certificates_set(struct fx_certificates *certificates, struct fx_text cert_pem,
                         struct fx_text key_pem);

/* The bundle of `tls_ca` that came with the one in use, borrowed; empty where there is
 * none. */
struct fx_text fx_certificates_ca(const struct fx_certificates *certificates);

/* With what our own port lets us in (server/clients.h); NULL where anybody may ask. */
const struct fx_tls_pair *
fx_certificates_own_pair(const struct fx_certificates *certificates);

/* Reads the files again now: its own, and the authorities of clients. */
void fx_certificates_reload(struct fx_certificates *certificates);

/* Is the one in use valid at this moment? Else why not, a constant. */
bool fx_certificates_valid_now(const struct fx_certificates *certificates,
                               const char **ret_reason);

/* Ends it; the memory goes when no worker uses it any more. NULL is fine. */
void fx_certificates_close(struct fx_certificates *certificates);

#endif
