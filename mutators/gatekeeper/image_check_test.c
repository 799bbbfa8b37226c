/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/image_check_test.c - the matchers against the patterns they stand
 * for, which POSIX regular expressions can say as well: every short text over a few
 * characters, and many changed copies of long ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <regex.h>

#include "base/macros.h"
#include "base/slow_testing.h"
#include "mutators/gatekeeper/image.h"

#define WORD     "[A-Za-z0-9_]"
#define NAME     "[A-Za-z0-9_.-]"
#define HEX32    "0123456789abcdefABCDEF0123456789"
#define NAME_64  "a23456789.123456789_123456789-123456789.123456789.123456789.1234"
#define NAME_127 NAME_64 "123456789.123456789.123456789.123456789.123456789.123456789.123"

#define SHORT_MAX  5
#define LENGTH_MAX 400
#define COPIES     30000 /* of each seed */

/* A matcher; its pattern; the characters of the short texts; what the long ones are made
 * of. */
static const struct form {
    bool (*is)(struct fx_text text);
    const char *pattern, *alphabet;
    const char *seeds[8];
} forms[] = {
    {fx_image_is_domain,
     "^" WORD "[A-Za-z0-9_-]*\\." NAME "*" WORD "(:[0-9]+)?$|^localhost(:[0-9]+)?$",
     "aZ0_-.:/",
     {"localhost", "localhost:5000", "registry.example.com", "r_1.a-b.io:443", "a..-b",
      NULL}},
    {fx_image_is_path,
     "^[a-z0-9]+(([._/]|__|-*)[a-z0-9]+)*$",
     "a0_-./A:",
     {"library/nginx", "a__b/c---d/e.f_g", "0-1.2", "localhost/x", NULL}},
    {fx_image_is_tag,
     "^:" WORD NAME "{0,127}$|^@[A-Za-z][A-Za-z0-9]*([-_+.][A-Za-z][A-Za-z0-9]*)*:"
     "[0-9A-Fa-f]{32,}$",
     ":@aG0_-.",
     {":latest", ":1.2-rc_3", ":" NAME_127, ":" NAME_127 "x", "@sha256:" HEX32,
      "@a+b.c-d_e:" HEX32 "f", "@a:" HEX32 HEX32, NULL}},
};

static void check(const struct form *form, const regex_t *regex, const char *text) {
    const bool expected = regexec(regex, text, 0, NULL, 0) == 0;
    if (form->is(fx_text_of(text)) != expected) {
        fail_msg("`%s` must %sbe taken", text, expected ? "" : "not ");
    }
}

/* The first `at` characters of `text`, and every short text that begins with them. */
static void check_short(const struct form *form, const regex_t *regex, char *text,
                        size_t at) {
    text[at] = '\0';
    check(form, regex, text);
    for (const char *c = form->alphabet; *c != '\0' && at < SHORT_MAX; c++) {
        text[at] = *c;
        check_short(form, regex, text, at + 1);
    }
}

/* xorshift */
static uint32_t next_random(void) {
    static uint32_t state = 2463534242u;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

/* Replaces, inserts or deletes one character. */
static void change(char *text) {
    static const char characters[] = "aZ0_-.:/@+lfgG \n\x7f\xc3";
    const size_t len = strlen(text);
    const size_t at = next_random() % (len + 1);
    const char c = characters[next_random() % (sizeof characters - 1)];
    switch (next_random() % 3) {
    case 0:
        if (at < len) {
            text[at] = c;
        }
        return;
    case 1:
        if (len + 1 < LENGTH_MAX) {
            memmove(text + at + 1, text + at, len - at + 1);
            text[at] = c;
        }
        return;
    default:
        if (at < len) {
            memmove(text + at, text + at + 1, len - at);
        }
    }
}

static void check_long(const struct form *form, const regex_t *regex, const char *seed) {
    const size_t copies = COPIES / slow();
    for (size_t copy = 0; copy < copies; copy++) {
        char text[LENGTH_MAX + 1];
        (void)snprintf(text, sizeof text, "%s", seed);
        for (uint32_t changes = next_random() % 4; changes > 0; changes--) {
            change(text);
        }
        check(form, regex, text);
    }
}

static void takes_what_the_patterns_take(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(forms); i++) {
        regex_t regex;
        assert_int_equal(regcomp(&regex, forms[i].pattern, REG_EXTENDED | REG_NOSUB), 0);
        char text[SHORT_MAX + 1];
        check_short(&forms[i], &regex, text, 0);
        for (const char *const *seed = forms[i].seeds; *seed != NULL; seed++) {
            check_long(&forms[i], &regex, *seed);
        }
        regfree(&regex);
    }
}

#define TEXT(literal) {literal, sizeof(literal) - 1}

/* What the test above cannot ask: the seeds by hand, ends, and NUL. */
static const struct {
    bool (*is)(struct fx_text text);
    struct fx_text text;
    bool taken;
} texts[] = {
    {fx_image_is_domain, {NULL, 0}, false},
    {fx_image_is_domain, TEXT("a.b"), true},
    {fx_image_is_domain, TEXT("a"), false},
    {fx_image_is_domain, TEXT("a."), false},
    {fx_image_is_domain, TEXT(".a"), false},
    {fx_image_is_domain, TEXT("a.b:"), false},
    {fx_image_is_domain, TEXT("a.b:80"), true},
    {fx_image_is_domain, TEXT("a.b:80\n"), false},
    {fx_image_is_domain, TEXT("a.b\0"), false},
    {fx_image_is_domain, TEXT("localhost:x"), false},
    {fx_image_is_domain, TEXT("localhosts"), false},
    {fx_image_is_path, {NULL, 0}, false},
    {fx_image_is_path, TEXT("a/b"), true},
    {fx_image_is_path, TEXT("a//b"), false},
    {fx_image_is_path, TEXT("a__b"), true},
    {fx_image_is_path, TEXT("a___b"), false},
    {fx_image_is_path, TEXT("a----b"), true},
    {fx_image_is_path, TEXT("a-"), false},
    {fx_image_is_path, TEXT("a\n"), false},
    {fx_image_is_path, TEXT("a\0"), false},
    {fx_image_is_tag, {NULL, 0}, false},
    {fx_image_is_tag, TEXT(":"), false},
    {fx_image_is_tag, TEXT(":" NAME_127 "x"), true},
    {fx_image_is_tag, TEXT(":" NAME_127 "xx"), false},
    {fx_image_is_tag, TEXT(":a\n"), false},
    {fx_image_is_tag, TEXT(":a\0"), false},
    {fx_image_is_tag, TEXT("@a:" HEX32), true},
    {fx_image_is_tag, TEXT("@a:" HEX32 "\n"), false},
    {fx_image_is_tag, TEXT("@a+:" HEX32), false},
    {fx_image_is_tag, TEXT("@a:0123456789abcdefABCDEF012345678"), false},
};

static void takes_and_refuses(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(texts); i++) {
        if (texts[i].is(texts[i].text) != texts[i].taken) {
            fail_msg("row %zu: `%.*s`", i, FX_TEXT_ARG(texts[i].text));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_what_the_patterns_take),
        cmocka_unit_test(takes_and_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
