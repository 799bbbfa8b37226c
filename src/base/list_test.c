/* SPDX-License-Identifier: Apache-2.0
 *
 * base/list_test.c - linked lists.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/list.h"
#include "base/macros.h"

static void links_are_added_and_removed(void **state) {
    (void)state;
    struct fx_list_link links[3] = {0};
    struct fx_list_link *first = NULL;
    for (size_t i = 0; i < FX_COUNT(links); i++) {
        fx_list_add(&first, &links[i]);
    }
    assert_ptr_equal(first, &links[2]);
    fx_list_remove(&first, &links[1]);
    assert_ptr_equal(first->next, &links[0]);
    assert_ptr_equal(links[0].previous, &links[2]);
    fx_list_remove(&first, &links[2]);
    assert_ptr_equal(first, &links[0]);
    assert_null(first->previous);
    fx_list_remove(&first, &links[0]);
    assert_null(first);
}

static void queues_have_two_ends(void **state) {
    (void)state;
    struct fx_list_link links[3];
    struct fx_queue queue = {0};
    fx_queue_append(&queue, &links[1]);
    fx_queue_prepend(&queue, &links[0]);
    fx_queue_append(&queue, &links[2]);
    assert_ptr_equal(queue.first, &links[0]);
    assert_ptr_equal(queue.first->next, &links[1]);
    assert_ptr_equal(queue.last, &links[2]);
    fx_queue_remove(&queue, &links[1]);
    assert_ptr_equal(queue.first->next, &links[2]);
    assert_ptr_equal(queue.last->previous, &links[0]);
    fx_queue_remove(&queue, &links[2]);
    assert_ptr_equal(queue.last, &links[0]);
    fx_queue_remove(&queue, &links[0]);
    assert_null(queue.first);
    assert_null(queue.last);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_added_and_removed),
        cmocka_unit_test(queues_have_two_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
