/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/namespaces_test.c - a namespace by name and labels, and the whole
 * object: requested once, and again only after a change.
 */
#include "kube/fake_api.h"

#include "cluster/references/namespaces.h"

#define SPACES    "/api/v1/namespaces"
#define SHOP      SPACES "/shop"
#define GETS_SHOP "GET " SHOP
#define SHOP_WITH(metadata)                                                         \
    "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"shop\"" \
    ",\"managedFields\":[{}],\"uid\":\"u\"" metadata                                \
    "},\"spec\":{\"finalizers\":[\"kubernetes\"]}}"
#define TEAM(name)                                                           \
    ",\"labels\":{\"team\":\"" name "\"},\"annotations\":{\"owner\":\"" name \
    "\",\"kubectl.kubernetes.io/last-applied-configuration\":\"{}\"}"

struct fixture {
    struct fake_api api;
    struct fx_kube_client *client;
    struct fx_cluster_namespaces *namespaces;
    unsigned n_told;
    json_t *object; /* counted; NULL: */
    struct fx_err failure;
};

static void on_state(const struct fx_kube_resource *resource, enum fx_kube_state state,
                     const struct fx_kube_failure *failure, void *user) {
    (void)resource;
    (void)state;
    (void)failure;
    (void)user;
}

static void on_fetched(json_t *object_take, const struct fx_err *failure, void *user) {
    struct fixture *fixture = user;
    fixture->n_told++;
    json_decref(fixture->object);
    fixture->object = object_take;
    if (failure != NULL) {
        fixture->failure = *failure;
    }
}

static void start(struct fixture *fixture) {
    struct fx_err err = FX_ERR_INIT;
    *fixture = (struct fixture){.n_told = 0};
    fake_start(&fixture->api);
    fake_collect(&fixture->api, SPACES);
    fake_put(&fixture->api, SHOP, SHOP_WITH(TEAM("a")));
    fixture->client = fake_client(&fixture->api);
    fixture->namespaces = fx_cluster_namespaces_create(
        &fixture->api.server.loop, fixture->client, on_state, fixture, &err);
    assert_non_null(fixture->namespaces);
    FAKE_UNTIL(&fixture->api, fx_cluster_namespaces_ready(fixture->namespaces));
}

static void finish(struct fixture *fixture) {
    json_decref(fixture->object);
    fx_cluster_namespaces_close(fixture->namespaces);
    fx_kube_client_close(fixture->client);
    fake_finish(&fixture->api);
}

static void begin(struct fixture *fixture, const char *name, bool whole) {
    const struct fx_cluster_namespace_request wanted = {.name = fx_text_of(name),
                                                        .whole = whole};
    fixture->n_told = 0;
    assert_true(
        fx_cluster_namespaces_fetch(fixture->namespaces, &wanted, on_fetched, fixture));
}

static void fetch(struct fixture *fixture, const char *name, bool whole) {
    begin(fixture, name, whole);
    FAKE_UNTIL(&fixture->api, fixture->n_told > 0);
    assert_int_equal(fixture->n_told, 1);
}

static struct fx_text owner_of(const json_t *object) {
    return fx_tree_view_string(
        fx_tree_view_key(fx_tree_view_key(object, "metadata"), "annotations"), "owner");
}

/* Is the one at hand that of this owner? */
static bool is_kept(struct fixture *fixture, const char *owner) {
    json_t *whole =
        fx_cluster_namespaces_find_whole(fixture->namespaces, FX_TEXT("shop"));
    const bool kept = whole != NULL && fx_text_is(owner_of(whole), owner);
    json_decref(whole);
    return kept;
}

static bool is_of_team(struct fixture *fixture, const char *team) {
    bool nomem = false;
    json_t *object =
        fx_cluster_namespaces_find(fixture->namespaces, FX_TEXT("shop"), &nomem);
    const json_t *labels =
        fx_tree_view_key(fx_tree_view_key(object, "metadata"), "labels");
    const bool is_it = fx_text_is(fx_tree_view_string(labels, "team"), team);
    json_decref(object);
    return is_it;
}

static void is_kept_whole_until_it_changes(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    assert_false(is_kept(&fixture, "a"));
    fetch(&fixture, "shop", true);
    const json_t *metadata = fx_tree_view_key(fixture.object, "metadata");
    assert_true(fx_text_is(owner_of(fixture.object), "a"));
    assert_non_null(fx_tree_view_key(fixture.object, "spec"));
    assert_null(fx_tree_view_key(metadata, "managedFields"));
    assert_int_equal(json_object_size(fx_tree_view_key(metadata, "annotations")), 1);
    assert_true(is_kept(&fixture, "a"));

    fake_put(&fixture.api, SHOP, SHOP_WITH(TEAM("b")));
    FAKE_UNTIL(&fixture.api, !is_kept(&fixture, "a"));
    assert_false(is_kept(&fixture, "b"));
    fetch(&fixture, "shop", true);
    assert_true(is_kept(&fixture, "b"));

    fake_delete(&fixture.api, SHOP);
    FAKE_UNTIL(&fixture.api, !is_kept(&fixture, "b"));
    fetch(&fixture, "shop", true);
    assert_null(fixture.object);
    assert_int_equal(fixture.failure.code, FX_EMUTATE);
    finish(&fixture);
}

/* The watch reports a change while the answer is in transit: the answer may be
 * older. */
static void an_answer_that_is_overtaken_is_not_kept(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    fixture.api.faults[0] =
        (struct fake_fault){.about = GETS_SHOP, .times = 1, .silent = true};
    begin(&fixture, "shop", true);
    FAKE_UNTIL(&fixture.api, fake_count(&fixture.api.requests, GETS_SHOP) == 1);
    json_t *before = json_incref(fake_view(&fixture.api, SHOP));
    fake_put(&fixture.api, SHOP, SHOP_WITH(TEAM("b")));
    FAKE_UNTIL(&fixture.api, is_of_team(&fixture, "b"));
    for (struct fake_connection *at = fixture.api.server.connections; at != NULL;
         at = at->next) {
        if (at->watches == NULL) { /* the connection that requested it, among idle ones */
            fake_answer(at, 200, before);
        }
    }
    FAKE_UNTIL(&fixture.api, fixture.n_told > 0);
    assert_true(fx_text_is(owner_of(fixture.object), "a"));
    assert_false(is_kept(&fixture, "a"));
    json_decref(before);
    finish(&fixture);
}

static void name_and_labels_alone_are_not_kept_as_whole(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    fetch(&fixture, "shop", false);
    assert_null(fx_tree_view_key(fixture.object, "spec"));
    assert_true(owner_of(fixture.object).len == 0);
    assert_false(is_kept(&fixture, "a"));
    finish(&fixture);
}

static void tells_why_there_is_none(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    fetch(&fixture, "none", true);
    assert_null(fixture.object);
    assert_int_equal(fixture.failure.code, FX_EMUTATE);
    fixture.api.faults[0] =
        (struct fake_fault){.about = GETS_SHOP, .status = 403, .times = 1};
    fetch(&fixture, "shop", true);
    assert_int_equal(fixture.failure.code, FX_EIO);
    /* A different object than requested, as from a proxy, is not the namespace. */
    fake_put(&fixture.api, SPACES "/odd", SHOP_WITH(""));
    fetch(&fixture, "odd", true);
    assert_int_equal(fixture.failure.code, FX_EIO);
    assert_string_equal(fixture.failure.msg,
                        "get namespaces `odd`: the answer is not the "
                        "Namespace of that name");
    begin(&fixture, "shop", true); /* and one that is given up */
    finish(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_kept_whole_until_it_changes),
        cmocka_unit_test(an_answer_that_is_overtaken_is_not_kept),
        cmocka_unit_test(name_and_labels_alone_are_not_kept_as_whole),
        cmocka_unit_test(tells_why_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
