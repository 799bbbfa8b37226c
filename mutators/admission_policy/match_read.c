/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/match_read.c - reads matchConstraints of a policy, and
 * matchResources of a binding (spec/mutating-admission-policy.md section 1).
 */
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "mutators/admission_policy/policy.h"
#include "mutators/admission_policy/reading.h"
#include "value/tree.h"

/* ---- lists of words --------------------------------------------------------------- */

static bool has_word(const json_t *list, const char *word) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (fx_text_is(fx_tree_text(json_array_get(list, i)), word)) {
            return true;
        }
    }
    return false;
}

/* Reads a required list of strings, in which "*" must be alone. */
static const json_t *read_words(struct map_reading *reading, const json_t *rule,
                                const char *key, const char *others) {
    const json_t *words = fx_map_read_strings(reading, rule, key);
    if (json_array_size(words) == 0) {
        const json_t *given = fx_tree_view_key(rule, key);
        if (given == NULL || json_is_null(given) ||
            (json_is_array(given) && json_array_size(given) == 0)) {
            fx_map_require(reading, rule, key, NULL);
        }
        return NULL;
    }
    if (others != NULL && json_array_size(words) > 1 && has_word(words, "*")) {
        fx_map_refuse(reading, words, key, "if '*' is present, must not specify other %s",
                      others);
    }
    return words;
}

/* ---- operations ------------------------------------------------------------------- */

/* With DELETE, which rules of a binding may name: there is nothing to mutate then. */
static const char *const operation_words[] = {"*",      "CONNECT", "CREATE",
                                              "DELETE", "UPDATE",  NULL};

static unsigned operation_bits(struct fx_text word) {
    if (fx_text_is(word, "*")) {
        return FX_OPERATION_BIT(FX_OPERATION_CREATE) |
               FX_OPERATION_BIT(FX_OPERATION_UPDATE) |
               FX_OPERATION_BIT(FX_OPERATION_CONNECT);
    }
    const enum fx_operation operation = fx_operation_parse(word);
    return operation == FX_OPERATION_NONE ? 0 : FX_OPERATION_BIT(operation);
}

static void read_operations(struct map_reading *reading, const json_t *node,
                            struct map_resource_rule *rule) {
    const json_t *words = read_words(reading, node, "operations", "operations");
    const size_t mark = fx_map_enter(reading, "operations");
    size_t index = 0;
    const json_t *word = NULL;
    json_array_foreach (words, index, word) {
        const unsigned bits = operation_bits(fx_tree_text(word));
        rule->operations |= bits;
        if (bits == 0) {
            const size_t at = fx_map_enter_index(reading, index);
            fx_map_refuse_word(reading, word, NULL, operation_words);
            fx_map_leave(reading, at);
        }
    }
    fx_map_leave(reading, mark);
}

/* ---- resources -------------------------------------------------------------------- */

/* The part of "pods/status" before and after the slash; without one, `sub` has no data.
 */
static void split(struct fx_text text, struct fx_text *ret_main,
                  struct fx_text *ret_sub) {
    const char *slash = text.len == 0 ? NULL : memchr(text.data, '/', text.len);
    *ret_main = text;
    *ret_sub = (struct fx_text){0};
    if (slash != NULL) {
        ret_main->len = (size_t)(slash - text.data);
        *ret_sub = fx_text_rest(text, ret_main->len + 1);
    }
}

/* Does an element before `end` name all subresources of `main`, or this subresource of
 * all resources? Elements are few, or the budget ends it. */
static bool is_covered(const json_t *list, size_t end, struct fx_text main,
                       struct fx_text sub, bool by_main) {
    for (size_t i = 0; i < end && fx_spend(1); i++) {
        struct fx_text other_main;
        struct fx_text other_sub;
        split(fx_tree_text(json_array_get(list, i)), &other_main, &other_sub);
        if (by_main ? fx_text_equal(other_main, main) && fx_text_is(other_sub, "*")
                    : fx_text_equal(other_sub, sub) && other_sub.data != NULL &&
                          fx_text_is(other_main, "*")) {
            return true;
        }
    }
    return false;
}

static void check_resource(struct map_reading *reading, const json_t *list,
                           size_t index) {
    const json_t *node = json_array_get(list, index);
    const struct fx_text text = fx_tree_text(node);
    struct fx_text main;
    struct fx_text sub;
    const size_t at = fx_map_enter_index(reading, index);
    split(text, &main, &sub);
    if (text.len == 0) {
        fx_map_require(reading, list, NULL, NULL);
    }
    if (sub.data != NULL && is_covered(list, index, main, sub, true)) {
        fx_map_refuse(reading, node, NULL,
                      "if '%.*s/*' is present, must not specify %.*s", FX_TEXT_ARG(main),
                      FX_TEXT_ARG(text));
    }
    if (sub.data != NULL && is_covered(list, index, main, sub, false)) {
        fx_map_refuse(reading, node, NULL,
                      "if '*/%.*s' is present, must not specify %.*s", FX_TEXT_ARG(sub),
                      FX_TEXT_ARG(text));
    }
    fx_map_leave(reading, at);
}

static void read_resources(struct map_reading *reading, const json_t *node,
                           struct map_resource_rule *rule) {
    bool has_plain = false;
    rule->resources = read_words(reading, node, "resources", NULL);
    const size_t mark = fx_map_enter(reading, "resources");
    for (size_t i = 0; i < json_array_size(rule->resources); i++) {
        const struct fx_text text = fx_tree_text(json_array_get(rule->resources, i));
        has_plain = has_plain ||
                    (!fx_text_is(text, "*") && !fx_text_contains(text, FX_TEXT("/")));
        check_resource(reading, rule->resources, i);
    }
    if (json_array_size(rule->resources) > 1 && has_word(rule->resources, "*/*")) {
        fx_map_refuse(reading, rule->resources, NULL,
                      "if '*/*' is present, must not specify other resources");
    }
    if (has_plain && has_word(rule->resources, "*")) {
        fx_map_refuse(reading, rule->resources, NULL,
                      "if '*' is present, must not specify other resources without "
                      "subresources");
    }
    fx_map_leave(reading, mark);
}

/* ---- one rule --------------------------------------------------------------------- */

static void read_versions(struct map_reading *reading, const json_t *node,
                          struct map_resource_rule *rule) {
    rule->versions = read_words(reading, node, "apiVersions", "API versions");
    const size_t mark = fx_map_enter(reading, "apiVersions");
    size_t index = 0;
    const json_t *version = NULL;
    json_array_foreach (rule->versions, index, version) {
        if (json_string_length(version) == 0) {
            const size_t at = fx_map_enter_index(reading, index);
            fx_map_require(reading, rule->versions, NULL, NULL);
            fx_map_leave(reading, at);
        }
    }
    fx_map_leave(reading, mark);
}

/* The names of objects; an empty list is none. */
static void read_names(struct map_reading *reading, const json_t *node,
                       struct map_resource_rule *rule) {
    const json_t *names = fx_map_read_strings(reading, node, "resourceNames");
    const size_t mark = fx_map_enter(reading, "resourceNames");
    for (size_t i = 0; i < json_array_size(names); i++) {
        const struct fx_text name = fx_tree_text(json_array_get(names, i));
        for (size_t k = 0; k < i && fx_spend(1); k++) {
            if (fx_text_equal(fx_tree_text(json_array_get(names, k)), name)) {
                const size_t at = fx_map_enter_index(reading, i);
                fx_map_refuse_repeat(reading, json_array_get(names, i), NULL);
                fx_map_leave(reading, at);
                break;
            }
        }
    }
    fx_map_leave(reading, mark);
    rule->names = json_array_size(names) == 0 ? NULL : names;
}

static void read_scope(struct map_reading *reading, const json_t *node,
                       struct map_resource_rule *rule) {
    static const char *const words[] = {"*", "Cluster", "Namespaced", NULL};
    static const enum map_scope scopes[] = {MAP_SCOPE_ANY, MAP_SCOPE_CLUSTER,
                                            MAP_SCOPE_NAMESPACED, MAP_SCOPE_ANY};
    rule->scope = scopes[fx_map_read_word(reading, node, "scope", words)];
}

static void read_rule(struct map_reading *reading, const json_t *node,
                      struct map_resource_rule *rule) {
    static const char *const known[] = {"apiGroups",  "apiVersions", "resources",
                                        "operations", "scope",       "resourceNames",
                                        NULL};
    fx_map_warn_unknown(reading, node, known);
    read_names(reading, node, rule);
    read_operations(reading, node, rule);
    rule->groups = read_words(reading, node, "apiGroups", "API groups");
    read_versions(reading, node, rule);
    read_resources(reading, node, rule);
    read_scope(reading, node, rule);
}

static void read_rules(struct map_reading *reading, const json_t *resources,
                       const char *key, struct map_resource_rule **ret_rules,
                       size_t *ret_n) {
    const json_t *list = fx_map_read_objects(reading, resources, key);
    const size_t n = json_array_size(list);
    if (n == 0) {
        return;
    }
    struct map_resource_rule *rules = calloc(n, sizeof *rules);
    fx_map_need(reading, rules != NULL);
    const size_t mark = fx_map_enter(reading, key);
    for (size_t i = 0; rules != NULL && i < n && !reading->failed; i++) {
        const size_t at = fx_map_enter_index(reading, i);
        read_rule(reading, json_array_get(list, i), &rules[i]);
        fx_map_leave(reading, at);
    }
    fx_map_leave(reading, mark);
    *ret_rules = rules;
    *ret_n = rules == NULL ? 0 : n;
}

/* ---- selectors -------------------------------------------------------------------- */

struct fx_selector *fx_map_read_selector(struct map_reading *reading,
                                         const json_t *object, const char *key) {
    json_t *node = fx_map_read_object(reading, object, key);
    struct fx_selector *selector = NULL;
    struct fx_err err = FX_ERR_INIT;
    if (node == NULL) {
        return NULL;
    }
    const size_t mark = fx_map_enter(reading, key);
    const bool ok = !reading->failed &&
                    fx_selector_compile(node, reading->path.data, FX_SELECTOR_OVER_LABELS,
                                        &selector, &err) &&
                    fx_selector_check(selector, &err);
    if (!ok && err.code == FX_ENOMEM) {
        fx_map_need(reading, false);
    } else if (!ok && !reading->failed) {
        fx_map_refuse(reading, node, NULL, "%s", err.msg);
    }
    fx_map_leave(reading, mark);
    return selector;
}

/* ---- all of it -------------------------------------------------------------------- */

static struct fx_selector *read_narrowing(struct map_reading *reading,
                                          const json_t *resources, const char *key) {
    const json_t *node = fx_tree_view_key(resources, key);
    return json_is_object(node) && json_object_size(node) == 0
               ? NULL
               : fx_map_read_selector(reading, resources, key);
}

void fx_map_match_read_in(struct map_reading *reading, const json_t *resources,
                          struct map_match *ret_match) {
    static const char *const known[] = {"resourceRules",     "excludeResourceRules",
                                        "namespaceSelector", "objectSelector",
                                        "matchPolicy",       NULL};
    static const char *const policies[] = {"Equivalent", "Exact", NULL};
    fx_map_warn_unknown(reading, resources, known);
    ret_match->is_exact =
        fx_map_read_word(reading, resources, "matchPolicy", policies) == 1;
    ret_match->namespace_selector =
        read_narrowing(reading, resources, "namespaceSelector");
    ret_match->object_selector = read_narrowing(reading, resources, "objectSelector");
    read_rules(reading, resources, "resourceRules", &ret_match->rules,
               &ret_match->n_rules);
    read_rules(reading, resources, "excludeResourceRules", &ret_match->excludes,
               &ret_match->n_excludes);
}

bool fx_map_match_read(json_t *resources, const char *field, struct map_match *ret_match,
                       struct fx_compilation *compilation, struct fx_err *err) {
    struct map_reading reading;
    fx_map_reading_init(&reading, compilation, field);
    *ret_match = (struct map_match){0};
    fx_map_match_read_in(&reading, resources, ret_match);
    const bool ok = !reading.failed || fx_fail_nomem(err);
    fx_map_reading_finish(&reading);
    return ok;
}

void fx_map_match_finish(struct map_match *match) {
    free(match->rules);
    free(match->excludes);
    fx_selector_destroy(match->namespace_selector);
    fx_selector_destroy(match->object_selector);
    *match = (struct map_match){0};
}
