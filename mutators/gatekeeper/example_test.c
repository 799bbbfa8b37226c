/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/example_test.c - objects made for a policy: their content,
 * and that the policy acts on them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "mutators/gatekeeper/testing.h"
#include "value/equal.h"

#define HEAD(kind)                                                                    \
    "{'apiVersion':'mutations.gatekeeper.sh/v1alpha1','kind':'" kind "','metadata':{" \
    "'name':'a'},'spec':{"
#define OWN(kind)                                                                    \
    "{'apiVersion':'mutations.fixpoint.dev/v1alpha1','kind':'" kind "','metadata':{" \
    "'name':'a'},'spec':{"
#define PODS   "'applyTo':[{'groups':[''],'versions':['v1'],'kinds':['Pod']}],"
#define VALUE  "'parameters':{'assign':{'value':'x'}}}}"
#define LABEL  "'location':'metadata.labels.x'," VALUE
#define IMAGES "'location':'spec.containers[name: *].image',"

#define POD        "'apiVersion':'v1','kind':'Pod','metadata':{'name':'example'"
#define IN_DEFAULT POD ",'namespace':'default'"

static const struct {
    const char *policy, *object;
} examples[] = {
    /* The location. */
    {HEAD("Assign") PODS "'location':'spec.nodeSelector.x'," VALUE, "{" IN_DEFAULT "}}"},
    {HEAD("Assign") PODS "'location':'spec.containers[name: *].image'," VALUE,
     "{" IN_DEFAULT "},'spec':{'containers':[{'name':'example'}]}}"},
    {HEAD("Assign") PODS
     "'location':'spec.containers[name: web].ports[port: *].name'," VALUE,
     "{" IN_DEFAULT "},'spec':{'containers':[{'name':'web','ports':[{'port':'example'}]"
     "}]}}"},
    {HEAD("Assign") PODS "'location':'spec.containers[name: web].image'," VALUE,
     "{" IN_DEFAULT "}}"},
    /* Path tests. */
    {HEAD("Assign") PODS "'location':'spec.a.b','parameters':{'pathTests':[{'subPath':"
                         "'spec.a','condition':'MustExist'}],'assign':{'value':'x'}}}}",
     "{" IN_DEFAULT "},'spec':{'a':{}}}"},
    {HEAD("Assign") PODS "'location':'spec.a','parameters':{'pathTests':[{'subPath':"
                         "'spec.a','condition':'MustExist'}],'assign':{'value':true}}}}",
     "{" IN_DEFAULT "},'spec':{'a':false}}"},
    {HEAD("Assign") PODS "'location':'spec.a','parameters':{'pathTests':[{'subPath':"
                         "'spec.a','condition':'MustExist'}],'assign':{'value':0}}}}",
     "{" IN_DEFAULT "},'spec':{'a':1}}"},
    {HEAD("Assign") PODS
     "'location':'spec.l[name: *].a','parameters':{'pathTests':[{'subPath':"
     "'spec.l[name: *].a','condition':'MustNotExist'}],'assign':{'value':'x'}}}}",
     "{" IN_DEFAULT "},'spec':{'l':[{'name':'example'}]}}"},
    /* Who it is. */
    {HEAD("AssignMetadata") LABEL, "{" IN_DEFAULT "}}"},
    {HEAD("AssignMetadata") "'match':{'kinds':[{'apiGroups':['apps'],'kinds':['*']}],"
                            "'namespaces':['prod-*']}," LABEL,
     "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'example',"
     "'namespace':'prod-example'}}"},
    {HEAD("AssignMetadata") "'match':{'kinds':[{'kinds':['Job']}]}," LABEL,
     "{'apiVersion':'batch/v1','kind':'Job','metadata':{'name':'example','namespace':"
     "'default'}}"},
    {HEAD(
         "AssignMetadata") "'match':{'kinds':[{'kinds':['Node']}],'name':'*-gpu'}," LABEL,
     "{'apiVersion':'v1','kind':'Node','metadata':{'name':'example-gpu'}}"},
    {HEAD("AssignMetadata") "'match':{'scope':'Cluster'}," LABEL,
     "{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'default'}}"},
    {HEAD("AssignMetadata") "'match':{'excludedNamespaces':['default','ex*']}," LABEL,
     "{" POD ",'namespace':'app'}}"},
    {HEAD("AssignMetadata") "'match':{'name':'*web*','namespaceSelector':{'matchLabels':{"
                            "'kubernetes.io/metadata.name':'shop'}}}," LABEL,
     "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'web','namespace':'shop'}}"},
    {HEAD("AssignMetadata") "'match':{'labelSelector':{'matchLabels':{'a':'b'},"
                            "'matchExpressions':[{'key':'c','operator':'In','values':["
                            "'d','e']},{'key':'f','operator':'Exists'},{'key':'g',"
                            "'operator':'DoesNotExist'}]}}," LABEL,
     "{" IN_DEFAULT ",'labels':{'a':'b','c':'d','f':'example'}}}"},
    {HEAD("Assign") "'applyTo':[{'groups':['','apps'],'versions':['v1'],'kinds':['Pod',"
                    "'Deployment']}],'match':{'kinds':[{'apiGroups':['apps'],'kinds':["
                    "'Deployment']}]},'location':'spec.x'," VALUE,
     "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'example',"
     "'namespace':'default'}}"},
    /* The other kinds. */
    {HEAD("ModifySet") PODS "'location':'spec.s','parameters':{'values':{'fromList':['x'"
                            "]}}}}",
     "{" IN_DEFAULT "}}"},
    {HEAD("ModifySet") PODS "'location':'spec.s','parameters':{'operation':'prune',"
                            "'values':{'fromList':['x','y']}}}}",
     "{" IN_DEFAULT "},'spec':{'s':['x']}}"},
    {HEAD("AssignImage") PODS IMAGES "'parameters':{'assignTag':':v2'}}}",
     "{" IN_DEFAULT "},'spec':{'containers':[{'name':'example','image':'nginx:1.25'}]}}"},
    /* Our own group. */
    {OWN("AssignImage") PODS IMAGES "'parameters':{'assignDomain':'a.io','onlyIf':{"
                                    "'domains':['docker.io'],'tags':['']}}}}",
     "{" IN_DEFAULT "},'spec':{'containers':[{'name':'example','image':'docker.io/nginx'"
     "}]}}"},
    {OWN("Remove") PODS "'location':'spec.l[name: * except example]'}}",
     "{" IN_DEFAULT "},'spec':{'l':[{'name':'main'}]}}"},
    {OWN("Assign") PODS "'location':'spec.x','parameters':{'assign':{'fromObject':"
                        "'spec.y.z'}}}}",
     "{" IN_DEFAULT "},'spec':{'y':{'z':'example'}}}"},
    {OWN("Assign") PODS
     "'location':'spec.x','conditions':[{'location':'spec.a','operator':'Exists'},{"
     "'location':'spec.b','operator':'In','values':[5,6]},{'location':'spec.c',"
     "'operator':'DoesNotExist'},{'location':'spec.d','operator':'Matches','values':["
     "'^front.*$']}]," VALUE,
     "{" IN_DEFAULT "},'spec':{'a':'example','b':5,'d':'front'}}"},
    {OWN("AssignMetadata") "'match':{'annotationSelector':{'matchLabels':{'a':'b'}}}"
                           "," LABEL,
     "{" IN_DEFAULT ",'annotations':{'a':'b'}}}"},
};

static json_t *example_of(const struct fx_mutator *mutator) {
    struct fx_err err = FX_ERR_INIT;
    json_t *object = mutator->ops->example(mutator, &err);
    assert_int_equal(err.code, FX_OK);
    return object;
}

/* In a namespace that has its name for a label, as all have. */
static bool is_wanted(const struct fx_mutator *mutator, const json_t *object) {
    const json_t *metadata = json_object_get(object, "metadata");
    json_t *name = json_object_get(metadata, "namespace");
    json_t *around = name == NULL
                         ? NULL
                         : json_pack("{s:{s:O, s:{s:O}}}", "metadata", "name", name,
                                     "labels", "kubernetes.io/metadata.name", name);
    struct fx_request request = request_create;
    request.namespace_object = around;
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    struct fx_verdict verdict = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_true(mutator->ops->match(mutator, &request, &subject, &verdict, &err));
    json_decref(around);
    return verdict.matched;
}

static void makes_objects(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(examples); i++) {
        json_t *policy = must_read(examples[i].policy);
        struct fx_compilation compilation = must_compile(policy);
        const struct fx_mutator *mutator = compilation.mutators[0];
        json_t *object = example_of(mutator);
        assert_json(object, examples[i].object);
        json_t *root = json_incref(object);
        if (!is_wanted(mutator, root)) {
            fail_msg("%s", examples[i].policy);
        }
        assert_true(must_apply(mutator, &root).changed);
        assert_false(fx_equal(object, root));
        json_decref(root);
        json_decref(object);
        fx_compilation_finish(&compilation);
        json_decref(policy);
    }
}

/* Policies whose object cannot be derived, or that match none: no object, or one
 * that shows when it is tried. */
static const char *const unknown[] = {
    HEAD("AssignMetadata") "'match':{'kinds':[{'apiGroups':['example.dev'],'kinds':['*']}"
                           "]}," LABEL,
    HEAD("Assign") PODS
    "'match':{'kinds':[{'kinds':['Service']}]},'location':'spec.x'," VALUE,
};

static void gives_up(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(unknown); i++) {
        json_t *policy = must_read(unknown[i]);
        struct fx_compilation compilation = must_compile(policy);
        assert_null(example_of(compilation.mutators[0]));
        fx_compilation_finish(&compilation);
        json_decref(policy);
    }
}

/* Conditions that contradict the location end in an object, not in a failure. */
static void contradictions(void **state) {
    (void)state;
    json_t *policy = must_read(OWN("Assign") PODS
                               "'location':'spec.a.b','conditions':[{'location':'spec.a',"
                               "'operator':'In','values':['x']},{'location':'spec.a.c',"
                               "'operator':'Exists'}]," VALUE);
    struct fx_compilation compilation = must_compile(policy);
    json_t *object = example_of(compilation.mutators[0]);
    assert_json(object, "{" IN_DEFAULT "},'spec':{'a':'x'}}");
    json_decref(object);
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_objects),
        cmocka_unit_test(gives_up),
        cmocka_unit_test(contradictions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
