/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_clients.c - what mbedTLS says of a client's chain, and what we add to it.
 */
#include "net/tls_clients.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <mbedtls/oid.h>

#include "net/tls.h"
#include "net/tls_config.h"
#include "net/tls_issue.h"
#include "net/tls_pem.h"

/* What differs between the versions of mbedTLS. In TLS 1.3 a server has sent its last
 * message of the handshake before it looks at the client's certificate, so an alert of a
 * refusal is to have the keys of the application (RFC 8446 section 7.1). That of 3.6
 * still has those of the handshake, which makes it garbage to the client: there the
 * handshake goes on, and fx_tls_peer_check() refuses when it is over. */
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
#define DEMAND MBEDTLS_SSL_VERIFY_OPTIONAL
#else
#define DEMAND MBEDTLS_SSL_VERIFY_REQUIRED
#endif

struct fx_tls_client_rules {
    const char *const *names;
    size_t n_names;
    mbedtls_x509_crt known; /* raw.len 0: none */
    void (*on_refused)(enum fx_tls_refusal refusal, const char *common_name, void *user);
    void *user;
};

const char *fx_tls_refusal_name(enum fx_tls_refusal refusal) {
    static const char *const words[] = {
#define X(name, text) text,
        FX_TLS_REFUSALS(X)
#undef X
    };
    return words[refusal];
}

/* ---- setting up ---- */

static bool is_bundle(const mbedtls_x509_crt *certs, struct fx_err *err) {
    size_t n_certs = 0;
    for (const mbedtls_x509_crt *at = certs; at != NULL && at->raw.len > 0;
         at = at->next) {
        n_certs++;
    }
    if (n_certs > FX_TLS_BUNDLE_CERTS) {
        return fx_fail(err, FX_EINVALID, "more than %d certificates",
                       FX_TLS_BUNDLE_CERTS);
    }
    return n_certs > 0 ||
           fx_fail(err, FX_EINVALID, "no authority's certificate that can be read");
}

/* As bundles have them, some that cannot be read are no matter. */
static bool add_bundle(mbedtls_x509_crt *to, struct fx_text pem, struct fx_err *err) {
    size_t n_bad = 0;
    return fx_tls_pem_certificates(pem, to, &n_bad, err) && is_bundle(to, err);
}

bool fx_tls_clients_check(struct fx_text ca_pem, struct fx_err *err) {
    mbedtls_x509_crt certs;
    mbedtls_x509_crt_init(&certs);
    const bool ok = add_bundle(&certs, ca_pem, err);
    mbedtls_x509_crt_free(&certs);
    return ok;
}

static struct fx_tls_client_rules *admission_of(const struct fx_tls_clients *clients,
                                                struct fx_err *err) {
    struct fx_tls_client_rules *admission = calloc(1, sizeof *admission);
    if (admission == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    mbedtls_x509_crt_init(&admission->known);
    admission->names = clients->names;
    admission->n_names = clients->n_names;
    admission->on_refused = clients->on_refused;
    admission->user = clients->user;
    if (clients->known_pem.len > 0 &&
        !add_bundle(&admission->known, clients->known_pem, err)) {
        fx_tls_client_rules_destroy(admission);
        return NULL;
    }
    return admission;
}

void fx_tls_client_rules_destroy(struct fx_tls_client_rules *admission) {
    if (admission != NULL) {
        mbedtls_x509_crt_free(&admission->known);
        free(admission);
    }
}

bool fx_tls_config_set_clients(struct fx_tls_config *server,
                               const struct fx_tls_clients *clients, struct fx_err *err) {
    assert(server->server && server->admission == NULL);
    if (!add_bundle(&server->trusted, clients->ca_pem, err)) {
        return false;
    }
    server->admission = admission_of(clients, err);
    if (server->admission == NULL) {
        return false;
    }
    mbedtls_ssl_conf_authmode(&server->conf, DEMAND);
    mbedtls_ssl_conf_ca_chain(&server->conf, &server->trusted, NULL);
    return true;
}

/* ---- one client ---- */

/* The subject's common name, cut to what fits; how many there are. */
static unsigned read_name(const mbedtls_x509_crt *cert, char *ret_name) {
    unsigned n_names = 0;
    for (const mbedtls_x509_name *at = &cert->subject; at != NULL; at = at->next) {
        if (MBEDTLS_OID_CMP(MBEDTLS_OID_AT_CN, &at->oid) == 0) {
            const size_t len =
                at->val.len < FX_TLS_NAME_BYTES - 1 ? at->val.len : FX_TLS_NAME_BYTES - 1;
            memcpy(ret_name, at->val.p, len);
            ret_name[len] = '\0';
            n_names++;
        }
    }
    return n_names;
}

static bool has_name(const struct fx_tls_client_rules *admission,
                     const mbedtls_x509_buf *name) {
    for (size_t i = 0; i < admission->n_names; i++) {
        const struct fx_text text = {(const char *)name->p, name->len};
        if (fx_text_is(text, admission->names[i])) {
            return true;
        }
    }
    return admission->n_names == 0;
}

/* Each of them: a certificate with two has none that could be relied on. */
static bool has_names(const struct fx_tls_client_rules *admission,
                      const mbedtls_x509_crt *cert, unsigned n_names) {
    bool fits = admission->n_names == 0 || n_names == 1;
    for (const mbedtls_x509_name *at = &cert->subject; fits && at != NULL;
         at = at->next) {
        fits = MBEDTLS_OID_CMP(MBEDTLS_OID_AT_CN, &at->oid) != 0 ||
               has_name(admission, &at->val);
    }
    return fits;
}

static bool is_known(const struct fx_tls_client_rules *admission,
                     const mbedtls_x509_crt *cert) {
    return admission->known.raw.len > 0 && admission->known.raw.len == cert->raw.len &&
           memcmp(admission->known.raw.p, cert->raw.p, cert->raw.len) == 0;
}

/* A callback of mbedTLS, for each certificate of the chain, the client's own last. That
 * it has the key to it is shown afterwards, and a handshake without that fails. */
static int look_at(void *user, mbedtls_x509_crt *cert, int depth, uint32_t *flags) {
    struct fx_tls_peer *peer = user;
    if (depth > 0) {
        return 0;
    }
    const unsigned n_names = read_name(cert, peer->common_name);
    if (is_known(peer->admission, cert)) {
        *flags = 0;
    } else if (!has_names(peer->admission, cert, n_names)) {
        *flags |= MBEDTLS_X509_BADCERT_OTHER;
    }
    return 0;
}

void fx_tls_peer_watch(struct fx_tls_peer *peer, const struct fx_tls_config *config,
                       mbedtls_ssl_context *ssl) {
    peer->admission = config->admission;
    if (peer->admission != NULL) {
        mbedtls_ssl_set_verify(ssl, look_at, peer);
    }
}

/* The first that holds, in this order: of an untrusted one nothing else is worth a word,
 * and the name is the last that is looked at. */
static enum fx_tls_refusal refusal_of(uint32_t flags) {
    static const struct {
        uint32_t flag;
        enum fx_tls_refusal refusal;
    } rows[] = {
        {MBEDTLS_X509_BADCERT_MISSING, FX_TLS_REFUSAL_MISSING},
        {MBEDTLS_X509_BADCERT_NOT_TRUSTED, FX_TLS_REFUSAL_UNTRUSTED},
        {MBEDTLS_X509_BADCERT_EXPIRED, FX_TLS_REFUSAL_EXPIRED},
        {MBEDTLS_X509_BADCERT_FUTURE, FX_TLS_REFUSAL_EARLY},
        {MBEDTLS_X509_BADCERT_KEY_USAGE | MBEDTLS_X509_BADCERT_EXT_KEY_USAGE,
         FX_TLS_REFUSAL_PURPOSE},
        {MBEDTLS_X509_BADCERT_OTHER, FX_TLS_REFUSAL_NAME},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        if ((flags & rows[i].flag) != 0) {
            return rows[i].refusal;
        }
    }
    return FX_TLS_REFUSAL_OTHER;
}

static void tell(const struct fx_tls_peer *peer, uint32_t flags) {
    const struct fx_tls_client_rules *admission = peer->admission;
    if (admission->on_refused != NULL) {
        admission->on_refused(refusal_of(flags), peer->common_name, admission->user);
    }
}

static void say(mbedtls_ssl_context *ssl, unsigned char alert) {
    (void)mbedtls_ssl_send_alert_message(ssl, MBEDTLS_SSL_ALERT_LEVEL_FATAL, alert);
}

/* RFC 8446 section 4.4.2.4, RFC 5246 section 7.4.6. */
static unsigned char missing_alert(const mbedtls_ssl_context *ssl) {
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
    if (mbedtls_ssl_get_version_number(ssl) == MBEDTLS_SSL_VERSION_TLS1_3) {
        return MBEDTLS_SSL_ALERT_MSG_CERT_REQUIRED;
    }
#else
    (void)ssl; /* there is only TLS 1.2 */
#endif
    return MBEDTLS_SSL_ALERT_MSG_HANDSHAKE_FAILURE;
}

void fx_tls_peer_fail(const struct fx_tls_peer *peer, mbedtls_ssl_context *ssl, int rc) {
    if (peer->admission == NULL) {
        return;
    }
    uint32_t flags = mbedtls_ssl_get_verify_result(ssl);
    if (rc == MBEDTLS_ERR_SSL_NO_CLIENT_CERTIFICATE) {
        flags = MBEDTLS_X509_BADCERT_MISSING;
        say(ssl, missing_alert(ssl)); /* mbedTLS 2.28 ends it without a word */
    } else if (flags == 0 || flags == UINT32_MAX) {
        return; /* it was not the certificate */
    }
    tell(peer, flags);
}

static unsigned char alert_of(enum fx_tls_refusal refusal,
                              const mbedtls_ssl_context *ssl) {
    switch (refusal) {
    case FX_TLS_REFUSAL_MISSING: return missing_alert(ssl);
    case FX_TLS_REFUSAL_UNTRUSTED: return MBEDTLS_SSL_ALERT_MSG_UNKNOWN_CA;
    case FX_TLS_REFUSAL_EXPIRED: return MBEDTLS_SSL_ALERT_MSG_CERT_EXPIRED;
    case FX_TLS_REFUSAL_PURPOSE: return MBEDTLS_SSL_ALERT_MSG_UNSUPPORTED_CERT;
    case FX_TLS_REFUSAL_EARLY:
    case FX_TLS_REFUSAL_NAME:
    case FX_TLS_REFUSAL_OTHER:
    case FX_TLS_REFUSAL_COUNT:
    default: return MBEDTLS_SSL_ALERT_MSG_BAD_CERT;
    }
}

bool fx_tls_peer_check(const struct fx_tls_peer *peer, mbedtls_ssl_context *ssl) {
    const uint32_t flags =
        peer->admission == NULL ? 0 : mbedtls_ssl_get_verify_result(ssl);
    if (flags == 0) {
        return true;
    }
    say(ssl, alert_of(refusal_of(flags), ssl));
    tell(peer, flags);
    return false;
}
