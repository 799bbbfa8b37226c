/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_scalar.c - what becomes of a resolved scalar: a node, or an object's key.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "value/number.h"
#include "value/tree.h"
#include "value/yaml_resolve.h"

/* Through the number's JSON text, as kubectl does: 1.0 becomes the integer 1. */
static json_t *number_node(const char *text, size_t len, struct fx_err *err) {
    bool overflow = false;
    json_t *node = fx_number_parse((struct fx_text){text, len}, &overflow);
    if (node == NULL) {
        (void)fx_fail_nomem(err); /* neither 64 bits nor a finite double overflow */
    }
    return node;
}

static json_t *natural_node(uint64_t value, struct fx_err *err) {
    char text[FX_NUMBER_SIZE];
    const int len = snprintf(text, sizeof text, "%" PRIu64, value);
    return number_node(text, (size_t)len, err);
}

static json_t *real_node(double value, struct fx_err *err) {
    if (!isfinite(value)) {
        const char *name = isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
        (void)fx_fail(err, FX_ESYNTAX, "json: unsupported value: %s", name);
        return NULL;
    }
    char text[FX_NUMBER_SIZE];
    const size_t len = fx_number_print_double(value, text);
    return number_node(text, len, err);
}

static json_t *checked(json_t *node, struct fx_err *err) {
    if (node == NULL) {
        (void)fx_fail_nomem(err);
    }
    return node;
}

json_t *fx_yaml_scalar_node(const struct fx_yaml_scalar *scalar, struct fx_text text,
                            struct fx_err *err) {
    switch (scalar->kind) {
    case FX_YAML_NULL: return json_null();
    case FX_YAML_BOOL: return json_boolean(scalar->as.truth);
    case FX_YAML_INT: return checked(json_integer(scalar->as.integer), err);
    case FX_YAML_UINT: return natural_node(scalar->as.natural, err);
    case FX_YAML_FLOAT: return real_node(scalar->as.real, err);
    case FX_YAML_TIME:
    case FX_YAML_STRING:
    case FX_YAML_COLLECTION: break;
    }
    return checked(fx_tree_new_string(text), err);
}

/* Appends a float as Go's FormatFloat(x, 'g', -1, 32): the fewest digits that read back
 * as the same 32 bit float, an exponent below 1e-4 and from 1e+06 on. */
static void add_float32(struct fx_buf *key, float value) {
    char text[FX_NUMBER_SIZE];
    int precision = -1;
    do {
        precision++;
        (void)snprintf(text, sizeof text, "%.*e", precision, (double)value);
    } while (precision < FLT_DECIMAL_DIG && strtof(text, NULL) != value);

    int exponent = 0;
    const char *at = text;
    while (*at != '\0' && *at != 'e') {
        at++;
    }
    if (*at == 'e') {
        exponent = (int)strtol(at + 1, NULL, 10);
    }
    if (exponent >= -4 && exponent < 6) {
        const int decimals = precision > exponent ? precision - exponent : 0;
        (void)snprintf(text, sizeof text, "%.*f", decimals, (double)value);
    }
    fx_buf_str(key, text);
}

static void add_real_key(struct fx_buf *key, double value) {
    const float single =
        (float)value; /* infinite where it rounds to more than it holds */
    if (isnan(single)) {
        fx_buf_str(key, ".nan");
    } else if (isinf(single)) {
        fx_buf_str(key, single > 0 ? ".inf" : "-.inf");
    } else {
        add_float32(key, single);
    }
}

bool fx_yaml_scalar_key(const struct fx_yaml_scalar *scalar, struct fx_text text,
                        struct fx_buf *key) {
    switch (scalar->kind) {
    case FX_YAML_NULL:
    case FX_YAML_UINT:
    case FX_YAML_COLLECTION: return false;
    case FX_YAML_BOOL: fx_buf_str(key, scalar->as.truth ? "true" : "false"); break;
    case FX_YAML_INT: fx_buf_printf(key, "%" PRId64, scalar->as.integer); break;
    case FX_YAML_FLOAT: add_real_key(key, scalar->as.real); break;
    case FX_YAML_TIME:
    case FX_YAML_STRING: fx_buf_text(key, text); break;
    }
    return true;
}
