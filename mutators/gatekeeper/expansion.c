/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/expansion.c - a template as a resource, and the object that it
 * makes from a generator.
 */
#include "mutators/gatekeeper/expansion.h"

#include <stdlib.h>

#include "base/buf.h"
#include "engine/request.h"
#include "mutators/gatekeeper/shape.h"
#include "value/json.h"
#include "value/tree.h"

/* ---- the template ---------------------------------------------------------------- */

static void destroy_expansion(struct fx_resource *self) {
    struct fx_expansion *expansion = (struct fx_expansion *)self; /* its first member */
    for (size_t i = 0; expansion->targets != NULL && i < expansion->n_targets; i++) {
        fx_text_list_finish(&expansion->targets[i].groups);
        fx_text_list_finish(&expansion->targets[i].versions);
        fx_text_list_finish(&expansion->targets[i].kinds);
    }
    free(expansion->targets);
    free(expansion->source_path);
    fx_resource_finish(self);
    free(expansion);
}

bool fx_expansion_holds(const struct fx_expansion *expansion, struct fx_text group,
                        struct fx_text version, struct fx_text kind) {
    for (size_t i = 0; i < expansion->n_targets; i++) {
        const struct fx_expansion_target *target = &expansion->targets[i];
        if (fx_text_list_has(&target->groups, group) &&
            fx_text_list_has(&target->versions, version) &&
            fx_text_list_has(&target->kinds, kind)) {
            return true;
        }
    }
    return false;
}

bool fx_expansion_applies(const struct fx_expansion *expansion, const json_t *object) {
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    return fx_expansion_holds(expansion, subject.group, subject.version, subject.kind);
}

/* ---- the source ------------------------------------------------------------------ */

static void print_path(struct fx_buf *buf, const struct fx_expansion *expansion,
                       size_t n_fields) {
    for (size_t i = 0; i < n_fields; i++) {
        fx_buf_char(buf, '.');
        fx_buf_text(buf, expansion->source_path[i]);
    }
}

/* Fails because the value at the first `n_fields` fields is not an object. */
static bool fail_accessor(const struct fx_expansion *expansion, size_t n_fields,
                          const json_t *found, struct fx_err *err) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, "could not extract source field from unstructured: ");
    print_path(&text, expansion, n_fields);
    fx_buf_str(&text, " accessor error: ");
    if (json_is_null(found)) {
        fx_buf_str(&text, "<nil>");
    } else if (json_is_string(found)) {
        fx_buf_text(&text, fx_tree_text(found));
    } else {
        fx_json_write(&text, found, FX_JSON_COMPACT);
    }
    fx_buf_printf(&text, " is of the type %s, expected map[string]interface{}",
                  fx_tree_go_type(found));
    return fx_fail_buf_finish(err, NULL, FX_EINVALID, &text);
}

static bool fail_missing(const struct fx_expansion *expansion, const json_t *generator,
                         struct fx_err *err) {
    struct fx_buf path;
    struct fx_buf text;
    fx_buf_init(&path, 0);
    fx_buf_init(&text, 0);
    print_path(&path, expansion, expansion->n_source_path);
    const struct fx_text name =
        fx_tree_view_string(fx_tree_view_key(generator, "metadata"), "name");
    fx_buf_str(&text, "could not find source field ");
    if (!path.failed) { /* without the dot at its start */
        fx_text_quote_go(&text, fx_text_rest(fx_buf_view(&path), 1));
    }
    fx_buf_printf(&text, " in resource %.*s", FX_TEXT_ARG(name));
    fx_buf_finish_part(&text, &path);
    return fx_fail_buf_finish(err, NULL, FX_EINVALID, &text);
}

/* Returns the object at the source path, borrowed; NULL with the error if there is
 * none. */
static json_t *find_source(const struct fx_expansion *expansion, const json_t *generator,
                           struct fx_err *err) {
    const json_t *within = generator;
    json_t *at = NULL;
    for (size_t i = 0; i < expansion->n_source_path; i++) {
        if (!json_is_object(within) && !json_is_null(within)) {
            (void)fail_accessor(expansion, i + 1, within, err);
            return NULL;
        }
        at = fx_tree_view_text(within, expansion->source_path[i]);
        if (at == NULL) {
            (void)fail_missing(expansion, generator, err);
            return NULL;
        }
        within = at;
    }
    if (!json_is_object(at)) {
        (void)fail_accessor(expansion, expansion->n_source_path, at, err);
        return NULL;
    }
    return at;
}

/* ---- the object ------------------------------------------------------------------ */

static bool set_text(json_t *object, const char *key, struct fx_text text) {
    return fx_tree_set_take(object, fx_text_of(key), fx_tree_new_string(text));
}

static bool set_type(json_t *made, const struct fx_expansion *expansion) {
    struct fx_buf version;
    fx_buf_init(&version, 0);
    fx_buf_text(&version, expansion->group);
    if (expansion->group.len > 0) {
        fx_buf_char(&version, '/');
    }
    fx_buf_text(&version, expansion->version);
    const bool ok = !version.failed &&
                    set_text(made, "apiVersion", fx_buf_view(&version)) &&
                    set_text(made, "kind", expansion->kind);
    fx_buf_finish(&version);
    return ok;
}

static void add_lower(struct fx_buf *buf, struct fx_text text) {
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        fx_buf_char(buf, (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
    }
}

/* Sets the name. In a cluster the server generates it; this one is Gatekeeper's. */
static bool set_name(json_t *metadata, const struct fx_expansion *expansion,
                     struct fx_text parent) {
    struct fx_buf name;
    fx_buf_init(&name, 0);
    add_lower(&name, parent);
    if (expansion->kind.len > 0) {
        fx_buf_char(&name, '-');
        add_lower(&name, expansion->kind);
    }
    const bool ok =
        !name.failed && (name.len == 0 || set_text(metadata, "name", fx_buf_view(&name)));
    fx_buf_finish(&name);
    return ok;
}

static bool set_namespace(json_t *metadata, struct fx_text parent,
                          struct fx_text namespace_) {
    const struct fx_text counts = parent.len > 0 ? parent : namespace_;
    return counts.len == 0 || set_text(metadata, "namespace", counts);
}

/* True if the object is already among the owners. */
static bool is_owned(const json_t *owners, const struct fx_subject *parent) {
    size_t index = 0;
    const json_t *owner = NULL;
    json_array_foreach (owners, index, owner) {
        if (fx_text_equal(fx_tree_view_string(owner, "apiVersion"),
                          parent->api_version) &&
            fx_text_equal(fx_tree_view_string(owner, "kind"), parent->kind) &&
            fx_text_equal(fx_tree_view_string(owner, "name"), parent->name)) {
            return true;
        }
    }
    return false;
}

/* Makes the owner reference. NULL if out of memory. */
static json_t *new_owner(const struct fx_subject *parent) {
    const struct fx_text uid =
        fx_tree_view_string(fx_tree_view_key(parent->object, "metadata"), "uid");
    json_t *owner = json_object();
    if (owner != NULL && set_text(owner, "apiVersion", parent->api_version) &&
        set_text(owner, "kind", parent->kind) && set_text(owner, "name", parent->name) &&
        (uid.len == 0 || set_text(owner, "uid", uid))) {
        return owner;
    }
    json_decref(owner);
    return NULL;
}

static bool add_owner(json_t *metadata, const struct fx_subject *parent) {
    const struct fx_text key = FX_TEXT("ownerReferences");
    const json_t *present = fx_tree_view_text(metadata, key);
    if (parent->api_version.len == 0 || parent->kind.len == 0 || parent->name.len == 0 ||
        is_owned(present, parent)) {
        return true;
    }
    if (!json_is_array(present) && !fx_tree_set_take(metadata, key, json_array())) {
        return false;
    }
    json_t *owners = fx_tree_own_key(metadata, key);
    return owners != NULL && fx_tree_append_take(owners, new_owner(parent));
}

/* Sets the name, the namespace and the owner; other metadata do not change. */
static bool set_metadata(json_t *made, const struct fx_expansion *expansion,
                         const struct fx_subject *parent, struct fx_text namespace_) {
    const struct fx_text key = FX_TEXT("metadata");
    if (!json_is_object(fx_tree_view_text(made, key)) &&
        !fx_tree_set_take(made, key, json_object())) {
        return false;
    }
    json_t *metadata = fx_tree_own_key(made, key);
    return metadata != NULL && set_name(metadata, expansion, parent->name) &&
           set_namespace(metadata, parent->namespace_, namespace_) &&
           add_owner(metadata, parent);
}

/* Fills the object; the type and the metadata come first. False if out of memory. */
static bool fill_expanded(json_t *made, json_t *source,
                          const struct fx_expansion *expansion,
                          const struct fx_subject *parent, struct fx_text namespace_) {
    json_t *metadata = fx_tree_view_key(source, "metadata");
    if (!set_type(made, expansion) ||
        (metadata != NULL &&
         !fx_tree_set_take(made, FX_TEXT("metadata"), json_incref(metadata))) ||
        !set_metadata(made, expansion, parent, namespace_)) {
        return false;
    }
    for (void *at = json_object_iter(source); at != NULL;
         at = json_object_iter_next(source, at)) {
        const struct fx_text key = {json_object_iter_key(at),
                                    json_object_iter_key_len(at)};
        if (fx_tree_view_text(made, key) == NULL &&
            !fx_tree_set_take(made, key, json_incref(json_object_iter_value(at)))) {
            return false;
        }
    }
    return true;
}

json_t *fx_expansion_expand(const struct fx_expansion *expansion, const json_t *generator,
                            struct fx_text namespace_, struct fx_err *err) {
    json_t *source = find_source(expansion, generator, err);
    if (source == NULL) {
        return NULL;
    }
    struct fx_subject parent;
    fx_subject_read(generator, &parent);
    json_t *made = json_object();
    if (made == NULL || !fill_expanded(made, source, expansion, &parent, namespace_)) {
        json_decref(made);
        (void)fx_fail_nomem(err);
        return NULL;
    }
    return made;
}

/* ---- the resource ---------------------------------------------------------------- */

static bool expands(const struct fx_resource *self, const json_t *object) {
    return fx_expansion_applies((const struct fx_expansion *)self, object);
}

static json_t *expand_generator(const struct fx_resource *self, const json_t *generator,
                                struct fx_text namespace_, struct fx_err *err) {
    return fx_expansion_expand((const struct fx_expansion *)self, generator, namespace_,
                               err);
}

static const struct fx_resource_ops ops = {
    .type = FX_RESOURCE_EXPANSION,
    .kind = "ExpansionTemplate",
    .destroy = destroy_expansion,
    .expands = expands,
    .expand = expand_generator,
};

bool fx_expansion_is(const struct fx_resource *resource) {
    return resource->ops == &ops;
}

struct fx_expansion *fx_expansion_create(struct fx_text name, json_t *source,
                                         size_t n_targets) {
    struct fx_expansion *expansion = calloc(1, sizeof *expansion);
    if (expansion == NULL) {
        return NULL;
    }
    const bool ok = fx_resource_init(&expansion->resource, &ops, name, source);
    expansion->targets = calloc(n_targets + 1, sizeof *expansion->targets);
    if (!ok || expansion->targets == NULL) {
        destroy_expansion(&expansion->resource);
        return NULL;
    }
    expansion->n_targets = n_targets;
    return expansion;
}
