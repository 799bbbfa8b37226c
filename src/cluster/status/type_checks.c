/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/type_checks.c - the list of policies, and the check of one of them:
 *
 *   worker: check → schemas are missing → loop: fetch them all → worker: check again
 *
 * A check sees only the schemas that its job holds, so it may go on while anything else
 * is closed.
 */
#include "cluster/status/type_checks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/jobs.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/vec.h"
#include "engine/policy_text.h"
#include "engine/type_warnings.h"
#include "kube/backoff.h"
#include "value/tree.h"

#define CHECKS_MAGIC 0x66787463u /* "fxtc" */

#define ROUND_MS    UINT64_C(600000)
#define CHECK_MS    5000u /* for one policy; beyond that it has no warnings */
#define MOST_RUNS   4u    /* of one check, each with more schemas */
#define MOST_NEEDED 64u   /* groups and versions of one policy */

/* A policy. */
struct type_item {
    char *key;
    struct fx_unit *unit; /* counted */
    json_t *types;        /* its status.typeChecking; NULL: not known */
    bool is_due;
};

/* The schemas of a group and version that a check asked for. */
struct type_schemas {
    char *group, *version;
    struct fx_schema_catalog *catalog; /* NULL: they could not be fetched */
    bool is_fetched;
};

/* The check of one policy. */
struct type_job {
    uv_work_t work;
    struct fx_job watched;
    struct fx_type_checks *checks; /* NULL: they were closed */
    struct fx_unit *unit;          /* counted; NULL: no check is under way */
    struct type_schemas needed[MOST_NEEDED];
    size_t n_needed;
    unsigned n_runs;
    bool is_working;
    json_t *types; /* the result; NULL without memory, or if schemas are missing */
    bool waits;
};

struct fx_type_checks {
    uint32_t magic;
    uv_timer_t timer;
    uv_loop_t *loop;
    struct fx_type_source source;
    void (*on_checked)(const char *key, void *user);
    void *user;
    struct type_item *items; /* sorted by key */
    size_t n_items;
    uint64_t round_ns; /* when all are checked again */
    struct type_job *job;
};

static void run_in(struct fx_type_checks *checks, uint64_t ms);

/* ---- on the worker ----------------------------------------------------------------- */

static struct type_schemas *find_needed(struct type_job *job, struct fx_text group,
                                        struct fx_text version) {
    for (size_t i = 0; i < job->n_needed; i++) {
        if (fx_text_is(group, job->needed[i].group) &&
            fx_text_is(version, job->needed[i].version)) {
            return &job->needed[i];
        }
    }
    return NULL;
}

/* fx_schemas_look_up: finds the schemas that the job holds, or notes that they are
 * needed. */
static enum fx_lookup look_up(void *user, struct fx_text group, struct fx_text version,
                              struct fx_schema_catalog **ret_catalog,
                              struct fx_err *err) {
    struct type_job *job = user;
    struct type_schemas *found = find_needed(job, group, version);
    if (found != NULL && found->is_fetched && found->catalog != NULL) {
        *ret_catalog = fx_schema_catalog_ref(found->catalog);
        return FX_LOOKUP_FOUND;
    }
    if ((found != NULL && found->is_fetched) || job->n_runs >= MOST_RUNS ||
        (found == NULL && job->n_needed == MOST_NEEDED)) {
        (void)fx_fail(err, FX_EIO, "the schemas could not be fetched");
        return FX_LOOKUP_FAILED;
    }
    if (found == NULL) {
        struct type_schemas *needed = &job->needed[job->n_needed];
        *needed = (struct type_schemas){.group = fx_text_dup(group),
                                        .version = fx_text_dup(version)};
        if (needed->group == NULL || needed->version == NULL) {
            free(needed->group);
            free(needed->version);
            (void)fx_fail_nomem(err);
            return FX_LOOKUP_FAILED;
        }
        job->n_needed++;
    }
    return FX_LOOKUP_WAIT;
}

/* Appends {"fieldRef", "warning"} of the warnings of one expression. */
static bool append_warning(json_t *list, const struct fx_type_warning *items, size_t n) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_type_warnings_print(&text, items, n);
    const bool ok = !text.failed &&
                    fx_tree_append_take(
                        list, json_pack("{s:s, s:o}", "fieldRef", items->field, "warning",
                                        fx_tree_new_string(fx_buf_view(&text))));
    fx_buf_finish(&text);
    return ok;
}

/* {"expressionWarnings": […]}: the list may be empty. An apply that removes the only
 * field of an object would leave null. NULL without memory. */
static json_t *make_types(const struct fx_type_warnings *warnings) {
    json_t *list = json_array();
    bool ok = list != NULL;
    size_t n = 0;
    for (size_t i = 0; ok && i < warnings->n_items; i += n) {
        n = fx_type_warnings_count_same(warnings, i);
        ok = append_warning(list, &warnings->items[i], n);
    }
    json_t *types = ok ? json_pack("{s:O}", "expressionWarnings", list) : NULL;
    json_decref(list);
    return types;
}

/* Checks the policy. One that takes too long has no warnings. */
static void check_policy(struct type_job *job) {
    const struct fx_schemas schemas = {.look_up = look_up, .user = job};
    struct fx_type_warnings warnings;
    struct fx_err err = FX_ERR_INIT;
    fx_type_warnings_init(&warnings);
    job->types = NULL;
    if (job->unit->dialect->check_types(job->unit, &schemas, &warnings, &err)) {
        job->waits = warnings.waits;
        job->types = warnings.waits ? NULL : make_types(&warnings);
    } else if (err.code != FX_ENOMEM) {
        warnings.n_items = 0;
        job->types = make_types(&warnings);
    }
    fx_type_warnings_finish(&warnings);
}

static void on_work(uv_work_t *work) {
    struct type_job *job = work->data;
    struct fx_budget budget = {.bound.deadline_ns =
                                   fx_clock_ns() + UINT64_C(1000000) * CHECK_MS};
    job->waits = false;
    job->n_runs++;
    fx_budget_swap(&budget);
    check_policy(job);
    fx_budget_swap(&budget);
}

/* ---- the end of a check ------------------------------------------------------------ */

/* Makes the job ready for the next policy. */
static void job_reset(struct type_job *job) {
    for (size_t i = 0; i < job->n_needed; i++) {
        free(job->needed[i].group);
        free(job->needed[i].version);
        fx_schema_catalog_unref(job->needed[i].catalog);
    }
    job->n_needed = 0;
    job->n_runs = 0;
    json_decref(job->types);
    job->types = NULL;
    fx_unit_unref(job->unit);
    job->unit = NULL;
}

static int compare_key(const void *key, const void *element) {
    const struct type_item *item = element;
    return strcmp(key, item->key);
}

static struct type_item *find_item(const struct fx_type_checks *checks, const char *key) {
    return checks->n_items == 0 ? NULL
                                : bsearch(key, checks->items, checks->n_items,
                                          sizeof *checks->items, compare_key);
}

/* Keeps the result, unless the policy has changed meanwhile. */
static void keep_result(struct fx_type_checks *checks, struct type_job *job) {
    struct type_item *item = find_item(checks, job->unit->origin.file);
    if (item == NULL || item->unit != job->unit || job->types == NULL) {
        return;
    }
    const bool is_same = item->types != NULL && json_equal(item->types, job->types);
    item->is_due = false;
    json_decref(item->types);
    item->types = json_incref(job->types);
    if (!is_same) {
        checks->on_checked(item->key, checks->user);
    }
}

static void begin_work(struct type_job *job);
static void fetch_next(struct type_job *job);

/* The index of the schemas that are fetched next; n_needed: there are none. */
static size_t find_missing(const struct type_job *job) {
    size_t i = 0;
    while (i < job->n_needed && job->needed[i].is_fetched) {
        i++;
    }
    return i;
}

/* Without the schemas the built-in types count; the source logs the failure. */
static void on_schemas(struct fx_schema_catalog *catalog_take,
                       const struct fx_err *failure, void *user) {
    struct type_job *job = user;
    struct type_schemas *fetched = &job->needed[find_missing(job)];
    (void)failure;
    fetched->is_fetched = true;
    fetched->catalog = catalog_take;
    fetch_next(job);
}

/* Fetches the missing schemas one after the other, and then checks again. */
static void fetch_next(struct type_job *job) {
    const struct fx_type_source *source = &job->checks->source;
    const size_t at = find_missing(job);
    const struct type_schemas *missing = &job->needed[at];
    if (at == job->n_needed) {
        begin_work(job);
    } else if (!source->fetch(source->user, fx_text_of(missing->group),
                              fx_text_of(missing->version), on_schemas, job)) {
        on_schemas(NULL, NULL, job);
    }
}

static void on_worked(uv_work_t *work, int status) {
    (void)status; /* never cancelled */
    struct type_job *job = work->data;
    struct fx_type_checks *checks = job->checks;
    job->is_working = false;
    fx_job_end(&job->watched);
    if (checks == NULL) {
        job_reset(job);
        free(job);
    } else if (job->waits) {
        fetch_next(job);
    } else {
        keep_result(checks, job);
        job_reset(job);
        run_in(checks, 0);
    }
}

static void begin_work(struct type_job *job) {
    job->work.data = job;
    job->is_working = true;
    job->watched = (struct fx_job){
        .type = FX_JOB_BUILD,
        .name = "check of the types of a policy",
        .allowed_ns = FX_JOB_NS(CHECK_MS),
    };
    fx_job_begin(&job->watched);
    /* Fails only for invalid arguments. */
    const int queued = uv_queue_work(job->checks->loop, &job->work, on_work, on_worked);
    assert(queued == 0);
    (void)queued;
}

/* ---- the list ---------------------------------------------------------------------- */

/* Makes all policies due, if it is time. */
static void begin_round(struct fx_type_checks *checks) {
    const uint64_t now_ns = fx_clock_ns();
    if (now_ns < checks->round_ns) {
        return;
    }
    checks->round_ns = now_ns + ROUND_MS * UINT64_C(1000000);
    for (size_t i = 0; i < checks->n_items; i++) {
        checks->items[i].is_due = true;
    }
}

/* Checks the next policy that is due. */
static void on_timer(uv_timer_t *timer) {
    struct fx_type_checks *checks = timer->data;
    assert(checks->magic == CHECKS_MAGIC);
    if (checks->job->unit != NULL) {
        return; /* the end of the check runs the timer */
    }
    begin_round(checks);
    for (size_t i = 0; i < checks->n_items; i++) {
        if (checks->items[i].is_due) {
            checks->items[i].is_due = false; /* tried again in the next round */
            checks->job->unit = fx_unit_ref(checks->items[i].unit);
            begin_work(checks->job);
            return;
        }
    }
    run_in(checks, fx_ms_until(checks->round_ns));
}

static void run_in(struct fx_type_checks *checks, uint64_t ms) {
    (void)uv_timer_start(&checks->timer, on_timer, ms, 0);
}

static void items_finish(struct type_item *items, size_t n) {
    for (size_t i = 0; i < n; i++) {
        free(items[i].key);
        fx_unit_unref(items[i].unit);
        json_decref(items[i].types);
    }
    free(items);
}

static bool has_types(const struct fx_unit *unit) {
    return unit->dialect != NULL && unit->dialect->check_types != NULL &&
           unit->kind->role == FX_ROLE_POLICY && unit->linkable != NULL &&
           (unit->kind->status & FX_KIND_STATUS_TYPES) != 0 && unit->origin.file != NULL;
}

/* Fills an item; its result is that of the build before if the policy is the same. */
static bool fill_item(const struct fx_type_checks *checks, struct fx_unit *unit,
                      struct type_item *item) {
    const struct type_item *before = find_item(checks, unit->origin.file);
    const bool is_same = before != NULL && before->unit == unit;
    *item = (struct type_item){
        .key = strdup(unit->origin.file),
        .unit = fx_unit_ref(unit),
        .types = is_same && before->types != NULL ? json_incref(before->types) : NULL,
        .is_due = !is_same || before->is_due || before->types == NULL,
    };
    return item->key != NULL;
}

/* Makes the items of all policies, which are sorted as the files are. False without
 * memory. */
static bool make_items(const struct fx_type_checks *checks,
                       const struct fx_policies *built, struct type_item **ret_items,
                       size_t *ret_n) {
    const size_t n_files = built == NULL ? 0 : built->n_files;
    bool ok = true;
    *ret_n = 0;
    *ret_items = calloc(n_files + 1, sizeof **ret_items);
    if (*ret_items == NULL) {
        return false;
    }
    for (size_t i = 0; ok && i < n_files; i++) {
        const struct fx_policy_file *file = &built->files[i];
        if (file->n_units == 1 && has_types(file->units[0])) {
            ok = fill_item(checks, file->units[0], &(*ret_items)[(*ret_n)++]);
        }
    }
    return ok;
}

void fx_type_checks_set(struct fx_type_checks *checks, const struct fx_policies *built) {
    struct type_item *items = NULL;
    size_t n = 0;
    if (!make_items(checks, built, &items, &n)) {
        items_finish(items, items == NULL ? 0 : n);
        fx_log(ERROR, "types of policies are not checked: out of memory", {0});
        return;
    }
    items_finish(checks->items, checks->n_items);
    checks->items = items;
    checks->n_items = n;
    run_in(checks, 0);
}

/* If the object is invalid, the policy may be an earlier version of it. */
json_t *fx_type_checks_find(const struct fx_type_checks *checks,
                            const struct fx_cluster_object *object) {
    const struct type_item *item = find_item(checks, object->key);
    return item == NULL || !fx_policy_text_equal(item->unit->policy, object->object)
               ? NULL
               : item->types;
}

/* ---- life -------------------------------------------------------------------------- */

struct fx_type_checks *
fx_type_checks_create(uv_loop_t *loop, const struct fx_type_source *source,
                      void (*on_checked)(const char *key, void *user), void *user,
                      struct fx_err *err) {
    struct fx_type_checks *checks = calloc(1, sizeof *checks);
    struct type_job *job = calloc(1, sizeof *job);
    if (checks == NULL || job == NULL) {
        free(checks);
        free(job);
        (void)fx_fail_nomem(err);
        return NULL;
    }
    *checks = (struct fx_type_checks){.magic = CHECKS_MAGIC,
                                      .loop = loop,
                                      .source = *source,
                                      .on_checked = on_checked,
                                      .user = user,
                                      .job = job};
    job->checks = checks;
    (void)uv_timer_init(loop, &checks->timer); /* cannot fail */
    checks->timer.data = checks;
    return checks;
}

static void on_closed(uv_handle_t *timer) {
    struct fx_type_checks *checks = timer->data;
    checks->magic = 0;
    free(checks);
}

void fx_type_checks_close(struct fx_type_checks *checks) {
    if (checks == NULL) {
        return;
    }
    items_finish(checks->items, checks->n_items);
    checks->items = NULL;
    checks->n_items = 0;
    checks->job->checks = NULL;
    if (!checks->job->is_working) {
        job_reset(checks->job);
        free(checks->job);
    }
    uv_close((uv_handle_t *)&checks->timer, on_closed);
}
