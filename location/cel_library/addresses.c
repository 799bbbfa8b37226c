/* SPDX-License-Identifier: Apache-2.0
 *
 * addresses.c - ip(), cidr() and their methods.
 */
#include "location/cel/cost.h"
#include "location/cel_library/library.h"
#include "location/cel_library/types.h"
#include "location/go/netip.h"

FX_CEL_OPAQUE_TYPE(fx_cel_ip, "net.IP");

FX_CEL_OPAQUE_TYPE(fx_cel_cidr, "net.CIDR");

/* ---- the values -------------------------------------------------------------------- */

static bool address_equal(const void *a, const void *b) {
    return fx_go_address_equal(a, b);
}

static void address_print(const void *self, struct fx_buf *buf) {
    fx_go_address_print(buf, self);
}

static const struct fx_cel_opaque_ops address_ops = {
    .type = &fx_cel_ip,
    .equal = address_equal,
    .print = address_print,
};

/* As written: 10.0.0.1/8 is not 10.0.0.0/8. */
static bool prefix_equal(const void *left, const void *right) {
    const struct fx_go_prefix *a = left;
    const struct fx_go_prefix *b = right;
    return a->bits == b->bits && fx_go_address_equal(&a->address, &b->address);
}

static void prefix_print(const void *self, struct fx_buf *buf) {
    const struct fx_go_prefix *prefix = self;
    fx_go_address_print(buf, &prefix->address);
    fx_buf_char(buf, '/');
    fx_buf_number(buf, prefix->bits);
}

static const struct fx_cel_opaque_ops prefix_ops = {
    .type = &fx_cel_cidr,
    .equal = prefix_equal,
    .print = prefix_print,
};

static struct fx_cel_value new_address(struct fx_cel_run *run,
                                       struct fx_go_address address) {
    struct fx_go_address *made = fx_arena_alloc(run->arena, sizeof *made);
    if (made == NULL) {
        return fx_cel_no_memory(run);
    }
    *made = address;
    return fx_cel_make_opaque(&address_ops, made);
}

static struct fx_cel_value new_prefix(struct fx_cel_run *run,
                                      struct fx_go_prefix prefix) {
    struct fx_go_prefix *made = fx_arena_alloc(run->arena, sizeof *made);
    if (made == NULL) {
        return fx_cel_no_memory(run);
    }
    *made = prefix;
    return fx_cel_make_opaque(&prefix_ops, made);
}

/* ---- reading: zones and mapped IPv4 addresses are refused -------------------------- */

static bool check_mapped(const struct fx_go_address *address, struct fx_text text,
                         struct fx_err *err) {
    return !fx_go_address_is_mapped(address) ||
           fx_fail_quoted(err, FX_EMUTATE, "IPv4-mapped IPv6 address ", text,
                          " is not allowed");
}

/* Reads an address. Errors, in run->err: FX_EMUTATE with the message of Kubernetes,
 * FX_ENOMEM, FX_EDEADLINE, FX_ELIMIT. */
static bool read_address(struct fx_cel_run *run, struct fx_text text,
                         struct fx_go_address *ret_address) {
    struct fx_err *err = run->err;
    if (!fx_cel_spend_text(run, text)) {
        return false;
    }
    if (!fx_go_address_parse(text, ret_address, err)) {
        return fx_cel_prefix_quoted(err, "IP Address ", text,
                                    " parse error during conversion from string: ");
    }
    if (ret_address->has_zone) {
        return fx_fail_quoted(err, FX_EMUTATE, "IP address ", text,
                              " with zone value is not allowed");
    }
    return check_mapped(ret_address, text, err);
}

#define NETWORK "network address parse error during conversion from string: "

/* Reads a prefix. Errors: as above. */
static bool read_prefix(struct fx_cel_run *run, struct fx_text text,
                        struct fx_go_prefix *ret_prefix) {
    struct fx_err *err = run->err;
    if (!fx_cel_spend_text(run, text)) {
        return false;
    }
    if (!fx_go_prefix_parse(text, ret_prefix, err)) {
        return err->code == FX_EMUTATE && fx_err_prefix(err, NETWORK NETWORK);
    }
    return check_mapped(&ret_prefix->address, text, err) ||
           (err->code == FX_EMUTATE && fx_err_prefix(err, NETWORK));
}

/* ---- addresses --------------------------------------------------------------------- */

static struct fx_cel_value call_ip(struct fx_cel_run *run,
                                   const struct fx_cel_value *args) {
    struct fx_go_address address;
    return read_address(run, args[0].text, &address) ? new_address(run, address)
                                                     : fx_cel_fail_read(run);
}

static struct fx_cel_value call_is_ip(struct fx_cel_run *run,
                                      const struct fx_cel_value *args) {
    struct fx_go_address address;
    return fx_cel_make_readable(run, read_address(run, args[0].text, &address));
}

static struct fx_cel_value call_is_canonical(struct fx_cel_run *run,
                                             const struct fx_cel_value *args) {
    struct fx_go_address address;
    struct fx_buf buf;
    if (!read_address(run, args[0].text, &address)) {
        return fx_cel_fail_read(run);
    }
    fx_buf_init(&buf, 0);
    fx_go_address_print(&buf, &address);
    const bool failed = buf.failed;
    const bool is_same = fx_text_equal(fx_buf_view(&buf), args[0].text);
    fx_buf_finish(&buf);
    return failed ? fx_cel_no_memory(run) : fx_cel_make_bool(is_same);
}

static const struct fx_go_address *address_of(struct fx_cel_value value) {
    return value.opaque.data;
}

static struct fx_cel_value call_family(struct fx_cel_run *run,
                                       const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_int(address_of(args[0])->is_ipv6 ? 6 : 4);
}

static const struct fx_go_address any4 = {.is_ipv6 = false};
static const struct fx_go_address any6 = {.is_ipv6 = true};
static const struct fx_go_address broadcast4 = {.bytes = {255, 255, 255, 255}};
static const struct fx_go_address link_local4 = {.bytes = {169, 254}};
static const struct fx_go_address link_local6 = {.is_ipv6 = true, .bytes = {0xfe, 0x80}};
static const struct fx_go_address multicast4 = {.bytes = {224}};
static const struct fx_go_address multicast6 = {.is_ipv6 = true, .bytes = {0xff}};

static bool is_unspecified(const struct fx_go_address *address) {
    return fx_go_address_equal(address, &any4) || fx_go_address_equal(address, &any6);
}

static bool is_loopback(const struct fx_go_address *address) {
    return fx_go_address_is_loopback(address);
}

static bool is_link_local_unicast(const struct fx_go_address *address) {
    return fx_go_address_is_in(address, &link_local4, 16) ||
           fx_go_address_is_in(address, &link_local6, 10);
}

/* 224.0.0.0/24; of IPv6 those whose scope, the last four bits of the second byte, is 2.
 */
static bool is_link_local_multicast(const struct fx_go_address *address) {
    if (!address->is_ipv6) {
        return fx_go_address_is_in(address, &multicast4, 24);
    }
    return address->bytes[0] == 0xff && (address->bytes[1] & 0x0f) == 2;
}

static bool is_multicast(const struct fx_go_address *address) {
    return fx_go_address_is_in(address, &multicast4, 4) ||
           fx_go_address_is_in(address, &multicast6, 8);
}

static bool is_global_unicast(const struct fx_go_address *address) {
    return !is_unspecified(address) && !fx_go_address_equal(address, &broadcast4) &&
           !is_loopback(address) && !is_multicast(address) &&
           !is_link_local_unicast(address);
}

#define QUESTION(function)                                                        \
    static struct fx_cel_value call_##function(struct fx_cel_run *run,            \
                                               const struct fx_cel_value *args) { \
        (void)run;                                                                \
        return fx_cel_make_bool(function(address_of(args[0])));                   \
    }

QUESTION(is_unspecified)
QUESTION(is_loopback)
QUESTION(is_link_local_multicast)
QUESTION(is_link_local_unicast)
QUESTION(is_global_unicast)

/* string(ip) and string(cidr) */
static struct fx_cel_value call_string(struct fx_cel_run *run,
                                       const struct fx_cel_value *args) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    args[0].opaque.ops->print(args[0].opaque.data, &buf);
    return fx_cel_take_buf(run, &buf);
}

/* ---- prefixes ---------------------------------------------------------------------- */

static struct fx_cel_value call_cidr(struct fx_cel_run *run,
                                     const struct fx_cel_value *args) {
    struct fx_go_prefix prefix;
    return read_prefix(run, args[0].text, &prefix) ? new_prefix(run, prefix)
                                                   : fx_cel_fail_read(run);
}

static struct fx_cel_value call_is_cidr(struct fx_cel_run *run,
                                        const struct fx_cel_value *args) {
    struct fx_go_prefix prefix;
    return fx_cel_make_readable(run, read_prefix(run, args[0].text, &prefix));
}

static const struct fx_go_prefix *prefix_of(struct fx_cel_value value) {
    return value.opaque.data;
}

static struct fx_cel_value contains(const struct fx_go_prefix *prefix,
                                    const struct fx_go_address *address) {
    const struct fx_go_address network =
        fx_go_address_mask(&prefix->address, prefix->bits);
    return fx_cel_make_bool(fx_go_address_is_in(address, &network, prefix->bits));
}

static struct fx_cel_value call_contains_ip(struct fx_cel_run *run,
                                            const struct fx_cel_value *args) {
    (void)run;
    return contains(prefix_of(args[0]), address_of(args[1]));
}

/* A text that is no address is "no such overload", whatever the reason. */
static struct fx_cel_value call_contains_ip_text(struct fx_cel_run *run,
                                                 const struct fx_cel_value *args) {
    struct fx_go_address address;
    if (read_address(run, args[1].text, &address)) {
        return contains(prefix_of(args[0]), &address);
    }
    const struct fx_cel_value failed = fx_cel_fail_read(run);
    return (failed.flags & FX_CEL_FATAL) != 0 ? failed : fx_cel_no_overload();
}

static struct fx_cel_value contains_prefix(const struct fx_go_prefix *prefix,
                                           const struct fx_go_prefix *inner) {
    return prefix->bits <= inner->bits ? contains(prefix, &inner->address)
                                       : fx_cel_make_bool(false);
}

static struct fx_cel_value call_contains_cidr(struct fx_cel_run *run,
                                              const struct fx_cel_value *args) {
    (void)run;
    return contains_prefix(prefix_of(args[0]), prefix_of(args[1]));
}

static struct fx_cel_value call_contains_cidr_text(struct fx_cel_run *run,
                                                   const struct fx_cel_value *args) {
    struct fx_go_prefix inner;
    return read_prefix(run, args[1].text, &inner)
               ? contains_prefix(prefix_of(args[0]), &inner)
               : fx_cel_fail_read(run);
}

static struct fx_cel_value call_cidr_ip(struct fx_cel_run *run,
                                        const struct fx_cel_value *args) {
    return new_address(run, prefix_of(args[0])->address);
}

static struct fx_cel_value call_masked(struct fx_cel_run *run,
                                       const struct fx_cel_value *args) {
    const struct fx_go_prefix *prefix = prefix_of(args[0]);
    const struct fx_go_address network =
        fx_go_address_mask(&prefix->address, prefix->bits);
    return new_prefix(run, (struct fx_go_prefix){network, prefix->bits});
}

static struct fx_cel_value call_prefix_length(struct fx_cel_run *run,
                                              const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_int(prefix_of(args[0])->bits);
}

/* ---- costs ------------------------------------------------------------------------- */

/* It reads the text twice. */
static uint64_t cost_canonical(const struct fx_cel_value *args,
                               struct fx_cel_value result) {
    (void)result;
    return fx_cel_cost_scale(fx_cel_cost_length(args[0]), 0.2);
}

/* The bytes of the network that are compared. */
static uint64_t network_bytes(struct fx_cel_value cidr) {
    const bool is_cidr = cidr.kind == FX_CEL_OPAQUE && cidr.opaque.ops == &prefix_ops;
    return is_cidr ? (prefix_of(cidr)->bits + 7) / 8 : 0;
}

static uint64_t cost_contains_ip(const struct fx_cel_value *args,
                                 struct fx_cel_value result) {
    (void)result;
    return fx_cel_cost_scale(network_bytes(args[0]) * 2, 0.1);
}

static uint64_t cost_contains_ip_text(const struct fx_cel_value *args,
                                      struct fx_cel_value result) {
    return cost_contains_ip(args, result) + fx_cel_cost_traverse(args[1]);
}

static uint64_t cost_contains_cidr(const struct fx_cel_value *args,
                                   struct fx_cel_value result) {
    return cost_contains_ip(args, result) +
           fx_cel_cost_scale(network_bytes(args[0]), 0.1) + 1;
}

static uint64_t cost_contains_cidr_text(const struct fx_cel_value *args,
                                        struct fx_cel_value result) {
    return cost_contains_cidr(args, result) + fx_cel_cost_traverse(args[1]);
}

/* ---- the overloads ----------------------------------------------------------------- */

#define QUESTION_ROW(name, call_) \
    {.function = (name),          \
     FX_CEL_METHOD(&fx_cel_ip),   \
     .result = &fx_cel_bool,      \
     .call = (call_)}

const struct fx_cel_overload fx_cel_addresses[] = {
    {.function = "ip",
     FX_CEL_FUNCTION(&fx_cel_string),
     .result = &fx_cel_ip,
     .call = call_ip,
     .cost = fx_cel_cost_text,
     .always_costs = true},
    {.function = "isIP",
     FX_CEL_FUNCTION(&fx_cel_string),
     .result = &fx_cel_bool,
     .call = call_is_ip,
     .cost = fx_cel_cost_text,
     .always_costs = true},
    {.function = "ip.isCanonical",
     FX_CEL_FUNCTION(&fx_cel_string),
     .result = &fx_cel_bool,
     .call = call_is_canonical,
     .cost = cost_canonical,
     .always_costs = true},
    {.function = "family",
     FX_CEL_METHOD(&fx_cel_ip),
     .result = &fx_cel_int,
     .call = call_family},
    QUESTION_ROW("isUnspecified", call_is_unspecified),
    QUESTION_ROW("isLoopback", call_is_loopback),
    QUESTION_ROW("isLinkLocalMulticast", call_is_link_local_multicast),
    QUESTION_ROW("isLinkLocalUnicast", call_is_link_local_unicast),
    QUESTION_ROW("isGlobalUnicast", call_is_global_unicast),
    {.function = "string",
     FX_CEL_FUNCTION(&fx_cel_ip),
     .result = &fx_cel_string,
     .call = call_string},
    {.function = "cidr",
     FX_CEL_FUNCTION(&fx_cel_string),
     .result = &fx_cel_cidr,
     .call = call_cidr,
     .cost = fx_cel_cost_text,
     .always_costs = true},
    {.function = "isCIDR",
     FX_CEL_FUNCTION(&fx_cel_string),
     .result = &fx_cel_bool,
     .call = call_is_cidr,
     .cost = fx_cel_cost_text,
     .always_costs = true},
    {.function = "containsIP",
     FX_CEL_METHOD(&fx_cel_cidr, &fx_cel_string),
     .result = &fx_cel_bool,
     .call = call_contains_ip_text,
     .cost = cost_contains_ip_text,
     .open_cost = cost_contains_ip},
    {.function = "containsIP",
     FX_CEL_METHOD(&fx_cel_cidr, &fx_cel_ip),
     .result = &fx_cel_bool,
     .call = call_contains_ip,
     .cost = cost_contains_ip,
     .always_costs = true},
    {.function = "containsCIDR",
     FX_CEL_METHOD(&fx_cel_cidr, &fx_cel_string),
     .result = &fx_cel_bool,
     .call = call_contains_cidr_text,
     .cost = cost_contains_cidr_text,
     .open_cost = cost_contains_cidr},
    {.function = "containsCIDR",
     FX_CEL_METHOD(&fx_cel_cidr, &fx_cel_cidr),
     .result = &fx_cel_bool,
     .call = call_contains_cidr,
     .cost = cost_contains_cidr,
     .always_costs = true},
    {.function = "ip",
     FX_CEL_METHOD(&fx_cel_cidr),
     .result = &fx_cel_ip,
     .call = call_cidr_ip},
    {.function = "masked",
     FX_CEL_METHOD(&fx_cel_cidr),
     .result = &fx_cel_cidr,
     .call = call_masked},
    {.function = "prefixLength",
     FX_CEL_METHOD(&fx_cel_cidr),
     .result = &fx_cel_int,
     .call = call_prefix_length},
    {.function = "string",
     FX_CEL_FUNCTION(&fx_cel_cidr),
     .result = &fx_cel_string,
     .call = call_string},
    {.function = NULL},
};
