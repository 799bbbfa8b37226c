/* SPDX-License-Identifier: Apache-2.0
 *
 * base/buf.c - the growing buffer.
 */
#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"

void fx_buf_init(struct fx_buf *buf, size_t max) {
    *buf = (struct fx_buf){.max = max};
}

void fx_buf_init_secret(struct fx_buf *buf, size_t max) {
    *buf = (struct fx_buf){.max = max, .secret = true};
}

static void give_back(struct fx_buf *buf) {
    if (buf->secret) {
        fx_heap_wipe(buf->data, buf->cap);
    }
    free(buf->data);
}

void fx_buf_finish(struct fx_buf *buf) {
    if (buf == NULL) {
        return;
    }
    give_back(buf);
    *buf = (struct fx_buf){0};
}

void fx_buf_reset(struct fx_buf *buf) {
    if (buf->secret) {
        fx_heap_wipe(buf->data, buf->len);
    }
    buf->len = 0;
    buf->failed = false;
    buf->full = false;
    if (buf->data != NULL) {
        buf->data[0] = '\0';
    }
}

/* Like realloc(), but overwrites the old memory. */
static char *move(struct fx_buf *buf, size_t cap) {
    char *data = malloc(cap);
    if (data != NULL && buf->data != NULL) {
        memcpy(data, buf->data, buf->len + 1);
    }
    if (data != NULL) {
        give_back(buf);
    }
    return data;
}

/* Doubles the capacity until `need` bytes and a NUL fit. */
static bool grow(struct fx_buf *buf, size_t need) {
    size_t cap = buf->cap == 0 ? 64 : buf->cap;
    while (cap <= need) {
        cap *= 2;
    }
    char *data = buf->secret ? move(buf, cap) : realloc(buf->data, cap);
    if (data == NULL) {
        return false;
    }
    buf->data = data;
    buf->cap = cap;
    return true;
}

char *fx_buf_reserve(struct fx_buf *buf, size_t more) {
    if (buf->failed) {
        return NULL;
    }
    const size_t max = buf->max == 0 ? SIZE_MAX / 4 : buf->max;
    if (more > max - buf->len) {
        buf->failed = true;
        buf->full = true;
        return NULL;
    }
    if (buf->len + more >= buf->cap && !grow(buf, buf->len + more)) {
        buf->failed = true;
        return NULL;
    }
    return buf->data + buf->len;
}

void fx_buf_add_growing(struct fx_buf *buf, const void *data, size_t len) {
    char *to = fx_buf_reserve(buf, len);
    if (to == NULL) {
        return;
    }
    if (len > 0) {
        memcpy(to, data, len);
    }
    to[len] = '\0';
    buf->len += len;
}

#define MOST_DIGITS (sizeof "18446744073709551615" - 1)

void fx_buf_hex(struct fx_buf *buf, uint64_t number, unsigned least, bool upper) {
    const char *alphabet = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    char digits[MOST_DIGITS];
    size_t at = sizeof digits;
    do {
        digits[--at] = alphabet[number % 16];
        number /= 16;
    } while (number > 0 || sizeof digits - at < least);
    fx_buf_add(buf, digits + at, sizeof digits - at);
}

void fx_buf_padded(struct fx_buf *buf, uint64_t number, unsigned least) {
    char digits[MOST_DIGITS];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0 || sizeof digits - at < least);
    fx_buf_add(buf, digits + at, sizeof digits - at);
}

void fx_buf_number(struct fx_buf *buf, uint64_t number) {
    fx_buf_padded(buf, number, 1);
}

void fx_buf_integer(struct fx_buf *buf, int64_t integer) {
    if (integer < 0) {
        fx_buf_char(buf, '-');
    }
    fx_buf_number(buf, integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer);
}

void fx_buf_printf(struct fx_buf *buf, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    fx_buf_vprintf(buf, fmt, args);
    va_end(args);
}

void fx_buf_vprintf(struct fx_buf *buf, const char *fmt, va_list args) {
    /* Most texts fit the existing room and are formatted once. */
    const size_t room = buf->failed ? 0 : buf->cap - buf->len;
    va_list first;
    va_copy(first, args);
    const int length =
        vsnprintf(room == 0 ? NULL : buf->data + buf->len, room, fmt, first);
    va_end(first);
    char *to = length < 0 ? NULL : fx_buf_reserve(buf, (size_t)length);
    if (to == NULL) {
        buf->failed = true;
        if (buf->data != NULL) { /* the text that did not fit has overwritten it */
            buf->data[buf->len] = '\0';
        }
        return;
    }
    if ((size_t)length >= room) {
        (void)vsnprintf(to, (size_t)length + 1, fmt, args);
    }
    buf->len += (size_t)length;
}

void fx_buf_fill(struct fx_buf *buf, char c, size_t count) {
    char *to = fx_buf_reserve(buf, count);
    if (to == NULL) {
        return;
    }
    memset(to, c, count);
    to[count] = '\0';
    buf->len += count;
}

bool fx_fail_quoted(struct fx_err *err, enum fx_code code, const char *before,
                    struct fx_text text, const char *after) {
    struct fx_buf message;
    fx_buf_init(&message, 0);
    fx_buf_str(&message, before);
    fx_text_quote_in_error(&message, text);
    fx_buf_str(&message, after);
    return fx_buf_fail(&message, err, code);
}

char *fx_buf_steal(struct fx_buf *buf) {
    fx_buf_add(buf, "", 0);
    char *data = buf->failed ? NULL : buf->data;
    if (data == NULL) {
        give_back(buf);
    }
    *buf = (struct fx_buf){.max = buf->max, .secret = buf->secret};
    return data;
}

bool fx_buf_fail(struct fx_buf *message, struct fx_err *err, enum fx_code code) {
    if (message->failed) {
        (void)fx_fail_nomem(err);
    } else {
        (void)fx_fail(err, code, "%s", message->data == NULL ? "" : message->data);
    }
    fx_buf_finish(message);
    return false;
}
