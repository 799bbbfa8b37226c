/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/strings_case.c - the case of strings: upper, title, snakecase, … Each
 * function goes through the text rune by rune. Malformed UTF-8 becomes U+FFFD if Go's
 * function does that.
 */
#include "location/sprig/functions.h"

#include "base/runes.h"
#include "location/gotemplate/format.h"

enum mapping { UPPER_CASE, LOWER_CASE, TITLE, UNTITLE, SWAPCASE };

/* True for a rune that separates words, as in Go's strings.Title: in ASCII all but
 * letters, digits and `_`, otherwise white space. */
static bool parts_words(uint32_t rune) {
    if (rune == '_' || fx_rune_is_letter(rune) || fx_rune_is_digit(rune)) {
        return false;
    }
    return rune < 0x80 || fx_rune_is_space(rune);
}

static bool is_gap(uint32_t rune) {
    return rune == 0 || fx_rune_is_space(rune);
}

static uint32_t swap_case(uint32_t rune, uint32_t before) {
    if (fx_rune_is_upper(rune) || fx_rune_is_title(rune)) {
        return fx_rune_to_lower(rune);
    }
    if (fx_rune_is_lower(rune)) {
        return is_gap(before) ? fx_rune_to_title(rune) : fx_rune_to_upper(rune);
    }
    return rune;
}

/* Returns the rune to write; `before` is the previous one, 0 at the start. */
static uint32_t map_rune(enum mapping mapping, uint32_t rune, uint32_t before) {
    switch (mapping) {
    case UPPER_CASE: return fx_rune_to_upper(rune);
    case LOWER_CASE: return fx_rune_to_lower(rune);
    case TITLE: return parts_words(before) ? fx_rune_to_title(rune) : rune;
    case UNTITLE: return is_gap(before) ? fx_rune_to_lower(rune) : rune;
    case SWAPCASE: return swap_case(rune, before);
    }
    return rune;
}

static bool call_mapping(struct template_call *call) {
    const enum mapping mapping = (enum mapping)call->function->variant;
    struct fx_text text = argument_text(call, 0);
    struct fx_buf *buf = run_scratch(call->run);
    uint32_t before = 0;
    while (text.len > 0) {
        uint32_t rune = 0;
        text = fx_text_rest(text, fx_text_rune(text, &rune));
        format_rune(buf, map_rune(mapping, rune, before));
        before = rune;
    }
    return run_take_scratch(call->run, call->ret);
}

/* Returns the first byte of each word. Like the library behind Sprig it treats bytes as
 * runes, so `é` gives `Ã`. */
static bool call_initials(struct template_call *call) {
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

/* ---- words ------------------------------------------------------------------------- */

/* snakecase, kebabcase and camelcase go by the rules of the library behind Sprig
 * (xstrings):
 *
 *     words     := ( word | mark )*            mark: a connector or punctuation
 *     word      := upper number                HTTP, where no small letter follows
 *                | [ upper ] small+ number     Server
 *                | number [ ( small | digit )+ ]     20x, and 20 before a capital
 *                | other+ number               ideographs, symbols
 *     number    := digit*                      none where a small letter follows: Bld|4th
 */

enum word_class { CLASS_END, CONNECTOR, PUNCTUATION, NUMBER, UPPER, SMALL, OTHER };

static bool is_connector(uint32_t rune) {
    return rune == '_' || rune == '-' || fx_rune_is_space(rune);
}

static bool is_ideograph(uint32_t rune) {
    return (rune >= 0x3400 && rune <= 0x4DBF) || (rune >= 0x4E00 && rune <= 0x9FFF) ||
           (rune >= 0x20000 && rune <= 0x2B81D);
}

static enum word_class class_of(uint32_t rune) {
    if (is_connector(rune)) {
        return CONNECTOR;
    }
    if (fx_rune_is_number(rune)) {
        return NUMBER;
    }
    if (fx_rune_is_upper(rune)) {
        return UPPER;
    }
    if (fx_rune_is_letter(rune) && !is_ideograph(rune)) {
        return SMALL; /* also for letters without case */
    }
    return fx_rune_is_punct(rune) ? PUNCTUATION : OTHER;
}

/* Reads a text rune by rune. */
struct word_reader {
    struct fx_text text;
    size_t at;
    struct fx_buf *out;
};

/* Gets the rune at `at` and returns its class, or CLASS_END. */
static enum word_class class_at(const struct word_reader *r, size_t at,
                                uint32_t *ret_rune, size_t *ret_len) {
    if (at >= r->text.len) {
        *ret_len = 0;
        return CLASS_END;
    }
    *ret_len = fx_text_rune(text_between(r->text, at, r->text.len), ret_rune);
    return class_of(*ret_rune);
}

static enum word_class peek(const struct word_reader *r) {
    uint32_t rune = 0;
    size_t len = 0;
    return class_at(r, r->at, &rune, &len);
}

/* Writes the current rune in lower case. */
static void take_lower(struct word_reader *r) {
    uint32_t rune = 0;
    size_t len = 0;
    if (class_at(r, r->at, &rune, &len) == UPPER) {
        rune = fx_rune_to_lower(rune);
    }
    format_rune(r->out, rune);
    r->at += len;
}

static void take_run(struct word_reader *r, enum word_class class) {
    while (peek(r) == class) {
        take_lower(r);
    }
}

/* Counts the runes of the class from `at` on, and returns the class that follows. */
static enum word_class find_end(const struct word_reader *r, size_t at,
                                enum word_class class, size_t *ret_n) {
    uint32_t rune = 0;
    size_t len = 0;
    enum word_class found = class_at(r, at, &rune, &len);
    *ret_n = 0;
    while (found == class) {
        at += len;
        ++*ret_n;
        found = class_at(r, at, &rune, &len);
    }
    return found;
}

/* Takes the number that belongs to the previous word. */
static void take_number(struct word_reader *r) {
    size_t n = 0;
    if (find_end(r, r->at, NUMBER, &n) != SMALL) {
        take_run(r, NUMBER);
    }
}

static void take_capitals(struct word_reader *r) {
    size_t n = 0;
    const enum word_class next = find_end(r, r->at, UPPER, &n);
    if (next != SMALL) {
        take_run(r, UPPER);
        take_number(r);
    } else if (n > 1) {
        while (n-- > 1) { /* the last capital starts a word */
            take_lower(r);
        }
    } else {
        take_lower(r);
        take_run(r, SMALL);
        take_number(r);
    }
}

static void take_word(struct word_reader *r) {
    const enum word_class class = peek(r);
    if (class == UPPER) {
        take_capitals(r);
        return;
    }
    take_run(r, class);
    if (class != NUMBER) {
        take_number(r);
        return;
    }
    while (peek(r) == SMALL || (peek(r) == NUMBER && class == NUMBER)) {
        take_lower(r);
    }
}

/* Takes punctuation, which is kept, and the connectors after it that are not white
 * space. */
static void take_punctuation(struct word_reader *r) {
    uint32_t rune = 0;
    size_t len = 0;
    while (class_at(r, r->at, &rune, &len) != CLASS_END && fx_rune_is_punct(rune)) {
        take_lower(r);
    }
}

/* Replaces connectors by `connector`, and inserts it between adjacent words. */
static bool call_join_words(struct template_call *call) {
    const char connector = (char)call->function->variant;
    struct word_reader r = {argument_text(call, 0), 0, run_scratch(call->run)};
    bool is_behind_word = false;
    for (enum word_class class = peek(&r); class != CLASS_END; class = peek(&r)) {
        if (class == CONNECTOR) {
            uint32_t rune = 0;
            size_t len = 0;
            (void)class_at(&r, r.at, &rune, &len);
            fx_buf_char(r.out, connector);
            r.at += len;
            is_behind_word = false;
        } else if (class == PUNCTUATION) {
            take_punctuation(&r);
            is_behind_word = false;
        } else {
            if (is_behind_word) {
                fx_buf_char(r.out, connector);
            }
            take_word(&r);
            is_behind_word = true;
        }
    }
    return run_take_scratch(call->run, call->ret);
}

/* Writes the connectors at the current position, without the last `n_dropped`. Returns
 * the last one, or 0. */
static uint32_t copy_connectors(struct word_reader *r, size_t n_dropped) {
    size_t n = 0;
    uint32_t rune = 0;
    (void)find_end(r, r->at, CONNECTOR, &n);
    for (; n > 0; n--) {
        size_t len = 0;
        (void)class_at(r, r->at, &rune, &len);
        if (n > n_dropped) {
            format_rune(r->out, rune);
        }
        r->at += len;
    }
    return rune;
}

/* Joins words. Each word starts with a capital letter and continues in lower case; one
 * connector before it is dropped. Connectors at both ends are kept. If the text has only
 * connectors, the last one is doubled, as in the library. */
static bool call_camelcase(struct template_call *call) {
    struct word_reader r = {argument_text(call, 0), 0, run_scratch(call->run)};
    const uint32_t last = copy_connectors(&r, 0);
    if (peek(&r) == CLASS_END && last != 0) {
        format_rune(r.out, last);
    }
    bool begins = true;
    for (enum word_class class = peek(&r); class != CLASS_END; class = peek(&r)) {
        if (class == CONNECTOR) {
            size_t n = 0;
            const bool is_end = find_end(&r, r.at, CONNECTOR, &n) == CLASS_END;
            (void)copy_connectors(&r, is_end ? 0 : 1);
            begins = true;
            continue;
        }
        uint32_t rune = 0;
        size_t len = 0;
        (void)class_at(&r, r.at, &rune, &len);
        format_rune(r.out, begins ? fx_rune_to_upper(rune) : fx_rune_to_lower(rune));
        r.at += len;
        begins = false;
    }
    return run_take_scratch(call->run, call->ret);
}

const struct function functions_case[] = {
    VARIANT("upper", call_mapping, UPPER_CASE, 8, STRING),
    VARIANT("lower", call_mapping, LOWER_CASE, 8, STRING),
    VARIANT("title", call_mapping, TITLE, 8, STRING),
    VARIANT("untitle", call_mapping, UNTITLE, 8, STRING),
    FUNCTION("initials", call_initials, 2, STRING),
    VARIANT("swapcase", call_mapping, SWAPCASE, 8, STRING),
    VARIANT("snakecase", call_join_words, '_', 32, STRING),
    FUNCTION("camelcase", call_camelcase, 32, STRING),
    VARIANT("kebabcase", call_join_words, '-', 32, STRING),
    {.name = NULL},
};
