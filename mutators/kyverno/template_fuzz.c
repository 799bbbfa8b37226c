/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kyverno/template_fuzz.c - the names of a query and a rule with variables, with
 * a line break between them. The rule compiles and is evaluated twice with the same
 * result; a rule without variables is its own value.
 */
#include <assert.h>
#include <stdint.h>

#include "base/budget.h"
#include "location/jmespath/scope_testing.h"
#include "mutators/kyverno/template.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_UNITS  (1u << 20)
#define ARENA_BYTES ((size_t)64 << 20)

static bool count(void *context, const struct fx_jmespath *query) {
    size_t *n = context;
    *n += fx_jmespath_is_deterministic(query) ? 0 : 1;
    return true;
}

static json_t *eval(const struct kyverno_template *compiled, json_t *names,
                    enum fx_code *ret_code) {
    const struct fx_jmespath_scope scope = jmespath_scope_of(names);
    struct fx_err err = FX_ERR_INIT;
    json_t *tree;
    const struct fx_bound bound = fx_budget_narrow(MOST_UNITS, 0);
    const bool ok = fx_kyverno_template_eval(compiled, NULL, &scope, &tree, &err);
    (void)fx_budget_widen(bound);
    assert(ok == (tree != NULL));
    assert(ok ||
           (err.msg[0] != '\0' &&
            (err.code == FX_EMUTATE || err.code == FX_ELIMIT || err.code == FX_ENOMEM)));
    *ret_code = ok ? FX_OK : err.code;
    return tree;
}

static void check(const struct kyverno_template *compiled, json_t *names) {
    enum fx_code codes[2];
    size_t n_random = 0;
    (void)fx_kyverno_template_visit(compiled, count, &n_random);
    json_t *first = eval(compiled, names, &codes[0]);
    json_t *again = eval(compiled, names, &codes[1]);
    if (n_random == 0 && codes[0] != FX_ELIMIT && codes[1] != FX_ELIMIT) {
        assert(codes[0] == codes[1]);
    }
    json_decref(first);
    json_decref(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_text rest = {(const char *)data, size};
    json_t *names = fx_json_read(fx_text_cut(&rest, '\n'), NULL, &err);
    json_t *rule = fx_json_read(rest, NULL, &err);
    if (json_is_object(names) && json_is_object(rule)) {
        struct fx_arena arena;
        fx_arena_init(&arena, ARENA_BYTES);
        const struct kyverno_template_compile with = {
            .document = rule, .arena = &arena, .err = &err};
        struct kyverno_template *compiled =
            fx_kyverno_template_compile(&with, rule, NULL);
        if (compiled != NULL) {
            assert(fx_kyverno_template_constant(compiled) == NULL ||
                   fx_kyverno_template_constant(compiled) == rule);
            check(compiled, names);
        }
        fx_kyverno_template_finish(compiled);
        fx_arena_finish(&arena);
    }
    json_decref(names);
    json_decref(rule);
    return 0;
}
