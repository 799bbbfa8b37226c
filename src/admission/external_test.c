/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/external_test.c - what is asked of providers, what their answers mean, and
 * what is written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "admission/external.h"
#include "admission/fakes.h"
#include "admission/review_texts.h"
#include "base/limits.h"
#include "value/equal.h"
#include "value/json.h"

/* Placeholders by letter: the provider, and the failure policy. */
static const struct {
    char letter;
    struct fx_external external;
} asked[] = {
    {'F', {{"p", 1}, FX_EXTERNAL_FAIL, {0}}},
    {'I', {{"p", 1}, FX_EXTERNAL_IGNORE, {0}}},
    {'D', {{"p", 1}, FX_EXTERNAL_USE_DEFAULT, {"other", 5}}},
    {'Q', {{"q", 1}, FX_EXTERNAL_FAIL, {0}}},
    {'X', {{"unknown", 7}, FX_EXTERNAL_FAIL, {0}}},
    {'Y', {{"unknown", 7}, FX_EXTERNAL_USE_DEFAULT, {"dflt", 4}}},
};

/* An object in which providers are to be asked, and all that takes. */
struct fixture {
    struct fx_snapshot *snapshot;
    struct fx_placeholders *placeholders;
    struct fx_inputs inputs;
    struct fx_external_calls calls;
    struct fx_err err;
    json_t *root;
};

static json_t *read_text(const char *text) {
    char *json = with_quotes(text);
    struct fx_err err = FX_ERR_INIT;
    json_t *value = fx_json_read(fx_text_of(json), NULL, &err);
    if (value == NULL) {
        fail_msg("%s: %s", err.msg, json);
    }
    free(json);
    return value;
}

/* The placeholder that a text such as "$F key" stands for; NULL for all others. */
static json_t *placeholder_of(struct fixture *fixture, struct fx_text text) {
    for (size_t i = 0; i < FX_COUNT(asked); i++) {
        if (text.len >= 3 && text.data[0] == '$' && text.data[1] == asked[i].letter) {
            return fx_placeholders_make(fixture->placeholders, &asked[i].external,
                                        (struct fx_text){text.data + 3, text.len - 3});
        }
    }
    return NULL;
}

/* A copy with placeholders in it. */
static json_t *plant(struct fixture *fixture, json_t *node) {
    json_t *made = placeholder_of(fixture, fx_tree_text(node));
    if (made != NULL) {
        return made;
    }
    if (json_is_array(node)) {
        made = json_array();
        for (size_t i = 0; i < json_array_size(node); i++) {
            assert_true(
                fx_tree_append_take(made, plant(fixture, json_array_get(node, i))));
        }
        return made;
    }
    if (json_is_object(node)) {
        made = json_object();
        for (void *at = json_object_iter(node); at != NULL;
             at = json_object_iter_next(node, at)) {
            assert_true(fx_tree_set_take(made, fx_text_of(json_object_iter_key(at)),
                                         plant(fixture, json_object_iter_value(at))));
        }
        return made;
    }
    return json_incref(node);
}

static void begin(struct fixture *fixture, const char *object) {
    struct fx_resource *const providers[] = {fake_provider("q"), fake_provider("p")};
    const struct fake_parts parts = {.resources = providers, .n_resources = 2};
    *fixture = (struct fixture){.snapshot = fake_snapshot_of(&parts),
                                .placeholders = fx_placeholders_create()};
    assert_non_null(fixture->placeholders);
    fx_inputs_init(&fixture->inputs, NULL, 0);
    json_t *plain = read_text(object);
    fixture->root = plant(fixture, plain);
    json_decref(plain);
    assert_true(fx_external_collect(fixture->placeholders, fixture->root,
                                    fixture->snapshot, &fixture->inputs, &fixture->calls,
                                    &fixture->err));
}

static void finish(struct fixture *fixture) {
    json_decref(fixture->root);
    fx_placeholders_destroy(fixture->placeholders);
    fx_snapshot_unref(fixture->snapshot);
    fx_inputs_finish(&fixture->inputs);
}

static void give(struct fixture *fixture, size_t index, const char *answer) {
    char *json = with_quotes(answer);
    fx_external_give(fixture->calls.items[index], fx_text_of(json));
    free(json);
}

#define KEYS(keys)                               \
    "{'apiVersion':'externaldata.gatekeeper.sh/" \
    "v1beta1','kind':'ProviderRequest','reques"  \
    "t':{'keys':[" keys "]}}"

static void expect_call(const struct fixture *fixture, size_t index, const char *provider,
                        const char *body) {
    const struct fx_input_key *call = &fixture->calls.items[index]->key;
    char *wanted = with_quotes(body);
    assert_string_equal(call->provider->resource.name, provider);
    assert_string_equal(call->body.data, wanted);
    assert_int_equal(call->body.len, strlen(wanted));
    free(wanted);
}

static void asks_each_once(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, "{'a':'$F b','l':['$I b',{'x':'$D a\\u0000<'},5,null,'$Q ']}");
    assert_int_equal(fixture.calls.n_items, 2);
    assert_true(fx_inputs_are_missing(&fixture.inputs));
    expect_call(&fixture, 0, "p", KEYS("'a\\u0000\\u003c','b'"));
    expect_call(&fixture, 1, "q", KEYS("''"));
    finish(&fixture);
    begin(&fixture, "{'a':'plain','l':[-9223372036854775808]}");
    assert_int_equal(fixture.calls.n_items, 0);
    assert_false(fx_inputs_are_missing(&fixture.inputs));
    finish(&fixture);
    begin(&fixture, "{'a':'$X k'}");
    assert_int_equal(fixture.calls.n_items, 0);
    finish(&fixture);
}

#define OBJECT         "{'f':'$F k'}"
#define SENT           "failed to send external data request to provider p: "
#define DECODE         SENT "failed to unmarshal external data response: "
#define INVALID        "failed to validate external data response from provider p: "
#define ANSWER(fields) "{'response':{'idempotent':true," fields "}}"
#define ITEMS(items)   ANSWER("'items':[" items "]")

/* `result` is the object, or the words behind "… placeholders: ". */
static const struct {
    const char *about, *object, *answer, *result;
} cases[] = {
    {"a value", OBJECT, ITEMS("{'key':'k','value':'v'}"), "{'f':'v'}"},
    {"nothing else counts", OBJECT,
     "{'apiVersion':'x','kind':'y','more':[1],'response':{'idempotent':true,'systemError'"
     ":null,'items':[{'key':'k','value':'v','error':null,'more':{}},{'key':'z'}]}}",
     "{'f':'v'}"},
    {"several places", "{'f':'$F k','g':['$F k','$F l','x']}",
     ITEMS("{'key':'k','value':'v'},{'key':'l','value':''}"),
     "{'f':'v','g':['v','','x']}"},
    {"a key twice: the last counts", OBJECT,
     ITEMS("{'key':'k','error':'no'},{'key':'k','value':'a'},{'key':'k','value':'b'}"),
     "{'f':'b'}"},
    {"the empty key", "{'f':'$F '}", ITEMS("{'value':'v'}"), "{'f':'v'}"},
    {"blank words are none", OBJECT,
     ANSWER("'systemError':' \\t\\u2003\\u0085','items':[{'key':'k','value':'v'}]"),
     "{'f':'v'}"},

    {"words of its own", OBJECT, ANSWER("'systemError':'\\u3000\\n boom! boom \\u0085'"),
     INVALID "non-empty system error: boom! boom"},
    {"they come first", OBJECT, "{'response':{'systemError':'boom'}}",
     INVALID "non-empty system error: boom"},
    {"not idempotent", OBJECT, "{'response':{'items':[{'key':'k','value':'v'}]}}",
     INVALID "non-idempotent response"},
    {"nothing at all", OBJECT, "null", INVALID "non-idempotent response"},
    {"no such item", OBJECT, ITEMS(""),
     "failed to find external data item in response for provider p"},
    {"an item's error", OBJECT, ITEMS("{'key':'k','value':'v','error':' '}"),
     "failed to retrieve external data item from provider p:  "},
    {"a number", OBJECT, ITEMS("{'key':'k','value':5}"),
     "failed to convert external data item value from provider p to string, got type "
     "float64"},
    {"no value", OBJECT, ITEMS("{'key':'k'}"),
     "failed to convert external data item value from provider p to string, got type "
     "<nil>"},
    {"an empty item", "{'f':'$F '}", ITEMS("null"),
     "failed to convert external data item value from provider p to string, got type "
     "<nil>"},
    {"an object", OBJECT, ITEMS("{'key':'k','value':{}}"),
     "failed to convert external data item value from provider p to string, got type "
     "map[string]interface {}"},

    {"no JSON", OBJECT, "<html>",
     DECODE "invalid character '<' looking for beginning of value"},
    {"half of it", OBJECT, "{'response':{", DECODE "unexpected end of JSON input"},
    {"nothing", OBJECT, "", DECODE "unexpected end of JSON input"},
    {"another root", OBJECT, "[]",
     DECODE "json: cannot unmarshal array into Go value of type "
            "externaldata.ProviderResponse"},
    {"another kind", OBJECT, "{'kind':1}",
     DECODE "json: cannot unmarshal number into Go struct field ProviderResponse.kind of "
            "type externaldata.ProviderKind"},
    {"a flag in words", OBJECT, "{'response':{'idempotent':'true'}}",
     DECODE "json: cannot unmarshal string into Go struct field "
            "Response.response.idempotent of type bool"},
    {"items that are none", OBJECT, ANSWER("'items':{}"),
     DECODE "json: cannot unmarshal object into Go struct field Response.response.items "
            "of type []externaldata.Item"},
    {"an item that is none", OBJECT, ITEMS("{'key':'k','value':'v'},true"),
     DECODE "json: cannot unmarshal bool into Go struct field Response.response.items of "
            "type externaldata.Item"},
    {"a key that is none", OBJECT, ITEMS("{'key':7}"),
     DECODE "json: cannot unmarshal number into Go struct field Item.response.items.key "
            "of type string"},

    {"the failure is ignored", "{'f':'$I k','g':['$I ']}", "x", "{'f':'k','g':['']}"},
    {"a default", "{'f':'$D k'}", ITEMS("{'key':'k','error':'no'}"), "{'f':'other'}"},
    {"each by its own policy", "{'d':'$D k','i':'$I k','o':'$I l'}",
     ITEMS("{'key':'l','value':'v'}"), "{'d':'other','i':'k','o':'v'}"},
    {"an unknown provider", "{'f':'$X k'}", NULL,
     "failed to find external data provider unknown in responses"},
    {"likewise, with a default", "{'f':'$Y k'}", NULL, "{'f':'dflt'}"},
    {"several failures: each once, sorted", "{'f':['$X k','$F z','$F b','$F a','$X j']}",
     ITEMS("{'key':'a','error':'second'},{'key':'b','error':'first'},{'key':'z','error':"
           "'first'}"),
     "[failed to find external data provider unknown in responses, failed to retrieve "
     "external data item from provider p: first, failed to retrieve external data item "
     "from provider p: second]"},
};

#define PREFIX "failed to resolve external data placeholders: "

static void answers_mean(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        print_message("%s\n", cases[i].about);
        struct fixture fixture;
        begin(&fixture, cases[i].object);
        if (cases[i].answer != NULL) {
            assert_int_equal(fixture.calls.n_items, 1);
            give(&fixture, 0, cases[i].answer);
        }
        const bool ok = fx_external_resolve(&fixture.calls, fixture.placeholders,
                                            &fixture.root, &fixture.err);
        if (cases[i].result[0] == '{') {
            json_t *wanted = read_text(cases[i].result);
            assert_true(ok && fx_equal(fixture.root, wanted));
            json_decref(wanted);
        } else {
            assert_false(ok);
            assert_int_equal(fixture.err.code, FX_EMUTATE);
            assert_memory_equal(fixture.err.msg, PREFIX, strlen(PREFIX));
            assert_string_equal(fixture.err.msg + strlen(PREFIX), cases[i].result);
        }
        finish(&fixture);
    }
}

static void no_answer(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, "{'f':'$F a','g':'$Q b'}");
    fx_external_fail(fixture.calls.items[0], "no route");
    assert_true(fx_inputs_are_missing(&fixture.inputs));
    fx_external_fail(fixture.calls.items[1], "too late");
    assert_false(fx_inputs_are_missing(&fixture.inputs));
    assert_false(fx_external_resolve(&fixture.calls, fixture.placeholders, &fixture.root,
                                     &fixture.err));
    assert_string_equal(
        fixture.err.msg,
        PREFIX "[failed to send external data request to provider p: no route, failed to "
               "send external data request to provider q: too late]");
    finish(&fixture);
}

/* Who shares the tree sees nothing of it, and what has no placeholder is not copied. */
static void copies_on_write(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, "{'a':{'b':['$F k']},'c':{'d':1}}");
    json_t *before = json_incref(fixture.root);
    json_t *list = json_object_get(json_object_get(before, "a"), "b");
    const json_t *planted = json_array_get(list, 0);
    give(&fixture, 0, ITEMS("{'key':'k','value':'v'}"));
    assert_true(fx_external_resolve(&fixture.calls, fixture.placeholders, &fixture.root,
                                    &fixture.err));
    assert_ptr_not_equal(fixture.root, before);
    assert_ptr_equal(json_array_get(list, 0), planted);
    assert_ptr_equal(json_object_get(fixture.root, "c"), json_object_get(before, "c"));
    json_decref(before);
    finish(&fixture);
}

/* `count` numbered texts, each between `before` and `after`. */
static char *many(const char *start, const char *before, const char *after,
                  size_t count) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_str(&buf, start);
    for (size_t i = 0; i < count; i++) {
        fx_buf_printf(&buf, "%s%s%zu%s", i == 0 ? "" : ",", before, i, after);
    }
    fx_buf_str(&buf, "]");
    return fx_buf_steal(&buf);
}

static void a_hundred_thousand(void **state) {
    (void)state;
    enum { N = 100000 };
    struct fixture fixture;
    char *object = many("[", "'$F ", "'", N);
    char *items =
        many("{'response':{'idempotent':true,'items':[", "{'value':'v','key':'", "'}", N);
    char *errors = many("{'response':{'idempotent':true,'items':[",
                        "{'error':'no','key':'", "'}", N);
    struct fx_buf answer;
    fx_buf_init(&answer, 0);
    fx_buf_printf(&answer, "%s}}", items);
    begin(&fixture, object);
    assert_int_equal(fixture.calls.n_items, 1);
    give(&fixture, 0, answer.data);
    assert_true(fx_external_resolve(&fixture.calls, fixture.placeholders, &fixture.root,
                                    &fixture.err));
    assert_string_equal(json_string_value(json_array_get(fixture.root, N - 1)), "v");
    finish(&fixture);
    fx_buf_reset(&answer);
    fx_buf_printf(&answer, "%s}}", errors);
    begin(&fixture, object);
    give(&fixture, 0, answer.data);
    assert_false(fx_external_resolve(&fixture.calls, fixture.placeholders, &fixture.root,
                                     &fixture.err));
    assert_string_equal(fixture.err.msg, PREFIX
                        "failed to retrieve external data item from provider p: no");
    finish(&fixture);
    fx_buf_finish(&answer);
    free(object);
    free(items);
    free(errors);
}

/* More words than a message holds, and more bytes than an answer may have. */
static void large_answers(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf answer;
    fx_buf_init(&answer, 0);
    fx_buf_str(&answer, "{'response':{'systemError':'");
    fx_buf_fill(&answer, 'x', 1u << 20);
    fx_buf_str(&answer, "'}}");
    begin(&fixture, "{'f':'$F k','g':'$D k'}");
    give(&fixture, 0, answer.data);
    assert_false(fx_external_resolve(&fixture.calls, fixture.placeholders, &fixture.root,
                                     &fixture.err));
    assert_non_null(strstr(fixture.err.msg, "non-empty system error: xxx"));
    finish(&fixture);
    fx_buf_reset(&answer);
    fx_buf_fill(&answer, ' ', FX_LIMIT_PROVIDER_BODY_BYTES + 1);
    begin(&fixture, "{'f':'$F k'}");
    give(&fixture, 0, answer.data);
    assert_false(fx_external_resolve(&fixture.calls, fixture.placeholders, &fixture.root,
                                     &fixture.err));
    assert_non_null(strstr(fixture.err.msg, "the response is larger than 8388608 bytes"));
    finish(&fixture);
    fx_buf_finish(&answer);
}

/* With any bound of the scratch memory: all of it, or no memory; never a verdict. */
static void without_memory(void **state) {
    (void)state;
    size_t n_failed = 0;
    for (size_t max = 1; max < 2000; max++) {
        struct fixture fixture;
        begin(&fixture, "{'f':'$F k','g':'$Q l'}");
        struct fx_inputs inputs;
        fx_inputs_init(&inputs, NULL, 0);
        inputs.arena.max = max;
        struct fx_external_calls calls = {0};
        bool ok = fx_external_collect(fixture.placeholders, fixture.root,
                                      fixture.snapshot, &inputs, &calls, &fixture.err);
        if (ok) {
            fx_external_fail(calls.items[0], "no route");
            fx_external_fail(calls.items[1], "no route");
            assert_false(fx_external_resolve(&calls, fixture.placeholders, &fixture.root,
                                             &fixture.err));
        }
        if (fixture.err.code == FX_ENOMEM) {
            n_failed++;
        } else {
            assert_int_equal(fixture.err.code, FX_EMUTATE);
        }
        fx_inputs_finish(&inputs);
        finish(&fixture);
    }
    assert_in_range(n_failed, 1, 1500);
}

static void too_deep(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, "{'f':'$F k'}");
    for (unsigned i = 0; i < 5 * FX_LIMIT_JSON_DEPTH; i++) {
        json_t *outer = json_array();
        assert_true(fx_tree_append_take(outer, fixture.root));
        fixture.root = outer;
    }
    struct fx_external_calls calls = {0};
    assert_false(fx_external_collect(fixture.placeholders, fixture.root, fixture.snapshot,
                                     &fixture.inputs, &calls, &fixture.err));
    assert_int_equal(fixture.err.code, FX_ELIMIT);
    give(&fixture, 0, ITEMS("{'key':'k','value':'v'}"));
    assert_false(fx_external_resolve(&fixture.calls, fixture.placeholders, &fixture.root,
                                     &fixture.err));
    assert_int_equal(fixture.err.code, FX_ELIMIT);
    finish(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asks_each_once),     cmocka_unit_test(answers_mean),
        cmocka_unit_test(no_answer),          cmocka_unit_test(copies_on_write),
        cmocka_unit_test(a_hundred_thousand), cmocka_unit_test(large_answers),
        cmocka_unit_test(without_memory),     cmocka_unit_test(too_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
