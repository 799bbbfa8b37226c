/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/exception.c - compiles a PolicyException (spec/kyverno.md section 16).
 */
#include <stdlib.h>

#include "limits.h"
#include "policy.h"
#include "reading.h"
#include "value/tree.h"

static const char *const spec_fields[] = {"background", "exceptions",  "match",
                                          "conditions", "podSecurity", NULL};
static const char *const excepted_fields[] = {"policyName", "ruleNames", NULL};

static void destroy_exception(struct fx_linkable *self) {
    struct kyverno_exception *exception = (struct kyverno_exception *)self;
    fx_kyverno_match_finish(&exception->match);
    fx_kyverno_preconditions_finish(exception->conditions);
    fx_arena_finish(&exception->arena);
    json_decref(exception->document);
    free(exception);
}

static bool read_excepted(const struct kyverno_reading *reading, const json_t *spec,
                          struct kyverno_exception *exception) {
    json_t *list = NULL;
    if (!fx_kyverno_read_objects(reading, spec, "spec", "exceptions", &list)) {
        return false;
    }
    const size_t n = json_array_size(list);
    if (n == 0) {
        return fx_kyverno_refuse(reading, spec, "spec.exceptions: Required value");
    }
    exception->excepted = fx_arena_alloc(reading->arena, n * sizeof *exception->excepted);
    if (exception->excepted == NULL) {
        return fx_fail_nomem(reading->err);
    }
    for (size_t i = 0; i < n; i++) {
        const json_t *node = json_array_get(list, i);
        struct kyverno_excepted *one = &exception->excepted[i];
        if (!fx_kyverno_warn_unknown(reading, node, "spec.exceptions", excepted_fields) ||
            !fx_kyverno_read_text(reading, node, "spec.exceptions", "policyName",
                                  &one->policy) ||
            !fx_kyverno_read_texts(reading, node, "spec.exceptions", "ruleNames",
                                   &one->rules)) {
            return false;
        }
    }
    exception->n_excepted = n;
    return true;
}

static bool read_match(const struct kyverno_reading *reading, const json_t *spec,
                       struct kyverno_exception *exception) {
    json_t *match = NULL;
    if (!fx_kyverno_read_object(reading, spec, "spec", "match", &match)) {
        return false;
    }
    if (match == NULL) {
        return fx_kyverno_refuse(reading, spec, "spec.match: Required value");
    }
    return fx_kyverno_match_read(reading, match, "spec.match", &exception->match);
}

static bool read_spec(const struct kyverno_reading *reading,
                      struct kyverno_exception *exception) {
    const struct kyverno_path spec_path = {.key = FX_TEXT("spec")};
    const struct kyverno_path path = {.above = &spec_path, .key = FX_TEXT("conditions")};
    const struct kyverno_template_compile with = {
        .document = exception->document, .arena = reading->arena, .err = reading->err};
    json_t *spec = NULL;
    if (!fx_kyverno_read_object(reading, exception->document, "", "spec", &spec)) {
        return false;
    }
    if (spec == NULL) {
        return fx_kyverno_refuse(reading, NULL, "spec: Required value");
    }
    return fx_kyverno_warn_unknown(reading, spec, "spec", spec_fields) &&
           read_excepted(reading, spec, exception) &&
           read_match(reading, spec, exception) &&
           fx_kyverno_preconditions_compile(&with, fx_tree_view_key(spec, "conditions"),
                                            &path, &exception->conditions);
}

/* Do exceptions of this namespace count? */
static bool is_allowed(const struct fx_dialect_settings *settings,
                       struct fx_text namespace_) {
    const char *allowed = fx_dialect_settings_get(settings, KYVERNO_EXCEPTIONS_SETTING);
    return allowed != NULL &&
           (fx_text_is(fx_text_of(allowed), "*") || fx_text_is(namespace_, allowed));
}

bool fx_kyverno_exception_compile(json_t *document,
                                  struct fx_compilation *ret_compilation,
                                  struct fx_err *err) {
    struct kyverno_exception *exception = calloc(1, sizeof *exception);
    struct fx_subject subject;
    if (exception == NULL) {
        return fx_fail_nomem(err);
    }
    exception->head.destroy = destroy_exception;
    exception->document = json_incref(document);
    fx_arena_init(&exception->arena, KYVERNO_POLICY_ARENA_BYTES);
    fx_subject_read(document, &subject);
    exception->is_allowed =
        is_allowed(ret_compilation->settings, fx_policy_namespace(&subject));
    const struct kyverno_reading reading = {ret_compilation, &exception->arena, document,
                                            err};
    bool ok = read_spec(&reading, exception);
    if (ok && !exception->is_allowed &&
        !fx_compilation_warn(ret_compilation, NULL,
                             "exceptions of this namespace do not count: see "
                             "--" KYVERNO_EXCEPTIONS_SETTING)) {
        ok = fx_fail_nomem(err);
    }
    if (!ok) {
        destroy_exception(&exception->head);
        return false;
    }
    ret_compilation->linkable = &exception->head;
    return true;
}
