/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/exception_read.c - compiles a PolicyException of Kyverno for
 * policies with CEL expressions (group policies.kyverno.io).
 */
#include <stdlib.h>

#include "base/limits.h"
#include "mutators/admission_policy/environment.h"
#include "mutators/admission_policy/policy_reading.h"
#include "value/tree.h"

static void destroy_exception(struct fx_linkable *self) {
    struct map_exception *exception = (struct map_exception *)self; /* its first member */
    fx_map_policy_finish(&exception->policy);
    free(exception);
}

static void read_reference(struct map_reading *reading, const json_t *node) {
    static const char *const known[] = {"kind", "name", NULL};
    static const char *const keys[] = {"kind", "name"};
    fx_map_warn_unknown(reading, node, known);
    for (size_t i = 0; i < FX_COUNT(keys); i++) {
        const json_t *text = fx_map_read_string(reading, node, keys[i]);
        if (fx_tree_text(text).len == 0 &&
            (text != NULL || fx_tree_view_key(node, keys[i]) == NULL)) {
            fx_map_require(reading, node, keys[i], NULL);
        }
    }
}

static void read_references(struct map_policy_reading *of,
                            struct map_exception *exception) {
    struct map_reading *reading = &of->reading;
    const json_t *list = fx_map_read_objects(reading, of->spec, "policyRefs");
    if (json_array_size(list) == 0) {
        fx_map_require(reading, of->spec, "policyRefs", NULL);
    }
    const size_t mark = fx_map_enter(reading, "policyRefs");
    for (size_t i = 0; i < json_array_size(list) && !reading->failed; i++) {
        const size_t at = fx_map_enter_index(reading, i);
        read_reference(reading, json_array_get(list, i));
        fx_map_leave(reading, at);
    }
    fx_map_leave(reading, mark);
    exception->references = list;
}

static void read_fields(struct map_policy_reading *of, struct map_exception *exception) {
    static const char *const known[] = {"policyRefs",    "matchConditions", "images",
                                        "allowedValues", "reportResult",    NULL};
    const size_t mark = fx_map_enter(&of->reading, "spec");
    fx_map_warn_unknown(&of->reading, of->spec, known);
    read_references(of, exception);
    fx_map_need(&of->reading, fx_map_env_init(of->policy));
    fx_map_read_conditions(of);
    exception->images = fx_map_read_strings(&of->reading, of->spec, "images");
    exception->values = fx_map_read_strings(&of->reading, of->spec, "allowedValues");
    fx_map_leave(&of->reading, mark);
}

static void read_document(struct map_policy_reading *of,
                          struct map_exception *exception) {
    static const char *const known[] = {"apiVersion", "kind",   "metadata",
                                        "spec",       "status", NULL};
    const json_t *document = of->policy->document;
    const json_t *given = fx_tree_view_key(document, "spec");
    fx_map_warn_unknown(&of->reading, document, known);
    of->spec = fx_map_read_object(&of->reading, document, "spec");
    if (of->spec != NULL) {
        read_fields(of, exception);
    } else if (given == NULL || json_is_null(given)) {
        fx_map_require(&of->reading, document, "spec", NULL);
    }
}

/* Do exceptions of this namespace count? */
static bool is_allowed(const struct fx_dialect_settings *settings,
                       struct fx_text namespace_) {
    const char *allowed = fx_dialect_settings_get(settings, MAP_EXCEPTIONS_SETTING);
    return allowed != NULL &&
           (fx_text_is(fx_text_of(allowed), "*") || fx_text_is(namespace_, allowed));
}

/* A user who may create exceptions could switch policies off: none counts unless the
 * operator says so. */
static void read_permission(struct map_policy_reading *of,
                            struct map_exception *exception) {
    struct fx_compilation *compilation = of->reading.compilation;
    struct fx_subject subject;
    fx_subject_read(of->policy->document, &subject);
    exception->is_allowed =
        is_allowed(compilation->settings, fx_policy_namespace(&subject));
    if (!exception->is_allowed) {
        fx_map_need(&of->reading,
                    fx_compilation_warn(compilation, NULL,
                                        "exceptions of this namespace do not count: see "
                                        "--" MAP_EXCEPTIONS_SETTING));
    }
}

bool fx_map_exception_compile(json_t *document, struct fx_compilation *ret_compilation,
                              struct fx_err *err) {
    struct map_exception *exception = calloc(1, sizeof *exception);
    if (exception == NULL) {
        return fx_fail_nomem(err);
    }
    struct map_policy_reading of = {.policy = &exception->policy};
    exception->head.destroy = destroy_exception;
    exception->policy.document = json_incref(document);
    exception->policy.is_kyverno = true;
    fx_arena_init(&exception->policy.arena, FX_LIMIT_CEL_PROGRAM_BYTES);
    ret_compilation->linkable = &exception->head;
    fx_map_reading_init(&of.reading, ret_compilation, "");
    read_document(&of, exception);
    read_permission(&of, exception);
    const bool ok = fx_map_reading_check(&of.reading, document, err);
    fx_map_reading_finish(&of.reading);
    return ok;
}
