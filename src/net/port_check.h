/* SPDX-License-Identifier: Apache-2.0
 *
 * net/port_check.h - checks that a port of this process answers: connect, TLS handshake,
 * close.
 */
#ifndef FX_NET_PORT_CHECK_H
#define FX_NET_PORT_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"

struct fx_address;
struct fx_tls_config;

/* Connects to the address, as a client of `tls` (NULL for plain TCP without a handshake).
 * Calls `on_done` once, later, on the loop, with NULL or the failure (FX_EIO), after
 * `timeout_ms` at the latest. False, and no call, only without memory, or if no socket
 * can be created. */
bool fx_port_check_start(uv_loop_t *loop, const struct fx_address *to,
                         struct fx_tls_config *tls, uint64_t timeout_ms,
                         void (*on_done)(const struct fx_err *failure, void *user),
                         void *user, struct fx_err *err) FX_MUST_USE;

#endif
