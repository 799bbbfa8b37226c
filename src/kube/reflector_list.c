/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/reflector_list.c - a whole list, page by page.
 *
 * The pages are of one moment, and the server keeps that for some minutes: a page that
 * comes too late is answered 410, and then all is asked for at once. What the list no
 * longer holds is known only at its end.
 */
#include "kube/reflector_internal.h"

#include "base/heap.h"
#include "base/limits.h"
#include "value/tree.h"

#define LIST_TIMEOUT_MS 60000u /* as long as an API server works on one, at most */
#define MOST_IN_VAIN    64u    /* pages without an object, or objects that came before */

static struct fx_text text_of(const struct fx_buf *buf) {
    return (struct fx_text){buf->data, buf->len};
}

/* ---- the end ---- */

/* There is no such resource, in no version: then nothing is unknown. */
static void be_absent(struct fx_kube_reflector *reflector) {
    reflector->at = 0;
    reflector->told_at = SIZE_MAX;
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

static void believe_absent(struct fx_kube_reflector *reflector) {
    const struct fx_kube_delays *pauses = &reflector->pauses;
    be_absent(reflector);
    fx_kube_backoff_reset(&reflector->backoff);
    fx_kube_reflector_wait(reflector, FX_KUBE_STEP_LIST,
                           fx_kube_random_between(&reflector->random,
                                                  pauses->absent_min_ms,
                                                  pauses->absent_max_ms));
}

/* Does it talk like an API server? That it refuses us is an answer, too. */
static bool is_api_server(const struct fx_kube_failure *failure) {
    return failure == NULL || failure->reason == FX_KUBE_REASON_NOT_FOUND ||
           failure->reason == FX_KUBE_REASON_FORBIDDEN;
}

static void on_known_object(const struct fx_kube_answer *answer, void *user) {
    struct fx_kube_reflector *reflector = user;
    reflector->call = NULL;
    if (is_api_server(answer->failure)) {
        believe_absent(reflector);
        return;
    }
    reflector->at = 0;
    fx_kube_reflector_set_state(reflector, FX_KUBE_STATE_FAILING, answer->failure);
    fx_kube_reflector_retry(reflector, FX_KUBE_STEP_LIST, answer->failure);
}

/* Asks for an object that is there since the cluster is. */
static void ask_known_object(struct fx_kube_reflector *reflector) {
    static const struct fx_kube_resource namespaces = {"", "v1", "namespaces",
                                                       "Namespace"};
    const struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_GET,
        .resource = &namespaces,
        .name = {.name = FX_TEXT("default")},
        .metadata_only = true,
    };
    reflector->call =
        fx_kube_call_start(reflector->client, &request, on_known_object, reflector);
    if (reflector->call == NULL) {
        reflector->at = 0;
        fx_kube_reflector_wait(reflector, FX_KUBE_STEP_LIST,
                               reflector->pauses.backoff_max_ms);
    }
}

/* The version that was served until now may be one of several: from the first one. */
static void try_next_version(struct fx_kube_reflector *reflector) {
    reflector->at = reflector->served ? 0 : reflector->at + 1;
    reflector->served = false;
    if (reflector->at < reflector->options.n_versions) {
        fx_kube_reflector_list(reflector);
        return;
    }
    reflector->at = 0;
    if (reflector->options.doubts && reflector->status.state != FX_KUBE_STATE_ABSENT) {
        ask_known_object(reflector);
    } else {
        believe_absent(reflector);
    }
}

/* Told once; what was told before counts no more. */
static void be_refused(struct fx_kube_reflector *reflector,
                       const struct fx_kube_failure *failure) {
    if (reflector->status.state != FX_KUBE_STATE_ABSENT) {
        fx_kube_reflector_set_state(reflector, FX_KUBE_STATE_FAILING, failure);
        be_absent(reflector);
    }
    fx_kube_reflector_retry(reflector, FX_KUBE_STEP_LIST, failure);
}

/* Objects that were told of already in the other version are told of anew. */
static void stop_seeking(struct fx_kube_reflector *reflector) {
    reflector->seeking = reflector->unlimited = false;
    reflector->at = reflector->told_at;
    fx_kube_type_meta_finish(&reflector->kind);
    const bool ok =
        fx_kube_type_meta_init(&reflector->kind, fx_kube_reflector_resource(reflector));
    if (ok && reflector->seek_then == FX_KUBE_STEP_WATCH && reflector->n_pages == 0) {
        fx_kube_reflector_watch(reflector);
    } else {
        fx_kube_reflector_list(reflector);
    }
}

static void list_failed(struct fx_kube_reflector *reflector,
                        const struct fx_kube_failure *failure) {
    const enum fx_kube_reason reason = failure->reason;
    const bool too_late = reason == FX_KUBE_REASON_EXPIRED &&
                          reflector->page_token.len > 0 && !reflector->unlimited;
    reflector->unlimited = too_late;
    if (too_late) {
        fx_kube_reflector_list(reflector);
    } else if (reflector->seeking) {
        stop_seeking(reflector);
    } else if (reason == FX_KUBE_REASON_UNKNOWN || reason == FX_KUBE_REASON_NOT_FOUND) {
        try_next_version(reflector);
    } else if (reason == FX_KUBE_REASON_FORBIDDEN && reflector->options.optional) {
        be_refused(reflector, failure);
    } else {
        fx_kube_reflector_set_state(reflector, FX_KUBE_STATE_FAILING, failure);
        fx_kube_reflector_retry(reflector, FX_KUBE_STEP_LIST, failure);
    }
}

static void fail_by(struct fx_kube_reflector *reflector, const struct fx_err *err) {
    struct fx_kube_failure failure;
    fx_kube_failure_of_error(err, &failure);
    fx_kube_failure_prefix(
        &failure, fx_kube_verb_name(FX_KUBE_VERB_LIST),
        fx_kube_reflector_resource(reflector),
        &(struct fx_kube_name){.namespace_ = fx_text_of(reflector->options.namespace_)});
    list_failed(reflector, &failure);
}

static bool set_text(struct fx_buf *buf, struct fx_text text) {
    fx_buf_reset(buf);
    fx_buf_text(buf, text);
    return !buf->failed;
}

static void list_is_whole(struct fx_kube_reflector *reflector) {
    struct fx_err err = FX_ERR_INIT;
    if (!set_text(&reflector->version, text_of(&reflector->list_version))) {
        (void)fx_fail_nomem(&err);
        fail_by(reflector, &err);
        return;
    }
    reflector->unlimited = false;
    reflector->served = true;
    reflector->seeking = false;
    reflector->seek_ms = fx_kube_reflector_now_ms() + reflector->pauses.seek_ms;
    reflector->told_at = reflector->at;
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

/* An item that has no name or version cannot be told of: it is passed over. In another
 * version of the API an object is another one, though its resourceVersion is the same. */
static bool take_items(struct fx_kube_reflector *reflector, const json_t *items,
                       struct fx_err *err) {
    const bool anyway =
        reflector->told_at != SIZE_MAX && reflector->told_at != reflector->at;
    struct fx_kube_identity identity;
    size_t i = 0;
    json_t *item = NULL;
    json_array_foreach (items, i, item) {
        if (!fx_kube_object_identify(item, &identity)) {
            continue;
        }
        if (!fx_kube_reflector_report_object(reflector, item, &identity, anyway, err)) {
            return false;
        }
        reflector->n_items++;
    }
    return true;
}

/* Pages of nothing, or of the same again and again, would be asked for one right after
 * the other, for ever. */
static bool leads_on(const struct fx_kube_reflector *reflector, struct fx_err *err) {
    const bool in_vain = reflector->n_pages > reflector->n_items + MOST_IN_VAIN ||
                         reflector->n_items > reflector->known.n_objects + MOST_IN_VAIN;
    return reflector->page_token.len == 0 || !in_vain ||
           fx_fail(err, FX_EINVALID, "the pages of the list have no end");
}

/* The version of the list is that of its first page: what happened since is watched. */
static bool take_page(struct fx_kube_reflector *reflector, const json_t *list,
                      struct fx_err *err) {
    const json_t *items = fx_tree_view_key(list, "items");
    const json_t *metadata = fx_tree_view_key(list, "metadata");
    const struct fx_text version = fx_kube_object_version(list);
    if (version.len == 0 ||
        (items != NULL && !json_is_null(items) && !json_is_array(items))) {
        return fx_fail(err, FX_EINVALID, "the answer is no list");
    }
    if (++reflector->n_pages > FX_LIMIT_KUBE_LIST_PAGES) {
        return fx_fail(err, FX_ELIMIT, "the list has more than %u pages",
                       FX_LIMIT_KUBE_LIST_PAGES);
    }
    if ((reflector->n_pages == 1 && !set_text(&reflector->list_version, version)) ||
        !set_text(&reflector->page_token, fx_tree_view_string(metadata, "continue"))) {
        return fx_fail_nomem(err);
    }
    return take_items(reflector, items, err) && leads_on(reflector, err);
}

static void ask_page(struct fx_kube_reflector *reflector);

static void on_page(const struct fx_kube_answer *answer, void *user) {
    struct fx_kube_reflector *reflector = user;
    struct fx_err err = FX_ERR_INIT;
    reflector->call = NULL;
    if (answer->failure != NULL) {
        list_failed(reflector, answer->failure);
    } else if (!take_page(reflector, answer->object, &err)) {
        fail_by(reflector, &err);
    } else if (reflector->page_token.len > 0) {
        ask_page(reflector);
    } else {
        list_is_whole(reflector);
    }
}

static void write_query(const struct fx_kube_reflector *reflector, struct fx_buf *query) {
    if (!reflector->unlimited) {
        fx_buf_printf(query, "limit=%u", reflector->pauses.page);
    }
    if (reflector->page_token.len > 0) {
        fx_buf_str(query, "&continue=");
        fx_kube_write_query(text_of(&reflector->page_token), query);
    }
    fx_kube_reflector_write_selectors(reflector, query);
}

static void ask_page(struct fx_kube_reflector *reflector) {
    struct fx_err err = FX_ERR_INIT;
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
        (void)fx_fail_nomem(&err);
        fail_by(reflector, &err);
    }
}

void fx_kube_reflector_list(struct fx_kube_reflector *reflector) {
    struct fx_err err = FX_ERR_INIT;
    fx_buf_reset(&reflector->page_token);
    reflector->n_pages = reflector->n_items = 0;
    fx_kube_known_begin_list(&reflector->known);
    fx_kube_type_meta_finish(&reflector->kind);
    if (!fx_kube_type_meta_init(&reflector->kind,
                                fx_kube_reflector_resource(reflector))) {
        (void)fx_fail_nomem(&err);
        fail_by(reflector, &err);
        return;
    }
    ask_page(reflector);
}

/* A list is about to be made anyway; a watch is not, and waits for the answer. While the
 * server is not well, the version that is known is the one to be asked for. */
bool fx_kube_reflector_try_preferred(struct fx_kube_reflector *reflector,
                                     enum fx_kube_step then) {
    const uint64_t now = fx_kube_reflector_now_ms();
    const bool is_time = then == FX_KUBE_STEP_LIST ||
                         (then == FX_KUBE_STEP_WATCH && now >= reflector->seek_ms);
    if (!is_time || !reflector->served || reflector->at == 0 ||
        reflector->at != reflector->told_at ||
        reflector->status.state != FX_KUBE_STATE_WATCHING || reflector->n_failed > 0) {
        return false;
    }
    reflector->seeking = true;
    reflector->seek_then = then;
    reflector->seek_ms = now + reflector->pauses.seek_ms;
    reflector->at = reflector->seek_at++ % reflector->told_at;
    fx_kube_reflector_list(reflector);
    return true;
}
