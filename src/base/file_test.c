/* SPDX-License-Identifier: Apache-2.0
 *
 * base/file_test.c - listing folders, reading and writing files, in a folder made for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limits.h"
#include "base/macros.h"

static const char *const folders[] = {"", "/a", "/a/deep", "/.hidden"};
static const char *const files[] = {
    "/b.yaml",         "/a.yaml",  "/a/1.yml", "/a/deep/2.json",
    "/.hidden/3.yaml", "/.4.yaml", "/5.txt",
};

/* The folder's name lives in *state. */
static int make_folder(void **state) {
    static char root[] = "/tmp/fixpoint-file-XXXXXX";
    if (mkdtemp(root) == NULL) {
        return -1;
    }
    *state = root;
    char path[128];
    for (size_t i = 1; i < FX_COUNT(folders); i++) {
        (void)snprintf(path, sizeof path, "%s%s", root, folders[i]);
        if (mkdir(path, 0700) != 0) {
            return -1;
        }
    }
    for (size_t i = 0; i < FX_COUNT(files); i++) {
        (void)snprintf(path, sizeof path, "%s%s", root, files[i]);
        const int fd = open(path, O_WRONLY | O_CREAT, 0600);
        if (fd < 0 || write(fd, "12345", 5) != 5 || close(fd) != 0) {
            return -1;
        }
    }
    return 0;
}

static int remove_folder(void **state) {
    char path[128];
    const char *root = *state;
    for (size_t i = 0; i < FX_COUNT(files); i++) {
        (void)snprintf(path, sizeof path, "%s%s", root, files[i]);
        (void)unlink(path);
    }
    for (size_t i = FX_COUNT(folders); i > 0; i--) {
        (void)snprintf(path, sizeof path, "%s%s", root, folders[i - 1]);
        (void)rmdir(path);
    }
    return 0;
}

static void lists_in_order(void **state) {
    const char *root = *state;
    static const char *const expected[] = {"/a.yaml", "/a/1.yml", "/a/deep/2.json",
                                           "/b.yaml"};
    struct fx_file_list list = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_file_list_add(&list, root, &err));
    assert_int_equal(list.n_paths, FX_COUNT(expected));
    for (size_t i = 0; i < FX_COUNT(expected); i++) {
        assert_string_equal(list.paths[i] + strlen(root), expected[i]);
    }
    assert_true(fx_file_list_add(&list, "-", &err));
    assert_string_equal(list.paths[list.n_paths - 1], "-");
    fx_file_list_finish(&list);
    fx_file_list_finish(NULL);
}

static void refuses_what_is_not_there(void **state) {
    (void)state;
    struct fx_file_list list = {0};
    struct fx_buf bytes;
    struct fx_err err = FX_ERR_INIT;
    fx_buf_init(&bytes, 0);
    assert_false(fx_file_list_add(&list, "/nonexistent/x", &err));
    assert_int_equal(err.code, FX_EIO);
    assert_string_equal(err.msg, "/nonexistent/x: No such file or directory");
    assert_false(fx_file_read("/nonexistent/x", 10, &bytes, &err));
    assert_int_equal(err.code, FX_EIO);
    assert_false(fx_file_read("/tmp", 10, &bytes, &err));
    assert_int_equal(err.code, FX_EIO);
    fx_buf_finish(&bytes);
    fx_file_list_finish(&list);
}

static void visits_each_folder_once(void **state) {
    char ring[128];
    struct fx_file_list list = {0};
    struct fx_err err = FX_ERR_INIT;
    (void)snprintf(ring, sizeof ring, "%s/ring", (const char *)*state);
    assert_int_equal(symlink(".", ring), 0);
    const bool ok = fx_file_list_add(&list, *state, &err);
    (void)unlink(ring);
    assert_true(ok);
    assert_int_equal(list.n_paths, 4);
    fx_file_list_finish(&list);
}

#define LEVELS 26

/* Each folder has two links to the next one: 2^26 ways lead to the last. */
static void is_not_lost_in_links(void **state) {
    char path[256];
    char next[128];
    struct fx_file_list list = {0};
    struct fx_err err = FX_ERR_INIT;
    for (int level = 0; level <= LEVELS; level++) {
        (void)snprintf(path, sizeof path, "%s/.level%d", (const char *)*state, level);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    for (int level = 0; level < LEVELS; level++) {
        (void)snprintf(next, sizeof next, "%s/.level%d", (const char *)*state, level + 1);
        for (int link = 0; link < 2; link++) {
            (void)snprintf(path, sizeof path, "%s/.level%d/%d", (const char *)*state,
                           level, link);
            assert_int_equal(symlink(next, path), 0);
        }
    }
    (void)snprintf(path, sizeof path, "%s/.level%d/last.yaml", (const char *)*state,
                   LEVELS);
    const int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0 && close(fd) == 0);
    (void)snprintf(path, sizeof path, "%s/.level0", (const char *)*state);
    assert_true(fx_file_list_add(&list, path, &err));
    assert_int_equal(list.n_paths, 1);
    fx_file_list_finish(&list);
    (void)snprintf(path, sizeof path, "rm -r %s/.level*", (const char *)*state);
    assert_int_equal(system(path), 0); /* NOLINT(cert-env33-c): the folder is ours */
}

/* 33 folders in one another are one too many. */
static void has_a_depth(void **state) {
    char path[512];
    struct fx_file_list list = {0};
    struct fx_err err = FX_ERR_INIT;
    int length = snprintf(path, sizeof path, "%s/.deep", (const char *)*state);
    for (unsigned i = 0; i <= FX_LIMIT_FOLDER_DEPTH + 1; i++) {
        assert_int_equal(mkdir(path, 0700), 0);
        length += snprintf(path + length, sizeof path - (size_t)length, "/d");
    }
    (void)snprintf(path, sizeof path, "%s/.deep", (const char *)*state);
    assert_false(fx_file_list_add(&list, path, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    assert_non_null(strstr(err.msg, "more than 32 folders in one another"));
    fx_file_list_finish(&list);
    (void)snprintf(path, sizeof path, "rm -r %s/.deep", (const char *)*state);
    assert_int_equal(system(path), 0); /* NOLINT(cert-env33-c): the folder is ours */
}

/* A FIFO without a writer does not block. */
static void refuses_what_is_no_regular_file(void **state) {
    char path[128];
    struct fx_buf bytes;
    struct fx_file_list list = {0};
    struct fx_err err = FX_ERR_INIT;
    fx_buf_init(&bytes, 0);
    (void)snprintf(path, sizeof path, "%s/.fifo.yaml", (const char *)*state);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(fx_file_read_regular(path, 10, &bytes, &err));
    assert_int_equal(err.code, FX_EIO);
    assert_string_equal(err.msg + strlen(path), ": not a regular file");
    assert_int_equal(unlink(path), 0);
    (void)snprintf(path, sizeof path, "%s/fifo.yaml", (const char *)*state);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_true(fx_file_list_add(&list, *state, &err));
    assert_int_equal(list.n_paths, 4); /* without it */
    assert_int_equal(unlink(path), 0);
    fx_file_list_finish(&list);
    assert_false(fx_file_read_regular("/dev/zero", 10, &bytes, &err));
    assert_false(fx_file_read_regular("/tmp", 10, &bytes, &err));
    assert_false(fx_file_read_regular("/nonexistent/x", 10, &bytes, &err));
    assert_string_equal(err.msg, "/nonexistent/x: No such file or directory");
    (void)snprintf(path, sizeof path, "%s/5.txt", (const char *)*state);
    assert_true(fx_file_read_regular(path, 5, &bytes, &err));
    assert_string_equal(bytes.data, "12345");
    assert_false(fx_file_read_regular(path, 4, &bytes, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    fx_buf_finish(&bytes);
}

static void reads_up_to_the_bound(void **state) {
    char path[128];
    struct fx_buf bytes;
    struct fx_err err = FX_ERR_INIT;
    (void)snprintf(path, sizeof path, "%s/5.txt", (const char *)*state);
    fx_buf_init(&bytes, 0);
    assert_true(fx_file_read(path, 5, &bytes, &err));
    assert_string_equal(bytes.data, "12345");
    assert_false(fx_file_read(path, 4, &bytes, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    fx_buf_finish(&bytes);
}

static void replaces_whole_files(void **state) {
    char path[128];
    struct stat info;
    struct fx_buf bytes;
    struct fx_err err = FX_ERR_INIT;
    fx_buf_init(&bytes, 0);
    (void)snprintf(path, sizeof path, "%s/new.txt", (const char *)*state);
    assert_true(fx_file_replace(path, FX_TEXT("first, and longer"), &err));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0644);
    assert_int_equal(chmod(path, 0600), 0);
    assert_true(fx_file_replace(path, FX_TEXT("second"), &err));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_true(fx_file_read(path, 100, &bytes, &err));
    assert_string_equal(bytes.data, "second");
    fx_buf_finish(&bytes);
    assert_int_equal(unlink(path), 0);
}

static void leaves_nothing_where_it_cannot_replace(void **state) {
    char path[128];
    struct fx_err err = FX_ERR_INIT;
    (void)snprintf(path, sizeof path, "%s/nowhere/new.txt", (const char *)*state);
    assert_false(fx_file_replace(path, FX_TEXT("x"), &err));
    assert_int_equal(err.code, FX_EIO);
    assert_string_equal(err.msg + strlen(path), ": No such file or directory");
    /* A folder cannot be replaced; the file beside it is gone again (the folder would not
     * go away at the end if it were not). */
    (void)snprintf(path, sizeof path, "%s/a", (const char *)*state);
    assert_false(fx_file_replace(path, FX_TEXT("x"), &err));
    assert_int_equal(err.code, FX_EIO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaces_whole_files),
        cmocka_unit_test(leaves_nothing_where_it_cannot_replace),
        cmocka_unit_test(lists_in_order),
        cmocka_unit_test(refuses_what_is_not_there),
        cmocka_unit_test(visits_each_folder_once),
        cmocka_unit_test(is_not_lost_in_links),
        cmocka_unit_test(has_a_depth),
        cmocka_unit_test(refuses_what_is_no_regular_file),
        cmocka_unit_test(reads_up_to_the_bound),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
