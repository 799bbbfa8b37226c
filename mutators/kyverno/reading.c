/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/reading.c - reads the fields of a document with their types.
 */
#include "reading.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "value/tree.h"

/* true, false and null are one node each, without a place in the document. */
static const json_t *place_of(const struct kyverno_reading *reading, const json_t *node) {
    return node == NULL || json_is_boolean(node) || json_is_null(node) ? reading->document
                                                                       : node;
}

bool fx_kyverno_refuse(const struct kyverno_reading *reading, const json_t *node,
                       const char *fmt, ...) {
    char text[FX_ERR_TEXT];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return fx_fail_in(reading->err, place_of(reading, node), FX_EINVALID, "%s", text);
}

const char *fx_kyverno_join(const struct kyverno_reading *reading, const char *path,
                            const char *key) {
    return fx_arena_printf(reading->arena, "%s%s%s", path, path[0] == '\0' ? "" : ".",
                           key);
}

static json_t *view(const json_t *object, const char *key) {
    json_t *node = fx_tree_view_key(object, key);
    return json_is_null(node) ? NULL : node;
}

static bool refuse_type(const struct kyverno_reading *reading, const json_t *node,
                        const char *path, const char *key, const char *wanted) {
    return fx_kyverno_refuse(reading, node, "%s%s%s: expected %s", path,
                             path[0] == '\0' ? "" : ".", key, wanted);
}

bool fx_kyverno_read_object(const struct kyverno_reading *reading, const json_t *object,
                            const char *path, const char *key, json_t **ret) {
    *ret = view(object, key);
    return *ret == NULL || json_is_object(*ret) ||
           refuse_type(reading, *ret, path, key, "an object");
}

bool fx_kyverno_read_list(const struct kyverno_reading *reading, const json_t *object,
                          const char *path, const char *key, json_t **ret) {
    *ret = view(object, key);
    return *ret == NULL || json_is_array(*ret) ||
           refuse_type(reading, *ret, path, key, "a list");
}

bool fx_kyverno_read_text(const struct kyverno_reading *reading, const json_t *object,
                          const char *path, const char *key, struct fx_text *ret) {
    const json_t *node = view(object, key);
    *ret = (struct fx_text){0};
    if (node == NULL) {
        return true;
    }
    if (!json_is_string(node)) {
        return refuse_type(reading, node, path, key, "a string");
    }
    *ret = fx_tree_text(node);
    return true;
}

bool fx_kyverno_read_texts(const struct kyverno_reading *reading, const json_t *object,
                           const char *path, const char *key, const json_t **ret) {
    json_t *list = NULL;
    *ret = NULL;
    if (!fx_kyverno_read_list(reading, object, path, key, &list)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!json_is_string(json_array_get(list, i))) {
            return refuse_type(reading, list, path, key, "a list of strings");
        }
    }
    *ret = list;
    return true;
}

bool fx_kyverno_read_objects(const struct kyverno_reading *reading, const json_t *object,
                             const char *path, const char *key, json_t **ret) {
    if (!fx_kyverno_read_list(reading, object, path, key, ret)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(*ret); i++) {
        if (!json_is_object(json_array_get(*ret, i))) {
            return refuse_type(reading, *ret, path, key, "a list of objects");
        }
    }
    return true;
}

bool fx_kyverno_read_word(const struct kyverno_reading *reading, const json_t *object,
                          const char *path, const char *key, const char *const *words,
                          size_t missing, size_t *ret) {
    struct fx_text text;
    *ret = missing;
    if (!fx_kyverno_read_text(reading, object, path, key, &text)) {
        return false;
    }
    if (text.len == 0) {
        return true;
    }
    for (size_t i = 0; words[i] != NULL; i++) {
        if (fx_text_is(text, words[i])) {
            *ret = i;
            return true;
        }
    }
    return fx_kyverno_refuse(reading, view(object, key),
                             "%s.%s: unknown value \"%.*s\"; the first known one is "
                             "\"%s\"",
                             path, key, FX_TEXT_ARG(text), words[0]);
}

static bool is_known(const char *key, const char *const *known) {
    while (*known != NULL && strcmp(*known, key) != 0) {
        known++;
    }
    return *known != NULL;
}

bool fx_kyverno_warn_unknown(const struct kyverno_reading *reading, const json_t *object,
                             const char *path, const char *const *known) {
    for (void *iter = fx_node_first(object); iter != NULL;
         iter = fx_node_next(object, iter)) {
        const char *key = json_object_iter_key(iter);
        if (!is_known(key, known) &&
            !fx_compilation_warn(
                reading->compilation, place_of(reading, json_object_iter_value(iter)),
                "unknown field \"%s%s%s\"", path, path[0] == '\0' ? "" : ".", key)) {
            return fx_fail_nomem(reading->err);
        }
    }
    return true;
}
