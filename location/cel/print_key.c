/* SPDX-License-Identifier: Apache-2.0
 *
 * print_key.c - keys and indexes in messages.
 */
#include "location/cel/print_key.h"

#include "value/go_text.h"

static void add_key(struct fx_buf *buf, struct fx_cel_value key) {
    if (key.kind == FX_CEL_INT) {
        fx_buf_integer(buf, key.integer);
    } else if (key.kind == FX_CEL_UINT) {
        fx_buf_number(buf, key.uinteger);
    } else if (key.kind == FX_CEL_BOOL) {
        fx_buf_str(buf, key.boolean ? "true" : "false");
    } else if (key.kind == FX_CEL_DOUBLE) {
        fx_go_text_add_double(buf, key.real);
    } else if (key.kind == FX_CEL_STRING) {
        fx_buf_text(buf, key.text);
    } else {
        fx_buf_str(buf, fx_cel_type_name(key));
    }
}

struct fx_cel_value fx_cel_fail_key(struct fx_cel_run *run, const char *before,
                                    struct fx_cel_value key, const char *after) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    add_key(&buf, key);
    const struct fx_text text = fx_buf_view(&buf);
    const int len = text.len < FX_ERR_TEXT ? (int)text.len : FX_ERR_TEXT;
    const struct fx_cel_value error =
        buf.failed ? fx_cel_no_memory(run)
                   : fx_cel_fail(run, "%s%.*s%s", before, len,
                                 text.len == 0 ? "" : text.data, after);
    fx_buf_finish(&buf);
    return error;
}
