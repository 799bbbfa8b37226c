/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kyverno/template_test.c - variables and references of rules, by the rules of
 * spec/kyverno.md section 7.
 */

#include "base/budget.h"
#include "location/jmespath/scope_testing.h"
#include "mutators/kyverno/template.h"
#include "mutators/kyverno/testing.h"
#include "value/equal.h"
#include "value/tree.h"

#define ARENA_BYTES ((size_t)1 << 20)

static const char names[] =
    "{\"request\":{\"operation\":\"CREATE\",\"object\":{\"metadata\":{\"name\":\"web\","
    "\"labels\":{\"a.b/c\":\"x\"}},\"spec\":{\"l\":[{\"v\":\"first\"}]}}},"
    "\"n\":5,\"o\":{\"k\":[1]},\"z\":null,\"nested\":\"{{ n }}\",\"open\":\"{{\","
    "\"loop\":\"a{{ loop }}\"}";

/* Compiles and evaluates a rule: a new reference, or NULL with an error. */
static json_t *eval_rule(json_t *rule, struct fx_err *err) {
    struct fx_arena arena;
    json_t *context = kyverno_read(names);
    json_t *tree = NULL;
    fx_arena_init(&arena, ARENA_BYTES);
    const struct kyverno_template_compile with = {
        .document = rule, .arena = &arena, .err = err};
    const struct fx_jmespath_scope scope = jmespath_scope_of(context);
    struct kyverno_template *compiled = fx_kyverno_template_compile(&with, rule, NULL);
    assert_non_null(compiled);
    const bool ok = fx_kyverno_template_eval(compiled, NULL, &scope, &tree, err);
    assert_int_equal(ok, tree != NULL);
    fx_kyverno_template_finish(compiled);
    fx_arena_finish(&arena);
    json_decref(context);
    return tree;
}

#define PATCH(value) "{\"mutate\":{\"patchStrategicMerge\":{\"x\":" value "}}}"

static void test_texts(void **state) {
    (void)state;
    static const struct {
        const char *rule, *result;
    } cases[] = {
        {PATCH("\"plain\""), PATCH("\"plain\"")},
        {PATCH("\"{{ n }}\""), PATCH("5")},
        {PATCH("\"{{o}}\""), PATCH("{\"k\":[1]}")},
        {PATCH("\"{{ z }}\""), PATCH("null")},
        {PATCH("\" {{ n }}\""), PATCH("\" 5\"")},
        {PATCH("\"{{ request.operation }}-{{ o }}\""),
         PATCH("\"CREATE-{\\\"k\\\":[1]}\"")},
        {PATCH("\"{{ {a: n} }}\""), PATCH("{\"a\":5}")},
        {PATCH("\"\\\\{{ n }}\""), PATCH("\"{{ n }}\"")},
        /* text that a value brings is read again, unless it is the whole value */
        {PATCH("\"{{ nested }}\""), PATCH("\"{{ n }}\"")},
        {PATCH("\"a-{{ nested }}\""), PATCH("\"a-5\"")},
        {PATCH("\"a-{{- nested }}\""), PATCH("\"a-{{ n }}\"")},
        {PATCH("\"a{{ open }} n }}\""), PATCH("\"a5\"")},
        /* innermost first */
        {PATCH("\"{{ o.{{ 'k' }} }}\""), PATCH("[1]")},
        /* the value at this place in the object */
        {"{\"mutate\":{\"patchStrategicMerge\":{\"metadata\":{\"name\":\"{{@}}-1\"}}}}",
         "{\"mutate\":{\"patchStrategicMerge\":{\"metadata\":{\"name\":\"web-1\"}}}}"},
        {"{\"mutate\":{\"patchStrategicMerge\":{\"spec\":{\"l\":[{\"v\":\"{{ @ "
         "}}\"}]}}}}",
         "{\"mutate\":{\"patchStrategicMerge\":{\"spec\":{\"l\":[{\"v\":\"first\"}]}}}}"},
        {"{\"mutate\":{\"foreach\":[{\"patchStrategicMerge\":{\"metadata\":{\"labels\":"
         "{\"a.b/c\":\"{{ to_upper('{{@}}') }}\"}}}}]}}",
         "{\"mutate\":{\"foreach\":[{\"patchStrategicMerge\":{\"metadata\":{\"labels\":"
         "{\"a.b/c\":\"X\"}}}}]}}"},
        /* keys */
        {PATCH("{\"k-{{ n }}\":1}"), PATCH("{\"k-5\":1}")},
        {PATCH("{\"{{ z }}\":1}"), PATCH("{\"{{ z }}\":1}")},
        /* references */
        {PATCH("{\"(a)\":\"v\",\"b\":\"$(./../a)-{{ n }}\"}"),
         PATCH("{\"(a)\":\"v\",\"b\":\"v-5\"}")},
        {PATCH("{\"a\":\"v\",\"b\":\"$(<=/mutate/patchStrategicMerge/x/a)\"}"),
         PATCH("{\"a\":\"v\",\"b\":\"<=v\"}")},
        {PATCH("\"\\\\$(NAME)\""), PATCH("\"$(NAME)\"")},
        {PATCH("\"$()\""), PATCH("\"$()\"")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fx_err err = FX_ERR_INIT;
        json_t *rule = kyverno_read(cases[i].rule);
        json_t *expected = kyverno_read(cases[i].result);
        json_t *got = eval_rule(rule, &err);
        if (got == NULL || !fx_equal(expected, got)) {
            fail_msg("%s: %s", cases[i].rule, got == NULL ? err.msg : "another result");
        }
        json_decref(got);
        json_decref(expected);
        json_decref(rule);
    }
}

static void test_faults(void **state) {
    (void)state;
    static const struct {
        const char *rule, *message;
        enum fx_code code;
    } cases[] = {
        {PATCH("\"{{ request.nope }}\""),
         "failed to resolve request.nope at path /mutate/patchStrategicMerge/x: JMESPath "
         "query failed: Unknown key \"nope\" in path",
         FX_EMUTATE},
        {PATCH("[\"{{ (n }}\"]"),
         "failed to resolve (n at path /mutate/patchStrategicMerge/x/0: ", FX_EMUTATE},
        {PATCH("{\"{{ n }}\":1}"), "the variable of a key must be a text: {{ n }}",
         FX_EMUTATE},
        {PATCH("\"$(./../nope)\""),
         "the reference $(./../nope) leads to no text of the rule", FX_EMUTATE},
        {PATCH("\"$(NAME)\""), "the reference $(NAME) leads to no text of the rule",
         FX_EMUTATE},
        {PATCH("\"x{{ loop }}\""), "variables bring variables more than 32 times",
         FX_ELIMIT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fx_err err = FX_ERR_INIT;
        json_t *rule = kyverno_read(cases[i].rule);
        assert_null(eval_rule(rule, &err));
        assert_int_equal(err.code, cases[i].code);
        if (!fx_text_contains(fx_text_of(err.msg), fx_text_of(cases[i].message))) {
            fail_msg("%s: %s", cases[i].rule, err.msg);
        }
        json_decref(rule);
    }
}

/* What has no variable is shared, not copied. */
static void test_shares(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    json_t *rule = kyverno_read("{\"a\":{\"b\":[1]},\"c\":\"{{ n }}\"}");
    json_t *tree = eval_rule(rule, &err);
    assert_non_null(tree);
    assert_ptr_equal(fx_tree_view_key(tree, "a"), fx_tree_view_key(rule, "a"));
    json_decref(tree);
    json_decref(rule);
}

/* A template borrows keys and texts of a part that its caller made for it alone. */
static void test_part_of_its_own(void **state) {
    (void)state;
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    fx_arena_init(&arena, ARENA_BYTES);
    const struct kyverno_template_compile with = {.arena = &arena, .err = &err};
    json_t *context = kyverno_read("{\"n\":\"x\"}");
    json_t *expected = kyverno_read("{\"first\":1,\"second\":{\"third\":\"x\"}}");
    json_t *part = kyverno_read("{\"first\":1,\"second\":{\"third\":\"{{ n }}\"}}");
    struct kyverno_template *compiled = fx_kyverno_template_compile(&with, part, NULL);
    assert_non_null(compiled);
    json_decref(part);
    json_t *other = kyverno_read("{\"FIRST\":1,\"SECOND\":{\"THIRD\":\"{{ m }}\"}}");
    const struct fx_jmespath_scope scope = jmespath_scope_of(context);
    json_t *tree = NULL;
    assert_true(fx_kyverno_template_eval(compiled, NULL, &scope, &tree, &err));
    assert_true(fx_equal(tree, expected));
    json_decref(tree);
    json_decref(other);
    fx_kyverno_template_finish(compiled);
    json_decref(context);
    json_decref(expected);
    fx_arena_finish(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_part_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
