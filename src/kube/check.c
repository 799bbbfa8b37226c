/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/check.c - checks of PEM and namespace names, trimming.
 */
#include "kube/check.h"

#include <string.h>

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

static bool is_label_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

bool fx_kube_check_namespace(struct fx_text name, struct fx_err *err) {
    bool ok = name.len > 0 && name.len <= LABEL_MAX && name.data[0] != '-' &&
              name.data[name.len - 1] != '-';
    for (size_t i = 0; ok && i < name.len; i++) {
        ok = is_label_char(name.data[i]);
    }
    return ok || fx_fail(err, FX_EINVALID, "not a valid namespace name");
}
