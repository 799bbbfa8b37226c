/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_skip.c - a JSON value checked without being read: nothing is converted, kept
 * or called back, and nothing recurses.
 *
 * Invariant: the text ends in `}`, which ends every run of blanks, digits or letters. So
 * the end itself is looked for only within strings and behind a `}`.
 */
#include "value/json_skip.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/limits.h"
#include "value/json_plain.h"

/* A double's largest value has 309 digits. */
#define MOST_DIGITS 300

static inline const char *past_blanks(const char *at) {
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') {
        at++;
    }
    return at;
}

static inline const char *past_digits(const char *at) {
    while (*at >= '0' && *at <= '9') {
        at++;
    }
    return at;
}

/* An exponent is left to those who know what it comes to. */
static const char *past_number(const char *at) {
    const char *whole = at + (*at == '-');
    at = past_digits(whole);
    if (at == whole || (*whole == '0' && at - whole > 1) || at - whole > MOST_DIGITS) {
        return NULL;
    }
    if (*at == '.') {
        const char *fraction = at + 1;
        at = past_digits(fraction);
        if (at == fraction) {
            return NULL;
        }
    }
    return *at == 'e' || *at == 'E' ? NULL : at;
}

static inline bool is_hex(char c) {
    const char lower = (char)(c | 0x20);
    return (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'f');
}

/* Behind the backslash. */
static const char *past_escape(const char *at) {
    switch (*at) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't': return at + 1;
    case 'u': break;
    default: return NULL;
    }
    for (size_t i = 1; i <= 4; i++) {
        if (!is_hex(at[i])) {
            return NULL;
        }
    }
    return at + 5;
}

/* Behind the first quote. */
static inline const char *past_string(const char *at, const char *end) {
    for (;;) {
        at = fx_json_past_plain(at, end, false);
        if (at == end) {
            return NULL;
        }
        if (*at == '"') {
            return at + 1;
        }
        at = *at == '\\' ? past_escape(at + 1) : NULL;
        if (at == NULL) {
            return NULL;
        }
    }
}

/* Past a key and its colon, to the value. */
static inline const char *past_key(const char *at, const char *end) {
    at = *at == '"' ? past_string(at + 1, end) : NULL;
    if (at != NULL && *at != ':') {
        at = past_blanks(at);
    }
    return at != NULL && *at == ':' ? at + 1 : NULL;
}

static inline const char *past_word(const char *at, const char *end, const char *word,
                                    size_t len) {
    return (size_t)(end - at) > len && memcmp(at, word, len) == 0 ? at + len : NULL;
}

/* A value that holds no other, and is no string. */
static inline const char *past_scalar(const char *at, const char *end) {
    switch (*at) {
    case 't': return past_word(at, end, "true", 4);
    case 'f': return past_word(at, end, "false", 5);
    case 'n': return past_word(at, end, "null", 4);
    default: return past_number(at);
    }
}

/* What is open where the scan stands. */
struct nest {
    char closer;    /* the bracket that closes the innermost; NUL: nothing is open */
    unsigned depth; /* how many are */
    char around[FX_LIMIT_JSON_DEPTH]; /* the closers of those further out */
};

static inline void open_bracket(struct nest *nest, char bracket) {
    nest->around[nest->depth++] = nest->closer;
    nest->closer = bracket == '{' ? '}' : ']';
}

/* To where the next value begins, which in an object is behind its key. */
static inline const char *to_value(const struct nest *nest, const char *at,
                                   const char *end) {
    return nest->closer == '}' ? past_key(past_blanks(at), end) : at;
}

/* Behind a value, with something open: to the next value, closing what ends before it; or
 * past the last bracket. */
static inline const char *to_next(struct nest *nest, const char *at, const char *end) {
    while (*at != ',') {
        if (*at != nest->closer) {
            at = past_blanks(at);
            if (*at != ',' && *at != nest->closer) {
                return NULL;
            }
            continue;
        }
        at++;
        nest->closer = nest->around[--nest->depth];
        if (nest->depth == 0 || at == end) {
            return nest->depth == 0 ? at : NULL;
        }
    }
    return to_value(nest, at + 1, end);
}

/* Each turn begins where a value does. */
const char *fx_json_skip(const char *at, const char *end, unsigned levels) {
    struct nest nest;
    nest.closer = '\0';
    nest.depth = 0;
    if (at >= end || end[-1] != '}') {
        return NULL;
    }
    do {
        bool opens = false;
        if (*at <= ' ') {
            at = past_blanks(at);
        }
        if (*at == '"') {
            at = past_string(at + 1, end);
        } else if (*at == '{' || *at == '[') {
            if (nest.depth == levels) {
                return NULL;
            }
            open_bracket(&nest, *at);
            at = past_blanks(at + 1);
            opens = *at != nest.closer;
        } else {
            at = past_scalar(at, end);
        }
        if (at != NULL && nest.depth > 0) {
            at = opens ? to_value(&nest, at, end) : to_next(&nest, at, end);
        }
    } while (at != NULL && nest.depth > 0);
    return at;
}
