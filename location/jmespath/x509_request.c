/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/x509_request.c - requests for certificates (RFC 2986), as Go's
 * x509.CertificateRequest.
 */
#include "location/jmespath/x509.h"
#include "value/tree.h"

#define EXTENSION_REQUEST "1.2.840.113549.1.9.14"

/* ---- attributes -------------------------------------------------------------------- */

/* pair := SEQUENCE { object identifier, any value } */
static bool add_pair(struct x509_run *run, json_t *list, struct fx_text content) {
    struct fx_text oid;
    struct fx_text value;
    unsigned tag = 0;
    json_t *type = NULL;
    if (!fx_der_take(&content, FX_DER_OID, &oid) ||
        !fx_der_take_any(&content, &tag, &value, NULL) || !x509_oid_list(oid, &type)) {
        return false;
    }
    json_t *pair = json_object();
    x509_set(run, pair, "Type", type);
    x509_set(run, pair, "Value", x509_attribute_value(tag, value));
    run->failed |= !fx_tree_append_take(list, pair);
    return true;
}

/* SEQUENCE of pair */
static bool add_pairs(struct x509_run *run, json_t *lists, struct fx_text content) {
    json_t *list = json_array();
    bool ok = true;
    while (ok && content.len > 0) {
        struct fx_text pair;
        ok = fx_der_take(&content, FX_DER_SEQUENCE, &pair) && add_pair(run, list, pair);
    }
    run->failed |= !fx_tree_append_take(lists, list);
    return ok;
}

/* Lists the values of an attribute that are lists of pairs, as extensions are: others are
 * not listed, because Go does not show them either. */
static void add_attribute(struct x509_run *run, struct fx_text oid,
                          struct fx_text values) {
    json_t *lists = json_array();
    json_t *type = NULL;
    bool ok = true;
    while (ok && values.len > 0) {
        struct fx_text list;
        ok = fx_der_take(&values, FX_DER_SEQUENCE, &list) && add_pairs(run, lists, list);
    }
    if (!ok || !x509_oid_list(oid, &type)) {
        json_decref(lists);
        return;
    }
    json_t *attribute = json_object();
    x509_set(run, attribute, "Type", type);
    x509_set(run, attribute, "Value", lists);
    x509_append(run, run->object, "Attributes", attribute);
}

/* attribute := SEQUENCE { object identifier, SET of any value } */
static bool read_attribute(struct x509_run *run, struct fx_text content) {
    struct fx_text oid;
    struct fx_text values;
    struct fx_text extensions;
    if (!fx_der_take(&content, FX_DER_OID, &oid) ||
        !fx_der_take(&content, FX_DER_SET, &values)) {
        return x509_fail(run, "malformed attribute");
    }
    add_attribute(run, oid, values);
    if (!fx_der_oid_is(oid, EXTENSION_REQUEST)) {
        return true;
    }
    if (!fx_der_take(&values, FX_DER_SEQUENCE, &extensions)) {
        return x509_fail(run, "malformed extensions");
    }
    return x509_read_extensions(run, extensions, true);
}

/* [0] { attribute… } */
static bool read_attributes(struct x509_run *run, struct fx_text content) {
    struct fx_text attributes;
    struct fx_text attribute;
    if (!fx_der_take(&content, FX_DER_CONTEXT_CONSTRUCTED, &attributes)) {
        return x509_fail(run, "malformed attributes");
    }
    while (attributes.len > 0) {
        if (!fx_der_take(&attributes, FX_DER_SEQUENCE, &attribute)) {
            return x509_fail(run, "malformed attribute");
        }
        if (!read_attribute(run, attribute)) {
            return false;
        }
    }
    return true;
}

/* ---- requests ---------------------------------------------------------------------- */

static const char *const request_lists[] = {
    "Attributes",  "Extensions", "ExtraExtensions", "DNSNames", "EmailAddresses",
    "IPAddresses", "URIs",
};

static bool read_request(struct x509_run *run, struct fx_text der) {
    struct fx_text content;
    struct fx_text version;
    int64_t number = 0;
    for (size_t i = 0; i < FX_COUNT(request_lists); i++) {
        x509_set_null(run, request_lists[i]);
    }
    if (!x509_open_signed(run, der, "RawTBSCertificateRequest", &content)) {
        return false;
    }
    if (!fx_der_take(&content, FX_DER_INTEGER, &version) ||
        !fx_der_integer(version, &number)) {
        return x509_fail(run, "malformed version");
    }
    x509_set_integer(run, "Version", number);
    return x509_take_name(run, &content, "Subject", "RawSubject") &&
           x509_take_key(run, &content) && read_attributes(run, content);
}

bool x509_read_request(struct fx_text der, json_t **ret_value, struct fx_err *err) {
    struct x509_run run = {.object = json_object(), .err = err};
    return x509_finish(&run, read_request(&run, der), ret_value);
}
