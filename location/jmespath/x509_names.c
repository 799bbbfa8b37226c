/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/x509_names.c - distinguished names, as Go's pkix.Name.
 */
#include "base/buf.h"
#include "location/jmespath/x509.h"
#include "value/tree.h"

/* The attributes that have a member: object identifier, member, is it a list? */
static const struct {
    const char *oid, *member;
    bool is_list;
} attributes[] = {
    {"2.5.4.6", "Country", true},
    {"2.5.4.10", "Organization", true},
    {"2.5.4.11", "OrganizationalUnit", true},
    {"2.5.4.7", "Locality", true},
    {"2.5.4.8", "Province", true},
    {"2.5.4.9", "StreetAddress", true},
    {"2.5.4.17", "PostalCode", true},
    {"2.5.4.5", "SerialNumber", false},
    {"2.5.4.3", "CommonName", false},
};

static json_t *new_name(struct x509_run *run) {
    json_t *name = json_object();
    for (size_t i = 0; i < FX_COUNT(attributes); i++) {
        x509_set(run, name, attributes[i].member,
                 attributes[i].is_list ? json_null() : x509_string(FX_TEXT("")));
    }
    x509_set(run, name, "Names", json_null());
    x509_set(run, name, "ExtraNames", json_null());
    return name;
}

/* ---- strings ----------------------------------------------------------------------- */

/* UTF-16 with the high byte first. */
static json_t *read_bmp(struct fx_text content) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    for (size_t i = 0; i + 1 < content.len; i += 2) {
        char bytes[4];
        const uint32_t rune = (uint32_t)(unsigned char)content.data[i] << 8 |
                              (unsigned char)content.data[i + 1];
        fx_buf_add(&buf, bytes, fx_text_encode_rune(rune, bytes));
    }
    json_t *string = buf.failed ? NULL : x509_string(fx_buf_view(&buf));
    fx_buf_finish(&buf);
    return string;
}

/* Reads a string of any type. False for a value of another type. */
static bool read_string(unsigned tag, struct fx_text content, json_t **ret_string) {
    switch (tag) {
    case FX_DER_UTF8_STRING:
    case FX_DER_NUMERIC_STRING:
    case FX_DER_PRINTABLE_STRING:
    case FX_DER_T61_STRING:
    case FX_DER_IA5_STRING: *ret_string = x509_string(content); return true;
    case FX_DER_BMP_STRING: *ret_string = read_bmp(content); return true;
    default: return false;
    }
}

json_t *x509_attribute_value(unsigned tag, struct fx_text content) {
    json_t *value = NULL;
    int64_t integer = 0;
    if (read_string(tag, content, &value)) {
        return value;
    }
    if (tag == FX_DER_OCTET_STRING) {
        return x509_base64(content);
    }
    if (tag == FX_DER_INTEGER && fx_der_integer(content, &integer)) {
        return json_integer(integer);
    }
    return json_null();
}

/* ---- attributes -------------------------------------------------------------------- */

/* Sets the member that the attribute has, if any. */
static void set_attribute(struct x509_run *run, json_t *name, struct fx_text oid,
                          json_t *value) {
    for (size_t i = 0; i < FX_COUNT(attributes); i++) {
        if (!fx_der_oid_is(oid, attributes[i].oid)) {
            continue;
        }
        if (attributes[i].is_list) {
            x509_append(run, name, attributes[i].member, json_incref(value));
        } else {
            x509_set(run, name, attributes[i].member, json_incref(value));
        }
    }
}

/* attribute := SEQUENCE { object identifier, string } */
static bool read_attribute(struct x509_run *run, json_t *name, struct fx_text content) {
    struct fx_text oid;
    struct fx_text text;
    unsigned tag = 0;
    json_t *type = NULL;
    json_t *value = NULL;
    if (!fx_der_take(&content, FX_DER_OID, &oid) ||
        !fx_der_take_any(&content, &tag, &text, NULL) || !x509_oid_list(oid, &type)) {
        return x509_fail(run, "malformed name");
    }
    if (!read_string(tag, text, &value)) {
        json_decref(type);
        return x509_fail(run, "a name has a value that is no string");
    }
    set_attribute(run, name, oid, value);
    json_t *pair = json_object();
    x509_set(run, pair, "Type", type);
    x509_set(run, pair, "Value", value);
    x509_append(run, name, "Names", pair);
    return true;
}

/* name := SEQUENCE of SET of attribute */
static bool read_sets(struct x509_run *run, json_t *name, struct fx_text content) {
    while (content.len > 0) {
        struct fx_text set;
        struct fx_text attribute;
        if (!fx_der_take(&content, FX_DER_SET, &set)) {
            return x509_fail(run, "malformed name");
        }
        while (set.len > 0) {
            if (!fx_der_take(&set, FX_DER_SEQUENCE, &attribute)) {
                return x509_fail(run, "malformed name");
            }
            if (!read_attribute(run, name, attribute)) {
                return false;
            }
        }
    }
    return true;
}

bool x509_read_name(struct x509_run *run, const char *name, struct fx_text content) {
    json_t *object = new_name(run);
    const bool ok = read_sets(run, object, content);
    x509_set(run, run->object, name, object);
    return ok;
}
