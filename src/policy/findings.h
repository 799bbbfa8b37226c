/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/findings.h - findings: problems of policies with their positions, for `check`,
 * for the log, and for every command that reads policies.
 */
#ifndef FX_POLICY_FINDINGS_H
#define FX_POLICY_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "value/marks.h"

#define FX_SEVERITIES(X)  \
    X(WARNING, "warning") \
    X(ERROR, "error")     \
    X(CONFLICT, "conflict")

/* The policy of a WARNING is active; that of an ERROR is not; that of a CONFLICT is
 * valid, but disabled because it conflicts with others. */
enum fx_severity {
#define X(name, text) FX_SEVERITY_##name,
    FX_SEVERITIES(X)
#undef X
};

const char *fx_severity_name(enum fx_severity severity);

/* One finding. It owns all its texts. */
struct fx_finding {
    enum fx_severity severity;
    char *file;                /* the name that the caller gave */
    uint32_t line, column;     /* of the character in error, from 1; 0 if unknown */
    char *id;                  /* "Assign/always-pull"; NULL if there is none */
    char *text;                /* the message */
    char *excerpt;             /* the source line, or the text in error; may be NULL */
    uint32_t caret, caret_len; /* columns in the excerpt, in runes, from 0; or no caret */
};

/* The position of a fault, with the fields of struct fx_finding. `excerpt` is borrowed
 * from the source or from the node; it is at most a part of a line around the caret. */
struct fx_source_position {
    uint32_t line, column;
    struct fx_text excerpt; /* data is NULL if there is none */
    uint32_t caret, caret_len;
};

struct fx_findings {
    struct fx_finding *items;
    size_t n_items, cap_items;
};

void fx_findings_finish(struct fx_findings *findings); /* NULL, zeroed are fine */

/* Returns the number of findings of this severity. */
size_t fx_findings_count(const struct fx_findings *findings, enum fx_severity severity);

/* Appends a finding; everything is copied. `id` may be NULL. False without memory. */
bool fx_findings_add(struct fx_findings *findings, enum fx_severity severity,
                     const char *file, const char *id,
                     const struct fx_source_position *position,
                     const char *text) FX_MUST_USE;

/* Appends a copy of the finding. False without memory. */
bool fx_findings_copy(struct fx_findings *findings,
                      const struct fx_finding *finding) FX_MUST_USE;

/* Returns the position of the byte at `off` of the source; the caret marks `len`
 * bytes. */
struct fx_source_position fx_source_position_of_offset(struct fx_text source, size_t off,
                                                       size_t len);

/* Returns the position of the error's node and span. If the source contains the node's
 * text verbatim, the excerpt is the source line, and the caret points at the character.
 * If the text has escapes or is folded, the excerpt is the text itself. If the error has
 * no node, or its node has no mark, the position is only the line `line`. */
struct fx_source_position fx_source_position_of_fault(struct fx_text source,
                                                      const struct fx_marks *marks,
                                                      const struct fx_err *fault,
                                                      uint32_t line);

/* Appends one finding as text, ending in a newline:
 *
 *   policies/a.yaml:12:37: error: Assign/always-pull: invalid location format …
 *     location: "spec.containers[name: *"
 *                                       ^
 *
 * The excerpt's indentation is dropped. Control characters are replaced. A long line is
 * cut around the caret so that it fits 80 columns. `colour` adds ANSI colours. */
void fx_finding_print(struct fx_buf *buf, const struct fx_finding *finding, bool colour);

#endif
