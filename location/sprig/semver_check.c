/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/semver_check.c - constraints on versions.
 */
#include "location/sprig/semver.h"

#include <ctype.h>
#include <string.h>

/* The first open part of a bound. In `1.x` and `1` it is the minor version. */
enum open_from { OPEN_FROM_MAJOR, OPEN_FROM_MINOR, OPEN_FROM_PATCH, OPEN_NOWHERE };

struct bound {
    struct semantic_version version;
    enum open_from open;
};

/* ---- the relations ---------------------------------------------------------------- */

/* True if the version has a prerelease, and the bound does not name one. */
static bool is_unwanted(const struct semantic_version *version,
                        const struct bound *bound) {
    return version->prerelease.len > 0 && bound->version.prerelease.len == 0;
}

/* `!=1.2` holds for versions other than 1.2.x, unless it names a prerelease. */
static bool is_not_equal(const struct semantic_version *version,
                         const struct bound *bound) {
    const struct semantic_version *other = &bound->version;
    if (bound->open == OPEN_NOWHERE) {
        return version_compare(version, other) != 0;
    }
    if (is_unwanted(version, bound)) {
        return false;
    }
    if (version->major != other->major || bound->open == OPEN_FROM_MINOR) {
        return version->major != other->major;
    }
    if (bound->open == OPEN_FROM_PATCH) {
        return version->minor != other->minor ||
               version_compare_prereleases(version, other) != 0;
    }
    return version_compare(version, other) != 0;
}

/* `>1.2` holds for versions above every 1.2.x. */
static bool is_greater(const struct semantic_version *version,
                       const struct bound *bound) {
    if (version->major != bound->version.major && bound->open != OPEN_NOWHERE) {
        return version->major > bound->version.major;
    }
    switch (bound->open) {
    case OPEN_FROM_MINOR: return false;
    case OPEN_FROM_PATCH: return version->minor > bound->version.minor;
    case OPEN_FROM_MAJOR:
    case OPEN_NOWHERE: break;
    }
    return version_compare(version, &bound->version) > 0;
}

static bool is_less(const struct semantic_version *version, const struct bound *bound) {
    return version_compare(version, &bound->version) < 0;
}

static bool is_at_least(const struct semantic_version *version,
                        const struct bound *bound) {
    return version_compare(version, &bound->version) >= 0;
}

/* `<=1.2` holds for versions up to the last 1.2.x. */
static bool is_at_most(const struct semantic_version *version,
                       const struct bound *bound) {
    if (bound->open == OPEN_NOWHERE) {
        return version_compare(version, &bound->version) <= 0;
    }
    if (version->major != bound->version.major) {
        return version->major < bound->version.major;
    }
    return bound->open == OPEN_FROM_MINOR || version->minor <= bound->version.minor;
}

/* `~1.2` holds for versions with the same minor version, if one is named, that are not
 * below the bound. All versions meet `~0.0.0` and `*`. */
static bool is_near(const struct semantic_version *version, const struct bound *bound) {
    const struct semantic_version *least = &bound->version;
    if (version_compare(version, least) < 0) {
        return false;
    }
    if (least->major == 0 && least->minor == 0 && least->patch == 0 &&
        (bound->open == OPEN_NOWHERE || bound->open == OPEN_FROM_MAJOR)) {
        return true;
    }
    return version->major == least->major &&
           (version->minor == least->minor || bound->open == OPEN_FROM_MINOR);
}

/* `1.2` without an operator has the meaning of `~1.2`. */
static bool is_equal(const struct semantic_version *version, const struct bound *bound) {
    return bound->open == OPEN_NOWHERE ? version_compare(version, &bound->version) == 0
                                       : is_near(version, bound);
}

/* `^1.2` holds for versions that are not below the bound, and that do not differ from it
 * up to the first number that is not 0. */
static bool is_compatible(const struct semantic_version *version,
                          const struct bound *bound) {
    const struct semantic_version *least = &bound->version;
    if (version_compare(version, least) < 0 || version->major != least->major) {
        return false;
    }
    if (least->major > 0 || bound->open == OPEN_FROM_MINOR) {
        return true;
    }
    if (least->minor > 0 || bound->open == OPEN_FROM_PATCH) {
        return version->minor == least->minor;
    }
    return version->minor == 0 && version->patch == least->patch;
}

static const struct relation {
    const char *text;
    bool (*meets)(const struct semantic_version *version, const struct bound *bound);
}
/* the longer operators come first */
relations[] = {
    {"!=", is_not_equal}, {">=", is_at_least}, {"=>", is_at_least},  {"<=", is_at_most},
    {"=<", is_at_most},   {"~>", is_near},     {"=", is_equal},      {">", is_greater},
    {"<", is_less},       {"~", is_near},      {"^", is_compatible}, {"", is_equal},
};

/* Tests a relation. `!=` handles prereleases itself. */
static bool meets(const struct semantic_version *version, const struct relation *relation,
                  const struct bound *bound) {
    return (relation->meets == is_not_equal || !is_unwanted(version, bound)) &&
           relation->meets(version, bound);
}

/* ---- reading ----------------------------------------------------------------------- */

/* True for the white space of regular expressions. */
static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

/* Returns the number of skipped characters. */
static size_t skip_spaces(struct fx_text *text) {
    size_t n = 0;
    while (n < text->len && is_space(text->data[n])) {
        n++;
    }
    *text = fx_text_rest(*text, n);
    return n;
}

static const struct relation *take_relation(struct fx_text *text) {
    size_t i = 0;
    while (!fx_text_starts(*text, fx_text_of(relations[i].text))) {
        i++; /* the last one, the empty text, always fits */
    }
    *text = fx_text_rest(*text, strlen(relations[i].text));
    return &relations[i];
}

/* Takes a number or a wildcard, as any sequence of their characters. */
static struct fx_text take_part(struct fx_text *text) {
    size_t n = 0;
    while (n < text->len && fx_is_one_of(text->data[n], "0123456789|xX*")) {
        n++;
    }
    const struct fx_text part = {text->data, n};
    *text = fx_text_rest(*text, n);
    return part;
}

/* Takes a later part with the point before it. It is empty if there is none. */
static struct fx_text take_next_part(struct fx_text *text) {
    struct fx_text rest = *text;
    if (fx_text_first(rest) != '.') {
        return (struct fx_text){0};
    }
    rest = fx_text_rest(rest, 1);
    const struct fx_text part = take_part(&rest);
    *text = part.len > 0 ? rest : *text;
    return part;
}

/* Takes the identifiers after `sign`, if there are any. */
static struct fx_text take_suffix(struct fx_text *text, char sign) {
    struct fx_text rest = *text;
    struct fx_text suffix = {0};
    if (fx_text_first(rest) != sign) {
        return suffix;
    }
    rest = fx_text_rest(rest, 1);
    if (version_take_identifiers(&rest, &suffix)) {
        *text = rest;
    }
    return suffix;
}

/* A version in a constraint. */
struct constraint_version {
    struct fx_text parts[3]; /* empty if missing */
    struct fx_text prerelease;
};

static bool take_constraint_version(struct fx_text *text,
                                    struct constraint_version *ret_version) {
    if (fx_text_first(*text) == 'v') {
        *text = fx_text_rest(*text, 1);
    }
    ret_version->parts[0] = take_part(text);
    ret_version->parts[1] = take_next_part(text);
    ret_version->parts[2] =
        ret_version->parts[1].len > 0 ? take_next_part(text) : (struct fx_text){0};
    ret_version->prerelease = take_suffix(text, '-');
    (void)take_suffix(text, '+');
    return ret_version->parts[0].len > 0;
}

static bool is_open(struct fx_text part) {
    return part.len == 0 || fx_text_is(part, "*") || fx_text_is(part, "x") ||
           fx_text_is(part, "X");
}

static bool read_number(struct fx_text part, uint64_t *ret_number) {
    struct semantic_version version;
    struct fx_err err = FX_ERR_INIT;
    if (!fx_text_is_digits(part) || !version_parse(part, &version, &err)) {
        return false;
    }
    *ret_number = version.major;
    return true;
}

/* Reads a bound. Parts after an open one are ignored. */
static bool read_bound(const struct constraint_version *wanted, struct bound *ret_bound,
                       struct fx_err *err) {
    struct bound bound = {.version.prerelease = wanted->prerelease};
    uint64_t *numbers[] = {&bound.version.major, &bound.version.minor,
                           &bound.version.patch};
    int open = OPEN_FROM_MAJOR;
    while (open < OPEN_NOWHERE && !is_open(wanted->parts[open])) {
        if (!read_number(wanted->parts[open], numbers[open])) {
            return fx_fail(err, FX_EMUTATE, "constraint Parser Error");
        }
        open++;
    }
    struct fx_err why = FX_ERR_INIT;
    if (!version_check_prerelease(wanted->prerelease, &why)) {
        return fx_fail(err, FX_EMUTATE, "constraint Parser Error");
    }
    bound.open = (enum open_from)open;
    *ret_bound = bound;
    return true;
}

/* ---- checking ---------------------------------------------------------------------- */

/* The alternative being parsed, between two `||`. */
struct constraint_reading {
    const struct semantic_version *version;
    struct fx_text text, rest;
    bool meets;
    struct fx_err *err;
};

static bool fail_constraint(const struct constraint_reading *reading) {
    return fx_fail(reading->err, FX_EMUTATE, "improper constraint: %.*s",
                   FX_TEXT_ARG(reading->text));
}

static bool check_bound(struct constraint_reading *reading,
                        const struct relation *relation,
                        const struct constraint_version *wanted) {
    struct bound bound;
    if (!read_bound(wanted, &bound, reading->err)) {
        return false;
    }
    reading->meets = reading->meets && meets(reading->version, relation, &bound);
    return true;
}

/* Takes `- version` after a version. */
static bool take_upper(struct constraint_reading *reading,
                       struct constraint_version *ret_upper) {
    struct fx_text rest = reading->rest;
    if (skip_spaces(&rest) == 0 || fx_text_first(rest) != '-') {
        return false;
    }
    rest = fx_text_rest(rest, 1);
    if (skip_spaces(&rest) == 0 || !take_constraint_version(&rest, ret_upper)) {
        return false;
    }
    reading->rest = rest;
    return true;
}

/* comparison := [ operator ] spaces version | version spaces "-" spaces version;
 * *ret_range is true for the second form. */
static bool read_comparison(struct constraint_reading *reading, bool *ret_range) {
    struct constraint_version wanted;
    struct constraint_version upper;
    const struct relation *relation = take_relation(&reading->rest);
    (void)skip_spaces(&reading->rest);
    if (!take_constraint_version(&reading->rest, &wanted)) {
        return fail_constraint(reading);
    }
    *ret_range = take_upper(reading, &upper);
    if (!*ret_range) {
        return check_bound(reading, relation, &wanted);
    }
    static const struct relation at_least = {">=", is_at_least};
    static const struct relation at_most = {"<=", is_at_most};
    if (relation->text[0] != '\0') {
        return fail_constraint(reading);
    }
    return check_bound(reading, &at_least, &wanted) &&
           check_bound(reading, &at_most, &upper);
}

/* alternative := comparison ( ( spaces | "," ) comparison )*; next to a range only a
 * comma is allowed. */
static bool read_alternative(struct constraint_reading *reading) {
    bool after_range = false;
    bool after_comma = true;
    (void)skip_spaces(&reading->rest);
    for (;;) {
        bool is_range = false;
        if (!read_comparison(reading, &is_range)) {
            return false;
        }
        if (is_range && !after_comma) {
            return fail_constraint(reading);
        }
        after_range = is_range;
        const size_t spaces = skip_spaces(&reading->rest);
        if (reading->rest.len == 0) {
            return true;
        }
        after_comma = fx_text_first(reading->rest) == ',';
        if (after_comma) {
            reading->rest = fx_text_rest(reading->rest, 1);
            (void)skip_spaces(&reading->rest);
        } else if (spaces == 0 || after_range) {
            return fail_constraint(reading);
        }
    }
}

/* Takes the text up to and including the next `||`. */
static struct fx_text take_alternative(struct fx_text *text, bool *ret_last) {
    size_t n = 0;
    while (n + 1 < text->len && memcmp(text->data + n, "||", 2) != 0) {
        n++;
    }
    *ret_last = n + 1 >= text->len;
    const struct fx_text alternative = {text->data, *ret_last ? text->len : n};
    *text = fx_text_rest(*text, *ret_last ? text->len : n + 2);
    return alternative;
}

/* Parses all alternatives, even after one that matches, so that errors are found. */
bool version_check(const struct semantic_version *version, struct fx_text constraint,
                   bool *ret_meets, struct fx_err *err) {
    bool last = false;
    bool any = false;
    while (!last) {
        struct constraint_reading reading = {
            .version = version, .meets = true, .err = err};
        reading.text = take_alternative(&constraint, &last);
        reading.rest = reading.text;
        if (!read_alternative(&reading)) {
            return false;
        }
        any = any || reading.meets;
    }
    *ret_meets = any;
    return true;
}
