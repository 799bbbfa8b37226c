/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_clients.h - which clients a TLS server lets in, by their certificates, and why
 * it turned one away.
 */
#ifndef FX_NET_TLS_CLIENTS_H
#define FX_NET_TLS_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_tls_config;

#define FX_TLS_REFUSALS(X)                                                   \
    X(MISSING, "missing")         /* it has shown none */                    \
    X(UNTRUSTED, "untrusted")     /* its chain ends in none of ours */       \
    X(EXPIRED, "expired")         /* it, or one of its chain */              \
    X(EARLY, "not_yet_valid")     /* the same */                             \
    X(PURPOSE, "not_for_clients") /* its uses are named, and that is none */ \
    X(NAME, "name")               /* its common name is none of those */     \
    X(OTHER, "other")             /* weak keys or hashes, bad lengths */

enum fx_tls_refusal {
#define X(name, text) FX_TLS_REFUSAL_##name,
    FX_TLS_REFUSALS(X)
#undef X
        FX_TLS_REFUSAL_COUNT
};

const char *fx_tls_refusal_name(enum fx_tls_refusal refusal);

/* Who may come in: whose chain ends in one of `ca_pem`, is valid now and may be used by
 * clients (or says nothing about uses, RFC 5280 4.2.1.12), and whose subject has exactly
 * one common name, which is one of `names`, byte for byte; without names, any. */
struct fx_tls_clients {
    struct fx_text ca_pem;
    const char *const *names;
    size_t n_names;
    struct fx_text
        known_pem; /* this certificate is let in, whatever the rest; or empty */
    /* Somebody was turned away, in the middle of the handshake: by the thread that serves
     * it, with the common name that was shown, borrowed, perhaps empty. May be NULL. */
    void (*on_refused)(enum fx_tls_refusal refusal, const char *common_name, void *user);
    void *user;
};

/* Makes a server let in only these. Before its first session, once. `names` and `user`
 * are borrowed as long as the server's sessions last. Errors: FX_EINVALID (no certificate
 * in `ca_pem`, or more than FX_TLS_BUNDLE_CERTS), FX_ENOMEM. */
bool fx_tls_config_set_clients(struct fx_tls_config *server,
                               const struct fx_tls_clients *clients,
                               struct fx_err *err) FX_MUST_USE;

/* Is that text as `ca_pem` wants it? Errors: as above. */
bool fx_tls_clients_check(struct fx_text ca_pem, struct fx_err *err) FX_MUST_USE;

#endif
