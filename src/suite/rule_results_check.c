/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/rule_results_check.c - runs the policies of a Test on its objects, and compares
 * what a rule did with the expected result.
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "suite/rule_session.h"
#include "value/equal.h"
#include "value/tree.h"

/* The state of checking one result. */
struct result_check {
    const struct fx_suite_trial *trial;
    const struct fx_rule_result *expected;
    struct fx_suite_result *result;
    struct fx_rule_session *session;
    size_t policy;    /* the index of its policy in the session */
    bool has_targets; /* the rule mutates existing objects */
    struct fx_err *err;

    /* What the policy did with the current object. */
    json_t *object; /* counted */
    enum fx_rule_status status;
    bool matched;
    struct fx_buf cause; /* why it failed or was skipped; may be empty */
};

/* ---- conclusions ------------------------------------------------------------------- */

/* Sets the status and the reason. Fails without memory. */
FX_PRINTF(3, 4)
static bool conclude(struct result_check *check, enum fx_suite_status status,
                     const char *fmt, ...) {
    char message[FX_ERR_TEXT];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    free(check->result->reason);
    check->result->status = status;
    check->result->reason = strdup(message);
    return check->result->reason != NULL || fx_fail_nomem(check->err);
}

static bool conclude_bad(struct result_check *check,
                         const struct fx_suite_bad_file *bad) {
    free(check->result->file);
    check->result->file = strdup(bad->file);
    check->result->line = bad->line;
    return (check->result->file != NULL || fx_fail_nomem(check->err)) &&
           conclude(check, FX_SUITE_ERROR, "%s", bad->reason);
}

static bool goes_on(const struct result_check *check) {
    return check->result->status == FX_SUITE_PASS;
}

/* ---- the rule in its policy -------------------------------------------------------- */

#define GENERATED      "autogen-"
#define GENERATED_CRON GENERATED "cronjob-"

/* The name of the rule from which a rule for controllers of Pods is generated; other
 * names stay. */
static struct fx_text own_name(struct fx_text rule) {
    const struct fx_text prefixes[] = {FX_TEXT(GENERATED_CRON), FX_TEXT(GENERATED)};
    for (size_t i = 0; i < FX_COUNT(prefixes); i++) {
        if (fx_text_starts(rule, prefixes[i])) {
            return fx_text_rest(rule, prefixes[i].len);
        }
    }
    return rule;
}

/* Is the rule the expected one, or generated from it? A long generated name is cut. */
static bool is_expected_rule(const struct result_check *check, const char *rule) {
    const char *wanted = check->expected->rule;
    if (wanted == NULL || rule == NULL || strcmp(wanted, rule) == 0) {
        return true;
    }
    const struct fx_text name = fx_text_of(rule);
    const struct fx_text own = own_name(name);
    return own.len < name.len &&
           (fx_text_is(own, wanted) ||
            (name.len >= FX_LIMIT_RULE_NAME && fx_text_starts(fx_text_of(wanted), own)));
}

static bool is_policy(const json_t *document, const char *name) {
    const json_t *metadata = fx_tree_view_key(document, "metadata");
    const struct fx_text own = fx_tree_view_string(metadata, "name");
    const char *slash = strchr(name, '/');
    if (slash == NULL) {
        return fx_text_is(own, name);
    }
    const struct fx_text namespace_ = {name, (size_t)(slash - name)};
    return fx_text_is(own, slash + 1) &&
           fx_text_equal(fx_tree_view_string(metadata, "namespace"), namespace_);
}

static bool find_policy(struct result_check *check) {
    const struct fx_objects *policies = &check->session->policies;
    for (size_t i = 0; i < policies->n_items; i++) {
        if (is_policy(policies->items[i], check->expected->policy)) {
            check->policy = i;
            return true;
        }
    }
    return false;
}

/* The rule with the name among those of the policy; without a name, the first one that
 * mutates, else the first one. */
static const json_t *find_rule(const json_t *rules, const char *name) {
    const struct fx_text own = name != NULL ? own_name(fx_text_of(name)) : FX_TEXT("");
    const json_t *found = NULL;
    for (size_t i = 0; i < json_array_size(rules); i++) {
        const json_t *rule = json_array_get(rules, i);
        const struct fx_text text = fx_tree_view_string(rule, "name");
        if (name == NULL) {
            found =
                found == NULL || fx_tree_view_key(found, "mutate") == NULL ? rule : found;
        } else if (fx_text_is(text, name) || fx_text_equal(text, own)) {
            return rule;
        }
    }
    return found;
}

static bool skip_other(struct result_check *check) {
    return conclude(check, FX_SUITE_SKIP, "%s", fx_rule_left);
}

/* Ends the check unless the rule is one that mutates. */
static bool check_rule(struct result_check *check) {
    const json_t *policy = check->session->policies.items[check->policy];
    const json_t *rules = fx_tree_view_key(fx_tree_view_key(policy, "spec"), "rules");
    if (!json_is_array(rules)) {
        const struct fx_text kind = fx_tree_view_string(policy, "kind");
        return fx_text_contains(kind, FX_TEXT("Mutating")) || skip_other(check);
    }
    const json_t *rule = find_rule(rules, check->expected->rule);
    if (rule == NULL) {
        return conclude(check, FX_SUITE_ERROR, "the policy `%s` has no rule `%s`",
                        check->expected->policy,
                        check->expected->rule != NULL ? check->expected->rule : "");
    }
    const json_t *mutate = fx_tree_view_key(rule, "mutate");
    if (mutate == NULL) {
        return skip_other(check);
    }
    check->has_targets = fx_tree_view_key(mutate, "targets") != NULL;
    return true;
}

/* ---- running ----------------------------------------------------------------------- */

static const struct fx_suite_host *host_of(const struct result_check *check) {
    return check->trial->host;
}

static void add_cause(struct result_check *check, const char *text) {
    if (text != NULL && check->cause.len == 0) {
        fx_buf_str(&check->cause, text);
    }
}

/* Notes what the rules did. */
static void take_steps(struct result_check *check, const struct fx_snapshot *snapshot,
                       const struct fx_trace *trace) {
    for (size_t i = 0; i < trace->n_steps; i++) {
        const struct fx_trace_step *step = &trace->steps[i];
        if (step->mutator >= snapshot->n_mutators ||
            !is_expected_rule(check, snapshot->mutators[step->mutator]->rule)) {
            continue;
        }
        const bool matched = step->verdict.matched && !step->effect.unmatched;
        check->matched = check->matched || matched;
        if (step->failure != NULL) {
            check->status = FX_RULE_ERROR;
            add_cause(check, step->failure);
        } else if (step->effect.changed && check->status != FX_RULE_ERROR) {
            check->status = FX_RULE_PASS;
        } else if (!step->effect.changed && check->status == FX_RULE_SKIP) {
            add_cause(check, step->verdict.matched ? step->effect.criterion
                                                   : step->verdict.criterion);
        }
    }
}

static const char *user_of(const struct fx_rule_values *values, const char ***ret_groups,
                           size_t *ret_count) {
    const json_t *user = fx_tree_view_key(values->user_info, "userInfo");
    const json_t *groups = fx_tree_view_key(user, "groups");
    *ret_groups = calloc(json_array_size(groups) + 1, sizeof **ret_groups);
    for (size_t i = 0; *ret_groups != NULL && i < json_array_size(groups); i++) {
        const char *group = json_string_value(json_array_get(groups, i));
        if (group != NULL) {
            (*ret_groups)[(*ret_count)++] = group;
        }
    }
    return json_string_value(fx_tree_view_key(user, "username"));
}

static const char *operation_of(const json_t *variables) {
    const json_t *request = fx_tree_view_key(variables, "request");
    const struct fx_text operation = fx_tree_view_string(request, "operation");
    return fx_text_is(operation, "UPDATE") || fx_text_is(operation, "DELETE")
               ? operation.data
               : "CREATE";
}

/* Sends a request for `object`; the caller finishes the answer. A failure that is not our
 * own sets `failure`. */
static bool send(const struct result_check *check, struct fx_suite_request *given,
                 struct fx_suite_response *answer, struct fx_err *failure) {
    const struct fx_suite_host *host = host_of(check);
    json_t *variables = given->variables;
    struct fx_suite_request question = {
        .snapshot = given->snapshot,
        .namespaces = &check->session->namespaces,
        .schemas = check->session->compiled->schemas,
        .operation = operation_of(variables),
        .object = given->object,
        .variables = variables,
        .roles = fx_tree_view_key(check->session->values.user_info, "roles"),
        .cluster_roles =
            fx_tree_view_key(check->session->values.user_info, "clusterRoles"),
        .trace = given->trace,
        .target = given->target,
        .target_rule = check->expected->rule,
    };
    question.user =
        user_of(&check->session->values, &question.groups, &question.n_groups);
    question.old_object =
        strcmp(question.operation, "UPDATE") == 0 ? question.object : NULL;
    const bool ok =
        question.groups != NULL && host->mutate(host->user, &question, answer, failure);
    if (question.groups == NULL) {
        (void)fx_fail_nomem(failure);
    }
    free(question.groups);
    return ok;
}

static void finish_answer(struct fx_suite_response *answer) {
    json_decref(answer->object);
    fx_buf_finish(&answer->denial);
    fx_buf_finish(&answer->warnings);
}

/* Sends the object, which becomes that of the answer. */
static bool ask(struct result_check *check, struct fx_snapshot *snapshot,
                json_t *variables, struct fx_trace *trace, struct fx_err *failure) {
    struct fx_suite_request question = {.snapshot = snapshot,
                                        .object = check->object,
                                        .variables = variables,
                                        .trace = trace};
    struct fx_suite_response answer = {.object = NULL};
    const bool ok = send(check, &question, &answer, failure);
    if (ok) {
        json_decref(check->object);
        check->object = json_incref(answer.object);
    }
    finish_answer(&answer);
    return ok;
}

/* Runs one policy on the object as it is now. */
static bool run_policy(struct result_check *check, size_t policy, json_t *variables) {
    struct fx_snapshot *snapshot =
        fx_rule_session_stage(check->session, policy, check->err);
    if (snapshot == NULL || snapshot->n_mutators == 0) {
        return snapshot != NULL;
    }
    struct fx_arena arena;
    struct fx_trace trace;
    struct fx_err failure = FX_ERR_INIT;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_trace_init(&trace, &arena);
    bool ok = ask(check, snapshot, variables, &trace, &failure);
    if (!ok && fx_err_is_ours(&failure)) {
        *check->err = failure;
    } else if (!ok && policy == check->policy) {
        check->status = FX_RULE_ERROR;
        check->matched = true;
        add_cause(check, failure.msg);
        ok = true;
    } else if (policy == check->policy) {
        take_steps(check, snapshot, &trace);
    } else {
        ok = true; /* the object stays as it was before this policy */
    }
    fx_trace_finish(&trace);
    fx_arena_finish(&arena);
    return ok && (!check->cause.failed || fx_fail_nomem(check->err));
}

/* The values of variables for the policy. */
static json_t *variables_of(const struct result_check *check, size_t policy,
                            const json_t *object) {
    const json_t *document = check->session->policies.items[policy];
    const char *rule = policy == check->policy ? check->expected->rule : NULL;
    return fx_rule_values_of(
        &check->session->values,
        fx_tree_view_string(fx_tree_view_key(document, "metadata"), "name"),
        fx_text_of(rule != NULL ? rule : ""), object);
}

static bool run_policies(struct result_check *check, json_t *object) {
    bool ok = true;
    json_decref(check->object);
    check->object = json_incref(object);
    check->status = FX_RULE_SKIP;
    check->matched = false;
    fx_buf_finish(&check->cause);
    for (size_t i = 0; ok && i <= check->policy; i++) {
        json_t *variables = variables_of(check, i, object);
        ok = variables != NULL ? run_policy(check, i, variables)
                               : fx_fail_nomem(check->err);
        json_decref(variables);
    }
    return ok;
}

/* ---- rules with targets ------------------------------------------------------------ */

/* Sends a trigger, whose rules mutate the object. `is_object`: it is the object, which
 * counts as mutated if it triggers the rule. */
static bool run_trigger(struct result_check *check, json_t *trigger, bool is_object) {
    struct fx_err failure = FX_ERR_INIT;
    struct fx_suite_response answer = {.object = NULL};
    json_t *before = json_incref(check->object);
    struct fx_suite_request question = {
        .snapshot = fx_rule_session_stage(check->session, check->policy, check->err),
        .object = trigger,
        .variables = variables_of(check, check->policy, trigger),
        .target = &check->object,
    };
    bool ok = question.snapshot != NULL &&
              (question.variables != NULL || fx_fail_nomem(check->err));
    if (ok && !send(check, &question, &answer, &failure)) {
        check->status = FX_RULE_ERROR;
        check->matched = true;
        add_cause(check, failure.msg);
        ok = !fx_err_is_ours(&failure);
        *check->err = ok ? *check->err : failure;
    } else if (ok && check->status != FX_RULE_ERROR &&
               (!fx_equal(before, check->object) || (is_object && answer.triggers))) {
        check->status = FX_RULE_PASS;
        check->matched = true;
    }
    finish_answer(&answer);
    json_decref(question.variables);
    json_decref(before);
    return ok;
}

/* All objects of `resources` are triggers. */
static bool run_triggers(struct result_check *check, json_t *object) {
    const struct fx_objects *triggers = &check->session->objects;
    bool ok = true;
    json_decref(check->object);
    check->object = json_incref(object);
    check->status = FX_RULE_SKIP;
    check->matched = false;
    fx_buf_finish(&check->cause);
    for (size_t i = 0; ok && i < triggers->n_items; i++) {
        ok = run_trigger(check, triggers->items[i], triggers->items[i] == object);
    }
    return ok;
}

/* ---- comparing --------------------------------------------------------------------- */

/* Compares the object with the file of expected objects; without a file it is as
 * expected. */
static bool compare(struct result_check *check, bool *ret_same, struct fx_buf *diff) {
    *ret_same = true;
    if (check->expected->patched.path == NULL) {
        return true;
    }
    struct fx_objects all = {0};
    struct fx_suite_bad_file bad = {0};
    const struct fx_suite_reading reading = {host_of(check), &bad, check->err};
    bool ok = fx_suite_read_objects(&reading, &check->expected->patched,
                                    check->trial->case_->source, &all);
    if (ok && bad.reason != NULL) {
        ok = conclude_bad(check, &bad);
    } else if (ok) {
        const struct fx_rule_comparison comparison = {
            &all, check->object, check->expected->patched.path, check->trial->colour};
        ok = fx_rule_compare(&comparison, ret_same, diff, check->err);
    }
    fx_suite_bad_file_finish(&bad);
    fx_objects_finish(&all);
    return ok;
}

/* ---- judging ----------------------------------------------------------------------- */

/* What the rule did, for messages. */
static const char *deed_of(enum fx_rule_status status) {
    return status == FX_RULE_PASS   ? "the rule changed the object"
           : status == FX_RULE_SKIP ? "the rule was skipped"
                                    : "the rule failed";
}

static bool fail_status(struct result_check *check) {
    const bool has_cause = check->cause.len > 0;
    return conclude(check, FX_SUITE_FAIL, "%s%s%s; expected %s", deed_of(check->status),
                    has_cause ? ": " : "", has_cause ? check->cause.data : "",
                    fx_rule_status_name(check->expected->status));
}

static bool expects_failure(const struct result_check *check) {
    return check->expected->status == FX_RULE_FAIL ||
           check->expected->status == FX_RULE_WARN;
}

static bool fail_difference(struct result_check *check, struct fx_buf *diff) {
    free(check->result->diff);
    check->result->diff = fx_buf_steal(diff);
    return (check->result->diff != NULL || fx_fail_nomem(check->err)) &&
           conclude(check, FX_SUITE_FAIL,
                    "the mutated object differs from the expected object");
}

static bool judge(struct result_check *check, bool same, struct fx_buf *diff) {
    if (expects_failure(check)) {
        return check->status == FX_RULE_ERROR || !same || fail_status(check);
    }
    if (check->status != check->expected->status) {
        return fail_status(check);
    }
    return same || check->status == FX_RULE_ERROR || fail_difference(check, diff);
}

static bool check_object(struct result_check *check, json_t *object) {
    if (!(check->has_targets ? run_triggers(check, object)
                             : run_policies(check, object))) {
        return false;
    }
    if (!check->matched && check->expected->object == NULL) {
        return true; /* the result is about the objects that the rule matches */
    }
    struct fx_buf diff = {0};
    bool same = true;
    const bool ok =
        compare(check, &same, &diff) && (!goes_on(check) || judge(check, same, &diff));
    fx_buf_finish(&diff);
    return ok;
}

/* Is the result about the object? */
static bool selects(const struct fx_rule_result *expected, const json_t *object) {
    const struct fx_text kind = fx_tree_view_string(object, "kind");
    if (expected->kind != NULL && !fx_text_is(kind, expected->kind)) {
        return false;
    }
    return expected->object == NULL || is_policy(object, expected->object);
}

/* Checks the objects of one list that the result is about. */
static bool check_list(struct result_check *check, const struct fx_objects *objects,
                       size_t *n_selected, bool *matched) {
    for (size_t i = 0; i < objects->n_items && goes_on(check); i++) {
        if (!selects(check->expected, objects->items[i])) {
            continue;
        }
        ++*n_selected;
        if (!check_object(check, objects->items[i])) {
            return false;
        }
        *matched = *matched || check->matched;
    }
    return true;
}

static bool check_objects(struct result_check *check) {
    const char *name = check->expected->object;
    size_t n_selected = 0;
    bool matched = false;
    if (!check_list(check, &check->session->objects, &n_selected, &matched) ||
        (check->has_targets &&
         !check_list(check, &check->session->others, &n_selected, &matched))) {
        return false;
    }
    if (n_selected == 0) {
        return conclude(check, FX_SUITE_ERROR,
                        "no object `%s%s%s` in the files of `resources`",
                        check->expected->kind != NULL ? check->expected->kind : "",
                        check->expected->kind != NULL && name != NULL ? " " : "",
                        name != NULL ? name : "");
    }
    return !goes_on(check) || matched || check->expected->status == FX_RULE_SKIP ||
           conclude(check, FX_SUITE_FAIL, "the rule matches no object; expected %s",
                    fx_rule_status_name(check->expected->status));
}

/* ---- the whole result -------------------------------------------------------------- */

static bool compile(struct result_check *check) {
    const struct fx_suite_trial *trial = check->trial;
    const struct fx_suite_policies *policies =
        fx_suite_inputs_policies(trial->inputs, trial->test, trial->host, check->err);
    if (policies == NULL) {
        return false;
    }
    if (policies->bad.reason != NULL) {
        return conclude_bad(check, &policies->bad);
    }
    return fx_rule_session_set_policies(check->session, policies->policies, check->err);
}

static bool check_all(struct result_check *check) {
    if (check->session->bad.reason != NULL) {
        return conclude_bad(check, &check->session->bad);
    }
    if (!find_policy(check)) {
        return conclude(check, FX_SUITE_ERROR,
                        "no policy `%s` in the files of `policies`",
                        check->expected->policy);
    }
    return check_rule(check) && (!goes_on(check) || compile(check)) &&
           (!goes_on(check) || check_objects(check));
}

bool fx_rule_results_check(const struct fx_suite_trial *trial,
                           struct fx_suite_result *ret_result, struct fx_err *err) {
    struct result_check check = {.trial = trial,
                                 .expected = trial->case_->rule_result,
                                 .result = ret_result,
                                 .err = err};
    check.session = fx_rule_session_of(trial->inputs, trial->test, trial->host, err);
    const bool ok = check.session != NULL && check_all(&check);
    json_decref(check.object);
    fx_buf_finish(&check.cause);
    return ok;
}
