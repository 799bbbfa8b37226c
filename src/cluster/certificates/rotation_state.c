/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/rotation_state.c - what the content of the Secret is good for at a
 * moment.
 */
#include "cluster/certificates/rotation_state.h"

#include <stdio.h>
#include <string.h>

#include "net/tls.h"

#define MARGIN_MAX (INT64_C(90) * 86400)

static const char end_mark[] = "-----END CERTIFICATE-----\n";

static struct fx_text text_of(const struct fx_buf *buf) {
    return (struct fx_text){buf->data, buf->len};
}

int64_t rotation_due_at(const struct fx_tls_dates *dates, int64_t validity) {
    const int64_t life = dates->not_after - dates->not_before;
    const int64_t third = (life < validity ? life : validity) / 3;
    return dates->not_after - (third < MARGIN_MAX ? third : MARGIN_MAX);
}

/* ---- questions, to which no is an answer ---- */

struct answer {
    bool yes;
    struct fx_err why; /* not */
};

/* A verdict about the content is no failure; what is our own is one. */
static bool settle(const struct answer *answer, struct fx_err *err) {
    if (!answer->yes && answer->why.code != FX_EINVALID) {
        *err = answer->why;
        return false;
    }
    return true;
}

static void keep_why(const struct answer *answer, char why[ROTATION_WHY]) {
    (void)snprintf(why, ROTATION_WHY, "%.*s", ROTATION_WHY - 1, answer->why.msg);
}

static bool ask_fits(struct fx_text cert, struct fx_text key, struct answer *ret_answer,
                     struct fx_err *err) {
    *ret_answer = (struct answer){0};
    struct fx_tls_config *config = fx_tls_config_server(cert, key, &ret_answer->why);
    ret_answer->yes = config != NULL;
    fx_tls_config_unref(config);
    return settle(ret_answer, err);
}

/* What a client is asked: would it, trusting these, accept the leaf then, under each of
 * these names? */
struct question {
    const struct fx_rotation_content *content; /* whose leaf; NULL: that of the Secret */
    struct fx_text ca;
    int64_t then;
    const char *const *names;
    size_t n_names;
};

static bool ask_chain(const struct rotation_state *state, const struct question *question,
                      struct answer *ret_answer, struct fx_err *err) {
    const struct fx_rotation_content *content =
        question->content != NULL ? question->content : state->content;
    *ret_answer = (struct answer){0};
    ret_answer->yes =
        fx_tls_check_chain(question->ca, content->cert, content->key, question->names,
                           question->n_names, question->then, &ret_answer->why);
    return settle(ret_answer, err);
}

/* The dates; zeroed where there are none. */
static bool ask_dates(struct fx_text pem, struct fx_tls_dates *ret_dates,
                      struct fx_err *err) {
    struct answer answer = {0};
    answer.yes = fx_tls_read_dates(pem, ret_dates, &answer.why);
    return settle(&answer, err);
}

bool rotation_ends_before(const struct rotation_state *state, int64_t moment,
                          bool *ret_ends, struct fx_err *err) {
    const struct question question = {.ca = text_of(&state->bundle), .then = moment};
    struct answer answer;
    if (!ask_chain(state, &question, &answer, err)) {
        return false;
    }
    *ret_ends = !answer.yes;
    return true;
}

/* ---- the authorities ---- */

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

static bool learn_bundle(struct rotation_state *state, struct fx_err *err) {
    const struct fx_text ca = state->content->ca_cert;
    if (!fx_tls_bundle(ca, (struct fx_text){0}, INT64_MIN, &state->all, err) ||
        !fx_tls_bundle(ca, (struct fx_text){0}, state->now, &state->bundle, err)) {
        return false;
    }
    state->newest = first_certificate(&state->all);
    state->n_bundle = count_certificates(&state->bundle);
    return ask_dates(state->newest, &state->ca, err);
}

static bool learn_signs(struct rotation_state *state, struct fx_err *err) {
    struct answer answer;
    if (!ask_fits(state->newest, state->content->ca_key, &answer, err)) {
        return false;
    }
    if (answer.yes && state->ca.not_before > state->now) {
        answer.yes = fx_fail(&answer.why, FX_EINVALID, "it is not valid yet");
    } else if (answer.yes &&
               state->ca.not_after - state->now <= 2 * state->settings->wait) {
        answer.yes = fx_fail(&answer.why, FX_EINVALID, "it is about to end or has ended");
    }
    state->signs = answer.yes;
    keep_why(&answer, state->no_signs);
    return true;
}

/* ---- the chain ---- */

/* The usual cases, settled by a question or two: all is well, or the leaf is still of an
 * older authority. */
static bool learn_usual(struct rotation_state *state, bool *ret_learned,
                        struct fx_err *err) {
    struct question question = {.ca = state->newest,
                                .then = state->now,
                                .names = state->settings->names,
                                .n_names = state->settings->n_names};
    struct answer answer;
    if (!ask_chain(state, &question, &answer, err)) {
        return false;
    }
    state->by_newest = answer.yes;
    if (!answer.yes && state->n_bundle > 1) {
        question.ca = text_of(&state->bundle);
        if (!ask_chain(state, &question, &answer, err)) {
            return false;
        }
    }
    *ret_learned = answer.yes;
    if (answer.yes) {
        state->chain = ROTATION_ACCEPTED;
        state->usable = state->vouched = state->has_names = true;
    }
    return true;
}

/* Now, or at the moment from which all of it is valid; names apart. */
static bool learn_moment(struct rotation_state *state, struct question *question,
                         struct fx_err *err) {
    const int64_t begins = state->leaf.not_before > state->ca.not_before
                               ? state->leaf.not_before
                               : state->ca.not_before;
    struct answer answer;
    if (!ask_chain(state, question, &answer, err)) {
        return false;
    }
    state->chain = answer.yes ? ROTATION_ACCEPTED : ROTATION_REFUSED;
    keep_why(&answer, state->no_chain);
    state->vouched = answer.yes;
    if (answer.yes) {
        return true;
    }
    question->then = begins;
    if (!ask_chain(state, question, &answer, err)) {
        return false;
    }
    state->vouched = answer.yes;
    if (answer.yes && begins > state->now) {
        state->chain = ROTATION_EARLY;
    }
    return true;
}

/* A leaf for none of the names is of no use to anybody, so it counts as refused. */
static bool learn_names(struct rotation_state *state, struct question *question,
                        struct fx_err *err) {
    const struct fx_rotation_settings *settings = state->settings;
    size_t n_accepted = 0;
    struct answer answer;
    question->n_names = 1;
    for (size_t i = 0; i < settings->n_names; i++) {
        question->names = &settings->names[i];
        if (!ask_chain(state, question, &answer, err)) {
            return false;
        }
        n_accepted += answer.yes;
        if (!answer.yes) {
            keep_why(&answer, state->no_chain);
        }
    }
    state->has_names = n_accepted == settings->n_names;
    if (n_accepted == 0) {
        state->chain = ROTATION_REFUSED;
    }
    return true;
}

static bool learn_chain(struct rotation_state *state, struct fx_err *err) {
    struct question question = {.ca = text_of(&state->all), .then = state->now};
    struct answer answer;
    if (!ask_fits(state->content->cert, state->content->key, &answer, err)) {
        return false;
    }
    state->usable = answer.yes;
    keep_why(&answer, state->no_fit);
    if (!learn_moment(state, &question, err)) {
        return false;
    }
    if (state->chain == ROTATION_REFUSED) {
        return true;
    }
    question.ca = state->newest;
    if (!ask_chain(state, &question, &answer, err)) {
        return false;
    }
    state->by_newest = answer.yes;
    question.ca = text_of(&state->all);
    return learn_names(state, &question, err);
}

static bool learn_held(struct rotation_state *state, struct fx_err *err) {
    if (state->chain != ROTATION_REFUSED || state->held == NULL) {
        return true;
    }
    const struct question question = {
        .content = state->held, .ca = state->held->ca_cert, .then = state->now};
    struct answer answer;
    if (!ask_chain(state, &question, &answer, err)) {
        return false;
    }
    state->holds = answer.yes;
    return true;
}

bool rotation_state_learn(struct rotation_state *state, struct fx_err *err) {
    if (state->seen_for < 0 && state->content->rotated_at > 0) {
        state->seen_for = state->now - state->content->rotated_at;
    }
    bool learned = false;
    return learn_bundle(state, err) &&
           ask_dates(state->content->cert, &state->leaf, err) &&
           learn_signs(state, err) && learn_usual(state, &learned, err) &&
           (learned || learn_chain(state, err)) && learn_held(state, err);
}

/* ---- in words ---- */

static void add_authority_fault(const struct rotation_state *state, struct fx_buf *to) {
    if (state->newest.len == 0) {
        fx_buf_str(to, "ca.crt: no certificate in it");
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
    } else if (state->vouched) {
        fx_buf_printf(to, "%stls.crt: %s", comma, state->no_chain);
    } else if (state->newest.len > 0) {
        fx_buf_printf(to, "%sca.crt or tls.crt: %s", comma, state->no_chain);
    }
}

void rotation_state_fault(const struct rotation_state *state,
                          char ret_words[FX_ROTATION_REASON]) {
    struct fx_buf words;
    fx_buf_init(&words, 0);
    add_authority_fault(state, &words);
    add_leaf_fault(state, &words);
    (void)snprintf(ret_words, FX_ROTATION_REASON, "%.*s", FX_ROTATION_REASON - 1,
                   words.failed || words.len == 0 ? state->no_chain : words.data);
    fx_buf_finish(&words);
}

void rotation_state_finish(struct rotation_state *state) {
    fx_buf_finish(&state->all);
    fx_buf_finish(&state->bundle);
}
