/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/label_rules.c - the rules of label keys and values, with the message of
 * apimachinery for each.
 */
#include "engine/label_rules.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define NAME_MAX_BYTES   63u
#define PREFIX_MAX_BYTES 253u

#define NAME_RULE                                                                   \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and " \
    "end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "        \
    "'123-abc', regex used for validation is "                                      \
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
#define VALUE_RULE                                                                  \
    "a valid label must be an empty string or consist of alphanumeric characters, " \
    "'-', '_' or '.', and must start and end with an alphanumeric character "       \
    "(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "   \
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
#define PREFIX_RULE                                                                  \
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "        \
    "characters, '-' or '.', and must start and end with an alphanumeric character " \
    "(e.g. 'example.com', regex used for validation is "                             \
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

static bool is_lower_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_alphanumeric(char c) {
    return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

/* ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9] */
static bool is_name(struct fx_text text) {
    if (text.len == 0 || !is_alphanumeric(text.data[0]) ||
        !is_alphanumeric(text.data[text.len - 1])) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        if (!is_alphanumeric(c) && c != '-' && c != '_' && c != '.') {
            return false;
        }
    }
    return true;
}

/* label ('.' label)*, label := [a-z0-9]([-a-z0-9]*[a-z0-9])?: a letter or digit is at
 * both ends and on both sides of every dot. */
static bool is_subdomain(struct fx_text text, bool (*is_part)(char c)) {
    bool may_end = false; /* the last character was a letter or digit */
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        const bool starts = i == 0 || text.data[i - 1] == '.';
        if (is_part(c)) {
            may_end = true;
        } else if ((c == '-' && !starts) || (c == '.' && may_end)) {
            may_end = false;
        } else {
            return false;
        }
    }
    return may_end;
}

static void complain(struct fx_buf *buf, size_t start, const char *about,
                     const char *message) {
    fx_buf_str(buf, buf->len > start ? "; " : "");
    fx_buf_str(buf, about);
    fx_buf_str(buf, message);
}

static void complain_length(struct fx_buf *buf, size_t start, const char *about,
                            unsigned max) {
    complain(buf, start, about, "must be no more than ");
    fx_buf_printf(buf, "%u bytes", max);
}

static void check_prefix(struct fx_buf *buf, size_t start, struct fx_text prefix,
                         bool (*is_part)(char c)) {
    if (prefix.len == 0) {
        complain(buf, start, "prefix part ", "must be non-empty");
        return;
    }
    if (prefix.len > PREFIX_MAX_BYTES) {
        complain_length(buf, start, "prefix part ", PREFIX_MAX_BYTES);
    }
    if (!is_subdomain(prefix, is_part)) {
        complain(buf, start, "prefix part ", PREFIX_RULE);
    }
}

/* `is_part`: which characters a prefix is made of, beside hyphens and dots. */
static void check_key(struct fx_buf *buf, struct fx_text key, bool (*is_part)(char c)) {
    const size_t start = buf->len;
    struct fx_text name = key;
    const char *slash = key.len == 0 ? NULL : memchr(key.data, '/', key.len);
    if (slash != NULL) {
        const size_t at = (size_t)(slash - key.data);
        name = (struct fx_text){slash + 1, key.len - at - 1};
        if (fx_text_contains(name, FX_TEXT("/"))) {
            complain(buf, start, "a valid label key ",
                     NAME_RULE " with an optional DNS subdomain prefix and '/' "
                               "(e.g. 'example.com/MyName')");
            return;
        }
        check_prefix(buf, start, (struct fx_text){key.data, at}, is_part);
    }
    if (name.len == 0) {
        complain(buf, start, "name part ", "must be non-empty");
    } else if (name.len > NAME_MAX_BYTES) {
        complain_length(buf, start, "name part ", NAME_MAX_BYTES);
    }
    if (!is_name(name)) {
        complain(buf, start, "name part ", NAME_RULE);
    }
}

void fx_label_key_check(struct fx_buf *buf, struct fx_text key) {
    check_key(buf, key, is_lower_or_digit);
}

void fx_annotation_key_check(struct fx_buf *buf, struct fx_text key) {
    check_key(buf, key, is_alphanumeric);
}

void fx_label_value_check(struct fx_buf *buf, struct fx_text value) {
    const size_t start = buf->len;
    if (value.len > NAME_MAX_BYTES) {
        complain_length(buf, start, "", NAME_MAX_BYTES);
    }
    if (value.len > 0 && !is_name(value)) {
        complain(buf, start, "", VALUE_RULE);
    }
}
