/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/test.c - `fixpoint test`: runs suites with src/suite.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/providers.h"
#include "cli/schemas.h"
#include "cli/targets.h"
#include "suite/run.h"

struct test_options {
    struct fx_strings paths, schemas;
    const char *run;
    struct fx_provider_flags provider;
    struct fx_dialect_settings settings;
    bool update, verbose;
    uint64_t timeout; /* ms; 0: the default */
    unsigned output, color;
};

/* The state of the host's functions. */
struct test_session {
    const struct test_options *values;
    enum fx_exit said;                 /* the exit status of the errors printed so far */
    struct fx_provider_loop providers; /* providers of external data */
    struct fx_input_schemas schemas;
};

/* ---- the host -------------------------------------------------------------------- */

/* The setting that names the namespace whose exceptions count, and the value for all. */
#define EXCEPTIONS_SETTING "policy-exceptions"
#define ALL_NAMESPACES     "*"

static bool compile(void *user, const struct fx_file_list *files, bool with_exceptions,
                    struct fx_policies **ret_policies, struct fx_err *err) {
    struct test_session *session = user;
    struct fx_dialect_settings settings = session->values->settings;
    if (with_exceptions) {
        fx_dialect_settings_set(&settings, EXCEPTIONS_SETTING, ALL_NAMESPACES);
    }
    const struct fx_input_policies input = {.settings = &settings,
                                            .flags = &session->values->provider};
    session->said = fx_input_compile(files, &input, ret_policies);
    return session->said == FX_EXIT_DONE ||
           fx_fail(err, FX_EIO, "the policies cannot be read");
}

/* Appends "Rule/shop/a was skipped: …", after "; " if it is not the first. */
static void add_warning(struct fx_buf *warnings, const struct fx_mutator *mutator,
                        const char *what, struct fx_text message) {
    fx_buf_printf(warnings, "%s%s/%s%s: ", warnings->len == 0 ? "" : "; ", mutator->kind,
                  mutator->full_name, what);
    fx_buf_text(warnings, message);
}

/* Takes the denial message and the warnings from the result. */
static void take_words(const struct fx_review_result *result,
                       struct fx_suite_response *answer) {
    const struct fx_outcome *outcome = result == NULL ? NULL : result->outcome;
    if (outcome == NULL) {
        return;
    }
    fx_buf_text(&answer->denial, outcome->denial);
    for (size_t i = 0; i < outcome->n_violations; i++) {
        const struct fx_violation *violation = &outcome->violations[i];
        if (violation->action != FX_ACTION_DENY) {
            add_warning(&answer->warnings, result->snapshot->mutators[violation->mutator],
                        violation->action == FX_ACTION_AUDIT ? " audits" : " warns",
                        violation->entry);
        }
    }
    for (size_t i = 0; i < outcome->n_skipped; i++) {
        const struct fx_skipped_mutator *skipped = &outcome->skipped[i];
        add_warning(&answer->warnings, result->snapshot->mutators[skipped->mutator],
                    skipped->fails ? " was skipped" : "", fx_text_of(skipped->message));
    }
}

static bool mutate(void *user, const struct fx_suite_request *question,
                   struct fx_suite_response *ret_answer, struct fx_err *err) {
    struct test_session *session = user;
    const struct fx_strings groups = {.items = question->groups,
                                      .n_items = question->n_groups};
    struct fx_schemas schemas = session->schemas.all;
    schemas.given[1] = question->schemas;
    const struct fx_question sent = {
        .snapshot = question->snapshot,
        .namespaces = question->namespaces,
        .schemas = &schemas,
        .operation = question->operation,
        .user = question->user,
        .groups = &groups,
        .old_object = question->old_object,
        .variables = question->variables,
        .roles = question->roles,
        .cluster_roles = question->cluster_roles,
        .trace = question->trace,
        .providers = &session->providers,
        .timeout_ms = session->values->timeout,
    };
    struct fx_answer answer = {0};
    bool ok = fx_answer_ask(&sent, question->object, &answer, err);
    take_words(answer.result, ret_answer);
    ret_answer->triggers = ok && answer.review != NULL &&
                           fx_targets_are_triggered(answer.result, question->target_rule);
    if (ret_answer->triggers && question->target != NULL) {
        ok = fx_targets_mutate(&sent, answer.review, question->target_rule,
                               question->target, err);
    }
    if (ok) {
        ret_answer->object = json_incref(answer.object);
    }
    fx_answer_finish(&answer);
    return ok;
}

static void report_fault(void *user, const struct fx_finding *finding) {
    const struct test_session *session = user;
    struct fx_buf text = {0};
    fx_finding_print(&text, finding, fx_color_wanted(session->values->color, stderr));
    fx_say_take(&text);
}

/* ---- running --------------------------------------------------------------------- */

static enum fx_exit exit_status_of(const struct fx_suite_results *results) {
    if (results->counts[FX_SUITE_ERROR] > 0) {
        return FX_EXIT_INVALID;
    }
    return results->counts[FX_SUITE_FAIL] > 0 ? FX_EXIT_FINDINGS : FX_EXIT_DONE;
}

static enum fx_exit print_results(const struct test_options *values,
                                  const struct fx_suite_results *results) {
    const struct fx_suite_style style = {
        .verbose = values->verbose, .colour = fx_color_wanted(values->color, stdout)};
    struct fx_buf buf = {0};
    fx_suite_print(&buf, (enum fx_suite_format)values->output, results, &style);
    return fx_output_take(&buf);
}

static enum fx_exit update_suites(const struct fx_suites *suites,
                                  struct fx_suite_results *results) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf text = {0};
    const bool ok = fx_suites_update(suites, results, &text, &err);
    fx_say_take(&text);
    return ok ? FX_EXIT_DONE : fx_say_err(&err);
}

/* Reports that no case was run, which is a failure. */
static enum fx_exit say_none(const struct test_options *values) {
    struct fx_buf text = {0};
    for (size_t i = 0; i < values->paths.n_items; i++) {
        fx_buf_printf(&text, "%s%s", i > 0 ? ", " : "", values->paths.items[i]);
    }
    if (values->run != NULL) {
        fx_buf_printf(&text, " whose name matches `%s`", values->run);
    }
    fx_say("no tests found in %s", text.failed ? "" : text.data);
    fx_buf_finish(&text);
    return FX_EXIT_INVALID;
}

static enum fx_exit finish_run(const struct test_options *values,
                               const struct fx_suites *suites,
                               struct fx_suite_results *results) {
    if (results->n_items == 0) {
        return say_none(values);
    }
    enum fx_exit status = values->update ? update_suites(suites, results) : FX_EXIT_DONE;
    status = fx_exit_worse(status, print_results(values, results));
    return fx_exit_worse(status, exit_status_of(results));
}

static enum fx_exit run_suites(struct test_session *session, struct fx_suites *suites,
                               const struct fx_suite_filter *filter) {
    const struct test_options *values = session->values;
    const struct fx_suite_plan plan = {
        .filter = filter,
        .keeps = values->update,
        .colour = values->output == FX_SUITE_FORMAT_TEXT &&
                  fx_color_wanted(values->color, stdout),
    };
    struct fx_err err = FX_ERR_INIT;
    struct fx_suite_results results = {0};
    enum fx_exit status = FX_EXIT_DONE;
    if (fx_suites_run(suites, &plan, &results, &err)) {
        status = finish_run(values, suites, &results);
    } else {
        status = session->said != FX_EXIT_DONE ? session->said : fx_say_err(&err);
    }
    fx_suite_results_finish(&results);
    return status;
}

static enum fx_exit read_and_run(const struct test_options *values,
                                 const struct fx_suite_filter *filter) {
    struct test_session session = {.values = values, .said = FX_EXIT_DONE};
    const struct fx_suite_host host = {compile, mutate, report_fault, &session};
    struct fx_err err = FX_ERR_INIT;
    struct fx_suites suites;
    fx_suites_init(&suites, &host);
    bool ok = true;
    for (size_t i = 0; ok && i < values->paths.n_items; i++) {
        ok = fx_suites_add(&suites, values->paths.items[i], &err);
    }
    enum fx_exit status =
        ok ? fx_input_read_schemas(&values->schemas, values->color, &session.schemas)
           : fx_say_err(&err);
    if (status == FX_EXIT_DONE) {
        status = run_suites(&session, &suites, filter);
    }
    fx_suites_finish(&suites);
    fx_provider_loop_finish(&session.providers);
    fx_input_schemas_finish(&session.schemas);
    return status;
}

static enum fx_exit run_test(const void *values) {
    const struct test_options *given = values;
    struct fx_err err = FX_ERR_INIT;
    struct fx_suite_filter *filter = NULL;
    const char *fault =
        fx_strings_count_stdin(&given->schemas) > 0
            ? "--schema: standard input (-) cannot be read here"
        : fx_strings_count_stdin(&given->paths) > 0
            ? "test: a suite names files relative to itself, so it cannot come from "
              "standard input (-)"
            : fx_provider_flags_fault(&given->provider);
    if (fault != NULL) {
        return fx_say_usage(fault);
    }
    if (given->run != NULL &&
        !fx_suite_filter_create(fx_text_of(given->run), &filter, &err)) {
        (void)fx_err_prefix(&err, "--run: ");
        fx_say("%s", err.msg);
        return err.code == FX_ENOMEM ? FX_EXIT_BUG : FX_EXIT_USAGE;
    }
    const enum fx_exit status = read_and_run(given, filter);
    fx_suite_filter_destroy(filter);
    return status;
}

/* ---- the command ----------------------------------------------------------------- */

static const struct fx_option options[] = {
    {"output", 'o', FX_OPTION_CHOICE, offsetof(struct test_options, output), "FORMAT",
     fx_suite_format_words, "text (default), junit, tap, json or github"},
    {"run", '\0', FX_OPTION_TEXT, offsetof(struct test_options, run), "REGEX", NULL,
     "run only cases whose name, suite/test/case, matches; or TEST//CASE, as in gator"},
    {"verbose", 'v', FX_OPTION_FLAG, offsetof(struct test_options, verbose), NULL, NULL,
     "print a line for each case, also if it passed or was skipped"},
    {"update", '\0', FX_OPTION_FLAG, offsetof(struct test_options, update), NULL, NULL,
     "write the mutated objects over the files of expected objects that differ"},
    FX_SCHEMA_OPTION(struct test_options, schemas),
    FX_TIMEOUT_OPTION(struct test_options, timeout),
    FX_DIALECT_OPTIONS(struct test_options, settings),
    FX_PROVIDER_OPTIONS(struct test_options, provider),
    FX_COLOR_OPTION(struct test_options),
    {.name = NULL},
};

const struct fx_command fx_command_test = {
    .name = "test",
    .usage = "PATH... [OPTION]...",
    .summary = "run test suites of policies",
    .details =
        "PATH is a file that contains a Suite or a Test, or a folder: all Suites, all "
        "Tests and all cases in folder form below it are run. PATH/... is the same, as "
        "in gator. Paths in a suite are relative to its folder.\n"
        "\n"
        "A Suite (as gator has them, with more fields):\n"
        "  apiVersion: test.fixpoint.dev/v1alpha1   or test.gatekeeper.sh/v1alpha1\n"
        "  kind: Suite\n"
        "  metadata: {name: sidecar}\n"
        "  tests:\n"
        "    - name: inject\n"
        "      mutators: [policies]                 files or folders\n"
        "      namespaces: [namespaces.yaml]        context for selectors\n"
        "      cases:\n"
        "        - name: adds the sidecar\n"
        "          object: pod.yaml\n"
        "          operation: CREATE                UPDATE (with `old: FILE`), DELETE\n"
        "          user: jane                       and `groups: [...]`\n"
        "          inventory: [namespace.yaml]      more context\n"
        "          mutated: expected.yaml           the whole object: a file, the\n"
        "                                           object itself, or false: unchanged\n"
        "          contains: {spec: {...}}          part of the object\n"
        "          patch: [{op: add, ...}]          the expected JSON Patch\n"
        "          error: message                   or: part of the error message\n"
        "\n"
        "A case of constraints alone (`template`, `constraint`, `assertions`) is "
        "skipped, as fixpoint does not validate. `skip: true` skips a suite, a test or a "
        "case.\n"
        "\n"
        "A Test (kyverno-test.yaml, apiVersion cli.kyverno.io/v1alpha1) is read as "
        "`kyverno test` reads it; results of rules that do not mutate are skipped.\n"
        "\n"
        "The folder form:\n"
        "  sidecar/policies/*.yaml          or policies.yaml; folders below have it too\n"
        "  sidecar/adds/object.yaml         each folder with this file is a case\n"
        "  sidecar/adds/expected.yaml       or an empty file `unchanged`, or error.txt\n"
        "  sidecar/adds/old.yaml            for UPDATE\n"
        "  sidecar/adds/options.yaml        operation, user, groups, inventory, old,\n"
        "                                   contains, patch, skip\n"
        "\n"
        "Exit status: 1 if a case fails; 3 if a suite, a policy or an object is invalid, "
        "or if there are no tests.\n"
        "\n"
        "Examples:\n"
        "  fixpoint test ./...\n"
        "  fixpoint test policies/tests --run inject -v\n"
        "  fixpoint test . -o junit > report.xml\n",
    .options = options,
    .values_size = sizeof(struct test_options),
    .operand = "PATH",
    .operand_needed = true,
    .takes_paths = true,
    .operands_offset = offsetof(struct test_options, paths),
    .run = run_test,
};
