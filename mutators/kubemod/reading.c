/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/reading.c - reads fields with their types, and adds errors with the
 * messages of Kubernetes.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "mutators/kubemod/limits.h"
#include "mutators/kubemod/rule.h"
#include "value/json.h"
#include "value/tree.h"

#define MOST_VALUE_BYTES 400u /* the most bytes of a value in a message */

json_t *fx_reading_view(const json_t *object, const char *key) {
    json_t *node = fx_tree_view_key(object, key);
    return json_is_null(node) ? NULL : node;
}

/* Returns the node for an error. true, false and null are one node each, without a
 * position. */
static const json_t *place_of(const json_t *node, const json_t *within) {
    return node == NULL || json_is_boolean(node) || json_is_null(node) ? within : node;
}

/* Prints the value as Kubernetes' field.Invalid does. A long value is truncated. */
static void print_value(struct fx_buf *buf, const json_t *value) {
    const size_t first = buf->len;
    if (json_is_string(value)) {
        fx_text_quote_go(buf, fx_tree_text(value));
    } else {
        fx_json_write(buf, value, FX_JSON_COMPACT);
    }
    if (!buf->failed && buf->len - first > MOST_VALUE_BYTES) {
        buf->len = fx_text_rune_floor(buf->data, first + MOST_VALUE_BYTES);
        fx_buf_str(buf, json_is_string(value) ? "…\"" : "…");
    }
}

static void add_fault(struct rule_reading *reading, const struct fx_fault *fault,
                      const struct fx_buf *message) {
    fx_reading_need(reading,
                    !message->failed && fx_compilation_fault(reading->compilation, fault,
                                                             fx_buf_view(message)));
}

/* NOLINTNEXTLINE(readability-function-size): a fault has many parts. */
void fx_reading_fault(struct rule_reading *reading, const json_t *within,
                      const json_t *value, const char *path, const struct fx_err *span,
                      const char *fmt, ...) {
    char reason[FX_ERR_TEXT];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(reason, sizeof reason, fmt, args);
    va_end(args);
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_printf(&text, "%s: Invalid value: ", path);
    print_value(&text, value);
    fx_buf_printf(&text, ": %s", reason);
    const struct fx_fault fault = {
        .type = FX_FAULT_INVALID,
        .node = place_of(value, within),
        .off = span == NULL ? 0 : span->off,
        .len = span == NULL ? 0 : span->len,
        .field_len = strlen(path),
    };
    add_fault(reading, &fault, &text);
    fx_buf_finish(&text);
}

void fx_reading_require(struct rule_reading *reading, const json_t *within,
                        const char *path, const char *reason) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_printf(&text, "%s: Required value%s%s", path, reason == NULL ? "" : ": ",
                  reason == NULL ? "" : reason);
    const struct fx_fault fault = {
        .type = FX_FAULT_REQUIRED,
        .node = within,
        .field_len = strlen(path),
    };
    add_fault(reading, &fault, &text);
    fx_buf_finish(&text);
}

static const char *type_of(const json_t *node) {
    switch (json_typeof(node)) {
    case JSON_STRING: return "string";
    case JSON_INTEGER: return "integer";
    case JSON_REAL: return "number";
    case JSON_TRUE:
    case JSON_FALSE: return "boolean";
    case JSON_ARRAY: return "array";
    case JSON_OBJECT: return "object";
    case JSON_NULL: break;
    }
    return "null";
}

json_t *fx_reading_field(struct rule_reading *reading, const json_t *object,
                         const char *key, const char *path, const char *type) {
    json_t *node = fx_reading_view(object, key);
    if (node == NULL || strcmp(type_of(node), type) == 0) {
        return node;
    }
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_printf(&text,
                  "%s: Invalid value: \"%s\": %s in body must be of type %s: \"%s\"",
                  path, type_of(node), path, type, type_of(node));
    const struct fx_fault fault = {
        .type = FX_FAULT_TYPE,
        .node = place_of(node, object),
        .field_len = strlen(path),
    };
    add_fault(reading, &fault, &text);
    fx_buf_finish(&text);
    return NULL;
}

void fx_reading_compile_fault(struct rule_reading *reading, const json_t *value,
                              const char *path, const struct fx_err *err) {
    if (err->code == FX_ENOMEM) {
        reading->is_out_of_memory = true;
        return;
    }
    fx_reading_fault(reading, value, value, path, err, "%s", err->msg);
}

bool fx_reading_is_too_long(struct rule_reading *reading, const json_t *list,
                            const char *path) {
    if (json_array_size(list) <= FX_LIMIT_MODRULE_ENTRIES) {
        return false;
    }
    fx_reading_fault(reading, list, list, path, NULL, "must have at most %u items",
                     FX_LIMIT_MODRULE_ENTRIES);
    return true;
}

void fx_reading_warn_of_calls(struct rule_reading *reading, const json_t *select,
                              const char *path, const struct fx_jsonpath *compiled) {
    struct fx_err err = FX_ERR_INIT;
    if (!fx_jsonpath_check_calls(compiled, &err) &&
        !fx_compilation_warn(reading->compilation, select,
                             "%s fails when it reaches a call: %s", path, err.msg)) {
        reading->is_out_of_memory = true;
    }
}

static bool is_known(const char *key, const char *const *known) {
    while (*known != NULL && strcmp(*known, key) != 0) {
        known++;
    }
    return *known != NULL;
}

void fx_reading_warn_unknown(struct rule_reading *reading, const json_t *object,
                             const char *path, const char *const *known) {
    json_t *counted = NULL;
    memcpy(&counted, &object, sizeof counted); /* jansson's iterators write nothing */
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach (counted, key, value) {
        if (!is_known(key, known) &&
            !fx_compilation_warn(reading->compilation, place_of(value, object),
                                 "unknown field \"%s%s%s\"", path,
                                 path[0] == '\0' ? "" : ".", key)) {
            reading->is_out_of_memory = true;
        }
    }
}
