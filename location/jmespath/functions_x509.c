/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/functions_x509.c - x509_decode(): a certificate, or a request for
 * one, in PEM (RFC 7468).
 */
#include "base/base64.h"
#include "base/find.h"
#include "location/jmespath/functions.h"
#include "location/jmespath/x509.h"

/* Each object identifier is compared with those of a table. */
#define UNITS_OF_A_BYTE 16u

/* ---- PEM --------------------------------------------------------------------------- */

struct pem_block {
    struct fx_text label; /* "CERTIFICATE" */
    struct fx_text body;  /* between the lines of the label */
};

/* Returns the text behind the first `part`, which has to be at the start of a line;
 * without data if there is none. */
static struct fx_text find_line(struct fx_text text, struct fx_text part,
                                struct fx_text *ret_before) {
    struct fx_text rest = text;
    for (size_t at = fx_text_find(rest, part); at != FX_NOT_FOUND;
         at = fx_text_find(rest, part)) {
        const char *found = rest.data + at;
        rest = fx_text_rest(rest, at + part.len);
        if (found == text.data || found[-1] == '\n') {
            *ret_before = (struct fx_text){text.data, (size_t)(found - text.data)};
            return rest;
        }
    }
    return (struct fx_text){NULL, 0};
}

/* Finds the first block. False if there is none. */
static bool find_block(struct fx_text text, struct pem_block *ret_block) {
    struct fx_text before;
    struct fx_text rest = find_line(text, FX_TEXT("-----BEGIN "), &before);
    if (rest.data == NULL) {
        return false;
    }
    const size_t end = fx_text_find(rest, FX_TEXT("-----"));
    if (end == FX_NOT_FOUND) {
        return false;
    }
    ret_block->label = (struct fx_text){rest.data, end};
    (void)fx_text_cut(&rest, '\n');
    rest = find_line(rest, FX_TEXT("-----END "), &ret_block->body);
    return rest.data != NULL && fx_text_starts(rest, ret_block->label);
}

/* Decodes the body; blanks in it do not count. A failure of `der` is kept. */
static bool decode_body(struct fx_text body, struct fx_buf *der) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    for (size_t i = 0; i < body.len; i++) {
        if (body.data[i] != ' ' && body.data[i] != '\t') {
            fx_buf_char(&text, body.data[i]);
        }
    }
    const bool ok = !text.failed && fx_base64_decode(der, fx_buf_view(&text));
    der->failed |= text.failed;
    fx_buf_finish(&text);
    return ok;
}

/* ---- the function ------------------------------------------------------------------ */

static bool decode_der(struct fx_text label, struct fx_text der, json_t **ret_value,
                       struct fx_err *err) {
    if (fx_text_is(label, "CERTIFICATE")) {
        return x509_read_certificate(der, ret_value, err);
    }
    if (fx_text_is(label, "CERTIFICATE REQUEST")) {
        return x509_read_request(der, ret_value, err);
    }
    return fx_fail_quoted(err, FX_EINVALID, "the PEM block is no certificate, but ",
                          label, "");
}

static bool call_x509_decode(const struct fx_jmespath_call *call, json_t **ret_value,
                             struct fx_err *err) {
    const struct fx_text text = jmespath_argument_text(call, 0);
    struct pem_block block;
    struct fx_buf der;
    if (!fx_spend(1 + text.len * UNITS_OF_A_BYTE)) {
        return fx_fail_exceeded(err);
    }
    if (!find_block(text, &block)) {
        return fx_fail(err, FX_EINVALID, "the text has no PEM block");
    }
    fx_buf_init(&der, 0);
    const bool ok =
        decode_body(block.body, &der)
            ? decode_der(block.label, fx_buf_view(&der), ret_value, err)
            : (der.failed ? fx_fail_nomem(err)
                          : fx_fail(err, FX_EINVALID, "the PEM block is no base64"));
    fx_buf_finish(&der);
    return ok;
}

const struct fx_jmespath_function fx_jmespath_x509_functions[] = {
    FX_JMESPATH_ROW("x509_decode", call_x509_decode, {.types = FX_JMESPATH_STRING}),
    {.name = NULL},
};
