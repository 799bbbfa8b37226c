/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/apply.c - `fixpoint apply`: objects in, mutated objects out.
 */
#include "cli/apply.h"

#include "cli/commands.h"
#include "cli/expand.h"
#include "cli/failure.h"

static enum fx_exit say_failure(const struct fx_input_object *object,
                                const struct fx_answer *answer, const struct fx_err *err,
                                bool colour) {
    struct fx_buf words = {0};
    fx_failure_print(&words, object, answer->result, err, colour);
    fx_say_words(&words);
    fx_buf_finish(&words);
    return fx_exit_of(err);
}

/* Skipped policies are no failure of the command. */
static void say_drops(const struct fx_input_object *object,
                      const struct fx_answer *answer, bool colour) {
    struct fx_buf words = {0};
    fx_failure_print_drops(&words, object, answer->result, colour);
    fx_say_words(&words);
    fx_buf_finish(&words);
}

/* Where answers go. */
struct sink {
    struct fx_emitter *emitter;
    bool colour; /* of failures */
};

static enum fx_exit take(void *user, const struct fx_input_object *object,
                         const struct fx_answer *answer, const struct fx_err *failure) {
    const struct sink *sink = user;
    struct fx_err err = FX_ERR_INIT;
    say_drops(object, answer, sink->colour);
    const enum fx_exit status = failure == NULL
                                    ? FX_EXIT_DONE
                                    : say_failure(object, answer, failure, sink->colour);
    return fx_emitter_add(sink->emitter, object, answer, &err)
               ? status
               : fx_exit_worse(status, fx_say_err(&err));
}

static enum fx_exit mutate_one(const struct fx_apply_values *values,
                               const struct fx_question *question,
                               const struct fx_input_object *object, struct sink *sink) {
    struct fx_answer answer = {0};
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_answer_ask(question, object->root, &answer, &err);
    enum fx_exit status = take(sink, object, &answer, ok ? NULL : &err);
    if (ok && values->expand) {
        status =
            fx_exit_worse(status, fx_expand(question, object, answer.object, take, sink));
    }
    fx_answer_finish(&answer);
    return status;
}

/* Mutates each, and gives the worst status. */
static enum fx_exit mutate_all(const struct fx_apply_values *values,
                               struct fx_apply_inputs *inputs,
                               struct fx_emitter *emitter) {
    struct sink sink = {emitter, fx_color_wanted(values->color, stderr)};
    enum fx_exit worst = FX_EXIT_DONE;
    for (size_t i = 0; i < inputs->objects.n_items; i++) {
        const struct fx_input_object *object = &inputs->objects.items[i];
        const struct fx_question question = fx_apply_question(values, inputs, object);
        worst = fx_exit_worse(worst, mutate_one(values, &question, object, &sink));
    }
    return worst;
}

static enum fx_exit print_all(struct fx_emitter *emitter) {
    struct fx_err err = FX_ERR_INIT;
    return fx_emitter_end(emitter, &err) ? fx_output_write(&emitter->out)
                                         : fx_say_err(&err);
}

static enum fx_exit mutate_and_print(const struct fx_apply_values *values,
                                     struct fx_apply_inputs *inputs,
                                     enum fx_format format, bool *ret_differs) {
    struct fx_emitter emitter;
    fx_emitter_init(&emitter, format, inputs->objects.n_items == 1 && !values->expand,
                    fx_color_wanted(values->color, stdout));
    enum fx_exit status = mutate_all(values, inputs, &emitter);
    /* The format `review` prints the failure itself. */
    if (status == FX_EXIT_DONE || (status == FX_EXIT_MUTATION &&
                                   (values->keep_going || format == FX_FORMAT_REVIEW))) {
        status = fx_exit_worse(status, print_all(&emitter));
    }
    *ret_differs = emitter.differs;
    fx_emitter_finish(&emitter);
    return status;
}

enum fx_exit fx_apply_objects(const struct fx_apply_values *values, enum fx_format format,
                              bool *ret_differs) {
    *ret_differs = false;
    struct fx_apply_inputs inputs = {0};
    enum fx_exit status = fx_apply_read(values, &inputs);
    if (status == FX_EXIT_DONE) {
        status = mutate_and_print(values, &inputs, format, ret_differs);
    }
    status = fx_exit_worse(status, inputs.findings);
    fx_apply_inputs_finish(&inputs);
    return status;
}

/* ---- the command ----------------------------------------------------------------- */

static enum fx_exit run_apply(const void *values, const char *operand) {
    (void)operand;
    const struct fx_apply_values *given = values;
    bool differs = false;
    return fx_apply_objects(given, (enum fx_format)given->output, &differs);
}

static const struct fx_option options[] = {
    {"output", 'o', FX_OPTION_CHOICE, offsetof(struct fx_apply_values, output), "FORMAT",
     fx_format_words, "yaml (default), json, patch, diff or review"},
    FX_EXPAND_OPTION,
    FX_APPLY_OPTIONS,
    {.name = NULL},
};

const struct fx_command fx_command_apply = {
    .name = "apply",
    .usage = "-p PATH... -f PATH... [OPTION]...",
    .summary = "mutate objects as the webhook would, and print them",
    .details = FX_APPLY_DETAILS
    "\n"
    "Formats:\n"
    "  yaml    the objects, with --- between them\n"
    "  json    one object as it is; several as a v1 List\n"
    "  patch   JSON Patch: the array for one object; for several one line each:\n"
    "          "
    "{\"file\",\"apiVersion\",\"kind\",\"namespace\",\"name\",\"patch\":[...]}\n"
    "  diff    unified diff of the YAML before and after\n"
    "  review  the AdmissionReview response, one line each; also denials\n"
    "\n"
    "Examples:\n"
    "  fixpoint apply -p policies -f pod.yaml\n"
    "  kustomize build . | fixpoint apply -p policies -f - | kubectl apply -f -\n",
    .options = options,
    .values_size = sizeof(struct fx_apply_values),
    .stray = " (give objects with -f)",
    .run = run_apply,
};
