/* SPDX-License-Identifier: Apache-2.0
 *
 * skips.c - the cases that are not run, each with its reason: Fixpoint differs on purpose
 * (docs/compatibility.md).
 */
#include "skips.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "value/equal.h"
#include "value/tree.h"

#define EXACT_IN_DOUBLE (INT64_C(1) << 53)

/* ---- skipped for one of the policies ---------------------------------------------- */

static const json_t *view_parameters(const json_t *policy) {
    return fx_tree_view_key(fx_tree_view_key(policy, "spec"), "parameters");
}

static const json_t *view_assign(const json_t *policy) {
    return fx_tree_view_key(view_parameters(policy), "assign");
}

/* True if the policy has an integer that Gatekeeper would round, because it reads
 * `assign.value` into doubles. */
static bool assigns_large_integer(const json_t *policy) {
    const json_t *value = fx_tree_view_key(view_assign(policy), "value");
    const json_int_t integer = json_integer_value(value);
    return integer > EXACT_IN_DOUBLE || integer < -EXACT_IN_DOUBLE;
}

static const struct {
    bool (*is)(const json_t *policy);
    const char *reason;
} by_policy[] = {
    {assigns_large_integer, "on purpose: integers stay exact to 64 bits"},
};

/* ---- skipped for the case --------------------------------------------------------- */

/* True if the case depends on a difference between an integer and a double of the same
 * value, which Gatekeeper has. */
static bool tells_numbers_apart(const json_t *row) {
    return fx_text_is(fx_tree_view_string(row, "quirk"), "int64/float64");
}

static bool is_modify_set(const json_t *policy) {
    return fx_text_is(fx_tree_view_string(policy, "kind"), "ModifySet");
}

static const json_t *view_from_list(const json_t *policy) {
    return fx_tree_view_key(fx_tree_view_key(view_parameters(policy), "values"),
                            "fromList");
}

static bool has_modify_set(const json_t *row,
                           bool (*is)(const json_t *row, const json_t *policy)) {
    const json_t *policies = fx_tree_view_key(row, "mutators");
    for (size_t i = 0; i < json_array_size(policies); i++) {
        const json_t *policy = json_array_get(policies, i);
        if (is_modify_set(policy) && is(row, policy)) {
            return true;
        }
    }
    return false;
}

/* True if a list within `node` has the value with other types of numbers. */
static bool lists_retyped(json_t *node, const json_t *value) {
    const char *key = NULL;
    size_t index = 0;
    json_t *child = NULL;
    json_object_foreach (node, key, child) {
        if (lists_retyped(child, value)) {
            return true;
        }
    }
    json_array_foreach (node, index, child) {
        if ((fx_equal(child, value) && !json_equal(child, value)) ||
            lists_retyped(child, value)) {
            return true;
        }
    }
    return false;
}

static bool is_retyped_set(const json_t *row, const json_t *policy) {
    json_t *object = fx_tree_view_key(row, "object");
    size_t index = 0;
    const json_t *value = NULL;
    json_array_foreach (view_from_list(policy), index, value) {
        if (lists_retyped(object, value)) {
            return true;
        }
    }
    return false;
}

/* True if a set of numbers is applied to the same numbers of the other type. */
static bool tells_members_apart(const json_t *row) {
    return has_modify_set(row, is_retyped_set);
}

static bool is_without_list(const json_t *row, const json_t *policy) {
    (void)row;
    return !json_is_array(view_from_list(policy));
}

/* True if a missing list is merged into a missing field. Gatekeeper then writes
 * `null`. */
static bool merges_null(const json_t *row) {
    const json_t *mutated = fx_tree_view_key(fx_tree_view_key(row, "expect"), "mutated");
    return json_is_true(mutated) && has_modify_set(row, is_without_list);
}

static bool is_without_operation(const json_t *row, const json_t *policy) {
    (void)row;
    return fx_tree_view_key(view_parameters(policy), "operation") == NULL;
}

static bool lacks_default(const json_t *row) {
    return json_is_true(fx_tree_view_key(row, "noDefaults")) &&
           has_modify_set(row, is_without_operation);
}

/* True if Go's decoder refuses the policy for its version. */
static bool names_unserved_version(const json_t *row) {
    const struct fx_text words =
        fx_tree_view_string(fx_tree_view_key(row, "expect"), "mutatorError");
    return fx_text_starts(words, FX_TEXT("no kind \""));
}

/* True for "…: list key 5, object key 5", where the keys have the same value. */
static bool refuses_equal_key(const json_t *row) {
    const char *words = json_string_value(
        fx_tree_view_key(fx_tree_view_key(row, "expect"), "mutatorError"));
    const char *list_key = words != NULL ? strstr(words, ": list key ") : NULL;
    const char *object_key = words != NULL ? strstr(words, ", object key ") : NULL;
    if (list_key == NULL || object_key == NULL) {
        return false;
    }
    list_key += strlen(": list key ");
    const size_t len = (size_t)(object_key - list_key);
    object_key += strlen(", object key ");
    return strspn(list_key, "0123456789") == len && strlen(object_key) == len &&
           strncmp(list_key, object_key, len) == 0;
}

static const struct {
    bool (*is)(const json_t *row);
    const char *reason;
} by_row[] = {
    {tells_numbers_apart, "on purpose: 5 and 5.0 are equal"},
    {refuses_equal_key, "on purpose: 5 and 5.0 are equal"},
    {tells_members_apart, "on purpose: 5 and 5.0 are equal"},
    {merges_null,
     "on purpose: a missing `fromList` is an empty list, and is never written as null"},
    {lacks_default, "on purpose: the defaults of the CRDs hold everywhere"},
    {names_unserved_version, "refused by src/policy, with the message of kubectl"},
};

const char *fx_case_skip_reason(const json_t *row, const json_t *policies) {
    for (size_t i = 0; i < FX_COUNT(by_policy); i++) {
        for (size_t k = 0; k < json_array_size(policies); k++) {
            if (by_policy[i].is(json_array_get(policies, k))) {
                return by_policy[i].reason;
            }
        }
    }
    for (size_t i = 0; i < FX_COUNT(by_row); i++) {
        if (by_row[i].is(row)) {
            return by_row[i].reason;
        }
    }
    return NULL;
}

/* ---- KubeMod ---------------------------------------------------------------------- */

/* True for a case about KubeMod's webhook alone. In a cluster the schema of KubeMod's CRD
 * refuses the rule. */
static bool is_for_webhook_alone(const json_t *row) {
    return json_is_true(fx_tree_view_key(fx_tree_view_key(row, "expect"), "valid"));
}

static const json_t *view_spec(const json_t *row) {
    const json_t *rule = json_array_get(fx_tree_view_key(row, "modrules"), 0);
    return fx_tree_view_key(rule, "spec");
}

static const json_t *view_operations(const json_t *row) {
    return fx_tree_view_key(view_spec(row), "admissionOperations");
}

static bool patches_deletes_alone(const json_t *row) {
    const json_t *operations = view_operations(row);
    return fx_text_is(fx_tree_view_string(view_spec(row), "type"), "Patch") &&
           json_array_size(operations) == 1 &&
           fx_text_is(fx_tree_text(json_array_get(operations, 0)), "DELETE");
}

static struct fx_text view_value(const json_t *row) {
    const json_t *patch = fx_tree_view_key(view_spec(row), "patch");
    return fx_tree_view_string(json_array_get(patch, 0), "value");
}

/* True if the value is an integer that fits 64 bits, but not a double. */
static bool writes_large_integer(const json_t *row) {
    const struct fx_text value = view_value(row);
    char *end = NULL;
    errno = 0;
    const long long integer = value.len == 0 ? 0 : strtoll(value.data, &end, 10);
    return end == value.data + value.len && errno == 0 &&
           (long long)(double)integer != integer;
}

/* True if the case intends the text "y" for a value that is true in YAML. */
static bool intends_a_text(const json_t *row) {
    const json_t *intended =
        fx_tree_view_key(fx_tree_view_key(row, "intended"), "object");
    const json_t *labels =
        fx_tree_view_key(fx_tree_view_key(intended, "metadata"), "labels");
    return fx_text_is(view_value(row), "y") &&
           fx_text_is(fx_tree_view_string(labels, "c"), "y");
}

static const struct {
    bool (*is)(const json_t *row);
    const char *reason;
} by_modrule[] = {
    {is_for_webhook_alone, "refused here, as by the schema of KubeMod's CRD"},
    {patches_deletes_alone, "on purpose: a patch for DELETE alone is refused"},
    {writes_large_integer, "on purpose: integers stay exact to 64 bits"},
    {intends_a_text, "the intended result has YAML's `y` as a text"},
};

const char *fx_case_kubemod_skip_reason(const json_t *row) {
    for (size_t i = 0; i < FX_COUNT(by_modrule); i++) {
        if (by_modrule[i].is(row)) {
            return by_modrule[i].reason;
        }
    }
    return NULL;
}

/* Templates whose cases were recorded with a map as the context, and with a later Go than
 * KubeMod's. */
static const struct {
    const char *template;
    const char *reason;
} by_template[] = {
    {"{{ $ }}", "the context is a struct, as in KubeMod, not a map"},
    {"{{ .NoSuch }}", "the context is a struct, as in KubeMod, not a map"},
    {"{{ with .Target.nope }}a{{ else with .Target.kind }}b{{ end }}",
     "Go 1.18, which KubeMod is built with, has no `else with`"},
};

const char *fx_case_gotemplate_skip_reason(const json_t *row, const struct fx_err *err) {
    for (size_t i = 0; i < FX_COUNT(by_template); i++) {
        if (fx_text_is(fx_tree_view_string(row, "template"), by_template[i].template)) {
            return by_template[i].reason;
        }
    }
    /* The function is refused here, but exists in KubeMod. */
    const json_t *expect = fx_tree_view_key(row, "expect");
    return err->code == FX_EINVALID && fx_tree_view_key(expect, "error") == NULL
               ? "on purpose: functions of random, clock, network and secrets are refused"
               : NULL;
}

/* ---- CEL --------------------------------------------------------------------------- */

static bool has_tag(const json_t *row, const char *wanted) {
    const json_t *tags = fx_tree_view_key(row, "tags");
    for (size_t i = 0; i < json_array_size(tags); i++) {
        if (fx_text_is(fx_tree_text(json_array_get(tags, i)), wanted)) {
            return true;
        }
    }
    return false;
}

static const struct {
    const char *tag, *reason;
} cel_tags[] = {
    {"not-in-kubernetes", "CEL: not in Kubernetes"},
    {"strings-v3-not-in-kubernetes", "CEL: not in Kubernetes"},
    {"differs-in-kubernetes-1.36", "CEL: Kubernetes 1.36 answers otherwise"},
};

static const struct {
    const char *member, *reason;
} cel_members[] = {
    {"container", "CEL: Kubernetes has no container for names"},
    {"functionDecls", "CEL: functions that only this case declares"},
    {"unescaped", "CEL: names of fields are escaped in rules of CRDs only"},
};

const char *fx_case_cel_skip_reason(const json_t *row) {
    for (size_t i = 0; i < FX_COUNT(cel_tags); i++) {
        if (has_tag(row, cel_tags[i].tag)) {
            return cel_tags[i].reason;
        }
    }
    for (size_t i = 0; i < FX_COUNT(cel_members); i++) {
        if (fx_tree_view_key(row, cel_members[i].member) != NULL) {
            return cel_members[i].reason;
        }
    }
    return NULL;
}

/* ---- Kyverno ----------------------------------------------------------------------- */

/* Cases that Kyverno's engine answers otherwise, as its own records show. */
static const struct {
    const char *suite, *query, *reason;
} by_query[] = {
    {"compliance", "[:::]", "Kyverno: a slice may have a third colon"},
    {"compliance", "sum(`[]`)", "Kyverno: the sum of no numbers is an error"},
    {"kyverno-functions", "split('Hello, Gophers', ', ')",
     "the case has one element of the list that is the value"},
};

const char *fx_case_jmespath_skip_reason(const json_t *row) {
    for (size_t i = 0; i < FX_COUNT(by_query); i++) {
        if (fx_text_is(fx_tree_view_string(row, "suite"), by_query[i].suite) &&
            fx_text_is(fx_tree_view_string(row, "expression"), by_query[i].query)) {
            return by_query[i].reason;
        }
    }
    return NULL;
}

/* A unit test of Kyverno calls the operator with maps of another Go type than those of a
 * request, where empty maps are equal. */
const char *fx_case_condition_skip_reason(const json_t *row) {
    const json_t *key = fx_tree_view_key(row, "key");
    const json_t *value = fx_tree_view_key(row, "value");
    return json_is_object(key) && json_object_size(key) == 0 && json_is_object(value) &&
                   json_object_size(value) == 0
               ? "Kyverno: empty maps of a request are equal"
               : NULL;
}

/* ---- Kyverno's rules -------------------------------------------------------------- */

static const json_t *spec_of(const json_t *row, struct fx_text policy) {
    const json_t *policies = fx_tree_view_key(row, "policies");
    for (size_t i = 0; i < json_array_size(policies); i++) {
        const json_t *one = json_array_get(policies, i);
        const json_t *metadata = fx_tree_view_key(one, "metadata");
        if (fx_text_equal(fx_tree_view_string(metadata, "name"), policy)) {
            return fx_tree_view_key(one, "spec");
        }
    }
    return NULL;
}

static bool ignores_failure(const json_t *spec) {
    const json_t *webhook = fx_tree_view_key(spec, "webhookConfiguration");
    return fx_text_is(fx_tree_view_string(spec, "failurePolicy"), "Ignore") ||
           fx_text_is(fx_tree_view_string(webhook, "failurePolicy"), "Ignore");
}

bool fx_case_kyverno_ignores_failure(const json_t *row) {
    const json_t *rules = fx_tree_view_key(fx_tree_view_key(row, "expect"), "rules");
    for (size_t i = 0; i < json_array_size(rules); i++) {
        const json_t *rule = json_array_get(rules, i);
        if (fx_text_is(fx_tree_view_string(rule, "status"), "error") &&
            ignores_failure(spec_of(row, fx_tree_view_string(rule, "policy")))) {
            return true;
        }
    }
    return false;
}

/* Values of variables that Kyverno's command line takes from a file, instead of those of
 * the cluster. */
static bool has_given_values(const json_t *row) {
    return json_is_object(fx_tree_view_key(row, "values"));
}

static bool calls_merge(const json_t *row) {
    return fx_text_contains(fx_tree_view_string(row, "note"),
                            FX_TEXT("upstream calls the merge directly"));
}

/* Has a part of the case this text? */
static bool has_text(const json_t *part, const char *text) {
    char *printed = json_dumps(part, JSON_COMPACT);
    const bool has = printed != NULL && strstr(printed, text) != NULL;
    free(printed);
    return has;
}

/* Is an object deleted, and no rule names that operation? */
static bool deletes(const json_t *row) {
    return fx_text_is(fx_tree_view_string(row, "operation"), "DELETE") &&
           !has_text(fx_tree_view_key(row, "policies"), "\"DELETE\"");
}

static bool has_merge_directive(const json_t *row) {
    return has_text(fx_tree_view_key(row, "policies"), "[{\"$patch\":\"merge\"}");
}

static bool has_reference(const json_t *row) {
    return calls_merge(row) && has_text(fx_tree_view_key(row, "policies"), "$(");
}

static bool has_nested(const json_t *rule) {
    const json_t *list = fx_tree_view_key(fx_tree_view_key(rule, "mutate"), "foreach");
    bool found = false;
    for (size_t i = 0; !found && i < json_array_size(list); i++) {
        found = fx_tree_view_key(json_array_get(list, i), "foreach") != NULL;
    }
    return found;
}

/* Is a controller of Pods mutated by policies of which a rule nests foreach? The original
 * removes the template of the Pods before later rules see the object. */
static bool loses_template(const json_t *row) {
    const json_t *policies = fx_tree_view_key(row, "policies");
    bool found = false;
    for (size_t i = 0; !found && i < json_array_size(policies); i++) {
        const json_t *rules = fx_tree_view_key(
            fx_tree_view_key(json_array_get(policies, i), "spec"), "rules");
        for (size_t k = 0; !found && k < json_array_size(rules); k++) {
            found = has_nested(json_array_get(rules, k));
        }
    }
    return found && has_text(fx_tree_view_key(fx_tree_view_key(row, "expect"), "rules"),
                             "\"autogen-");
}

/* Is there a `{{` in a text of the object? The original evaluates it where the policy
 * writes a part of the object as a value. */
static bool has_braces(const json_t *row) {
    return has_text(fx_tree_view_key(row, "resource"), "{{");
}

static const struct {
    bool (*is)(const json_t *row);
    const char *reason;
} by_rule[] = {
    {loses_template, "on purpose: generated rules keep nested foreach"},
    {deletes, "on purpose: only rules that name DELETE concern deleted objects"},
    {fx_case_kyverno_ignores_failure,
     "on purpose: a rule that fails under Ignore undoes its policy, and no more"},
    {has_given_values, "values that Kyverno's command line takes from a file"},
    {has_reference, "Kyverno's test merges a patch whose references do not resolve"},
    {has_merge_directive, "on purpose: {$patch: merge} in a list changes nothing"},
    {has_braces, "on purpose: texts inside the value of a variable are no variables"},
};

static const char refused_element[] =
    "on purpose: an element without the key of its list is refused";

/* Accidents of the original that lose parts of the object, for which no case says what is
 * intended. */
static const struct {
    const char *quirk, *reason;
} by_quirk[] = {
    {"kyaml-missing-key", refused_element},
    {"kyaml-two-keys", "on purpose: elements of lists with two keys are not lost"},
    {"autogen-nested-foreach", "on purpose: generated rules keep nested foreach"},
};

const char *fx_case_kyverno_rules_skip_reason(const json_t *row,
                                              const struct fx_err *err) {
    if (fx_text_contains(fx_text_of(err->msg),
                         FX_TEXT("an element of this list has no key"))) {
        return refused_element;
    }
    for (size_t i = 0; i < FX_COUNT(by_rule); i++) {
        if (by_rule[i].is(row)) {
            return by_rule[i].reason;
        }
    }
    const struct fx_text quirk = fx_tree_view_string(row, "quirk");
    for (size_t i = 0; i < FX_COUNT(by_quirk); i++) {
        if (fx_text_is(quirk, by_quirk[i].quirk)) {
            return by_quirk[i].reason;
        }
    }
    return NULL;
}
