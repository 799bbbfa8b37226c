/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/object_cache_test.c - what is kept, until when, and that it never is
 * too much.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "cluster/references/namespace_store.h"

static json_t *make(const char *name, const char *version, size_t padding) {
    char *text = calloc(1, padding + 1);
    assert_non_null(text);
    memset(text, 'x', padding);
    json_t *made = json_pack("{s:{s:s,s:s},s:s}", "metadata", "name", name,
                             "resourceVersion", version, "padding", text);
    assert_non_null(made);
    free(text);
    return made;
}

static json_t *put(struct fx_object_cache *cache, const char *name, const char *version,
                   size_t padding) {
    json_t *object = make(name, version, padding);
    fx_object_cache_put(cache, object);
    json_decref(object);
    return fx_object_cache_find(cache, fx_text_of(name));
}

static void keeps_until_there_is_another_version(void **state) {
    (void)state;
    struct fx_object_cache cache = {0};
    assert_null(fx_object_cache_find(&cache, FX_TEXT("a")));
    json_t *a = put(&cache, "a", "1", 0);
    assert_non_null(a);
    assert_non_null(put(&cache, "c", "2", 0));
    assert_non_null(put(&cache, "b", "3", 0));
    fx_object_cache_note_version(&cache, FX_TEXT("a"), FX_TEXT("1"));
    assert_ptr_equal(fx_object_cache_find(&cache, FX_TEXT("a")), a);
    fx_object_cache_note_version(&cache, FX_TEXT("a"), FX_TEXT("4"));
    assert_null(fx_object_cache_find(&cache, FX_TEXT("a")));
    fx_object_cache_note_version(&cache, FX_TEXT("none"), FX_TEXT("4"));
    assert_non_null(fx_object_cache_find(&cache, FX_TEXT("b")));
    fx_object_cache_remove(&cache, FX_TEXT("b"));
    fx_object_cache_remove(&cache, FX_TEXT("b"));
    assert_null(fx_object_cache_find(&cache, FX_TEXT("b")));
    assert_non_null(fx_object_cache_find(&cache, FX_TEXT("c")));
    assert_int_equal(cache.n_items, 1);
    fx_object_cache_finish(&cache);
}

static void the_last_one_of_a_name_counts(void **state) {
    (void)state;
    struct fx_object_cache cache = {0};
    (void)put(&cache, "a", "1", 100);
    const size_t bytes = cache.bytes;
    json_t *second = put(&cache, "a", "2", 100);
    assert_int_equal(cache.n_items, 1);
    assert_int_equal(cache.bytes, bytes);
    fx_object_cache_note_version(&cache, FX_TEXT("a"), FX_TEXT("2"));
    assert_ptr_equal(fx_object_cache_find(&cache, FX_TEXT("a")), second);
    fx_object_cache_finish(&cache);
}

static void what_is_too_large_is_not_kept(void **state) {
    (void)state;
    struct fx_object_cache cache = {0};
    assert_non_null(put(&cache, "a", "1", 0));
    assert_null(put(&cache, "a", "2", FX_LIMIT_CACHED_OBJECT_BYTES));
    assert_int_equal(cache.n_items, 0);
    assert_int_equal(cache.bytes, 0);
    fx_object_cache_finish(&cache);
}

static void who_came_first_has_to_go(void **state) {
    (void)state;
    struct fx_object_cache cache = {0};
    char name[32];
    for (unsigned i = 0; i <= FX_LIMIT_CACHED_OBJECTS; i++) {
        (void)snprintf(name, sizeof name, "n%u", (i * 7919u) % 100003u);
        assert_non_null(put(&cache, name, "1", 0));
    }
    assert_int_equal(cache.n_items, FX_LIMIT_CACHED_OBJECTS);
    assert_null(fx_object_cache_find(&cache, FX_TEXT("n0")));
    assert_non_null(fx_object_cache_find(&cache, FX_TEXT("n7919")));
    fx_object_cache_finish(&cache);
}

static void all_together_have_a_bound(void **state) {
    (void)state;
    struct fx_object_cache cache = {0};
    const size_t padding = FX_LIMIT_CACHED_OBJECT_BYTES - 1000;
    char name[32];
    for (unsigned i = 0; i < 40; i++) {
        (void)snprintf(name, sizeof name, "n%u", i);
        assert_non_null(put(&cache, name, "1", padding));
        assert_true(cache.bytes <= FX_LIMIT_OBJECT_CACHE_BYTES);
    }
    assert_true(cache.n_items < 40);
    assert_null(fx_object_cache_find(&cache, FX_TEXT("n0")));
    fx_object_cache_finish(&cache);
    assert_int_equal(cache.bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_until_there_is_another_version),
        cmocka_unit_test(the_last_one_of_a_name_counts),
        cmocka_unit_test(what_is_too_large_is_not_kept),
        cmocka_unit_test(who_came_first_has_to_go),
        cmocka_unit_test(all_together_have_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
