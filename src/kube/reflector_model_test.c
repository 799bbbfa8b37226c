/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/reflector_model_test.c - a server whose objects change all the time and which
 * cuts, resets, expires and garbles its answers, at random: in the end the reflector has
 * reported what the server has, and nothing wrong on the way.
 */
#include "kube/reflector_fixture.h"

#define N_NAMES   12u
#define N_CHANGES 600u
#define N_FAULTS  150u
#define N_SEEDS   4u
#define PAGE_SIZE 4u

struct state {
    unsigned uid, version; /* 0: there is none */
};

struct change {
    const char *type;
    size_t name;
    struct state state;
};

static struct {
    struct fixture fixture;
    struct fx_kube_random random;
    struct state objects[N_NAMES]; /* the server's */
    struct state page[N_NAMES];    /* of the list in progress */
    struct change changes[N_CHANGES + 1];
    size_t n_changes; /* the version of a change is its index, from 1 */
    unsigned n_uids, page_version;
    size_t n_faults;
    struct state reported[N_NAMES];
} model;

static unsigned draw(unsigned most) {
    return (unsigned)fx_kube_random_between(&model.random, 0, most);
}

/* ---- the server ---- */

static void change_something(void) {
    if (model.n_changes == N_CHANGES) {
        return;
    }
    const size_t name = draw(N_NAMES - 1);
    struct state *object = &model.objects[name];
    const unsigned version = (unsigned)++model.n_changes;
    struct change *change = &model.changes[version];
    const bool was = object->version != 0;
    const bool deletes = was && draw(2) == 0;
    *change = (struct change){!was      ? "ADDED"
                              : deletes ? "DELETED"
                                        : "MODIFIED",
                              name,
                              {was ? object->uid : ++model.n_uids, version}};
    *object = deletes ? (struct state){0} : change->state;
}

static bool is_faulty(void) {
    if (model.n_faults == N_FAULTS || draw(3) == 0) {
        return false;
    }
    model.n_faults++;
    return true;
}

static void write_object(struct fx_buf *text, size_t name, struct state state) {
    fx_buf_printf(text,
                  "{\"metadata\":{\"name\":\"n%zu\",\"uid\":\"%u\",\"resourceVersion\":"
                  "\"%u\",\"managedFields\":[]}}",
                  name, state.uid, state.version);
}

/* Ends after a whole line, within a line, or with a reset. */
static void say_part(struct fake_connection *connection, const struct fx_buf *text,
                     bool whole) {
    const size_t len = whole ? text->len : draw((unsigned)text->len);
    fx_stream_write(&connection->stream, (struct fx_text){text->data, len});
    end_connection(connection, whole ? CLOSE : draw(1) == 0 ? CUT : RESET);
}

static bool refuse(struct fake_connection *connection) {
    static const char *const refusals[] = {
        STATUS("410", "Expired"), STATUS("500", "InternalError"),
        STATUS("429", "TooManyRequests"),
        "HTTP/1.1 502 X\r\nConnection: close\r\n\r\n<html>"};
    fx_stream_write(&connection->stream, fx_text_of(refusals[draw(3)]));
    end_connection(connection, CLOSE);
    return true;
}

static void respond_page(struct fake_connection *connection, const char *request) {
    const char *token = strstr(request, "continue=");
    const char *limit = strstr(request, "limit=");
    size_t at = token == NULL ? 0 : strtoul(token + strlen("continue="), NULL, 10);
    const size_t end =
        limit == NULL || at + PAGE_SIZE > N_NAMES ? N_NAMES : at + PAGE_SIZE;
    struct fx_buf text = {0};
    if (token == NULL) {
        memcpy(model.page, model.objects, sizeof model.page);
        model.page_version = (unsigned)model.n_changes;
    }
    fx_buf_printf(&text,
                  OK_HEAD "Connection: close\r\n\r\n{\"metadata\":{\"resourceVersion\":"
                          "\"%u\",\"continue\":\"",
                  model.page_version);
    if (end < N_NAMES) {
        fx_buf_printf(&text, "%zu", end);
    }
    fx_buf_str(&text, "\"},\"items\":[");
    for (bool any = false; at < end; at++) {
        if (model.page[at].version != 0) {
            fx_buf_str(&text, any ? "," : "");
            write_object(&text, at, model.page[at]);
            any = true;
        }
    }
    fx_buf_str(&text, "]}");
    say_part(connection, &text, draw(3) != 0 || !is_faulty());
    fx_buf_finish(&text);
}

static void write_chunk(struct fx_buf *text, const struct fx_buf *line) {
    fx_buf_printf(text, "%zx\r\n%s\r\n", line->len, line->data);
}

static void write_changes(struct fx_buf *text, size_t from) {
    struct fx_buf line = {0};
    for (size_t i = from + 1; i <= model.n_changes; i++) {
        fx_buf_reset(&line);
        fx_buf_printf(&line, "{\"type\":\"%s\",\"object\":", model.changes[i].type);
        write_object(&line, model.changes[i].name, model.changes[i].state);
        fx_buf_str(&line, "}\n");
        write_chunk(text, &line);
    }
    fx_buf_finish(&line);
}

/* The last one of all stays open. */
static void respond_watch(struct fake_connection *connection, const char *request) {
    static const char *const ends[] = {ERROR("410", "Expired"), ERROR("500", "X"),
                                       "rubbish\n", BOOKMARK("0"), "{\"type\":\n"};
    const char *from = strstr(request, "resourceVersion=");
    struct fx_buf text = {0};
    struct fx_buf line = {0};
    assert_non_null(from);
    fx_buf_str(&text, OPEN_HEAD);
    write_changes(&text, strtoul(from + strlen("resourceVersion="), NULL, 10));
    if (!is_faulty()) {
        fx_stream_write(&connection->stream, fx_buf_view(&text));
        if (model.n_changes < N_CHANGES || model.n_faults < N_FAULTS) {
            fx_stream_write(&connection->stream, FX_TEXT(LAST_CHUNK));
            end_connection(connection, CLOSE);
        }
    } else if (draw(2) == 0) {
        fx_buf_str(&line, ends[draw(4)]);
        write_chunk(&text, &line);
        fx_buf_str(&text, LAST_CHUNK);
        say_part(connection, &text, true);
    } else {
        say_part(connection, &text, false);
    }
    fx_buf_finish(&line);
    fx_buf_finish(&text);
}

static void respond(struct fake_connection *connection, const char *request, void *user) {
    (void)user;
    for (unsigned n = draw(8); n > 0; n--) {
        change_something();
    }
    if (draw(5) == 0 && is_faulty() && refuse(connection)) {
        return;
    }
    if (strstr(request, "watch=true") != NULL) {
        respond_watch(connection, request);
    } else {
        respond_page(connection, request);
    }
}

/* ---- reported events ---- */

static unsigned number_of(struct fx_text text) {
    unsigned number = 0;
    for (size_t i = 0; i < text.len; i++) {
        number = number * 10 + (unsigned)(text.data[i] - '0');
    }
    return number;
}

static size_t name_of(struct fx_text name) {
    return number_of((struct fx_text){name.data + 1, name.len - 1});
}

/* Never again, never backwards, never without a word that the one before is gone. */
static bool model_on_object(json_t *object, void *user) {
    struct fx_kube_identity identity;
    (void)user;
    assert_true(fx_kube_object_identify(object, &identity));
    struct state *reported = &model.reported[name_of(identity.name)];
    const struct state now = {number_of(identity.uid), number_of(identity.version)};
    assert_true(reported->version == 0 || reported->uid == now.uid);
    assert_true(now.version > reported->version);
    *reported = now;
    return true;
}

static void model_on_gone(struct fx_text namespace_, struct fx_text name, void *user) {
    (void)user;
    assert_int_equal(namespace_.len, 0);
    struct state *reported = &model.reported[name_of(name)];
    assert_true(reported->version != 0);
    *reported = (struct state){0};
}

static void model_on_synced(void *user) {
    (void)user;
}

static void model_on_state(enum fx_kube_state state,
                           const struct fx_kube_failure *failure, void *user) {
    (void)state;
    (void)user;
    assert_true(failure == NULL || failure->message[0] != '\0');
}

static bool is_told(void) {
    return model.n_changes == N_CHANGES && model.n_faults == N_FAULTS &&
           memcmp(model.reported, model.objects, sizeof model.reported) == 0;
}

static void the_server_is_mirrored(void **state) {
    (void)state;
    static const struct fx_kube_reflector_events model_events = {
        .on_object = model_on_object,
        .on_gone = model_on_gone,
        .on_synced = model_on_synced,
        .on_state = model_on_state,
    };
    for (unsigned seed = 1; seed <= N_SEEDS; seed++) {
        struct fx_err err = FX_ERR_INIT;
        memset(&model, 0, sizeof model);
        model.random.state = seed;
        fixture_begin(&model.fixture);
        model.fixture.api.respond = respond;
        model.fixture.reflector =
            fx_kube_reflector_create(&model.fixture.api.server.loop, model.fixture.client,
                                     &all_assigns, &model_events, NULL, &err);
        assert_non_null(model.fixture.reflector);
        struct fx_kube_delays pauses = fast;
        pauses.backoff_min_ms = pauses.backoff_max_ms = 1;
        pauses.page = PAGE_SIZE;
        fx_kube_reflector_set_delays(model.fixture.reflector, &pauses);
        RUN_UNTIL(&model.fixture.api, is_told());
        fixture_finish(&model.fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_server_is_mirrored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
