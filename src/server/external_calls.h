/* SPDX-License-Identifier: Apache-2.0
 *
 * server/external_calls.h - carries the requests of admission/external.h to the
 * providers, all at once, and their answers back. Connections are used again
 * (net/http_pool.h). For the webhook and the command line. Loop thread only.
 */
#ifndef FX_SERVER_EXTERNAL_CALLS_H
#define FX_SERVER_EXTERNAL_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "admission/external.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_external_client; /* opaque: what the calls of one loop share */

/* How a call ended, for metrics. */
#define FX_EXTERNAL_RESULTS(X)                                   \
    X(OK, "ok")           /* an answer came, whatever it said */ \
    X(TIMEOUT, "timeout") /* it took too long */                 \
    X(ERROR, "error")     /* no answer: address, TLS, HTTP */

enum fx_external_result {
#define X(name, text) FX_EXTERNAL_RESULT_##name,
    FX_EXTERNAL_RESULTS(X)
#undef X
};

/* Makes one for the loop. `on_result` (may be NULL) hears of each call. */
struct fx_external_client *fx_external_client_create(
    uv_loop_t *loop,
    void (*on_result)(enum fx_external_result result, double seconds, void *user),
    void *user, struct fx_err *err) FX_MUST_USE;

/* Gives up what is under way (no `on_ready` is called any more), closes the connections
 * and frees all of it once its handles are closed by the loop. NULL is fine. */
void fx_external_client_close(struct fx_external_client *client);

/* The certificate offered to providers that want one, with its key, both PEM; copied.
 * Empty ones: none is offered. A new one is offered on new connections, those with the
 * one before are not used any more. Errors: FX_ENOMEM; then the one before stays. */
bool fx_external_client_set_certificate(struct fx_external_client *client,
                                        struct fx_text cert_pem, struct fx_text key_pem,
                                        struct fx_err *err) FX_MUST_USE;

/* Who waits for a round of calls. */
struct fx_external_callback {
    uint64_t deadline_ns;         /* base/clock.h; 0: no limit */
    void (*on_ready)(void *user); /* called once, later, on the loop */
    void *user;
};

/* Makes all calls, answers each (fx_external_give(), fx_external_fail()) and tells the
 * waiter. Each may take the least of its provider's timeout (5 s where it names none) and
 * what is left before the deadline. Calls and arena are borrowed until then. False (and
 * no call) only without memory. */
bool fx_external_client_run(struct fx_external_client *client,
                            struct fx_external_calls *calls, struct fx_arena *arena,
                            const struct fx_external_callback *waiter,
                            struct fx_err *err) FX_MUST_USE;

#endif
