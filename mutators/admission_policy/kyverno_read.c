/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/kyverno_read.c - compiles Kyverno's MutatingPolicy and
 * NamespacedMutatingPolicy (Kyverno spec section 18). They have the fields of a
 * MutatingAdmissionPolicy without parameters; what is beside them is read here.
 */
#include "mutators/admission_policy/policy_reading.h"
#include "value/tree.h"

/* IfNeeded or, without the field, Never. */
static void read_reinvocation(struct map_policy_reading *of) {
    static const char *const words[] = {"IfNeeded", "Never", NULL};
    of->policy->reinvokes =
        fx_map_read_word(&of->reading, of->spec, "reinvocationPolicy", words) == 0;
}

static void warn(struct map_policy_reading *of, const json_t *node, const char *text) {
    fx_map_need(&of->reading,
                fx_compilation_warn(of->reading.compilation, node, "%s", text));
}

/* Is evaluation.<member>.enabled this boolean? */
static bool is_enabled(const json_t *evaluation, const char *member, bool wanted) {
    const json_t *enabled =
        fx_tree_view_key(fx_tree_view_key(evaluation, member), "enabled");
    return json_is_boolean(enabled) && json_is_true(enabled) == wanted;
}

static void read_evaluation(struct map_policy_reading *of) {
    const json_t *evaluation = fx_map_read_object(&of->reading, of->spec, "evaluation");
    of->policy->is_dormant = is_enabled(evaluation, "admission", false);
    if (of->policy->is_dormant) {
        warn(of, fx_tree_view_key(evaluation, "admission"),
             "spec.evaluation.admission.enabled is false: the policy changes no object "
             "of a request");
    }
    if (is_enabled(evaluation, "mutateExisting", true)) {
        warn(of, fx_tree_view_key(evaluation, "mutateExisting"),
             "spec.evaluation.mutateExisting: Fixpoint does not change existing objects "
             "yet");
    }
}

/* What says which existing objects are changed. Then an incoming object is only what
 * starts that. */
static void read_targets(struct map_policy_reading *of) {
    const json_t *targets =
        fx_map_read_object(&of->reading, of->spec, "targetMatchConstraints");
    if (targets != NULL) {
        of->policy->is_dormant = true;
        warn(of, targets,
             "spec.targetMatchConstraints: Fixpoint does not change existing objects "
             "yet, so the policy does nothing");
    }
}

static void read_fields(struct map_policy_reading *of) {
    static const char *const known[] = {"matchConstraints",
                                        "matchConditions",
                                        "variables",
                                        "mutations",
                                        "failurePolicy",
                                        "reinvocationPolicy",
                                        "auditAnnotations",
                                        "autogen",
                                        "evaluation",
                                        "webhookConfiguration",
                                        "targetMatchConstraints",
                                        "targetMatchConditions",
                                        NULL};
    const size_t mark = fx_map_enter(&of->reading, "spec");
    fx_map_warn_unknown(&of->reading, of->spec, known);
    fx_map_read_failure_policy(of);
    fx_map_read_constraints(of);
    fx_map_read_variables(of);
    fx_map_read_conditions(of);
    fx_map_read_mutations(of);
    read_reinvocation(of);
    read_evaluation(of);
    read_targets(of);
    fx_map_read_pod_controllers(of);
    fx_map_leave(&of->reading, mark);
}

bool fx_map_kyverno_compile(json_t *document, struct fx_compilation *ret_compilation,
                            struct fx_err *err) {
    return fx_map_policy_compile_as(document, true, read_fields, ret_compilation, err);
}
