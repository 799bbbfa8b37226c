/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/expansion_template_test.c - kind ExpansionTemplate: what is
 * refused, and the declared access.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "mutators/gatekeeper/expansion.h"
#include "mutators/gatekeeper/resource_testing.h"

#define NAMED(name, spec)                                                         \
    "{'apiVersion':'expansion.gatekeeper.sh/v1beta1','kind':'ExpansionTemplate'," \
    "'metadata':{'name':'" name "'},'spec':" spec "}"
#define TEMPLATE(spec) NAMED("t", spec)
#define APPLY_TO       "'applyTo':[{'groups':['apps'],'versions':['v1'],'kinds':['A','B']}]"
#define SOURCE         "'templateSource':'spec.template'"
#define GENERATED      "'generatedGVK':{'version':'v1','kind':'Pod'}"
#define N63            "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk"

static const struct refusal refused[] = {
    {"{'apiVersion':'expansion.gatekeeper.sh/v1alpha1','kind':'ExpansionTemplate','spec':"
     "1}",
     "json: cannot unmarshal number into Go struct field ExpansionTemplate.spec of type "
     "v1alpha1.ExpansionTemplateSpec",
     "1", 0, 0},
    {TEMPLATE("{'applyTo':{}}"),
     "json: cannot unmarshal object into Go struct field "
     "ExpansionTemplateSpec.spec.applyTo of type []match.ApplyTo",
     "{}", 0, 0},
    {TEMPLATE("{'applyTo':['x']}"),
     "json: cannot unmarshal string into Go struct field "
     "ExpansionTemplateSpec.spec.applyTo of type match.ApplyTo",
     "'x'", 0, 0},
    {TEMPLATE("{'applyTo':[{'kinds':'Pod'}]}"),
     "json: cannot unmarshal string into Go struct field ApplyTo.spec.applyTo.kinds of "
     "type []string",
     "'Pod'", 0, 0},
    {TEMPLATE("{'applyTo':[{'groups':[5]}]}"),
     "json: cannot unmarshal number into Go struct field ApplyTo.spec.applyTo.groups of "
     "type string",
     "5", 0, 0},
    {TEMPLATE("{'templateSource':['spec']}"),
     "json: cannot unmarshal array into Go struct field "
     "ExpansionTemplateSpec.spec.templateSource of type string",
     "['spec']", 0, 0},
    {TEMPLATE("{'generatedGVK':'v1'}"),
     "json: cannot unmarshal string into Go struct field "
     "ExpansionTemplateSpec.spec.generatedGVK of type v1beta1.GeneratedGVK",
     "'v1'", 0, 0},
    {TEMPLATE("{'generatedGVK':{'kind':{}}}"),
     "json: cannot unmarshal object into Go struct field "
     "GeneratedGVK.spec.generatedGVK.kind of type string",
     "{}", 0, 0},
    /* In the order of Gatekeeper: each of these has all the later faults as well. */
    {NAMED("", "{}"), "ExpansionTemplate has empty name field", NULL, 0, 0},
    {NAMED(N63 "l", "{}"), "ExpansionTemplate name must be less than 64 characters",
     "'" N63 "l'", 0, 0},
    {NAMED(N63, "{}"), "ExpansionTemplate " N63 " has empty source field", "{}", 0, 0},
    {TEMPLATE("{'templateSource':''}"), "ExpansionTemplate t has empty source field",
     "''", 0, 0},
    {TEMPLATE("{" SOURCE "}"), "ExpansionTemplate t has empty generatedGVK field", NULL,
     0, 0},
    {TEMPLATE("{" SOURCE ",'generatedGVK':{'kind':''}}"),
     "ExpansionTemplate t has empty generatedGVK field", "{'kind':''}", 0, 0},
    {TEMPLATE("{" SOURCE "," GENERATED "}"), "ExpansionTemplate t must specify ApplyTo",
     NULL, 0, 0},
    {TEMPLATE("{" SOURCE "," GENERATED ",'applyTo':[]}"),
     "ExpansionTemplate t must specify ApplyTo", "[]", 0, 0},
    /* A template may not expand what it makes. */
    {TEMPLATE("{" SOURCE "," GENERATED ",'applyTo':[{},{'groups':['x',''],'versions':["
              "'v2','v1'],'kinds':['A','Pod']}]}"),
     "ExpansionTemplate t generates GVK /v1, Kind=Pod, but also applies to that same GVK",
     "{'version':'v1','kind':'Pod'}", 0, 0},
    {TEMPLATE("{" SOURCE "," APPLY_TO
              ",'generatedGVK':{'group':'apps','version':'v1','kind':'B'}}"),
     "ExpansionTemplate t generates GVK apps/v1, Kind=B, but also applies to that same "
     "GVK",
     NULL, 0, 0},
};

static void refuses(void **state) {
    (void)state;
    expect_refusals(refused, FX_COUNT(refused));
}

/* The path as texts in brackets. */
static const struct {
    const char *source, *path;
} paths[] = {
    {"spec.template", "[spec][template]"},
    {"spec", "[spec]"},
    {".", "[][]"},
    {"a..b.", "[a][][b][]"},
    {"a[b: c].\\\"d.e\\\"", "[a[b: c]][\"d][e\"]"}, /* no quoting, no lists */
};

static void splits(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(paths); i++) {
        struct fx_buf text;
        struct fx_buf got;
        fx_buf_init(&text, 0);
        fx_buf_init(&got, 0);
        fx_buf_printf(&text,
                      TEMPLATE("{" APPLY_TO "," GENERATED ",'templateSource':'%s'}"),
                      paths[i].source);
        json_t *policy = must_read(text.data);
        struct fx_compilation made = must_yield(policy, 1);
        const struct fx_expansion *expansion =
            (const struct fx_expansion *)made.resources[0];
        for (size_t k = 0; k < expansion->n_source_path; k++) {
            fx_buf_char(&got, '[');
            fx_buf_text(&got, expansion->source_path[k]);
            fx_buf_char(&got, ']');
        }
        assert_string_equal(got.data, paths[i].path);
        fx_buf_finish(&got);
        fx_buf_finish(&text);
        fx_compilation_finish(&made);
        json_decref(policy);
    }
}

static void compiles(void **state) {
    (void)state;
    json_t *policy = must_read(TEMPLATE("{" SOURCE "," APPLY_TO
                                        ",'enforcementAction':'warn','generatedGVK':{"
                                        "'group':'g','version':'v2','kind':'Thing'}}"));
    struct fx_compilation made = must_yield(policy, 1);
    assert_int_equal(made.n_warnings, 0);
    const struct fx_expansion *expansion = (const struct fx_expansion *)made.resources[0];
    assert_int_equal(expansion->resource.ops->type, FX_RESOURCE_EXPANSION);
    assert_string_equal(expansion->resource.name, "t");
    assert_true(fx_text_is(expansion->group, "g"));
    assert_true(fx_text_is(expansion->version, "v2"));
    assert_true(fx_text_is(expansion->kind, "Thing"));
    const struct fx_text apps = FX_TEXT("apps");
    const struct fx_text v1 = FX_TEXT("v1");
    assert_true(fx_expansion_holds(expansion, apps, v1, FX_TEXT("A")));
    assert_true(fx_expansion_holds(expansion, apps, v1, FX_TEXT("B")));
    assert_false(fx_expansion_holds(expansion, apps, v1, FX_TEXT("C")));
    assert_false(fx_expansion_holds(expansion, v1, apps, FX_TEXT("A")));
    fx_compilation_finish(&made);
    json_decref(policy);
}

static const struct warned warned[] = {
    {TEMPLATE("{" SOURCE "," APPLY_TO "," GENERATED "},'status':{}"), "", 1},
    {TEMPLATE("{" SOURCE "," GENERATED ",'applyTo':[null],'match':{}}"),
     "unknown field 'spec.match' @ {}", 1},
    {TEMPLATE("{" SOURCE "," GENERATED ",'applyTo':[{'kinds':['A'],'operations':[]}]}"),
     "unknown field 'spec.applyTo[0].operations' @ []", 1},
    {TEMPLATE("{" SOURCE "," APPLY_TO ",'generatedGVK':{'kind':'P','name':'x'}}"),
     "unknown field 'spec.generatedGVK.name' @ 'x'", 1},
};

static void warns(void **state) {
    (void)state;
    expect_warnings(warned, FX_COUNT(warned));
}

static json_t *make_texts(size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(json_array_append_new(list, json_string("x")), 0);
    }
    return list;
}

/* Far too many of one, and a product that is just not too large, or just is. */
static void sizes_are_bounded(void **state) {
    (void)state;
    static const struct {
        size_t n_groups, n_versions, n_kinds;
        bool fits;
    } rows[] = {
        {2, FX_LIMIT_APPLY_TO_BINDINGS / 2, 1, true},
        {1, 2, FX_LIMIT_APPLY_TO_BINDINGS / 2, true},
        {2, FX_LIMIT_APPLY_TO_BINDINGS / 2, 2, false},
        {FX_LIMIT_APPLY_TO_BINDINGS + 1, 1, 1, false},
        {1, FX_LIMIT_APPLY_TO_BINDINGS + 1, 0, false},
        {0, 0, FX_LIMIT_APPLY_TO_BINDINGS + 1, false},
        {0, FX_LIMIT_APPLY_TO_BINDINGS, FX_LIMIT_APPLY_TO_BINDINGS, true},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        json_t *policy = must_read(TEMPLATE("{" SOURCE "," GENERATED "}"));
        json_t *entry = json_pack(
            "{s:o, s:o, s:o}", "groups", make_texts(rows[i].n_groups), "versions",
            make_texts(rows[i].n_versions), "kinds", make_texts(rows[i].n_kinds));
        json_object_set_new(json_object_get(policy, "spec"), "applyTo",
                            json_pack("[o]", entry));
        struct fx_compilation made = {0};
        struct fx_err err = FX_ERR_INIT;
        assert_int_equal(fx_dialect_gatekeeper.compile(policy, &made, &err),
                         rows[i].fits);
        if (!rows[i].fits) {
            assert_int_equal(err.code, FX_ELIMIT);
            assert_string_equal(err.msg, "applyTo of ExpansionTemplate t names more than "
                                         "8192 kinds of objects");
        }
        fx_compilation_finish(&made);
        json_decref(policy);
    }
}

static void long_sources_are_refused(void **state) {
    (void)state;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, TEMPLATE("{" APPLY_TO "," GENERATED ",'templateSource':'"));
    text.len -= 1; /* the last brace */
    fx_buf_fill(&text, '.', FX_LIMIT_LOCATION_BYTES + 1);
    fx_buf_str(&text, "'}}");
    json_t *policy = must_read(text.data);
    const struct fx_err err = must_refuse(policy);
    assert_int_equal(err.code, FX_ELIMIT);
    assert_string_equal(err.msg, "templateSource is longer than 65536 bytes");
    json_decref(policy);
    fx_buf_finish(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),           cmocka_unit_test(splits),
        cmocka_unit_test(compiles),          cmocka_unit_test(warns),
        cmocka_unit_test(sizes_are_bounded), cmocka_unit_test(long_sources_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
