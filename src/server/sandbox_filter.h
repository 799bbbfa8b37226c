/* SPDX-License-Identifier: Apache-2.0
 *
 * server/sandbox_filter.h - the system calls of a server, as a seccomp filter (through
 * libseccomp).
 *
 * Three lots:
 *   - what serving takes is allowed, some of it with certain arguments only: files are
 *     opened for reading, sockets are of IP, memory is not executable, clone() makes
 *     threads, signals go to ourselves;
 *   - what only somebody who has taken over the process would want ends the process at
 *     once, by SIGSYS: other programs, other processes' memory, mounts, namespaces,
 *     modules, BPF, keys;
 *   - anything else fails with ENOSYS, as on a kernel that does not have it: libraries
 *     then fall back on what is older, and on what is allowed.
 */
#ifndef FX_SERVER_SANDBOX_FILTER_H
#define FX_SERVER_SANDBOX_FILTER_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macros.h"

/* Makes io_uring_setup() fail with ENOSYS from now on, for all threads, and sets
 * `no_new_privs`. Call it before the first loop is made: libuv gives each loop a ring
 * where it can, and ends the process where the filter below refuses one that is there.
 * Errors: FX_EIO (the kernel refuses), FX_ENOMEM. */
bool fx_sandbox_filter_hide_rings(struct fx_err *err) FX_MUST_USE;

/* Installs it for all threads of the process, with `no_new_privs`. There is no way back.
 * Errors: FX_EIO (the kernel refuses), FX_ENOMEM. */
bool fx_sandbox_filter_install(struct fx_err *err) FX_MUST_USE;

#endif
