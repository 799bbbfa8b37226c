/* SPDX-License-Identifier: Apache-2.0
 *
 * base/url_fuzz.c - any bytes: refused with a reason, or parts that make a request safe
 * to write and, joined again, the same parts.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_url(const struct fx_url *url, struct fx_buf *buf) {
    fx_buf_text(buf, url->scheme);
    fx_buf_str(buf, url->is_ipv6 ? "://[" : "://");
    fx_buf_text(buf, url->host);
    fx_buf_str(buf, url->is_ipv6 ? "]" : "");
    if (url->has_port) {
        fx_buf_printf(buf, ":%u", url->port);
    }
    fx_buf_text(buf, url->target);
}

static void check_parts(const struct fx_url *url) {
    struct fx_buf target = {0};
    assert(url->scheme.len > 0 && url->host.len > 0);
    assert(!url->has_port || url->port > 0);
    fx_url_write_target(url, &target);
    assert(target.failed || (target.len > 0 && target.data[0] == '/'));
    for (size_t i = 0; i < target.len; i++) {
        assert(target.data[i] > ' ' && target.data[i] < 0x7f && target.data[i] != '#');
    }
    fx_buf_finish(&target);
}

static void check_again(const struct fx_url *url) {
    struct fx_buf printed = {0};
    struct fx_url again = {0};
    struct fx_err err = FX_ERR_INIT;
    print_url(url, &printed);
    if (!printed.failed) {
        const struct fx_text text = {printed.data, printed.len};
        const bool ok = fx_url_parse(text, &again, &err);
        assert(ok);
        (void)ok;
        assert(fx_text_equal(url->scheme, again.scheme));
        assert(fx_text_equal(url->host, again.host));
        assert(fx_text_equal(url->target, again.target));
        assert(url->port == again.port && url->is_ipv6 == again.is_ipv6);
    }
    fx_buf_finish(&printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    /* A copy of its own, so that sanitizers see a read behind it. */
    char *copy = malloc(size == 0 ? 1 : size);
    if (copy == NULL) {
        return 0;
    }
    if (size > 0) {
        memcpy(copy, data, size);
    }
    struct fx_url url = {0};
    struct fx_err err = FX_ERR_INIT;
    if (fx_url_parse((struct fx_text){copy, size}, &url, &err)) {
        check_parts(&url);
        check_again(&url);
    } else {
        assert(err.code != FX_OK && err.msg[0] != '\0');
        assert(err.off + err.len <= size);
    }
    free(copy);
    return 0;
}
