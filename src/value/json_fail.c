/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_fail.c - what is wrong with a JSON text, in the words of Go's encoding/json.
 * Its scanner treats the end of the text as a blank: hence "invalid character ' '" where
 * a number or literal is cut short.
 */
#include "value/json_tokens.h"

/* The character as Go's encoding/json quotes it: '\n', '"', '\'', and a byte that is no
 * ASCII as the rune of that number. */
static void quote_character(struct fx_buf *buf, unsigned char c) {
    if (c == '\'' || c == '"') {
        fx_buf_str(buf, c == '"' ? "'\"'" : "'\\''");
        return;
    }
    char utf8[4];
    const size_t length = fx_text_encode_rune(c, utf8);
    fx_text_quote_go(buf, (struct fx_text){utf8, length});
    if (!buf->failed) {
        buf->data[0] = '\'';
        buf->data[buf->len - 1] = '\'';
    }
}

static bool fail_character(struct fx_json_reader *r, unsigned char c,
                           const char *context) {
    struct fx_buf quoted;
    fx_buf_init(&quoted, 0);
    quote_character(&quoted, c);
    if (quoted.failed) {
        (void)fx_fail_nomem(r->err);
    } else {
        (void)fx_fail_at(r->err, FX_ESYNTAX, (uint32_t)(r->at - r->start),
                         r->at < r->end ? 1 : 0, "invalid character %s %s", quoted.data,
                         context);
    }
    fx_buf_finish(&quoted);
    return false;
}

bool fx_json_fail_here(struct fx_json_reader *r, const char *context) {
    if (r->at == r->end) {
        return fx_fail_at(r->err, FX_ESYNTAX, (uint32_t)(r->at - r->start), 0,
                          "unexpected end of JSON input");
    }
    return fail_character(r, (unsigned char)*r->at, context);
}

bool fx_json_fail_inside(struct fx_json_reader *r, const char *context) {
    return fail_character(r, r->at < r->end ? (unsigned char)*r->at : ' ', context);
}
