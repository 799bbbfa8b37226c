/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls.h - TLS as a filter on bytes: ciphertext on one side, plaintext on the other.
 * Opens no socket and does not block. Only the files tls*.c of this room include mbedTLS:
 * 2.28, which has TLS 1.2 only, or 3.6.
 */
#ifndef FX_NET_TLS_H
#define FX_NET_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* opaque, counted: the data that sessions share. Any thread may create one; the first one
 * of a process before other threads exist (mbedTLS then fills its tables). All its
 * sessions must be used on one thread, because they share random state, and mbedTLS
 * stores computed values with the key. */
struct fx_tls_config;
struct fx_tls; /* opaque: one session, one thread */

/* ---- configurations ---- */

enum fx_tls_version { FX_TLS_1_2, FX_TLS_1_3 };

/* Sets the minimum TLS version of all sessions of this process, servers and clients; the
 * default is FX_TLS_1_2. Call it before the first configuration is created. Errors:
 * FX_EINVALID (the library does not have the version). */
bool fx_tls_set_min_version(enum fx_tls_version version, struct fx_err *err) FX_MUST_USE;

/* Creates a server configuration from a certificate chain and its private key, both PEM.
 * TLS 1.2 at least; ALPN `http/1.1` (a client that offers only other protocols is
 * rejected with an alert, one that offers none is not); forward secrecy and AEAD only; no
 * renegotiation, no session cache, no tickets. Errors: FX_EINVALID with mbedTLS' message
 * (invalid PEM, the key does not fit the certificate; an expired certificate is
 * accepted), FX_ENOMEM. */
struct fx_tls_config *fx_tls_config_server(struct fx_text cert_pem,
                                           struct fx_text key_pem,
                                           struct fx_err *err) FX_MUST_USE;

/* The same with a new certificate, made in memory: ECDSA P-256, with its own CA, valid
 * for a year, for these DNS names and IP addresses (at least one). It can also be used as
 * a client certificate, with fx_tls_config_print() and fx_tls_config_print_key(). */
struct fx_tls_config *fx_tls_config_self_signed(const char *const *names, size_t n_names,
                                                struct fx_err *err) FX_MUST_USE;

/* Creates a server configuration with the same certificate and key, but no client rules.
 * Errors: those of fx_tls_config_server(). */
struct fx_tls_config *fx_tls_config_clone(const struct fx_tls_config *server,
                                          struct fx_err *err) FX_MUST_USE;

/* Creates a client configuration. It accepts a server whose chain ends in one of `ca_pem`
 * and whose names include `server_name`, a DNS name or an IP address. An empty `ca_pem`
 * accepts any certificate (only for connections to Fixpoint's own port). `cert_pem` and
 * `key_pem` are the client certificate and key, for servers that request one; both may be
 * empty. Errors: FX_EINVALID as in fx_tls_config_server(), FX_ENOMEM. */
struct fx_tls_config *fx_tls_config_client(struct fx_text ca_pem, const char *server_name,
                                           struct fx_text cert_pem,
                                           struct fx_text key_pem,
                                           struct fx_err *err) FX_MUST_USE;

/* Take and drop a reference. */
struct fx_tls_config *fx_tls_config_ref(struct fx_tls_config *config);
void fx_tls_config_unref(struct fx_tls_config *config); /* NULL is fine */

/* Returns the validity of its leaf certificate, in seconds since 1970. */
void fx_tls_config_validity(const struct fx_tls_config *config, int64_t *ret_not_before,
                            int64_t *ret_not_after);

/* Appends its certificate chain as PEM. */
void fx_tls_config_print(const struct fx_tls_config *config, struct fx_buf *pem);

/* Appends its private key as PEM. `pem` should be empty, because a growing buffer leaves
 * copies in freed memory. Call fx_tls_wipe() on it after use. */
void fx_tls_config_print_key(const struct fx_tls_config *config, struct fx_buf *pem);

/* Overwrites and frees the bytes. */
void fx_tls_wipe(struct fx_buf *secret);

/* Overwrites data of returned calls on the stack of this thread: when mbedTLS 2.28 signs,
 * it leaves the private key there (deterministic ECDSA). The functions here that read
 * keys, make certificates or compute handshakes call it. Call it after writing keys as
 * text on a worker thread. */
void fx_tls_wipe_stack(void);

/* Checks a caBundle: the first PEM block must be a certificate; further blocks are not
 * checked. Errors: FX_EINVALID with the messages of spec section 7, `bad caBundle` if
 * there is no PEM block and `failed to parse caBundle: …` if the first one is not a
 * certificate; FX_ENOMEM. */
bool fx_tls_check_ca(struct fx_text pem, struct fx_err *err) FX_MUST_USE;

/* ---- sessions ---- */

/* Creates a session, as server or client according to the configuration; takes a
 * reference. NULL if out of memory. */
struct fx_tls *fx_tls_create(struct fx_tls_config *config) FX_MUST_USE;
void fx_tls_destroy(struct fx_tls *tls); /* NULL is fine */

enum fx_tls_state {
    FX_TLS_HANDSHAKE, /* not done; needs more bytes from the peer */
    FX_TLS_OPEN,
    FX_TLS_CLOSED, /* the peer has sent close_notify */
    FX_TLS_FAILED, /* failed; see `err`; `ciphertext` may have an alert */
};

/* Takes ciphertext from the peer (empty to start a client's handshake). Appends decrypted
 * bytes to `plaintext`, and bytes that must be sent to `ciphertext`. */
enum fx_tls_state fx_tls_receive(struct fx_tls *tls, struct fx_text received,
                                 struct fx_buf *plaintext, struct fx_buf *ciphertext,
                                 struct fx_err *err) FX_MUST_USE;

/* Is an incomplete record buffered? */
bool fx_tls_is_within_record(const struct fx_tls *tls);

/* Encrypts all of `plaintext` and appends it to `ciphertext`. Only in state OPEN, or
 * CLOSED: a peer that has sent close_notify may still read. */
bool fx_tls_send(struct fx_tls *tls, struct fx_text plaintext, struct fx_buf *ciphertext,
                 struct fx_err *err) FX_MUST_USE;

/* Appends close_notify. Errors are ignored. */
void fx_tls_close_notify(struct fx_tls *tls, struct fx_buf *ciphertext);

/* Returns the name and version of the TLS library, for `fixpoint version`. */
const char *fx_tls_library(void);

#endif
