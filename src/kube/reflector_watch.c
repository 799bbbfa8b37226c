/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/reflector_watch.c - a watch, from its beginning to its end, and the step after it
 * (Kubernetes API concepts, "Efficient detection of changes").
 */
#include "kube/reflector_internal.h"

#include <inttypes.h>

#include "base/limits.h"

#define HEAD_TIMEOUT_MS 30000u
#define MAX_FAILURES    5u /* failed watches in a row before everything is listed again */

/* ---- the end ---- */

static void end_stream(struct fx_kube_reflector *reflector) {
    fx_kube_events_finish(&reflector->stream);
    (void)uv_timer_stop(&reflector->timer);
}

/* Handles a regular end: watches again, but not in a tight loop. */
static void watch_ended(struct fx_kube_reflector *reflector) {
    const uint64_t now = fx_kube_reflector_now_ms();
    const uint64_t next = reflector->watch_ms + reflector->delays.interval_ms;
    end_stream(reflector);
    fx_kube_reflector_note_contact(reflector);
    fx_kube_reflector_set_healthy(reflector);
    fx_kube_reflector_wait(reflector, FX_KUBE_STEP_WATCH, next > now ? next - now : 0);
}

/* Reports a failure. A single one is not reported, unless it is certain to happen
 * again. */
static void note_failure(struct fx_kube_reflector *reflector,
                         const struct fx_kube_failure *failure) {
    const bool is_lasting = failure->reason == FX_KUBE_REASON_UNAUTHORIZED ||
                            failure->reason == FX_KUBE_REASON_FORBIDDEN ||
                            failure->reason == FX_KUBE_REASON_INVALID;
    reflector->n_failed++;
    if (reflector->n_failed > 1 || is_lasting) {
        fx_kube_reflector_set_state(reflector, FX_KUBE_STATE_FAILING, failure);
    }
}

/* Lists everything again, because the watch cannot continue from the last version. This
 * happens at once the first time, and later after growing pauses, until a watch was
 * healthy for a while. */
static void list_again(struct fx_kube_reflector *reflector,
                       const struct fx_kube_failure *failure) {
    end_stream(reflector);
    const bool at_once = reflector->relists.next_ms == 0;
    const uint64_t pause =
        fx_kube_backoff_next(&reflector->relists, 0, 0, &reflector->random);
    if (!at_once) {
        note_failure(reflector, failure);
    }
    fx_kube_reflector_wait(reflector, FX_KUBE_STEP_LIST, at_once ? 0 : pause);
}

/* Watches again from the last version, or, after several failures, lists again. */
static void watch_again(struct fx_kube_reflector *reflector,
                        const struct fx_kube_failure *failure) {
    end_stream(reflector);
    note_failure(reflector, failure);
    fx_kube_reflector_retry(reflector,
                            reflector->n_failed % MAX_FAILURES == 0 ? FX_KUBE_STEP_LIST
                                                                    : FX_KUBE_STEP_WATCH,
                            failure);
}

static void watch_failed(struct fx_kube_reflector *reflector,
                         const struct fx_kube_failure *failure) {
    if (failure->reason == FX_KUBE_REASON_EXPIRED ||
        failure->reason == FX_KUBE_REASON_UNKNOWN ||
        failure->reason == FX_KUBE_REASON_NOT_FOUND) {
        list_again(reflector, failure);
    } else {
        watch_again(reflector, failure);
    }
}

static void add_prefix(const struct fx_kube_reflector *reflector,
                       struct fx_kube_failure *failure) {
    fx_kube_failure_prefix(
        failure, fx_kube_verb_name(FX_KUBE_VERB_WATCH),
        fx_kube_reflector_resource(reflector),
        &(struct fx_kube_name){.namespace_ = fx_text_of(reflector->options.namespace_)});
}

static void failure_of(const struct fx_kube_reflector *reflector,
                       const struct fx_err *err, struct fx_kube_failure *ret_failure) {
    fx_kube_failure_of_error(err, ret_failure);
    add_prefix(reflector, ret_failure);
}

/* ---- events ---- */

/* Stores the last version, which never decreases. False without memory. */
static bool advance(struct fx_kube_reflector *reflector, struct fx_text version) {
    struct fx_buf *seen = &reflector->version;
    if (version.len == 0 || fx_kube_version_is_before(version, fx_buf_view(seen))) {
        return true;
    }
    /* Reserves first, so that without memory the old version stays. */
    if (version.len >= seen->cap && fx_buf_reserve(seen, version.len) == NULL) {
        seen->failed = false;
        return false;
    }
    fx_buf_reset(seen);
    fx_buf_text(seen, version);
    return true;
}

/* The failure of an ERROR event is kept in `reflector->ending`. */
static bool handle_error_event(struct fx_kube_reflector *reflector, const json_t *object,
                               struct fx_err *err) {
    fx_kube_failure_of_status(object, &reflector->ending);
    add_prefix(reflector, &reflector->ending);
    return fx_fail(err, FX_EIO, "%s", reflector->ending.message);
}

static bool on_event(enum fx_kube_event event, json_t *object, void *user,
                     struct fx_err *err) {
    struct fx_kube_reflector *reflector = user;
    struct fx_kube_identity identity;
    if (event == FX_KUBE_EVENT_ERROR) {
        return handle_error_event(reflector, object, err);
    }
    reflector->status.n_events++;
    fx_kube_reflector_note_contact(reflector);
    if (event == FX_KUBE_EVENT_BOOKMARK) {
        if (!advance(reflector, fx_kube_object_version(object))) {
            return fx_fail_nomem(err);
        }
    } else if (!fx_kube_object_identify(object, &identity)) {
        return fx_fail(err, FX_EINVALID, "the object of an event has no name or version");
    } else if (!fx_kube_reflector_report_event(reflector, event, object, &identity,
                                               err)) {
        return false;
    } else if (!advance(reflector, identity.version)) {
        return fx_fail_nomem(err);
    }
    fx_kube_reflector_set_healthy(reflector);
    return true;
}

/* ---- the stream ---- */

static void on_open(void *user) {
    struct fx_kube_reflector *reflector = user;
    reflector->status.n_watches++;
    if (reflector->n_failed == 0) {
        fx_kube_reflector_set_state(reflector, FX_KUBE_STATE_WATCHING, NULL);
    }
    fx_kube_reflector_wait(reflector, FX_KUBE_STEP_HEALTHY, reflector->delays.healthy_ms);
}

/* Handles an event that could not be processed. Without memory the watch is repeated. Any
 * other failure would occur again at the same event, so everything is listed. */
static void stream_failed(struct fx_kube_reflector *reflector, const struct fx_err *err) {
    struct fx_kube_failure failure = reflector->ending;
    if (failure.reason != FX_KUBE_REASON_NONE) {
        watch_failed(reflector, &failure);
        return;
    }
    failure_of(reflector, err, &failure);
    if (err->code == FX_ENOMEM) {
        watch_again(reflector, &failure);
    } else {
        list_again(reflector, &failure);
    }
}

static void on_piece(struct fx_text piece, void *user) {
    struct fx_kube_reflector *reflector = user;
    struct fx_err err = FX_ERR_INIT;
    if (!fx_kube_events_feed(&reflector->stream, piece, &err)) {
        fx_kube_call_cancel(reflector->call);
        reflector->call = NULL;
        stream_failed(reflector, &err);
    }
}

static void on_end(const struct fx_kube_answer *answer, void *user) {
    struct fx_kube_reflector *reflector = user;
    struct fx_err err = FX_ERR_INIT;
    reflector->call = NULL;
    if (answer->failure != NULL) {
        watch_failed(reflector, answer->failure);
    } else if (fx_kube_events_end(&reflector->stream, &err)) {
        watch_ended(reflector);
    } else if (err.code == FX_ESYNTAX) {
        struct fx_kube_failure failure;
        failure_of(reflector, &err, &failure); /* the stream was cut within an event */
        watch_again(reflector, &failure);
    } else {
        stream_failed(reflector, &err);
    }
}

static struct fx_kube_call *start_watch(struct fx_kube_reflector *reflector,
                                        const struct fx_buf *query, uint64_t seconds) {
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_WATCH,
        .resource = fx_kube_reflector_resource(reflector),
        .name = {.namespace_ = fx_text_of(reflector->options.namespace_)},
        .query = query->data,
        .metadata_only = reflector->options.metadata_only,
        .timeout_ms = HEAD_TIMEOUT_MS,
    };
    const struct fx_kube_sink sink = {
        .on_open = on_open,
        .on_piece = on_piece,
        .silence_ms = seconds * 1000 + reflector->delays.silence_ms,
    };
    return fx_kube_call_stream(reflector->client, &request, &sink, on_end, reflector);
}

void fx_kube_reflector_watch(struct fx_kube_reflector *reflector) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf query = {0};
    const uint64_t seconds = fx_kube_random_between(
        &reflector->random, reflector->delays.watch_min_s, reflector->delays.watch_max_s);
    fx_kube_events_init(&reflector->stream, FX_LIMIT_KUBE_EVENT_BYTES,
                        fx_kube_resource_is_secret(fx_kube_reflector_resource(reflector)),
                        on_event, reflector);
    reflector->ending.reason = FX_KUBE_REASON_NONE;
    reflector->watch_ms = fx_kube_reflector_now_ms();
    fx_buf_printf(&query,
                  "watch=true&allowWatchBookmarks=true&timeoutSeconds=%" PRIu64
                  "&resourceVersion=",
                  seconds);
    fx_kube_write_query(fx_buf_view(&reflector->version), &query);
    fx_kube_reflector_write_selector(reflector, &query);
    reflector->call = query.failed ? NULL : start_watch(reflector, &query, seconds);
    fx_buf_finish(&query);
    if (reflector->call == NULL) {
        struct fx_kube_failure failure;
        (void)fx_fail_nomem(&err);
        failure_of(reflector, &err, &failure);
        watch_again(reflector, &failure);
    }
}
