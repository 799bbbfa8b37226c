/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/setter_test.c - what a setter gets, positions that it passes, and
 * values that it takes from the object.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/macros.h"
#include "location/gatekeeper/location.h"
#include "location/gatekeeper/testing.h"
#include "location/gatekeeper/write.h"

static struct fx_written must_write(const struct fx_location *location,
                                    const struct fx_setter *setter, json_t **root) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_written written = {0};
    if (!fx_location_write(location, NULL, setter, root, &written, &err)) {
        fail_msg("%s", err.msg);
    }
    return written;
}

/* Sets 1 where the value is absent or less than `limit`; passes other positions, with
 * the reason `why`. */
struct picky {
    json_int_t limit;
    const char *why;
};

static bool pick(const void *user, const struct fx_write_position *position,
                 enum fx_write *ret_write, json_t **ret_value, const char **ret_criterion,
                 struct fx_err *err) {
    (void)err;
    const struct picky *picky = user;
    assert_null(*ret_criterion);
    if (position->old != NULL && json_integer_value(position->old) >= picky->limit) {
        *ret_write = FX_WRITE_PASS;
        *ret_criterion = picky->why;
        return true;
    }
    *ret_write = FX_WRITE_SET;
    *ret_value = json_integer(1);
    return true;
}

/* Passes by everything. */
static bool pass(const void *user, const struct fx_write_position *position,
                 enum fx_write *ret_write, json_t **ret_value, const char **ret_criterion,
                 struct fx_err *err) {
    (void)position;
    (void)ret_value;
    (void)err;
    *ret_write = FX_WRITE_PASS;
    *ret_criterion = user;
    return true;
}

static void assert_criterion(const char *criterion, const char *expected) {
    if (expected == NULL) {
        assert_null(criterion);
    } else {
        assert_non_null(criterion);
        assert_string_equal(criterion, expected);
    }
}

/* `after` NULL: as before. */
static const struct {
    const char *location, *why, *before, *after, *criterion;
} picks[] = {
    {"a.b", "big", "{\"a\":{\"b\":9}}", NULL, "big"},
    {"a.b", NULL, "{\"a\":{\"b\":9}}", NULL, NULL},
    {"a.b", "big", "{\"a\":{\"b\":2}}", "{\"a\":{\"b\":1}}", NULL},
    {"a.b", "big", "{}", "{\"a\":{\"b\":1}}", NULL},
    {"l[k: *].x", "big", "{\"l\":[{\"x\":9},{\"x\":2},{\"x\":8}]}",
     "{\"l\":[{\"x\":9},{\"x\":1},{\"x\":8}]}", NULL},
    {"l[k: *].x", "big", "{\"l\":[{\"x\":9},{\"x\":8}]}", NULL, "big"},
    {"l[k: *].x", "big", "{\"l\":[]}", NULL, "location"},
    {"l[k: *].x", "big", "{}", NULL, "location"},
    {"l[k: * except 5].x", "big", "{\"l\":[{\"k\":5}]}", NULL, "location"},
    {"l[k: * except 5].x", "big", "{\"l\":[{\"k\":5},{\"k\":6},{}]}",
     "{\"l\":[{\"k\":5},{\"k\":6,\"x\":1},{\"x\":1}]}", NULL},
    {"l[k: * except a, b].x", "big",
     "{\"l\":[{\"k\":\"b\"},{\"k\":\"c\"},{\"k\":\"a\"}]}",
     "{\"l\":[{\"k\":\"b\"},{\"k\":\"c\",\"x\":1},{\"k\":\"a\"}]}", NULL},
};

static void passes_by(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(picks); i++) {
        struct fx_location *location = must_parse_extended(picks[i].location);
        json_t *before = must_read(picks[i].before);
        json_t *root = json_incref(before);
        const struct picky picky = {5, picks[i].why};
        const struct fx_setter setter = {.set = pick, .user = &picky};
        const struct fx_written written = must_write(location, &setter, &root);
        const bool changes = picks[i].after != NULL;
        assert_json(root, changes ? picks[i].after : picks[i].before);
        assert_json(before, picks[i].before);
        assert_true(written.changed == changes && written.applied == changes);
        assert_true((root == before) == !changes);
        assert_criterion(written.criterion, picks[i].criterion);
        json_decref(root);
        json_decref(before);
        fx_location_destroy(location);
    }
}

/* Parents and elements that were created for a position are dropped where the setter
 * passes. */
static void leaves_nothing_behind(void **state) {
    (void)state;
    static const char *const locations[] = {"a", "a.b.c", "l[k: v].x", "l[k: v]",
                                            "m[k: 1].n[j: 2].x"};
    for (size_t i = 0; i < FX_COUNT(locations); i++) {
        struct fx_location *location = must_parse(locations[i]);
        json_t *root = must_read("{\"m\":[{\"k\":1}]}");
        const struct fx_setter setter = {.set = pass, .user = "never"};
        const struct fx_written written = must_write(location, &setter, &root);
        assert_json(root, "{\"m\":[{\"k\":1}]}");
        assert_true(!written.applied && !written.changed);
        assert_criterion(written.criterion, "never");
        json_decref(root);
        fx_location_destroy(location);
    }
}

/* A setter that removes may keep elements, which are not copied. */
static void spares_elements(void **state) {
    (void)state;
    static const char *const locations[] = {"l[k: v]", "l[k: *]", "l[k: * except w]",
                                            "l[k: *].k"};
    for (size_t i = 0; i < FX_COUNT(locations); i++) {
        struct fx_location *location = must_parse_extended(locations[i]);
        json_t *before = must_read("{\"l\":[{\"k\":\"v\"},{\"k\":\"w\"}]}");
        json_t *root = json_incref(before);
        const struct fx_setter setter = {.set = pass, .user = "never", .removes = true};
        const struct fx_written written = must_write(location, &setter, &root);
        assert_true(!written.applied && !written.changed && root == before);
        assert_criterion(written.criterion, "never");
        json_decref(root);
        json_decref(before);
        fx_location_destroy(location);
    }
}

/* Sets the printed way. */
static bool show_way(const void *user, const struct fx_write_position *position,
                     enum fx_write *ret_write, json_t **ret_value,
                     const char **ret_criterion, struct fx_err *err) {
    (void)ret_criterion;
    (void)err;
    const struct fx_location *location = user;
    json_t *way = json_array();
    for (size_t i = 0; i < location->n_steps; i++) {
        assert_int_equal(json_array_append_new(way, json_deep_copy(position->nodes[i])),
                         0);
    }
    *ret_write = FX_WRITE_SET;
    *ret_value = way;
    return true;
}

static void shows_the_way(void **state) {
    (void)state;
    static const struct {
        const char *location, *before, *after;
    } cases[] = {
        {"a", "{\"b\":1}", "{\"b\":1,\"a\":[{\"b\":1}]}"},
        {"a.b", "{\"a\":{\"c\":1}}",
         "{\"a\":{\"c\":1,\"b\":[{\"a\":{\"c\":1}},{\"c\":1}]}}"},
        {"a.b", "{}", "{\"a\":{\"b\":[{},{}]}}"},
        {"l[k: v].x", "{}", "{\"l\":[{\"k\":\"v\",\"x\":[{},[],{\"k\":\"v\"}]}]}"},
        {"l[k: v].x", "{\"l\":[{\"k\":\"v\"}]}",
         "{\"l\":[{\"k\":\"v\",\"x\":[{\"l\":[{\"k\":\"v\"}]},[{\"k\":\"v\"}],{\"k\":"
         "\"v\"}]}]}"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_location *location = must_parse(cases[i].location);
        json_t *root = must_read(cases[i].before);
        const struct fx_setter setter = {.set = show_way, .user = location};
        assert_true(must_write(location, &setter, &root).changed);
        assert_json(root, cases[i].after);
        json_decref(root);
        fx_location_destroy(location);
    }
}

/* Copies the value that the other location selects, from their common step on. */
struct copier {
    const struct fx_location *target, *source;
};

static bool copy(const void *user, const struct fx_write_position *position,
                 enum fx_write *ret_write, json_t **ret_value, const char **ret_criterion,
                 struct fx_err *err) {
    (void)err;
    const struct copier *copier = user;
    const size_t common = fx_location_common(copier->target, copier->source);
    assert_true(common < copier->target->n_steps);
    json_t *value = fx_location_first(copier->source, common, position->nodes[common]);
    if (value == NULL) {
        *ret_write = FX_WRITE_PASS;
        *ret_criterion = "source";
        return true;
    }
    *ret_write = FX_WRITE_SET;
    *ret_value = json_incref(value);
    return true;
}

/* A value may contain the position that it is written to: then a copy is written, and
 * no node contains itself, with a shared or an unshared tree. */
static const struct {
    const char *target, *source, *before, *after;
} copies[] = {
    {"a.b", "c", "{\"a\":{},\"c\":[1]}", "{\"a\":{\"b\":[1]},\"c\":[1]}"},
    {"l[k: *].x", "l[k: *].k", "{\"l\":[{\"k\":1},{\"k\":2},{}]}",
     "{\"l\":[{\"k\":1,\"x\":1},{\"k\":2,\"x\":2},{}]}"},
    {"l[k: *].x", "l[k: 2].y", "{\"l\":[{\"k\":1},{\"k\":2,\"y\":3}]}",
     "{\"l\":[{\"k\":1,\"x\":3},{\"k\":2,\"y\":3,\"x\":3}]}"},
    {"a.b", "c", "{}", "{}"},
    {"a.b", "a", "{\"a\":{\"c\":1}}", "{\"a\":{\"c\":1,\"b\":{\"c\":1}}}"},
    {"a.b.c", "a", "{}", "{\"a\":{\"b\":{\"c\":{}}}}"},
    {"a.b.c", "a", "{\"a\":{\"b\":{}}}", "{\"a\":{\"b\":{\"c\":{\"b\":{}}}}}"},
    {"a.b.c.d", "a.b", "{\"a\":{\"b\":{\"c\":{\"e\":1}}},\"z\":2}",
     "{\"a\":{\"b\":{\"c\":{\"e\":1,\"d\":{\"c\":{\"e\":1}}}}},\"z\":2}"},
    {"l[k: *].x", "l", "{\"l\":[{\"k\":1}]}", "{\"l\":[{\"k\":1,\"x\":[{\"k\":1}]}]}"},
    {"l[k: v].x.y", "l[k: v]", "{\"l\":[{\"k\":\"v\",\"x\":{}}]}",
     "{\"l\":[{\"k\":\"v\",\"x\":{\"y\":{\"k\":\"v\",\"x\":{}}}}]}"},
    {"l[k: v].x.y", "l[k: *]", "{\"l\":[{\"k\":\"v\",\"x\":{}}]}",
     "{\"l\":[{\"k\":\"v\",\"x\":{\"y\":{\"k\":\"v\",\"x\":{}}}}]}"},
};

static void copies_within(const char *target_text, const char *source_text,
                          const char *before_text, const char *after, bool shared) {
    struct fx_location *target = must_parse_extended(target_text);
    struct fx_location *source = must_parse_extended(source_text);
    json_t *root = must_read(before_text);
    json_t *before = shared ? json_incref(root) : NULL;
    const struct copier copier = {target, source};
    const struct fx_setter setter = {.set = copy, .user = &copier};
    (void)must_write(target, &setter, &root);
    assert_json(root, after);
    if (shared) {
        assert_json(before, before_text);
        json_decref(before);
    }
    json_decref(root);
    fx_location_destroy(source);
    fx_location_destroy(target);
}

static void never_ties_a_knot(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(copies); i++) {
        copies_within(copies[i].target, copies[i].source, copies[i].before,
                      copies[i].after, false);
        copies_within(copies[i].target, copies[i].source, copies[i].before,
                      copies[i].after, true);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_by),         cmocka_unit_test(leaves_nothing_behind),
        cmocka_unit_test(spares_elements),   cmocka_unit_test(shows_the_way),
        cmocka_unit_test(never_ties_a_knot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
