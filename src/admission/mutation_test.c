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

/* All that fx_mutate() gives, and what it needs. */
struct run {
    struct fx_arena arena;
    struct fx_patch patch;
    struct fx_outcome outcome;
    struct fx_err err;
    json_t *object, *result;
};

static bool run_mutate(struct run *run, const char *object, const char *namespace_,
                       fake_edit *edit) {
    struct fx_snapshot *snapshot = fake_snapshot(&edit, 1);
    const struct fx_request request = {.operation = FX_OPERATION_CREATE,
                                       .source = FX_SOURCE_ORIGINAL,
                                       .mutation_id = "id"};
    *run = (struct run){.object = json_loads(object, 0, NULL)};
    assert_non_null(run->object);
    fx_arena_init(&run->arena, 1u << 20);
    seen[0] = '\0';
    const bool ok =
        fx_mutate(snapshot, &request, fx_text_of(namespace_), run->object, &run->arena,
                  NULL, &run->result, &run->patch, &run->outcome, &run->err);
    fx_snapshot_unref(snapshot);
    return ok;
}

static void finish(struct run *run) {
    json_decref(run->object);
    json_decref(run->result);
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
        struct run run;
        assert_true(
            run_mutate(&run, cases[i].object, cases[i].namespace_, cases[i].edit));
        assert_string_equal(seen, cases[i].seen);
        struct fx_buf patch;
        fx_buf_init(&patch, 0);
        fx_patch_write(&patch, &run.patch, 0);
        assert_string_equal(patch.data, cases[i].patch);
        fx_buf_finish(&patch);
        assert_int_equal(run.outcome.mutated, run.patch.n_ops > 0);
        assert_int_equal(run.result == run.object, run.patch.n_ops == 0);
        expect_json(run.object, cases[i].object); /* the input stays as it is */
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
    struct run run;
    assert_false(run_mutate(&run, "{\"spec\":{\"n\":1}}", "n", refuse));
    assert_int_equal(run.err.code, FX_EMUTATE);
    assert_non_null(strstr(run.err.msg, "it will not do"));
    finish(&run);
    assert_false(run_mutate(&run, "{\"spec\":{\"n\":1}}", "n", count_up));
    assert_int_equal(run.err.code, FX_ENOCONVERGE);
    assert_int_equal(run.outcome.n_cycle, 1);
    assert_true(fx_text_is(run.outcome.cycle[0].path, "/spec/n"));
    assert_null(run.result);
    expect_json(run.object, "{\"spec\":{\"n\":1}}");
    finish(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_namespace),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
