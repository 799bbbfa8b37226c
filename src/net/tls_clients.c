/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_clients.c - checks of a client's certificate in addition to those of mbedTLS.
 */
#include "net/tls_clients.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <mbedtls/oid.h>

#include "net/tls.h"
#include "net/tls_config.h"
#include "net/tls_issue.h"

/* Differences between the versions of mbedTLS. In TLS 1.3 a server has sent its last
 * handshake message before it checks the client's certificate, so the alert of a refusal
 * must be encrypted with the application keys (RFC 8446 section 7.1). 3.6 still uses the
 * handshake keys, so the client cannot decrypt it. With 3.6 the handshake is therefore
 * completed, and fx_tls_peer_check() refuses the client afterwards. */
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
#define VERIFY_MODE MBEDTLS_SSL_VERIFY_OPTIONAL
#else
#define VERIFY_MODE MBEDTLS_SSL_VERIFY_REQUIRED
#endif

struct fx_tls_client_rules {
    struct fx_tls_clients clients; /* without the PEM texts, which were borrowed */
    mbedtls_x509_crt known;        /* raw.len is 0 if there is none */
};

const char *fx_tls_refusal_name(enum fx_tls_refusal refusal) {
    static const char *const names[] = {FX_TLS_REFUSALS(FX_WORD)};
    return names[refusal];
}

/* ---- rules ---- */

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

/* Appends the certificates of a bundle. Those that cannot be read are skipped. */
static bool add_bundle(mbedtls_x509_crt *to, struct fx_text pem, struct fx_err *err) {
    return fx_tls_pem_certificates(pem, to, NULL, err) && is_bundle(to, err);
}

bool fx_tls_clients_check(struct fx_text ca_pem, struct fx_err *err) {
    mbedtls_x509_crt certs;
    mbedtls_x509_crt_init(&certs);
    const bool ok = add_bundle(&certs, ca_pem, err);
    mbedtls_x509_crt_free(&certs);
    return ok;
}

static struct fx_tls_client_rules *create_rules(const struct fx_tls_clients *clients,
                                                struct fx_err *err) {
    struct fx_tls_client_rules *rules = calloc(1, sizeof *rules);
    if (rules == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    mbedtls_x509_crt_init(&rules->known);
    rules->clients = *clients;
    rules->clients.ca_pem = rules->clients.known_pem = (struct fx_text){0};
    if (clients->known_pem.len > 0 &&
        !add_bundle(&rules->known, clients->known_pem, err)) {
        fx_tls_client_rules_destroy(rules);
        return NULL;
    }
    return rules;
}

void fx_tls_client_rules_destroy(struct fx_tls_client_rules *rules) {
    if (rules != NULL) {
        mbedtls_x509_crt_free(&rules->known);
        free(rules);
    }
}

bool fx_tls_config_set_clients(struct fx_tls_config *server,
                               const struct fx_tls_clients *clients, struct fx_err *err) {
    assert(server->server && server->client_rules == NULL);
    if (!add_bundle(&server->trusted, clients->ca_pem, err)) {
        return false;
    }
    server->client_rules = create_rules(clients, err);
    if (server->client_rules == NULL) {
        return false;
    }
    mbedtls_ssl_conf_authmode(&server->conf, VERIFY_MODE);
    mbedtls_ssl_conf_ca_chain(&server->conf, &server->trusted, NULL);
    return true;
}

/* ---- one client ---- */

/* Copies the subject's common name, which may be cut. Returns the number of common
 * names. */
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

static bool has_name(const struct fx_tls_client_rules *rules,
                     const mbedtls_x509_buf *name) {
    for (size_t i = 0; i < rules->clients.n_names; i++) {
        const struct fx_text text = {(const char *)name->p, name->len};
        if (fx_text_is(text, rules->clients.names[i])) {
            return true;
        }
    }
    return rules->clients.n_names == 0;
}

/* Is the common name allowed? A certificate with two common names has no reliable one. */
static bool has_names(const struct fx_tls_client_rules *rules,
                      const mbedtls_x509_crt *cert, unsigned n_names) {
    bool fits = rules->clients.n_names == 0 || n_names == 1;
    for (const mbedtls_x509_name *at = &cert->subject; fits && at != NULL;
         at = at->next) {
        fits = MBEDTLS_OID_CMP(MBEDTLS_OID_AT_CN, &at->oid) != 0 ||
               has_name(rules, &at->val);
    }
    return fits;
}

static bool is_known(const struct fx_tls_client_rules *rules,
                     const mbedtls_x509_crt *cert) {
    return rules->known.raw.len > 0 && rules->known.raw.len == cert->raw.len &&
           memcmp(rules->known.raw.p, cert->raw.p, cert->raw.len) == 0;
}

/* A callback of mbedTLS for each certificate of the chain, the client's own last. The
 * client must prove later that it has the key; otherwise the handshake fails. */
static int verify_certificate(void *user, mbedtls_x509_crt *cert, int depth,
                              uint32_t *flags) {
    struct fx_tls_peer *peer = user;
    if (depth > 0) {
        return 0;
    }
    const unsigned n_names = read_name(cert, peer->common_name);
    if (is_known(peer->client_rules, cert)) {
        *flags = 0;
    } else if (!has_names(peer->client_rules, cert, n_names)) {
        *flags |= MBEDTLS_X509_BADCERT_OTHER;
    }
    return 0;
}

void fx_tls_peer_watch(struct fx_tls_peer *peer, const struct fx_tls_config *config,
                       mbedtls_ssl_context *ssl) {
    peer->client_rules = config->client_rules;
    if (peer->client_rules != NULL) {
        mbedtls_ssl_set_verify(ssl, verify_certificate, peer);
    }
}

/* Returns the first reason in this order: if a certificate is untrusted, no other reason
 * matters, and the name is checked last. */
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

static void report_refusal(const struct fx_tls_peer *peer, uint32_t flags) {
    const struct fx_tls_clients *clients = &peer->client_rules->clients;
    if (clients->on_refused != NULL) {
        clients->on_refused(refusal_of(flags), peer->common_name, clients->user);
    }
}

static void send_alert(mbedtls_ssl_context *ssl, unsigned char alert) {
    (void)mbedtls_ssl_send_alert_message(ssl, MBEDTLS_SSL_ALERT_LEVEL_FATAL, alert);
}

/* RFC 8446 section 4.4.2.4, RFC 5246 section 7.4.6. */
static unsigned char missing_alert(const mbedtls_ssl_context *ssl) {
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
    if (mbedtls_ssl_get_version_number(ssl) == MBEDTLS_SSL_VERSION_TLS1_3) {
        return MBEDTLS_SSL_ALERT_MSG_CERT_REQUIRED;
    }
#else
    (void)ssl; /* unused: there is only TLS 1.2 */
#endif
    return MBEDTLS_SSL_ALERT_MSG_HANDSHAKE_FAILURE;
}

void fx_tls_peer_fail(const struct fx_tls_peer *peer, mbedtls_ssl_context *ssl, int rc) {
    if (peer->client_rules == NULL) {
        return;
    }
    uint32_t flags = mbedtls_ssl_get_verify_result(ssl);
    if (rc == MBEDTLS_ERR_SSL_NO_CLIENT_CERTIFICATE) {
        flags = MBEDTLS_X509_BADCERT_MISSING;
        send_alert(ssl, missing_alert(ssl)); /* mbedTLS 2.28 sends no alert */
    } else if (flags == 0 || flags == UINT32_MAX) {
        return; /* the certificate is not the reason */
    }
    report_refusal(peer, flags);
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
        peer->client_rules == NULL ? 0 : mbedtls_ssl_get_verify_result(ssl);
    if (flags == 0) {
        return true;
    }
    send_alert(ssl, alert_of(refusal_of(flags), ssl));
    report_refusal(peer, flags);
    return false;
}
