/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/match_fuzz.c - any JSON as match, applyTo, object and namespace:
 * compiling and evaluating never crashes, a refusal has a message, and objects that the
 * index may skip do not match.
 */
#include <assert.h>
#include <stdint.h>

#include "mutators/gatekeeper/match.h"
#include "value/json.h"
#include "value/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_among(const struct fx_text *names, size_t n, struct fx_text name) {
    for (size_t i = 0; i < n; i++) {
        if (fx_text_equal(names[i], name)) {
            return true;
        }
    }
    return false;
}

static void ask_match(const json_t *match_node, enum fx_match_syntax syntax,
                      const struct fx_request *request,
                      const struct fx_subject *subject) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_match *match = NULL;
    if (!fx_match_compile(match_node, syntax, &match, &err)) {
        assert(err.code == FX_EINVALID && err.node != NULL && err.msg[0] != '\0');
        return;
    }
    assert(fx_match_check(match, &err) || (err.code == FX_EMUTATE && err.node != NULL));
    struct fx_verdict verdict = {false, NULL};
    size_t n = 0;
    const struct fx_text *names = fx_match_exact_namespaces(match, &n);
    const struct fx_text namespace_ = fx_subject_namespace(subject, request);
    const bool ok = fx_match_eval(match, request, subject, &verdict, &err);
    assert(ok ? verdict.matched == (verdict.criterion == NULL)
              : err.code == FX_EMUTATE && err.msg[0] != '\0');
    if (n > 0 && namespace_.data != NULL && !is_among(names, n, namespace_)) {
        assert(ok && !verdict.matched);
    }
    fx_match_destroy(match);
}

static bool is_bound(const struct fx_apply_to *apply_to, const struct fx_request *request,
                     const struct fx_subject *subject) {
    size_t n = 0;
    const struct fx_binding *bindings = fx_apply_to_bindings(apply_to, &n);
    for (size_t i = 0; i < n; i++) {
        if (fx_text_equal(bindings[i].group, subject->group) &&
            fx_text_equal(bindings[i].version, subject->version) &&
            fx_text_equal(bindings[i].kind, subject->kind) &&
            (request->operation == FX_OPERATION_NONE
                 ? bindings[i].no_operation
                 : (bindings[i].operations & FX_OPERATION_BIT(request->operation)) !=
                       0)) {
            return true;
        }
    }
    return false;
}

static void ask_apply_to(const json_t *node, const struct fx_request *request,
                         const struct fx_subject *subject) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_apply_to *apply_to = NULL;
    if (!fx_apply_to_compile(node, "Assign", FX_TEXT("a"), &apply_to, &err)) {
        assert(err.code != FX_OK && err.msg[0] != '\0');
        return;
    }
    assert(fx_apply_to_holds(apply_to, request, subject) ==
           is_bound(apply_to, request, subject));
    fx_apply_to_destroy(apply_to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_err err = FX_ERR_INIT;
    const struct fx_text text = {(const char *)data, size};
    json_t *input = fx_json_read(text, NULL, &err);
    if (input == NULL) {
        return 0;
    }
    const struct fx_text source = fx_tree_view_string(input, "sourceType");
    const struct fx_request request = {
        .operation = fx_operation_parse(fx_tree_view_string(input, "operation")),
        .source = fx_source_parse(source),
        .source_text = source,
        .namespace_object = fx_tree_view_key(input, "namespace"),
    };
    struct fx_subject subject;
    fx_subject_read(fx_tree_view_key(input, "object"), &subject);
    const json_t *match = fx_tree_view_key(input, "match");
    ask_match(match, FX_MATCH_GATEKEEPER, &request, &subject);
    ask_match(match, FX_MATCH_EXTENDED, &request, &subject);
    ask_apply_to(fx_tree_view_key(input, "applyTo"), &request, &subject);
    json_decref(input);
    return 0;
}
