/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/print.c - %v without flags.
 */
#include "location/gotemplate/print.h"

#include "base/limits.h"
#include "location/gotemplate/format.h"

bool value_print(struct run *run, struct fx_buf *buf, const struct value *value) {
    struct printer printer = {.run = run, .out = buf};
    return format_value(&printer, value, 'v');
}

bool value_text(struct run *run, const struct value *value, struct fx_text *ret_text) {
    if (value->kind == VALUE_STRING) {
        *ret_text = value->string;
        return true;
    }
    struct fx_buf buf;
    fx_buf_init(&buf, FX_LIMIT_TEMPLATE_OUTPUT_BYTES);
    bool printed = value_print(run, &buf, value);
    if (printed) {
        printed = buf.failed
                      ? run_fail_buf(run, &buf)
                      : run_copy(run, (struct fx_text){buf.data, buf.len}, ret_text);
    }
    fx_buf_finish(&buf);
    return printed;
}
