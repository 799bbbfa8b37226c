/* SPDX-License-Identifier: Apache-2.0
 *
 * netip.c - parsing and printing IP addresses as Go's net/netip.
 */
#include "location/go/netip.h"

#include <string.h>

#include "base/strconv.h"

#define IPV4_BYTES  4
#define GROUP_BYTES 2 /* of IPv6, between two colons */
#define GROUP_MOST  4 /* digits of a group */

/* ---- errors ------------------------------------------------------------------------ */

/* Fails with Go's message: what failed, the whole text, why, and the rest of the text
 * where it failed; `at` empty: without the rest. */
static bool fail(struct fx_err *err, const char *what, struct fx_text text,
                 const char *why, struct fx_text at) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_printf(&buf, "%s(", what);
    fx_text_quote_in_error(&buf, text);
    fx_buf_printf(&buf, "): %s", why);
    if (at.len > 0) {
        fx_buf_str(&buf, " (at ");
        fx_text_quote_in_error(&buf, at);
        fx_buf_char(&buf, ')');
    }
    return fx_buf_fail(&buf, err, FX_EMUTATE);
}

/* What is being parsed. */
struct address_parser {
    struct fx_text whole; /* for messages */
    struct fx_go_address *address;
    struct fx_err *err;
};

static bool fail_at(const struct address_parser *parser, const char *why,
                    struct fx_text at) {
    return fail(parser->err, "ParseAddr", parser->whole, why, at);
}

static bool fail_why(const struct address_parser *parser, const char *why) {
    return fail_at(parser, why, (struct fx_text){0});
}

/* ---- IPv4 -------------------------------------------------------------------------- */

/* A dot: after a digit, before another character, and at most three. */
static bool check_dot(const struct address_parser *parser, struct fx_text text, size_t i,
                      size_t fields) {
    if (i == 0 || i + 1 == text.len || text.data[i - 1] == '.') {
        return fail_at(parser, "IPv4 field must have at least one digit",
                       fx_text_rest(text, i));
    }
    return fields < IPV4_BYTES - 1 || fail_why(parser, "IPv4 address too long");
}

static bool add_digit(const struct address_parser *parser, char c, size_t digits,
                      uint8_t *field) {
    if (digits == 1 && *field == 0) {
        return fail_why(parser, "IPv4 field has octet with leading zero");
    }
    const unsigned value = *field * 10u + fx_digit_of(c);
    *field = (uint8_t)value;
    return value <= UINT8_MAX || fail_why(parser, "IPv4 field has value >255");
}

/* Reads four decimal fields. */
static bool parse_ipv4(const struct address_parser *parser, struct fx_text text,
                       uint8_t fields[IPV4_BYTES]) {
    size_t n = 0; /* complete fields */
    size_t digits = 0;
    fields[0] = 0;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        if (fx_is_digit(c)) {
            if (!add_digit(parser, c, digits++, &fields[n])) {
                return false;
            }
        } else if (c == '.') {
            if (!check_dot(parser, text, i, n)) {
                return false;
            }
            fields[++n] = 0;
            digits = 0;
        } else {
            return fail_at(parser, "unexpected character", fx_text_rest(text, i));
        }
    }
    return n == IPV4_BYTES - 1 || fail_why(parser, "IPv4 address too short");
}

/* ---- IPv6 -------------------------------------------------------------------------- */

#define NO_ELLIPSIS SIZE_MAX

/* An address of IPv6 as far as it is read. */
struct ipv6 {
    size_t n;        /* bytes so far */
    size_t ellipsis; /* those of them that stand before "::", or NO_ELLIPSIS */
    bool is_complete;
};

/* Removes the hexadecimal digits of a group. */
static bool take_group(const struct address_parser *parser, struct fx_text *text,
                       unsigned *ret_group, size_t *ret_digits) {
    unsigned group = 0;
    size_t n = 0;
    while (n < text->len && fx_digit_of(text->data[n]) < 16) {
        if (n == GROUP_MOST) {
            return fail_at(parser, "each group must have 4 or less digits", *text);
        }
        group = group * 16 + fx_digit_of(text->data[n++]);
    }
    *ret_group = group;
    *ret_digits = n;
    return n > 0 ||
           fail_at(parser, "each colon-separated field must have at least one digit",
                   *text);
}

/* The last four bytes, written as IPv4. */
static bool take_ipv4_tail(const struct address_parser *parser, struct fx_text *text,
                           struct ipv6 *ipv6) {
    if (ipv6->ellipsis == NO_ELLIPSIS && ipv6->n != FX_GO_ADDRESS_BYTES - IPV4_BYTES) {
        return fail_at(parser,
                       "embedded IPv4 address must replace the final 2 fields of the "
                       "address",
                       *text);
    }
    if (ipv6->n + IPV4_BYTES > FX_GO_ADDRESS_BYTES) {
        return fail_at(parser,
                       "too many hex fields to fit an embedded IPv4 at the end of the "
                       "address",
                       *text);
    }
    if (!parse_ipv4(parser, *text, parser->address->bytes + ipv6->n)) {
        return false;
    }
    ipv6->n += IPV4_BYTES;
    ipv6->is_complete = true;
    *text = fx_text_rest(*text, text->len);
    return true;
}

/* The colon, or two, behind a group. */
static bool take_colon(const struct address_parser *parser, struct fx_text *text,
                       struct ipv6 *ipv6) {
    if (text->data[0] != ':') {
        return fail_at(parser, "unexpected character, want colon", *text);
    }
    if (text->len == 1) {
        return fail_at(parser, "colon must be followed by more characters", *text);
    }
    *text = fx_text_rest(*text, 1);
    if (text->data[0] != ':') {
        return true;
    }
    if (ipv6->ellipsis != NO_ELLIPSIS) {
        return fail_at(parser, "multiple :: in address", *text);
    }
    ipv6->ellipsis = ipv6->n;
    *text = fx_text_rest(*text, 1);
    return true;
}

/* A group, and the colon behind it; or the tail in the form of IPv4. */
static bool take_field(const struct address_parser *parser, struct fx_text *text,
                       struct ipv6 *ipv6) {
    unsigned group = 0;
    size_t digits = 0;
    if (!take_group(parser, text, &group, &digits)) {
        return false;
    }
    if (digits < text->len && text->data[digits] == '.') {
        return take_ipv4_tail(parser, text, ipv6);
    }
    parser->address->bytes[ipv6->n++] = (uint8_t)(group >> 8);
    parser->address->bytes[ipv6->n++] = (uint8_t)group;
    *text = fx_text_rest(*text, digits);
    return text->len == 0 || take_colon(parser, text, ipv6);
}

/* Moves the groups after "::" to the end of the address. */
static bool expand(const struct address_parser *parser, const struct ipv6 *ipv6) {
    uint8_t *bytes = parser->address->bytes;
    const size_t missing = FX_GO_ADDRESS_BYTES - ipv6->n;
    if (ipv6->ellipsis == NO_ELLIPSIS) {
        return missing == 0 || fail_why(parser, "address string too short");
    }
    if (missing == 0) {
        return fail_why(parser, "the :: must expand to at least one field of zeros");
    }
    uint8_t *gap = bytes + ipv6->ellipsis;
    memmove(gap + missing, gap, ipv6->n - ipv6->ellipsis);
    memset(gap, 0, missing);
    return true;
}

/* Removes the zone from the end. */
static bool take_zone(const struct address_parser *parser, struct fx_text *text) {
    const char *percent = memchr(text->data, '%', text->len);
    if (percent == NULL) {
        return true;
    }
    const size_t len = (size_t)(percent - text->data);
    const bool is_empty = len + 1 == text->len;
    text->len = len;
    parser->address->has_zone = true;
    return !is_empty || fail_why(parser, "zone must be a non-empty string");
}

static bool parse_ipv6(const struct address_parser *parser, struct fx_text text) {
    struct ipv6 ipv6 = {.ellipsis = NO_ELLIPSIS};
    parser->address->is_ipv6 = true;
    if (!take_zone(parser, &text)) {
        return false;
    }
    if (fx_text_starts(text, FX_TEXT("::"))) {
        ipv6.ellipsis = 0;
        text = fx_text_rest(text, 2);
        ipv6.is_complete = text.len == 0;
    }
    while (!ipv6.is_complete && ipv6.n < FX_GO_ADDRESS_BYTES) {
        if (!take_field(parser, &text, &ipv6)) {
            return false;
        }
        ipv6.is_complete |= text.len == 0;
    }
    return text.len == 0 ? expand(parser, &ipv6)
                         : fail_at(parser, "trailing garbage after address", text);
}

bool fx_go_address_parse(struct fx_text text, struct fx_go_address *ret_address,
                         struct fx_err *err) {
    struct fx_go_address address = {.is_ipv6 = false};
    const struct address_parser parser = {text, &address, err};
    bool ok = false;
    size_t i = 0;
    while (i < text.len && !fx_is_one_of(text.data[i], ".:%")) {
        i++;
    }
    switch (fx_text_first(fx_text_rest(text, i))) {
    case '.': ok = parse_ipv4(&parser, text, address.bytes); break;
    case ':': ok = parse_ipv6(&parser, text); break;
    case '%': return fail_why(&parser, "missing IPv6 address");
    default: return fail_why(&parser, "unable to parse IP");
    }
    *ret_address = address;
    return ok;
}

/* ---- prefixes ---------------------------------------------------------------------- */

static bool fail_prefix(struct fx_text text, const char *why, struct fx_err *err) {
    return fail(err, "netip.ParsePrefix", text, why, (struct fx_text){0});
}

/* Fails with the error of the address as the reason. */
static bool fail_prefix_address(struct fx_text text, struct fx_err *err) {
    struct fx_buf buf;
    if (err->code != FX_EMUTATE) {
        return false;
    }
    fx_buf_init(&buf, 0);
    fx_text_quote_in_error(&buf, text);
    if (buf.failed) {
        return fx_buf_fail(&buf, err, FX_EMUTATE);
    }
    (void)fx_err_prefix(err, "netip.ParsePrefix(%s): ", buf.data);
    fx_buf_finish(&buf);
    return false;
}

static bool fail_bits(struct fx_text text, struct fx_text bits, struct fx_err *err) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_str(&buf, "bad bits after slash: ");
    fx_text_quote_in_error(&buf, bits);
    const bool failed = buf.failed;
    if (failed) {
        (void)fx_fail_nomem(err);
    } else {
        (void)fail_prefix(text, buf.data, err);
    }
    fx_buf_finish(&buf);
    return false;
}

/* The offset of the last slash, or the length. */
static size_t find_slash(struct fx_text text) {
    for (size_t i = text.len; i > 0; i--) {
        if (text.data[i - 1] == '/') {
            return i - 1;
        }
    }
    return text.len;
}

bool fx_go_prefix_parse(struct fx_text text, struct fx_go_prefix *ret_prefix,
                        struct fx_err *err) {
    struct fx_go_prefix prefix = {.bits = 0};
    const size_t slash = find_slash(text);
    uint64_t number = 0;
    if (slash == text.len) {
        return fail_prefix(text, "no '/'", err);
    }
    if (!fx_go_address_parse((struct fx_text){text.data, slash}, &prefix.address, err)) {
        return fail_prefix_address(text, err);
    }
    if (prefix.address.has_zone) {
        return fail_prefix(text, "IPv6 zones cannot be present in a prefix", err);
    }
    const struct fx_text bits = fx_text_rest(text, slash + 1);
    const bool has_zero = bits.len > 1 && bits.data[0] == '0';
    if (has_zero || bits.len == 0 || !fx_text_is_digits(bits) ||
        fx_go_parse_uint(bits, 10, &number) != FX_GO_NUMBER || number > INT64_MAX) {
        return fail_bits(text, bits, err);
    }
    if (number > fx_go_address_bits(&prefix.address)) {
        return fail_prefix(text, "prefix length out of range", err);
    }
    prefix.bits = (unsigned)number;
    *ret_prefix = prefix;
    return true;
}

/* ---- printing ---------------------------------------------------------------------- */

static unsigned group_at(const struct fx_go_address *address, size_t at) {
    return ((unsigned)address->bytes[at] << 8) | address->bytes[at + 1];
}

/* Returns the offset of the longest run of two groups or more that are zero, and its
 * length; the first of equal ones. A length of 0: there is none. */
static size_t find_zeros(const struct fx_go_address *address, size_t *ret_len) {
    size_t from = 0;
    *ret_len = 0;
    for (size_t at = 0; at < FX_GO_ADDRESS_BYTES; at += GROUP_BYTES) {
        size_t end = at;
        while (end < FX_GO_ADDRESS_BYTES && group_at(address, end) == 0) {
            end += GROUP_BYTES;
        }
        if (end - at > GROUP_BYTES && end - at > *ret_len) {
            from = at;
            *ret_len = end - at;
        }
    }
    return from;
}

static void print_ipv6(struct fx_buf *buf, const struct fx_go_address *address) {
    size_t zeros = 0;
    const size_t from = find_zeros(address, &zeros);
    size_t at = 0;
    while (at < FX_GO_ADDRESS_BYTES) {
        if (zeros > 0 && at == from) {
            fx_buf_str(buf, "::");
            at += zeros;
            continue;
        }
        if (at > 0 && (zeros == 0 || at != from + zeros)) {
            fx_buf_char(buf, ':');
        }
        fx_buf_hex(buf, group_at(address, at), 1, false);
        at += GROUP_BYTES;
    }
}

void fx_go_address_print(struct fx_buf *buf, const struct fx_go_address *address) {
    if (address->is_ipv6) {
        print_ipv6(buf, address);
        return;
    }
    for (size_t i = 0; i < IPV4_BYTES; i++) {
        if (i > 0) {
            fx_buf_char(buf, '.');
        }
        fx_buf_number(buf, address->bytes[i]);
    }
}

/* ---- questions --------------------------------------------------------------------- */

unsigned fx_go_address_bits(const struct fx_go_address *address) {
    return address->is_ipv6 ? FX_GO_ADDRESS_BYTES * 8 : IPV4_BYTES * 8;
}

bool fx_go_address_equal(const struct fx_go_address *a, const struct fx_go_address *b) {
    return a->is_ipv6 == b->is_ipv6 && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

bool fx_go_address_is_mapped(const struct fx_go_address *address) {
    static const uint8_t start[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    return address->is_ipv6 && memcmp(address->bytes, start, sizeof start) == 0;
}

struct fx_go_address fx_go_address_mask(const struct fx_go_address *address,
                                        unsigned bits) {
    struct fx_go_address masked = *address;
    for (unsigned i = 0; i < FX_GO_ADDRESS_BYTES; i++) {
        const unsigned kept = bits > i * 8 ? bits - i * 8 : 0;
        if (kept < 8) {
            masked.bytes[i] &= (uint8_t)(0xff00u >> kept);
        }
    }
    return masked;
}

struct fx_go_address fx_go_address_unmap(const struct fx_go_address *address) {
    struct fx_go_address unmapped = {.is_ipv6 = false};
    if (!fx_go_address_is_mapped(address)) {
        return *address;
    }
    memcpy(unmapped.bytes, address->bytes + FX_GO_ADDRESS_BYTES - IPV4_BYTES, IPV4_BYTES);
    return unmapped;
}

bool fx_go_address_is_in(const struct fx_go_address *address,
                         const struct fx_go_address *network, unsigned bits) {
    const struct fx_go_address masked = fx_go_address_mask(address, bits);
    return fx_go_address_equal(&masked, network);
}

bool fx_go_address_is_loopback(const struct fx_go_address *address) {
    static const struct fx_go_address ipv4 = {.bytes = {127}};
    static const struct fx_go_address ipv6 = {.is_ipv6 = true, .bytes = {[15] = 1}};
    return fx_go_address_is_in(address, &ipv4, 8) || fx_go_address_equal(address, &ipv6);
}

bool fx_go_address_is_private(const struct fx_go_address *address) {
    static const struct {
        struct fx_go_address network;
        unsigned bits;
    } networks[] = {
        {{.bytes = {10}}, 8},
        {{.bytes = {172, 16}}, 12},
        {{.bytes = {192, 168}}, 16},
        {{.is_ipv6 = true, .bytes = {0xfc}}, 7},
    };
    for (size_t i = 0; i < FX_COUNT(networks); i++) {
        if (fx_go_address_is_in(address, &networks[i].network, networks[i].bits)) {
            return true;
        }
    }
    return false;
}
