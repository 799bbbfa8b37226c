/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kyverno/context_test.c - the variables of a rule, by the rules of
 * spec/kyverno.md sections 6 and 7.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/limits.h"
#include "engine/input.h"
#include "mutators/kyverno/context.h"
#include "mutators/kyverno/context_entries.h"
#include "mutators/kyverno/testing.h"
#include "value/tree.h"

static const char object_text[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web\","
    "\"namespace\":"
    "\"team\"},\"spec\":{\"containers\":[{\"name\":\"a\",\"image\":\"nginx:1\"}]},"
    "\"none\":null}";

static const char admission_text[] =
    "{\"operation\":\"CREATE\",\"name\":\"\",\"namespace\":\"team\",\"userInfo\":{"
    "\"username\":\"system:serviceaccount:team:robot\",\"groups\":[]}}";

/* What one evaluation has. */
struct setup {
    struct fx_arena arena;
    struct fx_request request;
    struct fx_inputs inputs;
    json_t *object, *old_object, *admission, *entries_list;
    struct kyverno_context_entries *entries;
    struct kyverno_context context;
};

static struct kyverno_template_compile compile_with(struct setup *setup,
                                                    struct fx_err *err) {
    return (struct kyverno_template_compile){.arena = &setup->arena, .err = err};
}

static void compile_entries(struct setup *setup, const char *text,
                            struct fx_text policy_namespace) {
    struct fx_err err = FX_ERR_INIT;
    const struct kyverno_template_compile with = compile_with(setup, &err);
    const struct kyverno_path path = {.key = FX_TEXT("context")};
    setup->entries_list = text == NULL ? NULL : kyverno_read(text);
    if (!fx_kyverno_context_entries_compile(&with, setup->entries_list, &path,
                                            policy_namespace, &setup->entries)) {
        fail_msg("%s: %s", text, err.msg);
    }
}

static void set_up(struct setup *setup, const char *entries,
                   struct fx_text policy_namespace) {
    struct fx_err err = FX_ERR_INIT;
    *setup = (struct setup){.entries = NULL};
    fx_arena_init(&setup->arena, KYVERNO_TEST_ARENA);
    fx_inputs_init(&setup->inputs, NULL, 0);
    setup->object = kyverno_read(object_text);
    setup->admission = kyverno_read(admission_text);
    setup->request = (struct fx_request){.operation = FX_OPERATION_CREATE,
                                         .inputs = &setup->inputs,
                                         .admission = setup->admission};
    compile_entries(setup, entries, policy_namespace);
    assert_true(fx_kyverno_context_init(&setup->context, &setup->request, setup->entries,
                                        &setup->arena, &err));
    fx_kyverno_context_set_object(&setup->context, setup->object);
}

static void tear_down(struct setup *setup) {
    fx_kyverno_context_finish(&setup->context);
    fx_kyverno_context_entries_finish(setup->entries);
    json_decref(setup->entries_list);
    json_decref(setup->object);
    json_decref(setup->old_object);
    json_decref(setup->admission);
    fx_inputs_finish(&setup->inputs);
    fx_arena_finish(&setup->arena);
}

/* Evaluates a template, which is JSON: its value as JSON, or "! " and the message. */
static void eval(struct setup *setup, const char *text, struct fx_buf *buf) {
    struct fx_err err = FX_ERR_INIT;
    const struct kyverno_template_compile with = compile_with(setup, &err);
    json_t *tree = kyverno_read(text);
    json_t *value = NULL;
    struct kyverno_template *compiled = fx_kyverno_template_compile(&with, tree, NULL);
    assert_non_null(compiled);
    fx_buf_reset(buf);
    if (fx_kyverno_template_eval(compiled, NULL, &setup->context.scope, &value, &err)) {
        kyverno_write(buf, value);
    } else {
        fx_buf_printf(buf, "! %s", err.msg);
    }
    json_decref(value);
    fx_kyverno_template_finish(compiled);
    json_decref(tree);
}

static void expect(struct setup *setup, const char *text, const char *expected) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    eval(setup, text, &buf);
    const bool is_part = expected[0] == '!' && strstr(buf.data, expected + 1) != NULL;
    if (!is_part && strcmp(buf.data, expected) != 0) {
        fail_msg("%s: expected %s, got %s", text, expected, buf.data);
    }
    fx_buf_finish(&buf);
}

struct row {
    const char *entries, *text, *expected;
};

static void expect_rows(const struct row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct setup setup;
        set_up(&setup, rows[i].entries, (struct fx_text){NULL, 0});
        expect(&setup, rows[i].text, rows[i].expected);
        tear_down(&setup);
    }
}

static void test_names(void **state) {
    (void)state;
    static const struct row rows[] = {
        {NULL, "\"{{ request.object.metadata.name }}\"", "\"web\""},
        {NULL, "\"{{ request.operation }}\"", "\"CREATE\""},
        {NULL, "\"{{ request.oldObject }}{{ request.options }}\"", "\"nullnull\""},
        {NULL, "\"{{ request.name }}\"", "!Unknown key \"name\""},
        {NULL, "\"{{ request.userInfo.groups }}\"", "!Unknown key \"groups\""},
        {NULL, "\"{{ request.roles }}\"", "!Unknown key \"roles\""},
        {NULL, "\"{{ serviceAccountNamespace }}/{{ serviceAccountName }}\"",
         "\"team/robot\""},
        {NULL, "\"{{ target }}\"", "!Unknown key \"target\""},
        {NULL, "\"{{ element }}\"", "!Unknown key \"element\""},
        {NULL, "\"{{ images.containers.a.tag }}\"", "\"1\""},
        {NULL, "\"{{ keys(@) | sort(@) }}\"",
         "[\"images\",\"request\",\"serviceAccountName\",\"serviceAccountNamespace\"]"},
    };
    expect_rows(rows, sizeof rows / sizeof *rows);
}

#define VARIABLE(name, source) "{\"name\":\"" name "\",\"variable\":{" source "}}"

static void test_variables(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"[" VARIABLE("v", "\"value\":[1,\"{{ request.operation }}\"]") "]",
         "\"{{ v }}\"", "[1,\"CREATE\"]"},
        {"[" VARIABLE("v", "\"value\":{\"a\":5},\"jmesPath\":\"a\"") "]", "\"{{ v }}\"",
         "5"},
        {"[" VARIABLE("v", "\"jmesPath\":\"request.object.metadata.name\"") "]",
         "\"{{ v }}\"", "\"web\""},
        {"[" VARIABLE("v", "\"jmesPath\":\"{{ 'request' }}.operation\"") "]",
         "\"{{ v }}\"", "\"CREATE\""},
        /* defaults */
        {"[" VARIABLE("v", "\"default\":\"d\"") "]", "\"{{ v }}\"", "\"d\""},
        {"[" VARIABLE("v", "\"jmesPath\":\"request.object.nope\",\"default\":false") "]",
         "\"{{ v }}\"", "false"},
        {"[" VARIABLE("v", "\"jmesPath\":\"request.object.none\",\"default\":7") "]",
         "\"{{ v }}\"", "7"},
        {"[" VARIABLE("v", "\"jmesPath\":\"(\",\"default\":7") "]", "\"{{ v }}\"", "7"},
        {"[" VARIABLE("v", "\"value\":{},\"jmesPath\":\"a\",\"default\":7") "]",
         "\"{{ v }}\"", "7"},
        {"[" VARIABLE("v", "\"value\":false,\"default\":7") "]", "\"{{ v }}\"", "false"},
        /* errors */
        {"[" VARIABLE("v", "\"jmesPath\":\"(\"") "]", "\"{{ v }}\"",
         "!failed to apply jmespath to context entry v: "},
        {"[" VARIABLE("v", "\"value\":{\"a\":null},\"jmesPath\":\"a\",\"default\":7") "]",
         "\"{{ v }}\"",
         "!: failed to add context entry for variable v since it evaluated to nil"},
        {"[" VARIABLE("v", "\"value\":\"{{ nope }}\",\"default\":7") "]", "\"{{ v }}\"",
         "!failed to substitute variables in context entry v: failed to resolve nope at "
         "path /context/0/variable/value: JMESPath query failed: Unknown key"},
    };
    expect_rows(rows, sizeof rows / sizeof *rows);
}

#define FAILING VARIABLE("bad", "\"jmesPath\":\"nope\"")

static void test_order(void **state) {
    (void)state;
    static const struct row rows[] = {
        /* only what is mentioned is evaluated */
        {"[" FAILING "]", "\"{{ `1` }}\"", "1"},
        {"[" FAILING "]", "\"{{ request.bad || 'x' }}\"", "\"x\""},
        {"[" FAILING "]", "\"{{ badly || 'x' }}\"", "\"x\""},
        {"[" FAILING "]", "\"{{ 'bad' }}\"", "!context entry bad"},
        {"[" FAILING "]", "\"{{ 'x' || bad.y }}\"", "!context entry bad"},
        /* an entry sees those before it, and may declare a name again */
        {"[" VARIABLE("x", "\"value\":\"1\"") "," VARIABLE("x",
                                                           "\"value\":\"{{ x }}2\"") "]",
         "\"{{ x }}\"", "\"12\""},
        {"[" VARIABLE("x", "\"value\":\"1\"") "," VARIABLE(
             "y", "\"value\":\"{{ x }}\"") "," VARIABLE("x", "\"value\":\"2\"") "]",
         "\"{{ y }}{{ x }}\"", "\"12\""},
        {"[" VARIABLE("y", "\"value\":\"{{ x }}\"") "," VARIABLE("x",
                                                                 "\"value\":\"2\"") "]",
         "\"{{ y }}\"", "\"2\""},
        {"[" VARIABLE("x", "\"value\":\"{{ y }}\"") "," VARIABLE(
             "y", "\"value\":\"{{ x }}\"") "]",
         "\"{{ x }}\"", "!Unknown key \"x\" in path"},
        /* a known name may be hidden, and read by the entry that hides it */
        {"[" VARIABLE("request", "\"value\":\"{{ request.operation }}!\"") "]",
         "\"{{ request }}\"", "\"CREATE!\""},
        {"[" VARIABLE("a-b", "\"value\":1") "]", "\"{{ \\\"a-b\\\" }}\"", "1"},
    };
    expect_rows(rows, sizeof rows / sizeof *rows);
}

/* The values of entries stay as they are when the object changes. */
static void test_once(void **state) {
    (void)state;
    struct setup setup;
    json_t *other = kyverno_read("{\"metadata\":{\"name\":\"new\"}}");
    set_up(&setup, "[" VARIABLE("v", "\"jmesPath\":\"request.object.metadata.name\"") "]",
           (struct fx_text){NULL, 0});
    expect(&setup, "\"{{ v }}\"", "\"web\"");
    setup.context.incoming = setup.object;
    fx_kyverno_context_set_object(&setup.context, other);
    expect(&setup, "\"{{ v }}/{{ request.object.metadata.name }}\"", "\"web/new\"");
    expect(&setup, "\"{{ images.containers.a.tag }}\"", "\"1\"");
    fx_kyverno_context_release_mutated(&setup.context);
    assert_int_equal(other->refcount, 1);
    tear_down(&setup);
    json_decref(other);
}

/* On DELETE variables read the old object for the object; queries do not. */
static void test_delete(void **state) {
    (void)state;
    struct setup setup;
    set_up(&setup,
           "[" VARIABLE("v", "\"jmesPath\":\"request.object.metadata.name\","
                             "\"default\":\"none\"") "]",
           (struct fx_text){NULL, 0});
    setup.old_object = kyverno_read("{\"metadata\":{\"name\":\"old\"}}");
    setup.request.operation = FX_OPERATION_DELETE;
    setup.request.old_object = setup.old_object;
    fx_kyverno_context_set_object(&setup.context, NULL);
    expect(&setup, "\"{{ request.object.metadata.name }}/{{ v }}\"", "\"old/none\"");
    tear_down(&setup);
}

static void test_uid(void **state) {
    (void)state;
    struct setup setup;
    set_up(&setup, "[]", (struct fx_text){NULL, 0});
    setup.request.uid = FX_TEXT("u-1");
    expect(&setup, "\"{{ request.uid }}\"", "\"u-1\"");
    tear_down(&setup);
}

/* ---- frames ----------------------------------------------------------------------- */

/* What depends on an element is evaluated again for the next one; everything else is
 * not. */
static void test_frames(void **state) {
    (void)state;
    struct setup setup;
    struct kyverno_frame outer;
    struct kyverno_frame inner;
    struct fx_err err = FX_ERR_INIT;
    json_t *other = kyverno_read("{\"metadata\":{\"name\":\"new\"}}");
    json_t *elements = kyverno_read("[\"e\",\"f\",\"g\"]");
    set_up(
        &setup,
        "[" VARIABLE(
            "o",
            "\"value\":\"{{ request.object.metadata.name }}\"") "," VARIABLE("d",
                                                                             "\"value\":"
                                                                             "\"{{ o "
                                                                             "}}-{{ "
                                                                             "element "
                                                                             "}}\"") "]",
        (struct fx_text){NULL, 0});
    struct kyverno_context *context = &setup.context;
    assert_true(fx_kyverno_frame_push(context, &outer, NULL, &err));
    fx_kyverno_frame_set_element(context, json_array_get(elements, 0), 4);
    expect(&setup, "\"{{ d }} {{ element0 }} {{ elementIndex }}\"", "\"web-e e 4\"");
    fx_kyverno_context_set_object(context, other);
    fx_kyverno_frame_set_element(context, json_array_get(elements, 1), 5);
    expect(&setup, "\"{{ d }}\"", "\"web-f\"");
    assert_true(fx_kyverno_frame_push(context, &inner, setup.entries, &err));
    fx_kyverno_frame_set_element(context, json_array_get(elements, 2), 0);
    expect(&setup,
           "\"{{ d }} {{ element }} {{ element0 }} {{ element1 }} {{ elementIndex0 }} "
           "{{ elementIndex1 }}\"",
           "\"new-g g f g 5 0\"");
    expect(&setup, "\"{{ element01 || element2 || 'none' }}\"", "\"none\"");
    fx_kyverno_frame_pop(context);
    expect(&setup, "\"{{ d }} {{ element }}\"", "\"web-f f\"");
    fx_kyverno_frame_pop(context);
    expect(&setup, "\"{{ element || 'none' }}\"", "\"none\"");
    tear_down(&setup);
    json_decref(elements);
    json_decref(other);
}

/* ---- ConfigMaps ------------------------------------------------------------------- */

#define MAP(source) "[{\"name\":\"m\",\"configMap\":{" source "}}]"

static void put_map(struct setup *setup, const char *namespace_, const char *text) {
    struct fx_input_key key = fx_input_core_key("ConfigMap", FX_TEXT("dict"));
    json_t *value = kyverno_read(text);
    key.namespace_ = fx_text_of(namespace_);
    assert_true(fx_inputs_put(&setup->inputs, &key, value));
    json_decref(value);
}

static void expect_map(const char *entries, struct fx_text policy_namespace,
                       const char *text, const char *expected) {
    struct setup setup;
    set_up(&setup, entries, policy_namespace);
    assert_true(fx_kyverno_context_entries_read_objects(setup.entries));
    put_map(&setup, "default", "{\"data\":{\"env\":\"def\"},\"x\":1}");
    put_map(&setup, "team",
            "{\"data\":{\"env\":\"prod\"},\"metadata\":{\"name\":\"d\"}}");
    expect(&setup, text, expected);
    tear_down(&setup);
}

static void test_maps(void **state) {
    (void)state;
    const struct fx_text none = {NULL, 0};
    expect_map(MAP("\"name\":\"dict\""), none, "\"{{ m }}\"",
               "{\"data\":{\"env\":\"def\"},\"metadata\":null}");
    expect_map(MAP("\"name\":\"dict\",\"namespace\":\"{{ request.namespace }}\""), none,
               "\"{{ m.data.env }}\"", "\"prod\"");
    expect_map(MAP("\"name\":\"dict\""), FX_TEXT("team"), "\"{{ m.data.env }}\"",
               "\"prod\"");
    expect_map(MAP("\"name\":\"dict\",\"namespace\":\"default\""), FX_TEXT("team"),
               "\"{{ m.data.env }}\"",
               "!a policy of the namespace team may not read a ConfigMap of default");
    expect_map(MAP("\"name\":\"{{ request.name }}\""), none, "\"{{ m }}\"",
               "!at path /context/0/configMap/name: ");
    expect_map(MAP("\"name\":\"{{ request.userInfo }}\""), none, "\"{{ m }}\"",
               "!`name` of context entry m is no text");
    expect_map(MAP("\"name\":\"{{ '../x' }}\""), none, "\"{{ m || 'x' }}\"",
               "!configmap default/../x : no object has such a name");
    /* a ConfigMap that is not there yet has to be fetched: no default hides that */
    expect_map(MAP("\"name\":\"other\""), none, "\"{{ m || 'x' }}\"",
               "!an input has to be fetched");
}

/* ---- objects ---------------------------------------------------------------------- */

#define CALL(source) "[{\"name\":\"m\",\"apiCall\":{" source "}}]"
#define PATH(path)   "\"urlPath\":\"" path "\""

static void put_object(struct setup *setup, struct fx_input_key key, const char *text) {
    json_t *value = kyverno_read(text);
    assert_true(fx_inputs_put(&setup->inputs, &key, value));
    json_decref(value);
}

static void expect_call(const char *entries, const char *policy_namespace,
                        const char *expected) {
    struct setup setup;
    const struct fx_text none = {NULL, 0};
    set_up(&setup, entries,
           policy_namespace == NULL ? none : fx_text_of(policy_namespace));
    assert_true(fx_kyverno_context_entries_read_objects(setup.entries));
    put_object(&setup, fx_input_core_key("Namespace", FX_TEXT("team")),
               "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    put_object(&setup,
               (struct fx_input_key){.type = FX_INPUT_OBJECT,
                                     .group = FX_TEXT("apps"),
                                     .version = FX_TEXT("v1"),
                                     .kind = FX_TEXT("Deployment"),
                                     .namespace_ = FX_TEXT("team"),
                                     .name = FX_TEXT("web")},
               "{\"spec\":{\"replicas\":3}}");
    expect(&setup, "\"{{ m }}\"", expected);
    tear_down(&setup);
}

static void test_calls(void **state) {
    (void)state;
    static const char deployment[] =
        CALL(PATH("/apis/apps/v1/namespaces/team/deployments/web") ","
                                                                   "\"jmesPath\":\"spec."
                                                                   "replicas\"");
    expect_call(
        CALL(PATH("/api/v1/namespaces/{{ request.namespace }}") ",\"jmesPath\":"
                                                                "\"metadata.labels.a\""),
        NULL, "\"b\"");
    expect_call(deployment, NULL, "3");
    expect_call(deployment, "team", "3");
    expect_call(deployment, "other", "!the namespace other may read only objects in it");
    expect_call(CALL(PATH("/api/v1/namespaces/team")), "team",
                "!the namespace team may read only objects in it");
    expect_call(CALL(PATH("/api/v1/namespaces/team") ",\"jmesPath\":\"nope\""), NULL,
                "!Unknown key \"nope\"");
    expect_call(CALL(PATH("/api/v1/namespaces/team") ",\"jmesPath\":\"nope\","
                                                     "\"default\":5"),
                NULL, "5");
    expect_call(CALL(PATH("/api/v1/pods") ",\"default\":5"), NULL, "5");
    /* an object that has to be fetched: the default does not hide that */
    expect_call(CALL(PATH("/api/v1/nodes/n") ",\"default\":5"), NULL,
                "!an input has to be fetched");
    expect_call(CALL(PATH("/api/v1/namespaces/{{ 'team/secrets/s' }}")), NULL,
                "!has a slash from a variable");
    expect_call(CALL(PATH("{{ '/api/v1/namespaces/team' }}") ",\"jmesPath\":"
                                                             "\"keys(@)\""),
                NULL, "[\"metadata\"]");
}

/* ---- what does not compile -------------------------------------------------------- */

static void test_refused(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"{}", "`context` must be a list"},
        {"[{}]", "a context entry needs a `name`"},
        {"[{\"name\":\"v\"}]",
         "a context entry needs a `variable`, a `configMap` or an `apiCall`"},
        {"[{\"name\":\"v\",\"variable\":{\"jmesPath\":5}}]",
         "`jmesPath` of a context entry must be a string"},
        {MAP(""), "`configMap` of a context entry needs a `name`"},
        {CALL("\"service\":{\"url\":\"http://x\"}"),
         "`apiCall.service` is not supported"},
        {CALL("\"urlPath\":\"/api/v1/nodes/n\",\"method\":\"POST\""),
         "`apiCall` can only read"},
        {CALL("\"method\":\"GET\""), "`apiCall` of a context entry needs a `urlPath`"},
        {"[{\"name\":\"v\",\"globalReference\":{\"name\":\"x\"}}]",
         "`globalReference` is not supported"},
        {"[{\"name\":\"v\",\"imageRegistry\":{\"reference\":\"x\"}}]",
         "`imageRegistry` is not supported"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct setup setup = {.entries = NULL};
        struct fx_err err = FX_ERR_INIT;
        const struct kyverno_template_compile with = compile_with(&setup, &err);
        json_t *list = kyverno_read(rows[i][0]);
        fx_arena_init(&setup.arena, KYVERNO_TEST_ARENA);
        assert_false(fx_kyverno_context_entries_compile(
            &with, list, NULL, (struct fx_text){NULL, 0}, &setup.entries));
        assert_null(setup.entries);
        assert_int_equal(err.code, FX_EINVALID);
        assert_non_null(err.node);
        assert_non_null(strstr(err.msg, rows[i][1]));
        fx_arena_finish(&setup.arena);
        json_decref(list);
    }
}

/* As many entries as there may be, each of which reads the one before. */
static void test_chain(void **state) {
    (void)state;
    struct setup setup;
    struct fx_buf list;
    fx_buf_init(&list, 0);
    fx_buf_str(&list, "[" VARIABLE("x0", "\"value\":0"));
    for (unsigned i = 1; i < FX_LIMIT_CONTEXT_ENTRIES; i++) {
        fx_buf_printf(&list, "," VARIABLE("x%u", "\"value\":\"{{ x%u }}{{ `%u` }}\""), i,
                      i - 1, i % 10);
    }
    fx_buf_str(&list, "]");
    set_up(&setup, list.data, (struct fx_text){NULL, 0});
    expect(&setup, "\"{{ length(x63) }}\"", "64");
    expect(&setup, "\"{{ x9 }}\"", "\"0123456789\"");
    tear_down(&setup);
    fx_buf_finish(&list);
}

/* The values of a context are limited together. */
static void test_too_large(void **state) {
    (void)state;
    struct setup setup;
    set_up(
        &setup,
        "[" VARIABLE("a", "\"value\":\"12345678901234567890123456789012\"") "," VARIABLE("b", "\"jmesPath\":\"join('', [a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a])\"") "," VARIABLE(
            "c",
            "\"jmesPath\":\"join('', [b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b])\"") "," VARIABLE("d",
                                                                                         "\"jmesPath\":\"join('', [c,c,c,c,c,c,c,c,c,c,c,c,c,c,c,c])\"") "," VARIABLE("e",
                                                                                                                                                                      "\"value\":\"{{ [d,d,d,d,d,d,d,d,d,d,d,d,d,d,d,d] }}\"") "]",
        (struct fx_text){NULL, 0});
    expect(&setup, "\"{{ length(d) }}\"", "131072");
    expect(&setup, "\"{{ e }}\"",
           "!the values of `context` have more than 2097152 bytes");
    tear_down(&setup);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),  cmocka_unit_test(test_variables),
        cmocka_unit_test(test_order),  cmocka_unit_test(test_once),
        cmocka_unit_test(test_delete), cmocka_unit_test(test_uid),
        cmocka_unit_test(test_frames), cmocka_unit_test(test_calls),
        cmocka_unit_test(test_maps),   cmocka_unit_test(test_refused),
        cmocka_unit_test(test_chain),  cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
