/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/x509_certificate.c - certificates (RFC 5280), as Go's
 * x509.Certificate.
 */
#include "base/buf.h"
#include "base/date.h"
#include "location/jmespath/x509.h"
#include "value/number.h"
#include "value/tree.h"

static const char *const certificate_lists[] = {
    "Extensions",
    "ExtraExtensions",
    "UnhandledCriticalExtensions",
    "ExtKeyUsage",
    "UnknownExtKeyUsage",
    "SubjectKeyId",
    "AuthorityKeyId",
    "OCSPServer",
    "IssuingCertificateURL",
    "DNSNames",
    "EmailAddresses",
    "IPAddresses",
    "URIs",
    "PermittedDNSDomains",
    "ExcludedDNSDomains",
    "PermittedIPRanges",
    "ExcludedIPRanges",
    "PermittedEmailAddresses",
    "ExcludedEmailAddresses",
    "PermittedURIDomains",
    "ExcludedURIDomains",
    "CRLDistributionPoints",
    "PolicyIdentifiers",
    "Policies",
    "PolicyMappings",
    NULL,
};

static const char *const certificate_numbers[] = {
    "KeyUsage",
    "MaxPathLen",
    "InhibitAnyPolicy",
    "InhibitPolicyMapping",
    "RequireExplicitPolicy",
    NULL,
};

static const char *const certificate_booleans[] = {
    "BasicConstraintsValid",
    "IsCA",
    "MaxPathLenZero",
    "PermittedDNSDomainsCritical",
    "InhibitAnyPolicyZero",
    "InhibitPolicyMappingZero",
    "RequireExplicitPolicyZero",
    NULL,
};

/* Sets what no extension may set. */
static void set_certificate_defaults(struct x509_run *run) {
    for (size_t i = 0; certificate_lists[i] != NULL; i++) {
        x509_set_null(run, certificate_lists[i]);
    }
    for (size_t i = 0; certificate_numbers[i] != NULL; i++) {
        x509_set_integer(run, certificate_numbers[i], 0);
    }
    for (size_t i = 0; certificate_booleans[i] != NULL; i++) {
        x509_set_boolean(run, certificate_booleans[i], false);
    }
}

/* [0] { INTEGER } default 0, INTEGER */
static bool take_version_and_serial(struct x509_run *run, struct fx_text *from) {
    struct fx_text version;
    struct fx_text content;
    struct fx_text serial;
    struct fx_buf buf;
    int64_t number = 0;
    bool overflows = false;
    if (!fx_der_take_optional(from, FX_DER_CONTEXT_CONSTRUCTED, &version) ||
        (version.data != NULL && (!fx_der_take(&version, FX_DER_INTEGER, &content) ||
                                  !fx_der_integer(content, &number))) ||
        number < 0 || number > 2 || !fx_der_take(from, FX_DER_INTEGER, &serial)) {
        return x509_fail(run, "malformed version or serial number");
    }
    x509_set_integer(run, "Version", number + 1);
    fx_buf_init(&buf, 0);
    const bool ok = x509_integer_text(serial, &buf);
    json_t *value =
        ok && !buf.failed ? fx_number_parse(fx_buf_view(&buf), &overflows) : NULL;
    fx_buf_finish(&buf);
    if (!ok || overflows) {
        return x509_fail(run, "malformed version or serial number");
    }
    x509_set(run, run->object, "SerialNumber", value);
    return true;
}

#define LAST_YEAR_OF_CENTURY 50 /* two digits from here on are 19xx */

/* `YYMMDDhhmmssZ`, or with four digits of the year. */
static bool read_moment(struct fx_text text, bool is_long, int64_t *ret_seconds) {
    int parts[6] = {0};
    static const int most[6] = {9999, 12, 31, 23, 59, 59};
    for (size_t i = 0; i < FX_COUNT(parts); i++) {
        const size_t digits = i == 0 && is_long ? 4 : 2;
        if (!fx_date_take(&text, digits, digits, i == 1 || i == 2 ? 1 : 0, most[i],
                          &parts[i])) {
            return false;
        }
    }
    if (!is_long) {
        parts[0] += parts[0] < LAST_YEAR_OF_CENTURY ? 2000 : 1900;
    }
    *ret_seconds =
        fx_date_seconds(parts[0], parts[1], parts[2], parts[3], parts[4], parts[5]);
    return fx_text_is(text, "Z") && parts[2] <= fx_date_days_of_month(parts[0], parts[1]);
}

static bool take_moment(struct x509_run *run, struct fx_text *from, const char *name) {
    struct fx_text text;
    unsigned tag = 0;
    int64_t seconds = 0;
    char printed[FX_DATE];
    if (!fx_der_take_any(from, &tag, &text, NULL) ||
        (tag != FX_DER_UTC_TIME && tag != FX_DER_GENERALIZED_TIME) ||
        !read_moment(text, tag == FX_DER_GENERALIZED_TIME, &seconds)) {
        return x509_fail(run, "malformed validity");
    }
    fx_date_print(seconds, printed);
    x509_set(run, run->object, name, x509_string(fx_text_of(printed)));
    return true;
}

static bool take_validity(struct x509_run *run, struct fx_text *from) {
    struct fx_text validity;
    if (!fx_der_take(from, FX_DER_SEQUENCE, &validity)) {
        return x509_fail(run, "malformed validity");
    }
    return take_moment(run, &validity, "NotBefore") &&
           take_moment(run, &validity, "NotAfter");
}

/* [1] and [2], which nobody uses, then [3] { SEQUENCE of extension } */
static bool take_extensions(struct x509_run *run, struct fx_text *from) {
    struct fx_text ignored;
    struct fx_text tagged;
    struct fx_text extensions;
    if (!fx_der_take_optional(from, FX_DER_CONTEXT + 1, &ignored) ||
        !fx_der_take_optional(from, FX_DER_CONTEXT + 2, &ignored) ||
        !fx_der_take_optional(from, FX_DER_CONTEXT_CONSTRUCTED + 3, &tagged)) {
        return x509_fail(run, "malformed extensions");
    }
    if (tagged.data == NULL) {
        return true;
    }
    if (!fx_der_take(&tagged, FX_DER_SEQUENCE, &extensions)) {
        return x509_fail(run, "malformed extensions");
    }
    return x509_read_extensions(run, extensions, false);
}

static bool read_certificate(struct x509_run *run, struct fx_text der) {
    struct fx_text content;
    struct fx_text algorithm;
    set_certificate_defaults(run);
    if (!x509_open_signed(run, der, "RawTBSCertificate", &content) ||
        !take_version_and_serial(run, &content)) {
        return false;
    }
    if (!fx_der_take(&content, FX_DER_SEQUENCE, &algorithm)) {
        return x509_fail(run, "malformed algorithm of the signature");
    }
    return x509_take_name(run, &content, "Issuer", "RawIssuer") &&
           take_validity(run, &content) &&
           x509_take_name(run, &content, "Subject", "RawSubject") &&
           x509_take_key(run, &content) && take_extensions(run, &content);
}

bool x509_read_certificate(struct fx_text der, json_t **ret_value, struct fx_err *err) {
    struct x509_run run = {.object = json_object(), .err = err};
    return x509_finish(&run, read_certificate(&run, der), ret_value);
}
