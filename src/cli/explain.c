/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain.c - `fixpoint explain`: options, files and exit status. src/explain makes
 * the report.
 */
#include "base/limits.h"
#include "cli/apply.h"
#include "cli/commands.h"
#include "explain/report.h"
#include "value/json.h"
#include "value/tree.h"

struct explain_options {
    /* The first member: its options have offsets from its start. */
    struct fx_apply_values apply;
    const char *field;
    bool all;
};

enum { OUTPUT_TEXT, OUTPUT_JSON };
static const char *const output_words[] = {"text", "json", NULL};

/* One run of the command. */
struct explain_run {
    const struct explain_options *values;
    struct fx_apply_inputs inputs;
    struct fx_query *query; /* of --field; or NULL */
    struct fx_buf out;
};

static bool print_explanation(struct explain_run *run,
                              const struct fx_explanation *explanation,
                              struct fx_err *err) {
    const struct explain_options *values = run->values;
    if (values->apply.output == OUTPUT_JSON) {
        fx_explanation_print_json(&run->out, explanation);
    } else {
        fx_buf_str(&run->out, run->out.len > 0 ? "\n" : "");
        fx_explanation_print_text(&run->out, explanation,
                                  fx_color_wanted(values->apply.color, stdout),
                                  values->all);
    }
    return !run->out.failed || fx_fail_nomem(err);
}

/* Why the webhook does not mutate the object: the message of its response. */
static json_t *read_skipped(const struct fx_review_result *result, struct fx_err *err) {
    const struct fx_text body = fx_buf_view(result->body);
    json_t *review = fx_json_read(body, NULL, err);
    if (review == NULL) {
        return NULL;
    }
    json_t *status = fx_tree_view_key(fx_tree_view_key(review, "response"), "status");
    json_t *message = fx_tree_view_key(status, "message");
    message = json_is_string(message) ? json_incref(message) : json_string("skipped");
    json_decref(review);
    if (message == NULL) {
        (void)fx_fail_nomem(err);
    }
    return message;
}

static bool explain(struct explain_run *run, struct fx_explain_input *input,
                    const struct fx_review_result *result, struct fx_err *err) {
    struct fx_explanation explanation = {.input = {.object = NULL}};
    json_t *skipped = NULL;
    if (result->outcome == NULL && input->failure == NULL) {
        skipped = read_skipped(result, err);
        if (skipped == NULL) {
            return false;
        }
        input->skipped = fx_tree_text(skipped);
    }
    const bool ok = fx_explanation_make(input, &explanation, err) &&
                    print_explanation(run, &explanation, err);
    fx_explanation_finish(&explanation);
    json_decref(skipped);
    return ok;
}

/* Mutates and explains one object. A failed mutation is part of the report and sets the
 * exit status; our own errors are only printed. */
static enum fx_exit ask_and_explain(struct explain_run *run,
                                    const struct fx_question *question,
                                    const struct fx_input_object *object) {
    struct fx_answer answer = {0};
    struct fx_err failure = FX_ERR_INIT;
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_answer_ask(question, object->root, &answer, &failure);
    enum fx_exit status = ok ? FX_EXIT_DONE : fx_exit_of(&failure);
    if (!ok && (answer.result == NULL || fx_err_is_ours(&failure))) {
        (void)fx_say_err(&failure);
    } else {
        struct fx_explain_input input = {
            .object = object->root,
            .file = object->file,
            .line = object->line,
            .snapshot = question->snapshot,
            .trace = question->trace,
            .outcome = answer.result->outcome,
            .failure = ok ? NULL : &failure,
            .is_changed = answer.result->decision == FX_DECISION_MUTATED,
            .is_delete = fx_text_is(answer.result->operation, "DELETE"),
            .lacks_namespace = fx_question_lacks_namespace(question, object->root),
            .query = run->query,
            .query_text = run->values->field,
        };
        if (!explain(run, &input, answer.result, &err)) {
            status = fx_say_err(&err);
        }
    }
    fx_answer_finish(&answer);
    return status;
}

static enum fx_exit explain_one(struct explain_run *run,
                                const struct fx_input_object *object) {
    struct fx_question question =
        fx_apply_question(&run->values->apply, &run->inputs, object);
    struct fx_arena arena;
    struct fx_trace trace;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_trace_init(&trace, &arena);
    question.trace = &trace;
    const enum fx_exit status = ask_and_explain(run, &question, object);
    fx_trace_finish(&trace);
    fx_arena_finish(&arena);
    return status;
}

static enum fx_exit explain_all(struct explain_run *run) {
    const struct fx_input_objects *objects = &run->inputs.objects;
    enum fx_exit worst = FX_EXIT_DONE;
    for (size_t i = 0; i < objects->n_items; i++) {
        worst = fx_exit_worse(worst, explain_one(run, &objects->items[i]));
    }
    return fx_exit_worse(worst, fx_output_take(&run->out));
}

/* Reads --field, if there is one. */
static enum fx_exit read_field(struct explain_run *run) {
    const char *field = run->values->field;
    struct fx_err err = FX_ERR_INIT;
    if (field == NULL || fx_query_parse(fx_text_of(field), &run->query, &err)) {
        return FX_EXIT_DONE;
    }
    if (err.code == FX_ENOMEM) {
        return fx_say_err(&err);
    }
    fx_say("--field: `%s`: %s", field, err.msg);
    return FX_EXIT_USAGE;
}

static enum fx_exit run_explain(const void *values) {
    struct explain_run run = {.values = values};
    enum fx_exit status = read_field(&run);
    if (status == FX_EXIT_DONE) {
        status = fx_apply_read(&run.values->apply, &run.inputs);
    }
    if (status == FX_EXIT_DONE) {
        status = explain_all(&run);
    }
    status = fx_exit_worse(status, run.inputs.findings);
    fx_apply_inputs_finish(&run.inputs);
    fx_query_destroy(run.query);
    fx_buf_finish(&run.out);
    return status;
}

static const struct fx_option options[] = {
    {"output", 'o', FX_OPTION_CHOICE, offsetof(struct explain_options, apply.output),
     "FORMAT", output_words, "text (default) or json"},
    {"field", '\0', FX_OPTION_TEXT, offsetof(struct explain_options, field), "FIELD",
     NULL, "report only this field, and those above and below it"},
    {"all", '\0', FX_OPTION_FLAG, offsetof(struct explain_options, all), NULL, NULL,
     "do not cut long lists"},
    FX_APPLY_OPTIONS,
    {.name = NULL},
};

const struct fx_command fx_command_explain = {
    .name = "explain",
    .usage = "-p PATH... -f PATH... [--field FIELD] [OPTION]...",
    .summary = "show which mutator changed what, and why others did not act",
    .details =
        "Prints a report for each object: every field that changed, with the chain of "
        "its values, and for each value the mutator, the pass, and the file and line of "
        "the policy; then the mutators that changed nothing, by the first criterion that "
        "failed; then the validators that found a violation, and those that did not. If "
        "a mutation fails, "
        "does not converge or is denied (status 4), the report shows what led there, "
        "and the cycle, shortest first. Below a value that an expression has computed "
        "are the part of the policy that has it, and the fields, parameters and "
        "variables that it read.\n"
        "\n"
        "FIELD is a location or a JSON pointer:\n"
        "  spec.containers[name: web].image    also [name: *], [0], [*]\n"
        "  metadata.labels.\"app.example.com/team\"\n"
        "  /spec/containers/0/image\n"
        "\n"
        "JSON output is one document in a line for each object:\n"
        "  "
        "{\"object\":{\"apiVersion\",\"kind\",\"namespace\",\"name\"},\"file\",\"line\","
        "\n"
        "   \"result\":\"changed|unchanged|skipped|denied|failed|notConverging\",\n"
        "   \"iterations\",\"skipped\",\n"
        "   \"fields\":[{\"path\",\"pointer\",\"initial\",\n"
        "              "
        "\"steps\":[{\"value\",\"mutator\",\"pass\",\"undoes\",\"causes\",\n"
        "                        \"file\",\"line\"}]}],\n"
        "   "
        "\"inactive\":[{\"mutator\",\"reason\",\"criterion\",\"wanted\",\"found\",\n"
        "                \"pass\",\"message\",\"conflicts\",\"file\",\"line\"}],\n"
        "   "
        "\"ignored\":[{\"mutator\",\"pass\",\"part\",\"message\",\"file\",\"line\"}],\n"
        "   \"validators\":{\"denied\":[{\"mutator\",\"part\",\"entry\",\"message\",\n"
        "                           \"file\",\"line\"}],\n"
        "                 \"warned\":[as above],\"audited\":[as above],\n"
        "                 \"inactive\":[as above]},\n"
        "   \"failure\":{\"message\",\"mutator\",\"file\",\"line\"},\n"
        "   \"cycle\":[{\"path\",\"pointer\",\"period\",\n"
        "             "
        "\"steps\":[{\"from\",\"to\",\"mutator\",\"pass\",\"file\",\"line\"}]}]}\n"
        "\n"
        "An absent value has no member; null is a value. A value from a provider is a "
        "text that names the provider and the key. `reason` is skipped (it failed, and "
        "the others went on), elsewhere (with --field: it changed other fields), "
        "unchanged, present, notApplied, late (it matches the result, but was matched "
        "before the result was complete), notMatched, conflict or notReached. `wanted` "
        "is what the policy asks for, `found` what the object had instead, in that pass. "
        "`tier` stands beside `mutator` if it is not 0. `undoes` is true if the mutator "
        "failed, which undoes what its policy has changed. `causes` of a value that an "
        "expression has computed is [{\"part\",\"reads\":[{\"name\",\"value\",\"owner\", "
        "\"reads\"}],\"more\"}]: `part` is the part of the policy, `value` the JSON of "
        "what was read, cut if it is long, `owner` the object that has it if it is "
        "another one, `reads` what a variable read in turn; `more` is true if the list "
        "is cut. `ignored` has failures that the policy ignores, if there are any. "
        "`validators` is present if any policy can deny, warn or audit, or if a failure "
        "denies the request; `warned` and `audited` if there are any. `pass` "
        "counts from 1, in a cycle from its start; "
        "`period` is the length of the cycle in passes.\n"
        "\n" FX_APPLY_INPUT_DETAILS "\n"
        "If a policy is invalid (status 3), nothing is printed; with --keep-going the "
        "policy is skipped, and the status stays 3.\n"
        "\n"
        "Examples:\n"
        "  fixpoint explain -p policies -f pod.yaml\n"
        "  fixpoint explain -p policies -f pod.yaml --field metadata.labels.team\n"
        "  fixpoint explain -p policies -f deploy/ -o json | jq '.fields[].path'\n",
    .options = options,
    .values_size = sizeof(struct explain_options),
    .stray = " (give objects with -f)",
    .run = run_explain,
};
