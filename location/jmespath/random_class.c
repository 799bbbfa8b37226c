/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/random_class.c - characters and classes of the patterns of random().
 */
#include <string.h>

#include "location/jmespath/random_pattern.h"

/* The printable characters of ASCII: what `.` and complements stand for. */
#define FIRST_PRINTABLE 0x20u
#define LAST_PRINTABLE  0x7Eu

#define LAST_BEFORE_SURROGATES  0xD7FFu
#define FIRST_BEHIND_SURROGATES 0xE000u

bool jmespath_random_fail(const struct random_parser *parser) {
    uint32_t rune = 0;
    const size_t len = parser->rest.len == 0 ? 0 : fx_text_rune(parser->rest, &rune);
    return fx_fail(parser->err, FX_EINVALID,
                   "random() does not support this regular expression from `%.*s%.*s` on",
                   (int)len, parser->rest.data,
                   parser->rest.len > len && fx_is_letter(parser->rest.data[len]) ? 1 : 0,
                   parser->rest.data + len);
}

static bool add_range(struct random_parser *parser, struct random_class *class,
                      uint32_t first, uint32_t last) {
    if (!FX_ARENA_GROW(parser->arena, class->ranges, class->n, class->cap)) {
        return fx_fail_nomem(parser->err);
    }
    class->ranges[class->n++] = (struct random_range){first, last};
    return true;
}

/* Surrogates are no characters. */
bool jmespath_random_add(struct random_parser *parser, struct random_class *class,
                         uint32_t first, uint32_t last) {
    if (first > last) {
        return jmespath_random_fail(parser);
    }
    if (first > LAST_BEFORE_SURROGATES || last < FIRST_BEHIND_SURROGATES) {
        return add_range(parser, class, first, last);
    }
    return add_range(parser, class, first, LAST_BEFORE_SURROGATES) &&
           add_range(parser, class, FIRST_BEHIND_SURROGATES, last);
}

/* ---- characters -------------------------------------------------------------------- */

/* The escapes of control characters. */
static const struct {
    char letter;
    uint8_t rune;
} controls[] = {{'a', 7}, {'f', 12}, {'t', 9}, {'n', 10}, {'r', 13}, {'v', 11}};

/* Reads the digits of `\x41` or `\x{1F600}`, behind the `x`. */
static bool read_hexadecimal(struct random_parser *parser, uint32_t *ret_rune) {
    const bool is_braced = fx_text_take(&parser->rest, '{');
    const size_t most = is_braced ? 6 : 2;
    uint32_t rune = 0;
    size_t n = 0;
    while (n < most && fx_digit_of(fx_text_first(parser->rest)) != FX_NO_DIGIT) {
        rune = rune * 16 + fx_digit_of(fx_text_first(parser->rest));
        parser->rest = fx_text_rest(parser->rest, 1);
        n++;
    }
    const bool is_surrogate =
        rune > LAST_BEFORE_SURROGATES && rune < FIRST_BEHIND_SURROGATES;
    if (n == 0 || rune > 0x10FFFF || is_surrogate ||
        (is_braced && !fx_text_take(&parser->rest, '}'))) {
        return jmespath_random_fail(parser);
    }
    *ret_rune = rune;
    return true;
}

/* Reads what follows a backslash. Escaped punctuation stands for itself. */
static bool read_escape(struct random_parser *parser, uint32_t *ret_rune) {
    const char c = fx_text_first(parser->rest);
    if (fx_text_take(&parser->rest, 'x')) {
        return read_hexadecimal(parser, ret_rune);
    }
    for (size_t i = 0; i < FX_COUNT(controls); i++) {
        if (c == controls[i].letter) {
            *ret_rune = controls[i].rune;
            parser->rest = fx_text_rest(parser->rest, 1);
            return true;
        }
    }
    if (parser->rest.len == 0 || fx_is_letter(c) || fx_is_digit(c)) {
        return jmespath_random_fail(parser);
    }
    parser->rest = fx_text_rest(parser->rest, fx_text_rune(parser->rest, ret_rune));
    return true;
}

bool jmespath_random_read_rune(struct random_parser *parser, uint32_t *ret_rune) {
    if (parser->rest.len == 0) {
        return jmespath_random_fail(parser);
    }
    if (fx_text_take(&parser->rest, '\\')) {
        return read_escape(parser, ret_rune);
    }
    parser->rest = fx_text_rest(parser->rest, fx_text_rune(parser->rest, ret_rune));
    return true;
}

/* ---- named classes ----------------------------------------------------------------- */

#define MOST_RANGES 4u

/* The classes of Perl, then those of POSIX. */
static const struct named_class {
    const char *name;
    size_t n;
    struct random_range ranges[MOST_RANGES];
} named_classes[] = {
    {"\\d", 1, {{'0', '9'}}},
    {"\\w", 4, {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
    {"\\s", 3, {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}}},
    {"[:alnum:]", 3, {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
    {"[:alpha:]", 2, {{'A', 'Z'}, {'a', 'z'}}},
    {"[:ascii:]", 1, {{FIRST_PRINTABLE, LAST_PRINTABLE}}},
    {"[:blank:]", 2, {{'\t', '\t'}, {' ', ' '}}},
    {"[:digit:]", 1, {{'0', '9'}}},
    {"[:graph:]", 1, {{'!', '~'}}},
    {"[:lower:]", 1, {{'a', 'z'}}},
    {"[:print:]", 1, {{' ', '~'}}},
    {"[:punct:]", 4, {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
    {"[:space:]", 2, {{'\t', '\r'}, {' ', ' '}}},
    {"[:upper:]", 1, {{'A', 'Z'}}},
    {"[:word:]", 4, {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
    {"[:xdigit:]", 3, {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
};

static bool is_in(const struct random_range *ranges, size_t n, uint32_t rune) {
    for (size_t i = 0; i < n; i++) {
        if (rune >= ranges[i].first && rune <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

/* Adds the printable characters that are in none of the ranges. */
static bool add_complement(struct random_parser *parser, struct random_class *class,
                           const struct random_range *ranges, size_t n) {
    for (uint32_t rune = FIRST_PRINTABLE; rune <= LAST_PRINTABLE; rune++) {
        if (!is_in(ranges, n, rune) && !jmespath_random_add(parser, class, rune, rune)) {
            return false;
        }
    }
    return true;
}

static bool add_named(struct random_parser *parser, struct random_class *class,
                      const struct named_class *named, bool is_negated) {
    if (is_negated) {
        return add_complement(parser, class, named->ranges, named->n);
    }
    for (size_t i = 0; i < named->n; i++) {
        if (!jmespath_random_add(parser, class, named->ranges[i].first,
                                 named->ranges[i].last)) {
            return false;
        }
    }
    return true;
}

/* Finds the named class at the start of the rest: `\d`, `\D` (its complement),
 * `[:alpha:]` or `[:^alpha:]`. Returns the length of the name; 0 if there is none. */
static size_t find_named(struct fx_text rest, const struct named_class **ret_named,
                         bool *ret_is_negated) {
    const bool is_negated = fx_text_starts(rest, FX_TEXT("[:^"));
    for (size_t i = 0; i < FX_COUNT(named_classes); i++) {
        const char *name = named_classes[i].name;
        const size_t len = strlen(name);
        const bool is_perl = name[0] == '\\';
        const size_t skipped = is_negated ? 3 : 2; /* `[:^`, `[:` */
        *ret_named = &named_classes[i];
        if (is_perl && rest.len >= 2 && rest.data[0] == '\\' &&
            (rest.data[1] | 0x20) == name[1]) {
            *ret_is_negated = rest.data[1] != name[1];
            return len;
        }
        if (!is_perl && fx_text_starts(rest, FX_TEXT("[:")) &&
            fx_text_starts(fx_text_rest(rest, skipped),
                           (struct fx_text){name + 2, len - 2})) {
            *ret_is_negated = is_negated;
            return len - 2 + skipped;
        }
    }
    return 0;
}

bool jmespath_random_is_class(struct fx_text rest) {
    const struct named_class *named = NULL;
    bool is_negated = false;
    const char first = fx_text_first(rest);
    return first == '[' || first == '.' || find_named(rest, &named, &is_negated) > 0;
}

/* ---- classes in brackets ----------------------------------------------------------- */

/* Reads a character or a range `a-z`. */
static bool read_range(struct random_parser *parser, struct random_class *class) {
    uint32_t first = 0;
    if (!jmespath_random_read_rune(parser, &first)) {
        return false;
    }
    uint32_t last = first;
    if (parser->rest.len >= 2 && parser->rest.data[0] == '-' &&
        parser->rest.data[1] != ']') {
        parser->rest = fx_text_rest(parser->rest, 1);
        if (!jmespath_random_read_rune(parser, &last)) {
            return false;
        }
    }
    return jmespath_random_add(parser, class, first, last);
}

static bool read_item(struct random_parser *parser, struct random_class *class) {
    const struct named_class *named = NULL;
    bool is_negated = false;
    const size_t len = find_named(parser->rest, &named, &is_negated);
    if (len == 0) {
        return read_range(parser, class);
    }
    parser->rest = fx_text_rest(parser->rest, len);
    return add_named(parser, class, named, is_negated);
}

/* Reads the items, of which the first may be `]`. */
static bool read_items(struct random_parser *parser, struct random_class *class) {
    bool is_first = true;
    while (is_first || fx_text_first(parser->rest) != ']') {
        is_first = false;
        if (parser->rest.len == 0) {
            return jmespath_random_fail(parser);
        }
        if (!read_item(parser, class)) {
            return false;
        }
    }
    parser->rest = fx_text_rest(parser->rest, 1);
    return true;
}

static bool read_brackets(struct random_parser *parser, struct random_class *class) {
    struct random_class listed = {.n = 0};
    const bool is_negated = fx_text_take(&parser->rest, '^');
    if (!is_negated) {
        return read_items(parser, class);
    }
    return read_items(parser, &listed) &&
           add_complement(parser, class, listed.ranges, listed.n);
}

bool jmespath_random_read_class(struct random_parser *parser,
                                struct random_class *class) {
    if (fx_text_take(&parser->rest, '.')) {
        return jmespath_random_add(parser, class, FIRST_PRINTABLE, LAST_PRINTABLE);
    }
    if (fx_text_take(&parser->rest, '[')) {
        return read_brackets(parser, class) &&
               (class->n > 0 ||
                fx_fail(parser->err, FX_EINVALID,
                        "no printable character of ASCII is in a class of the pattern"));
    }
    return read_item(parser, class);
}
