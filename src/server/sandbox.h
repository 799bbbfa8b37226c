/* SPDX-License-Identifier: Apache-2.0
 *
 * server/sandbox.h - drops what a running server does not need: privileges at the start,
 * and, once everything is open, most system calls, by a seccomp filter (libseccomp).
 *
 * Three groups of system calls:
 *   - calls that serving needs are allowed, some of them only with certain arguments:
 *     files are opened for reading, sockets are of IP, memory is not executable, clone()
 *     makes threads, signals go to the process itself;
 *   - calls that only an attacker would make (starting programs, memory of other
 *     processes, mounts, namespaces, modules, BPF, keys) end the process with SIGSYS;
 *   - all others fail with ENOSYS, as on a kernel that does not have them: libraries then
 *     fall back to older calls.
 */
#ifndef FX_SERVER_SANDBOX_H
#define FX_SERVER_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"

enum fx_sandbox_mode {
    FX_SANDBOX_AUTO,    /* log what the system refuses, and continue */
    FX_SANDBOX_REQUIRE, /* fail if the system refuses anything */
    FX_SANDBOX_OFF,     /* do nothing */
};

/* Why the sandbox cannot be used in this process (sanitizers, valgrind and coverage need
 * further system calls), a constant string. NULL: it can be used. */
const char *fx_sandbox_obstacle(void);

/* Drops all capabilities, including the bounding and the ambient set, and core dumps,
 * which would contain keys. CAP_NET_BIND_SERVICE is kept if one of these addresses
 * ("HOST:PORT") needs it, because a listener is reopened after descriptors ran out. Hides
 * io_uring from libuv (fx_sandbox_filter_hide_rings()); a failure of that is reported by
 * fx_sandbox_enter(). Call it before the first thread starts: capabilities belong to
 * threads. Errors, with REQUIRE only: FX_EIO. */
bool fx_sandbox_drop(enum fx_sandbox_mode mode, const char *const *addresses,
                     size_t n_addresses, struct fx_err *err) FX_MUST_USE;

/* Sets `no_new_privs` and installs the filter, for all present and
 * future threads. Call it when everything is open, before the first request is answered.
 * Logs the result. Errors, with REQUIRE only: FX_EIO, FX_ENOMEM. */
bool fx_sandbox_enter(enum fx_sandbox_mode mode, struct fx_err *err) FX_MUST_USE;

/* ---- the two filters ---- */

/* Makes io_uring_setup() fail with ENOSYS for all threads, and sets `no_new_privs`. Call
 * it before the first loop is created: libuv gives each loop a ring if it can, and aborts
 * the process if the filter below then refuses its use. Errors: FX_EIO (the kernel
 * refuses), FX_ENOMEM. */
bool fx_sandbox_filter_hide_rings(struct fx_err *err) FX_MUST_USE;

/* Installs the filter for all threads of the process, and sets `no_new_privs`. It cannot
 * be removed. Errors: FX_EIO (the kernel refuses), FX_ENOMEM. */
bool fx_sandbox_filter_install(struct fx_err *err) FX_MUST_USE;

#endif
