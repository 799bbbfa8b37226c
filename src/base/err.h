/* SPDX-License-Identifier: Apache-2.0
 *
 * base/err.h - one error, on the caller's stack, filled by the function that fails first.
 *
 * A function that can fail returns bool (or NULL) and takes `struct fx_err *err` last.
 * Only the function that fails first writes it; its callers pass it on, or add a prefix
 * to the message. `err` is never NULL. Its content is undefined after success.
 */
#ifndef FX_BASE_ERR_H
#define FX_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

/* The classes of errors that callers distinguish. */
enum fx_code {
    FX_OK,
    FX_ENOMEM,      /* an allocation was refused */
    FX_ESYNTAX,     /* the text does not parse */
    FX_EINVALID,    /* the text parses, but its content is invalid */
    FX_ELIMIT,      /* over a limit of base/limits.h */
    FX_EMUTATE,     /* a mutator or its match failed on this object */
    FX_ENOCONVERGE, /* no fixed point within the budget */
    FX_EDEADLINE,   /* the deadline of the work is exceeded */
    FX_EIO,         /* a file, socket or cluster failed */
    FX_EINTERNAL,   /* a bug of Fixpoint */
    FX_EDENIED,     /* a policy refuses the object */
    FX_EINPUT,      /* a rule needs an input that has to be fetched (engine/input.h) */
};

#define FX_ERR_TEXT 2048

/* `code` is FX_OK until a function fails. */
struct fx_err {
    enum fx_code code;
    /* The span of the error within the text, in bytes; `len` is 0 if there is none. */
    uint32_t off, len;
    /* The node of the source document with the error (a json_t, borrowed, only compared),
     * or NULL. The policy room turns it into file, line and column. */
    const void *node;
    char msg[FX_ERR_TEXT];
};

/* An empty error. */
#define FX_ERR_INIT   \
    (struct fx_err) { \
        .code = FX_OK \
    }

/* Resets an existing error, without clearing the whole message. */
static inline void fx_err_reset(struct fx_err *err) {
    err->code = FX_OK;
    err->off = 0;
    err->len = 0;
    err->node = NULL;
    err->msg[0] = '\0';
}

/* Fills `err` and returns false, so that callers can `return fx_fail(…)`. A message
 * longer than FX_ERR_TEXT is truncated at a rune and ends in `…`. */
FX_PRINTF(3, 4)
FX_RARE bool fx_fail(struct fx_err *err, enum fx_code code, const char *fmt, ...);

/* The same, with the span of the error. */
FX_PRINTF(5, 6)
FX_RARE bool fx_fail_at(struct fx_err *err, enum fx_code code, uint32_t off, uint32_t len,
                        const char *fmt, ...);

/* The same, with the node of the error (see fx_err.node). */
FX_PRINTF(4, 5)
FX_RARE bool fx_fail_in(struct fx_err *err, const void *node, enum fx_code code,
                        const char *fmt, ...);

/* Fails with FX_ENOMEM and the message "out of memory". Always false. */
FX_RARE bool fx_fail_nomem(struct fx_err *err);

/* Adds a prefix to the message; code, span and node do not change. Always false. */
FX_PRINTF(2, 3) FX_RARE bool fx_err_prefix(struct fx_err *err, const char *fmt, ...);

/* Is it an internal failure (no memory, deadline, bug), not a fault of the input? */
bool fx_err_is_ours(const struct fx_err *err);

#endif
