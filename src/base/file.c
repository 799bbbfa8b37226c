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
    char message[128];
    const int code = errno;
    if (strerror_r(code, message, sizeof message) != 0) {
        message[0] = '\0';
    }
    return fx_fail(err, FX_EIO, "%s: %s", path, message);
}

static bool add_path(struct fx_file_list *list, const char *path, struct fx_err *err) {
    char *copy = strdup(path);
    if (copy == NULL || !FX_VEC_GROW(list->paths, list->n_paths, list->cap_paths)) {
        free(copy);
        return fx_fail_nomem(err);
    }
    list->paths[list->n_paths++] = copy;
    return true;
}

static bool append(struct fx_file_list *list, const char *path, struct fx_err *err) {
    if (list->n_paths >= FX_LIMIT_FOLDER_FILES) {
        return fx_fail(err, FX_ELIMIT, "%s: more than %u files", path,
                       FX_LIMIT_FOLDER_FILES);
    }
    return add_path(list, path, err);
}

static bool is_policy_name(const char *name) {
    const struct fx_text text = fx_text_of(name);
    return fx_text_ends(text, FX_TEXT(".yaml")) || fx_text_ends(text, FX_TEXT(".yml")) ||
           fx_text_ends(text, FX_TEXT(".json"));
}

/* ---- folders ---------------------------------------------------------------------- */

/* A walk through a folder and all folders below it. Each folder is visited once, however
 * many links lead to it. */
struct folder_walk {
    struct fx_file_list *list;
    struct folder {
        dev_t device;
        ino_t inode;
    } *seen;
    size_t n_seen, cap_seen;
    size_t n_entries;
};

static int by_bytes(const void *a, const void *b) {
    char *const *left = a;
    char *const *right = b;
    return strcmp(*left, *right);
}

static bool read_names(struct folder_walk *walk, DIR *folder, const char *path,
                       struct fx_file_list *names, struct fx_err *err) {
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (entry == NULL) {
            return errno == 0 || fail_errno(err, path);
        }
        if (++walk->n_entries > FX_LIMIT_FOLDER_ENTRIES) {
            return fx_fail(err, FX_ELIMIT, "%s: more than %u entries", path,
                           FX_LIMIT_FOLDER_ENTRIES);
        }
        if (entry->d_name[0] != '.' && !add_path(names, entry->d_name, err)) {
            return false;
        }
    }
}

/* Lists the names that do not begin with a dot, sorted. Fails if `path` is not a
 * folder. */
static bool list_names(struct folder_walk *walk, const char *path,
                       struct fx_file_list *names, struct fx_err *err) {
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return fail_errno(err, path);
    }
    const bool ok = read_names(walk, folder, path, names, err);
    (void)closedir(folder);
    if (names->n_paths > 0) {
        qsort(names->paths, names->n_paths, sizeof *names->paths, by_bytes);
    }
    return ok;
}

/* Adds the folder to the visited folders. *ret_known is true if it had been visited. */
static bool note_folder(struct folder_walk *walk, const char *path,
                        const struct stat *info, bool *ret_known, struct fx_err *err) {
    for (size_t i = 0; i < walk->n_seen; i++) {
        if (walk->seen[i].device == info->st_dev && walk->seen[i].inode == info->st_ino) {
            *ret_known = true;
            return true;
        }
    }
    *ret_known = false;
    if (walk->n_seen >= FX_LIMIT_FOLDERS) {
        return fx_fail(err, FX_ELIMIT, "%s: more than %u folders", path,
                       FX_LIMIT_FOLDERS);
    }
    if (!FX_VEC_GROW(walk->seen, walk->n_seen, walk->cap_seen)) {
        return fx_fail_nomem(err);
    }
    walk->seen[walk->n_seen++] = (struct folder){info->st_dev, info->st_ino};
    return true;
}

static bool visit_folder(struct folder_walk *walk, const char *path,
                         const struct stat *info, unsigned depth, struct fx_err *err);

static bool visit_path(struct folder_walk *walk, const char *path, const char *name,
                       unsigned depth, struct fx_err *err) {
    struct stat info;
    if (stat(path, &info) != 0) {
        return errno == ENOENT ? true : fail_errno(err, path); /* deleted meanwhile */
    }
    if (S_ISDIR(info.st_mode)) {
        return visit_folder(walk, path, &info, depth + 1, err);
    }
    return !S_ISREG(info.st_mode) || !is_policy_name(name) ||
           append(walk->list, path, err);
}

static bool visit_name(struct folder_walk *walk, const char *folder, const char *name,
                       unsigned depth, struct fx_err *err) {
    const size_t length = strlen(folder);
    const char *slash = length > 0 && folder[length - 1] == '/' ? "" : "/";
    struct fx_buf path;
    fx_buf_init(&path, 0);
    fx_buf_printf(&path, "%s%s%s", folder, slash, name);
    const bool ok =
        path.failed ? fx_fail_nomem(err) : visit_path(walk, path.data, name, depth, err);
    fx_buf_finish(&path);
    return ok;
}

static bool visit_folder(struct folder_walk *walk, const char *path,
                         const struct stat *info, unsigned depth, struct fx_err *err) {
    bool known = false;
    if (depth > FX_LIMIT_FOLDER_DEPTH) {
        return fx_fail(err, FX_ELIMIT, "%s: more than %u folders in one another", path,
                       FX_LIMIT_FOLDER_DEPTH);
    }
    if (!note_folder(walk, path, info, &known, err)) {
        return false;
    }
    struct fx_file_list names = {0};
    bool ok = known || list_names(walk, path, &names, err);
    for (size_t i = 0; ok && i < names.n_paths; i++) {
        ok = visit_name(walk, path, names.paths[i], depth, err);
    }
    fx_file_list_finish(&names);
    return ok;
}

/* Adds the files below the folder. They are sorted at the end, because "a.yaml" comes
 * before "a/b.yaml", but the folder "a" is visited before the file "a.yaml". */
static bool add_tree(struct fx_file_list *list, const char *folder,
                     const struct stat *info, struct fx_err *err) {
    const size_t before = list->n_paths;
    struct folder_walk walk = {.list = list};
    const bool ok = visit_folder(&walk, folder, info, 0, err);
    if (list->n_paths > before) {
        qsort(list->paths + before, list->n_paths - before, sizeof *list->paths,
              by_bytes);
    }
    free(walk.seen);
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
    return S_ISDIR(info.st_mode) ? add_tree(list, path, &info, err)
                                 : append(list, path, err);
}

/* ---- reading ---------------------------------------------------------------------- */

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

/* Opens with O_NONBLOCK, because opening a FIFO without a writer, or a device, could
 * block for ever. */
bool fx_file_read_regular(const char *path, size_t max, struct fx_buf *ret_bytes,
                          struct fx_err *err) {
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return fail_errno(err, path);
    }
    bool ok = fstat(fd, &info) == 0 || fail_errno(err, path);
    ok = ok &&
         (S_ISREG(info.st_mode) || fx_fail(err, FX_EIO, "%s: not a regular file", path));
    ok = ok && read_all(fd, path, max, ret_bytes, err);
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

/* Writes the bytes to the new file `fd`, and renames it to `path`. Returns 0 or errno. */
static int finish_file(int fd, const char *beside, const char *path,
                       struct fx_text bytes) {
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
        const int code = fd >= 0 ? finish_file(fd, beside.data, path, bytes) : errno;
        errno = code;
        ok = code == 0 || fail_errno(err, path);
        if (!ok && fd >= 0) {
            (void)unlink(beside.data);
        }
    }
    fx_buf_finish(&beside);
    return ok;
}
