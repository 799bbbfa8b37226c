/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/strings_wrap.c - wrap, wrapWith: lines of so many bytes,
 * broken at a blank.
 */
#include <string.h>

#include "location/sprig/strings.h"

struct wrapper {
    struct fx_text text;
    size_t at;    /* where the line begins */
    size_t width; /* 1 at least */
    struct fx_text separator;
    bool breaks_words;
    struct fx_buf *out;
};

/* Ends the line there, and goes on `skip` bytes behind. */
static void end_line(struct wrapper *w, size_t to, size_t skip) {
    fx_buf_text(w->out, text_between(w->text, w->at, to));
    fx_buf_text(w->out, w->separator);
    w->at = to + skip;
}

/* Looks back from the end of a full line for a blank; false where there is none. */
static bool find_blank_within(const struct wrapper *w, size_t *ret_at) {
    for (size_t i = w->at + w->width + 1; i > w->at; i--) {
        if (w->text.data[i - 1] == ' ') {
            *ret_at = i - 1;
            return true;
        }
    }
    return false;
}

/* The first word is longer than the line. */
static void wrap_word(struct wrapper *w) {
    const size_t full = w->at + w->width;
    if (w->breaks_words) {
        end_line(w, full, 0);
        return;
    }
    const char *blank = memchr(w->text.data + full, ' ', w->text.len - full);
    if (blank != NULL) {
        end_line(w, (size_t)(blank - w->text.data), 1);
        return;
    }
    fx_buf_text(w->out, text_between(w->text, w->at, w->text.len));
    w->at = w->text.len;
}

static bool return_wrapped(struct call *call, struct fx_text text,
                           struct fx_text separator, bool breaks_words) {
    const int64_t width = argument_int(call, 0) < 1 ? 1 : argument_int(call, 0);
    struct wrapper w = {
        .text = text,
        .width = (uint64_t)width > text.len ? text.len + 1 : (size_t)width,
        .separator = separator.len == 0 ? FX_TEXT("\n") : separator,
        .breaks_words = breaks_words,
        .out = run_scratch(call->run),
    };
    while (w.text.len - w.at > w.width && !w.out->failed) {
        if (!run_spend(call->run, 1 + w.separator.len / RUN_BYTES_COPIED)) {
            return false;
        }
        size_t blank = 0;
        if (w.text.data[w.at] == ' ') {
            w.at++;
        } else if (find_blank_within(&w, &blank)) {
            end_line(&w, blank, 1);
        } else {
            wrap_word(&w);
        }
    }
    fx_buf_text(w.out, text_between(w.text, w.at, w.text.len));
    return run_take_scratch(call->run, call->ret);
}

bool call_wrap(struct call *call) {
    return return_wrapped(call, argument_text(call, 1), FX_TEXT(""), false);
}

bool call_wrap_with(struct call *call) {
    return return_wrapped(call, argument_text(call, 2), argument_text(call, 1), true);
}
