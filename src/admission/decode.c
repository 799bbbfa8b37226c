/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/decode.c - the body as an AdmissionReview. Absent and null are the same, as
 * in Go; a value of another type is refused.
 */
#include "admission/steps.h"
#include "value/json.h"
#include "value/tree.h"

/* All but the object as it was and the options, for which no mutator asks; and of the
 * object what its mutators look at. */
static void want_part(struct fx_review *review) {
    struct fx_json_part *root = &review->wanted.root;
    struct fx_json_part *request = &review->wanted.request;
    struct fx_json_part *object = &review->wanted.object;
    struct fx_json_part *old_object = &review->wanted.old_object;
    struct fx_json_part *options = &review->wanted.options;
    *root = (struct fx_json_part){.first = request};
    *request = (struct fx_json_part){.key = FX_TEXT("request"), .first = object};
    *object = review->snapshot->reads.object;
    object->key = FX_TEXT("object");
    object->next = old_object;
    *old_object = (struct fx_json_part){
        .key = FX_TEXT("oldObject"), .is_omitted = true, .next = options};
    *options = (struct fx_json_part){.key = FX_TEXT("options"), .is_omitted = true};
}

/* parent[key] as text, empty where absent; `path` is the parent's, for the words. */
static bool read_text(const json_t *parent, const char *path, const char *key,
                      struct fx_text *ret_text, struct fx_err *err) {
    const json_t *node = fx_tree_view_key(parent, key);
    if (node != NULL && !json_is_string(node) && !json_is_null(node)) {
        return fx_fail(err, FX_EINVALID, "`%s.%s` must be a string", path, key);
    }
    *ret_text = fx_tree_text(node);
    return true;
}

/* request[key] as an object, NULL where absent. */
static bool read_object(const json_t *request, const char *key, json_t **ret_object,
                        struct fx_err *err) {
    json_t *node = fx_tree_view_key(request, key);
    if (node != NULL && !json_is_object(node) && !json_is_null(node)) {
        return fx_fail(err, FX_EINVALID, "`request.%s` must be an object", key);
    }
    *ret_object = json_is_object(node) ? node : NULL;
    return true;
}

static bool read_flag(const json_t *request, const char *key, bool *ret_flag,
                      struct fx_err *err) {
    const json_t *node = fx_tree_view_key(request, key);
    if (node != NULL && !json_is_boolean(node) && !json_is_null(node)) {
        return fx_fail(err, FX_EINVALID, "`request.%s` must be a boolean", key);
    }
    *ret_flag = json_is_true(node);
    return true;
}

static bool check_envelope(struct fx_review *review) {
    static const char *const versions[] = {"admission.k8s.io/v1",
                                           "admission.k8s.io/v1beta1"};
    const json_t *document = review->document;
    if (!fx_text_is(fx_tree_view_string(document, "kind"), "AdmissionReview")) {
        return fx_fail(&review->err, FX_EINVALID, "the body is no AdmissionReview");
    }
    const struct fx_text version = fx_tree_view_string(document, "apiVersion");
    for (size_t i = 0; i < FX_COUNT(versions); i++) {
        if (fx_text_is(version, versions[i])) {
            review->api_version = version;
            return true;
        }
    }
    return fx_fail(&review->err, FX_EINVALID, "`apiVersion` must be %s or %s",
                   versions[0], versions[1]);
}

/* What the log and the gates ask for. */
static bool read_facts(struct fx_review *review, const json_t *request) {
    struct fx_review_result *facts = &review->result;
    struct fx_err *err = &review->err;
    json_t *kind = NULL;
    json_t *user = NULL;
    if (!read_text(request, "request", "uid", &facts->uid, err) ||
        !read_text(request, "request", "operation", &facts->operation, err) ||
        !read_text(request, "request", "namespace", &facts->namespace_, err) ||
        !read_text(request, "request", "name", &facts->name, err) ||
        !read_flag(request, "dryRun", &facts->dry_run, err) ||
        !read_object(request, "kind", &kind, err) ||
        !read_text(kind, "request.kind", "group", &facts->group, err) ||
        !read_text(kind, "request.kind", "version", &facts->version, err) ||
        !read_text(kind, "request.kind", "kind", &facts->kind, err) ||
        !read_object(request, "userInfo", &user, err) ||
        !read_text(user, "request.userInfo", "username", &facts->username, err)) {
        return false;
    }
    if (facts->uid.len == 0) {
        return fx_fail(err, FX_EINVALID, "`request.uid` is missing");
    }
    review->request.user_info = user;
    return true;
}

static bool read_request(struct fx_review *review) {
    const json_t *request = fx_tree_view_key(review->document, "request");
    if (!json_is_object(request)) {
        return fx_fail(&review->err, FX_EINVALID, "the AdmissionReview has no `request`");
    }
    if (!read_facts(review, request) ||
        !read_object(request, "object", &review->object, &review->err) ||
        !read_object(request, "oldObject", &review->old_object, &review->err)) {
        return false;
    }
    review->request.operation = fx_operation_parse(review->result.operation);
    review->request.source = FX_SOURCE_ORIGINAL;
    review->request.old_object = review->old_object;
    review->request.review = request;
    return true;
}

enum fx_next fx_step_decode(struct fx_review *review) {
    if (review->skims) {
        want_part(review);
    }
    review->document = fx_json_read_part(
        review->text, review->skims ? &review->wanted.root : NULL, NULL, &review->err);
    if (review->document == NULL) {
        if (review->err.code == FX_ESYNTAX) {
            (void)fx_err_prefix(&review->err, "the body is no JSON: ");
        }
        return fx_answer_refuse(review);
    }
    if (!check_envelope(review) || !read_request(review)) {
        return fx_answer_refuse(review);
    }
    return FX_NEXT;
}

enum fx_next fx_step_object(struct fx_review *review) {
    if (review->object == NULL) {
        (void)fx_fail(&review->err, FX_EINVALID, "`request.object` is missing");
        return fx_answer_refuse(review);
    }
    return FX_NEXT;
}
