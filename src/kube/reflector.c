/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/reflector.c - start, end, states and pauses of a reflector, and reporting of
 * objects.
 */
#include "kube/reflector.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/limits.h"
#include "kube/reflector_internal.h"

#define NS_IN_MS        UINT64_C(1000000)
#define REFLECTOR_MAGIC 0x66786b72u /* "fxkr" */

/* Every reflector notices within half a minute that the API server is back. A bookmark
 * comes every minute, long before the end of a watch. */
const struct fx_kube_delays fx_kube_default_delays = {
    .backoff_min_ms = 500,
    .backoff_max_ms = 30000,
    .second_ms = 1000,
    .max_retry_after_ms = 60000,
    .absent_min_ms = 5000,
    .absent_max_ms = 10000,
    .interval_ms = 1000,
    .healthy_ms = 5000,
    .watch_min_s = 240,
    .watch_max_s = 480,
    .silence_ms = 30000,
    .preferred_ms = 300000,
    .page = 500,
};

static const char *const state_names[] = {FX_KUBE_STATES(FX_WORD)};

const char *fx_kube_state_name(enum fx_kube_state state) {
    return state_names[state];
}

/* ---- requests ---- */

const struct fx_kube_resource *
fx_kube_reflector_resource(const struct fx_kube_reflector *reflector) {
    /* Only try_next_version() sets `at` to the end of the list, and only for a moment. */
    assert(reflector->at < reflector->options.n_versions);
    return &reflector->options.versions[reflector->at];
}

void fx_kube_reflector_write_selector(const struct fx_kube_reflector *reflector,
                                      struct fx_buf *query) {
    const struct fx_kube_reflector_options *options = &reflector->options;
    if (options->name != NULL) {
        fx_buf_str(query, "&fieldSelector=metadata.name%3D");
        fx_kube_write_query(fx_text_of(options->name), query);
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
    struct fx_kube_reflector *reflector = fx_checked(timer->data, REFLECTOR_MAGIC);
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
    uv_update_time(reflector->timer.loop); /* callbacks may have taken long */
    (void)uv_timer_start(&reflector->timer, on_timer, ms, 0); /* cannot fail */
}

void fx_kube_reflector_retry(struct fx_kube_reflector *reflector, enum fx_kube_step step,
                             const struct fx_kube_failure *failure) {
    const struct fx_kube_delays *delays = &reflector->delays;
    fx_kube_reflector_wait(
        reflector, step,
        fx_kube_backoff_next(&reflector->backoff,
                             failure->retry_after_s * delays->second_ms,
                             delays->max_retry_after_ms, &reflector->random));
}

void fx_kube_reflector_set_delays(struct fx_kube_reflector *reflector,
                                  const struct fx_kube_delays *delays) {
    reflector->delays = *delays;
    reflector->backoff = reflector->relists = (struct fx_kube_backoff){
        .min_ms = delays->backoff_min_ms, .max_ms = delays->backoff_max_ms};
}

/* ---- reporting objects ---- */

static bool is_below_limit(const struct fx_kube_reflector *reflector,
                           struct fx_err *err) {
    return reflector->known.n_objects < FX_LIMIT_KUBE_OBJECTS ||
           fx_fail(err, FX_ELIMIT, "more than %u objects", FX_LIMIT_KUBE_OBJECTS);
}

static void report_gone(struct fx_text namespace_, struct fx_text name, void *user) {
    struct fx_kube_reflector *reflector = user;
    reflector->events.on_gone(namespace_, name, reflector->user);
}

/* Is called if the callback did not take the object, and may still have an older version
 * of it. */
static void undo_put(struct fx_kube_reflector *reflector,
                     const struct fx_kube_identity *identity, bool has_older_version) {
    if (has_older_version) {
        fx_kube_known_forget_version(&reflector->known, identity);
    } else {
        fx_kube_known_remove(&reflector->known, identity);
    }
}

bool fx_kube_reflector_report_object(struct fx_kube_reflector *reflector, json_t *object,
                                     const struct fx_kube_identity *identity, bool always,
                                     struct fx_err *err) {
    struct fx_kube_identity old;
    const bool found = fx_kube_known_find(&reflector->known, identity, &old);
    const bool same_uid = found && fx_text_equal(old.uid, identity->uid);
    const bool same = same_uid && fx_text_equal(old.version, identity->version);
    if (!found && !is_below_limit(reflector, err)) {
        return false;
    }
    /* The object is added before it is reported, so that a reported object is always
     * known. */
    const bool reports = !same || always;
    const bool stripped =
        !reports ||
        fx_kube_object_strip(object, &reflector->type, reflector->options.metadata_only);
    if (!stripped || !fx_kube_known_put(&reflector->known, identity)) {
        return fx_fail_nomem(err);
    }
    if (found && !same_uid) {
        report_gone(identity->namespace_, identity->name, reflector);
    }
    if (reports && !reflector->events.on_object(object, reflector->user)) {
        undo_put(reflector, identity, same_uid);
        return fx_fail_nomem(err);
    }
    return true;
}

bool fx_kube_reflector_report_event(struct fx_kube_reflector *reflector,
                                    enum fx_kube_event event, json_t *object,
                                    const struct fx_kube_identity *identity,
                                    struct fx_err *err) {
    struct fx_kube_identity old;
    const bool found = fx_kube_known_find(&reflector->known, identity, &old);
    if (found && fx_kube_version_is_before(identity->version, old.version)) {
        return true;
    }
    if (event != FX_KUBE_EVENT_DELETED) {
        return fx_kube_reflector_report_object(reflector, object, identity, false, err);
    }
    if (found) {
        fx_kube_known_remove(&reflector->known, identity);
        report_gone(identity->namespace_, identity->name, reflector);
    }
    return true;
}

void fx_kube_reflector_report_removed(struct fx_kube_reflector *reflector) {
    fx_kube_known_remove_unseen(&reflector->known, report_gone, reflector);
}

/* ---- life ---- */

/* Returns a copy of the string; NULL for NULL. Sets `*ok` to false without memory. */
static char *copy_string(const char *string, bool *ok) {
    char *own = string == NULL ? NULL : fx_text_dup(fx_text_of(string));
    *ok = *ok && (string == NULL || own != NULL);
    return own;
}

static void destroy(struct fx_kube_reflector *reflector) {
    fx_kube_known_finish(&reflector->known);
    fx_kube_type_meta_finish(&reflector->type);
    fx_kube_events_finish(&reflector->stream);
    fx_buf_finish(&reflector->page_token);
    fx_buf_finish(&reflector->list_version);
    fx_buf_finish(&reflector->version);
    free(reflector->namespace_);
    free(reflector->name);
    reflector->magic = 0;
    free(reflector);
}

/* Copies the options. False without memory. */
static bool copy_options(struct fx_kube_reflector *reflector,
                         const struct fx_kube_reflector_options *options) {
    bool ok = true;
    reflector->namespace_ = copy_string(options->namespace_, &ok);
    reflector->name = copy_string(options->name, &ok);
    reflector->options = *options;
    reflector->options.namespace_ = reflector->namespace_;
    reflector->options.name = reflector->name;
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
    reflector->reported_at = SIZE_MAX;
    fx_kube_random_init(&reflector->random);
    fx_kube_reflector_set_delays(reflector, &fx_kube_default_delays);
    reflector->timer.data = reflector;
    (void)uv_timer_init(loop, &reflector->timer); /* cannot fail */
    fx_kube_reflector_wait(reflector, FX_KUBE_STEP_LIST, 0);
    return reflector;
}

static void on_closed(uv_handle_t *timer) {
    destroy(fx_checked(timer->data, REFLECTOR_MAGIC));
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
