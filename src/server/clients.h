/* SPDX-License-Identifier: Apache-2.0
 *
 * server/clients.h - which clients may use the webhook port: those with a certificate
 * that is signed by an authority in the client CA file, which is read again when it
 * changes; and this process itself.
 */
#ifndef FX_SERVER_CLIENTS_H
#define FX_SERVER_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "net/tls.h"
#include "net/tls_issue.h"
#include "server/metrics.h"

struct fx_clients; /* opaque */

/* Everything is borrowed until it is closed. */
struct fx_clients_options {
    const char *ca_file;
    const char *const *names; /* allowed common names */
    size_t n_names;           /* 0: any name is allowed */
    struct fx_metrics *metrics;
    /* Called on the loop when the authorities changed. A TLS configuration keeps those
     * that it was given, so the current one must be replaced. */
    void (*on_change)(void *user);
    void *user;
};

/* Reads the file, blocking. Errors: FX_EINVALID (no certificate in it), FX_EIO (the file
 * cannot be read), FX_ENOMEM. */
struct fx_clients *fx_clients_create(uv_loop_t *loop,
                                     const struct fx_clients_options *options,
                                     struct fx_err *err) FX_MUST_USE;

/* Makes a server's configuration accept only these clients. `clients` NULL: does nothing,
 * any client is accepted. Errors: FX_ENOMEM. */
bool fx_clients_apply(struct fx_clients *clients, struct fx_tls_config *server,
                      struct fx_err *err) FX_MUST_USE;

/* The client certificate of this process, made at the start; no other process has its
 * key. Borrowed. NULL if `clients` is NULL. */
const struct fx_tls_pair *fx_clients_own_pair(const struct fx_clients *clients);

/* Reads the file again now. NULL is fine. */
void fx_clients_reload(struct fx_clients *clients);

/* Closes it; call it after the last session of every configuration that it was applied
 * to. The memory is freed when no worker uses it any more. NULL is fine. */
void fx_clients_close(struct fx_clients *clients);

#endif
