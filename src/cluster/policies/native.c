/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/native.c - asks the API server, and asks again.
 */
#include "cluster/policies/native.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "kube/backoff.h"

#define VERSION_MS UINT64_C(60000) /* between two looks at the version */
#define ROUND      10u             /* every tenth look is at the feature gate, too */
#define FIRST_MS   500u
#define LAST_MS    30000u
/* After so many failures in a row the version decides alone, if it is known. */
#define MOST_FAILURES 4u

#define ADVICE "grant `get` on nonResourceURLs [\"/metrics\"], or set --native-policies"

#define NATIVE_MAGIC 0x66786e76u /* "fxnv" */

struct fx_native {
    uint32_t magic;
    uv_timer_t timer;
    struct fx_kube_client *client;
    const struct fx_kind *kind;
    struct fx_kube_gate_query *query; /* NULL: none in progress */
    bool asks_version_only;           /* the query does */
    enum fx_native_state state;
    bool is_given; /* the operator has decided */
    char reason[FX_ERR_TEXT];
    char version[sizeof((struct fx_kube_version *)0)->text]; /* of the last decision */
    unsigned n_looks, n_failures;
    uint64_t pause_ms;
    void (*on_change)(void *user);
    void *user;
};

static const char *const state_names[] = {FX_NATIVE_STATES(FX_WORD)};
static const char *const mode_names[] = {FX_NATIVE_MODES(FX_WORD)};

const char *fx_native_mode_name(enum fx_native_mode mode) {
    return mode_names[mode];
}

const char *fx_native_state_name(enum fx_native_state state) {
    return state_names[state];
}

static struct fx_native *native_of(void *data) {
    struct fx_native *native = data;
    assert(native != NULL && native->magic == NATIVE_MAGIC);
    return native;
}

/* ---- the decision ---------------------------------------------------------------- */

enum fx_native_state fx_native_decide(const struct fx_native_api *api,
                                      const struct fx_kube_server_facts *facts) {
    const struct fx_kube_version *version = facts->version;
    if (facts->gate == FX_KUBE_GATE_ON || facts->gate == FX_KUBE_GATE_OFF) {
        return facts->gate == FX_KUBE_GATE_ON ? FX_NATIVE_LEFT : FX_NATIVE_RUN;
    }
    if (version == NULL) {
        return FX_NATIVE_UNKNOWN;
    }
    if (version->major > 1 || version->minor >= api->default_minor) {
        return FX_NATIVE_LEFT;
    }
    return version->minor < api->first_minor || facts->gate == FX_KUBE_GATE_NONE
               ? FX_NATIVE_RUN
               : FX_NATIVE_UNKNOWN;
}

static void write_reason(struct fx_native *native,
                         const struct fx_kube_server_facts *facts) {
    const char *gate = native->kind->native->feature_gate;
    const char *version = facts->version == NULL ? "" : facts->version->text;
    char *reason = native->reason;
    const size_t size = sizeof native->reason;
    if (facts->gate == FX_KUBE_GATE_ON || facts->gate == FX_KUBE_GATE_OFF) {
        (void)snprintf(reason, size, "its feature gate %s is %s", gate,
                       facts->gate == FX_KUBE_GATE_ON ? "on" : "off");
    } else if (native->state == FX_NATIVE_LEFT) {
        (void)snprintf(reason, size, "Kubernetes %s does so by default", version);
    } else if (native->state == FX_NATIVE_RUN) {
        (void)snprintf(reason, size, "Kubernetes %s has no feature gate %s", version,
                       gate);
    } else {
        (void)snprintf(reason, size, "its feature gate %s cannot be read: %.*s", gate,
                       (int)(size / 2),
                       facts->failure == NULL ? "no version" : facts->failure->message);
    }
}

static void log_state(const struct fx_native *native) {
    const struct fx_log_field group = fx_log_str("group", native->kind->group);
    const struct fx_log_field reason = fx_log_str("reason", native->reason);
    switch (native->state) {
    case FX_NATIVE_CHECKING: break;
    case FX_NATIVE_RUN:
        fx_log(INFO, "Fixpoint runs these policies, because the API server does not",
               group, reason);
        break;
    case FX_NATIVE_LEFT:
        fx_log(INFO, "the API server runs these policies: Fixpoint leaves them", group,
               reason);
        break;
    case FX_NATIVE_UNKNOWN:
        fx_log(WARN,
               "Fixpoint leaves these policies, because the API server may run them",
               group, reason, fx_log_str("advice", ADVICE));
        break;
    }
}

static void set_state(struct fx_native *native, enum fx_native_state state,
                      const struct fx_kube_server_facts *facts) {
    const bool changed = state != native->state;
    native->state = state;
    write_reason(native, facts);
    if (changed) {
        log_state(native);
        native->on_change(native->user);
    }
}

/* ---- asking ---------------------------------------------------------------------- */

static void on_timer(uv_timer_t *timer);

static void ask_in(struct fx_native *native, uint64_t ms) {
    (void)uv_timer_start(&native->timer, on_timer, ms, 0); /* it has a callback */
}

static void retry(struct fx_native *native) {
    native->n_failures++;
    native->pause_ms = fx_backoff_double(native->pause_ms, FIRST_MS, LAST_MS);
    ask_in(native, native->pause_ms);
}

static void on_facts(const struct fx_kube_server_facts *facts, void *user);

static void ask(struct fx_native *native, bool version_only) {
    native->asks_version_only = version_only;
    native->query = fx_kube_gate_query_start(
        native->client, version_only ? NULL : native->kind->native->feature_gate,
        on_facts, native);
    if (native->query == NULL) {
        retry(native);
    }
}

/* May the same question have an answer soon? */
static bool is_worth_retrying(const struct fx_native *native,
                              const struct fx_kube_server_facts *facts) {
    return facts->failure != NULL && fx_kube_failure_is_temporary(facts->failure) &&
           (facts->version == NULL || native->n_failures < MOST_FAILURES);
}

static void on_facts(const struct fx_kube_server_facts *facts, void *user) {
    struct fx_native *native = native_of(user);
    native->query = NULL;
    if (is_worth_retrying(native, facts)) {
        retry(native);
        return;
    }
    const char *version = facts->version == NULL ? "" : facts->version->text;
    const bool is_same = strcmp(version, native->version) == 0;
    if (native->asks_version_only && !is_same) {
        ask(native, false);
        return;
    }
    native->n_failures = 0;
    native->pause_ms = 0;
    if (!native->asks_version_only) {
        (void)snprintf(native->version, sizeof native->version, "%s", version);
        set_state(native, fx_native_decide(native->kind->native, facts), facts);
    }
    ask_in(native, VERSION_MS);
}

/* Repeats the last question if it failed. */
static void on_timer(uv_timer_t *timer) {
    struct fx_native *native = native_of(timer->data);
    const bool is_decided =
        native->state == FX_NATIVE_RUN || native->state == FX_NATIVE_LEFT;
    if (native->n_failures > 0) {
        ask(native, native->asks_version_only);
    } else {
        ask(native, is_decided && ++native->n_looks % ROUND != 0);
    }
}

void fx_native_check(struct fx_native *native) {
    if (!native->is_given && native->query == NULL) {
        (void)uv_timer_stop(&native->timer);
        ask(native, false);
    }
}

/* ---- life ------------------------------------------------------------------------ */

/* Sets the state that the operator wants. */
static void set_given(struct fx_native *native, enum fx_native_mode mode) {
    native->is_given = true;
    native->state = mode == FX_NATIVE_MODE_RUN ? FX_NATIVE_RUN : FX_NATIVE_LEFT;
    (void)snprintf(native->reason, sizeof native->reason, "--native-policies %s",
                   fx_native_mode_name(mode));
    fx_log(INFO,
           mode == FX_NATIVE_MODE_RUN ? "Fixpoint runs these policies"
                                      : "Fixpoint leaves these policies",
           fx_log_str("group", native->kind->group),
           fx_log_str("reason", native->reason));
}

struct fx_native *fx_native_create(uv_loop_t *loop, struct fx_kube_client *client,
                                   const struct fx_kind *kind, enum fx_native_mode mode,
                                   void (*on_change)(void *user), void *user) {
    struct fx_native *native = calloc(1, sizeof *native);
    if (native == NULL) {
        return NULL;
    }
    native->magic = NATIVE_MAGIC;
    native->client = client;
    native->kind = kind;
    native->on_change = on_change;
    native->user = user;
    (void)uv_timer_init(loop, &native->timer); /* cannot fail */
    native->timer.data = native;
    if (mode == FX_NATIVE_MODE_AUTO) {
        ask(native, false);
    } else {
        set_given(native, mode);
    }
    return native;
}

enum fx_native_state fx_native_get(const struct fx_native *native) {
    return native->state;
}

const char *fx_native_reason(const struct fx_native *native) {
    return native->reason;
}

static void on_closed(uv_handle_t *timer) {
    struct fx_native *native = native_of(timer->data);
    native->magic = 0;
    free(native);
}

void fx_native_close(struct fx_native *native) {
    if (native != NULL) {
        fx_kube_gate_query_cancel(native->query);
        uv_close((uv_handle_t *)&native->timer, on_closed);
    }
}
