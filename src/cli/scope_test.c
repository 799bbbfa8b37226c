/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/scope_test.c - cluster-scoped kinds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/answer.h"

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
        const struct fx_subject subject = {
            .group = fx_text_of(cases[i].group),
            .kind = fx_text_of(cases[i].kind),
        };
        if (fx_scope_is_cluster(&subject) != cases[i].is_cluster) {
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
