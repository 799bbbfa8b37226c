/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls.h - TLS as a filter on bytes: ciphertext in and out on one side, plaintext on
 * the other. It opens no socket and waits for nothing. Only the files tls*.c of this room
 * include mbedTLS: 2.28, which has TLS 1.2 only, or 3.6.
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

/* opaque, counted: what sessions share. Made on any thread, the first of a process before
 * there are others (mbedTLS then fills its tables). Its sessions must all be used on one:
 * they share random state, and mbedTLS keeps what it computed of a key with the key. */
struct fx_tls_config;
struct fx_tls; /* opaque: one session, one thread */

/* ---- configurations ---- */

enum fx_tls_version { FX_TLS_1_2, FX_TLS_1_3 };

/* Sets the lowest version of TLS that the sessions of this process take part in, as
 * servers and as clients; without a call, FX_TLS_1_2. Call it before the first
 * configuration is made. Errors: FX_EINVALID (the library does not have the version). */
bool fx_tls_set_min_version(enum fx_tls_version version, struct fx_err *err) FX_MUST_USE;

/* A server's certificate chain and private key, both PEM. TLS 1.2 at least, ALPN
 * `http/1.1` (who offers only others is refused with an alert, who offers none is not),
 * forward secrecy and AEAD only, no renegotiation, no session cache or tickets. Errors:
 * FX_EINVALID with mbedTLS' words (no PEM, key does not fit the certificate, expired is
 * no error here), FX_ENOMEM.
 */
struct fx_tls_config *fx_tls_config_server(struct fx_text cert_pem,
                                           struct fx_text key_pem,
                                           struct fx_err *err) FX_MUST_USE;

/* The same with a certificate made now, in memory: ECDSA P-256, its own CA, one year, for
 * these DNS names and IP addresses (at least one). It may also be offered as a client's:
 * fx_tls_config_print() and fx_tls_config_print_key() give what that takes. */
struct fx_tls_config *fx_tls_config_self_signed(const char *const *names, size_t n_names,
                                                struct fx_err *err) FX_MUST_USE;

/* A new one with the same certificate and key, and nothing else of it. Errors:
 * FX_ENOMEM, and those of the other. */
struct fx_tls_config *fx_tls_config_clone(const struct fx_tls_config *server,
                                          struct fx_err *err) FX_MUST_USE;

/* Makes a server demand a certificate of its clients, whose chain must end in one of
 * `ca_pem`. Before its first session. Errors: FX_EINVALID (no certificate in it),
 * FX_ENOMEM. */
bool fx_tls_config_require_client_cert(struct fx_tls_config *server,
                                       struct fx_text ca_pem,
                                       struct fx_err *err) FX_MUST_USE;

/* A client that accepts a server whose chain ends in one of `ca_pem` and whose names hold
 * `server_name`, a DNS name or an IP address. With an empty `ca_pem`: any certificate
 * (only for asking ourselves). `cert_pem` and `key_pem`, its own chain and key, are
 * offered to a server that asks for them; both may be empty. Errors: FX_EINVALID, as
 * above, FX_ENOMEM. */
struct fx_tls_config *fx_tls_config_client(struct fx_text ca_pem, const char *server_name,
                                           struct fx_text cert_pem,
                                           struct fx_text key_pem,
                                           struct fx_err *err) FX_MUST_USE;

struct fx_tls_config *fx_tls_config_ref(struct fx_tls_config *config);
void fx_tls_config_unref(struct fx_tls_config *config); /* NULL is fine */

/* When the server's leaf certificate begins and ends to be valid, in seconds since 1970.
 */
void fx_tls_config_validity(const struct fx_tls_config *config, int64_t *ret_not_before,
                            int64_t *ret_not_after);

/* Appends the own certificate chain as PEM (for clients of a self-signed one). */
void fx_tls_config_print(const struct fx_tls_config *config, struct fx_buf *pem);

/* Appends the own private key as PEM. `pem` should be empty, for a buffer that grows
 * leaves copies behind; fx_tls_wipe() it after its use. */
void fx_tls_config_print_key(const struct fx_tls_config *config, struct fx_buf *pem);

/* Overwrites the bytes and frees them. */
void fx_tls_wipe(struct fx_buf *secret);

/* Overwrites what calls that have returned left on the stack of this thread: mbedTLS 2.28
 * writes a private key there where it signs (deterministic ECDSA), and leaves it. What
 * reads keys, makes certificates and shakes hands does so itself; whoever writes keys as
 * text on a thread of a pool is to call it behind that. */
void fx_tls_wipe_stack(void);

/* Can these certificates (PEM) be trusted by a client? The first PEM block must be a
 * certificate; those behind it are not looked at. Errors: FX_EINVALID in Gatekeeper's
 * words (spec section 7), `bad caBundle` where there is no PEM block and `failed to parse
 * caBundle: …` where the first is no certificate; FX_ENOMEM. */
bool fx_tls_check_ca(struct fx_text pem, struct fx_err *err) FX_MUST_USE;

/* ---- sessions ---- */

/* A session of this config's role; holds a reference on it. NULL without memory. */
struct fx_tls *fx_tls_create(struct fx_tls_config *config) FX_MUST_USE;
void fx_tls_destroy(struct fx_tls *tls); /* NULL is fine */

enum fx_tls_state {
    FX_TLS_HANDSHAKE, /* not yet up; wants more bytes of the peer */
    FX_TLS_OPEN,
    FX_TLS_CLOSED, /* the peer said goodbye, in order */
    FX_TLS_FAILED, /* broken; `err` says why; an alert may wait in `ciphertext` */
};

/* Takes ciphertext of the peer (may be empty, to begin a client's handshake), appends
 * what it decrypts to `plaintext` and what must be sent to `ciphertext`. */
enum fx_tls_state fx_tls_receive(struct fx_tls *tls, struct fx_text received,
                                 struct fx_buf *plaintext, struct fx_buf *ciphertext,
                                 struct fx_err *err) FX_MUST_USE;

/* Has a part of a record come, whose rest is missing? */
bool fx_tls_is_within_record(const struct fx_tls *tls);

/* Encrypts all of `plaintext` into `ciphertext`. Only in state OPEN, or CLOSED:
 * a peer that has said all may still listen. */
bool fx_tls_send(struct fx_tls *tls, struct fx_text plaintext, struct fx_buf *ciphertext,
                 struct fx_err *err) FX_MUST_USE;

/* Appends the goodbye (close_notify). Never fails: a goodbye is a courtesy. */
void fx_tls_close_notify(struct fx_tls *tls, struct fx_buf *ciphertext);

/* The name and version of the TLS library, for `fixpoint version`. */
const char *fx_tls_library(void);

#endif
