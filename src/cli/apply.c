/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/apply.c - `fixpoint apply` and `fixpoint diff`: reads objects and prints the
 * mutated objects, or the changes. Also the options and inputs that they share with
 * `explain`.
 */
#include "cli/apply.h"

#include <string.h>

#include "base/limits.h"
#include "cli/commands.h"
#include "cli/emit.h"
#include "cli/targets.h"
#include "engine/request.h"
#include "engine/resource.h"

/* ---- reading --------------------------------------------------------------------- */

const char *const fx_apply_operation_words[] = {"CREATE", "UPDATE", "DELETE", NULL};
enum { OPERATION_CREATE };

void fx_apply_inputs_finish(struct fx_apply_inputs *inputs) {
    fx_policies_unref(inputs->policies);
    fx_input_schemas_finish(&inputs->schemas);
    fx_input_objects_finish(&inputs->objects);
    fx_input_objects_finish(&inputs->old);
    fx_namespaces_finish(&inputs->namespaces);
    fx_provider_loop_finish(&inputs->providers);
}

static const char *usage_fault(const struct fx_apply_values *values) {
    const bool old_is_stdin = values->old != NULL && strcmp(values->old, "-") == 0;
    const size_t n_stdin = fx_strings_count_stdin(&values->policies) +
                           fx_strings_count_stdin(&values->objects) +
                           fx_strings_count_stdin(&values->schemas) + old_is_stdin;
    if (values->policies.n_items == 0) {
        return "-p is missing: it names the policies";
    }
    if (values->objects.n_items == 0) {
        return "-f is missing: it names the objects";
    }
    if (n_stdin > 1) {
        return "standard input (-) can be read only once";
    }
    if (values->old != NULL && values->operation == OPERATION_CREATE) {
        return "--old: a CREATE request has no old object; use --operation UPDATE";
    }
    if (values->targets && values->expand) {
        return "--targets: not together with --expand";
    }
    if (values->targets && values->output == FX_FORMAT_REVIEW) {
        return "--targets: changes of existing objects have no review; use another -o";
    }
    if (values->expand && values->output == FX_FORMAT_REVIEW) {
        return "--expand: resultants have no review; use another -o";
    }
    return fx_provider_flags_fault(&values->provider);
}

/* Reads the objects that the policies are applied to. */
static enum fx_exit read_objects(const struct fx_apply_values *values,
                                 struct fx_apply_inputs *inputs) {
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
    return status == FX_EXIT_DONE
               ? fx_input_add_schemas(&inputs->objects, inputs->policies,
                                      &inputs->schemas)
               : status;
}

enum fx_exit fx_apply_read(const struct fx_apply_values *values,
                           struct fx_apply_inputs *ret_inputs) {
    const char *fault = usage_fault(values);
    if (fault != NULL) {
        return fx_say_usage(fault);
    }
    const struct fx_input_policies input = {
        .settings = &values->settings,
        .flags = &values->provider,
        .namespace_ = values->namespace_,
        .object_paths = &values->objects,
        .objects = &ret_inputs->objects,
        .color = values->color,
    };
    enum fx_exit status =
        fx_input_read_schemas(&values->schemas, values->color, &ret_inputs->schemas);
    if (status == FX_EXIT_DONE) {
        status = fx_input_read_policies(&values->policies, &input, &ret_inputs->policies);
    }
    if (status != FX_EXIT_DONE) {
        return status;
    }
    ret_inputs->findings = fx_input_say_findings(ret_inputs->policies, values->color);
    if (ret_inputs->findings != FX_EXIT_DONE && !values->keep_going) {
        return ret_inputs->findings;
    }
    return read_objects(values, ret_inputs);
}

/* ---- asking ---------------------------------------------------------------------- */

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

struct fx_question fx_apply_question(const struct fx_apply_values *values,
                                     struct fx_apply_inputs *inputs,
                                     const struct fx_input_object *object) {
    return (struct fx_question){
        .snapshot = inputs->policies->snapshot,
        .namespaces = &inputs->namespaces,
        .schemas = &inputs->schemas.all,
        .operation = fx_apply_operation_words[values->operation],
        .namespace_ = values->namespace_,
        .user = values->user,
        .groups = &values->groups,
        .old_object = find_old(&inputs->old, object->root),
        .providers = &inputs->providers,
        .timeout_ms = values->timeout,
    };
}

/* ---- results --------------------------------------------------------------------- */

static enum fx_exit say_failure(const struct fx_input_object *object,
                                const struct fx_answer *answer, const struct fx_err *err,
                                bool colour) {
    struct fx_buf message = {0};
    fx_failure_print(&message, object, answer->result, err, colour);
    fx_say_take(&message);
    return fx_exit_of(err);
}

/* Prints warnings about skipped policies. They do not change the exit status. */
static void say_drops(const struct fx_input_object *object,
                      const struct fx_answer *answer, bool colour) {
    struct fx_buf message = {0};
    fx_failure_print_drops(&message, object, answer->result, colour);
    fx_say_take(&message);
}

/* Where results are printed. */
struct sink {
    struct fx_emitter *emitter;
    bool colour; /* of failures */
};

static enum fx_exit emit_answer(const struct sink *sink,
                                const struct fx_input_object *object,
                                const struct fx_answer *answer,
                                const struct fx_err *failure) {
    struct fx_err err = FX_ERR_INIT;
    say_drops(object, answer, sink->colour);
    const enum fx_exit status = failure == NULL
                                    ? FX_EXIT_DONE
                                    : say_failure(object, answer, failure, sink->colour);
    return fx_emitter_add(sink->emitter, object, answer, &err)
               ? status
               : fx_exit_worse(status, fx_say_err(&err));
}

/* ---- resultants ------------------------------------------------------------------ */

#define DEPTH 30u /* of resultants that are expanded again */

/* The expansion of one object: the objects that controllers create from it, and from
 * those objects in turn, according to ExpansionTemplates (spec section 10); at most
 * FX_LIMIT_RESULTANTS, in at most DEPTH levels. */
struct expansion {
    const struct fx_question *question;
    const struct fx_input_object *object; /* the user's object */
    struct sink *sink;
    size_t n_made;
    unsigned depth;
};

static enum fx_exit expand_object(struct expansion *run, json_t *generator);

/* "failed to mutate resultant resource web-pod: …" (spec section 10) */
static bool generate_resultant(const struct expansion *run, json_t *made,
                               struct fx_answer *answer, struct fx_err *err) {
    if (fx_answer_generate(run->question, made, answer, err)) {
        return true;
    }
    if (!fx_err_is_ours(err)) {
        struct fx_subject subject;
        fx_subject_read(made, &subject);
        (void)fx_err_prefix(
            err, "failed to mutate resultant resource %.*s: ", FX_TEXT_ARG(subject.name));
    }
    return false;
}

/* Mutates and prints one resultant, and expands it. Takes the reference `made`. */
static enum fx_exit follow_take(struct expansion *run, json_t *made) {
    const struct fx_input_object resultant = {run->object->file, run->object->line, made};
    struct fx_answer answer = {0};
    struct fx_err err = FX_ERR_INIT;
    const bool ok = generate_resultant(run, made, &answer, &err);
    enum fx_exit status = emit_answer(run->sink, &resultant, &answer, ok ? NULL : &err);
    if (ok) {
        run->depth++;
        status = fx_exit_worse(status, expand_object(run, answer.object));
        run->depth--;
    }
    fx_answer_finish(&answer);
    json_decref(made);
    return status;
}

static json_t *make_resultant(struct expansion *run, const struct fx_resource *expansion,
                              const json_t *generator, struct fx_err *err) {
    if (run->depth == DEPTH) {
        (void)fx_fail(err, FX_EMUTATE, "maximum recursion depth of %u reached", DEPTH);
        return NULL;
    }
    if (run->n_made++ == FX_LIMIT_RESULTANTS) {
        (void)fx_fail(err, FX_EMUTATE, "more than %u resultants", FX_LIMIT_RESULTANTS);
        return NULL;
    }
    const struct fx_text nowhere = {0};
    return expansion->ops->expand(expansion, generator, nowhere, err);
}

static enum fx_exit expand_by(struct expansion *run, const struct fx_resource *expansion,
                              json_t *generator) {
    struct fx_err err = FX_ERR_INIT;
    if (!expansion->ops->expands(expansion, generator)) {
        return FX_EXIT_DONE;
    }
    json_t *made = make_resultant(run, expansion, generator, &err);
    if (made == NULL) {
        const struct fx_input_object failed = {run->object->file, run->object->line,
                                               generator};
        const struct fx_answer nothing = {0};
        if (!fx_err_is_ours(&err)) {
            err.code = FX_EMUTATE;
        }
        return emit_answer(run->sink, &failed, &nothing, &err);
    }
    return follow_take(run, made);
}

/* Mutates and prints all resultants of the object. Recursive, at most DEPTH levels
 * deep. */
static enum fx_exit expand_object(struct expansion *run, json_t *generator) {
    const struct fx_snapshot *snapshot = run->question->snapshot;
    enum fx_exit worst = FX_EXIT_DONE;
    size_t n_expansions = 0;
    struct fx_resource *const *expansions =
        fx_snapshot_resources(snapshot, FX_RESOURCE_EXPANSION, &n_expansions);
    for (size_t i = 0; i < n_expansions && run->n_made <= FX_LIMIT_RESULTANTS; i++) {
        worst = fx_exit_worse(worst, expand_by(run, expansions[i], generator));
    }
    return worst;
}

/* ---- all objects ----------------------------------------------------------------- */

static enum fx_exit mutate_one(const struct fx_apply_values *values,
                               const struct fx_question *question,
                               const struct fx_input_object *object, struct sink *sink) {
    struct fx_answer answer = {0};
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_answer_ask(question, object->root, &answer, &err);
    enum fx_exit status = emit_answer(sink, object, &answer, ok ? NULL : &err);
    if (ok && values->expand) {
        struct expansion run = {.question = question, .object = object, .sink = sink};
        status = fx_exit_worse(status, expand_object(&run, answer.object));
    }
    fx_answer_finish(&answer);
    return status;
}

static enum fx_exit mutate_and_print(const struct fx_apply_values *values,
                                     struct fx_apply_inputs *inputs,
                                     enum fx_format format, bool *ret_differs) {
    struct fx_emitter emitter = {
        .format = format,
        .single = inputs->objects.n_items == 1 && !values->expand,
        .colour = fx_color_wanted(values->color, stdout),
    };
    struct sink sink = {&emitter, fx_color_wanted(values->color, stderr)};
    struct fx_err err = FX_ERR_INIT;
    enum fx_exit status = FX_EXIT_DONE;
    for (size_t i = 0; !values->targets && i < inputs->objects.n_items; i++) {
        const struct fx_input_object *object = &inputs->objects.items[i];
        const struct fx_question question = fx_apply_question(values, inputs, object);
        status = fx_exit_worse(status, mutate_one(values, &question, object, &sink));
    }
    if (values->targets) {
        status = fx_targets_emit(values, inputs, &emitter);
    }
    /* The format `review` also prints objects whose mutation failed. */
    if (status == FX_EXIT_DONE || (status == FX_EXIT_MUTATION &&
                                   (values->keep_going || format == FX_FORMAT_REVIEW))) {
        status = fx_exit_worse(status, fx_emitter_end(&emitter, &err)
                                           ? fx_output_take(&emitter.out)
                                           : fx_say_err(&err));
    }
    *ret_differs = emitter.differs;
    fx_emitter_finish(&emitter);
    return status;
}

/* Reads everything, mutates the objects and prints them. Sets *ret_differs if an object
 * would change. */
static enum fx_exit apply_all(const struct fx_apply_values *values, enum fx_format format,
                              bool *ret_differs) {
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

static enum fx_exit run_apply(const void *values) {
    const struct fx_apply_values *given = values;
    bool differs = false;
    return apply_all(given, (enum fx_format)given->output, &differs);
}

static const struct fx_option apply_options[] = {
    {"output", 'o', FX_OPTION_CHOICE, offsetof(struct fx_apply_values, output), "FORMAT",
     fx_format_words, "yaml (default), json, patch, diff or review"},
    FX_EXPAND_OPTION,
    FX_TARGETS_OPTION,
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
    .options = apply_options,
    .values_size = sizeof(struct fx_apply_values),
    .stray = " (give objects with -f)",
    .run = run_apply,
};

/* ---- diff ------------------------------------------------------------------------ */

static enum fx_exit run_diff(const void *values) {
    bool differs = false;
    const enum fx_exit status = apply_all(values, FX_FORMAT_DIFF, &differs);
    return status == FX_EXIT_DONE && differs ? FX_EXIT_FINDINGS : status;
}

static const struct fx_option diff_options[] = {
    FX_EXPAND_OPTION,
    FX_TARGETS_OPTION,
    FX_APPLY_OPTIONS,
    {.name = NULL},
};

const struct fx_command fx_command_diff = {
    .name = "diff",
    .usage = "-p PATH... -f PATH... [OPTION]...",
    .summary = "show what mutation would change; exit status 1 if anything",
    .details = "Prints a unified diff of the YAML before and after mutation, for each "
               "object, coloured on a terminal.\n"
               "\n" FX_APPLY_DETAILS "\n"
               "Examples:\n"
               "  fixpoint diff -p policies -f deploy/\n"
               "  helm template . | fixpoint diff -p policies -f -\n",
    .options = diff_options,
    .values_size = sizeof(struct fx_apply_values),
    .stray = " (give objects with -f)",
    .run = run_diff,
};
