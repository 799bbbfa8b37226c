/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/check.c - `fixpoint check`: finds problems in policies.
 */
#include <stdlib.h>

#include "cli/check_report.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/schemas.h"

struct check_options {
    struct fx_strings policies, objects, schemas;
    unsigned output, color;
    struct fx_dialect_settings settings;
};

enum { OUTPUT_TEXT, OUTPUT_JSON };
static const char *const output_words[] = {"text", "json", NULL};

/* Notes do not count as findings. */
static enum fx_exit exit_status_of(const struct fx_check_report *report) {
    const struct fx_findings *findings = &report->policies->findings;
    if (fx_findings_count(findings, FX_SEVERITY_ERROR) > 0) {
        return FX_EXIT_INVALID;
    }
    return findings->n_items > 0 || report->types->n_items > 0 ||
                   fx_check_count_warnings(report->analysis) > 0
               ? FX_EXIT_FINDINGS
               : FX_EXIT_DONE;
}

static enum fx_exit print_report(const struct check_options *values,
                                 const struct fx_check_report *report) {
    struct fx_buf buf = {0};
    if (values->output == OUTPUT_JSON) {
        fx_check_print_json(&buf, report);
    } else {
        fx_check_print_text(&buf, report, fx_color_wanted(values->color, stdout));
    }
    const enum fx_exit status = fx_output_take(&buf);
    return status == FX_EXIT_DONE ? exit_status_of(report) : status;
}

/* ---- trying them out ------------------------------------------------------------- */

/* Everything that was read. */
struct check_inputs {
    struct fx_policies *policies;
    struct fx_type_findings types;
    struct fx_input_objects objects;
    struct fx_input_schemas schemas;
};

static bool analyse(const struct check_inputs *inputs, bool made,
                    struct fx_analysis *ret_analysis, struct fx_err *err) {
    const struct fx_policies *policies = inputs->policies;
    const struct fx_input_objects *objects = &inputs->objects;
    struct fx_namespaces namespaces = {0};
    json_t **roots = calloc(objects->n_items + 1, sizeof(json_t *));
    if (roots == NULL) {
        return fx_fail_nomem(err);
    }
    for (size_t i = 0; i < objects->n_items; i++) {
        roots[i] = objects->items[i].root;
    }
    const struct fx_analysis_input input = {
        .snapshot = policies->snapshot,
        .namespaces = &namespaces,
        .schemas = &inputs->schemas.all,
        .objects = roots,
        .n_objects = objects->n_items,
        .made = made,
    };
    const bool ok = fx_input_namespaces(policies, objects, &namespaces, err) &&
                    fx_analysis_run(&input, ret_analysis, err);
    fx_namespaces_finish(&namespaces);
    free(roots);
    return ok;
}

static enum fx_exit check_policies(const struct check_options *values,
                                   struct check_inputs *inputs) {
    struct fx_analysis analysis = {0};
    struct fx_err err = FX_ERR_INIT;
    const bool made = values->objects.n_items == 0;
    const struct fx_check_report report = {inputs->policies, &inputs->types, &analysis,
                                           &inputs->objects};
    const enum fx_exit status = analyse(inputs, made, &analysis, &err)
                                    ? print_report(values, &report)
                                    : fx_say_err(&err);
    fx_analysis_finish(&analysis);
    return status;
}

static enum fx_exit run_check(const void *values) {
    const struct check_options *given = values;
    const size_t n_stdin = fx_strings_count_stdin(&given->policies) +
                           fx_strings_count_stdin(&given->objects) +
                           fx_strings_count_stdin(&given->schemas);
    if (given->policies.n_items == 0 || n_stdin > 1) {
        return fx_say_usage(given->policies.n_items == 0
                                ? "-p is missing: it names the policies"
                                : "standard input (-) can be read only once");
    }
    struct check_inputs inputs = {.policies = NULL};
    const struct fx_input_policies input = {.settings = &given->settings,
                                            .object_paths = &given->objects,
                                            .objects = &inputs.objects,
                                            .color = given->color,
                                            .types = &inputs.types,
                                            .schemas = &inputs.schemas};
    enum fx_exit status =
        fx_input_read_schemas(&given->schemas, given->color, &inputs.schemas);
    if (status == FX_EXIT_DONE) {
        status = fx_input_read_policies(&given->policies, &input, &inputs.policies);
    }
    if (status == FX_EXIT_DONE) {
        status = check_policies(given, &inputs);
    }
    fx_type_findings_finish(&inputs.types);
    fx_input_schemas_finish(&inputs.schemas);
    fx_input_objects_finish(&inputs.objects);
    fx_policies_unref(inputs.policies);
    return status;
}

static const struct fx_option options[] = {
    {"policies", 'p', FX_OPTION_LIST, offsetof(struct check_options, policies), "PATH",
     NULL, "policies: a file, a folder or - (repeats)"},
    {"objects", 'f', FX_OPTION_LIST, offsetof(struct check_options, objects), "PATH",
     NULL, "objects to run the policies on: a file, a folder or - (repeats)"},
    {"output", 'o', FX_OPTION_CHOICE, offsetof(struct check_options, output), "FORMAT",
     output_words, "text (default) or json"},
    FX_SCHEMA_OPTION(struct check_options, schemas),
    FX_DIALECT_OPTIONS(struct check_options, settings),
    FX_COLOR_OPTION(struct check_options),
    {.name = NULL},
};

const struct fx_command fx_command_check = {
    .name = "check",
    .usage = "-p PATH... [-f PATH]... [-o text|json]",
    .summary = "find problems in policies",
    .details =
        "Prints errors, conflicts and warnings with file, line and column, also where an "
        "expression does not fit the type of an object that its policy matches; then "
        "problems "
        "between policies that are each valid. To find these, it runs the policies on "
        "the objects of -f. Without -f, it makes the smallest objects on which each "
        "mutator, and each pair that can affect each other, acts. Such a warning shows "
        "the object.\n"
        "\n"
        "  undo          mutators undo each other, in every pass or without end\n"
        "  order         the result depends on which of two mutators comes first\n"
        "  idempotence   a second run changes the result of the first\n"
        "  reinvocation  the same, of a rule that runs once per review: the API server\n "
        "               calls the webhook again if another webhook changes the object\n"
        "  selector      a mutator changes the labels by which Pods are selected\n"
        "  failure       a mutation fails, perhaps on the result of others\n"
        "  update        a note: a mutator changes an immutable field on UPDATE, so "
        "that\n                updates of objects older than the policy are refused\n"
        "\n"
        "Types are those of Kubernetes' own kinds, of --schema, and of the "
        "CustomResourceDefinitions among the policies and objects.\n"
        "\n"
        "Providers are not called: their values count as some value. Lists with the same "
        "elements in another order are equal.\n"
        "\n"
        "Exit status: 3 if a policy is invalid; 1 if there are conflicts or warnings; "
        "otherwise 0, also with notes.\n"
        "\n"
        "  fixpoint check -p policies/\n"
        "  fixpoint check -p policies/ -f deployed/ -o json\n"
        "\n"
        "JSON output:\n"
        "  {\"mutators\":[{\"id\",\"file\",\"line\",\"errors\":[],\"warnings\":[],\n"
        "                \"conflicts\":[]}],\n"
        "   \"files\":[{\"file\",\"errors\":[],\"warnings\":[]}],\n"
        "   "
        "\"findings\":[{\"rule\",\"severity\",\"mutators\":[],\"field\",\"values\":[],\n"
        "                \"message\",\"operation\",\"witness\",\"object\"}],\n"
        "   \"types\":[{\"id\",\"file\",\"line\",\"column\",\"field\",\"kinds\",\n"
        "             \"message\",\"nearest\"}],\n"
        "   \"untried\":[],\"skipped\":0}\n"
        "\n"
        "`conflicts` are the ids of the other mutators in a conflict; `files` has "
        "findings that concern no single mutator. `witness` is the object that shows the "
        "problem, `field` a JSON Pointer into it, `values` its values one after the "
        "other, null if absent. `types` are expressions that do not fit the types of "
        "`kinds`; `nearest` is the name that may be meant, or null. They are among the "
        "`warnings`, too. `object` is the file and line of an object of -f. "
        "`untried` are mutators for which no object could be made; `skipped` counts "
        "combinations beyond the limit.\n",
    .options = options,
    .values_size = sizeof(struct check_options),
    .stray = " (give policies with -p)",
    .run = run_check,
};
