/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/literal.c - Go's literals (The Go Programming Language
 * Specification, "Lexical elements"): numbers, runes, strings.
 */
#include "location/gotemplate/parser.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/strconv.h"

static bool fail(const struct template_token *token, struct fx_err *err,
                 const char *what) {
    return fx_fail_at(err, FX_ESYNTAX, token->off, (uint32_t)token->text.len,
                      "%s: `%.*s`", what, FX_TEXT_ARG(token->text));
}

/* ---- numbers ---------------------------------------------------------------------- */

/* Integers up to 2^64 - 1 that do not fit an int can only be floats. */
static bool read_integer(struct fx_text number, struct literal *literal) {
    const bool has_sign = number.data[0] == '+' || number.data[0] == '-';
    const bool negative = number.data[0] == '-';
    const struct fx_text digits = {number.data + has_sign, number.len - has_sign};
    uint64_t magnitude = 0;
    if (fx_go_parse_uint(digits, 0, &magnitude) != FX_GO_NUMBER) {
        return false;
    }
    const uint64_t most = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    if (magnitude > most && has_sign) {
        return false;
    }
    literal->is_float = true;
    literal->is_int = magnitude <= most;
    literal->integer = (int64_t)(negative ? 0 - magnitude : magnitude);
    literal->number = literal->is_int ? (double)literal->integer : (double)magnitude;
    return true;
}

static bool holds_any(struct fx_text text, const char *characters) {
    for (size_t i = 0; i < text.len; i++) {
        if (fx_is_one_of(text.data[i], characters)) {
            return true;
        }
    }
    return false;
}

static bool read_float(struct fx_text number, struct literal *literal) {
    if (fx_go_parse_float(number, &literal->number) != FX_GO_NUMBER) {
        return false;
    }
    literal->is_float = true;
    if (fabs(literal->number) < 0x1p63) {
        literal->integer = (int64_t)literal->number;
        literal->is_int = (double)literal->integer == literal->number;
    }
    return true;
}

/* Without a required type a number with a fraction or an exponent is a float64. So is
 * `-0xE`, since text/template only searches for the letters. */
static bool is_ideal_float(struct fx_text number) {
    const bool is_hex = number.len > 2 && number.data[0] == '0' &&
                        (number.data[1] | 0x20) == 'x' && !holds_any(number, "pP");
    return !is_hex && holds_any(number, ".eEpP");
}

static struct fx_text between_quotes(const struct template_token *token) {
    return (struct fx_text){token->text.data + 1, token->text.len - 2};
}

static bool read_rune(const struct template_token *token, struct literal *literal,
                      struct fx_err *err) {
    struct fx_text text = between_quotes(token);
    uint32_t rune = 0;
    bool is_byte = false;
    if (text.len == 0 || !fx_go_unquote_rune(&text, '\'', &rune, &is_byte) ||
        text.len > 0) {
        return fail(token, err, "malformed character constant");
    }
    literal->is_int = true;
    literal->is_float = true;
    literal->integer = rune;
    literal->number = rune;
    literal->ideal = value_int(rune);
    return true;
}

bool literal_read_number(const struct template_token *token, struct literal *ret_literal,
                         struct fx_err *err) {
    *ret_literal = (struct literal){.is_int = false};
    if (token->type == TOKEN_RUNE) {
        return read_rune(token, ret_literal, err);
    }
    const struct fx_text number = token->text;
    if (!read_integer(number, ret_literal)) {
        const bool is_integer =
            holds_any(number, "0123456789") && !holds_any(number, "_.eEpP");
        if (is_integer) {
            return fail(token, err, "integer overflow, or no digit of its base");
        }
        if (!holds_any(number, ".eEpP") || !read_float(number, ret_literal)) {
            return fail(token, err, "illegal number syntax");
        }
    }
    if (is_ideal_float(number)) {
        ret_literal->ideal = value_float64(ret_literal->number);
    } else if (ret_literal->is_int) {
        ret_literal->ideal = value_int(ret_literal->integer);
    }
    return true;
}

/* ---- strings --------------------------------------------------------------------- */

bool literal_read_string(struct fx_arena *arena, const struct template_token *token,
                         struct fx_text *ret_string, struct fx_err *err) {
    const bool is_raw = token->type == TOKEN_RAW_STRING;
    const struct fx_text text = between_quotes(token);
    if (memchr(text.data, is_raw ? '\r' : '\\', text.len) == NULL) {
        *ret_string = text;
        return true;
    }
    char *copy = fx_arena_alloc(arena, text.len + 1);
    if (copy == NULL) {
        return fx_fail_nomem(err);
    }
    size_t len = 0;
    if (!fx_go_unquote(text, token->text.data[0], copy, &len)) {
        return fail(token, err, "invalid escape in a string");
    }
    *ret_string = (struct fx_text){copy, len};
    return true;
}
