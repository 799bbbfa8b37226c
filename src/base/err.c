/* SPDX-License-Identifier: Apache-2.0
 *
 * base/err.c - filling and prefixing an error.
 */
#include "base/err.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Cuts a text that was truncated to `size` bytes at a rune, and ends it with `…`. */
static void mark_cut(char *text, size_t size) {
    static const char ellipsis[] = "…";
    size_t end = fx_text_rune_floor(text, size - sizeof ellipsis);
    memcpy(text + end, ellipsis, sizeof ellipsis);
}

FX_PRINTF(3, 0)
static void print_message(char *text, size_t size, const char *fmt, va_list args) {
    const int length = vsnprintf(text, size, fmt, args);
    if (length < 0) {
        text[0] = '\0';
    } else if ((size_t)length >= size) {
        mark_cut(text, size);
    }
}

FX_PRINTF(3, 0)
static bool fill_error(struct fx_err *err, enum fx_code code, const char *fmt,
                       va_list args) {
    err->code = code;
    err->off = 0;
    err->len = 0;
    err->node = NULL;
    print_message(err->msg, sizeof err->msg, fmt, args);
    return false;
}

bool fx_fail(struct fx_err *err, enum fx_code code, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    (void)fill_error(err, code, fmt, args);
    va_end(args);
    return false;
}

bool fx_fail_at(struct fx_err *err, enum fx_code code, uint32_t off, uint32_t len,
                const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    (void)fill_error(err, code, fmt, args);
    va_end(args);
    err->off = off;
    err->len = len;
    return false;
}

bool fx_fail_in(struct fx_err *err, const void *node, enum fx_code code, const char *fmt,
                ...) {
    va_list args;
    va_start(args, fmt);
    (void)fill_error(err, code, fmt, args);
    va_end(args);
    err->node = node;
    return false;
}

bool fx_fail_nomem(struct fx_err *err) {
    return fx_fail(err, FX_ENOMEM, "out of memory");
}

bool fx_err_prefix(struct fx_err *err, const char *fmt, ...) {
    char prefix[FX_ERR_TEXT];
    va_list args;
    va_start(args, fmt);
    print_message(prefix, sizeof prefix, fmt, args);
    va_end(args);

    const size_t before = strlen(prefix);
    const size_t after = strlen(err->msg);
    const size_t room = sizeof err->msg - 1 - before;
    const bool cut = after > room;
    memmove(err->msg + before, err->msg, cut ? room : after);
    memcpy(err->msg, prefix, before);
    err->msg[before + (cut ? room : after)] = '\0';
    if (cut) {
        mark_cut(err->msg, sizeof err->msg);
    }
    return false;
}

bool fx_err_is_ours(const struct fx_err *err) {
    return err->code == FX_ENOMEM || err->code == FX_EDEADLINE || err->code == FX_EIO ||
           err->code == FX_EINTERNAL;
}
