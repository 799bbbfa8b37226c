/* SPDX-License-Identifier: Apache-2.0
 *
 * merge/strategic_fuzz.c - three texts with a line break between them: a kind ("v1/Pod"),
 * an object, and a strategic merge patch. A merge does not write the patch, nor what the
 * object shares with others; a merge that fails leaves the object as it is; a shared
 * object and one of its own get the same result.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "merge/strategic.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_UNITS (1u << 20)

static struct fx_schema find(struct fx_text name) {
    struct fx_text group = {"", 0};
    struct fx_text version = fx_text_cut(&name, '/');
    if (fx_text_contains(name, FX_TEXT("/"))) {
        group = version;
        version = fx_text_cut(&name, '/');
    }
    return fx_schema_find(&fx_strategic_builtin, group, version, name);
}

/* Merges within a budget: a list that is long is compared pair by pair. */
static bool merge(struct fx_schema schema, json_t **root, json_t *patch,
                  enum fx_code *ret_code) {
    struct fx_err err = FX_ERR_INIT;
    const struct fx_bound before = fx_budget_narrow(MOST_UNITS, 0);
    const bool ok = fx_strategic_merge(schema, root, patch, NULL, &err);
    (void)fx_budget_widen(before);
    assert(ok || err.code == FX_EMUTATE || err.code == FX_ELIMIT);
    *ret_code = ok ? FX_OK : err.code;
    return ok;
}

static void check(struct fx_schema schema, json_t *object, json_t *patch,
                  struct fx_text text) {
    struct fx_err err = FX_ERR_INIT;
    enum fx_code codes[2];
    json_t *own = fx_json_read(text, NULL, &err);
    json_t *shared = json_incref(object);
    json_t *patch_before = fx_tree_deep_copy(patch);
    assert(own != NULL && patch_before != NULL);
    (void)merge(schema, &own, patch, &codes[0]);
    (void)merge(schema, &shared, patch, &codes[1]);
    json_t *before = fx_json_read(text, NULL, &err);
    assert(codes[0] == codes[1] || codes[0] == FX_ELIMIT || codes[1] == FX_ELIMIT);
    assert(codes[0] == FX_ELIMIT || codes[1] == FX_ELIMIT || fx_equal(own, shared));
    assert(fx_equal(object, before) && fx_equal(patch, patch_before));
    assert(codes[0] != FX_EMUTATE || fx_equal(own, before));
    json_decref(before);
    json_decref(patch_before);
    json_decref(shared);
    json_decref(own);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_text rest = {(const char *)data, size};
    const struct fx_text name = fx_text_cut(&rest, '\n');
    const struct fx_text text = fx_text_cut(&rest, '\n');
    json_t *object = fx_json_read(text, NULL, &err);
    json_t *patch = fx_json_read(rest, NULL, &err);
    if (json_is_object(object) && json_is_object(patch)) {
        check(find(name), object, patch, text);
    }
    json_decref(object);
    json_decref(patch);
    return 0;
}
