/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/formats.h - private to the room: the formats that format.named()
 * knows, and what is wrong with a text.
 */
#ifndef FX_LOCATION_CEL_LIBRARY_FORMATS_H
#define FX_LOCATION_CEL_LIBRARY_FORMATS_H

#include "location/cel/run.h"

/* Constant, function here, name in expressions behind "format.", name of the value, and a
 * quarter of the size of the regular expression that Kubernetes says it uses: what
 * validate() costs for each traversal of the text. */
#define FX_CEL_FORMATS(X)                                                               \
    X(DNS1123_LABEL, dns1123_label, "dns1123Label", "DNS1123Label", 8)                  \
    X(DNS1123_SUBDOMAIN, dns1123_subdomain, "dns1123Subdomain", "DNS1123Subdomain", 15) \
    X(DNS1035_LABEL, dns1035_label, "dns1035Label", "DNS1035Label", 8)                  \
    X(QUALIFIED_NAME, qualified_name, "qualifiedName", "QualifiedName", 15)             \
    X(DNS1123_LABEL_PREFIX, dns1123_label_prefix, "dns1123LabelPrefix",                 \
      "DNS1123LabelPrefix", 8)                                                          \
    X(DNS1123_SUBDOMAIN_PREFIX, dns1123_subdomain_prefix, "dns1123SubdomainPrefix",     \
      "DNS1123SubdomainPrefix", 15)                                                     \
    X(DNS1035_LABEL_PREFIX, dns1035_label_prefix, "dns1035LabelPrefix",                 \
      "DNS1035LabelPrefix", 8)                                                          \
    X(LABEL_VALUE, label_value, "labelValue", "LabelValue", 10)                         \
    X(URI, uri, "uri", "URI", 276)                                                      \
    X(UUID, uuid, "uuid", "uuid", 18)                                                   \
    X(BYTE, byte, "byte", "byte", 21)                                                   \
    X(DATE, date, "date", "date", 18)                                                   \
    X(DATETIME, datetime, "datetime", "datetime", 18)

enum fx_cel_format_number {
#define X(constant, stem, function, name, factor) FX_CEL_FORMAT_##constant,
    FX_CEL_FORMATS(X)
#undef X
};

/* Appends what is wrong with the text to the list of messages; nothing for a valid text.
 * False with run->err (FX_ENOMEM). */
bool fx_cel_format_validate(struct fx_cel_run *run, enum fx_cel_format_number format,
                            struct fx_text text,
                            struct fx_cel_value messages) FX_MUST_USE;

/* Is it a label (a subdomain) of DNS as names of Kubernetes are, RFC 1123? */
bool fx_cel_is_dns_label(struct fx_text text);
bool fx_cel_is_dns_subdomain(struct fx_text text);

#endif
