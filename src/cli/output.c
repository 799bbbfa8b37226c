/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/output.c - standard output and standard error.
 */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policy/plain.h"

/* Prints one line as vprintf() would. */
FX_PRINTF(2, 0)
static void add_formatted(struct fx_buf *buf, const char *fmt, va_list args) {
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, fmt, args);
    char *to = length < 0 ? NULL : fx_buf_reserve(buf, (size_t)length);
    if (to != NULL) {
        (void)vsnprintf(to, (size_t)length + 1, fmt, again);
        buf->len += (size_t)length;
    }
    va_end(again);
}

void fx_say(const char *fmt, ...) {
    struct fx_buf text = {0};
    struct fx_buf line = {0};
    va_list args;
    va_start(args, fmt);
    add_formatted(&text, fmt, args);
    va_end(args);
    fx_buf_str(&line, "fixpoint: ");
    fx_plain_add(&line, fx_buf_view(&text));
    const bool failed = text.failed || line.failed;
    (void)fputs(failed ? "fixpoint: out of memory" : line.data, stderr);
    (void)fputc('\n', stderr);
    fx_buf_finish(&text);
    fx_buf_finish(&line);
}

void fx_say_take(struct fx_buf *bytes) {
    if (bytes->failed) {
        (void)fx_say_nomem();
    } else if (bytes->len > 0) {
        (void)fwrite(bytes->data, 1, bytes->len, stderr);
    }
    fx_buf_finish(bytes);
}

enum fx_exit fx_exit_of(const struct fx_err *err) {
    switch (err->code) {
    case FX_OK: return FX_EXIT_DONE;
    case FX_ESYNTAX:
    case FX_EINVALID:
    case FX_ELIMIT: return FX_EXIT_INVALID;
    case FX_EMUTATE:
    case FX_ENOCONVERGE:
    case FX_EDEADLINE:
    case FX_EDENIED: return FX_EXIT_MUTATION;
    case FX_EIO: return FX_EXIT_IO;
    case FX_ENOMEM:
    case FX_EINPUT:
    case FX_EINTERNAL: return FX_EXIT_BUG;
    }
    return FX_EXIT_BUG;
}

enum fx_exit fx_exit_worse(enum fx_exit a, enum fx_exit b) {
    return a > b ? a : b;
}

enum fx_exit fx_say_err(const struct fx_err *err) {
    fx_say("%s", err->msg);
    return fx_exit_of(err);
}

enum fx_exit fx_say_nomem(void) {
    fx_say("out of memory");
    return FX_EXIT_BUG;
}

enum fx_exit fx_say_usage(const char *fault) {
    fx_say("%s", fault);
    return FX_EXIT_USAGE;
}

enum fx_exit fx_output_take(struct fx_buf *bytes) {
    if (bytes->failed) {
        fx_buf_finish(bytes);
        return fx_say_nomem();
    }
    const bool written =
        (bytes->len == 0 || fwrite(bytes->data, 1, bytes->len, stdout) == bytes->len) &&
        fflush(stdout) == 0;
    const int fault = errno;
    fx_buf_finish(bytes);
    if (written) {
        return FX_EXIT_DONE;
    }
    if (fault != EPIPE) { /* EPIPE: the reader has read enough, as in `| head` */
        char message[128] = "";
        (void)strerror_r(fault, message, sizeof message);
        fx_say("standard output: %s", message);
    }
    return FX_EXIT_IO;
}

const char *const fx_color_words[] = {"auto", "always", "never", NULL};
enum { COLOR_AUTO, COLOR_ALWAYS };

bool fx_color_wanted(unsigned when, FILE *stream) {
    if (when != COLOR_AUTO) {
        return when == COLOR_ALWAYS;
    }
    const char *none = getenv("NO_COLOR"); /* https://no-color.org */
    const char *terminal = getenv("TERM");
    return (none == NULL || none[0] == '\0') &&
           (terminal == NULL || strcmp(terminal, "dumb") != 0) &&
           isatty(fileno(stream)) == 1;
}
