/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/rule_results.h - tests of single rules: documents of kind Test, in files named
 * kyverno-test.yaml. A Test lists files of policies and objects, and the result that a
 * rule of a policy has on an object. Private to this room.
 *
 * The policies of a Test run one after the other, in the order of their files. A result
 * is about the object after its policy. Only results of rules that mutate are checked.
 */
#ifndef FX_SUITE_RULE_RESULTS_H
#define FX_SUITE_RULE_RESULTS_H

#include "suite/check_case.h"
#include "suite/read.h"

#define FX_RULE_RESULTS_GROUP "cli.kyverno.io"
/* The name of the file without its ending, and of a hidden folder for such files. */
#define FX_RULE_RESULTS_STEM   "kyverno-test"
#define FX_RULE_RESULTS_FOLDER ".kyverno-test"

/* What the rule does with the object. */
#define FX_RULE_STATUSES(X)                                                    \
    X(PASS, "pass")   /* it changes the object */                              \
    X(SKIP, "skip")   /* it does not match, or changes nothing */              \
    X(FAIL, "fail")   /* it fails, or its result is not the expected object */ \
    X(ERROR, "error") /* it fails */                                           \
    X(WARN, "warn")   /* as FAIL */

enum fx_rule_status {
#define X(name, text) FX_RULE_##name,
    FX_RULE_STATUSES(X)
#undef X
        FX_RULE_N_STATUSES,
};

const char *fx_rule_status_name(enum fx_rule_status status);

/* The files of a Test. */
struct fx_rule_inputs {
    struct fx_suite_paths objects, targets;
    struct fx_suite_paths others;      /* more objects of the cluster */
    struct fx_suite_path values, user; /* files of kind Values and UserInfo */
    json_t *inline_values;             /* the spec of Values in the Test, or NULL */
    bool has_exceptions;               /* among the policies */
    const struct fx_suite_source *source;
};

/* An expected result. */
struct fx_rule_result {
    const char *policy; /* "name", or "namespace/name" */
    const char *rule;   /* NULL: any rule of the policy */
    const char *kind;   /* of the objects; NULL: any */
    const char *object; /* "name", or "namespace/name"; NULL: every object that the rule
                         * matches */
    enum fx_rule_status status;
    struct fx_suite_path patched; /* the file with the objects after mutation */
    bool is_other; /* not of a rule that mutates, as the result itself says */
};

/* The reason of skipping such a result. */
extern const char fx_rule_left[];

/* Is the document a Test? A document in a file named kyverno-test.yaml is one also
 * without apiVersion and kind, if it has `policies` and `results`. */
bool fx_rule_results_is_test(const char *file, const json_t *document);

/* Can the text contain a Test? */
bool fx_rule_results_mentioned(const char *file, struct fx_text text);

/* Reads the document into the suite. Invalid fields are reported, and set
 * reader->fault. Without memory it sets reader->nomem. */
void fx_rule_results_read(struct fx_suite_reader *reader, json_t *document,
                          struct fx_suite *suite);

/* ---- values ------------------------------------------------------------------------ */

/* What a Test sets besides objects: values of variables, labels of namespaces, and the
 * user. It owns its files. */
struct fx_rule_values {
    struct fx_suites files;  /* sources and texts of the files */
    const json_t *specs[2];  /* of the file and of the Test itself; NULL: none */
    const json_t *user_info; /* the UserInfo, or NULL */
};

/* Reads the files. An error in a file is stored in reading->bad. Errors: FX_ENOMEM. */
bool fx_rule_values_read(const struct fx_rule_inputs *inputs,
                         const struct fx_suite_reading *reading,
                         struct fx_rule_values *ret_values) FX_MUST_USE;
void fx_rule_values_finish(struct fx_rule_values *values); /* NULL and zeroed are fine */

/* The values for the policy on the object, as a new object; keys with dots are nested. Of
 * several values of one variable the last one counts: of all policies, of other rules, of
 * the rule (which may be empty), of the object. NULL without memory. */
json_t *fx_rule_values_of(const struct fx_rule_values *values, struct fx_text policy,
                          struct fx_text rule, const json_t *object) FX_MUST_USE;

/* Adds the namespaces with their labels. False without memory. */
bool fx_rule_values_add_namespaces(const struct fx_rule_values *values,
                                   struct fx_namespaces *namespaces) FX_MUST_USE;

/* ---- running ----------------------------------------------------------------------- */

/* The inputs of a Test, read for the first result that needs them. */
struct fx_rule_session;
void fx_rule_session_destroy(struct fx_rule_session *session); /* NULL is fine */

/* As fx_suite_check_case(), for a case with `rule_result`. */
bool fx_rule_results_check(const struct fx_suite_trial *trial,
                           struct fx_suite_result *ret_result,
                           struct fx_err *err) FX_MUST_USE;

#endif
