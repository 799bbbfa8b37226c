/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/compilation.c - collecting what a policy yields and what its author should hear.
 */
#include "engine/dialect.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"

void fx_compilation_finish(struct fx_compilation *compilation) {
    if (compilation == NULL) {
        return;
    }
    for (size_t i = 0; i < compilation->n_mutators; i++) {
        fx_mutator_unref(compilation->mutators[i]);
    }
    for (size_t i = 0; i < compilation->n_resources; i++) {
        fx_resource_unref(compilation->resources[i]);
    }
    for (size_t i = 0; i < compilation->n_warnings; i++) {
        free(compilation->warnings[i].text);
    }
    for (size_t i = 0; i < compilation->n_faults; i++) {
        free(compilation->faults[i].text);
    }
    free(compilation->faults);
    free(compilation->mutators);
    free(compilation->resources);
    free(compilation->warnings);
    *compilation = (struct fx_compilation){0};
}

bool fx_compilation_add_take(struct fx_compilation *compilation,
                             struct fx_mutator *mutator) {
    if (compilation->n_mutators == compilation->cap_mutators &&
        !fx_vec_grown(&compilation->mutators, compilation->n_mutators,
                      &compilation->cap_mutators, sizeof(void *))) {
        fx_mutator_unref(mutator);
        return false;
    }
    compilation->mutators[compilation->n_mutators++] = mutator;
    return true;
}

bool fx_compilation_add_resource_take(struct fx_compilation *compilation,
                                      struct fx_resource *resource) {
    if (!FX_VEC_GROW(compilation->resources, compilation->n_resources,
                     compilation->cap_resources)) {
        fx_resource_unref(resource);
        return false;
    }
    compilation->resources[compilation->n_resources++] = resource;
    return true;
}

/* The words as a text of their own; NULL without memory. */
FX_PRINTF(1, 0)
static char *print(const char *fmt, va_list args) {
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, fmt, args);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text != NULL) {
        (void)vsnprintf(text, (size_t)length + 1, fmt, again);
    }
    va_end(again);
    return text;
}

bool fx_compilation_warn(struct fx_compilation *compilation, const json_t *node,
                         const char *fmt, ...) {
    if (!FX_VEC_GROW(compilation->warnings, compilation->n_warnings,
                     compilation->cap_warnings)) {
        return false;
    }
    va_list args;
    va_start(args, fmt);
    char *text = print(fmt, args);
    va_end(args);
    if (text == NULL) {
        return false;
    }
    compilation->warnings[compilation->n_warnings++] = (struct fx_warning){node, text};
    return true;
}

bool fx_compilation_fault(struct fx_compilation *compilation, const json_t *node,
                          const struct fx_err *span, const char *fmt, ...) {
    if (!FX_VEC_GROW(compilation->faults, compilation->n_faults,
                     compilation->cap_faults)) {
        return false;
    }
    va_list args;
    va_start(args, fmt);
    char *text = print(fmt, args);
    va_end(args);
    if (text == NULL) {
        return false;
    }
    compilation->faults[compilation->n_faults++] = (struct fx_fault){
        .node = node,
        .off = span == NULL ? 0 : span->off,
        .len = span == NULL ? 0 : span->len,
        .text = text,
    };
    return true;
}

struct fx_text fx_policy_namespace(const struct fx_subject *policy) {
    return policy->namespace_.len > 0 ? policy->namespace_ : FX_TEXT("default");
}
