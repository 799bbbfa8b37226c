/* SPDX-License-Identifier: Apache-2.0
 *
 * net/address.h - "HOST:PORT" as the user writes it, and as we do.
 */
#ifndef FX_NET_ADDRESS_H
#define FX_NET_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"

#define FX_ADDRESS_BYTES 64 /* of any address and its port, as text */

struct fx_address {
    struct sockaddr_storage socket;
    bool any; /* the host was empty: `::` here, 0.0.0.0 where there is no IPv6 */
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

/* `0.0.0.0` instead of `::`, with the same port. */
void fx_address_make_ipv4(struct fx_address *address);

/* Where this machine itself reaches a listener on `listened` that was given `port`: the
 * loopback address for one on all addresses, else the address itself. */
void fx_address_of_listener(const struct fx_address *listened, uint16_t port,
                            struct fx_address *ret_address);

/* An address without a port; false where the text is none, so perhaps a name. */
bool fx_address_of_literal(const char *host, uint16_t port,
                           struct sockaddr_storage *ret_socket) FX_MUST_USE;

/* As in `127.0.0.1:443` and `[::1]:443`; `size` is FX_ADDRESS_BYTES, or it may be cut. */
void fx_address_print(const struct sockaddr *socket, uint16_t port, char *text,
                      size_t size);

uint16_t fx_address_port(const struct sockaddr_storage *socket);

#endif
