/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_stack_test.c - a thread that has signed leaves no key on its stack, although
 * mbedTLS does. The test owns the stack and searches it when the thread has ended.
 */
#include "net/tls_fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "net/tls_issue.h"

#define STACK_BYTES ((size_t)1 << 20)
#define PAGE        4096
#define KEY_BYTES   32 /* P-256 */

/* What the thread is given, and gives. */
struct work {
    struct fx_tls_pair ca, leaf;
    bool ok;
};

static void *sign(void *user) {
    static const struct fx_tls_dates dates = {1000000000, 2000000000};
    static const char *const names[] = {"hook.shop.svc"};
    struct work *work = user;
    struct fx_err err = FX_ERR_INIT;
    work->ok = fx_tls_issue_leaf(fx_buf_view(&work->ca.cert), fx_buf_view(&work->ca.key),
                                 names, 1, dates, &work->leaf, &err);
    return NULL;
}

/* The number alone, big end first. RFC 5915: SEQUENCE { INTEGER 1, OCTET STRING … */
static void read_number(const struct fx_buf *pem, char number[KEY_BYTES]) {
    static const unsigned char head[] = {0x02, 0x01, 0x01, 0x04, KEY_BYTES};
    struct fx_buf body = {0};
    struct fx_buf der = {0};
    const char *at = memchr(pem->data, '\n', pem->len);
    for (; at != NULL && at[1] != '-'; at = strchr(at + 1, '\n')) {
        fx_buf_add(&body, at + 1, strcspn(at + 1, "\n"));
    }
    assert_true(fx_base64_decode(&der, fx_buf_view(&body)));
    assert_true(der.len > 2 + sizeof head + KEY_BYTES);
    assert_memory_equal(der.data + 2, head, sizeof head);
    memcpy(number, der.data + 2 + sizeof head, KEY_BYTES);
    fx_buf_finish(&body);
    fx_buf_finish(&der);
}

/* Reads through the kernel, as another process would: for valgrind the memory that an
 * ended thread left is undefined. The result is from malloc. */
static char *read_memory(const void *memory, size_t size) {
    char *copy = malloc(size);
    int file = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    assert_non_null(copy);
    assert_true(file >= 0);
    assert_int_equal(pread(file, copy, size, (off_t)(uintptr_t)memory), size);
    assert_int_equal(close(file), 0);
    return copy;
}

static void a_signature_leaves_no_key(void **state) {
    (void)state;
    static const struct fx_tls_dates dates = {1000000000, 2000000000};
    struct work work = {.ok = false};
    struct fx_err err = FX_ERR_INIT;
    char number[KEY_BYTES];
    void *stack = NULL;
    pthread_attr_t attributes;
    pthread_t thread;
    assert_true(fx_tls_issue_authority("an authority", dates, &work.ca, &err));
    read_number(&work.ca.key, number);
    assert_int_equal(posix_memalign(&stack, PAGE, STACK_BYTES), 0);
    memset(stack, 0, STACK_BYTES);
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, sign, &work), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(work.ok);
    char *left = read_memory(stack, STACK_BYTES);
    assert_false(fx_text_contains((struct fx_text){left, STACK_BYTES},
                                  (struct fx_text){number, KEY_BYTES}));
    (void)pthread_attr_destroy(&attributes);
    free(left);
    fx_tls_pair_finish(&work.ca);
    fx_tls_pair_finish(&work.leaf);
    free(stack);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signature_leaves_no_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
