/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/rule_access_test.c - what of an object, and of what is shown besides
 * it, a rule may look at.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "engine/access.h"
#include "mutators/kubemod/modrule.h"
#include "mutators/kubemod/synthetic_refs.h"
#include "mutators/kubemod/testing.h"
#include "value/json_part_testing.h"

/* The rule's match and patch; the tree; the namespace and the node: are they wanted? */
static const struct {
    const char *match, *patch, *reads;
    bool wants_namespace, wants_node;
} reads[] = {
    {"select: $.kind, matchValue: Pod", "op: add, path: /spec/a/b, value: x",
     "{kind* spec{a{b*}}}", false, false},
    {"select: $.metadata.labels", "op: remove, path: /spec/a",
     "{metadata{labels} spec{a*}}", false, false},
    {"select: '$.spec.l[*].a', matchRegex: x", "op: replace, path: /spec/a, value: x",
     "{spec{l[]{a*} a*}}", false, false},
    {"select: $.a",
     "op: add, select: '$.l[*]', path: '/m/#0', value: '{{ .SelectedItem.n }}'",
     "{a l[]{n*} m*}", false, false},
    {"select: $.a", "op: add, path: /l/-, value: '{{ .Target.b }}'", "{a b* l*}", false,
     false},
    {"select: $.a", "op: add, path: '', value: x", "{a}", false, false},
    {"select: $.a..b", "op: add, path: /metadata/labels/b, value: '{{ .Namespace }}'",
     "{a* metadata{labels{b*}}}", false, false},
    {"select: $.syntheticRefs.namespace.metadata.labels.a, matchValue: x",
     "op: add, path: /a, value: x", "{syntheticRefs{namespace{metadata{labels{a*}}}} a*}",
     true, false},
    {"select: $.syntheticRefs.node", "op: add, path: /a, value: x",
     "{syntheticRefs{node} a*}", false, true},
    {"select: $.syntheticRefs.other", "op: add, path: /a, value: x",
     "{syntheticRefs{other} a*}", false, false},
    {"select: $.a", "op: add, path: /a, value: '{{ .Target.syntheticRefs }}'",
     "{a* syntheticRefs*}", true, true},
    {"select: $.a",
     "op: add, path: /a, value: '{{ with .Target.syntheticRefs }}{{ .x }}{{ end }}'",
     "{a* syntheticRefs[]{x*}}", true, true},
    {"select: $.*", "op: add, path: /a, value: x", "[]{a*}", true, true},
    {"select: $..a", "op: add, path: /a, value: x", "*", true, true},
};

static struct fx_mutator *compile(const char *match, const char *patch) {
    char text[1024];
    struct fx_compilation made = {0};
    struct fx_err err = FX_ERR_INIT;
    (void)snprintf(text, sizeof text,
                   "apiVersion: api.kubemod.io/v1beta1\nkind: ModRule\n"
                   "metadata: {name: r, namespace: ns}\n"
                   "spec: {type: Patch, match: [{%s}], patch: [{%s}]}\n",
                   match, patch);
    json_t *policy = must_read(text);
    if (!fx_dialect_kubemod.compile(policy, &made, &err)) {
        fail_msg("%s: %s", text, err.msg);
    }
    struct fx_mutator *rule = fx_mutator_ref(made.mutators[0]);
    fx_compilation_finish(&made);
    json_decref(policy);
    return rule;
}

static bool has_input(const struct fx_mutator *rule, const struct fx_input *input) {
    size_t i = 0;
    while (i < rule->n_inputs && rule->inputs[i].key != input->key) {
        i++;
    }
    return i < rule->n_inputs;
}

static void finds_what_is_read(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(reads); i++) {
        struct fx_mutator *rule = compile(reads[i].match, reads[i].patch);
        struct fx_json_part root = {.omits_rest = true};
        struct fx_buf text;
        fx_buf_init(&text, 0);
        assert_true(fx_access_add_parts_of(rule, &root));
        part_testing_print(&text, &root);
        assert_string_equal(text.data, reads[i].reads);
        assert_int_equal(has_input(rule, &fx_synthetic_inputs[0]),
                         reads[i].wants_namespace);
        assert_int_equal(has_input(rule, &fx_synthetic_inputs[1]), reads[i].wants_node);
        fx_buf_finish(&text);
        fx_json_part_finish(&root);
        fx_mutator_unref(rule);
    }
}

/* Below an element, the key that selects it is read, too. */
static void elements_keep_their_identity(void **state) {
    (void)state;
    struct fx_mutator *rule =
        compile("select: $.a", "op: add, select: '$.l[*]', path: '/l/#0/v', value: x");
    struct fx_json_part root = {.omits_rest = true};
    assert_true(fx_access_add_parts_of(rule, &root));
    const struct fx_json_part *list = fx_json_part_find(&root, FX_TEXT("l"));
    static const char *const wanted[] = {"name", "containerPort", "type", "v"};
    assert_true(list->is_list && list->omits_rest);
    for (size_t i = 0; i < FX_COUNT(wanted); i++) {
        assert_non_null(fx_json_part_find(list, fx_text_of(wanted[i])));
    }
    assert_null(fx_json_part_find(list, FX_TEXT("other")));
    fx_json_part_finish(&root);
    fx_mutator_unref(rule);
}

/* What rules of these paths leave alone: type and names; labels and annotations. */
static const struct {
    const char *patch;
    bool keeps_names, keeps_metadata;
} writes[] = {
    {"op: add, path: /spec/a, value: x", true, true},
    {"op: add, path: /metadata/labels/a, value: x", true, false},
    {"op: remove, path: /metadata/annotations", true, false},
    {"op: add, path: /metadata/name, value: x", false, false},
    {"op: remove, path: /metadata", false, false},
    {"op: add, path: /kind, value: x", false, true},
    {"op: add, path: /apiVersion, value: x", false, true},
    {"op: add, path: '', value: x", false, false},
    {"op: add, select: '$.*', path: '/#0/a', value: x", false, false},
    {"op: add, select: '$.metadata.*', path: '/metadata/#0/a', value: x", false, false},
    {"op: add, select: '$.metadata.*', path: '/spec/#0/a', value: x", true, true},
};

static void knows_what_is_left_alone(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(writes); i++) {
        struct fx_mutator *rule = compile("select: $.a", writes[i].patch);
        assert_int_equal(rule->keeps_names, writes[i].keeps_names);
        assert_int_equal(rule->keeps_metadata, writes[i].keeps_metadata);
        fx_mutator_unref(rule);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_is_read),
        cmocka_unit_test(elements_keep_their_identity),
        cmocka_unit_test(knows_what_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
