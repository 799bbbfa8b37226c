/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/eval_fuzz.c - a query in the first line, a JSON document after it:
 * the evaluation ends, twice with the same result, and does not change the document. The
 * part that the query says it reads gives the same result as the whole, and so does a
 * scope with the names of the document.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "location/jmespath/jmespath.h"
#include "location/jmespath/scope_testing.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/measure.h"
#include "value/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The result of a search. */
struct fuzz_result {
    enum fx_jmespath_outcome outcome;
    enum fx_code code;
    json_t *value; /* counted */
};

static struct fuzz_result search(const struct fx_jmespath *query, json_t *root,
                                 json_t *names) {
    const struct fx_jmespath_scope scope = jmespath_scope_of(names);
    struct fuzz_result result = {.value = NULL};
    struct fx_err err = FX_ERR_INIT;
    result.outcome = fx_jmespath_search(query, root, &scope, &result.value, &err);
    result.code = err.code;
    assert((result.value != NULL) == (result.outcome == FX_JMESPATH_VALUE));
    if (result.outcome != FX_JMESPATH_VALUE) {
        assert(err.msg[0] != '\0');
        assert(err.code == FX_EINVALID || err.code == FX_ELIMIT);
        assert((size_t)err.off + err.len <= fx_jmespath_text(query).len);
    }
    return result;
}

/* Limits may be reached earlier or later: a part is smaller than the whole. */
static void expect_same(const struct fuzz_result *a, const struct fuzz_result *b) {
    if ((a->outcome == FX_JMESPATH_ERROR && a->code == FX_ELIMIT) ||
        (b->outcome == FX_JMESPATH_ERROR && b->code == FX_ELIMIT)) {
        return;
    }
    assert(a->outcome == b->outcome);
    assert(fx_equal(a->value, b->value));
}

static json_t *read_part(const struct fx_jmespath *query, struct fx_text document) {
    struct fx_json_part part = {.omits_rest = true};
    struct fx_json_cursor cursor;
    struct fx_err err = FX_ERR_INIT;
    assert(fx_jmespath_reads(query, &part, &cursor));
    fx_json_cursor_all(cursor);
    fx_json_part_prune(&part);
    json_t *read = fx_json_read_part(document, &part, NULL, &err);
    fx_json_part_finish(&part);
    return read;
}

static void check_value(const json_t *value) {
    size_t nodes = FX_LIMIT_JMESPATH_VALUE_NODES;
    assert(value == NULL || fx_tree_measure(value, FX_LIMIT_JSON_DEPTH, &nodes));
}

static void evaluate(const struct fx_jmespath *query, json_t *root,
                     struct fx_text document) {
    struct fuzz_result first = search(query, root, NULL);
    struct fuzz_result second = search(query, json_is_object(root) ? NULL : root, root);
    json_t *part = read_part(query, document);
    check_value(first.value);
    if (fx_jmespath_is_deterministic(query) && part != NULL) {
        struct fuzz_result third = search(query, part, NULL);
        expect_same(&first, &second);
        expect_same(&first, &third);
        json_decref(third.value);
    }
    json_decref(part);
    json_decref(first.value);
    json_decref(second.value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *end = size == 0 ? NULL : memchr(data, '\n', size);
    if (end == NULL) {
        return 0;
    }
    const struct fx_text text = {(const char *)data, (size_t)(end - data)};
    const struct fx_text document = {text.data + text.len + 1, size - text.len - 1};
    struct fx_err err = FX_ERR_INIT;
    struct fx_jmespath *query = NULL;
    json_t *root = fx_json_read(document, NULL, &err);
    json_t *before = fx_json_read(document, NULL, &err);
    if (root != NULL && fx_jmespath_compile(text, &query, &err)) {
        evaluate(query, root, document);
    }
    assert(fx_equal(root, before));
    fx_jmespath_destroy(query);
    json_decref(before);
    json_decref(root);
    return 0;
}
