/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/decode.c - reads the body as an AdmissionReview. Absent and null are the
 * same, as in Go. A value of a wrong type is refused.
 */
#include "admission/steps.h"

/* Reads the text of a field, which is empty if the field is absent. `path` is the field's
 * path for the message. */
static bool read_text(const struct fx_field *field, const char *path,
                      struct fx_text *ret_text, struct fx_err *err) {
    if (field->is_there && field->type != JSON_STRING) {
        return fx_fail(err, FX_EINVALID, "`%s` must be a string", path);
    }
    *ret_text = field->text;
    return true;
}

static bool check_object(const struct fx_field *field, const char *path,
                         struct fx_err *err) {
    return !field->is_there || field->type == JSON_OBJECT ||
           fx_fail(err, FX_EINVALID, "`%s` must be an object", path);
}

static bool read_flag(const struct fx_field *field, const char *path, bool *ret_flag,
                      struct fx_err *err) {
    const bool is_true = field->is_there && field->type == JSON_TRUE;
    if (field->is_there && !is_true && field->type != JSON_FALSE) {
        return fx_fail(err, FX_EINVALID, "`%s` must be a boolean", path);
    }
    *ret_flag = is_true;
    return true;
}

static bool check_envelope(struct fx_review *review) {
    static const char *const versions[] = {"admission.k8s.io/v1",
                                           "admission.k8s.io/v1beta1"};
    const struct fx_envelope *envelope = &review->envelope;
    if (!fx_text_is(envelope->kind.text, "AdmissionReview")) {
        return fx_fail(&review->err, FX_EINVALID, "the body is not an AdmissionReview");
    }
    const struct fx_text version = envelope->api_version.text;
    for (size_t i = 0; i < FX_COUNT(versions); i++) {
        if (fx_text_is(version, versions[i])) {
            review->api_version = version;
            return true;
        }
    }
    return fx_fail(&review->err, FX_EINVALID, "`apiVersion` must be %s or %s",
                   versions[0], versions[1]);
}

/* Reads the fields that the log and the steps of gate.c need. */
static bool read_facts(struct fx_review *review) {
    const struct fx_request_fields *from = &review->envelope.of_request;
    struct fx_review_result *facts = &review->result;
    struct fx_err *err = &review->err;
    if (!read_text(&from->uid, "request.uid", &facts->uid, err) ||
        !read_text(&from->operation, "request.operation", &facts->operation, err) ||
        !read_text(&from->namespace_, "request.namespace", &facts->namespace_, err) ||
        !read_text(&from->name, "request.name", &facts->name, err) ||
        !read_flag(&from->dry_run, "request.dryRun", &facts->dry_run, err) ||
        !check_object(&from->kind, "request.kind", err) ||
        !read_text(&from->of_kind.group, "request.kind.group", &facts->group, err) ||
        !read_text(&from->of_kind.version, "request.kind.version", &facts->version,
                   err) ||
        !read_text(&from->of_kind.kind, "request.kind.kind", &facts->kind, err) ||
        !check_object(&from->user_info, "request.userInfo", err) ||
        !read_text(&from->username, "request.userInfo.username", &facts->username, err)) {
        return false;
    }
    return facts->uid.len > 0 || fx_fail(err, FX_EINVALID, "`request.uid` is missing");
}

static bool read_request(struct fx_review *review) {
    const struct fx_request_fields *from = &review->envelope.of_request;
    if (!review->envelope.request.is_there ||
        review->envelope.request.type != JSON_OBJECT) {
        return fx_fail(&review->err, FX_EINVALID, "the AdmissionReview has no `request`");
    }
    if (!read_facts(review) ||
        !read_text(&from->subresource, "request.subResource", &review->subresource,
                   &review->err) ||
        !check_object(&from->object, "request.object", &review->err) ||
        !check_object(&from->old_object, "request.oldObject", &review->err)) {
        return false;
    }
    review->object = from->object.node;
    review->old_object = from->old_object.node;
    review->request.operation = fx_operation_parse(review->result.operation);
    review->request.source = FX_SOURCE_ORIGINAL;
    review->request.user_info = from->user_info.node;
    review->request.old_object = review->old_object;
    review->request.admission = from->whole;
    review->request.uid = review->result.uid;
    return true;
}

/* Reads the AdmissionReview. With partial decoding, it reads little else of the object
 * than what mutators read. */
static bool read_envelope(struct fx_review *review) {
    const struct fx_envelope_options options = {
        .partial_decode = review->partial_decode,
        .reads_user = review->partial_decode && review->snapshot->reads_user,
        .reads_old_object = review->partial_decode && review->snapshot->reads_old_object,
        .reads_request = review->snapshot != NULL && review->snapshot->reads_request,
        .snapshot = review->partial_decode ? review->snapshot : NULL,
    };
    fx_envelope_finish(&review->envelope);
    return fx_envelope_read(&review->envelope, review->text, &options, &review->arena,
                            &review->err) ||
           (review->err.code == FX_ESYNTAX &&
            fx_err_prefix(&review->err, "the body is not JSON: "));
}

enum fx_next fx_step_decode(struct fx_review *review) {
    return read_envelope(review) && check_envelope(review) && read_request(review)
               ? FX_NEXT
               : fx_answer_refuse(review);
}

enum fx_next fx_step_object(struct fx_review *review) {
    if (review->object == NULL) {
        (void)fx_fail(&review->err, FX_EINVALID, "`request.%s` is missing",
                      review->request.only_validators ? "oldObject" : "object");
        return fx_answer_refuse(review);
    }
    return FX_NEXT;
}
