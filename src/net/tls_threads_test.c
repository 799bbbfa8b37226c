/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_threads_test.c - threads that each have configurations of their own, and share
 * nothing else: all that several loops of one process do with TLS at the same time.
 */
#include "net/tls_fixture.h"

#include <pthread.h>
#include <stdlib.h>

#define N_THREADS    4
#define N_HANDSHAKES 6

struct worker {
    pthread_t thread;
    struct fx_tls_config *server, *client;
    size_t n_open;
};

static void finish_worker(struct worker *worker) {
    fx_tls_config_unref(worker->server);
    fx_tls_config_unref(worker->client);
}

/* No cmocka in here: it is not made for threads. */
static bool make_configs(struct worker *worker) {
    static const char *const names[] = {"localhost"};
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf pem = {0};
    worker->server = fx_tls_config_self_signed(names, 1, &err);
    if (worker->server == NULL) {
        return false;
    }
    fx_tls_config_print(worker->server, &pem);
    worker->client = fx_tls_config_client(fx_buf_view(&pem), "localhost",
                                          (struct fx_text){0}, (struct fx_text){0}, &err);
    fx_buf_finish(&pem);
    return worker->client != NULL;
}

static bool say_hello(struct side *from, struct side *to) {
    return fx_tls_send(from->tls, FX_TEXT("hello"), &from->cipher, &from->err) &&
           (pass_output(from, to), fx_text_is(fx_buf_view(&to->plain), "hello"));
}

static void *work(void *argument) {
    struct worker *worker = argument;
    if (!make_configs(worker)) {
        return NULL;
    }
    for (int i = 0; i < N_HANDSHAKES; i++) {
        struct side server = {.tls = fx_tls_create(worker->server)};
        struct side client = {.tls = fx_tls_create(worker->client)};
        if (server.tls != NULL && client.tls != NULL) {
            exchange_output(&client, &server);
            worker->n_open += client.state == FX_TLS_OPEN &&
                              server.state == FX_TLS_OPEN &&
                              say_hello(&client, &server) && say_hello(&server, &client);
        }
        side_finish(&server);
        side_finish(&client);
    }
    return NULL;
}

static void threads_do_not_meet(void **state) {
    (void)state;
    struct worker workers[N_THREADS] = {0};
    for (size_t i = 0; i < N_THREADS; i++) {
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < N_THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        assert_int_equal(workers[i].n_open, N_HANDSHAKES);
        finish_worker(&workers[i]);
    }
}

/* A configuration that was made elsewhere is used here, and let go by both. */
static void configs_may_be_made_elsewhere(void **state) {
    (void)state;
    struct worker worker = {0};
    assert_int_equal(pthread_create(&worker.thread, NULL, work, &worker), 0);
    assert_int_equal(pthread_join(worker.thread, NULL), 0);
    struct fx_tls_config *server = fx_tls_config_ref(worker.server);
    struct fx_tls_config *client = fx_tls_config_ref(worker.client);
    finish_worker(&worker);
    struct side sides[2];
    side_init(&sides[0], client);
    side_init(&sides[1], server);
    exchange_output(&sides[0], &sides[1]);
    assert_int_equal(sides[0].state, FX_TLS_OPEN);
    side_finish(&sides[0]);
    side_finish(&sides[1]);
    fx_tls_config_unref(server);
    fx_tls_config_unref(client);
}

/* The first configuration of a process is made before there are threads (tls.h). */
static int make_first(void **state) {
    static const char *const names[] = {"localhost"};
    struct fx_err err = FX_ERR_INIT;
    (void)state;
    fx_tls_config_unref(fx_tls_config_self_signed(names, 1, &err));
    return err.code == FX_OK ? 0 : 1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_meet),
        cmocka_unit_test(configs_may_be_made_elsewhere),
    };
    return cmocka_run_group_tests(tests, make_first, NULL);
}
