/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/match_test.c - match and exclude of rules: kinds, names, selectors, users.
 */
#include "match.h"

#include "testing.h"
#include "value/tree.h"

/* What is matched: the default is a Pod of the user alice. */
struct match_case {
    const char *match;
    bool holds;
    const char *criterion; /* if it does not hold; NULL: not compared */
};

static const char pod[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web-1\","
    "\"namespace\":\"shop\",\"labels\":{\"app\":\"web\",\"tier\":\"1\"},"
    "\"annotations\":{\"a.io/x\":\"on\"}}}";
static const char admission_text[] =
    "{\"resource\":{\"group\":\"\",\"version\":\"v1\",\"resource\":\"pods\"},"
    "\"userInfo\":{\"username\":\"alice\",\"groups\":[\"dev\",\"all\"]}}";

struct match_scene {
    struct fx_arena arena;
    struct fx_compilation compilation;
    struct fx_request request;
    struct fx_subject subject;
    struct kyverno_match match;
    json_t *object, *admission, *document, *namespace_, *roles;
    struct fx_err err;
};

static void begin(struct match_scene *scene, const char *object, const char *admission) {
    *scene = (struct match_scene){.err = FX_ERR_INIT};
    fx_arena_init(&scene->arena, KYVERNO_TEST_ARENA);
    scene->object = kyverno_read(object);
    scene->admission = admission == NULL ? NULL : kyverno_read(admission);
    scene->namespace_ =
        kyverno_read("{\"metadata\":{\"name\":\"shop\",\"labels\":{\"env\":\"prod\"}}}");
    scene->roles = kyverno_read("[\"shop:admin\"]");
    scene->request = (struct fx_request){
        .operation = FX_OPERATION_CREATE,
        .admission = scene->admission,
        .namespace_object = scene->namespace_,
        .roles = scene->roles,
    };
    fx_subject_read(scene->object, &scene->subject);
}

static bool read(struct match_scene *scene, const char *text, const char *field) {
    scene->document = kyverno_read(text);
    const struct kyverno_reading reading = {&scene->compilation, &scene->arena,
                                            scene->document, &scene->err};
    return fx_kyverno_match_read(&reading, scene->document, field, &scene->match);
}

static void end(struct match_scene *scene) {
    fx_kyverno_match_finish(&scene->match);
    fx_compilation_finish(&scene->compilation);
    fx_arena_finish(&scene->arena);
    json_decref(scene->object);
    json_decref(scene->admission);
    json_decref(scene->document);
    json_decref(scene->namespace_);
    json_decref(scene->roles);
}

static void expect_for(const struct match_case *one, const char *object,
                       const char *admission) {
    struct match_scene scene;
    bool holds = false;
    const char *criterion = NULL;
    begin(&scene, object, admission);
    const struct kyverno_match_subject of = {&scene.request, &scene.subject};
    if (!read(&scene, one->match, "match") ||
        !fx_kyverno_match_holds(&scene.match, &of, &holds, &criterion, &scene.err)) {
        fail_msg("%s: %s", one->match, scene.err.msg);
    }
    if (holds != one->holds) {
        fail_msg("%s: wanted %d", one->match, one->holds);
    }
    if (one->criterion != NULL) {
        assert_string_equal(criterion, one->criterion);
    }
    end(&scene);
}

#define RESOURCES(text) "{\"any\":[{\"resources\":{" text "}}]}"

static void kinds(void **state) {
    (void)state;
    static const struct match_case cases[] = {
        {RESOURCES("\"kinds\":[\"Pod\"]"), true, NULL},
        {RESOURCES("\"kinds\":[\"pod\"]"), false, "match.any[0].resources.kinds"},
        {RESOURCES("\"kinds\":[\"*\"]"), true, NULL},
        {RESOURCES("\"kinds\":[\"P?d\"]"), true, NULL},
        {RESOURCES("\"kinds\":[\"v1/Pod\"]"), true, NULL},
        {RESOURCES("\"kinds\":[\"v1beta1/Pod\"]"), false, NULL},
        {RESOURCES("\"kinds\":[\"*/Pod\"]"), true, NULL},
        {RESOURCES("\"kinds\":[\"apps/v1/Pod\"]"), false, NULL},
        {RESOURCES("\"kinds\":[\"*/v1/Pod\"]"), false,
         NULL}, /* version/Kind/subresource */
        {RESOURCES("\"kinds\":[\"Pod/status\"]"), false, NULL},
        {RESOURCES("\"kinds\":[\"Pod.status\"]"), false, NULL},
        {RESOURCES("\"kinds\":[\"Pod/*\"]"), true, NULL},
        {RESOURCES("\"kinds\":[\"*/*\"]"), true, NULL},
        {RESOURCES("\"kinds\":[\"*/scale\"]"), false, NULL},
        {RESOURCES("\"kinds\":[\"*/v1/Pod/*\"]"), true, NULL},
        {RESOURCES("\"kinds\":[\"Service\",\"Pod\"]"), true, NULL},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        expect_for(&cases[i], pod, admission_text);
    }
}

/* Requests for subresources match the kind of their resource. */
static void subresources(void **state) {
    (void)state;
    static const char options[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"PodExecOptions\",\"metadata\":{}}";
    static const char exec[] =
        "{\"resource\":{\"group\":\"\",\"version\":\"v1\",\"resource\":\"pods\"},"
        "\"subResource\":\"exec\"}";
    static const char ephemeral[] =
        "{\"resource\":{\"group\":\"\",\"version\":\"v1\",\"resource\":\"pods\"},"
        "\"subResource\":\"ephemeralcontainers\"}";
    static const struct match_case of_exec[] = {
        {RESOURCES("\"kinds\":[\"Pod/exec\"]"), true, NULL},
        {RESOURCES("\"kinds\":[\"Pod\"]"), false, NULL},
        {RESOURCES("\"kinds\":[\"*\"]"), false, NULL},
        {RESOURCES("\"kinds\":[\"*/exec\"]"), true, NULL},
    };
    static const struct match_case of_ephemeral[] = {
        {RESOURCES("\"kinds\":[\"Pod\"]"), true, NULL},
        {RESOURCES("\"kinds\":[\"Pod/status\"]"), true, NULL},
        {RESOURCES("\"kinds\":[\"Service\"]"), false, NULL},
    };
    for (size_t i = 0; i < FX_COUNT(of_exec); i++) {
        expect_for(&of_exec[i], options, exec);
    }
    for (size_t i = 0; i < FX_COUNT(of_ephemeral); i++) {
        expect_for(&of_ephemeral[i], pod, ephemeral);
    }
}

static void attributes(void **state) {
    (void)state;
    static const struct match_case cases[] = {
        {RESOURCES("\"operations\":[\"CREATE\"]"), true, NULL},
        {RESOURCES("\"operations\":[\"UPDATE\"]"), false,
         "match.any[0].resources.operations"},
        {RESOURCES("\"name\":\"web-?\""), true, NULL},
        {RESOURCES("\"names\":[\"a\",\"web-*\"]"), true, NULL},
        {RESOURCES("\"names\":[\"web\"]"), false, "match.any[0].resources.names"},
        {RESOURCES("\"namespaces\":[\"sh*\"]"), true, NULL},
        {RESOURCES("\"annotations\":{\"a.io/*\":\"o?\"}"), true, NULL},
        {RESOURCES("\"annotations\":{\"a.io/*\":\"off\"}"), false, NULL},
        {RESOURCES("\"selector\":{\"matchLabels\":{\"app\":\"web\"}}"), true, NULL},
        {RESOURCES("\"selector\":{\"matchLabels\":{\"a*\":\"w*\",\"tier\":\"1\"}}"), true,
         NULL},
        {RESOURCES("\"selector\":{\"matchLabels\":{\"a*\":\"x*\"}}"), false, NULL},
        {RESOURCES("\"selector\":{\"matchLabels\":{\"a*\":\"w*\",\"tier\":\"2\"}}"),
         false, "match.any[0].resources.selector"},
        {RESOURCES("\"namespaceSelector\":{\"matchLabels\":{\"env\":\"p*\"}}"), true,
         NULL},
        {RESOURCES("\"namespaceSelector\":{\"matchExpressions\":[{\"key\":\"env\","
                   "\"operator\":\"In\",\"values\":[\"dev\"]}]}"),
         false, "match.any[0].resources.namespaceSelector"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        expect_for(&cases[i], pod, admission_text);
    }
}

static void users(void **state) {
    (void)state;
    static const struct match_case cases[] = {
        {"{\"any\":[{\"subjects\":[{\"kind\":\"User\",\"name\":\"al*\"}]}]}", true, NULL},
        {"{\"any\":[{\"subjects\":[{\"kind\":\"Group\",\"name\":\"dev\"}]}]}", true,
         NULL},
        {"{\"any\":[{\"subjects\":[{\"kind\":\"ServiceAccount\",\"name\":\"alice\","
         "\"namespace\":\"shop\"}]}]}",
         false, "match.any[0].subjects"},
        {"{\"any\":[{\"roles\":[\"shop:admin\"]}]}", true, NULL},
        {"{\"any\":[{\"roles\":[\"shop:*\"]}]}", false, "match.any[0].roles"},
        {"{\"any\":[{\"clusterRoles\":[\"edit\"]}]}", false, "match.any[0].clusterRoles"},
        /* Both must hold. */
        {"{\"any\":[{\"roles\":[\"shop:admin\"],\"clusterRoles\":[\"edit\"]}]}", false,
         NULL},
    };
    static const struct match_case unknown[] = {
        {"{\"any\":[{\"resources\":{\"kinds\":[\"Pod\"]},\"subjects\":[{\"kind\":"
         "\"User\",\"name\":\"bob\"}]}]}",
         true, NULL},
        {"{\"any\":[{\"subjects\":[{\"kind\":\"User\",\"name\":\"bob\"}]}]}", false,
         NULL},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        expect_for(&cases[i], pod, admission_text);
    }
    for (size_t i = 0; i < FX_COUNT(unknown); i++) {
        expect_for(&unknown[i], pod, NULL);
    }
}

static void forms(void **state) {
    (void)state;
    static const struct match_case cases[] = {
        {"{}", true, NULL},
        {"{\"any\":[]}", false, "match"},
        {"{\"all\":[]}", false, "match"},
        {"{\"any\":[{}]}", false, "match"},
        {"{\"resources\":{\"kinds\":[\"Pod\"]}}", true, NULL},
        {"{\"resources\":{\"kinds\":[\"Job\"]}}", false, "match.resources.kinds"},
        {"{\"any\":[{\"resources\":{\"kinds\":[\"Pod\"]}}],"
         "\"all\":[{\"resources\":{\"kinds\":[\"Job\"]}}]}",
         true, NULL},
        {"{\"all\":[{\"resources\":{\"kinds\":[\"Pod\"]}},"
         "{\"resources\":{\"names\":[\"x\"]}}]}",
         false, "match.all[1].resources.names"},
        /* The filter that came furthest is named. */
        {"{\"any\":[{\"resources\":{\"kinds\":[\"Pod\"],\"names\":[\"x\"]}},"
         "{\"resources\":{\"kinds\":[\"Job\"]}}]}",
         false, "match.any[0].resources.names"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        expect_for(&cases[i], pod, admission_text);
    }
}

static void excludes(void **state) {
    (void)state;
    static const struct {
        const char *exclude;
        bool holds;
    } cases[] = {
        {"{}", false},
        {"{\"any\":[]}", false},
        {"{\"all\":[]}", false},
        {"{\"any\":[{}]}", false},
        {"{\"any\":[{},{\"resources\":{\"kinds\":[\"Pod\"]}}]}", true},
        {"{\"all\":[{\"resources\":{\"kinds\":[\"Pod\"]}},{\"roles\":[\"x:y\"]}]}",
         false},
        {"{\"all\":[{\"resources\":{\"kinds\":[\"Pod\"]}},{\"roles\":[\"shop:admin\"]}]}",
         true},
        {"{\"clusterRoles\":[\"edit\"]}", false},
        {"{\"resources\":{\"namespaces\":[\"shop\"]}}", true},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct match_scene scene;
        bool holds = false;
        begin(&scene, pod, admission_text);
        const struct kyverno_match_subject of = {&scene.request, &scene.subject};
        assert_true(read(&scene, cases[i].exclude, "exclude"));
        assert_true(fx_kyverno_exclude_holds(&scene.match, &of, &holds, &scene.err));
        if (holds != cases[i].holds) {
            fail_msg("%s: wanted %d", cases[i].exclude, cases[i].holds);
        }
        end(&scene);
    }
}

/* Faults name the field. */
static void faults(void **state) {
    (void)state;
    static const struct {
        const char *match, *message;
    } cases[] = {
        {"{\"any\":{}}", "match.any: expected a list"},
        {"{\"any\":[1]}", "match.any: expected a list of objects"},
        {RESOURCES("\"kinds\":\"Pod\""), "match.any[0].resources.kinds: expected a list"},
        {RESOURCES("\"kinds\":[1]"),
         "match.any[0].resources.kinds: expected a list of strings"},
        {RESOURCES("\"kinds\":[\"a/b/c/d/e\"]"),
         "match.any[0].resources.kinds[0]: \"a/b/c/d/e\" is not "
         "[group/][version/]Kind[/subresource]"},
        {RESOURCES("\"operations\":[\"PATCH\"]"),
         "match.any[0].resources.operations[0]: expected CREATE, UPDATE, DELETE or "
         "CONNECT"},
        {RESOURCES("\"name\":5"), "match.any[0].resources.name: expected a string"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct match_scene scene;
        begin(&scene, pod, admission_text);
        assert_false(read(&scene, cases[i].match, "match"));
        assert_int_equal(scene.err.code, FX_EINVALID);
        assert_string_equal(scene.err.msg, cases[i].message);
        assert_non_null(scene.err.node);
        end(&scene);
    }
}

/* The index knows exact kinds. */
static void bindings(void **state) {
    (void)state;
    static const struct {
        const char *match;
        size_t n;
    } cases[] = {
        {RESOURCES("\"kinds\":[\"Pod\",\"apps/v1/Deployment\"]"), 2},
        {RESOURCES("\"kinds\":[\"Pod\",\"P*d\"]"), 0},
        {RESOURCES("\"kinds\":[\"Pod/status\"]"), 0},
        {RESOURCES("\"names\":[\"x\"]"), 0},
        {"{}", 0},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct match_scene scene;
        struct fx_binding *made = NULL;
        size_t n = 0;
        begin(&scene, pod, admission_text);
        assert_true(read(&scene, cases[i].match, "match"));
        assert_true(fx_kyverno_match_bindings(&scene.match, &scene.arena, &made, &n));
        assert_int_equal(n, cases[i].n);
        if (n == 2) {
            assert_true(made[0].any_group && made[0].any_version && !made[0].any_kind);
            assert_true(fx_text_is(made[1].group, "apps") && !made[1].any_group);
        }
        end(&scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),      cmocka_unit_test(subresources),
        cmocka_unit_test(attributes), cmocka_unit_test(users),
        cmocka_unit_test(forms),      cmocka_unit_test(excludes),
        cmocka_unit_test(faults),     cmocka_unit_test(bindings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
