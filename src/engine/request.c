/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/request.c - the wire names of a request, and the fields of its object that
 * matching reads.
 */
#include "engine/request.h"

#include <stddef.h>
#include <string.h>

#include "value/tree.h"

static const char *const operation_names[] = {[FX_OPERATION_NONE] = "",
#define X(name, text) [FX_OPERATION_##name] = text,
                                              FX_OPERATIONS(X)
#undef X
};

enum fx_operation fx_operation_parse(struct fx_text text) {
    for (size_t i = 1; i < FX_COUNT(operation_names); i++) {
        if (fx_text_is(text, operation_names[i])) {
            return (enum fx_operation)i;
        }
    }
    return FX_OPERATION_NONE;
}

const char *fx_operation_name(enum fx_operation operation) {
    return operation_names[operation];
}

enum fx_source fx_source_parse(struct fx_text text) {
    if (text.len == 0) {
        return FX_SOURCE_NONE;
    }
#define X(name, label)             \
    if (fx_text_is(text, label)) { \
        return FX_SOURCE_##name;   \
    }
    FX_SOURCES(X)
#undef X
    return FX_SOURCE_INVALID;
}

static void split_api_version(struct fx_subject *subject) {
    const struct fx_text whole = subject->api_version;
    if (whole.len == 0) {
        return;
    }
    const char *slash = memchr(whole.data, '/', whole.len);
    if (slash == NULL) {
        subject->version = whole;
        return;
    }
    const size_t at = (size_t)(slash - whole.data);
    const size_t rest = whole.len - at - 1;
    if (memchr(slash + 1, '/', rest) == NULL) {
        subject->group = (struct fx_text){whole.data, at};
        subject->version = (struct fx_text){slash + 1, rest};
    }
}

static json_t *view_object(const json_t *parent, const char *key) {
    json_t *child = fx_tree_view_key(parent, key);
    return json_is_object(child) ? child : NULL;
}

void fx_subject_read_type(const json_t *object, struct fx_subject *ret_subject) {
    *ret_subject = (struct fx_subject){
        .api_version = fx_tree_view_string(object, "apiVersion"),
        .kind = fx_tree_view_string(object, "kind"),
        .object = object,
    };
    split_api_version(ret_subject);
}

void fx_subject_read(const json_t *object, struct fx_subject *ret_subject) {
    const json_t *metadata = view_object(object, "metadata");
    fx_subject_read_type(object, ret_subject);
    ret_subject->name = fx_tree_view_string(metadata, "name");
    ret_subject->generate_name = fx_tree_view_string(metadata, "generateName");
    ret_subject->namespace_ = fx_tree_view_string(metadata, "namespace");
    ret_subject->labels = view_object(metadata, "labels");
    ret_subject->annotations = view_object(metadata, "annotations");
    ret_subject->is_namespace =
        ret_subject->group.len == 0 && fx_text_is(ret_subject->kind, "Namespace");
}

void fx_subject_refresh(const json_t *object, struct fx_subject *subject) {
    const json_t *metadata = view_object(object, "metadata");
    subject->labels = view_object(metadata, "labels");
    subject->annotations = view_object(metadata, "annotations");
    subject->object = object;
}

/* Returns the name; an empty text if it is missing. */
static struct fx_text or_empty(struct fx_text name) {
    return name.data == NULL ? FX_TEXT("") : name;
}

struct fx_text fx_subject_namespace(const struct fx_subject *subject,
                                    const struct fx_request *request) {
    if (subject->is_namespace) {
        return or_empty(subject->name);
    }
    if (request->namespace_object != NULL) {
        const json_t *metadata = view_object(request->namespace_object, "metadata");
        return or_empty(fx_tree_view_string(metadata, "name"));
    }
    return subject->namespace_.len > 0 ? subject->namespace_ : (struct fx_text){NULL, 0};
}

struct fx_text fx_subject_object_namespace(const struct fx_subject *subject,
                                           const struct fx_request *request) {
    if (subject->is_namespace) {
        return FX_TEXT("");
    }
    if (request->namespace_.data != NULL) {
        return request->namespace_;
    }
    const struct fx_text namespace_ = fx_subject_namespace(subject, request);
    return namespace_.len > 0 ? namespace_ : FX_TEXT("");
}
