/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kyverno/filters_test.c - how kinds are named, what Kyverno's ConfigMap
 * excludes, and what of it is skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "engine/request_memo.h"
#include "mutators/kyverno/filters.h"
#include "mutators/kyverno/kind_pattern.h"
#include "value/json.h"
#include "value/tree.h"

/* Reads JSON in which ' stands for ". */
static json_t *read_json(const char *text) {
    char copy[2048];
    assert_true(strlen(text) < sizeof copy);
    (void)snprintf(copy, sizeof copy, "%s", text);
    for (char *at = strchr(copy, '\''); at != NULL; at = strchr(at, '\'')) {
        *at = '"';
    }
    struct fx_err err = FX_ERR_INIT;
    json_t *root = fx_json_read(fx_text_of(copy), NULL, &err);
    assert_non_null(root);
    return root;
}

/* ---- kinds ------------------------------------------------------------------------- */

static void kinds(void **state) {
    (void)state;
    static const struct {
        const char *text, *group, *version, *kind, *subresource;
    } cases[] = {
        {"Pod", "*", "*", "Pod", ""},
        {"*", "*", "*", "*", ""},
        {"v1/Pod", "*", "v1", "Pod", ""},
        {"v1beta1/Pod", "*", "v1beta1", "Pod", ""},
        {"v12alpha3/Pod", "*", "v12alpha3", "Pod", ""},
        {"v1beta/Pod", "*", "*", "v1beta", "Pod"},
        {"v/Pod", "*", "*", "v", "Pod"},
        {"v1x/Pod", "*", "*", "v1x", "Pod"},
        {"*/Pod", "*", "*", "Pod", ""},
        {"*/*", "*", "*", "*", "*"},
        {"*/status", "*", "*", "*", "status"},
        {"Pod/exec", "*", "*", "Pod", "exec"},
        {"Pod.exec", "*", "*", "Pod", "exec"},
        {"Pod/*", "*", "*", "Pod", "*"},
        {"apps/v1/Deployment", "apps", "v1", "Deployment", ""},
        {"apps/*/Deployment", "apps", "*", "Deployment", ""},
        {"v1/Pod/exec", "*", "v1", "Pod", "exec"},
        {"*/Deployment/scale", "*", "*", "Deployment", "scale"},
        {"apps/v1/Deployment/scale", "apps", "v1", "Deployment", "scale"},
        {"apps/v1/Deployment.scale", "apps", "v1", "Deployment", "scale"},
        {"", "*", "*", "", ""},
        {"a/b/c/d/e", "", "", "", ""},
        {"a/b/c/d.e", "", "", "", ""},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct kyverno_kind_pattern made;
        print_message("%s\n", cases[i].text);
        assert_int_equal(fx_kyverno_kind_parse(fx_text_of(cases[i].text), &made),
                         cases[i].group[0] != '\0');
        assert_true(fx_text_is(made.group, cases[i].group));
        assert_true(fx_text_is(made.version, cases[i].version));
        assert_true(fx_text_is(made.kind, cases[i].kind));
        assert_true(fx_text_is(made.subresource, cases[i].subresource));
    }
}

/* ---- what is excluded -------------------------------------------------------------- */

#define POD(namespace_, name)                                              \
    "{'apiVersion':'v1','kind':'Pod','metadata':{'namespace':'" namespace_ \
    "','name':'" name "','labels':{'app':'a'}}}"
#define NAMESPACE(name)                                               \
    "{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'" name \
    "','labels':{'team':'x'}}}"
#define DEPLOYMENT                                                             \
    "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'namespace':'n'," \
    "'name':'d'}}"
#define NODE_USER "{'username':'system:node:a','groups':['system:nodes','x']}"
#define ADMIN     "{'username':'admin','groups':['masters']}"
#define SELECT(keyword)                                                           \
    "{'webhooks':'[{\\\"" keyword "\\\":{\\\"matchExpressions\\\":[{\\\"key\\\":" \
    "\\\"team\\\",\\\"operator\\\":\\\"NotIn\\\",\\\"values\\\":[\\\"x\\\"]}]}}]'}"
#define SELECT_ONE                                                                \
    "{'webhooks':'{\\\"namespaceSelector\\\":{\\\"matchLabels\\\":{\\\"team\\\":" \
    "\\\"x\\\"}}}'}"

/* The object, the user and the AdmissionRequest are NULL if there are none. */
static const struct excluded {
    const char *data, *object, *user, *admission;
    bool is_excluded;
} cases[] = {
    {"{}", POD("n", "a"), ADMIN, NULL, false},
    {"null", POD("n", "a"), ADMIN, NULL, false},
    {"{'resourceFilters':'[Pod,n,a]'}", POD("n", "a"), NULL, NULL, true},
    {"{'resourceFilters':'[Pod,n,a]'}", POD("n", "b"), NULL, NULL, false},
    {"{'resourceFilters':'[Pod,n,a]'}", POD("m", "a"), NULL, NULL, false},
    {"{'resourceFilters':'[pod,n,a]'}", POD("n", "a"), NULL, NULL, false},
    {"{'resourceFilters':'[Event,*,*]\\n x,[*,kube-*,?]'}", POD("kube-system", "a"), NULL,
     NULL, true},
    {"{'resourceFilters':'[Event,*,*] [*,kube-*,?]'}", POD("kube-system", "ab"), NULL,
     NULL, false},
    /* What a filter does not give is empty. */
    {"{'resourceFilters':'[Pod]'}", POD("n", "a"), NULL, NULL, false},
    {"{'resourceFilters':'[Pod,n]'}", POD("n", "a"), NULL, NULL, false},
    {"{'resourceFilters':'[Pod,n]'}", POD("n", ""), NULL, NULL, true},
    {"{'resourceFilters':'[Namespace]'}", NAMESPACE("a"), NULL, NULL, false},
    /* A Namespace is filtered by its name as well. */
    {"{'resourceFilters':'[*,kube-system,*]'}", NAMESPACE("kube-system"), NULL, NULL,
     true},
    {"{'resourceFilters':'[Namespace,a,b]'}", NAMESPACE("a"), NULL, NULL, true},
    {"{'resourceFilters':'[Pod,a,*]'}", NAMESPACE("a"), NULL, NULL, false},
    /* Groups, versions, subresources. */
    {"{'resourceFilters':'[apps/v1/Deployment,*,*]'}", DEPLOYMENT, NULL, NULL, true},
    {"{'resourceFilters':'[batch/v1/Deployment,*,*]'}", DEPLOYMENT, NULL, NULL, false},
    {"{'resourceFilters':'[v1beta1/Deployment,*,*]'}", DEPLOYMENT, NULL, NULL, false},
    {"{'resourceFilters':'[Deployment,*,*]'}", DEPLOYMENT, NULL,
     "{'subResource':'scale'}", false},
    {"{'resourceFilters':'[Deployment/scale,*,*]'}", DEPLOYMENT, NULL,
     "{'subResource':'scale'}", true},
    {"{'resourceFilters':'[*/*,n,*]'}", DEPLOYMENT, NULL, "{'subResource':'scale'}",
     true},
    {"{'resourceFilters':'[Deployment/scale,*,*]'}", DEPLOYMENT, NULL, NULL, false},
    /* What is not well formed. */
    {"{'resourceFilters':'[Pod,n,a,x][[Pod,n,a'}", POD("n", "a"), NULL, NULL, false},
    {"{'resourceFilters':'[Pod, n,a]'}", POD("n", "a"), NULL, NULL, false},
    {"{'resourceFilters':'[x[Pod,n,a]'}", POD("n", "a"), NULL, NULL, true},
    /* Users. */
    {"{'excludeGroups':'system:nodes'}", POD("n", "a"), NODE_USER, NULL, true},
    {"{'excludeGroups':'system:nodes'}", POD("n", "a"), ADMIN, NULL, false},
    {"{'excludeGroups':'system:nodes'}", POD("n", "a"), NULL, NULL, false},
    {"{'excludeUsernames':' x , adm* ,,'}", POD("n", "a"), ADMIN, NULL, true},
    {"{'excludeUsernames':'*'}", POD("n", "a"), NULL, NULL, false},
    {"{'excludeUsernames':'*,! admin'}", POD("n", "a"), ADMIN, NULL, false},
    {"{'excludeUsernames':'*','excludeGroups':'!masters'}", POD("n", "a"), ADMIN, NULL,
     false},
    {"{'excludeUsernames':'*,!'}", POD("n", "a"), ADMIN, NULL, true},
    {"{'excludeRoles':'n:view'}", POD("n", "a"), ADMIN, "{'roles':['n:view']}", true},
    {"{'excludeRoles':'n:view'}", POD("n", "a"), ADMIN, "{'clusterRoles':['n:view']}",
     false},
    {"{'excludeClusterRoles':'cluster-*'}", POD("n", "a"), ADMIN,
     "{'clusterRoles':['x','cluster-admin']}", true},
    /* The selectors of webhooks: the Namespace of the test has the label team=x. */
    {SELECT("namespaceSelector"), POD("n", "a"), NULL, NULL, true},
    {SELECT("namespaceSelector"), NAMESPACE("x"), NULL, NULL, true},
    {SELECT("objectSelector"), POD("n", "a"), NULL, NULL, false},
    {SELECT("objectSelector"), NAMESPACE("x"), NULL, NULL, true},
    {SELECT_ONE, POD("n", "a"), NULL, NULL, false},
    {"{'webhooks':'[]'}", POD("n", "a"), NULL, NULL, false},
};

static json_t *optional(const char *text) {
    return text == NULL ? NULL : read_json(text);
}

/* Is the answer the same twice, the second time from the memo? */
static void expect(const struct excluded *wanted, const struct kyverno_filters *filters) {
    json_t *object = read_json(wanted->object);
    json_t *user = optional(wanted->user);
    json_t *admission = optional(wanted->admission);
    json_t *namespace_ = read_json(NAMESPACE("n"));
    struct fx_request_memo memo = {.has_resource = false};
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    const struct fx_request request = {
        .user_info = user,
        .admission = admission,
        .roles = fx_tree_view_key(admission, "roles"),
        .cluster_roles = fx_tree_view_key(admission, "clusterRoles"),
        .namespace_ = subject.namespace_,
        .namespace_object = subject.is_namespace ? NULL : namespace_,
        .memo = &memo,
    };
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(fx_kyverno_filters_exclude(filters, &request, &subject),
                         wanted->is_excluded);
    }
    assert_ptr_equal(memo.filters, filters);
    json_decref(object);
    json_decref(user);
    json_decref(admission);
    json_decref(namespace_);
}

static json_t *config_map(const char *data) {
    json_t *root = read_json("{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':"
                             "'kyverno','namespace':'kyverno'}}");
    assert_int_equal(json_object_set_new(root, "data", read_json(data)), 0);
    return root;
}

static void excludes(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_compilation made = {0};
        struct fx_err err = FX_ERR_INIT;
        print_message("%s: %s\n", cases[i].data, cases[i].object);
        json_t *root = config_map(cases[i].data);
        assert_true(fx_kyverno_filters_compile(root, &made, &err));
        json_decref(root); /* the filters keep what they need */
        const struct fx_unit unit = {.linkable = made.linkable};
        expect(&cases[i], fx_kyverno_filters_of(&unit));
        made.linkable->destroy(made.linkable);
        made.linkable = NULL;
        fx_compilation_finish(&made);
    }
}

static void nothing_is_excluded(void **state) {
    (void)state;
    const struct fx_request request = {.user_info = NULL};
    const struct fx_subject subject = {.object = NULL};
    assert_null(fx_kyverno_filters_of(NULL));
    assert_false(fx_kyverno_filters_exclude(NULL, &request, &subject));
}

/* ---- faults and warnings ------------------------------------------------------------
 */

static void warns(void **state) {
    (void)state;
    static const struct {
        const char *data, *words;
    } warned[] = {
        {"{'resourceFilters':'[a,b,c,d]'}", "not [kind,namespace,name]"},
        {"{'resourceFilters':'[a/b/c/d/e,b,c]'}", "not [kind,namespace,name]"},
        {"{'resourceFilters':'[]'}", "without a kind"},
        {"{'resourceFilters':'[Pod, n,a]'}", "blanks beside a comma"},
        {"{'webhooks':'x'}", "data.webhooks: it is not JSON"},
        {"{'webhooks':'7'}", "data.webhooks: it is not JSON"},
        {"{'webhooks':'[{\\\"namespaceSelector\\\":7}]'}", "data.webhooks: json: cannot"},
        {"{'webhooks':'[{\\\"objectSelector\\\":{\\\"matchLabels\\\":{\\\"-\\\":"
         "\\\"x\\\"}}}]'}",
         "data.webhooks: "},
    };
    for (size_t i = 0; i < FX_COUNT(warned); i++) {
        struct fx_compilation made = {0};
        struct fx_err err = FX_ERR_INIT;
        json_t *root = config_map(warned[i].data);
        assert_true(fx_kyverno_filters_compile(root, &made, &err));
        assert_int_equal(made.n_warnings, 1);
        print_message("%s\n", made.warnings[0].text);
        assert_non_null(strstr(made.warnings[0].text, warned[i].words));
        made.linkable->destroy(made.linkable);
        made.linkable = NULL;
        fx_compilation_finish(&made);
        json_decref(root);
    }
}

static void expect_fault(json_t *root, enum fx_code code, const char *message) {
    struct fx_compilation made = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_false(fx_kyverno_filters_compile(root, &made, &err));
    assert_int_equal(err.code, code);
    assert_string_equal(err.msg, message);
    assert_null(made.linkable);
    fx_compilation_finish(&made);
    json_decref(root);
}

static void refuses(void **state) {
    (void)state;
    expect_fault(config_map("{'excludeGroups':7}"), FX_EINVALID,
                 "`data.excludeGroups` must be a string");
    expect_fault(config_map("[]"), FX_EINVALID, "`data` must be an object");
    json_t *root = config_map("{}");
    struct fx_buf text;
    fx_buf_init(&text, 0);
    for (unsigned i = 0; i <= FX_LIMIT_RESOURCE_FILTERS; i++) {
        fx_buf_str(&text, "[a,b,c]");
    }
    assert_int_equal(json_object_set_new(fx_tree_view_key(root, "data"),
                                         "resourceFilters", json_string(text.data)),
                     0);
    fx_buf_finish(&text);
    expect_fault(root, FX_ELIMIT, "data.resourceFilters has more than 4096 entries");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),
        cmocka_unit_test(excludes),
        cmocka_unit_test(nothing_is_excluded),
        cmocka_unit_test(warns),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
