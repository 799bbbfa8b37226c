/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/envelope_fuzz.c - any bytes: what the one walk over them finds is what stands
 * in the tree of them; and what the reader refuses, the walk refuses with the same words
 * at the same place.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "admission/envelope.h"
#include "base/limits.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Is the field of the type of what stands under the key? */
static void check_type(const struct fx_field *field, const json_t *parent,
                       const char *key) {
    const json_t *node = fx_tree_view_key(parent, key);
    const bool is_there = node != NULL && !json_is_null(node);
    assert(field->is_there == is_there);
    assert(!is_there || field->type == json_typeof(node) ||
           (field->type == JSON_REAL && json_is_integer(node)));
}

/* And the same text? */
static void check_field(const struct fx_field *field, const json_t *parent,
                        const char *key) {
    check_type(field, parent, key);
    assert(fx_text_equal(field->text, fx_tree_text(fx_tree_view_key(parent, key))));
}

/* And the same tree, where it is an object? */
static void check_tree(const struct fx_field *field, const json_t *parent,
                       const char *key) {
    check_type(field, parent, key);
    const json_t *node = fx_tree_view_key(parent, key);
    assert((field->node != NULL) == json_is_object(node));
    assert(field->node == NULL || fx_equal(field->node, node));
}

static const json_t *view_object(const json_t *parent, const char *key) {
    const json_t *node = fx_tree_view_key(parent, key);
    return json_is_object(node) ? node : NULL;
}

/* Does the tree have all members of the request but the objects and the uid? */
static void check_whole(json_t *whole, const json_t *request) {
    const char *key = NULL;
    size_t length = 0;
    json_t *value = NULL;
    size_t n = json_object_size(request);
    for (size_t i = 0; i < 3; i++) {
        static const char *const others[] = {"object", "oldObject", "uid"};
        n -= fx_tree_view_key(request, others[i]) != NULL;
    }
    assert(json_object_size(whole) == n);
    json_object_keylen_foreach(whole, key, length, value) {
        const struct fx_text text = {key, length};
        assert(fx_equal(value, fx_tree_view_text(request, text)));
    }
}

static void check_request(const struct fx_request_fields *fields, const json_t *request,
                          const struct fx_envelope_options *options) {
    const json_t *kind = view_object(request, "kind");
    check_field(&fields->uid, request, "uid");
    check_field(&fields->operation, request, "operation");
    check_field(&fields->namespace_, request, "namespace");
    check_field(&fields->name, request, "name");
    check_field(&fields->subresource, request, "subResource");
    check_field(&fields->dry_run, request, "dryRun");
    check_type(&fields->kind, request, "kind");
    check_field(&fields->of_kind.group, kind, "group");
    check_field(&fields->of_kind.version, kind, "version");
    check_field(&fields->of_kind.kind, kind, "kind");
    check_field(&fields->username, view_object(request, "userInfo"), "username");
    check_tree(&fields->object, request, "object");
    check_type(&fields->user_info, request, "userInfo");
    check_type(&fields->old_object, request, "oldObject");
    if (!options->partial_decode || options->reads_user) {
        check_tree(&fields->user_info, request, "userInfo");
    }
    if (!options->partial_decode || options->reads_old_object) {
        check_tree(&fields->old_object, request, "oldObject");
    }
    if (options->reads_request) {
        check_whole(fields->whole, request);
    }
}

static void check(struct fx_text text, const json_t *root, const struct fx_err *why,
                  struct fx_envelope_options options) {
    struct fx_envelope envelope;
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    const bool ok = fx_envelope_read(&envelope, text, &options, &arena, &err);
    if (ok && root != NULL) {
        check_field(&envelope.kind, root, "kind");
        check_field(&envelope.api_version, root, "apiVersion");
        check_type(&envelope.request, root, "request");
        check_request(&envelope.of_request, view_object(root, "request"), &options);
    } else if (root != NULL || why->code == FX_ESYNTAX) { /* and not for its memory */
        assert(!ok && root == NULL && err.code == why->code && err.off == why->off);
        assert(strcmp(err.msg, why->msg) == 0);
    }
    fx_envelope_finish(&envelope);
    fx_arena_finish(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text text = {(const char *)data, size};
    struct fx_err err = FX_ERR_INIT;
    json_t *root = fx_json_read(text, NULL, &err);
    check(text, root, &err, (struct fx_envelope_options){.partial_decode = false});
    check(text, root, &err, (struct fx_envelope_options){.partial_decode = true});
    check(text, root, &err,
          (struct fx_envelope_options){.partial_decode = true, .reads_user = true});
    check(text, root, &err,
          (struct fx_envelope_options){
              .partial_decode = true, .reads_request = true, .reads_old_object = true});
    check(text, root, &err, (struct fx_envelope_options){.reads_request = true});
    json_decref(root);
    return 0;
}
