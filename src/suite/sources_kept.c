/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/sources_kept.c - see the header. Files are known by device and number, so that
 * `./pod.yaml` and a link are the file itself.
 */
#include "suite/sources_kept.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/vec.h"

struct fx_suite_file {
    dev_t device;
    ino_t number;
};

static bool look_up(const char *path, struct fx_suite_file *ret_file) {
    struct stat status;
    if (path == NULL || stat(path, &status) != 0 || S_ISDIR(status.st_mode)) {
        return false;
    }
    *ret_file = (struct fx_suite_file){status.st_dev, status.st_ino};
    return true;
}

static bool is_same(const struct fx_suite_file *a, const struct fx_suite_file *b) {
    return a->device == b->device && a->number == b->number;
}

bool fx_suite_same_file(const char *a, const char *b) {
    struct fx_suite_file left;
    struct fx_suite_file right;
    return look_up(a, &left) && look_up(b, &right) && is_same(&left, &right);
}

static bool add(struct fx_suite_kept *kept, const char *path, struct fx_err *err) {
    struct fx_suite_file file;
    if (!look_up(path, &file)) {
        return true;
    }
    if (!FX_VEC_GROW(kept->items, kept->n_items, kept->cap_items)) {
        return fx_fail_nomem(err);
    }
    kept->items[kept->n_items++] = file;
    return true;
}

static bool add_paths(struct fx_suite_kept *kept, const struct fx_suite_paths *paths,
                      struct fx_err *err) {
    for (size_t i = 0; i < paths->n_items; i++) {
        if (!add(kept, paths->items[i].path, err)) {
            return false;
        }
    }
    return true;
}

static bool add_suite(struct fx_suite_kept *kept, const struct fx_suite *suite,
                      struct fx_err *err) {
    for (size_t i = 0; i < suite->n_tests; i++) {
        if (!add_paths(kept, &suite->tests[i].mutators, err)) {
            return false;
        }
    }
    return add(kept, suite->path, err);
}

bool fx_suite_kept_init(struct fx_suite_kept *kept, const struct fx_suites *suites,
                        struct fx_err *err) {
    *kept = (struct fx_suite_kept){.items = NULL};
    for (size_t i = 0; i < suites->n_items; i++) {
        if (!add_suite(kept, &suites->items[i], err)) {
            fx_suite_kept_finish(kept);
            return false;
        }
    }
    return true;
}

void fx_suite_kept_finish(struct fx_suite_kept *kept) {
    if (kept != NULL) {
        free(kept->items);
        *kept = (struct fx_suite_kept){.items = NULL};
    }
}

bool fx_suite_kept_has(const struct fx_suite_kept *kept, const char *path) {
    struct fx_suite_file file;
    if (!look_up(path, &file)) {
        return false;
    }
    for (size_t i = 0; i < kept->n_items; i++) {
        if (is_same(&kept->items[i], &file)) {
            return true;
        }
    }
    return false;
}
