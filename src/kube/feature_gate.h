/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/feature_gate.h - the version of the API server (GET /version), and whether one of
 * its feature gates is on: the metric `kubernetes_feature_enabled{name="…"}` of its page
 * /metrics, which API servers have since 1.26. Loop thread only, except the pure
 * functions.
 */
#ifndef FX_KUBE_FEATURE_GATE_H
#define FX_KUBE_FEATURE_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "kube/client.h"
#include "kube/failure.h"

/* ---- reading; pure --------------------------------------------------------------- */

enum fx_kube_gate {
    FX_KUBE_GATE_UNREAD, /* the page has no feature gates, or cannot be read */
    FX_KUBE_GATE_NONE,   /* the page has feature gates, but not this one */
    FX_KUBE_GATE_OFF,
    FX_KUBE_GATE_ON,
};

#define FX_KUBE_GATE_LINE_BYTES 512u

/* Reads a page of metrics in pieces of any size. A line that is longer than
 * FX_KUBE_GATE_LINE_BYTES is not about a feature gate, and is skipped. */
struct fx_kube_gate_reader {
    const char *name; /* of the feature gate; set by the caller, borrowed */
    char line[FX_KUBE_GATE_LINE_BYTES];
    size_t line_len; /* beyond the size of `line`: the line is too long */
    enum fx_kube_gate gate;
};

/* Reads the next piece. True if the gate is known (on or off): the rest of the page need
 * not be read. */
bool fx_kube_gate_feed(struct fx_kube_gate_reader *reader, struct fx_text piece);

struct fx_kube_version {
    unsigned major, minor; /* 1, 34 */
    char text[64];         /* "v1.34.2", printable */
};

/* Reads the answer of /version. The minor version may have a suffix ("34+"). False if it
 * has no numbers. */
bool fx_kube_version_read(const json_t *answer,
                          struct fx_kube_version *ret_version) FX_MUST_USE;

/* ---- requests -------------------------------------------------------------------- */

/* What is known of the server; borrowed for the callback. */
struct fx_kube_server_facts {
    const struct fx_kube_version *version; /* NULL: it may not be read */
    enum fx_kube_gate gate;
    /* Why the version or the gate is not known; NULL: they are. If the failure is
     * temporary, ask again later. */
    const struct fx_kube_failure *failure;
};
typedef void fx_kube_on_server_facts(const struct fx_kube_server_facts *facts,
                                     void *user);

struct fx_kube_gate_query; /* opaque: a request in progress */

/* Asks for the version and then, unless `gate` is NULL, for the feature gate of this
 * name, which is borrowed. `on_done` is called exactly once, later, on the loop. NULL
 * only without memory. */
struct fx_kube_gate_query *fx_kube_gate_query_start(struct fx_kube_client *client,
                                                    const char *gate,
                                                    fx_kube_on_server_facts *on_done,
                                                    void *user) FX_MUST_USE;

/* Cancels the request: `on_done` is not called. Not allowed after `on_done`. NULL is
 * allowed. */
void fx_kube_gate_query_cancel(struct fx_kube_gate_query *query);

#endif
