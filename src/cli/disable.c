/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/disable.c - `fixpoint disable` and `fixpoint enable`: mutation stops, with a record
 * and perhaps an end, and goes on. They need no running Fixpoint.
 */
#include "cluster/webhooks/disable.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/date.h"
#include "cli/cluster_session.h"
#include "cli/commands.h"
#include "cli/output.h"

#define DEFAULT_NAME "gatekeeper-mutating-webhook-configuration"

/* The object that was read has changed meanwhile: so often it is read again. */
#define TRIES 5

#define LONGEST_MS (UINT64_C(3660) * 24 * 3600 * 1000)

static const struct fx_kube_resource configurations = {
    "admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations",
    "MutatingWebhookConfiguration"};

struct values {
    const char *kubeconfig, *context, *name, *reason;
    uint64_t duration;
};

/* ---- talking to the cluster ------------------------------------------------------ */

static const char *name_of(const struct values *values) {
    return values->name == NULL ? DEFAULT_NAME : values->name;
}

static enum fx_exit say_failure(const struct values *values,
                                const struct fx_kube_failure *failure) {
    if (failure->reason == FX_KUBE_REASON_NOT_FOUND) {
        fx_say("MutatingWebhookConfiguration `%s` does not exist, so it mutates nothing; "
               "`helm upgrade` or `kubectl apply` creates it",
               name_of(values));
    } else {
        fx_say("%s", failure->message);
    }
    return FX_EXIT_IO;
}

static json_t *read_configuration(struct fx_cluster_session *session,
                                  const struct values *values,
                                  struct fx_kube_failure *failure) {
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_GET,
        .resource = &configurations,
        .name = {.name = fx_text_of(name_of(values))},
    };
    return fx_cluster_session_ask(session, &request, failure);
}

/* What to write for the configuration that was read; NULL: see `err`. */
typedef json_t *make_body(const json_t *configuration, const struct values *values,
                          struct fx_err *err);

/* One write. */
struct change {
    make_body *make; /* NULL: none */
    enum fx_kube_verb verb;
};

#define MOST_CHANGES 2

/* What came of a try. */
struct attempt {
    struct fx_kube_failure failure; /* of a request, */
    struct fx_err err;              /* or of making its body */
};

/* Consumes the configuration; NULL: see `attempt`. */
static json_t *write_change(struct fx_cluster_session *session,
                            const struct values *values, const struct change *change,
                            json_t *before_take, struct attempt *attempt) {
    json_t *body = change->make(before_take, values, &attempt->err);
    json_decref(before_take);
    if (body == NULL) {
        return NULL;
    }
    const struct fx_kube_request request = {
        .verb = change->verb,
        .resource = &configurations,
        .name = {.name = fx_text_of(name_of(values))},
        .body = body,
        .manager = FX_DISABLE_MANAGER,
        .force = true,
    };
    json_t *after = fx_cluster_session_ask(session, &request, &attempt->failure);
    json_decref(body);
    return after;
}

/* Reads, and writes one change after the other. NULL: see `attempt`. */
static json_t *try_changes(struct fx_cluster_session *session,
                           const struct values *values, const struct change *changes,
                           struct attempt *attempt) {
    *attempt = (struct attempt){.err = FX_ERR_INIT};
    json_t *now = read_configuration(session, values, &attempt->failure);
    for (size_t i = 0; now != NULL && i < MOST_CHANGES && changes[i].make != NULL; i++) {
        now = write_change(session, values, &changes[i], now, attempt);
    }
    return now;
}

/* Starts over if the configuration was changed in between. The configuration as it is
 * then, as a new reference; NULL: `*ret_status` says how it ends. */
static json_t *change(struct fx_cluster_session *session, const struct values *values,
                      const struct change *changes, enum fx_exit *ret_status) {
    struct attempt attempt;
    for (int i = 0; i < TRIES; i++) {
        json_t *after = try_changes(session, values, changes, &attempt);
        if (after != NULL) {
            return after;
        }
        if (attempt.failure.reason != FX_KUBE_REASON_CONFLICT) {
            break;
        }
    }
    if (attempt.err.code != FX_OK) {
        (void)fx_err_prefix(&attempt.err,
                            "MutatingWebhookConfiguration `%s`: ", name_of(values));
        *ret_status = fx_say_err(&attempt.err);
    } else {
        *ret_status = say_failure(values, &attempt.failure);
    }
    return NULL;
}

static enum fx_exit run_change(const struct values *values, const struct change *changes,
                               void (*report)(const struct values *values,
                                              const json_t *configuration,
                                              struct fx_buf *words)) {
    struct fx_cluster_session session;
    struct fx_err err = FX_ERR_INIT;
    if (name_of(values)[0] == '\0') {
        fx_say("--name: must not be empty");
        return FX_EXIT_USAGE;
    }
    if (!fx_cluster_session_open(&session, values->kubeconfig, values->context, &err)) {
        return fx_say_err(&err);
    }
    enum fx_exit status = FX_EXIT_DONE;
    json_t *after = change(&session, values, changes, &status);
    if (after != NULL) {
        struct fx_buf words = {0};
        report(values, after, &words);
        status = fx_output_write(&words);
        fx_buf_finish(&words);
        json_decref(after);
    }
    fx_cluster_session_close(&session);
    return status;
}

/* ---- disable --------------------------------------------------------------------- */

/* When it ends, where it does: seconds are what a date can say, so not before that. */
static int64_t end_of(const struct values *values, int64_t now) {
    return values->duration == 0 ? 0 : now + (int64_t)((values->duration + 999) / 1000);
}

/* Who asks, where the environment says it, in text that an object can hold. */
static const char *asker(void) {
    const char *user = getenv("USER");
    return user != NULL && user[0] != '\0' && fx_text_is_utf8(fx_text_of(user)) ? user
                                                                                : NULL;
}

static json_t *make_disabled(const json_t *configuration, const struct values *values,
                             struct fx_err *err) {
    const int64_t now = fx_date_now();
    const struct fx_disable_request request = {
        .by = asker(),
        .reason = values->reason,
        .now = now,
        .end = end_of(values, now),
    };
    return fx_disable_apply(configuration, &request, err);
}

static void tell_disabled(const struct values *values, const json_t *configuration,
                          struct fx_buf *words) {
    struct fx_disable_record record;
    fx_disable_read(configuration, &record);
    fx_buf_printf(words, "%s matches nothing now: mutation is disabled\n",
                  name_of(values));
    if (record.until != NULL) {
        fx_buf_printf(words, "until %s, or `fixpoint enable`\n", record.until);
    } else {
        fx_buf_str(words, "until `fixpoint enable`\n");
    }
}

static enum fx_exit run_disable(const void *values, const char *operand) {
    (void)operand;
    const struct values *given = values;
    if (given->duration > LONGEST_MS) {
        fx_say("--for: at most ten years; without --for, until `fixpoint enable`");
        return FX_EXIT_USAGE;
    }
    if (given->reason != NULL && !fx_text_is_utf8(fx_text_of(given->reason))) {
        fx_say("--reason: invalid UTF-8");
        return FX_EXIT_USAGE;
    }
    static const struct change changes[MOST_CHANGES] = {
        {make_disabled, FX_KUBE_VERB_APPLY},
    };
    return run_change(given, changes, tell_disabled);
}

/* ---- enable ---------------------------------------------------------------------- */

static json_t *make_enabled(const json_t *configuration, const struct values *values,
                            struct fx_err *err) {
    (void)values;
    return fx_enable_apply(configuration, err);
}

static json_t *make_handed_over(const json_t *configuration, const struct values *values,
                                struct fx_err *err) {
    (void)values;
    return fx_enable_hand_over(configuration, err);
}

static void tell_enabled(const struct values *values, const json_t *configuration,
                         struct fx_buf *words) {
    (void)configuration;
    fx_buf_printf(words, "%s matches as before: mutation is enabled\n", name_of(values));
}

static enum fx_exit run_enable(const void *values, const char *operand) {
    (void)operand;
    static const struct change changes[MOST_CHANGES] = {
        {make_enabled, FX_KUBE_VERB_APPLY},
        {make_handed_over, FX_KUBE_VERB_MERGE_PATCH},
    };
    return run_change(values, changes, tell_enabled);
}

/* ---- the commands ---------------------------------------------------------------- */

#define FIELD(name) offsetof(struct values, name)
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
        "the configuration stops mutation, too, but until somebody creates it again.\n",
    .options = disable_options,
    .values_size = sizeof(struct values),
    .run = run_disable,
};

const struct fx_command fx_command_enable = {
    .name = "enable",
    .usage = "[OPTION]...",
    .summary = "undo `fixpoint disable`",
    .details = "Restores what the webhook configuration matched before.\n",
    .options = enable_options,
    .values_size = sizeof(struct values),
    .run = run_enable,
};
