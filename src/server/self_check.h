/* SPDX-License-Identifier: Apache-2.0
 *
 * server/self_check.h - checks every few seconds that this process's own webhook port
 * completes a TLS handshake.
 */
#ifndef FX_SERVER_SELF_CHECK_H
#define FX_SERVER_SELF_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "net/tls_issue.h"

struct fx_self_check; /* opaque */

/* Starts checking `port` at the address of `listen` ("HOST:PORT"), or on the loopback
 * address if `listen` is all addresses. `own_pair` is the client certificate to use,
 * borrowed for the call; NULL: none. Errors: FX_EINVALID (invalid address), FX_ENOMEM. */
struct fx_self_check *fx_self_check_create(uv_loop_t *loop, const char *listen,
                                           uint16_t port,
                                           const struct fx_tls_pair *own_pair,
                                           struct fx_err *err) FX_MUST_USE;

/* Did the last check succeed? If not, *ret_reason is valid until the next iteration. */
bool fx_self_check_passed(const struct fx_self_check *check, const char **ret_reason);

/* Ends the checks. The memory is freed when the last check has ended. NULL is fine. */
void fx_self_check_close(struct fx_self_check *check);

#endif
