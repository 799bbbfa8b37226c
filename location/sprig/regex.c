/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/regex.c - Sprig's regular expressions. Each function has a twin that
 * begins with `must`. For a bad pattern the twin reports the error; the plain function
 * panics, and regexMatch returns false.
 */
#include "location/sprig/functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/regex.h"
#include "location/go/regex.h"

/* ---- the patterns of one execution ------------------------------------------------- */

#define ENTRIES 16

struct regex_cache {
    struct cached {
        struct fx_text pattern;
        struct fx_regex *regex; /* NULL if the entry is free */
    } entries[ENTRIES];
    size_t next; /* the entry to fill next */
};

static const struct fx_regex *find_cached(const struct regex_cache *cache,
                                          struct fx_text pattern) {
    for (size_t i = 0; i < ENTRIES; i++) {
        if (cache->entries[i].regex != NULL &&
            fx_text_equal(cache->entries[i].pattern, pattern)) {
            return cache->entries[i].regex;
        }
    }
    return NULL;
}

/* Takes ownership of `regex`. */
static bool add_cached(struct template_run *run, struct fx_text pattern,
                       struct fx_regex *regex) {
    struct regex_cache *cache = run->kept;
    struct cached entry = {.regex = regex};
    if (!run_copy(run, pattern, &entry.pattern)) {
        fx_regex_destroy(regex);
        return false;
    }
    fx_regex_destroy(cache->entries[cache->next].regex);
    cache->entries[cache->next] = entry;
    cache->next = (cache->next + 1) % ENTRIES;
    return true;
}

static bool compile_cached(struct template_run *run, struct fx_text pattern,
                           const struct fx_regex **ret_regex, struct fx_err *err) {
    struct fx_regex *regex = NULL;
    if (!fx_regex_compile(pattern, &regex, err) || !add_cached(run, pattern, regex)) {
        return false;
    }
    *ret_regex = regex;
    return true;
}

/* Frees the expressions. The cache itself is in the arena. */
static void free_cache(void *kept) {
    struct regex_cache *cache = kept;
    for (size_t i = 0; i < ENTRIES; i++) {
        fx_regex_destroy(cache->entries[i].regex);
    }
}

/* Gets the compiled pattern, borrowed until the next call. It is cached, since a range
 * uses the same pattern repeatedly. A new one costs units by the size of its program. */
static bool run_regex(struct template_run *run, struct fx_text pattern,
                      const struct fx_regex **ret_regex, struct fx_err *err) {
    if (run->kept == NULL) {
        run->kept = run_alloc(run, sizeof(struct regex_cache));
        run->free_kept = free_cache;
        if (run->kept == NULL) {
            return false;
        }
    }
    *ret_regex = find_cached(run->kept, pattern);
    return *ret_regex != NULL || compile_cached(run, pattern, ret_regex, err);
}

/* ---- matches -------------------------------------------------------------------- */

struct regex_matches {
    struct fx_regex_span *spans;
    size_t n, capacity;
};

static bool regex_matches_add(struct template_run *run, struct regex_matches *matches,
                              struct fx_regex_span span) {
    if (matches->n == matches->capacity &&
        !run_grow(run, &matches->spans, &matches->capacity, sizeof *matches->spans)) {
        return false;
    }
    matches->spans[matches->n++] = span;
    return true;
}

/* Replaces each match by the text `by` (location/go/regex.h). */
static bool regex_replace(struct template_run *run, const struct fx_regex *regex,
                          struct fx_text text, struct fx_go_replacement by,
                          struct fx_buf *ret) {
    const size_t n = fx_go_regex_spans(regex);
    struct fx_regex_span *spans = run_alloc(run, n * sizeof *spans);
    return spans != NULL && fx_go_regex_replace(regex, text, by, spans, ret, run->err);
}

/* ---- the functions ----------------------------------------------------------------- */

/* Converts RE2's message to Go's. Always false. */
static bool fail_pattern(struct template_call *call, struct fx_text pattern) {
    struct fx_buf message;
    fx_buf_init(&message, 0);
    if (!is_must(call)) {
        fx_buf_str(&message, "regexp: Compile(");
        if (memchr(pattern.data, '`', pattern.len) == NULL) {
            fx_buf_printf(&message, "`%.*s`", FX_TEXT_ARG(pattern));
        } else {
            fx_text_quote_go(&message, pattern);
        }
        fx_buf_str(&message, "): ");
    }
    fx_buf_str(&message, "error parsing regexp: ");
    fx_go_regex_message(&message, call->err->msg);
    return fx_buf_fail(&message, call->err, FX_EMUTATE);
}

/* Compiles the first argument. On an error returns NULL. */
static const struct fx_regex *take_pattern(struct template_call *call) {
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

static bool call_regex_match(struct template_call *call) {
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
    return return_bool(call, matches);
}

static bool call_regex_find(struct template_call *call) {
    const struct fx_regex *regex = take_pattern(call);
    const struct fx_text text = argument_text(call, 1);
    struct fx_regex_span span = {0, 0};
    if (regex == NULL || !fx_regex_find(regex, text, 0, &span, 1, call->err)) {
        return false;
    }
    if (span.from == FX_REGEX_NO_SPAN) {
        span = (struct fx_regex_span){0, 0};
    }
    *call->ret = value_string(text_between(text, span.from, span.to));
    return true;
}

/* Finds up to `most` matches, or all of them if `most` is negative. */
static bool find_all(struct template_call *call, const struct fx_regex *regex,
                     int64_t most, struct regex_matches *ret_matches) {
    *ret_matches = (struct regex_matches){0};
    struct fx_go_regex_walk walk = {.regex = regex, .text = argument_text(call, 1)};
    struct fx_regex_span span;
    bool found = true;
    while (most < 0 || ret_matches->n < (size_t)most) {
        if (!fx_go_regex_next(&walk, &span, 1, &found, call->err)) {
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

static bool call_regex_find_all(struct template_call *call) {
    const struct fx_regex *regex = take_pattern(call);
    struct regex_matches matches = {0};
    if (regex == NULL || !find_all(call, regex, call->arguments[2].integer, &matches)) {
        return false;
    }
    const struct fx_text text = argument_text(call, 1);
    struct template_list *list = value_strings_new(call->run, matches.n);
    for (size_t i = 0; list != NULL && i < matches.n; i++) {
        list->values[i] =
            value_string(text_between(text, matches.spans[i].from, matches.spans[i].to));
    }
    return return_list(call, list);
}

/* Collects up to `most` pieces between the matches. An empty match at the start does
 * not split; the rest after the last match is a piece. */
static void fill_pieces(struct template_list *list, struct fx_text text,
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
            list->values[list->n++] =
                value_string(text_between(text, piece.from, piece.to));
        }
        piece.from = matches->spans[i].to;
    }
    if (end != text.len) {
        piece.to = text.len;
        list->values[list->n++] = value_string(text_between(text, piece.from, piece.to));
    }
}

static bool call_regex_split(struct template_call *call) {
    const struct fx_regex *regex = take_pattern(call);
    const int64_t most = call->arguments[2].integer;
    const struct fx_text text = argument_text(call, 1);
    struct regex_matches matches = {0};
    if (regex == NULL || !find_all(call, regex, most, &matches)) {
        return false;
    }
    struct template_list *list = value_strings_new(call->run, matches.n + 1);
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
    return return_list(call, list);
}

enum { EXPANDED, LITERAL };

static bool call_regex_replace_all(struct template_call *call) {
    const struct fx_regex *regex = take_pattern(call);
    const struct fx_go_replacement by = {argument_text(call, 2),
                                         call->function->variant == EXPANDED};
    struct fx_buf *buf = run_scratch(call->run);
    return regex != NULL &&
           regex_replace(call->run, regex, argument_text(call, 1), by, buf) &&
           run_take_scratch(call->run, call->ret);
}

static bool call_regex_quote_meta(struct template_call *call) {
    const struct fx_text text = argument_text(call, 0);
    struct fx_buf *buf = run_scratch(call->run);
    for (size_t i = 0; i < text.len; i++) {
        if (fx_is_one_of(text.data[i], "\\.+*?()|[]{}^$")) {
            fx_buf_char(buf, '\\');
        }
        fx_buf_char(buf, text.data[i]);
    }
    return run_take_scratch(call->run, call->ret);
}

const struct function functions_regex[] = {
    WITH_MUST(FUNCTION, "regexMatch", "mustRegexMatch", call_regex_match, 1, STRING,
              STRING),
    WITH_MUST(FUNCTION, "regexFind", "mustRegexFind", call_regex_find, 1, STRING, STRING),
    WITH_MUST(FUNCTION, "regexFindAll", "mustRegexFindAll", call_regex_find_all, 1,
              STRING, STRING, INT),
    WITH_MUST(FUNCTION, "regexSplit", "mustRegexSplit", call_regex_split, 1, STRING,
              STRING, INT),
    WITH_MUST(VARIANT, "regexReplaceAll", "mustRegexReplaceAll", call_regex_replace_all,
              EXPANDED, 1, STRING, STRING, STRING),
    WITH_MUST(VARIANT, "regexReplaceAllLiteral", "mustRegexReplaceAllLiteral",
              call_regex_replace_all, LITERAL, 1, STRING, STRING, STRING),
    FUNCTION("regexQuoteMeta", call_regex_quote_meta, 1, STRING),
    {.name = NULL},
};
