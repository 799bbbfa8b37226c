/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_fixture.h - for the tests of TLS: two sessions that exchange_output in memory.
 */
#ifndef FX_NET_TLS_FIXTURE_H
#define FX_NET_TLS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/tls.h"

struct side {
    struct fx_tls *tls;
    struct fx_buf plain, cipher; /* received; to be sent to the other */
    enum fx_tls_state state;
    struct fx_err err;
};

static inline void side_init(struct side *side, struct fx_tls_config *config) {
    *side = (struct side){.tls = fx_tls_create(config)};
    assert_non_null(side->tls);
}

static inline void side_finish(struct side *side) {
    fx_tls_destroy(side->tls);
    fx_buf_finish(&side->plain);
    fx_buf_finish(&side->cipher);
}

/* Passes the output of `from` to `to`. */
static inline void pass_output(struct side *from, struct side *to) {
    struct fx_buf bytes = from->cipher;
    from->cipher = (struct fx_buf){0};
    to->state =
        fx_tls_receive(to->tls, fx_buf_view(&bytes), &to->plain, &to->cipher, &to->err);
    fx_buf_finish(&bytes);
}

/* Passes output in both directions until there is none. */
static inline void exchange_output(struct side *client, struct side *server) {
    pass_output(server, client); /* nothing: the client begins */
    while (client->cipher.len > 0 || server->cipher.len > 0) {
        pass_output(client, server);
        if (client->state != FX_TLS_FAILED) {
            pass_output(server, client);
        } else {
            fx_buf_reset(&server->cipher);
        }
    }
}

#endif
