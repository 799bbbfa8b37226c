/* SPDX-License-Identifier: Apache-2.0
 *
 * base/url.c - parsing a URL.
 */
#include "base/url.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"

#define PORT_DIGITS 5

/*
 * url       := scheme "://" authority [ "/" path ] [ "?" query ] [ "#" fragment ]
 * scheme    := alpha *( alpha | digit | "+" | "-" | "." )
 * authority := host [ ":" [ port ] ]
 * host      := "[" IPv6 "]" | 1*( unreserved | sub-delims )
 * port      := 1 … 65535, decimal
 * and everything is %x21-7E. An authority with a user name has an error of its own.
 */

struct parser {
    struct fx_text text;
    struct fx_err *err;
};

static bool fail_span(const struct parser *p, size_t from, size_t to, const char *why) {
    return fx_fail_at(p->err, FX_ESYNTAX, (uint32_t)from, (uint32_t)(to - from), "%s",
                      why);
}

static bool is_scheme_char(char c) {
    return fx_is_letter(c) || fx_is_digit(c) || fx_is_one_of(c, "+-.");
}

static bool is_host_char(char c) {
    return fx_is_letter(c) || fx_is_digit(c) || fx_is_one_of(c, "-._~!$&'()*+,;=");
}

static struct fx_text span(const struct parser *p, size_t from, size_t to) {
    return (struct fx_text){p->text.data + from, to - from};
}

/* Returns the offset of the first byte of `set` in [from, to), or `to`. */
static size_t find_byte(const struct parser *p, size_t from, size_t to, const char *set) {
    while (from < to && !fx_is_one_of(p->text.data[from], set)) {
        from++;
    }
    return from;
}

static bool check_chars(const struct parser *p) {
    for (size_t at = 0; at < p->text.len; at++) {
        if (p->text.data[at] <= ' ' || p->text.data[at] >= 0x7f) {
            return fail_span(p, at, at + 1, "a character that no URL has");
        }
    }
    return true;
}

/* Parses the scheme. *ret_end is where the authority begins. */
static bool parse_scheme(const struct parser *p, struct fx_url *url, size_t *ret_end) {
    size_t end = 0;
    while (end < p->text.len && is_scheme_char(p->text.data[end])) {
        end++;
    }
    const struct fx_text rest = span(p, end, p->text.len);
    if (end == 0 || !fx_is_letter(p->text.data[0]) ||
        !fx_text_starts(rest, FX_TEXT("://"))) {
        return fail_span(p, 0, p->text.len, "not a URL with a scheme and a host");
    }
    url->scheme = span(p, 0, end);
    *ret_end = end + 3;
    return true;
}

/* Is it an IPv6 address without a zone? inet_pton() does not accept zones. */
static bool is_ipv6(struct fx_text text) {
    char copy[INET6_ADDRSTRLEN];
    struct in6_addr address;
    if (text.len >= sizeof copy) {
        return false;
    }
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    return inet_pton(AF_INET6, copy, &address) == 1;
}

static bool parse_brackets(const struct parser *p, size_t from, size_t to,
                           struct fx_url *url, size_t *ret_end) {
    const size_t close = find_byte(p, from, to, "]");
    url->host = span(p, from + 1, close == to ? to : close);
    if (close == to || !is_ipv6(url->host)) {
        return fail_span(p, from, to, "not an IPv6 address in brackets");
    }
    url->is_ipv6 = true;
    *ret_end = close + 1;
    return true;
}

static bool parse_name(const struct parser *p, size_t from, size_t to, struct fx_url *url,
                       size_t *ret_end) {
    const size_t end = find_byte(p, from, to, ":");
    for (size_t at = from; at < end; at++) {
        if (!is_host_char(p->text.data[at])) {
            return fail_span(p, at, at + 1, "a character that no host name has");
        }
    }
    url->host = span(p, from, end);
    *ret_end = end;
    return end > from || fail_span(p, from, from, "no host");
}

/* Parses the port. [from, to) is the text after the host. */
static bool parse_port(const struct parser *p, size_t from, size_t to,
                       struct fx_url *url) {
    if (from < to && p->text.data[from] != ':') {
        return fail_span(p, from, to, "a port begins with a colon");
    }
    uint32_t port = 0;
    for (size_t at = from + 1; at < to; at++) {
        if (!fx_is_digit(p->text.data[at]) || at - from > PORT_DIGITS) {
            return fail_span(p, from + 1, to, "not a port");
        }
        port = port * 10 + (uint32_t)(p->text.data[at] - '0');
    }
    url->has_port = from + 1 < to;
    if (url->has_port && (port == 0 || port > UINT16_MAX)) {
        return fail_span(p, from + 1, to, "a port is 1 to 65535");
    }
    url->port = (uint16_t)port;
    return true;
}

static bool parse_authority(const struct parser *p, size_t from, size_t to,
                            struct fx_url *url) {
    const size_t user_end = find_byte(p, from, to, "@");
    if (user_end < to) {
        return fail_span(p, from, user_end + 1, "a user name is not allowed in it");
    }
    size_t end = from;
    const bool brackets = from < to && p->text.data[from] == '[';
    return (brackets ? parse_brackets(p, from, to, url, &end)
                     : parse_name(p, from, to, url, &end)) &&
           parse_port(p, end, to, url);
}

bool fx_url_is_scheme(const struct fx_url *url, const char *scheme) {
    return url->scheme.len == strlen(scheme) &&
           strncasecmp(url->scheme.data, scheme, url->scheme.len) == 0;
}

static uint16_t default_port(const struct fx_url *url) {
    return fx_url_is_scheme(url, "https") ? 443 : fx_url_is_scheme(url, "http") ? 80 : 0;
}

bool fx_url_parse(struct fx_text text, struct fx_url *ret_url, struct fx_err *err) {
    if (text.len > FX_LIMIT_URL_BYTES) {
        return fx_fail(err, FX_ELIMIT, "a URL of more than %u bytes", FX_LIMIT_URL_BYTES);
    }
    const struct parser p = {text.len == 0 ? FX_TEXT("") : text, err};
    struct fx_url url = {0};
    size_t from = 0;
    if (!check_chars(&p) || !parse_scheme(&p, &url, &from)) {
        return false;
    }
    const size_t to = find_byte(&p, from, text.len, "/?#");
    if (!parse_authority(&p, from, to, &url)) {
        return false;
    }
    if (!url.has_port) {
        url.port = default_port(&url);
    }
    url.target = span(&p, to, find_byte(&p, to, text.len, "#"));
    *ret_url = url;
    return true;
}

void fx_url_write_target(const struct fx_url *url, struct fx_buf *buf) {
    if (url->target.len == 0 || url->target.data[0] != '/') {
        fx_buf_char(buf, '/');
    }
    fx_buf_text(buf, url->target);
}
