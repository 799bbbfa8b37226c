/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/folder_fixture.h - for tests: a temporary folder with files.
 */
#ifndef FX_KUBE_FOLDER_FIXTURE_H
#define FX_KUBE_FOLDER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_ROOM 512

static char folder[] = "/tmp/fx-kube-test-XXXXXX";

static inline void path_of(const char *name, char out[PATH_ROOM]) {
    (void)snprintf(out, PATH_ROOM, "%s/%s", folder, name);
}

static inline void write_file(const char *name, const char *text) {
    char path[PATH_ROOM];
    path_of(name, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static inline void remove_file(const char *name) {
    char path[PATH_ROOM];
    path_of(name, path);
    (void)unlink(path);
}

/* Set-up and tear-down of a group of tests. */
static inline int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) == NULL;
}

static inline int remove_folder(void **state) {
    (void)state;
    DIR *dir = opendir(folder);
    if (dir == NULL) {
        return 1;
    }
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        remove_file(entry->d_name);
    }
    (void)closedir(dir);
    return rmdir(folder);
}

#endif
