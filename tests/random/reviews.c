/* SPDX-License-Identifier: Apache-2.0
 *
 * random/reviews.c - what must hold of every review.
 */
#include "reviews.h"

#include <assert.h>

#include "admission/review.h"
#include "analysis/analysis.h"
#include "base/base64.h"
#include "base/limits.h"
#include "draw.h"
#include "engine/converge.h"
#include "policy/policies.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/patch.h"
#include "value/tree.h"

#define MOST_POLICIES 6
#define MOST_OBJECTS  3
#define MUTATION_ID   "00000000-0000-0000-0000-000000000000"

/* What policies read beside the object. */
static const char *const others[] = {
    "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"one\","
    "\"labels\":{\"stage\":\"test\"}}}",
    "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"two\"}}",
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"settings\","
    "\"namespace\":\"one\"},\"data\":{\"app\":\"x\"}}",
};

/* One case: policies, an object, and what is found out about them. */
struct review_case {
    struct fx_policies *policies;
    json_t *object;
    struct random_counts *counts;
    struct fx_arena arena; /* of patches */
};

static json_t *read_value(struct fx_text text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *value = fx_json_read(text, NULL, &err);
    assert(value != NULL);
    return value;
}

/* ---- the loop ---------------------------------------------------------------------- */

/* One run of the loop and its result. */
struct loop_run {
    struct fx_arena arena;
    struct fx_inputs inputs;
    struct fx_outcome outcome;
    struct fx_err err;
    json_t *root, *space;
    bool ok;
};

static void loop_run(struct loop_run *run, const struct review_case *rcase,
                     json_t *object, bool plain) {
    struct fx_namespaces *known = &rcase->policies->namespaces;
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    *run = (struct loop_run){.err = FX_ERR_INIT, .root = json_incref(object)};
    run->space = fx_namespaces_find(known, subject.namespace_);
    assert(run->space != NULL);
    fx_inputs_init(&run->inputs, NULL, 0);
    run->inputs.find = fx_namespaces_look_up_input;
    run->inputs.user = known;
    const struct fx_request request = {
        .operation = FX_OPERATION_CREATE,
        .source = FX_SOURCE_ORIGINAL,
        .namespace_object = run->space,
        .inputs = &run->inputs,
        .collects_stats = true,
        .plain = plain,
        .mutation_id = MUTATION_ID,
    };
    fx_arena_init(&run->arena, FX_LIMIT_ARENA_BYTES);
    run->ok = fx_converge(rcase->policies->snapshot, &request, &run->arena, NULL,
                          &run->root, &run->outcome, &run->err);
}

static void loop_finish(struct loop_run *run) {
    fx_outcome_finish(&run->outcome);
    fx_inputs_finish(&run->inputs);
    json_decref(run->root);
    json_decref(run->space);
    fx_arena_finish(&run->arena);
}

static bool are_same_stats(const struct fx_outcome *a, const struct fx_outcome *b) {
    bool same = a->n_stats == b->n_stats;
    for (size_t i = 0; same && i < a->n_stats; i++) {
        const struct fx_mutator_stats *one = &a->stats[i];
        const struct fx_mutator_stats *other = &b->stats[i];
        same = one->mutator == other->mutator && one->matched == other->matched &&
               one->applied == other->applied && one->changed == other->changed &&
               one->failed == other->failed;
    }
    return same;
}

static const char *compare_runs(const struct loop_run *a, const struct loop_run *b) {
    if (a->ok != b->ok || a->err.code != b->err.code) {
        return "the loop ends otherwise if it skips steps";
    }
    if (!a->ok && strcmp(a->err.msg, b->err.msg) != 0) {
        return "the loop fails with another message if it skips steps";
    }
    if (a->ok && !fx_equal(a->root, b->root)) {
        return "the loop has another result if it skips steps";
    }
    return a->outcome.iterations != b->outcome.iterations ||
                   a->outcome.mutated != b->outcome.mutated ||
                   a->outcome.failed != b->outcome.failed ||
                   !are_same_stats(&a->outcome, &b->outcome)
               ? "the loop has another outcome if it skips steps"
               : NULL;
}

static const char *check_patch(struct review_case *rcase, const struct loop_run *run) {
    struct fx_patch patch;
    struct fx_err err = FX_ERR_INIT;
    json_t *patched = json_incref(rcase->object);
    fx_arena_reset(&rcase->arena);
    fx_patch_init(&patch, &rcase->arena);
    const bool ok = fx_patch_diff(&patch, rcase->object, run->root, &err) &&
                    fx_patch_apply(&patch, &patched, &err) &&
                    fx_equal(patched, run->root);
    json_decref(patched);
    return !ok ? "the patch does not give the result"
           : (patch.n_ops > 0) != run->outcome.mutated ? "changed, but not by its patch"
                                                       : NULL;
}

static void count_run(struct random_counts *counts, const struct loop_run *run) {
    counts->n_objects++;
    counts->n_mutated += run->ok && run->outcome.mutated ? 1 : 0;
    counts->n_unchanged += run->ok && !run->outcome.mutated ? 1 : 0;
    counts->n_endless += !run->ok && run->err.code == FX_ENOCONVERGE ? 1 : 0;
    counts->n_failed += !run->ok && run->err.code != FX_ENOCONVERGE ? 1 : 0;
}

/* *ret_result: the result, counted; NULL if there is none. */
static const char *check_loop(struct review_case *rcase, json_t **ret_result) {
    struct loop_run run;
    struct loop_run plain;
    const char *reason = NULL;
    loop_run(&run, rcase, rcase->object, false);
    loop_run(&plain, rcase, rcase->object, true);
    if (!run.ok && run.err.code != FX_EMUTATE && run.err.code != FX_ENOCONVERGE &&
        run.err.code != FX_EDENIED) {
        reason = "the loop fails, but not because of a policy";
    }
    reason = reason != NULL ? reason : compare_runs(&run, &plain);
    if (reason == NULL && run.ok) {
        reason = check_patch(rcase, &run);
    }
    *ret_result = run.ok ? json_incref(run.root) : NULL;
    count_run(rcase->counts, &run);
    loop_finish(&run);
    loop_finish(&plain);
    return reason;
}

/* ---- the review -------------------------------------------------------------------- */

static void write_review(struct fx_buf *text, json_t *object) {
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    fx_buf_printf(
        text,
        "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\","
        "\"request\":{\"uid\":\"1\",\"kind\":{\"group\":\"%.*s\",\"version\":\"%.*s\","
        "\"kind\":\"%.*s\"},\"resource\":{\"group\":\"%.*s\",\"version\":\"%.*s\","
        "\"resource\":\"%s\"},\"name\":\"%.*s\",\"namespace\":\"%.*s\",\"operation\":"
        "\"CREATE\",\"dryRun\":false,\"object\":",
        FX_TEXT_ARG(subject.group), FX_TEXT_ARG(subject.version),
        FX_TEXT_ARG(subject.kind), FX_TEXT_ARG(subject.group),
        FX_TEXT_ARG(subject.version),
        fx_text_is(subject.kind, "Pod")          ? "pods"
        : fx_text_is(subject.kind, "Deployment") ? "deployments"
        : fx_text_is(subject.kind, "ConfigMap")  ? "configmaps"
                                                 : "widgets",
        FX_TEXT_ARG(subject.name), FX_TEXT_ARG(subject.namespace_));
    fx_json_write(text, object, FX_JSON_COMPACT);
    fx_buf_str(text, "}}");
    assert(!text->failed);
}

/* Each failure has a number of its own. */
static void hide_mutation_ids(struct fx_buf *body) {
    const struct fx_text before = FX_TEXT("mutation ");
    const size_t id = sizeof MUTATION_ID - 1;
    for (size_t i = 0; i + before.len + id < body->len; i++) {
        const struct fx_text rest = fx_text_rest(fx_buf_view(body), i);
        if (fx_text_starts(rest, before) && rest.data[before.len + 8] == '-' &&
            rest.data[before.len + 13] == '-') {
            memcpy(body->data + i + before.len, MUTATION_ID, id);
        }
    }
}

/* Appends the response to `body`. */
static enum fx_decision review(const struct review_case *rcase, struct fx_text text,
                               bool partial, struct fx_buf *body) {
    const struct fx_admission admission = {
        .on_error = FX_ON_ERROR_DENY,
        .partial_decode = partial,
        .find_input = fx_namespaces_look_up_input,
        .user = &rcase->policies->namespaces,
    };
    struct fx_review *made =
        fx_review_create(&admission, rcase->policies->snapshot, text, 0);
    assert(made != NULL);
    const enum fx_review_state state = fx_review_run(made);
    assert(state == FX_REVIEW_DONE);
    const struct fx_review_result *result = fx_review_result(made);
    const enum fx_decision decision = result->decision;
    fx_buf_text(body, fx_buf_view(result->body));
    hide_mutation_ids(body);
    fx_review_destroy(made);
    return decision;
}

/* Does the patch of the response make `result` of the object? */
static bool has_patch_to(struct review_case *rcase, const json_t *response,
                         const json_t *result) {
    struct fx_buf text;
    struct fx_patch patch;
    struct fx_err err = FX_ERR_INIT;
    json_t *patched = json_incref(rcase->object);
    const struct fx_text encoded =
        fx_tree_view_string(fx_tree_view_key(response, "response"), "patch");
    fx_buf_init(&text, 0);
    fx_arena_reset(&rcase->arena);
    fx_patch_init(&patch, &rcase->arena);
    bool ok = fx_base64_decode(&text, encoded);
    json_t *operations = ok && text.len > 0 ? read_value(fx_buf_view(&text)) : NULL;
    ok = ok && (operations == NULL || (fx_patch_parse(&patch, operations, &err) &&
                                       fx_patch_apply(&patch, &patched, &err)));
    ok = ok && fx_equal(patched, result);
    json_decref(patched);
    json_decref(operations);
    fx_buf_finish(&text);
    return ok;
}

/* `result` is that of the loop; NULL if it has none. */
static const char *check_review(struct review_case *rcase, const json_t *result) {
    struct fx_buf text;
    struct fx_buf whole;
    struct fx_buf part;
    const char *reason = NULL;
    fx_buf_init(&text, 0);
    fx_buf_init(&whole, 0);
    fx_buf_init(&part, 0);
    write_review(&text, rcase->object);
    const enum fx_decision decision = review(rcase, fx_buf_view(&text), false, &whole);
    const enum fx_decision again = review(rcase, fx_buf_view(&text), true, &part);
    if (decision == FX_DECISION_BROKEN || decision == FX_DECISION_REFUSED) {
        reason = "the review is broken";
    } else if (decision != again ||
               !fx_text_equal(fx_buf_view(&whole), fx_buf_view(&part))) {
        reason = "an object that was read in part has another response";
    } else if ((result != NULL) !=
               (decision == FX_DECISION_MUTATED || decision == FX_DECISION_UNCHANGED)) {
        reason = "the review fails, or the loop, but not both";
    } else if (result != NULL) {
        json_t *response = read_value(fx_buf_view(&whole));
        reason = has_patch_to(rcase, response, result)
                     ? NULL
                     : "the patch of the response does not give the result of the loop";
        json_decref(response);
    }
    fx_buf_finish(&text);
    fx_buf_finish(&whole);
    fx_buf_finish(&part);
    return reason;
}

/* ---- a second review -----------------------------------------------------------------
 */

const char random_unreported[] =
    "a second review changes the result, and `check` does not say so";

/* Does `check` say that a second review of the object differs, or fails? A rule that
 * fails and is ignored may act the second time, so that its failure is a reason, too. */
static bool is_reported(const struct review_case *rcase) {
    struct fx_analysis analysis;
    struct fx_err err = FX_ERR_INIT;
    const struct fx_analysis_input input = {
        .snapshot = rcase->policies->snapshot,
        .namespaces = &rcase->policies->namespaces,
        .objects = &rcase->object,
        .n_objects = 1,
    };
    const bool ok = fx_analysis_run(&input, &analysis, &err);
    assert(ok);
    bool is = analysis.n_skipped > 0;
    for (size_t i = 0; !is && i < analysis.n_findings; i++) {
        const enum fx_analysis_rule rule = analysis.findings[i].rule;
        is = rule == FX_ANALYSIS_IDEMPOTENCE || rule == FX_ANALYSIS_REINVOCATION ||
             rule == FX_ANALYSIS_UNDO || rule == FX_ANALYSIS_FAILURE;
    }
    fx_analysis_finish(&analysis);
    return is;
}

static const char *check_again(const struct review_case *rcase, json_t *result) {
    struct loop_run again;
    loop_run(&again, rcase, result, false);
    const bool fails = !again.ok;
    const bool changes = again.ok && again.outcome.mutated;
    const char *reason = NULL;
    if (again.ok && fx_equal(again.root, result) == again.outcome.mutated) {
        reason = "the outcome does not say whether the object was changed";
    } else if ((fails || changes) && !is_reported(rcase)) {
        reason = fails ? "a second review fails, and `check` does not say so"
                       : random_unreported;
    }
    rcase->counts->n_changed_again += fails || changes ? 1 : 0;
    loop_finish(&again);
    return reason;
}

static const char *check_case(struct review_case *rcase) {
    json_t *before = fx_tree_deep_copy(rcase->object);
    json_t *result = NULL;
    assert(before != NULL);
    const char *reason = check_loop(rcase, &result);
    reason = reason != NULL ? reason : check_review(rcase, result);
    if (reason == NULL && result != NULL) {
        reason = check_again(rcase, result);
    }
    if (reason == NULL && !fx_equal(rcase->object, before)) {
        reason = "a review has written an object that it shares";
    }
    json_decref(result);
    json_decref(before);
    return reason;
}

/* ---- cases ------------------------------------------------------------------------- */

/* Draws policies as documents of one file. */
static struct fx_policies *draw_policies(struct draw *draw, struct fx_buf *file,
                                         struct random_counts *counts) {
    struct fx_policies *policies = NULL;
    struct fx_err err = FX_ERR_INIT;
    const size_t n = 1 + draw_below(draw, MOST_POLICIES);
    for (size_t i = 0; i < n; i++) {
        fx_buf_str(file, "---\n");
        random_draw_policy(draw, (unsigned)i);
        fx_buf_char(file, '\n');
    }
    assert(!file->failed);
    const struct fx_policy_input input = {.file = "policies", .text = fx_buf_view(file)};
    const bool built = fx_policies_build(&input, 1, NULL, 1, &policies, &err);
    assert(built);
    for (size_t i = 0; i < FX_COUNT(others); i++) {
        json_t *other = read_value(fx_text_of(others[i]));
        const bool added = fx_namespaces_add(&policies->namespaces, other);
        assert(added);
        json_decref(other);
    }
    counts->n_policies += n;
    counts->n_faulty += fx_findings_count(&policies->findings, FX_SEVERITY_ERROR);
    return policies;
}

const char *random_review(const uint8_t *bytes, size_t size, struct random_counts *counts,
                          struct fx_buf *report) {
    struct random_counts unused = {0};
    struct fx_buf text;
    struct draw draw = {.bytes = bytes, .left = size, .out = report};
    struct review_case rcase = {.counts = counts != NULL ? counts : &unused};
    const char *reason = NULL;
    fx_buf_reset(report);
    fx_buf_init(&text, 0);
    fx_arena_init(&rcase.arena, FX_LIMIT_ARENA_BYTES);
    rcase.policies = draw_policies(&draw, report, rcase.counts);
    draw.out = &text;
    for (size_t n = 1 + draw_below(&draw, MOST_OBJECTS); reason == NULL && n > 0; n--) {
        fx_buf_reset(&text);
        random_draw_object(&draw);
        rcase.object = read_value(fx_buf_view(&text));
        reason = check_case(&rcase);
        json_decref(rcase.object);
    }
    fx_buf_str(report, "# the object\n");
    fx_buf_text(report, fx_buf_view(&text));
    fx_policies_unref(rcase.policies);
    fx_arena_finish(&rcase.arena);
    fx_buf_finish(&text);
    return reason;
}
