/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/regex_replace.c - from match to match, and another text for each match.
 */
#include <stdint.h>
#include <string.h>

#include "base/budget.h"
#include "base/runes.h"
#include "location/go/regex.h"

/* Returns the offset after the next rune. At the end of the text it returns an offset
 * after the end. */
static size_t behind_rune(struct fx_text text, size_t at) {
    uint32_t rune = 0;
    return at >= text.len ? at + 1 : at + fx_text_rune(fx_text_rest(text, at), &rune);
}

bool fx_go_regex_next(struct fx_go_regex_walk *walk, struct fx_regex_span *ret_spans,
                      size_t n_spans, bool *ret_found, struct fx_err *err) {
    *ret_found = false;
    while (!*ret_found && walk->at <= walk->text.len) {
        if (!fx_regex_find(walk->regex, walk->text, walk->at, ret_spans, n_spans, err)) {
            return false;
        }
        if (ret_spans[0].from == FX_REGEX_NO_SPAN) {
            break;
        }
        const struct fx_regex_span match = ret_spans[0];
        *ret_found =
            match.to > match.from || !walk->has_last || match.from != walk->last_end;
        walk->at = match.to > walk->at ? match.to : behind_rune(walk->text, walk->at);
        walk->last_end = match.to;
        walk->has_last = true;
    }
    return true;
}

/* ---- another text for each match --------------------------------------------------- */

#define MOST_GROUP 100000000u /* larger numbers are not the number of a group */

struct replacing {
    const struct fx_regex *regex;
    struct fx_text text;
    struct fx_regex_span *spans; /* the spans of the current match and its groups */
    size_t n_spans;
    struct fx_buf *out;
};

/* Returns the length of the name at the start of the text. */
static size_t name_length(struct fx_text text) {
    size_t at = 0;
    while (at < text.len) {
        uint32_t rune = 0;
        const size_t len = fx_text_rune(fx_text_rest(text, at), &rune);
        if (!fx_rune_is_letter(rune) && !fx_rune_is_digit(rune) && rune != '_') {
            break;
        }
        at += len;
    }
    return at;
}

/* Returns the index of the group, or the number of spans if there is no such group. */
static size_t group_of(const struct replacing *r, struct fx_text name) {
    size_t number = 0;
    for (size_t i = 0; i < name.len; i++) {
        if (name.data[i] < '0' || name.data[i] > '9') {
            const size_t group = fx_regex_find_group(r->regex, name);
            return group == 0 ? r->n_spans : group;
        }
        if (number < MOST_GROUP) {
            number = 10 * number + (size_t)(name.data[i] - '0');
        }
    }
    return name.data[0] == '0' && name.len > 1 ? r->n_spans : number;
}

static void add_group(const struct replacing *r, struct fx_text name) {
    const size_t group = group_of(r, name);
    if (group < r->n_spans && r->spans[group].from != FX_REGEX_NO_SPAN) {
        const struct fx_regex_span span = r->spans[group];
        fx_buf_add(r->out, r->text.data + span.from, span.to - span.from);
    }
}

/* Expands a `$name` or `${name}`; if there is none, copies the `$`. Returns the length of
 * the expanded part of the template. */
static size_t add_reference(const struct replacing *r, struct fx_text template) {
    if (template.len > 1 && template.data[1] == '$') {
        fx_buf_char(r->out, '$');
        return 2;
    }
    const bool is_braced = template.len > 1 && template.data[1] == '{';
    const size_t from = is_braced ? 2 : 1;
    const struct fx_text rest = fx_text_rest(template, from);
    const size_t len = name_length(rest);
    if (len == 0 || (is_braced && (len == rest.len || rest.data[len] != '}'))) {
        fx_buf_char(r->out, '$');
        return 1;
    }
    add_group(r, (struct fx_text){rest.data, len});
    return from + len + (is_braced ? 1 : 0);
}

static void expand_template(const struct replacing *r, struct fx_text template) {
    while (template.len > 0) {
        const char *mark = memchr(template.data, '$', template.len);
        const size_t len = mark == NULL ? template.len : (size_t)(mark - template.data);
        fx_buf_add(r->out, template.data, len);
        template = fx_text_rest(template, len);
        if (mark != NULL) {
            template = fx_text_rest(template, add_reference(r, template));
        }
    }
}

/* Appends the text from `from` to the match, and what replaces the match. The template is
 * read at a byte each, and spent for before that. */
static bool replace_match(const struct replacing *r, struct fx_go_replacement by,
                          size_t from, struct fx_err *err) {
    const size_t before = r->out->len;
    if (!fx_spend(1 + by.text.len / FX_BUDGET_BYTES)) {
        return fx_fail_exceeded(err);
    }
    fx_buf_add(r->out, r->text.data + from, r->spans[0].from - from);
    if (by.expands) {
        expand_template(r, by.text);
    } else {
        fx_buf_text(r->out, by.text);
    }
    return fx_spend_text(r->out->len - before) || fx_fail_exceeded(err);
}

size_t fx_go_regex_spans(const struct fx_regex *regex) {
    return fx_regex_count_groups(regex) + 1;
}

bool fx_go_regex_replace(const struct fx_regex *regex, struct fx_text text,
                         struct fx_go_replacement by, struct fx_regex_span *spans,
                         struct fx_buf *buf, struct fx_err *err) {
    const struct replacing r = {
        .regex = regex,
        .text = text.len == 0 ? FX_TEXT("") : text,
        .spans = spans,
        .n_spans = by.expands ? fx_go_regex_spans(regex) : 1,
        .out = buf,
    };
    struct fx_go_regex_walk walk = {.regex = regex, .text = r.text};
    size_t copied = 0;
    bool found = true;
    while (!buf->failed) {
        if (!fx_go_regex_next(&walk, spans, r.n_spans, &found, err)) {
            return false;
        }
        if (!found) {
            break;
        }
        if (!replace_match(&r, by, copied, err)) {
            return false;
        }
        copied = spans[0].to;
    }
    fx_buf_add(buf, r.text.data + copied, r.text.len - copied);
    return true;
}
