/* SPDX-License-Identifier: Apache-2.0
 *
 * server/sandbox.h - what a running server gives up, since it needs none of it:
 * privileges at its beginning, and most system calls once everything is open.
 */
#ifndef FX_SERVER_SANDBOX_H
#define FX_SERVER_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"

enum fx_sandbox_mode {
    FX_SANDBOX_AUTO,    /* what is refused is told, and serving goes on */
    FX_SANDBOX_REQUIRE, /* what is refused is an error */
    FX_SANDBOX_OFF,     /* nothing is given up */
};

/* Why there can be none here, a constant: tools that watch a program from within
 * (sanitizers, valgrind, the measuring of coverage) need other calls than it does itself.
 * NULL: nothing of that kind. */
const char *fx_sandbox_obstacle(void);

/* Gives up all capabilities, the bounding and the ambient set included, and core dumps,
 * which would hold keys. CAP_NET_BIND_SERVICE stays where it is there and one of these
 * addresses ("HOST:PORT") has a port that takes it, for a listener is opened anew after
 * descriptors ran out. Hides io_uring from libuv (fx_sandbox_filter_hide_rings()); where
 * that fails, fx_sandbox_enter() tells it. Before the first thread is started:
 * capabilities are a thread's.
 * Errors, of REQUIRE only: FX_EIO. */
bool fx_sandbox_drop(enum fx_sandbox_mode mode, const char *const *addresses,
                     size_t n_addresses, struct fx_err *err) FX_MUST_USE;

/* `no_new_privs` and the filter of sandbox_filter.h, for all threads there are and will
 * be. Once everything is open and before the first request is answered. Logs what is in
 * force now, or why nothing is. Errors, of REQUIRE only: FX_EIO, FX_ENOMEM. */
bool fx_sandbox_enter(enum fx_sandbox_mode mode, struct fx_err *err) FX_MUST_USE;

#endif
