/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/fields.c - reads fields, one function for each type.
 */
#include "suite/read.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "value/tree.h"

#define MAX_WORDS 512 /* bytes of a message */

/* ---- positions ------------------------------------------------------------------- */

static uint32_t line_of(const struct fx_suite_reader *reader, const json_t *node,
                        uint32_t fallback) {
    const struct fx_mark *mark = fx_marks_index_find(&reader->source->marks, node);
    return mark != NULL ? mark->line : fallback;
}

struct fx_suite_fields fx_suite_fields_document(struct fx_suite_reader *reader,
                                                json_t *object) {
    return (struct fx_suite_fields){
        .reader = reader, .object = object, .line = line_of(reader, object, 1)};
}

struct fx_suite_fields fx_suite_fields_item(const struct fx_suite_fields *above,
                                            const char *list, size_t index,
                                            json_t *object) {
    return (struct fx_suite_fields){.reader = above->reader,
                                    .above = above,
                                    .list = list,
                                    .index = index,
                                    .object = object,
                                    .line = line_of(above->reader, object, above->line)};
}

static void print_path(struct fx_buf *buf, const struct fx_suite_fields *fields) {
    if (fields->above == NULL) {
        return;
    }
    print_path(buf, fields->above);
    fx_buf_printf(buf, "%s%s[%zu]", buf->len > 0 ? "." : "", fields->list, fields->index);
}

/* ---- reports --------------------------------------------------------------------- */

/* The line of the key, found by searching the text, as true, false and null have no
 * mark. */
static uint32_t line_of_key(const struct fx_suite_fields *fields, const char *key) {
    const struct fx_suite_source *source = fields->reader->source;
    const struct fx_mark *mark = fx_marks_index_find(&source->marks, fields->object);
    const size_t length = strlen(key);
    uint32_t line = fields->line;
    for (size_t at = mark != NULL ? mark->off : source->text.len;
         at + length < source->text.len; at++) {
        const char *here = source->text.data + at;
        const char *end = here + length;
        if (memcmp(here, key, length) == 0 &&
            (*end == ':' || *end == '"' || *end == '\'' || *end == ' ')) {
            return line;
        }
        line += *here == '\n';
    }
    return fields->line;
}

/* The position of an error: at the node, else at the key, else at the object. */
static struct fx_suite_text place_of(const struct fx_suite_fields *fields,
                                     const char *key, const json_t *node,
                                     struct fx_err *fault) {
    const struct fx_suite_source *source = fields->reader->source;
    const struct fx_marks *marks = &source->documents.marks;
    if (node != NULL && fx_marks_index_find(&source->marks, node) != NULL) {
        fault->node = node;
    }
    return (struct fx_suite_text){
        .file = source->file,
        .text = {source->text.data, source->text.len},
        .marks = marks,
        .line = key != NULL ? line_of_key(fields, key) : fields->line,
    };
}

static void keep_fault(struct fx_suite_reader *reader, const struct fx_err *fault,
                       uint32_t line) {
    reader->fault = (struct fx_suite_fault){
        .file = reader->source->file,
        .reason = fx_arena_copy(&reader->suites->arena, fx_text_of(fault->msg)),
        .line = line,
    };
    reader->nomem = reader->nomem || reader->fault.reason == NULL;
}

/* Reports the message with the prefix "tests[0].cases[1].key: ". */
static void report_fault(const struct fx_suite_fields *fields, const char *key,
                         const json_t *node, enum fx_severity severity,
                         const char *message) {
    struct fx_suite_reader *reader = fields->reader;
    const bool first = severity == FX_SEVERITY_ERROR && reader->fault.reason == NULL;
    if (reader->n_reported++ >= FX_LIMIT_FINDINGS && !first) {
        return;
    }
    struct fx_buf path = {0};
    print_path(&path, fields);
    if (key != NULL) {
        fx_buf_printf(&path, "%s%s", path.len > 0 ? "." : "", key);
    }
    fx_buf_str(&path, path.len > 0 ? ": " : "");
    struct fx_err fault = FX_ERR_INIT;
    (void)fx_fail(&fault, FX_EINVALID, "%s%s", path.failed ? "" : path.data, message);
    fx_buf_finish(&path);
    const struct fx_suite_text text = place_of(fields, key, node, &fault);
    uint32_t line = text.line;
    if (!fx_suite_report(reader->suites->host, &text, severity, &fault, &line)) {
        reader->nomem = true;
    }
    if (first) {
        keep_fault(reader, &fault, line);
    }
}

void fx_suite_fields_report_rest(const struct fx_suite_fields *fields) {
    struct fx_suite_reader *reader = fields->reader;
    if (reader->n_reported <= FX_LIMIT_FINDINGS) {
        return;
    }
    struct fx_err rest = FX_ERR_INIT;
    (void)fx_fail(&rest, FX_EINVALID, "and %zu more",
                  reader->n_reported - FX_LIMIT_FINDINGS);
    const struct fx_suite_text text = {.file = reader->source->file};
    if (!fx_suite_report(reader->suites->host, &text, FX_SEVERITY_WARNING, &rest, NULL)) {
        reader->nomem = true;
    }
}

void fx_suite_fields_fail(const struct fx_suite_fields *fields, const char *key,
                          const json_t *node, const char *fmt, ...) {
    char message[MAX_WORDS];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    report_fault(fields, key, node, FX_SEVERITY_ERROR, message);
}

void fx_suite_fields_warn(const struct fx_suite_fields *fields, const char *key,
                          const char *message) {
    report_fault(fields, key, fx_suite_fields_get(fields, key), FX_SEVERITY_WARNING,
                 message);
}

static bool is_among(const char *name, const char *const *names) {
    for (; *names != NULL; names++) {
        if (strcmp(*names, name) == 0) {
            return true;
        }
    }
    return false;
}

void fx_suite_fields_check_names(const struct fx_suite_fields *fields,
                                 const char *const *names) {
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach (fields->object, key, value) {
        if (is_among(key, names)) {
            continue;
        }
        struct fx_buf message = {0};
        fx_buf_str(&message, "unknown field; expected one of");
        for (size_t i = 0; names[i] != NULL; i++) {
            fx_buf_printf(&message, "%s %s", i > 0 ? "," : "", names[i]);
        }
        if (message.failed) {
            fields->reader->nomem = true;
        } else {
            report_fault(fields, key, value,
                         fields->reader->strict ? FX_SEVERITY_ERROR : FX_SEVERITY_WARNING,
                         message.data);
        }
        fx_buf_finish(&message);
    }
}

const char *fx_suite_fields_type(const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "a list";
    case JSON_STRING: return "a string";
    case JSON_INTEGER:
    case JSON_REAL: return "a number";
    case JSON_TRUE: return "`true`";
    case JSON_FALSE: return "`false`";
    case JSON_NULL: return "null";
    }
    return "";
}

/* ---- values ---------------------------------------------------------------------- */

json_t *fx_suite_fields_get(const struct fx_suite_fields *fields, const char *key) {
    json_t *value = json_object_get(fields->object, key);
    return json_is_null(value) ? NULL : value;
}

/* The text of a string; valid as long as the document. If the value is not a string or
 * contains a NUL, reports that and returns NULL. */
static const char *text_of(const struct fx_suite_fields *fields, const char *key,
                           const json_t *value, const char *wanted) {
    const struct fx_text text = fx_tree_text(value);
    if (text.data == NULL) {
        fx_suite_fields_fail(fields, key, value, "must be %s, not %s", wanted,
                             fx_suite_fields_type(value));
        return NULL;
    }
    if (memchr(text.data, '\0', text.len) != NULL) {
        fx_suite_fields_fail(fields, key, value, "must not contain a NUL");
        return NULL;
    }
    return text.data;
}

const char *fx_suite_fields_string(const struct fx_suite_fields *fields,
                                   const char *key) {
    const json_t *value = fx_suite_fields_get(fields, key);
    return value != NULL ? text_of(fields, key, value, "a string") : NULL;
}

bool fx_suite_fields_bool(const struct fx_suite_fields *fields, const char *key) {
    const json_t *value = fx_suite_fields_get(fields, key);
    if (value != NULL && !json_is_boolean(value)) {
        fx_suite_fields_fail(fields, key, value, "must be true or false, not %s",
                             fx_suite_fields_type(value));
    }
    return json_is_true(value);
}

json_t *fx_suite_fields_list(const struct fx_suite_fields *fields, const char *key) {
    json_t *value = fx_suite_fields_get(fields, key);
    if (value != NULL && !json_is_array(value)) {
        fx_suite_fields_fail(fields, key, value, "must be a list, not %s",
                             fx_suite_fields_type(value));
        return NULL;
    }
    return value;
}

struct fx_suite_path fx_suite_fields_to_path(const struct fx_suite_fields *fields,
                                             const char *key, const json_t *value) {
    struct fx_suite_path path = {NULL, value};
    const char *text = text_of(fields, key, value, "a path");
    if (text == NULL) {
        return path;
    }
    if (text[0] == '\0' || text[0] == '/') {
        fx_suite_fields_fail(fields, key, value,
                             "must be a path relative to the suite's folder");
        return path;
    }
    path.path =
        fx_suites_join(fields->reader->suites, fields->reader->folder, fx_text_of(text));
    if (path.path == NULL) {
        fields->reader->nomem = true;
    }
    return path;
}

struct fx_suite_path fx_suite_fields_path(const struct fx_suite_fields *fields,
                                          const char *key) {
    const json_t *value = fx_suite_fields_get(fields, key);
    return value != NULL ? fx_suite_fields_to_path(fields, key, value)
                         : (struct fx_suite_path){NULL, NULL};
}

/* Allocates an array for the items of a list. NULL if the list is empty. */
static void *room_for(const struct fx_suite_fields *fields, const json_t *list,
                      size_t size) {
    const size_t count = json_array_size(list);
    if (count == 0) {
        return NULL;
    }
    void *room = fx_arena_alloc(&fields->reader->suites->arena, count * size);
    if (room == NULL) {
        fields->reader->nomem = true;
    }
    return room;
}

struct fx_suite_paths fx_suite_fields_paths(const struct fx_suite_fields *fields,
                                            const char *key) {
    struct fx_suite_paths paths = {NULL, 0};
    const json_t *list = fx_suite_fields_list(fields, key);
    paths.items = room_for(fields, list, sizeof *paths.items);
    for (size_t i = 0; paths.items != NULL && i < json_array_size(list); i++) {
        const struct fx_suite_path path =
            fx_suite_fields_to_path(fields, key, json_array_get(list, i));
        if (path.path != NULL) {
            paths.items[paths.n_items++] = path;
        }
    }
    return paths;
}

const char **fx_suite_fields_strings(const struct fx_suite_fields *fields,
                                     const char *key, size_t *ret_count) {
    *ret_count = 0;
    const json_t *list = fx_suite_fields_list(fields, key);
    const char **strings = room_for(fields, list, sizeof *strings);
    for (size_t i = 0; strings != NULL && i < json_array_size(list); i++) {
        const char *text =
            text_of(fields, key, json_array_get(list, i), "a list of strings");
        if (text != NULL) {
            strings[(*ret_count)++] = text;
        }
    }
    return strings;
}

/* ---- documents and items --------------------------------------------------------- */

const char *fx_suite_fields_name(const struct fx_suite_fields *fields) {
    const json_t *metadata = fx_suite_fields_get(fields, "metadata");
    const struct fx_text name = fx_tree_view_string(metadata, "name");
    if (name.len > 0 && memchr(name.data, '\0', name.len) == NULL) {
        return name.data;
    }
    const char *stem = fx_arena_copy(&fields->reader->suites->arena,
                                     fx_suite_stem_of(fields->reader->source->file));
    fields->reader->nomem = fields->reader->nomem || stem == NULL;
    return stem;
}

bool fx_suite_fields_next(const struct fx_suite_fields *fields, const char *key,
                          const json_t *list, size_t *at,
                          struct fx_suite_fields *ret_item) {
    while (*at < json_array_size(list)) {
        const size_t i = (*at)++;
        json_t *item = json_array_get(list, i);
        if (json_is_object(item)) {
            *ret_item = fx_suite_fields_item(fields, key, i, item);
            return true;
        }
        fx_suite_fields_fail(fields, key, item, "[%zu] must be an object, not %s", i,
                             fx_suite_fields_type(item));
    }
    return false;
}
