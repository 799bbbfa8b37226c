/* SPDX-License-Identifier: Apache-2.0
 *
 * server/timeout.c - the timeout of a request, and the part of it that a review may use.
 */
#include "server/timeout.h"

#include "base/err.h"
#include "location/go/time.h"

/* Removes `bytes` bytes from the front. */
static struct fx_text skip(struct fx_text text, size_t bytes) {
    return (struct fx_text){text.data + bytes, text.len - bytes};
}

/* The value of `timeout` in "a=b&timeout=5s"; empty if there is none. */
static struct fx_text timeout_of(struct fx_text query) {
    const struct fx_text name = FX_TEXT("timeout=");
    while (query.len > 0) {
        size_t length = 0;
        while (length < query.len && query.data[length] != '&') {
            length++;
        }
        const struct fx_text pair = {query.data, length};
        if (fx_text_starts(pair, name)) {
            return skip(pair, name.len);
        }
        query = skip(query, length < query.len ? length + 1 : length);
    }
    return (struct fx_text){0};
}

bool fx_timeout_budget_ns(struct fx_text query, uint64_t default_ms, uint64_t *ret_ns) {
    const struct fx_text given = timeout_of(query);
    struct fx_err ignored = FX_ERR_INIT; /* the response has a message of its own */
    int64_t ns = 0;
    if (given.len > 0 && (!fx_go_duration_parse(given, &ns, &ignored) || ns < 0)) {
        return false;
    }
    *ret_ns = ns == 0 ? default_ms * (uint64_t)FX_GO_MILLISECOND
                      : (uint64_t)(ns > FX_GO_MINUTE ? FX_GO_MINUTE : ns) / 5 * 4;
    return true;
}
