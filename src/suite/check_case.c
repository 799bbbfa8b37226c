/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/check_case.c - mutates the objects of a case, and compares the results.
 */
#include "suite/check_case.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "suite/rule_results.h"
#include "value/patch.h"

/* The state of checking one case. */
struct case_check {
    const struct fx_suite_trial *trial;
    struct fx_suite_result *result;
    const struct fx_policies *policies;
    struct fx_case_context context;
    struct fx_objects got;
    struct fx_err failure;  /* code FX_OK: the mutation did not fail */
    struct fx_buf denial;   /* if an object was denied: the complete message */
    struct fx_buf warnings; /* of policies that warn, audit or were skipped */
    struct fx_err *err;
};

/* ---- results --------------------------------------------------------------------- */

/* Sets the status, and the text as its reason. Takes the text. Fails without memory. */
static bool conclude(struct case_check *check, enum fx_suite_status status,
                     struct fx_buf *reason_take) {
    check->result->status = status;
    free(check->result->reason);
    check->result->reason = fx_buf_steal(reason_take);
    fx_buf_finish(reason_take);
    return check->result->reason != NULL || fx_fail_nomem(check->err);
}

FX_PRINTF(2, 3)
static bool fail_case(struct case_check *check, const char *fmt, ...) {
    char message[FX_ERR_TEXT];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    struct fx_buf reason = {0};
    fx_buf_str(&reason, message);
    return conclude(check, FX_SUITE_FAIL, &reason);
}

/* The case is an error: its result has the file and line of the invalid input. */
static bool conclude_bad(struct case_check *check, const struct fx_suite_bad_file *bad) {
    struct fx_suite_result *result = check->result;
    struct fx_buf reason = {0};
    fx_buf_str(&reason, bad->reason);
    free(result->file);
    result->file = strdup(bad->file);
    result->line = bad->line;
    return conclude(check, FX_SUITE_ERROR, &reason) &&
           (result->file != NULL || fx_fail_nomem(check->err));
}

/* ---- mutating -------------------------------------------------------------------- */

/* Adds the warnings of one object to those of the others. */
static void note_warnings(struct case_check *check, const struct fx_buf *warnings) {
    if (warnings->len > 0) {
        fx_buf_str(&check->warnings, check->warnings.len > 0 ? "; " : "");
        fx_buf_text(&check->warnings, fx_buf_view(warnings));
    }
    fx_buf_fail_as(&check->warnings, warnings);
}

/* Takes the response. A failure that is not our own is the response of the webhook. */
static bool take_answer(struct case_check *check, bool ok,
                        const struct fx_suite_response *answer,
                        const struct fx_err *failure) {
    note_warnings(check, &answer->warnings);
    if (!ok && fx_err_is_ours(failure)) {
        *check->err = *failure;
        return false;
    }
    if (!ok) {
        check->failure = *failure;
        fx_buf_text(&check->denial, fx_buf_view(&answer->denial));
    }
    return ((!ok || fx_objects_add(&check->got, answer->object)) &&
            !check->warnings.failed && !check->denial.failed) ||
           fx_fail_nomem(check->err);
}

static bool mutate_object(struct case_check *check,
                          const struct fx_suite_request *question) {
    const struct fx_suite_host *host = check->trial->host;
    struct fx_suite_response answer = {.object = NULL};
    struct fx_err failure = FX_ERR_INIT;
    bool ok = host->mutate(host->user, question, &answer, &failure);
    ok = take_answer(check, ok, &answer, &failure);
    json_decref(answer.object);
    fx_buf_finish(&answer.denial);
    fx_buf_finish(&answer.warnings);
    return ok;
}

static bool mutate_all(struct case_check *check) {
    const struct fx_case_context *context = &check->context;
    for (size_t i = 0; i < context->objects.n_items; i++) {
        const struct fx_suite_request question = {
            .snapshot = check->policies->snapshot,
            .namespaces = &context->namespaces,
            .schemas = check->policies->schemas,
            .operation = context->operation,
            .user = context->user,
            .groups = context->groups,
            .n_groups = context->n_groups,
            .object = context->objects.items[i],
            .old_object = context->old.n_items > i ? context->old.items[i] : NULL,
        };
        if (!mutate_object(check, &question)) {
            return false;
        }
        if (check->failure.code != FX_OK) {
            return true;
        }
    }
    return true;
}

/* ---- comparing ------------------------------------------------------------------- */

/* Appends the place of an expectation within the suite: "suite.yaml:12 (patch)". */
static bool name_side(struct fx_buf *name, const struct case_check *check,
                      const char *field) {
    fx_buf_printf(name, "%s:%u (%s)", check->result->file, (unsigned)check->result->line,
                  field);
    return !name->failed;
}

/* Sets *ret_same if the objects are as expected; otherwise fails the case. */
static bool compare_objects(struct case_check *check, const struct fx_objects *expected,
                            const char *expected_name, bool part, bool *ret_same) {
    struct fx_buf diff = {0};
    const struct fx_expectation expectation = {
        .expected = expected,
        .got = &check->got,
        .part = part,
        .expected_name = expected_name,
        .got_name = "mutated",
        .colour = check->trial->colour,
    };
    bool ok = fx_expect_compare(&expectation, ret_same, &diff, check->err);
    if (ok && !*ret_same) {
        free(check->result->diff);
        check->result->diff = fx_buf_steal(&diff);
        ok = check->result->diff != NULL || fx_fail_nomem(check->err);
    }
    fx_buf_finish(&diff);
    if (!ok || *ret_same) {
        return ok;
    }
    if (expected->n_items != check->got.n_items) {
        return fail_case(check, "the result is %zu objects; expected %zu",
                         check->got.n_items, expected->n_items);
    }
    if (expected == &check->context.objects) {
        return fail_case(check, "the object was changed; expected it to stay as it is");
    }
    return fail_case(check, part ? "the mutated object does not contain the expected part"
                                 : "the mutated object differs from the expected object");
}

/* Converts an object, or a list of objects. */
static bool to_objects(json_t *value, struct fx_objects *ret_objects) {
    bool ok = true;
    if (json_is_object(value)) {
        return fx_objects_add(ret_objects, value);
    }
    for (size_t i = 0; ok && i < json_array_size(value); i++) {
        ok = fx_objects_add(ret_objects, json_array_get(value, i));
    }
    return ok;
}

/* Compares with the objects in a field of the suite itself. */
static bool compare_inline(struct case_check *check, const char *field, json_t *value,
                           bool part, bool *ret_same) {
    struct fx_objects expected = {0};
    struct fx_buf name = {0};
    const bool ok = (name_side(&name, check, field) && to_objects(value, &expected)) ||
                    fx_fail_nomem(check->err);
    const bool done = ok && compare_objects(check, &expected, name.data, part, ret_same);
    fx_buf_finish(&name);
    fx_objects_finish(&expected);
    return done;
}

/* Keeps the mutated objects for update.c. */
static bool keep_result(struct case_check *check) {
    bool ok = true;
    for (size_t i = 0; ok && check->trial->keeps && i < check->got.n_items; i++) {
        ok = fx_objects_add(&check->result->got, check->got.items[i]);
    }
    return ok || fx_fail_nomem(check->err);
}

static bool compare_file(struct case_check *check, bool *ret_same) {
    const struct fx_suite_case *case_ = check->trial->case_;
    const struct fx_suite_path *path = &case_->mutated_file;
    *ret_same = false;
    if (check->trial->keeps && access(path->path, F_OK) != 0) {
        return fail_case(check, "%s does not exist", path->path) && keep_result(check);
    }
    struct fx_objects expected = {0};
    struct fx_suite_bad_file bad = {0};
    const struct fx_suite_reading reading = {check->trial->host, &bad, check->err};
    bool ok = fx_suite_read_objects(&reading, path, case_->source, &expected);
    if (ok && bad.reason != NULL) {
        ok = conclude_bad(check, &bad);
    } else if (ok) {
        ok = compare_objects(check, &expected, path->path, false, ret_same) &&
             (*ret_same || keep_result(check));
    }
    fx_suite_bad_file_finish(&bad);
    fx_objects_finish(&expected);
    return ok;
}

static bool compare_mutated(struct case_check *check, bool *ret_same) {
    const struct fx_suite_case *case_ = check->trial->case_;
    switch (case_->mutated) {
    case FX_MUTATED_UNSAID: *ret_same = true; return true;
    case FX_MUTATED_FILE: return compare_file(check, ret_same);
    case FX_MUTATED_INLINE:
        return compare_inline(check, "mutated", case_->mutated_value, false, ret_same);
    case FX_MUTATED_UNCHANGED:
        return compare_objects(check, &check->context.objects, case_->object.path, false,
                               ret_same);
    }
    return true;
}

/* The patch matches if it has the same result on the object as the mutation. */
static bool compare_patch(struct case_check *check, bool *ret_same) {
    const struct fx_objects *objects = &check->context.objects;
    *ret_same = false;
    if (objects->n_items != 1) {
        return fail_case(check, "`patch` is for one object, but there are %zu",
                         objects->n_items);
    }
    struct fx_arena arena;
    struct fx_patch patch;
    struct fx_err failure = FX_ERR_INIT;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_patch_init(&patch, &arena);
    json_t *patched = json_incref(objects->items[0]);
    const bool applied = fx_patch_parse(&patch, check->trial->case_->patch, &failure) &&
                         fx_patch_apply(&patch, &patched, &failure);
    bool ok = true;
    if (applied) {
        ok = compare_inline(check, "patch", patched, false, ret_same);
    } else if (fx_err_is_ours(&failure)) {
        *check->err = failure;
        ok = false;
    } else {
        ok = fail_case(check, "`patch` does not apply: %s", failure.msg);
    }
    json_decref(patched);
    fx_arena_finish(&arena);
    return ok;
}

/* ---- the whole case -------------------------------------------------------------- */

static bool check_denial(struct case_check *check) {
    const char *message = check->denial.len > 0 ? check->denial.data : check->failure.msg;
    const char *expected = check->trial->case_->denied;
    if (expected == NULL) {
        return fail_case(check, "it was denied: %s%s", message,
                         check->trial->case_->error == NULL
                             ? ""
                             : "; to expect that, use `denied`, not `error`");
    }
    return strstr(message, expected) != NULL ||
           fail_case(check, "it was denied with another message: %s; expected `%s`",
                     message, expected);
}

static bool check_failure(struct case_check *check) {
    const char *message = check->failure.msg;
    const char *expected = check->trial->case_->error;
    if (check->failure.code == FX_EDENIED) {
        return check_denial(check);
    }
    if (expected == NULL) {
        return fail_case(check, "the mutation failed: %s", message);
    }
    return strstr(message, expected) != NULL ||
           fail_case(check, "the mutation failed with another message: %s; expected `%s`",
                     message, expected);
}

static bool fail_without_expectation(struct case_check *check) {
    if (check->trial->case_->mutated_file.path == NULL) {
        return fail_case(check, "this case has no expectation; expected `mutated`, "
                                "`contains`, `patch`, `error` or `denied`");
    }
    return fail_case(check,
                     "this case has no expectation; expected one of "
                     "expected.yaml (--update writes it), unchanged, error.txt and "
                     "denied.txt in the same folder") &&
           keep_result(check);
}

static bool check_objects(struct case_check *check) {
    const struct fx_suite_case *case_ = check->trial->case_;
    if (case_->error != NULL) {
        return fail_case(check, "the mutation did not fail; expected `%s`", case_->error);
    }
    if (case_->denied != NULL) {
        return fail_case(check, "it was not denied; expected%s%s%s",
                         case_->denied[0] == '\0' ? " it to be" : " `", case_->denied,
                         case_->denied[0] == '\0' ? "" : "`");
    }
    if (case_->mutated == FX_MUTATED_UNSAID && case_->patch == NULL &&
        case_->contains == NULL) {
        return fail_without_expectation(check);
    }
    bool same = false;
    if (!compare_mutated(check, &same)) {
        return false;
    }
    if (same && case_->patch != NULL && !compare_patch(check, &same)) {
        return false;
    }
    return !same || case_->contains == NULL ||
           compare_inline(check, "contains", case_->contains, true, &same);
}

/* Appends a part of a note. */
static void add_part(struct fx_buf *note, const char *part) {
    fx_buf_str(note, note->len > 0 ? "; " : "");
    fx_buf_str(note, part);
}

/* Adds to the reason that assertions were ignored, and the warnings of policies: a
 * skipped policy may be why the case failed. */
static bool add_note(struct case_check *check) {
    const enum fx_suite_status status = check->result->status;
    const bool asserts = status == FX_SUITE_PASS && check->trial->case_->asserts;
    if (!asserts && check->warnings.len == 0) {
        return true;
    }
    struct fx_buf note = {0};
    if (check->result->reason != NULL) {
        add_part(&note, check->result->reason);
    }
    if (asserts) {
        add_part(&note, "`assertions` ignored: ");
        fx_buf_str(&note, fx_suite_unchecked);
    }
    if (check->warnings.len > 0) {
        add_part(&note, check->warnings.data);
    }
    return conclude(check, status, &note);
}

static bool check_all(struct case_check *check) {
    const struct fx_suite_trial *trial = check->trial;
    struct fx_case_context *context = &check->context;
    if (!fx_case_context_read(trial->test, trial->case_, &check->policies->namespaces,
                              trial->host, context, check->err)) {
        return false;
    }
    if (context->bad.reason != NULL) {
        return conclude_bad(check, &context->bad);
    }
    return mutate_all(check) &&
           (check->failure.code != FX_OK ? check_failure(check) : check_objects(check)) &&
           add_note(check);
}

bool fx_suite_check_case(const struct fx_suite_trial *trial,
                         struct fx_suite_result *ret_result, struct fx_err *err) {
    if (trial->case_->rule_result != NULL) {
        return fx_rule_results_check(trial, ret_result, err);
    }
    struct case_check check = {
        .trial = trial, .result = ret_result, .failure = FX_ERR_INIT, .err = err};
    const struct fx_suite_policies *policies =
        fx_suite_inputs_policies(trial->inputs, trial->test, trial->host, err);
    if (policies == NULL) {
        return false;
    }
    if (policies->bad.reason != NULL) {
        return conclude_bad(&check, &policies->bad);
    }
    check.policies = policies->policies;
    const bool ok = check_all(&check);
    fx_case_context_finish(&check.context);
    fx_objects_finish(&check.got);
    fx_buf_finish(&check.denial);
    fx_buf_finish(&check.warnings);
    return ok;
}
