/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/admission_request.c - AdmissionRequests of objects that no API server has sent.
 */
#include "engine/admission_request.h"

#include <ctype.h>

#include "engine/request_memo.h"
#include "value/tree.h"

/* ---- the resource of a request ----------------------------------------------------- */

/* Is the version that the user asked for another one? */
static bool is_converted(const json_t *admission,
                         const struct fx_request_resource *resource) {
    const json_t *asked = fx_tree_view_key(admission, "requestResource");
    return json_is_object(asked) &&
           (!fx_text_equal(fx_tree_view_string(asked, "group"), resource->group) ||
            !fx_text_equal(fx_tree_view_string(asked, "version"), resource->version) ||
            !fx_text_equal(fx_tree_view_string(asked, "resource"), resource->resource));
}

void fx_request_resource_read(const struct fx_request *request,
                              struct fx_request_resource *ret_resource) {
    struct fx_request_memo *memo = request->memo;
    if (memo != NULL && memo->has_resource) {
        *ret_resource = memo->resource;
        return;
    }
    const json_t *admission = request->admission;
    const json_t *resource = fx_tree_view_key(admission, "resource");
    *ret_resource = (struct fx_request_resource){
        .group = fx_tree_view_string(resource, "group"),
        .version = fx_tree_view_string(resource, "version"),
        .resource = fx_tree_view_string(resource, "resource"),
        .subresource = fx_tree_view_string(admission, "subResource"),
        .name = fx_tree_view_string(admission, "name"),
    };
    ret_resource->is_converted = is_converted(admission, ret_resource);
    if (memo != NULL) {
        memo->resource = *ret_resource;
        memo->has_resource = true;
    }
}

/* ---- resources --------------------------------------------------------------------- */

static bool ends(struct fx_text text, const char *end) {
    return fx_text_ends(text, fx_text_of(end));
}

static bool is_vowel(char c) {
    return fx_is_one_of(c, "aeiou");
}

/* Appends the plural of a word in lower case, as authors of APIs write it. (API machinery
 * guesses `gatewaies` and `meshs`, which no API has.) */
static void add_plural(struct fx_buf *buf, struct fx_text word) {
    const size_t n = word.len;
    if (ends(word, "endpoints") || n == 0) {
        fx_buf_text(buf, word);
    } else if (ends(word, "y") && n > 1 && !is_vowel(word.data[n - 2])) {
        fx_buf_text(buf, (struct fx_text){word.data, n - 1});
        fx_buf_str(buf, "ies");
    } else {
        const bool needs_e =
            ends(word, "s") || ends(word, "x") || ends(word, "ch") || ends(word, "sh");
        fx_buf_text(buf, word);
        fx_buf_str(buf, needs_e ? "es" : "s");
    }
}

void fx_resource_guess(struct fx_buf *buf, struct fx_text kind) {
    struct fx_buf lower;
    fx_buf_init(&lower, 0);
    for (size_t i = 0; i < kind.len; i++) {
        fx_buf_char(&lower, (char)tolower((unsigned char)kind.data[i]));
    }
    add_plural(buf, fx_buf_view(&lower));
    buf->failed = buf->failed || lower.failed;
    fx_buf_finish(&lower);
}

const char *fx_operation_options(enum fx_operation operation) {
    switch (operation) {
    case FX_OPERATION_CREATE: return "CreateOptions";
    case FX_OPERATION_UPDATE: return "UpdateOptions";
    case FX_OPERATION_DELETE: return "DeleteOptions";
    case FX_OPERATION_CONNECT:
    case FX_OPERATION_NONE: break;
    }
    return NULL;
}

/* ---- the request ------------------------------------------------------------------- */

static bool set(json_t *object, const char *key, json_t *value) {
    return object != NULL && value != NULL
               ? fx_tree_set_take(object, fx_text_of(key), value)
               : (json_decref(value), false);
}

static bool set_text(json_t *object, const char *key, struct fx_text text) {
    return set(object, key, fx_tree_new_string(text));
}

/* Makes {group, version, <key>: name}. */
static json_t *make_triple(const struct fx_subject *subject, const char *key,
                           struct fx_text name) {
    json_t *triple = json_object();
    const bool ok = set_text(triple, "group", subject->group) &&
                    set_text(triple, "version", subject->version) &&
                    set_text(triple, key, name);
    return fx_tree_keep_if(ok, triple);
}

static json_t *make_resource(const struct fx_subject *subject) {
    struct fx_buf name;
    fx_buf_init(&name, 0);
    fx_resource_guess(&name, subject->kind);
    json_t *resource =
        name.failed ? NULL : make_triple(subject, "resource", fx_buf_view(&name));
    fx_buf_finish(&name);
    return resource;
}

static json_t *make_options(enum fx_operation operation) {
    const char *kind = fx_operation_options(operation);
    return kind == NULL
               ? json_null()
               : json_pack("{s:s, s:s}", "kind", kind, "apiVersion", "meta.k8s.io/v1");
}

static bool set_types(json_t *made, const struct fx_subject *subject) {
    json_t *kind = make_triple(subject, "kind", subject->kind);
    json_t *resource = make_resource(subject);
    const bool ok = kind != NULL && resource != NULL &&
                    set(made, "kind", json_incref(kind)) &&
                    set(made, "requestKind", json_incref(kind)) &&
                    set(made, "resource", json_incref(resource)) &&
                    set(made, "requestResource", json_incref(resource));
    json_decref(kind);
    json_decref(resource);
    return ok;
}

json_t *fx_admission_request_make(const struct fx_request *request,
                                  const struct fx_subject *subject) {
    const struct fx_text namespace_ = subject->is_namespace
                                          ? subject->name
                                          : fx_subject_object_namespace(subject, request);
    json_t *made = json_object();
    const bool ok =
        set_types(made, subject) && set_text(made, "name", subject->name) &&
        set_text(made, "namespace", namespace_) &&
        set_text(made, "operation", fx_text_of(fx_operation_name(request->operation))) &&
        (request->user_info == NULL ||
         set(made, "userInfo", fx_tree_deep_copy(request->user_info))) &&
        set(made, "dryRun", json_false()) &&
        set(made, "options", make_options(request->operation));
    return fx_tree_keep_if(ok, made);
}
