/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/host.h - what testing asks of the room above it: compiling policies, asking for a
 * mutation, telling what is wrong.
 */
#ifndef FX_SUITE_HOST_H
#define FX_SUITE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/macros.h"
#include "base/text.h"
#include "policy/findings.h"
#include "policy/policies.h"
#include "value/marks.h"

/* One object and the context it comes in; everything is borrowed. */
struct fx_suite_request {
    struct fx_snapshot *snapshot;
    const struct fx_namespaces *namespaces;
    const char *operation; /* "CREATE" */
    const char *user;      /* or NULL */
    const char *const *groups;
    size_t n_groups;
    json_t *object;
    json_t *old_object; /* or NULL */
};

/* What comes of it. The caller begins it with buffers that are empty, and finishes it. */
struct fx_suite_response {
    json_t *object;         /* after mutation, counted; NULL on failure */
    struct fx_buf denial;   /* of FX_EDENIED: its words, whole */
    struct fx_buf warnings; /* of policies that were left out; "; " between them */
};

struct fx_suite_host {
    /* Reads and compiles the files. What is wrong with the policies is in their findings.
     */
    bool (*compile)(void *user, const struct fx_file_list *files,
                    struct fx_policies **ret_policies, struct fx_err *err);

    /* What the webhook makes of the object. An error that is not ours (base/err.h) is
     * what the webhook would say; there may be warnings all the same. */
    bool (*mutate)(void *user, const struct fx_suite_request *question,
                   struct fx_suite_response *ret_answer, struct fx_err *err);

    /* Tells a fault, as it is found. */
    void (*report)(void *user, const struct fx_finding *finding);
    void *user;
};

/* Why something could not be run, and where that is to be seen. */
struct fx_suite_fault {
    const char *file, *reason;
    uint32_t line; /* 0: unknown */
};

/* A text that a fault may be shown in. */
struct fx_suite_text {
    const char *file;
    struct fx_text text;          /* data NULL: not at hand */
    const struct fx_marks *marks; /* or NULL */
    uint32_t line;                /* where the fault has no place of its own; 0: none */
};

/* Tells the host of the fault: at the node or, for FX_ESYNTAX, the span it names.
 * *ret_line (may be NULL) is the line that was told. Errors: FX_ENOMEM, in `fault`. */
bool fx_suite_report(const struct fx_suite_host *host, const struct fx_suite_text *text,
                     enum fx_severity severity, struct fx_err *fault,
                     uint32_t *ret_line) FX_MUST_USE;

#endif
