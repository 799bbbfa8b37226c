/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/x509_extensions.c - the extensions of certificates (RFC 5280 section
 * 4.2), as Go reads them.
 */
#include "location/jmespath/x509.h"
#include "value/tree.h"

/* One extension. */
struct x509_extension {
    struct fx_text oid, value;
    bool is_critical;
};

/* Reads the value. *ret_handled is true at first. Errors: FX_EINVALID. */
typedef bool reader(struct x509_run *run, const struct x509_extension *extension,
                    bool *ret_handled);

/* ---- usage ------------------------------------------------------------------------- */

#define USAGES 9u

static bool read_key_usage(struct x509_run *run, const struct x509_extension *extension,
                           bool *ret_handled) {
    struct fx_text value = extension->value;
    struct fx_text bytes;
    unsigned unused = 0;
    int64_t usage = 0;
    (void)ret_handled;
    if (!fx_der_take_bits(&value, &bytes, &unused)) {
        return x509_fail(run, "malformed key usage");
    }
    for (unsigned i = 0; i < USAGES && i / 8 < bytes.len; i++) {
        const unsigned byte = (unsigned char)bytes.data[i / 8];
        usage |= (int64_t)(byte >> (7 - i % 8) & 1) << i;
    }
    x509_set_integer(run, "KeyUsage", usage);
    return true;
}

/* The purposes in the order of Go's constants. */
static const char *const purposes[] = {
    "2.5.29.37.0",
    "1.3.6.1.5.5.7.3.1",
    "1.3.6.1.5.5.7.3.2",
    "1.3.6.1.5.5.7.3.3",
    "1.3.6.1.5.5.7.3.4",
    "1.3.6.1.5.5.7.3.5",
    "1.3.6.1.5.5.7.3.6",
    "1.3.6.1.5.5.7.3.7",
    "1.3.6.1.5.5.7.3.8",
    "1.3.6.1.5.5.7.3.9",
    "1.3.6.1.4.1.311.10.3.3",
    "2.16.840.1.113730.4.1",
    "1.3.6.1.4.1.311.2.1.22",
    "1.3.6.1.4.1.311.61.1.1",
};

static bool add_purpose(struct x509_run *run, struct fx_text oid) {
    json_t *list = NULL;
    for (size_t i = 0; i < FX_COUNT(purposes); i++) {
        if (fx_der_oid_is(oid, purposes[i])) {
            x509_append(run, run->object, "ExtKeyUsage", json_integer((json_int_t)i));
            return true;
        }
    }
    if (!x509_oid_list(oid, &list)) {
        return x509_fail(run, "malformed extended key usage");
    }
    x509_append(run, run->object, "UnknownExtKeyUsage", list);
    return true;
}

static bool read_purposes(struct x509_run *run, const struct x509_extension *extension,
                          bool *ret_handled) {
    struct fx_text value = extension->value;
    struct fx_text oids;
    struct fx_text oid;
    (void)ret_handled;
    if (!fx_der_take(&value, FX_DER_SEQUENCE, &oids)) {
        return x509_fail(run, "malformed extended key usage");
    }
    while (oids.len > 0) {
        if (!fx_der_take(&oids, FX_DER_OID, &oid)) {
            return x509_fail(run, "malformed extended key usage");
        }
        if (!add_purpose(run, oid)) {
            return false;
        }
    }
    return true;
}

/* SEQUENCE { BOOLEAN default false, INTEGER optional } */
static bool read_basic_constraints(struct x509_run *run,
                                   const struct x509_extension *extension,
                                   bool *ret_handled) {
    struct fx_text value = extension->value;
    struct fx_text constraints;
    struct fx_text ca;
    struct fx_text length;
    bool is_ca = false;
    int64_t most = -1;
    (void)ret_handled;
    if (!fx_der_take(&value, FX_DER_SEQUENCE, &constraints) ||
        !fx_der_take_optional(&constraints, FX_DER_BOOLEAN, &ca) ||
        !fx_der_take_optional(&constraints, FX_DER_INTEGER, &length) ||
        (ca.data != NULL && !fx_der_boolean(ca, &is_ca)) ||
        (length.data != NULL && !fx_der_integer(length, &most))) {
        return x509_fail(run, "malformed basic constraints");
    }
    x509_set_boolean(run, "BasicConstraintsValid", true);
    x509_set_boolean(run, "IsCA", is_ca);
    x509_set_integer(run, "MaxPathLen", most);
    x509_set_boolean(run, "MaxPathLenZero", most == 0);
    return true;
}

/* ---- identifiers of keys ----------------------------------------------------------- */

static bool read_subject_key(struct x509_run *run, const struct x509_extension *extension,
                             bool *ret_handled) {
    struct fx_text value = extension->value;
    struct fx_text id;
    (void)ret_handled;
    if (!fx_der_take(&value, FX_DER_OCTET_STRING, &id)) {
        return x509_fail(run, "malformed identifier of the subject's key");
    }
    x509_set_bytes(run, "SubjectKeyId", id);
    return true;
}

static bool read_authority_key(struct x509_run *run,
                               const struct x509_extension *extension,
                               bool *ret_handled) {
    struct fx_text value = extension->value;
    struct fx_text parts;
    struct fx_text id;
    (void)ret_handled;
    if (!fx_der_take(&value, FX_DER_SEQUENCE, &parts) ||
        !fx_der_take_optional(&parts, FX_DER_CONTEXT, &id)) {
        return x509_fail(run, "malformed identifier of the issuer's key");
    }
    x509_set_bytes(run, "AuthorityKeyId", id);
    return true;
}

/* ---- policies ---------------------------------------------------------------------- */

static bool add_policy(struct x509_run *run, struct fx_text oid) {
    json_t *list = NULL;
    json_t *text = NULL;
    if (!x509_oid_list(oid, &list)) {
        return x509_fail(run, "malformed policies");
    }
    x509_append(run, run->object, "PolicyIdentifiers", list);
    (void)x509_oid_text(oid, &text);
    x509_append(run, run->object, "Policies", text);
    return true;
}

/* SEQUENCE of SEQUENCE { object identifier, … } */
static bool read_policies(struct x509_run *run, const struct x509_extension *extension,
                          bool *ret_handled) {
    struct fx_text value = extension->value;
    struct fx_text policies;
    (void)ret_handled;
    if (!fx_der_take(&value, FX_DER_SEQUENCE, &policies)) {
        return x509_fail(run, "malformed policies");
    }
    while (policies.len > 0) {
        struct fx_text policy;
        struct fx_text oid;
        if (!fx_der_take(&policies, FX_DER_SEQUENCE, &policy) ||
            !fx_der_take(&policy, FX_DER_OID, &oid)) {
            return x509_fail(run, "malformed policies");
        }
        if (!add_policy(run, oid)) {
            return false;
        }
    }
    return true;
}

/* SEQUENCE of SEQUENCE { object identifier, object identifier } */
static bool read_policy_mappings(struct x509_run *run,
                                 const struct x509_extension *extension,
                                 bool *ret_handled) {
    struct fx_text value = extension->value;
    struct fx_text mappings;
    (void)ret_handled;
    if (!fx_der_take(&value, FX_DER_SEQUENCE, &mappings)) {
        return x509_fail(run, "malformed mappings of policies");
    }
    while (mappings.len > 0) {
        struct fx_text mapping;
        struct fx_text issuer;
        struct fx_text subject;
        json_t *issuer_text = NULL;
        json_t *subject_text = NULL;
        if (!fx_der_take(&mappings, FX_DER_SEQUENCE, &mapping) ||
            !fx_der_take(&mapping, FX_DER_OID, &issuer) ||
            !fx_der_take(&mapping, FX_DER_OID, &subject) ||
            !x509_oid_text(issuer, &issuer_text)) {
            return x509_fail(run, "malformed mappings of policies");
        }
        if (!x509_oid_text(subject, &subject_text)) {
            json_decref(issuer_text);
            return x509_fail(run, "malformed mappings of policies");
        }
        json_t *object = json_object();
        x509_set(run, object, "IssuerDomainPolicy", issuer_text);
        x509_set(run, object, "SubjectDomainPolicy", subject_text);
        x509_append(run, run->object, "PolicyMappings", object);
    }
    return true;
}

/* Sets a number of certificates, and whether it is 0. */
static bool set_skip(struct x509_run *run, struct fx_text content, const char *name,
                     const char *zero_name) {
    int64_t skip = 0;
    if (content.data == NULL) {
        return true;
    }
    if (!fx_der_integer(content, &skip)) {
        return x509_fail(run, "malformed constraints of policies");
    }
    x509_set_integer(run, name, skip);
    x509_set_boolean(run, zero_name, skip == 0);
    return true;
}

/* SEQUENCE { [0] INTEGER optional, [1] INTEGER optional } */
static bool read_policy_constraints(struct x509_run *run,
                                    const struct x509_extension *extension,
                                    bool *ret_handled) {
    struct fx_text value = extension->value;
    struct fx_text constraints;
    struct fx_text explicit_policy;
    struct fx_text mapping;
    (void)ret_handled;
    if (!fx_der_take(&value, FX_DER_SEQUENCE, &constraints) ||
        !fx_der_take_optional(&constraints, FX_DER_CONTEXT, &explicit_policy) ||
        !fx_der_take_optional(&constraints, FX_DER_CONTEXT + 1, &mapping)) {
        return x509_fail(run, "malformed constraints of policies");
    }
    return set_skip(run, explicit_policy, "RequireExplicitPolicy",
                    "RequireExplicitPolicyZero") &&
           set_skip(run, mapping, "InhibitPolicyMapping", "InhibitPolicyMappingZero");
}

static bool read_inhibit_any(struct x509_run *run, const struct x509_extension *extension,
                             bool *ret_handled) {
    struct fx_text value = extension->value;
    struct fx_text skip;
    (void)ret_handled;
    if (!fx_der_take(&value, FX_DER_INTEGER, &skip)) {
        return x509_fail(run, "malformed constraints of policies");
    }
    return set_skip(run, skip, "InhibitAnyPolicy", "InhibitAnyPolicyZero");
}

/* ---- general names ----------------------------------------------------------------- */

static bool read_alternatives(struct x509_run *run,
                              const struct x509_extension *extension, bool *ret_handled) {
    return x509_read_alternatives(run, extension->value, ret_handled);
}

static bool read_constraints(struct x509_run *run, const struct x509_extension *extension,
                             bool *ret_handled) {
    return x509_read_constraints(run, extension->value, extension->is_critical,
                                 ret_handled);
}

static bool read_distribution(struct x509_run *run,
                              const struct x509_extension *extension, bool *ret_handled) {
    (void)ret_handled;
    return x509_read_distribution(run, extension->value);
}

static bool read_authority(struct x509_run *run, const struct x509_extension *extension,
                           bool *ret_handled) {
    (void)ret_handled;
    return x509_read_authority(run, extension->value);
}

/* ---- all --------------------------------------------------------------------------- */

static const struct {
    const char *oid;
    reader *read;
    bool of_requests;
} extensions[] = {
    {"2.5.29.14", read_subject_key, false},
    {"2.5.29.15", read_key_usage, false},
    {"2.5.29.17", read_alternatives, true},
    {"2.5.29.19", read_basic_constraints, false},
    {"2.5.29.30", read_constraints, false},
    {"2.5.29.31", read_distribution, false},
    {"2.5.29.32", read_policies, false},
    {"2.5.29.33", read_policy_mappings, false},
    {"2.5.29.35", read_authority_key, false},
    {"2.5.29.36", read_policy_constraints, false},
    {"2.5.29.37", read_purposes, false},
    {"2.5.29.54", read_inhibit_any, false},
    {"1.3.6.1.5.5.7.1.1", read_authority, false},
};

/* Reads the value if the extension is known. A critical one that is not is listed. */
static bool read_value(struct x509_run *run, const struct x509_extension *extension,
                       bool is_request) {
    bool handled = false;
    json_t *oid = NULL;
    for (size_t i = 0; i < FX_COUNT(extensions); i++) {
        if ((is_request && !extensions[i].of_requests) ||
            !fx_der_oid_is(extension->oid, extensions[i].oid)) {
            continue;
        }
        handled = true;
        if (!extensions[i].read(run, extension, &handled)) {
            return false;
        }
    }
    if (!handled && extension->is_critical && !is_request) {
        (void)x509_oid_list(extension->oid, &oid);
        x509_append(run, run->object, "UnhandledCriticalExtensions", oid);
    }
    return true;
}

/* SEQUENCE { object identifier, BOOLEAN default false, OCTET STRING } */
static bool read_extension(struct x509_run *run, struct fx_text content,
                           bool is_request) {
    struct x509_extension extension = {.is_critical = false};
    struct fx_text critical;
    json_t *oid = NULL;
    if (!fx_der_take(&content, FX_DER_OID, &extension.oid) ||
        !fx_der_take_optional(&content, FX_DER_BOOLEAN, &critical) ||
        (critical.data != NULL && !fx_der_boolean(critical, &extension.is_critical)) ||
        !fx_der_take(&content, FX_DER_OCTET_STRING, &extension.value) ||
        !x509_oid_list(extension.oid, &oid)) {
        return x509_fail(run, "malformed extension");
    }
    json_t *object = json_object();
    x509_set(run, object, "Id", oid);
    x509_set(run, object, "Critical", json_boolean(extension.is_critical));
    x509_set(run, object, "Value", x509_base64(extension.value));
    x509_append(run, run->object, "Extensions", object);
    return read_value(run, &extension, is_request);
}

bool x509_read_extensions(struct x509_run *run, struct fx_text content, bool is_request) {
    struct fx_text extension;
    while (content.len > 0) {
        if (!fx_der_take(&content, FX_DER_SEQUENCE, &extension)) {
            return x509_fail(run, "malformed extension");
        }
        if (!read_extension(run, extension, is_request)) {
            return false;
        }
    }
    return true;
}
