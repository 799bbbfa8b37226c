/* SPDX-License-Identifier: Apache-2.0
 *
 * url.c - parsing URLs as Go's net/url.
 */
#include "location/go/url.h"

#include <string.h>

#include "location/go/url_escape.h"

/* What is being parsed. */
struct url_parser {
    struct fx_go_url *url;
    char *room;      /* for decoded parts; NULL: the text is only checked */
    bool is_request; /* by the rules of url.ParseRequestURI */
    struct fx_err *err;
};

static bool decode(struct url_parser *parser, struct fx_text text,
                   enum fx_go_url_part part, struct fx_text *ret_text) {
    return fx_go_url_unescape(text, part, &parser->room, ret_text, parser->err);
}

static bool fail(struct url_parser *parser, const char *message) {
    return fx_fail(parser->err, FX_EMUTATE, "%s", message);
}

/* ---- pieces of text ---------------------------------------------------------------- */

/* Return the offset of the first or last such byte, or the length. */
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

/* Removes the text up to and including the first `c`; *ret_before is the part before
 * it. True where there was one. */
static bool cut(struct fx_text *text, char c, struct fx_text *ret_before) {
    const size_t at = find(*text, c);
    const bool found = at < text->len;
    *ret_before = (struct fx_text){text->data, at};
    *text = fx_text_rest(*text, found ? at + 1 : at);
    return found;
}

/* ---- authority: [ user [ ":" password ] "@" ] host [ ":" port ] ------------------ */

static bool is_user_char(char c) {
    return fx_is_digit(c) || fx_is_letter(c) || fx_is_one_of(c, "-._:~!$&'()*+,;=%@");
}

static bool parse_user(struct url_parser *parser, struct fx_text text) {
    struct fx_go_url *url = parser->url;
    for (size_t i = 0; i < text.len; i++) {
        if (!is_user_char(text.data[i])) {
            return fail(parser, "net/url: invalid userinfo");
        }
    }
    struct fx_text user;
    url->has_user = true;
    url->has_password = cut(&text, ':', &user);
    return decode(parser, user, FX_GO_URL_USER, &url->user) &&
           decode(parser, text, FX_GO_URL_USER, &url->password);
}

/* "" or ":" digits */
static bool is_port(struct fx_text text) {
    return text.len == 0 ||
           (text.data[0] == ':' && fx_text_is_digits(fx_text_rest(text, 1)));
}

static bool check_port(struct url_parser *parser, struct fx_text text) {
    return is_port(text) ||
           fx_go_url_fail(parser->err, "invalid port ", text, " after host");
}

/* Returns the offset of `%25`, which starts a zone, before `end`; or `end`. */
static size_t find_zone(struct fx_text text, size_t end) {
    for (size_t i = 0; i + 3 <= end; i++) {
        if (memcmp(text.data + i, "%25", 3) == 0) {
            return i;
        }
    }
    return end;
}

/* [ address % zone ] : port, each with its own rules (RFC 6874). */
static bool parse_zoned_host(struct url_parser *parser, struct fx_text text, size_t zone,
                             size_t bracket) {
    char *const host = parser->room;
    struct fx_text parts[3] = {{text.data, zone},
                               {text.data + zone, bracket - zone},
                               fx_text_rest(text, bracket)};
    size_t len = 0;
    for (size_t i = 0; i < FX_COUNT(parts); i++) {
        parser->room = host == NULL ? NULL : host + len;
        if (!decode(parser, parts[i], i == 1 ? FX_GO_URL_ZONE : FX_GO_URL_HOST,
                    &parts[i])) {
            return false;
        }
        if (host != NULL) {
            memmove(host + len, parts[i].data, parts[i].len);
        }
        len += parts[i].len;
    }
    parser->room = host == NULL ? NULL : host + len;
    parser->url->host = (struct fx_text){host, host == NULL ? 0 : len};
    return true;
}

static bool parse_host(struct url_parser *parser, struct fx_text text) {
    struct fx_text *host = &parser->url->host;
    if (fx_text_first(text) != '[') {
        return check_port(parser, fx_text_rest(text, find_last(text, ':'))) &&
               decode(parser, text, FX_GO_URL_HOST, host);
    }
    const size_t bracket = find_last(text, ']');
    if (bracket == text.len) {
        return fail(parser, "missing ']' in host");
    }
    if (!check_port(parser, fx_text_rest(text, bracket + 1))) {
        return false;
    }
    const size_t zone = find_zone(text, bracket);
    return zone < bracket ? parse_zoned_host(parser, text, zone, bracket)
                          : decode(parser, text, FX_GO_URL_HOST, host);
}

static bool parse_authority(struct url_parser *parser, struct fx_text text) {
    const size_t at = find_last(text, '@');
    if (at == text.len) {
        return parse_host(parser, text);
    }
    return parse_host(parser, fx_text_rest(text, at + 1)) &&
           parse_user(parser, (struct fx_text){text.data, at});
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

static void take_lower(struct url_parser *parser, struct fx_text scheme) {
    char *lower = parser->room;
    parser->url->scheme = scheme;
    if (lower == NULL) {
        return;
    }
    for (size_t i = 0; i < scheme.len; i++) {
        const char c = scheme.data[i];
        lower[i] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    parser->url->scheme.data = lower;
    parser->room += scheme.len;
}

/* [ scheme ":" ], where scheme := letter ( letter | digit | "+" | "-" | "." )*; without
 * it the text starts with the path. */
static bool take_scheme(struct url_parser *parser, struct fx_text *text) {
    size_t n = 0;
    while (n < text->len && (fx_is_letter(text->data[n]) ||
                             (n > 0 && (fx_is_digit(text->data[n]) ||
                                        fx_is_one_of(text->data[n], "+-."))))) {
        n++;
    }
    if (n == text->len || text->data[n] != ':') {
        return true;
    }
    if (n == 0) {
        return fail(parser, "missing protocol scheme");
    }
    take_lower(parser, (struct fx_text){text->data, n});
    *text = fx_text_rest(*text, n + 1);
    return true;
}

/* A text without a scheme that does not start with a slash. */
static bool check_relative(struct url_parser *parser, struct fx_text text) {
    if (parser->is_request) {
        return fail(parser, "invalid URI for request");
    }
    return find(text, ':') >= find(text, '/') ||
           fail(parser, "first path segment in URL cannot contain colon");
}

/* Parses the part after the scheme, without the query. */
static bool parse_rest(struct url_parser *parser, struct fx_text text) {
    struct fx_go_url *url = parser->url;
    const bool has_scheme = url->scheme.len > 0;
    if (fx_text_first(text) != '/') {
        if (has_scheme) {
            url->opaque = text;
            return true;
        }
        if (!check_relative(parser, text)) {
            return false;
        }
    }
    const bool may_have_host =
        has_scheme || (!parser->is_request && !fx_text_starts(text, FX_TEXT("///")));
    if (may_have_host && fx_text_starts(text, FX_TEXT("//"))) {
        text = fx_text_rest(text, 2);
        const size_t slash = find(text, '/');
        if (!parse_authority(parser, (struct fx_text){text.data, slash})) {
            return false;
        }
        text = fx_text_rest(text, slash);
    } else {
        url->omits_host = has_scheme;
    }
    url->raw_path = text;
    return decode(parser, text, FX_GO_URL_PATH, &url->path);
}

/* Parses all but the fragment. */
static bool parse(struct url_parser *parser, struct fx_text text) {
    struct fx_text rest;
    if (has_control(text)) {
        return fail(parser, "net/url: invalid control character in URL");
    }
    if (text.len == 0 && parser->is_request) {
        return fail(parser, "empty url");
    }
    if (fx_text_is(text, "*")) {
        parser->url->path = text;
        return true;
    }
    if (!take_scheme(parser, &text)) {
        return false;
    }
    parser->url->has_query = cut(&text, '?', &rest);
    parser->url->query = text;
    return parse_rest(parser, rest);
}

/* Adds Go's prefix to the message: the text at fault. */
static bool fail_parse(struct fx_text text, struct fx_err *err) {
    struct fx_buf buf;
    if (err->code != FX_EMUTATE) {
        return false;
    }
    fx_buf_init(&buf, 0);
    fx_text_quote_in_error(&buf, text);
    if (buf.failed) {
        return fx_buf_fail(&buf, err, FX_EMUTATE);
    }
    (void)fx_err_prefix(err, "parse %s: ", buf.data);
    fx_buf_finish(&buf);
    return false;
}

bool fx_go_url_parse(struct fx_text text, char *room, struct fx_go_url *ret_url,
                     struct fx_err *err) {
    struct url_parser parser = {.url = ret_url, .room = room, .err = err};
    struct fx_text fragment = text;
    struct fx_text before;
    (void)cut(&fragment, '#', &before);
    *ret_url = (struct fx_go_url){.has_user = false};
    if (!parse(&parser, before)) {
        return fail_parse(before, err);
    }
    return decode(&parser, fragment, FX_GO_URL_FRAGMENT, &ret_url->fragment) ||
           fail_parse(text, err);
}

bool fx_go_url_check_request(struct fx_text text, struct fx_err *err) {
    struct fx_go_url url = {.has_user = false};
    struct url_parser parser = {.url = &url, .is_request = true, .err = err};
    return parse(&parser, text) || fail_parse(text, err);
}

/* The offset of the `:` before the port, or the length. */
static size_t find_port(struct fx_text host) {
    const size_t colon = find_last(host, ':');
    return is_port(fx_text_rest(host, colon)) ? colon : host.len;
}

struct fx_text fx_go_url_port(const struct fx_go_url *url) {
    const size_t colon = find_port(url->host);
    return fx_text_rest(url->host, colon < url->host.len ? colon + 1 : colon);
}

struct fx_text fx_go_url_hostname(const struct fx_go_url *url) {
    struct fx_text host = {url->host.data, find_port(url->host)};
    if (host.len >= 2 && host.data[0] == '[' && host.data[host.len - 1] == ']') {
        host = (struct fx_text){host.data + 1, host.len - 2};
    }
    return host;
}
