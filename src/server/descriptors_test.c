/* SPDX-License-Identifier: Apache-2.0
 *
 * server/descriptors_test.c - shares in many descriptors and in few.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "server/capacity.h"

static void test_shares(void **state) {
    (void)state;
    static const struct {
        size_t limit;
        struct fx_descriptors wanted, got;
    } rows[] = {
        {1048576, {4096, 256}, {4096, 256}}, {4736, {4096, 256}, {4096, 256}},
        {4735, {4096, 256}, {4095, 256}},    {1024, {4096, 256}, {512, 256}},
        {1024, {100, 256}, {100, 256}},      {64, {4096, 256}, {32, 16}},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct fx_descriptors got = rows[i].wanted;
        fx_descriptors_share(rows[i].limit, &got);
        assert_int_equal(got.webhook, rows[i].got.webhook);
        assert_int_equal(got.health, rows[i].got.health);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shares)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
