/* SPDX-License-Identifier: Apache-2.0
 *
 * server/file_set_test.c - digests and stamps of a folder that changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/file_set.h"

struct fixture {
    char folder[64];
    char path[128];
};

static const char *in(struct fixture *fixture, const char *name) {
    (void)snprintf(fixture->path, sizeof fixture->path, "%s/%s", fixture->folder, name);
    return fixture->path;
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
}

static int make_place(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    (void)snprintf(fixture->folder, sizeof fixture->folder, "/tmp/fx-file-set-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    *state = fixture;
    return 0;
}

static int remove_place(void **state) {
    struct fixture *fixture = *state;
    static const char *const names[] = {"a.yaml", "b.yaml", "..data", "v1/a.yaml",
                                        "v2/a.yaml"};
    for (size_t i = 0; i < FX_COUNT(names); i++) {
        (void)unlink(in(fixture, names[i]));
    }
    (void)rmdir(in(fixture, "v1"));
    (void)rmdir(in(fixture, "v2"));
    assert_int_equal(rmdir(fixture->folder), 0);
    free(fixture);
    return 0;
}

static struct fx_file_set read_fixture(const struct fixture *fixture,
                                       struct fx_file_stamp *ret_stamp) {
    const char *const roots[] = {fixture->folder};
    struct fx_file_set set = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_true(
        fx_file_set_read(&(struct fx_file_roots){roots, 1, 1000}, &set, ret_stamp, &err));
    return set;
}

static void test_digest(void **state) {
    struct fixture *fixture = *state;
    struct fx_file_stamp stamp;
    write_file(in(fixture, "a.yaml"), "1");
    write_file(in(fixture, "b.yaml"), "2");
    struct fx_file_set first = read_fixture(fixture, &stamp);
    assert_int_equal(first.files.n_paths, 2);
    assert_string_equal(first.contents[1].bytes.data, "2");
    assert_int_equal(first.folders.n_paths, 1);
    assert_false(stamp.settled); /* just written */
    struct fx_file_set again = read_fixture(fixture, &stamp);
    assert_true(first.digest == again.digest);
    fx_file_set_finish(&again);
    write_file(in(fixture, "b.yaml"), "3");
    again = read_fixture(fixture, &stamp);
    assert_true(first.digest != again.digest);
    fx_file_set_finish(&again);
    fx_file_set_finish(&first);
}

static void test_too_large(void **state) {
    struct fixture *fixture = *state;
    struct fx_file_stamp stamp;
    char text[1200];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    write_file(in(fixture, "a.yaml"), text);
    struct fx_file_set set = read_fixture(fixture, &stamp);
    assert_non_null(set.contents[0].failure);
    fx_file_set_finish(&set);
}

static void test_missing(void **state) {
    const struct fixture *fixture = *state;
    const char *const roots[] = {fixture->folder, "/does/not/exist"};
    struct fx_file_stamp stamp;
    struct fx_err err = FX_ERR_INIT;
    assert_false(fx_file_set_stat(&(struct fx_file_roots){roots, 2, 1000}, &stamp, &err));
    assert_int_equal(err.code, FX_EIO);
}

/* A swapped link changes what is below it, though no name in the folder changes. */
static void test_swapped_link(void **state) {
    struct fixture *fixture = *state;
    struct fx_file_stamp before;
    struct fx_file_stamp after;
    assert_int_equal(mkdir(in(fixture, "v1"), 0755), 0);
    assert_int_equal(mkdir(in(fixture, "v2"), 0755), 0);
    write_file(in(fixture, "v1/a.yaml"), "1");
    write_file(in(fixture, "v2/a.yaml"), "1");
    assert_int_equal(symlink("v1", in(fixture, "..data")), 0);
    assert_int_equal(symlink("..data/a.yaml", in(fixture, "a.yaml")), 0);
    const char *const roots[] = {in(fixture, "a.yaml")};
    struct fx_err err = FX_ERR_INIT;
    const struct fx_file_roots all = {roots, 1, 1000};
    assert_true(fx_file_set_stat(&all, &before, &err));
    char link[128];
    (void)snprintf(link, sizeof link, "%s/..data", fixture->folder);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink("v2", link), 0);
    assert_true(fx_file_set_stat(&all, &after, &err));
    assert_true(before.files != after.files);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_digest, make_place, remove_place),
        cmocka_unit_test_setup_teardown(test_too_large, make_place, remove_place),
        cmocka_unit_test_setup_teardown(test_missing, make_place, remove_place),
        cmocka_unit_test_setup_teardown(test_swapped_link, make_place, remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
