/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/bindings.c - the life of one:
 *
 *   read the Pod → write the annotation → told
 *      ↑  ↓            ↑  ↓ fails, and may pass: after a pause again
 *      └──┘            └──┘
 */
#include "cluster/references/bindings.h"

#include <assert.h>
#include <stdlib.h>

#include <jansson.h>

#include "base/clock.h"
#include "base/limits.h"
#include "cluster/references/binding_patch.h"

#define BINDING_MAGIC 0x66786264u /* "fxbd" */

#define FIRST_PAUSE_MS 20u
#define LAST_PAUSE_MS  500u
#define NS_IN_MS       UINT64_C(1000000)

static const struct fx_kube_resource pods = {"", "v1", "pods", "Pod"};

struct binding {
    uint32_t magic;
    struct fx_cluster_bindings *all;
    struct binding *next, *previous;
    char *namespace_, *pod, *node;
    uint64_t deadline_ns, pause_ms;
    json_t *patch; /* NULL: the Pod is not read yet */
    struct fx_kube_call *call;
    uv_timer_t timer; /* of a pause */
    fx_cluster_on_bound *on_done;
    void *user;
};

struct fx_cluster_bindings {
    uv_loop_t *loop;
    struct fx_kube_client *client;
    struct binding *first;
    size_t n_items;
};

static struct binding *binding_of(void *data) {
    struct binding *binding = data;
    assert(binding != NULL && binding->magic == BINDING_MAGIC);
    return binding;
}

/* ---- the end of one -------------------------------------------------------------- */

static void destroy(struct binding *binding) {
    json_decref(binding->patch);
    free(binding->namespace_);
    free(binding->pod);
    free(binding->node);
    binding->magic = 0;
    free(binding);
}

static void on_timer_closed(uv_handle_t *timer) {
    destroy(binding_of(timer->data));
}

static void link_out(struct binding *binding) {
    struct fx_cluster_bindings *all = binding->all;
    if (binding->previous != NULL) {
        binding->previous->next = binding->next;
    } else {
        all->first = binding->next;
    }
    if (binding->next != NULL) {
        binding->next->previous = binding->previous;
    }
    all->n_items--;
}

/* It is told nothing any more. */
static void release(struct binding *binding) {
    fx_kube_call_cancel(binding->call);
    link_out(binding);
    uv_close((uv_handle_t *)&binding->timer, on_timer_closed);
}

static void tell(struct binding *binding, bool told, const struct fx_err *failure) {
    fx_cluster_on_bound *on_done = binding->on_done;
    void *user = binding->user;
    release(binding);
    on_done(told, failure, user);
}

static void tell_no_memory(struct binding *binding) {
    struct fx_err err = FX_ERR_INIT;
    (void)fx_fail_nomem(&err);
    tell(binding, false, &err);
}

/* ---- its requests ---------------------------------------------------------------- */

static void go_on(struct binding *binding);

static void on_pause_over(uv_timer_t *timer) {
    go_on(binding_of(timer->data));
}

/* Would another one be in time? */
static bool may_try_again(const struct binding *binding,
                          const struct fx_kube_failure *failure) {
    const bool passes = fx_kube_failure_is_temporary(failure) ||
                        failure->reason == FX_KUBE_REASON_CONFLICT;
    return passes && fx_clock_ns() + binding->pause_ms * NS_IN_MS < binding->deadline_ns;
}

static void fail(struct binding *binding, const struct fx_kube_failure *failure) {
    if (may_try_again(binding, failure)) {
        (void)uv_timer_start(&binding->timer, on_pause_over, binding->pause_ms, 0);
        binding->pause_ms =
            binding->pause_ms * 2 < LAST_PAUSE_MS ? binding->pause_ms * 2 : LAST_PAUSE_MS;
        return;
    }
    struct fx_err err = FX_ERR_INIT;
    (void)fx_fail(&err, FX_EIO, "%s", failure->message);
    tell(binding, false, &err);
}

static void on_written(const struct fx_kube_answer *answer, void *user) {
    struct binding *binding = binding_of(user);
    binding->call = NULL;
    if (answer->failure != NULL) {
        fail(binding, answer->failure);
    } else {
        tell(binding, true, NULL);
    }
}

static void on_read(const struct fx_kube_answer *answer, void *user) {
    struct binding *binding = binding_of(user);
    binding->call = NULL;
    if (answer->failure != NULL) {
        fail(binding, answer->failure);
    } else if (!fx_binding_patch_make(answer->object, fx_text_of(binding->node),
                                      &binding->patch)) {
        tell_no_memory(binding);
    } else if (binding->patch == NULL) {
        tell(binding, false, NULL);
    } else {
        go_on(binding);
    }
}

static uint64_t time_left_ms(const struct binding *binding) {
    const uint64_t now_ns = fx_clock_ns();
    return binding->deadline_ns > now_ns ? (binding->deadline_ns - now_ns) / NS_IN_MS + 1
                                         : 1;
}

/* The next request; false without memory. */
static bool ask(struct binding *binding) {
    const bool writes = binding->patch != NULL;
    const struct fx_kube_request request = {
        .verb = writes ? FX_KUBE_VERB_MERGE_PATCH : FX_KUBE_VERB_GET,
        .resource = &pods,
        .name = {.namespace_ = fx_text_of(binding->namespace_),
                 .name = fx_text_of(binding->pod)},
        .body = binding->patch,
        .metadata_only = writes, /* of its answer nothing is asked */
        .manager = writes ? "fixpoint" : NULL,
        .timeout_ms = time_left_ms(binding),
    };
    binding->call = fx_kube_call_start(binding->all->client, &request,
                                       writes ? on_written : on_read, binding);
    return binding->call != NULL;
}

static void go_on(struct binding *binding) {
    if (!ask(binding)) {
        tell_no_memory(binding);
    }
}

/* ---- all of them ----------------------------------------------------------------- */

static bool copy(struct binding *binding, const struct fx_cluster_binding *from) {
    binding->namespace_ = fx_text_dup(from->namespace_);
    binding->pod = fx_text_dup(from->pod);
    binding->node = fx_text_dup(from->node);
    return binding->namespace_ != NULL && binding->pod != NULL && binding->node != NULL;
}

static void link_in(struct binding *binding) {
    struct fx_cluster_bindings *all = binding->all;
    binding->next = all->first;
    if (binding->next != NULL) {
        binding->next->previous = binding;
    }
    all->first = binding;
    all->n_items++;
}

bool fx_cluster_bindings_start(struct fx_cluster_bindings *bindings,
                               const struct fx_cluster_binding *given,
                               fx_cluster_on_bound *on_done, void *user) {
    struct binding *binding =
        bindings->n_items < FX_LIMIT_BINDINGS ? calloc(1, sizeof *binding) : NULL;
    if (binding == NULL) {
        return false;
    }
    binding->magic = BINDING_MAGIC;
    binding->all = bindings;
    binding->deadline_ns = given->deadline_ns;
    binding->pause_ms = FIRST_PAUSE_MS;
    binding->on_done = on_done;
    binding->user = user;
    if (!copy(binding, given) || !ask(binding)) {
        destroy(binding);
        return false;
    }
    (void)uv_timer_init(bindings->loop, &binding->timer); /* cannot fail */
    binding->timer.data = binding;
    link_in(binding);
    return true;
}

struct fx_cluster_bindings *fx_cluster_bindings_create(uv_loop_t *loop,
                                                       struct fx_kube_client *client) {
    struct fx_cluster_bindings *bindings = calloc(1, sizeof *bindings);
    if (bindings != NULL) {
        bindings->loop = loop;
        bindings->client = client;
    }
    return bindings;
}

void fx_cluster_bindings_close(struct fx_cluster_bindings *bindings) {
    if (bindings == NULL) {
        return;
    }
    while (bindings->first != NULL) {
        release(bindings->first);
    }
    free(bindings);
}
