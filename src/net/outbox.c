/* SPDX-License-Identifier: Apache-2.0
 *
 * net/outbox.c - a list, and the two handles by which libuv calls once a turn.
 *
 * The check handle is called when the poll is over, and with it all that came by sockets
 * and letters. The idle handle is called before the next poll, for what was given since:
 * by timers, by those who had their turn (turns.h), by handles that were closed. While it
 * is active the loop does not sleep, so there is no moment at which an answer could be
 * given and wait for something else to happen. Both are active only while something
 * waits.
 */
#include "net/outbox.h"

#include <assert.h>

#include "base/clock.h"

#define OUTBOX_MAGIC 0x6678756fu /* "fxuo" */

static struct fx_outbox *checked(void *data) {
    struct fx_outbox *outbox = data;
    assert(outbox != NULL && outbox->magic == OUTBOX_MAGIC);
    return outbox;
}

/* From the front, each taken out before it is sent: so it does not matter who comes and
 * goes meanwhile. */
static void send_all(struct fx_outbox *outbox) {
    while (outbox->first != NULL) {
        struct fx_parcel *parcel = outbox->first;
        fx_outbox_leave(outbox, parcel);
        outbox->send(parcel);
    }
}

static void on_check(uv_check_t *check) {
    send_all(checked(check->data));
}

static void on_idle(uv_idle_t *idle) {
    send_all(checked(idle->data));
}

void fx_outbox_init(struct fx_outbox *outbox, uv_loop_t *loop,
                    void (*send)(struct fx_parcel *parcel)) {
    *outbox = (struct fx_outbox){
        .magic = OUTBOX_MAGIC, .send = send, .max_ns = FX_OUTBOX_NS, .handles = 2};
    (void)uv_check_init(loop, &outbox->check); /* these two */
    (void)uv_idle_init(loop, &outbox->idle);   /* cannot fail */
    outbox->check.data = outbox;
    outbox->idle.data = outbox;
}

static void put_last(struct fx_outbox *outbox, struct fx_parcel *parcel) {
    if (outbox->first == NULL) {
        outbox->since_ns = fx_clock_ns();
        (void)uv_check_start(&outbox->check, on_check);
        (void)uv_idle_start(&outbox->idle, on_idle);
    }
    parcel->previous = outbox->last;
    parcel->next = NULL;
    *(outbox->last == NULL ? &outbox->first : &outbox->last->next) = parcel;
    outbox->last = parcel;
}

void fx_outbox_put(struct fx_outbox *outbox, struct fx_parcel *parcel) {
    if (parcel->bytes.len == 0) {
        return;
    }
    if (parcel->counted == 0) {
        put_last(outbox, parcel);
    }
    outbox->n_bytes += parcel->bytes.len - parcel->counted;
    parcel->counted = parcel->bytes.len;
    fx_outbox_hurry(outbox);
}

void fx_outbox_leave(struct fx_outbox *outbox, struct fx_parcel *parcel) {
    if (parcel->counted == 0) {
        return;
    }
    struct fx_parcel **to_this =
        parcel->previous == NULL ? &outbox->first : &parcel->previous->next;
    *to_this = parcel->next;
    *(parcel->next == NULL ? &outbox->last : &parcel->next->previous) = parcel->previous;
    outbox->n_bytes -= parcel->counted;
    parcel->next = parcel->previous = NULL;
    parcel->counted = 0;
    if (outbox->first == NULL) {
        (void)uv_check_stop(&outbox->check);
        (void)uv_idle_stop(&outbox->idle);
    }
}

void fx_outbox_hurry(struct fx_outbox *outbox) {
    if (outbox->first != NULL && (outbox->n_bytes > FX_OUTBOX_BYTES ||
                                  fx_clock_ns() - outbox->since_ns > outbox->max_ns)) {
        send_all(outbox);
    }
}

static void on_handle_closed(uv_handle_t *handle) {
    struct fx_outbox *outbox = checked(handle->data);
    if (--outbox->handles == 0) {
        outbox->magic = 0;
        outbox->on_closed(outbox->user);
    }
}

void fx_outbox_close(struct fx_outbox *outbox, void (*on_closed)(void *user),
                     void *user) {
    assert(outbox->first == NULL);
    outbox->on_closed = on_closed;
    outbox->user = user;
    uv_close((uv_handle_t *)&outbox->check, on_handle_closed);
    uv_close((uv_handle_t *)&outbox->idle, on_handle_closed);
}
