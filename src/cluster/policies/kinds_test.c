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
#include "engine/dialect.h"

#define G 1u
#define K 2u

/* The bit of a dialect. */
static unsigned api(const char *name) {
    for (unsigned i = 0; fx_dialects[i] != NULL; i++) {
        if (strcmp(fx_dialects[i]->name, name) == 0) {
            return FX_CLUSTER_API_BIT(i);
        }
    }
    fail();
    return 0;
}

static unsigned apis_of(unsigned set) {
    return ((set & G) != 0 ? api("gatekeeper") : 0) |
           ((set & K) != 0 ? api("kubemod") : 0);
}

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
        assert_int_equal(apis, apis_of(cases[i].apis));
        if (cases[i].apis == 0) {
            assert_int_equal(err.code, FX_EINVALID);
            assert_int_equal(
                strncmp(err.msg, cases[i].at_fault, strlen(cases[i].at_fault)), 0);
            assert_non_null(strstr(err.msg, "gatekeeper, kubemod"));
        }
    }
}

/* Every kind of a dialect's table that has a resource is watched. */
static void the_list(void **state) {
    (void)state;
    size_t n = 0;
    for (unsigned i = 0; fx_dialects[i] != NULL; i++) {
        for (const struct fx_kind *row = fx_dialects[i]->kinds; row->kind != NULL;
             row++) {
            if (row->resource == NULL) {
                continue;
            }
            const struct fx_cluster_kind *kind = fx_cluster_kind_at(n);
            assert_int_equal(fx_cluster_kind_index(kind), n++);
            assert_ptr_equal(kind->kind, row);
            assert_int_equal(kind->api, FX_CLUSTER_API_BIT(i));
            assert_string_equal(kind->versions[0].version, row->versions[0]);
            assert_string_equal(kind->versions[0].plural, row->resource);
            assert_null(row->versions[kind->n_versions]);
            assert_true(fx_text_ends(fx_text_of(kind->waiting), fx_text_of(row->group)));
            assert_true(!fx_cluster_kind_has(kind, FX_KIND_STATUS_READY) ||
                        fx_cluster_kind_has(kind, FX_KIND_STATUS_BY_POD));
        }
    }
    assert_int_equal(fx_cluster_kinds_count(), n);
    assert_true(n > 0);
}

/* Pods are annotated for KubeMod's rules alone. */
static void nodes(void **state) {
    (void)state;
    assert_true(fx_cluster_apis_annotate_nodes(FX_CLUSTER_API_ALL));
    assert_true(fx_cluster_apis_annotate_nodes(api("kubemod")));
    assert_false(fx_cluster_apis_annotate_nodes(api("gatekeeper")));
    assert_false(fx_cluster_apis_annotate_nodes(0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(the_list),
        cmocka_unit_test(nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
