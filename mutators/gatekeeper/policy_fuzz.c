/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/policy_fuzz.c - any JSON object as a policy: either a reason, or a
 * mutator that changes an object once, and the second time no more.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "engine/dialect.h"
#include "engine/request.h"
#include "value/equal.h"
#include "value/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct fx_dialect fx_dialect_gatekeeper;

static const char object_text[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":"
    "\"ns\",\"labels\":{\"a\":\"b\"}},\"spec\":{\"l\":[{\"k\":\"v\",\"n\":1},{\"k\":5},"
    "{\"k\":\"v\"}],\"m\":[1],\"s\":\"x\",\"z\":null,\"o\":{},\"i\":\"r.io/a/b:1@x\"}}";

static json_t *object(void) {
    static struct fx_err err;
    json_t *value = fx_json_read(FX_TEXT(object_text), NULL, &err);
    assert(value != NULL);
    return value;
}

static void check_match(const struct fx_mutator *mutator, const json_t *root) {
    const struct fx_request request = {.operation = FX_OPERATION_CREATE,
                                       .source = FX_SOURCE_ORIGINAL};
    struct fx_subject subject;
    fx_subject_read(root, &subject);
    struct fx_verdict verdict = {0};
    struct fx_err err = FX_ERR_INIT;
    if (mutator->ops->match(mutator, &request, &subject, &verdict, &err)) {
        assert(verdict.matched || verdict.criterion != NULL);
    } else {
        assert(err.code == FX_EMUTATE && err.msg[0] != '\0');
    }
}

static void check_apply(const struct fx_mutator *mutator) {
    const struct fx_request request = {.operation = FX_OPERATION_CREATE};
    json_t *before = object();
    json_t *root = json_incref(before);
    check_match(mutator, root);
    struct fx_effect effect = {0};
    struct fx_err err = FX_ERR_INIT;
    if (mutator->ops->apply(mutator, &request, &root, &effect, &err)) {
        assert(effect.changed != fx_equal(root, before));
        assert(effect.changed || root == before);
        assert(mutator->ops->apply(mutator, &request, &root, &effect, &err));
        assert(!effect.changed);
    } else {
        assert(err.code == FX_EMUTATE && err.msg[0] != '\0');
    }
    json_t *untouched = object();
    assert(fx_equal(before, untouched));
    json_decref(untouched);
    json_decref(root);
    json_decref(before);
}

static void check_policy(json_t *policy) {
    struct fx_compilation compilation = {0};
    struct fx_err err = FX_ERR_INIT;
    if (fx_dialect_gatekeeper.compile(policy, &compilation, &err)) {
        assert(compilation.n_mutators == 1);
        check_apply(compilation.mutators[0]);
    } else {
        assert(err.code != FX_OK && err.msg[0] != '\0');
        assert(compilation.n_mutators == 0);
    }
    fx_compilation_finish(&compilation);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_err err = FX_ERR_INIT;
    const struct fx_text text = {(const char *)data, size};
    json_t *policy = fx_json_read(text, NULL, &err);
    if (json_is_object(policy)) {
        check_policy(policy);
        json_t *unread = fx_json_read(text, NULL, &err);
        assert(fx_equal(policy, unread)); /* nothing compiled is ever modified */
        json_decref(unread);
    }
    json_decref(policy);
    return 0;
}
