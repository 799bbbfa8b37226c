/* SPDX-License-Identifier: Apache-2.0
 *
 * base/log_pipe_test.c - lines to a pipe that is read, that is not, and that is closed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/log.h"

#define PATIENCE_MS 20000u
#define LINE_BYTES  1000
#define MANY        (2 * FX_LIMIT_LOG_BYTES / LINE_BYTES)
#define THREADS     4
#define LINES       2000

static int saved, ends[2];

/* Standard error is a pipe from now on. */
static int make_pipe(void **state) {
    (void)state;
    saved = dup(STDERR_FILENO);
    return saved < 0 || pipe(ends) != 0 || dup2(ends[1], STDERR_FILENO) < 0 ||
           close(ends[1]) != 0;
}

static void restore(void) {
    (void)dup2(saved, STDERR_FILENO);
    (void)close(saved);
}

/* All that was written, up to the end of the pipe. */
static char *read_all(void) {
    size_t len = 0;
    size_t cap = 65536;
    char *text = malloc(cap);
    assert_non_null(text);
    for (ssize_t n = 0; (n = read(ends[0], text + len, cap - 1 - len)) > 0;) {
        len += (size_t)n;
        if (len == cap - 1) {
            cap *= 2;
            char *grown = realloc(text, cap);
            assert_non_null(grown);
            text = grown;
        }
    }
    text[len] = '\0';
    (void)close(ends[0]);
    return text;
}

static void log_many(size_t n) {
    char message[LINE_BYTES];
    memset(message, 'x', sizeof message - 1);
    message[sizeof message - 1] = '\0';
    for (size_t i = 0; i < n; i++) {
        fx_log(INFO, message, fx_log_int("i", (int64_t)i));
    }
}

static void pause_ms(long ms) {
    (void)nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static void *log_some(void *which) {
    for (int i = 0; i < LINES; i++) {
        fx_log(INFO, which, fx_log_int("i", i));
        if (i % 500 == 0) {
            pause_ms(5);
        }
    }
    return NULL;
}

static void *read_in_background(void *unused) {
    (void)unused;
    return read_all();
}

/* Each thread's lines come in their order, none is missing, and none is mixed with
 * others. */
static void test_lines_of_threads(void **state) {
    (void)state;
    static char names[THREADS][2] = {"a", "b", "c", "d"};
    pthread_t reader;
    pthread_t writers[THREADS];
    assert_true(fx_log_start());
    assert_false(fx_log_start()); /* there is one */
    assert_int_equal(pthread_create(&reader, NULL, read_in_background, NULL), 0);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&writers[i], NULL, log_some, names[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(writers[i], NULL), 0);
    }
    fx_log_stop(PATIENCE_MS);
    restore();
    void *text = NULL;
    assert_int_equal(pthread_join(reader, &text), 0);
    int next[THREADS] = {0};
    int n = 0;
    for (char *line = text, *end = NULL; *line != '\0'; line = end + 1, n++) {
        char name = '\0';
        int i = -1;
        end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0'; /* sscanf() measures what it is given */
        assert_int_equal(
            sscanf(line,
                   "{\"time\":\"%*24s\",\"level\":\"info\",\"msg\":\"%c\",\"i\":%d}",
                   &name, &i),
            2);
        assert_int_equal(i, next[name - 'a']++);
    }
    assert_int_equal(n, THREADS * LINES);
    free(text);
}

/* Not even the shortest line has room any more. */
static void log_to_the_brim(void) {
    log_many(MANY);
    for (int i = 0; i < LINE_BYTES; i++) {
        fx_log(INFO, "x", fx_log_int("i", i));
    }
}

/* Without a reader, logging does not block. A later reader gets the number of lost lines.
 */
static void test_a_pipe_that_is_not_read(void **state) {
    (void)state;
    const uint64_t before = fx_log_lost();
    pthread_t reader;
    void *text = NULL;
    assert_true(fx_log_start());
    log_to_the_brim();
    const uint64_t lost = fx_log_lost() - before;
    assert_true(lost > 0 && lost < MANY + LINE_BYTES);
    assert_int_equal(pthread_create(&reader, NULL, read_in_background, NULL), 0);
    fx_log_stop(PATIENCE_MS);
    restore();
    assert_int_equal(pthread_join(reader, &text), 0);
    char lost_line[60];
    (void)snprintf(lost_line, sizeof lost_line, "\"log lines lost\",\"lines\":%llu}\n",
                   (unsigned long long)lost);
    assert_non_null(strstr(text, lost_line));
    free(text);
}

/* The end does not wait for ever either. */
static void test_an_end_that_nobody_reads(void **state) {
    (void)state;
    assert_true(fx_log_start());
    log_many(MANY);
    fx_log_stop(50);
    const uint64_t before = fx_log_lost();
    log_many(1);
    assert_int_equal(fx_log_lost(), before + 1);
    restore();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_lines_of_threads, make_pipe),
        cmocka_unit_test_setup(test_a_pipe_that_is_not_read, make_pipe),
        cmocka_unit_test_setup(test_an_end_that_nobody_reads, make_pipe), /* the last */
    };
    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
