/* SPDX-License-Identifier: Apache-2.0
 *
 * semver_parse.c - reading semantic versions.
 */
#include "base/semver.h"

#include "base/strconv.h"

/* strconv.ParseUint */
static bool read_number(struct fx_text text, uint64_t *ret_number, struct fx_err *err) {
    const enum fx_go_number result = fx_go_parse_uint(text, 10, ret_number);
    return result == FX_GO_NUMBER ||
           fx_fail_quoted(err, FX_EMUTATE, "strconv.ParseUint: parsing ", text,
                          result == FX_GO_RANGE ? ": value out of range"
                                                : ": invalid syntax");
}

/* The messages for a part of the version. */
struct semver_part {
    const char *bad_character, *leading_zero;
};

static const struct semver_part major_part = {
    "Invalid character(s) found in major number ",
    "Major number must not contain leading zeroes ",
};
static const struct semver_part minor_part = {
    "Invalid character(s) found in minor number ",
    "Minor number must not contain leading zeroes ",
};
static const struct semver_part patch_part = {
    "Invalid character(s) found in patch number ",
    "Patch number must not contain leading zeroes ",
};

static bool read_part(struct fx_text text, const struct semver_part *part,
                      uint64_t *ret_number, struct fx_err *err) {
    if (!fx_text_is_digits(text)) {
        return fx_fail_quoted(err, FX_EMUTATE, part->bad_character, text, "");
    }
    if (text.len > 1 && text.data[0] == '0') {
        return fx_fail_quoted(err, FX_EMUTATE, part->leading_zero, text, "");
    }
    return read_number(text, ret_number, err);
}

static bool is_identifier(struct fx_text text) {
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        if (!fx_is_digit(c) && !fx_is_letter(c) && c != '-') {
            return false;
        }
    }
    return true;
}

static bool check_prerelease(struct fx_text identifier, struct fx_err *err) {
    uint64_t number = 0;
    if (identifier.len == 0) {
        return fx_fail(err, FX_EMUTATE, "Prerelease is empty");
    }
    if (!fx_text_is_digits(identifier)) {
        return is_identifier(identifier) ||
               fx_fail_quoted(err, FX_EMUTATE,
                              "Invalid character(s) found in prerelease ", identifier,
                              "");
    }
    if (identifier.len > 1 && identifier.data[0] == '0') {
        return fx_fail_quoted(
            err, FX_EMUTATE,
            "Numeric PreRelease version must not contain leading zeroes ", identifier,
            "");
    }
    return read_number(identifier, &number, err);
}

static bool check_build(struct fx_text identifier, struct fx_err *err) {
    if (identifier.len == 0) {
        return fx_fail(err, FX_EMUTATE, "Build meta data is empty");
    }
    return is_identifier(identifier) ||
           fx_fail_quoted(err, FX_EMUTATE,
                          "Invalid character(s) found in build meta data ", identifier,
                          "");
}

/* Checks each identifier of a list: also an empty list has one, which is empty. */
static bool check_identifiers(struct fx_text list,
                              bool (*check)(struct fx_text identifier,
                                            struct fx_err *err),
                              struct fx_err *err) {
    bool is_last = false;
    while (!is_last) {
        const size_t len = list.len;
        const struct fx_text identifier = fx_text_cut(&list, '.');
        is_last = identifier.len == len;
        if (!check(identifier, err)) {
            return false;
        }
    }
    return true;
}

/* Removes the text behind the first `sign`; false if there is none. */
static bool split(struct fx_text *text, char sign, struct fx_text *ret_rest) {
    struct fx_text rest = *text;
    const struct fx_text before = fx_text_cut(&rest, sign);
    const bool found = before.len < text->len;
    *text = before;
    *ret_rest = rest;
    return found;
}

/* Reads the third part, with what is behind it. */
static bool read_patch(struct fx_text text, struct fx_semver *version,
                       struct fx_err *err) {
    const bool has_build = split(&text, '+', &version->build);
    const bool has_prerelease = split(&text, '-', &version->prerelease);
    return read_part(text, &patch_part, &version->patch, err) &&
           (!has_prerelease ||
            check_identifiers(version->prerelease, check_prerelease, err)) &&
           (!has_build || check_identifiers(version->build, check_build, err));
}

bool fx_semver_parse(struct fx_text text, struct fx_semver *ret_version,
                     struct fx_err *err) {
    struct fx_semver version = {.major = 0};
    struct fx_text minor;
    struct fx_text patch;
    if (text.len == 0) {
        return fx_fail(err, FX_EMUTATE, "Version string empty");
    }
    struct fx_text major = text;
    const bool has_minor = split(&major, '.', &minor);
    const bool has_patch = has_minor && split(&minor, '.', &patch);
    if (!has_patch) {
        return fx_fail(err, FX_EMUTATE, "No Major.Minor.Patch elements found");
    }
    if (!read_part(major, &major_part, &version.major, err) ||
        !read_part(minor, &minor_part, &version.minor, err) ||
        !read_patch(patch, &version, err)) {
        return false;
    }
    *ret_version = version;
    return true;
}
