/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/causes.c - the list of causes of a step.
 */
#include "explain/causes.h"

/* Adds a cause to the step, if it does not have it. */
static bool add_cause(struct fx_arena *arena, struct fx_explain_field_step *step,
                      const struct fx_trace_cause *cause) {
    struct fx_explain_cause **end = &step->causes;
    while (*end != NULL && (*end)->cause != cause) {
        end = &(*end)->next;
    }
    if (*end != NULL) {
        return true;
    }
    *end = fx_arena_alloc(arena, sizeof **end);
    if (*end != NULL) {
        (*end)->cause = cause;
    }
    return *end != NULL;
}

bool fx_explain_causes_add(struct fx_arena *arena, struct fx_explain_field_step *step,
                           const struct fx_trace_change *change) {
    bool ok = true;
    for (const struct fx_trace_cause *cause = change->cause; ok && cause != NULL;
         cause = cause->next) {
        ok = add_cause(arena, step, cause);
    }
    return ok;
}

bool fx_explain_causes_copy(struct fx_arena *arena, struct fx_explain_field_step *step,
                            const struct fx_explain_cause *causes) {
    bool ok = true;
    for (; ok && causes != NULL; causes = causes->next) {
        ok = add_cause(arena, step, causes->cause);
    }
    return ok;
}
