/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kyverno/foreach_test.c - the lists, orders, variables and errors of foreach
 * (spec/kyverno.md section 11), with patches that append their value to `log`.
 */
#include "mutators/kyverno/foreach.h"

#include <string.h>

#include "mutators/kyverno/testing.h"
#include "value/equal.h"
#include "value/tree.h"

/* ---- patches that append ----------------------------------------------------------- */

struct kyverno_patch {
    struct kyverno_template *value;
};

static unsigned n_patches; /* that are not finished */

static bool compile_patch(const struct kyverno_template_compile *with, json_t *entry,
                          const struct kyverno_path *path,
                          struct kyverno_patch **ret_patch) {
    json_t *strategic = fx_tree_view_key(entry, "patchStrategicMerge");
    json_t *value =
        strategic != NULL ? strategic : fx_tree_view_key(entry, "patchesJson6902");
    if (value == NULL) {
        return fx_fail_in(with->err, entry, FX_EINVALID, "no patch");
    }
    struct kyverno_patch *made = fx_arena_alloc(with->arena, sizeof *made);
    assert_non_null(made);
    made->value = fx_kyverno_template_compile(with, value, path);
    assert_non_null(made->value);
    n_patches++;
    *ret_patch = made;
    return true;
}

static bool apply_patch(const struct kyverno_patch *patch,
                        struct kyverno_context *context, json_t **root,
                        struct fx_err *err) {
    json_t *value = NULL;
    if (!fx_kyverno_template_eval(patch->value, NULL, &context->scope, &value, err)) {
        return false;
    }
    json_t *object = fx_tree_own_root(root);
    json_t *log = fx_tree_own_key(object, FX_TEXT("log"));
    assert_non_null(log);
    if (json_is_string(value) && strcmp(json_string_value(value), "same") == 0) {
        json_decref(value);
        return true;
    }
    assert_true(fx_tree_append_take(log, value));
    return true;
}

static void finish_patch(struct kyverno_patch *patch) {
    fx_kyverno_template_finish(patch->value);
    n_patches--;
}

static const struct kyverno_patch_ops ops = {compile_patch, apply_patch, finish_patch};

/* ---- runs -------------------------------------------------------------------------- */

static const char object_text[] =
    "{\"log\":[],\"l\":[\"a\",null,\"c\"],\"o\":{\"k\":1},\"n\":null,"
    "\"deep\":[{\"i\":[1,2]},{\"i\":[3]}]}";

/* Applies a foreach: the log, and whether there was a change; or "! " and the message. */
static void run(const struct kyverno_foreach *foreach, struct fx_arena *arena,
                struct fx_buf *buf) {
    struct fx_err err = FX_ERR_INIT;
    struct kyverno_context context;
    const struct fx_request request = {.operation = FX_OPERATION_CREATE};
    bool changed = false;
    json_t *root = kyverno_read(object_text);
    json_t *before = json_incref(root);
    assert_true(fx_kyverno_context_init(&context, &request, NULL, arena, &err));
    const bool ok = fx_kyverno_foreach_apply(foreach, &context, &root, &changed, &err);
    if (ok) {
        kyverno_write(buf, fx_tree_view_key(root, "log"));
        fx_buf_str(buf, changed ? "" : " same");
    } else {
        assert_ptr_equal(root, before);
        fx_buf_printf(buf, "! %s", err.msg);
    }
    fx_kyverno_context_finish(&context);
    json_t *original = kyverno_read(object_text);
    assert_true(fx_equal(before, original)); /* nothing was written in place */
    assert_int_equal(root->refcount, ok && root != before ? 1 : 2);
    json_decref(original);
    json_decref(before);
    json_decref(root);
}

static void apply(const char *text, struct fx_buf *buf) {
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    struct kyverno_foreach *foreach = NULL;
    json_t *list = kyverno_read(text);
    fx_arena_init(&arena, KYVERNO_TEST_ARENA);
    const struct kyverno_template_compile with = {.arena = &arena, .err = &err};
    const struct kyverno_path path = {.key = FX_TEXT("foreach")};
    fx_buf_reset(buf);
    if (fx_kyverno_foreach_compile(&with, list, &path, (struct fx_text){NULL, 0}, &ops,
                                   &foreach)) {
        run(foreach, &arena, buf);
    } else {
        assert_non_null(err.node);
        fx_buf_printf(buf, "!! %s", err.msg);
    }
    fx_kyverno_foreach_finish(foreach);
    assert_int_equal(n_patches, 0);
    fx_arena_finish(&arena);
    json_decref(list);
}

static void expect_rows(const char *const rows[][2], size_t n) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    for (size_t i = 0; i < n; i++) {
        apply(rows[i][0], &buf);
        const bool is_part = rows[i][1][0] == '!' &&
                             fx_text_starts(fx_text_of(buf.data), fx_text_of(rows[i][1]));
        if (!is_part && strcmp(buf.data, rows[i][1]) != 0) {
            fail_msg("%s: expected %s, got %s", rows[i][0], rows[i][1], buf.data);
        }
    }
    fx_buf_finish(&buf);
}

#define LIST(list)       "\"list\":\"" list "\""
#define JSON(value)      ",\"patchesJson6902\":\"" value "\""
#define STRATEGIC(value) ",\"patchStrategicMerge\":\"" value "\""
#define PAIR             "{{ element }}{{ elementIndex }}"

static void test_lists(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"[]", "[] same"},
        /* null elements are left out; indexes are those of the list */
        {"[{" LIST("request.object.l") JSON(PAIR) "}]", "[\"a0\",\"c2\"]"},
        {"[{" LIST("request.object.l") STRATEGIC(PAIR) "}]", "[\"c2\",\"a0\"]"},
        {"[{" LIST("request.object.l") ",\"order\":\"Descending\"" JSON(PAIR) "}]",
         "[\"c2\",\"a0\"]"},
        {"[{" LIST("request.object.l") ",\"order\":\"Ascending\"" STRATEGIC(PAIR) "}]",
         "[\"a0\",\"c2\"]"},
        /* what is no list is one element */
        {"[{" LIST("request.object.o") JSON("{{ element }}") "}]", "[{\"k\":1}]"},
        {"[{" LIST("request.object.n") JSON("{{ element }}") "}]", "[] same"},
        {"[{" LIST("request.object.l") JSON("same") "}]", "[] same"},
        /* errors; the object is as it was */
        {"[{" LIST("request.object.l") JSON("x") "},{" LIST("request.object.nope")
             JSON("x") "}]",
         "! failed to evaluate list request.object.nope: JMESPath query failed: Unknown "
         "key \"nope\" in path"},
        {"[{" LIST("{{ x }}") JSON("x") "}]", "! failed to evaluate list {{ x }}: "},
        {"[{" LIST("request.object.l") JSON("{{ nope }}") "}]",
         "! failed to mutate elements: failed to resolve nope at path "},
    };
    expect_rows(rows, sizeof rows / sizeof *rows);
}

/* Entries see the object as the entries before them left it; their elements do not see
 * each other's changes. */
static void test_objects(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"[{" LIST("request.object.l")
             JSON("{{ length(request.object.log) }}") "},{" LIST("`[1]`")
                 JSON("{{ length(request.object.log) }}") "}]",
         "[0,0,2]"},
        {"[{" LIST("request.object.l") ",\"foreach\":[{" LIST("[element]")
             JSON("{{ length(request.object.log) }}") "}]}]",
         "[0,0]"},
    };
    expect_rows(rows, sizeof rows / sizeof *rows);
}

static void test_nested(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"[{" LIST("request.object.deep") ",\"foreach\":[{" LIST("element.i") JSON(
             "{{ element }}{{ element1 }}{{ elementIndex0 }}{{ elementIndex1 }}") "}]}]",
         "[\"1100\",\"2201\",\"3310\"]"},
        {"[{" LIST("request.object.deep") ",\"foreach\":[{" LIST("element.i")
             STRATEGIC("{{ length(element0.i) }}-{{ element }}") "}]}]",
         "[\"2-2\",\"2-1\",\"1-3\"]"},
        /* the inner element is gone after the inner foreach */
        {"[{" LIST("request.object.deep") ",\"foreach\":[{" LIST("element.i")
             JSON("same") "},{" LIST("[element]") JSON("{{ element1.i }}") "}]}]",
         "[[1,2],[3]]"},
    };
    expect_rows(rows, sizeof rows / sizeof *rows);
}

#define ONLY_C                                            \
    ",\"preconditions\":{\"all\":[{\"key\":\"{{ element " \
    "}}\",\"operator\":\"Equals\",\"value\":"             \
    "\"c\"}]}"
#define CONTEXT(value) \
    ",\"context\":[{\"name\":\"v\",\"variable\":{\"value\":\"" value "\"}}]"

static void test_parts(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"[{" LIST("request.object.l") ONLY_C JSON(PAIR) "}]", "[\"c2\"]"},
        {"[{" LIST("request.object.l") CONTEXT("<{{ element }}>") JSON("{{ v }}") "}]",
         "[\"<a>\",\"<c>\"]"},
        {"[{" LIST("request.object.l") CONTEXT("{{ nope }}") JSON("x") "}]",
         "[\"x\",\"x\"]"},
        {"[{" LIST("request.object.l") CONTEXT("{{ nope }}") JSON("{{ v }}") "}]",
         "! failed to mutate elements: failed to resolve v at path : failed to "
         "substitute variables in context entry v: "},
        {"[{" LIST("request.object.l") ",\"preconditions\":[{\"key\":1,\"operator\":"
                                       "\"No\"}]" JSON("x") "}]",
         "! failed to mutate elements: failed to evaluate preconditions of foreach: "
         "unknown operator No of a condition"},
        /* the context of an entry ends with it */
        {"[{" LIST("request.object.l") CONTEXT("x")
             JSON("same") "},{" LIST("request.object.l") JSON("{{ v || 'none' }}") "}]",
         "[\"none\",\"none\"]"},
    };
    expect_rows(rows, sizeof rows / sizeof *rows);
}

#define NEST(inner) "[{" LIST("`[1]`") ",\"foreach\":" inner "}]"

static void test_refused(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"{}", "!! `foreach` must be a list"},
        {"[1]", "!! an entry of `foreach` must be an object"},
        {"[{\"patchesJson6902\":\"x\"}]", "!! an entry of `foreach` needs a `list`"},
        {"[{" LIST("x") "}]", "!! no patch"},
        {"[{" LIST("x") ",\"order\":\"Up\"" JSON("x") "}]",
         "!! `order` must be Ascending or Descending"},
        {"[{" LIST("x") ",\"foreach\":5}]", "!! `foreach` must be a list"},
        {"[{" LIST("x") JSON("x") "},{" LIST("x") ",\"preconditions\":5" JSON("x") "}]",
         "!! preconditions must be"},
        {NEST(NEST(NEST(NEST(NEST(NEST(NEST("[]"))))))), "[] same"},
        {NEST(NEST(NEST(NEST(NEST(NEST(NEST(NEST("[]")))))))),
         "!! `foreach` has more than 8 levels"},
    };
    expect_rows(rows, sizeof rows / sizeof *rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),   cmocka_unit_test(test_objects),
        cmocka_unit_test(test_nested),  cmocka_unit_test(test_parts),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
