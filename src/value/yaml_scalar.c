/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_scalar.c - resolves a scalar's text and tag to its kind and value:
 * constants, then numbers and timestamps, otherwise text; and makes its node, or an
 * object's key.
 */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/date.h"
#include "base/strconv.h"
#include "value/number.h"
#include "value/tree.h"
#include "value/yaml_internal.h"

/* ---- constants --------------------------------------------------------------------- */

/* yaml.org/type/{null,bool,float}.html */
static const struct {
    struct fx_yaml_scalar scalar;
    const char *texts[12]; /* NULL after the last one */
} constants[] = {
    {{FX_YAML_NULL, {.truth = false}}, {"", "~", "null", "Null", "NULL"}},
    {{FX_YAML_BOOL, {.truth = true}},
     {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}},
    {{FX_YAML_BOOL, {.truth = false}},
     {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"}},
    {{FX_YAML_FLOAT, {.real = (double)NAN}}, {".nan", ".NaN", ".NAN"}},
    {{FX_YAML_FLOAT, {.real = (double)INFINITY}},
     {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"}},
    {{FX_YAML_FLOAT, {.real = -(double)INFINITY}}, {"-.inf", "-.Inf", "-.INF"}},
};

#define LONGEST_CONSTANT  5 /* "false", "+.inf" */
#define CONSTANT_INITIALS "~nNyYtToOfF.+-"

static bool find_constant(struct fx_text text, struct fx_yaml_scalar *ret_scalar) {
    if (text.len > LONGEST_CONSTANT ||
        (text.len > 0 && strchr(CONSTANT_INITIALS, text.data[0]) == NULL)) {
        return false;
    }
    for (size_t i = 0; i < FX_COUNT(constants); i++) {
        for (const char *const *word = constants[i].texts; *word != NULL; word++) {
            if (fx_text_is(text, *word)) {
                *ret_scalar = constants[i].scalar;
                return true;
            }
        }
    }
    return false;
}

/* ---- numbers ----------------------------------------------------------------------- */

/* Numbers are read as in go-yaml v2: 0777 and 0o777 are octal, 0x and 0b are accepted,
 * and underscores are dropped. */

/* Can it be a number? It must begin like one, and have only signs, digits, points,
 * underscores and the letters of hexadecimal numbers, bases and exponents. */
static bool may_be_number(struct fx_text text) {
    const char first = fx_text_first(text);
    if (!fx_is_digit(first) && !fx_is_one_of(first, "+-.")) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        if (fx_digit_of(c) > 15 && !fx_is_one_of(c, "+-._xXoO")) {
            return false;
        }
    }
    return true;
}

/* After a leading point Go's syntax of floats applies: an underscore must be between two
 * digits. From other numbers go-yaml first removes all underscores. */
static bool has_misplaced_underscore(struct fx_text text) {
    if (text.data[0] != '.') {
        return false;
    }
    for (size_t i = 1; i < text.len; i++) {
        if (text.data[i] == '_' && (!fx_is_digit(text.data[i - 1]) || i + 1 == text.len ||
                                    !fx_is_digit(text.data[i + 1]))) {
            return true;
        }
    }
    return false;
}

static void add_without_underscores(struct fx_buf *buf, struct fx_text text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != '_') {
            fx_buf_char(buf, text.data[i]);
        }
    }
}

static bool read_number(struct fx_text digits, struct fx_yaml_scalar *ret_scalar,
                        bool *ret_nomem) {
    struct fx_yaml_scalar scalar = {FX_YAML_INT, {.integer = 0}};
    bool found = fx_go_parse_int(digits, 0, &scalar.as.integer) == FX_GO_NUMBER;
    if (!found) {
        scalar.kind = FX_YAML_UINT;
        found = fx_go_parse_uint(digits, 0, &scalar.as.natural) == FX_GO_NUMBER;
    }
    if (!found) { /* beyond a double: stays text, as in go-yaml */
        scalar.kind = FX_YAML_FLOAT;
        const enum fx_go_number result = fx_go_parse_float(digits, &scalar.as.real);
        found = result == FX_GO_NUMBER;
        *ret_nomem = result == FX_GO_NOMEM;
    }
    if (found) {
        *ret_scalar = scalar;
    }
    return found;
}

/* Reads a number without a tag: an INT, UINT or FLOAT. False for any other text,
 * including constants, and without memory (then *ret_nomem is true). */
static bool find_number(struct fx_text text, struct fx_yaml_scalar *ret_scalar,
                        bool *ret_nomem) {
    *ret_nomem = false;
    if (!may_be_number(text) || has_misplaced_underscore(text)) {
        return false;
    }
    struct fx_buf plain;
    fx_buf_init(&plain, 0);
    add_without_underscores(&plain, text);
    *ret_nomem = plain.failed;
    const bool found =
        !plain.failed &&
        read_number((struct fx_text){plain.data, plain.len}, ret_scalar, ret_nomem);
    fx_buf_finish(&plain);
    return found;
}

/* ---- timestamps -------------------------------------------------------------------- */

/* Recognises the timestamps of yaml.org/type/timestamp.html that go-yaml v2 does. They
 * stay text, and the writer quotes them. */

/* date := yyyy '-' m{1,2} '-' d{1,2} */
static bool take_date(struct fx_text *text) {
    int year = 0;
    int month = 0;
    int day = 0;
    return fx_date_take_day(text, 1, &year, &month, &day);
}

/* clock := h{1,2} ':' m{1,2} ':' s{1,2} ( [.,] digit+ )? */
static bool take_clock(struct fx_text *text) {
    int part = 0;
    if (!fx_date_take(text, 1, 2, 0, 23, &part) || !fx_text_take(text, ':') ||
        !fx_date_take(text, 1, 2, 0, 59, &part) || !fx_text_take(text, ':') ||
        !fx_date_take(text, 1, 2, 0, 59, &part)) {
        return false;
    }
    return (!fx_text_take(text, '.') && !fx_text_take(text, ',')) ||
           fx_date_skip_digits(text);
}

/* zone := 'Z' | [-+] hh ':' mm */
static bool take_zone(struct fx_text *text) {
    int part = 0;
    return fx_text_take(text, 'Z') ||
           ((fx_text_take(text, '+') || fx_text_take(text, '-')) &&
            fx_date_take(text, 2, 2, 0, 24, &part) && fx_text_take(text, ':') &&
            fx_date_take(text, 2, 2, 0, 60, &part));
}

/* time := date | date [Tt] clock zone | date ' ' clock */
static bool is_time(struct fx_text text) {
    if (!take_date(&text)) {
        return false;
    }
    const bool has_zone = fx_text_take(&text, 'T') || fx_text_take(&text, 't');
    const bool has_clock = has_zone || fx_text_take(&text, ' ');
    return (!has_clock || take_clock(&text)) && (!has_zone || take_zone(&text)) &&
           text.len == 0;
}

/* ---- tags -------------------------------------------------------------------------- */

static const char *const short_tags[] = {
#define X(name, tag) [FX_YAML_##name] = (tag),
    FX_YAML_KINDS(X)
#undef X
};

/* The tags whose scalars are resolved; under any other tag a scalar is text. */
static const char *const resolvable[] = {"!!null",  "!!bool", "!!int",
                                         "!!float", "!!str",  "!!timestamp"};

/* Returns the short name ("!!int") of a resolvable tag, "" for no tag, NULL for all
 * others. */
static const char *short_tag(struct fx_text tag) {
    const struct fx_text prefix = FX_TEXT(FX_YAML_TAG_PREFIX);
    if (tag.len == 0) {
        return "";
    }
    if (!fx_text_starts(tag, prefix)) {
        return NULL;
    }
    const struct fx_text name = fx_text_rest(tag, prefix.len);
    for (size_t i = 0; i < FX_COUNT(resolvable); i++) {
        if (fx_text_is(name, resolvable[i] + 2)) {
            return resolvable[i];
        }
    }
    return NULL;
}

/* Changes the scalar to the kind of the tag: an integer becomes a !!float. Fails if it
 * has another kind. */
static bool satisfy_tag(const char *tag, struct fx_text text,
                        struct fx_yaml_scalar *scalar, struct fx_err *err) {
    if (tag[0] == '\0' || strcmp(tag, short_tags[scalar->kind]) == 0) {
        return true;
    }
    if (scalar->kind == FX_YAML_INT && strcmp(tag, "!!float") == 0) {
        *scalar =
            (struct fx_yaml_scalar){FX_YAML_FLOAT, {.real = (double)scalar->as.integer}};
        return true;
    }
    const int shown = text.len < FX_ERR_TEXT ? (int)text.len : FX_ERR_TEXT;
    return fx_fail(err, FX_ESYNTAX, "yaml: cannot decode %s `%.*s` as a %s",
                   short_tags[scalar->kind], shown, text.data, tag);
}

bool fx_yaml_resolve(struct fx_text tag, struct fx_text text,
                     struct fx_yaml_scalar *ret_scalar, struct fx_err *err) {
    struct fx_yaml_scalar scalar = {FX_YAML_STRING, {.truth = false}};
    const char *name = short_tag(tag);
    if (name == NULL || strcmp(name, "!!str") == 0) {
        *ret_scalar = scalar;
        return true;
    }
    bool nomem = false;
    if (!find_constant(text, &scalar) && !find_number(text, &scalar, &nomem) &&
        is_time(text)) {
        scalar.kind = FX_YAML_TIME;
    }
    if (nomem) {
        return fx_fail_nomem(err);
    }
    if (!satisfy_tag(name, text, &scalar, err)) {
        return false;
    }
    *ret_scalar = scalar;
    return true;
}

/* ---- nodes and keys ---------------------------------------------------------------- */

/* Makes the node from the number's JSON text, as kubectl does, so 1.0 becomes the integer
 * 1. */
static json_t *number_node(const char *text, size_t len, struct fx_err *err) {
    bool overflow = false;
    json_t *node = fx_number_parse((struct fx_text){text, len}, &overflow);
    if (node == NULL) {
        (void)fx_fail_nomem(err); /* not an overflow */
    }
    return node;
}

static json_t *natural_node(uint64_t value, struct fx_err *err) {
    char text[FX_NUMBER_SIZE];
    const int len = snprintf(text, sizeof text, "%" PRIu64, value);
    return number_node(text, (size_t)len, err);
}

static json_t *real_node(double value, struct fx_err *err) {
    if (!isfinite(value)) {
        const char *name = isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
        (void)fx_fail(err, FX_ESYNTAX, "json: unsupported value: %s", name);
        return NULL;
    }
    char text[FX_NUMBER_SIZE];
    const size_t len = fx_number_print_double(value, text);
    return number_node(text, len, err);
}

static json_t *checked(json_t *node, struct fx_err *err) {
    if (node == NULL) {
        (void)fx_fail_nomem(err);
    }
    return node;
}

json_t *fx_yaml_scalar_node(const struct fx_yaml_scalar *scalar, struct fx_text text,
                            struct fx_err *err) {
    switch (scalar->kind) {
    case FX_YAML_NULL: return json_null();
    case FX_YAML_BOOL: return json_boolean(scalar->as.truth);
    case FX_YAML_INT: return checked(json_integer(scalar->as.integer), err);
    case FX_YAML_UINT: return natural_node(scalar->as.natural, err);
    case FX_YAML_FLOAT: return real_node(scalar->as.real, err);
    case FX_YAML_TIME:
    case FX_YAML_STRING:
    case FX_YAML_COLLECTION: break;
    }
    return checked(fx_tree_new_string(text), err);
}

/* Appends a float as Go's FormatFloat(x, 'g', -1, 32). */
static void add_real_key(struct fx_buf *key, double value) {
    const float single = (float)value; /* infinite if the value is beyond a float */
    if (isnan(single)) {
        fx_buf_str(key, ".nan");
    } else if (isinf(single)) {
        fx_buf_str(key, single > 0 ? ".inf" : "-.inf");
    } else {
        char text[FX_NUMBER_SIZE];
        fx_buf_add(key, text, fx_number_print_go((double)single, true, text));
    }
}

bool fx_yaml_scalar_key(const struct fx_yaml_scalar *scalar, struct fx_text text,
                        struct fx_buf *key) {
    switch (scalar->kind) {
    case FX_YAML_NULL:
    case FX_YAML_UINT:
    case FX_YAML_COLLECTION: return false;
    case FX_YAML_BOOL: fx_buf_str(key, scalar->as.truth ? "true" : "false"); break;
    case FX_YAML_INT: fx_buf_printf(key, "%" PRId64, scalar->as.integer); break;
    case FX_YAML_FLOAT: add_real_key(key, scalar->as.real); break;
    case FX_YAML_TIME:
    case FX_YAML_STRING: fx_buf_text(key, text); break;
    }
    return true;
}

/* ---- binary ------------------------------------------------------------------------ */

bool fx_yaml_binary(struct fx_text text, struct fx_buf *bytes) {
    struct fx_buf raw;
    fx_buf_init(&raw, 0);
    const bool ok = fx_base64_decode(&raw, text) || raw.failed;
    struct fx_text rest = {raw.data, raw.len};
    while (ok && rest.len > 0) {
        uint32_t rune = 0;
        char encoded[4];
        rest = fx_text_rest(rest, fx_text_rune(rest, &rune));
        fx_buf_add(bytes, encoded, fx_text_encode_rune(rune, encoded));
    }
    fx_buf_fail_as(bytes, &raw);
    fx_buf_finish(&raw);
    return ok;
}
