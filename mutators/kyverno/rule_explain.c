/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/rule_explain.c - why a rule does not match: what the policy asks for, and what
 * the object has.
 */
#include <string.h>

#include "rule.h"
#include "value/json.h"
#include "value/tree.h"

#define FOUND_BYTES 160u /* the most bytes of a value of the object */

static const char *const attribute_names[] = {
#define X(name, text) text,
    KYVERNO_ATTRIBUTES(X)
#undef X
};

/* The attribute that the criterion ends in; KYVERNO_ATTRIBUTES_END: none. */
static enum kyverno_attribute attribute_of(const char *criterion) {
    const struct fx_text text = fx_text_of(criterion);
    size_t i = 0;
    while (i < FX_COUNT(attribute_names) &&
           !fx_text_ends(text, fx_text_of(attribute_names[i]))) {
        i++;
    }
    return (enum kyverno_attribute)i;
}

/* Finds "match.any[0].resources.kinds" in the rule; NULL if it is not there. */
static const json_t *find(const json_t *node, struct fx_text path) {
    while (path.len > 0 && node != NULL) {
        struct fx_text step = fx_text_cut(&path, '.');
        struct fx_text rest = step;
        const struct fx_text key = fx_text_cut(&rest, '[');
        node = fx_tree_view_text(node, key);
        size_t index = 0;
        for (size_t i = 0; i < rest.len && fx_is_digit(rest.data[i]); i++) {
            index = index * 10 + (size_t)(rest.data[i] - '0');
        }
        if (rest.len > 0) {
            node = json_array_get(node, index);
        }
    }
    return node;
}

static void print_cut(struct fx_buf *buf, const json_t *node) {
    struct fx_buf whole;
    fx_buf_init(&whole, 0);
    if (node == NULL) {
        fx_buf_str(&whole, "nothing");
    } else {
        fx_json_write(&whole, node, FX_JSON_COMPACT);
    }
    const size_t len = whole.len <= FOUND_BYTES
                           ? whole.len
                           : fx_text_rune_floor(whole.data, FOUND_BYTES);
    fx_buf_add(buf, whole.data, len);
    fx_buf_str(buf, len < whole.len ? "…" : "");
    fx_buf_fail_as(buf, &whole);
    fx_buf_finish(&whole);
}

/* Preconditions and exceptions are checked last, then `exclude`, then the attributes of
 * `match` from the last to the first. */
static unsigned rank_of(const char *criterion, enum kyverno_attribute attribute) {
    if (strcmp(criterion, KYVERNO_BY_EXCEPTIONS) == 0) {
        return 0;
    }
    if (strcmp(criterion, KYVERNO_BY_PRECONDITIONS) == 0) {
        return 1;
    }
    if (attribute == KYVERNO_ATTRIBUTES_END) {
        return fx_text_starts(fx_text_of(criterion), FX_TEXT("exclude"))
                   ? 2
                   : 3 + KYVERNO_ATTRIBUTES_END;
    }
    return 3 + (KYVERNO_ATTRIBUTES_END - 1 - attribute);
}

void fx_kyverno_rule_explain(const struct fx_mutator *self, const char *criterion,
                             struct fx_criterion *ret_criterion) {
    const struct kyverno_rule *rule = (const struct kyverno_rule *)self;
    const enum kyverno_attribute attribute = attribute_of(criterion);
    const bool is_of_rule = strcmp(criterion, KYVERNO_BY_POLICY_NAMESPACE) != 0 &&
                            strcmp(criterion, KYVERNO_BY_EXCEPTIONS) != 0;
    ret_criterion->rank = rank_of(criterion, attribute);
    ret_criterion->asks_namespace = attribute == KYVERNO_BY_NAMESPACES ||
                                    attribute == KYVERNO_BY_NAMESPACE_SELECTOR ||
                                    strcmp(criterion, KYVERNO_BY_POLICY_NAMESPACE) == 0;
    ret_criterion->needs_namespace = attribute == KYVERNO_BY_NAMESPACE_SELECTOR;
    fx_buf_str(&ret_criterion->field, criterion);
    if (strcmp(criterion, KYVERNO_BY_POLICY_NAMESPACE) == 0) {
        fx_buf_text(&ret_criterion->wanted, rule->policy->namespace_);
    } else if (is_of_rule) {
        const json_t *wanted = find(rule->body->document, fx_text_of(criterion));
        if (wanted != NULL) {
            print_cut(&ret_criterion->wanted, wanted);
        }
    }
}

/* ---- what the object has ------------------------------------------------------------
 */

/* The condition that is false, with its values. */
static void print_false(struct fx_buf *buf, const struct fx_mutator *self,
                        const struct fx_request *request, const json_t *object) {
    struct kyverno_false_condition condition = {0};
    struct fx_err err = FX_ERR_INIT;
    if (fx_kyverno_rule_find_false(self, request, fx_node_unconst(object), &condition,
                                   &err) &&
        condition.part != NULL) {
        fx_kyverno_false_condition_print(buf, &condition);
    }
    fx_kyverno_false_condition_finish(&condition);
}

static void print_attribute(struct fx_buf *buf, enum kyverno_attribute attribute,
                            const struct fx_request *request,
                            const struct fx_subject *subject) {
    const json_t *metadata = fx_tree_view_key(request->namespace_object, "metadata");
    switch (attribute) {
    case KYVERNO_BY_OPERATIONS:
        fx_buf_str(buf, fx_operation_name(request->operation));
        break;
    case KYVERNO_BY_KINDS:
        fx_buf_text(buf, subject->api_version);
        fx_buf_char(buf, '/');
        fx_buf_text(buf, subject->kind);
        break;
    case KYVERNO_BY_NAME:
    case KYVERNO_BY_NAMES:
        fx_buf_text(buf, subject->name.len > 0 ? subject->name : subject->generate_name);
        break;
    case KYVERNO_BY_NAMESPACES:
        fx_buf_text(buf, fx_subject_object_namespace(subject, request));
        break;
    case KYVERNO_BY_ANNOTATIONS: print_cut(buf, subject->annotations); break;
    case KYVERNO_BY_SELECTOR: print_cut(buf, subject->labels); break;
    case KYVERNO_BY_NAMESPACE_SELECTOR:
        print_cut(buf, fx_tree_view_key(metadata, "labels"));
        break;
    case KYVERNO_BY_SUBJECTS:
        print_cut(buf, fx_tree_view_key(request->admission, "userInfo"));
        break;
    case KYVERNO_BY_ROLES: print_cut(buf, request->roles); break;
    case KYVERNO_BY_CLUSTER_ROLES: print_cut(buf, request->cluster_roles); break;
    case KYVERNO_ATTRIBUTES_END: break;
    }
}

void fx_kyverno_rule_found(const struct fx_mutator *self,
                           const struct fx_request *request,
                           const struct fx_subject *subject, const char *criterion,
                           struct fx_buf *found) {
    if (strcmp(criterion, KYVERNO_BY_PRECONDITIONS) == 0) {
        print_false(found, self, request, subject->object);
    } else if (strcmp(criterion, KYVERNO_BY_POLICY_NAMESPACE) == 0) {
        fx_buf_text(found, fx_subject_object_namespace(subject, request));
    } else {
        print_attribute(found, attribute_of(criterion), request, subject);
    }
}
