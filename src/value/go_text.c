/* SPDX-License-Identifier: Apache-2.0
 *
 * value/go_text.c - `map[a:1 b:[x y]]`: Go's default format.
 */
#include "value/go_text.h"

#include <stdlib.h>

#include "base/budget.h"
#include "base/text.h"
#include "value/number.h"
#include "value/tree.h"

#define UNITS_OF_VALUE 16u
#define UNITS_OF_ENTRY 16u /* of a map, whose entries are sorted */

void fx_go_text_add_double(struct fx_buf *buf, double value) {
    char text[FX_NUMBER_SIZE];
    fx_buf_add(buf, text, fx_number_print_go(value, false, text));
}

static void print_list(struct fx_buf *buf, json_t *list, enum fx_go_integers integers) {
    fx_buf_char(buf, '[');
    size_t index = 0;
    json_t *element = NULL;
    json_array_foreach (list, index, element) {
        if (buf->failed) {
            return;
        }
        if (index > 0) {
            fx_buf_char(buf, ' ');
        }
        fx_go_text_add(buf, element, integers);
    }
    fx_buf_char(buf, ']');
}

struct go_entry {
    struct fx_text key;
    json_t *value;
};

static int compare_entries(const void *a, const void *b) {
    const struct go_entry *left = a;
    const struct go_entry *right = b;
    return fx_text_compare(left->key, right->key);
}

/* Returns the entries sorted by key, as Go prints a map; NULL without memory. */
static struct go_entry *sorted_entries(json_t *object, size_t count) {
    struct go_entry *entries = calloc(count + 1, sizeof *entries);
    if (entries == NULL) {
        return NULL;
    }
    size_t at = 0;
    for (void *i = json_object_iter(object); i != NULL;
         i = json_object_iter_next(object, i)) {
        entries[at++] = (struct go_entry){
            {json_object_iter_key(i), json_object_iter_key_len(i)},
            json_object_iter_value(i),
        };
    }
    qsort(entries, count, sizeof *entries, compare_entries);
    return entries;
}

static void print_map(struct fx_buf *buf, json_t *object, enum fx_go_integers integers) {
    const size_t count = json_object_size(object);
    struct go_entry *entries =
        fx_spend(UNITS_OF_ENTRY * count) ? sorted_entries(object, count) : NULL;
    if (entries == NULL) {
        buf->failed = true;
        return;
    }
    fx_buf_str(buf, "map[");
    for (size_t i = 0; i < count && !buf->failed; i++) {
        if (i > 0) {
            fx_buf_char(buf, ' ');
        }
        fx_buf_text(buf, entries[i].key);
        fx_buf_char(buf, ':');
        fx_go_text_add(buf, entries[i].value, integers);
    }
    fx_buf_char(buf, ']');
    free(entries);
}

static void print_integer(struct fx_buf *buf, json_int_t value,
                          enum fx_go_integers integers) {
    if (integers == FX_GO_DOUBLES) {
        fx_go_text_add_double(buf, (double)value);
    } else {
        fx_buf_integer(buf, value);
    }
}

void fx_go_text_add(struct fx_buf *buf, json_t *value, enum fx_go_integers integers) {
    if (value == NULL) {
        fx_buf_str(buf, "<nil>");
        return;
    }
    if (!fx_spend(UNITS_OF_VALUE + json_string_length(value) / FX_BUDGET_BYTES)) {
        buf->failed = true;
        return;
    }
    switch (json_typeof(value)) {
    case JSON_OBJECT: print_map(buf, value, integers); return;
    case JSON_ARRAY: print_list(buf, value, integers); return;
    case JSON_STRING: fx_buf_text(buf, fx_tree_text(value)); return;
    case JSON_INTEGER: print_integer(buf, json_integer_value(value), integers); return;
    case JSON_REAL: fx_go_text_add_double(buf, json_real_value(value)); return;
    case JSON_TRUE: fx_buf_str(buf, "true"); return;
    case JSON_FALSE: fx_buf_str(buf, "false"); return;
    case JSON_NULL: fx_buf_str(buf, "<nil>"); return;
    }
}
