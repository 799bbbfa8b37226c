/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/secret.c - reads the Secret, decides, and writes it:
 *
 *   a change, or a timer → decide, on a worker → report changes
 *     ↑                                            │ and if a step is due,
 *     └──── a timer, or the watch shows it ────────┴─ write
 *
 * Deciding includes signing, so it runs on a worker. If something changed meanwhile, the
 * result is dropped, and the decision is made again.
 */
#include "cluster/certificates/secret.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/date.h"
#include "base/jobs.h"
#include "base/limits.h"
#include "base/log.h"
#include "cluster/certificates/rotation.h"
#include "cluster/certificates/secret_content.h"
#include "kube/backoff.h"
#include "kube/body.h"
#include "kube/log_throttle.h"
#include "net/tls.h"
#include "value/tree.h"

#define CHECK_MAX_S INT64_C(60) /* clocks jump: check at least this often */
#define AGAIN_MS    10000u      /* after a lack of memory */
#define MS_IN_S     INT64_C(1000)
#define NS_IN_S     UINT64_C(1000000000)

/* The pauses between two writes. */
#define FIRST_PAUSE_MS 2000u
#define LAST_PAUSE_MS  300000u

#define SECRET_MAGIC 0x66787365u /* "fxse" */

const struct fx_kube_resource fx_cluster_secrets = {"", "v1", "secrets", "Secret"};

/* The input and the result of the worker. */
struct secret_job {
    uv_work_t work;
    struct fx_cluster_secret *secret; /* the worker only reads its settings */
    struct fx_secret_content content, held;
    struct fx_rotation_input input;
    uint64_t generation;
    bool known, deleted;
    struct fx_rotation made;
    struct fx_err err;
    bool ok;
};

struct fx_cluster_secret {
    uint32_t magic;
    struct fx_job watchdog; /* for the job */
    uv_loop_t *loop;
    struct fx_kube_client *client;
    struct fx_cluster_secret_events events;
    char *namespace_, *name;
    char **names;
    struct fx_rotation_settings settings;

    struct fx_kube_reflector *reflector;
    json_t *existing; /* the Secret, from fx_kube_body_for(); NULL: there is none */
    struct fx_secret_content content; /* of the Secret, also after it was deleted */
    uint64_t generation, seen_ns;     /* of `content`, and when it was first seen */
    struct fx_secret_content held;    /* the last good content; empty: none yet */

    struct fx_buf cert, key, bundle; /* as last reported */
    uint64_t bundle_generation;      /* of the content with this bundle */
    uint64_t published_ns;           /* when the bundle was published; 0: it is not */

    uv_timer_t timer;
    struct secret_job job;
    struct {
        struct fx_kube_throttle throttle;
        struct fx_kube_call *call; /* in progress */
        enum fx_rotation_step step;
        char reason[FX_ROTATION_REASON];
        enum fx_kube_reason logged; /* the last failure in the log */
    } write;
    char logged[FX_ROTATION_REASON]; /* the last fault in the log */
    bool writes, synced;
    bool known; /* the Secret exists or existed */
    bool kept;  /* the last decision was to write nothing */
    bool deciding, again, has_timer, closing;
};

static struct fx_cluster_secret *secret_of(void *data) {
    struct fx_cluster_secret *secret = data;
    assert(secret != NULL && secret->magic == SECRET_MAGIC);
    return secret;
}

static void decide(struct fx_cluster_secret *secret);

static void on_timer(uv_timer_t *timer) {
    decide(secret_of(timer->data));
}

static void check_in(struct fx_cluster_secret *secret, uint64_t ms) {
    (void)uv_timer_start(&secret->timer, on_timer, ms, 0); /* it has a callback */
}

/* ---- the log ---------------------------------------------------------------------- */

/* Logs a fault of the Secret once, and its end; an empty reason: no fault. */
static void log_fault(struct fx_cluster_secret *secret, const char *msg,
                      const char *reason) {
    if (strcmp(secret->logged, reason) == 0) {
        return;
    }
    (void)snprintf(secret->logged, sizeof secret->logged, "%.*s", FX_ROTATION_REASON - 1,
                   reason);
    if (reason[0] == '\0') {
        fx_log(INFO, "the Secret is valid again", {0});
    } else {
        fx_log(ERROR, msg, fx_log_str("secret", secret->name),
               fx_log_str("error", reason));
    }
}

/* Regular steps are logged when they are written. */
static void log_repair(struct fx_cluster_secret *secret,
                       const struct fx_rotation *rotation) {
    if (rotation->step == FX_ROTATION_RESTORE) {
        log_fault(secret,
                  "the Secret is invalid: the last valid content stays in use and is "
                  "written back",
                  rotation->reason);
    } else if (rotation->invalid) {
        log_fault(secret, "the Secret is invalid and will be repaired", rotation->reason);
    }
}

/* ---- reporting ----------------------------------------------------------------- */

/* Replaces the text. False if it is the same, or without memory. */
static bool replace(struct fx_buf *old, struct fx_text text) {
    if (fx_text_equal(fx_buf_view(old), text)) {
        return false;
    }
    struct fx_buf copy = {0};
    fx_buf_text(&copy, text);
    if (copy.failed) {
        fx_buf_finish(&copy);
        return false;
    }
    fx_tls_wipe(old);
    *old = copy;
    return true;
}

static void report_pair(struct fx_cluster_secret *secret) {
    const struct fx_text cert = fx_buf_view(&secret->content.cert);
    const struct fx_text key = fx_buf_view(&secret->content.key);
    const bool is_new_cert = replace(&secret->cert, cert);
    const bool is_new_key = replace(&secret->key, key);
    if (is_new_cert || is_new_key) {
        secret->events.on_pair(cert, key, secret->events.user);
    }
}

/* Reports a new bundle. It is not published yet, unless there is no configuration to
 * publish it in: then `published_ns` has not changed, and counts for the new bundle. */
static void report_bundle(struct fx_cluster_secret *secret,
                          const struct fx_rotation *rotation) {
    if (rotation->bundle.len > 0 &&
        replace(&secret->bundle, fx_buf_view(&rotation->bundle)) &&
        !secret->events.on_bundle(fx_buf_view(&secret->bundle), rotation->ca_not_after,
                                  secret->events.user)) {
        fx_buf_finish(&secret->bundle); /* report it again */
    }
    if (secret->bundle_generation != secret->generation &&
        fx_text_equal(fx_buf_view(&secret->bundle), fx_buf_view(&rotation->bundle))) {
        secret->bundle_generation = secret->generation;
        secret->again = secret->again || secret->published_ns != 0;
    }
}

/* ---- writing --------------------------------------------------------------------- */

static void log_failure(struct fx_cluster_secret *secret,
                        const struct fx_kube_failure *failure) {
    if (failure->reason == FX_KUBE_REASON_CONFLICT ||
        failure->reason == FX_KUBE_REASON_EXISTS) {
        fx_log(INFO, "Secret not written: another replica was first",
               fx_log_str("step", fx_rotation_step_name(secret->write.step)));
    } else if (failure->reason != secret->write.logged) {
        secret->write.logged = failure->reason;
        const struct fx_log_field fields[] = {
            fx_log_str("step", fx_rotation_step_name(secret->write.step)),
            fx_log_str("reason", secret->write.reason),
            fx_log_str("error", failure->message),
            {0}};
        fx_log_write(fx_kube_failure_log_level(failure),
                     "Secret not written: it will be retried", fields);
    }
}

static void on_written(const struct fx_kube_answer *answer, void *user) {
    struct fx_cluster_secret *secret = secret_of(user);
    const uint64_t now_ns = fx_clock_ns();
    secret->write.call = NULL;
    fx_kube_throttle_ended(&secret->write.throttle, now_ns);
    if (answer->failure != NULL) {
        log_failure(secret, answer->failure);
        check_in(secret, fx_kube_throttle_wait_ms(&secret->write.throttle, now_ns));
    } else {
        secret->write.logged = FX_KUBE_REASON_NONE;
        fx_log(INFO, "Secret written",
               fx_log_str("step", fx_rotation_step_name(secret->write.step)),
               fx_log_str("reason", secret->write.reason));
        check_in(secret, AGAIN_MS); /* unless the watch shows the result */
    }
}

/* Creates the Secret with the content of the rotation, or applies it. A step that cannot
 * be written yet is decided again later, as another step may then be due. */
static void write_step(struct fx_cluster_secret *secret,
                       const struct fx_rotation *rotation) {
    const uint64_t wait_ms =
        fx_kube_throttle_wait_ms(&secret->write.throttle, fx_clock_ns());
    if (secret->write.call != NULL || wait_ms > 0) {
        if (wait_ms > 0) {
            check_in(secret, wait_ms);
        }
        return;
    }
    const bool creates = secret->existing == NULL;
    const struct fx_kube_name name = {.namespace_ = fx_text_of(secret->namespace_),
                                      .name = fx_text_of(secret->name)};
    json_t *body = creates ? fx_secret_create_body(name.namespace_, name.name, rotation)
                           : fx_secret_apply_body(secret->existing, rotation);
    const struct fx_kube_request request = {
        .verb = creates ? FX_KUBE_VERB_CREATE : FX_KUBE_VERB_APPLY,
        .resource = &fx_cluster_secrets,
        .name = name,
        .body = body,
        .manager = FX_SECRET_MANAGER,
        .force = true,
    };
    if (body != NULL) {
        secret->write.step = rotation->step;
        (void)snprintf(secret->write.reason, sizeof secret->write.reason, "%s",
                       rotation->reason);
        secret->write.call =
            fx_kube_call_start(secret->client, &request, on_written, secret);
        fx_tree_wipe(body);
        json_decref(body);
    }
    if (secret->write.call == NULL) {
        check_in(secret, AGAIN_MS);
        return;
    }
    fx_kube_throttle_started(&secret->write.throttle, fx_clock_ns());
}

/* ---- deciding -------------------------------------------------------------------- */

static void job_finish(struct secret_job *job) {
    fx_secret_content_finish(&job->content);
    fx_secret_content_finish(&job->held);
    fx_rotation_finish(&job->made);
    *job = (struct secret_job){0};
}

static int64_t seconds_since(uint64_t since_ns) {
    return (int64_t)((fx_clock_ns() - since_ns) / NS_IN_S);
}

/* False without memory. */
static bool job_fill(struct secret_job *job, struct fx_cluster_secret *secret) {
    const bool published =
        secret->published_ns != 0 && secret->bundle_generation == secret->generation;
    *job = (struct secret_job){
        .secret = secret,
        .generation = secret->generation,
        .known = secret->known,
        .deleted = secret->known && secret->existing == NULL,
        .input =
            {
                .now = fx_date_now(),
                .seen_for = secret->known ? seconds_since(secret->seen_ns) : -1,
                .published_for = published ? seconds_since(secret->published_ns) : -1,
            },
    };
    return fx_secret_content_copy(&secret->content, &job->content) &&
           fx_secret_content_copy(&secret->held, &job->held);
}

/* Called on a worker. */
static void on_work(uv_work_t *work) {
    struct secret_job *job = work->data;
    const struct fx_rotation_content content = fx_secret_content_view(&job->content);
    const struct fx_rotation_content held = fx_secret_content_view(&job->held);
    job->input.content = job->known ? &content : NULL;
    job->input.held = held.cert.len > 0 ? &held : NULL;
    job->ok = fx_secret_step(&job->secret->settings, &job->input, job->deleted,
                             &job->made, &job->err);
    job->input.content = job->input.held = NULL;
    fx_tls_wipe_stack();
}

static void wait_at_most(struct fx_cluster_secret *secret, int64_t seconds) {
    const int64_t s = seconds < CHECK_MAX_S ? seconds : CHECK_MAX_S;
    check_in(secret, (uint64_t)(s * MS_IN_S));
}

static void handle_result(struct fx_cluster_secret *secret,
                          const struct secret_job *job) {
    const struct fx_rotation *made = &job->made;
    if (!job->ok) {
        log_fault(secret, "the Secret cannot be checked", job->err.msg);
        check_in(secret, AGAIN_MS);
        return;
    }
    if (job->known && made->usable) {
        report_pair(secret);
    }
    if (job->known) {
        report_bundle(secret, made);
    }
    if (made->good) {
        fx_secret_content_hold(&secret->held, &secret->content, made->signs);
    } else if (!made->invalid) {
        fx_secret_content_finish(&secret->held); /* no longer in use */
    }
    secret->kept = made->step == FX_ROTATION_KEEP;
    if (secret->kept) {
        log_fault(secret, "the Secret has a fault, but is kept", made->reason);
        wait_at_most(secret, made->check_in);
    } else if (!secret->writes) {
        log_fault(secret, "the Secret has a fault, and writing it is disabled",
                  made->reason);
        wait_at_most(secret, CHECK_MAX_S);
    } else {
        log_repair(secret, made);
        write_step(secret, made);
    }
}

static void destroy_if_closed(struct fx_cluster_secret *secret);

static void on_worked(uv_work_t *work, int status) {
    (void)status; /* never cancelled */
    struct secret_job *job = work->data;
    struct fx_cluster_secret *secret = secret_of(job->secret);
    const bool deleted = secret->known && secret->existing == NULL;
    const bool is_current =
        job->generation == secret->generation && job->deleted == deleted;
    if (!secret->closing && is_current) {
        /* `deciding` is still set: the callbacks may request a decision. */
        handle_result(secret, job);
    }
    job_finish(job);
    secret->deciding = false;
    fx_job_end(&secret->watchdog);
    if (!is_current || secret->again) {
        decide(secret);
    }
    destroy_if_closed(secret);
}

static void decide(struct fx_cluster_secret *secret) {
    if (secret->closing || !secret->synced) {
        return;
    }
    secret->again = secret->deciding;
    if (secret->deciding) {
        return;
    }
    struct secret_job *job = &secret->job;
    if (!job_fill(job, secret)) {
        job_finish(job);
        check_in(secret, AGAIN_MS);
        return;
    }
    job->work.data = job;
    /* Fails only for invalid arguments. */
    const int queued = uv_queue_work(secret->loop, &job->work, on_work, on_worked);
    assert(queued == 0);
    secret->deciding = queued == 0;
    secret->watchdog = (struct fx_job){
        .type = FX_JOB_BUILD,
        .name = "step of the certificate",
        .allowed_ns = FX_JOB_NS(FX_LIMIT_BUILD_MS),
    };
    fx_job_begin(&secret->watchdog);
}

void fx_cluster_secret_published(struct fx_cluster_secret *secret, uint64_t since_ns) {
    secret->published_ns = since_ns;
    decide(secret);
}

void fx_cluster_secret_check(struct fx_cluster_secret *secret) {
    decide(secret);
}

/* ---- callbacks of the reflector ---------------------------------------------------- */

/* Takes over the content; returns whether it changed. */
static bool set_content(struct fx_cluster_secret *secret,
                        struct fx_secret_content *content) {
    if (secret->known && fx_secret_content_equal(&secret->content, content)) {
        fx_secret_content_finish(content);
        return false;
    }
    fx_secret_content_finish(&secret->content);
    secret->content = *content;
    secret->known = true;
    secret->generation++;
    secret->seen_ns = fx_clock_ns();
    return true;
}

static bool on_object(json_t *object, void *user) {
    struct fx_cluster_secret *secret = secret_of(user);
    struct fx_secret_content content;
    json_t *metadata = NULL;
    json_t *existing = fx_kube_body_for(object, &metadata);
    const bool read = existing != NULL && fx_secret_content_read(object, &content);
    if (!read) {
        json_decref(existing);
        return false;
    }
    const bool was_gone = secret->existing == NULL;
    json_decref(secret->existing);
    secret->existing = existing;
    if (set_content(secret, &content) || was_gone || !secret->kept) {
        decide(secret); /* not if only labels changed */
    }
    return true;
}

static void on_gone(struct fx_text namespace_, struct fx_text name, void *user) {
    (void)namespace_;
    (void)name;
    struct fx_cluster_secret *secret = secret_of(user);
    json_decref(secret->existing);
    secret->existing = NULL;
    decide(secret);
}

static void on_synced(void *user) {
    struct fx_cluster_secret *secret = secret_of(user);
    secret->synced = true;
    decide(secret);
}

static void on_state(enum fx_kube_state state, const struct fx_kube_failure *failure,
                     void *user) {
    struct fx_cluster_secret *secret = secret_of(user);
    secret->events.on_state(&fx_cluster_secrets, state, failure, secret->events.user);
}

/* ---- start and end --------------------------------------------------- */

static void destroy(struct fx_cluster_secret *secret) {
    for (size_t i = 0; secret->names != NULL && i < secret->settings.n_names; i++) {
        free(secret->names[i]);
    }
    free(secret->names);
    free(secret->namespace_);
    free(secret->name);
    json_decref(secret->existing);
    fx_secret_content_finish(&secret->content);
    fx_secret_content_finish(&secret->held);
    fx_buf_finish(&secret->cert);
    fx_tls_wipe(&secret->key);
    fx_buf_finish(&secret->bundle);
    secret->magic = 0;
    free(secret);
}

static void destroy_if_closed(struct fx_cluster_secret *secret) {
    if (secret->closing && !secret->has_timer && !secret->deciding) {
        destroy(secret);
    }
}

static void on_timer_closed(uv_handle_t *timer) {
    struct fx_cluster_secret *secret = secret_of(timer->data);
    secret->has_timer = false;
    destroy_if_closed(secret);
}

/* The worker may outlive the options. False without memory. */
static bool copy_options(struct fx_cluster_secret *secret,
                         const struct fx_cluster_secret_options *options) {
    secret->namespace_ = strdup(options->namespace_);
    secret->name = strdup(options->name);
    secret->names = calloc(options->n_names, sizeof *secret->names);
    if (secret->namespace_ == NULL || secret->name == NULL || secret->names == NULL) {
        return false;
    }
    secret->settings = (struct fx_rotation_settings){
        .names = (const char *const *)secret->names,
        .n_names = options->n_names,
        .ca_validity = options->ca_validity_s,
        .leaf_validity = options->leaf_validity_s,
        .wait = options->wait_s,
    };
    for (size_t i = 0; i < options->n_names; i++) {
        secret->names[i] = strdup(options->names[i]);
        if (secret->names[i] == NULL) {
            return false;
        }
    }
    return true;
}

static bool start_watch(struct fx_cluster_secret *secret,
                        const struct fx_cluster_secret_options *options,
                        struct fx_err *err) {
    static const struct fx_kube_reflector_events callbacks = {
        .on_object = on_object,
        .on_gone = on_gone,
        .on_synced = on_synced,
        .on_state = on_state,
    };
    if (!copy_options(secret, options)) {
        return fx_fail_nomem(err);
    }
    enum fx_rotation_setting which = FX_ROTATION_NAMES;
    if (!fx_rotation_check_settings(&secret->settings, &which, err)) {
        return false;
    }
    secret->write.throttle = (struct fx_kube_throttle){
        .first_ms = FIRST_PAUSE_MS,
        .last_ms = LAST_PAUSE_MS,
        .calm_ms = (uint64_t)(options->wait_s * MS_IN_S),
    };
    const struct fx_kube_reflector_options reflected = {
        .versions = &fx_cluster_secrets,
        .n_versions = 1,
        .namespace_ = secret->namespace_,
        .name = secret->name,
        .confirm_absence = true,
    };
    secret->reflector = fx_kube_reflector_create(secret->loop, secret->client, &reflected,
                                                 &callbacks, secret, err);
    return secret->reflector != NULL;
}

struct fx_cluster_secret *
fx_cluster_secret_create(uv_loop_t *loop, struct fx_kube_client *client,
                         const struct fx_cluster_secret_options *options,
                         const struct fx_cluster_secret_events *events,
                         struct fx_err *err) {
    struct fx_cluster_secret *secret = calloc(1, sizeof *secret);
    if (secret == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    secret->magic = SECRET_MAGIC;
    secret->loop = loop;
    secret->client = client;
    secret->events = *events;
    secret->writes = options->writes;
    secret->timer.data = secret;
    (void)uv_timer_init(loop, &secret->timer); /* cannot fail */
    secret->has_timer = true;
    if (!start_watch(secret, options, err)) {
        fx_cluster_secret_close(secret);
        return NULL;
    }
    return secret;
}

void fx_cluster_secret_get_status(const struct fx_cluster_secret *secret,
                                  struct fx_kube_reflector_status *ret_status) {
    fx_kube_reflector_get_status(secret->reflector, ret_status);
}

void fx_cluster_secret_close(struct fx_cluster_secret *secret) {
    if (secret == NULL) {
        return;
    }
    secret->closing = true;
    fx_kube_call_cancel(secret->write.call);
    secret->write.call = NULL;
    fx_kube_reflector_close(secret->reflector);
    uv_close((uv_handle_t *)&secret->timer, on_timer_closed);
}
