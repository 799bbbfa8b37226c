/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/host.h - functions that the caller of this room provides: compile policies,
 * mutate an object, report a fault.
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

/* One object and the request in which it is sent; everything is borrowed. */
struct fx_suite_request {
    struct fx_snapshot *snapshot;
    const struct fx_namespaces *namespaces;
    const char *operation; /* "CREATE" */
    const char *user;      /* or NULL */
    const char **groups;
    size_t n_groups;
    json_t *object;
    json_t *old_object; /* or NULL */
};

/* The result. The caller initialises the buffers, and frees everything. */
struct fx_suite_response {
    json_t *object;         /* after mutation, counted; NULL on failure */
    struct fx_buf denial;   /* of FX_EDENIED: the whole message */
    struct fx_buf warnings; /* of policies that were skipped; "; " between them */
};

struct fx_suite_host {
    /* Reads and compiles the files. Faults of policies are in their findings. */
    bool (*compile)(void *user, const struct fx_file_list *files,
                    struct fx_policies **ret_policies, struct fx_err *err);

    /* Mutates the object as the webhook would. An error that is not our own (base/err.h)
     * is the response of the webhook; warnings may be set in any case. */
    bool (*mutate)(void *user, const struct fx_suite_request *question,
                   struct fx_suite_response *ret_answer, struct fx_err *err);

    /* Reports a fault as soon as it is found. */
    void (*report)(void *user, const struct fx_finding *finding);
    void *user;
};

/* Why something could not be run, and where the fault is. */
struct fx_suite_fault {
    const char *file, *reason;
    uint32_t line; /* 0: unknown */
};

/* A text in which a fault may be shown. */
struct fx_suite_text {
    const char *file;
    struct fx_text text;          /* data NULL: not available */
    const struct fx_marks *marks; /* or NULL */
    uint32_t line;                /* of a fault without a place of its own; 0: none */
};

/* Reports the fault to the host, at its node or, for FX_ESYNTAX, its span. ret_line may
 * be NULL; *ret_line is the line reported. Errors: FX_ENOMEM, in `fault`. */
bool fx_suite_report(const struct fx_suite_host *host, const struct fx_suite_text *text,
                     enum fx_severity severity, struct fx_err *fault,
                     uint32_t *ret_line) FX_MUST_USE;

#endif
