/* SPDX-License-Identifier: Apache-2.0
 *
 * net/listener.c - accepting. libuv's own listening accepts all that waits before
 * it looks at anything else, and closes it where descriptors are short; so this asks
 * libuv only when something waits, and accepts by itself.
 */
#include "net/listener.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG    1024
#define AT_A_TIME  16  /* accepted in one turn of the loop */
#define CROWDED_MS 10  /* the pause while others have their turn */
#define SCARCE_MS  100 /* and without a descriptor for the next connection */

#define LISTENER_MAGIC 0x66786c69u /* "fxli" */

static struct fx_listener *checked(void *data) {
    struct fx_listener *listener = data;
    assert(listener != NULL && listener->magic == LISTENER_MAGIC);
    return listener;
}

/* ---- accepting ---- */

static void on_readable(uv_poll_t *handle, int status, int events);

static void start(struct fx_listener *listener) {
    (void)uv_poll_start(&listener->poll, UV_READABLE, on_readable);
}

static void on_pause_over(uv_timer_t *timer) {
    start(checked(timer->data));
}

static void pause_for(struct fx_listener *listener, uint64_t ms) {
    (void)uv_poll_stop(&listener->poll);
    (void)uv_timer_start(&listener->timer, on_pause_over, ms, 0);
}

static bool is_scarcity(int error) {
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

/* Did the connection that was to be accepted end before it was? */
static bool is_its_own(int error) {
    return error == EINTR || error == ECONNABORTED || error == EPROTO || error == EPERM;
}

/* Does one wait? Without a descriptor accept() does not tell. */
static bool is_asked(const struct fx_listener *listener) {
    struct pollfd asked = {.fd = listener->fd, .events = POLLIN};
    return poll(&asked, 1, 0) > 0;
}

/* Not one more descriptor. Where room can be made for somebody it is, but for one in a
 * turn of the loop: those who came before must not go before they could speak. */
static bool do_without(struct fx_listener *listener, bool first) {
    if (!first || !is_asked(listener)) {
        return false;
    }
    if (listener->events->make_room(listener->user)) {
        return true;
    }
    if (!listener->closing) {
        pause_for(listener, SCARCE_MS);
    }
    return false;
}

/* One connection; false when there is none, or it cannot be accepted. `first`: in this
 * turn of the loop. */
static bool accept_one(struct fx_listener *listener, bool first) {
    const int fd = accept(listener->fd, NULL, NULL);
    if (fd >= 0) {
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
        listener->events->on_socket(fd, listener->user);
        return true;
    }
    const int error = errno;
    if (error == EAGAIN) {
        return false;
    }
    if (is_its_own(error)) {
        return true;
    }
    if (is_scarcity(error)) {
        return do_without(listener, first);
    }
    if (!listener->closing) {
        pause_for(listener, SCARCE_MS);
    }
    return false;
}

static void on_readable(uv_poll_t *handle, int status, int events) {
    struct fx_listener *listener = checked(handle->data);
    (void)status; /* what is wrong, if anything, accept() says */
    (void)events;
    for (int i = 0; i < AT_A_TIME && !listener->closing; i++) {
        if (listener->events->is_overloaded(listener->user)) {
            pause_for(listener, CROWDED_MS);
            return;
        }
        if (!accept_one(listener, i == 0)) {
            return;
        }
    }
}

/* ---- beginning ---- */

static bool set(int fd, int level, int option, int value) {
    return setsockopt(fd, level, option, &value, sizeof value) == 0;
}

/* `::` is for IPv4, too, whatever the system's default. */
static bool prepare(int fd, const struct sockaddr *to) {
    const bool ipv6 = to->sa_family == AF_INET6;
    const socklen_t len = ipv6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && set(fd, SOL_SOCKET, SO_REUSEADDR, 1) &&
           (!ipv6 || set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0)) && bind(fd, to, len) == 0 &&
           listen(fd, BACKLOG) == 0;
}

/* A listening socket, or libuv's code for what is wrong. */
static int open_socket(struct fx_address *address) {
    const struct sockaddr *to = (const struct sockaddr *)&address->socket;
    socklen_t len = sizeof address->socket;
    const int fd = socket(to->sa_family, SOCK_STREAM, 0);
    if (fd < 0) {
        return uv_translate_sys_error(errno);
    }
    if (!prepare(fd, to) ||
        getsockname(fd, (struct sockaddr *)&address->socket, &len) != 0) {
        const int code = uv_translate_sys_error(errno);
        (void)close(fd);
        return code;
    }
    return fd;
}

static int open_any(struct fx_address *address) {
    int fd = open_socket(address);
    if (address->any && (fd == UV_EAFNOSUPPORT || fd == UV_EADDRNOTAVAIL)) {
        fx_address_make_ipv4(address);
        fd = open_socket(address);
    }
    return fd;
}

bool fx_listener_open(struct fx_listener *listener, uv_loop_t *loop,
                      const struct fx_address *address, struct fx_err *err) {
    *listener =
        (struct fx_listener){.magic = LISTENER_MAGIC, .address = *address, .handles = 2};
    listener->fd = open_any(&listener->address);
    int rc = listener->fd < 0 ? listener->fd
                              : uv_poll_init(loop, &listener->poll, listener->fd);
    if (rc != 0) {
        if (listener->fd >= 0) {
            (void)close(listener->fd);
        }
        return fx_fail(err, FX_EIO, "%s", uv_strerror(rc));
    }
    (void)uv_timer_init(loop, &listener->timer); /* cannot fail */
    listener->poll.data = listener;
    listener->timer.data = listener;
    start(listener);
    return true;
}

void fx_listener_set_events(struct fx_listener *listener,
                            const struct fx_listener_events *events, void *user) {
    listener->events = events;
    listener->user = user;
}

uint16_t fx_listener_port(const struct fx_listener *listener) {
    return fx_address_port(&listener->address.socket);
}

/* ---- ending ---- */

static void on_handle_closed(uv_handle_t *handle) {
    struct fx_listener *listener = checked(handle->data);
    if (--listener->handles == 0) {
        listener->magic = 0;
        listener->events->on_closed(listener->user);
    }
}

void fx_listener_close(struct fx_listener *listener) {
    if (listener->closing) {
        return;
    }
    listener->closing = true;
    for (int i = 0; i < BACKLOG && accept_one(listener, i == 0); i++) {
    }
    uv_close((uv_handle_t *)&listener->poll, on_handle_closed);
    uv_close((uv_handle_t *)&listener->timer, on_handle_closed);
    (void)close(listener->fd);
}
