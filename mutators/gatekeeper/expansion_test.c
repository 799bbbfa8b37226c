/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/expansion_test.c - which objects are expanded, and to what.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mutators/gatekeeper/expansion_testing.h"
#include "value/equal.h"
#include "value/json.h"

static json_t *must_read(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *value = fx_json_read(fx_text_of(text), NULL, &err);
    if (value == NULL) {
        fail_msg("`%s`: %s", text, err.msg);
    }
    return value;
}

static const struct {
    const char *object;
    bool applies;
} wanted[] = {
    {"{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\"}", true},
    {"{\"apiVersion\":\"batch/v1beta1\",\"kind\":\"Job\"}", true},
    {"{\"apiVersion\":\"apps/v2\",\"kind\":\"Deployment\"}", false},
    {"{\"apiVersion\":\"v1\",\"kind\":\"Deployment\"}", false},
    {"{\"apiVersion\":\"apps/v1\",\"kind\":\"DaemonSet\"}", false},
    {"{\"apiVersion\":\"Apps/v1\",\"kind\":\"Deployment\"}", false},
    {"{\"apiVersion\":\"apps/v1/x\",\"kind\":\"Deployment\"}", false},
    {"{\"kind\":\"Deployment\"}", false},
    {"{}", false},
};

static void applies(void **state) {
    (void)state;
    struct fx_expansion *expansion = fake_expansion(&(struct fake_template){
        "t", "apps batch", "v1 v1beta1", "Deployment Job", NULL, "", "v1", "Pod"});
    for (size_t i = 0; i < FX_COUNT(wanted); i++) {
        json_t *object = must_read(wanted[i].object);
        if (fx_expansion_applies(expansion, object) != wanted[i].applies) {
            fail_msg("%s", wanted[i].object);
        }
        json_decref(object);
    }
    fx_resource_unref(&expansion->resource);
}

/* An object, the namespace it is in, and the result. */
static const struct {
    const char *about, *generator, *namespace_, *made;
} expanded[] = {
    {"a Deployment",
     "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"Web\","
     "\"namespace\":\"shop\"},\"spec\":{\"template\":{\"spec\":{\"containers\":[]},"
     "\"metadata\":{\"labels\":{\"a\":\"b\"}}}}}",
     "",
     "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"labels\":{\"a\":\"b\"},"
     "\"name\":\"web-pod\",\"namespace\":\"shop\",\"ownerReferences\":[{\"apiVersion\":"
     "\"apps/v1\",\"kind\":\"Deployment\",\"name\":\"Web\"}]},\"spec\":{"
     "\"containers\":[]}}"},
    {"the namespace beside it, where it has none; and its uid",
     "{\"apiVersion\":\"a/"
     "v1\",\"kind\":\"A\",\"metadata\":{\"name\":\"n\",\"uid\":\"u-1\"},"
     "\"spec\":{\"template\":{}}}",
     "beside",
     "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"n-pod\","
     "\"namespace\":\"beside\",\"ownerReferences\":[{\"apiVersion\":\"a/v1\",\"kind\":"
     "\"A\",\"name\":\"n\",\"uid\":\"u-1\"}]}}"},
    {"its own namespace counts",
     "{\"apiVersion\":\"a/v1\",\"kind\":\"A\",\"metadata\":{\"name\":\"n\",\"namespace\":"
     "\"own\"},\"spec\":{\"template\":{\"metadata\":{\"namespace\":\"other\"}}}}",
     "beside",
     "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"namespace\":\"own\","
     "\"name\":\"n-pod\",\"ownerReferences\":[{\"apiVersion\":\"a/v1\",\"kind\":\"A\","
     "\"name\":\"n\"}]}}"},
    {"no namespace at all, and no name: no owner",
     "{\"apiVersion\":\"a/v1\",\"kind\":\"A\",\"spec\":{\"template\":{\"x\":1}}}", "",
     "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"-pod\"},\"x\":1}"},
    {"type and metadata of the source do not count",
     "{\"apiVersion\":\"a/v1\",\"kind\":\"A\",\"metadata\":{\"name\":\"n\"},\"spec\":{"
     "\"template\":{\"kind\":\"X\",\"apiVersion\":7,\"metadata\":null,\"x\":null}}}",
     "",
     "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"n-pod\","
     "\"ownerReferences\":[{\"apiVersion\":\"a/v1\",\"kind\":\"A\",\"name\":\"n\"}]},"
     "\"x\":null}"},
    {"an owner more",
     "{\"apiVersion\":\"a/v1\",\"kind\":\"A\",\"metadata\":{\"name\":\"n\"},\"spec\":{"
     "\"template\":{\"metadata\":{\"ownerReferences\":[{\"name\":\"n\"}]}}}}",
     "",
     "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"ownerReferences\":[{"
     "\"name\":\"n\"},{\"apiVersion\":\"a/v1\",\"kind\":\"A\",\"name\":\"n\"}],"
     "\"name\":\"n-pod\"}}"},
    {"an owner that is there",
     "{\"apiVersion\":\"a/v1\",\"kind\":\"A\",\"metadata\":{\"name\":\"n\"},\"spec\":{"
     "\"template\":{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"a/v1\","
     "\"kind\":\"A\",\"name\":\"n\",\"uid\":\"x\"}]}}}}",
     "",
     "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"ownerReferences\":[{"
     "\"apiVersion\":\"a/v1\",\"kind\":\"A\",\"name\":\"n\",\"uid\":\"x\"}],"
     "\"name\":\"n-pod\"}}"},
};

static void expands(void **state) {
    (void)state;
    struct fx_expansion *expansion = fake_expansion(
        &(struct fake_template){"t", "", "", "", "spec.template", "", "v1", "Pod"});
    for (size_t i = 0; i < FX_COUNT(expanded); i++) {
        print_message("%s\n", expanded[i].about);
        json_t *generator = must_read(expanded[i].generator);
        struct fx_err err = FX_ERR_INIT;
        json_t *made = fx_expansion_expand(expansion, generator,
                                           fx_text_of(expanded[i].namespace_), &err);
        assert_non_null(made);
        struct fx_buf got;
        fx_buf_init(&got, 0);
        fx_json_write(&got, made, FX_JSON_COMPACT);
        assert_string_equal(got.data, expanded[i].made);
        fx_buf_finish(&got);
        json_decref(made);
        json_t *untouched = must_read(expanded[i].generator);
        assert_true(fx_equal(generator, untouched));
        json_decref(untouched);
        json_decref(generator);
    }
    fx_resource_unref(&expansion->resource);
}

/* A type with a group; one that is only a kind, or only a version. */
static void types(void **state) {
    (void)state;
    static const struct {
        const char *group, *version, *kind, *api_version, *name;
    } rows[] = {
        {"batch", "v1", "Job", "batch/v1", "n-job"},
        {"", "", "Job", "", "n-job"},
        {"", "v1", "", "v1", "n"},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct fx_expansion *expansion = fake_expansion(&(struct fake_template){
            "t", "", "", "", "spec", rows[i].group, rows[i].version, rows[i].kind});
        json_t *generator = must_read("{\"metadata\":{\"name\":\"N\"},\"spec\":{}}");
        struct fx_err err = FX_ERR_INIT;
        json_t *made = fx_expansion_expand(expansion, generator, FX_TEXT(""), &err);
        assert_non_null(made);
        const char *api_version = NULL;
        const char *kind = NULL;
        const char *name = NULL;
        assert_int_equal(json_unpack(made, "{s:s, s:s, s:{s:s}}", "apiVersion",
                                     &api_version, "kind", &kind, "metadata", "name",
                                     &name),
                         0);
        assert_string_equal(api_version, rows[i].api_version);
        assert_string_equal(kind, rows[i].kind);
        assert_string_equal(name, rows[i].name);
        json_decref(made);
        json_decref(generator);
        fx_resource_unref(&expansion->resource);
    }
}

#define ACCESSOR "could not extract source field from unstructured: "
#define EXPECTED ", expected map[string]interface{}"

static const struct {
    const char *generator, *msg;
} refused[] = {
    {"{\"metadata\":{\"name\":\"n\"}}",
     "could not find source field \"spec.a.b\" in resource n"},
    {"{\"spec\":{\"a\":{}}}", "could not find source field \"spec.a.b\" in resource "},
    {"{\"spec\":null}", "could not find source field \"spec.a.b\" in resource "},
    {"{\"spec\":{\"a\":null}}", "could not find source field \"spec.a.b\" in resource "},
    {"{\"spec\":\"x\"}",
     ACCESSOR ".spec.a accessor error: x is of the type string" EXPECTED},
    {"{\"spec\":{\"a\":[1]}}",
     ACCESSOR ".spec.a.b accessor error: [1] is of the type []interface {}" EXPECTED},
    {"{\"spec\":{\"a\":{\"b\":null}}}",
     ACCESSOR ".spec.a.b accessor error: <nil> is of the type <nil>" EXPECTED},
    {"{\"spec\":{\"a\":{\"b\":7}}}",
     ACCESSOR ".spec.a.b accessor error: 7 is of the type int64" EXPECTED},
    {"{\"spec\":{\"a\":{\"b\":true}}}",
     ACCESSOR ".spec.a.b accessor error: true is of the type bool" EXPECTED},
};

static void refuses(void **state) {
    (void)state;
    struct fx_expansion *expansion = fake_expansion(
        &(struct fake_template){"t", "", "", "", "spec.a.b", "", "v1", "Pod"});
    for (size_t i = 0; i < FX_COUNT(refused); i++) {
        json_t *generator = must_read(refused[i].generator);
        struct fx_err err = FX_ERR_INIT;
        assert_null(fx_expansion_expand(expansion, generator, FX_TEXT(""), &err));
        assert_int_equal(err.code, FX_EINVALID);
        assert_string_equal(err.msg, refused[i].msg);
        json_decref(generator);
    }
    fx_resource_unref(&expansion->resource);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(applies),
        cmocka_unit_test(expands),
        cmocka_unit_test(types),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
