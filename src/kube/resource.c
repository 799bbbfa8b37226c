/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/resource.c - paths and names of resources.
 */
#include "kube/resource.h"

#include <assert.h>
#include <string.h>

bool fx_kube_resource_is_secret(const struct fx_kube_resource *resource) {
    return resource->group[0] == '\0' && strcmp(resource->plural, "secrets") == 0;
}

/* Is it unreserved (RFC 3986 section 2.3)? Such characters are never escaped. */
static bool is_unreserved(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("-._~", c) != NULL);
}

/* Is it a pchar (section 3.3)? Segments of a path consist of them. */
static bool is_path_char(char c) {
    return is_unreserved(c) || (c != '\0' && strchr("!$&'()*+,;=:@", c) != NULL);
}

static void write_escaped(struct fx_text text, bool (*is_plain)(char c),
                          struct fx_buf *buf) {
    for (size_t i = 0; i < text.len; i++) {
        if (is_plain(text.data[i])) {
            fx_buf_char(buf, text.data[i]);
        } else {
            fx_buf_printf(buf, "%%%02X", (unsigned char)text.data[i]);
        }
    }
}

/* Is it "." or ".."? These have a meaning in a path (section 3.3), so they are
 * escaped. */
static bool is_dots(struct fx_text name) {
    return fx_text_is(name, ".") || fx_text_is(name, "..");
}

static void write_segment(struct fx_text name, struct fx_buf *path) {
    fx_buf_char(path, '/');
    if (is_dots(name)) {
        fx_buf_str(path, name.len == 1 ? "%2E" : "%2E%2E");
    } else {
        write_escaped(name, is_path_char, path);
    }
}

void fx_kube_write_path(const struct fx_kube_resource *resource,
                        const struct fx_kube_name *name, struct fx_buf *path) {
    assert(name->subresource == NULL || name->name.len > 0);
    if (resource->group[0] == '\0') {
        fx_buf_str(path, "/api");
    } else {
        fx_buf_str(path, "/apis");
        write_segment(fx_text_of(resource->group), path);
    }
    write_segment(fx_text_of(resource->version), path);
    if (name->namespace_.len > 0) {
        fx_buf_str(path, "/namespaces");
        write_segment(name->namespace_, path);
    }
    if (resource->plural[0] != '\0') {
        write_segment(fx_text_of(resource->plural), path);
    }
    if (name->name.len > 0) {
        write_segment(name->name, path);
    }
    if (name->subresource != NULL) {
        write_segment(fx_text_of(name->subresource), path);
    }
}

void fx_kube_write_query(struct fx_text value, struct fx_buf *query) {
    write_escaped(value, is_unreserved, query);
}

void fx_kube_write_resource(const struct fx_kube_resource *resource,
                            struct fx_buf *text) {
    const bool is_version = resource->plural[0] == '\0';
    const bool has_group = resource->group[0] != '\0';
    if (is_version) {
        fx_buf_printf(text, "%s%s%s", resource->group, has_group ? "/" : "",
                      resource->version);
    } else {
        fx_buf_printf(text, "%s%s%s", resource->plural, has_group ? "." : "",
                      resource->group);
    }
}
