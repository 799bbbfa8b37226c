/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics/labels.c - label values as text: the text is the key, the sort order and what
 * is printed.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "metrics/registry_internal.h"

#define ROOM_AT_FIRST 8u

/* ---- the text of a row ------------------------------------------------------------ */

/* Writes a label value in the format: well-formed UTF-8, with `\`, `"` and line ends
 * escaped. */
static void print_value(struct fx_text value, struct fx_buf *buf) {
    if (value.len > FX_LABEL_BYTES) {
        value.len = fx_text_rune_floor(value.data, FX_LABEL_BYTES);
    }
    while (value.len > 0) {
        uint32_t rune = 0;
        char bytes[4];
        const size_t length = fx_text_rune(value, &rune);
        if (rune == '\n') {
            fx_buf_str(buf, "\\n");
        } else {
            if (rune == '"' || rune == '\\') {
                fx_buf_char(buf, '\\');
            }
            fx_buf_add(buf, bytes, fx_text_encode_rune(rune, bytes));
        }
        value.data += length;
        value.len -= length;
    }
}

/* NULL if out of memory. */
static char *print_row(const struct fx_labels *labels, const struct fx_text *values) {
    struct fx_buf row = {0};
    for (size_t i = 0; i < labels->n_keys; i++) {
        fx_buf_printf(&row, "%s%s=\"", i == 0 ? "" : ",", labels->keys[i]);
        print_value(values[i], &row);
        fx_buf_char(&row, '"');
    }
    return fx_buf_steal(&row);
}

/* ---- the order -------------------------------------------------------------------- */

/* The position of the row in the order, or where it would be inserted. */
static size_t place_of(const struct fx_labels *labels, const char *row, bool *ret_found) {
    size_t low = 0;
    size_t high = labels->n_order;
    *ret_found = false;
    while (low < high && !*ret_found) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(labels->rows[labels->order[middle]], row);
        *ret_found = order == 0;
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return high;
}

static void show(struct fx_labels *labels, uint32_t series, size_t at) {
    FX_SORTED_INSERT(labels->order, labels->n_order, at);
    labels->order[at] = series;
}

/* ---- room ------------------------------------------------------------------------- */

/* Families of dynamic labels have values for the first thread only. */
static bool grow_values(struct fx_family *family, size_t room) {
    assert(family->n_threads == 1);
    struct fx_metric_value *moved =
        realloc(family->values[0], room * family->stride * sizeof *moved);
    if (moved == NULL) {
        return false;
    }
    family->values[0] = moved;
    return true;
}

/* If only some families could grow, they have more room than needed. */
static bool grow(struct fx_labels *labels, size_t room) {
    char **rows = realloc(labels->rows, room * sizeof *rows);
    if (rows == NULL) {
        return false;
    }
    labels->rows = rows;
    uint32_t *order = realloc(labels->order, room * sizeof *order);
    if (order == NULL) {
        return false;
    }
    labels->order = order;
    for (struct fx_family *f = labels->families; f != NULL; f = f->next_of_labels) {
        if (!grow_values(f, room)) {
            return false;
        }
    }
    labels->cap_rows = room;
    return true;
}

/* An unused series, or the next new one. */
static bool find_free(struct fx_labels *labels, uint32_t *ret_series) {
    if (labels->n_free > 0) {
        uint32_t series = FX_SERIES_OTHER + 1;
        while (labels->rows[series] != NULL) {
            series++;
        }
        labels->n_free--;
        *ret_series = series;
        return true;
    }
    if (labels->n_rows == labels->cap_rows && !grow(labels, labels->cap_rows * 2)) {
        return false;
    }
    *ret_series = (uint32_t)labels->n_rows++;
    return true;
}

/* ---- create and destroy ----------------------------------------------------------- */

struct fx_labels *fx_labels_create(const char *const *keys, size_t n_keys, size_t room) {
    assert(n_keys <= FX_LABELS_KEYS);
    struct fx_labels *labels = calloc(1, sizeof *labels);
    if (labels == NULL || !grow(labels, room)) {
        fx_labels_destroy(labels);
        return NULL;
    }
    labels->n_keys = n_keys;
    for (size_t i = 0; i < n_keys; i++) {
        labels->keys[i] = keys[i];
    }
    return labels;
}

void fx_labels_destroy(struct fx_labels *labels) {
    if (labels == NULL) {
        return;
    }
    for (size_t i = 0; i < labels->n_rows; i++) {
        free(labels->rows[i]);
    }
    free(labels->rows);
    free(labels->order);
    free(labels);
}

bool fx_labels_append(struct fx_labels *labels, const struct fx_text *values) {
    assert(labels->n_rows < labels->cap_rows);
    char *row = print_row(labels, values);
    if (row == NULL) {
        return false;
    }
    labels->rows[labels->n_rows] = row;
    show(labels, (uint32_t)labels->n_rows, labels->n_order);
    labels->n_rows++;
    return true;
}

struct fx_labels *fx_registry_add_labels(struct fx_registry *registry,
                                         const char *const *keys, size_t n_keys,
                                         size_t max) {
    struct fx_labels *labels = fx_labels_create(keys, n_keys, ROOM_AT_FIRST);
    if (labels == NULL) {
        return NULL;
    }
    const struct fx_text other = FX_TEXT("other");
    const struct fx_text values[FX_LABELS_KEYS] = {other, other, other, other};
    if (!fx_labels_append(labels, values)) {
        fx_labels_destroy(labels);
        return NULL;
    }
    labels->n_order = 0; /* FX_SERIES_OTHER is not printed before it is used */
    labels->max = max;
    labels->next = registry->labels;
    registry->labels = labels;
    return labels;
}

/* ---- series ----------------------------------------------------------------------- */

uint32_t fx_labels_other(struct fx_labels *labels) {
    bool found = false;
    const size_t at = place_of(labels, labels->rows[FX_SERIES_OTHER], &found);
    if (!found) {
        show(labels, FX_SERIES_OTHER, at);
    }
    return FX_SERIES_OTHER;
}

bool fx_labels_is_full(const struct fx_labels *labels) {
    return labels->n_rows - 1 - labels->n_free >= labels->max;
}

/* Consumes the row. */
static uint32_t make(struct fx_labels *labels, char *row_take, size_t at) {
    uint32_t series = FX_SERIES_OTHER;
    if (fx_labels_is_full(labels) || !find_free(labels, &series)) {
        free(row_take);
        return fx_labels_other(labels);
    }
    labels->rows[series] = row_take;
    show(labels, series, at);
    for (struct fx_family *f = labels->families; f != NULL; f = f->next_of_labels) {
        fx_family_reset(f, series);
    }
    return series;
}

uint32_t fx_labels_get(struct fx_labels *labels, const struct fx_text *values) {
    char *row = print_row(labels, values);
    if (row == NULL || strcmp(row, labels->rows[FX_SERIES_OTHER]) == 0) {
        free(row);
        return fx_labels_other(labels);
    }
    bool found = false;
    const size_t at = place_of(labels, row, &found);
    if (!found) {
        return make(labels, row, at);
    }
    free(row);
    return labels->order[at];
}

bool fx_labels_find(const struct fx_labels *labels, const struct fx_text *values,
                    uint32_t *ret_series) {
    char *row = print_row(labels, values);
    bool found = false;
    const size_t at = row == NULL ? 0 : place_of(labels, row, &found);
    free(row);
    if (found) {
        *ret_series = labels->order[at];
    }
    return found;
}

void fx_labels_drop(struct fx_labels *labels, uint32_t series) {
    bool found = false;
    if (series == FX_SERIES_OTHER) {
        return;
    }
    assert(series < labels->n_rows && labels->rows[series] != NULL);
    const size_t at = place_of(labels, labels->rows[series], &found);
    assert(found);
    FX_SORTED_REMOVE(labels->order, labels->n_order, at);
    free(labels->rows[series]);
    labels->rows[series] = NULL;
    labels->n_free++;
}
