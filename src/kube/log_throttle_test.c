/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/log_throttle_test.c - the lines that are logged when the API server fails and
 * recovers, and when it refuses a resource.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kube/log_throttle.h"

#define SECOND UINT64_C(1000000000)

static const struct fx_kube_resource one = {"g", "v1", "ones", "One"};
static const struct fx_kube_resource two = {"g", "v1", "twos", "Two"};

struct fixture {
    struct fx_kube_log_throttle throttle;
    uint64_t now_ns;
    FILE *file;
    int kept;
    char text[8192];
};

/* Redirects the log to a file. */
static void begin(struct fixture *fixture) {
    *fixture = (struct fixture){.now_ns = SECOND, .file = tmpfile()};
    assert_non_null(fixture->file);
    fixture->kept = dup(STDERR_FILENO);
    assert_true(fixture->kept >= 0 && dup2(fileno(fixture->file), STDERR_FILENO) >= 0);
}

static void end(struct fixture *fixture) {
    assert_true(dup2(fixture->kept, STDERR_FILENO) >= 0 && close(fixture->kept) == 0);
    assert_int_equal(fseek(fixture->file, 0, SEEK_SET), 0);
    fixture->text[fread(fixture->text, 1, sizeof fixture->text - 1, fixture->file)] =
        '\0';
    assert_int_equal(fclose(fixture->file), 0);
}

static unsigned count(const struct fixture *fixture, const char *text) {
    unsigned n = 0;
    for (const char *at = strstr(fixture->text, text); at != NULL;
         at = strstr(at + 1, text)) {
        n++;
    }
    return n;
}

static void fails(struct fixture *fixture, const struct fx_kube_resource *resource,
                  enum fx_kube_reason reason, const char *text, bool any) {
    struct fx_kube_failure failure = {.reason = reason};
    (void)snprintf(failure.message, sizeof failure.message, "%s", text);
    fx_kube_log_throttle_state(&fixture->throttle, resource, FX_KUBE_STATE_FAILING,
                               &failure, any, fixture->now_ns);
}

static void works(struct fixture *fixture, const struct fx_kube_resource *resource,
                  bool any) {
    fx_kube_log_throttle_state(&fixture->throttle, resource, FX_KUBE_STATE_WATCHING, NULL,
                               any, fixture->now_ns);
}

static void an_outage_is_two_lines(void **state) {
    (void)state;
    static const enum fx_kube_reason reasons[] = {
        FX_KUBE_REASON_NETWORK, FX_KUBE_REASON_SERVER, FX_KUBE_REASON_BUSY,
        FX_KUBE_REASON_UNAUTHORIZED};
    for (size_t i = 0; i < FX_COUNT(reasons); i++) {
        struct fixture fixture;
        begin(&fixture);
        fails(&fixture, &one, reasons[i], "list ones.g: refused", true);
        fails(&fixture, &two, reasons[i], "list twos.g: refused", true);
        fixture.now_ns += 90 * SECOND;
        works(&fixture, &one, true);
        works(&fixture, &two, false);
        end(&fixture);
        assert_int_equal(count(&fixture, "\n"), 2);
        assert_int_equal(
            count(&fixture, "the API server does not answer: the objects "
                            "read last stay in use\",\"error\":\"list ones.g: refused"),
            1);
        assert_int_equal(count(&fixture, "\"level\":\"warn\",\"msg\":\"the API server "
                                         "answers again\",\"seconds\":90"),
                         1);
        assert_true(fixture.throttle.since_ns == 0);
    }
}

static void a_refusal_is_a_line_for_each(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fails(&fixture, &one, FX_KUBE_REASON_FORBIDDEN, "list ones.g: 403", false);
    fails(&fixture, &two, FX_KUBE_REASON_FORBIDDEN, "list twos.g: 403", false);
    end(&fixture);
    assert_int_equal(
        count(&fixture, "resource cannot be read: the objects read last stay in use"), 2);
    assert_int_equal(count(&fixture, "\"resource\":\"ones\",\"state\":\"failing\","
                                     "\"error\":\"list ones.g: 403\""),
                     1);
    assert_true(fixture.throttle.since_ns == 0);
}

/* How often a lasting and an intermittent refusal are logged. */
static void a_refusal_is_repeated_in_intervals(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fails(&fixture, &one, FX_KUBE_REASON_FORBIDDEN, "list ones.g: 403", false);
    for (unsigned i = 0; i < 20; i++) { /* twenty minutes */
        fixture.now_ns += 60 * SECOND;
        fx_kube_log_throttle_refused(&fixture.throttle, &one, fixture.now_ns);
        fx_kube_log_throttle_refused(&fixture.throttle, &two, fixture.now_ns);
    }
    works(&fixture, &one, false);
    for (unsigned i = 0; i < 5; i++) {
        fails(&fixture, &one, FX_KUBE_REASON_FORBIDDEN, "list ones.g: 403", false);
        works(&fixture, &one, false);
    }
    fixture.now_ns += 3600 * SECOND;
    fx_kube_log_throttle_refused(&fixture.throttle, &one,
                                 fixture.now_ns); /* of another user's, say */
    end(&fixture);
    assert_int_equal(
        count(&fixture, "resource cannot be read: the objects read last stay in use"), 3);

    begin(&fixture);
    fails(&fixture, &one, FX_KUBE_REASON_FORBIDDEN, "list ones.g: 403", false);
    fails(&fixture, &one, FX_KUBE_REASON_FORBIDDEN, "watch ones.g: 403", false);
    end(&fixture);
    assert_int_equal(
        count(&fixture, "resource cannot be read: the objects read last stay in use"), 2);
}

static void a_refusal_does_not_hide_an_outage(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fails(&fixture, &one, FX_KUBE_REASON_FORBIDDEN, "list ones.g: 403", false);
    fails(&fixture, &two, FX_KUBE_REASON_NETWORK, "list twos.g: refused", true);
    fails(&fixture, &one, FX_KUBE_REASON_NETWORK, "list ones.g: refused", true);
    works(&fixture, &two, true);
    fails(&fixture, &one, FX_KUBE_REASON_FORBIDDEN, "list ones.g: 403", false);
    end(&fixture);
    assert_int_equal(count(&fixture, "the API server does not answer"), 1);
    assert_int_equal(count(&fixture, "the API server answers again"), 1);
    assert_int_equal(
        count(&fixture, "resource cannot be read: the objects read last stay in use"), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_outage_is_two_lines),
        cmocka_unit_test(a_refusal_is_a_line_for_each),
        cmocka_unit_test(a_refusal_is_repeated_in_intervals),
        cmocka_unit_test(a_refusal_does_not_hide_an_outage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
