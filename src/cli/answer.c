/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/answer.c - makes an AdmissionReview for an object, and runs the review.
 */
#include "cli/answer.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "admission/mutation.h"
#include "base/budget.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/uuid.h"
#include "engine/admission_request.h"
#include "engine/request.h"
#include "value/json.h"
#include "value/patch.h"
#include "value/tree.h"

/* Always the same, so that the same input gives the same output. */
#define UID "00000000-0000-0000-0000-000000000000"

/* The state of a mutation without an AdmissionReview. */
struct fx_resultant {
    struct fx_arena arena;
    struct fx_inputs inputs;
    struct fx_mutation mutation;
    json_t *namespace_object; /* counted */
    char mutation_id[FX_UUID_SIZE];
};

static void resultant_destroy(struct fx_resultant *resultant) {
    if (resultant != NULL) {
        fx_mutation_finish(&resultant->mutation);
        fx_inputs_finish(&resultant->inputs);
        json_decref(resultant->namespace_object);
        fx_arena_finish(&resultant->arena);
        free(resultant);
    }
}

void fx_answer_finish(struct fx_answer *answer) {
    if (answer == NULL) {
        return;
    }
    json_decref(answer->object);
    resultant_destroy(answer->resultant);
    fx_review_destroy(answer->review);
    fx_buf_finish(&answer->request);
    *answer = (struct fx_answer){0};
}

/* ---- the request ----------------------------------------------------------------- */

static void add_key(struct fx_buf *buf, const char *key) {
    fx_buf_char(buf, ',');
    fx_json_write_string(buf, fx_text_of(key), FX_JSON_COMPACT);
    fx_buf_char(buf, ':');
}

static void add_text(struct fx_buf *buf, const char *key, struct fx_text value) {
    add_key(buf, key);
    fx_json_write_string(buf, value, FX_JSON_COMPACT);
}

static void add_user(struct fx_buf *buf, const struct fx_question *question) {
    add_key(buf, "userInfo");
    fx_buf_str(buf, "{\"username\":");
    const char *user = question->user != NULL ? question->user : "kubernetes-admin";
    fx_json_write_string(buf, fx_text_of(user), FX_JSON_COMPACT);
    add_key(buf, "groups");
    fx_buf_char(buf, '[');
    for (size_t i = 0; i < question->groups->n_items; i++) {
        fx_buf_str(buf, i > 0 ? "," : "");
        fx_json_write_string(buf, fx_text_of(question->groups->items[i]),
                             FX_JSON_COMPACT);
    }
    fx_buf_str(buf, "]}");
}

static void add_object(struct fx_buf *buf, const char *key, const json_t *object) {
    add_key(buf, key);
    if (object != NULL) {
        fx_json_write(buf, object, FX_JSON_COMPACT);
    } else {
        fx_buf_str(buf, "null");
    }
}

static void add_resource(struct fx_buf *buf, const struct fx_subject *subject) {
    struct fx_buf resource;
    fx_buf_init(&resource, 0);
    fx_resource_guess(&resource, subject->kind);
    add_key(buf, "resource");
    fx_buf_str(buf, "{\"group\":");
    fx_json_write_string(buf, subject->group, FX_JSON_COMPACT);
    add_text(buf, "version", subject->version);
    add_text(buf, "resource", fx_buf_view(&resource));
    fx_buf_char(buf, '}');
    buf->failed = buf->failed || resource.failed;
    fx_buf_finish(&resource);
}

static void add_options(struct fx_buf *buf, const struct fx_question *question) {
    const char *kind =
        fx_operation_options(fx_operation_parse(fx_text_of(question->operation)));
    add_key(buf, "dryRun");
    fx_buf_str(buf, "false");
    add_key(buf, "options");
    if (kind == NULL) {
        fx_buf_str(buf, "null");
    } else {
        fx_buf_printf(buf, "{\"kind\":\"%s\",\"apiVersion\":\"meta.k8s.io/v1\"}", kind);
    }
}

/* For DELETE, API servers send the object as `oldObject`. */
static void add_objects(struct fx_buf *buf, const struct fx_question *question,
                        const json_t *object) {
    const bool removal = strcmp(question->operation, "DELETE") == 0;
    const json_t *old = question->old_object;
    add_object(buf, "object", removal ? NULL : object);
    add_object(buf, "oldObject", removal && old == NULL ? object : old);
}

/* May the object be sent to a namespace that it does not name? */
static bool is_sent_anywhere(const struct fx_subject *subject) {
    return subject->namespace_.len == 0 &&
           !fx_kind_is_cluster_scoped(subject->group, subject->kind);
}

/* The namespace of the request. For a Namespace, API servers send its own name. */
static struct fx_text namespace_of(const struct fx_question *question,
                                   const struct fx_subject *subject) {
    if (subject->is_namespace) {
        return subject->name;
    }
    return question->namespace_ != NULL && is_sent_anywhere(subject)
               ? fx_text_of(question->namespace_)
               : subject->namespace_;
}

bool fx_question_lacks_namespace(const struct fx_question *question,
                                 const json_t *object) {
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    return question->namespace_ == NULL && is_sent_anywhere(&subject);
}

static void write_request(struct fx_buf *buf, const struct fx_question *question,
                          const json_t *object) {
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    fx_buf_str(buf,
               "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\","
               "\"request\":{\"uid\":\"" UID "\"");
    add_key(buf, "kind");
    fx_buf_str(buf, "{\"group\":");
    fx_json_write_string(buf, subject.group, FX_JSON_COMPACT);
    add_text(buf, "version", subject.version);
    add_text(buf, "kind", subject.kind);
    fx_buf_char(buf, '}');
    add_resource(buf, &subject);
    add_text(buf, "name", subject.name);
    add_text(buf, "namespace", namespace_of(question, &subject));
    add_text(buf, "operation", fx_text_of(question->operation));
    add_user(buf, question);
    add_objects(buf, question, object);
    add_options(buf, question);
    fx_buf_str(buf, "}}");
}

/* ---- the answer ------------------------------------------------------------------ */

#define NS_IN_MS UINT64_C(1000000)

uint64_t fx_answer_deadline(uint64_t timeout_ms) {
    return fx_clock_ns() + (timeout_ms == 0 ? FX_LIMIT_OBJECT_MS : timeout_ms) * NS_IN_MS;
}

/* Adds to the message how to extend the deadline. Returns false. */
static bool fail_late(struct fx_err *err) {
    struct fx_err late = *err;
    return fx_fail(err, FX_EDEADLINE, "%s (--timeout sets how long it may take)",
                   late.msg);
}

static bool read_result(struct fx_answer *answer, json_t *object, struct fx_err *err) {
    const struct fx_review_result *result = answer->result;
    if (result->failure != NULL) {
        *err = *result->failure;
        return err->code == FX_EDEADLINE ? fail_late(err) : false;
    }
    if (result->status != 200) {
        return fx_fail(err, FX_EINTERNAL, "the review ended with HTTP status %u",
                       result->status);
    }
    answer->patch = result->patch;
    json_t *mutated = json_incref(object);
    if (result->patch != NULL && !fx_patch_apply(result->patch, &mutated, err)) {
        json_decref(mutated);
        return false;
    }
    answer->object = mutated;
    return true;
}

bool fx_answer_run(struct fx_review *review, struct fx_provider_loop *providers,
                   struct fx_err *err) {
    uint64_t deadline_ns = 0; /* no deadline */
    while (fx_review_run(review) == FX_REVIEW_WANTS_INPUTS) {
        if (!fx_provider_loop_run(providers, fx_review_inputs(review, &deadline_ns),
                                  err)) {
            return false;
        }
    }
    return true;
}

/* Casts const away: fx_namespaces_look_up_input() only reads. */
void *fx_question_find_user(const struct fx_question *question) {
    const union {
        const struct fx_namespaces *in;
        void *out;
    } namespaces = {.in = question->namespaces};
    return namespaces.out;
}

bool fx_answer_ask(const struct fx_question *question, json_t *object,
                   struct fx_answer *ret_answer, struct fx_err *err) {
    const struct fx_admission admission = {
        .on_error = FX_ON_ERROR_DENY,
        .trace = question->trace,
        .find_input = fx_namespaces_look_up_input,
        .user = fx_question_find_user(question),
        .schemas = question->schemas,
        .variables = question->variables,
        .roles = question->roles,
        .cluster_roles = question->cluster_roles,
    };
    struct fx_buf *request = &ret_answer->request;
    fx_buf_init(request, 0);
    write_request(request, question, object);
    if (request->failed) {
        return fx_fail_nomem(err);
    }
    ret_answer->review = fx_review_create(&admission, question->snapshot,
                                          (struct fx_text){request->data, request->len},
                                          fx_answer_deadline(question->timeout_ms));
    if (ret_answer->review == NULL) {
        return fx_fail_nomem(err);
    }
    if (!fx_answer_run(ret_answer->review, question->providers, err)) {
        return false;
    }
    ret_answer->result = fx_review_result(ret_answer->review);
    return read_result(ret_answer, object, err);
}

/* ---- resultants ------------------------------------------------------------------ */

/* Finds the Namespace of the object, or the object itself if it is a Namespace.
 * Cluster-scoped objects have none. */
static bool find_own_namespace(const struct fx_question *question,
                               const struct fx_subject *subject,
                               struct fx_resultant *resultant, struct fx_err *err) {
    const struct fx_text name = namespace_of(question, subject);
    if (name.len == 0 || subject->is_namespace) {
        return true;
    }
    resultant->mutation.namespace_ = name;
    resultant->namespace_object = fx_namespaces_find(question->namespaces, name);
    return resultant->namespace_object != NULL || fx_fail_nomem(err);
}

/* Fetches the inputs that are missing. */
static bool fetch_inputs(const struct fx_question *question,
                         struct fx_resultant *resultant, struct fx_err *err) {
    fx_inputs_look_up(&resultant->inputs, fx_namespaces_look_up_input,
                      fx_question_find_user(question));
    return fx_provider_loop_run(question->providers, &resultant->inputs, err);
}

/* Begins the mutation, again if rules request more inputs. */
static bool begin_mutation(const struct fx_question *question,
                           struct fx_resultant *resultant, struct fx_err *err) {
    const struct fx_mutation given = resultant->mutation;
    while (!fx_mutation_begin(&resultant->mutation, err)) {
        if (err->code != FX_EINPUT) {
            return false;
        }
        fx_err_reset(err);
        fx_mutation_finish(&resultant->mutation);
        resultant->mutation = given;
        if (!fetch_inputs(question, resultant, err)) {
            return false;
        }
    }
    return true;
}

static bool mutate(const struct fx_question *question, struct fx_resultant *resultant,
                   struct fx_err *err) {
    struct fx_budget budget = {
        .bound = {.deadline_ns = fx_answer_deadline(question->timeout_ms)}};
    fx_budget_swap(&budget);
    const bool ok = begin_mutation(question, resultant, err) &&
                    fetch_inputs(question, resultant, err) &&
                    fx_mutation_end(&resultant->mutation, err);
    fx_budget_swap(&budget);
    if (budget.exceeded == FX_EXCEEDED_NOTHING) {
        return ok;
    }
    if (ok || err->code != FX_EDEADLINE) {
        (void)fx_fail(err, FX_EDEADLINE, "deadline exceeded");
    }
    return fail_late(err);
}

bool fx_answer_generate(const struct fx_question *question, json_t *object,
                        struct fx_answer *ret_answer, struct fx_err *err) {
    struct fx_resultant *resultant = calloc(1, sizeof *resultant);
    if (resultant == NULL) {
        return fx_fail_nomem(err);
    }
    ret_answer->resultant = resultant;
    fx_arena_init(&resultant->arena, FX_LIMIT_ARENA_BYTES);
    fx_inputs_init(&resultant->inputs, NULL, 0);
    fx_uuid_make(resultant->mutation_id);
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    if (!find_own_namespace(question, &subject, resultant, err)) {
        return false;
    }
    resultant->mutation = (struct fx_mutation){
        .snapshot = question->snapshot,
        .namespace_ = resultant->mutation.namespace_,
        .object = object,
        .inputs = &resultant->inputs,
        .arena = &resultant->arena,
        .trace = question->trace,
        .request =
            {
                .operation = FX_OPERATION_NONE,
                .source = FX_SOURCE_GENERATED,
                .source_text = FX_TEXT("Generated"),
                .namespace_object = resultant->namespace_object,
                .schemas = question->schemas,
                .mutation_id = resultant->mutation_id,
            },
    };
    if (!mutate(question, resultant, err)) {
        return false;
    }
    ret_answer->object = json_incref(resultant->mutation.result);
    ret_answer->patch =
        resultant->mutation.outcome.mutated ? &resultant->mutation.patch : NULL;
    return true;
}
