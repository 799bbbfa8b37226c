/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/cluster_session.c - an event loop that runs until the response of a request.
 */
#include "cli/cluster_session.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/* KUBECONFIG may name several files, which kubectl merges; here the first one counts. */
static bool read_named(struct fx_kube_config *config, const char *names,
                       const char *context, struct fx_err *err) {
    struct fx_buf file = {0};
    names += strspn(names, ":");
    fx_buf_add(&file, names, strcspn(names, ":"));
    const bool ok = file.failed ? fx_fail_nomem(err)
                                : fx_kube_config_read(file.data, context, config, err);
    fx_buf_finish(&file);
    return ok;
}

static bool read_home(struct fx_kube_config *config, const char *context,
                      struct fx_err *err) {
    const char *home = getenv("HOME");
    struct fx_buf file = {0};
    fx_buf_printf(&file, "%s/.kube/config", home == NULL ? "" : home);
    const bool ok = file.failed ? fx_fail_nomem(err)
                                : fx_kube_config_read(file.data, context, config, err);
    fx_buf_finish(&file);
    return ok;
}

static bool read_config(struct fx_kube_config *config, const char *file,
                        const char *context, struct fx_err *err) {
    const char *named = getenv("KUBECONFIG");
    if (file != NULL) {
        return fx_kube_config_read(file, context, config, err);
    }
    if (named != NULL && named[strspn(named, ":")] != '\0') {
        return read_named(config, named, context, err);
    }
    return getenv("KUBERNETES_SERVICE_HOST") != NULL && context == NULL
               ? fx_kube_config_in_cluster(NULL, config, err)
               : read_home(config, context, err);
}

bool fx_cluster_session_open(struct fx_cluster_session *session, const char *file,
                             const char *context, struct fx_err *err) {
    *session = (struct fx_cluster_session){0};
    const int status = uv_loop_init(&session->loop);
    if (status != 0) {
        return fx_fail(err, FX_EIO, "event loop: %s", uv_strerror(status));
    }
    if (read_config(&session->config, file, context, err)) {
        session->client =
            fx_kube_client_create(&session->loop, &session->config, NULL, NULL, err);
    }
    if (session->client == NULL) {
        fx_cluster_session_close(session);
        return false;
    }
    return true;
}

struct asked {
    json_t *object; /* counted */
    struct fx_kube_failure *failure;
    bool done;
};

static void on_done(const struct fx_kube_answer *answer, void *user) {
    struct asked *asked = user;
    asked->done = true;
    if (answer->failure != NULL) {
        *asked->failure = *answer->failure;
    } else {
        asked->object = json_incref(answer->object);
    }
}

json_t *fx_cluster_session_ask(struct fx_cluster_session *session,
                               const struct fx_kube_request *request,
                               struct fx_kube_failure *ret_failure) {
    struct asked asked = {.failure = ret_failure};
    if (fx_kube_call_start(session->client, request, on_done, &asked) == NULL) {
        *ret_failure = (struct fx_kube_failure){.reason = FX_KUBE_REASON_MEMORY};
        (void)snprintf(ret_failure->message, sizeof ret_failure->message,
                       "out of memory");
        return NULL;
    }
    while (!asked.done) {
        (void)uv_run(&session->loop, UV_RUN_ONCE);
    }
    return asked.object;
}

void fx_cluster_session_close(struct fx_cluster_session *session) {
    fx_kube_client_close(session->client);
    (void)uv_run(&session->loop, UV_RUN_DEFAULT);
    const int status = uv_loop_close(&session->loop);
    assert(status == 0);
    (void)status;
    fx_kube_config_finish(&session->config);
}
