/* SPDX-License-Identifier: Apache-2.0
 *
 * value/print.c - a value in one line.
 */
#include "value/print.h"

#include <string.h>

#include "value/json.h"
#include "value/tree.h"
#include "value/yaml.h"

static bool has_line_end(struct fx_text text) {
    return text.len > 0 && memchr(text.data, '\n', text.len) != NULL;
}

void fx_value_print(struct fx_buf *buf, const json_t *value) {
    if (value == NULL) {
        fx_buf_str(buf, "(absent)");
    } else if (json_is_object(value) || json_is_array(value) ||
               has_line_end(fx_tree_text(value))) {
        fx_json_write(buf, value, FX_JSON_COMPACT);
    } else {
        fx_yaml_write(buf, value);
        if (!buf->failed && buf->len > 0 && buf->data[buf->len - 1] == '\n') {
            buf->len--; /* the line end of the YAML document */
            buf->data[buf->len] = '\0';
        }
    }
}
