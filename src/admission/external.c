/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/external.c - makes one call to each provider of an object's placeholders,
 * reads the answers, and replaces the placeholders by values (spec section 7).
 */
#include "admission/external.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/vec.h"
#include "value/json.h"
#include "value/tree.h"

/* The most levels of an object with its placeholders: of the object as read, of locations
 * in it, and of values written there. */
#define MOST_LEVELS (4 * FX_LIMIT_JSON_DEPTH)

/* The placeholders that the walk finds. */
struct found_placeholders {
    const struct fx_placeholders *placeholders;
    struct fx_placeholder *items;
    size_t n_items, cap_items;
};

static bool fail_depth(struct fx_err *err) {
    return fx_fail(err, FX_ELIMIT, "the object is nested more than %u levels deep",
                   MOST_LEVELS);
}

static bool find_placeholders(struct found_placeholders *found, json_t *node,
                              unsigned depth, struct fx_err *err);

static bool find_in_object(struct found_placeholders *found, json_t *node, unsigned depth,
                           struct fx_err *err) {
    for (void *at = json_object_iter(node); at != NULL;
         at = json_object_iter_next(node, at)) {
        if (!find_placeholders(found, json_object_iter_value(at), depth, err)) {
            return false;
        }
    }
    return true;
}

static bool find_in_array(struct found_placeholders *found, json_t *node, unsigned depth,
                          struct fx_err *err) {
    for (size_t i = 0; i < json_array_size(node); i++) {
        if (!find_placeholders(found, json_array_get(node, i), depth, err)) {
            return false;
        }
    }
    return true;
}

/* Finds the placeholders in the node. Recursive, at most `depth` levels. */
static bool find_placeholders(struct found_placeholders *found, json_t *node,
                              unsigned depth, struct fx_err *err) {
    struct fx_placeholder placeholder;
    if (depth == 0) {
        return fail_depth(err);
    }
    if (json_is_object(node)) {
        return find_in_object(found, node, depth - 1, err);
    }
    if (json_is_array(node)) {
        return find_in_array(found, node, depth - 1, err);
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

static int compare_placeholders(const void *left, const void *right) {
    const struct fx_placeholder *a = left;
    const struct fx_placeholder *b = right;
    const int order = fx_text_compare(a->external->provider, b->external->provider);
    return order != 0 ? order : fx_text_compare(a->key, b->key);
}

static bool asks_same_provider(const struct fx_placeholder *a,
                               const struct fx_placeholder *b) {
    return fx_text_equal(a->external->provider, b->external->provider);
}

/* Adds the call for the keys of sorted placeholders of one provider. Each key is sent
 * once. NULL on failure. */
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

/* Returns how many of the sorted placeholders have the provider of the first one. */
static size_t count_group(const struct fx_placeholder *items, size_t n_items) {
    size_t n = 1;
    while (n < n_items && asks_same_provider(&items[n], &items[0])) {
        n++;
    }
    return n;
}

static size_t count_groups(const struct found_placeholders *found) {
    size_t n = 0;
    for (size_t i = 0; i < found->n_items; n++) {
        i += count_group(&found->items[i], found->n_items - i);
    }
    return n;
}

/* Adds the calls for the sorted placeholders. */
static bool add_calls(const struct found_placeholders *found,
                      const struct fx_snapshot *snapshot, struct fx_inputs *inputs,
                      struct fx_external_calls *calls, struct fx_err *err) {
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
            add_call((const struct fx_provider *)provider, /* the first member */
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
    struct found_placeholders found = {.placeholders = placeholders};
    bool ok = find_placeholders(&found, root, MOST_LEVELS, err);
    ret_calls->n_places = found.n_items;
    if (ok && found.n_items > 0) {
        qsort(found.items, found.n_items, sizeof *found.items, compare_placeholders);
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

/* Returns the items of the answer; NULL with the error. */
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

/* ---- the values -------------------------------------------------------------------- */

struct resolution {
    const struct fx_external_calls *calls;
    const struct fx_placeholders *placeholders;
    /* A placeholder often repeats, so the last one is kept with its value. */
    const json_t *last;
    json_t *last_value; /* counted; NULL if its failure makes the review fail */
    /* The placeholders whose failure makes the review fail. */
    struct fx_placeholder *failed;
    size_t n_failed, cap_failed;
};

static int compare_name(const void *key, const void *element) {
    const struct fx_text *name = key;
    const struct fx_input_entry *const *call = element;
    return fx_text_compare(*name, fx_text_of((*call)->key.provider->resource.name));
}

/* Returns the call to the provider; NULL if the snapshot has no such provider. */
static const struct fx_input_entry *find_call(const struct fx_external_calls *calls,
                                              struct fx_text provider) {
    struct fx_input_entry *const *found =
        calls->n_items == 0 ? NULL
                            : bsearch(&provider, calls->items, calls->n_items,
                                      sizeof(struct fx_input_entry *), compare_name);
    return found == NULL ? NULL : *found;
}

/* Returns Go's name for the type of a value that encoding/json decoded. All numbers have
 * the same type. */
static const char *go_type(const json_t *value) {
    if (value == NULL || json_is_null(value)) {
        return "<nil>";
    }
    return json_is_number(value) ? "float64" : fx_tree_go_type(value);
}

/* The answer for a placeholder. */
struct placeholder_result {
    const struct fx_input_entry *call; /* NULL if the snapshot has no such provider */
    const json_t *item;                /* NULL if it is not in the answer */
    json_t *value;                     /* a string; NULL if there is none */
};

static struct placeholder_result find_result(const struct fx_external_calls *calls,
                                             const struct fx_placeholder *placeholder) {
    struct placeholder_result result = {find_call(calls, placeholder->external->provider),
                                        NULL, NULL};
    if (result.call == NULL || result.call->value == NULL) {
        return result;
    }
    result.item = fx_tree_view_text(result.call->value, placeholder->key);
    json_t *value = fx_tree_view_key(result.item, "value");
    if (fx_tree_view_string(result.item, "error").len == 0 && json_is_string(value)) {
        result.value = value;
    }
    return result;
}

/* Returns as much of the text as a message can have. */
static struct fx_text clip(struct fx_text text) {
    return (struct fx_text){text.data, text.len < FX_ERR_TEXT ? text.len : FX_ERR_TEXT};
}

/* Prints the reason why there is no value. */
static void explain_failure(const struct placeholder_result *result,
                            const struct fx_placeholder *placeholder,
                            struct fx_err *ret_message) {
    const struct fx_text provider = clip(placeholder->external->provider);
    const struct fx_text error = clip(fx_tree_view_string(result->item, "error"));
    if (result->call == NULL) {
        (void)fx_fail(ret_message, FX_EMUTATE,
                      "failed to find external data provider %.*s in responses",
                      FX_TEXT_ARG(provider));
    } else if (result->call->value == NULL) {
        (void)fx_fail(ret_message, FX_EMUTATE, "%s", result->call->reason);
    } else if (result->item == NULL) {
        (void)fx_fail(ret_message, FX_EMUTATE,
                      "failed to find external data item in response for provider %.*s",
                      FX_TEXT_ARG(provider));
    } else if (error.len > 0) {
        (void)fx_fail(ret_message, FX_EMUTATE,
                      "failed to retrieve external data item from provider %.*s: %.*s",
                      FX_TEXT_ARG(provider), FX_TEXT_ARG(error));
    } else {
        (void)fx_fail(ret_message, FX_EMUTATE,
                      "failed to convert external data item value from provider %.*s to "
                      "string, got type %s",
                      FX_TEXT_ARG(provider),
                      go_type(fx_tree_view_key(result->item, "value")));
    }
}

/* Handles a placeholder without a value. *ret_value is its replacement, a new reference;
 * NULL if its failure makes the review fail, which is recorded. False without memory. */
static bool handle_failure(struct resolution *resolution,
                           const struct fx_placeholder *placeholder, json_t **ret_value) {
    *ret_value = NULL;
    switch (placeholder->external->on_failure) {
    case FX_EXTERNAL_IGNORE: *ret_value = fx_tree_new_string(placeholder->key); break;
    case FX_EXTERNAL_USE_DEFAULT:
        *ret_value = fx_tree_new_string(placeholder->external->fallback);
        break;
    case FX_EXTERNAL_FAIL:
        if (!FX_VEC_GROW(resolution->failed, resolution->n_failed,
                         resolution->cap_failed)) {
            return false;
        }
        resolution->failed[resolution->n_failed++] = *placeholder;
        return true;
    }
    return *ret_value != NULL;
}

/* Sets last_value to the value of the placeholder `node`. False without memory. */
static bool look_up_value(struct resolution *resolution, const json_t *node,
                          const struct fx_placeholder *placeholder) {
    if (node == resolution->last) {
        return true;
    }
    const struct placeholder_result result = find_result(resolution->calls, placeholder);
    json_decref(resolution->last_value);
    resolution->last = node;
    resolution->last_value = json_incref(result.value);
    return result.value != NULL ||
           handle_failure(resolution, placeholder, &resolution->last_value);
}

/* Replaces the placeholders in *node, a reference of the caller, which is copied if it is
 * shared. Recursive, at most `depth` levels. */
static bool replace_placeholders(struct resolution *resolution, json_t **node,
                                 unsigned depth, struct fx_err *err);

/* Replaces the placeholders in a child. *ret_child is a new reference to the result, or
 * to the child itself if nothing changed; NULL after a failure. */
static bool replace_child(struct resolution *resolution, json_t *child, unsigned depth,
                          json_t **ret_child, struct fx_err *err) {
    *ret_child = json_incref(child);
    if (replace_placeholders(resolution, ret_child, depth, err)) {
        return true;
    }
    json_decref(*ret_child);
    *ret_child = NULL;
    return false;
}

/* Both functions iterate over the original node while they write its copy. */
static bool replace_in_object(struct resolution *resolution, json_t **node,
                              unsigned depth, struct fx_err *err) {
    json_t *before = json_incref(*node);
    bool ok = true;
    for (void *at = json_object_iter(before); ok && at != NULL;
         at = json_object_iter_next(before, at)) {
        const struct fx_text key = {json_object_iter_key(at),
                                    json_object_iter_key_len(at)};
        json_t *present = json_object_iter_value(at);
        json_t *child = NULL;
        ok = replace_child(resolution, present, depth, &child, err);
        if (ok && child != present) {
            ok = (fx_tree_own_root(node) != NULL &&
                  fx_tree_set_take(*node, key, json_incref(child))) ||
                 fx_fail_nomem(err);
        }
        json_decref(child);
    }
    json_decref(before);
    return ok;
}

static bool replace_in_array(struct resolution *resolution, json_t **node, unsigned depth,
                             struct fx_err *err) {
    json_t *before = json_incref(*node);
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(before); i++) {
        json_t *present = json_array_get(before, i);
        json_t *child = NULL;
        ok = replace_child(resolution, present, depth, &child, err);
        if (ok && child != present) {
            ok = (fx_tree_own_root(node) != NULL &&
                  fx_tree_set_index_take(*node, i, json_incref(child))) ||
                 fx_fail_nomem(err);
        }
        json_decref(child);
    }
    json_decref(before);
    return ok;
}

static bool replace_placeholders(struct resolution *resolution, json_t **node,
                                 unsigned depth, struct fx_err *err) {
    struct fx_placeholder placeholder;
    if (depth == 0) {
        return fail_depth(err);
    }
    if (json_is_object(*node)) {
        return replace_in_object(resolution, node, depth - 1, err);
    }
    if (json_is_array(*node)) {
        return replace_in_array(resolution, node, depth - 1, err);
    }
    if (!fx_placeholders_find(resolution->placeholders, *node, &placeholder)) {
        return true;
    }
    if (!look_up_value(resolution, *node, &placeholder)) {
        return fx_fail_nomem(err);
    }
    if (resolution->last_value != NULL) {
        json_decref(*node); /* the set also has a reference */
        *node = json_incref(resolution->last_value);
    }
    return true;
}

static int by_text(const void *left, const void *right) {
    const char *const *a = left;
    const char *const *b = right;
    return strcmp(*a, *b);
}

/* Returns the messages of all failures, each once, as the keys of an object; NULL without
 * memory. */
static json_t *collect_messages(const struct resolution *resolution) {
    json_t *messages = json_object();
    qsort(resolution->failed, resolution->n_failed, sizeof *resolution->failed,
          compare_placeholders);
    for (size_t i = 0; messages != NULL && i < resolution->n_failed; i++) {
        struct fx_err why = FX_ERR_INIT;
        if (i > 0 && compare_placeholders(&resolution->failed[i],
                                          &resolution->failed[i - 1]) == 0) {
            continue;
        }
        const struct placeholder_result result =
            find_result(resolution->calls, &resolution->failed[i]);
        explain_failure(&result, &resolution->failed[i], &why);
        if (!fx_tree_set_take(messages, fx_text_of(why.msg), json_true())) {
            json_decref(messages);
            return NULL;
        }
    }
    return messages;
}

/* Prints `a`, or `[a, b]`, sorted, as much as a message can have. */
static void print_messages(json_t *messages, const char **sorted, struct fx_buf *buf) {
    const size_t n = json_object_size(messages);
    size_t i = 0;
    for (void *at = json_object_iter(messages); at != NULL;
         at = json_object_iter_next(messages, at)) {
        sorted[i++] = json_object_iter_key(at);
    }
    qsort(sorted, n, sizeof *sorted, by_text);
    fx_buf_str(buf, n > 1 ? "[" : "");
    for (i = 0; i < n && buf->len < FX_ERR_TEXT; i++) {
        fx_buf_str(buf, i == 0 ? "" : ", ");
        fx_buf_str(buf, sorted[i]);
    }
    fx_buf_str(buf, n > 1 ? "]" : "");
}

/* Fails with all failures as one error. Always false. */
static bool fail_all(const struct resolution *resolution, struct fx_err *err) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    json_t *messages = collect_messages(resolution);
    const char **sorted = calloc(json_object_size(messages) + 1, sizeof *sorted);
    if (messages != NULL && sorted != NULL) {
        print_messages(messages, sorted, &buf);
    }
    if (messages == NULL || sorted == NULL || buf.failed) {
        (void)fx_fail_nomem(err);
    } else {
        (void)fx_fail(err, FX_EMUTATE, "failed to resolve external data placeholders: %s",
                      buf.data);
    }
    free(sorted);
    json_decref(messages);
    fx_buf_finish(&buf);
    return false;
}

static bool lacks_memory(const struct fx_external_calls *calls) {
    for (size_t i = 0; i < calls->n_items; i++) {
        if (calls->items[i]->code == FX_ENOMEM) {
            return true;
        }
    }
    return false;
}

bool fx_external_resolve(const struct fx_external_calls *calls,
                         const struct fx_placeholders *placeholders, json_t **root,
                         struct fx_err *err) {
    if (!fx_placeholders_exist(placeholders)) {
        return true;
    }
    if (lacks_memory(calls)) {
        return fx_fail_nomem(err);
    }
    struct resolution resolution = {.calls = calls, .placeholders = placeholders};
    bool ok = replace_placeholders(&resolution, root, MOST_LEVELS, err);
    if (ok && resolution.n_failed > 0) {
        ok = fail_all(&resolution, err);
    }
    json_decref(resolution.last_value);
    free(resolution.failed);
    return ok;
}
