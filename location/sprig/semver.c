/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/semver.c - reads, compares and prints versions; semver and
 * semverCompare.
 */
#include "location/sprig/semver.h"

#include "base/semver.h"
#include "location/gotemplate/value.h"
#include "location/sprig/functions.h"

#define NOT_A_VERSION "Invalid Semantic Version" /* the library's message */

/* ---- reading --------------------------------------------------------------------- */

static bool is_identifier_char(char c) {
    return fx_is_digit(c) || fx_is_letter(c) || c == '-';
}

/* identifiers := identifier ( "." identifier )* */
bool version_take_identifiers(struct fx_text *text, struct fx_text *ret_identifiers) {
    size_t len = 0; /* the length up to the end of the last identifier */
    for (size_t at = 0;; at++) {
        const size_t from = at;
        while (at < text->len && is_identifier_char(text->data[at])) {
            at++;
        }
        if (at == from) {
            break;
        }
        len = at;
        if (at == text->len || text->data[at] != '.') {
            break;
        }
    }
    *ret_identifiers = (struct fx_text){text->data, len};
    *text = fx_text_rest(*text, len);
    return len > 0;
}

static bool is_number(struct fx_text identifier) {
    return identifier.len > 0 && fx_text_is_digits(identifier);
}

bool version_check_prerelease(struct fx_text text, struct fx_err *err) {
    while (text.len > 0) {
        const struct fx_text identifier = fx_text_cut(&text, '.');
        if (is_number(identifier) && identifier.len > 1 && identifier.data[0] == '0') {
            return fx_fail(err, FX_EMUTATE, "Version segment starts with 0");
        }
    }
    return true;
}

/* Takes a number. The library allows numbers up to UINT64_MAX. */
static bool take_number(struct fx_text *text, uint64_t *ret_number, struct fx_err *err) {
    const size_t n = fx_text_count_digits(*text, SIZE_MAX);
    uint64_t number = 0;
    if (n == 0) {
        return fx_fail(err, FX_EMUTATE, NOT_A_VERSION);
    }
    for (size_t i = 0; i < n; i++) {
        const uint64_t digit = (uint64_t)(text->data[i] - '0');
        if (number > (INT64_MAX - digit) / 10) {
            return fx_fail(err, FX_EMUTATE,
                           "Error parsing version segment: strconv.ParseUint: parsing "
                           "\"%.*s\": value out of range",
                           (int)n, text->data);
        }
        number = number * 10 + digit;
    }
    *ret_number = number;
    *text = fx_text_rest(*text, n);
    return true;
}

/* Takes the next number. A missing number is 0. */
static bool take_next_number(struct fx_text *text, uint64_t *ret_number,
                             struct fx_err *err) {
    *ret_number = 0;
    if (fx_text_first(*text) != '.') {
        return true;
    }
    *text = fx_text_rest(*text, 1);
    return take_number(text, ret_number, err);
}

/* Takes the optional part after `sign`. */
static bool take_suffix(struct fx_text *text, char sign, struct fx_text *ret_suffix,
                        struct fx_err *err) {
    *ret_suffix = (struct fx_text){0};
    if (fx_text_first(*text) != sign) {
        return true;
    }
    *text = fx_text_rest(*text, 1);
    return version_take_identifiers(text, ret_suffix) ||
           fx_fail(err, FX_EMUTATE, NOT_A_VERSION);
}

/* version := [ "v" ] number [ "." number [ "." number ] ] [ "-" identifiers ]
 *            [ "+" identifiers ] */
bool version_parse(struct fx_text text, struct semantic_version *ret_version,
                   struct fx_err *err) {
    struct semantic_version version = {.original = text};
    if (fx_text_first(text) == 'v') {
        text = fx_text_rest(text, 1);
    }
    if (!take_number(&text, &version.major, err) ||
        !take_next_number(&text, &version.minor, err) ||
        !take_next_number(&text, &version.patch, err) ||
        !take_suffix(&text, '-', &version.prerelease, err) ||
        !take_suffix(&text, '+', &version.metadata, err)) {
        return false;
    }
    if (text.len > 0) {
        return fx_fail(err, FX_EMUTATE, NOT_A_VERSION);
    }
    if (!version_check_prerelease(version.prerelease, err)) {
        return false;
    }
    *ret_version = version;
    return true;
}

/* ---- comparing ------------------------------------------------------------------- */

int version_compare_prereleases(const struct semantic_version *a,
                                const struct semantic_version *b) {
    return fx_semver_compare_prereleases(a->prerelease, b->prerelease);
}

int version_compare(const struct semantic_version *a, const struct semantic_version *b) {
    const struct fx_semver left = {a->major, a->minor, a->patch, a->prerelease, {0}};
    const struct fx_semver right = {b->major, b->minor, b->patch, b->prerelease, {0}};
    return fx_semver_compare(&left, &right);
}

/* ---- as a value ------------------------------------------------------------------ */

/* Compares the original texts, as reflect.DeepEqual does. */
static bool version_deep_equal(const void *left, const void *right) {
    const struct semantic_version *a = left;
    const struct semantic_version *b = right;
    return fx_text_equal(a->original, b->original);
}

void version_print(struct fx_buf *buf, const void *object) {
    const struct semantic_version *version = object;
    fx_semver_print(buf,
                    &(struct fx_semver){version->major, version->minor, version->patch,
                                        version->prerelease, version->metadata});
}

static struct value number_value(uint64_t number) {
    return (struct value){.kind = VALUE_UINT64, .integer = (int64_t)number};
}

/* Gets a member. All of them are methods in Go, with a capital letter. */
static bool version_member(const void *object, struct fx_text name,
                           struct value *ret_value) {
    const struct semantic_version *version = object;
    const struct {
        const char *name;
        struct value value;
    } members[] = {
        {"Major", number_value(version->major)},
        {"Minor", number_value(version->minor)},
        {"Patch", number_value(version->patch)},
        {"Prerelease", value_string(version->prerelease)},
        {"Metadata", value_string(version->metadata)},
        {"Original", value_string(version->original)},
    };
    for (size_t i = 0; i < FX_COUNT(members); i++) {
        if (fx_text_is(name, members[i].name)) {
            *ret_value = members[i].value;
            return true;
        }
    }
    return false;
}

static size_t version_size(const void *object) {
    const struct semantic_version *version = object;
    return version->original.len;
}

/* Compares the addresses, because versions are pointers in Go. */
static bool version_equal(const void *a, const void *b) {
    return a == b;
}

const struct object_type version_type = {
    .name = "*semver.Version",
    .kind = "ptr",
    .size = version_size,
    .print = version_print,
    .equal = version_equal,
    .deep_equal = version_deep_equal,
    .member = version_member,
};

/* ---- the functions ----------------------------------------------------------------- */

static bool call_semver(struct template_call *call) {
    struct semantic_version *version = run_alloc(call->run, sizeof *version);
    if (version == NULL ||
        !version_parse(call->arguments[0].string, version, call->err)) {
        return false;
    }
    *call->ret = value_object(&version_type, version);
    return true;
}

/* Computes semverCompare. An error in the constraint is reported before one in the
 * version. */
static bool call_semver_compare(struct template_call *call) {
    const struct semantic_version any = {.major = 0};
    struct semantic_version version;
    bool meets = false;
    const struct fx_text constraint = call->arguments[0].string;
    if (!version_check(&any, constraint, &meets, call->err) ||
        !version_parse(call->arguments[1].string, &version, call->err) ||
        !version_check(&version, constraint, &meets, call->err)) {
        return false;
    }
    return return_bool(call, meets);
}

const struct function functions_semver[] = {
    FUNCTION("semver", call_semver, 4, STRING),
    FUNCTION("semverCompare", call_semver_compare, 8, STRING, STRING),
    {.name = NULL},
};
