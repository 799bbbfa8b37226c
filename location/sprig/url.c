/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/url.c - taking URLs apart and putting them together.
 */
#include "location/sprig/url.h"

#include <string.h>

#include "location/go/text.h"
#include "location/sprig/url_escape.h"

/* ---- pieces of text ---------------------------------------------------------------- */

/* Offset of the first or last such byte; the length where there is none. */
static size_t find(struct fx_text text, char c) {
    const char *at = text.len == 0 ? NULL : memchr(text.data, c, text.len);
    return at == NULL ? text.len : (size_t)(at - text.data);
}

static size_t find_last(struct fx_text text, char c) {
    for (size_t i = text.len; i > 0; i--) {
        if (text.data[i - 1] == c) {
            return i - 1;
        }
    }
    return text.len;
}

/* Takes what stands before the first such byte off the text, and the byte. True where
 * there was one. */
static bool cut(struct fx_text *text, char c, struct fx_text *ret_before) {
    const size_t at = find(*text, c);
    const bool found = at < text->len;
    *ret_before = (struct fx_text){text->data, at};
    *text = text_behind(*text, found ? at + 1 : at);
    return found;
}

/* ---- authority: [ user [ ":" password ] "@" ] host [ ":" port ] ----------------------
 */

static bool is_user_char(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && strchr("-._:~!$&'()*+,;=%@", c) != NULL);
}

static bool parse_user(struct run *run, struct fx_text text, struct url *url) {
    for (size_t i = 0; i < text.len; i++) {
        if (!is_user_char(text.data[i])) {
            return fx_fail(run->err, FX_EMUTATE, "net/url: invalid userinfo");
        }
    }
    struct fx_text user;
    url->has_user = true;
    url->has_password = cut(&text, ':', &user);
    return url_unescape(run, user, URL_USER, &url->user) &&
           url_unescape(run, text, URL_USER, &url->password);
}

/* "" or ":" digits */
static bool is_port(struct fx_text text) {
    return text.len == 0 ||
           (text.data[0] == ':' && count_digits(text_behind(text, 1)) == text.len - 1);
}

static bool check_port(struct run *run, struct fx_text text) {
    return is_port(text) || fx_fail(run->err, FX_EMUTATE, "invalid port %s after host",
                                    url_quote(run, text));
}

/* The offset of `%25` before `end`, which begins a zone; `end` where there is none. */
static size_t find_zone(struct fx_text text, size_t end) {
    for (size_t i = 0; i + 3 <= end; i++) {
        if (memcmp(text.data + i, "%25", 3) == 0) {
            return i;
        }
    }
    return end;
}

/* [ address % zone ] : port, each with rules of its own (RFC 6874). */
static bool parse_zoned_host(struct run *run, struct fx_text text, size_t zone,
                             size_t bracket, struct url *url) {
    struct fx_text parts[3] = {{text.data, zone},
                               {text.data + zone, bracket - zone},
                               text_behind(text, bracket)};
    size_t len = 0;
    for (size_t i = 0; i < FX_COUNT(parts); i++) {
        if (!url_unescape(run, parts[i], i == 1 ? URL_ZONE : URL_HOST, &parts[i])) {
            return false;
        }
        len += parts[i].len;
    }
    char *host = run_alloc(run, len);
    if (host == NULL) {
        return false;
    }
    url->host = (struct fx_text){host, len};
    for (size_t i = 0; i < FX_COUNT(parts); i++) {
        memcpy(host, parts[i].data, parts[i].len);
        host += parts[i].len;
    }
    return true;
}

static bool parse_host(struct run *run, struct fx_text text, struct url *url) {
    if (first_of(text) != '[') {
        return check_port(run, text_behind(text, find_last(text, ':'))) &&
               url_unescape(run, text, URL_HOST, &url->host);
    }
    const size_t bracket = find_last(text, ']');
    if (bracket == text.len) {
        return fx_fail(run->err, FX_EMUTATE, "missing ']' in host");
    }
    if (!check_port(run, text_behind(text, bracket + 1))) {
        return false;
    }
    const size_t zone = find_zone(text, bracket);
    return zone < bracket ? parse_zoned_host(run, text, zone, bracket, url)
                          : url_unescape(run, text, URL_HOST, &url->host);
}

static bool parse_authority(struct run *run, struct fx_text text, struct url *url) {
    const size_t at = find_last(text, '@');
    if (at == text.len) {
        return parse_host(run, text, url);
    }
    return parse_host(run, text_behind(text, at + 1), url) &&
           parse_user(run, (struct fx_text){text.data, at}, url);
}

/* ---- the whole --------------------------------------------------------------------- */

static bool has_control(struct fx_text text) {
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f) {
            return true;
        }
    }
    return false;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool take_lower(struct run *run, struct fx_text scheme, struct url *url) {
    char *lower = run_alloc(run, scheme.len);
    for (size_t i = 0; lower != NULL && i < scheme.len; i++) {
        const char c = scheme.data[i];
        lower[i] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    url->scheme = (struct fx_text){lower, scheme.len};
    return lower != NULL;
}

/* [ scheme ":" ], where scheme := letter ( letter | digit | "+" | "-" | "." )*
 * What does not look like one begins the path. */
static bool take_scheme(struct run *run, struct fx_text *text, struct url *url) {
    size_t n = 0;
    while (n < text->len &&
           (is_letter(text->data[n]) ||
            (n > 0 && (is_digit(text->data[n]) || strchr("+-.", text->data[n]))))) {
        n++;
    }
    if (n == text->len || text->data[n] != ':') {
        return true;
    }
    if (n == 0) {
        return fx_fail(run->err, FX_EMUTATE, "missing protocol scheme");
    }
    const struct fx_text scheme = {text->data, n};
    *text = text_behind(*text, n + 1);
    return take_lower(run, scheme, url);
}

static bool has_colon_in_first_segment(struct fx_text path) {
    return find(path, ':') < find(path, '/');
}

/* Behind the scheme, without the query. */
static bool parse_rest(struct run *run, struct fx_text text, struct url *url) {
    if (first_of(text) != '/') {
        if (url->scheme.len > 0) {
            url->opaque = text;
            return true;
        }
        if (has_colon_in_first_segment(text)) {
            return fx_fail(run->err, FX_EMUTATE,
                           "first path segment in URL cannot contain colon");
        }
    }
    const bool may_have_host =
        url->scheme.len > 0 || !fx_text_starts(text, FX_TEXT("///"));
    if (may_have_host && fx_text_starts(text, FX_TEXT("//"))) {
        text = text_behind(text, 2);
        const size_t slash = find(text, '/');
        if (!parse_authority(run, (struct fx_text){text.data, slash}, url)) {
            return false;
        }
        text = text_behind(text, slash);
    }
    return url_unescape(run, text, URL_PATH, &url->path);
}

/* All but the fragment. */
static bool parse(struct run *run, struct fx_text text, struct url *url) {
    if (has_control(text)) {
        return fx_fail(run->err, FX_EMUTATE, "net/url: invalid control character in URL");
    }
    if (fx_text_is(text, "*")) {
        url->path = text;
        return true;
    }
    struct fx_text rest;
    if (!take_scheme(run, &text, url)) {
        return false;
    }
    url->has_query = cut(&text, '?', &rest);
    url->query = text;
    return parse_rest(run, rest, url);
}

/* What stood before a failure in Go: the text that it is about. */
static bool fail_in(struct run *run, struct fx_text text) {
    if (run->err->code == FX_EMUTATE) {
        (void)fx_err_prefix(run->err, "parse %s: ", url_quote(run, text));
    }
    return false;
}

bool url_parse(struct run *run, struct fx_text text, struct url *ret_url) {
    struct fx_text fragment = text;
    struct fx_text before;
    (void)cut(&fragment, '#', &before);
    *ret_url = (struct url){.has_user = false};
    if (!parse(run, before, ret_url)) {
        return fail_in(run, before);
    }
    return url_unescape(run, fragment, URL_FRAGMENT, &ret_url->fragment) ||
           fail_in(run, text);
}

struct fx_text url_hostname(const struct url *url) {
    struct fx_text host = url->host;
    const size_t colon = find_last(host, ':');
    if (is_port(text_behind(host, colon))) {
        host.len = colon;
    }
    if (host.len >= 2 && host.data[0] == '[' && host.data[host.len - 1] == ']') {
        host = (struct fx_text){host.data + 1, host.len - 2};
    }
    return host;
}

/* ---- printing ---------------------------------------------------------------------- */

void url_print_user(struct fx_buf *buf, const struct url *url) {
    if (url->user.len == 0 && url->password.len == 0) {
        return;
    }
    url_escape(buf, url->user, URL_USER);
    if (url->has_password) {
        fx_buf_char(buf, ':');
        url_escape(buf, url->password, URL_USER);
    }
}

static void print_authority(struct fx_buf *buf, const struct url *url) {
    const bool has_host = url->host.len > 0 || url->has_user;
    if (!has_host && (url->scheme.len == 0 || url->path.len == 0)) {
        return;
    }
    fx_buf_str(buf, "//");
    if (url->has_user) {
        url_print_user(buf, url);
        fx_buf_char(buf, '@');
    }
    url_escape(buf, url->host, URL_HOST);
}

/* A path alone must not look like a scheme. */
static void print_path(struct fx_buf *buf, const struct url *url, bool is_first) {
    const struct fx_text path = url->path;
    if (path.len > 0 && path.data[0] != '/' && url->host.len > 0) {
        fx_buf_char(buf, '/');
    } else if (is_first && has_colon_in_first_segment(path)) {
        fx_buf_str(buf, "./");
    }
    if (fx_text_is(path, "*")) {
        fx_buf_char(buf, '*');
    } else {
        url_escape(buf, path, URL_PATH);
    }
}

void url_print(struct fx_buf *buf, const struct url *url) {
    const size_t before = buf->len;
    if (url->scheme.len > 0) {
        fx_buf_text(buf, url->scheme);
        fx_buf_char(buf, ':');
    }
    if (url->opaque.len > 0) {
        fx_buf_text(buf, url->opaque);
    } else {
        print_authority(buf, url);
        print_path(buf, url, buf->len == before);
    }
    if (url->has_query || url->query.len > 0) {
        fx_buf_char(buf, '?');
        fx_buf_text(buf, url->query);
    }
    if (url->fragment.len > 0) {
        fx_buf_char(buf, '#');
        url_escape(buf, url->fragment, URL_FRAGMENT);
    }
}
