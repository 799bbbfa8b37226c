/* SPDX-License-Identifier: Apache-2.0
 *
 * merge/strategic_test.c - strategic merge patches, by the rules of spec/kyverno.md
 * section 9.5. Each case is merged twice: into an object that nobody else has, and into
 * one that is shared, which must not change.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/budget.h"
#include "merge/strategic.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

#define POD(spec)     "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"spec\":{" spec "}}"
#define SERVICE(spec) "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"spec\":{" spec "}}"
#define CUSTOM(spec)  "{\"apiVersion\":\"e.com/v1\",\"kind\":\"W\",\"spec\":{" spec "}}"

struct strategic_case {
    const char *object, *patch;
    const char *result; /* NULL: the patch is refused */
};

static const struct strategic_case cases[] = {
    /* maps and scalars */
    {CUSTOM("\"a\":1,\"b\":{\"x\":1}"), "{\"spec\":{\"b\":{\"y\":2}}}",
     CUSTOM("\"a\":1,\"b\":{\"x\":1,\"y\":2}")},
    {CUSTOM("\"a\":1,\"b\":2"), "{\"spec\":{\"a\":null}}", CUSTOM("\"b\":2")},
    {CUSTOM("\"a\":1"), "{\"spec\":{\"b\":{\"x\":null,\"y\":{\"z\":null}}}}",
     CUSTOM("\"a\":1,\"b\":{\"y\":{}}")},
    {CUSTOM("\"a\":null"), "{\"spec\":{\"a\":{\"x\":1}}}", CUSTOM("\"a\":{\"x\":1}")},
    {CUSTOM("\"a\":null"), "{\"spec\":{\"b\":1}}", CUSTOM("\"a\":null,\"b\":1")},
    {CUSTOM("\"a\":\"x\""), "{\"spec\":{\"a\":5}}", CUSTOM("\"a\":\"5\"")},
    {CUSTOM("\"a\":\"x\""), "{\"spec\":{\"a\":true}}", CUSTOM("\"a\":\"true\"")},
    {CUSTOM("\"a\":5"), "{\"spec\":{\"a\":\"x\"}}", CUSTOM("\"a\":\"x\"")},
    {CUSTOM("\"a\":5"), "{\"spec\":{\"a\":true}}", CUSTOM("\"a\":true")},
    /* types that differ */
    {CUSTOM("\"a\":5"), "{\"spec\":{\"a\":{\"x\":1}}}", NULL},
    {CUSTOM("\"a\":[5]"), "{\"spec\":{\"a\":{\"x\":1}}}", NULL},
    {CUSTOM("\"a\":{\"x\":1}"), "{\"spec\":{\"a\":[1]}}", NULL},
    {CUSTOM("\"a\":{\"x\":1}"), "{\"spec\":{\"a\":1}}", NULL},
    /* a patch that is refused changes nothing before its fault either */
    {CUSTOM("\"a\":1,\"b\":5"), "{\"spec\":{\"a\":2,\"b\":{\"x\":1}}}", NULL},
    /* lists without a strategy */
    {CUSTOM("\"containers\":[{\"name\":\"a\"}]"),
     "{\"spec\":{\"containers\":[{\"name\":\"b\"}]}}",
     CUSTOM("\"containers\":[{\"name\":\"b\"}]")},
    {CUSTOM("\"l\":[1,2]"), "{\"spec\":{\"l\":[]}}", CUSTOM("\"l\":[]")},
    {POD("\"tolerations\":[{\"key\":\"a\"}]"),
     "{\"spec\":{\"tolerations\":[{\"key\":\"b\"}]}}",
     POD("\"tolerations\":[{\"key\":\"b\"}]")},
    {CUSTOM("\"l\":[]"), "{\"spec\":{\"l\":[{\"$patch\":\"delete\"}]}}",
     CUSTOM("\"l\":[{\"$patch\":\"delete\"}]")},
    /* lists with a key: elements of the patch come first */
    {POD("\"containers\":[{\"name\":\"a\",\"image\":\"x\"},{\"name\":\"b\"}]"),
     "{\"spec\":{\"containers\":[{\"name\":\"b\",\"image\":\"y\"}]}}",
     POD("\"containers\":[{\"name\":\"b\",\"image\":\"y\"},"
         "{\"name\":\"a\",\"image\":\"x\"}]")},
    {POD("\"containers\":[{\"name\":\"a\"}]"),
     "{\"spec\":{\"containers\":[{\"name\":\"c\"},{\"name\":\"d\"}]}}",
     POD("\"containers\":[{\"name\":\"c\"},{\"name\":\"d\"},{\"name\":\"a\"}]")},
    {POD("\"containers\":[{\"name\":\"a\"}]"), "{\"spec\":{\"containers\":[]}}",
     POD("\"containers\":[{\"name\":\"a\"}]")},
    {POD("\"hostNetwork\":true"), "{\"spec\":{\"volumes\":[]}}",
     POD("\"hostNetwork\":true,\"volumes\":[]")},
    {POD("\"volumes\":[{\"name\":\"a\"}]"), "{\"spec\":{\"volumes\":null}}", POD("")},
    {POD("\"containers\":[{\"name\":\"a\",\"env\":[{\"name\":\"E\",\"value\":\"1\"}]}]"),
     "{\"spec\":{\"containers\":[{\"name\":\"a\",\"env\":[{\"name\":\"E\",\"value\":2}]}]"
     "}}",
     POD("\"containers\":[{\"name\":\"a\",\"env\":[{\"name\":\"E\",\"value\":\"2\"}]}]")},
    /* an element without its key is refused */
    {POD("\"containers\":[{\"name\":\"a\"}]"),
     "{\"spec\":{\"containers\":[{\"image\":\"y\"}]}}", NULL},
    {POD("\"containers\":[{\"name\":\"a\"}]"), "{\"spec\":{\"containers\":[\"a\"]}}",
     NULL},
    /* directives of elements and lists */
    {POD("\"containers\":[{\"name\":\"a\"},{\"name\":\"b\"}]"),
     "{\"spec\":{\"containers\":[{\"name\":\"a\",\"$patch\":\"delete\"}]}}",
     POD("\"containers\":[{\"name\":\"b\"}]")},
    {POD("\"containers\":[{\"name\":\"a\"}]"),
     "{\"spec\":{\"containers\":[{\"$patch\":\"replace\"},{\"name\":\"b\"}]}}",
     POD("\"containers\":[{\"name\":\"b\"}]")},
    {POD("\"containers\":[{\"name\":\"a\"}]"),
     "{\"spec\":{\"containers\":[{\"$patch\":\"delete\"}]}}", POD("")},
    {POD("\"containers\":[{\"name\":\"a\"}]"),
     "{\"spec\":{\"containers\":[{\"name\":\"a\",\"$patch\":\"burn\"}]}}", NULL},
    /* directives of maps */
    {CUSTOM("\"m\":{\"x\":1}"), "{\"spec\":{\"m\":{\"$patch\":\"delete\"}}}", CUSTOM("")},
    {CUSTOM("\"m\":{\"x\":1}"), "{\"spec\":{\"m\":{\"$patch\":\"replace\",\"y\":2}}}",
     CUSTOM("\"m\":{\"y\":2}")},
    {CUSTOM("\"m\":{\"x\":1}"), "{\"spec\":{\"m\":{\"$patch\":\"merge\",\"y\":2}}}",
     CUSTOM("\"m\":{\"x\":1,\"y\":2}")},
    {CUSTOM("\"m\":1"), "{\"$patch\":\"delete\"}", NULL},
    /* sets of scalars */
    {"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"finalizers\":[\"a\",\"b\"]}"
     "}",
     "{\"metadata\":{\"finalizers\":[\"c\",\"b\",\"c\"]}}",
     "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"finalizers\":[\"c\",\"b\","
     "\"a\"]}}"},
    /* two keys: an element that matches stays at its place */
    {SERVICE("\"ports\":[{\"port\":53,\"protocol\":\"UDP\"},"
             "{\"port\":80,\"protocol\":\"TCP\"}]"),
     "{\"spec\":{\"ports\":[{\"port\":80,\"protocol\":\"TCP\",\"name\":\"n\"}]}}",
     SERVICE("\"ports\":[{\"port\":53,\"protocol\":\"UDP\"},"
             "{\"port\":80,\"protocol\":\"TCP\",\"name\":\"n\"}]")},
    /* no element has the second key: the first one is the key */
    {SERVICE("\"ports\":[{\"port\":53},{\"port\":80}]"),
     "{\"spec\":{\"ports\":[{\"port\":80,\"name\":\"n\"}]}}",
     SERVICE("\"ports\":[{\"port\":80,\"name\":\"n\"},{\"port\":53}]")},
    /* an element without the second key, beside one with it, has no effect */
    {SERVICE("\"ports\":[{\"port\":80,\"protocol\":\"TCP\"}]"),
     "{\"spec\":{\"ports\":[{\"port\":80,\"name\":\"n\"}]}}",
     SERVICE("\"ports\":[{\"port\":80,\"protocol\":\"TCP\"}]")},
    {SERVICE("\"ports\":[{\"port\":53,\"targetPort\":1}]"),
     "{\"spec\":{\"ports\":[{\"port\":80,\"name\":\"a\"},"
     "{\"port\":80,\"protocol\":\"TCP\",\"name\":\"b\"}]}}",
     SERVICE("\"ports\":[{\"port\":80,\"protocol\":\"TCP\",\"name\":\"b\"},"
             "{\"port\":53,\"targetPort\":1}]")},
    /* the object's own list is merged with nothing */
    {SERVICE("\"ports\":[{\"port\":80,\"protocol\":\"TCP\"},{\"port\":80}]"),
     "{\"spec\":{\"type\":\"ClusterIP\"}}",
     SERVICE("\"ports\":[{\"port\":80}],\"type\":\"ClusterIP\"")},
};

static json_t *read_text(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *node = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(node);
    return node;
}

static struct fx_schema schema_of(const json_t *object) {
    struct fx_text version = fx_tree_view_string(object, "apiVersion");
    struct fx_text group = {"", 0};
    if (fx_text_contains(version, FX_TEXT("/"))) {
        group = fx_text_cut(&version, '/');
    }
    return fx_schema_find(&fx_strategic_builtin, group, version,
                          fx_tree_view_string(object, "kind"));
}

static void expect_json(const char *expected, const json_t *got, size_t index) {
    json_t *node = read_text(expected);
    if (!fx_equal(node, got)) {
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        fx_json_write(&buf, got, FX_JSON_COMPACT);
        fail_msg("case %zu: expected %s, got %.*s", index, expected, (int)buf.len,
                 buf.data);
    }
    json_decref(node);
}

static void check(size_t index, bool is_shared) {
    const struct strategic_case *given = &cases[index];
    struct fx_err err = FX_ERR_INIT;
    json_t *root = read_text(given->object);
    json_t *kept = is_shared ? json_incref(root) : NULL;
    json_t *patch = read_text(given->patch);
    const bool ok = fx_strategic_merge(schema_of(root), &root, patch, NULL, &err);
    if (ok != (given->result != NULL)) {
        fail_msg("case %zu: %s", index, ok ? "is not refused" : err.msg);
    }
    if (!ok) {
        assert_int_equal(err.code, FX_EMUTATE);
    }
    expect_json(ok ? given->result : given->object, root, index);
    expect_json(given->patch, patch, index);
    if (is_shared) {
        expect_json(given->object, kept, index);
    }
    json_decref(kept);
    json_decref(root);
    json_decref(patch);
}

static void test_cases(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check(i, false);
        check(i, true);
    }
}

/* A patch that the object fulfils writes nothing, not even a copy. */
static void test_writes_nothing(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    json_t *object = read_text(
        POD("\"containers\":[{\"name\":\"a\",\"ports\":[{\"containerPort\":80}]}]"));
    json_t *root = json_incref(object);
    json_t *patch = read_text("{\"spec\":{\"containers\":[{\"name\":\"a\",\"ports\":[{"
                              "\"containerPort\":80}]}]}}");
    assert_true(fx_strategic_merge(schema_of(root), &root, patch, NULL, &err));
    assert_ptr_equal(root, object);
    json_decref(root);
    json_decref(object);
    json_decref(patch);
}

/* What is merged spends from the budget: two long lists end. */
static void test_ends(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    json_t *root = read_text(POD("\"containers\":[]"));
    json_t *patch = read_text("{\"spec\":{\"containers\":[]}}");
    json_t *list = fx_tree_view_key(fx_tree_view_key(patch, "spec"), "containers");
    for (int i = 0; i < 20000; i++) {
        json_t *element = json_object();
        assert_non_null(element);
        assert_true(fx_tree_set_take(element, FX_TEXT("name"), json_integer(i)));
        assert_true(fx_tree_append_take(list, element));
    }
    const struct fx_bound before = fx_budget_narrow(1u << 20, 0);
    assert_false(fx_strategic_merge(schema_of(root), &root, patch, NULL, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    (void)fx_budget_widen(before);
    json_decref(root);
    json_decref(patch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_writes_nothing),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
