/* SPDX-License-Identifier: Apache-2.0
 *
 * answer.c - an object in hand, through fx_mutate().
 */
#include "answer.h"

#include "admission/mutation.h"
#include "base/limits.h"
#include "circumstances.h"
#include "value/equal.h"
#include "value/tree.h"

void fx_case_answer_finish(struct fx_case_answer *answer) {
    if (answer != NULL) {
        json_decref(answer->object);
        *answer = (struct fx_case_answer){0};
    }
}

/* Does the patch make `result` of `object`? */
static bool patch_holds(const struct fx_patch *patch, json_t *object, json_t *result,
                        struct fx_err *err) {
    json_t *patched = json_incref(object);
    bool ok = fx_patch_apply(patch, &patched, err);
    if (ok && !fx_equal(patched, result)) {
        ok = fx_fail(err, FX_EINTERNAL, "the patch does not give the result");
    }
    json_decref(patched);
    return ok;
}

bool fx_case_mutate_object(json_t *row, const struct fx_snapshot *snapshot,
                           struct fx_case_answer *ret_answer, struct fx_err *err) {
    const struct fx_request request = fx_case_request(row);
    json_t *object = fx_tree_view_key(row, "object");
    struct fx_arena arena;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    json_t *result = NULL;
    struct fx_patch patch = {0};
    struct fx_outcome outcome = {0};
    bool ok = fx_mutate(snapshot, &request, (struct fx_text){0}, object, &arena, NULL,
                        &result, &patch, &outcome, err);
    ok = ok && patch_holds(&patch, object, result, err);
    if (ok) {
        *ret_answer = (struct fx_case_answer){result, outcome.mutated};
    } else {
        json_decref(result);
    }
    fx_arena_finish(&arena);
    return ok;
}
