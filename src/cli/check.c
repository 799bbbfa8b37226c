/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/check.c - `fixpoint check`: what is wrong with policies.
 */
#include "cli/check_json.h"
#include "cli/commands.h"
#include "cli/input.h"

struct values {
    struct fx_strings policies;
    unsigned output, color;
};

enum { OUTPUT_TEXT, OUTPUT_JSON };
static const char *const output_words[] = {"text", "json", NULL};

static void print_count(struct fx_buf *buf, const char *separator, size_t count,
                        const char *what) {
    fx_buf_printf(buf, "%s%zu %s%s", separator, count, what, count == 1 ? "" : "s");
}

/* All findings as people read them, and their numbers. */
static void print_text(struct fx_buf *buf, const struct fx_policies *policies,
                       bool colour) {
    const struct fx_findings *findings = &policies->findings;
    for (size_t i = 0; i < findings->n_items; i++) {
        fx_finding_print(buf, &findings->items[i], colour);
    }
    print_count(buf, "", policies->n_files, "file");
    print_count(buf, ", ", policies->snapshot->n_mutators, "mutator");
    print_count(buf, ": ", fx_findings_count(findings, FX_SEVERITY_ERROR), "error");
    print_count(buf, ", ", fx_findings_count(findings, FX_SEVERITY_CONFLICT), "conflict");
    print_count(buf, ", ", fx_findings_count(findings, FX_SEVERITY_WARNING), "warning");
    fx_buf_char(buf, '\n');
}

static enum fx_exit verdict(const struct fx_findings *findings) {
    if (fx_findings_count(findings, FX_SEVERITY_ERROR) > 0) {
        return FX_EXIT_INVALID;
    }
    return findings->n_items > 0 ? FX_EXIT_FINDINGS : FX_EXIT_DONE;
}

static enum fx_exit print(const struct values *values,
                          const struct fx_policies *policies) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    if (values->output == OUTPUT_JSON) {
        fx_check_print_json(&buf, policies);
    } else {
        print_text(&buf, policies, fx_color_wanted(values->color, stdout));
    }
    const enum fx_exit status = fx_output_write(&buf);
    fx_buf_finish(&buf);
    return status == FX_EXIT_DONE ? verdict(&policies->findings) : status;
}

static enum fx_exit run(const void *values, const char *operand) {
    (void)operand;
    const struct values *given = values;
    if (given->policies.n_items == 0) {
        fx_say("-p is missing: where are the policies?");
        return FX_EXIT_USAGE;
    }
    struct fx_policies *policies = NULL;
    enum fx_exit status = fx_input_read_policies(&given->policies, &policies);
    if (status == FX_EXIT_DONE) {
        status = print(given, policies);
    }
    fx_policies_unref(policies);
    return status;
}

static const struct fx_option options[] = {
    {"policies", 'p', FX_OPTION_LIST, offsetof(struct values, policies), "PATH", NULL,
     "policies: a file, a folder or - (repeats)"},
    {"output", 'o', FX_OPTION_CHOICE, offsetof(struct values, output), "FORMAT",
     output_words, "text (default) or json"},
    FX_COLOR_OPTION(struct values),
    {.name = NULL},
};

const struct fx_command fx_command_check = {
    .name = "check",
    .usage = "-p PATH... [-o text|json]",
    .summary = "tell what is wrong with policies",
    .details =
        "Prints errors, conflicts and warnings with file, line and the character. Status "
        "3 where a policy is invalid; 1 where all are valid, and some in conflict or "
        "with warnings; else 0.\n"
        "\n"
        "As JSON:\n"
        "  {\"mutators\":[{\"id\",\"file\",\"line\",\"errors\":[],\"warnings\":[],\n"
        "                \"conflicts\":[]}],\n"
        "   \"files\":[{\"file\",\"errors\":[],\"warnings\":[]}]}\n"
        "\n"
        "`conflicts` are the ids of the others in a conflict; `files` has what "
        "concerns no single mutator.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .stray = " (policies come behind -p)",
    .run = run,
};
