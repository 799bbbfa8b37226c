/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/external_answer.c - what a provider answered, or why it did not: items by
 * key, or the message of the failure of the whole response (spec section 7).
 */
#include <assert.h>
#include <stdint.h>

#include "admission/external_internal.h"
#include "base/limits.h"
#include "value/json.h"

/* Keeps a copy of the message. */
static void keep_fault(struct fx_external_call *call, struct fx_arena *arena,
                       const char *text) {
    const char *copy = fx_arena_copy(arena, fx_text_of(text));
    call->lacks_memory = copy == NULL;
    call->fault = fx_text_of(copy);
}

static void keep_transport_fault(struct fx_external_call *call, struct fx_arena *arena,
                                 const char *prefix, const char *why) {
    struct fx_err err = FX_ERR_INIT;
    (void)fx_fail(&err, FX_EMUTATE,
                  "failed to send external data request to provider %s: %s%s",
                  call->provider->resource.name, prefix, why);
    keep_fault(call, arena, err.msg);
}

void fx_external_give(struct fx_external_call *call, struct fx_arena *arena,
                      struct fx_text body) {
    assert(!call->is_answered);
    call->is_answered = true;
    struct fx_err err = FX_ERR_INIT;
    if (body.len > FX_LIMIT_PROVIDER_BODY_BYTES) {
        (void)fx_fail(&err, FX_ELIMIT, "the response is larger than %u bytes",
                      FX_LIMIT_PROVIDER_BODY_BYTES);
    } else {
        json_t *root = fx_json_read(body, NULL, &err);
        call->items = root == NULL ? NULL
                                   : call->provider->protocol->read_answer(call->provider,
                                                                           root, &err);
        json_decref(root);
    }
    if (call->items != NULL) {
        return;
    }
    if (err.code == FX_ENOMEM) {
        call->lacks_memory = true;
    } else if (err.code == FX_EMUTATE) {
        keep_fault(call, arena, err.msg);
    } else {
        keep_transport_fault(call, arena,
                             "failed to unmarshal external data response: ", err.msg);
    }
}

void fx_external_fail(struct fx_external_call *call, struct fx_arena *arena,
                      const char *why) {
    assert(!call->is_answered);
    call->is_answered = true;
    keep_transport_fault(call, arena, "", why);
}
