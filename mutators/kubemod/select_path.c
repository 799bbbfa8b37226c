/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/select_path.c - placeholders in paths and in values.
 */
#include "mutators/kubemod/select_path.h"

#define MOST_PARTS 100000u /* more parts than any select has */

/* Reads all digits of the number at *at; false if there are none. */
static bool read_number(struct fx_text text, size_t *at, size_t *ret_number) {
    const size_t first = *at;
    size_t number = 0;
    while (*at < text.len && fx_is_digit(text.data[*at])) {
        if (number < MOST_PARTS) {
            number = number * 10 + (size_t)(text.data[*at] - '0');
        }
        ++*at;
    }
    *ret_number = number;
    return *at > first;
}

static void add_escaped(struct fx_buf *buf, struct fx_text key) {
    for (size_t i = 0; i < key.len; i++) {
        switch (key.data[i]) {
        case '~': fx_buf_str(buf, "~0"); break;
        case '/': fx_buf_str(buf, "~1"); break;
        default: fx_buf_char(buf, key.data[i]); break;
        }
    }
}

static void add_part(struct fx_buf *buf, const struct fx_jsonpath_part *part) {
    if (part->is_index) {
        fx_buf_number(buf, part->index);
    } else {
        add_escaped(buf, part->key);
    }
}

bool fx_select_path_print(struct fx_buf *buf, struct fx_text path,
                          const struct fx_jsonpath_part *parts, size_t n_parts) {
    bool ok = true;
    for (size_t i = 0; i < path.len;) {
        size_t after = i + 1;
        size_t number = 0;
        if (path.data[i] != '#' || !read_number(path, &after, &number)) {
            fx_buf_char(buf, path.data[i++]);
            continue;
        }
        if (number < n_parts) {
            add_part(buf, &parts[number]);
        } else {
            fx_buf_str(buf, "#(BADINDEX)");
            ok = false;
        }
        i = after;
    }
    return ok;
}

bool fx_select_path_highest(struct fx_text path, size_t *ret_number) {
    bool found = false;
    for (size_t i = 0; i < path.len; i++) {
        size_t after = i + 1;
        size_t number = 0;
        if (path.data[i] == '#' && read_number(path, &after, &number)) {
            *ret_number = found && *ret_number > number ? *ret_number : number;
            found = true;
        }
    }
    return found;
}

void fx_select_path_rewrite(struct fx_buf *buf, struct fx_text value) {
    for (size_t i = 0; i < value.len;) {
        size_t after = i + 2;
        size_t number = 0;
        const bool begins =
            value.data[i] == '.' && i + 1 < value.len && value.data[i + 1] == '#';
        if (!begins || !read_number(value, &after, &number)) {
            fx_buf_char(buf, value.data[i++]);
            continue;
        }
        fx_buf_str(buf, "(index .SelectKeyParts ");
        fx_buf_add(buf, value.data + i + 2, after - i - 2);
        fx_buf_char(buf, ')');
        i = after;
    }
}
