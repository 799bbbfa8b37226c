/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_skip.c - checks a JSON value without reading it: converts nothing, allocates
 * nothing, and does not recurse.
 *
 * Invariant: the text ends in `}`, which ends every run of blanks, digits or letters. So
 * only strings and a `}` need a check for the end.
 */
#include "value/json_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/limits.h"

/* The largest double has 309 digits. */
#define MOST_DIGITS 300

static inline bool is_blank(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline const char *past_blanks(const char *at) {
    while (is_blank(*at)) {
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

/* Skips a number. Does not accept exponents, because the value might be too large. */
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

/* Skips the rest of an escape, after its backslash. */
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

/* Skips the rest of a string. */
static const char *past_rest_of_string(const char *at, const char *end) {
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

/* The text that contains the value. */
struct text {
    const char *end;
    const char *runs_end; /* before it a run and two more bytes can be read */
};

/* Skips the rest of a string after its first quote. Nearly all strings end within a
 * run. */
static inline const char *past_string(const char *at, struct text text) {
    if (at < text.runs_end) {
        at += fx_json_count_usual(at);
        if (*at == '"') {
            return at + 1;
        }
    }
    return past_rest_of_string(at, text.end);
}

/* Skips the rest of a key after its first quote, and its colon. */
static const char *past_rest_of_key(const char *at, const char *end) {
    at = past_rest_of_string(at, end);
    if (at == NULL) {
        return NULL;
    }
    at = past_blanks(at);
    return *at == ':' ? at + 1 : NULL;
}

/* The same, but faster for a key that ends within a run, as nearly all do. */
static inline const char *past_key_text(const char *at, struct text text) {
    if (at < text.runs_end) {
        at += fx_json_count_usual(at);
        if (memcmp(at, "\":", 2) == 0) {
            return at + 2;
        }
    }
    return past_rest_of_key(at, text.end);
}

/* Skips a key and its colon. */
static inline const char *past_key(const char *at, struct text text) {
    if (*at != '"') {
        at = past_blanks(at);
    }
    return *at == '"' ? past_key_text(at + 1, text) : NULL;
}

static inline const char *past_word(const char *at, const char *end, const char *word,
                                    size_t len) {
    return (size_t)(end - at) > len && memcmp(at, word, len) == 0 ? at + len : NULL;
}

/* Skips a number or a literal. */
static const char *past_scalar(const char *at, const char *end) {
    switch (*at) {
    case 't': return past_word(at, end, "true", 4);
    case 'f': return past_word(at, end, "false", 5);
    case 'n': return past_word(at, end, "null", 4);
    default: return past_number(at);
    }
}

static inline bool is_bracket(char c) {
    return c == '{' || c == '[';
}

/* A stack of the closing brackets of the open values. */
struct nest {
    char *top;              /* the bracket of the innermost value */
    const char *base, *end; /* the value of `top` if the stack is empty or full */
};

static inline bool open_bracket(struct nest *nest, char closer) {
    if (nest->top == nest->end) {
        return false;
    }
    *++nest->top = closer;
    return true;
}

/* Opens the objects and lists that begin here. Returns the end of the first scalar in
 * them, or the closing bracket of an empty one. */
static inline const char *past_first(struct nest *nest, const char *at,
                                     struct text text) {
    while (at != NULL && *at != '"') {
        if (*at == '{' && at[1] == '"') { /* nearly always true */
            at = open_bracket(nest, '}') ? past_key_text(at + 2, text) : NULL;
        } else if (is_bracket(*at)) {
            const char closer = *at == '{' ? '}' : ']';
            at = open_bracket(nest, closer) ? past_blanks(at + 1) : NULL;
            if (at == NULL || *at == closer) {
                return at;
            }
            at = closer == '}' ? past_key(at, text) : at;
        } else if (is_blank(*at)) {
            at = past_blanks(at);
        } else {
            return past_scalar(at, text.end);
        }
    }
    return at == NULL ? NULL : past_string(at + 1, text);
}

/* Each iteration begins at a value. */
static const char *past_nested(const char *at, struct text text, unsigned levels) {
    char closers[1 + FX_LIMIT_JSON_DEPTH]; /* the first element is unused */
    struct nest nest = {.top = closers, .base = closers, .end = closers + levels};
    while (at != NULL) {
        at = past_first(&nest, at, text);
        if (at == NULL) {
            return NULL;
        }
        while (*at != ',') {
            if (is_blank(*at)) {
                at = past_blanks(at);
                continue;
            }
            if (*at != *nest.top) {
                return NULL;
            }
            at++;
            nest.top--;
            if (nest.top == nest.base || at == text.end) {
                return nest.top == nest.base ? at : NULL;
            }
        }
        at = *nest.top == '}' ? past_key(at + 1, text) : at + 1;
    }
    return NULL;
}

const char *fx_json_skip(const char *at, const char *end, unsigned levels) {
    if (at >= end || end[-1] != '}') {
        return NULL;
    }
    const struct text text = {
        .end = end,
        .runs_end = end - at > FX_JSON_RUN + 1 ? end - FX_JSON_RUN - 1 : at,
    };
    at = past_blanks(at);
    if (is_bracket(*at)) {
        return past_nested(at, text, levels);
    }
    return *at == '"' ? past_string(at + 1, text) : past_scalar(at, end);
}
