/* SPDX-License-Identifier: Apache-2.0
 *
 * variable.c - finds `{{ … }}`.
 */
#include "variable.h"

#include <string.h>

#include "base/budget.h"

#define OPEN    "{{"
#define ESCAPED "\\{{"

static bool is_at(struct fx_text text, size_t at, const char *part) {
    const size_t len = strlen(part);
    return at + len <= text.len && memcmp(text.data + at, part, len) == 0;
}

/* The end of a brace without braces in it, `{a: b}`, that begins at `at`; 0: it is
 * none. */
static size_t skip_braces(struct fx_text text, size_t at) {
    for (size_t i = at + 1; i < text.len && text.data[i] != '{'; i++) {
        if (text.data[i] == '}') {
            return i + 1;
        }
    }
    return 0;
}

/* The end of the variable that begins at `at`; 0: there is none. */
static size_t skip_variable(struct fx_text text, size_t at) {
    if (!is_at(text, at, OPEN)) {
        return 0;
    }
    size_t i = at + 2;
    while (i < text.len && text.data[i] != '}') {
        const size_t next = text.data[i] == '{' ? skip_braces(text, i) : i + 1;
        if (next == 0 || (next % FX_BUDGET_BYTES == 0 && !fx_spend(1))) {
            return 0;
        }
        i = next;
    }
    return is_at(text, i, "}}") ? i + 2 : 0;
}

static struct kyverno_variable read_variable(struct fx_text text, size_t start,
                                             size_t end) {
    struct fx_text inner = {text.data + start + 2, end - start - 4};
    const bool is_shallow = fx_text_first(inner) == '-';
    if (is_shallow) {
        inner = fx_text_rest(inner, 1);
    }
    return (struct kyverno_variable){start, end, fx_text_trim_space(inner), is_shallow};
}

bool fx_kyverno_find_variable(struct fx_text text, size_t from,
                              struct kyverno_variable *ret_variable) {
    /* Before a variable there is the start of the text, or a character that is no
     * backslash and no part of the variable before. */
    for (size_t at = from == 0 ? 0 : from + 1; at + 4 <= text.len; at++) {
        const char *found = memchr(text.data + at, '{', text.len - at);
        if (found == NULL) {
            return false;
        }
        at = (size_t)(found - text.data);
        const size_t end =
            at > 0 && text.data[at - 1] == '\\' ? 0 : skip_variable(text, at);
        if (!fx_spend(1)) {
            return false;
        }
        if (end > 0) {
            *ret_variable = read_variable(text, at, end);
            return true;
        }
    }
    return false;
}

void fx_kyverno_unescape(struct fx_buf *buf, struct fx_text text) {
    size_t start = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (is_at(text, i, ESCAPED)) {
            fx_buf_add(buf, text.data + start, i - start);
            start = i + 1;
        }
    }
    fx_buf_add(buf, text.data + start, text.len - start);
}
