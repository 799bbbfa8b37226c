/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/assign_image_only_if_test.c - AssignImage with `onlyIf`.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/macros.h"
#include "mutators/gatekeeper/testing.h"

#define ONLY_IF(location, only_if)                                           \
    OURS("AssignImage", POD_ONLY ",'location':'" location "','parameters':{" \
                                 "'assignDomain':'r.io','onlyIf':" only_if "}")
#define IF(only_if) ONLY_IF("spec.i", only_if)
#define INVALID     "assignImage m has invalid parameters: onlyIf."

static const struct refusal refused[] = {
    {IF("[]"),
     "json: cannot unmarshal array into Go struct field "
     "AssignImageParameters.spec.parameters.onlyIf of type v1alpha1.OnlyIf",
     "[]", 0, 0},
    {IF("{'paths':'a'}"),
     "json: cannot unmarshal string into Go struct field "
     "OnlyIf.spec.parameters.onlyIf.paths of type []string",
     "'a'", 0, 0},
    {IF("{'tags':[':1',1]}"),
     "json: cannot unmarshal number into Go struct field "
     "OnlyIf.spec.parameters.onlyIf.tags of type string",
     "1", 0, 0},
    {IF("{'domains':[]}"), INVALID "domains must not be empty", "[]", 0, 0},
    {IF("{'domains':['a'],'paths':[]}"), INVALID "paths must not be empty", "[]", 0, 0},
    {IF("{'tags':[]}"), INVALID "tags must not be empty", "[]", 0, 0},
    {IF("{'tags':[':1','','1.2']}"),
     INVALID "tags[2] \"1.2\" must start with ':' or '@', or be empty", "'1.2'", 0, 0},
};

static void refuses(void **state) {
    (void)state;
    expect_refusals(refused, FX_COUNT(refused));
}

static const struct writing written[] = {
    {IF("{}"), "{'i':'a'}", "{'i':'r.io/a'}", NULL},
    {IF("null"), "{'i':'a'}", "{'i':'r.io/a'}", NULL},
    {IF("{'domains':null}"), "{'i':'a'}", "{'i':'r.io/a'}", NULL},
    {IF("{'domains':['','docker.io']}"), "{'i':'docker.io/a:1'}", "{'i':'r.io/a:1'}",
     NULL},
    {IF("{'domains':['','docker.io']}"), "{'i':'a'}", "{'i':'r.io/a'}", NULL},
    {IF("{'domains':[null]}"), "{'i':'a'}", "{'i':'r.io/a'}", NULL},
    {IF("{'domains':['','docker.io']}"), "{'i':'quay.io/a'}", NULL, "onlyIf"},
    {IF("{'domains':['docker.io']}"), "{'i':'a'}", NULL, "onlyIf"},
    {IF("{'domains':['docker.io']}"), "{}", NULL, "onlyIf"},
    {IF("{'domains':['']}"), "{}", "{'i':'r.io/'}", NULL},
    {IF("{'paths':['library/nginx','nginx']}"), "{'i':'q.io/nginx@x'}",
     "{'i':'r.io/nginx@x'}", NULL},
    {IF("{'paths':['library/nginx','nginx']}"), "{'i':'nginx2'}", NULL, "onlyIf"},
    {IF("{'tags':[':1','']}"), "{'i':'a:1'}", "{'i':'r.io/a:1'}", NULL},
    {IF("{'tags':[':1','']}"), "{'i':'a'}", "{'i':'r.io/a'}", NULL},
    {IF("{'tags':[':1','@x:y']}"), "{'i':'a@x:y'}", "{'i':'r.io/a@x:y'}", NULL},
    {IF("{'tags':[':1']}"), "{'i':'a:1@x'}", NULL, "onlyIf"},
    {IF("{'domains':['q.io'],'paths':['a'],'tags':[':1']}"), "{'i':'q.io/a:1'}",
     "{'i':'r.io/a:1'}", NULL},
    {IF("{'domains':['q.io'],'paths':['a'],'tags':[':1']}"), "{'i':'q.io/a:2'}", NULL,
     "onlyIf"},
    {ONLY_IF("spec.l[k: *].i", "{'domains':['']}"),
     "{'l':[{'i':'a'},{'i':'q.io/b'},{'i':'c'}]}",
     "{'l':[{'i':'r.io/a'},{'i':'q.io/b'},{'i':'r.io/c'}]}", NULL},
    /* Nothing is made on the way either. */
    {ONLY_IF("spec.l[k: v].i", "{'domains':['q.io']}"), "{}", NULL, "onlyIf"},
};

static void changes_what_it_names(void **state) {
    (void)state;
    expect_writings(written, FX_COUNT(written));
}

/* What is no image at all fails first. */
static void fails_on_what_is_no_string(void **state) {
    (void)state;
    expect_failure(
        IF("{'domains':['q.io']}"), "{'i':5}", FX_EMUTATE,
        "expected value at AssignImage location to be a string, got  of type string");
}

static void has_bounds(void **state) {
    (void)state;
    json_t *policy = must_read(IF("{'domains':['a']}"));
    json_t *only_if = json_object_get(
        json_object_get(json_object_get(policy, "spec"), "parameters"), "onlyIf");
    json_t *domains = json_object_get(only_if, "domains");
    while (json_array_size(domains) < FX_LIMIT_CONDITION_VALUES) {
        json_array_append_new(domains, json_string("a"));
    }
    struct fx_compilation compilation = must_compile(policy);
    fx_compilation_finish(&compilation);
    json_array_append_new(domains, json_string("a"));
    const struct fx_err err = must_refuse(policy);
    assert_int_equal(err.code, FX_ELIMIT);
    assert_string_equal(err.msg, INVALID "domains has more than 1024 values");
    json_decref(policy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(changes_what_it_names),
        cmocka_unit_test(fails_on_what_is_no_string),
        cmocka_unit_test(has_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
