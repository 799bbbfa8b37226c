/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/reading.c - fields with their types.
 */
#include "mutators/admission_policy/reading.h"

#include <string.h>

#include "base/budget.h"
#include "engine/request.h"
#include "value/tree.h"

void fx_map_reading_init(struct map_reading *reading, struct fx_compilation *compilation,
                         const char *path) {
    *reading = (struct map_reading){.compilation = compilation};
    fx_buf_init(&reading->path, 0);
    fx_buf_str(&reading->path, path);
    fx_map_need(reading, !reading->path.failed);
}

void fx_map_reading_finish(struct map_reading *reading) {
    fx_buf_finish(&reading->path);
}

size_t fx_map_enter(struct map_reading *reading, const char *key) {
    const size_t mark = reading->path.len;
    fx_buf_str(&reading->path, mark == 0 ? "" : ".");
    fx_buf_str(&reading->path, key);
    fx_map_need(reading, !reading->path.failed);
    return mark;
}

size_t fx_map_enter_index(struct map_reading *reading, size_t index) {
    const size_t mark = reading->path.len;
    fx_buf_printf(&reading->path, "[%zu]", index);
    fx_map_need(reading, !reading->path.failed);
    return mark;
}

void fx_map_leave(struct map_reading *reading, size_t mark) {
    if (!reading->failed) {
        reading->path.len = mark;
        reading->path.data[mark] = '\0';
    }
}

/* ---- types ------------------------------------------------------------------------ */

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

/* Adds the fault of a value whose type is not `type`: that of the current object, in the
 * words of the schemas of CRDs. */
static void refuse_type(struct map_reading *reading, const json_t *node,
                        const json_t *within, const char *type) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    const struct fx_text path = fx_buf_view(&reading->path);
    fx_buf_text(&text, path);
    fx_buf_printf(&text, ": Invalid value: \"%s\": ", type_of(node));
    fx_buf_text(&text, path);
    fx_buf_printf(&text, " in body must be of type %s: \"%s\"", type, type_of(node));
    const bool has_place = json_is_string(node) || json_is_number(node) ||
                           json_is_array(node) || json_is_object(node);
    const struct fx_fault fault = {
        .type = FX_FAULT_TYPE,
        .node = has_place ? node : within,
        .field_len = path.len,
    };
    fx_map_need(reading,
                !text.failed && fx_compilation_fault(reading->compilation, &fault,
                                                     fx_buf_view(&text)));
    fx_buf_finish(&text);
}

static json_t *read_type(struct map_reading *reading, const json_t *object,
                         const char *key, const char *type) {
    json_t *node = fx_tree_view_key(object, key);
    if (node == NULL || json_is_null(node) || reading->failed) {
        return NULL;
    }
    if (strcmp(type_of(node), type) == 0) {
        return node;
    }
    const size_t mark = fx_map_enter(reading, key);
    refuse_type(reading, node, object, type);
    fx_map_leave(reading, mark);
    return NULL;
}

json_t *fx_map_read_object(struct map_reading *reading, const json_t *object,
                           const char *key) {
    return read_type(reading, object, key, "object");
}

json_t *fx_map_read_list(struct map_reading *reading, const json_t *object,
                         const char *key) {
    return read_type(reading, object, key, "array");
}

const json_t *fx_map_read_string(struct map_reading *reading, const json_t *object,
                                 const char *key) {
    return read_type(reading, object, key, "string");
}

static json_t *read_list_of(struct map_reading *reading, const json_t *object,
                            const char *key, const char *type) {
    json_t *list = read_type(reading, object, key, "array");
    bool ok = true;
    size_t index = 0;
    const json_t *element = NULL;
    const size_t mark = fx_map_enter(reading, key);
    json_array_foreach (list, index, element) {
        if (fx_spend(1) && strcmp(type_of(element), type) != 0) {
            const size_t at = fx_map_enter_index(reading, index);
            refuse_type(reading, element, list, type);
            fx_map_leave(reading, at);
            ok = false;
        }
    }
    fx_map_leave(reading, mark);
    return ok ? list : NULL;
}

const json_t *fx_map_read_strings(struct map_reading *reading, const json_t *object,
                                  const char *key) {
    return read_list_of(reading, object, key, "string");
}

json_t *fx_map_read_objects(struct map_reading *reading, const json_t *object,
                            const char *key) {
    return read_list_of(reading, object, key, "object");
}

size_t fx_map_read_word(struct map_reading *reading, const json_t *object,
                        const char *key, const char *const *words) {
    const json_t *node = fx_map_read_string(reading, object, key);
    size_t index = 0;
    while (words[index] != NULL && !fx_text_is(fx_tree_text(node), words[index])) {
        index++;
    }
    if (node != NULL && words[index] == NULL) {
        fx_map_refuse_word(reading, node, key, words);
    }
    return index;
}

/* ---- unknown fields --------------------------------------------------------------- */

static bool is_known(const char *key, const char *const *known) {
    while (*known != NULL && strcmp(*known, key) != 0) {
        known++;
    }
    return *known != NULL;
}

void fx_map_warn_unknown(struct map_reading *reading, const json_t *object,
                         const char *const *known) {
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach (fx_node_unconst(object), key, value) {
        if (reading->failed || !fx_spend(1)) {
            return;
        }
        if (is_known(key, known)) {
            continue;
        }
        const bool has_place = !json_is_boolean(value) && !json_is_null(value);
        const size_t mark = fx_map_enter(reading, key);
        fx_map_need(reading, !reading->failed &&
                                 fx_compilation_warn(
                                     reading->compilation, has_place ? value : object,
                                     "unknown field \"%s\"", reading->path.data));
        fx_map_leave(reading, mark);
    }
}
