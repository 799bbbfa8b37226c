/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/url_fuzz.c - a URL prints as one that prints the same; hostname and port
 * are parts of the host.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "location/go/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_failure(const struct fx_err *err) {
    assert(err->code == FX_EMUTATE && err->msg[0] != '\0');
}

static bool print(struct fx_buf *buf, struct fx_text text) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_go_url url;
    char *room = malloc(text.len + 1);
    fx_buf_init(buf, 0);
    assert(room != NULL);
    const bool ok = fx_go_url_parse(text, room, &url, &err);
    if (ok) {
        assert(fx_go_url_hostname(&url).len + fx_go_url_port(&url).len <= url.host.len);
        fx_go_url_print(buf, &url);
    }
    free(room);
    return ok;
}

static void check_query(struct fx_text text) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    assert(fx_go_url_unescape_query(&buf, text) ? buf.len <= text.len : buf.len == 0);
    fx_buf_finish(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text text = {(const char *)data, size};
    struct fx_err err = FX_ERR_INIT;
    struct fx_go_url url;
    char *room = malloc(size + 1);
    assert(room != NULL);
    check_query(text);
    if (!fx_go_url_check_request(text, &err)) {
        check_failure(&err);
    }
    fx_err_reset(&err);
    if (fx_go_url_parse(text, room, &url, &err)) {
        struct fx_buf once;
        struct fx_buf twice;
        const bool is_lost = fx_text_contains(url.host, FX_TEXT("%")) ||
                             fx_text_starts(url.path, FX_TEXT("//"));
        assert(print(&once, text));
        assert(print(&twice, fx_buf_view(&once)) || is_lost);
        assert(is_lost || fx_text_equal(fx_buf_view(&once), fx_buf_view(&twice)));
        fx_buf_finish(&once);
        fx_buf_finish(&twice);
    } else {
        check_failure(&err);
    }
    free(room);
    return 0;
}
