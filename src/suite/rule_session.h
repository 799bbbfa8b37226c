/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/rule_session.h - the policies and objects of a Test (rule_results.h), read once
 * for all of its results. Private to this room.
 */
#ifndef FX_SUITE_RULE_SESSION_H
#define FX_SUITE_RULE_SESSION_H

#include "suite/rule_results.h"

/* A policy alone. */
struct fx_rule_stage {
    struct fx_snapshot *snapshot; /* counted; NULL: not made yet */
};

struct fx_rule_session {
    const struct fx_rule_inputs *inputs; /* borrowed; identifies the session */
    struct fx_objects policies;          /* the documents, in the order of the files */
    struct fx_objects objects, others;   /* of `resources`; of the other lists */
    struct fx_rule_values values;
    struct fx_namespaces namespaces;    /* every object, for policies that read them */
    const struct fx_policies *compiled; /* borrowed; NULL until they are set */
    struct fx_rule_stage *stages;       /* one for each of `policies` */
    struct fx_suite_bad_file bad;       /* an invalid file; then the rest is not set */
};

/* The session of the test, which is read for the first result. An invalid file is in
 * `bad`. NULL without memory. */
struct fx_rule_session *fx_rule_session_of(struct fx_suite_inputs *inputs,
                                           const struct fx_suite_test *test,
                                           const struct fx_suite_host *host,
                                           struct fx_err *err) FX_MUST_USE;

/* Sets the compiled policies, which outlive the session. Errors: FX_ENOMEM. */
bool fx_rule_session_set_policies(struct fx_rule_session *session,
                                  struct fx_policies *policies,
                                  struct fx_err *err) FX_MUST_USE;

/* A snapshot with the mutators of one of the policies, borrowed. NULL without memory. */
struct fx_snapshot *fx_rule_session_stage(struct fx_rule_session *session, size_t policy,
                                          struct fx_err *err) FX_MUST_USE;

/* Gives the object the namespace `default` if it names none, and its kind may have one.
 * *object is replaced if it is shared. False without memory. */
bool fx_rule_set_namespace(json_t **object) FX_MUST_USE;

struct fx_rule_comparison {
    struct fx_objects *expected; /* those of a file; they get namespaces */
    const json_t *object;
    const char *expected_name; /* the file's, for the difference */
    bool colour;
};

/* Compares the object with its counterpart among the expected ones: with the object of
 * the same kind, namespace and name, or with the only one. Fields that are null, {} or []
 * count as missing. Appends the difference. Errors: FX_ENOMEM. */
bool fx_rule_compare(const struct fx_rule_comparison *comparison, bool *ret_same,
                     struct fx_buf *diff, struct fx_err *err) FX_MUST_USE;

#endif
