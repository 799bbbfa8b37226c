/* SPDX-License-Identifier: Apache-2.0
 *
 * webhook.c - sends an object through fx_review in an AdmissionReview, and reads the
 * response as an API server reads it.
 */
#include <string.h>

#include "admission/review.h"
#include "answer.h"
#include "base/limits.h"
#include "value/json.h"
#include "value/patch.h"
#include "value/tree.h"
#include "webhook.h"

/* ---- the request ----------------------------------------------------------------- */

/* Finds a namespace. The only one of the cluster is that of the row. */
static enum fx_lookup find_input(void *user, const struct fx_input_key *key,
                                 json_t **ret_object, struct fx_err *err) {
    json_t *row = user;
    json_t *object = fx_tree_view_key(row, "namespace");
    const json_t *metadata = fx_tree_view_key(object, "metadata");
    if (!fx_text_equal(fx_tree_view_string(metadata, "name"), key->name)) {
        (void)fx_fail(err, FX_EIO, "no namespace `%.*s`", FX_TEXT_ARG(key->name));
        return FX_LOOKUP_FAILED;
    }
    *ret_object = json_incref(object);
    return FX_LOOKUP_FOUND;
}

static const char *string_or(const json_t *object, const char *key,
                             const char *otherwise) {
    const char *string = json_string_value(fx_tree_view_key(object, key));
    return string != NULL ? string : otherwise;
}

static json_t *make_review(json_t *row) {
    json_t *object = fx_tree_view_key(row, "object");
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    json_t *kind = json_pack(
        "{s:o, s:o, s:o}", "group", fx_tree_new_string(subject.group), "version",
        fx_tree_new_string(subject.version), "kind", fx_tree_new_string(subject.kind));
    json_t *request =
        json_pack("{s:s, s:o, s:s, s:s, s:{s:s}, s:O}", "uid", FX_CASE_UID, "kind", kind,
                  "operation", string_or(row, "operation", "CREATE"), "namespace",
                  string_or(row, "requestNamespace", ""), "userInfo", "username",
                  string_or(row, "username", "system:admin"), "object", object);
    return json_pack("{s:s, s:s, s:o}", "apiVersion", "admission.k8s.io/v1", "kind",
                     "AdmissionReview", "request", request);
}

/* ---- the response ---------------------------------------------------------------- */

static int base64_digit(char c) {
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c != '\0' ? strchr(digits, c) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

/* Decodes base64 (RFC 4648 section 4) up to the padding. */
static bool decode_base64(struct fx_buf *bytes, struct fx_text text) {
    unsigned bits = 0;
    unsigned n_bits = 0;
    for (size_t i = 0; i < text.len && text.data[i] != '='; i++) {
        const int digit = base64_digit(text.data[i]);
        if (digit < 0) {
            return false;
        }
        bits = (bits << 6 | (unsigned)digit) & 0xFFFF;
        n_bits += 6;
        if (n_bits >= 8) {
            n_bits -= 8;
            fx_buf_char(bytes, (char)(bits >> n_bits & 0xFF));
        }
    }
    return !bytes->failed;
}

/* Returns the operations of the response's patch; NULL if it is not a patch. */
static json_t *read_patch(const json_t *response, struct fx_err *err) {
    struct fx_buf bytes;
    fx_buf_init(&bytes, 0);
    json_t *operations = NULL;
    if (!fx_text_is(fx_tree_view_string(response, "patchType"), "JSONPatch")) {
        (void)fx_fail(err, FX_EINVALID, "a patch without its type");
    } else if (!decode_base64(&bytes, fx_tree_view_string(response, "patch"))) {
        (void)fx_fail(err, FX_EINVALID, "a patch that is not base64");
    } else {
        operations = fx_json_read((struct fx_text){bytes.data, bytes.len}, NULL, err);
    }
    fx_buf_finish(&bytes);
    return operations;
}

static bool patch_object(json_t *object, json_t *operations, json_t **ret_object,
                         struct fx_err *err) {
    struct fx_arena arena;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    struct fx_patch patch;
    fx_patch_init(&patch, &arena);
    json_t *patched = json_incref(object);
    const bool ok =
        fx_patch_parse(&patch, operations, err) && fx_patch_apply(&patch, &patched, err);
    if (ok) {
        *ret_object = patched;
    } else {
        json_decref(patched);
    }
    fx_arena_finish(&arena);
    return ok;
}

bool fx_case_read_patched(json_t *object, const json_t *response,
                          struct fx_case_answer *ret_answer, struct fx_err *err) {
    if (fx_tree_view_key(response, "patch") == NULL) {
        *ret_answer = (struct fx_case_answer){.object = json_incref(object)};
        return true;
    }
    json_t *operations = read_patch(response, err);
    const bool ok =
        operations != NULL && patch_object(object, operations, &ret_answer->object, err);
    ret_answer->mutated = ok;
    json_decref(operations);
    return ok;
}

static bool read_response(json_t *row, const json_t *response,
                          struct fx_case_answer *ret_answer, struct fx_err *err) {
    if (!fx_text_is(fx_tree_view_string(response, "uid"), FX_CASE_UID)) {
        return fx_fail(err, FX_EINVALID, "the response has another uid");
    }
    if (!json_is_true(fx_tree_view_key(response, "allowed"))) {
        const struct fx_text words =
            fx_tree_view_string(fx_tree_view_key(response, "status"), "message");
        return fx_fail(err, FX_EMUTATE, "%.*s", FX_TEXT_ARG(words));
    }
    return fx_case_read_patched(fx_tree_view_key(row, "object"), response, ret_answer,
                                err);
}

/* ---- both ------------------------------------------------------------------------ */

static bool answer_body(json_t *row, struct fx_snapshot *snapshot, struct fx_text body,
                        struct fx_case_answer *ret_answer, struct fx_err *err) {
    const struct fx_admission admission = {
        .on_error = FX_ON_ERROR_DENY,
        .own_namespace = "gatekeeper-system",
        .find_input = find_input,
        .user = row,
    };
    struct fx_review *review = fx_review_create(&admission, snapshot, body, 0);
    if (review == NULL) {
        return fx_fail_nomem(err);
    }
    const enum fx_review_state state = fx_review_run(review);
    const struct fx_review_result *result = fx_review_result(review);
    json_t *answer = NULL;
    bool ok = false;
    if (state != FX_REVIEW_DONE || result->status != 200) {
        (void)fx_fail(err, FX_EINVALID, "HTTP status %u", result->status);
    } else {
        answer = fx_json_read((struct fx_text){result->body->data, result->body->len},
                              NULL, err);
        ok = answer != NULL &&
             read_response(row, fx_tree_view_key(answer, "response"), ret_answer, err);
    }
    json_decref(answer);
    fx_review_destroy(review);
    return ok;
}

bool fx_case_review_object(json_t *row, struct fx_snapshot *snapshot,
                           struct fx_case_answer *ret_answer, struct fx_err *err) {
    json_t *review = make_review(row);
    struct fx_buf body;
    fx_buf_init(&body, 0);
    if (review != NULL) {
        fx_json_write(&body, review, FX_JSON_COMPACT);
    }
    const bool ok =
        review == NULL || body.failed
            ? fx_fail_nomem(err)
            : answer_body(row, snapshot, (struct fx_text){body.data, body.len},
                          ret_answer, err);
    fx_buf_finish(&body);
    json_decref(review);
    return ok;
}
