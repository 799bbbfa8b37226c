/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/cluster_session.h - requests of a command to an API server, one after the other,
 * each waited for.
 */
#ifndef FX_CLI_CLUSTER_SESSION_H
#define FX_CLI_CLUSTER_SESSION_H

#include <stdbool.h>

#include <jansson.h>
#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "kube/client.h"
#include "kube/config.h"

struct fx_cluster_session {
    uv_loop_t loop;
    struct fx_kube_config config;
    struct fx_kube_client *client;
};

/* For the kubeconfig: `file`, else the one that KUBECONFIG names, else the Pod's own
 * access where this is a Pod, else ~/.kube/config. Errors: those of kube/config.h and
 * kube/client.h; nothing is left to close then. */
bool fx_cluster_session_open(struct fx_cluster_session *session, const char *file,
                             const char *context, struct fx_err *err) FX_MUST_USE;

/* Sends the request and waits for the response: its object, a new reference. NULL after a
 * failure, which is in `ret_failure`. */
json_t *fx_cluster_session_ask(struct fx_cluster_session *session,
                               const struct fx_kube_request *request,
                               struct fx_kube_failure *ret_failure) FX_MUST_USE;

void fx_cluster_session_close(struct fx_cluster_session *session);

#endif
