/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/policy_fuzz.c - any JSON object as a policy: either a reason, or a
 * mutator that changes an object once, and the second time no more; or a resource.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/url.h"
#include "engine/dialect.h"
#include "engine/external.h"
#include "engine/request.h"
#include "engine/resource.h"
#include "mutators/gatekeeper/config.h"
#include "mutators/gatekeeper/expansion.h"
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
    const struct fx_request request = {.operation = FX_OPERATION_CREATE,
                                       .placeholders = fx_placeholders_create()};
    assert(request.placeholders != NULL);
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
    fx_placeholders_destroy(request.placeholders);
}

/* Whatever the policy, an example is an object or none. */
static void check_example(const struct fx_mutator *mutator) {
    struct fx_err err = FX_ERR_INIT;
    json_t *example = mutator->ops->example(mutator, &err);
    assert(example != NULL ? json_is_object(example) : err.code == FX_OK);
    json_decref(example);
}

static void check_provider(const struct fx_provider *provider) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_url url;
    const bool parsed = fx_url_parse(provider->url, &url, &err);
    assert(parsed && fx_url_is_scheme(&url, "https"));
    assert(provider->ca_pem[provider->ca_pem_len] == '\0');
}

/* What is excluded from one process is so because of it, or of all of them. */
static void check_exclusion(const struct fx_exclusion *exclusion) {
    const struct fx_text name = FX_TEXT("kube-system");
    assert(fx_exclusion_covers(exclusion, "mutation-webhook", name) ||
           !fx_exclusion_covers(exclusion, "*", name));
}

static void check_expansion(const struct fx_expansion *expansion) {
    struct fx_err err = FX_ERR_INIT;
    json_t *generator = object();
    json_t *made = fx_expansion_expand(expansion, generator, FX_TEXT("n"), &err);
    if (made != NULL) {
        struct fx_subject subject;
        fx_subject_read(made, &subject);
        assert(fx_text_equal(subject.kind, expansion->kind));
        assert(fx_text_is(subject.namespace_, "ns"));
        assert(!fx_expansion_holds(expansion, expansion->group, expansion->version,
                                   expansion->kind));
    } else {
        assert(err.code == FX_EINVALID && err.msg[0] != '\0');
    }
    json_t *untouched = object();
    assert(fx_equal(generator, untouched));
    json_decref(untouched);
    json_decref(made);
    json_decref(generator);
}

static void check_resource(const struct fx_resource *resource) {
    switch (resource->ops->type) {
    case FX_RESOURCE_PROVIDER:
        check_provider((const struct fx_provider *)resource);
        break;
    case FX_RESOURCE_EXCLUSION:
        check_exclusion((const struct fx_exclusion *)resource);
        break;
    case FX_RESOURCE_EXPANSION:
        check_expansion((const struct fx_expansion *)resource);
        break;
    }
}

/* A policy compiles to one mutator or resource; a Config of another name to none. */
static void check_policy(json_t *policy) {
    struct fx_compilation compilation = {0};
    struct fx_err err = FX_ERR_INIT;
    if (fx_dialect_gatekeeper.compile(policy, &compilation, &err)) {
        assert(compilation.n_mutators + compilation.n_resources <= 1);
        assert(compilation.n_mutators + compilation.n_resources == 1 ||
               compilation.n_warnings > 0);
    } else {
        assert(err.code != FX_OK && err.msg[0] != '\0');
        assert(compilation.n_mutators + compilation.n_resources == 0);
    }
    if (compilation.n_mutators > 0) {
        check_apply(compilation.mutators[0]);
        check_example(compilation.mutators[0]);
    }
    if (compilation.n_resources > 0) {
        check_resource(compilation.resources[0]);
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
