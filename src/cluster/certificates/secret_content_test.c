/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/secret_content_test.c - what is read of a Secret, and what is
 * written to one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cluster/certificates/secret_content.h"
#include "kube/body.h"
#include "kube/test_json.h"

static struct fx_secret_content read_content(const char *text) {
    struct fx_secret_content content;
    json_t *object = read_json(text);
    assert_true(fx_secret_content_read(object, &content));
    json_decref(object);
    return content;
}

static void expect_text(struct fx_text text, const char *expected) {
    if (!fx_text_is(text, expected)) {
        fail_msg("`%.*s` is not `%s`", FX_TEXT_ARG(text), expected);
    }
}

#define WHOLE                                                                         \
    "{\"metadata\":{\"annotations\":{\"fixpoint.dev/rotated-at\":\"2026-11-21T10:02:" \
    "33Z\"}},\"data\":{\"ca.crt\":\"QQ==\",\"ca.key\":\"Qg==\",\"tls.crt\":\"Q0Q=\"," \
    "\"tls.key\":\"RUZH\",\"other\":\"SA==\"}}"

#define ONLY_THE_DATE                                                                 \
    "{\"metadata\":{\"annotations\":{\"fixpoint.dev/rotated-at\":\"2026-11-21T10:02:" \
    "33Z\"}}}"

static void the_four_keys_and_the_date_are_read(void **state) {
    (void)state;
    struct fx_secret_content content = read_content(WHOLE);
    const struct fx_rotation_content view = fx_secret_content_view(&content);
    expect_text(view.ca_cert, "A");
    expect_text(view.ca_key, "B");
    expect_text(view.cert, "CD");
    expect_text(view.key, "EFG");
    assert_int_equal(view.rotated_at, 1795255353);
    fx_secret_content_finish(&content);
}

/* A ca.key that is lost is held on to, as long as the other keys are the same. */
static void what_is_good_is_held(void **state) {
    (void)state;
    struct fx_secret_content held = {.rotated_at = 0};
    struct fx_secret_content whole = read_content(WHOLE);
    struct fx_secret_content invalid = read_content(WHOLE);
    fx_buf_reset(&invalid.ca_key);
    fx_secret_content_hold(&held, &invalid, false);
    assert_true(fx_secret_content_equal(&held, &invalid));
    fx_secret_content_hold(&held, &whole, true);
    assert_true(fx_secret_content_equal(&held, &whole));
    fx_secret_content_hold(&held, &invalid, false);
    assert_true(fx_secret_content_equal(&held, &whole));
    fx_buf_str(&invalid.cert, "more");
    fx_secret_content_hold(&held, &invalid, false);
    assert_true(fx_secret_content_equal(&held, &invalid));
    fx_secret_content_finish(&held);
    fx_secret_content_finish(&whole);
    fx_secret_content_finish(&invalid);
}

static const char nothing_readable[] =
    "{\"metadata\":{\"annotations\":{\"fixpoint.dev/rotated-at\":\"yesterday\"}},"
    "\"data\":{\"ca.crt\":\"QQ=\",\"ca.key\":\"*\",\"tls.crt\":7,\"tls.key\":null}}";

static void what_cannot_be_read_is_empty(void **state) {
    (void)state;
    static const char *const texts[] = {
        nothing_readable,
        "{}",
        "{\"metadata\":7,\"data\":\"QQ==\"}",
        "{\"metadata\":{\"annotations\":null},\"data\":null}",
        "{\"data\":{\"ca.crt\":\"\",\"ca.key\":\"QQ==QQ==\"}}",
    };
    for (size_t i = 0; i < FX_COUNT(texts); i++) {
        struct fx_secret_content content = read_content(texts[i]);
        const struct fx_rotation_content view = fx_secret_content_view(&content);
        if (view.ca_cert.len + view.ca_key.len + view.cert.len + view.key.len > 0 ||
            view.rotated_at != 0) {
            fail_msg("%s", texts[i]);
        }
        fx_secret_content_finish(&content);
    }
}

/* No API server takes one of more than a mebibyte. */
static void what_is_too_large_is_empty(void **state) {
    (void)state;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, "{\"data\":{\"ca.crt\":\"");
    fx_buf_fill(&text, 'A', (size_t)2 << 20);
    fx_buf_str(&text, "\"}}");
    struct fx_secret_content content = read_content(text.data);
    assert_int_equal(content.ca_cert.len, 0);
    fx_secret_content_finish(&content);
    fx_buf_finish(&text);
}

static void contents_are_told_apart(void **state) {
    (void)state;
    static const char *const texts[] = {
        WHOLE,
        "{}",
        "{\"data\":{\"ca.crt\":\"QQ==\"}}",
        "{\"data\":{\"ca.key\":\"QQ==\"}}",
        "{\"data\":{\"tls.crt\":\"QQ==\"}}",
        "{\"data\":{\"tls.key\":\"QQ==\"}}",
        "{\"data\":{\"tls.key\":\"Qg==\"}}",
        ONLY_THE_DATE,
    };
    for (size_t i = 0; i < FX_COUNT(texts); i++) {
        for (size_t j = 0; j < FX_COUNT(texts); j++) {
            struct fx_secret_content a = read_content(texts[i]);
            struct fx_secret_content b = read_content(texts[j]);
            assert_int_equal(fx_secret_content_equal(&a, &b), i == j);
            fx_secret_content_finish(&a);
            fx_secret_content_finish(&b);
        }
    }
}

static void a_copy_is_equal(void **state) {
    (void)state;
    struct fx_secret_content content = read_content(WHOLE);
    struct fx_secret_content copy;
    assert_true(fx_secret_content_copy(&content, &copy));
    assert_true(fx_secret_content_equal(&content, &copy));
    fx_secret_content_finish(&content);
    expect_text(fx_secret_content_view(&copy).key, "EFG");
    fx_secret_content_finish(&copy);
}

static struct fx_rotation rotation_of(const char *ca, const char *ca_key,
                                      const char *cert, const char *key) {
    struct fx_rotation rotation = {.rotated_at = 1795255353};
    fx_buf_str(&rotation.ca_cert, ca);
    fx_buf_str(&rotation.ca_key, ca_key);
    fx_buf_str(&rotation.cert, cert);
    fx_buf_str(&rotation.key, key);
    return rotation;
}

#define WRITTEN                                                                     \
    "\"annotations\":{\"fixpoint.dev/rotated-at\":\"2026-11-21T10:02:33Z\"}},"      \
    "\"data\":{\"ca.crt\":\"QQ==\",\"ca.key\":\"Qg==\",\"tls.crt\":\"Q0Q=\",\"tls." \
    "key\":\"RUZH\"}}"

static void a_new_one_is_opaque_and_whole(void **state) {
    (void)state;
    struct fx_rotation rotation = rotation_of("A", "B", "CD", "EFG");
    expect_made(
        fx_secret_create_body(FX_TEXT("shop"), FX_TEXT("certs"), &rotation),
        "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"type\":\"Opaque\",\"metadata\":{"
        "\"namespace\":\"shop\",\"name\":\"certs\"," WRITTEN);
    fx_rotation_finish(&rotation);
}

static void an_old_one_is_meant_by_uid_and_version(void **state) {
    (void)state;
    struct fx_rotation rotation = rotation_of("A", "B", "CD", "EFG");
    json_t *metadata = NULL;
    json_t *object = read_json(
        "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"type\":\"Opaque\",\"metadata\":{"
        "\"namespace\":\"shop\",\"name\":\"certs\",\"uid\":\"u\",\"resourceVersion\":"
        "\"7\",\"labels\":{\"a\":\"b\"}},\"data\":{\"other\":\"SA==\"}}");
    json_t *frame = fx_kube_body_for(object, &metadata);
    json_decref(object);
    for (int i = 0; i < 2; i++) { /* the frame serves again and again */
        expect_made(
            fx_secret_apply_body(frame, &rotation),
            "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"namespace\":"
            "\"shop\",\"name\":\"certs\",\"uid\":\"u\",\"resourceVersion\":"
            "\"7\"," WRITTEN);
    }
    json_decref(frame);
    fx_rotation_finish(&rotation);
}

/* What is written is what is read. */
static void all_bytes_come_back(void **state) {
    (void)state;
    struct fx_rotation rotation = rotation_of("", "", "", "");
    for (int i = 0; i < 256; i++) {
        fx_buf_char(&rotation.ca_cert, (char)i);
        fx_buf_char(&rotation.key, (char)(255 - i));
    }
    json_t *body = fx_secret_create_body(FX_TEXT("n"), FX_TEXT("s"), &rotation);
    struct fx_secret_content content;
    assert_true(fx_secret_content_read(body, &content));
    assert_int_equal(content.ca_cert.len, 256);
    assert_memory_equal(content.ca_cert.data, rotation.ca_cert.data, 256);
    assert_memory_equal(content.key.data, rotation.key.data, 256);
    assert_int_equal(content.rotated_at, rotation.rotated_at);
    fx_secret_content_finish(&content);
    json_decref(body);
    fx_rotation_finish(&rotation);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_four_keys_and_the_date_are_read),
        cmocka_unit_test(what_is_good_is_held),
        cmocka_unit_test(what_cannot_be_read_is_empty),
        cmocka_unit_test(what_is_too_large_is_empty),
        cmocka_unit_test(contents_are_told_apart),
        cmocka_unit_test(a_copy_is_equal),
        cmocka_unit_test(a_new_one_is_opaque_and_whole),
        cmocka_unit_test(an_old_one_is_meant_by_uid_and_version),
        cmocka_unit_test(all_bytes_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
