/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/no_memory_test.c - every allocation is refused in turn: while providers are
 * called, while a cycle is reported, while policies are checked. Each review ends with
 * our own failure, and leaks nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "admission/admit.h"
#include "admission/fakes.h"
#include "admission/mutation.h"
#include "admission/review_texts.h"
#include "engine/mutator.h"
#include "refuse.h"
#include "value/json.h"

#define RUNS_MAX 100000 /* no run needs that many allocations */

/* Does one thing, whole or not, and cleans up after itself; false where it failed for
 * want of memory. */
typedef bool attempt(void *user);

/* Refuses one allocation after the other, or all after it, until it needs no more. */
static void refuse_all(attempt *try, void *user) {
    for (int ever_after = 0; ever_after < 2; ever_after++) {
        const long live = refuse_live();
        long n = 0;
        for (bool refused = true; refused; n++) {
            assert_true(n < RUNS_MAX);
            refuse_from(n, ever_after);
            const bool ok = try(user);
            refused = refuse_stop();
            assert_true(ok || refused);
            assert_int_equal(refuse_live(), live);
        }
        assert_true(n > 5); /* it was tried at all */
    }
}

static const struct fx_external owners[] = {
    {.provider = {"p", 1}, .on_failure = FX_EXTERNAL_FAIL},
    {.provider = {"p", 1}, .on_failure = FX_EXTERNAL_IGNORE},
    {.provider = {"p", 1},
     .on_failure = FX_EXTERNAL_USE_DEFAULT,
     .fallback = {"none", 4}},
};

/* Asks for spec.a, spec.b and spec.c, each under another policy. */
static bool ask(const struct fx_request *request, json_t *root, struct fx_err *err,
                bool *ret_changed) {
    static const char *const fields[] = {"a", "b", "c"};
    json_t *spec = fx_tree_view_key(root, "spec");
    for (size_t i = 0; i < FX_COUNT(fields); i++) {
        struct fx_placeholder present;
        const json_t *old = fx_tree_view_key(spec, fields[i]);
        if (fx_placeholders_find(request->placeholders, old, &present)) {
            continue;
        }
        *ret_changed = true;
        if (!fx_tree_set_take(spec, fx_text_of(fields[i]),
                              fx_placeholders_make(request->placeholders, &owners[i],
                                                   fx_text_of(fields[i])))) {
            return fx_fail_nomem(err);
        }
    }
    return true;
}

/* What a mutation is made of. */
struct scene {
    struct fx_snapshot *snapshot;
    json_t *object;
    struct fx_text answer; /* of the provider; data NULL: none comes */
};

static bool run_mutation(struct fx_mutation *mutation, const struct scene *scene,
                         struct fx_err *err) {
    if (!fx_mutation_begin(mutation, err)) {
        return false;
    }
    for (size_t i = 0; i < mutation->calls.n_items; i++) {
        struct fx_input_entry *call = mutation->calls.items[i];
        if (scene->answer.data != NULL) {
            fx_external_give(call, scene->answer);
        } else {
            fx_external_fail(call, "no route");
        }
    }
    return fx_mutation_end(mutation, err);
}

/* With every kind of report. */
static bool mutate(void *user) {
    const struct scene *scene = user;
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    struct fx_trace trace;
    struct fx_inputs inputs;
    fx_inputs_init(&inputs, NULL, 0);
    fx_arena_init(&arena, 1u << 20);
    fx_trace_init(&trace, &arena);
    struct fx_mutation mutation = {
        .snapshot = scene->snapshot,
        .request = {.operation = FX_OPERATION_CREATE,
                    .annotates = true,
                    .reports_passes = true,
                    .mutation_id = "id"},
        .namespace_ = FX_TEXT("n"),
        .object = scene->object,
        .inputs = &inputs,
        .arena = &arena,
        .trace = &trace,
    };
    const bool ok = run_mutation(&mutation, scene, &err);
    assert_true(ok || err.code == FX_ENOMEM || err.code == FX_EMUTATE ||
                err.code == FX_ENOCONVERGE);
    fx_mutation_finish(&mutation);
    fx_trace_finish(&trace);
    fx_inputs_finish(&inputs);
    fx_arena_finish(&arena);
    return ok || err.code != FX_ENOMEM;
}

static void test_asking(void **state) {
    (void)state;
    static fake_edit *const edits[] = {ask};
    static const char *const answers[] = {
        "{'response':{'idempotent':true,'items':[{'key':'a','value':'1'},{'key':'b','"
        "value"
        "':'2'},{'key':'c','value':'3'}]}}",
        "{'response':{'idempotent':true,'items':[{'key':'a','error':'no'},{'key':'b'}]}}",
        "{'response':{'idempotent':'yes'}}",
        NULL,
    };
    struct fx_resource *const provider = fake_provider("p");
    const struct fake_parts parts = {edits, 1, &provider, 1};
    struct scene scene = {
        fake_snapshot_of(&parts), json_pack("{s:{s:s}}", "spec", "a", "x"), {NULL, 0}};
    for (size_t i = 0; i < FX_COUNT(answers); i++) {
        char *answer = answers[i] == NULL ? NULL : with_quotes(answers[i]);
        scene.answer = fx_text_of(answer);
        refuse_all(mutate, &scene);
        free(answer);
    }
    json_decref(scene.object);
    fx_snapshot_unref(scene.snapshot);
}

/* Changes spec.x from one text to the other, for ever. */
static bool swing(const struct fx_request *request, json_t *root, struct fx_err *err,
                  bool *ret_changed) {
    (void)request;
    json_t *spec = fx_tree_view_key(root, "spec");
    const bool is_up = fx_text_is(fx_tree_view_string(spec, "x"), "up");
    *ret_changed = true;
    return fx_tree_set_take(spec, FX_TEXT("x"), json_string(is_up ? "down" : "up")) ||
           fx_fail_nomem(err);
}

static void test_fights(void **state) {
    (void)state;
    static fake_edit *const edits[] = {swing};
    struct scene scene = {
        fake_snapshot(edits, 1), json_pack("{s:{s:s}}", "spec", "x", "up"), {NULL, 0}};
    refuse_all(mutate, &scene);
    json_decref(scene.object);
    fx_snapshot_unref(scene.snapshot);
}

/* Runs a review that may have been refused; true where it was answered as one. */
static bool run_review(struct fx_review *review) {
    if (review == NULL) {
        return false;
    }
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    const struct fx_review_result *result = fx_review_result(review);
    const bool ok = result->status == 200;
    if (!ok) {
        assert_int_equal(result->status, 503);
        assert_int_equal(result->decision, FX_DECISION_BROKEN);
    }
    fx_review_destroy(review);
    return ok;
}

static bool admit(void *user) {
    static const struct fx_admission admission = {.own_namespace = NULL};
    return run_review(fx_admit_create(&admission, fx_text_of(user), 0));
}

static bool set_defaults(void *user) {
    return run_review(fx_defaults_create(fx_text_of(user), 0));
}

static bool admit_label(void *user) {
    static const char *const names[] = {"free"};
    static const struct fx_exemptions exempt = {.names = names, .n_names = 1};
    return run_review(fx_guard_create(fx_guard_find(FX_TEXT("/v1/admitlabel")), &exempt,
                                      fx_text_of(user), 0));
}

static bool bind(void *user) {
    return run_review(fx_binding_create(fx_text_of(user), 0));
}

#define META(location)                                                                 \
    REQUEST("'operation':'CREATE','kind':{'group':'mutations.gatekeeper.sh'},'name':'" \
            "a','object':{'apiVersion':'mutations.gatekeeper.sh/v1','kind':'AssignMet" \
            "adata','metadata':{'name':'a'},'spec':{'location':'" location             \
            "','unknown':1,'parameters':{'assign':{'value':'b'}}}}")
#define MODRULE(spec)                                                                   \
    REQUEST("'operation':'CREATE','namespace':'ns','kind':{'group':'api.kubemod.io','k" \
            "ind':'ModRule'},'name':'a','object':{'apiVersion':'api.kubemod.io/v1beta1" \
            "','kind':'ModRule','metadata':{'name':'a'},'spec':{" spec "}}")
#define LABELLED(name)                                                                 \
    REQUEST("'operation':'CREATE','kind':{'group':'','kind':'Namespace'},'object':{'m" \
            "etadata':{'name':'" name                                                  \
            "','labels':{'admission.gatekeeper.sh/ignore':''}}}")

#define BINDING(node)                                                                   \
    REQUEST("'operation':'CREATE','kind':{'group':'','kind':'Binding'},'namespace':'n'" \
            ",'name':'p','object':{'target':{'name':'" node "'}}")

static void test_admitting(void **state) {
    (void)state;
    static const struct {
        attempt *try;
        const char *request;
    } cases[] = {
        {admit, META("metadata.labels.a")},
        {admit, META("spec.x")},
        {admit, MODRULE("'type':'Patch','match':[{},{'select':'$.a ]'}]")},
        {admit, MODRULE("'type':'Reject','match':[{'select':'$.kind'}],'x':1")},
        {set_defaults, MODRULE("'match':[{},{'matchFor':'Any'}]")},
        {admit_label, LABELLED("free")},
        {admit_label, LABELLED("x")},
        {bind, BINDING("w")},
        {bind, BINDING("..")},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        char *request = with_quotes(cases[i].request);
        refuse_all(cases[i].try, request);
        free(request);
    }
}

/* ---- other objects --------------------------------------------------------------- */

static bool leave(const struct fx_request *request, json_t *root, struct fx_err *err,
                  bool *ret_changed) {
    (void)request;
    (void)root;
    (void)err;
    *ret_changed = false;
    return true;
}

static struct fx_snapshot *wanting_snapshot(void) {
    static const struct fx_object_view view = {fake_put_on, fake_take_off};
    static const struct fx_mutator_ops ops = {
        .match = fake_match, .apply = fake_apply, .view = &view, .destroy = fake_destroy};
    struct fx_snapshot *snapshot = NULL;
    struct fx_err err = FX_ERR_INIT;
    struct fx_mutator *mutator = fake_mutator(leave, "a");
    mutator->ops = &ops;
    fake_set_inputs(mutator, true, true);
    const struct fx_snapshot_parts parts = {.mutators = &mutator, .n_mutators = 1};
    assert_true(fx_snapshot_build(&parts, 1, &snapshot, &err));
    fx_mutator_unref(mutator);
    return snapshot;
}

/* All is to be waited for. */
static enum fx_lookup find_later(void *user, const struct fx_input_key *key,
                                 json_t **ret_value, struct fx_err *err) {
    (void)user;
    (void)key;
    (void)ret_value;
    (void)err;
    return FX_LOOKUP_WAIT;
}

/* Who brings it has memory. A Node named `gone` is not there. */
static void bring(struct fx_review *review) {
    struct fx_err failure = FX_ERR_INIT;
    struct fx_input_entry *entry = fake_awaited(review);
    refuse_pause();
    if (fx_input_key_is(&entry->key, "ConfigMap")) {
        const bool is_last = fx_text_is(entry->key.name, "b");
        fx_inputs_give(entry, json_pack("{s:s}", "next", is_last ? "" : "b"), NULL);
    } else if (fx_text_is(entry->key.name, "gone")) {
        (void)fx_fail(&failure, FX_EMUTATE, "not found");
        fx_inputs_give(entry, NULL, &failure);
    } else {
        fx_inputs_give(entry, json_pack("{s:{s:s}}", "metadata", "name", "x"), NULL);
    }
    refuse_resume();
}

struct referring {
    struct fx_snapshot *snapshot;
    const char *request;
};

static bool refer(void *user) {
    static const struct fx_admission admission = {.find_input = find_later};
    const struct referring *given = user;
    struct fx_review *review =
        fx_review_create(&admission, given->snapshot, fx_text_of(given->request), 0);
    while (review != NULL && fx_review_run(review) == FX_REVIEW_WANTS_INPUTS) {
        bring(review);
    }
    return run_review(review);
}

#define REFERRING(node)                                                              \
    REQUEST(POD_KIND ",'operation':'CREATE','namespace':'n','object':{'kind':'Pod'," \
                     "'metadata':{'labels':{'node':'" node "'}}}")

static void test_referring(void **state) {
    (void)state;
    static const char *const requests[] = {REFERRING("w"), REFERRING("gone"),
                                           REFERRING("..")};
    struct referring given = {.snapshot = wanting_snapshot()};
    for (size_t i = 0; i < FX_COUNT(requests); i++) {
        char *request = with_quotes(requests[i]);
        given.request = request;
        refuse_all(refer, &given);
        free(request);
    }
    fx_snapshot_unref(given.snapshot);
}

/* ---- violations ------------------------------------------------------------------ */

static bool find_violation(const struct fx_mutator *self,
                           const struct fx_request *request, json_t *root,
                           struct fx_buf *entry, struct fx_err *note,
                           struct fx_err *err) {
    (void)request;
    (void)root;
    (void)note;
    (void)err;
    fx_buf_printf(entry, "a violation of %s", self->name);
    return true;
}

static bool allow_violations(void *user) {
    static const struct fx_admission admission = {.partial_decode = true,
                                                  .collects_stats = true};
    const struct referring *given = user;
    struct fx_review *review =
        fx_review_create(&admission, given->snapshot, fx_text_of(given->request), 0);
    return run_review(review);
}

static void test_violations(void **state) {
    (void)state;
    static const struct fx_mutator_ops ops = {.match = fake_match,
                                              .apply = fake_apply,
                                              .validate = find_violation,
                                              .destroy = fake_destroy};
    static const enum fx_action actions[] = {FX_ACTION_WARN, FX_ACTION_AUDIT,
                                             FX_ACTION_DENY};
    struct fx_mutator *mutators[FX_COUNT(actions)];
    struct fx_err err = FX_ERR_INIT;
    for (size_t i = 0; i < FX_COUNT(actions); i++) {
        const char name[] = {(char)('a' + i), '\0'};
        mutators[i] = fake_mutator(leave, name);
        mutators[i]->ops = &ops;
        mutators[i]->run.action = actions[i];
    }
    char *request = with_quotes(REQUEST(POD_KIND ",'operation':'CREATE'," POD));
    for (size_t n = FX_COUNT(actions) - 1; n <= FX_COUNT(actions); n++) {
        const struct fx_snapshot_parts parts = {.mutators = mutators, .n_mutators = n};
        struct referring given = {.request = request};
        assert_true(fx_snapshot_build(&parts, 1, &given.snapshot, &err));
        refuse_all(allow_violations, &given);
        fx_snapshot_unref(given.snapshot);
    }
    for (size_t i = 0; i < FX_COUNT(actions); i++) {
        fx_mutator_unref(mutators[i]);
    }
    free(request);
}

/* A rule that asks for inputs in two rounds. */
static void test_rules_that_ask(void **state) {
    (void)state;
    struct referring given = {.snapshot = NULL};
    struct fx_err err = FX_ERR_INIT;
    struct fx_mutator *mutator = fake_mutator(fake_follow, "a");
    mutator->inputs = fake_asked;
    mutator->n_inputs = FX_COUNT(fake_asked);
    const struct fx_snapshot_parts parts = {.mutators = &mutator, .n_mutators = 1};
    assert_true(fx_snapshot_build(&parts, 1, &given.snapshot, &err));
    fx_mutator_unref(mutator);
    char *request = with_quotes(REFERRING("w"));
    given.request = request;
    refuse_all(refer, &given);
    free(request);
    fx_snapshot_unref(given.snapshot);
}

/* ---- schemas --------------------------------------------------------------------- */

#define WIDGETS                                                                          \
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\"," \
    "\"spec\":{\"group\":\"x.dev\",\"names\":{\"kind\":\"Widget\"},\"versions\":[{"      \
    "\"name\":\"v1\",\"served\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":"         \
    "\"object\","                                                                        \
    "\"properties\":{\"spec\":{\"type\":\"object\"}}}}}]}}"

static bool read_definitions(void *user) {
    json_t *objects[] = {user, user};
    struct fx_schema_catalog *catalog = NULL;
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_schemas_of_crds(objects, FX_COUNT(objects), &catalog, &err);
    assert_true(ok ? catalog != NULL : err.code == FX_ENOMEM);
    fx_schema_catalog_unref(catalog);
    return ok;
}

static void test_definitions(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    json_t *definition = fx_json_read(FX_TEXT(WIDGETS), NULL, &err);
    assert_non_null(definition);
    refuse_all(read_definitions, definition);
    json_decref(definition);
}

/* Sets spec.known where the schema of a Widget is known. */
static bool note_schema(const struct fx_request *request, json_t *root,
                        struct fx_err *err, bool *ret_changed) {
    struct fx_schema schema;
    *ret_changed = false;
    if (!fx_schemas_find(request, FX_TEXT("x.dev"), FX_TEXT("v1"), FX_TEXT("Widget"),
                         &schema, err)) {
        return false;
    }
    if (schema.set == NULL || fx_tree_view_key(root, "known") != NULL) {
        return true;
    }
    *ret_changed = true;
    return fx_tree_set_take(root, FX_TEXT("known"), json_true()) || fx_fail_nomem(err);
}

static enum fx_lookup find_schemas_later(void *user, struct fx_text group,
                                         struct fx_text version,
                                         struct fx_schema_catalog **ret_catalog,
                                         struct fx_err *err) {
    (void)user;
    (void)group;
    (void)version;
    (void)ret_catalog;
    (void)err;
    return FX_LOOKUP_WAIT;
}

struct merging {
    struct fx_snapshot *snapshot;
    struct fx_schema_catalog *catalog;
    const char *request;
};

static bool merge(void *user) {
    static const struct fx_schemas schemas = {.look_up = find_schemas_later};
    static const struct fx_admission admission = {.schemas = &schemas};
    const struct merging *given = user;
    struct fx_review *review =
        fx_review_create(&admission, given->snapshot, fx_text_of(given->request), 0);
    while (review != NULL && fx_review_run(review) == FX_REVIEW_WANTS_INPUTS) {
        fx_inputs_give_schemas(fake_awaited(review),
                               fx_schema_catalog_ref(given->catalog), NULL);
    }
    const struct fx_review_result *result =
        review == NULL ? NULL : fx_review_result(review);
    assert_true(result == NULL || result->status != 200 || result->patch != NULL);
    return run_review(review);
}

static void test_merging(void **state) {
    (void)state;
    static fake_edit *const edits[] = {note_schema};
    struct fx_err err = FX_ERR_INIT;
    json_t *definition = fx_json_read(FX_TEXT(WIDGETS), NULL, &err);
    struct merging given = {.snapshot = fake_snapshot(edits, 1)};
    assert_true(fx_schemas_of_crds(&definition, 1, &given.catalog, &err));
    char *request = with_quotes(REQUEST(POD_KIND ",'operation':'CREATE'," POD));
    given.request = request;
    refuse_all(merge, &given);
    free(request);
    json_decref(definition);
    fx_schema_catalog_unref(given.catalog);
    fx_snapshot_unref(given.snapshot);
}

int main(void) {
    refuse_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_asking),         cmocka_unit_test(test_fights),
        cmocka_unit_test(test_admitting),      cmocka_unit_test(test_referring),
        cmocka_unit_test(test_rules_that_ask), cmocka_unit_test(test_violations),
        cmocka_unit_test(test_definitions),    cmocka_unit_test(test_merging),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
