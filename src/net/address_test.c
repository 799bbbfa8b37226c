/* SPDX-License-Identifier: Apache-2.0
 *
 * net/address_test.c - what "HOST:PORT" may be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/macros.h"
#include "net/address.h"

static void reads_addresses(void **state) {
    (void)state;
    static const struct {
        const char *text, *host;
        uint16_t port;
        bool any;
    } cases[] = {
        {"127.0.0.1:8443", "127.0.0.1", 8443, false}, {"0.0.0.0:0", "0.0.0.0", 0, false},
        {"[::1]:65535", "::1", 65535, false},         {"[::]:9090", "::", 9090, false},
        {"[2001:db8::7]:1", "2001:db8::7", 1, false}, {":8443", "::", 8443, true},
        {"10.0.0.1:00080", "10.0.0.1", 80, false},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_address address;
        struct fx_err err = FX_ERR_INIT;
        char host[64] = "";
        assert_true(fx_address_parse(cases[i].text, &address, &err));
        assert_int_equal(fx_address_port(&address.socket), cases[i].port);
        assert_int_equal(address.any, cases[i].any);
        assert_int_equal(
            uv_ip_name((const struct sockaddr *)&address.socket, host, sizeof host), 0);
        assert_string_equal(host, cases[i].host);
    }
}

static void refuses_the_rest(void **state) {
    (void)state;
    static const char *const cases[] = {
        "",          ":",           "8443",      "127.0.0.1",    "127.0.0.1:",
        ":65536",    ":-1",         ":8443 ",    "1.2.3:80",     "localhost:8443",
        "::1:8443",  "[::1]",       "[::1:80",   "::1]:80",      "[]:80",
        "[[::1]]:8", "[1.2.3.4]:1", "1.2.3.4.:", "[::1]8443:80", ":999999",
        ":0x50",
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_address address = {0};
        struct fx_err err = FX_ERR_INIT;
        assert_false(fx_address_parse(cases[i], &address, &err));
        assert_int_equal(err.code, FX_EINVALID);
        assert_non_null(strstr(err.msg, cases[i]));
    }
}

static void a_long_host_is_refused(void **state) {
    (void)state;
    char text[400];
    memset(text, '1', sizeof text);
    memcpy(text + sizeof text - 4, ":80", 4);
    struct fx_address address = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_false(fx_address_parse(text, &address, &err));
}

static void falls_back_to_ipv4(void **state) {
    (void)state;
    struct fx_address address;
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_address_parse(":8443", &address, &err));
    fx_address_make_ipv4(&address);
    assert_int_equal(address.socket.ss_family, AF_INET);
    assert_int_equal(fx_address_port(&address.socket), 8443);
}

static void a_listener_is_reached(void **state) {
    (void)state;
    static const struct {
        const char *listened, *reached;
    } cases[] = {
        {":8443", "127.0.0.1:17"},          {"0.0.0.0:8443", "127.0.0.1:17"},
        {"[::]:8443", "[::1]:17"},          {"127.0.0.1:0", "127.0.0.1:17"},
        {"192.0.2.7:8443", "192.0.2.7:17"}, {"[2001:db8::7]:0", "[2001:db8::7]:17"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_address listened;
        struct fx_address expected;
        struct fx_address got;
        assert_true(fx_address_parse(cases[i].listened, &listened, &err));
        assert_true(fx_address_parse(cases[i].reached, &expected, &err));
        fx_address_of_listener(&listened, 17, &got);
        assert_memory_equal(&got.socket, &expected.socket, sizeof got.socket);
    }
}

static void literals_differ_from_names(void **state) {
    (void)state;
    static const struct {
        const char *host, *printed; /* NULL: a name */
    } cases[] = {
        {"127.0.0.1", "127.0.0.1:17"},
        {"::1", "[::1]:17"},
        {"2001:DB8:0::7", "[2001:db8::7]:17"},
        {"::ffff:192.0.2.255", "[::ffff:192.0.2.255]:17"},
        {"localhost", NULL},
        {"127.0.0.256", NULL},
        {"1.2.3", NULL},
        {"[::1]", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct sockaddr_storage socket = {0};
        char printed[FX_ADDRESS_BYTES];
        assert_int_equal(fx_address_of_literal(cases[i].host, 17, &socket),
                         cases[i].printed != NULL);
        if (cases[i].printed != NULL) {
            assert_int_equal(fx_address_port(&socket), 17);
            fx_address_print((const struct sockaddr *)&socket, 17, printed,
                             sizeof printed);
            assert_string_equal(printed, cases[i].printed);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_addresses),
        cmocka_unit_test(refuses_the_rest),
        cmocka_unit_test(a_long_host_is_refused),
        cmocka_unit_test(falls_back_to_ipv4),
        cmocka_unit_test(a_listener_is_reached),
        cmocka_unit_test(literals_differ_from_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
