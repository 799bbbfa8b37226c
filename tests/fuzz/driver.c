/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/fuzz/driver.c - main() of a fuzz target without libFuzzer: runs the target on
 * every file of the corpus. Arguments are files or folders. A run without files fails, so
 * that a missing corpus is noticed.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_FOLDERS 16 /* the most nested folders */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Runs the target on a file. False, with a message on standard error, if the file cannot
 * be read. The input has memory of exactly its size, so that a sanitizer detects a read
 * beyond it. */
static bool run_file(const char *path, size_t size) {
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(size == 0 ? 1 : size);
    bool ok = file != NULL && data != NULL && fread(data, 1, size, file) == size;
    if (ok) {
        (void)LLVMFuzzerTestOneInput(data, size);
    } else {
        (void)fprintf(stderr, "%s: cannot be read\n", path);
    }
    free(data);
    if (file != NULL) {
        (void)fclose(file);
    }
    return ok;
}

static bool run_path(const char *path, unsigned depth, size_t *count);

static int is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static bool run_folder(const char *folder, unsigned depth, size_t *count) {
    struct dirent **entries = NULL;
    const int n = scandir(folder, &entries, is_visible, alphasort);
    bool ok = n >= 0;
    for (int i = 0; i < n; i++) {
        const size_t size = strlen(folder) + strlen(entries[i]->d_name) + 2;
        char *path = malloc(size);
        if (path != NULL) {
            (void)snprintf(path, size, "%s/%s", folder, entries[i]->d_name);
        }
        ok = path != NULL && run_path(path, depth + 1, count) && ok;
        free(path);
        free(entries[i]);
    }
    free(entries);
    return ok;
}

static bool run_path(const char *path, unsigned depth, size_t *count) {
    struct stat info;
    if (depth > MOST_FOLDERS || stat(path, &info) != 0) {
        (void)fprintf(stderr, "%s: cannot be read\n", path);
        return false;
    }
    if (S_ISDIR(info.st_mode)) {
        return run_folder(path, depth, count);
    }
    ++*count;
    return run_file(path, (size_t)info.st_size);
}

int main(int argc, char **argv) {
    size_t count = 0;
    bool ok = true;
    for (int i = 1; i < argc; i++) {
        ok = run_path(argv[i], 0, &count) && ok;
    }
    (void)printf("%zu inputs run\n", count);
    return ok && count > 0 ? 0 : 1;
}
