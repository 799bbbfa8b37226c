/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/rotation_state.c - checks the content of the Secret and the
 * settings.
 */
#include "cluster/certificates/rotation_state.h"

#include <stdio.h>
#include <string.h>

#include "net/tls.h"
#include "net/tls_issue.h"

#define VALIDITY_MAX (INT64_C(1000) * 366 * 86400)
#define MARGIN_MAX   (INT64_C(90) * 86400)

static const char end_mark[] = "-----END CERTIFICATE-----\n";

int64_t rotation_due_at(const struct fx_tls_dates *dates, int64_t validity) {
    const int64_t life = dates->not_after - dates->not_before;
    const int64_t third = (life < validity ? life : validity) / 3;
    return dates->not_after - (third < MARGIN_MAX ? third : MARGIN_MAX);
}

/* ---- checks ---- */

/* The result of a check of the content. */
struct verdict {
    bool yes;
    struct fx_err why; /* why not */
};

/* Was the check made? A negative verdict is not an error, but a check that failed is. */
static bool is_verdict(const struct verdict *verdict, struct fx_err *err) {
    if (!verdict->yes && verdict->why.code != FX_EINVALID) {
        *err = verdict->why;
        return false;
    }
    return true;
}

static void set_why(const struct verdict *verdict, char why[ROTATION_WHY]) {
    (void)snprintf(why, ROTATION_WHY, "%.*s", ROTATION_WHY - 1, verdict->why.msg);
}

static bool check_fits(struct fx_text cert, struct fx_text key,
                       struct verdict *ret_verdict, struct fx_err *err) {
    *ret_verdict = (struct verdict){0};
    struct fx_tls_config *config = fx_tls_config_server(cert, key, &ret_verdict->why);
    ret_verdict->yes = config != NULL;
    fx_tls_config_unref(config);
    return is_verdict(ret_verdict, err);
}

/* A check: would a client that trusts these CAs accept the leaf at that time, for each of
 * the names? */
struct chain_check {
    /* The content with the leaf; NULL: that of the Secret. */
    const struct fx_rotation_content *content;
    struct fx_text ca;
    int64_t then;
    const char *const *names;
    size_t n_names;
};

static bool check_chain(const struct rotation_state *state,
                        const struct chain_check *check, struct verdict *ret_verdict,
                        struct fx_err *err) {
    const struct fx_rotation_content *content =
        check->content != NULL ? check->content : state->content;
    *ret_verdict = (struct verdict){0};
    ret_verdict->yes =
        fx_tls_check_chain(check->ca, content->cert, content->key, check->names,
                           check->n_names, check->then, &ret_verdict->why);
    return is_verdict(ret_verdict, err);
}

/* The dates of the certificate; zeroed if there is none. */
static bool read_dates(struct fx_text pem, struct fx_tls_dates *ret_dates,
                       struct fx_err *err) {
    struct verdict verdict = {0};
    verdict.yes = fx_tls_read_dates(pem, ret_dates, &verdict.why);
    return is_verdict(&verdict, err);
}

bool rotation_ends_before(const struct rotation_state *state, int64_t moment,
                          bool *ret_ends, struct fx_err *err) {
    const struct chain_check check = {.ca = fx_buf_view(&state->bundle), .then = moment};
    struct verdict verdict;
    if (!check_chain(state, &check, &verdict, err)) {
        return false;
    }
    *ret_ends = !verdict.yes;
    return true;
}

/* ---- the CAs ---- */

static size_t count_certificates(const struct fx_buf *bundle) {
    size_t n = 0;
    const char *at = bundle->len == 0 ? NULL : strstr(bundle->data, end_mark);
    for (; at != NULL; at = strstr(at + 1, end_mark)) {
        n++;
    }
    return n;
}

static struct fx_text first_certificate(const struct fx_buf *bundle) {
    const char *end = bundle->len == 0 ? NULL : strstr(bundle->data, end_mark);
    if (end == NULL) {
        return (struct fx_text){0};
    }
    return (struct fx_text){bundle->data,
                            (size_t)(end - bundle->data) + strlen(end_mark)};
}

static bool set_bundle(struct rotation_state *state, struct fx_err *err) {
    const struct fx_text ca = state->content->ca_cert;
    if (!fx_tls_bundle(ca, (struct fx_text){0}, INT64_MIN, &state->all, err) ||
        !fx_tls_bundle(ca, (struct fx_text){0}, state->now, &state->bundle, err)) {
        return false;
    }
    state->newest = first_certificate(&state->all);
    state->n_bundle = count_certificates(&state->bundle);
    return read_dates(state->newest, &state->ca, err);
}

static bool set_signs(struct rotation_state *state, struct fx_err *err) {
    struct verdict verdict;
    if (!check_fits(state->newest, state->content->ca_key, &verdict, err)) {
        return false;
    }
    if (verdict.yes && state->ca.not_before > state->now) {
        verdict.yes = fx_fail(&verdict.why, FX_EINVALID, "it is not valid yet");
    } else if (verdict.yes &&
               state->ca.not_after - state->now <= 2 * state->settings->wait) {
        verdict.yes =
            fx_fail(&verdict.why, FX_EINVALID, "it has expired or is about to expire");
    }
    state->signs = verdict.yes;
    set_why(&verdict, state->no_signs);
    return true;
}

/* ---- the chain ---- */

/* Handles the usual cases, which need only one or two checks: everything is good, or an
 * older CA signed the leaf. */
static bool set_usual(struct rotation_state *state, bool *ret_done, struct fx_err *err) {
    struct chain_check check = {.ca = state->newest,
                                .then = state->now,
                                .names = state->settings->names,
                                .n_names = state->settings->n_names};
    struct verdict verdict;
    if (!check_chain(state, &check, &verdict, err)) {
        return false;
    }
    state->by_newest = verdict.yes;
    if (!verdict.yes && state->n_bundle > 1) {
        check.ca = fx_buf_view(&state->bundle);
        if (!check_chain(state, &check, &verdict, err)) {
            return false;
        }
    }
    *ret_done = verdict.yes;
    if (verdict.yes) {
        state->chain = ROTATION_ACCEPTED;
        state->usable = state->signed_by_ca = state->has_names = true;
    }
    return true;
}

/* Checks the chain without names, now and at the time from which all of it is valid. */
static bool set_moment(struct rotation_state *state, struct chain_check *check,
                       struct fx_err *err) {
    const int64_t begins = state->leaf.not_before > state->ca.not_before
                               ? state->leaf.not_before
                               : state->ca.not_before;
    struct verdict verdict;
    if (!check_chain(state, check, &verdict, err)) {
        return false;
    }
    state->chain = verdict.yes ? ROTATION_ACCEPTED : ROTATION_REFUSED;
    set_why(&verdict, state->no_chain);
    state->signed_by_ca = verdict.yes;
    if (verdict.yes) {
        return true;
    }
    check->then = begins;
    if (!check_chain(state, check, &verdict, err)) {
        return false;
    }
    state->signed_by_ca = verdict.yes;
    if (verdict.yes && begins > state->now) {
        state->chain = ROTATION_EARLY;
    }
    return true;
}

/* Checks the names. A leaf with none of them is useless, and counts as refused. */
static bool set_names(struct rotation_state *state, struct chain_check *check,
                      struct fx_err *err) {
    const struct fx_rotation_settings *settings = state->settings;
    size_t n_accepted = 0;
    struct verdict verdict;
    check->n_names = 1;
    for (size_t i = 0; i < settings->n_names; i++) {
        check->names = &settings->names[i];
        if (!check_chain(state, check, &verdict, err)) {
            return false;
        }
        n_accepted += verdict.yes;
        if (!verdict.yes) {
            set_why(&verdict, state->no_chain);
        }
    }
    state->has_names = n_accepted == settings->n_names;
    if (n_accepted == 0) {
        state->chain = ROTATION_REFUSED;
    }
    return true;
}

static bool set_chain(struct rotation_state *state, struct fx_err *err) {
    struct chain_check check = {.ca = fx_buf_view(&state->all), .then = state->now};
    struct verdict verdict;
    if (!check_fits(state->content->cert, state->content->key, &verdict, err)) {
        return false;
    }
    state->usable = verdict.yes;
    set_why(&verdict, state->no_fit);
    if (!set_moment(state, &check, err)) {
        return false;
    }
    if (state->chain == ROTATION_REFUSED) {
        return true;
    }
    check.ca = state->newest;
    if (!check_chain(state, &check, &verdict, err)) {
        return false;
    }
    state->by_newest = verdict.yes;
    check.ca = fx_buf_view(&state->all);
    return set_names(state, &check, err);
}

static bool set_held(struct rotation_state *state, struct fx_err *err) {
    if (state->chain != ROTATION_REFUSED || state->held == NULL) {
        return true;
    }
    const struct chain_check check = {
        .content = state->held, .ca = state->held->ca_cert, .then = state->now};
    struct verdict verdict;
    if (!check_chain(state, &check, &verdict, err)) {
        return false;
    }
    state->holds = verdict.yes;
    return true;
}

bool rotation_state_compute(struct rotation_state *state, struct fx_err *err) {
    if (state->seen_for < 0 && state->content->rotated_at > 0) {
        state->seen_for = state->now - state->content->rotated_at;
    }
    bool done = false;
    return set_bundle(state, err) &&
           read_dates(state->content->cert, &state->leaf, err) && set_signs(state, err) &&
           set_usual(state, &done, err) && (done || set_chain(state, err)) &&
           set_held(state, err);
}

/* ---- the fault ---- */

static void add_authority_fault(const struct rotation_state *state, struct fx_buf *to) {
    if (state->newest.len == 0) {
        fx_buf_str(to, "ca.crt: no certificate");
    } else if (!state->signs) {
        fx_buf_printf(to, "ca.key: %s", state->no_signs);
    }
}

static void add_leaf_fault(const struct rotation_state *state, struct fx_buf *to) {
    static const char of_key[] = "private key";
    const bool is_key = strncmp(state->no_fit, of_key, strlen(of_key)) == 0;
    const char *comma = to->len > 0 ? "; " : "";
    if (!state->usable) {
        fx_buf_printf(to, "%s%s: %s", comma, is_key ? "tls.key" : "tls.crt",
                      state->no_fit);
    } else if (state->signed_by_ca) {
        fx_buf_printf(to, "%stls.crt: %s", comma, state->no_chain);
    } else if (state->newest.len > 0) {
        fx_buf_printf(to, "%sca.crt or tls.crt: %s", comma, state->no_chain);
    }
}

void rotation_state_fault(const struct rotation_state *state,
                          char ret_message[FX_ROTATION_REASON]) {
    struct fx_buf message = {0};
    add_authority_fault(state, &message);
    add_leaf_fault(state, &message);
    (void)snprintf(ret_message, FX_ROTATION_REASON, "%.*s", FX_ROTATION_REASON - 1,
                   message.failed || message.len == 0 ? state->no_chain : message.data);
    fx_buf_finish(&message);
}

void rotation_state_finish(struct rotation_state *state) {
    fx_buf_finish(&state->all);
    fx_buf_finish(&state->bundle);
}

/* ---- settings ---- */

static bool check_names(const struct fx_rotation_settings *settings, struct fx_err *err) {
    struct fx_buf der = {0};
    const bool ok = fx_cert_names_write(settings->names, settings->n_names, &der, err);
    fx_buf_finish(&der);
    return ok;
}

static bool check_validity(const char *what, int64_t validity, int64_t wait,
                           struct fx_err *err) {
    if (validity <= 0 || validity > VALIDITY_MAX) {
        return fx_fail(err, FX_EINVALID, "the validity of the %s cannot be %lld s", what,
                       (long long)validity);
    }
    return validity / 3 > 2 * wait ||
           fx_fail(err, FX_EINVALID,
                   "a third of the validity of the %s (%lld s) must be longer than twice "
                   "the wait (%lld s)",
                   what, (long long)validity, (long long)wait);
}

bool fx_rotation_check_settings(const struct fx_rotation_settings *settings,
                                enum fx_rotation_setting *ret_which, struct fx_err *err) {
    if (settings->wait < 0 || settings->wait > VALIDITY_MAX) {
        *ret_which = FX_ROTATION_WAIT;
        return fx_fail(err, FX_EINVALID, "the wait cannot be %lld s",
                       (long long)settings->wait);
    }
    if (!check_validity("CA", settings->ca_validity, settings->wait, err)) {
        *ret_which = FX_ROTATION_CA_VALIDITY;
        return false;
    }
    if (!check_validity("certificate", settings->leaf_validity, settings->wait, err)) {
        *ret_which = FX_ROTATION_LEAF_VALIDITY;
        return false;
    }
    *ret_which = FX_ROTATION_NAMES;
    return check_names(settings, err);
}
