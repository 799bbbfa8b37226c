/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/token_test.c - tokens that rotate as the kubelet rotates them, and files that are
 * gone, empty or something else for a while.
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

#include "kube/config.h"
#include "kube/folder_fixture.h"
#include "kube/token.h"
#include "net/tls.h"

#define SECOND   UINT64_C(1000000000)
#define START_NS (1000 * SECOND)

static char token_file[PATH_ROOM];

/* Neither the time nor the size of the file shows the change. */
static void write_unseen(const char *name, const char *text) {
    char path[PATH_ROOM];
    struct stat info;
    path_of(name, path);
    assert_int_equal(stat(path, &info), 0);
    write_file(name, text);
    assert_int_equal(
        utimensat(AT_FDCWD, path,
                  (const struct timespec[2]){{.tv_nsec = UTIME_OMIT}, info.st_mtim}, 0),
        0);
}

static int make_token_folder(void **state) {
    const int failed = make_folder(state);
    path_of("token", token_file);
    return failed;
}

/* ---- one in use -------------------------------------------------------------------- */

static void start(struct fx_kube_token *token, char *file, char *fixed) {
    struct fx_err err = FX_ERR_INIT;
    const struct fx_kube_config config = {
        .token_file = file,
        .token = {.data = fixed, .len = fixed == NULL ? 0 : strlen(fixed)},
    };
    assert_true(fx_kube_token_init(token, &config, &err));
}

static void assert_token(struct fx_kube_token *token, uint64_t now_ns,
                         const char *wanted) {
    bool fault = true;
    struct fx_err err = FX_ERR_INIT;
    const struct fx_text got = fx_kube_token_now(token, now_ns, &fault, &err);
    if (fault || !fx_text_is(got, wanted)) {
        fail_msg("`%.*s` instead of `%s`: %s", FX_TEXT_ARG(got), wanted,
                 fault ? err.msg : "no fault");
    }
}

static void assert_fault(struct fx_kube_token *token, uint64_t now_ns, const char *wanted,
                         const char *message) {
    bool fault = false;
    struct fx_err err = FX_ERR_INIT;
    const struct fx_text got = fx_kube_token_now(token, now_ns, &fault, &err);
    assert_true(fault);
    assert_true(fx_text_is(got, wanted));
    if (strstr(err.msg, message) == NULL) {
        fail_msg("`%s` is not in `%s`", message, err.msg);
    }
}

static void a_fixed_token_stays(void **state) {
    (void)state;
    char fixed[] = "fixed";
    struct fx_kube_token token;
    start(&token, NULL, fixed);
    assert_token(&token, START_NS, "fixed");
    assert_token(&token, START_NS + 3600 * SECOND, "fixed");
    assert_false(fx_kube_token_refresh(&token, START_NS));
    fx_kube_token_finish(&token);
    start(&token, NULL, NULL);
    assert_token(&token, START_NS, "");
    fx_kube_token_finish(&token);
    fx_kube_token_finish(&token);
    fx_kube_token_finish(NULL);
}

static void a_changed_file_is_read_at_once(void **state) {
    (void)state;
    struct fx_kube_token token;
    write_file("token", "one\n");
    start(&token, token_file, NULL);
    assert_token(&token, START_NS, "one");
    write_file("token", "second\n");
    assert_token(&token, START_NS + 1, "second");
    fx_kube_token_finish(&token);
}

/* A projected volume is a link to a folder that is exchanged for another. */
static void a_swapped_volume_is_seen(void **state) {
    (void)state;
    char one[PATH_ROOM];
    char two[PATH_ROOM];
    char data[PATH_ROOM];
    char fresh[PATH_ROOM];
    char link_path[PATH_ROOM];
    struct fx_kube_token token;
    path_of("..1", one);
    path_of("..2", two);
    path_of("..data", data);
    path_of("..fresh", fresh);
    path_of("linked", link_path);
    assert_int_equal(mkdir(one, 0700), 0);
    assert_int_equal(mkdir(two, 0700), 0);
    write_file("..1/token", "old");
    write_file("..2/token", "new");
    assert_int_equal(symlink("..1", data), 0);
    assert_int_equal(symlink("..data/token", link_path), 0);
    start(&token, link_path, NULL);
    assert_token(&token, START_NS, "old");
    assert_int_equal(symlink("..2", fresh), 0);
    assert_int_equal(rename(fresh, data), 0);
    assert_token(&token, START_NS + 1, "new");
    fx_kube_token_finish(&token);
    remove_file("..1/token");
    remove_file("..2/token");
    remove_file("..data");
    remove_file("linked");
    assert_int_equal(rmdir(one), 0);
    assert_int_equal(rmdir(two), 0);
}

static void an_unseen_change_is_read_within_a_minute(void **state) {
    (void)state;
    struct fx_kube_token token;
    write_file("token", "one\n");
    start(&token, token_file, NULL);
    assert_token(&token, START_NS, "one");
    write_unseen("token", "two\n");
    assert_token(&token, START_NS + 60 * SECOND - 1, "one");
    assert_token(&token, START_NS + 60 * SECOND, "two");
    write_unseen("token", "six\n");
    assert_token(&token, START_NS + 60 * SECOND, "two");
    assert_token(&token, START_NS + 120 * SECOND, "six");
    fx_kube_token_finish(&token);
}

static void after_a_401_it_is_read_at_once(void **state) {
    (void)state;
    struct fx_kube_token token;
    write_file("token", "one\n");
    start(&token, token_file, NULL);
    assert_token(&token, START_NS, "one");
    assert_false(fx_kube_token_refresh(&token, START_NS));
    write_unseen("token", "two\n");
    assert_true(fx_kube_token_refresh(&token, START_NS));
    assert_token(&token, START_NS, "two");
    assert_false(fx_kube_token_refresh(&token, START_NS));
    remove_file("token");
    assert_false(fx_kube_token_refresh(&token, START_NS + 1));
    assert_fault(&token, START_NS + 1, "two", "token: No such file or directory");
    fx_kube_token_finish(&token);
}

static void the_old_one_is_kept_where_the_file_fails(void **state) {
    (void)state;
    struct fx_kube_token token;
    write_file("token", "one\n");
    start(&token, token_file, NULL);
    assert_token(&token, START_NS, "one");
    remove_file("token");
    assert_fault(&token, START_NS + 1, "one", "token: No such file or directory");
    /* Reported once, then not read again for a while. */
    assert_token(&token, START_NS + 2, "one");
    write_file("token", "\n");
    assert_token(&token, START_NS + 10 * SECOND, "one");
    assert_fault(&token, START_NS + 10 * SECOND + 1, "one", "token: no token");
    write_file("token", "two");
    assert_token(&token, START_NS + 20 * SECOND, "one");
    assert_token(&token, START_NS + 20 * SECOND + 1, "two");
    write_file("token", "three");
    assert_token(&token, START_NS + 20 * SECOND + 2, "three");
    fx_kube_token_finish(&token);
}

static void a_fixed_one_stands_in_for_the_file(void **state) {
    (void)state;
    char fixed[] = "fixed";
    struct fx_kube_token token;
    remove_file("token");
    start(&token, token_file, fixed);
    assert_fault(&token, START_NS, "fixed", "No such file");
    assert_token(&token, START_NS + 1, "fixed");
    write_file("token", "of-file");
    assert_token(&token, START_NS + 10 * SECOND, "of-file");
    fx_kube_token_finish(&token);
}

/* ---- files ------------------------------------------------------------------------- */

static void assert_unreadable(enum fx_code code, const char *message) {
    struct fx_buf value = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_false(fx_kube_token_read(token_file, &value, &err));
    assert_int_equal(err.code, code);
    if (strstr(err.msg, message) == NULL) {
        fail_msg("`%s` is not in `%s`", message, err.msg);
    }
    assert_null(strstr(err.msg, "hunter"));
    assert_null(value.data);
}

static void only_tokens_are_read(void **state) {
    (void)state;
    write_file("token", "hunter two");
    assert_unreadable(FX_EINVALID, "token: invalid character in token");
    write_file("token", "hunter\r\nX-Evil: 1");
    assert_unreadable(FX_EINVALID, "token: invalid character in token");
    write_file("token", "hunter\xc3\xa4");
    assert_unreadable(FX_EINVALID, "token: invalid character in token");
    write_file("token", "hunter\x7f");
    assert_unreadable(FX_EINVALID, "token: invalid character in token");
    write_file("token", " \t\r\n\v\f");
    assert_unreadable(FX_EINVALID, "token: no token");
    remove_file("token");
    assert_unreadable(FX_EIO, "token: No such file or directory");
}

/* Reading a pipe would block. */
static void only_files_are_read(void **state) {
    (void)state;
    assert_int_equal(mkfifo(token_file, 0600), 0);
    assert_unreadable(FX_EIO, "token: not a regular file");
    remove_file("token");
    assert_int_equal(mkdir(token_file, 0700), 0);
    assert_unreadable(FX_EIO, "token: not a regular file");
    assert_int_equal(rmdir(token_file), 0);
}

static void tokens_are_bounded(void **state) {
    (void)state;
    struct fx_buf text = {0};
    struct fx_buf value = {0};
    struct fx_err err = FX_ERR_INIT;
    fx_buf_fill(&text, 'h', 65536);
    assert_false(text.failed);
    write_file("token", text.data);
    assert_true(fx_kube_token_read(token_file, &value, &err));
    assert_int_equal(value.len, 65536);
    fx_tls_wipe(&value);
    fx_buf_char(&text, 'h');
    write_file("token", text.data);
    assert_unreadable(FX_ELIMIT, "larger than 65536 bytes");
    assert_false(fx_kube_token_check(fx_buf_view(&text), &err));
    assert_int_equal(err.code, FX_ELIMIT);
    fx_buf_finish(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fixed_token_stays),
        cmocka_unit_test(a_changed_file_is_read_at_once),
        cmocka_unit_test(a_swapped_volume_is_seen),
        cmocka_unit_test(an_unseen_change_is_read_within_a_minute),
        cmocka_unit_test(after_a_401_it_is_read_at_once),
        cmocka_unit_test(the_old_one_is_kept_where_the_file_fails),
        cmocka_unit_test(a_fixed_one_stands_in_for_the_file),
        cmocka_unit_test(only_tokens_are_read),
        cmocka_unit_test(only_files_are_read),
        cmocka_unit_test(tokens_are_bounded),
    };
    return cmocka_run_group_tests(tests, make_token_folder, remove_folder);
}
