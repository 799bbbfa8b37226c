/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/client_stream.h - the same requests where the answer has no end in sight: a watch.
 */
#ifndef FX_KUBE_CLIENT_STREAM_H
#define FX_KUBE_CLIENT_STREAM_H

#include "kube/client.h"

/* Who takes the body of a successful answer. Both functions may cancel the call. */
struct fx_kube_sink {
    void (*on_open)(void *user); /* the server has agreed */
    void (*on_piece)(struct fx_text piece, void *user);
    uint64_t silence_ms; /* so long no byte may come; 0: for ever */
};

/* As fx_kube_call_start(), for FX_KUBE_VERB_WATCH. `on_done` tells how the body ended:
 * without failure and without an object where it did in order. The request's timeout is
 * that of the answer's head; metrics are told when all is over, with the seconds until
 * the head came. */
struct fx_kube_call *
fx_kube_call_stream(struct fx_kube_client *client, const struct fx_kube_request *request,
                    const struct fx_kube_sink *sink,
                    void (*on_done)(const struct fx_kube_answer *answer, void *user),
                    void *user) FX_MUST_USE;

#endif
