/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/fixpoint_group_test.c - the two groups: Gatekeeper's knows nothing
 * of the further fields, ours is Gatekeeper's and more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "engine/snapshot.h"
#include "mutators/gatekeeper/testing.h"

#define GATEKEEPERS(kind, spec)                                                      \
    "{'apiVersion':'mutations.gatekeeper.sh/v1alpha1','kind':'" kind "','metadata':" \
    "{'name':'m'},'spec':{" spec "}}"
#define HINT "; mutations.fixpoint.dev/v1alpha1 has it"
#define NEVER                                                                       \
    ",'conditions':[{'location':'spec.none','operator':'Exists'}],'match':{"        \
    "'annotationSelector':{'matchExpressions':[{'key':'none','operator':'Exists'}]" \
    "}}"
#define MAX_WARNINGS 6

static const struct {
    const char *kind, *spec;
    const char *unknown[MAX_WARNINGS];
} further[] = {
    {"Assign",
     POD_ONLY
     ",'location':'spec.x','parameters':{'assign':{'value':1,'fromObject':5}}" NEVER,
     {"spec.parameters.assign.fromObject", "spec.conditions",
      "spec.match.annotationSelector"}},
    {"AssignMetadata",
     "'location':'metadata.labels.x','operations':['DELETE'],'parameters':{'assign':{"
     "'value':'v'}}" NEVER,
     {"spec.operations", "spec.conditions", "spec.match.annotationSelector"}},
    {"ModifySet",
     POD_ONLY
     ",'location':'spec.x','parameters':{'values':{'fromList':[1]}},'conditions':'x'",
     {"spec.conditions"}},
    {"AssignImage",
     POD_ONLY ",'location':'spec.x','parameters':{'assignTag':':1','onlyIf':{'domains':"
              "[]}}" NEVER,
     {"spec.parameters.onlyIf", "spec.conditions", "spec.match.annotationSelector"}},
};

static char *new_policy(const char *group, const char *kind, const char *spec) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_printf(&buf,
                  "{'apiVersion':'mutations.%s/v1alpha1','kind':'%s','metadata':{'name':"
                  "'m'},'spec':{%s}}",
                  group, kind, spec);
    char *text = fx_buf_steal(&buf);
    assert_non_null(text);
    return text;
}

/* Gatekeeper's group: a warning, a hint, and no effect, whatever is said there. */
static void are_unknown_to_gatekeeper(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(further); i++) {
        char *text = new_policy("gatekeeper.sh", further[i].kind, further[i].spec);
        json_t *policy = must_read(text);
        struct fx_compilation compilation = must_compile(policy);
        size_t n = 0;
        for (; n < MAX_WARNINGS && further[i].unknown[n] != NULL; n++) {
            struct fx_buf message;
            fx_buf_init(&message, 0);
            fx_buf_printf(&message, "unknown field \"%s\"" HINT, further[i].unknown[n]);
            assert_true(n < compilation.n_warnings);
            assert_string_equal(compilation.warnings[n].text, message.data);
            assert_non_null(compilation.warnings[n].node);
            fx_buf_finish(&message);
        }
        assert_int_equal(compilation.n_warnings, n);
        json_t *root = pod_of("{}");
        assert_true(match(compilation.mutators[0], root).matched);
        assert_true(must_apply(compilation.mutators[0], &root).changed);
        assert_int_equal(compilation.mutators[0]->n_bindings,
                         strcmp(further[i].kind, "AssignMetadata") == 0 ? 0 : 1);
        json_decref(root);
        fx_compilation_finish(&compilation);
        json_decref(policy);
        free(text);
    }
}

static const struct refusal gatekeepers_words[] = {
    {GATEKEEPERS("Assign", POD_ONLY ",'location':'spec.x','parameters':{'assign':{"
                                    "'fromObject':'spec.y'}}"),
     "assign must set one of `externalData`, `value` or `fromMetadata`: invalid assign "
     "field",
     "{'fromObject':'spec.y'}", 0, 0},
    {GATEKEEPERS("Assign", "'location':'spec.l[k: * except v].x'"),
     "invalid location format `spec.l[k: * except v].x` for Assign m: unexpected token: "
     "expected ']' following listSpec, got: IDENT: \"except\"",
     NULL, 12, 6},
    {GATEKEEPERS("Remove", ""), "not a kind of Gatekeeper's", NULL, 0, 0},
    /* Ours are the same, with their own version. */
    {OURS("Assign", "'location':5"),
     "json: cannot unmarshal number into Go struct field AssignSpec.spec.location of "
     "type string",
     "5", 0, 0},
    {OURS("ModifySet", "'parameters':[]"),
     "json: cannot unmarshal array into Go struct field ModifySetSpec.spec.parameters of "
     "type v1alpha1.ModifySetParameters",
     "[]", 0, 0},
    {OURS("Assign", "'location':'metadata.x'"), "assign m can't change metadata",
     "'metadata.x'", 0, 0},
    {OURS("AssignMetadata", "'location':'spec.x'"),
     "invalid location for assignmetadata m: spec.x", "'spec.x'", 0, 0},
    {OURS("AssignImage", "'location':'spec.l[k: * except v]'"),
     "assignImage m cannot mutate list-type fields", NULL, 0, 0},
    {OURS("Assign", "'location':'spec.l[k: * except v]','parameters':{'assign':{'value':"
                    "{}}}"),
     "can't append to a globbed list", NULL, 0, 0},
    {OURS("Assign", "'location':'spec.l[k: * except v].k'"),
     "invalid path format: changing the item key is not allowed", NULL, 0, 0},
    {OURS("ModifySet", "'location':'spec.l[k: * except]'"),
     "invalid location format `spec.l[k: * except]` for ModifySet m: unexpected token: "
     "expected key value after 'except' in listSpec, got: RBRACKET: \"]\"",
     NULL, 18, 1},
};

static void speak_the_same_words(void **state) {
    (void)state;
    expect_refusals(gatekeepers_words, FX_COUNT(gatekeepers_words));
}

/* Exclusions, wherever there are locations. */
static const struct writing excepting[] = {
    {OURS("Assign", POD_ONLY
          ",'location':'spec.l[k: * except v].x','parameters':{'assign':{'value':1}}"),
     "{'l':[{'k':'v'},{'k':'w'},{}]}", "{'l':[{'k':'v'},{'k':'w','x':1},{'x':1}]}", NULL},
    {OURS("AssignImage", POD_ONLY ",'location':'spec.l[k: * except v, w].x',"
                                  "'parameters':{'assignTag':':1'}"),
     "{'l':[{'k':'v'},{'k':'w'}]}", NULL, "location"},
    {OURS("ModifySet", POD_ONLY
          ",'location':'spec.l[k: * except \\'v w\\'].x','parameters':{"
          "'values':{'fromList':[1]},'pathTests':[{'subPath':'spec.l[k: * except \\'v "
          "w\\'].x','condition':'MustExist'}]}"),
     "{'l':[{'k':'v w','x':[]},{'k':'v','x':[]},{}]}",
     "{'l':[{'k':'v w','x':[]},{'k':'v','x':[1]},{}]}", NULL},
};

static void take_exclusions(void **state) {
    (void)state;
    expect_writings(excepting, FX_COUNT(excepting));
}

static void know_the_further_fields(void **state) {
    (void)state;
    static const char *const policies[] = {
        OURS(
            "Assign", POD_ONLY
            ",'location':'spec.x','parameters':{'assign':{'fromObject':'spec.y'}}" NEVER),
        OURS("AssignMetadata", "'location':'metadata.labels.x','operations':['CREATE'],"
                               "'parameters':{'assign':{'value':'v'}}" NEVER),
        OURS("ModifySet", POD_ONLY ",'location':'spec.x'" NEVER),
        OURS("AssignImage", POD_ONLY
             ",'location':'spec.x','parameters':{'assignTag':':1','onlyIf':{'domains':["
             "'r.io']}}" NEVER),
        OURS("Remove", POD_ONLY ",'location':'spec.x'" NEVER),
    };
    for (size_t i = 0; i < FX_COUNT(policies); i++) {
        json_t *policy = must_read(policies[i]);
        struct fx_compilation compilation = must_compile(policy);
        assert_int_equal(compilation.n_warnings, 0);
        const struct fx_mutator *mutator = compilation.mutators[0];
        assert_string_equal(mutator->group, "mutations.fixpoint.dev");
        assert_int_equal(mutator->rank, 1);
        /* The annotation is evaluated first. */
        json_t *root = pod_of("{}");
        assert_string_equal(match(mutator, root).criterion, "annotationSelector");
        json_object_set_new(json_object_get(root, "metadata"), "annotations",
                            must_read("{'none':'any text'}"));
        assert_string_equal(match(mutator, root).criterion, "conditions");
        json_decref(root);
        fx_compilation_finish(&compilation);
        json_decref(policy);
    }
}

static void warn_of_fields_within(void **state) {
    (void)state;
    json_t *policy = must_read(OURS(
        "Remove", POD_ONLY
        ",'location':'spec.x','match':{'annotationSelector':{'matchLabel':{}}},"
        "'conditions':[{'location':'spec.x','operator':'Exists','value':1}],'operations':"
        "['CREATE'],'parameters':{'assign':{}}"));
    static const char *const expected[] = {
        "unknown field \"spec.match.annotationSelector.matchLabel\"",
        "unknown field \"spec.conditions[0].value\"",
        "unknown field \"spec.operations\"",
        "unknown field \"spec.parameters.assign\"",
    };
    struct fx_compilation compilation = must_compile(policy);
    assert_int_equal(compilation.n_warnings, FX_COUNT(expected));
    for (size_t i = 0; i < FX_COUNT(expected); i++) {
        assert_string_equal(compilation.warnings[i].text, expected[i]);
    }
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

#define LABEL(rest)                                                                 \
    OURS("AssignMetadata", "'location':'metadata.labels.x','parameters':{'assign':" \
                           "{'value':'v'}}" rest)

static const struct refusal operations_refused[] = {
    {LABEL(",'operations':'CREATE'"),
     "json: cannot unmarshal string into Go struct field "
     "AssignMetadataSpec.spec.operations of type []v1.Operation",
     "'CREATE'", 0, 0},
    {LABEL(",'operations':['CREATE',5]"),
     "json: cannot unmarshal number into Go struct field "
     "AssignMetadataSpec.spec.operations of type v1.Operation",
     "5", 0, 0},
    {LABEL(",'operations':['CREATE','DELETE','CREATE','*']"),
     "invalid operations for AssignMetadata mutator m: invalid operation \"DELETE\" in "
     "spec.operations: must be one of CREATE, UPDATE, *; duplicate operation \"CREATE\" "
     "in spec.operations; wildcard \"*\" in spec.operations must not be combined with "
     "other operations",
     "['CREATE','DELETE','CREATE','*']", 0, 0},
    {OURS("AssignMetadata", "'location':'metadata.labels.x','match':{"
                            "'annotationSelector':{'matchExpressions':[{'operator':"
                            "'Inn'}]}}"),
     "spec.match.annotationSelector: \"Inn\" is not a valid label selector operator",
     "{'operator':'Inn'}", 0, 0},
};

static void refuse_operations(void **state) {
    (void)state;
    expect_refusals(operations_refused, FX_COUNT(operations_refused));
}

/* Is the mutator among the candidates, and does it match? Both or neither. */
static bool acts_under(const struct fx_snapshot *snapshot, enum fx_operation operation,
                       const char **ret_criterion) {
    json_t *root = pod_of("{}");
    const struct fx_request request = {.operation = operation,
                                       .source = FX_SOURCE_ORIGINAL};
    struct fx_subject subject;
    fx_subject_read(root, &subject);
    struct fx_candidates candidates = {0};
    struct fx_verdict verdict = {0};
    struct fx_err err = FX_ERR_INIT;
    const struct fx_mutator *mutator = snapshot->mutators[0];
    assert_true(fx_snapshot_candidates(snapshot, &request, &subject, &candidates, &err));
    assert_true(mutator->ops->match(mutator, &request, &subject, &verdict, &err));
    assert_int_equal(candidates.n_indices, verdict.matched ? 1 : 0);
    *ret_criterion = verdict.criterion;
    fx_candidates_finish(&candidates);
    json_decref(root);
    return verdict.matched;
}

static void act_under_operations(void **state) {
    (void)state;
    enum { NONE = 1, CREATE = 2, UPDATE = 4, DELETE = 8, CONNECT = 16 };
    static const struct {
        const char *policy;
        unsigned under;
    } rows[] = {
        {LABEL(""), NONE | CREATE | UPDATE | DELETE | CONNECT},
        {LABEL(",'operations':null"), NONE | CREATE | UPDATE | DELETE | CONNECT},
        {LABEL(",'operations':[]"), NONE | CREATE | UPDATE},
        {LABEL(",'operations':['*']"), NONE | CREATE | UPDATE},
        {LABEL(",'operations':['UPDATE','CREATE']"), NONE | CREATE | UPDATE},
        {LABEL(",'operations':['CREATE']"), CREATE},
        {LABEL(",'operations':['UPDATE']"), UPDATE},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        json_t *policy = must_read(rows[i].policy);
        struct fx_compilation compilation = must_compile(policy);
        const struct fx_snapshot_parts parts = {.mutators = compilation.mutators,
                                                .n_mutators = 1};
        struct fx_snapshot *snapshot = NULL;
        struct fx_err err = FX_ERR_INIT;
        assert_true(fx_snapshot_build(&parts, 1, &snapshot, &err));
        for (unsigned operation = 0; operation <= FX_OPERATION_CONNECT; operation++) {
            const char *criterion = NULL;
            const bool acts =
                acts_under(snapshot, (enum fx_operation)operation, &criterion);
            assert_int_equal(acts, (rows[i].under >> operation) & 1u);
            assert_string_equal(acts ? "" : criterion, acts ? "" : "operations");
        }
        fx_snapshot_unref(snapshot);
        fx_compilation_finish(&compilation);
        json_decref(policy);
    }
}

/* Every kind of ours in the one version that there is. */
static void are_served(void **state) {
    (void)state;
    size_t n = 0;
    for (const struct fx_kind *kind = fx_dialect_gatekeeper.kinds; kind->kind != NULL;
         kind++) {
        if (strcmp(kind->group, "mutations.fixpoint.dev") == 0) {
            assert_string_equal(kind->versions[0], "v1alpha1");
            assert_null(kind->versions[1]);
            n++;
        }
    }
    assert_int_equal(n, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_unknown_to_gatekeeper),
        cmocka_unit_test(speak_the_same_words),
        cmocka_unit_test(take_exclusions),
        cmocka_unit_test(know_the_further_fields),
        cmocka_unit_test(warn_of_fields_within),
        cmocka_unit_test(refuse_operations),
        cmocka_unit_test(act_under_operations),
        cmocka_unit_test(are_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
