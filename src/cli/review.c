/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/review.c - `fixpoint review`: answers an AdmissionReview with the code of the
 * webhook.
 */
#include "admission/review.h"

#include "base/limits.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/schemas.h"
#include "cli/serve_flags.h"

struct review_options {
    struct fx_strings policies, schemas;
    unsigned on_error, color;
    bool keep_going;
    uint64_t timeout; /* ms; 0: the default */
    struct fx_provider_flags provider;
    struct fx_dialect_settings settings;
};

/* Everything that was read before the review. */
struct review_inputs {
    struct fx_policies *policies;
    struct fx_input_schemas schemas;
};

/* Prints the response: the AdmissionReview, or the error message. Returns the exit
 * status. */
static enum fx_exit print_result(const struct fx_review_result *result,
                                 enum fx_on_error on_error) {
    const struct fx_buf *body = result->body;
    if (result->status != 200) {
        fx_say("%.*s", (int)body->len, body->data);
        if (result->decision == FX_DECISION_FAILED ||
            (result->failure != NULL && result->failure->code == FX_EDEADLINE)) {
            return FX_EXIT_MUTATION;
        }
        return result->decision == FX_DECISION_REFUSED ? FX_EXIT_INVALID : FX_EXIT_BUG;
    }
    struct fx_buf line = {0};
    fx_buf_add(&line, body->data, body->len);
    fx_buf_char(&line, '\n');
    const enum fx_exit status = fx_output_take(&line);
    const bool denied =
        result->decision == FX_DECISION_DENIED ||
        (result->decision == FX_DECISION_FAILED && on_error != FX_ON_ERROR_ALLOW);
    return status == FX_EXIT_DONE && denied ? FX_EXIT_MUTATION : status;
}

static enum fx_exit review_text(const struct review_options *values,
                                struct review_inputs *inputs, struct fx_text text) {
    const struct fx_admission admission = {
        .on_error = (enum fx_on_error)values->on_error,
        .find_input = fx_namespaces_look_up_input,
        .user = &inputs->policies->namespaces,
        .schemas = &inputs->schemas.all,
    };
    struct fx_err err = FX_ERR_INIT;
    struct fx_review *review =
        fx_review_create(&admission, inputs->policies->snapshot, text,
                         fx_answer_deadline(values->timeout));
    if (review == NULL) {
        return fx_say_nomem();
    }
    struct fx_provider_loop providers = {.state = NULL};
    const enum fx_exit status =
        fx_answer_run(review, &providers, &err)
            ? print_result(fx_review_result(review), admission.on_error)
            : fx_say_err(&err);
    fx_provider_loop_finish(&providers);
    fx_review_destroy(review);
    return status;
}

static enum fx_exit review_stdin(const struct review_options *values,
                                 struct review_inputs *inputs) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf body = {0};
    const enum fx_exit status = fx_file_read("-", FX_LIMIT_BODY_BYTES, &body, &err)
                                    ? review_text(values, inputs, fx_buf_view(&body))
                                    : fx_say_err(&err);
    fx_buf_finish(&body);
    return status;
}

static enum fx_exit review_with(const struct review_options *values,
                                struct review_inputs *inputs) {
    enum fx_exit status = fx_input_add_schemas(NULL, inputs->policies, &inputs->schemas);
    status =
        fx_exit_worse(status, fx_input_say_findings(inputs->policies, values->color));
    return status == FX_EXIT_DONE || values->keep_going
               ? fx_exit_worse(status, review_stdin(values, inputs))
               : status;
}

static enum fx_exit run_review(const void *values) {
    const struct review_options *given = values;
    const char *fault = given->policies.n_items == 0
                            ? "-p is missing: it names the policies"
                        : fx_strings_count_stdin(&given->policies) > 0
                            ? "-p: standard input (-) is the review"
                        : fx_strings_count_stdin(&given->schemas) > 0
                            ? "--schema: standard input (-) is the review"
                            : fx_provider_flags_fault(&given->provider);
    if (fault != NULL) {
        return fx_say_usage(fault);
    }
    struct review_inputs inputs = {.policies = NULL};
    const struct fx_input_policies input = {.settings = &given->settings,
                                            .flags = &given->provider};
    enum fx_exit status =
        fx_input_read_schemas(&given->schemas, given->color, &inputs.schemas);
    if (status == FX_EXIT_DONE) {
        status = fx_input_read_policies(&given->policies, &input, &inputs.policies);
    }
    if (status == FX_EXIT_DONE) {
        status = review_with(given, &inputs);
    }
    fx_input_schemas_finish(&inputs.schemas);
    fx_policies_unref(inputs.policies);
    return status;
}

static const struct fx_option options[] = {
    {"policies", 'p', FX_OPTION_LIST, offsetof(struct review_options, policies), "PATH",
     NULL, "policies: a file or a folder (repeats)"},
    FX_ON_ERROR_OPTION(struct review_options),
    {"keep-going", 'k', FX_OPTION_FLAG, offsetof(struct review_options, keep_going), NULL,
     NULL, "skip invalid policies"},
    FX_SCHEMA_OPTION(struct review_options, schemas),
    FX_TIMEOUT_OPTION(struct review_options, timeout),
    FX_DIALECT_OPTIONS(struct review_options, settings),
    FX_PROVIDER_OPTIONS(struct review_options, provider),
    FX_COLOR_OPTION(struct review_options),
    {.name = NULL},
};

const struct fx_command fx_command_review = {
    .name = "review",
    .usage = "-p PATH... [OPTION]... < REVIEW",
    .summary = "answer an AdmissionReview as the webhook would",
    .details =
        "Reads an AdmissionReview request (JSON) from standard input and prints the "
        "response of the webhook. Namespaces among the policies are context for "
        "selectors; any other namespace has only the label with its name. Nodes are "
        "context for policies that read them.\n"
        "\n"
        "Exit status: 3 if the input is no review (the message goes to standard error) "
        "or if a policy is invalid (nothing is printed; with --keep-going the policy is "
        "skipped); 4 if the response is a denial, which is printed, too.\n",
    .options = options,
    .values_size = sizeof(struct review_options),
    .stray = " (the review is read from standard input)",
    .run = run_review,
};
