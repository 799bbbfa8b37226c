/* SPDX-License-Identifier: Apache-2.0
 *
 * server/web.h - the port for dry runs of rules (engine/dry_run.h), over plain and
 * unauthenticated HTTP. It is open only where an option asks for it.
 *
 * The main thread reads and writes the messages; dry runs have threads of their own
 * (server/dryruns.h), so that health answers meanwhile.
 */
#ifndef FX_SERVER_WEB_H
#define FX_SERVER_WEB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "server/dryruns.h"

struct fx_http_server;
struct fx_server;

/* Zeroed: there is no such port. */
struct fx_web {
    struct fx_http_server *http;
    struct fx_dryruns dryruns;
};

/* Listens on server->options->web_listen ("HOST:PORT"), for so many connections; where
 * that is NULL, nothing happens. Errors: FX_EINVALID, FX_EIO, FX_ENOMEM. */
bool fx_web_start(struct fx_server *server, size_t max_connections,
                  struct fx_err *err) FX_MUST_USE;

/* As fx_http_server_drain(). */
void fx_web_drain(struct fx_web *web);

/* Accepts nothing any more, and answers what has come. `on_stopped` is called once that
 * is done; at once where there is no port. At most one call. */
void fx_web_stop(struct fx_web *web, void (*on_stopped)(void *user), void *user);

/* Once the loop has ended. */
void fx_web_finish(struct fx_web *web);

#endif
