/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/recover.c - the current token, and what happens where it is wrong.
 */
#include "base/budget.h"
#include "location/cel/parser.h"

struct fx_text fx_cel_token_text(const struct cel_parser *parser,
                                 struct cel_token token) {
    return (struct fx_text){parser->source.data + token.at, token.len};
}

/* At the end of the text all rules end without a report. */
static void stop(struct cel_parser *parser) {
    parser->stopped = true;
    parser->is_recovering = true;
    parser->at = parser->tokens.n - 1;
}

void fx_cel_stop_at_limit(struct cel_parser *parser, const char *message) {
    if (!parser->stopped) {
        fx_cel_faults_add(parser->faults, FX_CEL_NOWHERE, "%s", message);
    }
    stop(parser);
}

void fx_cel_stop_without_memory(struct cel_parser *parser) {
    (void)fx_fail_nomem(parser->err);
    parser->failed = true;
    stop(parser);
}

void fx_cel_stop_over_budget(struct cel_parser *parser) {
    (void)fx_fail_exceeded(parser->err);
    parser->failed = true;
    stop(parser);
}

void fx_cel_report(struct cel_parser *parser, size_t ahead, const char *what) {
    if (parser->is_recovering) {
        return;
    }
    parser->is_recovering = true;
    const size_t last = parser->tokens.n - 1;
    const size_t index = parser->at + ahead < last ? parser->at + ahead : last;
    const struct cel_token token = parser->tokens.items[index];
    if (token.type == CEL_END) {
        fx_cel_faults_add(parser->faults, token.at, "Syntax error: %s '<EOF>'", what);
    } else {
        fx_cel_faults_add(parser->faults, token.at, "Syntax error: %s '%.*s'", what,
                          FX_TEXT_ARG(fx_cel_token_text(parser, token)));
    }
}

static void skip(struct cel_parser *parser) {
    if (parser->at < parser->tokens.n - 1) {
        parser->at++;
    }
}

/* A token has matched: the parser is in step again. */
static void end_recovery(struct cel_parser *parser) {
    parser->is_recovering = parser->stopped;
    parser->error_at = SIZE_MAX;
    parser->error_states = 0;
}

/* Counts an error that the parser tries to recover from. */
static void count_recovery(struct cel_parser *parser) {
    if (++parser->recoveries > FX_CEL_MOST_RECOVERIES) {
        stop(parser);
    }
}

/* If the token after the current one is of the set, reports and skips the current one. */
static bool delete_token(struct cel_parser *parser, cel_set set) {
    if ((CEL_SET(fx_cel_ahead(parser, 1)) & set) == 0) {
        return false;
    }
    fx_cel_report(parser, 0, "extraneous input");
    skip(parser);
    end_recovery(parser);
    return true;
}

struct cel_token fx_cel_take(struct cel_parser *parser) {
    const struct cel_token token = fx_cel_token(parser);
    end_recovery(parser);
    skip(parser);
    return token;
}

bool fx_cel_match(struct cel_parser *parser, enum cel_token_type type, cel_set next,
                  struct cel_token *ret_token) {
    *ret_token = fx_cel_token(parser);
    if (ret_token->type == type) {
        (void)fx_cel_take(parser);
        return true;
    }
    if (parser->stopped) {
        return false;
    }
    count_recovery(parser);
    if (delete_token(parser, CEL_SET(type))) {
        *ret_token = fx_cel_token(parser);
        skip(parser);
        return true;
    }
    if (fx_cel_is_ahead(parser, next)) {
        fx_cel_report(parser, 0, "missing token at");
        ret_token->type = type;
        ret_token->len = 0;
        return true;
    }
    fx_cel_report(parser, 0, "mismatched input");
    return false;
}

bool fx_cel_expect(struct cel_parser *parser, cel_set set) {
    if (parser->is_recovering || fx_cel_is_ahead(parser, set) ||
        delete_token(parser, set)) {
        return true;
    }
    fx_cel_report(parser, 0, "mismatched input");
    return false;
}

void fx_cel_skip_to(struct cel_parser *parser, cel_set set) {
    while (!fx_cel_is_ahead(parser, set | CEL_SET(CEL_END))) {
        skip(parser);
    }
}

void fx_cel_recover(struct cel_parser *parser, const struct cel_follow *follow,
                    unsigned state) {
    size_t skipped = 0;
    count_recovery(parser);
    if (parser->error_at == parser->at &&
        (parser->error_states & (UINT64_C(1) << state)) != 0) {
        skip(parser);
        skipped++;
    }
    parser->error_at = parser->at;
    parser->error_states |= UINT64_C(1) << state;
    while (!fx_cel_is_ahead(parser, follow->any | CEL_SET(CEL_END))) {
        if (skipped++ >= FX_CEL_MOST_SKIPPED) {
            fx_cel_stop_at_limit(parser,
                                 "error recovery token lookahead limit exceeded: 256");
            return;
        }
        skip(parser);
    }
}

void fx_cel_enter(struct cel_parser *parser, enum cel_rule rule) {
    if (++parser->depth[rule] > FX_CEL_MOST_DEPTH) {
        fx_cel_stop_at_limit(parser, "expression recursion limit exceeded: 250");
    }
}

void fx_cel_leave(struct cel_parser *parser, enum cel_rule rule) {
    parser->depth[rule]--;
}
