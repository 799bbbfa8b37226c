/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/mutator_test.c - the head of mutators: counting, order, names; and collecting
 * them in a compilation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/dialect.h"
#include "engine/fake_mutator.h"
#include "engine/policy_text.h"
#include "value/equal.h"

static unsigned n_destroyed;

static void count_and_destroy(struct fx_mutator *self) {
    n_destroyed++;
    fx_mutator_finish(self);
    free(self);
}

static struct fx_mutator *make(unsigned rank, const char *group, const char *kind,
                               const char *name, json_t *source) {
    static const struct fx_mutator_ops ops = {.destroy = count_and_destroy};
    struct fx_mutator *mutator = malloc(sizeof *mutator);
    assert_non_null(mutator);
    assert_true(fx_mutator_init(mutator, &ops, fx_text_of(group), fx_text_of(kind),
                                fx_text_of(name), source));
    mutator->rank = rank;
    return mutator;
}

static void counts(void **state) {
    (void)state;
    json_t *source = json_object();
    n_destroyed = 0;
    struct fx_mutator *mutator = make(0, "g", "K", "n", source);
    assert_int_equal(source->refcount, 1); /* it is written down */
    json_t *policy = fx_policy_text_read(mutator->policy);
    assert_true(fx_equal(policy, source));
    json_decref(policy);
    assert_ptr_equal(fx_mutator_ref(mutator), mutator);
    fx_mutator_unref(mutator);
    assert_int_equal(n_destroyed, 0);
    fx_mutator_unref(mutator);
    assert_int_equal(n_destroyed, 1);
    assert_int_equal(source->refcount, 1);
    fx_mutator_unref(NULL);
    json_decref(source);
}

/* Texts of a policy may have a NUL; only a length includes what follows it. */
static void has_a_namespace(void **state) {
    (void)state;
    const struct {
        struct fx_text namespace_;
        const char *full_name;
    } cases[] = {
        {FX_TEXT("ns"), "ns/n"},
        {FX_TEXT(""), "/n"},
        {FX_TEXT("a\0b"), "a"},
        {FX_TEXT("\0"), ""},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_mutator *mutator = make(0, "g", "K", "n", NULL);
        assert_string_equal(mutator->full_name, "n");
        assert_null(mutator->namespace_);
        assert_true(fx_mutator_set_namespace(mutator, cases[i].namespace_));
        assert_string_equal(mutator->full_name, cases[i].full_name);
        assert_string_equal(mutator->namespace_, cases[i].namespace_.data);
        assert_string_equal(mutator->name, "n");
        fx_mutator_unref(mutator);
    }
}

static void shares_its_policy(void **state) {
    (void)state;
    json_t *source = json_object();
    json_t *other = json_array();
    struct fx_policy_text *same = fx_policy_text_create(source);
    struct fx_policy_text *another = fx_policy_text_create(other);
    struct fx_mutator *mutator = make(0, "g", "K", "n", source);
    struct fx_mutator *without = make(0, "g", "K", "n", NULL);
    assert_ptr_not_equal(mutator->policy, same);
    fx_mutator_share_policy(mutator, same);
    fx_mutator_share_policy(mutator, same);
    fx_mutator_share_policy(mutator, another);
    fx_mutator_share_policy(without, same);
    assert_ptr_equal(mutator->policy, same);
    assert_null(without->policy);
    fx_policy_text_unref(same); /* the mutator's is one of its own */
    json_t *policy = fx_policy_text_read(mutator->policy);
    assert_true(fx_equal(policy, source));
    json_decref(policy);
    fx_mutator_unref(mutator);
    fx_mutator_unref(without);
    fx_policy_text_unref(another);
    json_decref(source);
    json_decref(other);
}

/* The order of a pass: each comes before the next. */
static void orders(void **state) {
    (void)state;
    struct fx_mutator *sorted[] = {
        make(0, "z", "Z", "z", NULL),           make(1, "a", "Assign", "B", NULL),
        make(1, "a", "Assign", "a", NULL),      make(1, "a", "Assign", "a-b", NULL),
        make(1, "a", "Assign", "a.b", NULL),    make(1, "a", "Assign", "a1", NULL),
        make(1, "a", "AssignImage", "a", NULL), make(1, "a", "AssignMetadata", "a", NULL),
        make(1, "a", "ModifySet", "a", NULL),   make(1, "b", "Assign", "a", NULL),
    };
    for (size_t i = 0; i < FX_COUNT(sorted); i++) {
        for (size_t k = 0; k < FX_COUNT(sorted); k++) {
            const int order = fx_mutator_compare(sorted[i], sorted[k]);
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
    }
    for (size_t i = 0; i < FX_COUNT(sorted); i++) {
        fx_mutator_unref(sorted[i]);
    }
}

static void compilations(void **state) {
    (void)state;
    struct fx_compilation compilation = {0};
    json_t *node = json_object();
    n_destroyed = 0;
    for (size_t i = 0; i < 20; i++) {
        assert_true(fx_compilation_add_take(&compilation, make(0, "g", "K", "n", NULL)));
        assert_true(fx_compilation_warn(&compilation, node, "unknown field `%s` %zu",
                                        "spec.x", i));
    }
    assert_int_equal(compilation.n_mutators, 20);
    assert_int_equal(compilation.n_warnings, 20);
    assert_string_equal(compilation.warnings[19].text, "unknown field `spec.x` 19");
    assert_ptr_equal(compilation.warnings[19].node, node);
    fx_compilation_finish(&compilation);
    assert_int_equal(n_destroyed, 20);
    fx_compilation_finish(&compilation);
    fx_compilation_finish(NULL);
    json_decref(node);
}

static void prints_ids(void **state) {
    (void)state;
    struct fx_buf buf;
    struct fx_mutator *mutator = make(1, "mutations.gatekeeper.sh", "Assign", "a", NULL);
    fx_buf_init(&buf, 0);
    fx_mutator_print_id(&buf, mutator);
    assert_string_equal(buf.data, "Assign.mutations.gatekeeper.sh /a");
    fx_buf_finish(&buf);
    fx_mutator_unref(mutator);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(has_a_namespace),
        cmocka_unit_test(shares_its_policy),
        cmocka_unit_test(orders),
        cmocka_unit_test(compilations),
        cmocka_unit_test(prints_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
