/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/selector_test.c - label selectors: what fits, and Kubernetes' words for those it
 * refuses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "engine/fake_mutator.h"
#include "engine/selector.h"

#define EXPRESSION(key, operator, values)      \
    "{\"matchExpressions\": [{\"key\": \"" key \
    "\", \"operator\": \"" operator"\", \"values\": " values "}]}"

#define NAME_RULE                                                                   \
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must " \
    "start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  " \
    "or '123-abc', regex used for validation is "                                   \
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
#define VALUE_RULE                                                                  \
    "a valid label must be an empty string or consist of alphanumeric characters, " \
    "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. " \
    "'MyValue',  or 'my_value',  or '12345', regex used for validation is "         \
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
#define PREFIX_RULE                                                             \
    "prefix part a lowercase RFC 1123 subdomain must consist of lower case "    \
    "alphanumeric characters, '-' or '.', and must start and end with an "      \
    "alphanumeric character (e.g. 'example.com', regex used for validation is " \
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
#define TEN   "aaaaaaaaaa"
#define SIXTY TEN TEN TEN TEN TEN TEN

/* labels NULL: none. error NULL: `fits` holds. */
struct selector_case {
    const char *selector, *labels;
    bool fits;
    const char *error;
};

static const struct selector_case cases[] = {
    {"{}", NULL, true, NULL},
    {"{}", "{\"a\": \"b\"}", true, NULL},
    {"{\"matchLabels\": null, \"matchExpressions\": null}", NULL, true, NULL},
    {"{\"matchLabels\": {\"a\": \"b\"}}", "{\"a\": \"b\", \"c\": \"d\"}", true, NULL},
    {"{\"matchLabels\": {\"a\": \"b\"}}", "{\"a\": \"c\"}", false, NULL},
    {"{\"matchLabels\": {\"a\": \"b\"}}", NULL, false, NULL},
    {"{\"matchLabels\": {\"a\": \"b\", \"c\": \"d\"}}", "{\"a\": \"b\"}", false, NULL},
    {"{\"matchLabels\": {\"a\": \"\"}}", "{\"a\": \"\"}", true, NULL},
    {"{\"matchLabels\": {\"a\": null}}", "{\"a\": \"\"}", true, NULL},
    {"{\"matchLabels\": {\"a\": \"\"}}", "{}", false, NULL},
    {"{\"matchLabels\": {\"a\": \"\"}}", "{\"a\": null}", true, NULL},
    /* One label that is no string takes all of them away. */
    {"{\"matchLabels\": {\"a\": \"b\"}}", "{\"a\": \"b\", \"n\": 1}", false, NULL},
    {EXPRESSION("a", "In", "[\"x\", \"b\"]"), "{\"a\": \"b\"}", true, NULL},
    {EXPRESSION("a", "In", "[\"x\", \"b\"]"), "{\"a\": \"c\"}", false, NULL},
    {EXPRESSION("a", "In", "[\"x\"]"), NULL, false, NULL},
    {EXPRESSION("a", "NotIn", "[\"x\", \"b\"]"), "{\"a\": \"b\"}", false, NULL},
    {EXPRESSION("a", "NotIn", "[\"x\"]"), "{\"a\": \"b\"}", true, NULL},
    {EXPRESSION("a", "NotIn", "[\"x\"]"), NULL, true, NULL},
    {EXPRESSION("a", "Exists", "[]"), "{\"a\": \"\"}", true, NULL},
    {EXPRESSION("a", "Exists", "null"), "{\"b\": \"\"}", false, NULL},
    {EXPRESSION("a", "DoesNotExist", "[]"), "{\"b\": \"\"}", true, NULL},
    {EXPRESSION("a", "DoesNotExist", "[]"), "{\"a\": \"\"}", false, NULL},
    {EXPRESSION("a", "DoesNotExist", "[]"), NULL, true, NULL},
    {EXPRESSION("example.com/a_b.c", "Exists", "[]"), "{\"example.com/a_b.c\": \"1\"}",
     true, NULL},
    {EXPRESSION("", "Bad", "[]"), NULL, false,
     "\"Bad\" is not a valid label selector operator"},
    {EXPRESSION("a", "in", "[\"x\"]"), NULL, false,
     "\"in\" is not a valid label selector operator"},
    {EXPRESSION("a", "", "[]"), NULL, false,
     "\"\" is not a valid label selector operator"},
    {EXPRESSION("a", "In", "[]"), NULL, false,
     "values: Invalid value: []string(nil): for 'in', 'notin' operators, values set "
     "can't be empty"},
    {EXPRESSION("a", "Exists", "[\"x\", \"y\"]"), NULL, false,
     "values: Invalid value: []string{\"x\", \"y\"}: values set must be empty for exists "
     "and does not exist"},
    {EXPRESSION("bad key!", "Exists", "[]"), NULL, false,
     "key: Invalid value: \"bad key!\": " NAME_RULE},
    {EXPRESSION("", "Exists", "[]"), NULL, false,
     "key: Invalid value: \"\": name part must be non-empty; " NAME_RULE},
    {EXPRESSION(SIXTY "aaa", "DoesNotExist", "[]"), NULL, true, NULL},
    {EXPRESSION(SIXTY "aaaa", "DoesNotExist", "[]"), NULL, false,
     "key: Invalid value: \"" SIXTY "aaaa\": name part must be no more than 63 bytes"},
    {EXPRESSION("/a", "Exists", "[]"), NULL, false,
     "key: Invalid value: \"/a\": prefix part must be non-empty"},
    {EXPRESSION("Ex.com/a", "Exists", "[]"), NULL, false,
     "key: Invalid value: \"Ex.com/a\": " PREFIX_RULE},
    {EXPRESSION("a-.b/a", "Exists", "[]"), NULL, false,
     "key: Invalid value: \"a-.b/a\": " PREFIX_RULE},
    {EXPRESSION("a..b/", "Exists", "[]"), NULL, false,
     "key: Invalid value: \"a..b/\": " PREFIX_RULE
     "; name part must be non-empty; " NAME_RULE},
    {EXPRESSION("a/b/c", "Exists", "[]"), NULL, false,
     "key: Invalid value: \"a/b/c\": a valid label key must consist of alphanumeric "
     "characters, '-', '_' or '.', and must start and end with an alphanumeric character "
     "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
     "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix "
     "and '/' (e.g. 'example.com/MyName')"},
    {"{\"matchLabels\": {\"app\": \"bad value!\"}}", NULL, false,
     "values[0][app]: Invalid value: \"bad value!\": " VALUE_RULE},
    {EXPRESSION("app", "In", "[\"ok\", \"-\"]"), NULL, false,
     "values[1][app]: Invalid value: \"-\": " VALUE_RULE},
    {EXPRESSION("app", "In", "[\"" SIXTY "aaaa\"]"), NULL, false,
     "values[0][app]: Invalid value: \"" SIXTY "aaaa\": must be no more than 63 bytes"},
    /* Several errors of one requirement stand in brackets. */
    {EXPRESSION("-", "In", "[]"), NULL, false,
     "[key: Invalid value: \"-\": " NAME_RULE
     ", values: Invalid value: []string(nil): for 'in', 'notin' operators, values set "
     "can't be empty]"},
    /* Labels come before expressions. */
    {"{\"matchExpressions\": [{\"operator\": \"Bad\"}], \"matchLabels\": {\"a\": \"!\"}}",
     NULL, false, "values[0][a]: Invalid value: \"!\": " VALUE_RULE},
};

static void run_case(const struct selector_case *c, enum fx_selector_over over) {
    json_t *node = fake_json(c->selector);
    json_t *labels = c->labels == NULL ? NULL : fake_json(c->labels);
    struct fx_selector *selector = NULL;
    struct fx_err err = FX_ERR_INIT;
    assert_non_null(node);
    assert_true(fx_selector_compile(node, "spec.s", over, &selector, &err));
    bool fits = false;
    const bool ok = fx_selector_eval(selector, labels, &fits, &err);
    if (ok != (c->error == NULL) || (ok && fits != c->fits)) {
        fail_msg("%s on %s: %s", c->selector, c->labels == NULL ? "none" : c->labels,
                 ok ? (fits ? "fits" : "does not fit") : err.msg);
    }
    if (!ok) {
        assert_string_equal(err.msg, c->error);
        assert_int_equal(err.code, FX_EMUTATE);
    }
    fx_selector_destroy(selector);
    json_decref(labels);
    json_decref(node);
}

static void selectors(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        run_case(&cases[i], FX_SELECTOR_OVER_LABELS);
    }
}

/* Their values are any texts, and the letters of their keys of either case. */
static const struct selector_case annotation_cases[] = {
    {"{\"matchLabels\": {\"a\": \"any text!\"}}", "{\"a\": \"any text!\"}", true, NULL},
    {"{\"matchLabels\": {\"a\": \"" SIXTY "aaaa\"}}", "{\"a\": \"x\"}", false, NULL},
    {EXPRESSION("a", "In", "[\"{}\", \"\"]"), "{\"a\": \"{}\"}", true, NULL},
    {EXPRESSION("Example.com/a", "Exists", "[]"), "{\"Example.com/a\": \"\"}", true,
     NULL},
    {EXPRESSION("Exa_mple.com/a", "Exists", "[]"), NULL, false,
     "key: Invalid value: \"Exa_mple.com/a\": " PREFIX_RULE},
    {EXPRESSION("a b", "Exists", "[]"), NULL, false,
     "key: Invalid value: \"a b\": " NAME_RULE},
    {"{\"matchLabels\": {\"-\": \"b\"}}", NULL, false,
     "key: Invalid value: \"-\": " NAME_RULE},
    {EXPRESSION("a", "Exists", "[\"x\"]"), NULL, false,
     "values: Invalid value: []string{\"x\"}: values set must be empty for exists and "
     "does "
     "not exist"},
    {EXPRESSION("a", "Bad", "[]"), NULL, false,
     "\"Bad\" is not a valid label selector operator"},
};

static void annotation_selectors(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(annotation_cases); i++) {
        run_case(&annotation_cases[i], FX_SELECTOR_OVER_ANNOTATIONS);
    }
    static const struct selector_case of_labels = {
        EXPRESSION("Example.com/a", "Exists", "[]"), NULL, false,
        "key: Invalid value: \"Example.com/a\": " PREFIX_RULE};
    run_case(&of_labels, FX_SELECTOR_OVER_LABELS);
}

static const struct {
    const char *selector, *error;
} refused[] = {
    {"\"x\"", "json: cannot unmarshal string into Go struct field Match.spec.s of type "
              "v1.LabelSelector"},
    {"{\"matchLabels\": []}",
     "json: cannot unmarshal array into Go struct field "
     "LabelSelector.spec.s.matchLabels of type map[string]string"},
    {"{\"matchLabels\": {\"a\": 1}}",
     "json: cannot unmarshal number into Go struct field "
     "LabelSelector.spec.s.matchLabels of type string"},
    {"{\"matchExpressions\": {}}",
     "json: cannot unmarshal object into Go struct field "
     "LabelSelector.spec.s.matchExpressions of type []v1.LabelSelectorRequirement"},
    {"{\"matchExpressions\": [true]}",
     "json: cannot unmarshal bool into Go struct field "
     "LabelSelector.spec.s.matchExpressions of type v1.LabelSelectorRequirement"},
    {"{\"matchExpressions\": [{\"key\": 1.5}]}",
     "json: cannot unmarshal number into Go struct field "
     "LabelSelectorRequirement.spec.s.matchExpressions.key of type string"},
    {"{\"matchExpressions\": [{\"operator\": []}]}",
     "json: cannot unmarshal array into Go struct field "
     "LabelSelectorRequirement.spec.s.matchExpressions.operator of type "
     "v1.LabelSelectorOperator"},
    {"{\"matchExpressions\": [{\"values\": \"x\"}]}",
     "json: cannot unmarshal string into Go struct field "
     "LabelSelectorRequirement.spec.s.matchExpressions.values of type []string"},
    {"{\"matchExpressions\": [{\"values\": [{}]}]}",
     "json: cannot unmarshal object into Go struct field "
     "LabelSelectorRequirement.spec.s.matchExpressions.values of type string"},
};

static void wrong_types(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(refused); i++) {
        json_t *node = fake_json(refused[i].selector);
        struct fx_selector *selector = NULL;
        struct fx_err err = FX_ERR_INIT;
        assert_false(fx_selector_compile(node, "spec.s", FX_SELECTOR_OVER_LABELS,
                                         &selector, &err));
        assert_string_equal(err.msg, refused[i].error);
        assert_int_equal(err.code, FX_EINVALID);
        assert_non_null(err.node);
        json_decref(node);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selectors),
        cmocka_unit_test(annotation_selectors),
        cmocka_unit_test(wrong_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
