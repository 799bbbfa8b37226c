/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/secret_writer.c - one write at a time.
 */
#include "cluster/certificates/secret_writer.h"

#include <stddef.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "cluster/certificates/secret_content.h"
#include "kube/log_throttle.h"
#include "value/tree.h"

#define FIRST_PAUSE_MS 2000u
#define LAST_PAUSE_MS  300000u
#define AGAIN_MS       10000u

static const struct fx_kube_resource secrets = {"", "v1", "secrets", "Secret"};

void fx_secret_writer_init(struct fx_secret_writer *writer, uint64_t calm_ms) {
    writer->throttle = (struct fx_kube_throttle){
        .first_ms = FIRST_PAUSE_MS, .last_ms = LAST_PAUSE_MS, .calm_ms = calm_ms};
}

static void log_failure(struct fx_secret_writer *writer,
                        const struct fx_kube_failure *failure) {
    if (failure->reason == FX_KUBE_REASON_CONFLICT ||
        failure->reason == FX_KUBE_REASON_EXISTS) {
        fx_log(INFO, "Secret not written: another replica was first",
               fx_log_str("step", fx_rotation_step_name(writer->step)));
    } else if (failure->reason != writer->logged) {
        writer->logged = failure->reason;
        const struct fx_log_field fields[] = {
            fx_log_str("step", fx_rotation_step_name(writer->step)),
            fx_log_str("reason", writer->reason),
            fx_log_str("error", failure->message),
            {0}};
        fx_log_write(fx_kube_failure_log_level(failure),
                     "Secret not written: it will be retried", fields);
    }
}

static void log_success(struct fx_secret_writer *writer) {
    writer->logged = FX_KUBE_REASON_NONE;
    fx_log(INFO, "Secret written",
           fx_log_str("step", fx_rotation_step_name(writer->step)),
           fx_log_str("reason", writer->reason));
}

static void on_written(const struct fx_kube_answer *answer, void *user) {
    struct fx_secret_writer *writer = user;
    const uint64_t now_ns = fx_clock_ns();
    writer->call = NULL;
    fx_kube_throttle_ended(&writer->throttle, now_ns);
    if (answer->failure != NULL) {
        log_failure(writer, answer->failure);
        writer->on_ended(fx_kube_throttle_wait_ms(&writer->throttle, now_ns),
                         writer->user);
    } else {
        log_success(writer);
        writer->on_ended(AGAIN_MS, writer->user);
    }
}

/* NULL without memory. */
static json_t *new_body(const struct fx_secret_writer *writer, const json_t *existing,
                        const struct fx_rotation *rotation) {
    return existing != NULL ? fx_secret_apply_body(existing, rotation)
                            : fx_secret_create_body(fx_text_of(writer->namespace_),
                                                    fx_text_of(writer->name), rotation);
}

uint64_t fx_secret_writer_write(struct fx_secret_writer *writer, const json_t *existing,
                                const struct fx_rotation *rotation) {
    const uint64_t wait_ms = fx_kube_throttle_wait_ms(&writer->throttle, fx_clock_ns());
    if (writer->call != NULL || wait_ms > 0) {
        return wait_ms;
    }
    json_t *body = new_body(writer, existing, rotation);
    if (body == NULL) {
        return AGAIN_MS;
    }
    const struct fx_kube_request request = {
        .verb = existing != NULL ? FX_KUBE_VERB_APPLY : FX_KUBE_VERB_CREATE,
        .resource = &secrets,
        .name = {.namespace_ = fx_text_of(writer->namespace_),
                 .name = fx_text_of(writer->name)},
        .body = body,
        .manager = FX_SECRET_MANAGER,
        .force = true,
    };
    writer->step = rotation->step;
    (void)snprintf(writer->reason, sizeof writer->reason, "%s", rotation->reason);
    writer->call = fx_kube_call_start(writer->client, &request, on_written, writer);
    fx_tree_wipe(body);
    json_decref(body);
    if (writer->call == NULL) {
        return AGAIN_MS;
    }
    fx_kube_throttle_started(&writer->throttle, fx_clock_ns());
    return 0;
}

void fx_secret_writer_cancel(struct fx_secret_writer *writer) {
    fx_kube_call_cancel(writer->call);
    writer->call = NULL;
}
