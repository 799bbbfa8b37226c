/* SPDX-License-Identifier: Apache-2.0
 *
 * net/listener.h - a port that accepts connections at the pace that its owner sets.
 * Further connections wait in the kernel, which rejects them when there are too many.
 *
 * It is part of its owner's struct, which the owner frees in `on_closed` or later. Not
 * safe for threads: everything runs on the loop's thread.
 */
#ifndef FX_NET_LISTENER_H
#define FX_NET_LISTENER_H

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "net/address.h"

/* Callbacks; `user` is the owner. */
struct fx_listener_events {
    /* If it returns true, nothing is accepted for ten milliseconds. */
    bool (*is_overloaded)(void *user);
    /* Called if no descriptor or memory is left for the next connection. True if
     * something was closed to make room. False if nothing shall be accepted for a hundred
     * milliseconds. */
    bool (*make_room)(void *user);
    /* Called for a new connection (close-on-exec). The callee owns the socket. */
    void (*on_socket)(int fd, void *user);
    /* Called when the memory may be freed. Never called from within the functions
     * below. */
    void (*on_closed)(void *user);
};

struct fx_listener {
    uint32_t magic;
    uv_poll_t poll;
    uv_timer_t timer; /* ends a pause */
    int fd;
    unsigned handles; /* handles that are not closed yet */
    bool closing;
    struct fx_address address; /* with the actual port */
    const struct fx_listener_events *events;
    void *user;
};

/* Listens on the address. False if it fails: then nothing is left to close. Errors:
 * FX_EIO. */
bool fx_listener_open(struct fx_listener *listener, uv_loop_t *loop,
                      const struct fx_address *address, struct fx_err *err) FX_MUST_USE;

/* Sets the callbacks, immediately after fx_listener_open(). */
void fx_listener_set_events(struct fx_listener *listener,
                            const struct fx_listener_events *events, void *user);

/* Returns the actual port. */
uint16_t fx_listener_port(const struct fx_listener *listener);

/* Accepts connections that wait in the kernel, because their clients count as connected;
 * then closes. */
void fx_listener_close(struct fx_listener *listener);

#endif
