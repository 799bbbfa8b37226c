/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/strings_case.c - upper, lower, title, untitle, swapcase,
 * initials. Each goes through the text rune by rune; what is no UTF-8 becomes U+FFFD
 * where Go's does.
 */
#include "location/go/runes.h"
#include "location/gotemplate/format.h"
#include "location/sprig/strings.h"

/* Gives the rune to be written; `before` is the one before it, 0 at the start. */
typedef uint32_t map_rune(uint32_t rune, uint32_t before);

static bool return_mapped(struct call *call, map_rune *map) {
    const struct fx_text text = argument_text(call, 0);
    struct fx_buf *buf = run_scratch(call->run);
    uint32_t before = 0;
    for (size_t at = 0; at < text.len;) {
        uint32_t rune = 0;
        at += fx_text_rune(text_between(text, at, text.len), &rune);
        format_rune(buf, map(rune, before));
        before = rune;
    }
    return run_take_scratch(call->run, call->ret);
}

static uint32_t map_upper(uint32_t rune, uint32_t before) {
    (void)before;
    return fx_rune_to_upper(rune);
}

static uint32_t map_lower(uint32_t rune, uint32_t before) {
    (void)before;
    return fx_rune_to_lower(rune);
}

/* Go's strings.Title: of ASCII all but letters, digits and `_` part words; beyond it
 * white space alone. */
static bool parts_words(uint32_t rune) {
    if (rune == '_' || fx_rune_is_letter(rune) || fx_rune_is_digit(rune)) {
        return false;
    }
    return rune < 0x80 || fx_rune_is_space(rune);
}

static uint32_t map_title(uint32_t rune, uint32_t before) {
    return parts_words(before) ? fx_rune_to_title(rune) : rune;
}

static bool is_gap(uint32_t rune) {
    return rune == 0 || fx_rune_is_space(rune);
}

static uint32_t map_untitle(uint32_t rune, uint32_t before) {
    return is_gap(before) ? fx_rune_to_lower(rune) : rune;
}

static uint32_t map_swapped(uint32_t rune, uint32_t before) {
    if (fx_rune_is_upper(rune) || fx_rune_is_title(rune)) {
        return fx_rune_to_lower(rune);
    }
    if (fx_rune_is_lower(rune)) {
        return is_gap(before) ? fx_rune_to_title(rune) : fx_rune_to_upper(rune);
    }
    return rune;
}

bool call_upper(struct call *call) {
    return return_mapped(call, map_upper);
}

bool call_lower(struct call *call) {
    return return_mapped(call, map_lower);
}

bool call_title(struct call *call) {
    return return_mapped(call, map_title);
}

bool call_untitle(struct call *call) {
    return return_mapped(call, map_untitle);
}

bool call_swapcase(struct call *call) {
    return return_mapped(call, map_swapped);
}

/* The first byte of each word, for the library behind Sprig takes bytes for runes here:
 * `é` gives `Ã`, as it does there. */
bool call_initials(struct call *call) {
    const struct fx_text text = argument_text(call, 0);
    struct fx_buf *buf = run_scratch(call->run);
    bool is_behind_gap = true;
    for (size_t i = 0; i < text.len; i++) {
        const uint32_t rune = (unsigned char)text.data[i];
        const bool is_space = fx_rune_is_space(rune);
        if (is_behind_gap && !is_space) {
            format_rune(buf, rune);
        }
        is_behind_gap = is_space;
    }
    return run_take_scratch(call->run, call->ret);
}
