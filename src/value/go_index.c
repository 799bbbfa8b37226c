/* SPDX-License-Identifier: Apache-2.0
 *
 * go_index.c - indexes of lists, as Go reads them.
 */
#include "value/go_index.h"

enum fx_go_index_fault fx_go_index_read(struct fx_text text, int64_t *ret_index) {
    struct fx_text rest = text;
    int64_t index = 0;
    const bool is_negative = fx_text_first(rest) == '-';
    if (is_negative || fx_text_first(rest) == '+') {
        rest = fx_text_rest(rest, 1);
    }
    if (rest.len == 0 || !fx_text_is_digits(rest)) {
        return FX_GO_INDEX_SYNTAX;
    }
    for (size_t i = 0; i < rest.len; i++) {
        const int digit = rest.data[i] - '0';
        if (index > (INT64_MAX - digit) / 10) {
            return FX_GO_INDEX_RANGE;
        }
        index = index * 10 + digit;
    }
    *ret_index = is_negative ? -index : index;
    return FX_GO_INDEX_OK;
}

void fx_go_index_print_fault(struct fx_buf *buf, struct fx_text text,
                             enum fx_go_index_fault fault) {
    fx_buf_str(buf, "strconv.Atoi: parsing ");
    fx_text_quote_go(buf, text);
    fx_buf_str(buf,
               fault == FX_GO_INDEX_SYNTAX ? ": invalid syntax" : ": value out of range");
}
