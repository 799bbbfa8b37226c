/* SPDX-License-Identifier: Apache-2.0
 *
 * url_print.c - URLs as texts, as Go's net/url writes them; parts of queries.
 */
#include "location/go/url.h"

#include <string.h>

#include "location/go/url_escape.h"

void fx_go_url_print_user(struct fx_buf *buf, const struct fx_go_url *url) {
    if (url->user.len == 0 && url->password.len == 0) {
        return;
    }
    fx_go_url_escape(buf, url->user, FX_GO_URL_USER);
    if (url->has_password) {
        fx_buf_char(buf, ':');
        fx_go_url_escape(buf, url->password, FX_GO_URL_USER);
    }
}

static void print_authority(struct fx_buf *buf, const struct fx_go_url *url) {
    const bool has_host = url->host.len > 0 || url->has_user;
    if (!has_host && (url->scheme.len == 0 || url->path.len == 0 || url->omits_host)) {
        return;
    }
    fx_buf_str(buf, "//");
    if (url->has_user) {
        fx_go_url_print_user(buf, url);
        fx_buf_char(buf, '@');
    }
    fx_go_url_escape(buf, url->host, FX_GO_URL_HOST);
}

/* Is the path, which parsed, also well escaped? Go leaves such a path as it is. */
static bool is_well_escaped(struct fx_text path) {
    for (size_t i = 0; i < path.len; i++) {
        const char c = path.data[i];
        if (!fx_is_one_of(c, "!$&'()*+,;=:@[]%") &&
            fx_go_url_must_escape(c, FX_GO_URL_PATH)) {
            return false;
        }
    }
    return true;
}

static bool has_raw_path(const struct fx_go_url *url) {
    return url->raw_path.len > 0 && is_well_escaped(url->raw_path);
}

void fx_go_url_print_path(struct fx_buf *buf, const struct fx_go_url *url) {
    if (has_raw_path(url)) {
        fx_buf_text(buf, url->raw_path);
    } else if (fx_text_is(url->path, "*")) {
        fx_buf_char(buf, '*');
    } else {
        fx_go_url_escape(buf, url->path, FX_GO_URL_PATH);
    }
}

/* Would the path, as the first part of a URL, be read as a scheme? */
static bool has_colon_in_first_segment(struct fx_text path) {
    for (size_t i = 0; i < path.len && path.data[i] != '/'; i++) {
        if (path.data[i] == ':') {
            return true;
        }
    }
    return false;
}

static void print_whole_path(struct fx_buf *buf, const struct fx_go_url *url,
                             bool is_first) {
    const struct fx_text path = has_raw_path(url) ? url->raw_path : url->path;
    if (path.len > 0 && path.data[0] != '/' && url->host.len > 0) {
        fx_buf_char(buf, '/');
    } else if (is_first && has_colon_in_first_segment(path)) {
        fx_buf_str(buf, "./");
    }
    fx_go_url_print_path(buf, url);
}

void fx_go_url_print(struct fx_buf *buf, const struct fx_go_url *url) {
    const size_t before = buf->len;
    if (url->scheme.len > 0) {
        fx_buf_text(buf, url->scheme);
        fx_buf_char(buf, ':');
    }
    if (url->opaque.len > 0) {
        fx_buf_text(buf, url->opaque);
    } else {
        print_authority(buf, url);
        print_whole_path(buf, url, buf->len == before);
    }
    if (url->has_query || url->query.len > 0) {
        fx_buf_char(buf, '?');
        fx_buf_text(buf, url->query);
    }
    if (url->fragment.len > 0) {
        fx_buf_char(buf, '#');
        fx_go_url_escape(buf, url->fragment, FX_GO_URL_FRAGMENT);
    }
}

bool fx_go_url_unescape_query(struct fx_buf *buf, struct fx_text text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '%' && fx_go_url_escaped_byte(fx_text_rest(text, i)) < 0) {
            return false;
        }
    }
    while (text.len > 0) {
        const bool is_escape = text.data[0] == '%';
        char c = text.data[0];
        if (is_escape) {
            c = (char)fx_go_url_escaped_byte(text);
        } else if (c == '+') {
            c = ' ';
        }
        fx_buf_char(buf, c);
        text = fx_text_rest(text, is_escape ? FX_GO_URL_ESCAPE : 1);
    }
    return true;
}
