/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/parse_literal.c - numbers, strings, bytes, true, false and null.
 */
#include <string.h>

#include "base/budget.h"
#include "base/strconv.h"
#include "location/cel/parser.h"

/* Where errors of these rules are, for fx_cel_recover(). */
enum { AT_LITERAL = 40 };

/* ---- numbers ----------------------------------------------------------------------- */

/* Reads the digits of an integer: decimal, or hexadecimal after 0x. */
static bool read_digits(struct fx_text text, uint64_t *ret_number) {
    const bool is_hex = fx_text_starts(text, FX_TEXT("0x"));
    const unsigned base = is_hex ? 16 : 10;
    uint64_t number = 0;
    for (size_t i = is_hex ? 2 : 0; i < text.len; i++) {
        const unsigned digit = fx_digit_of(text.data[i]);
        if (number > (UINT64_MAX - digit) / base) {
            return false;
        }
        number = number * base + digit;
    }
    *ret_number = number;
    return true;
}

static struct fx_cel_node *make_int(struct cel_parser *parser, uint32_t at,
                                    struct fx_text text, bool is_negative) {
    const uint64_t most = (uint64_t)INT64_MAX + (is_negative ? 1 : 0);
    uint64_t number = 0;
    if (!read_digits(text, &number) || number > most) {
        return fx_cel_refuse(parser, at, "invalid int literal");
    }
    const int64_t value = !is_negative     ? (int64_t)number
                          : number == most ? INT64_MIN
                                           : -(int64_t)number;
    return fx_cel_new_literal(parser, at, fx_cel_make_int(value));
}

static struct fx_cel_node *make_uint(struct cel_parser *parser, uint32_t at,
                                     struct fx_text text) {
    uint64_t number = 0;
    text.len--; /* the `u` */
    if (!read_digits(text, &number)) {
        return fx_cel_refuse(parser, at, "invalid uint literal");
    }
    return fx_cel_new_literal(parser, at, fx_cel_make_uint(number));
}

static struct fx_cel_node *make_double(struct cel_parser *parser, uint32_t at,
                                       struct fx_text text, bool is_negative) {
    double number = 0;
    switch (fx_go_parse_float(text, &number)) {
    case FX_GO_NUMBER:
        return fx_cel_new_literal(parser, at,
                                  fx_cel_make_double(is_negative ? -number : number));
    case FX_GO_NOMEM: fx_cel_stop_without_memory(parser); break;
    case FX_GO_SYNTAX:
    case FX_GO_RANGE: break;
    }
    return fx_cel_refuse(parser, at, "invalid double literal");
}

/* ---- strings and bytes ------------------------------------------------------------- */

/* The text within the quotes of a token that is not bytes or whose `b` is cut off. */
static struct fx_text cut_quotes(struct fx_text text, bool *ret_is_raw) {
    *ret_is_raw = (text.data[0] | 0x20) == 'r';
    text = fx_text_rest(text, *ret_is_raw ? 1 : 0);
    const char quote = text.data[0];
    const bool is_triple =
        text.len >= 6 && text.data[1] == quote && text.data[2] == quote;
    const size_t quotes = is_triple ? 3 : 1;
    return (struct fx_text){text.data + quotes, text.len - 2 * quotes};
}

static bool has_any(struct fx_text text, char c) {
    return text.len > 0 && memchr(text.data, c, text.len) != NULL;
}

struct unescape {
    struct fx_text rest;
    bool is_raw, is_bytes;
    char *out;
    size_t len;
};

static void put_rune(struct unescape *state, uint32_t rune) {
    state->len += fx_text_encode_rune(rune, state->out + state->len);
}

static uint32_t read_number(struct unescape *state, size_t digits, unsigned base) {
    uint32_t number = 0;
    for (size_t i = 0; i < digits; i++) {
        number = number * base + fx_digit_of(state->rest.data[i]);
    }
    state->rest = fx_text_rest(state->rest, digits);
    return number;
}

/* Decodes digits: a code point, or an octet of bytes. Returns a fault, or NULL. */
static const char *put_number(struct unescape *state, size_t digits, unsigned base) {
    const uint32_t number = read_number(state, digits, base);
    if (state->is_bytes) {
        state->out[state->len++] = (char)number;
        return digits > 3 ? "unable to unescape string" : NULL;
    }
    if (number > 0x10FFFF || (number >= 0xD800 && number <= 0xDFFF)) {
        return "invalid unicode code point";
    }
    put_rune(state, number);
    return NULL;
}

/* Decodes an escape, which is well-formed, after its backslash. */
static const char *put_escape(struct unescape *state) {
    static const char names[] = "abfnrtv";
    static const char meanings[] = "\a\b\f\n\r\t\v";
    const char c = state->rest.data[0];
    if (c >= '0' && c <= '3') {
        return put_number(state, 3, 8);
    }
    state->rest = fx_text_rest(state->rest, 1);
    switch (c) {
    case 'x':
    case 'X': return put_number(state, 2, 16);
    case 'u': return put_number(state, 4, 16);
    case 'U': return put_number(state, 8, 16);
    default: break;
    }
    const char *name = strchr(names, c);
    state->out[state->len++] = (char)(name != NULL ? meanings[name - names] : c);
    return NULL;
}

/* Decodes one character. A line ends in \n, however it is written; what is not UTF-8
 * becomes U+FFFD. */
static const char *put_next(struct unescape *state) {
    const char c = state->rest.data[0];
    uint32_t rune = 0;
    state->rest = fx_text_rest(state->rest, fx_text_rune(state->rest, &rune));
    if (c == '\\' && !state->is_raw) {
        return put_escape(state);
    }
    if (c == '\r') {
        (void)fx_text_take(&state->rest, '\n');
    }
    put_rune(state, c == '\r' ? '\n' : rune);
    return NULL;
}

/* Decodes the text into the arena, if it has anything to decode. Returns a fault, or
 * NULL. No escape is longer than what it is written as, but U+FFFD has three bytes. */
static const char *decode(struct cel_parser *parser, bool is_bytes,
                          struct fx_text *text) {
    struct unescape state = {.is_bytes = is_bytes};
    const char *fault = NULL;
    *text = cut_quotes(*text, &state.is_raw);
    const bool is_utf8 = fx_text_is_utf8(*text);
    if (is_utf8 && (state.is_raw || !has_any(*text, '\\')) && !has_any(*text, '\r')) {
        return NULL;
    }
    state.rest = *text;
    state.out = fx_arena_alloc(parser->arena, text->len * (is_utf8 ? 1 : 3));
    if (state.out == NULL) {
        fx_cel_stop_without_memory(parser);
        return NULL;
    }
    while (fault == NULL && state.rest.len > 0) {
        fault = put_next(&state);
    }
    *text = (struct fx_text){state.out, state.len};
    return fault;
}

static struct fx_cel_node *make_quoted(struct cel_parser *parser, uint32_t at,
                                       struct fx_text text, bool is_bytes) {
    text = fx_text_rest(text, is_bytes ? 1 : 0);
    const char *fault = decode(parser, is_bytes, &text);
    if (fault != NULL) {
        return fx_cel_refuse(parser, at, fault);
    }
    return fx_cel_new_literal(
        parser, at, is_bytes ? fx_cel_make_bytes(text) : fx_cel_make_string(text));
}

/* ---- all of them ------------------------------------------------------------------- */

static struct fx_cel_node *make_literal(struct cel_parser *parser, uint32_t at,
                                        struct cel_token token, bool is_negative) {
    const struct fx_text text = fx_cel_token_text(parser, token);
    if (token.type == CEL_INT_NUMBER) {
        return make_int(parser, at, text, is_negative);
    }
    if (token.type == CEL_UINT_NUMBER) {
        return make_uint(parser, at, text);
    }
    if (token.type == CEL_FLOAT_NUMBER) {
        return make_double(parser, at, text, is_negative);
    }
    if (token.type == CEL_QUOTED || token.type == CEL_QUOTED_BYTES) {
        return make_quoted(parser, at, text, token.type == CEL_QUOTED_BYTES);
    }
    if (token.type == CEL_NULL) {
        return fx_cel_new_literal(parser, at, fx_cel_make_null());
    }
    return fx_cel_new_literal(parser, at, fx_cel_make_bool(token.type == CEL_TRUE));
}

/* literal := '-'? ( int | double ) | uint | string | bytes | true | false | null */
struct cel_operand fx_cel_parse_literal(struct cel_parser *parser,
                                        const struct cel_follow *follow) {
    const cel_set numbers = CEL_SET(CEL_INT_NUMBER) | CEL_SET(CEL_FLOAT_NUMBER);
    struct cel_operand operand = {.start = fx_cel_token(parser).at};
    const bool is_negative = fx_cel_ahead(parser, 0) == CEL_MINUS;
    if (is_negative && (CEL_SET(fx_cel_ahead(parser, 1)) & numbers) == 0) {
        fx_cel_report(parser, 1, "no viable alternative at input");
        fx_cel_recover(parser, follow, AT_LITERAL);
        operand.node = fx_cel_new_unknown(parser, FX_CEL_UNPARSED);
        return operand;
    }
    if (is_negative) {
        (void)fx_cel_take(parser);
    }
    operand.node = make_literal(parser, operand.start, fx_cel_take(parser), is_negative);
    return operand;
}
