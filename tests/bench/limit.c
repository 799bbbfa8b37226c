/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/bench/limit.c - a server with a constant answer, for comparison: it shows the
 * highest rate of admission reviews that libuv, llhttp and mbedTLS allow. It reads each
 * request, finds its uid, and always answers with the same patch. It has no limits and no
 * timeouts, so it is for benchmarks only.
 *
 *     limit --listen HOST:PORT --tls-cert FILE --tls-key FILE
 *
 * On SIGUSR1 it prints the number of connections with a request, and the number of
 * answers.
 */
#include <assert.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llhttp.h>
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/error.h>
#include <mbedtls/ssl.h>
#include <mbedtls/version.h>
#include <mbedtls/x509_crt.h>
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
#include <psa/crypto.h>
#endif
#include <uv.h>

#define READ_BYTES 65536
#define ANSWER_MAX 2048
#define CONN_MAGIC 0x6c696d63u /* "limc" */

/* The patch, in base64. It has three operations, which add a label, change the pull
 * policy of an image, and add a sidecar. */
static const char patch[] =
    "W3sib3AiOiJhZGQiLCJwYXRoIjoiL21ldGFkYXRhL2xhYmVscy9vd25lciIsInZhbHVlIjoicGxhdGZvcm0i"
    "fSx7Im9wIjoicmVwbGFjZSIsInBhdGgiOiIvc3BlYy9jb250YWluZXJzLzAvaW1hZ2VQdWxsUG9saWN5Iiwi"
    "dmFsdWUiOiJBbHdheXMifSx7Im9wIjoiYWRkIiwicGF0aCI6Ii9zcGVjL2NvbnRhaW5lcnMvLSIsInZhbHVl"
    "Ijp7Im5hbWUiOiJwcm94eSIsImltYWdlIjoiZXhhbXBsZS5vcmcvcHJveHk6MS4wIn19XQ==";

struct limit {
    uv_loop_t loop;
    uv_tcp_t listener;
    mbedtls_ssl_config conf;
    mbedtls_x509_crt chain;
    mbedtls_pk_context key;
    mbedtls_entropy_context entropy;
    mbedtls_ctr_drbg_context drbg;
    unsigned long n_asked, n_answers;
};

struct conn {
    uint32_t magic;
    uv_tcp_t tcp;
    mbedtls_ssl_context ssl;
    llhttp_t llhttp;
    const char *in; /* ciphertext that was read and is not decrypted yet */
    size_t in_len;
    char *out; /* records that one read has caused, written together */
    size_t out_len, out_cap;
    char *body;
    size_t body_len, body_cap;
    bool asked, broken;
};

struct pending_write {
    uv_write_t request;
    char *bytes;
};

static struct limit limit;
static char read_bytes[READ_BYTES];
static unsigned char plain[READ_BYTES];

static struct conn *checked(void *data) {
    struct conn *conn = data;
    assert(conn != NULL && conn->magic == CONN_MAGIC);
    return conn;
}

/* Makes room for `more` bytes after `len`; false if out of memory. */
static bool grow(char **bytes, size_t len, size_t more, size_t *cap) {
    if (len + more <= *cap) {
        return true;
    }
    const size_t wanted = (len + more) * 2;
    char *grown = realloc(*bytes, wanted);
    if (grown == NULL) {
        return false;
    }
    *bytes = grown;
    *cap = wanted;
    return true;
}

/* ---- TLS ---- */

static int take_ciphertext(void *user, const unsigned char *data, size_t len) {
    struct conn *conn = checked(user);
    if (!grow(&conn->out, conn->out_len, len, &conn->out_cap)) {
        return MBEDTLS_ERR_SSL_ALLOC_FAILED;
    }
    memcpy(conn->out + conn->out_len, data, len);
    conn->out_len += len;
    return (int)len;
}

static int give_ciphertext(void *user, unsigned char *to, size_t room) {
    struct conn *conn = checked(user);
    if (conn->in_len == 0) {
        return MBEDTLS_ERR_SSL_WANT_READ;
    }
    const size_t len = room < conn->in_len ? room : conn->in_len;
    memcpy(to, conn->in, len);
    conn->in += len;
    conn->in_len -= len;
    return (int)len;
}

/* ---- the answer ---- */

/* Returns the text of the first `"uid":"…"` after `"request"`. */
static const char *find_uid(const struct conn *conn, size_t *ret_len) {
    const char *at = strstr(conn->body, "\"request\"");
    at = at == NULL ? NULL : strstr(at, "\"uid\":\"");
    const char *end = at == NULL ? NULL : strchr(at + 7, '"');
    if (end == NULL || end - at > 200) {
        *ret_len = 0;
        return "";
    }
    *ret_len = (size_t)(end - at) - 7;
    return at + 7;
}

static void respond(struct conn *conn) {
    static const char begin[] = "{\"kind\":\"AdmissionReview\",\"apiVersion\":"
                                "\"admission.k8s.io/v1\",\"response\":{\"uid\":\"";
    static const char middle[] =
        "\",\"allowed\":true,\"patchType\":\"JSONPatch\",\"patch\":\"";
    char answer[ANSWER_MAX];
    size_t uid_len = 0;
    const char *uid = find_uid(conn, &uid_len);
    const size_t len =
        sizeof begin - 1 + uid_len + sizeof middle - 1 + sizeof patch - 1 + 3;
    const int n =
        snprintf(answer, sizeof answer,
                 "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n%s"
                 "Content-Length: %zu\r\n\r\n%s%.*s%s%s\"}}",
                 llhttp_should_keep_alive(&conn->llhttp) ? "" : "Connection: close\r\n",
                 len, begin, (int)uid_len, uid, middle, patch);
    assert(n > 0 && (size_t)n < sizeof answer);
    conn->broken =
        mbedtls_ssl_write(&conn->ssl, (const unsigned char *)answer, (size_t)n) != n;
    limit.n_asked += conn->asked ? 0 : 1;
    limit.n_answers++;
    conn->asked = true;
}

/* ---- HTTP ---- */

static int on_body(llhttp_t *llhttp, const char *at, size_t len) {
    struct conn *conn = checked(llhttp->data);
    if (!grow(&conn->body, conn->body_len, len + 1, &conn->body_cap)) {
        return -1;
    }
    memcpy(conn->body + conn->body_len, at, len);
    conn->body_len += len;
    conn->body[conn->body_len] = '\0';
    return 0;
}

static int on_message_complete(llhttp_t *llhttp) {
    struct conn *conn = checked(llhttp->data);
    if (conn->body_len == 0 && on_body(llhttp, "", 0) != 0) {
        return -1;
    }
    respond(conn);
    conn->body_len = 0;
    return conn->broken || !llhttp_should_keep_alive(llhttp) ? -1 : 0;
}

static const llhttp_settings_t settings = {
    .on_body = on_body,
    .on_message_complete = on_message_complete,
};

/* ---- a connection ---- */

static void on_closed(uv_handle_t *handle) {
    struct conn *conn = checked(handle->data);
    mbedtls_ssl_free(&conn->ssl);
    free(conn->out);
    free(conn->body);
    conn->magic = 0;
    free(conn);
}

static void close_conn(struct conn *conn) {
    if (!uv_is_closing((uv_handle_t *)&conn->tcp)) {
        uv_close((uv_handle_t *)&conn->tcp, on_closed);
    }
}

static void on_written(uv_write_t *request, int status) {
    struct pending_write *write = request->data;
    if (status != 0) {
        close_conn(checked(request->handle->data));
    }
    free(write->bytes);
    free(write);
}

/* Writes the rest of the output, which the socket did not take at once. */
static void queue(struct conn *conn, size_t sent) {
    struct pending_write *write = calloc(1, sizeof *write);
    const size_t len = conn->out_len - sent;
    char *bytes = write == NULL ? NULL : malloc(len);
    if (bytes == NULL) {
        free(write);
        close_conn(conn);
        return;
    }
    memcpy(bytes, conn->out + sent, len);
    write->bytes = bytes;
    write->request.data = write;
    const uv_buf_t rest = {bytes, len};
    if (uv_write(&write->request, (uv_stream_t *)&conn->tcp, &rest, 1, on_written) != 0) {
        free(bytes);
        free(write);
        close_conn(conn);
    }
}

static void flush_out(struct conn *conn) {
    if (conn->out_len == 0) {
        return;
    }
    const uv_buf_t all = {conn->out, conn->out_len};
    int sent = uv_try_write((uv_stream_t *)&conn->tcp, &all, 1);
    sent = sent == UV_EAGAIN ? 0 : sent;
    if (sent < 0) {
        close_conn(conn);
    } else if ((size_t)sent < conn->out_len) {
        queue(conn, (size_t)sent);
    }
    conn->out_len = 0;
}

/* Decrypts and parses all input; false when the connection ends. */
static bool receive(struct conn *conn) {
    int rc = 0;
    while (rc >= 0 && !conn->broken) {
        rc = mbedtls_ssl_read(&conn->ssl, plain, sizeof plain); /* and the handshake */
        if (rc == 0 || (rc > 0 && llhttp_execute(&conn->llhttp, (const char *)plain,
                                                 (size_t)rc) != HPE_OK)) {
            return false;
        }
    }
    return rc == MBEDTLS_ERR_SSL_WANT_READ && !conn->broken;
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_buf) {
    (void)handle;
    (void)suggested;
    *ret_buf = uv_buf_init(read_bytes, sizeof read_bytes);
}

static void on_read(uv_stream_t *tcp, ssize_t n, const uv_buf_t *buf) {
    struct conn *conn = checked(tcp->data);
    if (n < 0) {
        close_conn(conn);
        return;
    }
    conn->in = buf->base;
    conn->in_len = (size_t)n;
    const bool alive = receive(conn);
    flush_out(conn);
    if (!alive) {
        close_conn(conn);
    }
}

static void on_connection(uv_stream_t *listener, int status) {
    struct conn *conn = status != 0 ? NULL : calloc(1, sizeof *conn);
    if (conn == NULL) {
        return;
    }
    conn->magic = CONN_MAGIC;
    (void)uv_tcp_init(&limit.loop, &conn->tcp);
    conn->tcp.data = conn;
    llhttp_init(&conn->llhttp, HTTP_REQUEST, &settings);
    conn->llhttp.data = conn;
    mbedtls_ssl_init(&conn->ssl);
    mbedtls_ssl_set_bio(&conn->ssl, conn, take_ciphertext, give_ciphertext, NULL);
    if (mbedtls_ssl_setup(&conn->ssl, &limit.conf) != 0 ||
        uv_accept(listener, (uv_stream_t *)&conn->tcp) != 0 ||
        uv_tcp_nodelay(&conn->tcp, 1) != 0 ||
        uv_read_start((uv_stream_t *)&conn->tcp, on_alloc, on_read) != 0) {
        close_conn(conn);
    }
}

/* ---- start ------------------------------------------------------------------------ */

static int die(const char *what, const char *why) {
    (void)fprintf(stderr, "limit: %s: %s\n", what, why);
    return EXIT_FAILURE;
}

static int load_key(const char *file) {
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
    (void)psa_crypto_init();
    return mbedtls_pk_parse_keyfile(&limit.key, file, NULL, mbedtls_ctr_drbg_random,
                                    &limit.drbg);
#else
    return mbedtls_pk_parse_keyfile(&limit.key, file, NULL);
#endif
}

/* Prefers the curve that src/net prefers. The libraries prefer the largest one, with
 * which a handshake takes twice as long. */
static void set_curve(void) {
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
    static const uint16_t groups[] = {MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1,
                                      MBEDTLS_SSL_IANA_TLS_GROUP_NONE};
    mbedtls_ssl_conf_groups(&limit.conf, groups);
#else
    static const mbedtls_ecp_group_id groups[] = {MBEDTLS_ECP_DP_SECP256R1,
                                                  MBEDTLS_ECP_DP_NONE};
    mbedtls_ssl_conf_curves(&limit.conf, groups);
#endif
}

/* Sets up TLS, with the suites of src/net/tls_config.c in the same order. */
static int start_tls(const char *cert, const char *key) {
    static const int suites[] = {
#if defined(MBEDTLS_SSL_PROTO_TLS1_3)
        MBEDTLS_TLS1_3_CHACHA20_POLY1305_SHA256,
        MBEDTLS_TLS1_3_AES_128_GCM_SHA256,
        MBEDTLS_TLS1_3_AES_256_GCM_SHA384,
#endif
        MBEDTLS_TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
        MBEDTLS_TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
        MBEDTLS_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        0};
    mbedtls_ssl_config_init(&limit.conf);
    mbedtls_x509_crt_init(&limit.chain);
    mbedtls_pk_init(&limit.key);
    mbedtls_entropy_init(&limit.entropy);
    mbedtls_ctr_drbg_init(&limit.drbg);
    int rc =
        mbedtls_ctr_drbg_seed(&limit.drbg, mbedtls_entropy_func, &limit.entropy, NULL, 0);
    rc = rc != 0 ? rc : mbedtls_x509_crt_parse_file(&limit.chain, cert);
    rc = rc != 0 ? rc : load_key(key);
    rc = rc != 0 ? rc
                 : mbedtls_ssl_config_defaults(&limit.conf, MBEDTLS_SSL_IS_SERVER,
                                               MBEDTLS_SSL_TRANSPORT_STREAM,
                                               MBEDTLS_SSL_PRESET_DEFAULT);
    rc = rc != 0 ? rc : mbedtls_ssl_conf_own_cert(&limit.conf, &limit.chain, &limit.key);
    mbedtls_ssl_conf_rng(&limit.conf, mbedtls_ctr_drbg_random, &limit.drbg);
    mbedtls_ssl_conf_ciphersuites(&limit.conf, suites);
    set_curve();
    return rc;
}

/* Listens at "HOST:PORT". HOST is an IPv4 address, or empty for all addresses. */
static int start_listening(const char *address) {
    struct sockaddr_in to;
    char host[64] = "0.0.0.0";
    const char *colon = strrchr(address, ':');
    if (colon == NULL || (size_t)(colon - address) >= sizeof host) {
        return UV_EINVAL;
    }
    if (colon != address) {
        memcpy(host, address, (size_t)(colon - address));
        host[colon - address] = '\0';
    }
    int rc = uv_ip4_addr(host, (int)strtol(colon + 1, NULL, 10), &to);
    (void)uv_tcp_init(&limit.loop, &limit.listener);
    rc = rc != 0 ? rc : uv_tcp_bind(&limit.listener, (const struct sockaddr *)&to, 0);
    return rc != 0 ? rc : uv_listen((uv_stream_t *)&limit.listener, 1024, on_connection);
}

static void on_signal(uv_signal_t *handle, int number) {
    if (number != SIGUSR1) {
        uv_stop(handle->loop);
        return;
    }
    (void)printf("%lu %lu\n", limit.n_asked, limit.n_answers);
    (void)fflush(stdout);
}

static const char *option(int argc, char **argv, const char *name) {
    for (int i = 1; i + 1 < argc; i++) {
        if (strcmp(argv[i], name) == 0) {
            return argv[i + 1];
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGUSR1};
    static uv_signal_t signals[sizeof numbers / sizeof *numbers];
    const char *listen = option(argc, argv, "--listen");
    const char *cert = option(argc, argv, "--tls-cert");
    const char *key = option(argc, argv, "--tls-key");
    if (listen == NULL || cert == NULL || key == NULL) {
        return die("usage", "limit --listen HOST:PORT --tls-cert FILE --tls-key FILE");
    }
    (void)signal(SIGPIPE, SIG_IGN);
    int rc = start_tls(cert, key);
    if (rc != 0) {
        char words[160];
        mbedtls_strerror(rc, words, sizeof words);
        return die(cert, words);
    }
    rc = uv_loop_init(&limit.loop);
    rc = rc != 0 ? rc : start_listening(listen);
    if (rc != 0) {
        return die(listen, uv_strerror(rc));
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        (void)uv_signal_init(&limit.loop, &signals[i]);
        (void)uv_signal_start(&signals[i], on_signal, numbers[i]);
    }
    (void)uv_run(&limit.loop, UV_RUN_DEFAULT);
    return EXIT_SUCCESS; /* the end of the process frees all memory */
}
