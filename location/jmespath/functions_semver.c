/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/functions_semver.c - semver_compare(): whether a version is in a
 * range such as ">=1.0.0 <2.0.0 || 3.x", by the rules of the library that Kyverno uses.
 *
 *     range       := all ( "||" all )*
 *     all         := comparison+
 *     comparison  := [ ">" | ">=" | "<" | "<=" | "=" | "==" | "!" | "!=" ] version
 */
#include "base/semver.h"
#include "base/strconv.h"
#include "location/jmespath/functions.h"

/* ---- relations --------------------------------------------------------------------- */

enum relation { BELOW, AT_MOST, EQUAL, AT_LEAST, ABOVE, OTHER };

static const struct {
    const char *text;
    enum relation relation;
} relations[] = {
    {"", EQUAL},      {"=", EQUAL}, {"==", EQUAL}, {"<", BELOW},  {"<=", AT_MOST},
    {">=", AT_LEAST}, {">", ABOVE}, {"!", OTHER},  {"!=", OTHER},
};

static bool holds(int order, enum relation relation) {
    switch (relation) {
    case BELOW: return order < 0;
    case AT_MOST: return order <= 0;
    case EQUAL: return order == 0;
    case AT_LEAST: return order >= 0;
    case ABOVE: return order > 0;
    case OTHER: break;
    }
    return order != 0;
}

#define MOST_RELATION_BYTES 2u

/* Finds a relation, in which spaces do not count. */
static bool find_relation(struct fx_text text, enum relation *ret_relation) {
    char letters[MOST_RELATION_BYTES];
    size_t n = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == ' ') {
            continue;
        }
        if (n == MOST_RELATION_BYTES) {
            return false;
        }
        letters[n++] = text.data[i];
    }
    for (size_t i = 0; i < FX_COUNT(relations); i++) {
        if (fx_text_is((struct fx_text){letters, n}, relations[i].text)) {
            *ret_relation = relations[i].relation;
            return true;
        }
    }
    return false;
}

/* ---- wildcards --------------------------------------------------------------------- */

/* The versions of a wildcard: those from the first version on, and before the end. */
struct version_span {
    struct fx_semver first, end;
};

/* Removes a number and the point behind it from the start of the text. */
static bool take_part(struct fx_text *text, uint64_t *ret_number) {
    struct fx_text rest = *text;
    const struct fx_text part = fx_text_cut(&rest, '.');
    const bool is_number =
        part.len > 0 && fx_text_is_digits(part) && (part.len == 1 || part.data[0] != '0');
    if (!is_number || fx_go_parse_uint(part, 10, ret_number) != FX_GO_NUMBER) {
        return false;
    }
    *text = rest;
    return true;
}

/* Reads `1.x`, `1.2.x` or `1.x.x`. False for any other text. As in the library, the last
 * one ends before 1.1.0. */
static bool read_wildcard(struct fx_text text, struct version_span *ret_span) {
    struct version_span span = {.first = {.major = 0}};
    if (!take_part(&text, &span.first.major)) {
        return false;
    }
    const bool has_minor = take_part(&text, &span.first.minor);
    span.end = span.first;
    if (!has_minor && fx_text_is(text, "x")) {
        span.end.major++;
    } else if (fx_text_is(text, has_minor ? "x" : "x.x")) {
        span.end.minor++;
    } else {
        return false;
    }
    *ret_span = span;
    return true;
}

/* Compares with a wildcard. No version differs from one: the library asks that it is
 * before the first version and not before the end. */
static bool meets_wildcard(const struct fx_semver *version, enum relation relation,
                           const struct version_span *span) {
    const bool is_before = fx_semver_compare(version, &span->first) < 0;
    const bool is_behind = fx_semver_compare(version, &span->end) >= 0;
    switch (relation) {
    case BELOW: return is_before;
    case AT_MOST: return !is_behind;
    case EQUAL: return !is_before && !is_behind;
    case AT_LEAST: return !is_before;
    case ABOVE: return is_behind;
    case OTHER: break;
    }
    return is_before && is_behind;
}

/* ---- ranges ------------------------------------------------------------------------ */

static bool fail_comparison(struct fx_err *err, struct fx_text text, const char *why) {
    return fx_fail_quoted(err, FX_EINVALID, "invalid range of versions: ", text, why);
}

/* Reads one comparison. *ret_meets says whether the version meets it. */
static bool check_comparison(struct fx_text text, const struct fx_semver *version,
                             bool *ret_meets, struct fx_err *err) {
    size_t n = 0;
    enum relation relation = EQUAL;
    struct version_span span;
    struct fx_semver other;
    while (n < text.len && !fx_is_digit(text.data[n])) {
        n++;
    }
    if (n == text.len) {
        return fail_comparison(err, text, " has no version");
    }
    if (!find_relation((struct fx_text){text.data, n}, &relation)) {
        return fail_comparison(err, text, " has an unknown operator");
    }
    if (read_wildcard(fx_text_rest(text, n), &span)) {
        *ret_meets = meets_wildcard(version, relation, &span);
        return true;
    }
    if (!fx_semver_parse(fx_text_rest(text, n), &other, err)) {
        return err->code == FX_EMUTATE ? fail_comparison(err, text, " is no version")
                                       : false;
    }
    *ret_meets = holds(fx_semver_compare(version, &other), relation);
    return true;
}

/* Removes the next part from the range: it ends before a space, unless an operator stands
 * before the space. False if there is none. */
static bool take_comparison(struct fx_text *range, struct fx_text *ret_part) {
    size_t n = 0;
    char last = '\0';
    while (fx_text_take(range, ' ')) {
    }
    while (n < range->len && (range->data[n] != ' ' || fx_is_one_of(last, "<>="))) {
        if (range->data[n] != ' ') {
            last = range->data[n];
        }
        n++;
    }
    *ret_part = (struct fx_text){range->data, n};
    *range = fx_text_rest(*range, n);
    return n > 0;
}

/* Reads the whole range, also if its first part decides. */
static bool check_range(struct fx_text range, const struct fx_semver *version,
                        bool *ret_meets, struct fx_err *err) {
    const struct fx_text whole = range;
    bool meets_any = false;
    bool meets_all = true;
    size_t n = 0; /* comparisons since the last `||` */
    struct fx_text part;
    while (take_comparison(&range, &part)) {
        bool meets = false;
        if (fx_text_is(part, "||")) {
            if (n == 0) {
                break;
            }
            meets_any |= meets_all;
            meets_all = true;
            n = 0;
            continue;
        }
        if (!jmespath_spend_bytes(part.len * 4, err) ||
            !check_comparison(part, version, &meets, err)) {
            return false;
        }
        meets_all &= meets;
        n++;
    }
    if (n == 0) {
        return fail_comparison(err, whole, " lacks a comparison");
    }
    *ret_meets = meets_any || meets_all;
    return true;
}

/* An invalid version counts as 0.0.0. */
static bool call_semver_compare(const struct fx_jmespath_call *call, json_t **ret_value,
                                struct fx_err *err) {
    struct fx_semver version = {.major = 0};
    bool meets = false;
    if (!fx_semver_parse(jmespath_argument_text(call, 0), &version, err) &&
        err->code != FX_EMUTATE) {
        return false;
    }
    fx_err_reset(err);
    return check_range(jmespath_argument_text(call, 1), &version, &meets, err) &&
           fx_jmespath_give_boolean(meets, ret_value, err);
}

const struct fx_jmespath_function fx_jmespath_semver_functions[] = {
    FX_JMESPATH_ROW("semver_compare", call_semver_compare, {.types = FX_JMESPATH_STRING},
                    {.types = FX_JMESPATH_STRING}),
    {.name = NULL},
};
