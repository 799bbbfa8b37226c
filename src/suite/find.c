/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/find.c - from a path on the command line to the suites behind it.
 */
#include <string.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "suite/folder.h"
#include "suite/read.h"
#include "suite/suite.h"

static bool read_suite(struct fx_suites *suites, const char *file, bool named,
                       bool *ret_found, struct fx_err *err) {
    struct fx_buf bytes;
    fx_buf_init(&bytes, 0);
    if (!fx_file_read(file, FX_LIMIT_POLICY_FILE_BYTES, &bytes, err)) {
        fx_buf_finish(&bytes);
        /* What is larger than a suite can be is none, unless somebody says so. */
        return !named && err->code == FX_ELIMIT;
    }
    return fx_suites_read(suites, file, &bytes, named, ret_found, err);
}

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool add_file(struct fx_suites *suites, const char *file, struct fx_err *err) {
    bool found = false;
    if (!read_suite(suites, file, true, &found, err)) {
        return false;
    }
    return found || fx_fail(err, FX_EINVALID,
                            "%s: no Suite in this file; expected kind Suite of "
                            "apiVersion " FX_SUITE_GATOR_GROUP
                            "/v1alpha1 or " FX_SUITE_OWN_GROUP "/v1alpha1",
                            file);
}

static bool add_folder(struct fx_suites *suites, const char *folder, struct fx_err *err) {
    struct fx_file_list files = {0};
    const size_t first = suites->n_items;
    bool ok = fx_file_list_add(&files, folder, err);
    for (size_t i = 0; ok && i < files.n_paths; i++) {
        const char *path = files.paths[i];
        const char *file = strncmp(path, "./", 2) == 0 ? path + 2 : path;
        bool found = false;
        ok = read_suite(suites, file, false, &found, err) &&
             (found || fx_suites_add_folder_case(suites, file, first, err));
    }
    fx_file_list_finish(&files);
    return ok;
}

/* The path without gator's "/...", "." for "..." alone. NULL without memory. */
static const char *without_dots(struct fx_suites *suites, const char *path) {
    struct fx_text text = fx_text_of(path);
    if (fx_text_is(text, "...")) {
        return ".";
    }
    if (fx_text_ends(text, FX_TEXT("/..."))) {
        text.len -= text.len > 4 ? 4 : 3;
    }
    while (text.len > 1 && text.data[text.len - 1] == '/') {
        text.len--;
    }
    return fx_arena_copy(&suites->arena, text);
}

bool fx_suites_add(struct fx_suites *suites, const char *path, struct fx_err *err) {
    const char *plain = without_dots(suites, path);
    if (plain == NULL) {
        return fx_fail_nomem(err);
    }
    return is_folder(plain) ? add_folder(suites, plain, err)
                            : add_file(suites, plain, err);
}
