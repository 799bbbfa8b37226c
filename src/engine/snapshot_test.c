/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/snapshot_test.c - building snapshots and asking them for candidates.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "engine/fake_mutator.h"
#include "engine/snapshot.h"

#define ALL_OPERATIONS (~0u)

/* What is looked for. */
struct lookup {
    const char *api_version, *kind, *namespace_;
    enum fx_operation operation;
};

static struct fx_snapshot *build(struct fx_mutator **mutators, size_t n) {
    struct fx_snapshot *snapshot = NULL;
    struct fx_err err = FX_ERR_INIT;
    const struct fx_snapshot_parts parts = {.mutators = mutators, .n_mutators = n};
    assert_true(fx_snapshot_build(&parts, 7, &snapshot, &err));
    for (size_t i = 0; i < n; i++) {
        fx_mutator_unref(mutators[i]);
    }
    return snapshot;
}

static void ask(const struct fx_snapshot *snapshot, const struct lookup *lookup,
                struct fx_candidates *candidates) {
    json_t *object =
        json_pack("{s:s, s:s, s:{s:s*}}", "apiVersion", lookup->api_version, "kind",
                  lookup->kind, "metadata", "namespace", lookup->namespace_);
    const struct fx_request request = {.operation = lookup->operation};
    struct fx_subject subject;
    struct fx_err err = FX_ERR_INIT;
    assert_non_null(object);
    fx_subject_read(object, &subject);
    assert_true(fx_snapshot_candidates(snapshot, &request, &subject, candidates, &err));
    json_decref(object);
}

/* The names of the candidates in one text; they must come in order. */
static void expect(const struct fx_snapshot *snapshot, const struct lookup *lookup,
                   const char *names) {
    struct fx_candidates candidates = {0};
    struct fx_buf got;
    fx_buf_init(&got, 0);
    ask(snapshot, lookup, &candidates);
    for (size_t i = 0; i < candidates.n_indices; i++) {
        assert_true(i == 0 || candidates.indices[i - 1] < candidates.indices[i]);
        fx_buf_str(&got, snapshot->mutators[candidates.indices[i]]->name);
    }
    fx_buf_str(&got, "");
    const char *text = got.data == NULL ? "" : got.data;
    if (strcmp(text, names) != 0) {
        fail_msg("%s %s in %s: wanted `%s`, got `%s`", lookup->api_version, lookup->kind,
                 lookup->namespace_ == NULL ? "none" : lookup->namespace_, names, text);
    }
    fx_buf_finish(&got);
    fx_candidates_finish(&candidates);
}

static struct fake *make(const char *name, const char *kind, const char *namespace_) {
    const struct fake_plan plan = {
        .name = name, .binding = kind, .namespace_ = namespace_};
    struct fake *fake = fake_create(&plan);
    assert_non_null(fake);
    return fake;
}

static void by_kind_and_namespace(void **state) {
    (void)state;
    struct fx_mutator *mutators[] = {
        &make("g", "Pod", NULL)->head, &make("f", NULL, NULL)->head,
        &make("e", "Pod", "n1")->head, &make("d", "Job", "n1")->head,
        &make("c", NULL, "n2")->head,  &make("b", "Pod", "n2")->head,
        &make("a", "Job", NULL)->head,
    };
    struct fx_snapshot *snapshot = build(mutators, FX_COUNT(mutators));
    const enum fx_operation create = FX_OPERATION_CREATE;
    expect(snapshot, &(struct lookup){"v1", "Pod", "n1", create}, "efg");
    expect(snapshot, &(struct lookup){"v1", "Pod", "n2", create}, "bcfg");
    expect(snapshot, &(struct lookup){"v1", "Pod", "n3", create}, "fg");
    expect(snapshot, &(struct lookup){"v1", "Pod", NULL, create}, "bcefg");
    expect(snapshot, &(struct lookup){"v1", "Job", "n1", create}, "adf");
    expect(snapshot, &(struct lookup){"v1", "Job", NULL, create}, "acdf");
    expect(snapshot, &(struct lookup){"v1", "Other", "n2", create}, "cf");
    expect(snapshot, &(struct lookup){"v2", "Pod", "n1", create}, "f");
    expect(snapshot, &(struct lookup){"g/v1", "Pod", "n1", create}, "f");
    expect(snapshot, &(struct lookup){"v1", "Pod", "n1", FX_OPERATION_UPDATE}, "f");
    expect(snapshot, &(struct lookup){"v1", "Pod", "n1", FX_OPERATION_NONE}, "f");
    fx_snapshot_unref(snapshot);
}

static unsigned n_asked;

/* Lives in namespaces of which it has the first letter; "-": in none. */
static bool may_match_namespace(const struct fx_mutator *self,
                                struct fx_text namespace_) {
    n_asked++;
    return namespace_.len == 0 ? self->name[0] == '-'
                               : namespace_.data[0] == self->name[0];
}

static const struct fx_mutator_ops asked_ops = {.match = fake_match,
                                                .apply = fake_apply,
                                                .may_match_namespace =
                                                    may_match_namespace,
                                                .destroy = fake_destroy};

static struct fx_mutator *make_asked(const char *name, const char *kind,
                                     const char *namespace_) {
    struct fake *fake = make(name, kind, namespace_);
    fake->head.ops = &asked_ops;
    return &fake->head;
}

/* Each is asked once for each name of a namespace. */
static void by_object_namespace(void **state) {
    (void)state;
    struct fx_mutator *mutators[] = {
        make_asked("m", "Pod", NULL),        make_asked("n", "Pod", NULL),
        make_asked("-", "Pod", NULL),        make_asked("n2", "Pod", "n1"),
        &make("x", "Pod", NULL)->head,       make_asked("n3", "Namespace", NULL),
        make_asked("-2", "Namespace", NULL),
    };
    const enum fx_operation create = FX_OPERATION_CREATE;
    struct fx_snapshot *snapshot = build(mutators, FX_COUNT(mutators));
    for (unsigned i = 0; i < 3; i++) {
        expect(snapshot, &(struct lookup){"v1", "Pod", "n1", create}, "nn2x");
        expect(snapshot, &(struct lookup){"v1", "Pod", "n2", create}, "nx");
        expect(snapshot, &(struct lookup){"v1", "Pod", "m", create}, "mx");
        expect(snapshot, &(struct lookup){"v1", "Pod", NULL, create}, "-x");
        expect(snapshot, &(struct lookup){"v1", "Namespace", NULL, create}, "-2");
        assert_int_equal(n_asked, 4 + 3 + 3 + 4 + 2);
    }
    fx_snapshot_unref(snapshot);
}

/* More namespaces than are remembered. */
static void by_many_homes(void **state) {
    (void)state;
    struct fx_mutator *mutators[] = {make_asked("m", "Pod", NULL),
                                     make_asked("n", "Pod", NULL)};
    struct fx_snapshot *snapshot = build(mutators, FX_COUNT(mutators));
    for (unsigned i = 0; i < 20000; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "%c%u", i % 3 == 0 ? 'm' : 'n', i % 10000);
        const struct lookup lookup = {"v1", "Pod", name, FX_OPERATION_CREATE};
        expect(snapshot, &lookup, i % 3 == 0 ? "m" : "n");
    }
    fx_snapshot_unref(snapshot);
}

/* Bindings of any group, version or kind, several of them, and the same one twice. */
static void wide_bindings(void **state) {
    (void)state;
    const struct fx_binding any_version[] = {
        {.group = FX_TEXT("apps"),
         .kind = FX_TEXT("Deployment"),
         .any_version = true,
         .operations = ALL_OPERATIONS,
         .no_operation = true},
        {.group = FX_TEXT("apps"),
         .kind = FX_TEXT("Deployment"),
         .any_version = true,
         .operations = FX_OPERATION_BIT(FX_OPERATION_DELETE)},
    };
    const struct fx_binding any_kind[] = {
        {.group = FX_TEXT("apps"),
         .version = FX_TEXT("v1"),
         .any_kind = true,
         .operations = FX_OPERATION_BIT(FX_OPERATION_CREATE)},
        {.group = FX_TEXT("apps"),
         .version = FX_TEXT("v1"),
         .kind = FX_TEXT("Deployment"),
         .operations = FX_OPERATION_BIT(FX_OPERATION_CREATE)},
    };
    const struct fx_binding any_group = {
        .any_group = true,
        .version = FX_TEXT("v1"),
        .kind = FX_TEXT("Deployment"),
        .operations = FX_OPERATION_BIT(FX_OPERATION_CONNECT),
    };
    struct fake *a = make("a", NULL, NULL);
    struct fake *b = make("b", NULL, "n1");
    struct fake *c = make("c", NULL, NULL);
    a->head.bindings = any_version;
    a->head.n_bindings = FX_COUNT(any_version);
    b->head.bindings = any_kind;
    b->head.n_bindings = FX_COUNT(any_kind);
    c->head.bindings = &any_group;
    c->head.n_bindings = 1;
    struct fx_mutator *mutators[] = {&a->head, &b->head, &c->head};
    struct fx_snapshot *snapshot = build(mutators, 3);
    const enum fx_operation create = FX_OPERATION_CREATE;
    expect(snapshot, &(struct lookup){"apps/v1", "Deployment", "n1", create}, "ab");
    expect(snapshot, &(struct lookup){"apps/v1", "Deployment", NULL, create}, "ab");
    expect(snapshot, &(struct lookup){"apps/v2", "Deployment", "n1", create}, "a");
    expect(snapshot, &(struct lookup){"apps/v1", "DaemonSet", "n1", create}, "b");
    expect(snapshot, &(struct lookup){"apps/v1", "DaemonSet", "n2", create}, "");
    expect(snapshot, &(struct lookup){"v1", "Deployment", "n1", create}, "");
    expect(snapshot, &(struct lookup){"x/v1", "Deployment", "n1", FX_OPERATION_CONNECT},
           "c");
    expect(snapshot, &(struct lookup){"apps/v3", "Deployment", "n1", FX_OPERATION_DELETE},
           "a");
    expect(snapshot, &(struct lookup){"apps/v3", "Deployment", "n1", FX_OPERATION_NONE},
           "a");
    fx_snapshot_unref(snapshot);
}

/* More bindings and namespaces than the index takes up: asked for everything. */
static void too_wide_bindings(void **state) {
    (void)state;
    enum { N = 5000 };
    static struct fx_binding bindings[N];
    static struct fx_text namespaces[N];
    static char names[N][8];
    for (size_t i = 0; i < N; i++) {
        (void)snprintf(names[i], sizeof names[i], "n%zu", i);
        namespaces[i] = fx_text_of(names[i]);
        bindings[i] = (struct fx_binding){
            .version = FX_TEXT("v1"),
            .kind = fx_text_of(names[i]),
            .operations = FX_OPERATION_BIT(FX_OPERATION_CREATE),
        };
    }
    struct fake *a = make("a", NULL, NULL);
    struct fake *b = make("b", "Pod", NULL);
    a->head.bindings = bindings;
    a->head.n_bindings = N;
    b->head.namespaces = namespaces;
    b->head.n_namespaces = N;
    struct fx_mutator *mutators[] = {&a->head, &b->head};
    struct fx_snapshot *snapshot = build(mutators, 2);
    expect(snapshot, &(struct lookup){"v1", "n4999", "x", FX_OPERATION_CREATE}, "a");
    expect(snapshot, &(struct lookup){"v1", "Pod", "n4999", FX_OPERATION_CREATE}, "ab");
    fx_snapshot_unref(snapshot);
}

static void last_of_one_id_stays(void **state) {
    (void)state;
    struct fx_mutator *mutators[] = {
        &make("b", "Pod", NULL)->head,
        &make("a", "Pod", NULL)->head,
        &make("b", "Job", NULL)->head,
    };
    struct fx_mutator *last = mutators[2];
    struct fx_snapshot *snapshot = build(mutators, 3);
    assert_int_equal(snapshot->generation, 7);
    assert_int_equal(snapshot->n_mutators, 2);
    assert_string_equal(snapshot->mutators[0]->name, "a");
    assert_ptr_equal(snapshot->mutators[1], last);
    expect(snapshot, &(struct lookup){"v1", "Pod", NULL, FX_OPERATION_CREATE}, "a");
    fx_snapshot_unref(snapshot);
}

static void conflicting_are_skipped(void **state) {
    (void)state;
    static const struct fx_mutator_ops ops = {.match = fake_match,
                                              .apply = fake_apply,
                                              .access = fake_access,
                                              .destroy = fake_destroy};
    struct fake *a = make("a", "Pod", NULL);
    struct fake *b = make("b", "Pod", NULL);
    struct fake *c = make("c", "Pod", NULL);
    a->is_typed = c->is_typed = true;
    a->path = "x.y";
    c->path = "x:set";
    assert_true(fake_declare(a, &ops) && fake_declare(c, &ops));
    struct fx_mutator *mutators[] = {&a->head, &b->head, &c->head};
    struct fx_snapshot *snapshot = build(mutators, 3);
    struct fx_candidates all = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_int_equal(snapshot->n_mutators, 3);
    assert_true(snapshot->conflicts.sets[0].disabled);
    expect(snapshot, &(struct lookup){"v1", "Pod", NULL, FX_OPERATION_CREATE}, "b");
    assert_true(fx_snapshot_all(snapshot, &all, &err));
    assert_int_equal(all.n_indices, 1);
    assert_int_equal(all.indices[0], 1);
    fx_candidates_finish(&all);
    fx_snapshot_unref(snapshot);
}

static void counting(void **state) {
    (void)state;
    struct fx_snapshot *snapshot = build(NULL, 0);
    struct fx_candidates candidates = {0};
    assert_ptr_equal(fx_snapshot_ref(snapshot), snapshot);
    fx_snapshot_unref(snapshot);
    ask(snapshot, &(struct lookup){"v1", "Pod", NULL, FX_OPERATION_CREATE}, &candidates);
    assert_int_equal(candidates.n_indices, 0);
    fx_candidates_finish(&candidates);
    fx_candidates_finish(NULL);
    fx_snapshot_unref(snapshot);
    fx_snapshot_unref(NULL);
}

/* 10,000 mutators for other namespaces and kinds are not visited. */
static void ten_thousand(void **state) {
    (void)state;
    enum { N = 10000, ASKED = 100000 };
    static struct fx_mutator *mutators[N + 3];
    static char names[N][8];
    for (size_t i = 0; i < N; i++) {
        (void)snprintf(names[i], sizeof names[i], "n%04zu", i);
        mutators[i] =
            &make(names[i], i % 2 == 0 ? "Pod" : names[i], i % 2 == 0 ? names[i] : NULL)
                 ->head;
    }
    mutators[N] = &make("x", "Pod", NULL)->head;
    mutators[N + 1] = &make("y", NULL, NULL)->head;
    mutators[N + 2] = &make("z", "Pod", "web")->head;
    const uint64_t start = fx_clock_ns();
    struct fx_snapshot *snapshot = build(mutators, N + 3);
    const uint64_t built = fx_clock_ns();
    const struct lookup lookup = {"v1", "Pod", "web", FX_OPERATION_CREATE};
    expect(snapshot, &lookup, "xyz");

    json_t *object = json_pack("{s:s, s:s, s:{s:s}}", "apiVersion", "v1", "kind", "Pod",
                               "metadata", "namespace", "web");
    const struct fx_request request = {.operation = FX_OPERATION_CREATE};
    struct fx_subject subject;
    struct fx_candidates candidates = {0};
    struct fx_err err = FX_ERR_INIT;
    fx_subject_read(object, &subject);
    const uint64_t asking = fx_clock_ns();
    for (size_t i = 0; i < ASKED; i++) {
        assert_true(
            fx_snapshot_candidates(snapshot, &request, &subject, &candidates, &err));
    }
    print_message("built in %.1f ms, asked in %.0f ns\n", (double)(built - start) / 1e6,
                  (double)(fx_clock_ns() - asking) / (double)ASKED);
    fx_candidates_finish(&candidates);
    json_decref(object);
    fx_snapshot_unref(snapshot);
}

/* ---- what is decoded -------------------------------------------------------------- */

/* Is an object of this kind of v1 decoded in part? */
static bool is_part(const struct fx_snapshot *snapshot, const char *kind) {
    const struct fx_json_part *part =
        fx_snapshot_part(snapshot, FX_TEXT(""), FX_TEXT("v1"), fx_text_of(kind));
    return part != NULL && part->omits_rest;
}

/* Fakes declare no access: each reads everything of what it is bound to. */
static void bound_mutators_read_only_their_kinds(void **state) {
    (void)state;
    struct fx_mutator *bound[] = {&make("a", "Pod", NULL)->head,
                                  &make("b", "Pod", "shop")->head,
                                  &make("c", "Service", NULL)->head};
    struct fx_snapshot *snapshot = build(bound, FX_COUNT(bound));
    assert_int_equal(snapshot->n_whole, 2);
    assert_false(is_part(snapshot, "Pod"));
    assert_false(is_part(snapshot, "Service"));
    assert_false(is_part(snapshot, "")); /* not known */
    assert_true(is_part(snapshot, "Node"));
    assert_true(fx_snapshot_part(snapshot, FX_TEXT("g"), FX_TEXT("v1"), FX_TEXT("Pod")) !=
                NULL);
    fx_snapshot_unref(snapshot);
}

/* One that is bound to nothing may match any object, and may give it another kind. */
static void unbound_mutators_read_everything(void **state) {
    (void)state;
    struct fx_mutator *mutators[] = {&make("a", "Pod", NULL)->head,
                                     &make("b", NULL, NULL)->head};
    struct fx_snapshot *snapshot = build(mutators, FX_COUNT(mutators));
    assert_int_equal(snapshot->n_whole, 0);
    assert_false(is_part(snapshot, "Pod"));
    assert_false(is_part(snapshot, "Node"));
    fx_snapshot_unref(snapshot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bound_mutators_read_only_their_kinds),
        cmocka_unit_test(unbound_mutators_read_everything),
        cmocka_unit_test(by_kind_and_namespace),
        cmocka_unit_test(by_object_namespace),
        cmocka_unit_test(by_many_homes),
        cmocka_unit_test(wide_bindings),
        cmocka_unit_test(too_wide_bindings),
        cmocka_unit_test(last_of_one_id_stays),
        cmocka_unit_test(counting),
        cmocka_unit_test(conflicting_are_skipped),
        cmocka_unit_test(ten_thousand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
