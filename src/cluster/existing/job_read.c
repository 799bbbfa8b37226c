/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/existing/job_read.c - the requests of a job that read: the resource of a kind,
 * one object by its name, or a list, page by page.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/wildcard.h"
#include "cluster/existing/job.h"
#include "value/tree.h"

#define PAGE "limit=100"

static existing_step read_resource, end_query;

/* The kind of a query, with its texts as strings. */
struct kind_texts {
    char *group, *version, *kind;
};

static bool copy_kind(const struct fx_existing_query *query, struct kind_texts *texts) {
    texts->group = fx_text_dup(query->group);
    texts->version = fx_text_dup(query->version);
    texts->kind = fx_text_dup(query->kind);
    return texts->group != NULL && texts->version != NULL && texts->kind != NULL;
}

static void free_kind(struct kind_texts *texts) {
    free(texts->group);
    free(texts->version);
    free(texts->kind);
}

static struct fx_kube_resource wanted_of(const struct kind_texts *texts) {
    return (struct fx_kube_resource){texts->group, texts->version, "", texts->kind};
}

const struct fx_kube_kind *existing_job_kind(struct existing_job *job) {
    struct kind_texts texts;
    const struct fx_kube_kind *kind = NULL;
    if (copy_kind(existing_job_query(job), &texts)) {
        const struct fx_kube_resource wanted = wanted_of(&texts);
        kind = fx_kube_kinds_find(&job->existing->kinds, &wanted);
    }
    free_kind(&texts);
    return kind;
}

void existing_job_fail_memory(struct existing_job *job) {
    struct fx_err err = FX_ERR_INIT;
    (void)fx_fail_nomem(&err);
    existing_job_fail(job, "RuleFailed", &err);
    existing_job_end(job, FX_EXISTING_JOB_FAILED);
}

/* ---- queries ------------------------------------------------------------------------
 */

void existing_job_next_query(struct existing_job *job) {
    json_decref(job->page);
    free(job->next_page);
    job->page = NULL;
    job->next_page = NULL;
    job->at_object = 0;
    if (job->at_query < job->queries.n_items) {
        existing_job_next_page(job);
    } else {
        existing_job_end(job,
                         job->failed ? FX_EXISTING_JOB_FAILED : FX_EXISTING_JOB_DONE);
    }
}

static void end_query(struct existing_job *job) {
    job->at_query++;
    existing_job_next_query(job);
}

/* ---- pages --------------------------------------------------------------------------
 */

/* Keeps the token of the next page, if there is one. */
static bool keep_token(struct existing_job *job, const json_t *list) {
    const struct fx_text token =
        fx_tree_view_string(fx_tree_view_key(list, "metadata"), "continue");
    free(job->next_page);
    job->next_page = token.len == 0 ? NULL : fx_text_dup(token);
    return token.len == 0 || job->next_page != NULL;
}

/* Takes the objects of an answer: the items of a list, or the object. */
static bool take_objects(struct existing_job *job, json_t *answer) {
    json_t *items = fx_tree_view_key(answer, "items");
    json_decref(job->page);
    job->at_object = 0;
    if (!fx_existing_query_is_exact(existing_job_query(job)) && json_is_array(items)) {
        job->page = json_incref(items);
        return keep_token(job, answer);
    }
    job->page = json_pack("[O]", answer);
    return job->page != NULL;
}

/* Begins the list again if the page is too old, which costs an attempt. */
static void fail_page(struct existing_job *job, const struct fx_kube_failure *failure) {
    if (failure->reason == FX_KUBE_REASON_NOT_FOUND) {
        end_query(job);
    } else if (failure->reason == FX_KUBE_REASON_EXPIRED && job->next_page != NULL) {
        free(job->next_page);
        job->next_page = NULL;
        existing_job_wait(job, job->backoff.min_ms, existing_job_next_page);
    } else {
        existing_job_retry(job, failure, existing_job_next_page, end_query);
    }
}

static void forget_kind(struct existing_job *job) {
    struct kind_texts texts;
    if (copy_kind(existing_job_query(job), &texts)) {
        const struct fx_kube_resource wanted = wanted_of(&texts);
        fx_kube_kinds_forget(&job->existing->kinds, &wanted);
    }
    free_kind(&texts);
}

static void on_page(const struct fx_kube_answer *answer, void *user) {
    struct existing_job *job = existing_job_of(user);
    job->call = NULL;
    if (answer->failure != NULL) {
        if (answer->failure->reason == FX_KUBE_REASON_UNKNOWN) {
            forget_kind(job);
        }
        fail_page(job, answer->failure);
        return;
    }
    fx_kube_backoff_reset(&job->backoff);
    if (!take_objects(job, answer->object)) {
        existing_job_fail_memory(job);
        return;
    }
    existing_job_next_object(job);
}

/* Writes "limit=100&continue=TOKEN". */
static void write_query(const struct existing_job *job, struct fx_buf *query) {
    fx_buf_str(query, PAGE);
    if (job->next_page != NULL) {
        fx_buf_str(query, "&continue=");
        fx_kube_write_query(fx_text_of(job->next_page), query);
    }
}

/* The object, or the collection: of one namespace, or of all. */
static struct fx_kube_name name_of(const struct fx_existing_query *query,
                                   bool is_namespaced) {
    const bool is_exact = fx_existing_query_is_exact(query);
    const bool has_namespace =
        is_namespaced && !fx_wildcard_is_pattern(query->namespace_);
    return (struct fx_kube_name){
        .namespace_ = has_namespace ? query->namespace_ : (struct fx_text){0},
        .name = is_exact ? query->name : (struct fx_text){0},
        .everywhere = true,
    };
}

/* Sends the request for the page. False without memory. */
static bool send_read(struct existing_job *job, const struct fx_kube_kind *kind) {
    const struct fx_existing_query *query = existing_job_query(job);
    const bool is_exact = fx_existing_query_is_exact(query);
    struct fx_buf text = {0};
    write_query(job, &text);
    const struct fx_kube_request request = {
        .verb = is_exact ? FX_KUBE_VERB_GET : FX_KUBE_VERB_LIST,
        .resource = &kind->resource,
        .name = name_of(query, kind->is_namespaced),
        .query = is_exact ? NULL : text.data,
    };
    if (!text.failed) {
        job->call = fx_kube_call_start(job->existing->client, &request, on_page, job);
    }
    fx_buf_finish(&text);
    return job->call != NULL;
}

/* An exact query of a namespaced kind needs a namespace. */
static bool lacks_namespace(const struct fx_existing_query *query,
                            const struct fx_kube_kind *kind) {
    return kind->is_namespaced && query->namespace_.len == 0 &&
           fx_existing_query_is_exact(query);
}

static void read_kind(struct existing_job *job, const struct fx_kube_kind *kind) {
    struct fx_err err = FX_ERR_INIT;
    if (lacks_namespace(existing_job_query(job), kind)) {
        (void)fx_fail(&err, FX_EINVALID, "the target %.*s `%.*s` needs a namespace",
                      FX_TEXT_ARG(existing_job_query(job)->kind),
                      FX_TEXT_ARG(existing_job_query(job)->name));
        existing_job_fail(job, "TargetsNotRead", &err);
        end_query(job);
        return;
    }
    const uint64_t ms = fx_existing_take_request(job->existing);
    if (ms > 0) {
        existing_job_wait(job, ms, existing_job_next_page);
    } else if (!send_read(job, kind)) {
        existing_job_fail_memory(job);
    }
}

/* Reads the next page of the query, after its resource, if that is not known. */
void existing_job_next_page(struct existing_job *job) {
    const struct fx_kube_kind *kind = existing_job_kind(job);
    if (fx_clock_ns() > job->deadline_ns) {
        struct fx_err err = FX_ERR_INIT;
        (void)fx_fail(&err, FX_EDEADLINE, "the job took more than %u s",
                      FX_LIMIT_EXISTING_JOB_MS / 1000);
        existing_job_fail(job, "TargetsNotRead", &err);
        existing_job_end(job, FX_EXISTING_JOB_FAILED);
    } else if (kind == NULL) {
        read_resource(job);
    } else {
        read_kind(job, kind);
    }
}

/* ---- the resource -------------------------------------------------------------------
 */

static void on_discovered(const struct fx_kube_discovered *discovered, void *user) {
    struct existing_job *job = existing_job_of(user);
    job->discovery = NULL;
    if (discovered->failure != NULL) {
        existing_job_retry(job, discovered->failure, existing_job_next_page, end_query);
    } else if (fx_kube_kinds_keep(&job->existing->kinds, discovered) == NULL) {
        existing_job_fail_memory(job);
    } else {
        existing_job_next_page(job);
    }
}

static void read_resource(struct existing_job *job) {
    struct kind_texts texts;
    if (copy_kind(existing_job_query(job), &texts)) {
        const struct fx_kube_resource wanted = wanted_of(&texts);
        job->discovery = fx_kube_discovery_start(job->existing->client, &wanted, 0,
                                                 on_discovered, job);
    }
    free_kind(&texts);
    if (job->discovery == NULL) {
        existing_job_fail_memory(job);
    }
}

/* ---- one object again ---------------------------------------------------------------
 */

static void skip_object(struct existing_job *job) {
    job->n_tries = 0;
    job->at_object++;
    existing_job_next_object(job);
}

static void on_object(const struct fx_kube_answer *answer, void *user) {
    struct existing_job *job = existing_job_of(user);
    job->call = NULL;
    if (answer->failure == NULL) {
        if (json_array_set(job->page, job->at_object, answer->object) != 0) {
            existing_job_fail_memory(job);
            return;
        }
        existing_job_next_object(job);
    } else if (answer->failure->reason == FX_KUBE_REASON_NOT_FOUND) {
        skip_object(job);
    } else {
        existing_job_retry(job, answer->failure, existing_job_read_again, skip_object);
    }
}

void existing_job_read_again(struct existing_job *job) {
    struct fx_subject subject;
    const struct fx_kube_kind *kind = existing_job_kind(job);
    const uint64_t ms = fx_existing_take_request(job->existing);
    if (ms > 0) {
        existing_job_wait(job, ms, existing_job_read_again);
        return;
    }
    fx_subject_read(json_array_get(job->page, job->at_object), &subject);
    if (kind != NULL) {
        const struct fx_kube_request request = {
            .verb = FX_KUBE_VERB_GET,
            .resource = &kind->resource,
            .name = {.namespace_ = subject.namespace_,
                     .name = subject.name,
                     .everywhere = true},
        };
        job->call = fx_kube_call_start(job->existing->client, &request, on_object, job);
    }
    if (kind == NULL) {
        existing_job_next_query(job); /* the kind is read again, and the list, too */
    } else if (job->call == NULL) {
        existing_job_fail_memory(job);
    }
}
