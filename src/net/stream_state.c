/* SPDX-License-Identifier: Apache-2.0
 *
 * net/stream_state.c - what a connection tells of itself, and asks of the system.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "net/stream.h"
#include "net/tls.h"

bool fx_stream_is_connected(const struct fx_stream *stream) {
    return stream->connected;
}

bool fx_stream_is_truncated(const struct fx_stream *stream) {
    return stream->cut;
}

bool fx_stream_has_no_input(const struct fx_stream *stream) {
    uv_os_fd_t fd = -1;
    char byte = 0;
    return !stream->ended && !stream->closing &&
           uv_fileno((const uv_handle_t *)&stream->tcp, &fd) == 0 &&
           recv(fd, &byte, 1, MSG_PEEK) < 0 && errno == EAGAIN;
}

bool fx_stream_expects_input(const struct fx_stream *stream) {
    return stream->task.waits || (stream->tls != NULL && !stream->open) ||
           (stream->tls != NULL && fx_tls_is_within_record(stream->tls)) ||
           !fx_stream_has_no_input(stream);
}

void fx_stream_quick_ack(struct fx_stream *stream) {
#if defined(TCP_QUICKACK)
    uv_os_fd_t fd = -1;
    const int on = 1;
    if (!stream->closing && uv_fileno((uv_handle_t *)&stream->tcp, &fd) == 0) {
        (void)setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
    }
#else
    (void)stream;
#endif
}
