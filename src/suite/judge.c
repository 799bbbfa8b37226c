/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/judge.c - asking for each object of a case, and the verdict.
 */
#include "suite/judge.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "suite/circumstances.h"
#include "value/patch.h"

/* A case while it is judged. */
struct judging {
    const struct fx_suite_trial *trial;
    struct fx_suite_result *result;
    const struct fx_policies *policies;
    struct fx_circumstances circumstances;
    struct fx_objects got;
    struct fx_err failure;  /* code FX_OK: the mutation did not fail */
    struct fx_buf denial;   /* where it was denied: the words, whole */
    struct fx_buf warnings; /* of policies that were left out */
    struct fx_err *err;
};

/* ---- verdicts -------------------------------------------------------------------- */

/* Takes the text as the reason, or gives up where there is none. */
static bool conclude(struct judging *judging, enum fx_suite_status status,
                     struct fx_buf *reason_take) {
    judging->result->status = status;
    free(judging->result->reason);
    judging->result->reason = fx_buf_steal(reason_take);
    fx_buf_finish(reason_take);
    return judging->result->reason != NULL || fx_fail_nomem(judging->err);
}

FX_PRINTF(2, 3)
static bool fail(struct judging *judging, const char *fmt, ...) {
    char words[FX_ERR_TEXT];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    struct fx_buf reason;
    fx_buf_init(&reason, 0);
    fx_buf_str(&reason, words);
    return conclude(judging, FX_SUITE_FAIL, &reason);
}

/* An input is wrong: the result points there. */
static bool conclude_bad(struct judging *judging, const struct fx_suite_bad_file *bad) {
    struct fx_suite_result *result = judging->result;
    struct fx_buf reason;
    fx_buf_init(&reason, 0);
    fx_buf_str(&reason, bad->reason);
    free(result->file);
    result->file = strdup(bad->file);
    result->line = bad->line;
    return conclude(judging, FX_SUITE_ERROR, &reason) &&
           (result->file != NULL || fx_fail_nomem(judging->err));
}

/* ---- asking ---------------------------------------------------------------------- */

/* What was left out of one object is noted with what was left out of others. */
static void note_warnings(struct judging *judging, const struct fx_buf *warnings) {
    if (warnings->len > 0) {
        fx_buf_str(&judging->warnings, judging->warnings.len > 0 ? "; " : "");
        fx_buf_text(&judging->warnings, (struct fx_text){warnings->data, warnings->len});
    }
    fx_buf_fail_as(&judging->warnings, warnings);
}

/* What fails is the verdict of the webhook, unless the failure is ours. */
static bool take_answer(struct judging *judging, bool ok,
                        const struct fx_suite_answer *answer,
                        const struct fx_err *failure) {
    note_warnings(judging, &answer->warnings);
    if (!ok && fx_err_is_ours(failure)) {
        *judging->err = *failure;
        return false;
    }
    if (!ok) {
        judging->failure = *failure;
        fx_buf_text(&judging->denial,
                    (struct fx_text){answer->denial.data, answer->denial.len});
    }
    return ((!ok || fx_objects_add(&judging->got, answer->object)) &&
            !judging->warnings.failed && !judging->denial.failed) ||
           fx_fail_nomem(judging->err);
}

static bool ask(struct judging *judging, const struct fx_suite_question *question) {
    const struct fx_suite_host *host = judging->trial->host;
    struct fx_suite_answer answer = {.object = NULL};
    struct fx_err failure = FX_ERR_INIT;
    fx_buf_init(&answer.denial, 0);
    fx_buf_init(&answer.warnings, 0);
    bool ok = host->ask(host->user, question, &answer, &failure);
    ok = take_answer(judging, ok, &answer, &failure);
    json_decref(answer.object);
    fx_buf_finish(&answer.denial);
    fx_buf_finish(&answer.warnings);
    return ok;
}

static bool ask_all(struct judging *judging) {
    const struct fx_circumstances *circumstances = &judging->circumstances;
    for (size_t i = 0; i < circumstances->objects.n_items; i++) {
        const struct fx_suite_question question = {
            .snapshot = judging->policies->snapshot,
            .namespaces = &circumstances->namespaces,
            .operation = circumstances->operation,
            .user = circumstances->user,
            .groups = circumstances->groups,
            .n_groups = circumstances->n_groups,
            .object = circumstances->objects.items[i],
            .old_object =
                circumstances->old.n_items > i ? circumstances->old.items[i] : NULL,
        };
        if (!ask(judging, &question)) {
            return false;
        }
        if (judging->failure.code != FX_OK) {
            return true;
        }
    }
    return true;
}

/* ---- comparing ------------------------------------------------------------------- */

/* Where an expectation that is no file stands: "suite.yaml:12 (patch)". */
static bool name_side(struct fx_buf *name, const struct judging *judging,
                      const char *field) {
    fx_buf_init(name, 0);
    fx_buf_printf(name, "%s:%u (%s)", judging->result->file,
                  (unsigned)judging->result->line, field);
    return !name->failed;
}

/* *ret_same; where not, the verdict is made. */
static bool compare(struct judging *judging, const struct fx_objects *expected,
                    const char *expected_name, bool part, bool *ret_same) {
    struct fx_buf diff;
    fx_buf_init(&diff, 0);
    const struct fx_expectation expectation = {
        .expected = expected,
        .got = &judging->got,
        .part = part,
        .expected_name = expected_name,
        .got_name = "mutated",
        .colour = judging->trial->colour,
    };
    bool ok = fx_expect_compare(&expectation, ret_same, &diff, judging->err);
    if (ok && !*ret_same) {
        free(judging->result->diff);
        judging->result->diff = fx_buf_steal(&diff);
        ok = judging->result->diff != NULL || fx_fail_nomem(judging->err);
    }
    fx_buf_finish(&diff);
    if (!ok || *ret_same) {
        return ok;
    }
    if (expected->n_items != judging->got.n_items) {
        return fail(judging, "%zu objects came out; expected %zu", judging->got.n_items,
                    expected->n_items);
    }
    if (expected == &judging->circumstances.objects) {
        return fail(judging, "the object was changed; expected it to stay as it is");
    }
    return fail(judging, part ? "the mutated object lacks what is expected"
                              : "the mutated object is not the one expected");
}

/* An object, or a list of them, as objects. */
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

/* Compares with what stands in the field of the suite itself. */
static bool compare_inline(struct judging *judging, const char *field, json_t *value,
                           bool part, bool *ret_same) {
    struct fx_objects expected = {0};
    struct fx_buf name;
    const bool ok = (name_side(&name, judging, field) && to_objects(value, &expected)) ||
                    fx_fail_nomem(judging->err);
    const bool done = ok && compare(judging, &expected, name.data, part, ret_same);
    fx_buf_finish(&name);
    fx_objects_finish(&expected);
    return done;
}

/* What came out, for whoever writes it down. */
static bool keep(struct judging *judging) {
    bool ok = true;
    for (size_t i = 0; ok && judging->trial->keeps && i < judging->got.n_items; i++) {
        ok = fx_objects_add(&judging->result->got, judging->got.items[i]);
    }
    return ok || fx_fail_nomem(judging->err);
}

static bool compare_file(struct judging *judging, bool *ret_same) {
    const struct fx_suite_case *case_ = judging->trial->case_;
    const struct fx_suite_path *path = &case_->mutated_file;
    *ret_same = false;
    if (judging->trial->keeps && access(path->path, F_OK) != 0) {
        return fail(judging, "%s does not exist", path->path) && keep(judging);
    }
    struct fx_objects expected = {0};
    struct fx_suite_bad_file bad = {0};
    bool ok = fx_suite_read_objects(path, case_->source, judging->trial->host, &expected,
                                    &bad, judging->err);
    if (ok && bad.reason != NULL) {
        ok = conclude_bad(judging, &bad);
    } else if (ok) {
        ok = compare(judging, &expected, path->path, false, ret_same) &&
             (*ret_same || keep(judging));
    }
    fx_suite_bad_file_finish(&bad);
    fx_objects_finish(&expected);
    return ok;
}

static bool compare_mutated(struct judging *judging, bool *ret_same) {
    const struct fx_suite_case *case_ = judging->trial->case_;
    switch (case_->mutated) {
    case FX_MUTATED_UNSAID: *ret_same = true; return true;
    case FX_MUTATED_FILE: return compare_file(judging, ret_same);
    case FX_MUTATED_INLINE:
        return compare_inline(judging, "mutated", case_->mutated_value, false, ret_same);
    case FX_MUTATED_UNCHANGED:
        return compare(judging, &judging->circumstances.objects, case_->object.path,
                       false, ret_same);
    }
    return true;
}

/* The patch is right where it does to the object what the mutation did. */
static bool compare_patch(struct judging *judging, bool *ret_same) {
    const struct fx_objects *objects = &judging->circumstances.objects;
    *ret_same = false;
    if (objects->n_items != 1) {
        return fail(judging, "`patch` is of one object, and there are %zu",
                    objects->n_items);
    }
    struct fx_arena arena;
    struct fx_patch patch;
    struct fx_err failure = FX_ERR_INIT;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_patch_init(&patch, &arena);
    json_t *patched = json_incref(objects->items[0]);
    const bool applied = fx_patch_parse(&patch, judging->trial->case_->patch, &failure) &&
                         fx_patch_apply(&patch, &patched, &failure);
    bool ok = true;
    if (applied) {
        ok = compare_inline(judging, "patch", patched, false, ret_same);
    } else if (fx_err_is_ours(&failure)) {
        *judging->err = failure;
        ok = false;
    } else {
        ok = fail(judging, "`patch` does not apply: %s", failure.msg);
    }
    json_decref(patched);
    fx_arena_finish(&arena);
    return ok;
}

/* ---- the verdict ----------------------------------------------------------------- */

static bool judge_denial(struct judging *judging) {
    const char *words =
        judging->denial.len > 0 ? judging->denial.data : judging->failure.msg;
    const char *expected = judging->trial->case_->denied;
    if (expected == NULL) {
        return fail(judging, "it was denied: %s%s", words,
                    judging->trial->case_->error == NULL
                        ? ""
                        : "; `denied` expects that, and not `error`");
    }
    return strstr(words, expected) != NULL ||
           fail(judging, "it was denied in other words: %s; expected `%s`", words,
                expected);
}

static bool judge_failure(struct judging *judging) {
    const char *words = judging->failure.msg;
    const char *expected = judging->trial->case_->error;
    if (judging->failure.code == FX_EDENIED) {
        return judge_denial(judging);
    }
    if (expected == NULL) {
        return fail(judging, "the mutation failed: %s", words);
    }
    return strstr(words, expected) != NULL ||
           fail(judging, "the mutation failed in other words: %s; expected `%s`", words,
                expected);
}

static bool judge_unsaid(struct judging *judging) {
    if (judging->trial->case_->mutated_file.path == NULL) {
        return fail(judging, "nothing is expected of this case; expected `mutated`, "
                             "`contains`, `patch`, `error` or `denied`");
    }
    return fail(judging,
                "nothing is expected of this case; expected one of "
                "expected.yaml (--update writes it), unchanged, error.txt and denied.txt "
                "beside it") &&
           keep(judging);
}

static bool judge_objects(struct judging *judging) {
    const struct fx_suite_case *case_ = judging->trial->case_;
    if (case_->error != NULL) {
        return fail(judging, "the mutation did not fail; expected `%s`", case_->error);
    }
    if (case_->denied != NULL) {
        return fail(judging, "it was not denied; expected%s%s%s",
                    case_->denied[0] == '\0' ? " it to be" : " `", case_->denied,
                    case_->denied[0] == '\0' ? "" : "`");
    }
    if (case_->mutated == FX_MUTATED_UNSAID && case_->patch == NULL &&
        case_->contains == NULL) {
        return judge_unsaid(judging);
    }
    bool same = false;
    if (!compare_mutated(judging, &same)) {
        return false;
    }
    if (same && case_->patch != NULL && !compare_patch(judging, &same)) {
        return false;
    }
    return !same || case_->contains == NULL ||
           compare_inline(judging, "contains", case_->contains, true, &same);
}

/* Appends a part of a note. */
static void add_part(struct fx_buf *note, const char *part) {
    fx_buf_str(note, note->len > 0 ? "; " : "");
    fx_buf_str(note, part);
}

/* A note says that assertions beside it were not looked at, and which policies were left
 * out: that may be why it failed, or not be meant. */
static bool add_note(struct judging *judging) {
    const enum fx_suite_status status = judging->result->status;
    const bool asserts = status == FX_SUITE_PASS && judging->trial->case_->asserts;
    if (!asserts && judging->warnings.len == 0) {
        return true;
    }
    struct fx_buf note;
    fx_buf_init(&note, 0);
    if (judging->result->reason != NULL) {
        add_part(&note, judging->result->reason);
    }
    if (asserts) {
        add_part(&note, "`assertions` not looked at: ");
        fx_buf_str(&note, fx_suite_unjudged);
    }
    if (judging->warnings.len > 0) {
        add_part(&note, judging->warnings.data);
    }
    return conclude(judging, status, &note);
}

static bool judge(struct judging *judging) {
    const struct fx_suite_trial *trial = judging->trial;
    struct fx_circumstances *circumstances = &judging->circumstances;
    if (!fx_circumstances_read(trial->test, trial->case_, &judging->policies->namespaces,
                               trial->host, circumstances, judging->err)) {
        return false;
    }
    if (circumstances->bad.reason != NULL) {
        return conclude_bad(judging, &circumstances->bad);
    }
    return ask_all(judging) &&
           (judging->failure.code != FX_OK ? judge_failure(judging)
                                           : judge_objects(judging)) &&
           add_note(judging);
}

bool fx_suite_judge(const struct fx_suite_trial *trial,
                    struct fx_suite_result *ret_result, struct fx_err *err) {
    struct judging judging = {
        .trial = trial, .result = ret_result, .failure = FX_ERR_INIT, .err = err};
    fx_buf_init(&judging.denial, 0);
    fx_buf_init(&judging.warnings, 0);
    const struct fx_suite_policies *policies =
        fx_suite_inputs_policies(trial->inputs, trial->test, trial->host, err);
    if (policies == NULL) {
        return false;
    }
    if (policies->bad.reason != NULL) {
        return conclude_bad(&judging, &policies->bad);
    }
    judging.policies = policies->policies;
    const bool ok = judge(&judging);
    fx_circumstances_finish(&judging.circumstances);
    fx_objects_finish(&judging.got);
    fx_buf_finish(&judging.denial);
    fx_buf_finish(&judging.warnings);
    return ok;
}
