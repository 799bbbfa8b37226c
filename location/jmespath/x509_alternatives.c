/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/x509_alternatives.c - extensions of general names: alternative names,
 * constraints of names, and where to get other things (RFC 5280 section 4.2).
 */
#include "base/buf.h"
#include "location/go/netip.h"
#include "location/go/url.h"
#include "location/jmespath/x509.h"
#include "value/tree.h"

/* The general names that Go reads. */
enum general_name {
    NAME_EMAIL = FX_DER_CONTEXT + 1,
    NAME_DNS = FX_DER_CONTEXT + 2,
    NAME_URI = FX_DER_CONTEXT + 6,
    NAME_IP = FX_DER_CONTEXT + 7,
};

/* ---- addresses --------------------------------------------------------------------- */

#define IPV4_BYTES 4u

/* The address of 4 or 16 bytes as a string. A mapped address prints as the IPv4 address,
 * as Go's net.IP does. */
static json_t *new_address(struct fx_text bytes) {
    struct fx_go_address address = {.is_ipv6 = bytes.len > IPV4_BYTES};
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    for (size_t i = 0; i < bytes.len; i++) {
        address.bytes[i] = (uint8_t)bytes.data[i];
    }
    address = fx_go_address_unmap(&address);
    fx_go_address_print(&buf, &address);
    json_t *string = buf.failed ? NULL : fx_tree_new_string(fx_buf_view(&buf));
    fx_buf_finish(&buf);
    return string;
}

static bool is_address(struct fx_text bytes) {
    return bytes.len == IPV4_BYTES || bytes.len == FX_GO_ADDRESS_BYTES;
}

/* An address and a mask: Go's net.IPNet. */
static json_t *new_network(struct x509_run *run, struct fx_text bytes) {
    const size_t half = bytes.len / 2;
    json_t *network = json_object();
    x509_set(run, network, "IP", new_address((struct fx_text){bytes.data, half}));
    x509_set(run, network, "Mask", x509_base64(fx_text_rest(bytes, half)));
    return network;
}

/* ---- URLs -------------------------------------------------------------------------- */

static json_t *new_user(struct x509_run *run, const struct fx_go_url *url) {
    /* Go's Userinfo has no public fields. */
    json_t *user = url->has_user ? json_object() : json_null();
    run->failed |= user == NULL;
    return user;
}

/* Go keeps the path as it was written only if it would escape it otherwise. */
static json_t *new_raw_path(const struct fx_go_url *url) {
    struct fx_go_url plain = *url;
    struct fx_buf buf;
    plain.raw_path = FX_TEXT("");
    fx_buf_init(&buf, 0);
    fx_go_url_print_path(&buf, &plain);
    const bool is_same = fx_text_equal(fx_buf_view(&buf), url->raw_path);
    json_t *raw = buf.failed ? NULL : x509_string(is_same ? FX_TEXT("") : url->raw_path);
    fx_buf_finish(&buf);
    return raw;
}

/* Go's url.URL. */
static json_t *new_url(struct x509_run *run, const struct fx_go_url *url) {
    json_t *object = json_object();
    x509_set(run, object, "Scheme", x509_string(url->scheme));
    x509_set(run, object, "Opaque", x509_string(url->opaque));
    x509_set(run, object, "User", new_user(run, url));
    x509_set(run, object, "Host", x509_string(url->host));
    x509_set(run, object, "Path", x509_string(url->path));
    x509_set(run, object, "RawPath", new_raw_path(url));
    x509_set(run, object, "OmitHost", json_boolean(url->omits_host));
    x509_set(run, object, "ForceQuery",
             json_boolean(url->has_query && url->query.len == 0));
    x509_set(run, object, "RawQuery", x509_string(url->query));
    x509_set(run, object, "Fragment", x509_string(url->fragment));
    x509_set(run, object, "RawFragment", x509_string(FX_TEXT("")));
    return object;
}

static bool add_uri(struct x509_run *run, struct fx_text text) {
    struct fx_go_url url;
    struct fx_buf room;
    struct fx_err err = FX_ERR_INIT;
    fx_buf_init(&room, 0);
    char *bytes = fx_buf_reserve(&room, text.len + 1);
    const bool ok = bytes != NULL && fx_go_url_parse(text, bytes, &url, &err);
    if (ok) {
        x509_append(run, run->object, "URIs", new_url(run, &url));
    }
    fx_buf_finish(&room);
    if (bytes == NULL || err.code == FX_ENOMEM) {
        return fx_fail_nomem(run->err);
    }
    return ok || x509_fail(run, "an alternative name is no URI");
}

/* ---- alternative names ------------------------------------------------------------- */

static bool add_alternative(struct x509_run *run, unsigned tag, struct fx_text name,
                            bool *handled) {
    *handled = true;
    switch (tag) {
    case NAME_EMAIL:
        x509_append(run, run->object, "EmailAddresses", x509_string(name));
        return true;
    case NAME_DNS:
        x509_append(run, run->object, "DNSNames", x509_string(name));
        return true;
    case NAME_URI: return add_uri(run, name);
    case NAME_IP:
        if (!is_address(name)) {
            return x509_fail(run, "an alternative name is no IP address");
        }
        x509_append(run, run->object, "IPAddresses", new_address(name));
        return true;
    default: *handled = false; return true;
    }
}

bool x509_read_alternatives(struct x509_run *run, struct fx_text value,
                            bool *ret_handled) {
    struct fx_text names;
    *ret_handled = false;
    if (!fx_der_take(&value, FX_DER_SEQUENCE, &names)) {
        return x509_fail(run, "malformed alternative names");
    }
    while (names.len > 0) {
        struct fx_text name;
        unsigned tag = 0;
        bool handled = false;
        if (!fx_der_take_any(&names, &tag, &name, NULL)) {
            return x509_fail(run, "malformed alternative names");
        }
        if (!add_alternative(run, tag, name, &handled)) {
            return false;
        }
        *ret_handled |= handled;
    }
    return true;
}

/* ---- constraints of names ---------------------------------------------------------- */

/* The members of one side. */
struct constraint_members {
    const char *dns, *ip, *email, *uri;
};

static const struct constraint_members permitted_members = {
    "PermittedDNSDomains", "PermittedIPRanges", "PermittedEmailAddresses",
    "PermittedURIDomains"};
static const struct constraint_members excluded_members = {
    "ExcludedDNSDomains", "ExcludedIPRanges", "ExcludedEmailAddresses",
    "ExcludedURIDomains"};

static bool add_constraint(struct x509_run *run, const struct constraint_members *members,
                           unsigned tag, struct fx_text name, bool *handled) {
    const char *member = tag == NAME_DNS     ? members->dns
                         : tag == NAME_EMAIL ? members->email
                         : tag == NAME_URI   ? members->uri
                         : tag == NAME_IP    ? members->ip
                                             : NULL;
    if (member == NULL) {
        *handled = false;
        return true;
    }
    if (tag != NAME_IP) {
        x509_append(run, run->object, member, x509_string(name));
        return true;
    }
    if (name.len != (size_t)2 * IPV4_BYTES &&
        name.len != (size_t)2 * FX_GO_ADDRESS_BYTES) {
        return x509_fail(run, "a constraint of names is no network");
    }
    x509_append(run, run->object, member, new_network(run, name));
    return true;
}

/* Reads a list of SEQUENCE { general name, … }. */
static bool read_subtrees(struct x509_run *run, struct fx_text subtrees,
                          const struct constraint_members *members, bool *handled) {
    while (subtrees.len > 0) {
        struct fx_text subtree;
        struct fx_text name;
        unsigned tag = 0;
        if (!fx_der_take(&subtrees, FX_DER_SEQUENCE, &subtree) ||
            !fx_der_take_any(&subtree, &tag, &name, NULL)) {
            return x509_fail(run, "malformed constraints of names");
        }
        if (!add_constraint(run, members, tag, name, handled)) {
            return false;
        }
    }
    return true;
}

bool x509_read_constraints(struct x509_run *run, struct fx_text value, bool is_critical,
                           bool *ret_handled) {
    struct fx_text sides;
    struct fx_text permitted;
    struct fx_text excluded;
    *ret_handled = true;
    if (!fx_der_take(&value, FX_DER_SEQUENCE, &sides) ||
        !fx_der_take_optional(&sides, FX_DER_CONTEXT_CONSTRUCTED, &permitted) ||
        !fx_der_take_optional(&sides, FX_DER_CONTEXT_CONSTRUCTED + 1, &excluded)) {
        return x509_fail(run, "malformed constraints of names");
    }
    x509_set_boolean(run, "PermittedDNSDomainsCritical", is_critical);
    return read_subtrees(run, permitted, &permitted_members, ret_handled) &&
           read_subtrees(run, excluded, &excluded_members, ret_handled);
}

/* ---- where to get other things ------------------------------------------------------
 */

/* Appends the URIs of general names. */
static bool add_uris(struct x509_run *run, struct fx_text names, const char *member) {
    while (names.len > 0) {
        struct fx_text name;
        unsigned tag = 0;
        if (!fx_der_take_any(&names, &tag, &name, NULL)) {
            return x509_fail(run, "malformed names of a distribution point");
        }
        if (tag == NAME_URI) {
            x509_append(run, run->object, member, x509_string(name));
        }
    }
    return true;
}

/* SEQUENCE of SEQUENCE { [0] { [0] general names } … } */
bool x509_read_distribution(struct x509_run *run, struct fx_text value) {
    struct fx_text points;
    if (!fx_der_take(&value, FX_DER_SEQUENCE, &points)) {
        return x509_fail(run, "malformed distribution points");
    }
    while (points.len > 0) {
        struct fx_text point;
        struct fx_text name;
        struct fx_text names;
        if (!fx_der_take(&points, FX_DER_SEQUENCE, &point) ||
            !fx_der_take_optional(&point, FX_DER_CONTEXT_CONSTRUCTED, &name) ||
            !fx_der_take_optional(&name, FX_DER_CONTEXT_CONSTRUCTED, &names)) {
            return x509_fail(run, "malformed distribution points");
        }
        if (!add_uris(run, names, "CRLDistributionPoints")) {
            return false;
        }
    }
    return true;
}

/* SEQUENCE of SEQUENCE { object identifier of the method, general name } */
bool x509_read_authority(struct x509_run *run, struct fx_text value) {
    struct fx_text methods;
    if (!fx_der_take(&value, FX_DER_SEQUENCE, &methods)) {
        return x509_fail(run, "malformed authority information");
    }
    while (methods.len > 0) {
        struct fx_text method;
        struct fx_text oid;
        if (!fx_der_take(&methods, FX_DER_SEQUENCE, &method) ||
            !fx_der_take(&method, FX_DER_OID, &oid)) {
            return x509_fail(run, "malformed authority information");
        }
        const char *member = fx_der_oid_is(oid, "1.3.6.1.5.5.7.48.1") ? "OCSPServer"
                             : fx_der_oid_is(oid, "1.3.6.1.5.5.7.48.2")
                                 ? "IssuingCertificateURL"
                                 : NULL;
        if (member != NULL && !add_uris(run, method, member)) {
            return false;
        }
    }
    return true;
}
