/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/operations.c - the words of `--operation`.
 */
#include "cli/operations.h"

#include <string.h>

#include "base/text.h"

static const struct {
    const char *word;
    struct fx_operations means;
} operations[] = {
    {"mutation-webhook", {.mutates = true}},
    {"webhook", {.admits = true}},
    {"mutation-controller", {0}},
    {"mutation-status", {0}},
    {"status", {0}},
    {"audit", {0}},
    {"generate", {0}},
};

static bool read_word(struct fx_text word, struct fx_operations *operations_read,
                      struct fx_err *err) {
    for (size_t i = 0; i < FX_COUNT(operations); i++) {
        if (fx_text_is(word, operations[i].word)) {
            operations_read->mutates |= operations[i].means.mutates;
            operations_read->admits |= operations[i].means.admits;
            return true;
        }
    }
    return fx_fail(err, FX_EINVALID,
                   "--operation: `%.*s` is none of mutation-webhook, webhook, "
                   "mutation-controller, mutation-status, status, audit, generate",
                   FX_TEXT_ARG(word));
}

static bool read_words(const char *words, struct fx_operations *operations_read,
                       struct fx_err *err) {
    for (const char *at = words;; at++) {
        const size_t len = strcspn(at, ",");
        if (!read_word((struct fx_text){at, len}, operations_read, err)) {
            return false;
        }
        at += len;
        if (*at == '\0') {
            return true;
        }
    }
}

bool fx_operations_read(const struct fx_strings *words,
                        struct fx_operations *ret_operations, struct fx_err *err) {
    struct fx_operations operations_read = {0};
    if (words->n_items == 0) {
        operations_read = (struct fx_operations){.mutates = true, .admits = true};
    }
    for (size_t i = 0; i < words->n_items; i++) {
        if (!read_words(words->items[i], &operations_read, err)) {
            return false;
        }
    }
    *ret_operations = operations_read;
    return true;
}
