/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/access.c - what a rule reads and writes in an object: the
 * selectors and names of its match, and all of its expressions.
 *
 * What is merged is read only at the ends of the written paths: neither the merge nor the
 * decoding after it look at members that a configuration does not have
 * (merge/typed.h, decode.h). If they need a part that was not decoded, they refuse the
 * mutation, and the review starts again with the whole object.
 */
#include "mutators/admission_policy/access.h"

#include <stdlib.h>

#include "location/cel/reads.h"
#include "mutators/admission_policy/rule.h"

/* ---- match ------------------------------------------------------------------------- */

static bool selects(const struct map_match *match) {
    return match->object_selector != NULL || match->namespace_selector != NULL;
}

/* The namespaceSelector of a Namespace is evaluated on its own labels. Type, names and
 * labels are read of each object anyway. */
static void read_match(const struct map_rule *rule, struct fx_access *access) {
    const struct fx_path_step steps[] = {{.name = FX_TEXT("metadata")},
                                         {.name = FX_TEXT("labels")}};
    if (!selects(fx_map_rule_constraints(rule)) &&
        (rule->binding == NULL || !selects(&rule->binding->match))) {
        return;
    }
    access->matches_metadata = true;
    fx_access_read(access);
    fx_access_step(access, steps[0]);
    fx_access_step(access, steps[1]);
}

/* ---- what expressions read --------------------------------------------------------- */

/* Expressions that are followed, and the variables so far. */
struct map_reads {
    struct fx_cel_reading reading;
    struct fx_cel_field_places *variables;
    bool failed; /* no memory */
};

static void read_expression(struct map_reads *reads,
                            const struct map_expression *expression,
                            struct fx_cel_places *ret_places) {
    *ret_places = (struct fx_cel_places){.n = 0};
    reads->failed =
        reads->failed || !fx_cel_reads(&reads->reading, expression->program, ret_places);
}

static void use_expression(struct map_reads *reads,
                           const struct map_expression *expression) {
    struct fx_cel_places places;
    read_expression(reads, expression, &places);
    fx_cel_places_all(&places);
}

/* A variable can only use those before it. */
static void read_variables(struct map_reads *reads, const struct map_policy *policy) {
    for (size_t i = 0; i < policy->n_variables; i++) {
        const struct map_variable *variable = &policy->variables[i];
        read_expression(reads, &variable->expression, &reads->variables[i].places);
        reads->variables[i].name = fx_text_of(variable->name);
        reads->reading.n_fields = i + 1;
    }
}

static bool read_expressions(const struct map_policy *policy,
                             struct fx_json_part *parts) {
    struct map_reads reads = {
        .reading = {.root = parts,
                    .object = MAP_SLOT_OBJECT,
                    .composite = MAP_SLOT_VARIABLES},
        .variables = calloc(policy->n_variables + 1, sizeof *reads.variables),
    };
    if (reads.variables == NULL) {
        return false;
    }
    reads.reading.fields = reads.variables;
    for (size_t i = 0; i < policy->n_conditions; i++) {
        use_expression(&reads, &policy->conditions[i].expression);
    }
    read_variables(&reads, policy);
    for (size_t i = 0; i < policy->n_mutations; i++) {
        use_expression(&reads, &policy->mutations[i].expression);
    }
    free(reads.variables);
    return !reads.failed;
}

/* ---- what mutations write ---------------------------------------------------------- */

static void declare_mutations(const struct map_rule *rule, struct fx_access *access) {
    const struct map_policy *policy = rule->policy;
    struct map_writing writing = {.policy = policy,
                                  .access = access,
                                  .only_reads = rule->type == MAP_RULE_VALIDATE};
    for (size_t i = 0; i < policy->n_mutations; i++) {
        const struct map_mutation *mutation = &policy->mutations[i];
        const struct fx_cel_node *root =
            fx_cel_program_root(mutation->expression.program);
        if (mutation->type == MAP_JSON_PATCH) {
            access->uses_old_value = true;
            fx_map_write_patch(&writing, root);
        } else {
            fx_map_write_configuration(&writing, root);
        }
    }
    if (!writing.is_anywhere) {
        return;
    }
    if (!writing.only_reads) {
        fx_access_write(access, FX_ACCESS_UNTYPED, false);
    }
    if (access->parts != NULL) {
        fx_json_cursor_all((struct fx_json_cursor){.part = access->parts});
    }
}

/* ---- policies of Kyverno ------------------------------------------------------------
 */

/* The paths of a view are not those of the object; `request` and `images` have parts of
 * it, and so do the conditions of exceptions. */
static bool needs_whole(const struct map_owning_rule *own) {
    const unsigned parts = (1u << MAP_SLOT_REQUEST) | (1u << MAP_SLOT_IMAGES);
    return own->rule.view != MAP_VIEW_OBJECT || own->rule.n_exceptions > 0 ||
           (own->slots & parts) != 0;
}

static void declare_whole(const struct map_rule *rule, struct fx_access *access) {
    if (rule->type != MAP_RULE_VALIDATE) {
        fx_access_write(access, FX_ACCESS_UNTYPED, false);
    }
    access->uses_old_value = true;
    if (access->parts != NULL) {
        fx_json_cursor_all((struct fx_json_cursor){.part = access->parts});
    }
}

void fx_map_rule_access(const struct fx_mutator *self, struct fx_access *access) {
    const struct map_rule *rule = &fx_map_rule_of(self)->rule;
    if (rule->type == MAP_RULE_ABSENT) {
        return; /* it never matches */
    }
    read_match(rule, access);
    if (rule->type == MAP_RULE_FAIL) {
        return;
    }
    if (rule->policy->is_kyverno && needs_whole(fx_map_rule_of(self))) {
        declare_whole(rule, access);
        return;
    }
    if (access->parts != NULL && !read_expressions(rule->policy, access->parts)) {
        access->failed = true;
    }
    declare_mutations(rule, access);
}
