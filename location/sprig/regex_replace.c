/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/regex_replace.c - regexp.ReplaceAllString and its literal twin.
 */
#include "location/sprig/regex_replace.h"

#include <string.h>

#include "location/go/runes.h"
#include "location/sprig/regex_walk.h"

#define MOST_GROUP 100000000u /* larger numbers name nothing */

struct replacing {
    const struct fx_regex *regex;
    struct fx_text text;
    struct fx_regex_span *spans; /* of the match at hand and its groups */
    size_t n_spans;
    struct fx_buf *out;
};

static struct fx_text rest_of(struct fx_text text, size_t from) {
    return (struct fx_text){text.data + from, text.len - from};
}

/* How much of the text is a name. */
static size_t name_length(struct fx_text text) {
    size_t at = 0;
    while (at < text.len) {
        uint32_t rune = 0;
        const size_t len = fx_text_rune(rest_of(text, at), &rune);
        if (!fx_rune_is_letter(rune) && !fx_rune_is_digit(rune) && rune != '_') {
            break;
        }
        at += len;
    }
    return at;
}

/* The group that the name stands for; the number of spans where there is none. */
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

/* What begins with a `$`: `$name` or `${name}`, else the `$` itself. Returns how much of
 * the template that was. */
static size_t add_reference(const struct replacing *r, struct fx_text template) {
    if (template.len > 1 && template.data[1] == '$') {
        fx_buf_char(r->out, '$');
        return 2;
    }
    const bool is_braced = template.len > 1 && template.data[1] == '{';
    const size_t from = is_braced ? 2 : 1;
    const struct fx_text rest = rest_of(template, from);
    const size_t len = name_length(rest);
    if (len == 0 || (is_braced && (len == rest.len || rest.data[len] != '}'))) {
        fx_buf_char(r->out, '$');
        return 1;
    }
    add_group(r, (struct fx_text){rest.data, len});
    return from + len + (is_braced ? 1 : 0);
}

static void expand(const struct replacing *r, struct fx_text template) {
    while (template.len > 0) {
        const char *mark = memchr(template.data, '$', template.len);
        const size_t len = mark == NULL ? template.len : (size_t)(mark - template.data);
        fx_buf_add(r->out, template.data, len);
        template = rest_of(template, len);
        if (mark != NULL) {
            template = rest_of(template, add_reference(r, template));
        }
    }
}

static bool replace_all(struct run *run, struct replacing *r,
                        const struct regex_replacement *by) {
    struct regex_walk walk = {.regex = r->regex, .text = r->text};
    size_t copied = 0;
    bool found = true;
    while (!r->out->failed) {
        if (!regex_walk_next(&walk, run, r->spans, r->n_spans, &found)) {
            return false;
        }
        if (!found) {
            break;
        }
        fx_buf_add(r->out, r->text.data + copied, r->spans[0].from - copied);
        copied = r->spans[0].to;
        if (by->expands) {
            expand(r, by->text);
        } else {
            fx_buf_text(r->out, by->text);
        }
    }
    fx_buf_add(r->out, r->text.data + copied, r->text.len - copied);
    return true;
}

bool regex_replace(struct run *run, const struct fx_regex *regex, struct fx_text text,
                   const struct regex_replacement *by, struct fx_buf *ret) {
    struct replacing r = {
        .regex = regex,
        .text = text.len == 0 ? FX_TEXT("") : text,
        .n_spans = by->expands ? fx_regex_count_groups(regex) + 1 : 1,
        .out = ret,
    };
    r.spans = run_alloc(run, r.n_spans * sizeof *r.spans);
    return r.spans != NULL && replace_all(run, &r, by);
}
