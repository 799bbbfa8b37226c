/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/external_resolve.c - values in the places of placeholders (spec section 7).
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "admission/external_internal.h"
#include "base/buf.h"
#include "base/vec.h"
#include "value/tree.h"

struct resolution {
    const struct fx_external_calls *calls;
    const struct fx_placeholders *placeholders;
    /* The same placeholder often stands in many places: the last one, and its value. */
    const json_t *last;
    json_t *last_value; /* counted; NULL where its failure fails the review */
    /* Those whose failure does. */
    struct fx_placeholder *failed;
    size_t n_failed, cap_failed;
};

static int compare_name(const void *key, const void *element) {
    const struct fx_text *name = key;
    const struct fx_external_call *call = element;
    return fx_text_compare(*name, fx_text_of(call->provider->resource.name));
}

/* The call to the provider; NULL where the snapshot does not know it. */
static const struct fx_external_call *find_call(const struct fx_external_calls *calls,
                                                struct fx_text provider) {
    return calls->n_items == 0 ? NULL
                               : bsearch(&provider, calls->items, calls->n_items,
                                         sizeof *calls->items, compare_name);
}

/* Go's name for the type of a value that encoding/json decoded: all numbers are one. */
static const char *go_type(const json_t *value) {
    if (value == NULL || json_is_null(value)) {
        return "<nil>";
    }
    return json_is_number(value) ? "float64" : fx_tree_go_type(value);
}

/* What there is for a placeholder; `value` is a string, or NULL where it cannot be had.
 */
struct finding {
    const struct fx_external_call *call; /* NULL: a provider that nobody knows */
    const json_t *item;                  /* NULL: not in the answer */
    json_t *value;
};

static struct finding find(const struct fx_external_calls *calls,
                           const struct fx_placeholder *placeholder) {
    struct finding finding = {find_call(calls, placeholder->external->provider), NULL,
                              NULL};
    if (finding.call == NULL || finding.call->items == NULL) {
        return finding;
    }
    finding.item = fx_tree_view_text(finding.call->items, placeholder->key);
    json_t *value = fx_tree_view_key(finding.item, "value");
    if (fx_tree_view_string(finding.item, "error").len == 0 && json_is_string(value)) {
        finding.value = value;
    }
    return finding;
}

/* As much of it as a message can hold. */
static struct fx_text clip(struct fx_text text) {
    return (struct fx_text){text.data, text.len < FX_ERR_TEXT ? text.len : FX_ERR_TEXT};
}

/* Says why there is no value. */
static void tell(const struct finding *finding, const struct fx_placeholder *placeholder,
                 struct fx_err *ret_words) {
    const struct fx_text provider = clip(placeholder->external->provider);
    const struct fx_text error = clip(fx_tree_view_string(finding->item, "error"));
    if (finding->call == NULL) {
        (void)fx_fail(ret_words, FX_EMUTATE,
                      "failed to find external data provider %.*s in responses",
                      FX_TEXT_ARG(provider));
    } else if (finding->call->items == NULL) {
        (void)fx_fail(ret_words, FX_EMUTATE, "%s", finding->call->fault.data);
    } else if (finding->item == NULL) {
        (void)fx_fail(ret_words, FX_EMUTATE,
                      "failed to find external data item in response for provider %.*s",
                      FX_TEXT_ARG(provider));
    } else if (error.len > 0) {
        (void)fx_fail(ret_words, FX_EMUTATE,
                      "failed to retrieve external data item from provider %.*s: %.*s",
                      FX_TEXT_ARG(provider), FX_TEXT_ARG(error));
    } else {
        (void)fx_fail(ret_words, FX_EMUTATE,
                      "failed to convert external data item value from provider %.*s to "
                      "string, got type %s",
                      FX_TEXT_ARG(provider),
                      go_type(fx_tree_view_key(finding->item, "value")));
    }
}

/* What is written where the value cannot be had: a new reference, NULL where that fails
 * the review, which is noted. False without memory. */
static bool fall_back(struct resolution *run, const struct fx_placeholder *placeholder,
                      json_t **ret_value) {
    *ret_value = NULL;
    switch (placeholder->external->on_failure) {
    case FX_EXTERNAL_IGNORE: *ret_value = fx_tree_new_string(placeholder->key); break;
    case FX_EXTERNAL_USE_DEFAULT:
        *ret_value = fx_tree_new_string(placeholder->external->fallback);
        break;
    case FX_EXTERNAL_FAIL:
        if (!FX_VEC_GROW(run->failed, run->n_failed, run->cap_failed)) {
            return false;
        }
        run->failed[run->n_failed++] = *placeholder;
        return true;
    }
    return *ret_value != NULL;
}

/* Learns the value of the placeholder `node`, unless it is the last one's. False without
 * memory. */
static bool learn(struct resolution *run, const json_t *node,
                  const struct fx_placeholder *placeholder) {
    if (node == run->last) {
        return true;
    }
    const struct finding finding = find(run->calls, placeholder);
    json_decref(run->last_value);
    run->last = node;
    run->last_value = json_incref(finding.value);
    return finding.value != NULL || fall_back(run, placeholder, &run->last_value);
}

/* Puts values into *node, a reference of the caller's, which is copied where it is
 * shared. `depth` is how much further down it may go. */
static bool put(struct resolution *run, json_t **node, unsigned depth,
                struct fx_err *err);

/* The child, resolved, as a new reference in *ret_child; itself where nothing changed;
 * NULL after a failure. */
static bool put_child(struct resolution *run, json_t *child, unsigned depth,
                      json_t **ret_child, struct fx_err *err) {
    *ret_child = json_incref(child);
    if (put(run, ret_child, depth, err)) {
        return true;
    }
    json_decref(*ret_child);
    *ret_child = NULL;
    return false;
}

/* Both go over the node as it was while its copy is written. */
static bool put_object(struct resolution *run, json_t **node, unsigned depth,
                       struct fx_err *err) {
    json_t *before = json_incref(*node);
    bool ok = true;
    for (void *at = json_object_iter(before); ok && at != NULL;
         at = json_object_iter_next(before, at)) {
        const struct fx_text key = {json_object_iter_key(at),
                                    json_object_iter_key_len(at)};
        json_t *present = json_object_iter_value(at);
        json_t *child = NULL;
        ok = put_child(run, present, depth, &child, err);
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

static bool put_array(struct resolution *run, json_t **node, unsigned depth,
                      struct fx_err *err) {
    json_t *before = json_incref(*node);
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(before); i++) {
        json_t *present = json_array_get(before, i);
        json_t *child = NULL;
        ok = put_child(run, present, depth, &child, err);
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

static bool put(struct resolution *run, json_t **node, unsigned depth,
                struct fx_err *err) {
    struct fx_placeholder placeholder;
    if (depth == 0) {
        return fx_external_fail_depth(err);
    }
    if (json_is_object(*node)) {
        return put_object(run, node, depth - 1, err);
    }
    if (json_is_array(*node)) {
        return put_array(run, node, depth - 1, err);
    }
    if (!fx_placeholders_find(run->placeholders, *node, &placeholder)) {
        return true;
    }
    if (!learn(run, *node, &placeholder)) {
        return fx_fail_nomem(err);
    }
    if (run->last_value != NULL) {
        json_decref(*node); /* the register holds it too */
        *node = json_incref(run->last_value);
    }
    return true;
}

static int by_text(const void *left, const void *right) {
    const char *const *a = left;
    const char *const *b = right;
    return strcmp(*a, *b);
}

/* The words of all failures, each once, as the keys of an object; NULL without memory. */
static json_t *collect_words(const struct resolution *run) {
    json_t *words = json_object();
    qsort(run->failed, run->n_failed, sizeof *run->failed, fx_external_compare);
    for (size_t i = 0; words != NULL && i < run->n_failed; i++) {
        struct fx_err why = FX_ERR_INIT;
        if (i > 0 && fx_external_compare(&run->failed[i], &run->failed[i - 1]) == 0) {
            continue;
        }
        const struct finding finding = find(run->calls, &run->failed[i]);
        tell(&finding, &run->failed[i], &why);
        if (!fx_tree_set_take(words, fx_text_of(why.msg), json_true())) {
            json_decref(words);
            return NULL;
        }
    }
    return words;
}

/* `a`, or `[a, b]`, sorted, as much as a message can hold. */
static void join(json_t *words, const char **sorted, struct fx_buf *buf) {
    const size_t n = json_object_size(words);
    size_t i = 0;
    for (void *at = json_object_iter(words); at != NULL;
         at = json_object_iter_next(words, at)) {
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

/* The failures as one error; always false. */
static bool fail_all(const struct resolution *run, struct fx_err *err) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    json_t *words = collect_words(run);
    const char **sorted = calloc(json_object_size(words) + 1, sizeof *sorted);
    if (words != NULL && sorted != NULL) {
        join(words, sorted, &buf);
    }
    if (words == NULL || sorted == NULL || buf.failed) {
        (void)fx_fail_nomem(err);
    } else {
        (void)fx_fail(err, FX_EMUTATE, "failed to resolve external data placeholders: %s",
                      buf.data);
    }
    free(sorted);
    json_decref(words);
    fx_buf_finish(&buf);
    return false;
}

static bool lacks_memory(const struct fx_external_calls *calls) {
    for (size_t i = 0; i < calls->n_items; i++) {
        if (calls->items[i].lacks_memory) {
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
    assert(fx_external_is_answered(calls));
    if (lacks_memory(calls)) {
        return fx_fail_nomem(err);
    }
    struct resolution run = {.calls = calls, .placeholders = placeholders};
    bool ok = put(&run, root, FX_EXTERNAL_DEPTH, err);
    if (ok && run.n_failed > 0) {
        ok = fail_all(&run, err);
    }
    json_decref(run.last_value);
    free(run.failed);
    return ok;
}
