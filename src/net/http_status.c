/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_status.c - from code to phrase.
 */
#include "net/http_status.h"

const char *fx_http_status_phrase(unsigned status) {
    switch (status) {
#define X(code, phrase) \
    case code: return phrase;
        FX_HTTP_STATUSES(X)
#undef X
    default: return "Unknown";
    }
}
