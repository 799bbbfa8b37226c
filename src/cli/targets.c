/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/targets.c - runs the rules that each object triggers on all objects.
 */
#include "cli/targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "engine/existing.h"
#include "engine/trigger.h"
#include "value/patch.h"

/* All objects, and how they are now. */
struct run {
    const struct fx_apply_values *values;
    struct fx_apply_inputs *inputs;
    json_t **states; /* of each object; counted */
    bool colour;
};

/* A rule that an object triggers. */
struct triggered {
    struct run *run;                      /* NULL for fx_targets_mutate() */
    const struct fx_input_object *object; /* the trigger; the same */
    void *find_user;                      /* fx_question_find_user() */
    const struct fx_mutator *rule;
    const struct fx_trigger_view *view;
    struct fx_request request;
    struct fx_inputs inputs;
};

static enum fx_exit say_failure(const struct run *run,
                                const struct fx_input_object *object,
                                const struct fx_err *err) {
    struct fx_buf message = {0};
    fx_failure_print(&message, object, NULL, err, run->colour);
    fx_say_take(&message);
    return fx_exit_of(err);
}

/* Says that the rule failed for a target, or (NULL) before it had one. */
static enum fx_exit say_rule_failure(const struct triggered *triggered,
                                     const struct fx_input_object *target,
                                     struct fx_err *err) {
    if (!fx_err_is_ours(err)) {
        err->code = FX_EMUTATE;
        (void)fx_err_prefix(err, "mutator %s %s: ", triggered->rule->kind,
                            triggered->rule->full_name);
    }
    return say_failure(triggered->run, target == NULL ? triggered->object : target, err);
}

/* ---- a rule ------------------------------------------------------------------------ */

/* Finds the inputs that the rule asked for among the files. Providers are not called. */
static void find_inputs(struct triggered *triggered) {
    triggered->inputs.n_rounds++;
    fx_inputs_look_up(&triggered->inputs, fx_namespaces_look_up_input,
                      triggered->find_user);
    for (struct fx_input_entry *entry = triggered->inputs.first; entry != NULL;
         entry = entry->next) {
        struct fx_err err = FX_ERR_INIT;
        if (entry->state == FX_INPUT_WANTED || entry->state == FX_INPUT_AWAITED) {
            (void)fx_fail(&err, FX_EMUTATE, "this input is not available with --targets");
            fx_inputs_give(entry, NULL, &err);
        }
    }
}

static bool select_targets(struct triggered *triggered,
                           struct fx_existing_queries *queries, struct fx_err *err) {
    const struct fx_existing_ops *ops = triggered->rule->ops->existing;
    while (!ops->select(triggered->rule, &triggered->request, triggered->view->object,
                        queries, err)) {
        if (err->code != FX_EINPUT) {
            return false;
        }
        fx_err_reset(err);
        fx_existing_queries_finish(queries);
        find_inputs(triggered);
    }
    return true;
}

static bool apply_rule(struct triggered *triggered, json_t **state, struct fx_err *err) {
    enum fx_existing_result result = FX_EXISTING_SAME;
    while (!fx_existing_apply(triggered->rule, &triggered->request,
                              triggered->view->object, state, &result, err)) {
        if (err->code != FX_EINPUT) {
            return false;
        }
        fx_err_reset(err);
        find_inputs(triggered);
    }
    return result != FX_EXISTING_UNSETTLED ||
           fx_fail(err, FX_EMUTATE,
                   "each application of the rule changes the object again, so it is not "
                   "written");
}

/* Does any of the queries ask for the object? */
static bool is_target(const struct fx_existing_queries *queries, const json_t *object,
                      bool *ret_is, struct fx_err *err) {
    *ret_is = false;
    for (size_t i = 0; !*ret_is && i < queries->n_items; i++) {
        if (!fx_existing_query_fits(&queries->items[i], object, ret_is, err)) {
            return false;
        }
    }
    return true;
}

static enum fx_exit mutate_target(struct triggered *triggered,
                                  const struct fx_existing_queries *queries, size_t at) {
    struct run *run = triggered->run;
    struct fx_err err = FX_ERR_INIT;
    bool is = false;
    return is_target(queries, run->states[at], &is, &err) &&
                   (!is || apply_rule(triggered, &run->states[at], &err))
               ? FX_EXIT_DONE
               : say_rule_failure(triggered, &run->inputs->objects.items[at], &err);
}

static enum fx_exit run_rule(struct triggered *triggered) {
    struct fx_existing_queries queries = {0};
    struct fx_err err = FX_ERR_INIT;
    const size_t n = triggered->run->inputs->objects.n_items;
    enum fx_exit status = FX_EXIT_DONE;
    if (!select_targets(triggered, &queries, &err)) {
        status = say_rule_failure(triggered, NULL, &err);
    } else {
        for (size_t i = 0; i < n; i++) {
            status = fx_exit_worse(status, mutate_target(triggered, &queries, i));
        }
    }
    fx_existing_queries_finish(&queries);
    return status;
}

/* ---- a trigger --------------------------------------------------------------------- */

static enum fx_exit run_rules(struct run *run, const struct fx_input_object *object,
                              const struct fx_trigger *trigger,
                              const struct fx_trigger_view *view) {
    enum fx_exit status = FX_EXIT_DONE;
    for (size_t i = 0; i < trigger->n_rules; i++) {
        struct triggered triggered = {
            .run = run,
            .object = object,
            .find_user = &run->inputs->namespaces,
            .rule = trigger->snapshot->mutators[trigger->rules[i]],
            .view = view,
            .request = view->request,
        };
        struct fx_budget budget = {.bound.deadline_ns =
                                       fx_answer_deadline(run->values->timeout)};
        fx_inputs_init(&triggered.inputs, NULL, 0);
        triggered.request.inputs = &triggered.inputs;
        triggered.request.schemas = &run->inputs->schemas.all;
        fx_budget_swap(&budget);
        status = fx_exit_worse(status, run_rule(&triggered));
        fx_budget_swap(&budget);
        fx_inputs_finish(&triggered.inputs);
    }
    return status;
}

static enum fx_exit run_trigger(struct run *run, const struct fx_input_object *object,
                                const struct fx_review *review) {
    struct fx_trigger_view view = {.parts = NULL};
    struct fx_err err = FX_ERR_INIT;
    struct fx_trigger *trigger = fx_review_trigger(review);
    if (trigger == NULL) {
        (void)fx_fail_nomem(&err);
        return say_failure(run, object, &err);
    }
    const enum fx_exit status = fx_trigger_view(trigger, &view, &err)
                                    ? run_rules(run, object, trigger, &view)
                                    : say_failure(run, object, &err);
    fx_trigger_view_finish(&view);
    fx_trigger_unref(trigger);
    return status;
}

static enum fx_exit ask_object(struct run *run, const struct fx_input_object *object) {
    const struct fx_question question =
        fx_apply_question(run->values, run->inputs, object);
    struct fx_answer answer = {0};
    struct fx_err err = FX_ERR_INIT;
    enum fx_exit status = FX_EXIT_DONE;
    if (!fx_answer_ask(&question, object->root, &answer, &err)) {
        struct fx_buf message = {0};
        fx_failure_print(&message, object, answer.result, &err, run->colour);
        fx_say_take(&message);
        status = fx_exit_of(&err);
    } else if (fx_review_has_trigger(answer.review)) {
        status = run_trigger(run, object, answer.review);
    }
    fx_answer_finish(&answer);
    return status;
}

/* ---- one target -------------------------------------------------------------------- */

static bool mutate_one(struct triggered *triggered, json_t **target, struct fx_err *err) {
    struct fx_existing_queries queries = {0};
    bool is = false;
    const bool ok = select_targets(triggered, &queries, err) &&
                    is_target(&queries, *target, &is, err) &&
                    (!is || apply_rule(triggered, target, err));
    fx_existing_queries_finish(&queries);
    return ok;
}

static bool mutate_by(const struct fx_question *question,
                      const struct fx_trigger_view *view, const struct fx_mutator *rule,
                      json_t **target, struct fx_err *err) {
    struct triggered triggered = {
        .find_user = fx_question_find_user(question),
        .rule = rule,
        .view = view,
        .request = view->request,
    };
    struct fx_budget budget = {.bound.deadline_ns =
                                   fx_answer_deadline(question->timeout_ms)};
    fx_inputs_init(&triggered.inputs, NULL, 0);
    triggered.request.inputs = &triggered.inputs;
    triggered.request.schemas = question->schemas;
    triggered.request.variables = question->variables;
    fx_budget_swap(&budget);
    const bool ok = mutate_one(&triggered, target, err);
    fx_budget_swap(&budget);
    fx_inputs_finish(&triggered.inputs);
    return ok;
}

/* Is it the rule of this name? NULL is the name of each. */
static bool is_named(const struct fx_mutator *rule, const char *name) {
    return name == NULL || rule->rule == NULL || strcmp(name, rule->rule) == 0;
}

static bool mutate_by_each(const struct fx_question *question,
                           const struct fx_trigger_view *view,
                           const struct fx_trigger *trigger, const char *name,
                           json_t **target, struct fx_err *err) {
    bool ok = true;
    for (size_t i = 0; ok && i < trigger->n_rules; i++) {
        const struct fx_mutator *rule = trigger->snapshot->mutators[trigger->rules[i]];
        if (is_named(rule, name)) {
            ok = mutate_by(question, view, rule, target, err);
        }
    }
    return ok;
}

bool fx_targets_are_triggered(const struct fx_review_result *result, const char *rule) {
    const struct fx_outcome *outcome = result == NULL ? NULL : result->outcome;
    bool are = false;
    for (size_t i = 0; outcome != NULL && !are && i < outcome->n_triggered; i++) {
        are = is_named(result->snapshot->mutators[outcome->triggered[i]], rule);
    }
    return are;
}

bool fx_targets_mutate(const struct fx_question *question, const struct fx_review *review,
                       const char *rule, json_t **target, struct fx_err *err) {
    struct fx_trigger_view view = {.parts = NULL};
    struct fx_trigger *trigger = fx_review_trigger(review);
    if (trigger == NULL) {
        return fx_fail_nomem(err);
    }
    const bool ok = fx_trigger_view(trigger, &view, err) &&
                    mutate_by_each(question, &view, trigger, rule, target, err);
    fx_trigger_view_finish(&view);
    fx_trigger_unref(trigger);
    return ok;
}

/* ---- all objects ------------------------------------------------------------------- */

static enum fx_exit emit_object(const struct fx_input_object *object, json_t *state,
                                struct fx_emitter *emitter) {
    struct fx_answer answer = {.object = state};
    struct fx_patch patch;
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_patch_init(&patch, &arena);
    bool ok = fx_patch_diff(&patch, object->root, state, &err);
    answer.patch = patch.n_ops > 0 ? &patch : NULL;
    ok = ok && fx_emitter_add(emitter, object, &answer, &err);
    fx_arena_finish(&arena);
    return ok ? FX_EXIT_DONE : fx_say_err(&err);
}

enum fx_exit fx_targets_emit(const struct fx_apply_values *values,
                             struct fx_apply_inputs *inputs, struct fx_emitter *emitter) {
    const struct fx_input_objects *objects = &inputs->objects;
    struct run run = {
        .values = values,
        .inputs = inputs,
        .states = calloc(objects->n_items + 1, sizeof(json_t *)),
        .colour = fx_color_wanted(values->color, stderr),
    };
    struct fx_err err = FX_ERR_INIT;
    enum fx_exit status = FX_EXIT_DONE;
    if (run.states == NULL) {
        (void)fx_fail_nomem(&err);
        return fx_say_err(&err);
    }
    for (size_t i = 0; i < objects->n_items; i++) {
        run.states[i] = json_incref(objects->items[i].root);
    }
    for (size_t i = 0; i < objects->n_items; i++) {
        status = fx_exit_worse(status, ask_object(&run, &objects->items[i]));
    }
    for (size_t i = 0; i < objects->n_items; i++) {
        status = fx_exit_worse(status,
                               emit_object(&objects->items[i], run.states[i], emitter));
        json_decref(run.states[i]);
    }
    free(run.states);
    return status;
}
