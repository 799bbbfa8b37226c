/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/input_test.c - sets of inputs, and rules that ask for inputs while the loop
 * runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "base/budget.h"
#include "base/limits.h"
#include "engine/converge.h"
#include "engine/fake_mutator.h"
#include "engine/input.h"

static struct fx_input_key config_map(const char *name) {
    struct fx_input_key key = fx_input_core_key("ConfigMap", fx_text_of(name));
    key.namespace_ = FX_TEXT("shop");
    return key;
}

static struct fx_err failure_of(enum fx_code code, const char *text) {
    struct fx_err err = FX_ERR_INIT;
    (void)fx_fail(&err, code, "%s", text);
    return err;
}

/* ---- sets ------------------------------------------------------------------------ */

static void keys_are_compared(void **state) {
    (void)state;
    json_t *spec = fake_json("{\"user\":\"bob\"}");
    json_t *equal_spec = fake_json("{\"user\":\"bob\"}");
    json_t *other_spec = fake_json("{\"user\":\"eve\"}");
    const struct fx_input_key keys[] = {
        config_map("a"),
        config_map("b"),
        fx_input_core_key("ConfigMap", FX_TEXT("a")),
        fx_input_core_key("Secret", FX_TEXT("a")),
        {.type = FX_INPUT_OBJECT,
         .group = FX_TEXT("x.dev"),
         .version = FX_TEXT("v1"),
         .kind = FX_TEXT("Secret"),
         .name = FX_TEXT("a")},
        {.type = FX_INPUT_OBJECT,
         .group = FX_TEXT("x.dev"),
         .version = FX_TEXT("v2"),
         .kind = FX_TEXT("Secret"),
         .name = FX_TEXT("a")},
        {.type = FX_INPUT_ACCESS, .spec = spec},
        {.type = FX_INPUT_ACCESS, .spec = other_spec},
        {.type = FX_INPUT_CALL, .body = FX_TEXT("a")},
        {.type = FX_INPUT_CALL, .body = FX_TEXT("b")},
    };
    struct fx_input_entry *entries[FX_COUNT(keys)];
    struct fx_inputs inputs;
    struct fx_err err = FX_ERR_INIT;
    fx_inputs_init(&inputs, NULL, 0);
    for (size_t i = 0; i < FX_COUNT(keys); i++) {
        assert_null(fx_inputs_find(&inputs, &keys[i]));
        entries[i] = fx_inputs_add(&inputs, &keys[i], &err);
        assert_non_null(entries[i]);
        assert_int_equal(inputs.n_entries, i + 1);
    }
    for (size_t i = 0; i < FX_COUNT(keys); i++) {
        assert_ptr_equal(fx_inputs_find(&inputs, &keys[i]), entries[i]);
        assert_ptr_equal(fx_inputs_add(&inputs, &keys[i], &err), entries[i]);
    }
    const struct fx_input_key equal = {.type = FX_INPUT_ACCESS, .spec = equal_spec};
    assert_ptr_equal(fx_inputs_find(&inputs, &equal), entries[6]);
    assert_null(fx_inputs_find(NULL, &equal));
    fx_inputs_finish(&inputs);
    json_decref(spec);
    json_decref(equal_spec);
    json_decref(other_spec);
}

static void labels_are_a_part(void **state) {
    (void)state;
    struct fx_inputs inputs;
    struct fx_err err = FX_ERR_INIT;
    const struct fx_input_key whole = fx_input_core_key("Namespace", FX_TEXT("shop"));
    struct fx_input_key labels = whole;
    labels.labels_only = true;
    fx_inputs_init(&inputs, NULL, 0);
    struct fx_input_entry *entry = fx_inputs_add(&inputs, &labels, &err);
    assert_null(fx_inputs_find(&inputs, &whole));
    assert_ptr_equal(fx_inputs_add(&inputs, &whole, &err), entry); /* not looked up yet */
    assert_false(entry->key.labels_only);
    assert_ptr_equal(fx_inputs_find(&inputs, &labels), entry);
    fx_inputs_finish(&inputs);

    fx_inputs_init(&inputs, NULL, 0);
    json_t *object = json_object();
    assert_true(fx_inputs_put(&inputs, &labels, object));
    json_decref(object);
    assert_null(fx_inputs_find(&inputs, &whole));
    assert_ptr_not_equal(fx_inputs_add(&inputs, &whole, &err), inputs.first);
    assert_int_equal(inputs.n_entries, 2);
    fx_inputs_finish(&inputs);
}

/* What find() below answers by the name of an object. */
static enum fx_lookup find(void *user, const struct fx_input_key *key, json_t **ret_value,
                           struct fx_err *err) {
    unsigned *n_calls = user;
    ++*n_calls;
    if (fx_text_is(key->name, "here")) {
        *ret_value = json_string("value");
        return FX_LOOKUP_FOUND;
    }
    if (fx_text_is(key->name, "later")) {
        return FX_LOOKUP_WAIT;
    }
    (void)fx_fail(err, fx_text_is(key->name, "absent") ? FX_EMUTATE : FX_EIO, "no");
    return FX_LOOKUP_FAILED;
}

static void inputs_are_looked_up(void **state) {
    (void)state;
    static const struct {
        const char *name;
        enum fx_input_state state;
    } cases[] = {{"here", FX_INPUT_GIVEN},
                 {"later", FX_INPUT_AWAITED},
                 {"absent", FX_INPUT_ABSENT},
                 {"broken", FX_INPUT_FAILED}};
    const struct fx_input_key call = {.type = FX_INPUT_CALL, .body = FX_TEXT("b")};
    struct fx_input_entry *entries[FX_COUNT(cases)];
    struct fx_inputs inputs;
    struct fx_err err = FX_ERR_INIT;
    unsigned n_calls = 0;
    fx_inputs_init(&inputs, NULL, 0);
    assert_false(fx_inputs_are_missing(&inputs));
    assert_false(fx_inputs_are_missing(NULL));
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const struct fx_input_key key = config_map(cases[i].name);
        entries[i] = fx_inputs_add(&inputs, &key, &err);
    }
    const struct fx_input_entry *call_entry = fx_inputs_add(&inputs, &call, &err);
    assert_true(fx_inputs_are_missing(&inputs));
    fx_inputs_look_up(&inputs, find, &n_calls);
    fx_inputs_look_up(&inputs, find, &n_calls); /* nothing is looked up twice */
    assert_int_equal(n_calls, FX_COUNT(cases));
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        assert_int_equal(entries[i]->state, cases[i].state);
    }
    assert_int_equal(call_entry->state, FX_INPUT_AWAITED);
    assert_false(fx_input_fail(entries[2], &err));
    assert_int_equal(err.code, FX_EMUTATE);
    assert_string_equal(err.msg, "no");
    fx_inputs_finish(&inputs);
}

static void nobody_knows_anything(void **state) {
    (void)state;
    const struct fx_input_key object = config_map("a");
    json_t *spec = json_object();
    const struct fx_input_key access = {.type = FX_INPUT_ACCESS, .spec = spec};
    struct fx_inputs inputs;
    struct fx_err err = FX_ERR_INIT;
    json_t *value = NULL;
    fx_inputs_init(&inputs, NULL, 0);
    assert_non_null(fx_inputs_add(&inputs, &object, &err));
    assert_non_null(fx_inputs_add(&inputs, &access, &err));
    fx_inputs_look_up(&inputs, NULL, NULL);
    assert_false(fx_inputs_are_missing(&inputs));
    assert_true(fx_inputs_read(&inputs, &object, &value, &err) && value == NULL);
    assert_false(fx_inputs_read(&inputs, &access, &value, &err));
    assert_string_equal(err.msg, "no access review can be made here");
    fx_inputs_finish(&inputs);
    json_decref(spec);
}

/* ---- reading --------------------------------------------------------------------- */

static void failures_are_those_of_the_rule(void **state) {
    (void)state;
    static const struct {
        enum fx_code code, read;
    } cases[] = {{FX_EIO, FX_EMUTATE},
                 {FX_EINTERNAL, FX_EMUTATE},
                 {FX_ENOMEM, FX_ENOMEM},
                 {FX_EDEADLINE, FX_EDEADLINE}};
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const struct fx_input_key key = config_map("a");
        const struct fx_err failure = failure_of(cases[i].code, "reason");
        struct fx_inputs inputs;
        struct fx_err err = FX_ERR_INIT;
        json_t *value = NULL;
        fx_inputs_init(&inputs, NULL, 0);
        fx_inputs_give(fx_inputs_add(&inputs, &key, &err), NULL, &failure);
        assert_false(fx_inputs_read(&inputs, &key, &value, &err));
        assert_int_equal(err.code, cases[i].read);
        assert_string_equal(err.msg, "reason");
        fx_inputs_finish(&inputs);
    }
}

static void sets_are_bounded(void **state) {
    (void)state;
    struct fx_inputs inputs;
    struct fx_err err = FX_ERR_INIT;
    json_t *value = NULL;
    fx_inputs_init(&inputs, NULL, 0);
    for (unsigned i = 0; i < FX_LIMIT_INPUTS; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "%u", i);
        const struct fx_input_key key = config_map(name);
        assert_false(fx_inputs_read(&inputs, &key, &value, &err));
        assert_int_equal(err.code, FX_EINPUT);
    }
    const struct fx_input_key more = config_map("more");
    assert_false(fx_inputs_read(&inputs, &more, &value, &err));
    assert_int_equal(err.code, FX_EMUTATE);
    assert_string_equal(err.msg, "more than 1024 inputs are needed");
    fx_inputs_finish(&inputs);

    fx_inputs_init(&inputs, NULL, 0);
    inputs.n_rounds = FX_LIMIT_INPUT_ROUNDS;
    assert_false(fx_inputs_read(&inputs, &more, &value, &err));
    assert_int_equal(err.code, FX_EMUTATE);
    assert_string_equal(err.msg, "inputs are needed in more than 8 rounds");
    fx_inputs_finish(&inputs);

    assert_false(fx_inputs_read(NULL, &more, &value, &err));
    assert_int_equal(err.code, FX_EMUTATE);
    assert_string_equal(err.msg, "an input is needed that cannot be fetched here");
}

static enum fx_lookup find_a(void *user, const struct fx_input_key *key,
                             json_t **ret_value, struct fx_err *err) {
    ++*(unsigned *)user;
    if (fx_text_is(key->name, "a")) {
        *ret_value = json_string("found");
        return FX_LOOKUP_FOUND;
    }
    (void)fx_fail(err, FX_EMUTATE, "there is none");
    return FX_LOOKUP_FAILED;
}

static void a_caller_that_never_waits_looks_up_at_once(void **state) {
    (void)state;
    unsigned n_lookups = 0;
    struct fx_inputs inputs = {.find = find_a, .user = &n_lookups};
    struct fx_err err = FX_ERR_INIT;
    json_t *value = NULL;
    const struct fx_input_key a = config_map("a");
    const struct fx_input_key b = config_map("b");
    fx_inputs_clear(&inputs);
    for (int i = 0; i < 2; i++) { /* the second time from the set */
        assert_true(fx_inputs_read(&inputs, &a, &value, &err));
        assert_string_equal(json_string_value(value), "found");
        assert_true(fx_inputs_read(&inputs, &b, &value, &err));
        assert_null(value);
    }
    assert_int_equal(n_lookups, 2);
    fx_inputs_clear(&inputs);
    assert_null(fx_inputs_find(&inputs, &a));
    assert_true(fx_inputs_read(&inputs, &a, &value, &err));
    assert_int_equal(n_lookups, 3);
    fx_inputs_finish(&inputs);
}

static void work_is_paid_for(void **state) {
    (void)state;
    struct fx_inputs inputs;
    struct fx_err err = FX_ERR_INIT;
    json_t *value = NULL;
    const struct fx_input_key a = config_map("a");
    fx_inputs_init(&inputs, NULL, 0);
    assert_true(fx_inputs_put(&inputs, &a, json_null()));
    struct fx_budget budget = {.spent = 1, .bound = {.units = 1}};
    fx_budget_swap(&budget);
    assert_false(fx_inputs_read(&inputs, &a, &value, &err));
    fx_budget_swap(&budget);
    assert_int_equal(err.code, FX_ELIMIT);
    fx_inputs_finish(&inputs);
}

/* ---- rules that ask -------------------------------------------------------------- */

/* A rule that asks for the ConfigMap `first`, then for the one that this one names, and
 * so on, and writes the last name into root[name of the rule]. It writes a part of the
 * object before it asks. */
struct asking {
    struct fx_mutator head;
    const char *first;
    bool asks_in_match;
};

static bool follow(const struct asking *asking, const struct fx_request *request,
                   struct fx_text *ret_last, struct fx_err *err) {
    struct fx_text name = fx_text_of(asking->first);
    while (name.len > 0) {
        struct fx_input_key key = config_map("");
        json_t *value = NULL;
        key.name = *ret_last = name;
        if (!fx_inputs_read(request->inputs, &key, &value, err)) {
            return false;
        }
        name = fx_tree_text(value);
    }
    return true;
}

static bool asking_match(const struct fx_mutator *self, const struct fx_request *request,
                         const struct fx_subject *subject, struct fx_verdict *ret_verdict,
                         struct fx_err *err) {
    const struct asking *asking = (const struct asking *)self;
    struct fx_text last = {0};
    (void)subject;
    ret_verdict->matched = true;
    return !asking->asks_in_match || follow(asking, request, &last, err);
}

static bool asking_apply(const struct fx_mutator *self, const struct fx_request *request,
                         json_t **root, struct fx_effect *ret_effect,
                         struct fx_err *err) {
    struct fx_text last = {0};
    const struct fx_text name = fx_text_of(self->name);
    json_t *own = fx_tree_own_root(root);
    assert_non_null(own);
    if (fx_tree_view_text(own, name) == NULL) {
        assert_true(fx_tree_set_take(own, name, json_string("half")));
    }
    if (!follow((const struct asking *)self, request, &last, err)) {
        return false;
    }
    *ret_effect = (struct fx_effect){
        .applied = true,
        .changed = !fx_text_equal(fx_tree_text(fx_tree_view_text(own, name)), last),
    };
    assert_true(fx_tree_set_take(own, name, fx_tree_new_string(last)));
    return true;
}

static const struct fx_input asked[] = {{.type = FX_INPUT_OBJECT}};

static struct fx_mutator *make_asking(const char *name, const char *first,
                                      bool asks_in_match) {
    static const struct fx_mutator_ops ops = {
        .match = asking_match, .apply = asking_apply, .destroy = fake_destroy};
    struct asking *asking = calloc(1, sizeof *asking);
    assert_non_null(asking);
    assert_true(fx_mutator_init(&asking->head, &ops, FX_TEXT("test.dev"),
                                FX_TEXT("Asking"), fx_text_of(name), NULL));
    asking->first = first;
    asking->asks_in_match = asks_in_match;
    asking->head.inputs = asked;
    asking->head.n_inputs = 1;
    return &asking->head;
}

struct loop {
    struct fx_snapshot *snapshot;
    struct fx_inputs inputs;
    struct fx_arena arena;
    json_t *object, *root;
    struct fx_err err;
};

static void start_loop(struct loop *loop, struct fx_mutator *const *mutators,
                       size_t n_mutators) {
    struct fx_err err = FX_ERR_INIT;
    const struct fx_snapshot_parts parts = {.mutators = mutators,
                                            .n_mutators = n_mutators};
    *loop = (struct loop){.object = fake_json("{\"kind\":\"Pod\"}")};
    assert_true(fx_snapshot_build(&parts, 1, &loop->snapshot, &err));
    for (size_t i = 0; i < n_mutators; i++) {
        fx_mutator_unref(mutators[i]);
    }
    fx_arena_init(&loop->arena, 1u << 20);
    fx_inputs_init(&loop->inputs, NULL, 0);
}

static bool run_loop(struct loop *loop) {
    const struct fx_request request = {.operation = FX_OPERATION_CREATE,
                                       .collects_stats = true,
                                       .inputs = &loop->inputs};
    struct fx_outcome outcome;
    json_decref(loop->root);
    loop->root = json_incref(loop->object);
    loop->err = FX_ERR_INIT;
    const bool ok = fx_converge(loop->snapshot, &request, &loop->arena, NULL, &loop->root,
                                &outcome, &loop->err);
    fx_outcome_finish(&outcome);
    return ok;
}

static void end_loop(struct loop *loop) {
    json_decref(loop->object);
    json_decref(loop->root);
    fx_inputs_finish(&loop->inputs);
    fx_arena_finish(&loop->arena);
    fx_snapshot_unref(loop->snapshot);
}

/* Expects that exactly these ConfigMaps are wanted, and gives each: the name of the next.
 */
static void give(struct loop *loop, const char *const *names, const char *const *nexts,
                 size_t n) {
    size_t i = 0;
    for (struct fx_input_entry *entry = loop->inputs.first; entry != NULL;
         entry = entry->next) {
        if (entry->state != FX_INPUT_WANTED) {
            continue;
        }
        assert_true(i < n);
        assert_true(fx_text_is(entry->key.name, names[i]));
        fx_inputs_give(entry, json_string(nexts[i++]), NULL);
    }
    assert_int_equal(i, n);
}

static void expect_text(const json_t *root, const char *key, const char *value) {
    assert_string_equal(json_string_value(fx_tree_view_key(root, key)), value);
}

/* All rules of a pass ask in one round; what one of them needs next, in the next. */
static void rules_ask_in_rounds(void **state) {
    (void)state;
    struct fx_mutator *const rules[] = {make_asking("a", "a1", false),
                                        make_asking("b", "b1", true),
                                        make_asking("c", "a1", true)};
    struct loop loop;
    start_loop(&loop, rules, FX_COUNT(rules));
    json_t *before = json_deep_copy(loop.object);
    assert_false(run_loop(&loop));
    assert_int_equal(loop.err.code, FX_EINPUT);
    assert_int_equal(loop.inputs.n_rounds, 1);
    give(&loop, (const char *[]){"a1", "b1"}, (const char *[]){"a2", ""}, 2);
    assert_false(run_loop(&loop));
    assert_int_equal(loop.err.code, FX_EINPUT);
    give(&loop, (const char *[]){"a2"}, (const char *[]){""}, 1);
    assert_true(run_loop(&loop));
    assert_int_equal(loop.inputs.n_rounds, 2);
    expect_text(loop.root, "a", "a2");
    expect_text(loop.root, "b", "b1");
    expect_text(loop.root, "c", "a2");
    assert_true(json_equal(loop.object, before));
    json_decref(before);
    end_loop(&loop);
}

/* A rule that fails since another waits does not fail the review yet. */
static void failures_wait_for_inputs(void **state) {
    (void)state;
    const struct fake_plan plan = {.name = "z", .apply_error = "broken"};
    struct fake *failing = fake_create(&plan);
    struct fx_mutator *const rules[] = {make_asking("a", "a1", true), &failing->head};
    struct loop loop;
    start_loop(&loop, rules, FX_COUNT(rules));
    assert_false(run_loop(&loop));
    assert_int_equal(loop.err.code, FX_EINPUT);
    give(&loop, (const char *[]){"a1"}, (const char *[]){""}, 1);
    assert_false(run_loop(&loop));
    assert_int_equal(loop.err.code, FX_EMUTATE);
    assert_non_null(strstr(loop.err.msg, "broken"));
    end_loop(&loop);
}

/* A rule that never has enough fails. */
static void rounds_are_bounded(void **state) {
    (void)state;
    struct fx_mutator *const rules[] = {make_asking("a", "0", true)};
    struct loop loop;
    start_loop(&loop, rules, FX_COUNT(rules));
    for (unsigned i = 0; i < FX_LIMIT_INPUT_ROUNDS; i++) {
        char name[16];
        char next[16];
        (void)snprintf(name, sizeof name, "%u", i);
        (void)snprintf(next, sizeof next, "%u", i + 1);
        assert_false(run_loop(&loop));
        assert_int_equal(loop.err.code, FX_EINPUT);
        give(&loop, (const char *[]){name}, (const char *[]){next}, 1);
    }
    assert_false(run_loop(&loop));
    assert_int_equal(loop.err.code, FX_EMUTATE);
    assert_non_null(strstr(loop.err.msg, "inputs are needed in more than 8 rounds"));
    end_loop(&loop);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_compared),
        cmocka_unit_test(labels_are_a_part),
        cmocka_unit_test(inputs_are_looked_up),
        cmocka_unit_test(nobody_knows_anything),
        cmocka_unit_test(failures_are_those_of_the_rule),
        cmocka_unit_test(sets_are_bounded),
        cmocka_unit_test(a_caller_that_never_waits_looks_up_at_once),
        cmocka_unit_test(work_is_paid_for),
        cmocka_unit_test(rules_ask_in_rounds),
        cmocka_unit_test(failures_wait_for_inputs),
        cmocka_unit_test(rounds_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
