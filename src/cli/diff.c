/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/diff.c - `fixpoint diff`: shows what mutation would change.
 */
#include "cli/apply.h"
#include "cli/commands.h"

static enum fx_exit run_diff(const void *values, const char *operand) {
    (void)operand;
    bool differs = false;
    const enum fx_exit status = fx_apply_objects(values, FX_FORMAT_DIFF, &differs);
    return status == FX_EXIT_DONE && differs ? FX_EXIT_FINDINGS : status;
}

static const struct fx_option options[] = {
    FX_EXPAND_OPTION,
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
    .options = options,
    .values_size = sizeof(struct fx_apply_values),
    .stray = " (give objects with -f)",
    .run = run_diff,
};
