/* SPDX-License-Identifier: Apache-2.0
 *
 * base/dns_name.c - label ('.' label)*, label := [a-z0-9]([-a-z0-9]*[a-z0-9])?
 */
#include "base/dns_name.h"

#define MOST_BYTES 253u

static bool is_alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* Each label has at least one character, and begins and ends with a letter or digit. */
bool fx_dns_is_subdomain(struct fx_text name) {
    bool may_end = false; /* the last character was a letter or digit */
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.data[i];
        const bool starts = i == 0 || name.data[i - 1] == '.';
        if (is_alphanumeric(c)) {
            may_end = true;
        } else if ((c == '-' && !starts) || (c == '.' && may_end)) {
            may_end = false;
        } else {
            return false;
        }
    }
    return may_end && name.len <= MOST_BYTES;
}
