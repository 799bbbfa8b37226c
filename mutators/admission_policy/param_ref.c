/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/param_ref.c - prints which parameter a binding looks for.
 */
#include "mutators/admission_policy/param_ref.h"

#include "mutators/admission_policy/rule.h"
#include "value/json.h"
#include "value/tree.h"

static const json_t *view_selector(const struct map_binding *binding) {
    const json_t *spec = fx_tree_view_key(binding->document, "spec");
    return fx_tree_view_key(fx_tree_view_key(spec, "paramRef"), "selector");
}

void fx_map_print_param_ref(struct fx_buf *buf, const struct map_rule *rule,
                            struct fx_text namespace_) {
    const struct map_binding *binding = rule->binding;
    fx_buf_text(buf, rule->policy->param_kind.kind);
    if (binding->param_name.data != NULL) {
        fx_buf_printf(buf, " %.*s", FX_TEXT_ARG(binding->param_name));
    } else {
        fx_buf_str(buf, " with labels ");
        fx_json_write(buf, view_selector(binding), FX_JSON_COMPACT);
    }
    if (binding->param_namespace.data != NULL) {
        namespace_ = binding->param_namespace;
    } else if (!rule->only_namespaced) {
        return;
    }
    fx_buf_printf(buf, " in namespace %.*s", FX_TEXT_ARG(namespace_));
}

void fx_map_print_failing_part(struct fx_buf *buf, const struct map_rule *rule,
                               struct fx_text namespace_) {
    const struct fx_named_kind *kind = &rule->policy->param_kind;
    if (rule->binding == NULL) {
        fx_buf_printf(buf, "paramKind: %.*s%s%.*s %.*s", FX_TEXT_ARG(kind->group),
                      kind->group.len > 0 ? "/" : "", FX_TEXT_ARG(kind->version),
                      FX_TEXT_ARG(kind->kind));
        return;
    }
    fx_buf_str(buf, fx_map_rule_criterion_name(MAP_RULE_PARAMS));
    if (rule->lacks_params) {
        fx_buf_str(buf, ": no ");
        fx_map_print_param_ref(buf, rule, namespace_);
    }
}
