/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/namespace_table_test.c - namespaces against a plain model: a JSON
 * object of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cluster/references/namespace_store.h"
#include "kube/test_json.h"
#include "value/equal.h"
#include "value/tree.h"

/* A copy, made into an object, as a review has it. */
static json_t *find_namespace(const struct fx_namespace_table *table, struct fx_text name,
                              bool *ret_nomem) {
    struct fx_namespace_entry *entry = NULL;
    if (!fx_namespace_table_copy(table, name, &entry, ret_nomem)) {
        return NULL;
    }
    json_t *object = fx_namespace_entry_object(entry);
    free(entry);
    *ret_nomem = object == NULL;
    return object;
}

static void put(struct fx_namespace_table *table, const char *text) {
    json_t *object = read_json(text);
    assert_true(fx_namespace_table_put(table, object));
    json_decref(object);
}

static void expect(const struct fx_namespace_table *table, const char *name,
                   const char *expected) {
    bool nomem = true;
    json_t *found = find_namespace(table, fx_text_of(name), &nomem);
    assert_false(nomem);
    if (expected == NULL) {
        assert_null(found);
        return;
    }
    json_t *wanted = read_json(expected);
    assert_true(fx_equal(found, wanted));
    json_decref(found);
    json_decref(wanted);
}

#define NAMED(name, more)                                                          \
    "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"" name \
    "\"" more "}}"

static void only_name_and_labels_are_kept(void **state) {
    (void)state;
    struct fx_namespace_table table = {0};
    put(&table, "{\"kind\":\"PartialObjectMetadata\",\"metadata\":{\"name\":\"shop\","
                "\"uid\":\"1\",\"labels\":{\"tier\":\"a\",\"x\":\"\\u00e9\"},"
                "\"annotations\":{\"secret\":\"y\"}},\"status\":{\"phase\":\"Active\"}}");
    put(&table, NAMED("bare", ""));
    put(&table, NAMED("odd", ",\"labels\":7"));
    expect(&table, "shop",
           NAMED("shop", ",\"labels\":{\"tier\":\"a\",\"x\":\"\\u00e9\"}"));
    expect(&table, "bare", NAMED("bare", ""));
    expect(&table, "odd", NAMED("odd", ""));
    expect(&table, "sho", NULL);
    expect(&table, "shops", NULL);
    fx_namespace_table_finish(&table);
}

static void what_was_just_read_looks_the_same(void **state) {
    (void)state;
    json_t *object = read_json(
        NAMED("shop", ",\"labels\":{\"a\":\"b\"},\"annotations\":{\"c\":\"d\"}"));
    json_t *read = fx_namespace_reduce(object);
    json_t *wanted = read_json(NAMED("shop", ",\"labels\":{\"a\":\"b\"}"));
    assert_true(fx_equal(read, wanted));
    json_decref(object);
    json_decref(read);
    json_decref(wanted);
}

#define SOME  40
#define TURNS 4000

static uint32_t roll(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void put_numbered(struct fx_namespace_table *table, json_t *model,
                         const char *name, uint32_t value) {
    char text[160];
    (void)snprintf(text, sizeof text, NAMED("%s", ",\"labels\":{\"v\":\"%u\"}"), name,
                   value);
    put(table, text);
    assert_int_equal(json_object_set_new(model, name, read_json(text)), 0);
}

static void many_turns_agree_with_the_model(void **state) {
    (void)state;
    struct fx_namespace_table table = {0};
    json_t *model = json_object();
    uint32_t seed = 7;
    for (int i = 0; i < TURNS; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "ns-%u", roll(&seed) % SOME);
        if (roll(&seed) % 3 == 0) {
            fx_namespace_table_remove(&table, fx_text_of(name));
            (void)json_object_del(model, name);
        } else {
            put_numbered(&table, model, name, roll(&seed) % 9);
        }
        bool nomem = true;
        json_t *found = find_namespace(&table, fx_text_of(name), &nomem);
        const json_t *wanted = json_object_get(model, name);
        assert_false(nomem);
        assert_true(wanted == NULL ? found == NULL : fx_equal(found, wanted));
        assert_int_equal(table.n_items, json_object_size(model));
        json_decref(found);
    }
    json_decref(model);
    fx_namespace_table_finish(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_name_and_labels_are_kept),
        cmocka_unit_test(what_was_just_read_looks_the_same),
        cmocka_unit_test(many_turns_agree_with_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
