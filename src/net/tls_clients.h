/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_clients.h - rules for the client certificates that a TLS server accepts, and
 * the reasons for refusals.
 */
#ifndef FX_NET_TLS_CLIENTS_H
#define FX_NET_TLS_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_tls_config;

#define FX_TLS_REFUSALS(X)                                                      \
    X(MISSING, "missing")         /* no certificate was sent */                 \
    X(UNTRUSTED, "untrusted")     /* not signed by a trusted authority */       \
    X(EXPIRED, "expired")         /* it, or a certificate of its chain */       \
    X(EARLY, "not_yet_valid")     /* it, or a certificate of its chain */       \
    X(PURPOSE, "not_for_clients") /* its extended key usage excludes clients */ \
    X(NAME, "name")               /* its common name is not allowed */          \
    X(OTHER, "other")             /* weak keys or hashes, invalid lengths */

enum fx_tls_refusal {
#define X(name, text) FX_TLS_REFUSAL_##name,
    FX_TLS_REFUSALS(X)
#undef X
        FX_TLS_REFUSAL_COUNT
};

/* Returns the name of a reason, as in the list. */
const char *fx_tls_refusal_name(enum fx_tls_refusal refusal);

/* Rules for clients. The chain of the certificate must end in one of `ca_pem`, be valid
 * now, and be usable for clients (or not restrict its usage, RFC 5280 4.2.1.12). With
 * `names`, the subject must have exactly one common name, which is one of them. */
struct fx_tls_clients {
    struct fx_text ca_pem;
    const char *const *names;
    size_t n_names;
    struct fx_text known_pem; /* this certificate is always accepted; may be empty */
    /* Called on the serving thread, during the handshake, when a client is refused.
     * `common_name` is that of its certificate; borrowed; may be empty. The function may
     * be NULL. */
    void (*on_refused)(enum fx_tls_refusal refusal, const char *common_name, void *user);
    void *user;
};

/* Makes a server accept only these clients. Call it once, before the first session.
 * `names` and `user` are borrowed as long as sessions exist. Errors: FX_EINVALID (no
 * certificate in `ca_pem`, or more than FX_TLS_BUNDLE_CERTS), FX_ENOMEM. */
bool fx_tls_config_set_clients(struct fx_tls_config *server,
                               const struct fx_tls_clients *clients,
                               struct fx_err *err) FX_MUST_USE;

/* Checks that the text can be used as `ca_pem`. Errors: those of
 * fx_tls_config_set_clients(). */
bool fx_tls_clients_check(struct fx_text ca_pem, struct fx_err *err) FX_MUST_USE;

#endif
