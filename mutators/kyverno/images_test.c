/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kyverno/images_test.c - the images of an object, by the rules of
 * spec/kyverno.md section 7.
 */
#include <string.h>

#include "base/budget.h"
#include "mutators/kyverno/images.h"
#include "mutators/kyverno/testing.h"
#include "value/equal.h"

#define ARENA_BYTES ((size_t)1 << 20)

/* The images of the object, NULL if it has none, or after a failure. */
static json_t *find_images(const char *object_text, const char *extractors_text,
                           struct fx_err *err) {
    struct fx_arena arena;
    struct kyverno_extractors *extractors = NULL;
    json_t *images = NULL;
    json_t *object = kyverno_read_quoted(object_text);
    json_t *given = extractors_text == NULL ? NULL : kyverno_read_quoted(extractors_text);
    fx_arena_init(&arena, ARENA_BYTES);
    fx_err_reset(err);
    bool ok = fx_kyverno_extractors_compile(given, &arena, &extractors, err);
    json_decref(given); /* the extractors do not need it */
    ok = ok && fx_kyverno_images(object, extractors, &images, err);
    assert_int_equal(ok, err->code == FX_OK);
    fx_kyverno_extractors_finish(extractors);
    fx_arena_finish(&arena);
    json_decref(object);
    return images;
}

#define DIGEST "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define NGINX(pointer)                                                                   \
    "{'registry':'docker.io','name':'nginx','path':'nginx','tag':'latest','reference':'" \
    "docker.io/nginx:latest','referenceWithTag':'docker.io/nginx:latest',"               \
    "'jsonPointer':'" pointer "'}"

static const struct {
    const char *object, *extractors, *images;
} image_cases[] = {
    {"{'kind':'Pod','spec':{'containers':[{'name':'a','image':'nginx'},{'name':'b'}]}}",
     NULL, "{'containers':{'a':" NGINX("/spec/containers/0/image") "}}"},
    {"{'kind':'Deployment','spec':{'template':{'spec':{'initContainers':[{'name':'a',"
     "'image':'nginx'}],'containers':[]}}}}",
     NULL,
     "{'initContainers':{'a':" NGINX("/spec/template/spec/initContainers/0/image") "}}"},
    {"{'kind':'CronJob','spec':{'jobTemplate':{'spec':{'template':{'spec':{"
     "'ephemeralContainers':[{'name':'a','image':'nginx'}]}}}}}}",
     NULL,
     "{'ephemeralContainers':{'a':" NGINX(
         "/spec/jobTemplate/spec/template/spec/ephemeralContainers/0/image") "}}"},
    {"{'kind':'Pod','spec':{'containers':[{'name':'a','image':'r.io:5000/x/y@" DIGEST
     "'}]}}",
     NULL,
     "{'containers':{'a':{'registry':'r.io:5000','name':'y','path':'x/"
     "y','digest':'" DIGEST "','reference':'r.io:5000/x/y@" DIGEST
     "','referenceWithTag':'r.io:5000/x/y:',"
     "'jsonPointer':'/spec/containers/0/image'}}}"},
    {"{'kind':'Widget','spec':{'containers':[{'name':'a','image':'nginx'}]}}", NULL,
     NULL},
    {"{'kind':'Pod','spec':{}}", NULL, NULL},
    {"{'kind':'Pod','spec':{'containers':null}}", NULL, NULL},
    /* extractors */
    {"{'kind':'Widget','spec':{'img':'nginx'}}", "{'Widget':[{'path':'/spec/img'}]}",
     "{'custom':{'/spec/img':" NGINX("/spec/img") "}}"},
    {"{'kind':'Widget','spec':{'items':[{'n':'a','i':'nginx'},{'n':'b'}]}}",
     "{'Widget':[{'path':'/spec/items/*','name':'parts','key':'n','value':'i'}]}",
     "{'parts':{'a':" NGINX("/spec/items/0/i") "}}"},
    {"{'kind':'Widget','spec':{'m':{'x/y':{'i':'nginx'}}}}",
     "{'Widget':[{'path':'/spec/m/*/i'}]}",
     "{'custom':{'/spec/m/x~1y/i':" NGINX("/spec/m/x~1y/i") "}}"},
    {"{'kind':'Widget','spec':{'img':'oci:nginx'}}",
     "{'Widget':[{'path':'/spec/img','jmesPath':'trim_prefix(@, `\\\"oci:\\\"`)'}]}",
     "{'custom':{'/spec/img':" NGINX("/spec/img") "}}"},
    {"{'kind':'Widget','spec':{'img':'nginx','b':{'i':'nginx'}}}",
     "{'Widget':[{'path':'/spec/img'},{'path':'/spec/b/i'},{'path':'/spec/gone/i'}]}",
     "{'custom':{'/spec/img':" NGINX("/spec/img") ",'/spec/b/i':" NGINX(
         "/spec/b/i") "}}"},
    /* extractors of another kind do not count, those of a known kind replace its lists */
    {"{'kind':'Widget','spec':{'img':'nginx'}}", "{'Gadget':[{'path':'/spec/img'}]}",
     NULL},
    {"{'kind':'Pod','spec':{'img':'nginx','containers':[{'name':'a','image':'x'}]}}",
     "{'Pod':[{'path':'/spec/img'}]}", "{'custom':{'/spec/img':" NGINX("/spec/img") "}}"},
};

static void test_images(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(image_cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        json_t *images =
            find_images(image_cases[i].object, image_cases[i].extractors, &err);
        json_t *expected = image_cases[i].images == NULL
                               ? NULL
                               : kyverno_read_quoted(image_cases[i].images);
        if (err.code != FX_OK) {
            fail_msg("%s: %s", image_cases[i].object, err.msg);
        }
        if (expected == NULL ? images != NULL
                             : images == NULL || !fx_equal(images, expected)) {
            fail_msg("%s: another result", image_cases[i].object);
        }
        json_decref(expected);
        json_decref(images);
    }
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *object, *extractors, *message;
    } cases[] = {
        {"{'kind':'Pod','spec':{'containers':[{'name':'a','image':'-bad'}]}}", NULL,
         "invalid image '-bad'"},
        {"{'kind':'Pod','spec':{'containers':[{'image':'x'}]}}", NULL,
         "`name` is missing"},
        {"{'kind':'Pod','spec':{'containers':'x'}}", NULL, "needs a list or a map"},
        {"{'kind':'Pod','spec':{'containers':['x']}}", NULL, "is no map"},
        {"{'kind':'W','i':'x'}", "{'W':[{'path':'/i','jmesPath':'length(@)'}]}",
         "result of jmesPath is no text"},
        {"{'kind':'W','i':'x'}", "{'W':[{'path':'/i','jmesPath':'abs(@)'}]}",
         "has to be a number"},
        {"{}", "{'W':[{'path':'/i','jmesPath':'a['}]}", "imageExtractors: jmesPath"},
        {"{}", "{'W':[{'path':'/'}]}", "`path` is missing"},
        {"{}", "{'W':[{'path':5}]}", "`path` must be a text"},
        {"{}", "{'W':{}}", "must be a list"},
        {"{}", "[]", "must be a map of kinds"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        assert_null(find_images(cases[i].object, cases[i].extractors, &err));
        if (strstr(err.msg, cases[i].message) == NULL) {
            fail_msg("%s: %s", cases[i].object, err.msg);
        }
    }
}

static void test_limits(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    char extractors[256] = "{'W':[{'path':'";
    for (int i = 0; i < 33; i++) {
        (void)strcat(extractors, "/a");
    }
    (void)strcat(extractors, "'}]}");
    assert_null(find_images("{'kind':'W'}", extractors, &err));
    assert_int_equal(err.code, FX_ELIMIT);

    json_t *images = NULL;
    json_t *object = kyverno_read_quoted(image_cases[0].object);
    const struct fx_bound bound = fx_budget_narrow(6, 0);
    assert_false(fx_kyverno_images(object, NULL, &images, &err));
    (void)fx_budget_widen(bound);
    assert_int_equal(err.code, FX_ELIMIT);
    assert_null(images);
    json_decref(object);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_images),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
