/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/namespaces_test.c - the namespaces that are context.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy/namespaces.h"
#include "value/tree.h"

static json_t *make(const char *name, const char *team) {
    return json_pack("{s:s, s:s, s:{s:s, s:{s:s}}}", "apiVersion", "v1", "kind",
                     "Namespace", "metadata", "name", name, "labels", "team", team);
}

static json_t *find_node(const struct fx_namespaces *namespaces, struct fx_text name) {
    const struct fx_input_key key = fx_input_core_key("Node", name);
    struct fx_err err = FX_ERR_INIT;
    json_t *node = fx_namespaces_find_input(namespaces, &key, &err);
    assert_int_equal(err.code, node == NULL ? FX_EMUTATE : FX_OK);
    return node;
}

static void add(struct fx_namespaces *namespaces, const char *name, const char *team) {
    json_t *object = make(name, team);
    assert_true(fx_namespaces_add(namespaces, object));
    json_decref(object);
}

static struct fx_text label(const json_t *object, const char *key) {
    return fx_tree_view_string(
        fx_tree_view_key(fx_tree_view_key(object, "metadata"), "labels"), key);
}

static void expect_team(const struct fx_namespaces *namespaces, const char *name,
                        const char *team) {
    json_t *found = fx_namespaces_find(namespaces, fx_text_of(name));
    assert_non_null(found);
    assert_true(fx_text_is(label(found, "team"), team));
    json_decref(found);
}

static void test_find_what_was_added(void **state) {
    (void)state;
    static const char *const names[] = {"m", "a", "z", "b", "y", "mm", "k8s", "0", "l"};
    struct fx_namespaces namespaces = {0};
    for (size_t i = 0; i < FX_COUNT(names); i++) {
        add(&namespaces, names[i], names[i]);
    }
    add(&namespaces, "mm", "second"); /* the last added counts */
    assert_int_equal(namespaces.n_objects, FX_COUNT(names));
    for (size_t i = 0; i < FX_COUNT(names); i++) {
        expect_team(&namespaces, names[i], i == 5 ? "second" : names[i]);
    }
    for (size_t i = 0; i + 1 < namespaces.n_objects; i++) {
        const json_t *one = fx_tree_view_key(namespaces.objects[i], "metadata");
        const json_t *two = fx_tree_view_key(namespaces.objects[i + 1], "metadata");
        assert_true(fx_text_compare(fx_tree_view_string(one, "name"),
                                    fx_tree_view_string(two, "name")) < 0);
    }
    fx_namespaces_finish(&namespaces);
    fx_namespaces_finish(&namespaces);
    fx_namespaces_finish(NULL);
}

static void test_add_the_same_object_again(void **state) {
    (void)state;
    struct fx_namespaces namespaces = {0};
    json_t *object = make("a", "x");
    assert_true(fx_namespaces_add(&namespaces, object));
    assert_true(fx_namespaces_add(&namespaces, object));
    assert_int_equal(namespaces.n_objects, 1);
    json_decref(object);
    expect_team(&namespaces, "a", "x");
    fx_namespaces_finish(&namespaces);
}

/* Whatever their order, the same as one after the other. */
static void test_fill(void **state) {
    (void)state;
    static const char *const names[] = {"m", "a", "m", "z", "b", "m", "a"};
    json_t *objects[FX_COUNT(names)];
    for (size_t i = 0; i < FX_COUNT(names); i++) {
        const char team[] = {(char)('0' + i), '\0'};
        objects[i] = make(names[i], team);
    }
    struct fx_namespaces namespaces = {0};
    assert_true(fx_namespaces_fill(&namespaces, objects, FX_COUNT(objects)));
    for (size_t i = 0; i < FX_COUNT(names); i++) {
        json_decref(objects[i]); /* it has its own */
    }
    assert_int_equal(namespaces.n_objects, 4);
    expect_team(&namespaces, "a", "6");
    expect_team(&namespaces, "b", "4");
    expect_team(&namespaces, "m", "5");
    expect_team(&namespaces, "z", "3");
    add(&namespaces, "c", "more"); /* and can grow */
    expect_team(&namespaces, "c", "more");
    fx_namespaces_finish(&namespaces);
    assert_true(fx_namespaces_fill(&namespaces, NULL, 0));
    assert_int_equal(namespaces.n_objects, 0);
    fx_namespaces_finish(&namespaces);
}

static void test_make_what_is_missing(void **state) {
    (void)state;
    struct fx_namespaces namespaces = {0};
    add(&namespaces, "given", "x");
    const struct fx_namespaces *const contexts[] = {NULL, &namespaces};
    for (size_t i = 0; i < FX_COUNT(contexts); i++) {
        json_t *made = fx_namespaces_find(contexts[i], FX_TEXT("shop"));
        assert_true(fx_namespaces_is_one(made));
        json_t *labels = fx_tree_view_key(fx_tree_view_key(made, "metadata"), "labels");
        assert_int_equal(json_object_size(labels), 1);
        assert_true(fx_text_is(label(made, "kubernetes.io/metadata.name"), "shop"));
        json_decref(made);
    }
    fx_namespaces_finish(&namespaces);
}

static void add_node(struct fx_namespaces *namespaces, const char *name) {
    json_t *node = json_pack("{s:s,s:s,s:{s:s}}", "apiVersion", "v1", "kind", "Node",
                             "metadata", "name", name);
    assert_non_null(node);
    assert_true(fx_namespaces_is_one(node));
    assert_true(fx_namespaces_add(namespaces, node));
    json_decref(node);
}

static void test_nodes_beside_namespaces(void **state) {
    (void)state;
    struct fx_namespaces namespaces = {0};
    assert_null(find_node(NULL, FX_TEXT("m")));
    assert_int_equal(fx_namespaces_count(NULL), 0);
    add_node(&namespaces, "a");
    assert_int_equal(fx_namespaces_count(&namespaces), 0);
    add(&namespaces, "m", "1");
    add_node(&namespaces, "m");
    add(&namespaces, "z", "2");
    add_node(&namespaces, "m");
    assert_int_equal(namespaces.n_objects, 4);
    assert_int_equal(fx_namespaces_count(&namespaces), 2);
    expect_team(&namespaces, "m", "1");
    json_t *node = find_node(&namespaces, FX_TEXT("m"));
    assert_true(fx_text_is(fx_tree_view_string(node, "kind"), "Node"));
    json_decref(node);
    assert_null(find_node(&namespaces, FX_TEXT("z")));
    fx_namespaces_finish(&namespaces);
}

static void test_what_is_a_namespace(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool is_one;
    } cases[] = {
        {"{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"a\"}}",
         true},
        {"{\"apiVersion\":\"v2\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"a\"}}",
         false},
        {"{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"a\"}}", true},
        {"{\"apiVersion\":\"v2\",\"kind\":\"Node\",\"metadata\":{\"name\":\"a\"}}",
         false},
        {"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}", false},
        {"{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"\"}}",
         false},
        {"{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":1}}",
         false},
        {"{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":[]}", false},
        {"{\"apiVersion\":\"v1\",\"kind\":\"Namespace\"}", false},
        {"{\"kind\":\"Namespace\",\"metadata\":{\"name\":\"a\"}}", false},
        {"[]", false},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        json_t *document = json_loads(cases[i].text, 0, NULL);
        assert_non_null(document);
        assert_int_equal(fx_namespaces_is_one(document), cases[i].is_one);
        json_decref(document);
    }
}

static json_t *find_widget(const struct fx_namespaces *namespaces, const char *version,
                           const char *namespace_, const char *name) {
    const struct fx_input_key key = {
        .type = FX_INPUT_OBJECT,
        .group = FX_TEXT("example.com"),
        .version = fx_text_of(version),
        .kind = FX_TEXT("Widget"),
        .namespace_ = fx_text_of(namespace_),
        .name = fx_text_of(name),
    };
    struct fx_err err = FX_ERR_INIT;
    json_t *found = fx_namespaces_find_input(namespaces, &key, &err);
    assert_int_equal(err.code, found == NULL ? FX_EMUTATE : FX_OK);
    return found;
}

static void add_widget(struct fx_namespaces *namespaces, const char *namespace_,
                       const char *name, const char *colour) {
    json_t *widget = json_pack("{s:s,s:s,s:{s:s,s:s*},s:s}", "apiVersion",
                               "example.com/v1", "kind", "Widget", "metadata", "name",
                               name, "namespace", namespace_, "colour", colour);
    assert_non_null(widget);
    assert_true(fx_namespaces_can_hold(widget) && !fx_namespaces_is_one(widget));
    assert_true(fx_namespaces_add(namespaces, widget));
    json_decref(widget);
}

static void test_other_objects(void **state) {
    (void)state;
    static const struct {
        const char *version, *namespace_, *name, *colour; /* NULL: there is none */
    } cases[] = {
        {"v1", "shop", "a", "green"}, {"v1", "zoo", "a", "blue"},
        {"v1", "", "a", NULL},        {"v2", "shop", "a", NULL},
        {"v1", "", "b", "grey"},      {"v1", "zoo", "b", "grey"},
        {"v1", "shop", "c", NULL},
    };
    struct fx_namespaces namespaces = {0};
    add_widget(&namespaces, "shop", "a", "red");
    add_widget(&namespaces, "zoo", "a", "blue");
    add_widget(&namespaces, NULL, "b", "grey");
    add(&namespaces, "shop", "1");
    add_node(&namespaces, "a");
    add_widget(&namespaces, "shop", "a", "green"); /* the last one counts */
    assert_int_equal(namespaces.n_objects, 5);
    assert_int_equal(fx_namespaces_count(&namespaces), 1);
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        json_t *found = find_widget(&namespaces, cases[i].version, cases[i].namespace_,
                                    cases[i].name);
        assert_true(fx_text_equal(fx_tree_view_string(found, "colour"),
                                  fx_text_of(cases[i].colour)));
        json_decref(found);
    }
    fx_namespaces_finish(&namespaces);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_objects),
        cmocka_unit_test(test_find_what_was_added),
        cmocka_unit_test(test_add_the_same_object_again),
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_make_what_is_missing),
        cmocka_unit_test(test_nodes_beside_namespaces),
        cmocka_unit_test(test_what_is_a_namespace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
