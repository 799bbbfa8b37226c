/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/kind.c - kinds of the dialects' tables, and kinds that policies name.
 */
#include "engine/kind.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "base/vec.h"

bool fx_kind_has_version(const struct fx_kind *kind, struct fx_text version) {
    for (size_t i = 0; kind->versions[i] != NULL; i++) {
        if (fx_text_is(version, kind->versions[i])) {
            return true;
        }
    }
    return false;
}

int fx_named_kind_compare(const struct fx_named_kind *a, const struct fx_named_kind *b) {
    int order = fx_text_compare(a->group, b->group);
    order = order != 0 ? order : fx_text_compare(a->version, b->version);
    return order != 0 ? order : fx_text_compare(a->kind, b->kind);
}

void fx_named_kind_print(struct fx_buf *buf, const struct fx_named_kind *kind) {
    fx_buf_printf(buf, "%.*s%s%.*s %.*s", FX_TEXT_ARG(kind->group),
                  kind->group.len == 0 ? "" : "/", FX_TEXT_ARG(kind->version),
                  FX_TEXT_ARG(kind->kind));
}

/* ---- a set of them ---------------------------------------------------------------- */

static int compare_kind(const void *key, const void *item) {
    return fx_named_kind_compare(key, item);
}

static size_t find_index(const struct fx_named_kinds *kinds,
                         const struct fx_named_kind *kind, bool *ret_found) {
    return fx_sorted_find(kinds->items, kinds->n_items, sizeof *kinds->items, kind,
                          compare_kind, ret_found);
}

bool fx_named_kinds_have(const struct fx_named_kinds *kinds,
                         const struct fx_named_kind *kind) {
    bool found = false;
    (void)find_index(kinds, kind, &found);
    return found;
}

/* Copies the text to `*room` and moves `*room` on. */
static struct fx_text copy_text(char **room, struct fx_text text) {
    char *copy = *room;
    memcpy(copy, text.data == NULL ? "" : text.data, text.len);
    *room += text.len + 1;
    return (struct fx_text){copy, text.len};
}

bool fx_named_kinds_add(struct fx_named_kinds *kinds, const struct fx_named_kind *kind) {
    bool found = false;
    const size_t at = find_index(kinds, kind, &found);
    if (found) {
        return true;
    }
    char *texts = calloc(1, kind->group.len + kind->version.len + kind->kind.len + 3);
    char *room = texts;
    if (texts == NULL || !FX_VEC_GROW(kinds->items, kinds->n_items, kinds->cap_items) ||
        !FX_VEC_GROW(kinds->texts, kinds->n_items, kinds->cap_texts)) {
        free(texts);
        return false;
    }
    memmove(kinds->texts + at + 1, kinds->texts + at,
            (kinds->n_items - at) * sizeof *kinds->texts);
    FX_SORTED_INSERT(kinds->items, kinds->n_items, at);
    kinds->texts[at] = texts;
    struct fx_named_kind *copy = &kinds->items[at];
    copy->group = copy_text(&room, kind->group);
    copy->version = copy_text(&room, kind->version);
    copy->kind = copy_text(&room, kind->kind);
    return true;
}

bool fx_named_kinds_equal(const struct fx_named_kinds *a,
                          const struct fx_named_kinds *b) {
    bool equal = a->n_items == b->n_items;
    for (size_t i = 0; equal && i < a->n_items; i++) {
        equal = fx_named_kind_compare(&a->items[i], &b->items[i]) == 0;
    }
    return equal;
}

void fx_named_kinds_finish(struct fx_named_kinds *kinds) {
    for (size_t i = 0; i < kinds->n_items; i++) {
        free(kinds->texts[i]);
    }
    free(kinds->items);
    free(kinds->texts);
    *kinds = (struct fx_named_kinds){0};
}
