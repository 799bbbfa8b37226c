/* SPDX-License-Identifier: Apache-2.0
 *
 * net/address.h - "HOST:PORT": parsing and printing.
 */
#ifndef FX_NET_ADDRESS_H
#define FX_NET_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"

#define FX_ADDRESS_BYTES 64 /* an address with its port, as text */

struct fx_address {
    struct sockaddr_storage socket;
    bool any; /* the host was empty, so this is `::`, or 0.0.0.0 without IPv6 */
};

/*
 * Reads
 *     address := [ host ] ":" port
 *     host    := IPv4 address | "[" IPv6 address "]"
 *     port    := 0 … 65535, decimal
 * Names are not looked up. Errors: FX_EINVALID.
 */
bool fx_address_parse(const char *text, struct fx_address *ret_address,
                      struct fx_err *err) FX_MUST_USE;

/* Replaces `::` by `0.0.0.0`, with the same port. */
void fx_address_make_ipv4(struct fx_address *address);

/* Returns the address under which this machine reaches a listener on `listened` with the
 * actual `port`: the loopback address if it listens on all addresses, otherwise the
 * address itself. */
void fx_address_of_listener(const struct fx_address *listened, uint16_t port,
                            struct fx_address *ret_address);

/* Parses an IPv4 or IPv6 address without a port. False if `host` is not an address; it
 * may be a name. */
bool fx_address_of_literal(const char *host, uint16_t port,
                           struct sockaddr_storage *ret_socket) FX_MUST_USE;

/* Prints `127.0.0.1:443` or `[::1]:443`. `size` should be FX_ADDRESS_BYTES; with less,
 * the text may be cut. */
void fx_address_print(const struct sockaddr *socket, uint16_t port, char *text,
                      size_t size);

/* Returns the port of the address. */
uint16_t fx_address_port(const struct sockaddr_storage *socket);

#endif
