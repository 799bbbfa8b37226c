/* SPDX-License-Identifier: Apache-2.0
 *
 * image_reference.c - references of images.
 *
 *     reference := [ registry "/" ] part ( "/" part )* [ ":" tag ] [ "@" digest ]
 */
#include "base/image_reference.h"

#include <stddef.h>
#include <string.h>

#define MOST_PATH_BYTES 255u
#define MOST_TAG_BYTES  128u

static bool fail_format(struct fx_err *err) {
    return fx_fail(err, FX_EINVALID, "invalid reference of an image");
}

static bool is_lower_alphanumeric(char c) {
    return fx_is_digit(c) || (c >= 'a' && c <= 'z');
}

static bool is_alphanumeric(char c) {
    return fx_is_digit(c) || fx_is_letter(c);
}

/* Removes the text from the first `separator` on from *text, and returns what is behind
 * the separator. *ret_found is false if there is none. */
static struct fx_text cut_from(struct fx_text *text, char separator, bool *ret_found) {
    struct fx_text rest = {text->data, 0};
    size_t at = 0;
    while (at < text->len && text->data[at] != separator) {
        at++;
    }
    *ret_found = at < text->len;
    if (*ret_found) {
        rest = fx_text_rest(*text, at + 1);
    }
    text->len = at;
    return rest;
}

/* ---- the registry ------------------------------------------------------------------ */

/* A label of a host name: letters, digits and, not at its ends, `-`. */
static bool is_label(struct fx_text label) {
    if (label.len == 0 || label.data[0] == '-' || label.data[label.len - 1] == '-') {
        return false;
    }
    for (size_t i = 0; i < label.len; i++) {
        if (!is_alphanumeric(label.data[i]) && label.data[i] != '-') {
            return false;
        }
    }
    return true;
}

static bool is_host(struct fx_text host) {
    bool is_last = false;
    while (!is_last) {
        const size_t len = host.len;
        const struct fx_text label = fx_text_cut(&host, '.');
        is_last = label.len == len;
        if (!is_label(label)) {
            return false;
        }
    }
    return true;
}

/* "[" hexadecimal digits and colons "]" */
static bool is_ipv6(struct fx_text host) {
    if (host.len < 3 || host.data[0] != '[' || host.data[host.len - 1] != ']') {
        return false;
    }
    for (size_t i = 1; i + 1 < host.len; i++) {
        if (fx_digit_of(host.data[i]) == FX_NO_DIGIT && host.data[i] != ':') {
            return false;
        }
    }
    return true;
}

/* host [ ":" digits ] */
static bool is_registry(struct fx_text text) {
    size_t end = text.len;
    while (end > 0 && fx_is_digit(text.data[end - 1])) {
        end--;
    }
    if (end > 0 && end < text.len && text.data[end - 1] == ':') {
        text.len = end - 1;
    }
    return is_host(text) || is_ipv6(text);
}

/* Does the first part of a reference stand for a registry? */
static bool names_registry(struct fx_text part) {
    if (fx_text_is(part, "localhost")) {
        return true;
    }
    for (size_t i = 0; i < part.len; i++) {
        const char c = part.data[i];
        if (c == '.' || c == ':' || (c >= 'A' && c <= 'Z')) {
            return true;
        }
    }
    return false;
}

/* Removes the registry from the start of the reference. A part that stands for one, but
 * cannot be one, is left to be a part of the path. */
static struct fx_text take_registry(struct fx_text *reference) {
    struct fx_text rest = *reference;
    const struct fx_text first = fx_text_cut(&rest, '/');
    if (first.len == reference->len || !names_registry(first)) {
        return FX_TEXT("docker.io");
    }
    if (!is_registry(first)) {
        return FX_TEXT("");
    }
    *reference = rest;
    return first;
}

/* ---- path, tag and digest ---------------------------------------------------------- */

/* Returns the length of a separator within a part: `.`, `_`, `__` or any number of `-`.
 */
static size_t separator_length(struct fx_text text) {
    size_t n = 0;
    while (n < text.len && text.data[n] == '-') {
        n++;
    }
    if (n > 0) {
        return n;
    }
    if (fx_text_starts(text, FX_TEXT("__"))) {
        return 2;
    }
    return fx_is_one_of(fx_text_first(text), "._") ? 1 : 0;
}

/* A part begins and ends with letters in lower case or digits. */
static bool is_part(struct fx_text part) {
    bool after_separator = true;
    while (part.len > 0) {
        const size_t n = separator_length(part);
        if (n == 0 ? !is_lower_alphanumeric(part.data[0]) : after_separator) {
            return false;
        }
        after_separator = n > 0;
        part = fx_text_rest(part, n > 0 ? n : 1);
    }
    return !after_separator;
}

static bool check_path(struct fx_text path, struct fx_text *ret_name,
                       struct fx_err *err) {
    bool is_last = false;
    if (path.len > MOST_PATH_BYTES) {
        return fx_fail(err, FX_EINVALID, "the path of an image has more than %u bytes",
                       MOST_PATH_BYTES);
    }
    while (!is_last) {
        const size_t len = path.len;
        *ret_name = fx_text_cut(&path, '/');
        is_last = ret_name->len == len;
        if (!is_part(*ret_name)) {
            return fail_format(err);
        }
    }
    return true;
}

static bool is_tag(struct fx_text tag) {
    if (tag.len == 0 || tag.len > MOST_TAG_BYTES || tag.data[0] == '.' ||
        tag.data[0] == '-') {
        return false;
    }
    for (size_t i = 0; i < tag.len; i++) {
        if (!is_alphanumeric(tag.data[i]) && !fx_is_one_of(tag.data[i], "_.-")) {
            return false;
        }
    }
    return true;
}

/* The algorithms, and the digits of their digests. */
static const struct {
    struct fx_text algorithm;
    size_t digits;
} digests[] = {
    {{"sha256:", 7}, 64},
    {{"sha384:", 7}, 96},
    {{"sha512:", 7}, 128},
};

static bool is_hexadecimal(struct fx_text text) {
    for (size_t i = 0; i < text.len; i++) {
        if (!fx_is_digit(text.data[i]) && (text.data[i] < 'a' || text.data[i] > 'f')) {
            return false;
        }
    }
    return true;
}

static bool is_digest(struct fx_text digest) {
    for (size_t i = 0; i < FX_COUNT(digests); i++) {
        const size_t from = digests[i].algorithm.len;
        if (fx_text_starts(digest, digests[i].algorithm)) {
            return digest.len - from == digests[i].digits &&
                   is_hexadecimal(fx_text_rest(digest, from));
        }
    }
    return false;
}

bool fx_image_reference_parse(struct fx_text reference,
                              struct fx_image_reference *ret_image, struct fx_err *err) {
    struct fx_image_reference image = {.registry = take_registry(&reference)};
    bool has_digest = false;
    bool has_tag = false;
    image.digest = cut_from(&reference, '@', &has_digest);
    image.tag = cut_from(&reference, ':', &has_tag);
    image.path = reference;
    if (!check_path(reference, &image.name, err)) {
        return false;
    }
    if ((has_tag && !is_tag(image.tag)) || (has_digest && !is_digest(image.digest))) {
        return fail_format(err);
    }
    if (!has_tag && !has_digest) {
        image.tag = FX_TEXT("latest");
    }
    *ret_image = image;
    return true;
}

void fx_image_reference_print(struct fx_buf *buf,
                              const struct fx_image_reference *image) {
    fx_buf_text(buf, image->registry);
    fx_buf_str(buf, image->registry.len > 0 ? "/" : "");
    fx_buf_text(buf, image->path);
    fx_buf_char(buf, image->digest.len > 0 ? '@' : ':');
    fx_buf_text(buf, image->digest.len > 0 ? image->digest : image->tag);
}
