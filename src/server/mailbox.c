/* SPDX-License-Identifier: Apache-2.0
 *
 * server/mailbox.c - a list under a lock, and a bell.
 */
#include "server/mailbox.h"

/* All that wait, in the order in which they came. */
static struct fx_letter *take_all(struct fx_mailbox *mailbox) {
    uv_mutex_lock(&mailbox->lock);
    struct fx_letter *first = mailbox->first;
    mailbox->first = NULL;
    mailbox->last = &mailbox->first;
    uv_mutex_unlock(&mailbox->lock);
    return first;
}

/* From here on it may be posted again. */
static struct fx_letter *take_out(struct fx_mailbox *mailbox, struct fx_letter *letter) {
    uv_mutex_lock(&mailbox->lock);
    struct fx_letter *next = letter->next;
    letter->next = NULL;
    letter->waits = false;
    uv_mutex_unlock(&mailbox->lock);
    return next;
}

static void on_bell(uv_async_t *bell) {
    struct fx_mailbox *mailbox = bell->data;
    for (struct fx_letter *letter = take_all(mailbox); letter != NULL;) {
        struct fx_letter *next = take_out(mailbox, letter);
        letter->open(letter->user);
        letter = next;
    }
}

bool fx_mailbox_init(struct fx_mailbox *mailbox, uv_loop_t *loop, struct fx_err *err) {
    int status = uv_mutex_init(&mailbox->lock);
    if (status == 0) {
        status = uv_async_init(loop, &mailbox->bell, on_bell);
        if (status != 0) {
            uv_mutex_destroy(&mailbox->lock);
        }
    }
    if (status != 0) {
        return fx_fail(err, FX_EIO, "event loop: %s", uv_strerror(status));
    }
    mailbox->bell.data = mailbox;
    mailbox->first = NULL;
    mailbox->last = &mailbox->first;
    return true;
}

void fx_mailbox_post(struct fx_mailbox *mailbox, struct fx_letter *letter) {
    uv_mutex_lock(&mailbox->lock);
    if (!letter->waits) {
        letter->waits = true;
        letter->next = NULL;
        *mailbox->last = letter;
        mailbox->last = &letter->next;
    }
    /* Within the lock: once the receiver has taken it, it may close the mailbox. */
    (void)uv_async_send(&mailbox->bell); /* fails for no handle that is open */
    uv_mutex_unlock(&mailbox->lock);
}

void fx_mailbox_close(struct fx_mailbox *mailbox) {
    uv_close((uv_handle_t *)&mailbox->bell, NULL);
}

void fx_mailbox_finish(struct fx_mailbox *mailbox) {
    uv_mutex_destroy(&mailbox->lock);
}
