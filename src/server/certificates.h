/* SPDX-License-Identifier: Apache-2.0
 *
 * server/certificates.h - the certificate of the webhook port: from two files, which are
 * read again when they change; or set by the cluster's Secret; or self-signed. With a
 * client CA file, clients must have a certificate that one of its CAs has signed; this
 * process itself is always accepted.
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

struct fx_certificates_users {
    size_t n_threads;              /* serving threads, which use the certificate */
    void (*on_change)(void *user); /* called on the loop when the certificate changes */
    void *user;
};

/* Loads the first certificate, blocking. If the Secret will set it, a self-signed
 * placeholder is used until then, which counts as invalid. Everything is borrowed until
 * fx_certificates_close(). Errors: FX_EINVALID (invalid certificate, key or client CA
 * file), FX_EIO (a file cannot be read, or `tls_cert_out` cannot be written),
 * FX_ENOMEM. */
struct fx_certificates *fx_certificates_create(uv_loop_t *loop,
                                               const struct fx_server_options *options,
                                               struct fx_metrics *metrics,
                                               const struct fx_certificates_users *users,
                                               struct fx_err *err) FX_MUST_USE;

/* The current configuration of the thread, borrowed. No other thread may use it. */
struct fx_tls_config *fx_certificates_current(const struct fx_certificates *certificates,
                                              size_t thread);

/* Sets the certificate: a chain and its key, both PEM. An invalid pair is logged, and the
 * current certificate stays. */
void fx_certificates_set(struct fx_certificates *certificates, struct fx_text cert_pem,
                         struct fx_text key_pem);

/* The content of the file `tls_ca` that was read with the current certificate, borrowed;
 * empty if there is none. */
struct fx_text fx_certificates_ca(const struct fx_certificates *certificates);

/* The client certificate that the process shows to its own port, made at the start;
 * borrowed; NULL if clients need none. */
const struct fx_tls_pair *
fx_certificates_own_pair(const struct fx_certificates *certificates);

/* Reads the files again now: certificate, key, and the client CA file. */
void fx_certificates_reload(struct fx_certificates *certificates);

/* Is the current certificate valid now? If not, *ret_reason is a constant string. */
bool fx_certificates_valid_now(const struct fx_certificates *certificates,
                               const char **ret_reason);

/* Closes the certificates. The memory is freed when no worker uses it any more. NULL is
 * fine. */
void fx_certificates_close(struct fx_certificates *certificates);

#endif
