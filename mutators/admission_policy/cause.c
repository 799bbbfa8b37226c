/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/cause.c - the causes of the changes of a rule. Its mutations
 * run again, one by one, so that it is known which of them wrote a field; then the
 * expression of that one is walked along the location of the field.
 */
#include "mutators/admission_policy/cause.h"

#include "base/budget.h"
#include "mutators/admission_policy/invoke.h"
#include "value/equal.h"
#include "value/pointer.h"
#include "value/tree.h"

/* What all causes of one step may take, in units of the budget. */
#define UNITS_OF_CAUSES UINT64_C(50000000)

/* The step whose changes are explained. */
struct causes {
    const struct map_owning_rule *own;
    struct map_activation activation;
    struct fx_arena *arena;
    json_t *
        *states; /* counted: the object before each mutation, and after the last one */
    size_t n_states;
};

/* ---- which mutation ---------------------------------------------------------------- */

/* Runs the mutations. False without memory; there are fewer states if a mutation cannot
 * be run again. */
static bool run_mutations(struct causes *causes, json_t *before) {
    const size_t n = causes->own->rule.policy->n_mutations;
    struct fx_err err = FX_ERR_INIT;
    bool ok = true;
    causes->states = fx_arena_alloc(causes->arena, (n + 1) * sizeof(json_t *));
    if (causes->states == NULL) {
        return false;
    }
    causes->states[causes->n_states++] = json_incref(before);
    for (size_t i = 0; ok && i < n; i++) {
        json_t *root = json_incref(causes->states[i]);
        ok = fx_map_mutate_one(&causes->activation, &causes->own->rule, i, &root, &err);
        if (ok) {
            causes->states[causes->n_states++] = root;
        } else {
            json_decref(root);
        }
    }
    return err.code != FX_ENOMEM;
}

/* Did the mutation change the field? */
static bool has_written(const struct causes *causes, size_t index, struct fx_text path) {
    json_t *before = fx_pointer_view(causes->states[index], path);
    json_t *after = fx_pointer_view(causes->states[index + 1], path);
    return before != after &&
           (before == NULL || after == NULL || !fx_equal(before, after));
}

/* Does the value of the field come from this mutation? Of several that wrote a single
 * value the last one counts. */
static bool is_writer(const struct causes *causes, size_t index,
                      const struct fx_trace_change *change) {
    const bool is_whole = json_is_object(change->to) || json_is_array(change->to);
    bool is = has_written(causes, index, change->path);
    for (size_t i = index + 1; is && !is_whole && i + 1 < causes->n_states && fx_spend(1);
         i++) {
        is = !has_written(causes, i, change->path);
    }
    return is;
}

/* ---- one change -------------------------------------------------------------------- */

/* The tokens of a location, as far as they are read. */
struct tokens {
    struct fx_text *items;
    size_t n_items, cap_items;
};

static bool push(struct fx_arena *arena, struct tokens *tokens, struct fx_text token) {
    const char *copy = fx_arena_copy(arena, token);
    if (copy == NULL ||
        !FX_ARENA_GROW(arena, tokens->items, tokens->n_items, tokens->cap_items)) {
        return false;
    }
    tokens->items[tokens->n_items++] = (struct fx_text){copy, token.len};
    return true;
}

static bool split(struct fx_arena *arena, struct fx_text path, struct tokens *tokens) {
    struct fx_buf token = {0};
    bool ok = true;
    while (ok && fx_pointer_next(&path, &token)) {
        ok = push(arena, tokens, fx_buf_view(&token));
    }
    ok = ok && !token.failed;
    fx_buf_finish(&token);
    return ok;
}

/* A new object with one member is about that member. */
static bool narrow(struct fx_arena *arena, const struct fx_trace_change *change,
                   struct tokens *tokens) {
    const json_t *value = change->from == NULL ? change->to : NULL;
    bool ok = true;
    while (ok && json_object_size(value) == 1) {
        void *iter = fx_node_first(value);
        ok = push(arena, tokens, fx_node_key(iter));
        value = json_object_iter_value(iter);
    }
    return ok;
}

static bool collect(struct causes *causes, size_t index, struct map_location *location,
                    struct fx_trace_cause *cause) {
    const struct map_mutation *mutation = &causes->own->rule.policy->mutations[index];
    struct map_read_list list = {0};
    struct map_reads reads = {
        .own = causes->own,
        .activation = &causes->activation,
        .arena = causes->arena,
        .expression = &mutation->expression,
        .list = &list,
    };
    if (mutation->type == MAP_APPLY_CONFIGURATION) {
        fx_map_trace_configuration(&reads, location);
    } else {
        fx_map_trace_patch(&reads, location);
    }
    fx_map_reads_finish(&reads);
    cause->reads = list.first;
    cause->is_cut = list.is_cut;
    return !reads.failed;
}

/* Sets the cause of a change that this mutation made. */
static bool explain(struct causes *causes, size_t index, struct fx_trace_change *change) {
    struct tokens tokens = {0};
    struct fx_trace_cause *cause = fx_arena_alloc(causes->arena, sizeof *cause);
    char name[MAP_PART_BYTES];
    fx_map_name_mutation(index, name);
    const char *part = fx_arena_copy(causes->arena, fx_text_of(name));
    if (cause == NULL || part == NULL || !split(causes->arena, change->path, &tokens) ||
        !narrow(causes->arena, change, &tokens)) {
        return false;
    }
    struct map_location location = {.tokens = tokens.items,
                                    .n_tokens = tokens.n_items,
                                    .after = causes->states[index + 1]};
    cause->part = fx_text_of(part);
    if (!collect(causes, index, &location, cause)) {
        return false;
    }
    cause->next = change->cause;
    change->cause = cause;
    return true;
}

/* ---- all changes ------------------------------------------------------------------- */

/* Sets the causes of the changes that one mutation made. */
static bool explain_all(struct causes *causes, size_t index,
                        struct fx_trace_change *changes, size_t n_changes) {
    struct fx_err err = FX_ERR_INIT;
    bool ok = fx_map_activation_begin(&causes->activation, causes->states[index], false,
                                      MAP_MUTATION_COST, &err);
    for (size_t i = 0; ok && i < n_changes && fx_spend(1); i++) {
        if (is_writer(causes, index, &changes[i])) {
            ok = explain(causes, index, &changes[i]);
        }
    }
    return ok;
}

bool fx_map_rule_causes(const struct fx_mutator *self, const struct fx_request *request,
                        json_t *before, struct fx_trace_change *changes, size_t n_changes,
                        struct fx_arena *arena) {
    struct causes causes = {.own = fx_map_rule_of(self), .arena = arena};
    const struct fx_bound outer = fx_budget_narrow(UNITS_OF_CAUSES, 0);
    fx_map_activation_init(&causes.activation, causes.own->rule.policy,
                           causes.own->params, request);
    bool ok = run_mutations(&causes, before);
    for (size_t i = causes.n_states; ok && i > 1; i--) { /* the first one comes last */
        ok = explain_all(&causes, i - 2, changes, n_changes);
    }
    fx_map_activation_finish(&causes.activation);
    for (size_t i = 0; i < causes.n_states; i++) {
        json_decref(causes.states[i]);
    }
    (void)fx_budget_widen(outer);
    return ok;
}
