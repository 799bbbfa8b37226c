/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/request.c - methods, paths, queries and media types of the verbs (Kubernetes API
 * concepts, "API verbs", "Server-side apply", "Metadata-only fetches").
 */
#include "kube/request.h"

#include <assert.h>
#include <string.h>

#include "base/limits.h"
#include "net/tls.h"
#include "value/json.h"

#define TEXT_BYTES (16u << 10) /* bytes for the texts of a resource and a name */
#define AS_METADATA(kind) \
    "application/json;as=" kind ";g=meta.k8s.io;v=v1,application/json"

static const struct {
    const char *method, *content_type;
    const char *accept, *metadata_accept;
    size_t max_body;
    bool repeatable, managed; /* `managed`: the write has a field manager */
} verbs[] = {
    [FX_KUBE_VERB_GET] = {"GET", NULL, "application/json",
                          AS_METADATA("PartialObjectMetadata"),
                          FX_LIMIT_KUBE_ANSWER_BYTES, true, false},
    [FX_KUBE_VERB_LIST] = {"GET", NULL, "application/json",
                           AS_METADATA("PartialObjectMetadataList"),
                           FX_LIMIT_KUBE_LIST_BYTES, true, false},
    [FX_KUBE_VERB_WATCH] = {"GET", NULL, "application/json",
                            AS_METADATA("PartialObjectMetadata"),
                            FX_LIMIT_KUBE_ANSWER_BYTES, true, false},
    [FX_KUBE_VERB_CREATE] = {"POST", "application/json", "application/json",
                             "application/json", FX_LIMIT_KUBE_ANSWER_BYTES, false, true},
    [FX_KUBE_VERB_UPDATE] = {"PUT", "application/json", "application/json",
                             "application/json", FX_LIMIT_KUBE_ANSWER_BYTES, false, true},
    /* JSON is also YAML. */
    [FX_KUBE_VERB_APPLY] = {"PATCH", "application/apply-patch+yaml", "application/json",
                            "application/json", FX_LIMIT_KUBE_ANSWER_BYTES, true, true},
    [FX_KUBE_VERB_MERGE_PATCH] = {"PATCH", "application/merge-patch+json",
                                  "application/json", "application/json",
                                  FX_LIMIT_KUBE_ANSWER_BYTES, false, true},
};

/* ---- copies of borrowed texts ---- */

static const char *copy_string(struct fx_arena *texts, const char *string, bool *ok) {
    const char *own = string == NULL ? NULL : fx_arena_copy(texts, fx_text_of(string));
    *ok = *ok && (string == NULL || own != NULL);
    return own;
}

static struct fx_text copy_text(struct fx_arena *texts, struct fx_text text, bool *ok) {
    const char *own = text.len == 0 ? NULL : fx_arena_copy(texts, text);
    *ok = *ok && (text.len == 0 || own != NULL);
    return (struct fx_text){own, own == NULL ? 0 : text.len};
}

static bool copy_names(struct fx_kube_wire *wire, const struct fx_kube_request *request) {
    const struct fx_kube_resource *resource = request->resource;
    struct fx_arena *texts = &wire->texts;
    bool ok = true;
    fx_arena_init(texts, TEXT_BYTES);
    wire->resource = (struct fx_kube_resource){
        .group = copy_string(texts, resource->group, &ok),
        .version = copy_string(texts, resource->version, &ok),
        .plural = copy_string(texts, resource->plural, &ok),
        .kind = copy_string(texts, resource->kind, &ok),
    };
    wire->name = (struct fx_kube_name){
        .namespace_ = copy_text(texts, request->name.namespace_, &ok),
        .name = copy_text(texts, request->name.name, &ok),
        .subresource = copy_string(texts, request->name.subresource, &ok),
        .everywhere = request->name.everywhere,
    };
    return ok;
}

/* ---- the URL ---- */

/* Writes `?` the first time, then `&`. */
static void write_separator(struct fx_buf *url, bool *any) {
    fx_buf_char(url, *any ? '&' : '?');
    *any = true;
}

static void write_queries(struct fx_buf *url, const struct fx_kube_request *request) {
    bool any = false;
    if (request->query != NULL && request->query[0] != '\0') {
        write_separator(url, &any);
        fx_buf_str(url, request->query);
    }
    if (verbs[request->verb].managed && request->manager != NULL) {
        write_separator(url, &any);
        fx_buf_str(url, "fieldManager=");
        fx_kube_write_query(fx_text_of(request->manager), url);
    }
    if (request->verb == FX_KUBE_VERB_APPLY && request->force) {
        write_separator(url, &any);
        fx_buf_str(url, "force=true");
    }
}

static bool write_url(struct fx_kube_wire *wire, const char *server,
                      const struct fx_kube_request *request, struct fx_err *err) {
    struct fx_kube_name name = request->name;
    struct fx_buf *url = &wire->url_text;
    size_t len = strlen(server);
    while (len > 0 && server[len - 1] == '/') {
        len--;
    }
    /* A new object has its name in the body; only its subresources have a path with a
     * name. */
    if (request->verb == FX_KUBE_VERB_CREATE && name.subresource == NULL) {
        name.name = (struct fx_text){0};
    }
    fx_buf_init(url, 0);
    fx_buf_add(url, server, len);
    if (request->path == NULL) {
        fx_kube_write_path(request->resource, &name, url);
    } else {
        fx_buf_str(url, request->path);
    }
    write_queries(url, request);
    return url->failed ? fx_fail_nomem(err)
                       : fx_url_parse(fx_buf_view(url), &wire->url, err);
}

static bool write_body(struct fx_kube_wire *wire, const json_t *body,
                       struct fx_err *err) {
    fx_buf_init_secret(&wire->body, FX_LIMIT_KUBE_ANSWER_BYTES);
    fx_json_write(&wire->body, body, FX_JSON_COMPACT);
    wire->content_type = verbs[wire->verb].content_type;
    return !wire->body.failed || fx_fail_nomem(err);
}

bool fx_kube_wire_init(struct fx_kube_wire *wire, const char *server,
                       const struct fx_kube_request *request, struct fx_err *err) {
    assert(request->body == NULL || verbs[request->verb].content_type != NULL);
    *wire = (struct fx_kube_wire){
        .verb = request->verb,
        .method = verbs[request->verb].method,
        .accept = request->metadata_only ? verbs[request->verb].metadata_accept
                                         : verbs[request->verb].accept,
        .max_body = verbs[request->verb].max_body,
        .repeatable = verbs[request->verb].repeatable,
    };
    const bool ok = (copy_names(wire, request) || fx_fail_nomem(err)) &&
                    write_url(wire, server, request, err) &&
                    (request->body == NULL || write_body(wire, request->body, err));
    if (!ok) {
        fx_kube_wire_finish(wire);
    }
    return ok;
}

void fx_kube_wire_finish(struct fx_kube_wire *wire) {
    fx_arena_finish(&wire->texts);
    fx_buf_finish(&wire->url_text);
    fx_tls_wipe(&wire->body);
    *wire = (struct fx_kube_wire){0};
}
