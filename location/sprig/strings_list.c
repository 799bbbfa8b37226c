/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/strings_list.c - conversion between strings and lists: split, join,
 * sortAlpha.
 */
#include <stdlib.h>
#include <string.h>

#include "location/gotemplate/value.h"
#include "location/sprig/functions.h"
#include "value/number.h"

/* A text that is being split. */
struct splitter {
    struct fx_text text;
    size_t at;
    bool is_done;
    bool between_runes; /* the separator is empty */
    struct text_finder finder;
};

static bool begin_split(struct splitter *s, struct template_run *run,
                        struct fx_text separator, struct fx_text text) {
    *s = (struct splitter){.text = text, .between_runes = separator.len == 0};
    s->is_done =
        s->between_runes && text.len == 0; /* any other text has at least one piece */
    return s->between_runes || finder_init(&s->finder, run, separator);
}

static struct fx_text take_rest(struct splitter *s) {
    s->is_done = true;
    return text_between(s->text, s->at, s->text.len);
}

static struct fx_text take_rune(struct splitter *s) {
    uint32_t rune = 0;
    const size_t from = s->at;
    s->at += fx_text_rune(text_between(s->text, from, s->text.len), &rune);
    s->is_done = s->at == s->text.len;
    return text_between(s->text, from, s->at);
}

static struct fx_text take_piece(struct splitter *s) {
    if (s->between_runes) {
        return take_rune(s);
    }
    const size_t from = s->at;
    const size_t end = finder_next(&s->finder, s->text, from);
    if (end == FINDER_NONE) {
        return take_rest(s);
    }
    s->at = end + s->finder.needle.len;
    return text_between(s->text, from, end);
}

/* Counts the pieces, up to `most`. The last piece is the rest of the text. */
static size_t count_pieces(struct splitter s, int64_t most) {
    size_t n = 0;
    while (!s.is_done && (most < 0 || n < (size_t)most)) {
        (void)take_piece(&s);
        n++;
    }
    return n;
}

/* Makes a []string of the pieces. A negative `most` means all. Each piece costs a
 * unit. */
static bool split_text(struct template_call *call, struct fx_text separator,
                       struct fx_text text, int64_t most,
                       struct template_list **ret_list) {
    struct splitter s;
    if (!begin_split(&s, call->run, separator, text)) {
        return false;
    }
    const size_t n = count_pieces(s, most);
    struct template_list *list =
        run_spend(call->run, n) ? value_strings_new(call->run, n) : NULL;
    if (list == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const bool is_last = most > 0 && i + 1 == (size_t)most;
        list->values[i] = value_string(is_last ? take_rest(&s) : take_piece(&s));
    }
    *ret_list = list;
    return true;
}

static bool call_split_list(struct template_call *call) {
    struct template_list *list = NULL;
    return split_text(call, argument_text(call, 0), argument_text(call, 1), -1, &list) &&
           return_list(call, list);
}

static bool name_entry(struct template_run *run, size_t i, struct map_entry *entry) {
    char name[1 + FX_NUMBER_SIZE] = "_";
    const size_t len = 1 + fx_number_print_integer((int64_t)i, name + 1);
    return run_copy(run, (struct fx_text){name, len}, &entry->key);
}

/* Returns a map[string]string with the pieces as `_0`, `_1`, … */
static bool return_numbered(struct template_call *call,
                            const struct template_list *list) {
    struct map *map = value_map_new(call->run);
    struct map_entry *entries =
        map == NULL ? NULL : run_alloc(call->run, list->n * sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    for (size_t i = 0; i < list->n; i++) {
        if (!name_entry(call->run, i, &entries[i])) {
            return false;
        }
        entries[i].value = list->values[i];
    }
    map->type = TYPE_TEXTS;
    map->entries = entries;
    map->n = list->n;
    map->capacity = list->n;
    *call->ret = value_map(map);
    return value_map_sort(call->run, map);
}

static bool call_split(struct template_call *call) {
    struct template_list *list = NULL;
    return split_text(call, argument_text(call, 0), argument_text(call, 1), -1, &list) &&
           return_numbered(call, list);
}

static bool call_splitn(struct template_call *call) {
    struct template_list *list = NULL;
    return split_text(call, argument_text(call, 0), argument_text(call, 2),
                      argument_int(call, 1), &list) &&
           return_numbered(call, list);
}

static bool call_join(struct template_call *call) {
    struct template_list *list = NULL;
    if (!value_to_strings(call->run, &call->arguments[1], &list)) {
        return false;
    }
    struct fx_buf *buf = run_scratch(call->run);
    for (size_t i = 0; i < list->n && !buf->failed; i++) {
        const size_t len = argument_text(call, 0).len + list->values[i].string.len;
        if (!run_spend(call->run, 1 + len / RUN_BYTES_COPIED)) {
            return false;
        }
        if (i > 0) {
            fx_buf_text(buf, argument_text(call, 0));
        }
        fx_buf_text(buf, list->values[i].string);
    }
    return run_take_scratch(call->run, call->ret);
}

static bool call_to_strings(struct template_call *call) {
    struct template_list *list = NULL;
    return value_to_strings(call->run, &call->arguments[0], &list) &&
           return_list(call, list);
}

static int compare_strings(const void *a, const void *b) {
    const struct value *left = a;
    const struct value *right = b;
    return fx_text_compare(left->string, right->string);
}

static bool spend_sort(struct template_run *run, const struct template_list *list) {
    size_t bytes = 0;
    for (size_t i = 0; i < list->n; i++) {
        bytes += list->values[i].string.len;
    }
    return run_spend_sort(run, list->n, bytes);
}

/* Sorts texts. A value that is not a list gives one text; nil gives `[<nil>]`. */
static bool call_sort_alpha(struct template_call *call) {
    const struct value *value = &call->arguments[0];
    struct template_list *list = NULL;
    if (value_is_nil(value)) {
        list = value_strings_new(call->run, 1);
        if (list == NULL) {
            return false;
        }
        list->values[0] = value_string(FX_TEXT("<nil>"));
    } else if (!value_to_strings(call->run, value, &list)) {
        return false;
    }
    if (!spend_sort(call->run, list)) {
        return false;
    }
    qsort(list->values, list->n, sizeof *list->values, compare_strings);
    return return_list(call, list);
}

const struct function functions_split[] = {
    FUNCTION("toStrings", call_to_strings, 1, ANY),
    FUNCTION("join", call_join, 1, STRING, ANY),
    FUNCTION("split", call_split, 2, STRING, STRING),
    FUNCTION("splitn", call_splitn, 2, STRING, INT, STRING),
    FUNCTION("splitList", call_split_list, 2, STRING, STRING),
    FUNCTION("sortAlpha", call_sort_alpha, 4, ANY),
    {.name = NULL},
};
