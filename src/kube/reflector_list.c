/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/reflector_list.c - a whole list, page by page.
 *
 * All pages show the state at one moment, which the server keeps for some minutes. A late
 * request for a page is answered 410; then everything is requested at once. Only at the
 * end of the list it is known which objects are gone.
 */
#include "kube/reflector_internal.h"

#include "base/heap.h"
#include "base/limits.h"
#include "value/tree.h"

#define LIST_TIMEOUT_MS 60000u /* the longest time that API servers take for a list */
#define USELESS_MAX     64u /* pages without objects, or with objects of earlier pages */

/* ---- the end ---- */

/* The resource exists in no version, so there are no objects. */
static void set_absent(struct fx_kube_reflector *reflector) {
    reflector->at = 0;
    reflector->reported_at = SIZE_MAX;
    reflector->status.version = NULL;
    fx_kube_known_begin_list(&reflector->known);
    fx_kube_reflector_report_removed(reflector);
    const bool was_absent = reflector->status.state == FX_KUBE_STATE_ABSENT;
    fx_kube_reflector_note_contact(reflector);
    fx_kube_reflector_set_state(reflector, FX_KUBE_STATE_ABSENT, NULL);
    if (!was_absent) {
        fx_kube_reflector_report_synced(reflector);
    }
}

static void accept_absent(struct fx_kube_reflector *reflector) {
    const struct fx_kube_delays *delays = &reflector->delays;
    set_absent(reflector);
    fx_kube_backoff_reset(&reflector->backoff);
    fx_kube_reflector_wait(reflector, FX_KUBE_STEP_LIST,
                           fx_kube_random_between(&reflector->random,
                                                  delays->absent_min_ms,
                                                  delays->absent_max_ms));
}

/* Is the answer from an API server? A refusal is, too. */
static bool is_from_api_server(const struct fx_kube_failure *failure) {
    return failure == NULL || failure->reason == FX_KUBE_REASON_NOT_FOUND ||
           failure->reason == FX_KUBE_REASON_FORBIDDEN;
}

static void on_default_namespace(const struct fx_kube_answer *answer, void *user) {
    struct fx_kube_reflector *reflector = user;
    reflector->call = NULL;
    if (is_from_api_server(answer->failure)) {
        accept_absent(reflector);
        return;
    }
    reflector->at = 0;
    fx_kube_reflector_set_state(reflector, FX_KUBE_STATE_FAILING, answer->failure);
    fx_kube_reflector_retry(reflector, FX_KUBE_STEP_LIST, answer->failure);
}

/* Requests an object that every cluster has. */
static void request_default_namespace(struct fx_kube_reflector *reflector) {
    static const struct fx_kube_resource namespaces = {"", "v1", "namespaces",
                                                       "Namespace"};
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_GET,
        .resource = &namespaces,
        .name = {.name = FX_TEXT("default")},
        .metadata_only = true,
    };
    reflector->call =
        fx_kube_call_start(reflector->client, &request, on_default_namespace, reflector);
    if (reflector->call == NULL) {
        reflector->at = 0;
        fx_kube_reflector_wait(reflector, FX_KUBE_STEP_LIST,
                               reflector->delays.backoff_max_ms);
    }
}

/* Tries the next version. If the version was served until now, tries all versions, from
 * the first one. */
static void try_next_version(struct fx_kube_reflector *reflector) {
    reflector->at = reflector->served ? 0 : reflector->at + 1;
    reflector->served = false;
    if (reflector->at < reflector->options.n_versions) {
        fx_kube_reflector_list(reflector);
        return;
    }
    reflector->at = 0;
    if (reflector->options.confirm_absence &&
        reflector->status.state != FX_KUBE_STATE_ABSENT) {
        request_default_namespace(reflector);
    } else {
        accept_absent(reflector);
    }
}

/* Is called if the preferred version is not served after all. Objects that were already
 * reported in it are reported again by the list. */
static void stop_trying_preferred(struct fx_kube_reflector *reflector) {
    reflector->trying_preferred = reflector->unlimited = false;
    reflector->at = reflector->reported_at;
    fx_kube_type_meta_finish(&reflector->type);
    const bool ok =
        fx_kube_type_meta_init(&reflector->type, fx_kube_reflector_resource(reflector));
    if (ok && reflector->then == FX_KUBE_STEP_WATCH && reflector->n_pages == 0) {
        fx_kube_reflector_watch(reflector);
    } else {
        fx_kube_reflector_list(reflector);
    }
}

static void list_failed(struct fx_kube_reflector *reflector,
                        const struct fx_kube_failure *failure) {
    const enum fx_kube_reason reason = failure->reason;
    const bool is_expired = reason == FX_KUBE_REASON_EXPIRED &&
                            reflector->page_token.len > 0 && !reflector->unlimited;
    reflector->unlimited = is_expired;
    if (is_expired) {
        fx_kube_reflector_list(reflector);
    } else if (reflector->trying_preferred) {
        stop_trying_preferred(reflector);
    } else if (reason == FX_KUBE_REASON_UNKNOWN || reason == FX_KUBE_REASON_NOT_FOUND) {
        try_next_version(reflector);
    } else {
        fx_kube_reflector_set_state(reflector, FX_KUBE_STATE_FAILING, failure);
        fx_kube_reflector_retry(reflector, FX_KUBE_STEP_LIST, failure);
    }
}

static void fail_with(struct fx_kube_reflector *reflector, const struct fx_err *err) {
    struct fx_kube_failure failure;
    fx_kube_failure_of_error(err, &failure);
    fx_kube_failure_prefix(
        &failure, fx_kube_verb_name(FX_KUBE_VERB_LIST),
        fx_kube_reflector_resource(reflector),
        &(struct fx_kube_name){.namespace_ = fx_text_of(reflector->options.namespace_)});
    list_failed(reflector, &failure);
}

static void fail_nomem(struct fx_kube_reflector *reflector) {
    struct fx_err err = FX_ERR_INIT;
    (void)fx_fail_nomem(&err);
    fail_with(reflector, &err);
}

static bool set_text(struct fx_buf *buf, struct fx_text text) {
    fx_buf_reset(buf);
    fx_buf_text(buf, text);
    return !buf->failed;
}

static void complete_list(struct fx_kube_reflector *reflector) {
    if (!set_text(&reflector->version, fx_buf_view(&reflector->list_version))) {
        fail_nomem(reflector);
        return;
    }
    reflector->unlimited = false;
    reflector->served = true;
    reflector->trying_preferred = false;
    reflector->preferred_after_ms =
        fx_kube_reflector_now_ms() + reflector->delays.preferred_ms;
    reflector->reported_at = reflector->at;
    reflector->status.version = fx_kube_reflector_resource(reflector);
    reflector->status.n_lists++;
    fx_kube_reflector_report_removed(reflector);
    fx_kube_reflector_note_contact(reflector);
    fx_kube_reflector_report_synced(reflector);
    if (reflector->n_pages > 1) {
        fx_heap_trim();
    }
    fx_kube_reflector_watch(reflector);
}

/* ---- a page ---- */

/* Reports the items of a page. Items without name or version are skipped. In another
 * version of the API all objects are reported again, although their resourceVersion is
 * the same. */
static bool report_items(struct fx_kube_reflector *reflector, const json_t *items,
                         struct fx_err *err) {
    const bool always =
        reflector->reported_at != SIZE_MAX && reflector->reported_at != reflector->at;
    struct fx_kube_identity identity;
    size_t i = 0;
    json_t *item = NULL;
    json_array_foreach (items, i, item) {
        if (!fx_kube_object_identify(item, &identity)) {
            continue;
        }
        if (!fx_kube_reflector_report_object(reflector, item, &identity, always, err)) {
            return false;
        }
        reflector->n_items++;
    }
    return true;
}

/* Does the page make progress? A server that sends empty pages, or repeats pages, would
 * be asked forever. */
static bool makes_progress(const struct fx_kube_reflector *reflector,
                           struct fx_err *err) {
    const bool is_useless = reflector->n_pages > reflector->n_items + USELESS_MAX ||
                            reflector->n_items > reflector->known.n_objects + USELESS_MAX;
    return reflector->page_token.len == 0 || !is_useless ||
           fx_fail(err, FX_EINVALID, "the list has endless pages");
}

/* Handles a page. The version of the list is that of its first page; the watch reports
 * later changes. */
static bool handle_page(struct fx_kube_reflector *reflector, const json_t *list,
                        struct fx_err *err) {
    const json_t *items = fx_tree_view_key(list, "items");
    const json_t *metadata = fx_tree_view_key(list, "metadata");
    const struct fx_text version = fx_kube_object_version(list);
    if (version.len == 0 ||
        (items != NULL && !json_is_null(items) && !json_is_array(items))) {
        return fx_fail(err, FX_EINVALID, "the answer is not a list");
    }
    if (++reflector->n_pages > FX_LIMIT_KUBE_LIST_PAGES) {
        return fx_fail(err, FX_ELIMIT, "the list has more than %u pages",
                       FX_LIMIT_KUBE_LIST_PAGES);
    }
    if ((reflector->n_pages == 1 && !set_text(&reflector->list_version, version)) ||
        !set_text(&reflector->page_token, fx_tree_view_string(metadata, "continue"))) {
        return fx_fail_nomem(err);
    }
    return report_items(reflector, items, err) && makes_progress(reflector, err);
}

static void request_page(struct fx_kube_reflector *reflector);

static void on_page(const struct fx_kube_answer *answer, void *user) {
    struct fx_kube_reflector *reflector = user;
    struct fx_err err = FX_ERR_INIT;
    reflector->call = NULL;
    if (answer->failure != NULL) {
        list_failed(reflector, answer->failure);
    } else if (!handle_page(reflector, answer->object, &err)) {
        fail_with(reflector, &err);
    } else if (reflector->page_token.len > 0) {
        request_page(reflector);
    } else {
        complete_list(reflector);
    }
}

static void write_query(const struct fx_kube_reflector *reflector, struct fx_buf *query) {
    if (!reflector->unlimited) {
        fx_buf_printf(query, "limit=%u", reflector->delays.page);
    }
    if (reflector->page_token.len > 0) {
        fx_buf_str(query, "&continue=");
        fx_kube_write_query(fx_buf_view(&reflector->page_token), query);
    }
    fx_kube_reflector_write_selector(reflector, query);
}

static void request_page(struct fx_kube_reflector *reflector) {
    struct fx_buf query = {0};
    write_query(reflector, &query);
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_LIST,
        .resource = fx_kube_reflector_resource(reflector),
        .name = {.namespace_ = fx_text_of(reflector->options.namespace_)},
        .query = query.len == 0 ? NULL : query.data + (query.data[0] == '&'),
        .metadata_only = reflector->options.metadata_only,
        .timeout_ms = LIST_TIMEOUT_MS,
    };
    reflector->call = query.failed ? NULL
                                   : fx_kube_call_start(reflector->client, &request,
                                                        on_page, reflector);
    fx_buf_finish(&query);
    if (reflector->call == NULL) {
        fail_nomem(reflector);
    }
}

void fx_kube_reflector_list(struct fx_kube_reflector *reflector) {
    fx_buf_reset(&reflector->page_token);
    reflector->n_pages = reflector->n_items = 0;
    fx_kube_known_begin_list(&reflector->known);
    fx_kube_type_meta_finish(&reflector->type);
    if (!fx_kube_type_meta_init(&reflector->type,
                                fx_kube_reflector_resource(reflector))) {
        fail_nomem(reflector);
        return;
    }
    request_page(reflector);
}

/* Before a list this costs little. A watch has to wait for it, so it is done only rarely.
 * While requests fail, the version in use is kept. */
bool fx_kube_reflector_try_preferred(struct fx_kube_reflector *reflector,
                                     enum fx_kube_step then) {
    const uint64_t now = fx_kube_reflector_now_ms();
    const bool is_due =
        then == FX_KUBE_STEP_LIST ||
        (then == FX_KUBE_STEP_WATCH && now >= reflector->preferred_after_ms);
    if (!is_due || !reflector->served || reflector->at == 0 ||
        reflector->at != reflector->reported_at ||
        reflector->status.state != FX_KUBE_STATE_WATCHING || reflector->n_failed > 0) {
        return false;
    }
    reflector->trying_preferred = true;
    reflector->then = then;
    reflector->preferred_after_ms = now + reflector->delays.preferred_ms;
    reflector->at = reflector->preferred_at++ % reflector->reported_at;
    fx_kube_reflector_list(reflector);
    return true;
}
