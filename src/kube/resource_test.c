/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/resource_test.c - paths of the API, which no name can leave.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kube/resource.h"

static const struct fx_kube_resource assign = {"mutations.gatekeeper.sh", "v1", "assign",
                                               "Assign"};
static const struct fx_kube_resource namespaces = {"", "v1", "namespaces", "Namespace"};
static const struct fx_kube_resource secrets = {"", "v1", "secrets", "Secret"};
static const struct fx_kube_resource leases = {"coordination.k8s.io", "v1", "leases",
                                               "Lease"};

static const struct {
    const struct fx_kube_resource *resource;
    struct fx_kube_name name;
    const char *path;
} paths[] = {
    {&assign, {.name = {0}}, "/apis/mutations.gatekeeper.sh/v1/assign"},
    {&assign,
     {.name = {"always-pull", 11}},
     "/apis/mutations.gatekeeper.sh/v1/assign/always-pull"},
    {&assign,
     {.name = {"always-pull", 11}, .subresource = "status"},
     "/apis/mutations.gatekeeper.sh/v1/assign/always-pull/status"},
    {&namespaces, {.name = {0}}, "/api/v1/namespaces"},
    {&namespaces, {.name = {"a", 1}}, "/api/v1/namespaces/a"},
    {&secrets, {.name = {0}}, "/api/v1/secrets"},
    {&secrets, {.namespace_ = {"ns", 2}}, "/api/v1/namespaces/ns/secrets"},
    {&secrets,
     {.namespace_ = {"ns", 2}, .name = {"cert", 4}},
     "/api/v1/namespaces/ns/secrets/cert"},
    {&leases,
     {.namespace_ = {"ns", 2}, .name = {"fixpoint", 8}},
     "/apis/coordination.k8s.io/v1/namespaces/ns/leases/fixpoint"},
    /* RBAC's names hold colons; nothing else here is a name that Kubernetes takes. */
    {&namespaces, {.name = {"system:a@b", 10}}, "/api/v1/namespaces/system:a@b"},
    {&namespaces, {.name = {"a/b", 3}}, "/api/v1/namespaces/a%2Fb"},
    {&namespaces, {.name = {"../x", 4}}, "/api/v1/namespaces/..%2Fx"},
    {&namespaces, {.name = {".", 1}}, "/api/v1/namespaces/%2E"},
    {&namespaces, {.name = {"..", 2}}, "/api/v1/namespaces/%2E%2E"},
    {&namespaces, {.name = {"...", 3}}, "/api/v1/namespaces/..."},
    {&namespaces, {.name = {"a?b#c%d", 7}}, "/api/v1/namespaces/a%3Fb%23c%25d"},
    {&namespaces, {.name = {"a\r\nb ", 5}}, "/api/v1/namespaces/a%0D%0Ab%20"},
    {&namespaces, {.name = {"\xc3\xa4\0", 3}}, "/api/v1/namespaces/%C3%A4%00"},
    {&secrets, {.namespace_ = {"..", 2}}, "/api/v1/namespaces/%2E%2E/secrets"},
};

static void objects_have_paths(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(paths); i++) {
        struct fx_buf path = {0};
        fx_kube_write_path(paths[i].resource, &paths[i].name, &path);
        assert_false(path.failed);
        assert_string_equal(path.data, paths[i].path);
        fx_buf_finish(&path);
    }
}

static const struct {
    struct fx_text value;
    const char *escaped;
} values[] = {
    {{"abc-._~XYZ019", 13}, "abc-._~XYZ019"},
    {{"metadata.name=a", 15}, "metadata.name%3Da"},
    {{"a&b=c+d e", 9}, "a%26b%3Dc%2Bd%20e"},
    {{"eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ==", 32}, "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ%3D%3D"},
    {{"\xff\0/", 3}, "%FF%00%2F"},
    {{"", 0}, NULL},
};

static void values_are_escaped(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(values); i++) {
        struct fx_buf query = {0};
        fx_kube_write_query(values[i].value, &query);
        assert_false(query.failed);
        if (values[i].escaped == NULL) {
            assert_int_equal(query.len, 0);
        } else {
            assert_string_equal(query.data, values[i].escaped);
        }
        fx_buf_finish(&query);
    }
}

static void resources_have_names(void **state) {
    (void)state;
    struct fx_buf text = {0};
    fx_kube_write_resource(&assign, &text);
    fx_buf_char(&text, ' ');
    fx_kube_write_resource(&namespaces, &text);
    assert_string_equal(text.data, "assign.mutations.gatekeeper.sh namespaces");
    fx_buf_finish(&text);
}

static void versions_have_paths_and_names(void **state) {
    (void)state;
    static const struct {
        struct fx_kube_resource version;
        const char *path, *name;
    } versions[] = {
        {{"", "v1", "", ""}, "/api/v1", "v1"},
        {{"example.com", "v1beta1", "", ""},
         "/apis/example.com/v1beta1",
         "example.com/v1beta1"},
    };
    for (size_t i = 0; i < FX_COUNT(versions); i++) {
        struct fx_buf path = {0};
        struct fx_buf name = {0};
        fx_kube_write_path(&versions[i].version, &(struct fx_kube_name){.name = {0}},
                           &path);
        fx_kube_write_resource(&versions[i].version, &name);
        assert_string_equal(path.data, versions[i].path);
        assert_string_equal(name.data, versions[i].name);
        fx_buf_finish(&path);
        fx_buf_finish(&name);
    }
}

static void secrets_are_recognized(void **state) {
    (void)state;
    const struct fx_kube_resource other = {"example.com", "v1", "secrets", "Secret"};
    assert_true(fx_kube_resource_is_secret(&secrets));
    assert_false(fx_kube_resource_is_secret(&namespaces));
    assert_false(fx_kube_resource_is_secret(&other));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_have_paths),
        cmocka_unit_test(values_are_escaped),
        cmocka_unit_test(resources_have_names),
        cmocka_unit_test(versions_have_paths_and_names),
        cmocka_unit_test(secrets_are_recognized),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
