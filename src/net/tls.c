/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls.c - TLS sessions on mbedTLS (2.28 or 3.6).
 */
#include "net/tls.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "net/tls_config.h"

/* In 3.x struct members are private, and there is no function for this one. */
#if !defined(MBEDTLS_PRIVATE)
#define MBEDTLS_PRIVATE(member) member
#endif

#define RECORD_BYTES 16384 /* the largest plaintext of one record (RFC 8446 5.1) */

struct fx_tls {
    struct fx_tls_config *config;
    mbedtls_ssl_context ssl;
    struct fx_tls_peer peer;
    enum fx_tls_state state;
    struct fx_text in;  /* ciphertext that is not read yet, during a call */
    struct fx_buf *out; /* output, during a call */
};

const char *fx_tls_library(void) {
    return MBEDTLS_VERSION_STRING_FULL;
}

static int give_ciphertext(void *user, unsigned char *to, size_t room) {
    struct fx_tls *tls = user;
    if (tls->in.len == 0) {
        return MBEDTLS_ERR_SSL_WANT_READ;
    }
    const size_t len = room < tls->in.len ? room : tls->in.len;
    memcpy(to, tls->in.data, len);
    tls->in.data += len;
    tls->in.len -= len;
    return (int)len;
}

static int take_ciphertext(void *user, const unsigned char *data, size_t len) {
    struct fx_tls *tls = user;
    fx_buf_add(tls->out, data, len);
    return tls->out->failed ? MBEDTLS_ERR_SSL_ALLOC_FAILED : (int)len;
}

struct fx_tls *fx_tls_create(struct fx_tls_config *config) {
    struct fx_tls *tls = calloc(1, sizeof *tls);
    if (tls == NULL) {
        return NULL;
    }
    tls->config = fx_tls_config_ref(config);
    mbedtls_ssl_init(&tls->ssl);
    /* An address cannot be a server name (RFC 6066 section 3), so NULL is set. */
    const char *name = config->address_len > 0 ? NULL : config->server_name;
    if (mbedtls_ssl_setup(&tls->ssl, &config->conf) != 0 ||
        (!config->server && mbedtls_ssl_set_hostname(&tls->ssl, name) != 0)) {
        fx_tls_destroy(tls);
        return NULL;
    }
    mbedtls_ssl_set_bio(&tls->ssl, tls, take_ciphertext, give_ciphertext, NULL);
    fx_tls_peer_watch(&tls->peer, config, &tls->ssl);
    return tls;
}

void fx_tls_destroy(struct fx_tls *tls) {
    if (tls == NULL) {
        return;
    }
    mbedtls_ssl_free(&tls->ssl);
    fx_tls_config_unref(tls->config);
    free(tls);
}

static void fail_verify(struct fx_tls *tls, struct fx_err *err) {
    const uint32_t result = mbedtls_ssl_get_verify_result(&tls->ssl);
    char message[200];
    if (result == MBEDTLS_X509_BADCERT_CN_MISMATCH && tls->config->server_name != NULL) {
        (void)fx_fail(err, FX_EIO, "the peer's certificate is not for `%s`",
                      tls->config->server_name);
        return;
    }
    (void)mbedtls_x509_crt_verify_info(message, sizeof message, "", result);
    message[strcspn(message, "\n")] = '\0'; /* only the first reason */
    (void)fx_fail(err, FX_EIO, "the peer's certificate: %s", message);
}

static enum fx_tls_state break_session(struct fx_tls *tls, int rc, struct fx_err *err) {
    if (tls->state == FX_TLS_HANDSHAKE) {
        fx_tls_peer_fail(&tls->peer, &tls->ssl, rc);
    }
    tls->state = FX_TLS_FAILED;
    if (rc == MBEDTLS_ERR_X509_CERT_VERIFY_FAILED) {
        fail_verify(tls, err);
    } else {
        (void)fx_tls_fail(err, FX_EIO, "TLS", rc);
    }
    return tls->state;
}

/* Does mbedTLS wait for the peer, or was it a message without application data? */
static bool is_harmless(int rc) {
#if defined(MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET)
    if (rc == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET) {
        return true;
    }
#endif
    return rc == MBEDTLS_ERR_SSL_WANT_READ;
}

/* Is the first answer of a server the alert `protocol_version` (RFC 8446 section 6)?
 * mbedTLS does not report which alert came. */
static bool is_version_alert(struct fx_text received) {
    static const char alert[] = {0x15, 0x03};
    return received.len >= 7 && memcmp(received.data, alert, sizeof alert) == 0 &&
           received.data[6] == 70;
}

static enum fx_tls_state break_handshake(struct fx_tls *tls, struct fx_text received,
                                         int rc, struct fx_err *err) {
    if (rc == MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE && is_version_alert(received)) {
        (void)fx_fail(err, FX_EIO, "TLS: no version in common with the peer (%s here)",
                      MBEDTLS_VERSION_STRING_FULL);
        return tls->state = FX_TLS_FAILED;
    }
    return break_session(tls, rc, err);
}

/* Has mbedTLS sent anything while reading? It only does this to refuse a renegotiation,
 * with a warning alert. The session is then ended, because a client could repeat the
 * request forever. */
static bool has_sent(const struct fx_tls *tls, size_t before) {
    return tls->config->server && tls->out->len != before;
}

static enum fx_tls_state break_renegotiation(struct fx_tls *tls, struct fx_err *err) {
    (void)fx_fail(err, FX_EIO, "TLS: the peer requests a renegotiation");
    return tls->state = FX_TLS_FAILED;
}

/* Decrypts all received bytes. The loop ends, because each iteration reads ciphertext or
 * returns. */
static enum fx_tls_state read_all(struct fx_tls *tls, struct fx_buf *plaintext,
                                  struct fx_err *err) {
    const size_t spoken = tls->out->len;
    for (;;) {
        char *to = fx_buf_reserve(plaintext, RECORD_BYTES);
        if (to == NULL) {
            return break_session(tls, MBEDTLS_ERR_SSL_ALLOC_FAILED, err);
        }
        const int rc = mbedtls_ssl_read(&tls->ssl, (unsigned char *)to, RECORD_BYTES);
        to[rc > 0 ? rc : 0] = '\0';
        if (rc > 0) {
            plaintext->len += (size_t)rc;
        } else if (rc == 0 || rc == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY) {
            return tls->state = FX_TLS_CLOSED;
        } else if (!is_harmless(rc)) {
            return break_session(tls, rc, err);
        } else if (has_sent(tls, spoken)) {
            return break_renegotiation(tls, err);
        } else if (rc == MBEDTLS_ERR_SSL_WANT_READ && tls->in.len == 0) {
            return tls->state;
        }
    }
}

enum fx_tls_state fx_tls_receive(struct fx_tls *tls, struct fx_text received,
                                 struct fx_buf *plaintext, struct fx_buf *ciphertext,
                                 struct fx_err *err) {
    if (tls->state == FX_TLS_CLOSED || tls->state == FX_TLS_FAILED) {
        return tls->state == FX_TLS_CLOSED
                   ? FX_TLS_CLOSED
                   : break_session(tls, MBEDTLS_ERR_SSL_CONN_EOF, err);
    }
    tls->in = received;
    tls->out = ciphertext;
    if (tls->state == FX_TLS_HANDSHAKE) {
        const int rc = mbedtls_ssl_handshake(&tls->ssl);
        fx_tls_wipe_stack();
        if (rc != 0) {
            return is_harmless(rc) ? FX_TLS_HANDSHAKE
                                   : break_handshake(tls, received, rc, err);
        }
        if (!fx_tls_peer_check(&tls->peer, &tls->ssl)) {
            fail_verify(tls, err);
            return tls->state = FX_TLS_FAILED;
        }
        tls->state = FX_TLS_OPEN;
    }
    return read_all(tls, plaintext, err);
}

bool fx_tls_is_within_record(const struct fx_tls *tls) {
    return tls->ssl.MBEDTLS_PRIVATE(in_left) > 0;
}

bool fx_tls_send(struct fx_tls *tls, struct fx_text plaintext, struct fx_buf *ciphertext,
                 struct fx_err *err) {
    assert(tls->state == FX_TLS_OPEN || tls->state == FX_TLS_CLOSED);
    tls->out = ciphertext;
    while (plaintext.len > 0) {
        const int rc = mbedtls_ssl_write(&tls->ssl, (const unsigned char *)plaintext.data,
                                         plaintext.len);
        if (rc <= 0) {
            (void)break_session(tls, rc, err);
            return false;
        }
        plaintext.data += rc;
        plaintext.len -= (size_t)rc;
    }
    return true;
}

void fx_tls_close_notify(struct fx_tls *tls, struct fx_buf *ciphertext) {
    if (tls->state == FX_TLS_OPEN || tls->state == FX_TLS_CLOSED) {
        tls->out = ciphertext;
        (void)mbedtls_ssl_close_notify(&tls->ssl);
    }
}
