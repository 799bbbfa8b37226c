/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/kind_scope_test.c - cluster-scoped kinds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/kind.h"

static void test_scope(void **state) {
    (void)state;
    static const struct {
        const char *group, *kind;
        bool is_cluster;
    } cases[] = {
        {"", "Namespace", true},
        {"", "Node", true},
        {"", "Pod", false},
        {"apps", "Deployment", false},
        {"apps", "Node", false},
        {"rbac.authorization.k8s.io", "ClusterRole", true},
        {"rbac.authorization.k8s.io", "Role", false},
        {"storage.k8s.io", "StorageClass", true},
        {"storage.k8s.io", "CSIStorageCapacity", false},
        {"networking.k8s.io", "Ingress", false},
        {"networking.k8s.io", "IngressClass", true},
        {"apiextensions.k8s.io", "CustomResourceDefinition", true},
        {"mutations.gatekeeper.sh", "Assign", true},
        {"api.kubemod.io", "ModRule", false},
        {"example.com", "Namespace", false},
        {"example.com", "Whatever", false},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        if (fx_kind_is_cluster_scoped(fx_text_of(cases[i].group),
                                      fx_text_of(cases[i].kind)) != cases[i].is_cluster) {
            fail_msg("%s of `%s`", cases[i].kind, cases[i].group);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
