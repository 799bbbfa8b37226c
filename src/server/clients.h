/* SPDX-License-Identifier: Apache-2.0
 *
 * server/clients.h - who may ask the webhook: clients with a certificate of an authority
 * in a file, which is read again when it changes, and we ourselves.
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
    const char *const *names; /* one of them is the client's common name; none: any */
    size_t n_names;
    struct fx_metrics *metrics;
    /* On the loop: the authorities are others from now on. A configuration keeps those
     * it was given, so the one in use is to be made again. */
    void (*on_change)(void *user);
    void *user;
};

/* Reads the file, blocking. Errors: FX_EINVALID (no certificate in it), FX_EIO (it cannot
 * be read), FX_ENOMEM. */
struct fx_clients *fx_clients_create(uv_loop_t *loop,
                                     const struct fx_clients_options *options,
                                     struct fx_err *err) FX_MUST_USE;

/* Makes a server's configuration let in only them, and ourselves. NULL: anybody, nothing
 * to do. Errors: FX_ENOMEM. */
bool fx_clients_apply(struct fx_clients *clients, struct fx_tls_config *server,
                      struct fx_err *err) FX_MUST_USE;

/* With what we show ourselves to our own port: a certificate made for this process that
 * nobody else has the key of. Borrowed; NULL where anybody may ask. */
const struct fx_tls_pair *fx_clients_own_pair(const struct fx_clients *clients);

/* Reads the file again now. NULL is fine. */
void fx_clients_reload(struct fx_clients *clients);

/* Ends it, after the last session of a configuration that it was asked about; the memory
 * goes when no worker uses it any more. NULL is fine. */
void fx_clients_close(struct fx_clients *clients);

#endif
