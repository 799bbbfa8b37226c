/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/rotation.c - selects the next step, and makes the content after
 * it.
 */
#include "cluster/certificates/rotation.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "cluster/certificates/rotation_state.h"
#include "net/tls.h"
#include "net/tls_issue.h"

#define CA_NAME  "fixpoint CA"
#define BACKDATE INT64_C(3600)
#define FIRST_CLOCK \
    INT64_C(1735689600) /* 2025-01-01: an earlier clock counts as not set */
#define LAST_CLOCK   INT64_C(221845392000) /* 9000-01-01 */
#define LAST_DATE    INT64_C(253402300799) /* the last date of a certificate: 9999-12-31 */
#define CHECK_MAX    (INT64_C(365) * 86400)
#define CHECK_AGAIN  INT64_C(10)    /* if a step could not be written */
#define CHECK_CLOCK  INT64_C(60)    /* if the clock is wrong */
#define CHECK_OTHERS INT64_C(5)     /* for other replicas that may restore the Secret */
#define CHECK_UNSURE INT64_C(86400) /* if the end of the CA is not known */
/* The most validities of the successor of a certificate that is not valid yet. */
#define EXTENSION 4

static const char *const step_names[] = {
#define X(name, text) [FX_ROTATION_##name] = text,
    FX_ROTATION_STEPS(X)
#undef X
};

const char *fx_rotation_step_name(enum fx_rotation_step step) {
    return step_names[step];
}

static void drop_content(struct fx_rotation *rotation) {
    fx_buf_finish(&rotation->ca_cert);
    fx_tls_wipe(&rotation->ca_key);
    fx_buf_finish(&rotation->cert);
    fx_tls_wipe(&rotation->key);
}

void fx_rotation_finish(struct fx_rotation *rotation) {
    if (rotation == NULL) {
        return;
    }
    fx_buf_finish(&rotation->bundle);
    drop_content(rotation);
    *rotation = (struct fx_rotation){0};
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* ---- choosing a step ---- */

/* A step, or the time until the next check, and the reason for either. */
struct rotation_choice {
    enum fx_rotation_step step;
    int64_t check_in;
    char *reason; /* FX_ROTATION_REASON bytes */
};

FX_PRINTF(3, 4)
static void choose(struct rotation_choice *choice, enum fx_rotation_step step,
                   const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    choice->step = step;
    (void)vsnprintf(choice->reason, FX_ROTATION_REASON, fmt, args);
    va_end(args);
}

static void check_in(struct rotation_choice *choice, int64_t seconds) {
    choice->check_in = least(choice->check_in, seconds);
}

/* Has this content been seen for `wait`? If not, checks again at that time. */
static bool is_settled(const struct rotation_state *state,
                       struct rotation_choice *choice) {
    const int64_t left = state->settings->wait - state->seen_for;
    if (left > 0) {
        check_in(choice, left);
    }
    return left <= 0;
}

/* Chooses if the chain is good, but ca.key cannot sign. The chain is kept as long as
 * possible, and replaced early enough that there is no gap. */
static bool choose_unsigned(const struct rotation_state *state,
                            struct rotation_choice *choice, struct fx_err *err) {
    const int64_t margin = state->leaf.not_after -
                           rotation_due_at(&state->leaf, state->settings->leaf_validity);
    bool ends = false;
    choose(choice, FX_ROTATION_KEEP,
           "ca.key cannot sign for the first certificate of ca.crt: %s%s%s",
           state->no_signs, state->has_names ? "" : "; ",
           state->has_names ? "" : state->no_chain);
    if (state->chain == ROTATION_EARLY) {
        if (is_settled(state, choice)) {
            choose(choice, FX_ROTATION_RENEW_CA,
                   "the certificates are not valid yet, and ca.key cannot sign: %s",
                   state->no_signs);
        }
        return true;
    }
    if (!rotation_ends_before(state, state->now + margin, &ends, err)) {
        return false;
    }
    if (ends) {
        choose(choice, FX_ROTATION_RENEW_CA,
               "the certificate expires soon, and ca.key cannot sign: %s",
               state->no_signs);
    }
    if (state->ca.not_before > state->now) {
        check_in(choice, state->ca.not_before - state->now);
    }
    check_in(choice, state->leaf.not_after - margin - state->now);
    check_in(choice, CHECK_UNSURE);
    return true;
}

/* Chooses in phase 1: ca.crt = [new, old], and the old CA signed the leaf. */
static void choose_in_phase_1(const struct rotation_state *state,
                              struct rotation_choice *choice) {
    const int64_t left = state->published_for < 0
                             ? state->leaf.not_after - state->now
                             : state->settings->wait - state->published_for;
    choose(choice, FX_ROTATION_KEEP, "%s", "");
    if (state->published_for >= 0 && left <= 0) {
        choose(choice, FX_ROTATION_SWITCH_LEAF,
               "every webhook configuration has held the new CA for long enough");
    }
    check_in(choice, left);
}

/* Has that moment come, or is the certificate still not valid after it was seen for long
 * enough to correct a clock? */
static bool is_due(const struct rotation_state *state, const struct fx_tls_dates *dates,
                   int64_t moment, struct rotation_choice *choice) {
    if (dates->not_before > state->now) {
        return is_settled(state, choice);
    }
    if (moment > state->now) {
        check_in(choice, moment - state->now);
    }
    return moment <= state->now;
}

static bool is_ca_due(const struct rotation_state *state,
                      struct rotation_choice *choice) {
    return is_due(state, &state->ca,
                  rotation_due_at(&state->ca, state->settings->ca_validity), choice);
}

/* A new leaf ends with its CA at the latest. If the CA expires soon, the new leaf would
 * be due again at once. So it must last at least twice as long as the rest of the old
 * one: ca - t >= 2 (leaf - t). */
static bool is_leaf_due(const struct rotation_state *state,
                        struct rotation_choice *choice) {
    const int64_t worth_it = 2 * state->leaf.not_after - state->ca.not_after;
    const int64_t due = rotation_due_at(&state->leaf, state->settings->leaf_validity);
    return is_due(state, &state->leaf, most(due, worth_it), choice);
}

/* The dates of the successor of `old` (zeroed: none). If the old one is not valid by this
 * clock, it may be by another, for which the successor must be valid, too: it begins no
 * later than an expired one, and ends no sooner than one that is not valid yet. */
static struct fx_tls_dates dates_from(const struct rotation_state *state,
                                      const struct fx_tls_dates *old, int64_t validity) {
    const int64_t now = state->now;
    const int64_t back = least(validity / 10, BACKDATE);
    struct fx_tls_dates dates = {now - back, now + validity};
    if (old->not_before > dates.not_before) {
        const int64_t end = least(old->not_after, now + EXTENSION * validity);
        dates.not_after = most(dates.not_after, end);
    } else if (old->not_after != 0) {
        const int64_t bound = old->not_after < now ? FIRST_CLOCK : now - validity;
        dates.not_before = least(dates.not_before, most(old->not_before, bound));
    }
    dates.not_after = least(dates.not_after, LAST_DATE);
    return dates;
}

static void choose_when_good(const struct rotation_state *state,
                             struct rotation_choice *choice) {
    choose(choice, FX_ROTATION_KEEP, "%s",
           state->chain == ROTATION_EARLY ? state->no_chain : "");
    if (!state->has_names) {
        choose(choice, FX_ROTATION_RENEW_LEAF, "%s", state->no_chain);
    } else if (state->n_bundle > 1 && state->chain == ROTATION_ACCEPTED) {
        if (is_settled(state, choice)) {
            choose(choice, FX_ROTATION_DROP_CA, "the old CA is not needed any more");
        }
    } else if (is_ca_due(state, choice)) {
        choose(choice, FX_ROTATION_RENEW_CA,
               state->ca.not_before > state->now
                   ? "the CA is not valid yet: a clock is or was wrong"
                   : "less than a third of the CA's validity, or 90 days, is left");
    } else if (is_leaf_due(state, choice)) {
        choose(
            choice, FX_ROTATION_RENEW_LEAF,
            state->leaf.not_before > state->now
                ? "the certificate is not valid yet: a clock is or was wrong"
                : "less than a third of the certificate's validity, or 90 days, is left");
    }
}

/* If no better content is held: the time until which another writer may repair the
 * Secret. */
static int64_t wait_for_repair_until(const struct rotation_state *state) {
    if (!state->usable) {
        return state->now + least(state->settings->wait, CHECK_OTHERS) - state->seen_for;
    }
    return state->signs || state->signed_by_ca
               ? state->now
               : rotation_due_at(&state->leaf, state->settings->leaf_validity);
}

static void choose_when_invalid(const struct rotation_state *state,
                                struct rotation_choice *choice) {
    char fault[FX_ROTATION_REASON];
    const int64_t left = wait_for_repair_until(state) - state->now;
    rotation_state_fault(state, fault);
    if (state->holds) {
        choose(choice, FX_ROTATION_RESTORE, "%s", fault);
    } else if (left > 0) {
        choose(choice, FX_ROTATION_KEEP, "%s", fault);
        check_in(choice, left);
    } else {
        choose(choice, state->signs ? FX_ROTATION_RENEW_LEAF : FX_ROTATION_START_OVER,
               "%s", fault);
    }
}

static bool choose_step(const struct rotation_state *state,
                        struct rotation_choice *choice, struct fx_err *err) {
    if (state->chain == ROTATION_REFUSED) {
        choose_when_invalid(state, choice);
        return true;
    }
    if (!state->signs) {
        return choose_unsigned(state, choice, err);
    }
    if (!state->by_newest) {
        choose_in_phase_1(state, choice);
    } else {
        choose_when_good(state, choice);
    }
    return true;
}

/* ---- the content after each step ---- */

static bool make_leaf(const struct rotation_state *state, struct fx_text ca_cert,
                      struct fx_text ca_key, struct fx_rotation *rotation,
                      struct fx_err *err) {
    const struct fx_rotation_settings *settings = state->settings;
    struct fx_tls_dates dates = dates_from(state, &state->leaf, settings->leaf_validity);
    struct fx_tls_dates ca = {0};
    struct fx_tls_pair leaf = {0};
    if (!fx_tls_read_dates(ca_cert, &ca, err)) {
        return false;
    }
    dates.not_after = least(dates.not_after, ca.not_after);
    if (!fx_tls_issue_leaf(ca_cert, ca_key, settings->names, settings->n_names, dates,
                           &leaf, err)) {
        return false;
    }
    rotation->cert = leaf.cert;
    rotation->key = leaf.key;
    return true;
}

/* Puts a new CA before the existing ones. */
static bool make_ca(const struct rotation_state *state, struct fx_rotation *rotation,
                    struct fx_err *err) {
    const struct fx_tls_dates dates =
        dates_from(state, &state->ca, state->settings->ca_validity);
    struct fx_tls_pair ca = {0};
    if (!fx_tls_issue_authority(CA_NAME, dates, &ca, err)) {
        return false;
    }
    rotation->ca_key = ca.key;
    const bool ok = fx_tls_bundle(fx_buf_view(&ca.cert), fx_buf_view(&state->bundle),
                                  state->now, &rotation->ca_cert, err);
    fx_buf_finish(&ca.cert);
    return ok;
}

static bool make_all(const struct rotation_state *state, struct fx_rotation *rotation,
                     struct fx_err *err) {
    return make_ca(state, rotation, err) &&
           make_leaf(state, fx_buf_view(&rotation->ca_cert),
                     fx_buf_view(&rotation->ca_key), rotation, err);
}

static void keep_cas(const struct fx_rotation_content *content, struct fx_text ca_cert,
                     struct fx_rotation *rotation) {
    assert(content != NULL);
    fx_buf_text(&rotation->ca_cert, ca_cert);
    fx_buf_text(&rotation->ca_key, content->ca_key);
}

static void keep_leaf(const struct fx_rotation_content *content,
                      struct fx_rotation *rotation) {
    assert(content != NULL);
    fx_buf_text(&rotation->cert, content->cert);
    fx_buf_text(&rotation->key, content->key);
}

/* Writes back the held content, so that clients that trust it are served as before. The
 * CA of the invalid Secret may be intended: if it can sign, it comes first, as in phase
 * 1. */
static bool restore(const struct rotation_state *state, struct fx_rotation *rotation,
                    struct fx_err *err) {
    const struct fx_rotation_content *held = state->held;
    keep_leaf(held, rotation);
    if (!state->signs) {
        keep_cas(held, held->ca_cert, rotation);
        return true;
    }
    fx_buf_text(&rotation->ca_key, state->content->ca_key);
    return fx_tls_bundle(state->newest, held->ca_cert, state->now, &rotation->ca_cert,
                         err);
}

static bool make_step(const struct rotation_state *state, struct fx_rotation *rotation,
                      struct fx_err *err) {
    switch (rotation->step) {
    case FX_ROTATION_KEEP: return true;
    case FX_ROTATION_CREATE:
    case FX_ROTATION_START_OVER: return make_all(state, rotation, err);
    case FX_ROTATION_RENEW_CA:
        keep_leaf(state->content, rotation);
        return make_ca(state, rotation, err);
    case FX_ROTATION_RENEW_LEAF:
    case FX_ROTATION_SWITCH_LEAF:
        keep_cas(state->content, fx_buf_view(&state->bundle), rotation);
        return make_leaf(state, state->newest, state->content->ca_key, rotation, err);
    case FX_ROTATION_DROP_CA:
        keep_cas(state->content, state->newest, rotation);
        keep_leaf(state->content, rotation);
        return true;
    case FX_ROTATION_RESTORE: return restore(state, rotation, err);
    }
    return true;
}

static bool any_failed(const struct fx_rotation *rotation) {
    return rotation->bundle.failed || rotation->ca_cert.failed ||
           rotation->ca_key.failed || rotation->cert.failed || rotation->key.failed;
}

static bool try_step(const struct rotation_state *state, struct fx_rotation *rotation,
                     struct fx_err *err) {
    struct rotation_choice choice = {.check_in = CHECK_MAX, .reason = rotation->reason};
    if (!choose_step(state, &choice, err)) {
        return false;
    }
    rotation->step = choice.step;
    rotation->check_in = choice.step == FX_ROTATION_KEEP ? choice.check_in : CHECK_AGAIN;
    return make_step(state, rotation, err);
}

/* Chooses the step and makes the content after it. A CA certificate may not be allowed to
 * sign, which is only known after trying: then another step is chosen. */
static bool take_step(struct rotation_state *state, struct fx_rotation *rotation,
                      struct fx_err *err) {
    if (try_step(state, rotation, err)) {
        return true;
    }
    if (err->code != FX_EINVALID || !state->signs) {
        return false;
    }
    state->signs = false;
    (void)snprintf(state->no_signs, sizeof state->no_signs, "%.*s", ROTATION_WHY - 1,
                   err->msg);
    drop_content(rotation);
    return try_step(state, rotation, err);
}

/* ---- deciding ---- */

static bool is_clock_wrong(int64_t now, struct fx_rotation *rotation) {
    if (now >= FIRST_CLOCK && now <= LAST_CLOCK) {
        return false;
    }
    (void)snprintf(rotation->reason, sizeof rotation->reason,
                   "the clock of this node is wrong: %lld s since 1970", (long long)now);
    rotation->check_in = CHECK_CLOCK;
    return true;
}

static bool decide_first(const struct rotation_state *state, struct fx_rotation *rotation,
                         struct fx_err *err) {
    rotation->step = FX_ROTATION_CREATE;
    rotation->check_in = CHECK_AGAIN;
    (void)snprintf(rotation->reason, sizeof rotation->reason,
                   "the Secret does not exist");
    return make_step(state, rotation, err);
}

/* Sets what to serve and publish as long as the content stays. */
static bool set_use(const struct rotation_state *state, struct fx_rotation *rotation,
                    struct fx_err *err) {
    rotation->invalid = state->chain == ROTATION_REFUSED;
    rotation->good = state->chain == ROTATION_ACCEPTED;
    rotation->signs = state->signs;
    rotation->usable = state->usable && !state->holds;
    rotation->ca_not_after = state->ca.not_after;
    rotation->leaf_not_after = state->leaf.not_after;
    if (!state->holds) {
        fx_buf_text(&rotation->bundle, fx_buf_view(&state->bundle));
        return true;
    }
    struct fx_tls_dates ca = {0};
    struct fx_tls_dates leaf = {0};
    if (!fx_tls_read_dates(state->held->ca_cert, &ca, err) ||
        !fx_tls_read_dates(state->held->cert, &leaf, err)) {
        return false;
    }
    rotation->ca_not_after = ca.not_after;
    rotation->leaf_not_after = leaf.not_after;
    return fx_tls_bundle(state->held->ca_cert, (struct fx_text){0}, state->now,
                         &rotation->bundle, err);
}

static bool decide_next(struct rotation_state *state,
                        const struct fx_rotation_input *input,
                        struct fx_rotation *rotation, struct fx_err *err) {
    if (!rotation_state_compute(state, err) || !set_use(state, rotation, err)) {
        return false;
    }
    if (is_clock_wrong(input->now, rotation)) {
        return true;
    }
    const bool ok = take_step(state, rotation, err);
    if (rotation->invalid && rotation->step == FX_ROTATION_KEEP) {
        fx_buf_reset(&rotation->bundle);
    }
    return ok;
}

/* Limits the time to the range of certificates' dates. */
static int64_t limit_time(int64_t now) {
    return now < 0 ? 0 : least(now, LAST_CLOCK);
}

bool fx_rotation_decide(const struct fx_rotation_settings *settings,
                        const struct fx_rotation_input *input,
                        struct fx_rotation *ret_rotation, struct fx_err *err) {
    enum fx_rotation_setting which = FX_ROTATION_NAMES;
    if (!fx_rotation_check_settings(settings, &which, err)) {
        return false;
    }
    struct fx_rotation rotation = {.rotated_at = input->now};
    struct rotation_state state = {
        .settings = settings,
        .content = input->content,
        .held = input->held,
        .now = limit_time(input->now),
        .seen_for = input->seen_for,
        .published_for = input->published_for,
    };
    bool ok = true;
    if (input->content != NULL) {
        ok = decide_next(&state, input, &rotation, err);
    } else if (!is_clock_wrong(input->now, &rotation)) {
        ok = decide_first(&state, &rotation, err);
    }
    rotation_state_finish(&state);
    if (ok && any_failed(&rotation)) {
        ok = fx_fail_nomem(err);
    }
    if (!ok) {
        fx_rotation_finish(&rotation);
        return false;
    }
    rotation.check_in = rotation.check_in < 1 ? 1 : rotation.check_in;
    *ret_rotation = rotation;
    return true;
}

/* ---- a deleted Secret ------------------------------------------------------------ */

static void move(struct fx_buf *to, struct fx_buf *from) {
    fx_tls_wipe(to);
    *to = *from;
    *from = (struct fx_buf){0};
}

/* Keeps the old content, and puts the new CA before the old one. */
static bool add_ca(struct fx_rotation *fresh, const struct fx_rotation_input *input,
                   struct fx_rotation *rotation, struct fx_err *err) {
    const bool keeps = rotation->step == FX_ROTATION_KEEP;
    const struct fx_text old =
        keeps ? input->content->ca_cert : fx_buf_view(&rotation->ca_cert);
    struct fx_buf both = {0};
    if (!fx_tls_bundle(fx_buf_view(&fresh->ca_cert), old, input->now, &both, err)) {
        fx_buf_finish(&both);
        return false;
    }
    if (keeps) {
        fx_buf_text(&rotation->cert, input->content->cert);
        fx_buf_text(&rotation->key, input->content->key);
    }
    move(&rotation->ca_cert, &both);
    move(&rotation->ca_key, &fresh->ca_key);
    return !(rotation->cert.failed || rotation->key.failed) || fx_fail_nomem(err);
}

/* Creates the Secret again from its old content and a new CA. */
static bool recreate(const struct fx_rotation_settings *settings,
                     const struct fx_rotation_input *input, struct fx_rotation *rotation,
                     struct fx_err *err) {
    struct fx_rotation_input without_content = *input;
    struct fx_rotation fresh = {0};
    without_content.content = NULL;
    if (!fx_rotation_decide(settings, &without_content, &fresh, err)) {
        return false;
    }
    bool ok = true;
    if (fresh.step == FX_ROTATION_CREATE) {
        ok = add_ca(&fresh, input, rotation, err);
        rotation->step = FX_ROTATION_CREATE;
        rotation->rotated_at = fresh.rotated_at;
    }
    (void)snprintf(rotation->reason, sizeof rotation->reason, "%s",
                   fresh.step == FX_ROTATION_CREATE
                       ? "the Secret was deleted: it is created again with a new CA in "
                         "addition to the old one"
                       : fresh.reason);
    rotation->check_in = fresh.check_in;
    fx_rotation_finish(&fresh);
    return ok;
}

bool fx_secret_step(const struct fx_rotation_settings *settings,
                    const struct fx_rotation_input *input, bool deleted,
                    struct fx_rotation *ret_rotation, struct fx_err *err) {
    struct fx_rotation rotation = {0};
    if (!fx_rotation_decide(settings, input, &rotation, err)) {
        return false;
    }
    if (deleted && (rotation.step == FX_ROTATION_RENEW_CA ||
                    rotation.step == FX_ROTATION_START_OVER)) {
        rotation.step = FX_ROTATION_CREATE; /* the content already has a new CA */
    } else if (deleted && !recreate(settings, input, &rotation, err)) {
        fx_rotation_finish(&rotation);
        return false;
    }
    *ret_rotation = rotation;
    return true;
}
