/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/pod_controllers.c - autogen of Kyverno's MutatingPolicy:
 * which controllers of Pods a policy for Pods is also for.
 */
#include "engine/dialect.h"
#include "mutators/admission_policy/policy_reading.h"
#include "value/tree.h"

#define ANNOTATION "pod-policies.kyverno.io/autogen-controllers"

/* The controllers, by bits of their index. */
static const struct {
    const char *resource, *kind, *group;
    enum map_view view;
} controllers[] = {
    {"daemonsets", "DaemonSet", "apps", MAP_VIEW_TEMPLATE},
    {"deployments", "Deployment", "apps", MAP_VIEW_TEMPLATE},
    {"statefulsets", "StatefulSet", "apps", MAP_VIEW_TEMPLATE},
    {"jobs", "Job", "batch", MAP_VIEW_TEMPLATE},
    {"cronjobs", "CronJob", "batch", MAP_VIEW_CRON_JOB},
    {"replicasets", "ReplicaSet", "apps", MAP_VIEW_TEMPLATE},
};

#define DEFAULT_CONTROLLERS 0x1fu /* all but replicasets */

/* ---- which ones ---------------------------------------------------------------------
 */

/* The controller with this name, of either form, as a set; empty if there is none. */
static unsigned find_controller(struct fx_text name) {
    for (size_t i = 0; i < FX_COUNT(controllers); i++) {
        if (fx_text_is(name, controllers[i].resource) ||
            fx_text_is(name, controllers[i].kind)) {
            return 1u << i;
        }
    }
    return 0;
}

static unsigned read_controller(struct map_reading *reading, const json_t *node,
                                struct fx_text name) {
    const unsigned found = find_controller(name);
    if (found == 0) {
        fx_map_need(reading, fx_compilation_warn(
                                 reading->compilation, node,
                                 "autogen: `%.*s` is not a controller of Pods that "
                                 "Fixpoint knows",
                                 FX_TEXT_ARG(name)));
    }
    return found;
}

/* autogen.podControllers.controllers; an empty list stands for none. */
static unsigned read_list(struct map_reading *reading, const json_t *of) {
    const json_t *list = fx_map_read_strings(reading, of, "controllers");
    unsigned set = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *node = json_array_get(list, i);
        set |= read_controller(reading, node, fx_tree_text(node));
    }
    return set;
}

/* The annotation of Kyverno's older policies: "none", or names with commas between. */
static unsigned read_annotation(struct map_reading *reading, const json_t *node) {
    struct fx_text rest = fx_tree_text(node);
    unsigned set = 0;
    if (fx_text_is(rest, "none")) {
        return 0;
    }
    while (rest.len > 0) {
        set |=
            read_controller(reading, node, fx_text_trim_space(fx_text_cut(&rest, ',')));
    }
    return set;
}

static unsigned read_controllers(struct map_policy_reading *of) {
    struct map_reading *reading = &of->reading;
    const json_t *metadata = fx_tree_view_key(of->policy->document, "metadata");
    const json_t *annotation =
        fx_tree_view_key(fx_tree_view_key(metadata, "annotations"), ANNOTATION);
    const json_t *autogen = fx_map_read_object(reading, of->spec, "autogen");
    const size_t mark = fx_map_enter(reading, "autogen");
    const json_t *given = fx_map_read_object(reading, autogen, "podControllers");
    const size_t at = fx_map_enter(reading, "podControllers");
    const unsigned set = given != NULL ? read_list(reading, given)
                         : json_is_string(annotation)
                             ? read_annotation(reading, annotation)
                             : DEFAULT_CONTROLLERS;
    fx_map_leave(reading, at);
    fx_map_leave(reading, mark);
    return set;
}

/* ---- which policies -----------------------------------------------------------------
 */

static bool is_only(const json_t *list, const char *text) {
    return json_array_size(list) == 1 &&
           fx_text_is(fx_tree_text(json_array_get(list, 0)), text);
}

/* Is the policy for Pods, and for nothing else? Selectors and names are about the Pods
 * themselves, so such policies are not for controllers. */
static bool is_for_pods(const struct map_match *match) {
    return match->n_rules == 1 && is_only(match->rules[0].groups, "") &&
           is_only(match->rules[0].versions, "v1") &&
           is_only(match->rules[0].resources, "pods") && match->rules[0].names == NULL &&
           match->namespace_selector == NULL && match->object_selector == NULL;
}

/* ---- what they match ----------------------------------------------------------------
 */

static json_t *make_rule(const json_t *pods, const char *group, json_t *resources_take) {
    return json_pack("{s:[s], s:[s], s:o, s:O*}", "apiGroups", group, "apiVersions", "v1",
                     "resources", resources_take, "operations",
                     fx_tree_view_key(pods, "operations"));
}

/* Appends the rule of the controllers of a group. False without memory. */
static bool add_rule(json_t *rules, const json_t *pods, unsigned set, enum map_view view,
                     const char *group) {
    json_t *resources = json_array();
    bool ok = resources != NULL;
    for (size_t i = 0; ok && i < FX_COUNT(controllers); i++) {
        if ((set & 1u << i) != 0 && controllers[i].view == view &&
            fx_text_is(fx_text_of(group), controllers[i].group)) {
            ok = json_array_append_new(resources, json_string(controllers[i].resource)) ==
                 0;
        }
    }
    if (!ok || json_array_size(resources) == 0) {
        json_decref(resources);
        return ok;
    }
    return json_array_append_new(rules, make_rule(pods, group, resources)) == 0;
}

/* The matchConstraints of a view: a new reference; NULL without memory. */
static json_t *make_constraints(const json_t *constraints, unsigned set,
                                enum map_view view) {
    const json_t *pods =
        json_array_get(fx_tree_view_key(constraints, "resourceRules"), 0);
    json_t *rules = json_array();
    if (rules == NULL || !add_rule(rules, pods, set, view, "apps") ||
        !add_rule(rules, pods, set, view, "batch")) {
        json_decref(rules);
        return NULL;
    }
    return json_pack("{s:o, s:O*, s:O*}", "resourceRules", rules, "excludeResourceRules",
                     fx_tree_view_key(constraints, "excludeResourceRules"), "matchPolicy",
                     fx_tree_view_key(constraints, "matchPolicy"));
}

/* Sets the match of a view. Its parts were read before, so there are no new faults. */
static void set_match(struct map_policy_reading *of, unsigned set, enum map_view view) {
    struct map_policy *policy = of->policy;
    struct fx_compilation ignored = {0};
    struct fx_err err = FX_ERR_INIT;
    policy->view_constraints[view] =
        make_constraints(fx_tree_view_key(of->spec, "matchConstraints"), set, view);
    fx_map_need(&of->reading,
                policy->view_constraints[view] != NULL &&
                    fx_map_match_read(policy->view_constraints[view],
                                      "spec.matchConstraints",
                                      &policy->view_matches[view], &ignored, &err));
    fx_compilation_finish(&ignored);
}

void fx_map_read_pod_controllers(struct map_policy_reading *of) {
    const unsigned set = read_controllers(of);
    if (set == 0 || of->reading.failed || !is_for_pods(&of->policy->match)) {
        return;
    }
    set_match(of, set, MAP_VIEW_TEMPLATE);
    set_match(of, set, MAP_VIEW_CRON_JOB);
}
