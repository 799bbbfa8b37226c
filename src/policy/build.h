/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/build.h - the build of the next set of policies. Private to this room.
 *
 * Functions that return bool return false only without memory, because errors of policies
 * become findings.
 */
#ifndef FX_POLICY_BUILD_H
#define FX_POLICY_BUILD_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macros.h"
#include "engine/dialect.h"
#include "engine/request.h"
#include "policy/policies.h"
#include "value/documents.h"

/* The number of findings; beyond FX_LIMIT_FINDINGS they are only counted. */
struct fx_tally {
    size_t n_reported, n_more;
    enum fx_severity worst; /* the worst of the findings that are only counted */
    const char *file;       /* file of the first one that is only counted; borrowed */
};

/* Returns true if the next finding shall be reported. Otherwise it counts the finding,
 * because a message costs memory, and an excerpt costs a search in all marks of the
 * file. */
bool fx_tally_takes(struct fx_tally *tally, enum fx_severity severity, const char *file);

/* Looks up files of the previous build by name. Zeroed except for `policies`, which are
 * borrowed. The list is created when it is first needed: most builds find every file at
 * its previous position. */
struct fx_previous_index {
    const struct fx_policies *policies;  /* may be NULL */
    size_t cursor;                       /* index of the file that is expected next */
    const struct fx_policy_file **files; /* sorted by name */
};

void fx_previous_index_finish(struct fx_previous_index *index);

/* Finds the file of that name; NULL if there is none. Files with the same name are found
 * one after the other, because files have the same order in each build. False without
 * memory. */
bool fx_previous_index_find_file(struct fx_previous_index *index, const char *name,
                                 const struct fx_policy_file **ret_file) FX_MUST_USE;

/* The current document of the current file. */
struct fx_build {
    struct fx_policies *next;
    const struct fx_named_kinds *named; /* documents of these kinds are parameters */
    struct fx_previous_index *previous;
    const struct fx_dialect_settings *settings; /* may be NULL */
    const struct fx_policy_file *before;        /* the same file in the previous build, or
                                                 * NULL */
    const struct fx_policy_input *input;
    struct fx_policy_file *file;
    const struct fx_documents *documents;
    uint32_t line; /* of the document */
    char *id;      /* "Assign/always-pull"; NULL if it has no name */
    struct fx_tally tally;
};

/* Appends a finding about the error. With `stays`, its message also says that the
 * previous version stays active. */
bool fx_build_report(struct fx_build *build, enum fx_severity severity,
                     const struct fx_err *fault, bool stays) FX_MUST_USE;

/* The same for a file that cannot be parsed. The finding points at the byte. */
bool fx_build_report_syntax(struct fx_build *build, const struct fx_err *fault,
                            bool stays) FX_MUST_USE;

/* Called at the end of a file: appends one finding for all those that were only
 * counted. */
bool fx_build_report_rest(struct fx_build *build) FX_MUST_USE;

/* Adds a reference to the unit, or to the namespace, to the current file. */
bool fx_build_keep_unit(struct fx_build *build, struct fx_unit *unit) FX_MUST_USE;
bool fx_build_keep_namespace(struct fx_build *build, json_t *object) FX_MUST_USE;

/* Reads one document. It gives a unit, a namespace, or findings. */
bool fx_build_document(struct fx_build *build,
                       const struct fx_document *document) FX_MUST_USE;

/* Returns the active unit of that kind, namespace (empty for none) and name; NULL if
 * there is none. Borrowed. */
struct fx_unit *fx_build_find_previous(const struct fx_build *build,
                                       const struct fx_kind *kind,
                                       struct fx_text namespace_, struct fx_text name);

/* Keeps everything that the previous version of the file gave, because the file cannot be
 * read. *ret_stays is true if there was anything. */
bool fx_build_fall_back_file(struct fx_build *build, bool *ret_stays) FX_MUST_USE;

/* Keeps everything that the file gave in `from`, including its findings, because the file
 * has not changed. */
bool fx_build_repeat_file(struct fx_build *build, const struct fx_policies *from,
                          const struct fx_policy_file *before) FX_MUST_USE;

/* Called after all files. They add findings for each document that a later one replaces
 * (`given` has the units of all files, in the order of reading), for the reports of link
 * steps, for each mutator in conflict, for each mutator whose provider is not defined,
 * and for each template of a cycle. The limit of findings applies to each of the five,
 * over all files. */
bool fx_build_report_repeats(struct fx_policies *policies, struct fx_unit *const *given,
                             size_t n_given) FX_MUST_USE;
bool fx_build_report_links(struct fx_policies *policies) FX_MUST_USE;
bool fx_build_report_conflicts(struct fx_policies *policies) FX_MUST_USE;
bool fx_build_report_providers(struct fx_policies *policies) FX_MUST_USE;

/* Removes templates that expand each other, which would expand forever, from the
 * snapshot. It is then built again. */
bool fx_build_drop_cycles(struct fx_policies *policies) FX_MUST_USE;

#endif
