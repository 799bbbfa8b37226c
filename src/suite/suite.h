/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/suite.h - what is tested: suites, which have tests, which have cases. Two forms
 * are read into this one: documents of kind Suite, as gator has them, and plain folders
 * (read.h). Functions that the caller of this room provides: struct fx_suite_host.
 *
 * Everything belongs to struct fx_suites: texts and lists of paths to its arena, values
 * (json_t) to the documents of its sources.
 */
#ifndef FX_SUITE_SUITE_H
#define FX_SUITE_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/macros.h"
#include "base/text.h"
#include "policy/findings.h"
#include "policy/policies.h"
#include "value/documents.h"
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
    struct fx_buf warnings; /* of policies that warn, audit or were skipped */
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
    uint32_t line;                /* of a fault without a position of its own; 0: none */
};

/* Reports the fault to the host, at its node or, for FX_ESYNTAX, its span. ret_line may
 * be NULL; *ret_line is the line reported. Errors: FX_ENOMEM, in `fault`. */
bool fx_suite_report(const struct fx_suite_host *host, const struct fx_suite_text *text,
                     enum fx_severity severity, struct fx_err *fault,
                     uint32_t *ret_line) FX_MUST_USE;

/* A file that describes tests, kept so that faults can be shown in it. */
struct fx_suite_source {
    const char *file; /* as it was given */
    struct fx_buf text;
    struct fx_documents documents;
    struct fx_marks_index marks; /* of the documents */
};

/* A file or folder, relative to the working directory, and the node that names it (or
 * NULL). */
struct fx_suite_path {
    const char *path; /* NULL: not given */
    const json_t *node;
};

struct fx_suite_paths {
    struct fx_suite_path *items;
    size_t n_items;
};

/* What the whole object is expected to be after mutation. */
enum fx_suite_mutated {
    FX_MUTATED_UNSAID,
    FX_MUTATED_UNCHANGED, /* what it was before */
    FX_MUTATED_FILE,      /* what the file holds */
    FX_MUTATED_INLINE,    /* what the suite itself holds */
};

struct fx_suite_case {
    const char *name;
    uint32_t line;                        /* in the source; 1 in a folder */
    const char *skip;                     /* why it is not run; NULL: it is run */
    const struct fx_suite_source *source; /* of its nodes; NULL: it has none */

    struct fx_suite_path object, old;
    struct fx_suite_paths inventory;
    const char *operation; /* CREATE, UPDATE, DELETE; NULL: not given */
    const char *user;      /* or NULL */
    const char **groups;
    size_t n_groups;

    bool asserts; /* it has `assertions`, which are not evaluated */
    enum fx_suite_mutated mutated;
    struct fx_suite_path mutated_file; /* FILE; in a folder, where it would be */
    json_t *mutated_value;             /* INLINE: an object, or a list of them */
    json_t *patch, *contains;          /* or NULL */
    const char *error;                 /* part of the error message; NULL: no failure */
    const char *denied;                /* part of the denial message; NULL: no denial */
};

struct fx_suite_test {
    const char *name; /* NULL in a folder */
    uint32_t line;
    const char *skip; /* the whole test, as it has no cases; else NULL */
    const struct fx_suite_source *source;
    struct fx_suite_paths mutators, namespaces;
    struct fx_suite_case *cases;
    size_t n_cases, cap_cases;
};

struct fx_suite {
    const char *path; /* the file or folder, for messages */
    const char *name;
    struct fx_suite_fault fault; /* why it cannot be run; reason NULL: no fault */
    struct fx_suite_test *tests;
    size_t n_tests, cap_tests;
};

struct fx_suites {
    const struct fx_suite_host *host;
    struct fx_arena arena;
    struct fx_suite_source **sources;
    size_t n_sources, cap_sources;
    struct fx_suite *items;
    size_t n_items, cap_items;
};

/* `host` is borrowed. */
void fx_suites_init(struct fx_suites *suites, const struct fx_suite_host *host);
void fx_suites_finish(struct fx_suites *suites); /* NULL, zeroed are fine */

/* Adds the suites of a path: of a file, which must hold a Suite; of a folder (with or
 * without gator's `/...` behind it) every Suite in its *.yaml, *.yml and *.json, and
 * every case in folder form, recursively. An invalid suite is reported to the host,
 * and added with its fault. Errors: FX_EIO, FX_ELIMIT, FX_ENOMEM, and FX_EINVALID where a
 * file holds no Suite. */
bool fx_suites_add(struct fx_suites *suites, const char *path,
                   struct fx_err *err) FX_MUST_USE;

/* Why a case is skipped that expects a result of constraints. */
extern const char fx_suite_unchecked[];

/* For the readers: appends one that is zeroed. The pointers hold until the next of the
 * same list is added. NULL without memory. */
struct fx_suite *fx_suites_new(struct fx_suites *suites) FX_MUST_USE;
struct fx_suite_test *fx_suite_new_test(struct fx_suite *suite) FX_MUST_USE;
struct fx_suite_case *fx_suite_new_case(struct fx_suite_test *test) FX_MUST_USE;

/* For the readers: a new source of these bytes, which are taken; its documents are still
 * to be read. NULL without memory. */
struct fx_suite_source *fx_suites_new_source(struct fx_suites *suites, const char *file,
                                             struct fx_buf *text_take,
                                             struct fx_err *ret_fault) FX_MUST_USE;

/* "folder/name"; just the name where the folder is "" or ".". NULL without memory. */
const char *fx_suites_join(struct fx_suites *suites, struct fx_text folder,
                           struct fx_text name) FX_MUST_USE;

/* The folder that a path's last name is in: "" where there is none before it. */
struct fx_text fx_suite_folder_of(const char *path);

/* A path's last name, without an ending such as .yaml. */
struct fx_text fx_suite_stem_of(const char *path);

#endif
