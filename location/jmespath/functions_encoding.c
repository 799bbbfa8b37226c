/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/functions_encoding.c - Kyverno's functions that encode, hash and
 * parse texts.
 */
#include "base/base64.h"
#include "base/digest.h"
#include "location/jmespath/functions.h"
#include "value/json.h"
#include "value/yaml.h"

/* ---- base64 ------------------------------------------------------------------------ */

static bool call_base64_encode(const struct fx_jmespath_call *call, json_t **ret_value,
                               struct fx_err *err) {
    struct fx_buf buf;
    jmespath_result_init(&buf);
    fx_base64_encode(&buf, jmespath_argument_text(call, 0));
    return fx_jmespath_give_buf(&buf, ret_value, err);
}

static bool decode(struct fx_buf *bytes, struct fx_text text, struct fx_err *err) {
    if (fx_base64_decode(bytes, text)) {
        return true;
    }
    return bytes->failed
               ? fx_fail_nomem(err)
               : fx_fail(err, FX_EINVALID, "illegal base64 data at input byte %zu",
                         fx_base64_find_fault(text));
}

/* Strings are UTF-8: other bytes become U+FFFD. */
static bool call_base64_decode(const struct fx_jmespath_call *call, json_t **ret_value,
                               struct fx_err *err) {
    struct fx_buf bytes;
    struct fx_buf text;
    fx_buf_init(&bytes, 0);
    bool ok = decode(&bytes, jmespath_argument_text(call, 0), err) &&
              jmespath_spend_bytes(bytes.len * 4, err);
    if (ok) {
        jmespath_result_init(&text);
        fx_text_repair(&text, fx_buf_view(&bytes));
        ok = fx_jmespath_give_buf(&text, ret_value, err);
    }
    fx_buf_finish(&bytes);
    return ok;
}

/* ---- digests ----------------------------------------------------------------------- */

#define BYTES_OF_A_DIGEST_UNIT 2u

static bool spend_digest(struct fx_text text, struct fx_err *err) {
    return fx_spend(64 + text.len / BYTES_OF_A_DIGEST_UNIT) || fx_fail_exceeded(err);
}

static bool give_hex(const uint8_t *digest, size_t len, json_t **ret_value,
                     struct fx_err *err) {
    struct fx_buf buf;
    jmespath_result_init(&buf);
    for (size_t i = 0; i < len; i++) {
        fx_buf_hex(&buf, digest[i], 2, false);
    }
    return fx_jmespath_give_buf(&buf, ret_value, err);
}

static bool call_md5(const struct fx_jmespath_call *call, json_t **ret_value,
                     struct fx_err *err) {
    const struct fx_text text = jmespath_argument_text(call, 0);
    uint8_t digest[FX_MD5_BYTES];
    if (!spend_digest(text, err)) {
        return false;
    }
    fx_md5(text, digest);
    return give_hex(digest, sizeof digest, ret_value, err);
}

static bool call_sha1(const struct fx_jmespath_call *call, json_t **ret_value,
                      struct fx_err *err) {
    const struct fx_text text = jmespath_argument_text(call, 0);
    uint8_t digest[FX_SHA1_BYTES];
    if (!spend_digest(text, err)) {
        return false;
    }
    fx_sha1(text, digest);
    return give_hex(digest, sizeof digest, ret_value, err);
}

static bool call_sha256(const struct fx_jmespath_call *call, json_t **ret_value,
                        struct fx_err *err) {
    const struct fx_text text = jmespath_argument_text(call, 0);
    uint8_t digest[FX_SHA256_BYTES];
    if (!spend_digest(text, err)) {
        return false;
    }
    fx_sha256(text, digest);
    return give_hex(digest, sizeof digest, ret_value, err);
}

/* ---- parsing ----------------------------------------------------------------------- */

static bool call_parse_json(const struct fx_jmespath_call *call, json_t **ret_value,
                            struct fx_err *err) {
    *ret_value = fx_json_read(jmespath_argument_text(call, 0), NULL, err);
    return *ret_value != NULL || jmespath_fail_argument(err);
}

#define UNITS_OF_A_YAML_READER 64u

/* Of several documents the first one counts; no document is null. */
static bool call_parse_yaml(const struct fx_jmespath_call *call, json_t **ret_value,
                            struct fx_err *err) {
    struct fx_yaml_reader *reader = NULL;
    json_t *document = NULL;
    if (!fx_spend(UNITS_OF_A_YAML_READER)) {
        return fx_fail_exceeded(err);
    }
    reader = fx_yaml_open(jmespath_argument_text(call, 0));
    if (reader == NULL) {
        return fx_fail_nomem(err);
    }
    const bool ok = fx_yaml_next(reader, NULL, &document, err);
    fx_yaml_close(reader);
    if (!ok) {
        return jmespath_fail_argument(err);
    }
    *ret_value = document == NULL ? json_null() : document;
    return true;
}

const struct fx_jmespath_function fx_jmespath_encoding_functions[] = {
    FX_JMESPATH_ROW("base64_encode", call_base64_encode, {.types = FX_JMESPATH_STRING}),
    FX_JMESPATH_ROW("base64_decode", call_base64_decode, {.types = FX_JMESPATH_STRING}),
    FX_JMESPATH_ROW("md5", call_md5, {.types = FX_JMESPATH_STRING}),
    FX_JMESPATH_ROW("sha1", call_sha1, {.types = FX_JMESPATH_STRING}),
    FX_JMESPATH_ROW("sha256", call_sha256, {.types = FX_JMESPATH_STRING}),
    FX_JMESPATH_ROW("parse_json", call_parse_json, {.types = FX_JMESPATH_STRING}),
    FX_JMESPATH_ROW("parse_yaml", call_parse_yaml, {.types = FX_JMESPATH_STRING}),
    {.name = NULL},
};
