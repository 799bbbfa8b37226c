/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_self_signed.c - a server's certificate, made here and now, under an authority
 * whose key nobody keeps.
 */
#include "net/tls.h"

#include <time.h>

#include "net/tls_issue.h"

#define DAY INT64_C(86400)

/* From an hour ago, since clocks differ, for a year. */
static struct fx_tls_dates year_from_now(void) {
    const int64_t from = (int64_t)time(NULL) - 3600;
    return (struct fx_tls_dates){from, from + 365 * DAY};
}

static struct fx_text text_of(const struct fx_buf *buf) {
    return (struct fx_text){buf->data, buf->len};
}

struct fx_tls_config *fx_tls_config_self_signed(const char *const *names, size_t n_names,
                                                struct fx_err *err) {
    const struct fx_tls_dates dates = year_from_now();
    struct fx_tls_pair ca = {0};
    struct fx_tls_pair leaf = {0};
    struct fx_tls_config *config = NULL;
    if (fx_tls_issue_authority("fixpoint CA", dates, &ca, err) &&
        fx_tls_issue_leaf(text_of(&ca.cert), text_of(&ca.key), names, n_names, dates,
                          &leaf, err)) {
        fx_buf_text(&leaf.cert, text_of(&ca.cert));
        if (leaf.cert.failed) {
            (void)fx_fail_nomem(err);
        } else {
            config = fx_tls_config_server(text_of(&leaf.cert), text_of(&leaf.key), err);
        }
    }
    fx_tls_pair_finish(&ca);
    fx_tls_pair_finish(&leaf);
    return config;
}
