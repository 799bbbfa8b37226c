/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/parameters_oom_test.c - policies with parameters, of the toy dialect, with
 * every allocation refused in turn: builds of files, and a replica at an API server.
 */
#include "play.h"

#include "base/log.h"
#include "cluster/policies/policies.h"
#include "policy/policies.h"
#include "refuse.h"

#define RUNS_MAX 100000

/* ---- files ------------------------------------------------------------------------- */

#define POLICY(action)                                                                   \
    "{apiVersion: toy.fixpoint.dev/v1, kind: TagPolicy, metadata: {name: p}, spec: "     \
    "{paramKind: {apiVersion: v1, kind: ConfigMap}, match: {kinds: [Pod]}, tags: {a: "   \
    "{fromParam: data.k}, b: {fromParam: data.no}, c: {fromNamespace: c}, d: x}, more: " \
    "1, action: " action "}}\n---\n"
#define BINDING(name, param)                                                            \
    "{apiVersion: toy.fixpoint.dev/v1, kind: TagBinding, metadata: {name: " name        \
    "}, spec: {policyName: p, paramRef: {name: " param ", namespace: ns}, namespaces: " \
    "[ns]}}\n---\n"
#define MAP(name, value)                                       \
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: " name \
    ", namespace: ns, labels: {l: x}}, data: {k: v" value "}, status: {x: 1}}\n"

static struct fx_policies *build(const char *text, const struct fx_policies *previous) {
    const struct fx_policy_input input = {.file = "p.yaml", .text = fx_text_of(text)};
    struct fx_policies *policies = NULL;
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_policies_build(&input, 1, previous, 1, &policies, &err);
    assert_true(ok || (policies == NULL && err.code == FX_ENOMEM));
    return policies;
}

static void refuse_builds(const char *text, const struct fx_policies *previous,
                          bool ever_after) {
    const long live = refuse_live();
    long n = 0;
    for (bool refused = true; refused; n++) {
        assert_true(n < RUNS_MAX);
        refuse_from(n, ever_after);
        struct fx_policies *policies = build(text, previous);
        refused = refuse_stop();
        assert_int_equal(policies == NULL, refused);
        fx_policies_unref(policies);
        assert_int_equal(refuse_live(), live);
    }
    assert_true(n > 200); /* it was tried at all */
}

static void test_builds(void **state) {
    (void)state;
    static const char before[] = MAP("m", "1") "---\n" POLICY("mutate") BINDING("b", "m")
        BINDING("c", "none") MAP("other", "1");
    static const char after[] = MAP("m", "2") "---\n" POLICY("warn") BINDING("b", "m");
    struct fx_policies *previous = build(before, NULL);
    assert_non_null(previous);
    assert_int_equal(previous->snapshot->n_mutators, 1);
    assert_int_equal(previous->named.n_items, 1);
    refuse_builds(before, NULL, false);
    refuse_builds(before, NULL, true);
    refuse_builds(after, previous, false);
    refuse_builds(after, previous, true);
    fx_policies_unref(previous);
}

/* ---- at an API server ------------------------------------------------------------- */

#define POLICIES "/apis/toy.fixpoint.dev/v1/tagpolicies"
#define BINDINGS "/apis/toy.fixpoint.dev/v1/tagbindings"
#define MAPS     "/api/v1/namespaces/n/configmaps"

#define META(name) "\"metadata\":{\"name\":\"" name "\",\"uid\":\"u\",\"generation\":1}"
#define STORED_POLICY(kind)                                                        \
    "{\"apiVersion\":\"toy.fixpoint.dev/v1\",\"kind\":\"TagPolicy\"," META(        \
        "p") ","                                                                   \
             "\"spec\":{\"paramKind\":{\"apiVersion\":\"v1\",\"kind\":\"" kind     \
             "\"},\"match\":{\"kinds\":[\"Pod\"]},\"tags\":{\"a\":{\"fromParam\":" \
             "\"data.k\"}}}}"
#define STORED_BINDING                                                       \
    "{\"apiVersion\":\"toy.fixpoint.dev/v1\",\"kind\":\"TagBinding\"," META( \
        "b") ","                                                             \
             "\"spec\":{\"policyName\":\"p\",\"paramRef\":{\"name\":\"m\","  \
             "\"namespace\":\"n\"}}}"
#define STORED_MAP(value)                                                         \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"m\"," \
    "\"namespace\":\"n\",\"uid\":\"m\"},\"data\":{\"k\":\"" value "\"}}"

struct actor {
    struct fx_kube_client *client;
    struct fx_cluster_policies *policies;
    struct fx_policies *built; /* the last build; counted */
};

static void on_built(struct fx_policies *built, struct fx_policies *before,
                     double seconds, void *user) {
    struct actor *actor = user;
    (void)before;
    (void)seconds;
    fx_policies_ref(built);
    fx_policies_unref(actor->built);
    actor->built = built;
}

static void on_status(const struct fx_cluster_object *object, void *user) {
    (void)object;
    (void)user;
}

static void on_state(const struct fx_kube_resource *resource, enum fx_kube_state state,
                     const struct fx_kube_failure *failure, void *user) {
    (void)resource;
    (void)state;
    (void)failure;
    (void)user;
}

static void prepare(struct stage *stage) {
    fake_collect_kind(&stage->api, POLICIES, "TagPolicy");
    fake_collect_kind(&stage->api, BINDINGS, "TagBinding");
    fake_collect_kind(&stage->api, "/api/v1/configmaps", "ConfigMap");
    fake_put(&stage->api, POLICIES "/p", STORED_POLICY("ConfigMap"));
    fake_put(&stage->api, BINDINGS "/b", STORED_BINDING);
    fake_put(&stage->api, MAPS "/m", STORED_MAP("1"));
}

static bool begin(struct stage *stage, struct fx_err *err) {
    static const struct fx_cluster_policies_events events = {
        .on_built = on_built, .on_status = on_status, .on_state = on_state};
    static const struct fx_cluster_policies_options options = {
        .identity = {.pod = "p", .namespace_ = "ns", .lease = "l"},
        .apis = FX_CLUSTER_API_ALL};
    struct actor *actor = calloc(1, sizeof *actor);
    stage->actor = actor;
    if (actor == NULL) {
        return fx_fail_nomem(err);
    }
    actor->client = play_client(stage, err);
    if (actor->client == NULL) {
        return false;
    }
    actor->policies = fx_cluster_policies_create(&stage->loop, actor->client, &options,
                                                 &events, actor, err);
    return actor->policies != NULL;
}

static void change(struct stage *stage, unsigned step) {
    if (step == 1) {
        fake_put(&stage->api, MAPS "/m", STORED_MAP("2"));
    } else {
        fake_put(&stage->api, POLICIES "/p", STORED_POLICY("Gadget"));
    }
}

/* Is there one rule, with this parameter? NULL: no rule, for want of the kind. */
static bool has_rule(const struct fx_policies *built, const char *value) {
    if (value == NULL) {
        return built->snapshot->n_mutators == 0 && built->n_linked == 1 &&
               built->linked[0]->n_reports == 1;
    }
    if (built->snapshot->n_mutators != 1 || built->units.n_by_name != 3) {
        return false;
    }
    refuse_pause();
    const json_t *map = fx_unit_get_object(built->units.by_name[0]);
    const bool is_right =
        fx_text_is(fx_tree_view_string(fx_tree_view_key(map, "data"), "k"), value);
    refuse_resume();
    return is_right;
}

static bool is_right(struct stage *stage, unsigned step) {
    static const char *const values[] = {"1", "2", NULL};
    const struct actor *actor = stage->actor;
    const char *ignored = NULL;
    return fx_cluster_policies_ready(actor->policies, &ignored) &&
           has_rule(actor->built, values[step]);
}

static void end(struct stage *stage) {
    struct actor *actor = stage->actor;
    if (actor != NULL) {
        fx_cluster_policies_close(actor->policies);
        fx_kube_client_close(actor->client);
        fx_policies_unref(actor->built);
        free(actor);
    }
}

static const struct play parameters = {
    .name = "parameters",
    .prepare = prepare,
    .begin = begin,
    .change = change,
    .n_steps = 2,
    .is_right = is_right,
    .end = end,
    .least = 500,
    .exactly = PLAY_EXACTLY,
    .stride = 7,
    .starved_stride = 53,
};

static void test_refused(void **state) {
    (void)state;
    play_refused(&parameters);
}

static void test_starved(void **state) {
    (void)state;
    play_starved(&parameters);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builds),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_starved),
    };
    refuse_install();
    fx_log_set_level(FX_LOG_ERROR);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
