/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/link_test.c - policies that are linked with bindings and parameters, and linked
 * again only where something that they looked up has changed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "engine/dialect.h"
#include "engine/fake_mutator.h"
#include "engine/link.h"
#include "value/json.h"

/* ---- a dialect: one rule for each binding, which may name a parameter ------------- */

enum { POLICY, BINDING, PARAMETER };

static const char *const versions[] = {"v1", NULL};
static const struct fx_kind kinds[] = {
    {.group = "g", .kind = "P", .versions = versions, .role = FX_ROLE_POLICY},
    {.group = "g", .kind = "B", .versions = versions, .role = FX_ROLE_BINDING},
    {.group = "g", .kind = "V", .versions = versions, .role = FX_ROLE_PARAMETER},
    {.kind = NULL},
};

struct binding {
    struct fx_linkable head;
    char *target;
    char *parameter; /* its name; "": none */
};

static void destroy_binding(struct fx_linkable *self) {
    struct binding *binding = (struct binding *)self;
    free(binding->target);
    free(binding->parameter);
    free(binding);
}

static struct fx_linkable *new_binding(const char *target, const char *parameter) {
    struct binding *binding = calloc(1, sizeof *binding);
    assert_non_null(binding);
    binding->target = strdup(target);
    binding->parameter = strdup(parameter);
    binding->head = (struct fx_linkable){destroy_binding, fx_text_of(binding->target)};
    return &binding->head;
}

static void add_rule(struct fx_link *link, const char *name, uint32_t position) {
    struct fake *fake =
        fake_create(&(struct fake_plan){.name = link->linked->policy->name});
    assert_non_null(fake);
    assert_true(fx_mutator_set_rule(&fake->head, fx_text_of(name), position));
    fx_link_add_take(link, &fake->head);
}

static void link_one(struct fx_unit *policy, struct fx_link *link) {
    size_t n = 0;
    struct fx_unit *const *bindings =
        fx_link_list(link, &kinds[BINDING], fx_text_of(policy->name), &n);
    for (size_t i = 0; i < n; i++) {
        const struct binding *binding = (const struct binding *)bindings[i]->linkable;
        if (binding->parameter[0] != '\0' &&
            fx_link_find(link, &kinds[PARAMETER], fx_text_of(bindings[i]->namespace_),
                         fx_text_of(binding->parameter)) == NULL) {
            fx_link_report(link, true, "there is no V %s", binding->parameter);
            continue;
        }
        add_rule(link, bindings[i]->name, (uint32_t)i);
    }
}

static const struct fx_dialect dialect = {
    .name = "linked", .kinds = kinds, .link = link_one};

static struct fx_unit *new_unit(unsigned kind, const char *namespace_, const char *name,
                                struct fx_linkable *linkable) {
    const struct fx_subject subject = {.namespace_ = fx_text_of(namespace_),
                                       .name = fx_text_of(name)};
    struct fx_compilation compilation = {.linkable = linkable};
    json_t *document = json_pack("{s:s}", "name", name);
    struct fx_unit *unit =
        fx_unit_create(&dialect, &kinds[kind], &subject, document, NULL, &compilation);
    assert_non_null(unit);
    assert_null(compilation.linkable);
    json_decref(document);
    return unit;
}

/* ---- tests ------------------------------------------------------------------------ */

#define N_UNITS 8

/* Two policies; `a` has two bindings, one of which names the parameter `v`. */
struct build {
    struct fx_unit *items[N_UNITS];
    struct fx_units units;
};

static void build_begin(struct build *build) {
    struct fx_unit *const items[N_UNITS] = {
        new_unit(BINDING, NULL, "z", new_binding("a", "")),
        new_unit(PARAMETER, NULL, "v", NULL),
        new_unit(POLICY, NULL, "b", NULL),
        new_unit(BINDING, NULL, "y", new_binding("a", "v")),
        new_unit(POLICY, NULL, "a", NULL),
        new_unit(BINDING, NULL, "x", new_binding("b", "")),
        new_unit(PARAMETER, "n", "v", NULL),
        new_unit(PARAMETER, NULL, "w", NULL),
    };
    memcpy(build->items, items, sizeof items);
    build->units = (struct fx_units){0};
    assert_true(fx_units_fill(&build->units, build->items, N_UNITS));
}

static void build_end(struct build *build) {
    fx_units_finish(&build->units);
    for (size_t i = 0; i < N_UNITS; i++) {
        fx_unit_unref(build->items[i]);
    }
}

/* Puts another unit at the index, as a build does after a document has changed. */
static void replace(struct build *build, size_t index, struct fx_unit *unit) {
    fx_unit_unref(build->items[index]);
    build->items[index] = unit;
    fx_units_finish(&build->units);
    assert_true(fx_units_fill(&build->units, build->items, N_UNITS));
}

static struct fx_unit *find(const struct build *build, unsigned kind, const char *name) {
    return fx_units_find(&build->units, &kinds[kind], (struct fx_text){0},
                         fx_text_of(name));
}

static struct fx_linked *link_named(struct build *build, const char *name) {
    struct fx_linked *linked = fx_link_policy(&build->units, find(build, POLICY, name));
    assert_non_null(linked);
    return linked;
}

static void units_are_found(void **state) {
    (void)state;
    struct build build;
    build_begin(&build);
    assert_ptr_equal(find(&build, PARAMETER, "v"), build.items[1]);
    assert_ptr_equal(
        fx_units_find(&build.units, &kinds[PARAMETER], FX_TEXT("n"), FX_TEXT("v")),
        build.items[6]);
    assert_null(find(&build, POLICY, "v"));
    assert_null(find(&build, BINDING, "a"));
    build_end(&build);
}

/* Of several with one id the last one counts. */
static void the_last_of_one_id(void **state) {
    (void)state;
    struct build build;
    build_begin(&build);
    struct fx_unit *again = new_unit(PARAMETER, NULL, "v", NULL);
    replace(&build, 7, again);
    assert_int_equal(build.units.n_by_name, N_UNITS - 1);
    assert_ptr_equal(find(&build, PARAMETER, "v"), again);
    assert_int_equal(fx_unit_compare(build.items[1], again), 0);
    build_end(&build);
}

static void rules_of_bindings(void **state) {
    (void)state;
    struct build build;
    build_begin(&build);
    struct fx_linked *linked = link_named(&build, "a");
    assert_int_equal(linked->n_rules, 2);
    assert_string_equal(linked->rules[0]->full_name, "a:y");
    assert_string_equal(linked->rules[0]->name, "a");
    assert_string_equal(linked->rules[1]->rule, "z");
    assert_int_equal(linked->n_reports, 0);
    assert_true(fx_mutator_compare(linked->rules[0], linked->rules[1]) < 0);
    fx_linked_unref(linked);
    build_end(&build);
}

static void what_is_missing_is_reported(void **state) {
    (void)state;
    struct build build;
    build_begin(&build);
    replace(&build, 1, new_unit(PARAMETER, NULL, "u", NULL));
    struct fx_linked *linked = link_named(&build, "a");
    assert_int_equal(linked->n_rules, 1);
    assert_int_equal(linked->n_reports, 1);
    assert_true(linked->reports[0].is_error);
    assert_string_equal(linked->reports[0].text, "there is no V v");
    assert_true(fx_linked_is_current(linked, &build.units));
    replace(&build, 1, new_unit(PARAMETER, NULL, "v", NULL)); /* there it is */
    assert_false(fx_linked_is_current(linked, &build.units));
    fx_linked_unref(linked);
    build_end(&build);
}

/* Which change makes which policy link again. */
static void only_what_was_looked_up(void **state) {
    (void)state;
    static const struct {
        size_t index;
        unsigned kind;
        const char *name, *target, *parameter;
        bool a_stays, b_stays;
    } cases[] = {
        {1, PARAMETER, "v", NULL, NULL, false, true}, /* the parameter of `a` */
        {7, PARAMETER, "w", NULL, NULL, true, true},  /* of no policy */
        {6, PARAMETER, "v2", NULL, NULL, true, true},
        {3, BINDING, "y", "a", "", false, true},  /* a binding that changed */
        {3, BINDING, "y", "b", "", false, false}, /* and one that moved */
        {5, BINDING, "x", "c", "", true, false},  /* and one that is gone */
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct build build;
        build_begin(&build);
        struct fx_linked *a = link_named(&build, "a");
        struct fx_linked *b = link_named(&build, "b");
        assert_true(fx_linked_is_current(a, &build.units));
        assert_true(fx_linked_is_current(b, &build.units));
        replace(&build, cases[i].index,
                new_unit(cases[i].kind, NULL, cases[i].name,
                         cases[i].target == NULL
                             ? NULL
                             : new_binding(cases[i].target, cases[i].parameter)));
        assert_int_equal(fx_linked_is_current(a, &build.units), cases[i].a_stays);
        assert_int_equal(fx_linked_is_current(b, &build.units), cases[i].b_stays);
        fx_linked_unref(a);
        fx_linked_unref(b);
        build_end(&build);
    }
}

static void too_many_rules(void **state) {
    (void)state;
    struct build build;
    build_begin(&build);
    struct fx_linked *linked = link_named(&build, "b");
    struct fx_link link = {.units = &build.units, .linked = linked};
    for (uint32_t i = 0; i < FX_LIMIT_LINKED_RULES + 10; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "r%u", (unsigned)i);
        add_rule(&link, name, i);
    }
    assert_false(link.failed);
    assert_int_equal(linked->n_rules, FX_LIMIT_LINKED_RULES);
    assert_int_equal(linked->n_reports, 1);
    assert_string_equal(linked->reports[0].text,
                        "gives more than 4096 rules; the rest is ignored");
    fx_linked_unref(linked);
    build_end(&build);
}

/* ---- objects of kinds that policies name ------------------------------------------- */

static struct fx_unit *new_object(const char *json, const char *file_namespace) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_subject subject;
    json_t *object = fx_json_read(fx_text_of(json), NULL, &err);
    assert_non_null(object);
    fx_subject_read(object, &subject);
    struct fx_unit *unit = fx_unit_create_object(&subject, file_namespace, object, NULL);
    assert_non_null(unit);
    json_decref(object);
    return unit;
}

#define OBJECT(api_version, kind, space, name, rest)                              \
    "{\"apiVersion\":\"" api_version "\",\"kind\":\"" kind                        \
    "\",\"metadata\":{\"namespace\":\"" space "\",\"name\":\"" name               \
    "\",\"resourceVersion\":\"7\",\"managedFields\":[],\"labels\":{\"l\":\"" name \
    "\"}}" rest "}"
#define CONFIG_MAP(space, name) \
    OBJECT("v1", "ConfigMap", space, name, ",\"data\":{},\"status\":1")

#define N_OBJECTS 6

/* What the link step of the next policy looks up. */
static struct fx_object_query next_query;

static void link_query(struct fx_unit *policy, struct fx_link *link) {
    (void)policy;
    const struct fx_objects_found found = fx_link_find_objects(link, &next_query);
    for (size_t i = 0; i < found.n_items; i++) {
        add_rule(link, found.items[i]->name, (uint32_t)i);
    }
    if (found.unavailable != NULL) {
        add_rule(link, found.unavailable, 0);
    }
}

static const struct fx_dialect asking = {.name = "a", .kinds = kinds, .link = link_query};

struct objects {
    struct fx_unit *items[N_OBJECTS];
    struct fx_units units;
    struct fx_unit *policy;
};

static void objects_begin(struct objects *objects) {
    struct fx_unit *const items[N_OBJECTS] = {
        new_object(CONFIG_MAP("n", "b"), NULL),
        new_object(CONFIG_MAP("", "f"), "n"),
        new_object(CONFIG_MAP("m", "a"), NULL),
        new_object(OBJECT("g/v1", "P", "", "c", ""), NULL),
        new_object(CONFIG_MAP("n", "a"), NULL),
        new_unit(PARAMETER, "n", "a", NULL),
    };
    const struct fx_subject subject = {.name = FX_TEXT("p")};
    struct fx_compilation compilation = {0};
    json_t *document = json_object();
    memcpy(objects->items, items, sizeof items);
    objects->units = (struct fx_units){0};
    assert_true(fx_units_fill(&objects->units, objects->items, N_OBJECTS));
    objects->policy =
        fx_unit_create(&asking, &kinds[POLICY], &subject, document, NULL, &compilation);
    assert_non_null(objects->policy);
    json_decref(document);
}

static void objects_end(struct objects *objects) {
    fx_units_finish(&objects->units);
    fx_unit_unref(objects->policy);
    for (size_t i = 0; i < N_OBJECTS; i++) {
        fx_unit_unref(objects->items[i]);
    }
}

static void replace_object(struct objects *objects, size_t index, struct fx_unit *unit) {
    const struct fx_kind_state *states = objects->units.states;
    const size_t n_states = objects->units.n_states;
    fx_unit_unref(objects->items[index]);
    objects->items[index] = unit;
    fx_units_finish(&objects->units);
    objects->units = (struct fx_units){.states = states, .n_states = n_states};
    assert_true(fx_units_fill(&objects->units, objects->items, N_OBJECTS));
}

static struct fx_linked *expect_found(struct objects *objects, const char *names) {
    char found[300] = "";
    struct fx_linked *linked = fx_link_policy(&objects->units, objects->policy);
    assert_non_null(linked);
    for (size_t i = 0; i < linked->n_rules; i++) {
        (void)snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s",
                       i == 0 ? "" : " ", linked->rules[i]->rule);
    }
    assert_string_equal(found, names);
    assert_true(fx_linked_is_current(linked, &objects->units));
    return linked;
}

static const struct fx_named_kind config_map = {.version = {"v1", 2},
                                                .kind = {"ConfigMap", 9}};

static void objects_by_namespace_name_and_labels(void **state) {
    (void)state;
    struct objects objects;
    objects_begin(&objects);
    struct fx_selector *selector = NULL;
    struct fx_err err = FX_ERR_INIT;
    json_t *labels = json_pack("{s:{s:s}}", "matchLabels", "l", "a");
    assert_true(
        fx_selector_compile(labels, "s", FX_SELECTOR_OVER_LABELS, &selector, &err));
    const struct fx_text none = {0};
    const struct fx_named_kind p = {FX_TEXT("g"), FX_TEXT("v1"), FX_TEXT("P")};
    const struct fx_named_kind other = {FX_TEXT("g"), FX_TEXT("v2"), FX_TEXT("P")};
    const struct {
        struct fx_object_query query;
        const char *found;
    } cases[] = {
        {{config_map, FX_TEXT("n"), FX_TEXT("a"), NULL}, "a"},
        {{config_map, FX_TEXT("n"), none, NULL}, "a b f"},
        {{config_map, none, none, NULL}, "f a a b"},
        {{config_map, none, FX_TEXT("a"), NULL}, "a a"},
        {{config_map, FX_TEXT(""), none, NULL}, "f"},
        {{config_map, FX_TEXT("n"), FX_TEXT("f"), NULL}, "f"},
        {{config_map, FX_TEXT("m"), FX_TEXT("f"), NULL}, ""},
        {{config_map, FX_TEXT("n"), none, selector}, "a"},
        {{p, FX_TEXT(""), FX_TEXT("c"), NULL}, "c"},
        {{other, FX_TEXT(""), FX_TEXT("c"), NULL}, ""},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_named_kinds named = {0};
        next_query = cases[i].query;
        struct fx_linked *linked = expect_found(&objects, cases[i].found);
        assert_true(fx_linked_list_kinds(linked, &named));
        assert_int_equal(named.n_items, 1);
        assert_true(fx_named_kinds_have(&named, &cases[i].query.kind));
        fx_named_kinds_finish(&named);
        fx_linked_unref(linked);
    }
    fx_selector_destroy(selector);
    json_decref(labels);
    objects_end(&objects);
}

/* A policy is linked again only where what it looked up has changed. */
static void only_objects_that_were_looked_up(void **state) {
    (void)state;
    struct objects objects;
    objects_begin(&objects);
    next_query = (struct fx_object_query){config_map, FX_TEXT("n"), FX_TEXT("a"), NULL};
    struct fx_linked *linked = expect_found(&objects, "a");
    replace_object(&objects, 0, new_object(CONFIG_MAP("n", "c"), NULL));
    replace_object(&objects, 2, new_object(CONFIG_MAP("m", "a"), NULL));
    assert_true(fx_linked_is_current(linked, &objects.units));
    replace_object(&objects, 4, new_object(CONFIG_MAP("n", "a"), NULL));
    assert_false(fx_linked_is_current(linked, &objects.units));
    fx_linked_unref(linked);
    objects_end(&objects);
}

/* What is not watched yet, cannot be read, or must not be. */
static void objects_that_cannot_be_read(void **state) {
    (void)state;
    struct objects objects;
    objects_begin(&objects);
    static const struct fx_kind_state forbidden = {
        .kind = {.version = {"v1", 2}, .kind = {"ConfigMap", 9}},
        .unavailable = "not allowed"};
    static const struct fx_kind_state known = {
        .kind = {.version = {"v1", 2}, .kind = {"ConfigMap", 9}}};
    next_query = (struct fx_object_query){config_map, FX_TEXT("n"), FX_TEXT("a"), NULL};
    struct fx_linked *found = expect_found(&objects, "a");
    objects.units.states = &forbidden;
    objects.units.n_states = 1;
    assert_false(fx_linked_is_current(found, &objects.units));
    struct fx_linked *linked = expect_found(&objects, "not allowed");
    assert_int_equal(linked->n_reports, 1);
    assert_true(linked->reports[0].is_error);
    assert_string_equal(linked->reports[0].text,
                        "objects of v1 ConfigMap cannot be read: not allowed");
    objects.units.states = &known;
    assert_false(fx_linked_is_current(linked, &objects.units));
    assert_true(fx_linked_is_current(found, &objects.units));
    fx_linked_unref(linked);
    fx_linked_unref(found);

    next_query.kind.kind = FX_TEXT("Secret");
    fx_linked_unref(
        expect_found(&objects, "Fixpoint does not read Secrets for policies"));
    next_query.kind.kind = FX_TEXT("Pod");
    fx_linked_unref(expect_found(&objects, "they are not read yet"));
    objects_end(&objects);
}

/* All of an object is kept that is its author's. */
static void what_is_kept(void **state) {
    (void)state;
    struct fx_unit *unit = new_object(CONFIG_MAP("n", "a"), NULL);
    json_t *object = fx_unit_get_object(unit);
    json_t *expected = json_pack("{s:s, s:s, s:{}, s:{s:s, s:s, s:{s:s}}}", "apiVersion",
                                 "v1", "kind", "ConfigMap", "data", "metadata",
                                 "namespace", "n", "name", "a", "labels", "l", "a");
    assert_true(json_equal(object, expected));
    assert_ptr_equal(fx_unit_get_object(unit), object);
    json_decref(expected);
    fx_unit_unref(unit);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_found),
        cmocka_unit_test(the_last_of_one_id),
        cmocka_unit_test(rules_of_bindings),
        cmocka_unit_test(what_is_missing_is_reported),
        cmocka_unit_test(only_what_was_looked_up),
        cmocka_unit_test(too_many_rules),
        cmocka_unit_test(objects_by_namespace_name_and_labels),
        cmocka_unit_test(only_objects_that_were_looked_up),
        cmocka_unit_test(objects_that_cannot_be_read),
        cmocka_unit_test(what_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
