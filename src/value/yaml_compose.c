/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_compose.c - the open collections of a document, and what each event does to
 * the innermost of them.
 */

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/vec.h"
#include "value/number.h"
#include "value/tree.h"
#include "value/yaml_internal.h"

#define NO_ANCHOR SIZE_MAX

/* A node, with the facts that an alias of it needs. */
struct composed_value {
    json_t *node; /* NULL for an infinite number, which can only be a key */
    struct fx_yaml_scalar scalar;
    uint32_t height; /* levels of collections in it, aliases expanded; 0 for a scalar */
    bool aliased;
};

struct fx_yaml_anchor {
    struct composed_value value; /* counted reference */
    size_t size;                 /* number of nodes in it, aliases expanded */
    bool open;                   /* its end has not been read */
};

/* What an open mapping expects next. */
enum want { WANT_KEY, WANT_VALUE, WANT_MERGE, WANT_REFUSED };

struct fx_yaml_frame {
    json_t *node;    /* counted */
    size_t anchor;   /* the index of its anchor, or NO_ANCHOR */
    size_t before;   /* number of nodes in the file before it */
    uint32_t height; /* height of the highest child */
    enum want want;
    struct fx_buf key;             /* key of the expected value */
    struct fx_yaml_scalar refused; /* a scalar that cannot be a key */
};

void fx_yaml_composer_reset(struct fx_yaml_composer *composer) {
    for (size_t i = 0; i < composer->n_frames; i++) {
        json_decref(composer->frames[i].node);
        fx_buf_finish(&composer->frames[i].key);
    }
    for (size_t i = 0; i < composer->n_anchors; i++) {
        json_decref(composer->anchors[i].value.node);
    }
    json_decref(composer->anchor_names);
    json_decref(composer->root);
    composer->n_frames = 0;
    composer->n_anchors = 0;
    composer->anchor_names = NULL;
    composer->root = NULL;
}

void fx_yaml_composer_finish(struct fx_yaml_composer *composer) {
    if (composer == NULL) {
        return;
    }
    fx_yaml_composer_reset(composer);
    free(composer->frames);
    free(composer->anchors);
    *composer = (struct fx_yaml_composer){0};
}

json_t *fx_yaml_composer_take(struct fx_yaml_composer *composer) {
    json_t *root = composer->root;
    composer->root = NULL;
    return root;
}

static struct fx_yaml_frame *innermost(const struct fx_yaml_composer *composer) {
    assert(composer->n_frames > 0);
    return &composer->frames[composer->n_frames - 1];
}

static bool count_nodes(struct fx_yaml_composer *composer, size_t more,
                        const char *reason, struct fx_err *err) {
    if (more > FX_LIMIT_YAML_NODES - composer->n_nodes) {
        return fx_fail(err, FX_ELIMIT, "yaml: %s (more than %u nodes)", reason,
                       FX_LIMIT_YAML_NODES);
    }
    composer->n_nodes += more;
    return true;
}

static bool check_depth(const struct fx_yaml_composer *composer, uint32_t more,
                        struct fx_err *err) {
    if (composer->n_frames + more > FX_LIMIT_JSON_DEPTH) {
        return fx_fail(err, FX_ELIMIT, "yaml: exceeded max depth of %u",
                       FX_LIMIT_JSON_DEPTH);
    }
    return true;
}

/* Stores a value under a name. It replaces an earlier value of the same name. */
static bool add_anchor(struct fx_yaml_composer *composer, const yaml_char_t *name,
                       struct fx_yaml_anchor anchor, struct fx_err *err) {
    if (composer->anchor_names == NULL) {
        composer->anchor_names = json_object();
    }
    if (composer->anchor_names == NULL ||
        !FX_VEC_GROW(composer->anchors, composer->n_anchors, composer->cap_anchors) ||
        json_object_set_new_nocheck(composer->anchor_names, (const char *)name,
                                    json_integer((json_int_t)composer->n_anchors)) != 0) {
        return fx_fail_nomem(err);
    }
    json_incref(anchor.value.node);
    composer->anchors[composer->n_anchors++] = anchor;
    return true;
}

/* ---- values as Go's %#v shows them, for error messages ----------------------------- */

#define LONGEST_SHOWN 512 /* bytes of a value in a message */

/* Recursion is as deep as the value, which the reader limits. Nothing more is visited
 * once the buffer is full. */
static void show_value(struct fx_buf *buf, const json_t *value);

static void show_list(struct fx_buf *buf, const json_t *list) {
    fx_buf_str(buf, "[]interface {}{");
    for (size_t i = 0; i < json_array_size(list) && !buf->failed; i++) {
        fx_buf_str(buf, i == 0 ? "" : ", ");
        show_value(buf, json_array_get(list, i));
    }
    fx_buf_char(buf, '}');
}

static void show_mapping(struct fx_buf *buf, const json_t *mapping) {
    fx_buf_str(buf, "map[interface {}]interface {}{");
    const char *separator = "";
    for (void *at = fx_node_first(mapping); at != NULL && !buf->failed;
         at = fx_node_next(mapping, at)) {
        fx_buf_str(buf, separator);
        fx_text_quote_go(buf, fx_node_key(at));
        fx_buf_char(buf, ':');
        show_value(buf, json_object_iter_value(at));
        separator = ", ";
    }
    fx_buf_char(buf, '}');
}

static void show_value(struct fx_buf *buf, const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_NULL: fx_buf_str(buf, "interface {}(nil)"); break;
    case JSON_TRUE:
    case JSON_FALSE: fx_buf_str(buf, json_is_true(value) ? "true" : "false"); break;
    case JSON_INTEGER:
    case JSON_REAL: fx_number_add(buf, value); break;
    case JSON_STRING: fx_text_quote_go(buf, fx_tree_text(value)); break;
    case JSON_ARRAY: show_list(buf, value); break;
    case JSON_OBJECT: show_mapping(buf, value); break;
    }
}

/* Makes `buf` and writes the value into it, truncated if it is too long for a message.
 * The caller finishes it. */
static void show_go(struct fx_buf *buf, const json_t *value) {
    fx_buf_init(buf, LONGEST_SHOWN);
    if (json_is_null(value)) {
        fx_buf_str(buf, "<nil>");
    } else {
        show_value(buf, value);
    }
}

/* ---- keys and values --------------------------------------------------------------- */

static bool refuse_key(const json_t *collection, struct fx_err *err) {
    struct fx_buf shown;
    show_go(&shown, collection);
    (void)fx_fail(err, FX_ESYNTAX, "yaml: invalid map key: %s",
                  shown.data == NULL ? "" : shown.data);
    fx_buf_finish(&shown);
    return false;
}

/* The messages of sigs.k8s.io/yaml. */
static bool refuse_scalar_key(const struct fx_yaml_scalar *key, const json_t *value,
                              struct fx_err *err) {
    struct fx_buf shown;
    show_go(&shown, value);
    const char *text = shown.data == NULL ? "" : shown.data;
    if (key->kind == FX_YAML_NULL) {
        (void)fx_fail(err, FX_ESYNTAX,
                      "unsupported map key of type: %%!s(<nil>), key: <nil>, value: %s",
                      text);
    } else {
        (void)fx_fail(err, FX_ESYNTAX,
                      "unsupported map key of type: uint64, key: 0x%" PRIx64
                      ", value: %s",
                      key->as.natural, text);
    }
    fx_buf_finish(&shown);
    return false;
}

/* The merge key (yaml.org/type/merge.html). */
static bool refuse_merge(struct fx_err *err) {
    return fx_fail(err, FX_ESYNTAX,
                   "yaml: map merge requires map or sequence of maps as the value");
}

static bool merge_mapping(json_t *mapping, json_t *from, struct fx_err *err) {
    if (!json_is_object(from)) {
        return refuse_merge(err);
    }
    for (void *at = json_object_iter(from); at != NULL;
         at = json_object_iter_next(from, at)) {
        json_t *value = json_incref(json_object_iter_value(at));
        if (!fx_tree_set_take(mapping, fx_node_key(at), value)) {
            return fx_fail_nomem(err);
        }
    }
    return true;
}

/* Adds every key of `value` to `mapping`. `value` is a mapping, or a list of mappings, of
 * which earlier ones take precedence. An alias (`aliased`) of a list is refused. As in
 * go-yaml v2, keys that `mapping` already has are overwritten, so the later text wins. */
static bool merge_value(json_t *mapping, json_t *value, bool aliased,
                        struct fx_err *err) {
    if (!json_is_array(value) || aliased) {
        return merge_mapping(mapping, value, err);
    }
    for (size_t i = json_array_size(value); i > 0; i--) {
        if (!merge_mapping(mapping, json_array_get(value, i - 1), err)) {
            return false;
        }
    }
    return true;
}

/* Takes the mapping's next key. A scalar that cannot be a key is refused after its value
 * has been read, because the message contains the value. */
static bool take_key(struct fx_yaml_frame *frame, const struct fx_yaml_scalar *scalar,
                     struct fx_text text, struct fx_err *err) {
    fx_buf_reset(&frame->key);
    frame->want = WANT_VALUE;
    if (!fx_yaml_scalar_key(scalar, text, &frame->key)) {
        frame->want = WANT_REFUSED;
        frame->refused = *scalar;
    }
    return !frame->key.failed || fx_fail_nomem(err);
}

/* Stores the value that the mapping expects. Consumes its node. */
static bool take_value(struct fx_yaml_frame *frame, const struct composed_value *value,
                       struct fx_err *err) {
    const enum want want = frame->want;
    frame->want = WANT_KEY;
    if (want == WANT_VALUE) {
        const struct fx_text key = {frame->key.data, frame->key.len};
        return fx_tree_set_take(frame->node, key, value->node) || fx_fail_nomem(err);
    }
    const bool ok = want == WANT_MERGE
                        ? merge_value(frame->node, value->node, value->aliased, err)
                        : refuse_scalar_key(&frame->refused, value->node, err);
    json_decref(value->node);
    return ok;
}

/* Is the next node a key of the innermost mapping? */
static bool is_key_next(const struct fx_yaml_composer *composer) {
    return composer->n_frames > 0 && json_is_object(innermost(composer)->node) &&
           innermost(composer)->want == WANT_KEY;
}

static bool deliver_key(struct fx_yaml_frame *frame, const struct composed_value *value,
                        struct fx_err *err) {
    if (value->scalar.kind == FX_YAML_COLLECTION) {
        return refuse_key(value->node, err);
    }
    return take_key(frame, &value->scalar, fx_tree_text(value->node), err);
}

static bool deliver_child(struct fx_yaml_frame *frame, const struct composed_value *value,
                          struct fx_err *err) {
    if (value->height > frame->height) {
        frame->height = value->height;
    }
    if (json_is_object(frame->node)) {
        return take_value(frame, value, err);
    }
    return fx_tree_append_take(frame->node, value->node) || fx_fail_nomem(err);
}

/* Adds a complete value to the innermost collection. Consumes the node. */
static bool deliver(struct fx_yaml_composer *composer, const struct composed_value *value,
                    struct fx_err *err) {
    if (is_key_next(composer)) {
        const bool ok = deliver_key(innermost(composer), value, err);
        json_decref(value->node);
        return ok;
    }
    if (value->node == NULL) { /* an alias of an infinite number, which fails */
        json_t *none = fx_yaml_scalar_node(&value->scalar, FX_TEXT(""), err);
        assert(none == NULL);
        return false;
    }
    if (composer->n_frames == 0) {
        composer->root = value->node;
        return true;
    }
    return deliver_child(innermost(composer), value, err);
}

/* Sets `value` to the scalar and its node, a new reference. `as_key` allows an infinite
 * number, which has no node. `!!binary` is decoded. */
static bool make_scalar(const yaml_event_t *event, bool as_key,
                        struct composed_value *value, struct fx_err *err) {
    struct fx_text text = {(const char *)event->data.scalar.value,
                           event->data.scalar.length};
    struct fx_text tag = fx_text_of((const char *)event->data.scalar.tag);
    if (tag.len == 0 && !event->data.scalar.plain_implicit) {
        tag = FX_TEXT(FX_YAML_TAG_PREFIX "str");
    }
    struct fx_buf bytes;
    fx_buf_init(&bytes, 0);
    const bool binary = fx_text_is(tag, FX_YAML_TAG_PREFIX "binary");
    if (binary && !fx_yaml_binary(text, &bytes)) {
        fx_buf_finish(&bytes);
        return fx_fail(err, FX_ESYNTAX,
                       "yaml: !!binary value contains invalid base64 data");
    }
    if (binary) {
        text = (struct fx_text){bytes.len == 0 ? "" : bytes.data, bytes.len};
    }
    bool ok = bytes.failed ? fx_fail_nomem(err)
                           : fx_yaml_resolve(tag, text, &value->scalar, err);
    if (ok) {
        value->node = fx_yaml_scalar_node(&value->scalar, text, err);
        ok = value->node != NULL || (as_key && err->code != FX_ENOMEM);
    }
    fx_buf_finish(&bytes);
    return ok;
}

/* Is the scalar `<<`, unquoted or tagged as a merge key? */
static bool is_merge(const yaml_event_t *event) {
    const struct fx_text text = {(const char *)event->data.scalar.value,
                                 event->data.scalar.length};
    const struct fx_text tag = fx_text_of((const char *)event->data.scalar.tag);
    return fx_text_is(text, "<<") && (event->data.scalar.plain_implicit ||
                                      fx_text_is(tag, FX_YAML_TAG_PREFIX "merge"));
}

static bool compose_scalar(struct fx_yaml_composer *composer, const yaml_event_t *event,
                           json_t **ret_node, struct fx_err *err) {
    const bool as_key = is_key_next(composer);
    struct composed_value value = {.node = NULL};
    if (!count_nodes(composer, as_key ? 0 : 1, "too large", err) ||
        !make_scalar(event, as_key, &value, err)) {
        return false;
    }
    const yaml_char_t *name = event->data.scalar.anchor;
    const struct fx_yaml_anchor anchor = {.value = value, .size = 1};
    if (name != NULL && !add_anchor(composer, name, anchor, err)) {
        json_decref(value.node);
        return false;
    }
    if (as_key && is_merge(event)) {
        json_decref(value.node);
        innermost(composer)->want = WANT_MERGE;
        return true;
    }
    json_t *node = value.node;
    if (!deliver(composer, &value, err)) {
        return false;
    }
    *ret_node = as_key ? NULL : node;
    return true;
}

static bool compose_alias(struct fx_yaml_composer *composer, const yaml_event_t *event,
                          struct fx_err *err) {
    const char *name = (const char *)event->data.alias.anchor;
    const json_t *index = json_object_get(composer->anchor_names, name);
    if (index == NULL) {
        return fx_fail(err, FX_ESYNTAX, "yaml: unknown anchor '%s' referenced", name);
    }
    const struct fx_yaml_anchor *anchor = &composer->anchors[json_integer_value(index)];
    if (anchor->open) {
        return fx_fail(err, FX_ESYNTAX, "yaml: anchor '%s' value contains itself", name);
    }
    if (!count_nodes(composer, anchor->size, "document contains excessive aliasing",
                     err) ||
        !check_depth(composer, anchor->value.height, err)) {
        return false;
    }
    struct composed_value value = anchor->value;
    value.aliased = true;
    json_incref(value.node);
    return deliver(composer, &value, err);
}

/* Opens a list or mapping, which is delivered when it closes. Takes `node`, which is NULL
 * without memory. */
static bool open_collection(struct fx_yaml_composer *composer, json_t *node,
                            const yaml_char_t *name, struct fx_err *err) {
    if (!count_nodes(composer, 1, "too large", err) || !check_depth(composer, 1, err)) {
        json_decref(node);
        return false;
    }
    if (node == NULL ||
        !FX_VEC_GROW(composer->frames, composer->n_frames, composer->cap_frames)) {
        json_decref(node);
        return fx_fail_nomem(err);
    }
    struct fx_yaml_frame *frame = &composer->frames[composer->n_frames++];
    *frame = (struct fx_yaml_frame){
        .node = node, .anchor = NO_ANCHOR, .before = composer->n_nodes - 1};
    fx_buf_init(&frame->key, 0);
    if (name == NULL) {
        return true;
    }
    frame->anchor = composer->n_anchors;
    const struct fx_yaml_anchor anchor = {
        .value = {.node = node, .scalar = {.kind = FX_YAML_COLLECTION}}, .open = true};
    return add_anchor(composer, name, anchor, err);
}

static bool close_collection(struct fx_yaml_composer *composer, struct fx_err *err) {
    struct fx_yaml_frame frame = *innermost(composer);
    composer->n_frames--;
    fx_buf_finish(&frame.key);
    const struct composed_value value = {.node = frame.node,
                                         .scalar = {.kind = FX_YAML_COLLECTION},
                                         .height = frame.height + 1};
    if (frame.anchor != NO_ANCHOR) {
        struct fx_yaml_anchor *anchor = &composer->anchors[frame.anchor];
        anchor->value.height = value.height;
        anchor->size = composer->n_nodes - frame.before;
        anchor->open = false;
    }
    return deliver(composer, &value, err);
}

bool fx_yaml_compose(struct fx_yaml_composer *composer, const yaml_event_t *event,
                     json_t **ret_node, struct fx_err *err) {
    *ret_node = NULL;
    bool ok = true;
    if (event->type == YAML_SCALAR_EVENT) {
        return compose_scalar(composer, event, ret_node, err);
    }
    if (event->type == YAML_ALIAS_EVENT) {
        return compose_alias(composer, event, err);
    }
    if (event->type == YAML_SEQUENCE_START_EVENT) {
        ok = open_collection(composer, json_array(), event->data.sequence_start.anchor,
                             err);
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        ok = open_collection(composer, json_object(), event->data.mapping_start.anchor,
                             err);
    } else {
        return close_collection(composer, err);
    }
    if (ok) {
        *ret_node = innermost(composer)->node;
    }
    return ok;
}
