/* SPDX-License-Identifier: Apache-2.0
 *
 * server/file_set.c - reads files, again if they change meanwhile.
 */
#include "server/file_set.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/hash.h"
#include "base/text.h"
#include "base/vec.h"

/* Attempts to read files that keep changing. The pauses between attempts are 1, 2, 4 …
 * ms. */
#define TRIES 8

/* File times have the resolution of the kernel's tick or of the file system, so two
 * changes close to each other may have the same time. */
#define SETTLES_AFTER_S 2

#define NEIGHBOURS 64

static uint64_t hash_identity(uint64_t so_far, const struct stat *info) {
    so_far = fx_hash_bytes(so_far, &info->st_dev, sizeof info->st_dev);
    return fx_hash_bytes(so_far, &info->st_ino, sizeof info->st_ino);
}

static uint64_t hash_time(uint64_t so_far, const struct timespec *time) {
    so_far = fx_hash_bytes(so_far, &time->tv_sec, sizeof time->tv_sec);
    return fx_hash_bytes(so_far, &time->tv_nsec, sizeof time->tv_nsec);
}

static void stamp_times(struct fx_file_stamp *stamp, const struct stat *info,
                        time_t now) {
    stamp->files = hash_time(stamp->files, &info->st_mtim);
    stamp->files = hash_time(stamp->files, &info->st_ctim);
    stamp->settled = stamp->settled && info->st_ctim.tv_sec + SETTLES_AFTER_S < now;
}

static void stamp_file(struct fx_file_stamp *stamp, const char *path, time_t now) {
    struct stat info = {0}; /* stays zero if the file is gone */
    (void)stat(path, &info);
    stamp->files = fx_hash_text(stamp->files, fx_text_of(path));
    stamp->files = hash_identity(stamp->files, &info);
    stamp->files = fx_hash_bytes(stamp->files, &info.st_size, sizeof info.st_size);
    stamp_times(stamp, &info, now);
}

/* The times of a folder change when a link in it is swapped, even if it is swapped back.
 */
static void stamp_folder(struct fx_file_stamp *stamp, const char *path, time_t now) {
    struct stat info = {0};
    (void)stat(path, &info);
    stamp->folders = fx_hash_text(stamp->folders, fx_text_of(path));
    stamp->folders = hash_identity(stamp->folders, &info);
    stamp_times(stamp, &info, now);
}

/* Appends a folder unless it is among the last ones, as files of one folder are adjacent.
 * A folder that is listed twice does no harm. */
static bool append_folder(struct fx_file_list *list, struct fx_text path,
                          struct fx_err *err) {
    for (size_t i = list->n_paths; i > 0 && list->n_paths - i < NEIGHBOURS; i--) {
        if (fx_text_is(path, list->paths[i - 1])) {
            return true;
        }
    }
    char *copy = fx_text_dup(path);
    if (copy == NULL || !FX_VEC_GROW(list->paths, list->n_paths, list->cap_paths)) {
        free(copy);
        return fx_fail_nomem(err);
    }
    list->paths[list->n_paths++] = copy;
    return true;
}

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Lists the roots that are folders, and the folder of each file. */
static bool list_folders(const struct fx_file_roots *roots,
                         const struct fx_file_list *files, struct fx_file_list *folders,
                         struct fx_err *err) {
    bool ok = true;
    for (size_t i = 0; ok && i < roots->n_paths; i++) {
        const char *root = roots->paths[i];
        ok = !is_folder(root) || append_folder(folders, fx_text_of(root), err);
    }
    for (size_t i = 0; ok && i < files->n_paths; i++) {
        const char *slash = strrchr(files->paths[i], '/');
        const size_t length = slash == NULL ? 0 : (size_t)(slash - files->paths[i]);
        ok = length == 0 ||
             append_folder(folders, (struct fx_text){files->paths[i], length}, err);
    }
    return ok;
}

/* Fills `stamp` and the two lists of `set`. The caller frees `set`, also on failure. */
static bool stat_all(const struct fx_file_roots *roots, struct fx_file_set *set,
                     struct fx_file_stamp *stamp, struct fx_err *err) {
    *stamp = (struct fx_file_stamp){FX_HASH_START, FX_HASH_START, true};
    for (size_t i = 0; i < roots->n_paths; i++) {
        if (!fx_file_list_add(&set->files, roots->paths[i], err)) {
            return false;
        }
    }
    if (!list_folders(roots, &set->files, &set->folders, err)) {
        return false;
    }
    const time_t now = time(NULL);
    for (size_t i = 0; i < set->files.n_paths; i++) {
        stamp_file(stamp, set->files.paths[i], now);
    }
    for (size_t i = 0; i < set->folders.n_paths; i++) {
        stamp_folder(stamp, set->folders.paths[i], now);
    }
    return true;
}

bool fx_file_set_stat(const struct fx_file_roots *roots, struct fx_file_stamp *ret_stamp,
                      struct fx_err *err) {
    struct fx_file_set set = {0};
    struct fx_file_stamp stamp;
    const bool ok = stat_all(roots, &set, &stamp, err);
    if (ok) {
        *ret_stamp = stamp;
    }
    fx_file_set_finish(&set);
    return ok;
}

static bool read_files(struct fx_file_set *set, size_t max, struct fx_err *err) {
    set->digest = FX_HASH_START;
    const size_t n = set->files.n_paths;
    set->contents = calloc(n == 0 ? 1 : n, sizeof *set->contents);
    if (set->contents == NULL) {
        return fx_fail_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        struct fx_file_content *content = &set->contents[i];
        if (!fx_file_read_regular(set->files.paths[i], max, &content->bytes, err)) {
            content->failure = err->code == FX_ENOMEM ? NULL : strdup(err->msg);
            if (content->failure == NULL) {
                return fx_fail_nomem(err);
            }
            set->digest = fx_hash_text(set->digest, fx_text_of(content->failure));
        }
        set->digest = fx_hash_text(set->digest, fx_text_of(set->files.paths[i]));
        set->digest = fx_hash_text(set->digest, fx_buf_view(&content->bytes));
    }
    return true;
}

/* A file that could not be read may become readable without a visible change. */
static bool is_all_read(const struct fx_file_set *set) {
    bool all = true;
    for (size_t i = 0; i < set->files.n_paths; i++) {
        all = all && set->contents[i].failure == NULL;
    }
    return all;
}

/* Reads once. *ret_still: nothing changed meanwhile. */
static bool read_once(const struct fx_file_roots *roots, struct fx_file_set *set,
                      struct fx_file_stamp *stamp, bool *ret_still, struct fx_err *err) {
    struct fx_file_stamp after;
    if (!stat_all(roots, set, stamp, err) || !read_files(set, roots->max_bytes, err) ||
        !fx_file_set_stat(roots, &after, err)) {
        return false;
    }
    stamp->settled = stamp->settled && is_all_read(set);
    *ret_still = stamp->files == after.files && stamp->folders == after.folders;
    return true;
}

static void wait_ms(long ms) {
    const struct timespec span = {.tv_nsec = ms * 1000000};
    (void)nanosleep(&span, NULL);
}

bool fx_file_set_read(const struct fx_file_roots *roots, struct fx_file_set *ret_set,
                      struct fx_file_stamp *ret_stamp, struct fx_err *err) {
    for (unsigned tries = 0; tries < TRIES; tries++) {
        struct fx_file_set set = {0};
        struct fx_file_stamp stamp;
        bool still = false;
        if (tries > 0) {
            wait_ms(1L << (tries - 1));
        }
        const bool ok = read_once(roots, &set, &stamp, &still, err);
        if (ok && still) {
            *ret_set = set;
            *ret_stamp = stamp;
            return true;
        }
        fx_file_set_finish(&set);
        if (!ok) {
            return false;
        }
    }
    return fx_fail(err, FX_EIO, "%s: keeps changing while it is read",
                   roots->n_paths == 0 ? "" : roots->paths[0]);
}

void fx_file_set_finish(struct fx_file_set *set) {
    if (set == NULL) {
        return;
    }
    for (size_t i = 0; set->contents != NULL && i < set->files.n_paths; i++) {
        set->contents[i].bytes.secret = true;
        fx_buf_finish(&set->contents[i].bytes);
        free(set->contents[i].failure);
    }
    free(set->contents);
    fx_file_list_finish(&set->files);
    fx_file_list_finish(&set->folders);
    *set = (struct fx_file_set){0};
}
