/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/explain.c - what `fixpoint explain` says about the criteria
 * of a rule: what the policy asks for, and what the request has.
 */
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "mutators/admission_policy/match.h"
#include "mutators/admission_policy/param_ref.h"
#include "mutators/admission_policy/reads.h"
#include "mutators/admission_policy/rule.h"
#include "mutators/admission_policy/view.h"
#include "value/json.h"
#include "value/tree.h"

/* ---- which criterion --------------------------------------------------------------- */

static enum map_rule_criterion criterion_of(const char *text) {
    for (unsigned i = 0; i < MAP_RULE_CRITERIA_END; i++) {
        if (strcmp(text, fx_map_rule_criterion_name(i)) == 0) {
            return i;
        }
    }
    return MAP_RULE_CONDITIONS;
}

/* The match condition that the text names; NULL if it names none. */
static const struct map_condition *condition_of(const struct map_owning_rule *own,
                                                const char *text) {
    const struct map_policy *policy = own->rule.policy;
    for (size_t i = 0; i < policy->n_conditions; i++) {
        if (strcmp(text, own->conditions[i]) == 0) {
            return &policy->conditions[i];
        }
    }
    return NULL;
}

/* ---- what is asked for ------------------------------------------------------------- */

/* The value of the policy or the binding that a criterion is about. */
static const json_t *wanted_by(const struct map_rule *rule,
                               enum map_rule_criterion criterion) {
    const char *name = fx_map_rule_criterion_name(criterion);
    const char *last = strrchr(name, '.');
    const bool is_binding = strncmp(name, "binding.", 8) == 0;
    if (is_binding && rule->binding == NULL) {
        return NULL;
    }
    const json_t *document =
        is_binding ? rule->binding->document : rule->policy->document;
    const json_t *spec = fx_tree_view_key(document, "spec");
    if (criterion == MAP_RULE_PARAMS) {
        return fx_tree_view_key(spec, "paramRef");
    }
    const json_t *generated = rule->policy->view_constraints[rule->view];
    const json_t *match =
        generated != NULL
            ? generated
            : fx_tree_view_key(spec, is_binding ? "matchResources" : "matchConstraints");
    return last == NULL ? NULL : fx_tree_view_key(match, last + 1);
}

static void write_compact(struct fx_buf *buf, const json_t *value) {
    if (value != NULL) {
        fx_json_write(buf, value, FX_JSON_COMPACT);
    }
}

/* The text of an expression in one line. */
static void write_line(struct fx_buf *buf, struct fx_text text) {
    for (size_t i = 0; i < text.len; i++) {
        fx_buf_char(buf, (char)(text.data[i] == '\n' ? ' ' : text.data[i]));
    }
}

void fx_map_rule_explain(const struct fx_mutator *self, const char *criterion,
                         struct fx_criterion *ret_criterion) {
    const struct map_owning_rule *own = fx_map_rule_of(self);
    const enum map_rule_criterion which = criterion_of(criterion);
    const struct map_condition *condition = condition_of(own, criterion);
    ret_criterion->rank = (unsigned)which;
    ret_criterion->is_particular = which == MAP_RULE_PARAMS || condition != NULL;
    ret_criterion->is_silent = which == MAP_RULE_OTHER_PARAMS;
    ret_criterion->asks_namespace = which == MAP_RULE_POLICY_NAMESPACE ||
                                    which == MAP_RULE_BINDING_NAMESPACE ||
                                    which == MAP_RULE_PARAMS;
    ret_criterion->needs_namespace =
        which == MAP_RULE_POLICY_NAMESPACE || which == MAP_RULE_BINDING_NAMESPACE;
    fx_buf_str(&ret_criterion->field, criterion);
    if (condition != NULL) {
        fx_buf_printf(&ret_criterion->field, " \"%.*s\"", FX_TEXT_ARG(condition->name));
        write_line(&ret_criterion->wanted,
                   fx_text_trim_space(condition->expression.text));
    } else if (which == MAP_RULE_NAMESPACE) {
        fx_buf_text(&ret_criterion->wanted, own->rule.only_namespace);
    } else if (which != MAP_RULE_CONDITIONS && which != MAP_RULE_MUTATIONS &&
               which != MAP_RULE_RESOURCE) {
        write_compact(&ret_criterion->wanted, wanted_by(&own->rule, which));
    }
}

/* ---- what the request has ---------------------------------------------------------- */

/* Prints "CREATE of apps/v1 deployments/scale". */
static void print_resource(struct fx_buf *found, const struct fx_request *request,
                           const struct fx_subject *subject) {
    struct map_attributes attributes;
    if (!fx_map_attributes_read(request, subject, &attributes)) {
        found->failed = true;
    }
    const bool has_group = attributes.group.len > 0;
    fx_buf_printf(found, "%s of %.*s%s%.*s %.*s", fx_operation_name(request->operation),
                  FX_TEXT_ARG(attributes.group), has_group ? "/" : "",
                  FX_TEXT_ARG(attributes.version), FX_TEXT_ARG(attributes.resource));
    if (attributes.subresource.len > 0) {
        fx_buf_printf(found, "/%.*s", FX_TEXT_ARG(attributes.subresource));
    }
    fx_map_attributes_finish(&attributes);
}

static void print_labels(struct fx_buf *found, const json_t *labels) {
    if (labels == NULL || json_object_size(labels) == 0) {
        fx_buf_str(found, "no labels");
    } else {
        write_compact(found, labels);
    }
}

static const json_t *namespace_labels(const struct fx_request *request,
                                      const struct fx_subject *subject) {
    return subject->is_namespace
               ? subject->labels
               : fx_tree_view_key(fx_tree_view_key(request->namespace_object, "metadata"),
                                  "labels");
}

/* Prints "no ConfigMap settings in namespace ops", or the namespace of the request, which
 * is not that of the parameter. */
static void print_params(struct fx_buf *found, const struct map_rule *rule,
                         const struct fx_request *request,
                         const struct fx_subject *subject) {
    const struct fx_text namespace_ = fx_map_params_namespace(subject, request);
    if (rule->lacks_params) {
        fx_buf_str(found, "no ");
        fx_map_print_param_ref(found, rule, namespace_);
    } else {
        fx_buf_str(found, namespace_.len > 0 ? "namespace " : "no namespace");
        fx_buf_text(found, namespace_);
    }
}

/* Prints what the condition read. */
static void collect_condition(struct fx_buf *found, const struct map_owning_rule *own,
                              const struct map_condition *condition,
                              struct map_activation *activation) {
    struct map_read_list list = {0};
    struct map_reads reads = {
        .own = own,
        .activation = activation,
        .arena = &activation->arena,
        .expression = &condition->expression,
        .list = &list,
    };
    fx_map_reads_collect(&reads, fx_cel_program_root(condition->expression.program));
    fx_map_print_reads(found, &list);
    found->failed = found->failed || reads.failed;
    fx_map_reads_finish(&reads);
}

/* The object that the conditions of the rule see: a new reference; NULL without memory or
 * if it has no template. */
static json_t *view_object(const struct map_owning_rule *own,
                           const struct fx_subject *subject) {
    json_t *pod = NULL;
    struct fx_err err = FX_ERR_INIT;
    if (own->rule.view == MAP_VIEW_OBJECT) {
        return json_incref(fx_node_unconst(subject->object));
    }
    return fx_map_view_make(own->rule.view, subject->object, &pod, &err) ? pod : NULL;
}

static void print_condition(struct fx_buf *found, const struct map_owning_rule *own,
                            const struct fx_request *request,
                            const struct fx_subject *subject, const char *criterion) {
    const struct map_condition *condition = condition_of(own, criterion);
    struct map_activation activation;
    struct fx_err err = FX_ERR_INIT;
    if (condition == NULL) {
        return;
    }
    json_t *object = view_object(own, subject);
    fx_map_activation_init(&activation, own->rule.policy, own->params, request);
    if (object != NULL &&
        fx_map_activation_begin(&activation, object, true, MAP_CONDITIONS_COST, &err)) {
        collect_condition(found, own, condition, &activation);
    } else {
        found->failed = true;
    }
    fx_map_activation_finish(&activation);
    json_decref(object);
}

void fx_map_rule_found(const struct fx_mutator *self, const struct fx_request *request,
                       const struct fx_subject *subject, const char *criterion,
                       struct fx_buf *found) {
    const struct map_owning_rule *own = fx_map_rule_of(self);
    switch (criterion_of(criterion)) {
    case MAP_RULE_POLICY_OBJECT:
    case MAP_RULE_BINDING_OBJECT: print_labels(found, subject->labels); break;
    case MAP_RULE_POLICY_NAMESPACE:
    case MAP_RULE_BINDING_NAMESPACE:
        print_labels(found, namespace_labels(request, subject));
        break;
    case MAP_RULE_POLICY_RULES:
    case MAP_RULE_POLICY_EXCLUDES:
    case MAP_RULE_BINDING_RULES:
    case MAP_RULE_BINDING_EXCLUDES:
    case MAP_RULE_RESOURCE: print_resource(found, request, subject); break;
    case MAP_RULE_PARAMS: print_params(found, &own->rule, request, subject); break;
    case MAP_RULE_CONDITIONS:
        print_condition(found, own, request, subject, criterion);
        break;
    case MAP_RULE_NAMESPACE:
        fx_buf_text(found, fx_subject_object_namespace(subject, request));
        break;
    case MAP_RULE_EXCEPTION:
    case MAP_RULE_OTHER_PARAMS:
    case MAP_RULE_MUTATIONS:
    case MAP_RULE_CRITERIA_END: break;
    }
}
