/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/regex.c - Sprig's regular expressions. Each has a twin
 * that begins with `must`: it says of a bad pattern what is wrong with it, where the
 * plain one panics (regexMatch: says false).
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/regex.h"
#include "location/sprig/functions.h"
#include "location/sprig/regex_cache.h"
#include "location/sprig/regex_replace.h"
#include "location/sprig/regex_walk.h"

static struct fx_text argument_text(const struct call *call, size_t i) {
    return call->arguments[i].string;
}

/* Go's name for what RE2 complains of. */
static const struct {
    const char *re2, *go;
} complaints[] = {
    {"missing ]", "missing closing ]"},
    {"missing )", "missing closing )"},
    {"trailing \\", "trailing backslash at end of expression"},
    {"no argument for repetition operator", "missing argument to repetition operator"},
    {"invalid repetition size", "invalid repeat count"},
    {"bad repetition operator", "invalid nested repetition operator"},
    {"invalid perl operator", "invalid or unsupported Perl syntax"},
    {"invalid named capture group", "invalid named capture"},
};

/* Go: `code: `part``; RE2: `code: part`, or `code` alone where the part is empty. */
static void add_complaint(struct fx_buf *words, const char *re2) {
    const char *colon = strstr(re2, ": ");
    const size_t len = colon == NULL ? strlen(re2) : (size_t)(colon - re2);
    const struct fx_text code = {re2, len};
    const char *go = NULL;
    for (size_t i = 0; i < FX_COUNT(complaints); i++) {
        if (fx_text_is(code, complaints[i].re2)) {
            go = complaints[i].go;
        }
    }
    fx_buf_text(words, go == NULL ? code : fx_text_of(go));
    fx_buf_printf(words, ": `%s`", colon == NULL ? "" : colon + 2);
}

static bool is_must(const struct call *call) {
    return strncmp(call->function->name, "must", 4) == 0;
}

/* Rewrites what RE2 said of the pattern. Always false. */
static bool fail_pattern(struct call *call, struct fx_text pattern) {
    struct fx_buf words;
    fx_buf_init(&words, 0);
    if (!is_must(call)) {
        fx_buf_str(&words, "regexp: Compile(");
        if (memchr(pattern.data, '`', pattern.len) == NULL) {
            fx_buf_printf(&words, "`%.*s`", FX_TEXT_ARG(pattern));
        } else {
            fx_text_quote_go(&words, pattern);
        }
        fx_buf_str(&words, "): ");
    }
    fx_buf_str(&words, "error parsing regexp: ");
    add_complaint(&words, call->err->msg);
    if (words.failed) {
        (void)fx_fail_nomem(call->err);
    } else {
        (void)fx_fail(call->err, FX_EMUTATE, "%s", words.data);
    }
    fx_buf_finish(&words);
    return false;
}

/* The first argument's; NULL with an error. */
static const struct fx_regex *take_pattern(struct call *call) {
    const struct fx_text pattern = argument_text(call, 0);
    const struct fx_regex *regex = NULL;
    if (!run_regex(call->run, pattern, &regex, call->err)) {
        if (call->err->code == FX_ESYNTAX) {
            (void)fail_pattern(call, pattern);
        }
        return NULL;
    }
    return regex;
}

static bool call_regex_match(struct call *call) {
    const struct fx_regex *regex = NULL;
    bool matches = false;
    if (run_regex(call->run, argument_text(call, 0), &regex, call->err)) {
        if (!fx_regex_match(regex, argument_text(call, 1), &matches, call->err)) {
            return false;
        }
    } else if (call->err->code != FX_ESYNTAX) {
        return false;
    } else if (is_must(call)) {
        return fail_pattern(call, argument_text(call, 0));
    }
    fx_err_reset(call->err);
    *call->ret = value_bool(matches);
    return true;
}

static struct fx_text matched(struct fx_text text, struct fx_regex_span span) {
    return span.to == span.from
               ? FX_TEXT("")
               : (struct fx_text){text.data + span.from, span.to - span.from};
}

static bool call_regex_find(struct call *call) {
    const struct fx_regex *regex = take_pattern(call);
    const struct fx_text text = argument_text(call, 1);
    struct fx_regex_span span = {0, 0};
    if (regex == NULL || !fx_regex_find(regex, text, 0, &span, 1, call->err)) {
        return false;
    }
    if (span.from == FX_REGEX_NO_SPAN) {
        span = (struct fx_regex_span){0, 0};
    }
    *call->ret = value_string(matched(text, span));
    return true;
}

/* All matches, `most` at most, as spans; all of them where it is below 0. */
static bool find_all(struct call *call, const struct fx_regex *regex, int64_t most,
                     struct regex_matches *ret_matches) {
    *ret_matches = (struct regex_matches){0};
    struct regex_walk walk = {.regex = regex, .text = argument_text(call, 1)};
    struct fx_regex_span span;
    bool found = true;
    while (most < 0 || ret_matches->n < (size_t)most) {
        if (!regex_walk_next(&walk, call->run, &span, 1, &found)) {
            return false;
        }
        if (!found) {
            break;
        }
        if (!regex_matches_add(call->run, ret_matches, span)) {
            return false;
        }
    }
    return true;
}

static struct list *new_strings(struct call *call, size_t n) {
    struct list *list = value_list_new(call->run, n);
    if (list != NULL) {
        list->type = TYPE_STRINGS;
    }
    return list;
}

static bool call_regex_find_all(struct call *call) {
    const struct fx_regex *regex = take_pattern(call);
    struct regex_matches matches = {0};
    if (regex == NULL || !find_all(call, regex, call->arguments[2].integer, &matches)) {
        return false;
    }
    struct list *list = new_strings(call, matches.n);
    if (list == NULL) {
        return false;
    }
    for (size_t i = 0; i < matches.n; i++) {
        list->values[i] = value_string(matched(argument_text(call, 1), matches.spans[i]));
    }
    *call->ret = value_list(list);
    return true;
}

/* The pieces between the matches, `most` at most. An empty match at the start parts
 * nothing; what is left behind the last one is a piece. */
static void fill_pieces(struct list *list, struct fx_text text,
                        const struct regex_matches *matches, int64_t most) {
    struct fx_regex_span piece = {0, 0};
    size_t end = 0;
    list->n = 0;
    for (size_t i = 0; i < matches->n; i++) {
        if (most > 0 && list->n + 1 == (size_t)most) {
            break;
        }
        end = matches->spans[i].from;
        if (matches->spans[i].to != 0) {
            piece.to = end;
            list->values[list->n++] = value_string(matched(text, piece));
        }
        piece.from = matches->spans[i].to;
    }
    if (end != text.len) {
        piece.to = text.len;
        list->values[list->n++] = value_string(matched(text, piece));
    }
}

static bool call_regex_split(struct call *call) {
    const struct fx_regex *regex = take_pattern(call);
    const int64_t most = call->arguments[2].integer;
    const struct fx_text text = argument_text(call, 1);
    struct regex_matches matches = {0};
    if (regex == NULL || !find_all(call, regex, most, &matches)) {
        return false;
    }
    struct list *list = new_strings(call, matches.n + 1);
    if (list == NULL) {
        return false;
    }
    if (most == 0) {
        list->n = 0;
    } else if (text.len == 0 && argument_text(call, 0).len > 0) {
        list->values[0] = value_string(text);
        list->n = 1;
    } else {
        fill_pieces(list, text, &matches, most);
    }
    *call->ret = value_list(list);
    return true;
}

static bool return_replaced(struct call *call, bool expands) {
    const struct fx_regex *regex = take_pattern(call);
    const struct regex_replacement by = {argument_text(call, 2), expands};
    struct fx_buf *buf = run_scratch(call->run);
    return regex != NULL &&
           regex_replace(call->run, regex, argument_text(call, 1), &by, buf) &&
           run_take_scratch(call->run, call->ret);
}

static bool call_regex_replace_all(struct call *call) {
    return return_replaced(call, true);
}

static bool call_regex_replace_all_literal(struct call *call) {
    return return_replaced(call, false);
}

static bool call_regex_quote_meta(struct call *call) {
    const struct fx_text text = argument_text(call, 0);
    struct fx_buf *buf = run_scratch(call->run);
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != '\0' && strchr("\\.+*?()|[]{}^$", text.data[i]) != NULL) {
            fx_buf_char(buf, '\\');
        }
        fx_buf_char(buf, text.data[i]);
    }
    return run_take_scratch(call->run, call->ret);
}

#define STRING PARAMETER_STRING
#define INT    PARAMETER_INT
#define END    PARAMETER_NONE

const struct function functions_regex[] = {
    {"regexMatch", call_regex_match, {STRING, STRING, END}, false, 1, NULL},
    {"mustRegexMatch", call_regex_match, {STRING, STRING, END}, false, 1, NULL},
    {"regexFind", call_regex_find, {STRING, STRING, END}, false, 1, NULL},
    {"mustRegexFind", call_regex_find, {STRING, STRING, END}, false, 1, NULL},
    {"regexFindAll", call_regex_find_all, {STRING, STRING, INT, END}, false, 1, NULL},
    {"mustRegexFindAll", call_regex_find_all, {STRING, STRING, INT, END}, false, 1, NULL},
    {"regexSplit", call_regex_split, {STRING, STRING, INT, END}, false, 1, NULL},
    {"mustRegexSplit", call_regex_split, {STRING, STRING, INT, END}, false, 1, NULL},
    {"regexReplaceAll",
     call_regex_replace_all,
     {STRING, STRING, STRING, END},
     false,
     1,
     NULL},
    {"mustRegexReplaceAll",
     call_regex_replace_all,
     {STRING, STRING, STRING, END},
     false,
     1,
     NULL},
    {"regexReplaceAllLiteral",
     call_regex_replace_all_literal,
     {STRING, STRING, STRING, END},
     false,
     1,
     NULL},
    {"mustRegexReplaceAllLiteral",
     call_regex_replace_all_literal,
     {STRING, STRING, STRING, END},
     false,
     1,
     NULL},
    {"regexQuoteMeta", call_regex_quote_meta, {STRING, END}, false, 1, NULL},
    {NULL, NULL, {END}, false, 1, NULL},
};
