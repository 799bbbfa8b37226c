/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/from_object_test.c - `assign.fromObject`: which sources are
 * refused, what is copied, and that copies of copies have an end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/macros.h"
#include "engine/external.h"
#include "mutators/gatekeeper/testing.h"

#define FIELD "spec.parameters.assign.fromObject: "
#define COPY(location, from)                                                    \
    OURS("Assign", POD_ONLY ",'location':'" location "','parameters':{'assign'" \
                            ":{'fromObject':'" from "'}}")
#define LABEL(from)                                                                \
    OURS("AssignMetadata", "'location':'metadata.labels.x','parameters':{'assign'" \
                           ":{'fromObject':'" from "'}}")
#define NONE_SET                                                                      \
    "one of `externalData`, `value`, `fromMetadata` or `fromObject`: invalid assign " \
    "field"
#define AROUND       FIELD "the location lies within this value, which would grow without end"
#define WITHIN       FIELD "this value lies within the location, and would be lost by the write"
#define BY_KEY       FIELD "looks for a list element by the field that the location changes"
#define LONGEST_TEXT ((size_t)FX_LIMIT_COPIED_NODES * FX_LIMIT_COPIED_NODE_BYTES - 1)
#define SEVERAL                                                                       \
    FIELD "leads to several values: its globs must be those with which the location " \
          "begins"

static const struct refusal refused[] = {
    {OURS("Assign", "'location':'spec.x','parameters':{'assign':{'fromObject':5}}"),
     "json: cannot unmarshal number into Go struct field "
     "AssignField.spec.parameters.assign.fromObject of type string",
     "5", 0, 0},
    {OURS("Assign", "'location':'spec.x','parameters':{'assign':{}}"),
     "assign must set " NONE_SET, "{}", 0, 0},
    {OURS("Assign",
          "'location':'spec.x','parameters':{'assign':{'value':1,'fromObject':'spec'}}"),
     "assign must only set " NONE_SET, "{'value':1,'fromObject':'spec'}", 0, 0},
    {COPY("spec.x", ""), FIELD "empty path", "''", 0, 0},
    {COPY("spec.x", "spec.y."), FIELD "trailing separators are forbidden", "'spec.y.'", 6,
     1},
    /* Neither itself, nor around, nor within. */
    {COPY("spec.x", "spec.x"), FIELD "is the location itself", "'spec.x'", 0, 0},
    {COPY("spec.l[k: *].x", "spec.l[k: *].x"), FIELD "is the location itself",
     "'spec.l[k: *].x'", 0, 0},
    {COPY("spec.x.y", "spec.x"), AROUND, "'spec.x'", 0, 0},
    {COPY("spec.x.y", "spec"), AROUND, "'spec'", 0, 0},
    {COPY("spec.l[k: v].x", "spec.l[k: v]"), AROUND, NULL, 0, 0},
    {COPY("spec.l[k: v].x", "spec.l"), AROUND, NULL, 0, 0},
    {COPY("spec.l[k: *].x", "spec.l[k: v]"), AROUND, NULL, 0, 0},
    {COPY("spec.l[k: v].x", "spec.l[n: 5]"), AROUND, NULL, 0, 0},
    {COPY("spec.l[k: * except u].x", "spec.l[k: v]"), AROUND, NULL, 0, 0},
    {COPY("spec.x", "spec.x.y"), WITHIN, "'spec.x.y'", 0, 0},
    {COPY("spec.l[k: *].x", "spec.l[k: v].x.y"), WITHIN, NULL, 0, 0},
    {COPY("spec.l[k: v]", "spec.l[n: w].x"), WITHIN, NULL, 0, 0},
    {COPY("spec.l[k: v].n", "spec.l[n: 1].x"), BY_KEY, "'spec.l[n: 1].x'", 0, 0},
    {COPY("spec.l[k: *].n", "spec.l[n: 1].x"), BY_KEY, NULL, 0, 0},
    /* One value. */
    {COPY("spec.x", "spec.l[k: *].x"), SEVERAL, "'spec.l[k: *].x'", 0, 0},
    {COPY("spec.l[k: *].x", "spec.l[k: *].m[n: *].x"), SEVERAL, NULL, 0, 0},
    {COPY("spec.l[k: *].x", "spec.l[k: * except v].x"), SEVERAL, NULL, 0, 0},
    {COPY("spec.l[k: *].x", "spec.l[n: *].x"), SEVERAL, NULL, 0, 0},
    {COPY("spec.l[k: *]", "spec.y"), "can't append to a globbed list", "'spec.l[k: *]'",
     0, 0},
    {LABEL("metadata.labels"), AROUND, NULL, 0, 0},
    {LABEL("spec.l[k: *]"), SEVERAL, NULL, 0, 0},
};

static void refuses(void **state) {
    (void)state;
    expect_refusals(refused, FX_COUNT(refused));
}

static const struct writing copied[] = {
    {COPY("spec.x", "spec.y"), "{'y':{'a':[1]}}", "{'y':{'a':[1]},'x':{'a':[1]}}", NULL},
    {COPY("spec.x", "spec.y"), "{'x':1,'y':1}", NULL, NULL},
    {COPY("spec.x", "spec.y"), "{'x':1,'y':false}", "{'x':false,'y':false}", NULL},
    {COPY("spec.x", "metadata.name"), "{}", "{'x':'p'}", NULL},
    {COPY("spec.x.z", "spec.x.y"), "{'x':{'y':1}}", "{'x':{'y':1,'z':1}}", NULL},
    {COPY("spec.x.z", "spec.y"), "{'y':1}", "{'y':1,'x':{'z':1}}", NULL},
    {COPY("spec.x", "spec.l[k: v].a"), "{'l':[{'k':'u','a':1},{'k':'v','a':2}]}",
     "{'l':[{'k':'u','a':1},{'k':'v','a':2}],'x':2}", NULL},
    {COPY("spec.x", "spec.l[k: v].a"), "{'l':[{'k':'v'},{'k':'v','a':2}]}",
     "{'l':[{'k':'v'},{'k':'v','a':2}],'x':2}", NULL},
    /* A missing value writes nothing. */
    {COPY("spec.x", "spec.y"), "{}", NULL, "fromObject"},
    {COPY("spec.x", "spec.y"), "{'x':1,'y':null}", NULL, "fromObject"},
    {COPY("spec.x.z", "spec.x.y"), "{}", NULL, "fromObject"},
    {COPY("spec.x.z[k: v].w", "spec.x.z[k: v].y"), "{}", NULL, "fromObject"},
    {COPY("spec.x", "spec.y.z"), "{'y':'text'}", NULL, "fromObject"},
    /* The same element. */
    {COPY("spec.l[k: *].x", "spec.l[k: *].k"), "{'l':[{'k':'a'},{'k':5},{}]}",
     "{'l':[{'k':'a','x':'a'},{'k':5,'x':5},{}]}", NULL},
    {COPY("spec.l[k: *].m[n: v].x", "spec.l[k: *].y"),
     "{'l':[{'y':1},{'y':2,'m':[{'n':'v'}]},{}]}",
     "{'l':[{'y':1,'m':[{'n':'v','x':1}]},{'y':2,'m':[{'n':'v','x':2}]},{}]}", NULL},
    {COPY("spec.l[k: *].m[n: v].x", "spec.l[k: *].m[n: u].x"),
     "{'l':[{'m':[{'n':'u','x':1}]},{'m':[]}]}",
     "{'l':[{'m':[{'n':'u','x':1},{'n':'v','x':1}]},{'m':[]}]}", NULL},
    {COPY("spec.l[k: v].x", "spec.l[k: v].y"), "{'l':[{'k':'v','y':1},{'k':'v','y':2}]}",
     "{'l':[{'k':'v','y':1,'x':1},{'k':'v','y':2,'x':2}]}", NULL},
    {COPY("spec.l[k: v].m.x", "spec.l[k: v].k"), "{}", NULL, "fromObject"},
    {COPY("spec.l[k: *].x", "spec.l[k: v].x"), "{'l':[{'k':'u'},{'k':'v','x':1}]}",
     "{'l':[{'k':'u','x':1},{'k':'v','x':1}]}", NULL},
    {COPY("spec.l[k: * except v].x", "spec.l[k: v]"), "{'l':[{'k':'u'},{'k':'v'}]}",
     "{'l':[{'k':'u','x':{'k':'v'}},{'k':'v'}]}", NULL},
    {COPY("spec.l[k: * except v].x", "spec.l[k: * except v].y"),
     "{'l':[{'k':'u','y':1},{'k':'v','y':2}]}",
     "{'l':[{'k':'u','y':1,'x':1},{'k':'v','y':2}]}", NULL},
    /* An element of a list. */
    {COPY("spec.l[k: v]", "spec.y"), "{'y':{'k':'v','n':1},'l':[{'k':'v'}]}",
     "{'y':{'k':'v','n':1},'l':[{'k':'v','n':1}]}", NULL},
    {COPY("spec.l[k: v]", "spec.m[k: v]"), "{'m':[{'k':'v','n':1}]}",
     "{'m':[{'k':'v','n':1}],'l':[{'k':'v','n':1}]}", NULL},
    {COPY("spec.l[k: v]", "spec.m[k: v]"), "{}", NULL, "fromObject"},
};

static void copies(void **state) {
    (void)state;
    expect_writings(copied, FX_COUNT(copied));
}

static void fails_on_what_does_not_fit(void **state) {
    (void)state;
    expect_failure(LABEL("spec.y"), "{'y':5}", FX_EMUTATE,
                   "value at spec.y is not a string, got int64");
    expect_failure(LABEL("spec.\\'a b\\'"), "{'a b':{}}", FX_EMUTATE,
                   "value at spec.\"a b\" is not a string, got map[string]interface {}");
    expect_failure(COPY("spec.l[k: v]", "spec.y"), "{'y':5}", FX_EMUTATE,
                   "value at spec.y is not an object, only objects can be added to keyed "
                   "lists");
    expect_failure(COPY("spec.l[k: v]", "spec.y"), "{'y':{'k':'w'}}", FX_EMUTATE,
                   "value at spec.y has another key than the list element");
    expect_failure(COPY("spec.l[k: 5]", "spec.y"), "{'y':{'k':'5'}}", FX_EMUTATE,
                   "value at spec.y has another key than the list element");
}

static void makes_labels(void **state) {
    (void)state;
    json_t *policy = must_read(LABEL("spec.l[name: main].image"));
    struct fx_compilation compilation = must_compile(policy);
    json_t *root = pod_of("{'l':[{'name':'side'},{'name':'main','image':'nginx'}]}");
    assert_true(must_apply(compilation.mutators[0], &root).changed);
    json_t *labels = json_object_get(json_object_get(root, "metadata"), "labels");
    assert_json(labels, "{'x':'nginx'}");
    json_decref(root);
    /* As ever, what is there already stays. */
    root = pod_of("{'l':[{'name':'main','image':'nginx'}]}");
    json_object_set_new(json_object_get(root, "metadata"), "labels",
                        must_read("{'x':'y'}"));
    assert_string_equal(must_apply(compilation.mutators[0], &root).criterion,
                        "pathTests");
    json_decref(root);
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

/* A value that is still to come will be a string. */
static void copies_placeholders(void **state) {
    (void)state;
    static const struct fx_external external = {.provider = {"p", 1}};
    json_t *policy = must_read(LABEL("spec.y"));
    struct fx_compilation compilation = must_compile(policy);
    const struct fx_mutator *mutator = compilation.mutators[0];
    struct fx_request request = request_create;
    request.placeholders = fx_placeholders_create();
    json_t *node = fx_placeholders_make(request.placeholders, &external, FX_TEXT("key"));
    json_t *root = pod_of("{}");
    json_object_set(json_object_get(root, "spec"), "y", node);
    struct fx_effect effect = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_true(mutator->ops->apply(mutator, &request, &root, &effect, &err));
    const json_t *labels = json_object_get(json_object_get(root, "metadata"), "labels");
    assert_ptr_equal(json_object_get(labels, "x"), node);
    json_decref(root);
    json_decref(node);
    fx_placeholders_destroy(request.placeholders);
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

/* The node itself, which then counts as shared: a write through one of its positions is
 * not seen through the other. */
static void copies_by_reference(void **state) {
    (void)state;
    json_t *policy = must_read(COPY("spec.x", "spec.y"));
    json_t *inner_policy = must_read(OURS(
        "Assign", POD_ONLY ",'location':'spec.x.m','parameters':{'assign':{'value':2}}"));
    struct fx_compilation compilation = must_compile(policy);
    struct fx_compilation inner = must_compile(inner_policy);
    json_t *root = pod_of("{'y':{'n':1}}");
    (void)must_apply(compilation.mutators[0], &root);
    const json_t *spec = json_object_get(root, "spec");
    assert_ptr_equal(json_object_get(spec, "x"), json_object_get(spec, "y"));
    (void)must_apply(inner.mutators[0], &root);
    assert_json(json_object_get(root, "spec"), "{'y':{'n':1},'x':{'n':1,'m':2}}");
    json_decref(root);
    fx_compilation_finish(&inner);
    fx_compilation_finish(&compilation);
    json_decref(inner_policy);
    json_decref(policy);
}

/* A list of n elements, or n lists around an empty one. */
static json_t *wide(size_t n) {
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(list, json_integer(1));
    }
    return list;
}

static json_t *deep(size_t n) {
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *around = json_array();
        json_array_append_new(around, list);
        list = around;
    }
    return list;
}

static json_t *long_text(size_t n_bytes) {
    char *text = malloc(n_bytes);
    memset(text, 'x', n_bytes);
    json_t *made = json_stringn(text, n_bytes);
    free(text);
    return made;
}

static void has_bounds(void **state) {
    (void)state;
    const struct {
        json_t *value;
        bool fits;
    } rows[] = {
        {wide(FX_LIMIT_COPIED_NODES - 1), true}, {wide(FX_LIMIT_COPIED_NODES), false},
        {deep(FX_LIMIT_JSON_DEPTH - 2), true},   {deep(FX_LIMIT_JSON_DEPTH - 1), false},
        {long_text(LONGEST_TEXT), true},         {long_text(LONGEST_TEXT + 1), false},
    };
    json_t *policy = must_read(COPY("spec.x", "spec.y"));
    struct fx_compilation compilation = must_compile(policy);
    const struct fx_mutator *mutator = compilation.mutators[0];
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        json_t *root = pod_of("{}");
        json_object_set_new(json_object_get(root, "spec"), "y", rows[i].value);
        struct fx_effect effect = {0};
        struct fx_err err = FX_ERR_INIT;
        const bool ok =
            mutator->ops->apply(mutator, &request_create, &root, &effect, &err);
        assert_int_equal(ok, rows[i].fits);
        if (!ok) {
            assert_int_equal(err.code, FX_EMUTATE);
            assert_string_equal(err.msg, "value at spec.y is too large to be copied");
        }
        json_decref(root);
    }
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

/* The elements of a list that all get the value. */
static json_t *elements(size_t n) {
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(list, json_pack("{s:I}", "k", (json_int_t)i));
    }
    return list;
}

/* From elsewhere, which is read once, and from the element itself. */
static void has_a_bound_for_all_copies(void **state) {
    (void)state;
    const size_t n_most = FX_LIMIT_COPIED_NODES_OF_PASS / FX_LIMIT_COPIED_NODES;
    const char *const policies[] = {
        COPY("spec.l[k: *].x", "spec.y"),
        COPY("spec.l[k: *].x", "spec.l[k: *].y"),
    };
    for (size_t i = 0; i < 2 * FX_COUNT(policies); i++) {
        const bool fits = i % 2 == 0;
        json_t *policy = must_read(policies[i / 2]);
        struct fx_compilation compilation = must_compile(policy);
        const struct fx_mutator *mutator = compilation.mutators[0];
        json_t *root = pod_of("{}");
        json_t *spec = json_object_get(root, "spec");
        json_t *value = wide(FX_LIMIT_COPIED_NODES - 1);
        json_t *list = elements(n_most + (fits ? 0 : 1));
        size_t index = 0;
        json_t *element = NULL;
        json_array_foreach (list, index, element) {
            json_object_set(element, "y", value);
        }
        json_object_set_new(spec, "y", value);
        json_object_set_new(spec, "l", list);
        struct fx_effect effect = {0};
        struct fx_err err = FX_ERR_INIT;
        assert_int_equal(
            mutator->ops->apply(mutator, &request_create, &root, &effect, &err), fits);
        if (!fits) {
            assert_int_equal(err.code, FX_EMUTATE);
            assert_non_null(
                strstr(err.msg, " is too large to be copied to so many places"));
        }
        json_decref(root);
        fx_compilation_finish(&compilation);
        json_decref(policy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(copies),
        cmocka_unit_test(fails_on_what_does_not_fit),
        cmocka_unit_test(makes_labels),
        cmocka_unit_test(copies_placeholders),
        cmocka_unit_test(copies_by_reference),
        cmocka_unit_test(has_bounds),
        cmocka_unit_test(has_a_bound_for_all_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
