/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/answer.c - the ends of a review: the response is written straight into the
 * body, never built as a tree.
 */
#include <string.h>

#include "admission/invalid.h"
#include "admission/steps.h"
#include "base/base64.h"
#include "base/limits.h"
#include "value/json.h"

#define MOST_BYTES 2000 /* of nearly all responses */

static void add_string(struct fx_buf *body, struct fx_text text) {
    fx_json_write_string(body, text, FX_JSON_COMPACT);
}

static void begin(struct fx_review *review, bool allowed) {
    struct fx_buf *body = &review->body;
    fx_buf_reset(body);
    if (body->max > MOST_BYTES && fx_buf_reserve(body, MOST_BYTES) == NULL) {
        return;
    }
    fx_buf_str(body, "{\"kind\":\"AdmissionReview\",\"apiVersion\":");
    add_string(body, review->api_version);
    fx_buf_str(body, ",\"response\":{\"uid\":");
    add_string(body, review->result.uid);
    fx_buf_str(body, allowed ? ",\"allowed\":true" : ",\"allowed\":false");
}

static void add_warning(struct fx_review *review, bool is_first, struct fx_text words) {
    fx_buf_str(&review->body, is_first ? ",\"warnings\":[" : ",");
    add_string(&review->body, words);
}

/* "warnings": what policies had to do without, and those who were left out, each with the
 * reason. */
static void add_warnings(struct fx_review *review) {
    const struct fx_outcome *outcome = &review->mutation.outcome;
    bool is_first = true;
    struct fx_buf words;
    fx_buf_init(&words, 0);
    if (review->warning != NULL) {
        add_warning(review, is_first, fx_text_of(review->warning));
        is_first = false;
    }
    for (size_t i = 0; i < outcome->n_skipped; i++) {
        const struct fx_skipped_mutator *drop = &outcome->skipped[i];
        fx_buf_reset(&words);
        fx_mutator_print_id(&words, review->snapshot->mutators[drop->mutator]);
        fx_buf_printf(&words, "%s: %s", drop->fails ? " was left out" : "", drop->words);
        add_warning(review, is_first, (struct fx_text){words.data, words.len});
        fx_buf_fail_as(&review->body, &words);
        is_first = false;
    }
    fx_buf_str(&review->body, is_first ? "" : "]");
    fx_buf_finish(&words);
}

static void add_status(struct fx_buf *body, struct fx_text message, unsigned code) {
    fx_buf_str(body, ",\"status\":{");
    if (message.len > 0) {
        fx_buf_str(body, "\"message\":");
        add_string(body, message);
        fx_buf_char(body, ',');
    }
    if (code == 403) {
        fx_buf_str(body, "\"reason\":\"Forbidden\",");
    }
    fx_buf_str(body, "\"code\":");
    fx_buf_number(body, code);
    fx_buf_char(body, '}');
}

/* An answer that is no AdmissionReview: a sentence. Where there is no memory for it, that
 * is the answer, and it has no body. */
static enum fx_next answer_plain(struct fx_review *review, unsigned status,
                                 enum fx_decision decision) {
    struct fx_buf *body = &review->body;
    struct fx_review_result *result = &review->result;
    fx_buf_reset(body);
    fx_buf_str(body, review->err.msg);
    result->status = status;
    result->decision = decision;
    result->failure = &review->err;
    result->patch = NULL;
    if (body->failed) {
        fx_buf_reset(body);
        (void)fx_fail_nomem(&review->err);
        result->status = 503;
        result->decision = FX_DECISION_BROKEN;
    }
    result->retry_after = result->status == 503;
    return FX_NEXT_DONE;
}

/* Our own passing failure: the same request may succeed a moment later. */
static enum fx_next answer_busy(struct fx_review *review) {
    return answer_plain(review, 503, FX_DECISION_BROKEN);
}

/* Was it a bound that failed, and not the memory? Both refuse in the same way; but where
 * the bound did, more than half of it was in use, since no single piece is larger. */
static bool hit_bound(size_t used, size_t max) {
    return used > max / 2;
}

/* Closes the response. Where it could not be written, that is our failure. */
static enum fx_next end(struct fx_review *review, enum fx_decision decision) {
    struct fx_buf *body = &review->body;
    fx_buf_str(body, "}}");
    if (body->failed && hit_bound(body->len, body->max)) {
        (void)fx_fail(&review->err, FX_ELIMIT, "the response is larger than %zu bytes",
                      body->max);
        return answer_plain(review, 500, FX_DECISION_BROKEN);
    }
    if (body->failed) {
        (void)fx_fail_nomem(&review->err);
        return answer_busy(review);
    }
    review->result.status = 200;
    review->result.decision = decision;
    return FX_NEXT_DONE;
}

enum fx_next fx_answer_allow(struct fx_review *review, enum fx_decision decision,
                             const char *message) {
    begin(review, true);
    add_status(&review->body, fx_text_of(message), 200);
    add_warnings(review);
    return end(review, decision);
}

static void add_told(struct fx_buf *body, const struct fx_compilation *told) {
    if (told->n_warnings == 0) {
        return;
    }
    for (size_t i = 0; i < told->n_warnings; i++) {
        fx_buf_str(body, i == 0 ? ",\"warnings\":[" : ",");
        add_string(body, fx_text_of(told->warnings[i].text));
    }
    if (told->n_untold_warnings > 0) {
        fx_buf_printf(body, ",\"and %zu more\"", told->n_untold_warnings);
    }
    fx_buf_char(body, ']');
}

enum fx_next fx_answer_allow_policy(struct fx_review *review) {
    begin(review, true);
    add_status(&review->body, (struct fx_text){0}, 200);
    add_told(&review->body, &review->told);
    return end(review, FX_DECISION_UNCHANGED);
}

enum fx_next fx_answer_deny(struct fx_review *review, unsigned code) {
    if (fx_err_is_ours(&review->err)) {
        return fx_answer_fail(review);
    }
    review->result.failure = &review->err;
    begin(review, false);
    add_status(&review->body, fx_text_of(review->err.msg), code);
    return end(review, FX_DECISION_FAILED);
}

enum fx_next fx_answer_invalid(struct fx_review *review) {
    review->result.failure = &review->err;
    begin(review, false);
    fx_invalid_add_status(&review->body, review->object, &review->told);
    return end(review, FX_DECISION_FAILED);
}

/* Judges refuse the object: their words, whole, are the reason as well. */
static enum fx_next answer_denial(struct fx_review *review) {
    const struct fx_text words = review->mutation.outcome.denial;
    struct fx_buf *body = &review->body;
    review->result.failure = &review->err;
    begin(review, false);
    fx_buf_str(body, ",\"status\":{\"message\":");
    add_string(body, words);
    fx_buf_str(body, ",\"reason\":");
    add_string(body, words);
    fx_buf_str(body, ",\"code\":403}");
    add_warnings(review);
    return end(review, FX_DECISION_DENIED);
}

/* "Assign/a,AssignMetadata/b": the mutators that applied, as many as have room. */
struct names {
    char bytes[FX_LIMIT_NAMED_MUTATORS_BYTES + sizeof ",…"];
    size_t len;
};

static void put(struct names *names, struct fx_text part) {
    memcpy(names->bytes + names->len, part.data, part.len);
    names->len += part.len;
}

static void list_mutators(const struct fx_review *review, struct names *names) {
    const struct fx_outcome *outcome = &review->mutation.outcome;
    names->len = 0;
    for (size_t i = 0; i < outcome->n_applied; i++) {
        const struct fx_mutator *mutator =
            review->snapshot->mutators[outcome->applied[i]];
        const struct fx_text kind = fx_text_of(mutator->kind);
        const struct fx_text name = fx_text_of(mutator->full_name);
        const struct fx_text comma = {",", i == 0 ? 0 : 1};
        if (comma.len + kind.len + 1 + name.len >
            FX_LIMIT_NAMED_MUTATORS_BYTES - names->len) {
            put(names, comma);
            put(names, FX_TEXT("…"));
            return;
        }
        put(names, comma);
        put(names, kind);
        put(names, FX_TEXT("/"));
        put(names, name);
    }
}

static void add_annotations(struct fx_review *review) {
    struct fx_buf *body = &review->body;
    struct names names;
    list_mutators(review, &names);
    fx_buf_str(body, ",\"auditAnnotations\":{\"mutators\":");
    add_string(body, (struct fx_text){names.bytes, names.len});
    fx_buf_str(body, ",\"iterations\":\"");
    fx_buf_number(body, review->mutation.outcome.iterations);
    fx_buf_str(body, "\"}");
}

static void add_patch(struct fx_review *review, const struct fx_patch *patch) {
    struct fx_buf *body = &review->body;
    fx_buf_str(body, ",\"patch\":\"");
    const size_t from = body->len;
    fx_patch_write(body, patch, FX_JSON_COMPACT);
    fx_base64_encode_tail(body, from);
    fx_buf_str(body, "\",\"patchType\":\"JSONPatch\"");
    review->result.patch = patch;
}

enum fx_next fx_answer_patch(struct fx_review *review) {
    begin(review, true);
    add_patch(review, &review->mutation.patch);
    add_annotations(review);
    add_warnings(review);
    return end(review, FX_DECISION_MUTATED);
}

enum fx_next fx_answer_defaulted(struct fx_review *review) {
    begin(review, true);
    add_patch(review, &review->patch);
    return end(review, FX_DECISION_MUTATED);
}

enum fx_next fx_answer_refuse(struct fx_review *review) {
    if (review->err.code == FX_ENOMEM) {
        return answer_busy(review);
    }
    return answer_plain(review, 400, FX_DECISION_REFUSED);
}

/* A policy failed on the object: the user's choice who is to suffer. */
static enum fx_next answer_policy_failure(struct fx_review *review) {
    const struct fx_text words = fx_text_of(review->err.msg);
    review->result.failure = &review->err;
    switch (review->admission->on_error) {
    case FX_ON_ERROR_DEFER: return answer_plain(review, 500, FX_DECISION_FAILED);
    case FX_ON_ERROR_ALLOW:
        begin(review, true);
        fx_buf_str(&review->body, ",\"warnings\":[");
        add_string(&review->body, words);
        fx_buf_char(&review->body, ']');
        return end(review, FX_DECISION_FAILED);
    case FX_ON_ERROR_DENY: break;
    }
    begin(review, false);
    add_status(&review->body, words, 500);
    return end(review, FX_DECISION_FAILED);
}

enum fx_next fx_answer_fail(struct fx_review *review) {
    struct fx_err *err = &review->err;
    if (err->code == FX_ENOMEM && hit_bound(review->arena.total, review->arena.max)) {
        (void)fx_fail(err, FX_ELIMIT, "the review needs more than %zu bytes of memory",
                      review->arena.max);
    }
    switch (err->code) {
    case FX_ENOMEM:
    case FX_EDEADLINE:
    case FX_EIO: return answer_busy(review); /* the API server could not be asked */
    case FX_ELIMIT: return answer_plain(review, 413, FX_DECISION_REFUSED);
    case FX_EINTERNAL: return answer_plain(review, 500, FX_DECISION_BROKEN);
    case FX_EDENIED: return answer_denial(review);
    case FX_OK:
    case FX_ESYNTAX:
    case FX_EINVALID:
    case FX_EMUTATE:
    case FX_EINPUT:
    case FX_ENOCONVERGE: break;
    }
    return answer_policy_failure(review);
}
