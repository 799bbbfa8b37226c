/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/update.c - overwrites the files of expected objects with results.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/vec.h"
#include "policy/plain.h"
#include "suite/run.h"
#include "value/json.h"

/* ---- protected files ------------------------------------------------------------- */

/* Files are compared by device and inode, as one file may have several paths. */
struct file_id {
    dev_t device;
    ino_t number;
};

/* The files that an update must never overwrite: the suites, and every policy that they
 * name as a file. Folders are not protected, as they may contain expected objects; nor
 * are objects, as the expected object of one case may be the input of another. */
struct protected_files {
    struct file_id *items;
    size_t n_items, cap_items;
};

static bool find_file_id(const char *path, struct file_id *ret_file) {
    struct stat status;
    if (path == NULL || stat(path, &status) != 0 || S_ISDIR(status.st_mode)) {
        return false;
    }
    *ret_file = (struct file_id){status.st_dev, status.st_ino};
    return true;
}

static bool is_same(const struct file_id *a, const struct file_id *b) {
    return a->device == b->device && a->number == b->number;
}

static bool is_same_file(const char *a, const char *b) {
    struct file_id left;
    struct file_id right;
    return find_file_id(a, &left) && find_file_id(b, &right) && is_same(&left, &right);
}

static bool protect_file(struct protected_files *kept, const char *path,
                         struct fx_err *err) {
    struct file_id file;
    if (!find_file_id(path, &file)) {
        return true;
    }
    if (!FX_VEC_GROW(kept->items, kept->n_items, kept->cap_items)) {
        return fx_fail_nomem(err);
    }
    kept->items[kept->n_items++] = file;
    return true;
}

static bool protect_suite(struct protected_files *kept, const struct fx_suite *suite,
                          struct fx_err *err) {
    bool ok = protect_file(kept, suite->path, err);
    for (size_t i = 0; i < suite->n_tests; i++) {
        const struct fx_suite_paths *paths = &suite->tests[i].mutators;
        for (size_t k = 0; ok && k < paths->n_items; k++) {
            ok = protect_file(kept, paths->items[k].path, err);
        }
    }
    return ok;
}

static bool is_protected(const struct protected_files *kept, const char *path) {
    struct file_id file;
    if (!find_file_id(path, &file)) {
        return false;
    }
    for (size_t i = 0; i < kept->n_items; i++) {
        if (is_same(&kept->items[i], &file)) {
            return true;
        }
    }
    return false;
}

/* ---- targets --------------------------------------------------------------------- */

/* A file of expected objects, with which results passed or to which they are written. */
struct update_target {
    const char *path;
    struct fx_suite_result *result;
};

static bool is_updatable(const struct fx_suite_result *result) {
    return result->status == FX_SUITE_FAIL && result->got.n_items > 0;
}

static int by_path(const void *a, const void *b) {
    const struct update_target *left = a;
    const struct update_target *right = b;
    return strcmp(left->path, right->path);
}

/* Appends a line about a result. */
static void add_message(struct fx_buf *messages, const struct fx_suite_result *result,
                        const char *what, const char *path) {
    fx_plain_add(messages, fx_text_of(result->name));
    fx_buf_printf(messages, ": %s", what);
    fx_plain_add(messages, fx_text_of(path));
    fx_buf_char(messages, '\n');
}

static bool write_objects(const char *path, const struct fx_objects *objects,
                          struct fx_err *err) {
    struct fx_buf bytes = {0};
    if (fx_text_ends(fx_text_of(path), FX_TEXT(".json"))) {
        for (size_t i = 0; i < objects->n_items; i++) {
            fx_json_write(&bytes, objects->items[i], FX_JSON_INDENT);
            fx_buf_char(&bytes, '\n');
        }
    } else {
        fx_objects_print(&bytes, objects);
    }
    const bool ok = !bytes.failed ? fx_file_replace(path, fx_buf_view(&bytes), err)
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

/* The first result to write to the file. NULL if a case passed with the present content,
 * or if the results differ. */
static const struct fx_suite_result *find_writer(const struct update_target *targets,
                                                 size_t n_targets) {
    const struct fx_suite_result *writer = NULL;
    for (size_t i = 0; i < n_targets; i++) {
        const struct fx_suite_result *result = targets[i].result;
        if (result->status == FX_SUITE_PASS ||
            (writer != NULL && is_updatable(result) &&
             !fx_objects_equal(&writer->got, &result->got))) {
            return NULL;
        }
        writer = writer == NULL && is_updatable(result) ? result : writer;
    }
    return writer;
}

/* Writes the file of all results that share it. */
static bool update_file(struct fx_suite_results *results,
                        const struct update_target *targets, size_t n_targets,
                        struct fx_buf *messages, struct fx_err *err) {
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
            add_message(
                messages, result,
                "not updated, another case expects other content: ", targets[i].path);
        } else if (writer == result) {
            add_message(messages, result, "updated ", targets[i].path);
        }
        if (writer != NULL && !pass(results, result, err)) {
            return false;
        }
    }
    return true;
}

static bool update_all(struct fx_suite_results *results, struct update_target *targets,
                       size_t n_targets, struct fx_buf *messages, struct fx_err *err) {
    qsort(targets, n_targets, sizeof *targets, by_path);
    for (size_t i = 0; i < n_targets;) {
        size_t end = i + 1;
        while (end < n_targets && strcmp(targets[i].path, targets[end].path) == 0) {
            end++;
        }
        if (!update_file(results, targets + i, end - i, messages, err)) {
            return false;
        }
        i = end;
    }
    return true;
}

/* Why the case's file must not be overwritten; NULL: it may be. */
static const char *find_fault(const struct fx_suite_case *case_,
                              const struct protected_files *kept) {
    const char *path = case_->mutated_file.path;
    if (is_same_file(path, case_->object.path)) {
        return "not updated, it is the object of the case: ";
    }
    return is_protected(kept, path) ? "not updated, it is a suite or a policy: " : NULL;
}

/* Finds the files to write and the files with which a case passed. */
static size_t find_targets(struct fx_suite_results *results,
                           const struct protected_files *kept,
                           struct update_target *targets, struct fx_buf *messages) {
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
            add_message(messages, result, fault, path);
            fx_objects_finish(&result->got);
        }
        if (path != NULL) {
            targets[n_targets++] = (struct update_target){path, result};
        } else if (result->status == FX_SUITE_FAIL &&
                   case_->mutated == FX_MUTATED_INLINE) {
            add_message(
                messages, result,
                "not updated, the expected object is in the suite: ", result->file);
        }
    }
    return n_targets;
}

bool fx_suites_update(const struct fx_suites *suites, struct fx_suite_results *results,
                      struct fx_buf *messages, struct fx_err *err) {
    struct protected_files kept = {.items = NULL};
    struct update_target *targets = calloc(results->n_items + 1, sizeof *targets);
    if (targets == NULL) {
        return fx_fail_nomem(err);
    }
    bool ok = true;
    for (size_t i = 0; ok && i < suites->n_items; i++) {
        ok = protect_suite(&kept, &suites->items[i], err);
    }
    if (ok) {
        const size_t n_targets = find_targets(results, &kept, targets, messages);
        ok = update_all(results, targets, n_targets, messages, err);
    }
    free(kept.items);
    free(targets);
    return ok;
}
