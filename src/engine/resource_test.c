/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/resource_test.c - the head of resources: counting and order; providers; and
 * collecting them in a compilation and in a snapshot.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "engine/dialect.h"
#include "engine/resource.h"
#include "engine/snapshot.h"

static unsigned n_destroyed;

static void count_and_destroy(struct fx_resource *self) {
    n_destroyed++;
    fx_resource_finish(self);
    free(self);
}

static struct fx_resource *make(enum fx_resource_type type, const char *name,
                                json_t *source) {
    static const struct fx_resource_ops ops[] = {
        [FX_RESOURCE_PROVIDER] = {FX_RESOURCE_PROVIDER, "P",
                                  .destroy = count_and_destroy},
        [FX_RESOURCE_EXCLUSION] = {FX_RESOURCE_EXCLUSION, "C",
                                   .destroy = count_and_destroy},
        [FX_RESOURCE_EXPANSION] = {FX_RESOURCE_EXPANSION, "E",
                                   .destroy = count_and_destroy},
    };
    struct fx_resource *resource = malloc(sizeof *resource);
    assert_non_null(resource);
    assert_true(fx_resource_init(resource, &ops[type], fx_text_of(name), source));
    return resource;
}

static void counts(void **state) {
    (void)state;
    json_t *source = json_object();
    n_destroyed = 0;
    struct fx_resource *resource = make(FX_RESOURCE_EXCLUSION, "config", source);
    assert_int_equal(source->refcount, 2);
    assert_string_equal(resource->name, "config");
    assert_null(resource->origin.file);
    assert_ptr_equal(fx_resource_ref(resource), resource);
    fx_resource_unref(resource);
    assert_int_equal(n_destroyed, 0);
    fx_resource_unref(resource);
    assert_int_equal(n_destroyed, 1);
    assert_int_equal(source->refcount, 1);
    fx_resource_unref(NULL);
    json_decref(source);
}

/* Each comes before the next. */
static void orders(void **state) {
    (void)state;
    struct fx_resource *sorted[] = {
        make(FX_RESOURCE_PROVIDER, "", NULL),   make(FX_RESOURCE_PROVIDER, "B", NULL),
        make(FX_RESOURCE_PROVIDER, "a", NULL),  make(FX_RESOURCE_PROVIDER, "a-b", NULL),
        make(FX_RESOURCE_PROVIDER, "aa", NULL), make(FX_RESOURCE_PROVIDER, "\xff", NULL),
        make(FX_RESOURCE_EXCLUSION, "a", NULL), make(FX_RESOURCE_EXPANSION, "A", NULL),
    };
    for (size_t i = 0; i < FX_COUNT(sorted); i++) {
        for (size_t k = 0; k < FX_COUNT(sorted); k++) {
            const int order = fx_resource_compare(sorted[i], sorted[k]);
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
    }
    for (size_t i = 0; i < FX_COUNT(sorted); i++) {
        fx_resource_unref(sorted[i]);
    }
}

static void providers(void **state) {
    (void)state;
    json_t *source = json_pack("{s:s}", "url", "https://p/");
    const struct fx_text pem = FX_TEXT("a\0b");
    const struct fx_text url = {json_string_value(json_object_get(source, "url")), 10};
    struct fx_provider *provider =
        fx_provider_create(NULL, FX_TEXT("p"), source, url, 1500, pem);
    assert_non_null(provider);
    assert_int_equal(source->refcount, 2);
    assert_int_equal(provider->resource.ops->type, FX_RESOURCE_PROVIDER);
    assert_string_equal(provider->resource.name, "p");
    assert_true(fx_text_is(provider->url, "https://p/"));
    assert_int_equal(provider->timeout_ms, 1500);
    assert_int_equal(provider->ca_pem_len, 3);
    assert_ptr_not_equal(provider->ca_pem, pem.data);
    assert_memory_equal(provider->ca_pem, "a\0b", 4); /* and a NUL behind it */
    fx_resource_unref(&provider->resource);
    assert_int_equal(source->refcount, 1);
    json_decref(source);
}

static void compilations(void **state) {
    (void)state;
    struct fx_compilation compilation = {0};
    n_destroyed = 0;
    for (size_t i = 0; i < 20; i++) {
        assert_true(fx_compilation_add_resource_take(
            &compilation, make(FX_RESOURCE_PROVIDER, "p", NULL)));
    }
    assert_int_equal(compilation.n_resources, 20);
    assert_int_equal(compilation.n_mutators, 0);
    fx_compilation_finish(&compilation);
    assert_int_equal(n_destroyed, 20);
    assert_int_equal(compilation.n_resources, 0);
    fx_compilation_finish(&compilation);
}

static struct fx_snapshot *build(struct fx_resource **resources, size_t n_resources) {
    const struct fx_snapshot_parts parts = {.resources = resources,
                                            .n_resources = n_resources};
    struct fx_snapshot *snapshot = NULL;
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_snapshot_build(&parts, 3, &snapshot, &err));
    for (size_t i = 0; i < n_resources; i++) {
        fx_resource_unref(resources[i]);
    }
    return snapshot;
}

/* Sorted, and of several with one name the last; found by type and name. */
static void snapshots(void **state) {
    (void)state;
    n_destroyed = 0;
    struct fx_resource *resources[] = {
        make(FX_RESOURCE_EXPANSION, "a", NULL), make(FX_RESOURCE_PROVIDER, "b", NULL),
        make(FX_RESOURCE_PROVIDER, "c", NULL),  make(FX_RESOURCE_EXCLUSION, "a", NULL),
        make(FX_RESOURCE_PROVIDER, "b", NULL),  make(FX_RESOURCE_PROVIDER, "a", NULL),
        make(FX_RESOURCE_PROVIDER, "b", NULL),
    };
    struct fx_resource *const sorted[] = {resources[5], resources[6], resources[2],
                                          resources[3], resources[0]};
    struct fx_snapshot *snapshot = build(resources, FX_COUNT(resources));
    assert_int_equal(n_destroyed, 2);
    assert_int_equal(snapshot->n_resources, FX_COUNT(sorted));
    for (size_t i = 0; i < FX_COUNT(sorted); i++) {
        assert_ptr_equal(snapshot->resources[i], sorted[i]);
        assert_ptr_equal(
            fx_snapshot_find(snapshot, sorted[i]->ops->type, fx_text_of(sorted[i]->name)),
            sorted[i]);
    }
    assert_null(fx_snapshot_find(snapshot, FX_RESOURCE_PROVIDER, FX_TEXT("")));
    assert_null(fx_snapshot_find(snapshot, FX_RESOURCE_PROVIDER, FX_TEXT("bb")));
    assert_null(fx_snapshot_find(snapshot, FX_RESOURCE_PROVIDER, FX_TEXT("z")));
    assert_null(fx_snapshot_find(snapshot, FX_RESOURCE_EXCLUSION, FX_TEXT("b")));
    assert_null(fx_snapshot_find(snapshot, FX_RESOURCE_EXPANSION, FX_TEXT("b")));
    size_t n = 0;
    assert_ptr_equal(fx_snapshot_resources(snapshot, FX_RESOURCE_PROVIDER, &n),
                     snapshot->resources);
    assert_int_equal(n, 3);
    assert_ptr_equal(*fx_snapshot_resources(snapshot, FX_RESOURCE_EXCLUSION, &n),
                     sorted[3]);
    assert_int_equal(n, 1);
    fx_snapshot_unref(snapshot);
    assert_int_equal(n_destroyed, FX_COUNT(resources));
}

static void no_resources(void **state) {
    (void)state;
    struct fx_snapshot *snapshot = build(NULL, 0);
    assert_int_equal(snapshot->n_resources, 0);
    assert_null(fx_snapshot_find(snapshot, FX_RESOURCE_PROVIDER, FX_TEXT("a")));
    size_t n = 1;
    (void)fx_snapshot_resources(snapshot, FX_RESOURCE_EXCLUSION, &n);
    assert_int_equal(n, 0);
    fx_snapshot_unref(snapshot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),    cmocka_unit_test(orders),
        cmocka_unit_test(providers), cmocka_unit_test(compilations),
        cmocka_unit_test(snapshots), cmocka_unit_test(no_resources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
