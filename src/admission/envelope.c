/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/envelope.c - one walk over an AdmissionReview's bytes. The content of a value
 * of a wrong type is skipped, and the caller checks the type.
 */
#include "admission/envelope.h"

#include "value/json.h"
#include "value/tree.h"

/* The members of a request that are texts or flags, and those of its `kind`. */
#define REQUEST_FIELDS(X)         \
    X("uid", uid)                 \
    X("name", name)               \
    X("namespace", namespace_)    \
    X("operation", operation)     \
    X("subResource", subresource) \
    X("dryRun", dry_run)
#define KIND_FIELDS(X)    \
    X("group", group)     \
    X("version", version) \
    X("kind", kind)

struct envelope_walk {
    struct fx_envelope *envelope;
    const struct fx_envelope_options *options;
    struct fx_arena *arena;
};

/* Resets the field for the value that comes next. */
static void begin_field(struct fx_json_reader *r, struct fx_field *field) {
    json_decref(field->node);
    const json_type type = fx_json_next_type(r);
    *field = (struct fx_field){.is_there = type != JSON_NULL, .type = type};
}

static bool read_field(struct envelope_walk *walk, struct fx_json_reader *r,
                       struct fx_field *field) {
    begin_field(r, field);
    return field->type == JSON_STRING ? fx_json_next_text(r, walk->arena, &field->text)
                                      : fx_json_next_skip(r);
}

/* Sets the field to a value that was read as a tree. */
static void set_field(struct fx_field *field, json_t *node) {
    json_decref(field->node);
    *field = (struct fx_field){.is_there = node != NULL && !json_is_null(node),
                               .type = node == NULL ? JSON_NULL : json_typeof(node),
                               .text = fx_tree_text(node)};
}

/* Reads the field; an object becomes a tree. */
static bool read_tree(struct fx_json_reader *r, const struct fx_json_part *part,
                      struct fx_field *field) {
    begin_field(r, field);
    if (field->type != JSON_OBJECT) {
        return fx_json_next_skip(r);
    }
    field->node = fx_json_next(r, part);
    return field->node != NULL;
}

/* Reads the field; an object is read member by member. */
static bool read_members(struct envelope_walk *walk, struct fx_json_reader *r,
                         fx_json_take_member *take, struct fx_field *field) {
    begin_field(r, field);
    return field->type == JSON_OBJECT ? fx_json_next_members(r, take, walk)
                                      : fx_json_next_skip(r);
}

static bool take_of_kind(void *user, struct fx_json_reader *r, struct fx_text key) {
    struct envelope_walk *walk = user;
    struct fx_kind_fields *fields = &walk->envelope->of_request.of_kind;
#define X(name, member)                              \
    if (fx_text_equal(key, FX_TEXT(name))) {         \
        return read_field(walk, r, &fields->member); \
    }
    KIND_FIELDS(X)
#undef X
    return fx_json_next_skip(r);
}

static bool take_of_user(void *user, struct fx_json_reader *r, struct fx_text key) {
    struct envelope_walk *walk = user;
    return fx_text_equal(key, FX_TEXT("username"))
               ? read_field(walk, r, &walk->envelope->of_request.username)
               : fx_json_next_skip(r);
}

static bool read_user(struct envelope_walk *walk, struct fx_json_reader *r) {
    struct fx_request_fields *fields = &walk->envelope->of_request;
    fields->username = (struct fx_field){0};
    if (walk->options->partial_decode && !walk->options->reads_user) {
        return read_members(walk, r, take_of_user, &fields->user_info);
    }
    if (!read_tree(r, NULL, &fields->user_info)) {
        return false;
    }
    set_field(&fields->username, fx_tree_view_key(fields->user_info.node, "username"));
    return true;
}

/* ---- a request that is wanted as a tree -------------------------------------------- */

static void note_kind(struct fx_request_fields *fields, const json_t *node) {
    fields->of_kind = (struct fx_kind_fields){0};
#define X(name, member) set_field(&fields->of_kind.member, fx_tree_view_key(node, name));
    KIND_FIELDS(X)
#undef X
}

/* Sets the fields that a member of the request gives. */
static void note_member(struct fx_request_fields *fields, struct fx_text key,
                        json_t *node) {
#define X(name, member)                      \
    if (fx_text_equal(key, FX_TEXT(name))) { \
        set_field(&fields->member, node);    \
    }
    REQUEST_FIELDS(X)
#undef X
    if (fx_text_equal(key, FX_TEXT("kind"))) {
        set_field(&fields->kind, node);
        note_kind(fields, node);
    } else if (fx_text_equal(key, FX_TEXT("userInfo"))) {
        set_field(&fields->user_info, node);
        fields->user_info.node = json_is_object(node) ? json_incref(node) : NULL;
        set_field(&fields->username, fx_tree_view_key(node, "username"));
    }
}

static bool is_object_key(struct fx_text key) {
    return fx_text_equal(key, FX_TEXT("object")) ||
           fx_text_equal(key, FX_TEXT("oldObject")) || fx_text_equal(key, FX_TEXT("uid"));
}

/* Reads a member of the request into the tree. */
static bool read_whole(struct envelope_walk *walk, struct fx_json_reader *r,
                       struct fx_text key) {
    struct fx_request_fields *fields = &walk->envelope->of_request;
    const struct fx_text own = {fx_arena_copy(walk->arena, key), key.len};
    if (fields->whole == NULL) {
        fields->whole = json_object();
    }
    if (own.data == NULL || fields->whole == NULL) {
        return fx_fail_nomem(r->err);
    }
    json_t *node = fx_json_next(r, NULL);
    if (node == NULL) {
        return false;
    }
    note_member(fields, own, node);
    return fx_tree_set_take(fields->whole, own, node) || fx_fail_nomem(r->err);
}

/* Returns the part of the object that is read. Its kind comes before it, or is not
 * known. */
static const struct fx_json_part *part_of_object(const struct envelope_walk *walk) {
    const struct fx_kind_fields *kind = &walk->envelope->of_request.of_kind;
    return walk->options->snapshot == NULL
               ? NULL
               : fx_snapshot_part(walk->options->snapshot, kind->group.text,
                                  kind->version.text, kind->kind.text);
}

static bool take_of_request(void *user, struct fx_json_reader *r, struct fx_text key) {
    struct envelope_walk *walk = user;
    struct fx_request_fields *fields = &walk->envelope->of_request;
    if (walk->options->reads_request && !is_object_key(key)) {
        return read_whole(walk, r, key);
    }
#define X(name, member)                              \
    if (fx_text_equal(key, FX_TEXT(name))) {         \
        return read_field(walk, r, &fields->member); \
    }
    REQUEST_FIELDS(X)
#undef X
    if (fx_text_equal(key, FX_TEXT("kind"))) {
        fields->of_kind = (struct fx_kind_fields){0};
        return read_members(walk, r, take_of_kind, &fields->kind);
    }
    if (fx_text_equal(key, FX_TEXT("userInfo"))) {
        return read_user(walk, r);
    }
    if (fx_text_equal(key, FX_TEXT("object"))) {
        return read_tree(r, part_of_object(walk), &fields->object);
    }
    if (fx_text_equal(key, FX_TEXT("oldObject"))) {
        return walk->options->partial_decode && !walk->options->reads_old_object
                   ? read_field(walk, r, &fields->old_object)
                   : read_tree(r, NULL, &fields->old_object);
    }
    return fx_json_next_skip(r);
}

static void drop_request(struct fx_request_fields *fields) {
    json_decref(fields->user_info.node);
    json_decref(fields->object.node);
    json_decref(fields->old_object.node);
    json_decref(fields->whole);
    *fields = (struct fx_request_fields){0};
}

static bool take_of_root(void *user, struct fx_json_reader *r, struct fx_text key) {
    struct envelope_walk *walk = user;
    struct fx_envelope *envelope = walk->envelope;
    if (fx_text_equal(key, FX_TEXT("kind"))) {
        return read_field(walk, r, &envelope->kind);
    }
    if (fx_text_equal(key, FX_TEXT("apiVersion"))) {
        return read_field(walk, r, &envelope->api_version);
    }
    if (fx_text_equal(key, FX_TEXT("request"))) {
        drop_request(&envelope->of_request);
        return read_members(walk, r, take_of_request, &envelope->request);
    }
    return fx_json_next_skip(r);
}

bool fx_envelope_read(struct fx_envelope *envelope, struct fx_text text,
                      const struct fx_envelope_options *options, struct fx_arena *arena,
                      struct fx_err *err) {
    struct envelope_walk walk = {envelope, options, arena};
    struct fx_field root = {0};
    struct fx_json_reader reader;
    *envelope = (struct fx_envelope){0};
    const bool ok = fx_json_reader_init(&reader, text, err) &&
                    read_members(&walk, &reader, take_of_root, &root) &&
                    fx_json_reader_end(&reader);
    fx_json_reader_finish(&reader);
    return ok;
}

void fx_envelope_finish(struct fx_envelope *envelope) {
    drop_request(&envelope->of_request);
    *envelope = (struct fx_envelope){0};
}
