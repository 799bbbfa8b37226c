/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/external.c - the placeholders of an object as one call to each provider, and
 * the answers to the calls.
 */
#include "admission/external.h"

#include <assert.h>
#include <stdlib.h>

#include "admission/external_internal.h"
#include "base/buf.h"
#include "base/vec.h"
#include "value/json.h"
#include "value/tree.h"

/* The placeholders that the walk finds. */
struct found {
    const struct fx_placeholders *placeholders;
    struct fx_placeholder *items;
    size_t n_items, cap_items;
};

bool fx_external_fail_depth(struct fx_err *err) {
    return fx_fail(err, FX_ELIMIT, "the object is nested more than %u levels deep",
                   FX_EXTERNAL_DEPTH);
}

static bool walk(struct found *found, json_t *node, unsigned depth, struct fx_err *err);

static bool walk_object(struct found *found, json_t *node, unsigned depth,
                        struct fx_err *err) {
    for (void *at = json_object_iter(node); at != NULL;
         at = json_object_iter_next(node, at)) {
        if (!walk(found, json_object_iter_value(at), depth, err)) {
            return false;
        }
    }
    return true;
}

static bool walk_array(struct found *found, json_t *node, unsigned depth,
                       struct fx_err *err) {
    for (size_t i = 0; i < json_array_size(node); i++) {
        if (!walk(found, json_array_get(node, i), depth, err)) {
            return false;
        }
    }
    return true;
}

/* Recursive, at most `depth` levels. */
static bool walk(struct found *found, json_t *node, unsigned depth, struct fx_err *err) {
    struct fx_placeholder placeholder;
    if (depth == 0) {
        return fx_external_fail_depth(err);
    }
    if (json_is_object(node)) {
        return walk_object(found, node, depth - 1, err);
    }
    if (json_is_array(node)) {
        return walk_array(found, node, depth - 1, err);
    }
    if (!fx_placeholders_find(found->placeholders, node, &placeholder)) {
        return true;
    }
    if (!FX_VEC_GROW(found->items, found->n_items, found->cap_items)) {
        return fx_fail_nomem(err);
    }
    found->items[found->n_items++] = placeholder;
    return true;
}

int fx_external_compare(const void *left, const void *right) {
    const struct fx_placeholder *a = left;
    const struct fx_placeholder *b = right;
    const int order = fx_text_compare(a->external->provider, b->external->provider);
    return order != 0 ? order : fx_text_compare(a->key, b->key);
}

static bool asks_same_provider(const struct fx_placeholder *a,
                               const struct fx_placeholder *b) {
    return fx_text_equal(a->external->provider, b->external->provider);
}

/* Adds the call for the keys of sorted placeholders of one provider, each key once. NULL
 * on failure. */
static struct fx_input_entry *add_call(const struct fx_provider *provider,
                                       const struct fx_placeholder *items, size_t n_items,
                                       struct fx_inputs *inputs, struct fx_err *err) {
    struct fx_text *keys = fx_arena_alloc(&inputs->arena, n_items * sizeof *keys);
    if (keys == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    size_t n_keys = 0;
    for (size_t i = 0; i < n_items; i++) {
        if (i == 0 || !fx_text_equal(items[i].key, items[i - 1].key)) {
            keys[n_keys++] = items[i].key;
        }
    }
    struct fx_buf body;
    fx_buf_init(&body, 0);
    provider->protocol->write_request(keys, n_keys, &body);
    const struct fx_input_key key = {
        .type = FX_INPUT_CALL,
        .provider = provider,
        .body = {body.data, body.len},
    };
    struct fx_input_entry *call = NULL;
    if (body.failed) {
        (void)fx_fail_nomem(err);
    } else {
        call = fx_inputs_add(inputs, &key, err);
    }
    fx_buf_finish(&body);
    return call;
}

/* How many of the sorted placeholders are for the first one's provider. */
static size_t count_group(const struct fx_placeholder *items, size_t n_items) {
    size_t n = 1;
    while (n < n_items && asks_same_provider(&items[n], &items[0])) {
        n++;
    }
    return n;
}

static size_t count_groups(const struct found *found) {
    size_t n = 0;
    for (size_t i = 0; i < found->n_items; n++) {
        i += count_group(&found->items[i], found->n_items - i);
    }
    return n;
}

/* Adds the calls of what was found, sorted. */
static bool add_calls(const struct found *found, const struct fx_snapshot *snapshot,
                      struct fx_inputs *inputs, struct fx_external_calls *calls,
                      struct fx_err *err) {
    calls->items =
        fx_arena_alloc(&inputs->arena, count_groups(found) * sizeof *calls->items);
    if (calls->items == NULL) {
        return fx_fail_nomem(err);
    }
    size_t n = 0;
    for (size_t i = 0; i < found->n_items; i += n) {
        const struct fx_placeholder *first = &found->items[i];
        n = count_group(first, found->n_items - i);
        const struct fx_resource *provider =
            fx_snapshot_find(snapshot, FX_RESOURCE_PROVIDER, first->external->provider);
        if (provider == NULL) {
            continue;
        }
        struct fx_input_entry *call =
            add_call((const struct fx_provider *)provider, /* its first member */
                     first, n, inputs, err);
        if (call == NULL) {
            return false;
        }
        calls->items[calls->n_items++] = call;
    }
    return true;
}

bool fx_external_collect(const struct fx_placeholders *placeholders, json_t *root,
                         const struct fx_snapshot *snapshot, struct fx_inputs *inputs,
                         struct fx_external_calls *ret_calls, struct fx_err *err) {
    *ret_calls = (struct fx_external_calls){0};
    if (!fx_placeholders_exist(placeholders)) {
        return true;
    }
    assert(inputs != NULL);
    struct found found = {.placeholders = placeholders};
    bool ok = walk(&found, root, FX_EXTERNAL_DEPTH, err);
    ret_calls->n_places = found.n_items;
    if (ok && found.n_items > 0) {
        qsort(found.items, found.n_items, sizeof *found.items, fx_external_compare);
        ok = add_calls(&found, snapshot, inputs, ret_calls, err);
    }
    free(found.items);
    return ok;
}

/* ---- the answers ----------------------------------------------------------------- */

static void fail_request(struct fx_input_entry *call, const char *prefix,
                         const char *why) {
    struct fx_err err = FX_ERR_INIT;
    (void)fx_fail(&err, FX_EMUTATE,
                  "failed to send external data request to provider %s: %s%s",
                  call->key.provider->resource.name, prefix, why);
    fx_inputs_give(call, NULL, &err);
}

/* The items of the answer; NULL with the error. */
static json_t *read_body(const struct fx_provider *provider, struct fx_text body,
                         struct fx_err *err) {
    if (body.len > FX_LIMIT_PROVIDER_BODY_BYTES) {
        (void)fx_fail(err, FX_ELIMIT, "the response is larger than %u bytes",
                      FX_LIMIT_PROVIDER_BODY_BYTES);
        return NULL;
    }
    json_t *root = fx_json_read(body, NULL, err);
    json_t *items =
        root == NULL ? NULL : provider->protocol->read_answer(provider, root, err);
    json_decref(root);
    return items;
}

void fx_external_give(struct fx_input_entry *call, struct fx_text body) {
    struct fx_err err = FX_ERR_INIT;
    json_t *items = read_body(call->key.provider, body, &err);
    if (items != NULL) {
        fx_inputs_give(call, items, NULL);
    } else if (err.code == FX_ENOMEM || err.code == FX_EMUTATE) {
        fx_inputs_give(call, NULL, &err);
    } else {
        fail_request(call, "failed to unmarshal external data response: ", err.msg);
    }
}

void fx_external_fail(struct fx_input_entry *call, const char *why) {
    fail_request(call, "", why);
}
