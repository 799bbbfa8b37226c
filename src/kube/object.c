/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/object.c - reads the identity of an object, and removes unused parts.
 */
#include "kube/object.h"

#include <string.h>

#include "base/buf.h"
#include "value/tree.h"

#define LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

/* The limits of API servers: a name is a DNS subdomain (253 characters), a namespace a
 * label (63), a uid a UUID (36), a version a number of 64 bits (20). */
#define MOST_NAME_BYTES    253u
#define MOST_UID_BYTES     128u
#define MOST_VERSION_BYTES 128u

/* ---- identity ---- */

/* Can the text be a segment of a path? */
static bool is_segment(struct fx_text text, size_t most) {
    return text.len <= most &&
           (text.len == 0 || (memchr(text.data, '/', text.len) == NULL &&
                              memchr(text.data, '\0', text.len) == NULL));
}

struct fx_text fx_kube_object_version(const json_t *object) {
    const struct fx_text version =
        fx_tree_view_string(fx_tree_view_key(object, "metadata"), "resourceVersion");
    return is_segment(version, MOST_VERSION_BYTES) ? version : (struct fx_text){0};
}

bool fx_kube_object_identify(const json_t *object,
                             struct fx_kube_identity *ret_identity) {
    const json_t *metadata = fx_tree_view_key(object, "metadata");
    const struct fx_kube_identity identity = {
        .namespace_ = fx_tree_view_string(metadata, "namespace"),
        .name = fx_tree_view_string(metadata, "name"),
        .uid = fx_tree_view_string(metadata, "uid"),
        .version = fx_kube_object_version(object),
    };
    if (identity.name.len == 0 || identity.version.len == 0 ||
        !is_segment(identity.name, MOST_NAME_BYTES) ||
        !is_segment(identity.namespace_, MOST_NAME_BYTES) ||
        !is_segment(identity.uid, MOST_UID_BYTES)) {
        return false;
    }
    *ret_identity = identity;
    return true;
}

/* Is it a counter, like a revision of etcd: digits without a leading zero? */
static bool is_counter(struct fx_text text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
    }
    return text.len > 0 && (text.data[0] != '0' || text.len == 1);
}

bool fx_kube_version_is_before(struct fx_text a, struct fx_text b) {
    if (!is_counter(a) || !is_counter(b)) {
        return false;
    }
    return a.len != b.len ? a.len < b.len : fx_text_compare(a, b) < 0;
}

/* ---- stripping ---- */

bool fx_kube_type_meta_init(struct fx_kube_type_meta *type,
                            const struct fx_kube_resource *resource) {
    struct fx_buf version = {0};
    if (resource->group[0] != '\0') {
        fx_buf_printf(&version, "%s/", resource->group);
    }
    fx_buf_str(&version, resource->version);
    type->kind = fx_tree_new_string(fx_text_of(resource->kind));
    type->api_version = version.failed ? NULL : fx_tree_new_string(fx_buf_view(&version));
    fx_buf_finish(&version);
    if (type->kind == NULL || type->api_version == NULL) {
        fx_kube_type_meta_finish(type);
        return false;
    }
    return true;
}

void fx_kube_type_meta_finish(struct fx_kube_type_meta *type) {
    json_decref(type->kind);
    json_decref(type->api_version);
    *type = (struct fx_kube_type_meta){0};
}

/* Sets object[key] to the shared node. If it has a different text, this is only done with
 * `always`. */
static bool share_text(json_t *object, const char *key, json_t *shared, bool always) {
    const json_t *own = json_object_get(object, key);
    if (!always && json_is_string(own) &&
        !fx_text_equal(fx_tree_text(own), fx_tree_text(shared))) {
        return true;
    }
    return own == shared || json_object_set(object, key, shared) == 0;
}

static void drop_annotation(json_t *metadata) {
    json_t *annotations = json_object_get(metadata, "annotations");
    if (annotations != NULL && json_object_del(annotations, LAST_APPLIED) == 0 &&
        json_object_size(annotations) == 0) {
        (void)json_object_del(metadata, "annotations");
    }
}

static bool is_kept(struct fx_text key) {
    return fx_text_is(key, "metadata") || fx_text_is(key, "kind") ||
           fx_text_is(key, "apiVersion");
}

static void drop_all_but_metadata(json_t *object) {
    const char *key = NULL;
    size_t len = 0;
    json_t *value = NULL;
    void *next = NULL;
    json_object_keylen_foreach_safe(object, next, key, len, value) {
        if (!is_kept((struct fx_text){key, len})) {
            fx_tree_remove_key(object, (struct fx_text){key, len});
        }
    }
}

bool fx_kube_object_strip(json_t *object, const struct fx_kube_type_meta *type,
                          bool metadata_only) {
    json_t *metadata = json_object_get(object, "metadata");
    (void)json_object_del(metadata, "managedFields");
    drop_annotation(metadata);
    if (metadata_only) {
        drop_all_but_metadata(object);
    }
    return share_text(object, "kind", type->kind, metadata_only) &&
           share_text(object, "apiVersion", type->api_version, metadata_only);
}
