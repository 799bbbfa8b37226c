/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/x509_parts.c - what certificates and requests have in common.
 */
#include "base/buf.h"
#include "location/jmespath/x509.h"
#include "value/tree.h"

/* ---- algorithms -------------------------------------------------------------------- */

#define RSA_PSS "1.2.840.113549.1.1.10"
#define RSA_KEY "1.2.840.113549.1.1.1"

/* Go's constants of signature algorithms; any other is 0. */
static const struct {
    const char *oid;
    int constant;
} algorithms[] = {
    {"1.2.840.113549.1.1.4", 2},  {"1.2.840.113549.1.1.5", 3},
    {"1.3.14.3.2.29", 3},         {"1.2.840.113549.1.1.11", 4},
    {"1.2.840.113549.1.1.12", 5}, {"1.2.840.113549.1.1.13", 6},
    {"1.2.840.10040.4.3", 7},     {"2.16.840.1.101.3.4.3.2", 8},
    {"1.2.840.10045.4.1", 9},     {"1.2.840.10045.4.3.2", 10},
    {"1.2.840.10045.4.3.3", 11},  {"1.2.840.10045.4.3.4", 12},
    {"1.3.101.112", 16},
};

#define PSS_CONSTANT 13 /* with SHA-256; SHA-384 and SHA-512 follow */

/* The hashes of RSA-PSS, and the length of their salts. */
static const struct {
    const char *oid;
    int64_t salt;
} pss_hashes[] = {
    {"2.16.840.1.101.3.4.2.1", 32},
    {"2.16.840.1.101.3.4.2.2", 48},
    {"2.16.840.1.101.3.4.2.3", 64},
};

/* parameters := SEQUENCE { [0] { hash } [1] { mask function } [2] { INTEGER } }; 0 if
 * they are not those of a constant. */
static int pss_constant(struct fx_text parameters) {
    struct fx_text content;
    struct fx_text hash;
    struct fx_text mask;
    struct fx_text salt;
    struct fx_text algorithm;
    struct fx_text oid;
    struct fx_text integer;
    int64_t length = 0;
    if (!fx_der_take(&parameters, FX_DER_SEQUENCE, &content) ||
        !fx_der_take(&content, FX_DER_CONTEXT_CONSTRUCTED, &hash) ||
        !fx_der_take(&content, FX_DER_CONTEXT_CONSTRUCTED + 1, &mask) ||
        !fx_der_take(&content, FX_DER_CONTEXT_CONSTRUCTED + 2, &salt) ||
        !fx_der_take(&hash, FX_DER_SEQUENCE, &algorithm) ||
        !fx_der_take(&algorithm, FX_DER_OID, &oid) ||
        !fx_der_take(&salt, FX_DER_INTEGER, &integer) ||
        !fx_der_integer(integer, &length)) {
        return 0;
    }
    for (size_t i = 0; i < FX_COUNT(pss_hashes); i++) {
        if (fx_der_oid_is(oid, pss_hashes[i].oid)) {
            return length == pss_hashes[i].salt ? PSS_CONSTANT + (int)i : 0;
        }
    }
    return 0;
}

/* Reads SEQUENCE { object identifier, parameters }, without its head. */
static bool set_signature_algorithm(struct x509_run *run, struct fx_text content) {
    struct fx_text oid;
    int constant = 0;
    if (!fx_der_take(&content, FX_DER_OID, &oid)) {
        return x509_fail(run, "malformed algorithm of the signature");
    }
    for (size_t i = 0; i < FX_COUNT(algorithms); i++) {
        constant =
            fx_der_oid_is(oid, algorithms[i].oid) ? algorithms[i].constant : constant;
    }
    x509_set_integer(run, "SignatureAlgorithm",
                     fx_der_oid_is(oid, RSA_PSS) ? pss_constant(content) : constant);
    return true;
}

/* ---- keys -------------------------------------------------------------------------- */

/* key := SEQUENCE { INTEGER modulus, INTEGER exponent } */
static bool set_rsa_key(struct x509_run *run, struct fx_text key) {
    struct fx_text content;
    struct fx_text modulus;
    struct fx_text exponent;
    struct fx_buf buf;
    int64_t number = 0;
    if (!fx_der_take(&key, FX_DER_SEQUENCE, &content) ||
        !fx_der_take(&content, FX_DER_INTEGER, &modulus) ||
        !fx_der_take(&content, FX_DER_INTEGER, &exponent) ||
        !fx_der_integer(exponent, &number)) {
        return x509_fail(run, "malformed RSA key");
    }
    fx_buf_init(&buf, 0);
    if (!x509_integer_text(modulus, &buf)) {
        fx_buf_finish(&buf);
        return x509_fail(run, "the RSA key is too long");
    }
    json_t *object = json_object();
    x509_set(run, object, "N", buf.failed ? NULL : x509_string(fx_buf_view(&buf)));
    x509_set(run, object, "E", json_integer(number));
    x509_set(run, run->object, "PublicKey", object);
    x509_set_integer(run, "PublicKeyAlgorithm", 1); /* RSA */
    fx_buf_finish(&buf);
    return true;
}

/* Takes SEQUENCE { SEQUENCE { object identifier, … }, BIT STRING key }. */
bool x509_take_key(struct x509_run *run, struct fx_text *from) {
    struct fx_text info;
    struct fx_text whole;
    struct fx_text algorithm;
    struct fx_text oid;
    struct fx_text key;
    unsigned tag = 0;
    unsigned unused = 0;
    if (!fx_der_take_any(from, &tag, &info, &whole) || tag != FX_DER_SEQUENCE ||
        !fx_der_take(&info, FX_DER_SEQUENCE, &algorithm) ||
        !fx_der_take(&algorithm, FX_DER_OID, &oid) ||
        !fx_der_take_bits(&info, &key, &unused)) {
        return x509_fail(run, "malformed public key");
    }
    x509_set_bytes(run, "RawSubjectPublicKeyInfo", whole);
    if (!fx_der_oid_is(oid, RSA_KEY)) {
        return fx_fail(run->err, FX_EINVALID, "the key of the certificate is not RSA");
    }
    return set_rsa_key(run, key);
}

/* ---- parts of both ----------------------------------------------------------------- */

/* Takes a name. `raw` is the member for its bytes. */
bool x509_take_name(struct x509_run *run, struct fx_text *from, const char *name,
                    const char *raw) {
    struct fx_text content;
    struct fx_text whole;
    unsigned tag = 0;
    if (!fx_der_take_any(from, &tag, &content, &whole) || tag != FX_DER_SEQUENCE) {
        return x509_fail(run, "malformed name");
    }
    x509_set_bytes(run, raw, whole);
    return x509_read_name(run, name, content);
}

/* Opens SEQUENCE { SEQUENCE what is signed, SEQUENCE algorithm, BIT STRING signature }.
 */
bool x509_open_signed(struct x509_run *run, struct fx_text der, const char *raw,
                      struct fx_text *ret_content) {
    struct fx_text outer;
    struct fx_text whole;
    struct fx_text algorithm;
    struct fx_text signature;
    unsigned tag = 0;
    unsigned unused = 0;
    if (!fx_der_take_any(&der, &tag, &outer, &whole) || tag != FX_DER_SEQUENCE ||
        der.len > 0) {
        return x509_fail(run, "malformed certificate");
    }
    x509_set_bytes(run, "Raw", whole);
    if (!fx_der_take_any(&outer, &tag, ret_content, &whole) || tag != FX_DER_SEQUENCE ||
        !fx_der_take(&outer, FX_DER_SEQUENCE, &algorithm) ||
        !fx_der_take_bits(&outer, &signature, &unused) || outer.len > 0) {
        return x509_fail(run, "malformed certificate");
    }
    x509_set_bytes(run, raw, whole);
    x509_set_bytes(run, "Signature", signature);
    return set_signature_algorithm(run, algorithm);
}

/* Gives the result, or reports what failed. */
bool x509_finish(struct x509_run *run, bool ok, json_t **ret_value) {
    ok = ok && !run->failed;
    if (run->failed) {
        (void)fx_fail_nomem(run->err);
    }
    *ret_value = fx_tree_keep_if(ok, run->object);
    return ok;
}
