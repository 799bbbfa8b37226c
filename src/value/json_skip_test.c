/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_skip_test.c - what is passed over is what would have been read, and ends
 * where the reader would have come to its end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "value/json.h"
#include "value/json_internal.h"

/* A value, where it ends when it is passed over, and within how many levels; -1: it is
 * left to the reader. */
static const struct {
    const char *text;
    int end;
    unsigned levels;
} passed[] = {
    {"\"a\",}", 3, 0},
    {" true }", 5, 0},
    {"[false]}", 7, 1},
    {"[false]}", -1, 0},
    {"{\"a\":[1,{}]}", 12, 3},
    {"{\"a\":[1,{}]}", -1, 2},
    {"{\"a\":null,\"b\":{}}", 17, 2},
    {"{\"a\":}", -1, 2},
    {"{,}", -1, 2},
    {"{ \"a\":}", -1, 2},
    {"{ \"a\" : }", -1, 2},
    {"{\"a\":[}", -1, 2},
    {"{\"a\"}", -1, 2},
    {"{\"a\":1,}", -1, 2},
    {"[1,]}", -1, 2},
    {"[,1]}", -1, 2},
    {"[1}", -1, 2},
    {"{\"a\":1]}", -1, 2},
    {"-0.25 }", 5, 0},
    {"-}", -1, 0},
    {"01}", -1, 0},
    {"0.}", -1, 0},
    {".5}", -1, 0},
    {"1e5}", -1, 0},
    {"tru}", -1, 0},
    {"truex}", 4, 0},
    {"\"\\u00e4\\\"\"}", 10, 0},
    {"\"\\u00g4\"}", -1, 0},
    {"\"\\x\"}", -1, 0},
    {"\"a\n\"}", -1, 0},
    {"\"a}", -1, 0},
    {"\"\\}", -1, 0},
    {"\"\\u12}", -1, 0},
    {"[[]", -1, 9},
    {"{\"a\":{}", -1, 9},
    {"1", -1, 0},
    {"}", -1, 0},
    {" }", -1, 0},
    {"{\"a\" : [ 1 , 2 ] }", 18, 2},
    {"\"\xFF\xC3\xA4\x7F\"}", 6, 0},
};

static void passes_over(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(passed); i++) {
        const char *text = passed[i].text;
        const char *end = fx_json_skip(text, text + strlen(text), passed[i].levels);
        assert_int_equal(end == NULL ? -1 : end - text, passed[i].end);
    }
}

/* All depths, with each bracket at each level of the stack. */
static void passes_over_deep_values(void **state) {
    (void)state;
    for (unsigned depth = 1; depth <= FX_LIMIT_JSON_DEPTH; depth++) {
        struct fx_buf text;
        fx_buf_init(&text, 0);
        for (unsigned i = 0; i < depth; i++) {
            fx_buf_str(&text, i % 3 == 0 ? "[" : "{\"\":");
        }
        fx_buf_str(&text, "0");
        for (unsigned i = depth; i > 0; i--) {
            fx_buf_char(&text, (i - 1) % 3 == 0 ? ']' : '}');
        }
        fx_buf_char(&text, '}');
        const char *end = text.data + text.len;
        assert_ptr_equal(fx_json_skip(text.data, end, depth), end - 1);
        assert_null(fx_json_skip(text.data, end, depth - 1));
        fx_buf_finish(&text);
    }
}

/* A number that may be larger than any double. */
static void leaves_long_numbers(void **state) {
    (void)state;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_fill(&text, '9', 300);
    fx_buf_char(&text, '}');
    assert_ptr_equal(fx_json_skip(text.data, text.data + text.len, 0), text.data + 300);
    fx_buf_reset(&text);
    fx_buf_fill(&text, '9', 310);
    fx_buf_char(&text, '}');
    assert_null(fx_json_skip(text.data, text.data + text.len, 0));
    fx_buf_finish(&text);
}

/* ---- any text, passed over as it is read ------------------------------------------ */

static uint64_t seed = 1;

/* Below n (Knuth's MMIX generator). */
static unsigned draw(unsigned n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

static void add_blanks(struct fx_buf *text) {
    if (draw(20) == 0) {
        fx_buf_fill(text, " \n\r\t"[draw(4)], draw(40));
    }
}

static void add_string(struct fx_buf *text) {
    static const char *const pieces[] = {"\\\"",     "\\\\", "\\u00e9", "\\n",
                                         "\xC3\xA9", "\xFF", "!",       " ",
                                         "{",        "\x7F", ",",       ":"};
    fx_buf_char(text, '"');
    fx_buf_fill(text, "aZ_~#"[draw(5)], draw(8) == 0 ? draw(80) : draw(20));
    for (unsigned n = draw(12) == 0 ? draw(20) : 0; n > 0; n--) {
        fx_buf_str(text, pieces[draw(FX_COUNT(pieces))]);
    }
    fx_buf_char(text, '"');
}

static void add_scalar(struct fx_buf *text) {
    static const char *const scalars[] = {"true", "false", "null", "0",    "-1",
                                          "8080", "{}",    "[]",   "-0.5", "1e5"};
    if (draw(2) == 0) {
        add_string(text);
    } else {
        fx_buf_str(text, scalars[draw(FX_COUNT(scalars))]);
    }
}

static void add_value(struct fx_buf *text, unsigned levels) {
    const unsigned kind = draw(5);
    if (levels == 0 || kind < 3) {
        add_scalar(text);
        return;
    }
    fx_buf_char(text, "[{"[kind - 3]);
    for (unsigned n = draw(5); n > 0; n--) {
        add_blanks(text);
        if (kind == 4) {
            add_string(text);
            add_blanks(text);
            fx_buf_char(text, ':');
            add_blanks(text);
        }
        add_value(text, levels - 1);
        add_blanks(text);
        fx_buf_str(text, n > 1 ? "," : "");
    }
    add_blanks(text);
    fx_buf_char(text, "]}"[kind - 3]);
}

/* Takes bytes away, puts some in, or writes over some. */
static void spoil(struct fx_buf *text) {
    static const char bytes[] = "\"\"\"\\{}[],::,1-.tfnu \n\x1F\x01\x80\xFF\x22\x5C";
    for (unsigned n = draw(3) == 0 ? 0 : 1 + draw(2); n > 0 && text->len > 1; n--) {
        const size_t at = draw((unsigned)text->len);
        const char byte = bytes[draw(sizeof bytes)];
        switch (draw(4)) {
        case 0: text->len = at; break;
        case 1: memmove(text->data + at, text->data + at + 1, --text->len - at); break;
        case 2:
            fx_buf_char(text, byte);
            memmove(text->data + at + 1, text->data + at, text->len - 1 - at);
            text->data[at] = byte;
            break;
        default: text->data[at] = byte; break;
        }
    }
}

/* What is left to the reader: an exponent, and a digit where a number has ended. */
static bool is_left(struct fx_text text, const char *end) {
    if (*end >= '0' && *end <= '9') {
        return true;
    }
    for (size_t i = 1; i < text.len; i++) {
        const char before = text.data[i - 1];
        if ((text.data[i] | 0x20) == 'e' && before >= '0' && before <= '9') {
            return true;
        }
    }
    return false;
}

/* The text in memory of just its size, so that a sanitizer sees what is read beyond. */
static void expect_passed_as_read(struct fx_text text) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_json_reader reader;
    char *bytes = malloc(text.len);
    assert_non_null(bytes);
    memcpy(bytes, text.data, text.len);
    const struct fx_text whole = {bytes, text.len};
    assert_true(fx_json_reader_init(&reader, whole, &err));
    json_t *value = fx_json_next(&reader, NULL);
    const char *end = fx_json_skip(bytes, bytes + text.len, FX_LIMIT_JSON_DEPTH);
    if (end == NULL ? value != NULL && !is_left(whole, reader.at)
                    : value == NULL || end != reader.at) {
        fail_msg("%.*s", FX_TEXT_ARG(text));
    }
    json_decref(value);
    fx_json_reader_finish(&reader);
    free(bytes);
}

/* With each number of bytes behind it that makes a difference to how many are checked
 * at once. */
static void passes_over_what_is_read(void **state) {
    (void)state;
    for (unsigned i = 0; i < 4000; i++) {
        struct fx_buf text;
        fx_buf_init(&text, 0);
        add_blanks(&text);
        add_value(&text, 6);
        if (i % 4 != 0) {
            spoil(&text);
        }
        const size_t len = text.len;
        for (unsigned more = 0; more < 40; more += 1 + draw(4)) {
            text.len = len;
            fx_buf_fill(&text, ",\" "[draw(3)], more);
            fx_buf_char(&text, '}');
            expect_passed_as_read((struct fx_text){text.data, text.len});
        }
        fx_buf_finish(&text);
    }
}

/* Each byte at each offset of a key and of a value, at all distances from the end. */
static void passes_over_each_byte(void **state) {
    (void)state;
    for (unsigned byte = 0; byte < 256; byte++) {
        for (unsigned len = 1; len < 40; len++) {
            char text[128];
            const int size = snprintf(
                text, sizeof text, "{\"%.*s\":\"%.*s\"}%*s}", (int)len,
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", (int)len,
                "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", (int)(byte * len % 23), "");
            const unsigned at = 2 + (byte * 7 + len * 5) % len;
            text[at] = (char)byte;
            expect_passed_as_read((struct fx_text){text, (size_t)size});
            text[at] = 'a';
            text[at + len + 3] = (char)byte;
            expect_passed_as_read((struct fx_text){text, (size_t)size});
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_over),
        cmocka_unit_test(passes_over_deep_values),
        cmocka_unit_test(leaves_long_numbers),
        cmocka_unit_test(passes_over_what_is_read),
        cmocka_unit_test(passes_over_each_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
