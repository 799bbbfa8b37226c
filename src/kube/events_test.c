/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/events_test.c - lines become events, however they are cut.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/macros.h"
#include "kube/events.h"
#include "value/freed_testing.h"

#define MAX_LINE 80u
#define X46      "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

struct seen {
    struct fx_buf text;
    size_t n, most; /* events, and how many are wanted */
};

static bool on_event(enum fx_kube_event event, json_t *object, void *user,
                     struct fx_err *err) {
    struct seen *seen = user;
    assert_int_equal(object->refcount, 1);
    fx_buf_printf(&seen->text, "%d:%zu ", (int)event, json_object_size(object));
    return ++seen->n < seen->most || fx_fail(err, FX_EIO, "enough");
}

static const struct {
    const char *bytes;
    const char *seen;
    enum fx_code code; /* of the failure; FX_OK: none */
    const char *message;
} cases[] = {
    {"", "", FX_OK, NULL},
    {"\n\n \t\r\n", "", FX_OK, NULL},
    {"{\"type\":\"ADDED\",\"object\":{}}\n", "0:0 ", FX_OK, NULL},
    {"{\"type\":\"MODIFIED\",\"object\":{\"a\":1}}\r\n{\"object\":{},\"type\":"
     "\"DELETED\"}",
     "1:1 2:0 ", FX_OK, NULL},
    {"{\"type\":\"BOOKMARK\",\"object\":{}}\n\n{\"type\":\"ERROR\",\"object\":{}}\n \n",
     "3:0 4:0 ", FX_OK, NULL},
    {"{\"type\":\"ADDED\",\"object\":{}}\n{\"type\":\"ADDED\",\"obj", "0:0 ", FX_ESYNTAX,
     "an event of the watch: unexpected end of JSON input"},
    {"{\"type\":\"ADDED\",\"object\":{}}x\n", "", FX_ESYNTAX, "an event of the watch: "},
    {"<html>\n", "", FX_ESYNTAX, "an event of the watch: "},
    {"[]\n", "", FX_EINVALID, "an event of the watch has an unknown type"},
    {"{\"type\":\"added\",\"object\":{}}\n", "", FX_EINVALID, "an unknown type"},
    {"{\"type\":1,\"object\":{}}\n", "", FX_EINVALID, "an unknown type"},
    {"{\"type\":\"ADDED\"}\n", "", FX_EINVALID, "has no object"},
    {"{\"type\":\"ADDED\",\"object\":[]}\n", "", FX_EINVALID, "has no object"},
    /* 80 bytes, and 81, with and without an end. */
    {"{\"type\":\"ADDED\",\"object\":{\"a\":\"" X46 "\"}}\n", "0:1 ", FX_OK, NULL},
    {"{\"type\":\"ADDED\",\"object\":{\"a\":\"" X46 "x\"}}\n", "", FX_ELIMIT,
     "an event of the watch is larger than 80 bytes"},
    {"\n01234567890123456789012345678901234567890123456789012345678901234567890123456789"
     "0",
     "", FX_ELIMIT, "larger than 80 bytes"},
    {"{\"type\":\"ADDED\",\"object\":{}}\n{\"type\":\"ADDED\",\"object\":{}}\n"
     "{\"type\":\"ADDED\",\"object\":{}}\nrubbish\n",
     "0:0 0:0 0:0 ", FX_EIO, "enough"},
};

static void check(size_t i, const struct seen *seen, bool ok, const struct fx_err *err) {
    const char *text = seen->text.data == NULL ? "" : seen->text.data;
    if (strcmp(text, cases[i].seen) != 0) {
        fail_msg("case %zu: wanted `%s`, got `%s`", i, cases[i].seen, text);
    }
    assert_true(ok == (cases[i].code == FX_OK));
    if (!ok) {
        assert_int_equal(err->code, cases[i].code);
        if (strstr(err->msg, cases[i].message) == NULL) {
            fail_msg("case %zu: wanted `%s`, got `%s`", i, cases[i].message, err->msg);
        }
    }
}

/* In pieces of `size` bytes, the first of which has `first`. */
static void run(size_t i, size_t first, size_t size) {
    struct fx_kube_events events;
    struct seen seen = {.most = 3};
    struct fx_err err = FX_ERR_INIT;
    struct fx_text rest = fx_text_of(cases[i].bytes);
    bool ok = true;
    fx_kube_events_init(&events, MAX_LINE, false, on_event, &seen);
    for (size_t want = first; ok && rest.len > 0; want = size) {
        const size_t len = want < rest.len ? want : rest.len;
        ok = fx_kube_events_feed(&events, (struct fx_text){rest.data, len}, &err);
        rest = (struct fx_text){rest.data + len, rest.len - len};
    }
    ok = ok && fx_kube_events_end(&events, &err);
    check(i, &seen, ok, &err);
    fx_kube_events_finish(&events);
    fx_buf_finish(&seen.text);
}

static void every_case_cut_anywhere(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const size_t len = strlen(cases[i].bytes);
        run(i, 1, 1);
        for (size_t first = 1; first <= len; first++) {
            run(i, first, len);
        }
    }
}

/* What a long line took is not kept for ever. */
static void memory_is_given_back(void **state) {
    (void)state;
    struct fx_kube_events events;
    struct fx_buf line = {0};
    struct seen seen = {.most = 3};
    struct fx_err err = FX_ERR_INIT;
    fx_kube_events_init(&events, 1u << 20, false, on_event, &seen);
    fx_buf_str(&line, "{\"type\":\"ADDED\",\"object\":{\"a\":\"");
    fx_buf_fill(&line, 'x', 200000);
    const struct fx_text begin = fx_buf_view(&line);
    assert_true(fx_kube_events_feed(&events, begin, &err));
    assert_true(events.line.cap > 200000);
    assert_true(fx_kube_events_feed(&events, FX_TEXT("\"}}\n"), &err));
    assert_int_equal(events.line.cap, 0);
    assert_int_equal(seen.n, 1);
    fx_kube_events_finish(&events);
    fx_buf_finish(&seen.text);
    fx_buf_finish(&line);
}

/* The bytes of a Secret are cleared, whether the event is valid or not. */
static void secrets_are_cleared(void **state) {
    (void)state;
    static const char *const lines[] = {
        "{\"type\":\"ADDED\",\"object\":{\"data\":{\"ca.key\":\"" FREED_SECRET "\"}}}\n",
        "{\"type\":\"DELETED\",\"object\":{\"data\":{\"ca.key\":\"" FREED_SECRET
        "\"}}}\n",
        "{\"type\":\"OF\",\"object\":{\"data\":[[\"" FREED_SECRET "\"]]}}\n",
        "{\"type\":\"ADDED\",\"object\":{\"data\":[[\"" FREED_SECRET "\"],\"ca.crt",
        "{\"object\":{\"data\":{\"ca.key\":\"" FREED_SECRET "\"}}}}\n",
    };
    freed_begin();
    for (size_t i = 0; i < FX_COUNT(lines); i++) {
        const size_t len = strlen(lines[i]);
        for (size_t cut = 1; cut < len; cut++) {
            struct fx_kube_events events;
            struct seen seen = {.most = 2};
            struct fx_err err = FX_ERR_INIT;
            fx_kube_events_init(&events, 1000, true, on_event, &seen);
            const struct fx_text rest = fx_text_of(lines[i] + cut);
            const bool ok =
                fx_kube_events_feed(&events, (struct fx_text){lines[i], cut}, &err) &&
                fx_kube_events_feed(&events, rest, &err) &&
                fx_kube_events_end(&events, &err);
            assert_true(ok == (i < 2));
            assert_false(ok && events.line.data != NULL &&
                         fx_text_contains((struct fx_text){events.line.data, len},
                                          FX_TEXT(FREED_SECRET)));
            fx_kube_events_finish(&events);
            fx_buf_finish(&seen.text);
        }
    }
    freed_end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secrets_are_cleared),
        cmocka_unit_test(every_case_cut_anywhere),
        cmocka_unit_test(memory_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
