/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/admit_fuzz.c - any bytes are answered by the webhooks that never pause, with
 * a review that allows or says why not, or with a sentence. What a Binding names can go
 * into a path.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "admission/admit.h"
#include "base/dns_name.h"
#include "value/json.h"
#include "value/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A policy that is denied with its faults has some. */
static void check_causes(const json_t *details) {
    const json_t *causes = fx_tree_view_key(details, "causes");
    size_t index = 0;
    const json_t *cause = NULL;
    assert(details == NULL || json_array_size(causes) > 0);
    json_array_foreach (causes, index, cause) {
        assert(fx_tree_view_string(cause, "reason").len > 0);
        assert(fx_tree_view_string(cause, "message").len > 0);
    }
}

static void check_response(struct fx_text body, enum fx_decision decision) {
    struct fx_err err = FX_ERR_INIT;
    json_t *answered = fx_json_read(body, NULL, &err);
    assert(answered != NULL);
    const json_t *response = fx_tree_view_key(answered, "response");
    const json_t *allowed = fx_tree_view_key(response, "allowed");
    const json_t *status = fx_tree_view_key(response, "status");
    assert(json_is_boolean(allowed));
    assert(json_is_true(allowed) == (decision != FX_DECISION_FAILED));
    assert(json_is_true(allowed) || fx_tree_view_string(status, "message").len > 0);
    check_causes(fx_tree_view_key(status, "details"));
    json_decref(answered);
}

static void check_binding(const struct fx_review *review) {
    const struct fx_pod_binding *binding = fx_binding_view(review);
    assert(binding == NULL ||
           (fx_dns_is_subdomain(binding->namespace_) &&
            fx_dns_is_subdomain(binding->pod) && fx_dns_is_subdomain(binding->node)));
}

static void check(struct fx_review *review) {
    assert(review != NULL);
    const enum fx_review_state state = fx_review_run(review);
    assert(state == FX_REVIEW_DONE);
    const struct fx_review_result *result = fx_review_result(review);
    assert(result->decision != FX_DECISION_BROKEN && result->body->len > 0);
    if (result->status == 200) {
        check_response((struct fx_text){result->body->data, result->body->len},
                       result->decision);
    }
    check_binding(review);
    fx_review_destroy(review);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct fx_admission admission = {.own_namespace = "fixpoint"};
    static const char *const names[] = {"free"};
    static const struct fx_exemptions exempt = {.names = names, .n_names = 1};
    const struct fx_text text = {(const char *)data, size};
    check(fx_admit_create(&admission, text, 0));
    check(fx_guard_create(fx_guard_find(FX_TEXT("/v1/admitlabel")), &exempt, text, 0));
    check(fx_binding_create(text, 0));
    check(fx_defaults_create(text, 0));
    return 0;
}
