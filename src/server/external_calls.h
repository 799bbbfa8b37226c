/* SPDX-License-Identifier: Apache-2.0
 *
 * server/external_calls.h - fetches the inputs of type CALL (engine/input.h): sends the
 * requests to the providers, all at the same time, and stores their responses
 * (admission/external.h). Connections are reused (net/http_client.h). Used by the webhook
 * and the command line. Loop thread only.
 */
#ifndef FX_SERVER_EXTERNAL_CALLS_H
#define FX_SERVER_EXTERNAL_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "admission/external.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_external_client; /* opaque: one for each loop */

/* How a call ended, for metrics. */
#define FX_EXTERNAL_RESULTS(X)                                             \
    X(OK, "ok")           /* there was a response, whatever its content */ \
    X(TIMEOUT, "timeout") /* no response in time */                        \
    X(ERROR, "error")     /* no response: address, TLS, HTTP */

enum fx_external_result {
#define X(name, text) FX_EXTERNAL_RESULT_##name,
    FX_EXTERNAL_RESULTS(X)
#undef X
};

/* Creates the client of a loop. `on_result` (may be NULL) is called for each call that
 * ended. */
struct fx_external_client *fx_external_client_create(
    uv_loop_t *loop,
    void (*on_result)(enum fx_external_result result, double seconds, void *user),
    void *user, struct fx_err *err) FX_MUST_USE;

/* Cancels running calls (`on_ready` is not called any more) and closes the connections.
 * The memory is freed when the loop has closed the handles. NULL is fine. */
void fx_external_client_close(struct fx_external_client *client);

/* Sets the client certificate and its key, both PEM, for providers that request one.
 * Empty: none. The texts are copied. Only new connections are used afterwards. Errors:
 * FX_ENOMEM; then the previous certificate stays. */
bool fx_external_client_set_certificate(struct fx_external_client *client,
                                        struct fx_text cert_pem, struct fx_text key_pem,
                                        struct fx_err *err) FX_MUST_USE;

/* Called when a round of calls has ended. */
struct fx_external_callback {
    uint64_t deadline_ns;         /* base/clock.h; 0: no limit */
    void (*on_ready)(void *user); /* called once, later, on the loop */
    void *user;
};

/* Makes all calls among the inputs that are WANTED or AWAITED, stores each result
 * (fx_external_give(), fx_external_fail()) and then calls back. A call may take its
 * provider's timeout (default 5 s), but never passes the deadline. The inputs are
 * borrowed until the callback. False, and no callback, only if out of memory. */
bool fx_external_client_run(struct fx_external_client *client, struct fx_inputs *inputs,
                            const struct fx_external_callback *callback,
                            struct fx_err *err) FX_MUST_USE;

#endif
