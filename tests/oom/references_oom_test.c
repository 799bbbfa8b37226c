/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/references_oom_test.c - what reviews ask of an API server beside them, with
 * every allocation refused in turn: a whole namespace, a Node, an object of any kind, an
 * access review, schemas, and the Node of a Pod that is being bound. A caller whose
 * request failed repeats it, and gets the answer in the end.
 */
#include "play.h"

#include "base/log.h"
#include "cluster/references/access_reviews.h"
#include "cluster/references/bindings.h"
#include "cluster/references/fetches.h"
#include "cluster/references/namespaces.h"
#include "cluster/references/schemas.h"
#include "refuse.h"

#define SPACES "/api/v1/namespaces"
#define NODE   "/api/v1/nodes/w"
#define POD    SPACES "/shop/pods/web"
#define ASKS   "\"ref.kubemod.io/inject-node-ref\":\"true\""

static struct actor {
    struct fx_kube_client *client;
    struct fx_cluster_namespaces *namespaces;
    struct fx_cluster_fetches fetches;
    struct fx_access_reviews access_reviews;
    struct fx_cluster_schemas schemas;
    bool has_schemas; /* they are initialised */
    struct fx_cluster_bindings *bindings;
    bool asks_space, asks_node, asks_widget, asks_access, asks_schemas,
        binds; /* under way */
    bool has_widget, has_access, has_catalog;
    unsigned n_nodes;
} actor;

static void on_state(const struct fx_kube_resource *resource, enum fx_kube_state state,
                     const struct fx_kube_failure *failure, void *user) {
    (void)resource;
    (void)state;
    (void)failure;
    (void)user;
}

static void put_space(struct stage *stage, const char *label) {
    char text[200];
    (void)snprintf(text, sizeof text,
                   "{\"metadata\":{\"name\":\"shop\",\"annotations\":{\"a\":\"%s\"}}}",
                   label);
    fake_put(&stage->api, SPACES "/shop", text);
}

static void put_pod(struct stage *stage) {
    fake_put(&stage->api, POD,
             "{\"metadata\":{\"name\":\"web\",\"annotations\":{" ASKS "}}}");
}

static void prepare(struct stage *stage) {
    fake_collect(&stage->api, SPACES);
    fake_put(&stage->api, NODE, "{\"metadata\":{\"name\":\"w\"}}");
    fake_collect_kind(&stage->api, "/apis/example.com/v1/widgets", "Widget");
    fake_put(&stage->api, "/apis/example.com/v1/widgets/w",
             "{\"metadata\":{\"name\":\"w\"}}");
    fake_put(&stage->api, "/openapi/v3",
             "{\"metadata\":{},\"paths\":{\"apis/example.com/v1\":"
             "{\"serverRelativeURL\":\"/x\"}}}");
    fake_put(&stage->api, "/openapi/v3/apis/example.com/v1",
             "{\"metadata\":{},\"components\":{\"schemas\":{\"x\":{\"type\":\"object\","
             "\"x-kubernetes-group-version-kind\":[{\"group\":\"example.com\","
             "\"version\":\"v1\",\"kind\":\"Widget\"}]}}}}");
    put_space(stage, "0");
    put_pod(stage);
}

static bool begin(struct stage *stage, struct fx_err *err) {
    actor = (struct actor){.client = play_client(stage, err)};
    if (actor.client == NULL) {
        return false;
    }
    actor.namespaces =
        fx_cluster_namespaces_create(&stage->loop, actor.client, on_state, NULL, err);
    if (actor.namespaces == NULL) {
        return false;
    }
    fx_cluster_fetches_init(&actor.fetches, actor.client);
    fx_access_reviews_init(&actor.access_reviews, actor.client);
    actor.has_schemas = fx_cluster_schemas_init(&actor.schemas, actor.client);
    if (!actor.has_schemas) {
        return fx_fail_nomem(err);
    }
    actor.bindings = fx_cluster_bindings_create(&stage->loop, actor.client);
    return actor.bindings != NULL || fx_fail_nomem(err);
}

static void change(struct stage *stage, unsigned step) {
    char label[12];
    (void)snprintf(label, sizeof label, "%u", step);
    put_space(stage, label);
    put_pod(stage);
}

/* ---- asking, which may fail ------------------------------------------------------- */

static void expect_no_memory(const struct fx_err *failure) {
    assert_true(failure == NULL || failure->code == FX_ENOMEM || failure->code == FX_EIO);
}

static void on_space(json_t *object_take, const struct fx_err *failure, void *user) {
    (void)user;
    expect_no_memory(failure);
    json_decref(object_take);
    actor.asks_space = false;
}

static void on_node(json_t *object_take, const struct fx_err *failure, void *user) {
    (void)user;
    expect_no_memory(failure);
    actor.n_nodes += object_take != NULL;
    json_decref(object_take);
    actor.asks_node = false;
}

static void on_widget(json_t *object_take, const struct fx_err *failure, void *user) {
    (void)user;
    expect_no_memory(failure);
    actor.has_widget = actor.has_widget || object_take != NULL;
    json_decref(object_take);
    actor.asks_widget = false;
}

static void on_access(json_t *status_take, const struct fx_err *failure, void *user) {
    (void)user;
    expect_no_memory(failure);
    actor.has_access = actor.has_access || status_take != NULL;
    json_decref(status_take);
    actor.asks_access = false;
}

/* Schemas that could not be read are missing until the list is read again. */
static void on_schemas(struct fx_schema_catalog *catalog_take,
                       const struct fx_err *failure, void *user) {
    (void)user;
    assert_true((failure == NULL) == (catalog_take != NULL));
    actor.has_catalog = actor.has_catalog || catalog_take != NULL;
    fx_schema_catalog_unref(catalog_take);
    actor.schemas.store.list_until_ns = 0;
    actor.asks_schemas = false;
}

static void on_bound(bool told, const struct fx_err *failure, void *user) {
    (void)told;
    (void)user;
    expect_no_memory(failure);
    actor.binds = false;
}

static void ask_space(void) {
    const struct fx_cluster_namespace_request wanted = {.name = FX_TEXT("shop"),
                                                        .whole = true};
    actor.asks_space =
        fx_cluster_namespaces_fetch(actor.namespaces, &wanted, on_space, NULL);
}

static void ask_node(void) {
    const struct fx_input_key key = fx_input_core_key("Node", FX_TEXT("w"));
    const struct fx_cluster_fetch_request request = {.key = &key, .on_done = on_node};
    actor.asks_node = fx_cluster_fetches_start(&actor.fetches, &request);
}

/* Of a kind whose resource the API server tells. */
static void ask_widget(void) {
    const struct fx_input_key key = {.type = FX_INPUT_OBJECT,
                                     .group = FX_TEXT("example.com"),
                                     .version = FX_TEXT("v1"),
                                     .kind = FX_TEXT("Widget"),
                                     .name = FX_TEXT("w")};
    const struct fx_cluster_fetch_request request = {.key = &key, .on_done = on_widget};
    actor.asks_widget = fx_cluster_fetches_start(&actor.fetches, &request);
}

static void ask_access(void) {
    json_t *spec = json_pack("{s:s}", "user", "bob");
    actor.asks_access = spec != NULL && fx_access_reviews_start(&actor.access_reviews,
                                                                spec, 0, on_access, NULL);
    json_decref(spec);
}

static void ask_schemas(void) {
    actor.asks_schemas = true; /* it may be answered at once */
    if (!fx_cluster_schemas_fetch(&actor.schemas, FX_TEXT("example.com"), FX_TEXT("v1"),
                                  0, on_schemas, NULL)) {
        actor.asks_schemas = false;
    }
}

static void bind_pod(void) {
    const struct fx_cluster_binding binding = {
        .namespace_ = FX_TEXT("shop"),
        .pod = FX_TEXT("web"),
        .node = FX_TEXT("w"),
        .deadline_ns = fx_clock_ns() + UINT64_C(1000000000),
    };
    actor.binds = fx_cluster_bindings_start(actor.bindings, &binding, on_bound, NULL);
}

/* True where it is so; otherwise it is asked for, unless it is. */
static bool have(bool is_so, bool is_under_way, void (*ask)(void)) {
    if (!is_so && !is_under_way) {
        refuse_resume();
        ask();
        refuse_pause();
    }
    return is_so;
}

static const char *annotation_of(const json_t *object, const char *key) {
    const json_t *metadata = fx_tree_view_key(object, "metadata");
    return json_string_value(
        fx_tree_view_key(fx_tree_view_key(metadata, "annotations"), key));
}

static bool has_space(unsigned step) {
    char label[12];
    (void)snprintf(label, sizeof label, "%u", step);
    json_t *whole = fx_cluster_namespaces_find_whole(actor.namespaces, FX_TEXT("shop"));
    const char *kept = annotation_of(whole, "a");
    const bool has = kept != NULL && strcmp(kept, label) == 0;
    json_decref(whole);
    return has;
}

static bool is_right(struct stage *stage, unsigned step) {
    const char *told =
        annotation_of(fake_view(&stage->api, POD), "ref.kubemod.io/nodename");
    const bool space = have(has_space(step), actor.asks_space, ask_space);
    const bool node = have(actor.n_nodes > step, actor.asks_node, ask_node);
    const bool widget = have(actor.has_widget, actor.asks_widget, ask_widget);
    const bool access = have(actor.has_access, actor.asks_access, ask_access);
    const bool schemas = have(actor.has_catalog, actor.asks_schemas, ask_schemas);
    const bool pod = have(told != NULL, actor.binds, bind_pod);
    return space && node && widget && access && schemas && pod &&
           fx_cluster_namespaces_ready(actor.namespaces);
}

static void end(struct stage *stage) {
    (void)stage;
    fx_cluster_bindings_close(actor.bindings);
    if (actor.has_schemas) {
        fx_cluster_schemas_finish(&actor.schemas);
    }
    fx_access_reviews_finish(&actor.access_reviews);
    fx_cluster_fetches_finish(&actor.fetches);
    fx_cluster_namespaces_close(actor.namespaces);
    fx_kube_client_close(actor.client);
}

static const struct play references = {
    .name = "references",
    .prepare = prepare,
    .begin = begin,
    .change = change,
    .n_steps = 1,
    .is_right = is_right,
    .end = end,
    .least = 300,
    .exactly = PLAY_EXACTLY,
    .stride = 3,
    .starved_stride = 13,
};

static void test_references(void **state) {
    (void)state;
    play_refused(&references);
}

static void test_references_starved(void **state) {
    (void)state;
    play_starved(&references);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_references_starved),
    };
    refuse_install();
    fx_log_set_level(FX_LOG_ERROR);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
