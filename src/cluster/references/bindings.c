/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/bindings.c - the life of a binding:
 *
 *   read the Pod → write the annotation → report
 *      ↑  ↓            ↑  ↓ temporary failure: again after a pause
 *      └──┘            └──┘
 */
#include "cluster/references/bindings.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/list.h"
#include "engine/dialect.h"
#include "kube/backoff.h"
#include "kube/body.h"
#include "value/tree.h"

#define BINDING_MAGIC 0x66786264u /* "fxbd" */

#define FIRST_PAUSE_MS 20u
#define LAST_PAUSE_MS  500u
#define NS_IN_MS       UINT64_C(1000000)

static const struct fx_kube_resource pods = {"", "v1", "pods", "Pod"};

struct binding {
    struct fx_list_link link; /* of `all->first` */
    uint32_t magic;
    struct fx_cluster_bindings *all;
    char *namespace_, *pod, *node;
    uint64_t deadline_ns, pause_ms;
    json_t *patch; /* NULL: the Pod has not been read yet */
    struct fx_kube_call *call;
    uv_timer_t timer; /* of the pause before a retry */
    fx_cluster_on_bound *on_done;
    void *user;
};

struct fx_cluster_bindings {
    uv_loop_t *loop;
    struct fx_kube_client *client;
    struct fx_list_link *first;
    size_t n_items;
};

static struct binding *binding_of(void *data) {
    struct binding *binding = data;
    assert(binding != NULL && binding->magic == BINDING_MAGIC);
    return binding;
}

/* ---- the patch ------------------------------------------------------------------- */

static bool wants_annotation(const json_t *annotations,
                             const struct fx_node_annotations *names,
                             struct fx_text node) {
    return names != NULL &&
           fx_text_is(fx_tree_view_string(annotations, names->asks), "true") &&
           !fx_text_equal(fx_tree_view_string(annotations, names->names), node);
}

/* The annotations to write, for all dialects; NULL without memory. */
static json_t *new_annotations(const json_t *annotations, struct fx_text node) {
    json_t *made = json_object();
    bool ok = made != NULL;
    for (const struct fx_dialect *const *at = fx_dialects; ok && *at != NULL; at++) {
        const struct fx_node_annotations *names = (*at)->node_annotations;
        if (wants_annotation(annotations, names, node)) {
            ok = fx_kube_body_set_text(made, names->names, node);
        }
    }
    if (!ok) {
        json_decref(made);
        return NULL;
    }
    return made;
}

bool fx_binding_patch_make(const json_t *pod, struct fx_text node, json_t **ret_patch) {
    const json_t *metadata = fx_tree_view_key(pod, "metadata");
    *ret_patch = NULL;
    if (fx_tree_view_string(fx_tree_view_key(pod, "spec"), "nodeName").len > 0) {
        return true;
    }
    json_t *made = new_annotations(fx_tree_view_key(metadata, "annotations"), node);
    if (made == NULL) {
        return false;
    }
    if (json_object_size(made) == 0) {
        json_decref(made);
        return true;
    }
    *ret_patch = json_pack("{s:{s:O*, s:o}}", "metadata", "uid",
                           fx_tree_view_key(metadata, "uid"), "annotations", made);
    return *ret_patch != NULL;
}

/* ---- the end --------------------------------------------------------------------- */

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

/* Ends the binding without a report. */
static void release(struct binding *binding) {
    fx_kube_call_cancel(binding->call);
    fx_list_remove(&binding->all->first, &binding->link);
    binding->all->n_items--;
    uv_close((uv_handle_t *)&binding->timer, on_timer_closed);
}

static void report_binding(struct binding *binding, bool written,
                           const struct fx_err *failure) {
    fx_cluster_on_bound *on_done = binding->on_done;
    void *user = binding->user;
    release(binding);
    on_done(written, failure, user);
}

static void report_no_memory(struct binding *binding) {
    struct fx_err err = FX_ERR_INIT;
    (void)fx_fail_nomem(&err);
    report_binding(binding, false, &err);
}

/* ---- requests -------------------------------------------------------------------- */

static void on_pause_over(uv_timer_t *timer);

/* Is there time for another attempt before the deadline? */
static bool may_retry(const struct binding *binding,
                      const struct fx_kube_failure *failure) {
    const bool is_temporary = fx_kube_failure_is_temporary(failure) ||
                              failure->reason == FX_KUBE_REASON_CONFLICT;
    return is_temporary &&
           fx_clock_ns() + binding->pause_ms * NS_IN_MS < binding->deadline_ns;
}

static void fail_binding(struct binding *binding, const struct fx_kube_failure *failure) {
    if (may_retry(binding, failure)) {
        (void)uv_timer_start(&binding->timer, on_pause_over, binding->pause_ms, 0);
        binding->pause_ms =
            fx_backoff_double(binding->pause_ms, FIRST_PAUSE_MS, LAST_PAUSE_MS);
        return;
    }
    struct fx_err err = FX_ERR_INIT;
    (void)fx_fail(&err, FX_EIO, "%s", failure->message);
    report_binding(binding, false, &err);
}

static void on_written(const struct fx_kube_answer *answer, void *user) {
    struct binding *binding = binding_of(user);
    binding->call = NULL;
    if (answer->failure != NULL) {
        fail_binding(binding, answer->failure);
    } else {
        report_binding(binding, true, NULL);
    }
}

static void on_read(const struct fx_kube_answer *answer, void *user);

/* Reads the Pod, or writes the patch if there is one. False without memory. */
static bool send_request(struct binding *binding) {
    const bool writes = binding->patch != NULL;
    const struct fx_kube_request request = {
        .verb = writes ? FX_KUBE_VERB_MERGE_PATCH : FX_KUBE_VERB_GET,
        .resource = &pods,
        .name = {.namespace_ = fx_text_of(binding->namespace_),
                 .name = fx_text_of(binding->pod)},
        .body = binding->patch,
        .metadata_only = writes, /* the content of the answer is not used */
        .manager = writes ? "fixpoint" : NULL,
        .timeout_ms = fx_timeout_until(binding->deadline_ns),
    };
    binding->call = fx_kube_call_start(binding->all->client, &request,
                                       writes ? on_written : on_read, binding);
    return binding->call != NULL;
}

static void proceed(struct binding *binding) {
    if (!send_request(binding)) {
        report_no_memory(binding);
    }
}

static void on_pause_over(uv_timer_t *timer) {
    proceed(binding_of(timer->data));
}

static void on_read(const struct fx_kube_answer *answer, void *user) {
    struct binding *binding = binding_of(user);
    binding->call = NULL;
    if (answer->failure != NULL) {
        fail_binding(binding, answer->failure);
    } else if (!fx_binding_patch_make(answer->object, fx_text_of(binding->node),
                                      &binding->patch)) {
        report_no_memory(binding);
    } else if (binding->patch == NULL) {
        report_binding(binding, false, NULL);
    } else {
        proceed(binding);
    }
}

/* ---- all bindings ---------------------------------------------------------------- */

static bool copy_texts(struct binding *binding, const struct fx_cluster_binding *from) {
    binding->namespace_ = fx_text_dup(from->namespace_);
    binding->pod = fx_text_dup(from->pod);
    binding->node = fx_text_dup(from->node);
    return binding->namespace_ != NULL && binding->pod != NULL && binding->node != NULL;
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
    if (!copy_texts(binding, given) || !send_request(binding)) {
        destroy(binding);
        return false;
    }
    (void)uv_timer_init(bindings->loop, &binding->timer); /* cannot fail */
    binding->timer.data = binding;
    fx_list_add(&bindings->first, &binding->link);
    bindings->n_items++;
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
        release((struct binding *)bindings->first);
    }
    free(bindings);
}
