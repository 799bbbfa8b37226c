/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/answer.c - the ends of a review. The response is written directly into the
 * body, without a tree.
 */
#include <inttypes.h>
#include <string.h>

#include "admission/steps.h"
#include "base/base64.h"
#include "base/hash.h"
#include "base/limits.h"
#include "value/json.h"

#define MOST_BYTES 2000 /* the most bytes of nearly all responses */

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

/* ---- warnings -------------------------------------------------------------------- */

/* The list of warnings that is being written. */
struct warning_list {
    struct fx_buf *body;
    struct fx_buf message; /* the message of the next warning */
    size_t n_written;
};

static void begin_warnings(struct warning_list *warnings, struct fx_buf *body) {
    *warnings = (struct warning_list){.body = body};
    fx_buf_init(&warnings->message, 0);
}

static void add_warning(struct warning_list *warnings, struct fx_text text) {
    fx_buf_str(warnings->body, warnings->n_written++ == 0 ? ",\"warnings\":[" : ",");
    add_string(warnings->body, text);
}

/* Adds the message, and empties it. */
static void add_message(struct warning_list *warnings) {
    struct fx_buf *message = &warnings->message;
    fx_buf_fail_as(warnings->body, message);
    add_warning(warnings, fx_buf_view(message));
    fx_buf_reset(message);
}

static void end_warnings(struct warning_list *warnings) {
    fx_buf_str(warnings->body, warnings->n_written == 0 ? "" : "]");
    fx_buf_finish(&warnings->message);
}

/* Replaces control characters by blanks, because API servers drop warnings that have
 * any. */
static void blank_controls(struct fx_buf *message) {
    for (size_t i = 0; i < message->len; i++) {
        if ((unsigned char)message->data[i] < ' ' || message->data[i] == '\x7f') {
            message->data[i] = ' ';
        }
    }
}

/* Adds the violations of validators that warn: "<id>: <entry>". */
static void warn_of_violations(struct warning_list *warnings,
                               const struct fx_review *review) {
    const struct fx_outcome *outcome = &review->mutation.outcome;
    size_t n_warnings = 0;
    for (size_t i = 0; i < outcome->n_violations; i++) {
        const struct fx_violation *violation = &outcome->violations[i];
        if (violation->action != FX_ACTION_WARN || ++n_warnings > FX_LIMIT_VIOLATIONS) {
            continue;
        }
        fx_mutator_print_id(&warnings->message,
                            review->snapshot->mutators[violation->mutator]);
        fx_buf_str(&warnings->message, ": ");
        fx_buf_text(&warnings->message, violation->entry);
        blank_controls(&warnings->message);
        add_message(warnings);
    }
    if (n_warnings > FX_LIMIT_VIOLATIONS) {
        fx_buf_printf(&warnings->message, "and %zu more",
                      n_warnings - FX_LIMIT_VIOLATIONS);
        add_message(warnings);
    }
}

/* Adds the mutators that were skipped, each with the reason. */
static void warn_of_skipped(struct warning_list *warnings,
                            const struct fx_review *review) {
    const struct fx_outcome *outcome = &review->mutation.outcome;
    for (size_t i = 0; i < outcome->n_skipped; i++) {
        const struct fx_skipped_mutator *skipped = &outcome->skipped[i];
        fx_mutator_print_id(&warnings->message,
                            review->snapshot->mutators[skipped->mutator]);
        fx_buf_printf(&warnings->message, "%s: %s", skipped->fails ? " was skipped" : "",
                      skipped->message);
        add_message(warnings);
    }
}

/* Adds "warnings": missing inputs, then violations, then mutators that were skipped. */
static void add_warnings(struct fx_review *review) {
    struct warning_list warnings;
    begin_warnings(&warnings, &review->body);
    if (review->warning != NULL) {
        add_warning(&warnings, fx_text_of(review->warning));
    }
    warn_of_violations(&warnings, review);
    warn_of_skipped(&warnings, review);
    end_warnings(&warnings);
}

/* ---- audit annotations ------------------------------------------------------------ */

#define KEY_BYTES  63u /* the most bytes of the name part of an annotation's key */
#define HASH_BYTES 9u  /* "-0a1b2c3d" */

/* The names of the mutators that applied, as many as have room:
 * "Assign/a,AssignMetadata/b". */
struct names {
    char bytes[FX_LIMIT_NAMED_MUTATORS_BYTES + sizeof ",…"];
    size_t len;
};

static void put_name(struct names *names, struct fx_text part) {
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
            put_name(names, comma);
            put_name(names, FX_TEXT("…"));
            return;
        }
        put_name(names, comma);
        put_name(names, kind);
        put_name(names, FX_TEXT("/"));
        put_name(names, name);
    }
}

/* The object of annotations that is being written. */
struct annotations {
    struct fx_buf *body;
    size_t n_written;
};

static void add_annotation(struct annotations *annotations, struct fx_text key,
                           struct fx_text value) {
    fx_buf_str(annotations->body,
               annotations->n_written++ == 0 ? ",\"auditAnnotations\":{" : ",");
    add_string(annotations->body, key);
    fx_buf_char(annotations->body, ':');
    add_string(annotations->body, value);
}

static bool is_alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_of_key(char c) {
    return is_alphanumeric(c) || c == '-' || c == '.' || c == '_';
}

/* Does an earlier violation have the same kind and name, in another group? */
static bool is_named_twice(const struct fx_review *review, size_t at) {
    const struct fx_violation *violations = review->mutation.outcome.violations;
    const struct fx_mutator *own = review->snapshot->mutators[violations[at].mutator];
    for (size_t i = 0; i < at; i++) {
        const struct fx_mutator *other =
            review->snapshot->mutators[violations[i].mutator];
        if (violations[i].action == FX_ACTION_AUDIT &&
            strcmp(own->kind, other->kind) == 0 &&
            strcmp(own->full_name, other->full_name) == 0) {
            return true;
        }
    }
    return false;
}

/* Prints "Kind_namespace_name_rule", followed by a hash of the mutator's id if two
 * mutators could have this key, or if Kubernetes would not accept it. */
static void print_key(struct fx_buf *key, const struct fx_mutator *mutator,
                      bool is_hashed) {
    struct fx_buf id;
    fx_buf_init(&id, 0);
    fx_mutator_print_id(&id, mutator);
    fx_buf_printf(key, "%s/%s", mutator->kind, mutator->full_name);
    for (size_t i = 0; i < key->len; i++) {
        const bool is_separator = key->data[i] == '/' || key->data[i] == ':';
        if (!is_of_key(key->data[i])) {
            is_hashed = is_hashed || !is_separator;
            key->data[i] = '_';
        }
    }
    if (is_hashed || key->len > KEY_BYTES ||
        (key->len > 0 && !is_alphanumeric(key->data[key->len - 1]))) {
        const uint64_t hash = fx_hash_text(FX_HASH_START, fx_buf_view(&id));
        key->len = key->len < KEY_BYTES - HASH_BYTES ? key->len : KEY_BYTES - HASH_BYTES;
        fx_buf_printf(key, "-%08" PRIx32, (uint32_t)hash);
    }
    fx_buf_fail_as(key, &id);
    fx_buf_finish(&id);
}

/* Adds the violations of validators that audit. The key is made from the mutator's id. */
static void annotate_violations(struct annotations *annotations,
                                const struct fx_review *review) {
    const struct fx_outcome *outcome = &review->mutation.outcome;
    struct fx_buf text;
    size_t n_audits = 0;
    fx_buf_init(&text, 0);
    for (size_t i = 0; i < outcome->n_violations; i++) {
        const struct fx_violation *violation = &outcome->violations[i];
        if (violation->action != FX_ACTION_AUDIT || ++n_audits > FX_LIMIT_VIOLATIONS) {
            continue;
        }
        fx_buf_reset(&text);
        print_key(&text, review->snapshot->mutators[violation->mutator],
                  is_named_twice(review, i));
        add_annotation(annotations, fx_buf_view(&text), violation->entry);
    }
    if (n_audits > FX_LIMIT_VIOLATIONS) {
        fx_buf_reset(&text);
        fx_buf_number(&text, n_audits - FX_LIMIT_VIOLATIONS);
        add_annotation(annotations, FX_TEXT("omitted"), fx_buf_view(&text));
    }
    fx_buf_fail_as(annotations->body, &text);
    fx_buf_finish(&text);
}

/* Adds "auditAnnotations": the mutators that changed the object, the number of passes,
 * and the violations of validators that audit. */
static void add_annotations(struct fx_review *review) {
    struct annotations annotations = {.body = &review->body};
    if (review->mutation.outcome.mutated) {
        struct names names;
        list_mutators(review, &names);
        add_annotation(&annotations, FX_TEXT("mutators"),
                       (struct fx_text){names.bytes, names.len});
        fx_buf_str(&review->body, ",\"iterations\":\"");
        fx_buf_number(&review->body, review->mutation.outcome.iterations);
        fx_buf_char(&review->body, '"');
    }
    annotate_violations(&annotations, review);
    fx_buf_str(&review->body, annotations.n_written == 0 ? "" : "}");
}

/* ---- invalid policies -------------------------------------------------------------- */

/* Appends the printed text as a string, and finishes it. */
static void add_printed(struct fx_buf *body, struct fx_buf *text) {
    add_string(body, fx_buf_view(text));
    fx_buf_fail_as(body, text);
    fx_buf_finish(text);
}

static size_t count_reported(const struct fx_compilation *compilation) {
    return compilation->n_faults < FX_LIMIT_REPORTED_FAULTS ? compilation->n_faults
                                                            : FX_LIMIT_REPORTED_FAULTS;
}

/* Adds `<Kind>.<group> "<name>" is invalid: <fault>`. Several faults are in brackets. */
static void add_invalid_message(struct fx_buf *body, const struct fx_subject *policy,
                                const struct fx_compilation *compilation) {
    const size_t n = count_reported(compilation);
    const size_t n_more = compilation->n_faults - n + compilation->n_more_faults;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_text(&text, policy->kind);
    fx_buf_char(&text, '.');
    fx_buf_text(&text, policy->group);
    fx_buf_str(&text, " \"");
    fx_buf_text(&text, policy->name);
    fx_buf_printf(&text, "\" is invalid: %s", compilation->n_faults > 1 ? "[" : "");
    for (size_t i = 0; i < n; i++) {
        const struct fx_text field = fx_fault_field(&compilation->faults[i]);
        fx_buf_str(&text, i == 0 ? "" : ", ");
        fx_buf_text(&text, field);
        fx_buf_str(&text, field.len == 0 ? "" : ": ");
        fx_fault_print(&text, &compilation->faults[i]);
    }
    if (n_more > 0) {
        fx_buf_printf(&text, ", and %zu more", n_more);
    }
    fx_buf_str(&text, compilation->n_faults > 1 ? "]" : "");
    add_printed(body, &text);
}

static void add_cause(struct fx_buf *body, const struct fx_fault *fault) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_fault_print(&text, fault);
    fx_buf_str(body, "{\"reason\":\"");
    fx_buf_str(body, fx_fault_type_name(fault->type));
    fx_buf_str(body, "\",\"message\":");
    add_printed(body, &text);
    fx_buf_str(body, ",\"field\":");
    add_string(body, fx_fault_field(fault));
    fx_buf_char(body, '}');
}

static void add_details(struct fx_buf *body, const struct fx_subject *policy,
                        const struct fx_compilation *compilation) {
    fx_buf_str(body, "{\"name\":");
    add_string(body, policy->name);
    fx_buf_str(body, ",\"group\":");
    add_string(body, policy->group);
    fx_buf_str(body, ",\"kind\":");
    add_string(body, policy->kind);
    fx_buf_str(body, ",\"causes\":[");
    for (size_t i = 0; i < count_reported(compilation); i++) {
        fx_buf_str(body, i == 0 ? "" : ",");
        add_cause(body, &compilation->faults[i]);
    }
    fx_buf_str(body, "]}");
}

/* Appends the `status` for an invalid policy: code 422, reason Invalid, with at most
 * FX_LIMIT_REPORTED_FAULTS faults; the others are counted. */
static void add_invalid_status(struct fx_buf *body, const json_t *policy,
                               const struct fx_compilation *compilation) {
    struct fx_subject subject;
    fx_subject_read(policy, &subject);
    fx_buf_str(body, ",\"status\":{\"message\":");
    add_invalid_message(body, &subject, compilation);
    fx_buf_str(body, ",\"reason\":\"Invalid\",\"details\":");
    add_details(body, &subject, compilation);
    fx_buf_str(body, ",\"code\":422}");
}

/* ---- responses -------------------------------------------------------------------- */

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

/* Answers in plain text, not with an AdmissionReview. Without memory for the text the
 * answer is 503 without a body. */
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

/* Answers a temporary internal failure: the same request may succeed a moment later. */
static enum fx_next answer_busy(struct fx_review *review) {
    return answer_plain(review, 503, FX_DECISION_BROKEN);
}

/* Did the limit cause the failure, and not a lack of memory? Then more than half of the
 * limit was in use, because no single allocation is larger than that. */
static bool hit_bound(size_t used, size_t max) {
    return used > max / 2;
}

/* Ends the response. If it could not be written, that is an internal failure. */
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
    add_annotations(review);
    add_warnings(review);
    return end(review, decision);
}

/* Adds "warnings": those of the compilation of a policy. */
static void add_compile_warnings(struct fx_buf *body,
                                 const struct fx_compilation *compilation) {
    struct warning_list warnings;
    begin_warnings(&warnings, body);
    for (size_t i = 0; i < compilation->n_warnings; i++) {
        add_warning(&warnings, fx_text_of(compilation->warnings[i].text));
    }
    if (compilation->n_more_warnings > 0) {
        fx_buf_printf(&warnings.message, "and %zu more", compilation->n_more_warnings);
        add_message(&warnings);
    }
    end_warnings(&warnings);
}

enum fx_next fx_answer_allow_policy(struct fx_review *review) {
    begin(review, true);
    add_status(&review->body, (struct fx_text){0}, 200);
    add_compile_warnings(&review->body, &review->compilation);
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
    add_invalid_status(&review->body, review->object, &review->compilation);
    return end(review, FX_DECISION_FAILED);
}

/* Is it among the causes of the status? A code of 500 or more is about one failure. */
static bool is_cause(const struct fx_outcome *outcome,
                     const struct fx_violation *violation) {
    return violation->code != 0 &&
           (outcome->denial_code < 500 || violation->entry.data == outcome->denial.data);
}

/* Adds the messages of all mutators that failed, as the causes of the status. */
static void add_causes(struct fx_review *review) {
    const struct fx_outcome *outcome = &review->mutation.outcome;
    struct fx_buf *body = &review->body;
    const char *separator = ",\"details\":{\"causes\":[";
    bool has_causes = false;
    for (size_t i = 0; i < outcome->n_violations; i++) {
        if (is_cause(outcome, &outcome->violations[i])) {
            fx_buf_str(body, separator);
            fx_buf_str(body, "{\"message\":");
            add_string(body, outcome->violations[i].entry);
            fx_buf_char(body, '}');
            separator = ",";
            has_causes = true;
        }
    }
    fx_buf_str(body, has_causes ? "]}" : "");
}

/* Validators deny the object, and their whole message is the reason, too; or a mutator
 * failed, and denies it with a reason of its own. */
static enum fx_next answer_denial(struct fx_review *review) {
    const struct fx_outcome *outcome = &review->mutation.outcome;
    struct fx_buf *body = &review->body;
    review->result.failure = &review->err;
    begin(review, false);
    fx_buf_str(body, ",\"status\":{\"message\":");
    add_string(body, outcome->denial);
    fx_buf_str(body, ",\"reason\":");
    add_string(body, outcome->denial_reason == NULL ? outcome->denial
                                                    : fx_text_of(outcome->denial_reason));
    add_causes(review);
    fx_buf_printf(body, ",\"code\":%u}", outcome->denial_code);
    add_annotations(review);
    add_warnings(review);
    return end(review, FX_DECISION_DENIED);
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

/* Answers a failure of a policy on the object as `on_error` says. */
static enum fx_next answer_policy_failure(struct fx_review *review) {
    const struct fx_text message = fx_text_of(review->err.msg);
    review->result.failure = &review->err;
    switch (review->admission->on_error) {
    case FX_ON_ERROR_DEFER: return answer_plain(review, 500, FX_DECISION_FAILED);
    case FX_ON_ERROR_ALLOW:
        begin(review, true);
        fx_buf_str(&review->body, ",\"warnings\":[");
        add_string(&review->body, message);
        fx_buf_char(&review->body, ']');
        return end(review, FX_DECISION_FAILED);
    case FX_ON_ERROR_DENY: break;
    }
    begin(review, false);
    add_status(&review->body, message, 500);
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
