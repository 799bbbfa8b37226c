/* SPDX-License-Identifier: Apache-2.0
 *
 * answer.c - mutates an object without a webhook. Providers answer with the values in the
 * row.
 */
#include "answer.h"

#include "admission/mutation.h"
#include "base/limits.h"
#include "circumstances.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

void fx_case_answer_finish(struct fx_case_answer *answer) {
    if (answer != NULL) {
        json_decref(answer->object);
        json_decref(answer->calls);
        *answer = (struct fx_case_answer){0};
    }
}

/* True if the patch makes `result` of `object`. */
static bool patch_holds(const struct fx_patch *patch, json_t *object, json_t *result,
                        struct fx_err *err) {
    json_t *patched = json_incref(object);
    bool ok = fx_patch_apply(patch, &patched, err);
    if (ok && !fx_equal(patched, result)) {
        ok = fx_fail(err, FX_EINTERNAL, "the patch does not give the result");
    }
    json_decref(patched);
    return ok;
}

/* A Gatekeeper without a client certificate recorded the cases without providers. */
#define NO_CERTIFICATE                                                        \
    "failed to get client TLS certificate: external data client certificate " \
    "watcher is not initialized"

/* Returns the keys of a ProviderRequest. */
static json_t *keys_of(struct fx_text body, struct fx_err *err) {
    json_t *request = fx_json_read(body, NULL, err);
    json_t *keys = fx_tree_view_key(fx_tree_view_key(request, "request"), "keys");
    (void)json_incref(keys);
    json_decref(request);
    return keys;
}

/* Answers a call with the row's value for the provider: a ProviderResponse, or {"fail":
 * why there is none}. */
static bool give(struct fx_input_entry *call, const json_t *answer, struct fx_err *err) {
    const json_t *why = fx_tree_view_key(answer, "fail");
    if (why != NULL) {
        fx_external_fail(call, json_string_value(why));
        return true;
    }
    struct fx_buf body;
    fx_buf_init(&body, 0);
    fx_json_write(&body, answer, FX_JSON_COMPACT);
    const bool ok = !body.failed;
    if (ok) {
        fx_external_give(call, (struct fx_text){body.data, body.len});
    }
    fx_buf_finish(&body);
    return ok || fx_fail_nomem(err);
}

/* Answers the calls of the mutation, and records the keys of each provider in `asked`. */
static bool answer_calls(const json_t *row, struct fx_mutation *mutation, json_t *asked,
                         struct fx_err *err) {
    const json_t *providers = fx_tree_view_key(row, "providers");
    for (size_t i = 0; i < mutation->calls.n_items; i++) {
        struct fx_input_entry *call = mutation->calls.items[i];
        const char *name = call->key.provider->resource.name;
        json_t *keys = keys_of(call->key.body, err);
        if (keys == NULL || json_object_set_new(asked, name, keys) != 0) {
            return fx_fail(err, FX_EINTERNAL, "no request for keys");
        }
        if (!give(call, fx_tree_view_key(providers, name), err)) {
            return false;
        }
    }
    return true;
}

/* Appends the patch for the part of the object in the text, or for the whole object if
 * `part` is NULL. Appends nothing if that fails, if a rule fails, or if the patch would
 * write an incomplete part: then the webhook uses the whole object. */
static void patch_text(const struct fx_mutation *like, struct fx_text text,
                       const struct fx_json_part *part, struct fx_buf *ret_patch) {
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    json_t *object = fx_json_read_part(text, part, NULL, &err);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    struct fx_mutation mutation = {
        .snapshot = like->snapshot,
        .request = like->request,
        .object = object,
        .inputs = like->inputs,
        .arena = &arena,
    };
    if (object != NULL && fx_mutation_begin(&mutation, &err) &&
        fx_mutation_end(&mutation, &err) && fx_patch_is_whole(&mutation.patch) &&
        (part == NULL || mutation.outcome.n_skipped == 0)) {
        fx_patch_write(ret_patch, &mutation.patch, FX_JSON_COMPACT);
    }
    fx_mutation_finish(&mutation);
    fx_arena_finish(&arena);
    json_decref(object);
}

/* Both patches are made from the same text, because 5.0 becomes 5 in a text. */
bool fx_case_part_agrees(const struct fx_mutation *mutation, struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(mutation->object, &subject);
    const struct fx_json_part *part = fx_snapshot_part(mutation->snapshot, subject.group,
                                                       subject.version, subject.kind);
    struct fx_buf text, of_whole, of_part;
    fx_buf_init(&text, 0);
    fx_buf_init(&of_whole, 0);
    fx_buf_init(&of_part, 0);
    fx_json_write(&text, mutation->object, FX_JSON_COMPACT);
    patch_text(mutation, (struct fx_text){text.data, text.len}, NULL, &of_whole);
    patch_text(mutation, (struct fx_text){text.data, text.len}, part, &of_part);
    const bool ok = of_part.len == 0 ||
                    fx_text_equal((struct fx_text){of_whole.data, of_whole.len},
                                  (struct fx_text){of_part.data, of_part.len}) ||
                    fx_fail(err, FX_EINTERNAL,
                            "a part of the object gives another patch: %s", of_part.data);
    fx_buf_finish(&text);
    fx_buf_finish(&of_whole);
    fx_buf_finish(&of_part);
    return ok;
}

static bool mutate(json_t *row, struct fx_mutation *mutation,
                   struct fx_case_answer *answer, struct fx_err *err) {
    if (!fx_mutation_begin(mutation, err) ||
        !answer_calls(row, mutation, answer->calls, err) ||
        !fx_mutation_end(mutation, err) ||
        !patch_holds(&mutation->patch, mutation->object, mutation->result, err) ||
        (!mutation->snapshot->has_inputs_after && !fx_case_part_agrees(mutation, err))) {
        return false;
    }
    answer->object = json_incref(mutation->result);
    answer->mutated = mutation->outcome.mutated;
    return true;
}

bool fx_case_mutate_object(json_t *row, const struct fx_snapshot *snapshot,
                           struct fx_case_answer *ret_answer, struct fx_err *err) {
    struct fx_arena arena;
    struct fx_inputs inputs;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_inputs_init(&inputs, NULL, 0);
    struct fx_mutation mutation = {
        .snapshot = snapshot,
        .request = fx_case_request(row),
        .object = fx_tree_view_key(row, "object"),
        .inputs = &inputs,
        .arena = &arena,
        .external_fault =
            fx_tree_view_key(row, "providers") == NULL ? NO_CERTIFICATE : NULL,
    };
    ret_answer->calls = json_object();
    const bool ok = mutate(row, &mutation, ret_answer, err);
    fx_mutation_finish(&mutation);
    fx_inputs_finish(&inputs);
    fx_arena_finish(&arena);
    return ok;
}
