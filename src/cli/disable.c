/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/disable.c - `fixpoint disable` and `fixpoint enable`: stop mutation, with a record
 * and optionally an end, and start it again. Neither needs a running Fixpoint.
 */
#include "cluster/webhooks/disable.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "base/date.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "kube/client.h"
#include "kube/config.h"

/* How often a change is tried if the object changes between reading and writing. */
#define TRIES 5

#define LONGEST_MS (UINT64_C(3660) * 24 * 3600 * 1000)

static const struct fx_kube_resource configurations = {
    "admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations",
    "MutatingWebhookConfiguration"};

struct disable_options {
    const char *kubeconfig, *context, *name, *reason;
    uint64_t duration;
};

/* ---- a request to an API server -------------------------------------------------- */

struct api_session {
    const struct disable_options *values;
    const char *name; /* of the configuration */
    uv_loop_t loop;
    struct fx_kube_config config;
    struct fx_kube_client *client;
    /* Of the last request: */
    bool done;
    json_t *object; /* counted; NULL after a failure */
    struct fx_kube_failure failure;
    struct fx_err err; /* from making the request body; else FX_OK */
};

static bool read_config_at(struct api_session *session, const char *folder,
                           struct fx_text path, struct fx_err *err) {
    struct fx_buf file = {0};
    fx_buf_str(&file, folder);
    fx_buf_text(&file, path);
    const bool ok = file.failed ? fx_fail_nomem(err)
                                : fx_kube_config_read(file.data, session->values->context,
                                                      &session->config, err);
    fx_buf_finish(&file);
    return ok;
}

/* Reads the kubeconfig: --kubeconfig, else the file in KUBECONFIG, else the service
 * account if this is a Pod, else ~/.kube/config. If KUBECONFIG names several files
 * (kubectl merges them), only the first one is read. */
static bool read_config(struct api_session *session, struct fx_err *err) {
    const struct disable_options *values = session->values;
    const char *named = getenv("KUBECONFIG");
    const char *home = getenv("HOME");
    if (values->kubeconfig != NULL) {
        return read_config_at(session, "", fx_text_of(values->kubeconfig), err);
    }
    named = named == NULL ? "" : named + strspn(named, ":");
    if (named[0] != '\0') {
        return read_config_at(session, "", (struct fx_text){named, strcspn(named, ":")},
                              err);
    }
    return getenv("KUBERNETES_SERVICE_HOST") != NULL && values->context == NULL
               ? fx_kube_config_in_cluster(NULL, &session->config, err)
               : read_config_at(session, home == NULL ? "" : home,
                                FX_TEXT("/.kube/config"), err);
}

static void close_session(struct api_session *session) {
    fx_kube_client_close(session->client);
    (void)uv_run(&session->loop, UV_RUN_DEFAULT);
    const int status = uv_loop_close(&session->loop);
    assert(status == 0);
    (void)status;
    fx_kube_config_finish(&session->config);
}

/* Errors: those of kube/config.h and kube/client.h; the session is then already
 * closed. */
static bool open_session(struct api_session *session, struct fx_err *err) {
    const int status = uv_loop_init(&session->loop);
    if (status != 0) {
        return fx_fail(err, FX_EIO, "event loop: %s", uv_strerror(status));
    }
    if (read_config(session, err)) {
        session->client =
            fx_kube_client_create(&session->loop, &session->config, NULL, NULL, err);
    }
    if (session->client == NULL) {
        close_session(session);
    }
    return session->client != NULL;
}

static void on_done(const struct fx_kube_answer *answer, void *user) {
    struct api_session *session = user;
    session->done = true;
    if (answer->failure != NULL) {
        session->failure = *answer->failure;
    } else {
        session->object = json_incref(answer->object);
    }
}

/* Sends a request and waits for the response. Returns the configuration, a new reference.
 * NULL: see `failure`. */
static json_t *send_request(struct api_session *session, enum fx_kube_verb verb,
                            json_t *body) {
    const struct fx_kube_request request = {
        .verb = verb,
        .resource = &configurations,
        .name = {.name = fx_text_of(session->name)},
        .body = body,
        .manager = body == NULL ? NULL : FX_DISABLE_MANAGER,
        .force = body != NULL,
    };
    session->object = NULL;
    session->done = false;
    if (fx_kube_call_start(session->client, &request, on_done, session) == NULL) {
        session->failure = (struct fx_kube_failure){.reason = FX_KUBE_REASON_MEMORY,
                                                    .message = "out of memory"};
        return NULL;
    }
    while (!session->done) {
        (void)uv_run(&session->loop, UV_RUN_ONCE);
    }
    return session->object;
}

/* ---- changing the configuration -------------------------------------------------- */

/* One write. `make` returns the request body for the configuration that was read, or NULL
 * and an error. */
struct configuration_change {
    json_t *(*make)(const json_t *configuration, const struct disable_options *values,
                    struct fx_err *err);
    enum fx_kube_verb verb;
};

#define MOST_CHANGES 2 /* a change whose `make` is NULL ends the list */

/* Reads the configuration and writes one change after the other. Returns the resulting
 * configuration, a new reference. NULL: see `failure` and `err`. */
static json_t *try_changes(struct api_session *session,
                           const struct configuration_change *changes) {
    session->failure = (struct fx_kube_failure){0};
    session->err = FX_ERR_INIT;
    json_t *now = send_request(session, FX_KUBE_VERB_GET, NULL);
    for (size_t i = 0; now != NULL && i < MOST_CHANGES && changes[i].make != NULL; i++) {
        json_t *body = changes[i].make(now, session->values, &session->err);
        json_decref(now);
        now = body == NULL ? NULL : send_request(session, changes[i].verb, body);
        json_decref(body);
    }
    return now;
}

static enum fx_exit say_failure(struct api_session *session) {
    if (session->err.code != FX_OK) {
        (void)fx_err_prefix(&session->err,
                            "MutatingWebhookConfiguration `%s`: ", session->name);
        return fx_say_err(&session->err);
    }
    if (session->failure.reason == FX_KUBE_REASON_NOT_FOUND) {
        fx_say("MutatingWebhookConfiguration `%s` does not exist, so it mutates nothing; "
               "`helm upgrade` or `kubectl apply` creates it",
               session->name);
    } else {
        fx_say("%s", session->failure.message);
    }
    return FX_EXIT_IO;
}

/* Makes the changes. Starts over if another client changed the configuration
 * meanwhile. */
static enum fx_exit run_change(const struct disable_options *values,
                               const struct configuration_change *changes,
                               void (*report)(const char *name,
                                              const json_t *configuration,
                                              struct fx_buf *message)) {
    struct api_session session = {
        .values = values,
        .name = values->name == NULL ? "gatekeeper-mutating-webhook-configuration"
                                     : values->name,
    };
    struct fx_err err = FX_ERR_INIT;
    if (session.name[0] == '\0') {
        return fx_say_usage("--name: must not be empty");
    }
    if (!open_session(&session, &err)) {
        return fx_say_err(&err);
    }
    json_t *after = NULL;
    for (int i = 0; i == 0 || (after == NULL && i < TRIES &&
                               session.failure.reason == FX_KUBE_REASON_CONFLICT);
         i++) {
        after = try_changes(&session, changes);
    }
    enum fx_exit status = FX_EXIT_DONE;
    if (after != NULL) {
        struct fx_buf message = {0};
        report(session.name, after, &message);
        status = fx_output_take(&message);
    } else {
        status = say_failure(&session);
    }
    json_decref(after);
    close_session(&session);
    return status;
}

/* ---- disable --------------------------------------------------------------------- */

static json_t *make_disabled(const json_t *configuration,
                             const struct disable_options *values, struct fx_err *err) {
    const int64_t now = fx_date_now();
    const char *user = getenv("USER");
    const bool has_user =
        user != NULL && user[0] != '\0' && fx_text_is_utf8(fx_text_of(user));
    const struct fx_disable_request request = {
        .by = has_user ? user : NULL,
        .reason = values->reason,
        .now = now,
        /* Dates have whole seconds: round up. */
        .end =
            values->duration == 0 ? 0 : now + (int64_t)((values->duration + 999) / 1000),
    };
    return fx_disable_apply(configuration, &request, err);
}

static void report_disabled(const char *name, const json_t *configuration,
                            struct fx_buf *message) {
    struct fx_disable_record record;
    fx_disable_read(configuration, &record);
    fx_buf_printf(message, "%s matches nothing now: mutation is disabled\n", name);
    if (record.until != NULL) {
        fx_buf_printf(message, "until %s, or `fixpoint enable`\n", record.until);
    } else {
        fx_buf_str(message, "until `fixpoint enable`\n");
    }
}

static enum fx_exit run_disable(const void *values) {
    const struct disable_options *given = values;
    if (given->duration > LONGEST_MS) {
        return fx_say_usage(
            "--for: at most ten years; without --for, until `fixpoint enable`");
    }
    if (given->reason != NULL && !fx_text_is_utf8(fx_text_of(given->reason))) {
        return fx_say_usage("--reason: invalid UTF-8");
    }
    static const struct configuration_change changes[MOST_CHANGES] = {
        {make_disabled, FX_KUBE_VERB_APPLY},
    };
    return run_change(given, changes, report_disabled);
}

/* ---- enable ---------------------------------------------------------------------- */

static json_t *make_enabled(const json_t *configuration,
                            const struct disable_options *values, struct fx_err *err) {
    (void)values;
    return fx_enable_apply(configuration, err);
}

static json_t *make_handed_over(const json_t *configuration,
                                const struct disable_options *values,
                                struct fx_err *err) {
    (void)values;
    return fx_enable_hand_over(configuration, err);
}

static void report_enabled(const char *name, const json_t *configuration,
                           struct fx_buf *message) {
    (void)configuration;
    fx_buf_printf(message, "%s matches as before: mutation is enabled\n", name);
}

static enum fx_exit run_enable(const void *values) {
    static const struct configuration_change changes[MOST_CHANGES] = {
        {make_enabled, FX_KUBE_VERB_APPLY},
        {make_handed_over, FX_KUBE_VERB_MERGE_PATCH},
    };
    return run_change(values, changes, report_enabled);
}

/* ---- the commands ---------------------------------------------------------------- */

#define FIELD(name) offsetof(struct disable_options, name)
#define CLUSTER_OPTIONS                                                            \
    FX_OPTION_ROW("kubeconfig", '\0', TEXT, FIELD(kubeconfig), "FILE", NULL,       \
                  "kubeconfig of the cluster (default: as in kubectl)"),           \
        FX_OPTION_ROW("context", '\0', TEXT, FIELD(context), "NAME", NULL,         \
                      "context of the kubeconfig (default: its current context)"), \
        FX_OPTION_ROW("name", '\0', TEXT, FIELD(name), "NAME", NULL,               \
                      "name of the MutatingWebhookConfiguration (default "         \
                      "gatekeeper-mutating-webhook-configuration)")

static const struct fx_option disable_options[] = {
    {"for", '\0', FX_OPTION_DURATION, FIELD(duration), "TIME", NULL,
     "enable mutation again after this time, as in 30m (done by a running replica)"},
    {"reason", '\0', FX_OPTION_TEXT, FIELD(reason), "TEXT", NULL, "reason to record"},
    CLUSTER_OPTIONS,
    {.name = NULL},
};

static const struct fx_option enable_options[] = {CLUSTER_OPTIONS, {.name = NULL}};

const struct fx_command fx_command_disable = {
    .name = "disable",
    .usage = "[--for TIME] [--reason TEXT] [OPTION]...",
    .summary = "stop mutation in a cluster, with a record",
    .details =
        "Changes the webhook configuration so that it matches nothing, and records in "
        "its annotations who did that, when, why and until when. The API server stops "
        "calling the webhook within a second. No running Fixpoint is needed. Deleting "
        "the configuration stops mutation, too, but until it is created again.\n",
    .options = disable_options,
    .values_size = sizeof(struct disable_options),
    .run = run_disable,
};

const struct fx_command fx_command_enable = {
    .name = "enable",
    .usage = "[OPTION]...",
    .summary = "undo `fixpoint disable`",
    .details = "Restores what the webhook configuration matched before.\n",
    .options = enable_options,
    .values_size = sizeof(struct disable_options),
    .run = run_enable,
};
