/* SPDX-License-Identifier: Apache-2.0
 *
 * server/sandbox_filter.h - the system calls of a server, as a seccomp filter
 * (libseccomp).
 *
 * Three groups:
 *   - calls that serving needs are allowed, some of them with certain arguments only:
 * files are opened for reading, sockets are of IP, memory is not executable, clone()
 * makes threads, signals go to the process itself;
 *   - calls that only an attacker would make end the process with SIGSYS: starting
 * programs, memory of other processes, mounts, namespaces, modules, BPF, keys;
 *   - all others fail with ENOSYS, as on a kernel that does not have them: libraries then
 *     fall back to older calls.
 */
#ifndef FX_SERVER_SANDBOX_FILTER_H
#define FX_SERVER_SANDBOX_FILTER_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macros.h"

/* Makes io_uring_setup() fail with ENOSYS for all threads, and sets `no_new_privs`. Call
 * it before the first loop is created: libuv gives each loop a ring if it can, and aborts
 * the process if the filter below then refuses its use. Errors: FX_EIO (the kernel
 * refuses), FX_ENOMEM. */
bool fx_sandbox_filter_hide_rings(struct fx_err *err) FX_MUST_USE;

/* Installs the filter for all threads of the process, and sets `no_new_privs`. It cannot
 * be removed. Errors: FX_EIO (the kernel refuses), FX_ENOMEM. */
bool fx_sandbox_filter_install(struct fx_err *err) FX_MUST_USE;

#endif
