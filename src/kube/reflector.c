/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/reflector.c - a reflector's life, its states and its pauses. Either a call is
 * under way or the timer is set, and while a watch is open both are.
 */
#include "kube/reflector.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "kube/reflector_internal.h"

#define NS_IN_MS        UINT64_C(1000000)
#define REFLECTOR_MAGIC 0x66786b72u /* "fxkr" */

/* Half a minute at most after the API server is back, everyone is; a bookmark comes every
 * minute, so a watch says something long before its end. */
const struct fx_kube_delays fx_kube_default_delays = {
    .backoff_min_ms = 500,
    .backoff_max_ms = 30000,
    .second_ms = 1000,
    .max_wish_ms = 60000,
    .absent_min_ms = 5000,
    .absent_max_ms = 10000,
    .interval_ms = 1000,
    .well_ms = 5000,
    .watch_min_s = 240,
    .watch_max_s = 480,
    .silence_ms = 30000,
    .seek_ms = 300000,
    .page = 500,
};

static const char *const state_names[] = {
#define X(name, text) [FX_KUBE_STATE_##name] = (text),
    FX_KUBE_STATES(X)
#undef X
};

const char *fx_kube_state_name(enum fx_kube_state state) {
    return state_names[state];
}

static struct fx_kube_reflector *reflector_of(void *data) {
    struct fx_kube_reflector *reflector = data;
    assert(reflector != NULL && reflector->magic == REFLECTOR_MAGIC);
    return reflector;
}

/* ---- what is asked for ---- */

const struct fx_kube_resource *
fx_kube_reflector_resource(const struct fx_kube_reflector *reflector) {
    /* Past the last version only while that is being told of. */
    assert(reflector->at < reflector->options.n_versions);
    return &reflector->options.versions[reflector->at];
}

void fx_kube_reflector_write_selectors(const struct fx_kube_reflector *reflector,
                                       struct fx_buf *query) {
    const struct fx_kube_reflector_options *options = &reflector->options;
    if (options->name != NULL) {
        fx_buf_str(query, "&fieldSelector=metadata.name%3D");
        fx_kube_write_query(fx_text_of(options->name), query);
    }
    if (options->label_selector != NULL) {
        fx_buf_str(query, "&labelSelector=");
        fx_kube_write_query(fx_text_of(options->label_selector), query);
    }
}

/* ---- states ---- */

void fx_kube_reflector_set_state(struct fx_kube_reflector *reflector,
                                 enum fx_kube_state state,
                                 const struct fx_kube_failure *failure) {
    const enum fx_kube_reason reason =
        failure == NULL ? FX_KUBE_REASON_NONE : failure->reason;
    assert((state == FX_KUBE_STATE_FAILING) == (failure != NULL));
    if (reflector->status.state == state && reflector->status.reason == reason) {
        return;
    }
    reflector->status.state = state;
    reflector->status.reason = reason;
    reflector->events.on_state(state, failure, reflector->user);
}

void fx_kube_reflector_note_contact(struct fx_kube_reflector *reflector) {
    reflector->status.synced_ns = fx_clock_ns();
}

void fx_kube_reflector_report_synced(struct fx_kube_reflector *reflector) {
    reflector->status.synced = true;
    reflector->events.on_synced(reflector->user);
}

void fx_kube_reflector_set_healthy(struct fx_kube_reflector *reflector) {
    reflector->n_failed = 0;
    fx_kube_backoff_reset(&reflector->backoff);
    fx_kube_reflector_set_state(reflector, FX_KUBE_STATE_WATCHING, NULL);
}

/* ---- pauses ---- */

uint64_t fx_kube_reflector_now_ms(void) {
    return fx_clock_ns() / NS_IN_MS;
}

static void on_timer(uv_timer_t *timer) {
    struct fx_kube_reflector *reflector = reflector_of(timer->data);
    if (fx_kube_reflector_try_preferred(reflector, reflector->step)) {
        return;
    }
    switch (reflector->step) {
    case FX_KUBE_STEP_LIST: fx_kube_reflector_list(reflector); break;
    case FX_KUBE_STEP_WATCH: fx_kube_reflector_watch(reflector); break;
    case FX_KUBE_STEP_HEALTHY:
        fx_kube_backoff_reset(&reflector->relists);
        fx_kube_reflector_set_healthy(reflector);
        break;
    }
}

void fx_kube_reflector_wait(struct fx_kube_reflector *reflector, enum fx_kube_step step,
                            uint64_t ms) {
    reflector->step = step;
    uv_update_time(reflector->timer.loop); /* who told may have worked for long */
    (void)uv_timer_start(&reflector->timer, on_timer, ms, 0); /* cannot fail */
}

void fx_kube_reflector_retry(struct fx_kube_reflector *reflector, enum fx_kube_step step,
                             const struct fx_kube_failure *failure) {
    const struct fx_kube_delays *pauses = &reflector->pauses;
    fx_kube_reflector_wait(
        reflector, step,
        fx_kube_backoff_next(&reflector->backoff,
                             failure->retry_after_s * pauses->second_ms,
                             pauses->max_wish_ms, &reflector->random));
}

void fx_kube_reflector_set_delays(struct fx_kube_reflector *reflector,
                                  const struct fx_kube_delays *pauses) {
    reflector->pauses = *pauses;
    reflector->backoff = reflector->relists = (struct fx_kube_backoff){
        .min_ms = pauses->backoff_min_ms, .max_ms = pauses->backoff_max_ms};
}

/* ---- life ---- */

/* NULL stays NULL. */
static char *copy(const char *string, bool *ok) {
    char *own = string == NULL ? NULL : fx_text_dup(fx_text_of(string));
    *ok = *ok && (string == NULL || own != NULL);
    return own;
}

static void destroy(struct fx_kube_reflector *reflector) {
    fx_kube_known_finish(&reflector->known);
    fx_kube_type_meta_finish(&reflector->kind);
    fx_kube_events_finish(&reflector->stream);
    fx_buf_finish(&reflector->page_token);
    fx_buf_finish(&reflector->list_version);
    fx_buf_finish(&reflector->version);
    free(reflector->namespace_);
    free(reflector->name);
    free(reflector->label_selector);
    reflector->magic = 0;
    free(reflector);
}

/* False without memory. */
static bool copy_options(struct fx_kube_reflector *reflector,
                         const struct fx_kube_reflector_options *options) {
    bool ok = true;
    reflector->namespace_ = copy(options->namespace_, &ok);
    reflector->name = copy(options->name, &ok);
    reflector->label_selector = copy(options->label_selector, &ok);
    reflector->options = *options;
    reflector->options.namespace_ = reflector->namespace_;
    reflector->options.name = reflector->name;
    reflector->options.label_selector = reflector->label_selector;
    return ok;
}

struct fx_kube_reflector *
fx_kube_reflector_create(uv_loop_t *loop, struct fx_kube_client *client,
                         const struct fx_kube_reflector_options *options,
                         const struct fx_kube_reflector_events *events, void *user,
                         struct fx_err *err) {
    assert(options->n_versions > 0);
    struct fx_kube_reflector *reflector = calloc(1, sizeof *reflector);
    if (reflector == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    if (!copy_options(reflector, options)) {
        destroy(reflector);
        (void)fx_fail_nomem(err);
        return NULL;
    }
    reflector->magic = REFLECTOR_MAGIC;
    reflector->client = client;
    reflector->events = *events;
    reflector->user = user;
    reflector->told_at = SIZE_MAX;
    fx_kube_random_init(&reflector->random);
    fx_kube_reflector_set_delays(reflector, &fx_kube_default_delays);
    reflector->timer.data = reflector;
    (void)uv_timer_init(loop, &reflector->timer); /* cannot fail */
    fx_kube_reflector_wait(reflector, FX_KUBE_STEP_LIST, 0);
    return reflector;
}

static void on_closed(uv_handle_t *timer) {
    destroy(reflector_of(timer->data));
}

void fx_kube_reflector_close(struct fx_kube_reflector *reflector) {
    if (reflector == NULL) {
        return;
    }
    fx_kube_call_cancel(reflector->call);
    reflector->call = NULL;
    uv_close((uv_handle_t *)&reflector->timer, on_closed);
}

void fx_kube_reflector_get_status(const struct fx_kube_reflector *reflector,
                                  struct fx_kube_reflector_status *ret_status) {
    *ret_status = reflector->status;
    ret_status->n_objects = reflector->known.n_objects;
}
