/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/request.h - a request as it goes over the wire: method, URL, fields, body. Pure:
 * no socket, and nothing of who asks.
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

/* A request that needs nothing of its caller's any more. */
struct fx_kube_wire {
    struct fx_arena words; /* of the resource and the name: */
    enum fx_kube_verb verb;
    struct fx_kube_resource resource;
    struct fx_kube_name name;
    const char *method, *accept;
    const char *content_type; /* NULL: there is no body */
    struct fx_buf url_text, body;
    struct fx_url url;
    size_t max_body; /* of the answer */
    bool repeatable; /* may the server be asked twice? */
};

/* Makes it, for the server of this URL ("https://10.96.0.1:443/prefix"). After a failure
 * it is empty. Errors: FX_EINVALID, FX_ESYNTAX (no URL comes of it), FX_ELIMIT (it is too
 * long), FX_ENOMEM. */
bool fx_kube_wire_init(struct fx_kube_wire *wire, const char *server,
                       const struct fx_kube_request *request,
                       struct fx_err *err) FX_MUST_USE;

void fx_kube_wire_finish(struct fx_kube_wire *wire); /* zeroed is fine */

#endif
