/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kyverno/url_path_test.c - the paths of `apiCall`.
 */
#include "mutators/kyverno/url_path.h"

#include "mutators/kyverno/testing.h"

/* Paths that name no object. */
static void test_paths(void **state) {
    (void)state;
    static const char *const paths[] = {
        "",
        "x",
        "/",
        "/api/v1",
        "/api/v1/namespaces",
        "/api/v1/namespaces/team/pods",
        "/api/v1/namespaces/team/pods/p/log",
        "/apis/apps/v1/deployments",
        "/version",
        "/api/v1/nodes/n?x=y",
        "/api/v1/nodes/../secrets",
        "/api/v1/nodes/%41",
        "/api/v1//n",
        "/other/v1/nodes/n",
        "/apis/a.io/v1/widgets/w",
        "/a/b/c/d/e/f/g/h/i/j",
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct fx_input_key key;
        struct fx_err err = FX_ERR_INIT;
        if (fx_kyverno_url_path_read(fx_text_of(paths[i]), &key, &err)) {
            fail_msg("%s is read", paths[i]);
        }
        assert_int_equal(err.code, FX_EMUTATE);
    }
}

static void test_objects(void **state) {
    (void)state;
    static const struct {
        const char *path, *group, *kind, *namespace_, *name;
    } rows[] = {
        {"/api/v1/namespaces/team", "", "Namespace", "", "team"},
        {"/api/v1/nodes/n.example", "", "Node", "", "n.example"},
        {"/api/v1/namespaces/team/endpoints/e", "", "Endpoints", "team", "e"},
        {"/apis/networking.k8s.io/v1/namespaces/team/ingresses/i", "networking.k8s.io",
         "Ingress", "team", "i"},
        {"/apis/storage.k8s.io/v1/storageclasses/s", "storage.k8s.io", "StorageClass", "",
         "s"},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct fx_input_key key;
        struct fx_err err = FX_ERR_INIT;
        if (!fx_kyverno_url_path_read(fx_text_of(rows[i].path), &key, &err)) {
            fail_msg("%s", err.msg);
        }
        assert_true(fx_text_is(key.group, rows[i].group));
        assert_true(fx_text_is(key.version, "v1"));
        assert_true(fx_text_is(key.kind, rows[i].kind));
        assert_true(fx_text_is(key.namespace_, rows[i].namespace_));
        assert_true(fx_text_is(key.name, rows[i].name));
    }
}

/* Slashes of variables do not count. */
static void test_slashes(void **state) {
    (void)state;
    assert_int_equal(fx_kyverno_count_slashes(FX_TEXT("")), 0);
    assert_int_equal(fx_kyverno_count_slashes(FX_TEXT("/a/{{ x / y }}/b")), 3);
    assert_int_equal(fx_kyverno_count_slashes(FX_TEXT("{{ '/a/b' }}")), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_slashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
