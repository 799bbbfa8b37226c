/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kyverno/autogen_test.c - generated rules, by the rules of spec/kyverno.md
 * section 13.
 */
#include <string.h>

#include "base/budget.h"
#include "mutators/kyverno/autogen.h"
#include "mutators/kyverno/testing.h"
#include "value/equal.h"
#include "value/tree.h"

static json_t *generate(const char *spec_text, const char *annotations_text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *spec = kyverno_read_quoted(spec_text);
    json_t *before = json_deep_copy(spec);
    json_t *annotations =
        annotations_text == NULL ? NULL : kyverno_read_quoted(annotations_text);
    json_t *rules = NULL;
    assert_true(fx_kyverno_autogen(spec, annotations, &rules, &err));
    assert_true(fx_equal(spec, before));
    json_decref(before);
    json_decref(annotations);
    json_decref(spec);
    return rules;
}

#define MATCH_POD "'match':{'any':[{'resources':{'kinds':['Pod']}}]}"
#define SIX                                                              \
    "['apps/v1/DaemonSet','apps/v1/Deployment','batch/v1/Job','apps/v1/" \
    "StatefulSet','apps/v1/ReplicaSet','v1/ReplicationController']"
#define MATCH_SIX   "'match':{'any':[{'resources':{'kinds':" SIX "}}]}"
#define MATCH_CRON  "'match':{'any':[{'resources':{'kinds':['batch/v1/CronJob']}}]}"
#define PATCH       "'mutate':{'patchStrategicMerge':{'spec':{'x':1}}}"
#define ONLY(kinds) "{'pod-policies.kyverno.io/autogen-controllers':'" kinds "'}"
#define FULL        "'mutate':{'patchStrategicMerge':{'spec':{'template':{'spec':{'x':1}}}}}"

static const struct {
    const char *spec, *annotations, *rules;
} rule_cases[] = {
    {"{'rules':[{'name':'r'," MATCH_POD "," PATCH "}]}", NULL,
     "[{'name':'autogen-r'," MATCH_SIX "," FULL
     "},{'name':'autogen-cronjob-r'," MATCH_CRON
     ",'mutate':{'patchStrategicMerge':{'spec':{'jobTemplate':{'spec':{'template':"
     "{'spec':{'x':1}}}}}}}}]"},
    {"{'rules':[{'name':'r'," MATCH_POD "," PATCH "}]}", ONLY("Deployment,Job"),
     "[{'name':'autogen-r','match':{'any':[{'resources':{'kinds':['apps/v1/Deployment',"
     "'batch/v1/Job']}}]}," FULL "}]"},
    /* names are cut */
    {"{'rules':[{'name':'a-rule-with-a-rather-long-name-that-will-get-cut-somewhere-0',"
     "" MATCH_POD "," PATCH "}]}",
     ONLY("Deployment"),
     "[{'name':'autogen-a-rule-with-a-rather-long-name-that-will-get-cut-somewh',"
     "'match':{'any':[{'resources':{'kinds':['apps/v1/Deployment']}}]}," FULL "}]"},
    /* the old form, an exclude, and variables, in keys, too */
    {"{'rules':[{'name':'r','match':{'resources':{'kinds':['Pod']}},'exclude':{'any':["
     "{'resources':{'kinds':['Pod']}},{'resources':{'namespaces':['x']}}]},"
     "'preconditions':[{'key':'{{request.object.metadata.name}}-{{ "
     "request.oldObject.spec.x }}','operator':'Equals','value':'request.object.kind'}],"
     "'mutate':{'patchStrategicMerge':{'{{request.object.spec.k}}':1}}}]}",
     ONLY("Job"),
     "[{'name':'autogen-r','match':{'resources':{'kinds':['batch/v1/Job']}},'exclude':"
     "{'any':[{'resources':{'kinds':['batch/v1/Job']}},{'resources':{'namespaces':['x']}}"
     "]},'preconditions':[{'key':'{{request.object.spec.template.metadata.name}}-{{ "
     "request.oldObject.spec.template.spec.x }}','operator':'Equals','value':"
     "'request.object.kind'}],'mutate':{'patchStrategicMerge':{'spec':{'template':{"
     "'{{request.object.spec.template.spec.k}}':1}}}}}]"},
    /* foreach: the order is lost, nested ones are kept */
    {"{'rules':[{'name':'r'," MATCH_POD ",'mutate':{'foreach':[{'list':'request.object."
     "spec.containers','order':'Ascending','patchStrategicMerge':{'a':1}},{'list':'x',"
     "'foreach':[{'list':'y','order':'Ascending','patchStrategicMerge':{'b':1}}]}]}}]}",
     ONLY("CronJob"),
     "[{'name':'autogen-cronjob-r'," MATCH_CRON
     ",'mutate':{'foreach':[{'list':'request.object.spec.jobTemplate.spec.template.spec."
     "containers','patchStrategicMerge':{'spec':{'jobTemplate':{'spec':{'template':{'a':1"
     "}}}}}},{'list':'x','foreach':[{'list':'y','order':'Ascending','patchStrategicMerge'"
     ":"
     "{'spec':{'jobTemplate':{'spec':{'template':{'b':1}}}}}}]}]}}]"},
    /* overlay */
    {"{'rules':[{'name':'r'," MATCH_POD ",'mutate':{'overlay':{'a':1}}}]}",
     ONLY("Deployment"),
     "[{'name':'autogen-r','match':{'any':[{'resources':{'kinds':['apps/v1/Deployment']}}"
     "]},'mutate':{'overlay':{'spec':{'template':{'a':1}}}}}]"},
    /* a rule that does not match Pods has none, another one has */
    {"{'rules':[{'name':'a','match':{'resources':{'kinds':['Po*']}}," PATCH
     "},{'name':'r'," MATCH_POD "," PATCH "}]}",
     ONLY("Deployment"),
     "[{'name':'autogen-r','match':{'any':[{'resources':{'kinds':['apps/v1/Deployment']}}"
     "]}," FULL "}]"},
    /* any spelling of Pod counts if a filter has exactly Pod */
    {"{'rules':[{'name':'r','match':{'any':[{'resources':{'kinds':['v1/Pod']}}]}," PATCH
     "},{'name':'x','match':{'any':[{'resources':{'kinds':['Pod']}}]}}]}",
     ONLY("Deployment"),
     "[{'name':'autogen-r','match':{'any':[{'resources':{'kinds':['apps/v1/Deployment']}}"
     "]}," FULL "}]"},
    /* JSON patches, if the policy says so */
    {"{'rules':[{'name':'r'," MATCH_POD ",'mutate':{'patchesJson6902':'x'}}]}",
     "{'pod-policies.kyverno.io/autogen-controllers':'CronJob','policies.fixpoint.dev/"
     "autogen-json-patches':'true'}",
     "[{'name':'autogen-cronjob-r'," MATCH_CRON
     ",'mutate':{'patchesJson6902':{'text':'x','below':"
     "'/spec/jobTemplate/spec/template'}}}]"},
};

static void test_rules(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(rule_cases); i++) {
        json_t *rules = generate(rule_cases[i].spec, rule_cases[i].annotations);
        json_t *expected = kyverno_read_quoted(rule_cases[i].rules);
        if (!fx_equal(rules, expected)) {
            fail_msg("%s: another result", rule_cases[i].spec);
        }
        json_decref(expected);
        json_decref(rules);
    }
}

/* Policies without generated rules. */
static void test_none(void **state) {
    (void)state;
    static const struct {
        const char *spec, *annotations;
    } cases[] = {
        {"{'rules':[{'name':'r'," MATCH_POD "," PATCH "}]}", ONLY("none")},
        {"{'rules':[{'name':'r'," MATCH_POD "," PATCH "}]}", ONLY("")},
        {"{'rules':[{'name':'r'," MATCH_POD "," PATCH "}]}", ONLY("deployment")},
        {"{'rules':[{'name':'r'," MATCH_POD "," PATCH "}]}", ONLY("Pod, Job")},
        {"{'rules':[{'name':'r'," MATCH_POD "," PATCH "}]}", ONLY("all,none")},
        {"{'rules':[{'name':'r'," MATCH_POD ",'mutate':{'patchesJson6902':'x'}}]}", NULL},
        {"{'rules':[{'name':'r'," MATCH_POD ",'mutate':{'foreach':[{'list':'x',"
         "'patchesJson6902':'x'}]}}]}",
         NULL},
        {"{'rules':[{'name':'r'," MATCH_POD "," PATCH "},{'name':'g','generate':{}}]}",
         NULL},
        {"{'rules':[{'name':'r','match':{'resources':{'kinds':['v1/Pod']}}," PATCH "}]}",
         NULL},
        {"{'rules':[{'name':'r','match':{'resources':{'kinds':['Pod','Pod']}}," PATCH
         "}]}",
         NULL},
        {"{'rules':[{'name':'r','match':{'resources':{'kinds':['Pod'],'name':'x'}}," PATCH
         "}]}",
         NULL},
        {"{'rules':[{'name':'r'," MATCH_POD ",'exclude':{'all':[{'resources':{'names':["
         "'x']}}]}," PATCH "}]}",
         NULL},
        {"{'rules':[{'name':'r'," MATCH_POD ",'exclude':{'any':[{'resources':{'kinds':["
         "'Service']}}]}," PATCH "}]}",
         NULL},
        {"{'rules':[{'name':'r','match':{'any':[{'resources':{'kinds':['Pod'],'selector':"
         "{}}}]}," PATCH "}]}",
         NULL},
        {"{'rules':[{'name':'autogen-r'," MATCH_POD "," PATCH "}]}", NULL},
        {"{'rules':[{'name':'r'," MATCH_POD ",'mutate':{'targets':[],"
         "'patchStrategicMerge':{}}}]}",
         NULL},
        {"{'rules':[{'name':'r'," MATCH_POD ",'validate':{}}]}", NULL},
        {"{}", NULL},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        json_t *rules = generate(cases[i].spec, cases[i].annotations);
        if (json_array_size(rules) != 0) {
            fail_msg("%s: has generated rules", cases[i].spec);
        }
        json_decref(rules);
    }
}

static void test_budget(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    json_t *rules = NULL;
    json_t *spec = kyverno_read_quoted(rule_cases[0].spec);
    const struct fx_bound bound = fx_budget_narrow(5, 0);
    assert_false(fx_kyverno_autogen(spec, NULL, &rules, &err));
    (void)fx_budget_widen(bound);
    assert_int_equal(err.code, FX_ELIMIT);
    assert_null(rules);
    json_decref(spec);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
