/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/apply.c - `fixpoint apply`: objects in, mutated objects out.
 */
#include "cli/apply.h"

#include <string.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/input.h"
#include "value/tree.h"

const char *const fx_apply_operation_words[] = {"CREATE", "UPDATE", "DELETE", NULL};
enum { OPERATION_CREATE };

/* Everything that was read. */
struct inputs {
    struct fx_policies *policies;
    struct fx_input_objects objects, old;
    struct fx_namespaces namespaces;
};

static void inputs_finish(struct inputs *inputs) {
    fx_policies_unref(inputs->policies);
    fx_input_objects_finish(&inputs->objects);
    fx_input_objects_finish(&inputs->old);
    fx_namespaces_finish(&inputs->namespaces);
}

/* ---- checking and reading -------------------------------------------------------- */

static const char *usage_fault(const struct fx_apply_values *values) {
    const bool old_is_stdin = values->old != NULL && strcmp(values->old, "-") == 0;
    const size_t n_stdin = fx_strings_count_stdin(&values->policies) +
                           fx_strings_count_stdin(&values->objects) + old_is_stdin;
    if (values->policies.n_items == 0) {
        return "-p is missing: where are the policies?";
    }
    if (values->objects.n_items == 0) {
        return "-f is missing: where are the objects?";
    }
    if (n_stdin > 1) {
        return "standard input (-) can be read only once";
    }
    if (values->old != NULL && values->operation == OPERATION_CREATE) {
        return "--old: a CREATE has no old object; say --operation UPDATE";
    }
    return NULL;
}

/* Reads what the policies are to be applied to. */
static enum fx_exit read_objects(const struct fx_apply_values *values,
                                 struct inputs *inputs) {
    enum fx_exit status =
        fx_input_read_objects(&values->objects, values->color, &inputs->objects);
    if (status == FX_EXIT_DONE && values->old != NULL) {
        const char *path = values->old;
        const struct fx_strings paths = {&path, 1, 1};
        status = fx_input_read_objects(&paths, values->color, &inputs->old);
    }
    struct fx_err err = FX_ERR_INIT;
    if (status == FX_EXIT_DONE && !fx_input_namespaces(inputs->policies, &inputs->objects,
                                                       &inputs->namespaces, &err)) {
        status = fx_say_err(&err);
    }
    return status;
}

/* ---- mutating -------------------------------------------------------------------- */

static bool same_identity(const json_t *a, const json_t *b) {
    struct fx_subject left;
    struct fx_subject right;
    fx_subject_read(a, &left);
    fx_subject_read(b, &right);
    return fx_text_equal(left.group, right.group) &&
           fx_text_equal(left.kind, right.kind) && fx_text_equal(left.name, right.name) &&
           fx_text_equal(left.namespace_, right.namespace_);
}

static json_t *find_old(const struct fx_input_objects *old, const json_t *object) {
    for (size_t i = 0; i < old->n_items; i++) {
        if (same_identity(old->items[i].root, object)) {
            return old->items[i].root;
        }
    }
    return NULL;
}

static enum fx_exit say_failure(const struct fx_input_object *object,
                                const struct fx_answer *answer, const struct fx_err *err,
                                bool colour) {
    struct fx_buf words;
    fx_buf_init(&words, 0);
    fx_failure_print(&words, object, answer->result, err, colour);
    fx_say_words(&words);
    fx_buf_finish(&words);
    return fx_exit_of(err);
}

static enum fx_exit mutate_one(const struct fx_question *question,
                               const struct fx_input_object *object,
                               struct fx_emitter *emitter, bool colour) {
    struct fx_answer answer = {0};
    struct fx_err err = FX_ERR_INIT;
    enum fx_exit status = FX_EXIT_DONE;
    if (!fx_answer_ask(question, object->root, &answer, &err)) {
        status = say_failure(object, &answer, &err, colour);
    }
    if (!fx_emitter_add(emitter, object, &answer, &err)) {
        status = fx_say_err(&err);
    }
    fx_answer_finish(&answer);
    return status;
}

/* Mutates each, and gives the worst status. */
static enum fx_exit mutate_all(const struct fx_apply_values *values,
                               const struct inputs *inputs, struct fx_emitter *emitter) {
    struct fx_question question = {
        .snapshot = inputs->policies->snapshot,
        .namespaces = &inputs->namespaces,
        .operation = fx_apply_operation_words[values->operation],
        .user = values->user,
        .groups = &values->groups,
    };
    const bool colour = fx_color_wanted(values->color, stderr);
    enum fx_exit worst = FX_EXIT_DONE;
    for (size_t i = 0; i < inputs->objects.n_items; i++) {
        const struct fx_input_object *object = &inputs->objects.items[i];
        question.old_object = find_old(&inputs->old, object->root);
        worst = fx_exit_worse(worst, mutate_one(&question, object, emitter, colour));
    }
    return worst;
}

static enum fx_exit print_all(struct fx_emitter *emitter) {
    struct fx_err err = FX_ERR_INIT;
    return fx_emitter_end(emitter, &err) ? fx_output_write(&emitter->out)
                                         : fx_say_err(&err);
}

static enum fx_exit mutate_and_print(const struct fx_apply_values *values,
                                     const struct inputs *inputs, enum fx_format format,
                                     bool *ret_differs) {
    struct fx_emitter emitter;
    fx_emitter_init(&emitter, format, inputs->objects.n_items == 1,
                    fx_color_wanted(values->color, stdout));
    enum fx_exit status = mutate_all(values, inputs, &emitter);
    /* A review tells of its failure itself. */
    if (status == FX_EXIT_DONE || (status == FX_EXIT_MUTATION &&
                                   (values->keep_going || format == FX_FORMAT_REVIEW))) {
        status = fx_exit_worse(status, print_all(&emitter));
    }
    *ret_differs = emitter.differs;
    fx_emitter_finish(&emitter);
    return status;
}

static enum fx_exit apply_policies(const struct fx_apply_values *values,
                                   struct inputs *inputs, enum fx_format format,
                                   bool *ret_differs) {
    const enum fx_exit findings = fx_input_say_findings(inputs->policies, values->color);
    if (findings != FX_EXIT_DONE && !values->keep_going) {
        return findings;
    }
    enum fx_exit status = read_objects(values, inputs);
    if (status == FX_EXIT_DONE) {
        status = mutate_and_print(values, inputs, format, ret_differs);
    }
    return fx_exit_worse(status, findings);
}

enum fx_exit fx_apply_objects(const struct fx_apply_values *values, enum fx_format format,
                              bool *ret_differs) {
    *ret_differs = false;
    const char *fault = usage_fault(values);
    if (fault != NULL) {
        fx_say("%s", fault);
        return FX_EXIT_USAGE;
    }
    struct inputs inputs = {0};
    enum fx_exit status = fx_input_read_policies(&values->policies, &inputs.policies);
    if (status == FX_EXIT_DONE) {
        status = apply_policies(values, &inputs, format, ret_differs);
    }
    inputs_finish(&inputs);
    return status;
}

/* ---- the command ----------------------------------------------------------------- */

static enum fx_exit run(const void *values, const char *operand) {
    (void)operand;
    const struct fx_apply_values *given = values;
    bool differs = false;
    return fx_apply_objects(given, (enum fx_format)given->output, &differs);
}

static const struct fx_option options[] = {
    {"output", 'o', FX_OPTION_CHOICE, offsetof(struct fx_apply_values, output), "FORMAT",
     fx_format_words, "yaml (default), json, patch, diff or review"},
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
    "  json    one object itself; several as a v1 List\n"
    "  patch   JSON Patch: of one object the array; of several a line each:\n"
    "          "
    "{\"file\",\"apiVersion\",\"kind\",\"namespace\",\"name\",\"patch\":[...]}\n"
    "  diff    unified, of the YAML before and after\n"
    "  review  the AdmissionReview that the webhook answers, a line each\n"
    "\n"
    "Examples:\n"
    "  fixpoint apply -p policies -f pod.yaml\n"
    "  kustomize build . | fixpoint apply -p policies -f - | kubectl apply -f -\n",
    .options = options,
    .values_size = sizeof(struct fx_apply_values),
    .stray = " (objects come behind -f)",
    .run = run,
};
