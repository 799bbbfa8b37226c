/* SPDX-License-Identifier: Apache-2.0
 *
 * base/dns_name.h - names of Kubernetes objects (RFC 1123).
 */
#ifndef FX_BASE_DNS_NAME_H
#define FX_BASE_DNS_NAME_H

#include <stdbool.h>

#include "base/text.h"

/* Is the name a subdomain: labels of lower case letters, digits and inner dashes, with
 * dots between them, at most 253 bytes? Nearly all names of objects are. Such a name
 * needs no escapes in a path. */
bool fx_dns_is_subdomain(struct fx_text name);

#endif
