/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/update.c - what came out becomes what is expected.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "policy/plain.h"
#include "suite/run.h"
#include "suite/sources_kept.h"
#include "value/equal.h"
#include "value/json.h"

/* A file that results would be written to, or have passed by. */
struct target {
    const char *path;
    struct fx_suite_result *result;
};

static bool is_updatable(const struct fx_suite_result *result) {
    return result->status == FX_SUITE_FAIL && result->got.n_items > 0;
}

static int by_path(const void *a, const void *b) {
    const struct target *left = a;
    const struct target *right = b;
    return strcmp(left->path, right->path);
}

static bool same_objects(const struct fx_objects *a, const struct fx_objects *b) {
    bool same = a->n_items == b->n_items;
    for (size_t i = 0; same && i < a->n_items; i++) {
        same = fx_equal(a->items[i], b->items[i]);
    }
    return same;
}

/* Words about a result, a line each. */
static void say(struct fx_buf *words, const struct fx_suite_result *result,
                const char *what, const char *path) {
    fx_plain_add(words, fx_text_of(result->name));
    fx_buf_printf(words, ": %s", what);
    fx_plain_add(words, fx_text_of(path));
    fx_buf_char(words, '\n');
}

static bool write_objects(const char *path, const struct fx_objects *objects,
                          struct fx_err *err) {
    struct fx_buf bytes;
    fx_buf_init(&bytes, 0);
    if (fx_text_ends(fx_text_of(path), FX_TEXT(".json"))) {
        for (size_t i = 0; i < objects->n_items; i++) {
            fx_json_write(&bytes, objects->items[i], FX_JSON_INDENT);
            fx_buf_char(&bytes, '\n');
        }
    } else {
        fx_objects_print(&bytes, objects);
    }
    const bool ok =
        !bytes.failed
            ? fx_file_replace(path, (struct fx_text){bytes.data, bytes.len}, err)
            : fx_fail_nomem(err);
    fx_buf_finish(&bytes);
    return ok;
}

static bool pass(struct fx_suite_results *results, struct fx_suite_result *result,
                 struct fx_err *err) {
    results->counts[FX_SUITE_FAIL]--;
    results->counts[FX_SUITE_PASS]++;
    result->status = FX_SUITE_PASS;
    free(result->diff);
    free(result->reason);
    result->diff = NULL;
    result->reason = strdup("updated");
    return result->reason != NULL || fx_fail_nomem(err);
}

/* The first result that wants to write the file, if nobody stands against it: nobody
 * passed by what is there, and all that want to write want the same. */
static const struct fx_suite_result *find_writer(const struct target *targets,
                                                 size_t n_targets) {
    const struct fx_suite_result *writer = NULL;
    for (size_t i = 0; i < n_targets; i++) {
        const struct fx_suite_result *result = targets[i].result;
        if (result->status == FX_SUITE_PASS ||
            (writer != NULL && is_updatable(result) &&
             !same_objects(&writer->got, &result->got))) {
            return NULL;
        }
        writer = writer == NULL && is_updatable(result) ? result : writer;
    }
    return writer;
}

/* All results that share a file. */
static bool update_file(struct fx_suite_results *results, const struct target *targets,
                        size_t n_targets, struct fx_buf *words, struct fx_err *err) {
    const struct fx_suite_result *writer = find_writer(targets, n_targets);
    if (writer != NULL && !write_objects(targets[0].path, &writer->got, err)) {
        return false;
    }
    for (size_t i = 0; i < n_targets; i++) {
        struct fx_suite_result *result = targets[i].result;
        if (!is_updatable(result)) {
            continue;
        }
        if (writer == NULL) {
            say(words, result, "not updated, since another case expects something else: ",
                targets[i].path);
        } else if (writer == result) {
            say(words, result, "updated ", targets[i].path);
        }
        if (writer != NULL && !pass(results, result, err)) {
            return false;
        }
    }
    return true;
}

static bool update_all(struct fx_suite_results *results, struct target *targets,
                       size_t n_targets, struct fx_buf *words, struct fx_err *err) {
    qsort(targets, n_targets, sizeof *targets, by_path);
    for (size_t i = 0; i < n_targets;) {
        size_t end = i + 1;
        while (end < n_targets && strcmp(targets[i].path, targets[end].path) == 0) {
            end++;
        }
        if (!update_file(results, targets + i, end - i, words, err)) {
            return false;
        }
        i = end;
    }
    return true;
}

/* Why the case's file must not be written over; NULL: it may be. */
static const char *find_fault(const struct fx_suite_case *case_,
                              const struct fx_suite_kept *kept) {
    const char *path = case_->mutated_file.path;
    if (fx_suite_same_file(path, case_->object.path)) {
        return "not updated, since it is the object itself: ";
    }
    return fx_suite_kept_has(kept, path)
               ? "not updated, since it is a suite or a policy: "
               : NULL;
}

/* The files to be written, and those that have passed by one. */
static size_t find_targets(struct fx_suite_results *results,
                           const struct fx_suite_kept *kept, struct target *targets,
                           struct fx_buf *words) {
    size_t n_targets = 0;
    for (size_t i = 0; i < results->n_items; i++) {
        struct fx_suite_result *result = &results->items[i];
        const struct fx_suite_case *case_ = result->case_;
        if (case_ == NULL) {
            continue;
        }
        const char *path = case_->mutated_file.path;
        const char *fault = is_updatable(result) ? find_fault(case_, kept) : NULL;
        if (fault != NULL) {
            say(words, result, fault, path);
            fx_objects_finish(&result->got);
        }
        if (path != NULL) {
            targets[n_targets++] = (struct target){path, result};
        } else if (result->status == FX_SUITE_FAIL &&
                   case_->mutated == FX_MUTATED_INLINE) {
            say(words, result,
                "not updated, since it stands in the suite itself: ", result->file);
        }
    }
    return n_targets;
}

bool fx_suites_update(const struct fx_suites *suites, struct fx_suite_results *results,
                      struct fx_buf *words, struct fx_err *err) {
    struct fx_suite_kept kept;
    if (!fx_suite_kept_init(&kept, suites, err)) {
        return false;
    }
    struct target *targets = calloc(results->n_items + 1, sizeof *targets);
    if (targets == NULL) {
        fx_suite_kept_finish(&kept);
        return fx_fail_nomem(err);
    }
    const size_t n_targets = find_targets(results, &kept, targets, words);
    fx_suite_kept_finish(&kept);
    const bool ok = update_all(results, targets, n_targets, words, err);
    free(targets);
    return ok;
}
