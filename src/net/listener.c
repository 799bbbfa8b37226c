/* SPDX-License-Identifier: Apache-2.0
 *
 * net/listener.c - accepting. libuv's own listening accepts all waiting connections
 * before it handles other events, and closes connections when descriptors run out. So
 * this only polls with libuv, and calls accept() itself.
 */
#include "net/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/checked.h"

#define BACKLOG                1024
#define MAX_ACCEPTS            16  /* connections in one iteration */
#define OVERLOAD_PAUSE_MS      10  /* while is_overloaded() is true */
#define NO_DESCRIPTOR_PAUSE_MS 100 /* if no descriptor is left */

#define LISTENER_MAGIC 0x66786c69u /* "fxli" */

/* ---- accepting ---- */

static void on_readable(uv_poll_t *handle, int status, int events);

static void start_polling(struct fx_listener *listener) {
    (void)uv_poll_start(&listener->poll, UV_READABLE, on_readable);
}

static void on_pause_over(uv_timer_t *timer) {
    start_polling(fx_checked(timer->data, LISTENER_MAGIC));
}

static void pause_for(struct fx_listener *listener, uint64_t ms) {
    (void)uv_poll_stop(&listener->poll);
    (void)uv_timer_start(&listener->timer, on_pause_over, ms, 0);
}

static bool is_resource_error(int error) {
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

/* Is it an error of the waiting connection, not of the listener? */
static bool is_connection_error(int error) {
    return error == EINTR || error == ECONNABORTED || error == EPROTO || error == EPERM;
}

/* Does a connection wait? Without a free descriptor accept() does not report it. */
static bool has_waiting(const struct fx_listener *listener) {
    struct pollfd descriptor = {.fd = listener->fd, .events = POLLIN};
    return poll(&descriptor, 1, 0) > 0;
}

/* Handles a lack of descriptors. Makes room, but only once in an iteration: connections
 * that were just accepted must not be closed before they could send anything. */
static bool handle_shortage(struct fx_listener *listener, bool first) {
    if (!first || !has_waiting(listener)) {
        return false;
    }
    if (listener->events->make_room(listener->user)) {
        return true;
    }
    if (!listener->closing) {
        pause_for(listener, NO_DESCRIPTOR_PAUSE_MS);
    }
    return false;
}

/* Accepts one connection. False if there is none, or it cannot be accepted. `first` says
 * that it is the first one in this iteration. */
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
    if (is_connection_error(error)) {
        return true;
    }
    if (is_resource_error(error)) {
        return handle_shortage(listener, first);
    }
    if (!listener->closing) {
        pause_for(listener, NO_DESCRIPTOR_PAUSE_MS);
    }
    return false;
}

static void on_readable(uv_poll_t *handle, int status, int events) {
    struct fx_listener *listener = fx_checked(handle->data, LISTENER_MAGIC);
    (void)status; /* accept() reports errors */
    (void)events;
    for (int i = 0; i < MAX_ACCEPTS && !listener->closing; i++) {
        if (listener->events->is_overloaded(listener->user)) {
            pause_for(listener, OVERLOAD_PAUSE_MS);
            return;
        }
        if (!accept_one(listener, i == 0)) {
            return;
        }
    }
}

/* ---- open ---- */

static bool set_option(int fd, int level, int option, int value) {
    return setsockopt(fd, level, option, &value, sizeof value) == 0;
}

/* Prepares the socket. `::` also accepts IPv4, whatever the default of the system is. */
static bool prepare(int fd, const struct sockaddr *to) {
    const bool ipv6 = to->sa_family == AF_INET6;
    const socklen_t len = ipv6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 &&
           set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1) &&
           (!ipv6 || set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0)) &&
           bind(fd, to, len) == 0 && listen(fd, BACKLOG) == 0;
}

/* Returns a listening socket, or libuv's error code. */
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
    start_polling(listener);
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

/* ---- close ---- */

static void on_handle_closed(uv_handle_t *handle) {
    struct fx_listener *listener = fx_checked(handle->data, LISTENER_MAGIC);
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
