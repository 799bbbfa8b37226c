/* SPDX-License-Identifier: Apache-2.0
 *
 * net/address.c - reading "HOST:PORT".
 */
#include "net/address.h"

#include <stdio.h>
#include <string.h>

/* The longest IPv6 address with a zone. */
#define HOST_BYTES 80

static void set_host(struct fx_address *address, const char *host, uint16_t port) {
    /* cannot fail, because the addresses are constants */
    if (strchr(host, ':') != NULL) {
        (void)uv_ip6_addr(host, port, (struct sockaddr_in6 *)&address->socket);
    } else {
        (void)uv_ip4_addr(host, port, (struct sockaddr_in *)&address->socket);
    }
}

static bool parse_port(const char *text, uint16_t *ret_port) {
    const size_t len = strlen(text);
    if (len == 0 || len > 5 || strspn(text, "0123456789") != len) {
        return false;
    }
    uint32_t port = 0;
    for (const char *c = text; *c != '\0'; c++) {
        port = port * 10 + (uint32_t)(*c - '0');
    }
    *ret_port = (uint16_t)port;
    return port <= UINT16_MAX;
}

/* Copies the host without its brackets. False if only one bracket is there. */
static bool copy_host(const char *text, size_t len, char host[HOST_BYTES],
                      bool *ret_ipv6) {
    *ret_ipv6 = len >= 2 && text[0] == '[' && text[len - 1] == ']';
    if (*ret_ipv6) {
        text++;
        len -= 2;
    }
    if (len == 0 || len >= HOST_BYTES || memchr(text, '[', len) != NULL) {
        return false;
    }
    memcpy(host, text, len);
    host[len] = '\0';
    return true;
}

bool fx_address_parse(const char *text, struct fx_address *ret_address,
                      struct fx_err *err) {
    struct fx_address address = {0};
    uint16_t port = 0;
    const char *colon = strrchr(text, ':');
    if (colon == NULL || !parse_port(colon + 1, &port)) {
        return fx_fail(err, FX_EINVALID, "`%.200s` is not HOST:PORT", text);
    }
    if (colon == text) {
        address.any = true;
        set_host(&address, "::", port);
        *ret_address = address;
        return true;
    }
    char host[HOST_BYTES];
    bool ipv6 = false;
    const bool ok =
        copy_host(text, (size_t)(colon - text), host, &ipv6) &&
        (ipv6 ? uv_ip6_addr(host, port, (struct sockaddr_in6 *)&address.socket)
              : uv_ip4_addr(host, port, (struct sockaddr_in *)&address.socket)) == 0;
    if (!ok) {
        return fx_fail(err, FX_EINVALID,
                       "`%.200s` does not begin with an IPv4 or [IPv6] address", text);
    }
    *ret_address = address;
    return true;
}

void fx_address_make_ipv4(struct fx_address *address) {
    set_host(address, "0.0.0.0", fx_address_port(&address->socket));
}

/* Is it the address 0.0.0.0 or `::`? */
static bool is_wildcard(const struct sockaddr_storage *socket) {
    static const struct in6_addr any = IN6ADDR_ANY_INIT;
    if (socket->ss_family == AF_INET) {
        return ((const struct sockaddr_in *)socket)->sin_addr.s_addr == htonl(INADDR_ANY);
    }
    const struct in6_addr *host = &((const struct sockaddr_in6 *)socket)->sin6_addr;
    return memcmp(host, &any, sizeof any) == 0;
}

void fx_address_of_listener(const struct fx_address *listened, uint16_t port,
                            struct fx_address *ret_address) {
    const struct fx_address from = *listened; /* may be the same as *ret_address */
    const bool ipv6 = from.socket.ss_family == AF_INET6;
    *ret_address = (struct fx_address){0};
    if (from.any || is_wildcard(&from.socket)) {
        set_host(ret_address, ipv6 && !from.any ? "::1" : "127.0.0.1", port);
        return;
    }
    ret_address->socket = from.socket;
    if (ipv6) {
        ((struct sockaddr_in6 *)&ret_address->socket)->sin6_port = htons(port);
    } else {
        ((struct sockaddr_in *)&ret_address->socket)->sin_port = htons(port);
    }
}

bool fx_address_of_literal(const char *host, uint16_t port,
                           struct sockaddr_storage *ret_socket) {
    return uv_ip4_addr(host, port, (struct sockaddr_in *)ret_socket) == 0 ||
           uv_ip6_addr(host, port, (struct sockaddr_in6 *)ret_socket) == 0;
}

void fx_address_print(const struct sockaddr *socket, uint16_t port, char *text,
                      size_t size) {
    char host[INET6_ADDRSTRLEN] = "?";
    (void)uv_ip_name(socket, host, sizeof host);
    const bool ipv6 = socket->sa_family == AF_INET6;
    (void)snprintf(text, size, ipv6 ? "[%s]:%u" : "%s:%u", host, port);
}

uint16_t fx_address_port(const struct sockaddr_storage *socket) {
    const bool ipv6 = socket->ss_family == AF_INET6;
    return ntohs(ipv6 ? ((const struct sockaddr_in6 *)socket)->sin6_port
                      : ((const struct sockaddr_in *)socket)->sin_port);
}
