/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/netip.h - IP addresses and prefixes, as Go's package net/netip reads and
 * writes them.
 */
#ifndef FX_LOCATION_GO_NETIP_H
#define FX_LOCATION_GO_NETIP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

#define FX_GO_ADDRESS_BYTES 16

struct fx_go_address {
    bool is_ipv6;
    bool has_zone;                      /* "%eth0"; the name is not kept */
    uint8_t bytes[FX_GO_ADDRESS_BYTES]; /* of IPv4: the first four; the others are 0 */
};

struct fx_go_prefix {
    struct fx_go_address address; /* as written: with the bits behind the prefix */
    unsigned bits;
};

/* netip.ParseAddr and netip.ParsePrefix. Errors: FX_EMUTATE with Go's message,
 * FX_ENOMEM. */
bool fx_go_address_parse(struct fx_text text, struct fx_go_address *ret_address,
                         struct fx_err *err) FX_MUST_USE;
bool fx_go_prefix_parse(struct fx_text text, struct fx_go_prefix *ret_prefix,
                        struct fx_err *err) FX_MUST_USE;

/* Appends "10.0.0.1" or "2001:db8::1", without a zone. */
void fx_go_address_print(struct fx_buf *buf, const struct fx_go_address *address);

/* Are they the same address of the same family? */
bool fx_go_address_equal(const struct fx_go_address *a, const struct fx_go_address *b);

/* Is it an IPv4 address in IPv6, ::ffff:10.0.0.1? */
bool fx_go_address_is_mapped(const struct fx_go_address *address);

/* Returns the IPv4 address that is mapped, otherwise the address itself. */
struct fx_go_address fx_go_address_unmap(const struct fx_go_address *address);

/* Is the address in the network of the first `bits`? The rest of `network` is 0. */
bool fx_go_address_is_in(const struct fx_go_address *address,
                         const struct fx_go_address *network, unsigned bits);

/* IsLoopback() and IsPrivate(), for addresses that are not mapped: 127.0.0.0/8 and ::1;
 * 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 and fc00::/7. */
bool fx_go_address_is_loopback(const struct fx_go_address *address);
bool fx_go_address_is_private(const struct fx_go_address *address);

/* Returns the address without the bits behind the first `bits`, of which it has enough.
 */
struct fx_go_address fx_go_address_mask(const struct fx_go_address *address,
                                        unsigned bits);

/* The number of bits of an address: 32 or 128. */
unsigned fx_go_address_bits(const struct fx_go_address *address);

#endif
