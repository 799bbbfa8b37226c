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
#include "server/state.h"

static struct fx_server *server_with(struct fx_server_options *options) {
    static struct fx_server server;
    server.options = options;
    return &server;
}

static void test_find(void **state) {
    (void)state;
    struct fx_server_options options = {.mutates = true, .admits = true};
    const struct fx_server *server = server_with(&options);
    static const struct {
        const struct fx_routes *routes;
        const char *method, *path;
        const char *allow; /* NULL: it is found; "": no such path */
    } cases[] = {
        {&fx_routes_webhook, "POST", "/v1/admit", NULL},
        {&fx_routes_webhook, "POST", "/v1/admitlabel", NULL},
        {&fx_routes_webhook, "POST", "/podbinding-webhook", NULL},
        {&fx_routes_webhook, "PUT", "/v1/admit", "Allow: POST\r\n"},
        {&fx_routes_webhook, "POST", "/v1/mutate", NULL},
        {&fx_routes_webhook, "GET", "/v1/mutate", "Allow: POST\r\n"},
        {&fx_routes_webhook, "POST", "/dragnet-webhook", NULL},
        {&fx_routes_webhook, "GET", "/dragnet-webhook", "Allow: POST\r\n"},
        {&fx_routes_webhook, "POST", "/validate-api-kubemod-io-v1beta1-modrule", NULL},
        {&fx_routes_webhook, "POST", "/mutate-api-kubemod-io-v1beta1-modrule", NULL},
        {&fx_routes_webhook, "POST", "/mutate", NULL},
        {&fx_routes_webhook, "POST", "/mutate/fail", NULL},
        {&fx_routes_webhook, "POST", "/mutate/ignore", NULL},
        {&fx_routes_webhook, "POST", "/mutate/other", ""},
        {&fx_routes_webhook, "POST", "/mutate/fail/finegrained/", ""},
        {&fx_routes_webhook, "GET", "/mutate/fail", "Allow: POST\r\n"},
        {&fx_routes_webhook, "POST", "/verifymutate", NULL},
        {&fx_routes_webhook, "POST", "/policyvalidate", NULL},
        {&fx_routes_webhook, "POST", "/policymutate", NULL},
        {&fx_routes_webhook, "POST", "/exceptionvalidate", NULL},
        {&fx_routes_health, "POST", "/dragnet-webhook", ""},
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
        {&fx_routes_health, "PUT", "/v1/dryrun", ""},
        {&fx_routes_dryruns, "PUT", "/v1/dryrun", NULL},
        {&fx_routes_dryruns, "POST", "/v1/dryrun", "Allow: PUT\r\n"},
        {&fx_routes_dryruns, "GET", "/metrics", ""},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_buf allow = {0};
        struct fx_route route;
        const bool is_found =
            fx_routes_find(cases[i].routes, server, fx_text_of(cases[i].method),
                           fx_text_of(cases[i].path), &route, &allow);
        if (cases[i].allow == NULL) {
            assert_true(is_found);
            assert_string_equal(route.path, cases[i].path);
            assert_int_equal(allow.len, 0);
        } else {
            assert_false(is_found);
            assert_string_equal(allow.len == 0 ? "" : allow.data, cases[i].allow);
        }
        fx_buf_finish(&allow);
    }
}

/* A path with an argument is found under the part before the argument. */
static void test_argument(void **state) {
    (void)state;
    struct fx_server_options options = {.mutates = true};
    static const char *const found[] = {"/mutate/fail/finegrained/a",
                                        "/mutate/fail/finegrained/n/a"};
    for (size_t i = 0; i < FX_COUNT(found); i++) {
        struct fx_buf allow = {0};
        struct fx_route route;
        assert_true(fx_routes_find(&fx_routes_webhook, server_with(&options),
                                   FX_TEXT("POST"), fx_text_of(found[i]), &route,
                                   &allow));
        assert_string_equal(route.path, "/mutate/fail/finegrained/");
    }
}

static bool is_there(const struct fx_server *server, const char *path) {
    struct fx_buf allow = {0};
    struct fx_route route;
    const bool is_found = fx_routes_find(&fx_routes_webhook, server, FX_TEXT("POST"),
                                         fx_text_of(path), &route, &allow);
    assert_int_equal(allow.len, 0);
    fx_buf_finish(&allow);
    return is_found;
}

/* A path is there only where its operation is wanted. */
static void test_operations(void **state) {
    (void)state;
    static const char *const mutating[] = {"/v1/mutate", "/dragnet-webhook",
                                           "/podbinding-webhook", "/mutate/ignore"};
    static const char *const admitting[] = {
        "/v1/admit",
        "/v1/admitlabel",
        "/validate-api-kubemod-io-v1beta1-modrule",
        "/mutate-api-kubemod-io-v1beta1-modrule",
        "/policyvalidate",
    };
    for (unsigned bits = 0; bits < 4; bits++) {
        struct fx_server_options options = {.mutates = (bits & 1u) != 0,
                                            .admits = (bits & 2u) != 0};
        const struct fx_server *server = server_with(&options);
        for (size_t i = 0; i < FX_COUNT(mutating); i++) {
            assert_int_equal(options.mutates, is_there(server, mutating[i]));
        }
        for (size_t i = 0; i < FX_COUNT(admitting); i++) {
            assert_int_equal(options.admits, is_there(server, admitting[i]));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_find),
                                       cmocka_unit_test(test_argument),
                                       cmocka_unit_test(test_operations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
