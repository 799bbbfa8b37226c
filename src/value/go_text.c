/* SPDX-License-Identifier: Apache-2.0
 *
 * value/go_text.c - `map[a:1 b:[x y]]`: Go's default format.
 */
#include "value/go_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "value/tree.h"

/* The shortest digits that read back as the same double, in the form of %e. */
static void shortest(double value, char *out, size_t size) {
    for (int digits = 0; digits <= 16; digits++) {
        (void)snprintf(out, size, "%.*e", digits, value);
        if (strtod(out, NULL) == value) {
            return;
        }
    }
}

void fx_go_text_add_double(struct fx_buf *buf, double value) {
    char text[40];
    shortest(value, text, sizeof text);
    const char *mark = strchr(text, 'e');
    if (mark == NULL) { /* no finite number: readers make none */
        fx_buf_str(buf, text);
        return;
    }
    const int exponent = (int)strtol(mark + 1, NULL, 10);
    if (exponent < -4 || exponent >= 6) {
        fx_buf_str(buf, text);
        return;
    }
    const char *point = memchr(text, '.', (size_t)(mark - text));
    const int fraction = point == NULL ? 0 : (int)(mark - point) - 1;
    fx_buf_printf(buf, "%.*f", exponent >= fraction ? 0 : fraction - exponent, value);
}

static void print_list(struct fx_buf *buf, json_t *list, enum fx_go_integers integers) {
    fx_buf_char(buf, '[');
    size_t index = 0;
    json_t *element = NULL;
    json_array_foreach (list, index, element) {
        if (index > 0) {
            fx_buf_char(buf, ' ');
        }
        fx_go_text_add(buf, element, integers);
    }
    fx_buf_char(buf, ']');
}

struct entry {
    struct fx_text key;
    json_t *value;
};

static int compare_entries(const void *a, const void *b) {
    const struct entry *left = a;
    const struct entry *right = b;
    return fx_text_compare(left->key, right->key);
}

/* The entries in the order of their keys, as Go prints a map; NULL without memory. */
static struct entry *sorted_entries(json_t *object, size_t count) {
    struct entry *entries = calloc(count + 1, sizeof *entries);
    if (entries == NULL) {
        return NULL;
    }
    size_t at = 0;
    for (void *i = json_object_iter(object); i != NULL;
         i = json_object_iter_next(object, i)) {
        entries[at++] = (struct entry){
            {json_object_iter_key(i), json_object_iter_key_len(i)},
            json_object_iter_value(i),
        };
    }
    qsort(entries, count, sizeof *entries, compare_entries);
    return entries;
}

static void print_map(struct fx_buf *buf, json_t *object, enum fx_go_integers integers) {
    const size_t count = json_object_size(object);
    struct entry *entries = sorted_entries(object, count);
    if (entries == NULL) {
        buf->failed = true;
        return;
    }
    fx_buf_str(buf, "map[");
    for (size_t i = 0; i < count; i++) {
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
        fx_buf_printf(buf, "%" JSON_INTEGER_FORMAT, value);
    }
}

void fx_go_text_add(struct fx_buf *buf, json_t *value, enum fx_go_integers integers) {
    if (value == NULL) {
        fx_buf_str(buf, "<nil>");
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
