/* SPDX-License-Identifier: Apache-2.0
 *
 * base/file.c - reading and writing files, listing folders.
 */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/vec.h"

void fx_file_list_finish(struct fx_file_list *list) {
    if (list == NULL) {
        return;
    }
    for (size_t i = 0; i < list->n_paths; i++) {
        free(list->paths[i]);
    }
    free(list->paths);
    *list = (struct fx_file_list){0};
}

static bool fail_errno(struct fx_err *err, const char *path) {
    char words[128];
    const int code = errno;
    if (strerror_r(code, words, sizeof words) != 0) {
        words[0] = '\0';
    }
    return fx_fail(err, FX_EIO, "%s: %s", path, words);
}

static bool append(struct fx_file_list *list, const char *path, struct fx_err *err) {
    if (list->n_paths >= FX_LIMIT_FOLDER_FILES) {
        return fx_fail(err, FX_ELIMIT, "%s: more than %u files", path,
                       FX_LIMIT_FOLDER_FILES);
    }
    char *copy = strdup(path);
    if (copy == NULL || !FX_VEC_GROW(list->paths, list->n_paths, list->cap_paths)) {
        free(copy);
        return fx_fail_nomem(err);
    }
    list->paths[list->n_paths++] = copy;
    return true;
}

static bool is_policy_name(const char *name) {
    const struct fx_text text = fx_text_of(name);
    return fx_text_ends(text, FX_TEXT(".yaml")) || fx_text_ends(text, FX_TEXT(".yml")) ||
           fx_text_ends(text, FX_TEXT(".json"));
}

static int is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static int by_bytes(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool add_folder(struct fx_file_list *list, const char *folder, unsigned depth,
                       struct fx_err *err);

static bool add_entry(struct fx_file_list *list, const char *path, const char *name,
                      unsigned depth, struct fx_err *err) {
    struct stat info;
    if (stat(path, &info) != 0) {
        return errno == ENOENT ? true : fail_errno(err, path); /* gone meanwhile */
    }
    if (S_ISDIR(info.st_mode)) {
        return add_folder(list, path, depth + 1, err);
    }
    return !S_ISREG(info.st_mode) || !is_policy_name(name) || append(list, path, err);
}

static bool add_folder(struct fx_file_list *list, const char *folder, unsigned depth,
                       struct fx_err *err) {
    if (depth > FX_LIMIT_FOLDER_DEPTH) {
        return fx_fail(err, FX_ELIMIT, "%s: more than %u folders in one another", folder,
                       FX_LIMIT_FOLDER_DEPTH);
    }
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_visible, by_bytes);
    if (count < 0) {
        return fail_errno(err, folder);
    }
    bool ok = true;
    const size_t length = strlen(folder);
    const char *slash = length > 0 && folder[length - 1] == '/' ? "" : "/";
    for (int i = 0; i < count; i++) {
        struct fx_buf path;
        fx_buf_init(&path, 0);
        fx_buf_printf(&path, "%s%s%s", folder, slash, entries[i]->d_name);
        if (ok && path.failed) {
            ok = fx_fail_nomem(err);
        }
        ok = ok && add_entry(list, path.data, entries[i]->d_name, depth, err);
        fx_buf_finish(&path);
        free(entries[i]);
    }
    free(entries);
    return ok;
}

static int by_path(const void *a, const void *b) {
    char *const *left = a;
    char *const *right = b;
    return strcmp(*left, *right);
}

/* Sorted once more at the end: "a.yaml" comes before "a/b.yaml" although the folder
 * "a" comes before "a.yaml". */
static bool add_tree(struct fx_file_list *list, const char *folder, struct fx_err *err) {
    const size_t before = list->n_paths;
    const bool ok = add_folder(list, folder, 0, err);
    if (list->n_paths > before) {
        qsort(list->paths + before, list->n_paths - before, sizeof *list->paths, by_path);
    }
    return ok;
}

bool fx_file_list_add(struct fx_file_list *list, const char *path, struct fx_err *err) {
    struct stat info;
    if (strcmp(path, "-") == 0) {
        return append(list, path, err);
    }
    if (stat(path, &info) != 0) {
        return fail_errno(err, path);
    }
    return S_ISDIR(info.st_mode) ? add_tree(list, path, err) : append(list, path, err);
}

static bool read_all(int fd, const char *path, size_t max, struct fx_buf *bytes,
                     struct fx_err *err) {
    for (size_t got = 0;;) {
        char *to = fx_buf_reserve(bytes, 65536);
        if (to == NULL) {
            return fx_fail_nomem(err);
        }
        const ssize_t n = read(fd, to, 65536);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return fail_errno(err, path);
        }
        to[n] = '\0';
        if (n == 0) {
            return true;
        }
        got += (size_t)n;
        bytes->len += (size_t)n;
        if (got > max) {
            return fx_fail(err, FX_ELIMIT, "%s: larger than %zu bytes", path, max);
        }
    }
}

bool fx_file_read(const char *path, size_t max, struct fx_buf *ret_bytes,
                  struct fx_err *err) {
    if (strcmp(path, "-") == 0) {
        return read_all(STDIN_FILENO, "standard input", max, ret_bytes, err);
    }
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return fail_errno(err, path);
    }
    const bool ok = read_all(fd, path, max, ret_bytes, err);
    (void)close(fd);
    return ok;
}

/* ---- writing --------------------------------------------------------------------- */

static bool write_all(int fd, struct fx_text bytes) {
    for (size_t done = 0; done < bytes.len;) {
        const ssize_t n = write(fd, bytes.data + done, bytes.len - done);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        done += n < 0 ? 0 : (size_t)n;
    }
    return true;
}

/* Writes the bytes to the new file `fd`, and makes it what `path` names. 0, or errno. */
static int finish(int fd, const char *beside, const char *path, struct fx_text bytes) {
    struct stat info;
    const bool known = stat(path, &info) == 0;
    bool ok = write_all(fd, bytes) &&
              fchmod(fd, known ? info.st_mode & 07777 : 0644) == 0 && fsync(fd) == 0;
    int code = ok ? 0 : errno;
    if (close(fd) != 0 && ok) {
        code = errno;
        ok = false;
    }
    if (ok && rename(beside, path) != 0) {
        code = errno;
    }
    return code;
}

bool fx_file_replace(const char *path, struct fx_text bytes, struct fx_err *err) {
    struct fx_buf beside;
    fx_buf_init(&beside, 0);
    fx_buf_printf(&beside, "%s.XXXXXX", path);
    bool ok = !beside.failed || fx_fail_nomem(err);
    if (ok) {
        const int fd = mkstemp(beside.data);
        const int code = fd >= 0 ? finish(fd, beside.data, path, bytes) : errno;
        errno = code;
        ok = code == 0 || fail_errno(err, path);
        if (!ok && fd >= 0) {
            (void)unlink(beside.data);
        }
    }
    fx_buf_finish(&beside);
    return ok;
}
