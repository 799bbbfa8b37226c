/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/urls.c - urlParse and urlJoin: any URL as a map, split and joined as by
 * Go's net/url. (base/url.h is for the URLs that Fixpoint calls.)
 */
#include "location/sprig/functions.h"

#include <string.h>

enum url_part { URL_HOST, URL_ZONE, URL_USER, URL_PATH, URL_FRAGMENT };

/* A URL. Missing parts are empty. Escapes are decoded, except in opaque and query. */
struct url {
    struct fx_text scheme; /* in lower case */
    struct fx_text opaque; /* mailto:it */
    bool has_user, has_password;
    struct fx_text user, password;
    struct fx_text host; /* with port and brackets */
    struct fx_text path;
    bool has_query; /* the URL has a `?`, even if the query is empty */
    struct fx_text query;
    struct fx_text fragment;
};

/* ---- escapes (RFC 3986 section 2.1) ------------------------------------------------ */

#define ESCAPE 3 /* the characters of one escape */

static const char *url_quote(struct template_run *run, struct fx_text text) {
    struct fx_buf *buf = run_scratch(run);
    fx_text_quote_go(buf, text);
    return buf->data == NULL ? "" : buf->data;
}

/* True for a character that Go escapes in this part. The RFC has another list. */
static bool must_escape(char c, enum url_part part) {
    if (fx_is_letter(c) || fx_is_digit(c) || fx_is_one_of(c, "-_.~")) {
        return false;
    }
    switch (part) {
    case URL_HOST:
    case URL_ZONE: return !fx_is_one_of(c, "!$&'()*+,;=:[]<>\"");
    case URL_USER: return !fx_is_one_of(c, "$&+,;=");
    case URL_PATH: return !fx_is_one_of(c, "$&+,/:;=@");
    case URL_FRAGMENT: return !fx_is_one_of(c, "$&+,/:;=?@!()*");
    }
    return true;
}

static void url_escape(struct fx_buf *buf, struct fx_text text, enum url_part part) {
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        if (must_escape(c, part)) {
            fx_buf_char(buf, '%');
            fx_buf_hex(buf, (unsigned char)c, 2, true);
        } else {
            fx_buf_char(buf, c);
        }
    }
}

/* Returns the byte of the escape at the start of the text, or a negative number. */
static int byte_at(struct fx_text text) {
    const unsigned high = text.len < ESCAPE ? FX_NO_DIGIT : fx_digit_of(text.data[1]);
    const unsigned low = text.len < ESCAPE ? FX_NO_DIGIT : fx_digit_of(text.data[2]);
    return high > 15 || low > 15 ? -1 : (int)(high * 16 + low);
}

/* True if an escape of the byte is allowed in this part. A host may escape only bytes
 * beyond ASCII and `%`; a zone may also escape a blank, and characters that a host must
 * escape. */
static bool may_escape(int byte, enum url_part part) {
    if (part == URL_HOST) {
        return byte >= 0x80 || byte == '%';
    }
    return part != URL_ZONE || byte == '%' || byte == ' ' ||
           !must_escape((char)byte, URL_HOST);
}

static bool check_escape(struct template_run *run, struct fx_text rest,
                         enum url_part part) {
    const int byte = byte_at(rest);
    if (byte >= 0 && may_escape(byte, part)) {
        return true;
    }
    rest.len = rest.len < ESCAPE ? rest.len : ESCAPE;
    return fx_fail(run->err, FX_EMUTATE, "invalid URL escape %s", url_quote(run, rest));
}

static bool check_char(struct template_run *run, struct fx_text rest,
                       enum url_part part) {
    const char c = rest.data[0];
    const bool in_host = part == URL_HOST || part == URL_ZONE;
    if (!in_host || (unsigned char)c >= 0x80 || !must_escape(c, part)) {
        return true;
    }
    rest.len = 1;
    return fx_fail(run->err, FX_EMUTATE, "invalid character %s in host name",
                   url_quote(run, rest));
}

/* Checks the text and counts its escapes. */
static bool check_part(struct template_run *run, struct fx_text text, enum url_part part,
                       size_t *ret_escapes) {
    *ret_escapes = 0;
    while (text.len > 0) {
        const bool is_escape = text.data[0] == '%';
        if (!(is_escape ? check_escape(run, text, part) : check_char(run, text, part))) {
            return false;
        }
        *ret_escapes += is_escape ? 1 : 0;
        text = fx_text_rest(text, is_escape ? ESCAPE : 1);
    }
    return true;
}

static bool url_unescape(struct template_run *run, struct fx_text text,
                         enum url_part part, struct fx_text *ret_text) {
    size_t escapes = 0;
    if (!check_part(run, text, part, &escapes)) {
        return false;
    }
    *ret_text = text;
    if (escapes == 0) {
        return true;
    }
    char *plain = run_alloc(run, text.len);
    if (plain == NULL) {
        return false;
    }
    size_t len = 0;
    while (text.len > 0) {
        const bool is_escape = text.data[0] == '%';
        plain[len++] = (char)(is_escape ? byte_at(text) : text.data[0]);
        text = fx_text_rest(text, is_escape ? ESCAPE : 1);
    }
    *ret_text = (struct fx_text){plain, len};
    return true;
}

/* ---- pieces of text ---------------------------------------------------------------- */

/* Return the offset of the first or last `c`, or the length. */
static size_t find_char(struct fx_text text, char c) {
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

/* Removes the text up to and including the first `c`; *ret_before is the part before it.
 * True if there was a `c`. */
static bool cut_at(struct fx_text *text, char c, struct fx_text *ret_before) {
    const size_t at = find_char(*text, c);
    const bool found = at < text->len;
    *ret_before = (struct fx_text){text->data, at};
    *text = fx_text_rest(*text, found ? at + 1 : at);
    return found;
}

/* ---- authority: [ user [ ":" password ] "@" ] host [ ":" port ] ------------------ */

static bool is_user_char(char c) {
    return fx_is_digit(c) || fx_is_letter(c) || fx_is_one_of(c, "-._:~!$&'()*+,;=%@");
}

static bool parse_user(struct template_run *run, struct fx_text text, struct url *url) {
    for (size_t i = 0; i < text.len; i++) {
        if (!is_user_char(text.data[i])) {
            return fx_fail(run->err, FX_EMUTATE, "net/url: invalid userinfo");
        }
    }
    struct fx_text user;
    url->has_user = true;
    url->has_password = cut_at(&text, ':', &user);
    return url_unescape(run, user, URL_USER, &url->user) &&
           url_unescape(run, text, URL_USER, &url->password);
}

/* port := "" | ":" digits */
static bool is_port(struct fx_text text) {
    return text.len == 0 ||
           (text.data[0] == ':' && fx_text_is_digits(fx_text_rest(text, 1)));
}

static bool check_port(struct template_run *run, struct fx_text text) {
    return is_port(text) || fx_fail(run->err, FX_EMUTATE, "invalid port %s after host",
                                    url_quote(run, text));
}

/* Returns the offset of the `%25` before `end` that starts a zone, or `end`. */
static size_t find_zone(struct fx_text text, size_t end) {
    for (size_t i = 0; i + 3 <= end; i++) {
        if (memcmp(text.data + i, "%25", 3) == 0) {
            return i;
        }
    }
    return end;
}

/* host := "[" address "%25" zone "]" [ ":" port ]; each part has its own rules (RFC
 * 6874). */
static bool parse_zoned_host(struct template_run *run, struct fx_text text, size_t zone,
                             size_t bracket, struct url *url) {
    struct fx_text parts[3] = {{text.data, zone},
                               {text.data + zone, bracket - zone},
                               fx_text_rest(text, bracket)};
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

static bool parse_host(struct template_run *run, struct fx_text text, struct url *url) {
    if (fx_text_first(text) != '[') {
        return check_port(run, fx_text_rest(text, find_last(text, ':'))) &&
               url_unescape(run, text, URL_HOST, &url->host);
    }
    const size_t bracket = find_last(text, ']');
    if (bracket == text.len) {
        return fx_fail(run->err, FX_EMUTATE, "missing ']' in host");
    }
    if (!check_port(run, fx_text_rest(text, bracket + 1))) {
        return false;
    }
    const size_t zone = find_zone(text, bracket);
    return zone < bracket ? parse_zoned_host(run, text, zone, bracket, url)
                          : url_unescape(run, text, URL_HOST, &url->host);
}

static bool parse_authority(struct template_run *run, struct fx_text text,
                            struct url *url) {
    const size_t at = find_last(text, '@');
    if (at == text.len) {
        return parse_host(run, text, url);
    }
    return parse_host(run, fx_text_rest(text, at + 1), url) &&
           parse_user(run, (struct fx_text){text.data, at}, url);
}

/* ---- the whole URL ---------------------------------------------------------------- */

static bool has_control(struct fx_text text) {
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f) {
            return true;
        }
    }
    return false;
}

static bool take_lower(struct template_run *run, struct fx_text scheme, struct url *url) {
    char *lower = run_alloc(run, scheme.len);
    for (size_t i = 0; lower != NULL && i < scheme.len; i++) {
        const char c = scheme.data[i];
        lower[i] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    url->scheme = (struct fx_text){lower, scheme.len};
    return lower != NULL;
}

/* start := [ scheme ":" ], scheme := letter ( letter | digit | "+" | "-" | "." )*.
 * Without a scheme the text starts with the path. */
static bool take_scheme(struct template_run *run, struct fx_text *text, struct url *url) {
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
        return fx_fail(run->err, FX_EMUTATE, "missing protocol scheme");
    }
    const struct fx_text scheme = {text->data, n};
    *text = fx_text_rest(*text, n + 1);
    return take_lower(run, scheme, url);
}

static bool has_colon_in_first_segment(struct fx_text path) {
    return find_char(path, ':') < find_char(path, '/');
}

/* Parses the part after the scheme, without the query. */
static bool parse_rest(struct template_run *run, struct fx_text text, struct url *url) {
    if (fx_text_first(text) != '/') {
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
        text = fx_text_rest(text, 2);
        const size_t slash = find_char(text, '/');
        if (!parse_authority(run, (struct fx_text){text.data, slash}, url)) {
            return false;
        }
        text = fx_text_rest(text, slash);
    }
    return url_unescape(run, text, URL_PATH, &url->path);
}

/* Parses the URL without its fragment. */
static bool parse_url(struct template_run *run, struct fx_text text, struct url *url) {
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
    url->has_query = cut_at(&text, '?', &rest);
    url->query = text;
    return parse_rest(run, rest, url);
}

/* Adds Go's prefix, which names the faulty text, to the message. */
static bool fail_parse(struct template_run *run, struct fx_text text) {
    if (run->err->code == FX_EMUTATE) {
        (void)fx_err_prefix(run->err, "parse %s: ", url_quote(run, text));
    }
    return false;
}

static bool url_parse(struct template_run *run, struct fx_text text,
                      struct url *ret_url) {
    struct fx_text fragment = text;
    struct fx_text before;
    (void)cut_at(&fragment, '#', &before);
    *ret_url = (struct url){.has_user = false};
    if (!parse_url(run, before, ret_url)) {
        return fail_parse(run, before);
    }
    return url_unescape(run, fragment, URL_FRAGMENT, &ret_url->fragment) ||
           fail_parse(run, text);
}

static struct fx_text url_hostname(const struct url *url) {
    struct fx_text host = url->host;
    const size_t colon = find_last(host, ':');
    if (is_port(fx_text_rest(host, colon))) {
        host.len = colon;
    }
    if (host.len >= 2 && host.data[0] == '[' && host.data[host.len - 1] == ']') {
        host = (struct fx_text){host.data + 1, host.len - 2};
    }
    return host;
}

/* ---- printing ---------------------------------------------------------------------- */

static void url_print_user(struct fx_buf *buf, const struct url *url) {
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

/* Prints the path, so that its start cannot be parsed as a scheme. */
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

static void url_print(struct fx_buf *buf, const struct url *url) {
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

/* ---- the functions ----------------------------------------------------------------- */

static bool put_part(struct template_call *call, struct map *map, const char *key,
                     struct fx_text text) {
    return value_map_put(call->run, map, fx_text_of(key), value_string(text));
}

static bool put_user(struct template_call *call, struct map *map, const struct url *url) {
    struct value user = {.kind = VALUE_STRING};
    url_print_user(run_scratch(call->run), url);
    return run_take_scratch(call->run, &user) &&
           put_part(call, map, "userinfo", user.string);
}

/* Adds the library's prefix to Go's message. */
static bool fail_in(struct template_call *call, const char *what) {
    if (call->err->code == FX_EMUTATE) {
        (void)fx_err_prefix(call->err, "unable to parse %s: ", what);
    }
    return false;
}

static bool call_url_parse(struct template_call *call) {
    struct url url;
    if (!url_parse(call->run, call->arguments[0].string, &url)) {
        return fail_in(call, "url");
    }
    struct map *map = value_map_new(call->run);
    if (map == NULL || !put_part(call, map, "scheme", url.scheme) ||
        !put_part(call, map, "host", url.host) ||
        !put_part(call, map, "hostname", url_hostname(&url)) ||
        !put_part(call, map, "path", url.path) ||
        !put_part(call, map, "query", url.query) ||
        !put_part(call, map, "opaque", url.opaque) ||
        !put_part(call, map, "fragment", url.fragment) || !put_user(call, map, &url)) {
        return false;
    }
    return return_map(call, map);
}

/* Gets a part of the map; empty if the map does not have it. */
static bool get(struct template_call *call, const char *key, struct fx_text *ret_text) {
    struct value value;
    *ret_text = (struct fx_text){0};
    if (!value_map_get(call->run, call->arguments[0].map, fx_text_of(key), &value)) {
        return false;
    }
    if (value.kind == VALUE_MISSING) {
        return true;
    }
    if (value.kind == VALUE_NIL) {
        return fx_fail(call->err, FX_EMUTATE, PANIC_NIL);
    }
    if (value.kind != VALUE_STRING) {
        return fx_fail(call->err, FX_EMUTATE,
                       "unable to parse %s key, must be of type string, but %s found",
                       key, value_kind_name(&value));
    }
    *ret_text = value.string;
    return true;
}

/* Parses the user info as if it were that of `proto://…@host`, as the library does. */
static bool join_user(struct template_call *call, struct fx_text userinfo,
                      struct url *url) {
    struct url with_user;
    struct value text;
    struct fx_buf *buf = run_scratch(call->run);
    if (userinfo.len == 0) {
        return true;
    }
    fx_buf_str(buf, "proto://");
    fx_buf_text(buf, userinfo);
    fx_buf_str(buf, "@host");
    if (!run_take_scratch(call->run, &text)) {
        return false;
    }
    if (!url_parse(call->run, text.string, &with_user)) {
        return fail_in(call, "userinfo in dict");
    }
    url->has_user = with_user.has_user;
    url->has_password = with_user.has_password;
    url->user = with_user.user;
    url->password = with_user.password;
    return true;
}

static bool call_url_join(struct template_call *call) {
    struct url url = {.has_user = false};
    struct fx_text userinfo;
    if (!get(call, "scheme", &url.scheme) || !get(call, "host", &url.host) ||
        !get(call, "path", &url.path) || !get(call, "query", &url.query) ||
        !get(call, "opaque", &url.opaque) || !get(call, "fragment", &url.fragment) ||
        !get(call, "userinfo", &userinfo) || !join_user(call, userinfo, &url)) {
        return false;
    }
    url_print(run_scratch(call->run), &url);
    return run_take_scratch(call->run, call->ret);
}

const struct function functions_urls[] = {
    FUNCTION("urlParse", call_url_parse, 8, STRING),
    FUNCTION("urlJoin", call_url_join, 8, MAP),
    {.name = NULL},
};
