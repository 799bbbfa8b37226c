/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/request.h - a request as it is sent: method, URL, header fields, body. Opens no
 * socket; credentials are added by kube/client.c. Private to this room.
 */
#ifndef FX_KUBE_REQUEST_H
#define FX_KUBE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/url.h"
#include "kube/client.h"

/* A request that borrows nothing from its caller. */
struct fx_kube_wire {
    struct fx_arena texts; /* texts of the resource and the name */
    enum fx_kube_verb verb;
    struct fx_kube_resource resource;
    struct fx_kube_name name;
    const char *method, *accept;
    const char *content_type; /* NULL if there is no body */
    struct fx_buf url_text, body;
    struct fx_url url;
    size_t max_body; /* limit of the answer's body */
    bool repeatable; /* the request may be sent twice */
};

/* Prepares the request for the server with this URL ("https://10.96.0.1:443/prefix").
 * After a failure `wire` is empty. Errors: FX_EINVALID, FX_ESYNTAX (not a valid URL),
 * FX_ELIMIT (too long), FX_ENOMEM. */
bool fx_kube_wire_init(struct fx_kube_wire *wire, const char *server,
                       const struct fx_kube_request *request,
                       struct fx_err *err) FX_MUST_USE;

void fx_kube_wire_finish(struct fx_kube_wire *wire); /* zeroed is allowed */

#endif
