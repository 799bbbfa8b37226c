/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/suite.h - the tests in memory: suites, which have tests, which have cases. They
 * are read from three forms: documents of kind Suite, as in gator; documents of kind Test
 * (rule_results.h); and plain folders (read.h). The caller of this room provides the
 * functions of struct fx_suite_host.
 *
 * struct fx_suites owns everything: its arena has the texts and the lists of paths, and
 * the documents of its sources have the values (json_t).
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
#include "engine/trace.h"
#include "policy/findings.h"
#include "policy/policies.h"
#include "value/documents.h"
#include "value/marks.h"

/* One object and the request in which it is sent; everything is borrowed. */
struct fx_suite_request {
    struct fx_snapshot *snapshot;
    const struct fx_namespaces *namespaces;
    struct fx_schema_catalog *schemas; /* of the policies; or NULL */
    const char *operation;             /* "CREATE" */
    const char *user;                  /* or NULL */
    const char **groups;
    size_t n_groups;
    json_t *object;
    json_t *old_object;                  /* or NULL */
    json_t *variables;                   /* fx_request.variables, or NULL */
    const json_t *roles, *cluster_roles; /* fx_request.roles; or NULL */
    struct fx_trace *trace;              /* or NULL: records what each mutator did */
    /* An existing object, for the rules that the request triggers; a counted reference
     * that they replace. NULL if they are not to run. */
    json_t **target;
    const char *target_rule; /* the only one of these rules that runs; NULL: each */
};

/* The result. The caller initialises the buffers, and frees everything. */
struct fx_suite_response {
    json_t *object;         /* after mutation, counted; NULL on failure */
    struct fx_buf denial;   /* of FX_EDENIED: the complete message */
    struct fx_buf warnings; /* of policies that warn, audit or were skipped */
    bool triggers;          /* the request triggers the rule for existing objects */
};

struct fx_suite_host {
    /* Reads and compiles the files. Errors in policies become findings.
     * `with_exceptions`: the exceptions among the files count, whatever their
     * namespace. */
    bool (*compile)(void *user, const struct fx_file_list *files, bool with_exceptions,
                    struct fx_policies **ret_policies, struct fx_err *err);

    /* Mutates the object as the webhook would, and then the target. An error that is not
     * our own (base/err.h) is the response of the webhook. Warnings may be set in both
     * cases. */
    bool (*mutate)(void *user, const struct fx_suite_request *question,
                   struct fx_suite_response *ret_answer, struct fx_err *err);

    /* Called for each error as soon as it is found. */
    void (*report)(void *user, const struct fx_finding *finding);
    void *user;
};

/* Why a case or suite cannot be run, and the line of the error. */
struct fx_suite_fault {
    const char *file, *reason;
    uint32_t line; /* 0: unknown */
};

/* A text in which an error can be shown. */
struct fx_suite_text {
    const char *file;
    struct fx_text text;          /* data NULL: not available */
    const struct fx_marks *marks; /* or NULL */
    uint32_t line;                /* for an error without a position; 0: none */
};

/* Reports the error to the host, at its node or, for FX_ESYNTAX, at its span. *ret_line
 * is the reported line; `ret_line` may be NULL. Errors: FX_ENOMEM, in `fault`. */
bool fx_suite_report(const struct fx_suite_host *host, const struct fx_suite_text *text,
                     enum fx_severity severity, struct fx_err *fault,
                     uint32_t *ret_line) FX_MUST_USE;

/* A file that describes tests, kept so that errors can be shown in it. */
struct fx_suite_source {
    const char *file; /* as it was given */
    struct fx_buf text;
    struct fx_documents documents;
    struct fx_marks_index marks; /* the marks of the documents */
};

/* A file or folder, relative to the working directory, and the node that names it (or
 * NULL if none does). */
struct fx_suite_path {
    const char *path; /* NULL: not given */
    const json_t *node;
};

struct fx_suite_paths {
    struct fx_suite_path *items;
    size_t n_items;
};

struct fx_rule_inputs; /* rule_results.h */
struct fx_rule_result;

/* The object that is expected after mutation. */
enum fx_suite_mutated {
    FX_MUTATED_UNSAID,
    FX_MUTATED_UNCHANGED, /* the object before mutation */
    FX_MUTATED_FILE,      /* the content of the file */
    FX_MUTATED_INLINE,    /* a value in the suite itself */
};

struct fx_suite_case {
    const char *name;
    uint32_t line;                        /* in the source; 1 in a folder */
    const char *skip;                     /* why it is not run; NULL: it is run */
    const struct fx_suite_source *source; /* which has its nodes; NULL: none has */

    struct fx_suite_path object, old;
    struct fx_suite_paths inventory;
    const char *operation; /* CREATE, UPDATE, DELETE; NULL: not given */
    const char *user;      /* or NULL */
    const char **groups;
    size_t n_groups;

    bool asserts; /* it has `assertions`, which are not evaluated */
    enum fx_suite_mutated mutated;
    /* FILE; in a folder, the path that an update may create. */
    struct fx_suite_path mutated_file;
    json_t *mutated_value;    /* INLINE: an object, or a list of them */
    json_t *patch, *contains; /* or NULL */
    const char *error;        /* part of the error message; NULL: no failure */
    const char *denied;       /* part of the denial message; NULL: no denial */

    /* The expected result of a rule (rule_results.h). Then the request and the
     * expectations above are not given. */
    const struct fx_rule_result *rule_result;
};

struct fx_suite_test {
    const char *name; /* NULL in a folder */
    uint32_t line;
    const char *skip; /* why the whole test, which has no cases, is skipped; else NULL */
    const struct fx_suite_source *source;
    struct fx_suite_paths mutators, namespaces;
    /* The inputs of a document of kind Test, which several tests share; or NULL. */
    const struct fx_rule_inputs *rule_inputs;
    struct fx_suite_case *cases;
    size_t n_cases, cap_cases;
};

struct fx_suite {
    const char *path; /* the file or folder, for messages */
    const char *name;
    struct fx_suite_fault fault; /* why it cannot be run; `reason` NULL: it can */
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
void fx_suites_finish(struct fx_suites *suites); /* NULL and zeroed are fine */

/* Adds the suites of a path. A file must contain a Suite. In a folder (with or without
 * gator's `/...` at the end), adds every Suite in its *.yaml, *.yml and *.json and every
 * case in folder form, recursively. An invalid suite is reported to the host, and added
 * with its error. Errors: FX_EIO, FX_ELIMIT, FX_ENOMEM; FX_EINVALID if a file contains no
 * Suite. */
bool fx_suites_add(struct fx_suites *suites, const char *path,
                   struct fx_err *err) FX_MUST_USE;

/* The reason of skipping a case that expects a result of constraints. */
extern const char fx_suite_unchecked[];

/* For the readers: append a zeroed item. The pointer is valid until the next item is
 * added to the same list. NULL without memory. */
struct fx_suite *fx_suites_new(struct fx_suites *suites) FX_MUST_USE;
struct fx_suite_test *fx_suite_new_test(struct fx_suite *suite) FX_MUST_USE;
struct fx_suite_case *fx_suite_new_case(struct fx_suite_test *test) FX_MUST_USE;

/* For the readers: adds a source with these bytes, which it takes. Its documents are not
 * yet read. NULL without memory. */
struct fx_suite_source *fx_suites_new_source(struct fx_suites *suites, const char *file,
                                             struct fx_buf *text_take,
                                             struct fx_err *ret_fault) FX_MUST_USE;

/* "folder/name"; only the name if the folder is "" or ".". NULL without memory. */
const char *fx_suites_join(struct fx_suites *suites, struct fx_text folder,
                           struct fx_text name) FX_MUST_USE;

/* The folder part of a path; "" if there is none. */
struct fx_text fx_suite_folder_of(const char *path);

/* The last name of a path, without an ending such as .yaml. */
struct fx_text fx_suite_stem_of(const char *path);

#endif
