/* SPDX-License-Identifier: Apache-2.0
 *
 * base/buf.h - a growing buffer of bytes with a limit, which keeps a failure.
 *
 * Writers append without checks; the user of the result checks `failed` once. After a
 * failure (no memory, or over `max`) appends do nothing.
 */
#ifndef FX_BASE_BUF_H
#define FX_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* A zeroed buffer is empty and has no limit. */
struct fx_buf {
    char *data; /* NUL-terminated once anything was appended; NULL before */
    size_t len, cap;
    size_t max; /* the limit in bytes; 0 means no limit */
    bool failed;
    bool full;   /* it failed because of `max`, not for lack of memory */
    bool secret; /* the bytes are overwritten when they are freed */
};

/* Makes an empty buffer of at most `max` bytes (0 means no limit). Allocates nothing. */
void fx_buf_init(struct fx_buf *buf, size_t max);

/* The same for secrets: the bytes are overwritten before they are freed. */
void fx_buf_init_secret(struct fx_buf *buf, size_t max);

/* Frees the bytes. NULL, zeroed and finished buffers are fine. */
void fx_buf_finish(struct fx_buf *buf);

/* Returns the bytes, borrowed until the buffer is next written. */
static inline struct fx_text fx_buf_view(const struct fx_buf *buf) {
    return (struct fx_text){buf->data, buf->len};
}

/* Removes the bytes and a failure; keeps the memory. */
void fx_buf_reset(struct fx_buf *buf);

/* Makes `buf` fail if `part`, whose bytes were to be appended to it, failed. */
static inline void fx_buf_fail_as(struct fx_buf *buf, const struct fx_buf *part) {
    buf->failed |= part->failed;
    buf->full |= part->full;
}

/* Finishes `part`, whose bytes were appended to `buf`. If `part` failed, `buf` fails
 * too. */
static inline void fx_buf_finish_part(struct fx_buf *buf, struct fx_buf *part) {
    fx_buf_fail_as(buf, part);
    fx_buf_finish(part);
}

/* Makes room for `more` bytes and returns their position, or NULL (a failure, which is
 * kept). The caller writes the bytes and a NUL after them, and adds their number to
 * `len`. */
char *fx_buf_reserve(struct fx_buf *buf, size_t more) FX_MUST_USE;

/* Appends, and grows the buffer if necessary. */
void fx_buf_add_growing(struct fx_buf *buf, const void *data, size_t len);

/* Can `more` bytes and a NUL be added without growing the buffer? */
static inline bool fx_buf_has_room(const struct fx_buf *buf, size_t more) {
    return more < buf->cap - buf->len && !buf->failed &&
           (buf->max == 0 || buf->len + more <= buf->max);
}

/* Appends. */
static inline void fx_buf_add(struct fx_buf *buf, const void *data, size_t len) {
    if (len == 0 || buf->data == NULL || !fx_buf_has_room(buf, len)) {
        fx_buf_add_growing(buf, data, len);
        return;
    }
    char *to = buf->data + buf->len;
    memcpy(to, data, len);
    to[len] = '\0';
    buf->len += len;
}

static inline void fx_buf_char(struct fx_buf *buf, char c) {
    fx_buf_add(buf, &c, 1);
}

static inline void fx_buf_str(struct fx_buf *buf, const char *string) {
    fx_buf_add(buf, string, strlen(string));
}

static inline void fx_buf_text(struct fx_buf *buf, struct fx_text text) {
    fx_buf_add(buf, text.data, text.len);
}

void fx_buf_number(struct fx_buf *buf, uint64_t number);  /* in decimal */
void fx_buf_integer(struct fx_buf *buf, int64_t integer); /* in decimal */

/* Appends the number in hexadecimal or in decimal, with leading zeros if it has fewer
 * than `least` digits. `least` is at most 16. */
void fx_buf_hex(struct fx_buf *buf, uint64_t number, unsigned least, bool upper);
void fx_buf_padded(struct fx_buf *buf, uint64_t number, unsigned least);

FX_PRINTF(2, 3) void fx_buf_printf(struct fx_buf *buf, const char *fmt, ...);
FX_PRINTF(2, 0) void fx_buf_vprintf(struct fx_buf *buf, const char *fmt, va_list args);

/* Appends the character `count` times. */
void fx_buf_fill(struct fx_buf *buf, char c, size_t count);

/* Fails with the text as the message, or with FX_ENOMEM if the buffer failed, and
 * finishes the buffer. Always false. */
FX_RARE bool fx_buf_fail(struct fx_buf *message, struct fx_err *err, enum fx_code code);

/* Fails with `before`, the text quoted as Go's %q does, and `after` as the message.
 * Always false. */
FX_RARE bool fx_fail_quoted(struct fx_err *err, enum fx_code code, const char *before,
                            struct fx_text text, const char *after);

/* Returns the bytes, NUL-terminated, and empties the buffer; NULL after a failure. The
 * caller frees them. An empty buffer gives "". */
char *fx_buf_steal(struct fx_buf *buf) FX_MUST_USE;

#endif
