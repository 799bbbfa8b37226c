/* SPDX-License-Identifier: Apache-2.0
 *
 * server/sandbox.h - gives up what a running server does not need: privileges at the
 * start, and most system calls once everything is open.
 */
#ifndef FX_SERVER_SANDBOX_H
#define FX_SERVER_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"

enum fx_sandbox_mode {
    FX_SANDBOX_AUTO,    /* log what the system refuses, and go on */
    FX_SANDBOX_REQUIRE, /* fail if the system refuses anything */
    FX_SANDBOX_OFF,     /* do nothing */
};

/* Why the sandbox cannot be used in this process, a constant string: sanitizers, valgrind
 * and coverage need further system calls. NULL: it can be used. */
const char *fx_sandbox_obstacle(void);

/* Drops all capabilities, including the bounding and the ambient set, and core dumps,
 * which would contain keys. CAP_NET_BIND_SERVICE is kept if one of these addresses
 * ("HOST:PORT") needs it, because a listener is reopened after descriptors ran out. Hides
 * io_uring from libuv (fx_sandbox_filter_hide_rings()); a failure of that is reported by
 * fx_sandbox_enter(). Call it before the first thread starts: capabilities belong to
 * threads. Errors, with REQUIRE only: FX_EIO. */
bool fx_sandbox_drop(enum fx_sandbox_mode mode, const char *const *addresses,
                     size_t n_addresses, struct fx_err *err) FX_MUST_USE;

/* Sets `no_new_privs` and installs the filter of sandbox_filter.h, for all present and
 * future threads. Call it when everything is open, before the first request is answered.
 * Logs the result. Errors, with REQUIRE only: FX_EIO, FX_ENOMEM. */
bool fx_sandbox_enter(enum fx_sandbox_mode mode, struct fx_err *err) FX_MUST_USE;

#endif
