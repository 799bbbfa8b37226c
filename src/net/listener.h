/* SPDX-License-Identifier: Apache-2.0
 *
 * net/listener.h - a port on which connections are accepted, at the pace its owner sets:
 * what is not accepted waits in the kernel, which turns away what is too much.
 *
 * Lives inside the struct of its owner, who frees that in `on_closed` and no earlier. Not
 * safe for threads: everything happens on the loop's thread.
 */
#ifndef FX_NET_LISTENER_H
#define FX_NET_LISTENER_H

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "net/address.h"

/* What a listener asks and tells its owner; `user` is the owner. */
struct fx_listener_events {
    /* Is nothing to be accepted for a moment (a hundredth of a second)? */
    bool (*is_overloaded)(void *user);
    /* No descriptor or no memory is left for the next connection: has room been made? If
     * not, nothing is accepted for a tenth of a second. */
    bool (*make_room)(void *user);
    /* A connection, closed by exec(): the socket is the owner's from now on. */
    void (*on_socket)(int fd, void *user);
    /* The memory may go. Never comes out of a function below. */
    void (*on_closed)(void *user);
};

struct fx_listener {
    uint32_t magic;
    uv_poll_t poll;
    uv_timer_t timer; /* ends a pause */
    int fd;
    unsigned handles; /* not yet closed */
    bool closing;
    struct fx_address address; /* with the port it got */
    const struct fx_listener_events *events;
    void *user;
};

/* Listens on "HOST:PORT" (http_server.h). False: nothing is left to close. */
bool fx_listener_open(struct fx_listener *listener, uv_loop_t *loop,
                      const struct fx_address *address, struct fx_err *err) FX_MUST_USE;

/* Who is told, right after it. */
void fx_listener_set_events(struct fx_listener *listener,
                            const struct fx_listener_events *events, void *user);

uint16_t fx_listener_port(const struct fx_listener *listener);

/* Accepts what waits already, whose clients believe they are connected, then closes. */
void fx_listener_close(struct fx_listener *listener);

#endif
