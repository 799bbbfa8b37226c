/* SPDX-License-Identifier: Apache-2.0
 *
 * server/routes_test.c - which method and path finds what.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/routes.h"

static void test_find(void **state) {
    (void)state;
    static const struct {
        const struct fx_routes *routes;
        const char *method, *path;
        const char *allow; /* NULL: it is found; "": no such path */
    } cases[] = {
        {&fx_routes_webhook, "POST", "/v1/mutate", NULL},
        {&fx_routes_webhook, "GET", "/v1/mutate", "Allow: POST\r\n"},
        {&fx_routes_webhook, "post", "/v1/mutate", "Allow: POST\r\n"},
        {&fx_routes_webhook, "POST", "/v1/mutate/", ""},
        {&fx_routes_webhook, "POST", "/V1/mutate", ""},
        {&fx_routes_webhook, "POST", "", ""},
        {&fx_routes_webhook, "GET", "/healthz", ""},
        {&fx_routes_health, "GET", "/healthz", NULL},
        {&fx_routes_health, "HEAD", "/readyz", NULL},
        {&fx_routes_health, "GET", "/metrics", NULL},
        {&fx_routes_health, "DELETE", "/metrics", "Allow: GET, HEAD\r\n"},
        {&fx_routes_health, "POST", "/v1/mutate", ""},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_buf allow;
        fx_buf_init(&allow, 0);
        const struct fx_route *route =
            fx_routes_find(cases[i].routes, fx_text_of(cases[i].method),
                           fx_text_of(cases[i].path), &allow);
        if (cases[i].allow == NULL) {
            assert_non_null(route);
            assert_string_equal(route->path, cases[i].path);
            assert_int_equal(allow.len, 0);
        } else {
            assert_null(route);
            assert_string_equal(allow.len == 0 ? "" : allow.data, cases[i].allow);
        }
        fx_buf_finish(&allow);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_find)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
