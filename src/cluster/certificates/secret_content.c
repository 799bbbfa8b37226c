/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/secret_content.c - reads and writes base64 of four keys, and an
 * annotation.
 */
#include "cluster/certificates/secret_content.h"

#include "base/base64.h"
#include "base/date.h"
#include "kube/body.h"
#include "net/tls.h"
#include "value/tree.h"

#define VALUE_BYTES (1u << 20) /* the largest Secret that an API server accepts */

#define CA_CERT "ca.crt"
#define CA_KEY  "ca.key"
#define CERT    "tls.crt"
#define KEY     "tls.key"

void fx_secret_content_finish(struct fx_secret_content *content) {
    fx_buf_finish(&content->ca_cert);
    fx_tls_wipe(&content->ca_key);
    fx_buf_finish(&content->cert);
    fx_tls_wipe(&content->key);
    *content = (struct fx_secret_content){0};
}

/* ---- reading --------------------------------------------------------------------- */

/* Reads data[key]. Allocates the buffer once, as a growing buffer leaves copies of a key
 * in memory. */
static void read_value(const json_t *data, const char *key, struct fx_buf *ret_bytes) {
    const struct fx_text text = fx_tree_view_string(data, key);
    const size_t most = text.len / 4 * 3;
    if (most > VALUE_BYTES || fx_buf_reserve(ret_bytes, most) == NULL ||
        !fx_base64_decode(ret_bytes, text)) {
        return; /* nothing was appended */
    }
}

static int64_t read_date(const json_t *object) {
    const json_t *metadata = fx_tree_view_key(object, "metadata");
    const json_t *annotations = fx_tree_view_key(metadata, "annotations");
    int64_t seconds = 0;
    return fx_date_parse(fx_tree_view_string(annotations, FX_ROTATION_ANNOTATION),
                         &seconds)
               ? seconds
               : 0;
}

static bool finish_if_failed(struct fx_secret_content *content) {
    const bool failed = content->ca_cert.failed || content->ca_key.failed ||
                        content->cert.failed || content->key.failed;
    if (failed) {
        fx_secret_content_finish(content);
    }
    return !failed;
}

bool fx_secret_content_read(const json_t *object, struct fx_secret_content *ret_content) {
    const json_t *data = fx_tree_view_key(object, "data");
    *ret_content = (struct fx_secret_content){.rotated_at = read_date(object)};
    read_value(data, CA_CERT, &ret_content->ca_cert);
    read_value(data, CA_KEY, &ret_content->ca_key);
    read_value(data, CERT, &ret_content->cert);
    read_value(data, KEY, &ret_content->key);
    return finish_if_failed(ret_content);
}

/* ---- copies ---------------------------------------------------------------------- */

bool fx_secret_content_copy(const struct fx_secret_content *content,
                            struct fx_secret_content *ret_content) {
    *ret_content = (struct fx_secret_content){.rotated_at = content->rotated_at};
    fx_buf_text(&ret_content->ca_cert, fx_buf_view(&content->ca_cert));
    fx_buf_text(&ret_content->ca_key, fx_buf_view(&content->ca_key));
    fx_buf_text(&ret_content->cert, fx_buf_view(&content->cert));
    fx_buf_text(&ret_content->key, fx_buf_view(&content->key));
    return finish_if_failed(ret_content);
}

static bool equal(const struct fx_buf *a, const struct fx_buf *b) {
    return fx_text_equal(fx_buf_view(a), fx_buf_view(b));
}

static bool same_chain(const struct fx_secret_content *a,
                       const struct fx_secret_content *b) {
    return equal(&a->ca_cert, &b->ca_cert) && equal(&a->cert, &b->cert) &&
           equal(&a->key, &b->key);
}

void fx_secret_content_hold(struct fx_secret_content *held,
                            const struct fx_secret_content *content, bool signs) {
    struct fx_secret_content copy;
    if (same_chain(held, content) && (!signs || equal(&held->ca_key, &content->ca_key))) {
        return;
    }
    fx_secret_content_finish(held);
    if (fx_secret_content_copy(content, &copy)) {
        *held = copy;
    }
}

bool fx_secret_content_equal(const struct fx_secret_content *a,
                             const struct fx_secret_content *b) {
    return a->rotated_at == b->rotated_at && same_chain(a, b) &&
           equal(&a->ca_key, &b->ca_key);
}

struct fx_rotation_content
fx_secret_content_view(const struct fx_secret_content *content) {
    return (struct fx_rotation_content){
        .ca_cert = fx_buf_view(&content->ca_cert),
        .ca_key = fx_buf_view(&content->ca_key),
        .cert = fx_buf_view(&content->cert),
        .key = fx_buf_view(&content->key),
        .rotated_at = content->rotated_at,
    };
}

/* ---- writing --------------------------------------------------------------------- */

/* Sets data[key] to base64 of the bytes. False without memory. */
static bool set_value(json_t *data, const char *key, const struct fx_buf *bytes) {
    struct fx_buf text = {0};
    const bool ok = fx_buf_reserve(&text, fx_base64_length(bytes->len) + 1) != NULL &&
                    (fx_base64_encode(&text, fx_buf_view(bytes)), !text.failed) &&
                    fx_kube_body_set_text(data, key, fx_buf_view(&text));
    fx_tls_wipe(&text);
    return ok;
}

static bool set_data(json_t *body, const struct fx_rotation *rotation) {
    json_t *data = json_object();
    const bool ok = data != NULL && set_value(data, CA_CERT, &rotation->ca_cert) &&
                    set_value(data, CA_KEY, &rotation->ca_key) &&
                    set_value(data, CERT, &rotation->cert) &&
                    set_value(data, KEY, &rotation->key);
    return fx_tree_set_take(body, FX_TEXT("data"), fx_tree_keep_if(ok, data));
}

/* Adds data and annotation to the body, which it consumes. `metadata` is borrowed from
 * the body. */
static json_t *complete(json_t *body_take, json_t *metadata,
                        const struct fx_rotation *rotation) {
    json_t *annotations = json_object();
    const bool ok =
        fx_tree_set_take(metadata, FX_TEXT("annotations"), json_incref(annotations)) &&
        fx_kube_body_set_date(annotations, FX_ROTATION_ANNOTATION,
                              rotation->rotated_at) &&
        set_data(body_take, rotation);
    json_decref(annotations);
    return fx_tree_keep_if(ok, body_take);
}

json_t *fx_secret_create_body(struct fx_text namespace_, struct fx_text name,
                              const struct fx_rotation *rotation) {
    json_t *metadata = json_pack("{s:s#, s:s#}", "namespace", namespace_.data,
                                 (int)namespace_.len, "name", name.data, (int)name.len);
    json_t *body = metadata == NULL ? NULL
                                    : json_pack("{s:o, s:s, s:s, s:s}", "metadata",
                                                metadata, "apiVersion", "v1", "kind",
                                                "Secret", "type", "Opaque");
    return body == NULL ? NULL : complete(body, metadata, rotation);
}

json_t *fx_secret_apply_body(const json_t *existing, const struct fx_rotation *rotation) {
    json_t *metadata = NULL;
    json_t *body = fx_kube_body_for(existing, &metadata);
    return body == NULL ? NULL : complete(body, metadata, rotation);
}
