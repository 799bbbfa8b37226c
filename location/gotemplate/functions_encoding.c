/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/functions_encoding.c - Sprig's Encoding and Hashes, and the table
 * of those and of Paths and URLs.
 */
#include "location/gotemplate/functions_encoding.h"

#include "base/base64.h"
#include "base/digest.h"
#include "location/gotemplate/base32.h"

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
        fx_buf_printf(buf, "%02x", digest[i]);
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
#define TEXT_FUNCTION(of_name, of_call)                   \
    {                                                     \
        .name = of_name, .call = of_call, .parameters = { \
            PARAMETER_STRING,                             \
            PARAMETER_NONE                                \
        }                                                 \
    }

/* The os… ones go by the separator of the system, which is `/` here as well. */
const struct function functions_encoding[] = {
    TEXT_FUNCTION("b64enc", call_b64enc),
    TEXT_FUNCTION("b64dec", call_b64dec),
    TEXT_FUNCTION("b32enc", call_b32enc),
    TEXT_FUNCTION("b32dec", call_b32dec),
    TEXT_FUNCTION("sha1sum", call_sha1sum),
    TEXT_FUNCTION("sha256sum", call_sha256sum),
    TEXT_FUNCTION("adler32sum", call_adler32sum),
    TEXT_FUNCTION("base", call_base),
    TEXT_FUNCTION("osBase", call_base),
    TEXT_FUNCTION("dir", call_dir),
    TEXT_FUNCTION("osDir", call_dir),
    TEXT_FUNCTION("clean", call_clean),
    TEXT_FUNCTION("osClean", call_clean),
    TEXT_FUNCTION("ext", call_ext),
    TEXT_FUNCTION("osExt", call_ext),
    TEXT_FUNCTION("isAbs", call_is_abs),
    TEXT_FUNCTION("osIsAbs", call_is_abs),
    TEXT_FUNCTION("urlParse", call_url_parse),
    {.name = "urlJoin",
     .call = call_url_join,
     .parameters = {PARAMETER_MAP, PARAMETER_NONE}},
    {.name = NULL},
};
