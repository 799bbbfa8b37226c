/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/check.c - checks of PEM and namespace names, trimming.
 */
#include "kube/check.h"

#include <string.h>

#include "base/dns_name.h"

#define LABEL_MAX 63

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct fx_text fx_kube_trim(struct fx_text text) {
    while (text.len > 0 && is_blank(text.data[0])) {
        text.data++;
        text.len--;
    }
    while (text.len > 0 && is_blank(text.data[text.len - 1])) {
        text.len--;
    }
    return text;
}

bool fx_kube_check_pem(struct fx_text pem, struct fx_err *err) {
    if (pem.len > FX_KUBE_PEM_BYTES_MAX) {
        return fx_fail(err, FX_ELIMIT, "more than %u bytes", FX_KUBE_PEM_BYTES_MAX);
    }
    if (!fx_text_contains(pem, FX_TEXT("-----BEGIN ")) ||
        memchr(pem.data, '\0', pem.len) != NULL) {
        return fx_fail(err, FX_EINVALID, "not PEM");
    }
    return true;
}

bool fx_kube_check_namespace(struct fx_text name, struct fx_err *err) {
    const bool is_label = name.len <= LABEL_MAX && fx_dns_is_subdomain(name) &&
                          memchr(name.data, '.', name.len) == NULL;
    return is_label || fx_fail(err, FX_EINVALID, "not a valid namespace name");
}
