/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno_compare.c - compares objects as the cases of Kyverno ask for: exactly, without
 * what is empty, or only what is expected.
 */
#include "kyverno_compare.h"

#include "map.h"
#include "skips.h"
#include "value/equal.h"
#include "value/tree.h"

/* ---- subsets ---------------------------------------------------------------------- */

static bool is_within(const json_t *part, const json_t *whole, bool by_name);

/* The element of the same name; NULL if there is none. */
static const json_t *find_named(const json_t *list, const json_t *like) {
    const struct fx_text name = fx_tree_view_string(like, "name");
    for (size_t i = 0; name.len > 0 && i < json_array_size(list); i++) {
        if (fx_text_equal(fx_tree_view_string(json_array_get(list, i), "name"), name)) {
            return json_array_get(list, i);
        }
    }
    return NULL;
}

static bool is_list_within(const json_t *part, const json_t *whole, bool by_name) {
    if (json_array_size(part) != json_array_size(whole)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(part); i++) {
        const json_t *element = json_array_get(part, i);
        const json_t *named = by_name ? find_named(whole, element) : NULL;
        if (!is_within(element, named != NULL ? named : json_array_get(whole, i),
                       by_name)) {
            return false;
        }
    }
    return true;
}

/* Has `whole` all that `part` has? */
static bool is_within(const json_t *part, const json_t *whole, bool by_name) {
    if (json_is_array(part) && json_is_array(whole)) {
        return is_list_within(part, whole, by_name);
    }
    if (!json_is_object(part) || !json_is_object(whole)) {
        return fx_equal(part, whole) ||
               (fx_case_is_nothing(part) && fx_case_is_nothing(whole));
    }
    for (void *iter = fx_node_first(part); iter != NULL;
         iter = fx_node_next(part, iter)) {
        const json_t *value = json_object_iter_value(iter);
        const json_t *other = fx_tree_view_text(whole, fx_node_key(iter));
        if (other == NULL ? !fx_case_is_nothing(value)
                          : !is_within(value, other, by_name)) {
            return false;
        }
    }
    return true;
}

/* ---- answers ---------------------------------------------------------------------- */

bool fx_kyverno_is_expected(const json_t *expect, const json_t *resource,
                            const json_t *got) {
    const struct fx_text how = fx_tree_view_string(expect, "match");
    if (fx_text_starts(how, FX_TEXT("subset"))) {
        return is_within(resource, got, fx_text_is(how, "subset-by-name"));
    }
    if (!fx_text_is(how, "tidy")) {
        return fx_equal(resource, got);
    }
    json_t *wanted = fx_case_tidy(resource);
    json_t *tidied = fx_case_tidy(got);
    const bool equal = fx_equal(wanted, tidied);
    json_decref(wanted);
    json_decref(tidied);
    return equal;
}

/* Has a rule of this name changed the object? */
static bool has_passed(const json_t *rules, struct fx_text name) {
    for (size_t i = 0; i < json_array_size(rules); i++) {
        const json_t *rule = json_array_get(rules, i);
        if (fx_text_equal(fx_tree_view_string(rule, "rule"), name) &&
            fx_text_is(fx_tree_view_string(rule, "status"), "pass")) {
            return true;
        }
    }
    return false;
}

/* Some cases only say that one rule of several is skipped. */
static bool is_skipped(const json_t *row, const struct fx_kyverno_answer *answer) {
    const struct fx_text rule = fx_tree_view_string(row, "rule");
    return rule.len > 0 ? !has_passed(answer->rules, rule)
                        : fx_equal(fx_tree_view_key(row, "resource"), answer->object);
}

static bool agrees(const json_t *row, const json_t *expect,
                   const struct fx_kyverno_answer *answer) {
    const json_t *resource = fx_tree_view_key(expect, "resource");
    if (json_is_true(fx_tree_view_key(expect, "error"))) {
        return !answer->ok && answer->err.code == FX_EMUTATE;
    }
    if (!answer->ok) {
        return false;
    }
    if (resource == NULL) {
        return is_skipped(row, answer);
    }
    const json_t *rules = fx_tree_view_key(expect, "rules");
    return fx_kyverno_is_expected(expect, resource, answer->object) &&
           (rules == NULL || fx_case_kyverno_ignores_failure(row) ||
            fx_equal(rules, answer->rules));
}

void fx_kyverno_compare(const json_t *row, const struct fx_kyverno_answer *answer,
                        struct fx_case_result *result) {
    const json_t *expect = fx_tree_view_key(row, "expect");
    const json_t *intended = fx_tree_view_key(row, "intended");
    const json_t *resource = fx_tree_view_key(expect, "resource");
    if (!answer->parts_agree) {
        fx_case_fail(result, "part", "the patch of the whole", answer->part_err.msg);
    } else if (agrees(row, expect, answer) ||
               (intended != NULL && agrees(row, intended, answer))) {
        return;
    }
    result->skipped = fx_case_kyverno_rules_skip_reason(row, &answer->err);
    if (result->skipped != NULL) {
        return;
    }
    if (json_is_true(fx_tree_view_key(expect, "error"))) {
        fx_case_fail(result, "error", "a rule that fails",
                     answer->ok ? "an object" : answer->err.msg);
    } else if (!answer->ok) {
        fx_case_fail(result, "object", "one", answer->err.msg);
    } else {
        fx_case_expect_json(result, "object", resource, answer->object);
        if (!result->failed) {
            fx_case_expect_json(result, "rules", fx_tree_view_key(expect, "rules"),
                                answer->rules);
        }
        if (!result->failed) {
            fx_case_fail(result, "object", "a part", "another one");
        }
    }
}
