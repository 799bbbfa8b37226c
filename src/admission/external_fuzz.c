/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/external_fuzz.c - whatever a provider answers: values are texts, failures
 * have words, and each placeholder is treated as its policy says.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "admission/external.h"
#include "base/limits.h"
#include "engine/resource.h"
#include "value/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The protocol of a dialect that this room does not know. */
extern const struct fx_provider_protocol fx_external_data_protocol;

static const struct fx_external fails = {{"p", 1}, FX_EXTERNAL_FAIL, {NULL, 0}};
static const struct fx_external ignores = {{"p", 1}, FX_EXTERNAL_IGNORE, {NULL, 0}};
static const struct fx_external falls_back = {
    {"p", 1}, FX_EXTERNAL_USE_DEFAULT, {"default", 7}};

/* Made once; a fuzzer's process ends with it. */
static struct fx_snapshot *snapshot(void) {
    static struct fx_snapshot *made;
    if (made == NULL) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_provider *provider =
            fx_provider_create(&fx_external_data_protocol, FX_TEXT("p"), NULL,
                               FX_TEXT("https://p"), 0, FX_TEXT("pem"));
        assert(provider != NULL);
        struct fx_resource *resource = &provider->resource;
        const struct fx_snapshot_parts parts = {.resources = &resource, .n_resources = 1};
        const bool ok = fx_snapshot_build(&parts, 1, &made, &err);
        assert(ok);
    }
    return made;
}

/* One object: two keys, asked for under the policy each in turn. */
static json_t *make_object(struct fx_placeholders *placeholders,
                           const struct fx_external *external) {
    json_t *object = json_object();
    const bool ok =
        fx_tree_set_take(object, FX_TEXT("a"),
                         fx_placeholders_make(placeholders, external, FX_TEXT("a"))) &&
        fx_tree_set_take(object, FX_TEXT("b"),
                         fx_placeholders_make(placeholders, external, FX_TEXT("")));
    assert(ok);
    return object;
}

static bool try(const struct fx_external *external, struct fx_text answer,
                json_t **ret_root) {
    struct fx_placeholders *placeholders = fx_placeholders_create();
    struct fx_inputs inputs;
    struct fx_external_calls calls;
    struct fx_err err = FX_ERR_INIT;
    fx_inputs_init(&inputs, NULL, 0);
    *ret_root = make_object(placeholders, external);
    bool ok =
        fx_external_collect(placeholders, *ret_root, snapshot(), &inputs, &calls, &err);
    assert(ok && calls.n_items == 1);
    fx_external_give(calls.items[0], answer);
    ok = fx_external_resolve(&calls, placeholders, ret_root, &err);
    assert(ok || err.code == FX_EMUTATE);
    assert(ok || strstr(err.msg, "failed to resolve external data placeholders: "));
    fx_placeholders_destroy(placeholders);
    fx_inputs_finish(&inputs);
    return ok;
}

static struct fx_text text_at(const json_t *root, const char *key) {
    const struct fx_text text = fx_tree_view_string(root, key);
    assert(text.data != NULL);
    return text;
}

/* Where the provider gave both values, they are there; else one at least is `a`, `b`. */
static void check(const json_t *root, const json_t *given, const char *a, const char *b) {
    const struct fx_text at_a = text_at(root, "a");
    const struct fx_text at_b = text_at(root, "b");
    if (given == NULL) {
        assert(fx_text_is(at_a, a) || fx_text_is(at_b, b));
        return;
    }
    assert(fx_text_equal(at_a, text_at(given, "a")));
    assert(fx_text_equal(at_b, text_at(given, "b")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text answer = {(const char *)data, size};
    json_t *given = NULL;
    json_t *kept = NULL;
    json_t *other = NULL;
    const bool is_given = try(&fails, answer, &given);
    const bool is_kept = try(&ignores, answer, &kept);
    const bool is_other = try(&falls_back, answer, &other);
    assert(is_kept && is_other);
    check(kept, is_given ? given : NULL, "a", "");
    check(other, is_given ? given : NULL, "default", "default");
    json_decref(given);
    json_decref(kept);
    json_decref(other);
    return 0;
}
