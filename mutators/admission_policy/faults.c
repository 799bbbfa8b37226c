/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/faults.c - the faults of a document, with the messages of
 * Kubernetes' field errors.
 */
#include <stdarg.h>

#include "base/budget.h"
#include "engine/request.h"
#include "mutators/admission_policy/reading.h"
#include "value/json.h"
#include "value/tree.h"

/* Prints a value as field errors do. */
static void print_value(struct fx_buf *buf, const json_t *value) {
    if (json_is_string(value)) {
        fx_text_quote_go(buf, fx_tree_text(value));
    } else {
        fx_json_write(buf, value, FX_JSON_COMPACT);
    }
}

/* Adds a fault at the member: its path, ": " and `rest`, which is finished. */
static void add(struct map_reading *reading, struct fx_fault fault, const char *key,
                struct fx_buf *rest) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_text(&text, fx_buf_view(&reading->path));
    if (key != NULL) {
        fx_buf_str(&text, text.len == 0 ? "" : ".");
        fx_buf_str(&text, key);
    }
    fault.field_len = text.len;
    fx_buf_str(&text, ": ");
    fx_buf_text(&text, fx_buf_view(rest));
    fx_buf_finish_part(&text, rest);
    fx_map_need(reading, !reading->failed && !text.failed &&
                             fx_compilation_fault(reading->compilation, &fault,
                                                  fx_buf_view(&text)));
    fx_buf_finish(&text);
}

void fx_map_require(struct map_reading *reading, const json_t *within, const char *key,
                    const char *detail) {
    struct fx_buf rest;
    fx_buf_init(&rest, 0);
    fx_buf_printf(&rest, "Required value%s%s", detail == NULL ? "" : ": ",
                  detail == NULL ? "" : detail);
    add(reading, (struct fx_fault){.type = FX_FAULT_REQUIRED, .node = within}, key,
        &rest);
}

void fx_map_refuse(struct map_reading *reading, const json_t *value, const char *key,
                   const char *fmt, ...) {
    struct fx_buf rest;
    va_list args;
    fx_buf_init(&rest, 0);
    fx_buf_str(&rest, "Invalid value: ");
    print_value(&rest, value);
    fx_buf_str(&rest, ": ");
    va_start(args, fmt);
    fx_buf_vprintf(&rest, fmt, args);
    va_end(args);
    add(reading, (struct fx_fault){.type = FX_FAULT_INVALID, .node = value}, key, &rest);
}

void fx_map_refuse_member(struct map_reading *reading, const json_t *value,
                          const char *key, const char *patch_type) {
    struct fx_buf rest;
    fx_buf_init(&rest, 0);
    fx_buf_printf(&rest,
                  "Invalid value: \"{%s}\": must not be specified when patchType is %s",
                  key, patch_type);
    add(reading, (struct fx_fault){.type = FX_FAULT_INVALID, .node = value}, key, &rest);
}

void fx_map_refuse_word(struct map_reading *reading, const json_t *value, const char *key,
                        const char *const *words) {
    struct fx_buf rest;
    fx_buf_init(&rest, 0);
    fx_buf_str(&rest, "Unsupported value: ");
    print_value(&rest, value);
    fx_buf_str(&rest, ": supported values: ");
    for (size_t i = 0; words[i] != NULL; i++) {
        fx_buf_printf(&rest, "%s\"%s\"", i == 0 ? "" : ", ", words[i]);
    }
    add(reading, (struct fx_fault){.type = FX_FAULT_UNSUPPORTED, .node = value}, key,
        &rest);
}

void fx_map_refuse_repeat(struct map_reading *reading, const json_t *value,
                          const char *key) {
    struct fx_buf rest;
    fx_buf_init(&rest, 0);
    fx_buf_str(&rest, "Duplicate value: ");
    print_value(&rest, value);
    add(reading, (struct fx_fault){.type = FX_FAULT_DUPLICATE, .node = value}, key,
        &rest);
}

void fx_map_refuse_many(struct map_reading *reading, const json_t *list, const char *key,
                        size_t most) {
    struct fx_buf rest;
    fx_buf_init(&rest, 0);
    fx_buf_printf(&rest, "Too many: %zu: must have at most %zu items",
                  json_array_size(list), most);
    add(reading, (struct fx_fault){.type = FX_FAULT_TOO_MANY, .node = list}, key, &rest);
}

void fx_map_forbid(struct map_reading *reading, const json_t *value, const char *key,
                   const char *detail) {
    struct fx_buf rest;
    fx_buf_init(&rest, 0);
    fx_buf_printf(&rest, "Forbidden: %s", detail);
    add(reading, (struct fx_fault){.type = FX_FAULT_FORBIDDEN, .node = value}, key,
        &rest);
}

/* Prints the path of the member, ": " and the text. */
static void print_brief(struct fx_buf *buf, const struct map_reading *reading,
                        const char *key, struct fx_text text) {
    fx_buf_text(buf, fx_buf_view(&reading->path));
    fx_buf_printf(buf, ".%s: ", key);
    fx_buf_text(buf, text);
}

void fx_map_refuse_expression(struct map_reading *reading, const char *key,
                              const struct map_expression_fault *given) {
    struct fx_buf rest;
    struct fx_buf brief;
    fx_buf_init(&rest, 0);
    fx_buf_init(&brief, 0);
    print_brief(&brief, reading, key, given->brief);
    if (given->is_internal) {
        fx_buf_str(&rest, "Internal error: ");
    } else {
        fx_buf_str(&rest, "Invalid value: ");
        print_value(&rest, given->expression);
        fx_buf_str(&rest, ": ");
    }
    fx_buf_text(&rest, given->detail);
    fx_buf_fail_as(&rest, &brief);
    const struct fx_fault fault = {
        .type = given->is_internal ? FX_FAULT_INTERNAL : FX_FAULT_INVALID,
        .node = given->expression,
        .off = given->off,
        .len = given->len,
        .tells_place = true,
        .brief = brief.data,
    };
    add(reading, fault, key, &rest);
    fx_buf_finish(&brief);
}

/* ---- all of them ------------------------------------------------------------------ */

bool fx_map_reading_check(const struct map_reading *reading, const json_t *document,
                          struct fx_err *err) {
    const struct fx_compilation *compilation = reading->compilation;
    if (reading->failed) {
        return fx_fail_nomem(err);
    }
    if (fx_budget_exceeded() != FX_EXCEEDED_NOTHING) {
        return fx_fail_exceeded(err);
    }
    if (compilation->n_faults == 0) {
        return true;
    }
    const struct fx_fault *first = &compilation->faults[0];
    const bool are_many = compilation->n_faults > 1;
    struct fx_subject subject;
    fx_subject_read(document, &subject);
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_printf(&text, "%.*s.%.*s \"%.*s\" is invalid: %s", FX_TEXT_ARG(subject.kind),
                  FX_TEXT_ARG(subject.group), FX_TEXT_ARG(subject.name),
                  are_many ? "[" : "");
    for (size_t i = 0; i < compilation->n_faults; i++) {
        fx_buf_str(&text, i == 0 ? "" : ", ");
        fx_buf_str(&text, compilation->faults[i].text);
    }
    fx_buf_str(&text, are_many ? "]" : "");
    if (text.failed) {
        (void)fx_fail_nomem(err);
    } else {
        (void)fx_fail_in(err, first->node, FX_EINVALID, "%s", text.data);
        err->off = first->off;
        err->len = first->len;
    }
    fx_buf_finish(&text);
    return false;
}
