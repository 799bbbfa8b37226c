/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/kube_oom_test.c - configurations, a reflector and an apply with every
 * allocation refused in turn: what is told in the end is what the server has.
 */
#include "play.h"

#include "kube/config.h"
#include "kube/events.h"
#include "kube/folder_fixture.h"
#include "kube/kubeconfig.h"
#include "kube/object.h"
#include "kube/reflector_internal.h"
#include "refuse.h"

#define ASSIGNS "/apis/mutations.gatekeeper.sh/v1/assign"
#define OBJECT(name, value)                                                   \
    "{\"kind\":\"Assign\",\"metadata\":{\"name\":\"" name                     \
    "\",\"annotations\":{\"kubectl.kubernetes.io/"                            \
    "last-applied-configuration\":\"{}\"},\"managedFields\":[{}]},\"spec\":{" \
    "\"value\":" value "}}"

static const struct fx_kube_resource assign = {"mutations.gatekeeper.sh", "v1", "assign",
                                               "Assign"};

/* ---- a reflector ------------------------------------------------------------------ */

/* What was told, in the user's own memory, which is refused as well. */
struct mirror {
    struct fx_kube_client *client;
    struct fx_kube_reflector *reflector;
    json_t *versions; /* name → resourceVersion */
    enum fx_kube_state state;
};

static struct mirror mirror;

static bool see_object(json_t *object, void *user) {
    struct fx_kube_identity identity;
    (void)user;
    assert_true(fx_kube_object_identify(object, &identity));
    assert_null(fx_tree_view_key(fx_tree_view_key(object, "metadata"), "managedFields"));
    return fx_tree_set_take(mirror.versions, identity.name,
                            fx_tree_new_string(identity.version));
}

static void see_gone(struct fx_text namespace_, struct fx_text name, void *user) {
    (void)namespace_;
    (void)user;
    (void)json_object_deln(mirror.versions, name.data, name.len);
}

static void see_synced(void *user) {
    (void)user;
}

static void see_state(enum fx_kube_state state, const struct fx_kube_failure *failure,
                      void *user) {
    (void)user;
    mirror.state = state;
    assert_true(failure == NULL || failure->reason == FX_KUBE_REASON_MEMORY ||
                failure->reason == FX_KUBE_REASON_EXPIRED);
}

static void prepare_objects(struct stage *stage) {
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    fake_collect(&stage->api, ASSIGNS);
    for (size_t i = 0; i < FX_COUNT(names); i++) {
        char path[100];
        char text[300];
        (void)snprintf(path, sizeof path, ASSIGNS "/%s", names[i]);
        (void)snprintf(text, sizeof text, OBJECT("%s", "1"), names[i]);
        fake_put(&stage->api, path, text);
    }
}

static bool begin_mirror(struct stage *stage, struct fx_err *err) {
    static const struct fx_kube_reflector_events events = {
        .on_object = see_object,
        .on_gone = see_gone,
        .on_synced = see_synced,
        .on_state = see_state,
    };
    static const struct fx_kube_reflector_options options = {
        .versions = &assign, .n_versions = 1, .confirm_absence = true};
    mirror = (struct mirror){.versions = json_object()};
    if (mirror.versions == NULL) {
        return fx_fail_nomem(err);
    }
    mirror.client = play_client(stage, err);
    if (mirror.client == NULL) {
        return false;
    }
    mirror.reflector = fx_kube_reflector_create(&stage->loop, mirror.client, &options,
                                                &events, NULL, err);
    if (mirror.reflector == NULL) {
        return false;
    }
    struct fx_kube_delays pauses = fx_kube_default_delays;
    pauses.page = 2;
    fx_kube_reflector_set_delays(mirror.reflector, &pauses);
    return true;
}

static void tell_watchers(struct stage *stage, const char *event) {
    for (struct fake_connection *at = stage->api.server.connections; at != NULL;
         at = at->next) {
        if (at->watches != NULL) {
            fake_send_chunk(at, event);
        }
    }
}

static void change_objects(struct stage *stage, unsigned step) {
    struct fake_api *api = &stage->api;
    char event[200];
    switch (step) {
    case 1: fake_put(api, ASSIGNS "/f", OBJECT("f", "1")); break;
    case 2:
        fake_put(api, ASSIGNS "/a", OBJECT("a", "2"));
        fake_put(api, ASSIGNS "/b", OBJECT("b", "2"));
        break;
    case 3: fake_delete(api, ASSIGNS "/a"); break;
    case 4: /* a bookmark, and then news from there */
        (void)snprintf(event, sizeof event,
                       "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{"
                       "\"resourceVersion\":\"%u\"}}}\n",
                       ++api->version);
        tell_watchers(stage, event);
        fake_put(api, ASSIGNS "/g", OBJECT("g", "1"));
        break;
    default: /* the version is too old: what comes meanwhile is in the next list only */
        tell_watchers(stage, FAKE_EXPIRED);
        fake_delete(api, ASSIGNS "/b");
        fake_put(api, ASSIGNS "/c", OBJECT("c", "3"));
        api->oldest = api->version;
        break;
    }
}

/* The same objects in the same versions; and it says so. */
static bool is_mirrored(struct stage *stage, unsigned step) {
    const char *path = NULL;
    json_t *object = NULL;
    (void)step;
    json_object_foreach (stage->api.objects, path, object) {
        const char *version =
            json_string_value(json_object_get(mirror.versions, fake_name_of(path)));
        if (version == NULL ||
            strcmp(version, fake_text(object, "resourceVersion")) != 0) {
            return false;
        }
    }
    return json_object_size(stage->api.objects) == json_object_size(mirror.versions) &&
           mirror.state == FX_KUBE_STATE_WATCHING;
}

static void end_mirror(struct stage *stage) {
    (void)stage;
    fx_kube_reflector_close(mirror.reflector);
    fx_kube_client_close(mirror.client);
    json_decref(mirror.versions);
}

static const struct play reflection = {
    .name = "reflector",
    .prepare = prepare_objects,
    .begin = begin_mirror,
    .change = change_objects,
    .n_steps = 5,
    .is_right = is_mirrored,
    .end = end_mirror,
    .least = 400,
    .exactly = PLAY_EXACTLY,
    .stride = 1,
    .starved_stride = 19,
};

static void test_reflector(void **state) {
    (void)state;
    play_refused(&reflection);
}

static void test_reflector_starved(void **state) {
    (void)state;
    play_starved(&reflection);
}

/* ---- an apply --------------------------------------------------------------------- */

/* Applies against a version that is not known yet, reads after the conflict, applies
 * again: until it is done. */
static struct writer {
    struct fx_kube_client *client;
    struct fx_kube_call *call;
    uv_timer_t timer;
    bool timing;
    char version[32];
    bool has_met_conflict, is_done;
} writer;

static void write_on(void);

static void on_written(const struct fx_kube_answer *answer, void *user) {
    (void)user;
    writer.call = NULL;
    writer.is_done = answer->failure == NULL;
    if (writer.is_done) {
        return;
    }
    if (answer->failure->reason == FX_KUBE_REASON_CONFLICT) {
        assert_non_null(strstr(answer->failure->message, "409 Conflict"));
        writer.has_met_conflict = true;
        writer.version[0] = '\0';
    } else {
        assert_int_equal(answer->failure->reason, FX_KUBE_REASON_MEMORY);
    }
    write_on();
}

static void on_read(const struct fx_kube_answer *answer, void *user) {
    (void)user;
    writer.call = NULL;
    if (answer->failure == NULL) {
        const struct fx_text version = fx_kube_object_version(answer->object);
        (void)snprintf(writer.version, sizeof writer.version, "%.*s",
                       FX_TEXT_ARG(version));
    } else {
        assert_int_equal(answer->failure->reason, FX_KUBE_REASON_MEMORY);
    }
    write_on();
}

static void write_now(uv_timer_t *timer) {
    (void)timer;
    const bool reads = writer.version[0] == '\0';
    json_t *body = reads
                       ? NULL
                       : json_pack("{s:{s:s,s:s},s:{s:i}}", "metadata", "name", "a",
                                   "resourceVersion", writer.version, "spec", "value", 7);
    const struct fx_kube_request request = {
        .verb = reads ? FX_KUBE_VERB_GET : FX_KUBE_VERB_APPLY,
        .resource = &assign,
        .name = {.name = FX_TEXT("a")},
        .body = body,
        .manager = "fixpoint",
        .force = true,
    };
    if (reads || body != NULL) {
        writer.call = fx_kube_call_start(writer.client, &request,
                                         reads ? on_read : on_written, NULL);
    }
    json_decref(body);
    if (writer.call == NULL) {
        write_on();
    }
}

static void write_on(void) {
    (void)uv_timer_start(&writer.timer, write_now, 1, 0);
}

static bool begin_writer(struct stage *stage, struct fx_err *err) {
    writer = (struct writer){.version = "1000"};
    writer.client = play_client(stage, err);
    if (writer.client == NULL) {
        return false;
    }
    (void)uv_timer_init(&stage->loop, &writer.timer);
    writer.timing = true;
    write_on();
    return true;
}

static bool is_written(struct stage *stage, unsigned step) {
    const json_t *object = fake_view(&stage->api, ASSIGNS "/a");
    (void)step;
    return writer.is_done && writer.has_met_conflict &&
           json_integer_value(
               fx_tree_view_key(fx_tree_view_key(object, "spec"), "value")) == 7;
}

static void end_writer(struct stage *stage) {
    (void)stage;
    if (writer.timing) {
        uv_close((uv_handle_t *)&writer.timer, NULL);
    }
    fx_kube_client_close(writer.client);
}

static const struct play application = {
    .name = "apply",
    .prepare = prepare_objects,
    .begin = begin_writer,
    .is_right = is_written,
    .end = end_writer,
    .least = 100,
    .exactly = PLAY_EXACTLY,
    .stride = 1,
    .starved_stride = 19,
};

static void test_apply(void **state) {
    (void)state;
    play_refused(&application);
}

static void test_apply_starved(void **state) {
    (void)state;
    play_starved(&application);
}

/* ---- configurations --------------------------------------------------------------- */

#define CA_DATA   "LS0tLS1CRUdJTiBDLS0tLS0KY2EgZGF0YQo="
#define CERT_DATA "LS0tLS1CRUdJTiBDLS0tLS0KY2VydCBkYXRhCg=="
#define KEY_DATA  "LS0tLS1CRUdJTiBQLS0tLS0Ka2V5IGRhdGEK"

/* Everything as data, and everything as files. */
static const char kubeconfig[] =
    "apiVersion: v1\nkind: Config\ncurrent-context: data\n"
    "contexts:\n"
    "- {name: data, context: {cluster: data, user: data, namespace: shop}}\n"
    "- {name: files, context: {cluster: files, user: files}}\n"
    "clusters:\n"
    "- name: data\n"
    "  cluster: {server: 'https://h:6443/p', tls-server-name: t,\n"
    "            certificate-authority-data: " CA_DATA "}\n"
    "- {name: files, cluster: {server: 'https://h', certificate-authority: ca.crt}}\n"
    "users:\n"
    "- name: data\n"
    "  user: {client-certificate-data: " CERT_DATA ",\n"
    "         client-key-data: " KEY_DATA "}\n"
    "- {name: files, user: {tokenFile: token}}\n";

static bool read_data(struct fx_kube_config *ret_config, struct fx_err *err) {
    char path[PATH_ROOM];
    path_of("config", path);
    return fx_kube_config_read(path, NULL, ret_config, err);
}

static bool read_files(struct fx_kube_config *ret_config, struct fx_err *err) {
    char path[PATH_ROOM];
    path_of("config", path);
    return fx_kube_config_read(path, "files", ret_config, err);
}

static bool read_pod(struct fx_kube_config *ret_config, struct fx_err *err) {
    return fx_kube_config_in_cluster(folder, ret_config, err);
}

static bool read_wrong(struct fx_kube_config *ret_config, struct fx_err *err) {
    char path[PATH_ROOM];
    path_of("config", path);
    return fx_kube_config_read(path, "nobody", ret_config, err);
}

/* Refused for memory, or for what it is refused for anyway. */
static void refuse_config(bool (*read)(struct fx_kube_config *ret_config,
                                       struct fx_err *err),
                          bool good, bool ever_after) {
    const long live = refuse_live();
    long n = 0;
    for (bool refused = true; refused; n++) {
        struct fx_kube_config config = {0};
        struct fx_err err = FX_ERR_INIT;
        refuse_from(n, ever_after);
        const bool ok = read(&config, &err);
        refused = refuse_stop();
        assert_int_equal(ok, good && !refused);
        if (!ok) {
            assert_null(config.server);
            assert_int_equal(err.code, refused ? FX_ENOMEM : FX_EINVALID);
        }
        fx_kube_config_finish(&config);
        assert_int_equal(refuse_live(), live);
    }
    assert_true(n > 5);
}

static void test_configurations(void **state) {
    (void)state;
    write_file("config", kubeconfig);
    write_file("ca.crt", "-----BEGIN C-----\nca\n");
    write_file("token", "abc.def\n");
    write_file("namespace", "fixpoint-system");
    assert_int_equal(setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1), 0);
    assert_int_equal(setenv("KUBERNETES_SERVICE_PORT", "6443", 1), 0);
    for (int ever_after = 0; ever_after < 2; ever_after++) {
        refuse_config(read_data, true, ever_after != 0);
        refuse_config(read_files, true, ever_after != 0);
        refuse_config(read_pod, true, ever_after != 0);
        refuse_config(read_wrong, false, ever_after != 0);
    }
}

/* ---- a stream of events, in small pieces ------------------------------------------- */

static const char stream[] = "{\"type\":\"ADDED\",\"object\":" OBJECT(
    "a",
    "1") "}\n\n"
         "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"7\"}}}\n"
         "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410}}\n"
         "{\"type\":\"DELETED\",\"object\":" OBJECT("a", "2") "}";

static bool count_event(enum fx_kube_event event, json_t *object, void *user,
                        struct fx_err *err) {
    (void)event;
    (void)err;
    assert_true(json_is_object(object));
    ++*(unsigned *)user;
    return true;
}

static bool feed_all(unsigned *n_events, struct fx_err *err) {
    struct fx_kube_events events;
    fx_kube_events_init(&events, 4096, true, count_event, n_events);
    bool ok = true;
    for (size_t at = 0; ok && at < sizeof stream - 1; at += 7) {
        const size_t left = sizeof stream - 1 - at;
        ok = fx_kube_events_feed(&events,
                                 (struct fx_text){stream + at, left < 7 ? left : 7}, err);
    }
    ok = ok && fx_kube_events_end(&events, err);
    fx_kube_events_finish(&events);
    return ok;
}

static void test_events(void **state) {
    (void)state;
    const long live = refuse_live();
    long n = 0;
    for (bool refused = true; refused; n++) {
        struct fx_err err = FX_ERR_INIT;
        unsigned n_events = 0;
        refuse_from(n, false);
        const bool ok = feed_all(&n_events, &err);
        refused = refuse_stop();
        assert_int_equal(ok, !refused);
        assert_true(ok ? n_events == 4 : err.code == FX_ENOMEM);
        assert_int_equal(refuse_live(), live);
    }
    assert_true(n > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_configurations), cmocka_unit_test(test_events),
        cmocka_unit_test(test_reflector),      cmocka_unit_test(test_reflector_starved),
        cmocka_unit_test(test_apply),          cmocka_unit_test(test_apply_starved),
    };
    refuse_install();
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
