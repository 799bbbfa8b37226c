/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/image_test.c - the parts of image references.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "mutators/gatekeeper/image.h"

static void assert_text(struct fx_text text, const char *expected) {
    if (!fx_text_is(text, expected)) {
        fail_msg("`%.*s` is not `%s`", FX_TEXT_ARG(text), expected);
    }
}

static void assert_printed(const struct image *image, const char *expected) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, "");
    fx_image_print(&text, image);
    assert_string_equal(text.data, expected);
    fx_buf_finish(&text);
}

static const struct {
    const char *reference, *domain, *path, *tag;
} references[] = {
    {"", "", "", ""},
    {"nginx", "", "nginx", ""},
    {"nginx:1", "", "nginx", ":1"},
    {"library/nginx", "", "library/nginx", ""},
    {"r.io/nginx", "r.io", "nginx", ""},
    {"r.io/a/b:1@sha256:0", "r.io", "a/b", ":1@sha256:0"},
    {"r:5000/a@sha256:0", "r:5000", "a", "@sha256:0"},
    {"localhost/a", "localhost", "a", ""},
    {"localhosts/a", "", "localhosts/a", ""},
    {"Localhost/a", "", "Localhost/a", ""},
    {"localhost", "", "localhost", ""},
    {"localhost:1", "", "localhost", ":1"},
    {"a.b", "", "a.b", ""},
    {"a.b:1", "", "a.b", ":1"},
    {"a/b.c/d", "", "a/b.c/d", ""},
    {"n@x/y", "", "n", "@x/y"},
    {"n@x.z/y:1", "n@x.z", "y", ":1"},
    {"a:1/b@c/d", "a:1", "b", "@c/d"},
    {"/a", "", "/a", ""},
    {"./a", ".", "a", ""},
    {":/", ":", "", ""},
    {"r.io/", "r.io", "", ""},
    {":1", "", "", ":1"},
    {"@", "", "", "@"},
    {"//", "", "//", ""},
    {"\xc3\xa9.io/\xc3\xa9:\xc3\xa9", "\xc3\xa9.io", "\xc3\xa9", ":\xc3\xa9"},
};

static void splits_and_prints(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(references); i++) {
        const struct image image = fx_image_split(fx_text_of(references[i].reference));
        assert_text(image.domain, references[i].domain);
        assert_text(image.path, references[i].path);
        assert_text(image.tag, references[i].tag);
        assert_printed(&image, references[i].reference);
    }
}

static void splits_no_text(void **state) {
    (void)state;
    const struct image image = fx_image_split((struct fx_text){NULL, 0});
    assert_int_equal(image.domain.len + image.path.len + image.tag.len, 0);
    assert_printed(&image, "");
}

static const struct {
    const char *reference, *domain, *path, *tag, *after;
} replaced[] = {
    {"r.io/a/b:1", "", "", "", "r.io/a/b:1"},
    {"r.io/a/b:1", "q.io", "", "", "q.io/a/b:1"},
    {"r.io/a/b:1", "", "c", "", "r.io/c:1"},
    {"r.io/a/b:1", "", "", "@d", "r.io/a/b@d"},
    {"r.io/a/b:1", "q.io", "c", ":2", "q.io/c:2"},
    {"a/b", "q.io", "", ":2", "q.io/a/b:2"},
    {"", "q.io", "", "", "q.io/"},
    {"", "", "", ":2", ":2"},
    {"n@x/y", "", "a.b", "", "a.b@x/y"},
    {"a.b@x/y", "", "a.b", "", "a.b@x/a.b"},
};

static void replaces(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(replaced); i++) {
        const struct image before = fx_image_split(fx_text_of(replaced[i].reference));
        const struct image parts = {fx_text_of(replaced[i].domain),
                                    fx_text_of(replaced[i].path),
                                    fx_text_of(replaced[i].tag)};
        const struct image after = fx_image_replace(before, &parts);
        assert_printed(&after, replaced[i].after);
        const bool same =
            fx_text_is(fx_text_of(replaced[i].reference), replaced[i].after);
        assert_true(fx_image_equal(&before, &after) == same);
    }
}

static void compares_every_part(void **state) {
    (void)state;
    const struct image image = fx_image_split(FX_TEXT("r.io/a:1"));
    static const char *const others[] = {"q.io/a:1", "r.io/b:1", "r.io/a:2", "a:1"};
    assert_true(fx_image_equal(&image, &image));
    for (size_t i = 0; i < FX_COUNT(others); i++) {
        const struct image other = fx_image_split(fx_text_of(others[i]));
        assert_false(fx_image_equal(&image, &other));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_and_prints),
        cmocka_unit_test(splits_no_text),
        cmocka_unit_test(replaces),
        cmocka_unit_test(compares_every_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
