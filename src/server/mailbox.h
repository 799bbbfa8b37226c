/* SPDX-License-Identifier: Apache-2.0
 *
 * server/mailbox.h - how threads speak to each other: letters, opened one after the other
 * on the loop of whom they are for. A letter lies in memory of its sender's, so that
 * sending one cannot fail.
 */
#ifndef FX_SERVER_MAILBOX_H
#define FX_SERVER_MAILBOX_H

#include <stdbool.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"

/* Zeroed but for its first two members it can be posted. */
struct fx_letter {
    /* Called on the receiver's loop, when the letter may be posted again, or freed. */
    void (*open)(void *user);
    void *user;
    struct fx_letter *next;
    bool waits; /* to be opened */
};

struct fx_mailbox {
    uv_async_t bell;
    uv_mutex_t lock;
    struct fx_letter *first, **last;
};

/* For that loop, which must close it. Errors: FX_EIO (no descriptor, no memory). */
bool fx_mailbox_init(struct fx_mailbox *mailbox, uv_loop_t *loop,
                     struct fx_err *err) FX_MUST_USE;

/* From any thread. A letter that waits already is not sent twice. What the sender wrote
 * before, the receiver sees. */
void fx_mailbox_post(struct fx_mailbox *mailbox, struct fx_letter *letter);

/* On its loop: nothing may be posted any more; what waits is not opened. */
void fx_mailbox_close(struct fx_mailbox *mailbox);

/* Once the loop has closed it. */
void fx_mailbox_finish(struct fx_mailbox *mailbox);

#endif
