/* SPDX-License-Identifier: Apache-2.0
 *
 * convert.c - what both conversions of values need: limits, scalars, messages.
 */
#include "mutators/admission_policy/convert_internal.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/base64.h"
#include "base/budget.h"
#include "base/limits.h"
#include "value/measure.h"
#include "value/tree.h"

#define JSON_PREFIX \
    "JSONPath valueExpression evaluated to a type that could not marshal to JSON: "

json_t *fx_map_conversion_check(const struct conversion *conversion, json_t *node) {
    if (node == NULL) {
        (void)fx_fail_nomem(conversion->err);
    }
    return node;
}

json_t *fx_map_conversion_refuse(struct conversion *conversion, const char *fmt, ...) {
    va_list args;
    fx_buf_str(&conversion->refusal->message, JSON_PREFIX);
    va_start(args, fmt);
    fx_buf_vprintf(&conversion->refusal->message, fmt, args);
    va_end(args);
    (void)fx_map_reject(conversion->refusal, 403, conversion->err);
    return NULL;
}

static json_t *fail_size(const struct conversion *conversion) {
    (void)(fx_budget_exceeded() != FX_EXCEEDED_NOTHING
               ? fx_fail_exceeded(conversion->err)
               : fx_fail(conversion->err, FX_ELIMIT,
                         "a mutation makes a value that is too large or too deep"));
    return NULL;
}

/* Enters a value that is one level deeper. */
bool fx_map_conversion_enter(struct conversion *conversion) {
    if (!fx_spend(8) || conversion->nodes == 0 ||
        conversion->depth >= FX_LIMIT_JSON_DEPTH) {
        (void)fail_size(conversion);
        return false;
    }
    conversion->nodes--;
    conversion->depth++;
    return true;
}

/* A part of the object. */
json_t *fx_map_conversion_share(struct conversion *conversion, const json_t *node) {
    if (!fx_tree_measure(node, FX_LIMIT_JSON_DEPTH - conversion->depth,
                         &conversion->nodes)) {
        return fail_size(conversion);
    }
    return json_incref(fx_node_unconst(node));
}

/* ---- names of types ------------------------------------------------------------------
 */

static const struct fx_map_opaque_name opaque_names[] = {
    {"kubernetes.URL", "*url.URL", "URL"},
    {"kubernetes.Quantity", "*resource.Quantity", "Quantity"},
    {"net.IP", "netip.Addr", "IP"},
    {"net.CIDR", "netip.Prefix", "CIDR"},
    {"kubernetes.Semver", "semver.Version", "Semver"},
    {"kubernetes.NamedFormat", "*cel.Format", "Format"},
};

struct fx_map_opaque_name fx_map_conversion_name(struct fx_cel_value value) {
    const char *type = fx_cel_type_name(value);
    for (size_t i = 0; i < FX_COUNT(opaque_names); i++) {
        if (strcmp(opaque_names[i].type, type) == 0) {
            return opaque_names[i];
        }
    }
    return (struct fx_map_opaque_name){type, "*library.value", type};
}

/* ---- scalars --------------------------------------------------------------------------
 */

json_t *fx_map_conversion_text(const struct conversion *conversion, struct fx_buf *buf) {
    json_t *node = buf->failed ? NULL : fx_tree_new_string(fx_buf_view(buf));
    fx_buf_finish(buf);
    return fx_map_conversion_check(conversion, node);
}

json_t *fx_map_conversion_base64(const struct conversion *conversion,
                                 struct fx_text bytes) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_str(&buf, "");
    if (!fx_spend(bytes.len / FX_BUDGET_BYTES)) {
        (void)fx_fail_exceeded(conversion->err);
        return NULL;
    }
    fx_base64_encode(&buf, bytes);
    return fx_map_conversion_text(conversion, &buf);
}

/* Is it written without a fraction and an exponent, and an int64? */
static bool is_short_integer(double real) {
    return real == trunc(real) && fabs(real) < 9.2e18;
}

json_t *fx_map_conversion_double(const struct conversion *conversion, double real) {
    return fx_map_conversion_check(conversion, is_short_integer(real)
                                                   ? json_integer((int64_t)real)
                                                   : json_real(real));
}

json_t *fx_map_conversion_refuse_number(struct conversion *conversion, double real) {
    return fx_map_conversion_refuse(
        conversion,
        "json: error calling MarshalJSON for type *structpb.Value: proto: "
        "google.protobuf.Value.number_value: invalid %s value",
        isnan(real) ? "NaN"
        : real > 0  ? "+Inf"
                    : "-Inf");
}

/* Sets a member of `object`, which is freed if this fails. */
bool fx_map_conversion_set(struct conversion *conversion, json_t *object,
                           struct fx_text key, json_t *member_take) {
    if (member_take == NULL) {
        json_decref(object);
        return false;
    }
    if (!fx_tree_set_take(object, key, member_take)) {
        json_decref(object);
        return fx_fail_nomem(conversion->err);
    }
    return true;
}
