/* SPDX-License-Identifier: Apache-2.0
 *
 * formats_validate.c - what is wrong with a text of a named format, in the words of
 * Kubernetes.
 */
#include "location/cel_library/formats.h"
#include "location/cel_library/types.h"
#include "location/go/time.h"
#include "location/go/url.h"

#define MOST_LABEL     63u
#define MOST_SUBDOMAIN 253u

static const char label_text[] =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or "
    "'-', and must start and end with an alphanumeric character (e.g. 'my-name',  or "
    "'123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
static const char subdomain_text[] =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
    "'-' or '.', and must start and end with an alphanumeric character (e.g. "
    "'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
static const char label1035_text[] =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start "
    "with an alphabetic character, and end with an alphanumeric character (e.g. "
    "'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";
#define NAME_TEXT                                                                       \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end " \
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', "     \
    "regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
static const char label_value_text[] =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', "
    "'_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  "
    "or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/* Where the messages go. */
struct validation {
    struct fx_cel_run *run;
    struct fx_cel_value messages;
};

static bool add(struct validation *validation, struct fx_cel_value message) {
    if (message.kind != FX_CEL_STRING) {
        return false;
    }
    if (!fx_cel_list_add(validation->run, validation->messages, message)) {
        (void)fx_cel_no_memory(validation->run);
        return false;
    }
    return true;
}

/* Adds prefix and message, which are constants. */
static bool add_text(struct validation *validation, const char *prefix,
                     const char *message) {
    struct fx_buf buf;
    if (*prefix == '\0') {
        return add(validation, fx_cel_make_string(fx_text_of(message)));
    }
    fx_buf_init(&buf, 0);
    fx_buf_str(&buf, prefix);
    fx_buf_str(&buf, message);
    return add(validation, fx_cel_take_buf(validation->run, &buf));
}

/* ---- names ------------------------------------------------------------------------- */

static bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

static bool is_lower_or_digit(char c) {
    return is_lower(c) || fx_is_digit(c);
}

static bool is_alphanumeric(char c) {
    return fx_is_letter(c) || fx_is_digit(c);
}

/* Does the text, which is not empty, start and end with such characters, and have these
 * or one of `others` between them? */
static bool has_form(struct fx_text text, bool (*is_char)(char c), const char *others) {
    if (text.len == 0 || !is_char(text.data[0]) || !is_char(text.data[text.len - 1])) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (!is_char(text.data[i]) && !fx_is_one_of(text.data[i], others)) {
            return false;
        }
    }
    return true;
}

static bool is_label(struct fx_text text) {
    return has_form(text, is_lower_or_digit, "-");
}

static bool is_subdomain(struct fx_text text) {
    for (;;) {
        const size_t len = text.len;
        const struct fx_text label = fx_text_cut(&text, '.');
        if (!is_label(label)) {
            return false;
        }
        if (label.len == len) {
            return true;
        }
    }
}

bool fx_cel_is_dns_label(struct fx_text text) {
    return text.len <= MOST_LABEL && is_label(text);
}

bool fx_cel_is_dns_subdomain(struct fx_text text) {
    return text.len <= MOST_SUBDOMAIN && is_subdomain(text);
}

static bool is_name(struct fx_text text) {
    return has_form(text, is_alphanumeric, "-_.");
}

static bool validate_label(struct validation *validation, struct fx_text text) {
    if (text.len > MOST_LABEL &&
        !add_text(validation, "", "must be no more than 63 characters")) {
        return false;
    }
    return is_label(text) ||
           add_text(validation, "",
                    is_subdomain(text) ? "must not contain dots" : label_text);
}

static bool validate_label1035(struct validation *validation, struct fx_text text) {
    if (text.len > MOST_LABEL &&
        !add_text(validation, "", "must be no more than 63 characters")) {
        return false;
    }
    return (is_label(text) && is_lower(text.data[0])) ||
           add_text(validation, "", label1035_text);
}

static bool validate_subdomain(struct validation *validation, struct fx_text text,
                               const char *prefix) {
    if (text.len > MOST_SUBDOMAIN &&
        !add_text(validation, prefix, "must be no more than 253 characters")) {
        return false;
    }
    return is_subdomain(text) || add_text(validation, prefix, subdomain_text);
}

/* Names that are prefixes may end in a dash: Kubernetes checks them with an "a" in the
 * place of the last two characters. False without memory. */
static bool mask_dash(struct validation *validation, struct fx_text *text) {
    if (text->len < 2 || text->data[text->len - 1] != '-') {
        return true;
    }
    char *masked = fx_arena_copy(validation->run->arena, *text);
    if (masked == NULL) {
        (void)fx_cel_no_memory(validation->run);
        return false;
    }
    masked[text->len - 2] = 'a';
    *text = (struct fx_text){masked, text->len - 1};
    return true;
}

/* ---- qualified names and labels ------------------------------------------------------
 */

static bool validate_name_part(struct validation *validation, struct fx_text name) {
    const char *length = name.len == 0 ? "name part must be non-empty"
                         : name.len > MOST_LABEL
                             ? "name part must be no more than 63 bytes"
                             : NULL;
    if (length != NULL && !add_text(validation, "", length)) {
        return false;
    }
    return is_name(name) || add_text(validation, "", "name part " NAME_TEXT);
}

static bool validate_qualified_name(struct validation *validation, struct fx_text text) {
    struct fx_text name = text;
    const struct fx_text prefix = fx_text_cut(&name, '/');
    if (prefix.len == text.len) {
        return validate_name_part(validation, text);
    }
    if (fx_text_contains(name, FX_TEXT("/"))) {
        return add_text(validation, "",
                        "a qualified name " NAME_TEXT " with an optional DNS subdomain "
                        "prefix and '/' (e.g. 'example.com/MyName')");
    }
    const bool ok = prefix.len == 0
                        ? add_text(validation, "", "prefix part must be non-empty")
                        : validate_subdomain(validation, prefix, "prefix part ");
    return ok && validate_name_part(validation, name);
}

static bool validate_label_value(struct validation *validation, struct fx_text text) {
    if (text.len > MOST_LABEL &&
        !add_text(validation, "", "must be no more than 63 bytes")) {
        return false;
    }
    return text.len == 0 || is_name(text) || add_text(validation, "", label_value_text);
}

/* ---- other texts ------------------------------------------------------------------- */

static bool validate_uri(struct validation *validation, struct fx_text text) {
    struct fx_err *err = validation->run->err;
    if (fx_go_url_check_request(text, err)) {
        return true;
    }
    if (err->code != FX_EMUTATE) {
        return false;
    }
    err->code = FX_OK;
    return add(validation, fx_cel_copy_string(validation->run, fx_text_of(err->msg)));
}

/* Removes n hexadecimal digits from the start of the text. */
static bool take_hex(struct fx_text *text, size_t n) {
    for (; n > 0; n--) {
        if (fx_digit_of(fx_text_first(*text)) > 15) {
            return false;
        }
        *text = fx_text_rest(*text, 1);
    }
    return true;
}

/* 8-4-4-4-12 digits; each dash may be missing. */
static bool is_uuid(struct fx_text text) {
    static const size_t groups[] = {8, 4, 4, 4, 12};
    for (size_t i = 0; i < FX_COUNT(groups); i++) {
        if (i > 0) {
            (void)fx_text_take(&text, '-');
        }
        if (!take_hex(&text, groups[i])) {
            return false;
        }
    }
    return text.len == 0;
}

/* Groups of four characters, one at least; the last one may end in one or two `=`. */
static bool is_base64(struct fx_text text) {
    size_t len = text.len;
    if (len == 0 || len % 4 != 0) {
        return false;
    }
    for (size_t padding = 0; padding < 2 && text.data[len - 1] == '='; padding++) {
        len--;
    }
    for (size_t i = 0; i < len; i++) {
        if (!is_alphanumeric(text.data[i]) && !fx_is_one_of(text.data[i], "+/")) {
            return false;
        }
    }
    return true;
}

static bool is_date(struct fx_text text) {
    struct fx_go_time time;
    return fx_go_time_parse(FX_TEXT("2006-01-02"), text, &time, NULL);
}

/* Removes two digits, at most this number, from the start of the text. */
static bool take_two_digits(struct fx_text *text, int most) {
    int number = 0;
    return fx_text_take_number(text, 2, 2, &number) && number <= most;
}

/* Removes a fraction: any character, and digits. False if there is none. */
static bool take_fraction(struct fx_text *text) {
    uint32_t rune = 0;
    if (text->len == 0) {
        return false;
    }
    const struct fx_text digits = fx_text_rest(*text, fx_text_rune(*text, &rune));
    const size_t n = fx_text_count_digits(digits, SIZE_MAX);
    *text = fx_text_rest(digits, n);
    return rune != '\n' && n > 0;
}

/* "z", or an offset of any size */
static bool is_zone(struct fx_text text) {
    if (fx_text_is(text, "z") || fx_text_is(text, "Z")) {
        return true;
    }
    return (fx_text_take(&text, '+') || fx_text_take(&text, '-')) &&
           take_two_digits(&text, 99) && fx_text_take(&text, ':') &&
           take_two_digits(&text, 99) && text.len == 0;
}

/* hh:mm:ss, with or without a fraction, and the zone */
static bool is_clock(struct fx_text text) {
    if (!take_two_digits(&text, 23) || !fx_text_take(&text, ':') ||
        !take_two_digits(&text, 59) || !fx_text_take(&text, ':') ||
        !take_two_digits(&text, 59)) {
        return false;
    }
    return is_zone(text) || (take_fraction(&text) && is_zone(text));
}

/* Removes the text before the first t, of either case, and the t. */
static struct fx_text cut_t(struct fx_text *text) {
    size_t n = 0;
    while (n < text->len && (text->data[n] | 0x20) != 't') {
        n++;
    }
    const struct fx_text before = {text->data, n};
    *text = fx_text_rest(*text, n < text->len ? n + 1 : n);
    return before;
}

/* What follows a second t does not count. */
static bool is_datetime(struct fx_text text) {
    return is_date(cut_t(&text)) && is_clock(cut_t(&text));
}

/* ---- all --------------------------------------------------------------------------- */

static bool check(struct validation *validation, bool is_valid, const char *message) {
    return is_valid || add_text(validation, "", message);
}

bool fx_cel_format_validate(struct fx_cel_run *run, enum fx_cel_format_number format,
                            struct fx_text text, struct fx_cel_value messages) {
    struct validation validation = {run, messages};
    switch (format) {
    case FX_CEL_FORMAT_DNS1123_LABEL: return validate_label(&validation, text);
    case FX_CEL_FORMAT_DNS1123_SUBDOMAIN:
        return validate_subdomain(&validation, text, "");
    case FX_CEL_FORMAT_DNS1035_LABEL: return validate_label1035(&validation, text);
    case FX_CEL_FORMAT_QUALIFIED_NAME: return validate_qualified_name(&validation, text);
    case FX_CEL_FORMAT_DNS1123_LABEL_PREFIX:
        return mask_dash(&validation, &text) && validate_label(&validation, text);
    case FX_CEL_FORMAT_DNS1123_SUBDOMAIN_PREFIX:
        return mask_dash(&validation, &text) && validate_subdomain(&validation, text, "");
    case FX_CEL_FORMAT_DNS1035_LABEL_PREFIX:
        return mask_dash(&validation, &text) && validate_label1035(&validation, text);
    case FX_CEL_FORMAT_LABEL_VALUE: return validate_label_value(&validation, text);
    case FX_CEL_FORMAT_URI: return validate_uri(&validation, text);
    case FX_CEL_FORMAT_UUID:
        return check(&validation, is_uuid(text), "does not match the UUID format");
    case FX_CEL_FORMAT_BYTE: return check(&validation, is_base64(text), "invalid base64");
    case FX_CEL_FORMAT_DATE: return check(&validation, is_date(text), "invalid date");
    case FX_CEL_FORMAT_DATETIME:
        return check(&validation, is_datetime(text), "invalid datetime");
    }
    return true;
}
