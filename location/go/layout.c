/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/layout.c - splits a layout into elements, and quotes texts for messages.
 */
#include "location/go/layout.h"

#include <string.h>

#include "base/macros.h"

const char *const month_names[12] = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December",
};

const char *const weekday_names[7] = {
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
};

static const struct fx_text element_texts[] = {[LAYOUT_END] = {NULL, 0},
#define X(name, text) [LAYOUT_##name] = {text, sizeof(text) - 1},
                                               LAYOUT_ELEMENTS(X)
#undef X
};

/* The first bytes of elements. */
static const char first_bytes[] = "JM012345_PpZ-";

/* Returns the longest element at the start of the text, or LAYOUT_END. */
static enum layout_element longest_at(struct fx_text text) {
    enum layout_element longest = LAYOUT_END;
    if (memchr(first_bytes, text.data[0], sizeof first_bytes - 1) == NULL) {
        return LAYOUT_END;
    }
    for (enum layout_element i = LAYOUT_END + 1; i < FX_COUNT(element_texts); i++) {
        if (element_texts[i].data[0] == text.data[0] &&
            element_texts[i].len > element_texts[longest].len &&
            fx_text_starts(text, element_texts[i])) {
            longest = i;
        }
    }
    return longest;
}

/* Returns the length of a fraction such as `.000` or `,999` that no digit follows, or
 * 0. */
static size_t fraction_length(struct fx_text text) {
    if (text.len < 2 || (text.data[0] != '.' && text.data[0] != ',')) {
        return 0;
    }
    const char digit = text.data[1];
    if (digit != '0' && digit != '9') {
        return 0;
    }
    size_t n = 1;
    while (n < text.len && text.data[n] == digit) {
        n++;
    }
    const bool ends = n == text.len || !fx_is_digit(text.data[n]);
    return ends ? n : 0;
}

/* Returns the element at the start of the text, and its length. A short name before a
 * lower case letter is another word: `Janet`, `Month`; `_2006` is `_` and a year. */
static enum layout_element element_at(struct fx_text text, size_t *ret_len) {
    *ret_len = fraction_length(text);
    if (*ret_len > 0) {
        return text.data[1] == '0' ? LAYOUT_FRACTION : LAYOUT_SHORT_FRACTION;
    }
    const enum layout_element element = longest_at(text);
    *ret_len = element_texts[element].len;
    if (element == LAYOUT_MONTH || element == LAYOUT_WEEKDAY) {
        const char next = fx_text_first(fx_text_rest(text, SHORT_NAME));
        return next >= 'a' && next <= 'z' ? LAYOUT_END : element;
    }
    if (element == LAYOUT_SPACE_DAY && fx_text_starts(text, FX_TEXT("_2006"))) {
        return LAYOUT_END;
    }
    return element;
}

void layout_next(struct fx_text *layout, struct layout_chunk *ret_chunk) {
    for (size_t i = 0; i < layout->len; i++) {
        size_t len = 0;
        const struct fx_text rest = fx_text_rest(*layout, i);
        const enum layout_element element = element_at(rest, &len);
        if (element != LAYOUT_END) {
            *ret_chunk =
                (struct layout_chunk){{layout->data, i}, element, {rest.data, len}};
            *layout = fx_text_rest(rest, len);
            return;
        }
    }
    *ret_chunk = (struct layout_chunk){.prefix = *layout, .element = LAYOUT_END};
    *layout = fx_text_rest(*layout, layout->len);
}

static const struct layout_zone zones[] = {
    [LAYOUT_ISO_ZONE] = {.iso = true, .minutes = true},
    [LAYOUT_ISO_SECONDS_ZONE] = {.iso = true, .minutes = true, .seconds = true},
    [LAYOUT_ISO_HOURS_ZONE] = {.iso = true},
    [LAYOUT_ISO_COLON_ZONE] = {.iso = true, .colons = true, .minutes = true},
    [LAYOUT_ISO_COLON_SECONDS_ZONE] = {true, true, true, true},
    [LAYOUT_ZONE] = {.minutes = true},
    [LAYOUT_SECONDS_ZONE] = {.minutes = true, .seconds = true},
    [LAYOUT_HOURS_ZONE] = {.minutes = false},
    [LAYOUT_COLON_ZONE] = {.colons = true, .minutes = true},
    [LAYOUT_COLON_SECONDS_ZONE] = {.colons = true, .minutes = true, .seconds = true},
};

bool layout_zone_of(enum layout_element element, struct layout_zone *ret_zone) {
    if (element < LAYOUT_ISO_ZONE || element > LAYOUT_COLON_SECONDS_ZONE) {
        return false;
    }
    *ret_zone = zones[element];
    return true;
}

#define LONGEST_PIECE sizeof "\\xff"

static void write_escape(unsigned char c, char *out) {
    static const char digits[] = "0123456789abcdef";
    out[0] = '\\';
    out[1] = 'x';
    out[2] = digits[c >> 4];
    out[3] = digits[c & 15];
}

const char *time_quote(struct fx_text text, char out[TIME_QUOTED]) {
    size_t at = 0;
    out[at++] = '"';
    for (size_t i = 0; i < text.len && at + LONGEST_PIECE < TIME_QUOTED - 1; i++) {
        const unsigned char c = (unsigned char)text.data[i];
        if (c < ' ' || c >= 0x80) {
            write_escape(c, out + at);
            at += LONGEST_PIECE - 1;
            continue;
        }
        if (c == '"' || c == '\\') {
            out[at++] = '\\';
        }
        out[at++] = (char)c;
    }
    out[at++] = '"';
    out[at] = '\0';
    return out;
}
