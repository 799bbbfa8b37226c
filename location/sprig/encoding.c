/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/encoding.c - Sprig's Encoding and Hashes, and the table
 * of those and of Paths and URLs.
 */
#include "location/sprig/encoding.h"
#include "location/sprig/functions.h"

#include "base/base64.h"
#include "base/digest.h"
#include "location/sprig/base32.h"

/* ---- base64 and base32 ------------------------------------------------------------- */

static bool call_b64enc(struct call *call) {
    fx_base64_encode(run_scratch(call->run), call->arguments[0].string);
    return run_take_scratch(call->run, call->ret);
}

/* The error is the result: Sprig has it so. */
static bool give_fault(struct call *call, const char *encoding, size_t at) {
    struct fx_buf *buf = run_scratch(call->run);
    fx_buf_printf(buf, "illegal %s data at input byte %zu", encoding, at);
    return run_take_scratch(call->run, call->ret);
}

static bool call_b64dec(struct call *call) {
    const struct fx_text text = call->arguments[0].string;
    struct fx_buf *buf = run_scratch(call->run);
    if (fx_base64_decode(buf, text) || buf->failed) {
        return run_take_scratch(call->run, call->ret);
    }
    return give_fault(call, "base64", fx_base64_find_fault(text));
}

static bool call_b32enc(struct call *call) {
    base32_encode(run_scratch(call->run), call->arguments[0].string);
    return run_take_scratch(call->run, call->ret);
}

static bool call_b32dec(struct call *call) {
    size_t fault = 0;
    if (base32_decode(run_scratch(call->run), call->arguments[0].string, &fault)) {
        return run_take_scratch(call->run, call->ret);
    }
    return give_fault(call, "base32", fault);
}

/* ---- digests ----------------------------------------------------------------------- */

static bool give_hex(struct call *call, const uint8_t *digest, size_t len) {
    struct fx_buf *buf = run_scratch(call->run);
    for (size_t i = 0; i < len; i++) {
        fx_buf_hex(buf, digest[i], 2, false);
    }
    return run_take_scratch(call->run, call->ret);
}

static bool call_sha1sum(struct call *call) {
    uint8_t digest[FX_SHA1_BYTES];
    fx_sha1(call->arguments[0].string, digest);
    return give_hex(call, digest, sizeof digest);
}

static bool call_sha256sum(struct call *call) {
    uint8_t digest[FX_SHA256_BYTES];
    fx_sha256(call->arguments[0].string, digest);
    return give_hex(call, digest, sizeof digest);
}

static bool call_adler32sum(struct call *call) {
    struct fx_buf *buf = run_scratch(call->run);
    fx_buf_number(buf, fx_adler32(call->arguments[0].string));
    return run_take_scratch(call->run, call->ret);
}

/* ---- the table --------------------------------------------------------------------- */

/* Of one text. */
#define TEXT_FUNCTION(of_name, of_call, of_price)      \
    {.name = of_name,                                  \
     .call = of_call,                                  \
     .parameters = {PARAMETER_STRING, PARAMETER_NONE}, \
     .price = of_price}

/* The os… ones go by the separator of the system, which is `/` here as well. */
const struct function functions_encoding[] = {
    TEXT_FUNCTION("b64enc", call_b64enc, 1),
    TEXT_FUNCTION("b64dec", call_b64dec, 2),
    TEXT_FUNCTION("b32enc", call_b32enc, 2),
    TEXT_FUNCTION("b32dec", call_b32dec, 2),
    TEXT_FUNCTION("sha1sum", call_sha1sum, 2),
    TEXT_FUNCTION("sha256sum", call_sha256sum, 4),
    TEXT_FUNCTION("adler32sum", call_adler32sum, 1),
    TEXT_FUNCTION("base", call_base, 1),
    TEXT_FUNCTION("osBase", call_base, 1),
    TEXT_FUNCTION("dir", call_dir, 1),
    TEXT_FUNCTION("osDir", call_dir, 1),
    TEXT_FUNCTION("clean", call_clean, 1),
    TEXT_FUNCTION("osClean", call_clean, 1),
    TEXT_FUNCTION("ext", call_ext, 1),
    TEXT_FUNCTION("osExt", call_ext, 1),
    TEXT_FUNCTION("isAbs", call_is_abs, 1),
    TEXT_FUNCTION("osIsAbs", call_is_abs, 1),
    TEXT_FUNCTION("urlParse", call_url_parse, 8),
    {.name = "urlJoin",
     .call = call_url_join,
     .parameters = {PARAMETER_MAP, PARAMETER_NONE},
     .price = 8},
    {.name = NULL},
};
