/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/namespaces_test.c - a namespace by name and labels, and whole: asked
 * for once, and again only after a change.
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

struct world {
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
    struct world *world = user;
    world->n_told++;
    json_decref(world->object);
    world->object = object_take;
    if (failure != NULL) {
        world->failure = *failure;
    }
}

static void start(struct world *world) {
    struct fx_err err = FX_ERR_INIT;
    *world = (struct world){.n_told = 0};
    fake_start(&world->api);
    fake_collect(&world->api, SPACES);
    fake_put(&world->api, SHOP, SHOP_WITH(TEAM("a")));
    world->client = fake_client(&world->api);
    world->namespaces = fx_cluster_namespaces_create(&world->api.loop, world->client,
                                                     on_state, world, &err);
    assert_non_null(world->namespaces);
    FAKE_UNTIL(&world->api, fx_cluster_namespaces_ready(world->namespaces));
}

static void finish(struct world *world) {
    json_decref(world->object);
    fx_cluster_namespaces_close(world->namespaces);
    fx_kube_client_close(world->client);
    fake_finish(&world->api);
}

static void begin(struct world *world, const char *name, bool whole) {
    const struct fx_cluster_namespace_request wish = {.name = fx_text_of(name),
                                                      .whole = whole};
    world->n_told = 0;
    assert_true(fx_cluster_namespaces_fetch(world->namespaces, &wish, on_fetched, world));
}

static void fetch(struct world *world, const char *name, bool whole) {
    begin(world, name, whole);
    FAKE_UNTIL(&world->api, world->n_told > 0);
    assert_int_equal(world->n_told, 1);
}

static struct fx_text owner_of(const json_t *object) {
    return fx_tree_view_string(
        fx_tree_view_key(fx_tree_view_key(object, "metadata"), "annotations"), "owner");
}

/* Is the one at hand that of this owner? */
static bool is_kept(struct world *world, const char *owner) {
    json_t *whole = fx_cluster_namespaces_find_whole(world->namespaces, FX_TEXT("shop"));
    const bool kept = whole != NULL && fx_text_is(owner_of(whole), owner);
    json_decref(whole);
    return kept;
}

static bool is_of_team(struct world *world, const char *team) {
    bool nomem = false;
    json_t *object =
        fx_cluster_namespaces_find(world->namespaces, FX_TEXT("shop"), &nomem);
    const json_t *labels =
        fx_tree_view_key(fx_tree_view_key(object, "metadata"), "labels");
    const bool is_it = fx_text_is(fx_tree_view_string(labels, "team"), team);
    json_decref(object);
    return is_it;
}

static void is_kept_whole_until_it_changes(void **state) {
    (void)state;
    struct world world;
    start(&world);
    assert_false(is_kept(&world, "a"));
    fetch(&world, "shop", true);
    const json_t *metadata = fx_tree_view_key(world.object, "metadata");
    assert_true(fx_text_is(owner_of(world.object), "a"));
    assert_non_null(fx_tree_view_key(world.object, "spec"));
    assert_null(fx_tree_view_key(metadata, "managedFields"));
    assert_int_equal(json_object_size(fx_tree_view_key(metadata, "annotations")), 1);
    assert_true(is_kept(&world, "a"));

    fake_put(&world.api, SHOP, SHOP_WITH(TEAM("b")));
    FAKE_UNTIL(&world.api, !is_kept(&world, "a"));
    assert_false(is_kept(&world, "b"));
    fetch(&world, "shop", true);
    assert_true(is_kept(&world, "b"));

    fake_delete(&world.api, SHOP);
    FAKE_UNTIL(&world.api, !is_kept(&world, "b"));
    fetch(&world, "shop", true);
    assert_null(world.object);
    assert_int_equal(world.failure.code, FX_EMUTATE);
    finish(&world);
}

/* The watch tells of a change while the answer is on its way: it may be the older one. */
static void an_answer_that_is_overtaken_is_not_kept(void **state) {
    (void)state;
    struct world world;
    start(&world);
    world.api.faults[0] =
        (struct fake_fault){.about = GETS_SHOP, .times = 1, .silent = true};
    begin(&world, "shop", true);
    FAKE_UNTIL(&world.api, fake_count(&world.api.asked, GETS_SHOP) == 1);
    json_t *before = json_incref(fake_view(&world.api, SHOP));
    fake_put(&world.api, SHOP, SHOP_WITH(TEAM("b")));
    FAKE_UNTIL(&world.api, is_of_team(&world, "b"));
    for (struct fake_visitor *at = world.api.visitors; at != NULL; at = at->next) {
        if (at->watches == NULL) { /* who asked for it, among others that are idle */
            fake_answer(at, 200, before);
        }
    }
    FAKE_UNTIL(&world.api, world.n_told > 0);
    assert_true(fx_text_is(owner_of(world.object), "a"));
    assert_false(is_kept(&world, "a"));
    json_decref(before);
    finish(&world);
}

static void name_and_labels_alone_are_not_kept_as_whole(void **state) {
    (void)state;
    struct world world;
    start(&world);
    fetch(&world, "shop", false);
    assert_null(fx_tree_view_key(world.object, "spec"));
    assert_true(owner_of(world.object).len == 0);
    assert_false(is_kept(&world, "a"));
    finish(&world);
}

static void tells_why_there_is_none(void **state) {
    (void)state;
    struct world world;
    start(&world);
    fetch(&world, "none", true);
    assert_null(world.object);
    assert_int_equal(world.failure.code, FX_EMUTATE);
    world.api.faults[0] =
        (struct fake_fault){.about = GETS_SHOP, .status = 403, .times = 1};
    fetch(&world, "shop", true);
    assert_int_equal(world.failure.code, FX_EIO);
    /* Another one than was asked for is what a proxy says, and no namespace. */
    fake_put(&world.api, SPACES "/odd", SHOP_WITH(""));
    fetch(&world, "odd", true);
    assert_int_equal(world.failure.code, FX_EIO);
    assert_string_equal(world.failure.msg, "get namespaces `odd`: the answer is not the "
                                           "Namespace of that name");
    begin(&world, "shop", true); /* and one that is given up */
    finish(&world);
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
