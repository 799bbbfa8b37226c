/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/kinds_test.c - the words for whose policies are read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cluster/policies/kinds.h"

#define G FX_CLUSTER_API_BIT(FX_CLUSTER_API_GATEKEEPER)
#define K FX_CLUSTER_API_BIT(FX_CLUSTER_API_KUBEMOD)

static void words(void **state) {
    (void)state;
    static const struct {
        const char *words;
        unsigned apis; /* 0: refused */
        const char *at_fault;
    } cases[] = {
        {"gatekeeper", G, NULL},
        {"kubemod", K, NULL},
        {"gatekeeper,kubemod", G | K, NULL},
        {"kubemod,gatekeeper,kubemod", G | K, NULL},
        {"", 0, "``"},
        {"kyverno", 0, "`kyverno`"},
        {"gatekeeper,", 0, "``"},
        {"gatekeeper, kubemod", 0, "` kubemod`"},
        {"Gatekeeper", 0, "`Gatekeeper`"},
        {"gatekeeper,kubemo", 0, "`kubemo`"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        unsigned apis = 0;
        struct fx_err err = FX_ERR_INIT;
        assert_int_equal(fx_cluster_apis_parse(cases[i].words, &apis, &err),
                         cases[i].apis != 0);
        assert_int_equal(apis, cases[i].apis);
        if (cases[i].apis == 0) {
            assert_int_equal(err.code, FX_EINVALID);
            assert_int_equal(
                strncmp(err.msg, cases[i].at_fault, strlen(cases[i].at_fault)), 0);
            assert_non_null(strstr(err.msg, "gatekeeper, kubemod"));
        }
    }
}

/* Each is of one of them, and what is written about it can be. */
static void the_list(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_CLUSTER_KINDS; i++) {
        const struct fx_cluster_kind *kind = &fx_cluster_kinds[i];
        assert_true(kind->n_versions > 0 && kind->waiting != NULL);
        assert_true((FX_CLUSTER_API_ALL & FX_CLUSTER_API_BIT(kind->api)) != 0);
        assert_true(!kind->has_ready || kind->is_mutator);
        assert_false(kind->is_namespaced && kind->is_config);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(the_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
