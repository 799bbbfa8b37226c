/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/compilation.c - collects the results of compiling a policy, and the warnings.
 */
#include "engine/dialect.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/vec.h"
#include "value/marks.h"
#include "value/tree.h"

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
        free(compilation->faults[i].brief);
    }
    if (compilation->linkable != NULL) {
        compilation->linkable->destroy(compilation->linkable);
    }
    free(compilation->faults);
    free(compilation->mutators);
    free(compilation->resources);
    free(compilation->warnings);
    *compilation = (struct fx_compilation){0};
}

bool fx_compilation_add_take(struct fx_compilation *compilation,
                             struct fx_mutator *mutator) {
    if (!fx_mutator_derive_access(mutator) ||
        (compilation->n_mutators == compilation->cap_mutators &&
         !fx_vec_grown(&compilation->mutators, compilation->n_mutators,
                       &compilation->cap_mutators, sizeof(void *)))) {
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

bool fx_compilation_warn(struct fx_compilation *compilation, const json_t *node,
                         const char *fmt, ...) {
    if (compilation->n_warnings == FX_LIMIT_FINDINGS) {
        compilation->n_more_warnings++;
        return true;
    }
    if (!FX_VEC_GROW(compilation->warnings, compilation->n_warnings,
                     compilation->cap_warnings)) {
        return false;
    }
    struct fx_buf message;
    va_list args;
    fx_buf_init(&message, 0);
    va_start(args, fmt);
    fx_buf_vprintf(&message, fmt, args);
    va_end(args);
    char *text = fx_buf_steal(&message);
    fx_buf_finish(&message);
    if (text == NULL) {
        return false;
    }
    compilation->warnings[compilation->n_warnings++] = (struct fx_warning){node, text};
    return true;
}

bool fx_compilation_fault(struct fx_compilation *compilation,
                          const struct fx_fault *fault, struct fx_text message) {
    if (compilation->n_faults == FX_LIMIT_FINDINGS) {
        compilation->n_more_faults++;
        return true;
    }
    if (!FX_VEC_GROW(compilation->faults, compilation->n_faults,
                     compilation->cap_faults)) {
        return false;
    }
    char *text = fx_text_dup(message);
    char *brief = fault->brief == NULL ? NULL : fx_text_dup(fx_text_of(fault->brief));
    if (text == NULL || (fault->brief != NULL && brief == NULL)) {
        free(text);
        free(brief);
        return false;
    }
    struct fx_fault *added = &compilation->faults[compilation->n_faults++];
    *added = *fault;
    added->text = text;
    added->brief = brief;
    return true;
}

/* ---- the message of a fault -------------------------------------------------------- */

const char *fx_fault_type_name(enum fx_fault_type type) {
    static const char *const names[] = {
#define X(name, text) [FX_FAULT_##name] = text,
        FX_FAULT_TYPES(X)
#undef X
    };
    return names[type];
}

struct fx_text fx_fault_field(const struct fx_fault *fault) {
    return (struct fx_text){fault->text, fault->field_len};
}

static void print_place(struct fx_buf *buf, const struct fx_fault *fault) {
    const struct fx_text text = fx_tree_text(fault->node);
    struct fx_position position = fx_position_start(text);
    if (fault->len == 0 || fault->tells_place || text.data == NULL) {
        return;
    }
    fx_position_advance(&position, text, fault->off);
    fx_buf_str(buf, " (at ");
    if (fx_text_contains(text, FX_TEXT("\n"))) {
        fx_buf_printf(buf, "line %" PRIu32 ", ", position.line);
    }
    fx_buf_printf(buf, "character %" PRIu32 ")", position.column);
}

void fx_fault_print(struct fx_buf *buf, const struct fx_fault *fault) {
    const size_t field = fault->field_len == 0 ? 0 : fault->field_len + strlen(": ");
    fx_buf_str(buf, fault->text + field);
    print_place(buf, fault);
}

struct fx_text fx_policy_namespace(const struct fx_subject *policy) {
    return policy->namespace_.len > 0 ? policy->namespace_ : FX_TEXT("default");
}

/* ---- settings -------------------------------------------------------------------- */

void fx_dialect_settings_set(struct fx_dialect_settings *settings, const char *name,
                             const char *value) {
    size_t at = 0;
    while (at < settings->n_items && strcmp(settings->items[at].name, name) != 0) {
        at++;
    }
    assert(at < FX_DIALECT_SETTINGS_MAX);
    settings->items[at].name = name;
    settings->items[at].value = value;
    settings->n_items = at == settings->n_items ? at + 1 : settings->n_items;
}

const char *fx_dialect_settings_get(const struct fx_dialect_settings *settings,
                                    const char *name) {
    for (size_t i = 0; settings != NULL && i < settings->n_items; i++) {
        if (strcmp(settings->items[i].name, name) == 0) {
            return settings->items[i].value;
        }
    }
    return NULL;
}
