/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/access_test.c - what is derived from declarations: hashes, whether a mutator
 * settles, what it keeps, the parts to decode, and the fields that it may write.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "base/buf.h"
#include "engine/fake_mutator.h"
#include "value/json_part_testing.h"

static const struct fx_mutator_ops fake_ops = {.match = fake_match,
                                               .apply = fake_apply,
                                               .access = fake_access,
                                               .destroy = fake_destroy};

/* A mutator that reads `reads`, which may be NULL, and writes `path`. */
static struct fake *make(const char *reads, const char *path) {
    const struct fake_plan plan = {.name = "a", .if_key = reads};
    struct fake *fake = fake_create(&plan);
    assert_non_null(fake);
    fake->path = path;
    return fake;
}

static const struct {
    const char *reads, *writes;
    bool has_hashes, writes_anywhere, settles, keeps_names, keeps_metadata;
} rows[] = {
    {NULL, "a.b", true, false, true, true, true},
    {"a.c", "a.b", true, false, true, true, true},
    {"a", "a.b", true, false, false, true, true},
    {"a.b.c", "a.b", true, false, false, true, true},
    {"a.b", "a.b.c", true, false, false, true, true},
    {"l[k].a", "l[k].b", true, false, true, true, true},
    {"l[k].a", "l.b", true, false, true, true, true},
    {"l", "l[k].b", true, false, false, true, true},
    {NULL, "metadata.labels.a", true, false, true, true, false},
    {NULL, "metadata.annotations", true, false, true, true, false},
    {NULL, "metadata.name", true, true, false, false, false},
    {NULL, "metadata", true, true, false, false, false},
    {NULL, "kind", true, true, false, false, true},
    {NULL, "apiVersion", true, true, false, false, true},
    {NULL, "", false, true, false, false, false},
};

static void derives_hashes_and_flags(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct fake *fake = make(rows[i].reads, rows[i].writes);
        assert_true(fake_declare(fake, &fake_ops));
        const struct fx_access_hashes *hashes = fake->head.hashes;
        if ((hashes != NULL) != rows[i].has_hashes ||
            (hashes != NULL && hashes->settles != rows[i].settles) ||
            fx_mutator_writes_anywhere(&fake->head) != rows[i].writes_anywhere ||
            fake->head.keeps_names != rows[i].keeps_names ||
            fake->head.keeps_metadata != rows[i].keeps_metadata) {
            fail_msg("row %zu", i);
        }
        fx_mutator_unref(&fake->head);
    }
}

/* What the mutator replaces decides what it writes. */
static void who_uses_the_old_value_does_not_settle(void **state) {
    (void)state;
    struct fake *fake = make(NULL, "a.b");
    fake->uses_old_value = true;
    assert_true(fake_declare(fake, &fake_ops));
    assert_false(fake->head.hashes->settles);
    fx_mutator_unref(&fake->head);
}

static void too_many_hashes(void **state) {
    (void)state;
    struct fx_access access = {.parts = NULL};
    struct fx_access_hashes *made = NULL;
    char names[FX_ACCESS_HASHES + 1][8];
    for (size_t i = 0; i < FX_COUNT(names); i++) {
        assert_true(fx_access_hash(&access, &made));
        assert_non_null(made);
        assert_int_equal(made->n_read, i);
        free(made);
        (void)snprintf(names[i], sizeof names[i], "a%zu", i);
        for (unsigned k = 0; k < 2; k++) { /* counts once */
            fx_access_read(&access);
            fake_steps(&access, names[i]);
        }
    }
    assert_true(fx_access_hash(&access, &made));
    assert_null(made);
    fx_access_finish(&access);
}

/* A path that goes on into a member or an element counts as far as it is known, and does
 * not settle. A path that may lead anywhere has no hashes. */
static void steps_that_are_not_known(void **state) {
    (void)state;
    static const enum fx_path_step_type types[] = {FX_PATH_TOKEN, FX_PATH_ANY};
    for (size_t i = 0; i < FX_COUNT(types); i++) {
        struct fx_access access = {.parts = NULL};
        struct fx_access_hashes *made = NULL;
        fx_access_write(&access, FX_ACCESS_UNTYPED, false);
        fake_steps(&access, "a.b");
        fx_access_step(&access, (struct fx_path_step){.type = types[i]});
        fake_steps(&access, "c");
        assert_true(fx_access_hash(&access, &made));
        assert_non_null(made);
        assert_int_equal(made->n_steps, 2);
        assert_false(made->settles);
        free(made);
        fx_access_read(&access);
        fx_access_step(&access, (struct fx_path_step){.type = types[i]});
        assert_true(fx_access_hash(&access, &made));
        assert_null(made);
        fx_access_finish(&access);
    }
}

static void several_written_paths(void **state) {
    (void)state;
    struct fx_access access = {.parts = NULL};
    struct fx_access_hashes *made = NULL;
    for (size_t i = 0; i < 2; i++) {
        fx_access_write(&access, FX_ACCESS_UNTYPED, false);
        fake_steps(&access, i == 0 ? "a" : "b");
        assert_true(fx_access_hash(&access, &made));
        assert_int_equal(made->n_steps, i == 0 ? 1 : 0);
        assert_int_equal(made->settles, i == 0);
        assert_int_equal(made->n_read, i + 1);
        free(made);
    }
    fx_access_finish(&access);
}

/* ---- what expressions read ------------------------------------------------------- */

/* All of a.b, what a.c is, and the elements of the list l. */
static void read_expressions(const struct fx_mutator *self, struct fx_access *access) {
    fake_access(self, access);
    struct fx_json_cursor a = {.part = access->parts};
    struct fx_json_cursor l = a;
    if (access->parts == NULL || !fx_json_cursor_member(&a, FX_TEXT("a")) ||
        !fx_json_cursor_member(&l, FX_TEXT("l"))) {
        return;
    }
    struct fx_json_cursor b = a;
    assert_true(fx_json_cursor_member(&b, FX_TEXT("b")));
    assert_true(fx_json_cursor_member(&a, FX_TEXT("c")));
    fx_json_cursor_all(b);
    fx_json_cursor_element(&l);
    assert_true(fx_json_cursor_member(&l, FX_TEXT("n")));
}

static void expressions_count(void **state) {
    (void)state;
    static const struct fx_mutator_ops ops = {.match = fake_match,
                                              .apply = fake_apply,
                                              .access = read_expressions,
                                              .destroy = fake_destroy};
    static const struct {
        const char *path;
        bool settles;
    } cases[] = {{"x", true},      {"a.d", true}, {"a.b", false},
                 {"a.b.x", false}, {"a", false},  {"l[n].x", false}};
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fake *fake = make(NULL, cases[i].path);
        assert_true(fake_declare(fake, &ops));
        if (fake->head.hashes->settles != cases[i].settles) {
            fail_msg("%s", cases[i].path);
        }
        fx_mutator_unref(&fake->head);
    }
    struct fx_json_part whole = {.omits_rest = false};
    struct fx_access access = {.parts = &whole};
    struct fx_access_hashes *made = NULL;
    assert_true(fx_access_hash(&access, &made));
    assert_null(made);
}

/* ---- parts ----------------------------------------------------------------------- */

static void finds_parts(void **state) {
    (void)state;
    static const struct {
        const char *reads, *writes, *parts;
    } cases[] = {
        {"a.b", "c", "{a{b*} c*}"},
        {"a.b", "a", "{a*}"},
        {NULL, "l[k]", "{l*}"},
        {"a", "", "{a*}"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fake *fake = make(cases[i].reads, cases[i].writes);
        struct fx_json_part parts = {.omits_rest = true};
        struct fx_buf text;
        fx_buf_init(&text, 0);
        fake->head.ops = &fake_ops;
        assert_true(fx_access_add_parts_of(&fake->head, &parts));
        part_testing_print(&text, &parts);
        assert_string_equal(text.data, cases[i].parts);
        fx_buf_finish(&text);
        fx_json_part_finish(&parts);
        fx_mutator_unref(&fake->head);
    }
}

static void append_to_list(const struct fx_mutator *self, struct fx_access *access) {
    (void)self;
    fx_access_write(access, FX_ACCESS_UNTYPED, false);
    fake_steps(access, "l");
    fx_access_step(access, (struct fx_path_step){.type = FX_PATH_APPEND});
}

static void read_everything(const struct fx_mutator *self, struct fx_access *access) {
    fake_access(self, access);
    fx_json_cursor_all((struct fx_json_cursor){.part = access->parts});
}

/* The keys of the list, and those by which a diff aligns lists. */
static void finds_keys_of_lists(void **state) {
    (void)state;
    struct fake *fake = make(NULL, "l[k].v");
    struct fx_json_part parts = {.omits_rest = true};
    fake->head.ops = &fake_ops;
    assert_true(fx_access_add_parts_of(&fake->head, &parts));
    const struct fx_json_part *list = fx_json_part_find(&parts, FX_TEXT("l"));
    static const char *const wanted[] = {"k", "name", "containerPort", "v"};
    for (size_t i = 0; i < FX_COUNT(wanted); i++) {
        assert_non_null(fx_json_part_find(list, fx_text_of(wanted[i])));
    }
    assert_null(fx_json_part_find(list, FX_TEXT("other")));
    fx_json_part_finish(&parts);
    fx_mutator_unref(&fake->head);
}

/* Of a list that gets a new element, the others are read no further than their keys. */
static void finds_parts_of_a_list_with_a_new_element(void **state) {
    (void)state;
    static const struct fx_mutator_ops ops = {.match = fake_match,
                                              .apply = fake_apply,
                                              .access = append_to_list,
                                              .destroy = fake_destroy};
    struct fake *fake = make(NULL, "unused");
    struct fx_json_part parts = {.omits_rest = true};
    fake->head.ops = &ops;
    assert_true(fx_access_add_parts_of(&fake->head, &parts));
    const struct fx_json_part *list = fx_json_part_find(&parts, FX_TEXT("l"));
    assert_true(list->omits_rest && list->is_list);
    assert_non_null(fx_json_part_find(list, FX_TEXT("name")));
    fx_json_part_finish(&parts);
    assert_true(fake_declare(fake, &ops));
    assert_int_equal(fake->head.hashes->n_steps, 1);
    assert_false(fake->head.hashes->settles);
    fx_mutator_unref(&fake->head);
}

/* Who reads everything of some kinds has no part in what is read of the others. */
static void leaves_out_who_reads_whole_kinds(void **state) {
    (void)state;
    static const struct fx_binding binding = {.kind = {"Pod", 3}};
    static const struct fx_mutator_ops ops = {.match = fake_match,
                                              .apply = fake_apply,
                                              .access = read_everything,
                                              .destroy = fake_destroy};
    for (int is_bound = 0; is_bound < 2; is_bound++) {
        struct fake *fake = make(NULL, "a");
        struct fx_mutator *mutators[] = {&fake->head};
        struct fx_json_part parts = {.omits_rest = true};
        fake->head.bindings = &binding;
        fake->head.n_bindings = is_bound == 0 ? 0 : 1;
        assert_true(fake_declare(fake, &ops));
        assert_false(fake->head.reads_parts);
        assert_int_equal(fx_mutator_reads_whole_kinds(&fake->head), is_bound);
        assert_true(fx_access_add_parts(mutators, 1, true, &parts));
        assert_int_equal(parts.omits_rest, is_bound);
        fx_json_part_finish(&parts);
        fx_mutator_unref(&fake->head);
    }
}

/* All mutators, and what every review reads. */
static void finds_parts_of_all(void **state) {
    (void)state;
    struct fake *fake = make("kind", "a");
    struct fx_mutator *mutators[] = {&fake->head, &make(NULL, "b")->head};
    struct fx_json_part parts = {.omits_rest = true};
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fake->head.ops = &fake_ops;
    assert_true(fx_access_add_parts(mutators, 1, false, &parts));
    part_testing_print(&text, &parts);
    assert_string_equal(text.data,
                        "{apiVersion* kind* metadata{name* generateName* namespace* "
                        "labels* annotations*} a*}");
    assert_true(
        fx_access_add_parts(mutators, 2, false, &parts)); /* declares nothing: all */
    assert_false(parts.omits_rest);
    fx_buf_finish(&text);
    fx_json_part_finish(&parts);
    fx_mutator_unref(mutators[0]);
    fx_mutator_unref(mutators[1]);
}

/* ---- fields ---------------------------------------------------------------------- */

static bool may_write(const struct fx_mutator *mutator) {
    const struct fx_path_step path[] = {{.name = FX_TEXT("a")}};
    struct fx_err err = FX_ERR_INIT;
    bool may = false;
    assert_true(fx_access_may_write(mutator, path, FX_COUNT(path), &may, &err));
    return may;
}

/* What a mutator reads, it does not write. One that declares nothing may write the field,
 * unless it is a validator. Steps are tested in the dialects. */
static void knows_who_may_write(void **state) {
    (void)state;
    static const struct {
        const char *reads, *writes;
        bool may;
    } cases[] = {{"a", "b", false}, {NULL, "a", true}, {NULL, "a.b", true}};
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fake *fake = make(cases[i].reads, cases[i].writes);
        assert_true(may_write(&fake->head));
        fake->head.run.action = FX_ACTION_DENY;
        assert_false(may_write(&fake->head));
        fake->head.ops = &fake_ops;
        assert_int_equal(may_write(&fake->head), cases[i].may);
        fx_mutator_unref(&fake->head);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derives_hashes_and_flags),
        cmocka_unit_test(who_uses_the_old_value_does_not_settle),
        cmocka_unit_test(too_many_hashes),
        cmocka_unit_test(steps_that_are_not_known),
        cmocka_unit_test(several_written_paths),
        cmocka_unit_test(expressions_count),
        cmocka_unit_test(finds_parts),
        cmocka_unit_test(finds_keys_of_lists),
        cmocka_unit_test(finds_parts_of_a_list_with_a_new_element),
        cmocka_unit_test(leaves_out_who_reads_whole_kinds),
        cmocka_unit_test(finds_parts_of_all),
        cmocka_unit_test(knows_who_may_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
