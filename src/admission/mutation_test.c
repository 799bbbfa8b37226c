/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/mutation_test.c - the namespace that comes and goes, the difference, and what
 * is never touched.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "admission/fakes.h"
#include "admission/mutation.h"
#include "value/equal.h"

/* What mutators saw as metadata.namespace. */
static char seen[64];

static bool look(const struct fx_request *request, json_t *root, struct fx_err *err,
                 bool *ret_changed) {
    (void)request;
    (void)err;
    const struct fx_text name =
        fx_tree_view_string(fx_tree_view_key(root, "metadata"), "namespace");
    assert_true(name.len < sizeof seen);
    memcpy(seen, name.data == NULL ? "" : name.data, name.len);
    seen[name.len] = '\0';
    *ret_changed = false;
    return true;
}

/* Sets metadata.labels.a, and makes what is missing above it. */
static bool set_label(const struct fx_request *request, json_t *root, struct fx_err *err,
                      bool *ret_changed) {
    (void)request;
    (void)err;
    json_t *metadata = fx_tree_view_key(root, "metadata");
    if (fx_tree_view_key(fx_tree_view_key(metadata, "labels"), "a") != NULL) {
        return true;
    }
    if (metadata == NULL) {
        assert_true(fx_tree_set_take(root, FX_TEXT("metadata"), json_object()));
        metadata = fx_tree_view_key(root, "metadata");
    }
    *ret_changed = true;
    return fx_tree_set_take(metadata, FX_TEXT("labels"), json_pack("{s:s}", "a", "b"));
}

/* Overwrites the namespace itself: such a change must not get out. */
static bool set_namespace(const struct fx_request *request, json_t *root,
                          struct fx_err *err, bool *ret_changed) {
    (void)request;
    (void)err;
    json_t *metadata = fx_tree_view_key(root, "metadata");
    *ret_changed = !fx_text_is(fx_tree_view_string(metadata, "namespace"), "other");
    return !*ret_changed ||
           fx_tree_set_take(metadata, FX_TEXT("namespace"), json_string("other"));
}

/* Takes metadata away altogether, as no dialect does. */
static bool drop_metadata(const struct fx_request *request, json_t *root,
                          struct fx_err *err, bool *ret_changed) {
    (void)request;
    (void)err;
    *ret_changed = fx_tree_view_key(root, "metadata") != NULL;
    fx_tree_remove_key(root, FX_TEXT("metadata"));
    return true;
}

static const struct {
    const char *about, *object, *namespace_;
    fake_edit *edit;
    const char *seen, *patch;
} cases[] = {
    {"the same namespace", "{\"metadata\":{\"namespace\":\"n\"}}", "n", look, "n", "[]"},
    {"none in the object", "{\"metadata\":{\"name\":\"x\"}}", "n", look, "n", "[]"},
    {"another one", "{\"metadata\":{\"namespace\":\"m\"}}", "n", look, "n", "[]"},
    {"one that is no string", "{\"metadata\":{\"namespace\":5}}", "n", look, "n", "[]"},
    {"no metadata", "{\"spec\":{}}", "n", look, "n", "[]"},
    {"no namespace asked for", "{\"metadata\":{\"namespace\":\"m\"}}", "", look, "m",
     "[]"},
    {"metadata that is no object", "{\"metadata\":null}", "n", look, "", "[]"},
    {"a label beside a namespace that goes", "{\"metadata\":{\"name\":\"x\"}}", "n",
     set_label, "",
     "[{\"op\":\"add\",\"path\":\"/metadata/labels\",\"value\":{\"a\":\"b\"}}]"},
    {"a label in metadata that was made", "{\"spec\":{}}", "n", set_label, "",
     "[{\"op\":\"add\",\"path\":\"/metadata\",\"value\":{\"labels\":{\"a\":\"b\"}}}]"},
    {"a label beside a namespace that comes back", "{\"metadata\":{\"namespace\":\"m\"}}",
     "n", set_label, "",
     "[{\"op\":\"add\",\"path\":\"/metadata/labels\",\"value\":{\"a\":\"b\"}}]"},
    {"a namespace that a mutator wrote", "{\"metadata\":{\"namespace\":\"m\"}}", "n",
     set_namespace, "", "[]"},
    {"the same where it was entered", "{\"metadata\":{}}", "n", set_namespace, "", "[]"},
    {"metadata taken away with the namespace in it",
     "{\"metadata\":{\"namespace\":\"n\"},\"spec\":1}", "n", drop_metadata, "", "[]"},
};

/* A mutation, and what it needs. */
struct mutation_run {
    struct fx_arena arena;
    struct fx_inputs inputs;
    struct fx_mutation mutation;
    struct fx_snapshot *snapshot;
    struct fx_err err;
    json_t *object;
};

static bool run_mutation(struct mutation_run *run, const char *object,
                         const char *namespace_, fake_edit *edit, bool spends) {
    *run = (struct mutation_run){.object = json_loads(object, 0, NULL),
                                 .snapshot = fake_snapshot(&edit, 1)};
    assert_non_null(run->object);
    fx_arena_init(&run->arena, 1u << 20);
    fx_inputs_init(&run->inputs, NULL, 0);
    seen[0] = '\0';
    run->mutation = (struct fx_mutation){
        .snapshot = run->snapshot,
        .request = {.operation = FX_OPERATION_CREATE,
                    .source = FX_SOURCE_ORIGINAL,
                    .mutation_id = "id"},
        .namespace_ = fx_text_of(namespace_),
        .object = run->object,
        .spent = spends ? &run->object : NULL,
        .inputs = &run->inputs,
        .arena = &run->arena,
    };
    return fx_mutation_begin(&run->mutation, &run->err) &&
           fx_mutation_end(&run->mutation, &run->err);
}

static bool run_mutate(struct mutation_run *run, const char *object,
                       const char *namespace_, fake_edit *edit) {
    return run_mutation(run, object, namespace_, edit, false);
}

static void finish(struct mutation_run *run) {
    fx_mutation_finish(&run->mutation);
    fx_snapshot_unref(run->snapshot);
    json_decref(run->object);
    fx_inputs_finish(&run->inputs);
    fx_arena_finish(&run->arena);
}

static void expect_json(const json_t *value, const char *expected) {
    json_t *wanted = json_loads(expected, 0, NULL);
    assert_non_null(wanted);
    assert_true(json_equal(value, wanted));
    json_decref(wanted);
}

static void test_namespace(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        print_message("%s\n", cases[i].about);
        struct mutation_run run;
        assert_true(
            run_mutate(&run, cases[i].object, cases[i].namespace_, cases[i].edit));
        assert_string_equal(seen, cases[i].seen);
        struct fx_buf patch;
        fx_buf_init(&patch, 0);
        fx_patch_write(&patch, &run.mutation.patch, 0);
        assert_string_equal(patch.data, cases[i].patch);
        fx_buf_finish(&patch);
        assert_int_equal(run.mutation.outcome.mutated, run.mutation.patch.n_ops > 0);
        assert_int_equal(run.mutation.result == run.object,
                         run.mutation.patch.n_ops == 0);
        expect_json(run.object, cases[i].object); /* the input stays as it is */
        finish(&run);
    }
}

/* An object that is not needed any more gives the same patch; what the patch made of it
 * is the result. */
static void test_spent(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        print_message("%s\n", cases[i].about);
        struct mutation_run run;
        assert_true(run_mutation(&run, cases[i].object, cases[i].namespace_,
                                 cases[i].edit, true));
        struct fx_buf patch;
        fx_buf_init(&patch, 0);
        fx_patch_write(&patch, &run.mutation.patch, 0);
        assert_string_equal(patch.data, cases[i].patch);
        fx_buf_finish(&patch);
        assert_true(fx_equal(run.object, run.mutation.result));
        for (size_t k = 0; k < run.mutation.patch.n_ops; k++) {
            assert_null(run.mutation.patch.ops[k].old);
        }
        finish(&run);
    }
}

static bool refuse(const struct fx_request *request, json_t *root, struct fx_err *err,
                   bool *ret_changed) {
    (void)request;
    (void)root;
    (void)ret_changed;
    return fx_fail(err, FX_EMUTATE, "it will not do");
}

/* Adds to a number in every pass. */
static bool count_up(const struct fx_request *request, json_t *root, struct fx_err *err,
                     bool *ret_changed) {
    (void)request;
    (void)err;
    json_t *spec = fx_tree_view_key(root, "spec");
    const json_int_t n = json_integer_value(fx_tree_view_key(spec, "n"));
    *ret_changed = true;
    return fx_tree_set_take(spec, FX_TEXT("n"), json_integer(n + 1));
}

static void test_failures(void **state) {
    (void)state;
    struct mutation_run run;
    assert_false(run_mutate(&run, "{\"spec\":{\"n\":1}}", "n", refuse));
    assert_int_equal(run.err.code, FX_EMUTATE);
    assert_non_null(strstr(run.err.msg, "it will not do"));
    finish(&run);
    assert_false(run_mutate(&run, "{\"spec\":{\"n\":1}}", "n", count_up));
    assert_int_equal(run.err.code, FX_ENOCONVERGE);
    assert_int_equal(run.mutation.outcome.n_cycle, 1);
    assert_true(fx_text_is(run.mutation.outcome.cycle[0].path, "/spec/n"));
    assert_null(run.mutation.result);
    expect_json(run.object, "{\"spec\":{\"n\":1}}");
    finish(&run);
}

static const struct fx_external owner = {
    .provider = {"p", 1}, .on_failure = FX_EXTERNAL_USE_DEFAULT, .fallback = {"none", 4}};

/* Asks for spec.owner, which is a text or a placeholder already. */
static bool ask(const struct fx_request *request, json_t *root, struct fx_err *err,
                bool *ret_changed) {
    (void)err;
    assert_non_null(request->placeholders);
    struct fx_placeholder present;
    json_t *spec = fx_tree_view_key(root, "spec");
    json_t *old = fx_tree_view_key(spec, "owner");
    *ret_changed = !fx_placeholders_find(request->placeholders, old, &present);
    return !*ret_changed ||
           fx_tree_set_take(
               spec, FX_TEXT("owner"),
               fx_placeholders_make(request->placeholders, &owner, fx_tree_text(old)));
}

/* A mutation that waits for the one call that `object` makes. */
static void begin_asking(struct mutation_run *run, const char *object,
                         struct fx_trace *trace) {
    static fake_edit *const edits[] = {ask};
    struct fx_resource *const provider = fake_provider("p");
    const struct fake_parts parts = {edits, 1, &provider, 1};
    *run = (struct mutation_run){.object = json_loads(object, 0, NULL),
                                 .snapshot = fake_snapshot_of(&parts)};
    fx_arena_init(&run->arena, 1u << 20);
    fx_inputs_init(&run->inputs, NULL, 0);
    if (trace != NULL) {
        fx_trace_init(trace, &run->arena);
    }
    run->mutation = (struct fx_mutation){
        .snapshot = run->snapshot,
        .request = {.operation = FX_OPERATION_CREATE,
                    .annotates = true,
                    .mutation_id = "id"},
        .namespace_ = FX_TEXT("n"),
        .object = run->object,
        .inputs = &run->inputs,
        .arena = &run->arena,
        .trace = trace,
    };
    assert_true(fx_mutation_begin(&run->mutation, &run->err));
    assert_int_equal(run->mutation.calls.n_items, 1);
    assert_true(run->mutation.outcome.mutated);
}

#define ANSWER                                                                         \
    FX_TEXT("{\"response\":{\"idempotent\":true,\"items\":[{\"key\":\"me\",\"value\":" \
            "\"you\"}]}}")

static void test_outside_values(void **state) {
    (void)state;
    struct mutation_run run;
    struct fx_trace trace;
    begin_asking(&run, "{\"spec\":{\"owner\":\"me\"}}", &trace);
    assert_ptr_equal(trace.placeholders, run.mutation.placeholders);
    fx_external_give(run.mutation.calls.items[0], ANSWER);
    assert_true(fx_mutation_end(&run.mutation, &run.err));
    assert_true(run.mutation.outcome.mutated);
    expect_json(
        run.mutation.result,
        "{\"spec\":{\"owner\":\"you\"},\"metadata\":{\"annotations\":{\"gatekeeper"
        ".sh/mutation-id\":\"id\",\"gatekeeper.sh/mutations\":\"Fake//a:0\"}}}");
    expect_json(run.object, "{\"spec\":{\"owner\":\"me\"}}");
    /* The placeholder that was written, and what came for it. */
    struct fx_placeholder placeholder;
    assert_int_equal(trace.n_changes, 2);
    assert_int_equal(trace.changes[0].mutator, 0);
    assert_true(
        fx_placeholders_find(trace.placeholders, trace.changes[0].to, &placeholder));
    assert_int_equal(trace.changes[1].mutator, FX_TRACE_EXTERNAL);
    assert_int_equal(trace.changes[1].pass, 3);
    assert_ptr_equal(trace.changes[1].from, trace.changes[0].to);
    assert_string_equal(json_string_value(trace.changes[1].to), "you");
    assert_true(fx_text_is(trace.changes[1].path, "/spec/owner"));
    assert_int_equal(trace.n_steps, 2);
    fx_trace_finish(&trace);
    finish(&run);
}

/* A value that is the one there was: the object stays as it is, and no mutator is named.
 */
static void test_equal_value(void **state) {
    (void)state;
    struct mutation_run run;
    begin_asking(&run, "{\"spec\":{\"owner\":\"none\"}}", NULL);
    fx_external_fail(run.mutation.calls.items[0], "no route");
    assert_true(fx_mutation_end(&run.mutation, &run.err));
    assert_false(run.mutation.outcome.mutated);
    assert_ptr_equal(run.mutation.result, run.object);
    assert_int_equal(run.mutation.patch.n_ops, 0);
    finish(&run);
    begin_asking(&run, "{\"spec\":{}}", NULL); /* and one that is given up */
    finish(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_namespace),   cmocka_unit_test(test_spent),
        cmocka_unit_test(test_failures),    cmocka_unit_test(test_outside_values),
        cmocka_unit_test(test_equal_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
