/* SPDX-License-Identifier: Apache-2.0
 *
 * server/self_check.h - asks our own webhook port every few seconds whether it answers.
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

/* Begins at once, with a TLS handshake to `port` at the address of `listen`
 * ("HOST:PORT"), or on the loopback where that stands for all addresses; `ourselves`
 * (borrowed for the call, NULL: nothing) is what we show where we are asked who we are.
 * Errors: FX_EINVALID (no address), FX_ENOMEM. */
struct fx_self_check *fx_self_check_create(uv_loop_t *loop, const char *listen,
                                           uint16_t port,
                                           const struct fx_tls_pair *ourselves,
                                           struct fx_err *err) FX_MUST_USE;

/* Did it answer the last time? Else why not: text that stays until the loop goes on. */
bool fx_self_check_passed(const struct fx_self_check *check, const char **ret_reason);

/* Ends it; the memory goes when the last question is answered. NULL is fine. */
void fx_self_check_close(struct fx_self_check *check);

#endif
