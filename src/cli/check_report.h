/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/check_report.h - the report of `fixpoint check`, as text and as JSON.
 */
#ifndef FX_CLI_CHECK_REPORT_H
#define FX_CLI_CHECK_REPORT_H

#include <stdbool.h>

#include "analysis/analysis.h"
#include "base/buf.h"
#include "cli/input.h"
#include "policy/policies.h"

/* All borrowed. */
struct fx_check_report {
    const struct fx_policies *policies;
    const struct fx_type_findings *types;
    const struct fx_analysis *analysis;
    const struct fx_input_objects *objects; /* the objects of -f */
};

/* How many findings of the analysis are warnings; the others are notes. */
size_t fx_check_count_warnings(const struct fx_analysis *analysis);

/* Appends all findings, then how many there are. Failure sticks in `buf`. */
void fx_check_print_text(struct fx_buf *buf, const struct fx_check_report *report,
                         bool colour);

/* Appends {"mutators":[…],"files":[…],"findings":[…],"types":[…],…} as `fixpoint help
 * check` describes, on one line. The valid mutators come first, in the order of a pass,
 * then the invalid ones. Failure sticks in `buf`. */
void fx_check_print_json(struct fx_buf *buf, const struct fx_check_report *given);

#endif
