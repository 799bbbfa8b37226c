/* SPDX-License-Identifier: Apache-2.0
 *
 * base/image_reference_test.c - references of images are split, or refused.
 */
#include "base/image_reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define UPPER64  "0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef"
#define DIGEST64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void expect_text(const char *reference, struct fx_text got, const char *wanted) {
    if (!fx_text_is(got, wanted)) {
        fail_msg("%s: expected %s, got %.*s", reference, wanted, FX_TEXT_ARG(got));
    }
}

static void parts(void **state) {
    static const struct {
        const char *reference, *registry, *path, *name, *tag, *digest;
    } cases[] = {
        {"nginx", "docker.io", "nginx", "nginx", "latest", ""},
        {"library/nginx:1.2-a_B.c", "docker.io", "library/nginx", "nginx", "1.2-a_B.c",
         ""},
        {"ghcr.io/a/b/c", "ghcr.io", "a/b/c", "c", "latest", ""},
        {"localhost/a", "localhost", "a", "a", "latest", ""},
        {"host:5000/a:1", "host:5000", "a", "a", "1", ""},
        {"Host/a", "Host", "a", "a", "latest", ""},
        {"[2001:db8::1]:443/a", "[2001:db8::1]:443", "a", "a", "latest", ""},
        {"a:5000", "docker.io", "a", "a", "5000", ""},
        {"a--b/c__d/e.f", "docker.io", "a--b/c__d/e.f", "e.f", "latest", ""},
        {"a_b.c/d", "", "a_b.c/d", "d", "latest", ""},
        {"a@sha256:" DIGEST64, "docker.io", "a", "a", "", "sha256:" DIGEST64},
        {"a:1@sha512:" DIGEST64 DIGEST64, "docker.io", "a", "a", "1",
         "sha512:" DIGEST64 DIGEST64},
    };
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_image_reference image;
        struct fx_err err = FX_ERR_INIT;
        const char *reference = cases[i].reference;
        if (!fx_image_reference_parse(fx_text_of(reference), &image, &err)) {
            fail_msg("%s: %s", reference, err.msg);
        }
        expect_text(reference, image.registry, cases[i].registry);
        expect_text(reference, image.path, cases[i].path);
        expect_text(reference, image.name, cases[i].name);
        expect_text(reference, image.tag, cases[i].tag);
        expect_text(reference, image.digest, cases[i].digest);
    }
}

static void others_are_refused(void **state) {
    static const struct {
        const char *reference;
    } cases[] = {
        {""},       {"A"},          {"a//b"},      {"/a"},
        {"a/"},     {"a:"},         {"a:.b"},      {"a:-b"},
        {"a:b:c"},  {"a@"},         {"a@sha256:"}, {"a@md5:" DIGEST64},
        {"-a"},     {"a-"},         {"a___b"},     {"a@sha256:" DIGEST64 "0"},
        {"a..b"},   {"a b"},        {"host:x/a"},  {"a@sha256:" UPPER64},
        {"a.b:/c"}, {"-host.io/a"}, {"[::g]/a"},   {"\xc3\xa9"},
    };
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_image_reference image;
        struct fx_err err = FX_ERR_INIT;
        if (fx_image_reference_parse(fx_text_of(cases[i].reference), &image, &err)) {
            fail_msg("%s is accepted", cases[i].reference);
        }
        assert_int_equal(err.code, FX_EINVALID);
    }
}

static bool parse_long(size_t path, size_t tag) {
    struct fx_image_reference image;
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_fill(&buf, 'a', path);
    fx_buf_char(&buf, ':');
    fx_buf_fill(&buf, 't', tag);
    const bool ok = fx_image_reference_parse(fx_buf_view(&buf), &image, &err);
    fx_buf_finish(&buf);
    return ok;
}

static void lengths_are_limited(void **state) {
    (void)state;
    assert_true(parse_long(255, 128));
    assert_false(parse_long(256, 128));
    assert_false(parse_long(255, 129));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(lengths_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
