/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/kinds_test.c - the watched kinds, the values of `--apis`, and whether
 * the manifests agree with the tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/limits.h"
#include "cluster/policies/kinds.h"
#include "engine/dialect.h"
#include "value/documents.h"
#include "value/tree.h"

#define G 1u
#define K 2u
#define A 4u
#define N 8u /* API servers' own kinds of the dialect A */

static unsigned dialect(const char *name) {
    unsigned i = 0;
    while (fx_dialects[i] != NULL && strcmp(fx_dialects[i]->name, name) != 0) {
        i++;
    }
    assert_non_null(fx_dialects[i]);
    return i;
}

/* The bit of a dialect. */
static unsigned api(const char *name) {
    return FX_CLUSTER_API_BIT(dialect(name));
}

static unsigned apis_of(unsigned set) {
    return ((set & G) != 0 ? api("gatekeeper") : 0) |
           ((set & K) != 0 ? api("kubemod") : 0) |
           ((set & A) != 0 ? api("admission_policy") : 0) |
           ((set & N) != 0 ? FX_CLUSTER_API_NATIVE_BIT(dialect("admission_policy")) : 0);
}

static void api_names(void **state) {
    (void)state;
    static const struct {
        const char *list;
        unsigned apis; /* 0: refused */
        const char *at_fault;
    } cases[] = {
        {"gatekeeper", G, NULL},
        {"kubemod", K, NULL},
        {"gatekeeper,kubemod", G | K, NULL},
        {"kubemod,gatekeeper,kubemod", G | K, NULL},
        {"admission_policy", A, NULL},
        {"admissionregistration.k8s.io", N, NULL},
        {"gatekeeper,admission_policy,admissionregistration.k8s.io", G | A | N, NULL},
        {"policies.fixpoint.dev", 0, "`policies.fixpoint.dev`"},
        {"", 0, "``"},
        {"cedar", 0, "`cedar`"},
        {"gatekeeper,", 0, "``"},
        {"gatekeeper, kubemod", 0, "` kubemod`"},
        {"Gatekeeper", 0, "`Gatekeeper`"},
        {"gatekeeper,kubemo", 0, "`kubemo`"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        unsigned apis = 0;
        struct fx_err err = FX_ERR_INIT;
        assert_int_equal(fx_cluster_apis_parse(cases[i].list, &apis, &err),
                         cases[i].apis != 0);
        assert_int_equal(apis, apis_of(cases[i].apis));
        if (cases[i].apis == 0) {
            assert_int_equal(err.code, FX_EINVALID);
            assert_int_equal(
                strncmp(err.msg, cases[i].at_fault, strlen(cases[i].at_fault)), 0);
            assert_non_null(strstr(err.msg, "gatekeeper, kubemod"));
            assert_non_null(strstr(err.msg, "admissionregistration.k8s.io"));
        }
    }
}

/* Kinds that API servers run themselves have a name of their own, and are not among all.
 */
static void native_kinds(void **state) {
    (void)state;
    unsigned apis = 0;
    struct fx_err err = FX_ERR_INIT;
    assert_true(
        fx_cluster_apis_parse("admissionregistration.k8s.io,kubemod", &apis, &err));
    assert_int_equal(apis & FX_CLUSTER_API_ALL, api("kubemod"));
    assert_int_not_equal(apis & ~FX_CLUSTER_API_ALL, 0);
    for (size_t i = 0; i < fx_cluster_kinds_count(); i++) {
        const struct fx_cluster_kind *kind = fx_cluster_kind_at(i);
        assert_int_equal((kind->api & FX_CLUSTER_API_ALL) == 0,
                         kind->kind->native != NULL);
        assert_int_equal((kind->api & apis) != 0,
                         kind->kind->native != NULL || kind->api == api("kubemod"));
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
            assert_int_equal(kind->api, row->native != NULL ? FX_CLUSTER_API_NATIVE_BIT(i)
                                        : row->api != NULL  ? api(row->api)
                                                            : FX_CLUSTER_API_BIT(i));
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

/* ---- the manifests ---------------------------------------------------------------- */

/* Together they have all kinds. */
static const char *const manifest_files[] = {
    FX_SOURCE_DIR "/deploy/with-modrules/fixpoint.yaml",
    FX_SOURCE_DIR "/deploy/with-admission-policies/fixpoint.yaml",
    FX_SOURCE_DIR "/deploy/with-kyverno-policies/fixpoint.yaml",
};
#define N_MANIFESTS FX_COUNT(manifest_files)

/* Does the list of strings have it? */
static bool has(const json_t *list, const char *word) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (fx_text_is(fx_tree_text(json_array_get(list, i)), word)) {
            return true;
        }
    }
    return false;
}

/* Does a rule of a ClusterRole or Role allow the verb on the resource? */
static bool is_allowed(const struct fx_documents *manifest, const char *group,
                       const char *resource, const char *verb) {
    for (size_t i = 0; i < manifest->n_items; i++) {
        const json_t *rules = fx_tree_view_key(manifest->items[i].root, "rules");
        for (size_t j = 0; j < json_array_size(rules); j++) {
            const json_t *rule = json_array_get(rules, j);
            if (has(fx_tree_view_key(rule, "apiGroups"), group) &&
                has(fx_tree_view_key(rule, "resources"), resource) &&
                has(fx_tree_view_key(rule, "verbs"), verb)) {
                return true;
            }
        }
    }
    return false;
}

static const json_t *find_crd(const struct fx_documents *manifest, const char *name) {
    for (size_t i = 0; i < manifest->n_items; i++) {
        const json_t *root = manifest->items[i].root;
        if (fx_text_is(fx_tree_view_string(root, "kind"), "CustomResourceDefinition") &&
            fx_text_is(fx_tree_view_string(fx_tree_view_key(root, "metadata"), "name"),
                       name)) {
            return root;
        }
    }
    return NULL;
}

static bool serves(const json_t *crd, const char *version) {
    const json_t *versions = fx_tree_view_key(fx_tree_view_key(crd, "spec"), "versions");
    for (size_t i = 0; i < json_array_size(versions); i++) {
        const json_t *one = json_array_get(versions, i);
        if (fx_text_is(fx_tree_view_string(one, "name"), version)) {
            return json_is_true(fx_tree_view_key(one, "served"));
        }
    }
    return false;
}

static void expect_crd(const struct fx_documents *manifest,
                       const struct fx_cluster_kind *kind) {
    const struct fx_kube_resource *resource = &kind->versions[0];
    char name[256];
    (void)snprintf(name, sizeof name, "%s.%s", resource->plural, resource->group);
    print_message("%s\n", name);
    const json_t *crd = find_crd(manifest, name);
    const json_t *spec = fx_tree_view_key(crd, "spec");
    assert_non_null(crd);
    assert_true(fx_text_is(fx_tree_view_string(fx_tree_view_key(spec, "names"), "kind"),
                           resource->kind));
    const bool is_namespaced =
        kind->kind->scope == FX_SCOPE_NAMESPACE || kind->kind->scope == FX_SCOPE_OWN;
    assert_true(fx_text_is(fx_tree_view_string(spec, "scope"),
                           is_namespaced ? "Namespaced" : "Cluster"));
    for (size_t i = 0; i < kind->n_versions; i++) {
        assert_true(serves(crd, kind->versions[i].version));
    }
}

static void expect_rights(const struct fx_documents *manifest,
                          const struct fx_cluster_kind *kind) {
    static const char *const verbs[] = {"list", "watch"};
    const struct fx_kube_resource *resource = &kind->versions[0];
    for (size_t i = 0; i < FX_COUNT(verbs); i++) {
        assert_true(is_allowed(manifest, resource->group, resource->plural, verbs[i]));
    }
    char status[256];
    (void)snprintf(status, sizeof status, "%s/status", resource->plural);
    assert_int_equal(is_allowed(manifest, resource->group, status, "patch"),
                     kind->kind->status != 0);
}

static void read_manifest(const char *path, struct fx_documents *ret_manifest) {
    struct fx_buf text;
    struct fx_err err = FX_ERR_INIT;
    fx_buf_init(&text, 0);
    assert_true(fx_file_read(path, FX_LIMIT_POLICY_FILE_BYTES, &text, &err));
    assert_true(
        fx_documents_read((struct fx_text){text.data, text.len}, ret_manifest, &err));
    fx_buf_finish(&text);
}

/* May Fixpoint read the kind, as this manifest installs it? */
static bool has_kind(const struct fx_documents *manifest,
                     const struct fx_cluster_kind *kind) {
    const struct fx_kube_resource *resource = &kind->versions[0];
    return is_allowed(manifest, resource->group, resource->plural, "list");
}

/* Checks the manifests that have the kind, and counts them. Kinds of the core group have
 * no definition. */
static size_t count_manifests(const struct fx_documents *manifests,
                              const struct fx_cluster_kind *kind) {
    size_t n = 0;
    for (size_t i = 0; i < N_MANIFESTS; i++) {
        if (!has_kind(&manifests[i], kind)) {
            continue;
        }
        if (kind->kind->group[0] != '\0') {
            expect_crd(&manifests[i], kind);
        }
        expect_rights(&manifests[i], kind);
        n++;
    }
    return n;
}

/* What is watched has its definition and the rights in what the chart makes. API servers'
 * own kinds have neither there: they are watched only if somebody asks for it. */
static void the_manifests(void **state) {
    (void)state;
    struct fx_documents manifests[N_MANIFESTS] = {{0}};
    for (size_t i = 0; i < N_MANIFESTS; i++) {
        read_manifest(manifest_files[i], &manifests[i]);
    }
    for (size_t i = 0; i < fx_cluster_kinds_count(); i++) {
        const struct fx_cluster_kind *kind = fx_cluster_kind_at(i);
        assert_int_equal(count_manifests(manifests, kind) > 0,
                         kind->kind->native == NULL);
    }
    for (size_t i = 0; i < N_MANIFESTS; i++) {
        fx_documents_finish(&manifests[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(api_names),     cmocka_unit_test(native_kinds),
        cmocka_unit_test(the_list),      cmocka_unit_test(nodes),
        cmocka_unit_test(the_manifests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
