/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/image.c - splits, joins and checks image references. The patterns
 * have ASCII characters only, and match without backtracking.
 */
#include "mutators/gatekeeper/image.h"

/* Returns the offset of the first of the two characters, or the text's length. */
static size_t find_either(struct fx_text text, char one, char other) {
    size_t at = 0;
    while (at < text.len && text.data[at] != one && text.data[at] != other) {
        at++;
    }
    return at;
}

static struct fx_text first(struct fx_text text, size_t len) {
    return (struct fx_text){text.data, len};
}

static struct fx_text after(struct fx_text text, size_t len) {
    return (struct fx_text){len == 0 ? text.data : text.data + len, text.len - len};
}

/* True if the text before the first `/` is a domain. */
static bool is_domain(struct fx_text text) {
    return find_either(text, '.', ':') < text.len || fx_text_is(text, "localhost");
}

struct image fx_image_split(struct fx_text reference) {
    struct image image = {FX_TEXT(""), reference, FX_TEXT("")};
    const size_t slash = find_either(reference, '/', '/');
    if (slash < reference.len && is_domain(first(reference, slash))) {
        image.domain = first(reference, slash);
        image.path = after(reference, slash + 1);
    }
    const size_t tag = find_either(image.path, ':', '@');
    image.tag = after(image.path, tag);
    image.path = first(image.path, tag);
    return image;
}

static struct fx_text either(struct fx_text preferred, struct fx_text other) {
    return preferred.len > 0 ? preferred : other;
}

struct image fx_image_replace(struct image image, const struct image *parts) {
    return (struct image){
        .domain = either(parts->domain, image.domain),
        .path = either(parts->path, image.path),
        .tag = either(parts->tag, image.tag),
    };
}

bool fx_image_equal(const struct image *a, const struct image *b) {
    return fx_text_equal(a->domain, b->domain) && fx_text_equal(a->path, b->path) &&
           fx_text_equal(a->tag, b->tag);
}

void fx_image_print(struct fx_buf *buf, const struct image *image) {
    if (image->domain.len > 0) {
        fx_buf_text(buf, image->domain);
        fx_buf_char(buf, '/');
    }
    fx_buf_text(buf, image->path);
    fx_buf_text(buf, image->tag);
}

/* ---- the patterns ----------------------------------------------------------------- */

#define TAG_MAX    128u /* the most characters after the colon */
#define DIGEST_MIN 32u  /* the least number of hexadecimal digits */

static bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

static bool is_hex(char c) {
    return fx_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_letter_or_digit(char c) {
    return fx_is_letter(c) || fx_is_digit(c);
}

/* Matches [a-z0-9]. */
static bool is_in_path(char c) {
    return is_lower(c) || fx_is_digit(c);
}

static bool is_hyphen(char c) {
    return c == '-';
}

/* Matches \w. */
static bool is_word(char c) {
    return is_letter_or_digit(c) || c == '_';
}

/* Matches [\w.-]. */
static bool is_in_name(char c) {
    return is_word(c) || c == '.' || c == '-';
}

/* Returns the character at `off`. After the end it returns NUL, which no pattern has. */
static char char_at(struct fx_text text, size_t off) {
    return (char)(off < text.len ? text.data[off] : '\0');
}

/* Returns the length of the run of characters from `off` on that are of the class. */
static size_t count_run(struct fx_text text, size_t off, bool (*is)(char c)) {
    size_t end = off;
    while (end < text.len && is(text.data[end])) {
        end++;
    }
    return end - off;
}

/* Matches \w[\w\-_]*\.[\w\-_\.]*[\w]: only such characters, with a \w at both ends, and a
 * dot. */
static bool is_host(struct fx_text text) {
    if (text.len == 0 || !is_word(text.data[0]) || !is_word(text.data[text.len - 1])) {
        return false;
    }
    return count_run(text, 0, is_in_name) == text.len &&
           fx_text_contains(text, FX_TEXT("."));
}

/* Matches (^\w[\w\-_]*\.[\w\-_\.]*[\w](:\d+)?$)|(^localhost(:\d+)?$). */
bool fx_image_is_domain(struct fx_text text) {
    const struct fx_text host = {text.data, count_run(text, 0, is_in_name)};
    if (!is_host(host) && !fx_text_is(host, "localhost")) {
        return false;
    }
    if (host.len == text.len) {
        return true;
    }
    const size_t port = count_run(text, host.len + 1, fx_is_digit);
    return char_at(text, host.len) == ':' && port > 0 && host.len + 1 + port == text.len;
}

/* Matches [._/]|__|[-]*, and returns the length of this separator between two
 * segments. */
static size_t separator(struct fx_text text, size_t off) {
    switch (char_at(text, off)) {
    case '_': return char_at(text, off + 1) == '_' ? 2 : 1;
    case '.':
    case '/': return 1;
    default: return count_run(text, off, is_hyphen);
    }
}

/* True if ^[a-z0-9]+(?:(?:(?:[._/]|__|[-]*)[a-z0-9]+)+)? matches the whole text. */
bool fx_image_is_path(struct fx_text text) {
    size_t off = 0;
    for (;;) {
        const size_t segment = count_run(text, off, is_in_path);
        if (segment == 0) {
            return false;
        }
        off += segment;
        if (off == text.len) {
            return true;
        }
        off += separator(text, off);
    }
}

/* Matches ^:[\w][\w.-]{0,127}$. */
static bool is_tag(struct fx_text text) {
    return char_at(text, 0) == ':' && is_word(char_at(text, 1)) &&
           text.len <= TAG_MAX + 1 && count_run(text, 1, is_in_name) == text.len - 1;
}

static bool joins_components(char c) {
    return c == '-' || c == '_' || c == '+' || c == '.';
}

/* Matches ^@[A-Za-z][A-Za-z0-9]*([-_+.][A-Za-z][A-Za-z0-9]*)*[:][0-9A-Fa-f]{32,}$. */
static bool is_digest(struct fx_text text) {
    if (char_at(text, 0) != '@') {
        return false;
    }
    size_t off = 0;
    do {
        off++;
        if (!fx_is_letter(char_at(text, off))) {
            return false;
        }
        off += count_run(text, off, is_letter_or_digit);
    } while (joins_components(char_at(text, off)));
    if (char_at(text, off) != ':') {
        return false;
    }
    const size_t digits = count_run(text, off + 1, is_hex);
    return digits >= DIGEST_MIN && off + 1 + digits == text.len;
}

bool fx_image_is_tag(struct fx_text text) {
    return is_tag(text) || is_digest(text);
}
