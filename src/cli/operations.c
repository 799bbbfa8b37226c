/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/operations.c - the values of `--operation`.
 */
#include "cli/operations.h"

#include <string.h>

#include "base/text.h"

/* Sorted, as a status reports them. */
static const struct {
    const char *word;
    bool is_done; /* here: it has a meaning, or goes without saying */
    bool mutates, admits, reports;
} known[FX_OPERATIONS_KNOWN] = {
    {.word = "audit"},
    {.word = "generate"},
    {.word = "mutation-controller", .is_done = true},
    {.word = "mutation-status", .is_done = true, .reports = true},
    {.word = "mutation-webhook", .is_done = true, .mutates = true},
    {.word = "status"},
    {.word = "webhook", .is_done = true, .admits = true},
};

/* Which of them were given. */
struct given {
    bool at[FX_OPERATIONS_KNOWN];
};

static bool read_word(struct fx_text word, struct given *given, struct fx_err *err) {
    for (size_t i = 0; i < FX_COUNT(known); i++) {
        if (fx_text_is(word, known[i].word)) {
            given->at[i] = true;
            return true;
        }
    }
    return fx_fail(err, FX_EINVALID,
                   "--operation: `%.*s` is none of mutation-webhook, webhook, "
                   "mutation-controller, mutation-status, status, audit, generate",
                   FX_TEXT_ARG(word));
}

static bool read_words(const char *words, struct given *given, struct fx_err *err) {
    for (const char *at = words;; at++) {
        const size_t len = strcspn(at, ",");
        if (!read_word((struct fx_text){at, len}, given, err)) {
            return false;
        }
        at += len;
        if (*at == '\0') {
            return true;
        }
    }
}

static void note(struct fx_operations *operations, size_t i) {
    operations->mutates |= known[i].mutates;
    operations->admits |= known[i].admits;
    operations->reports |= known[i].reports;
    operations->words[operations->n_words++] = known[i].word;
}

bool fx_operations_read(const struct fx_strings *words,
                        struct fx_operations *ret_operations, struct fx_err *err) {
    struct given given = {{false}};
    for (size_t i = 0; i < words->n_items; i++) {
        if (!read_words(words->items[i], &given, err)) {
            return false;
        }
    }
    *ret_operations = (struct fx_operations){0};
    for (size_t i = 0; i < FX_COUNT(known); i++) {
        if (words->n_items == 0 ? known[i].is_done : given.at[i]) {
            note(ret_operations, i);
        }
    }
    return true;
}
