/* SPDX-License-Identifier: Apache-2.0
 *
 * server/mutation_log.c - one record a mutation, of bounded length.
 */
#include "server/mutation_log.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/text.h"

#define PASSES       16u  /* that are told; `iterations` counts them all */
#define PASS_BYTES   600u /* of the ids of one pass */
#define NAME_BYTES   256u /* of one name of the request */
#define KEY_BYTES    24u  /* "iteration_15" */
#define FIXED_FIELDS 9u

struct line {
    struct fx_log_field fields[FIXED_FIELDS + PASSES + 1]; /* the last one stays empty */
    size_t n_fields;
    struct fx_buf lists[PASSES];
    char keys[PASSES][KEY_BYTES];
    char names[5][NAME_BYTES];
    size_t n_names;
};

static void add(struct line *line, struct fx_log_field field) {
    line->fields[line->n_fields++] = field;
}

/* A name of the request, cut at a rune. */
static void add_name(struct line *line, const char *key, struct fx_text text) {
    char *name = line->names[line->n_names++];
    size_t length = text.len;
    if (length >= NAME_BYTES) {
        length = fx_text_rune_floor(text.data, NAME_BYTES - 1);
    }
    (void)snprintf(name, NAME_BYTES, "%.*s", (int)length, length == 0 ? "" : text.data);
    add(line, fx_log_str(key, name));
}

/* "Assign//a:7, ModifySet//b:2" */
static void list_ids(struct fx_buf *list, const struct fx_snapshot *snapshot,
                     const struct fx_pass *pass) {
    for (size_t i = 0; i < pass->n_applied; i++) {
        const struct fx_mutator *mutator = snapshot->mutators[pass->applied[i]];
        if (list->len + NAME_BYTES > PASS_BYTES) {
            fx_buf_str(list, ", …");
            return;
        }
        fx_buf_printf(list, "%s%s/%s/%s:%" PRId64, i == 0 ? "" : ", ", mutator->kind,
                      mutator->namespace_ == NULL ? "" : mutator->namespace_,
                      mutator->name, mutator->generation);
    }
}

static void add_pass(struct line *line, size_t index, const struct fx_snapshot *snapshot,
                     const struct fx_pass *pass) {
    struct fx_buf *list = &line->lists[index];
    list_ids(list, snapshot, pass);
    (void)snprintf(line->keys[index], KEY_BYTES, "iteration_%zu", index);
    add(line, fx_log_str(line->keys[index], list->failed ? "" : list->data));
}

static void fill(struct line *line, const struct fx_review_result *result) {
    const struct fx_outcome *outcome = result->outcome;
    add(line, fx_log_str("Mutation Id", result->mutation_id));
    add(line, fx_log_str("event_type", "mutation_applied"));
    add_name(line, "resource_group", result->group);
    add_name(line, "resource_kind", result->kind);
    add_name(line, "resource_api_version", result->version);
    add_name(line, "resource_namespace", result->namespace_);
    add_name(line, "resource_name", result->name);
    add(line, fx_log_str("resource_source_type", "Original"));
    add(line, fx_log_int("iterations", outcome->iterations));
    /* The last pass of what has settled changed nothing: Gatekeeper does not list it. */
    const bool settled = result->decision == FX_DECISION_MUTATED;
    const size_t n_passes = outcome->iterations - (settled ? 1 : 0);
    for (size_t i = 0; i < outcome->n_passes && i < n_passes && i < PASSES; i++) {
        add_pass(line, i, result->snapshot, &outcome->passes[i]);
    }
}

/* Its words, or NULL where there is nothing to tell. */
static const char *message_of(const struct fx_review_result *result) {
    if (result->decision == FX_DECISION_MUTATED) {
        return "Mutation applied";
    }
    return result->outcome != NULL && result->failure != NULL &&
                   result->failure->code == FX_ENOCONVERGE
               ? "Mutation not converging"
               : NULL;
}

void fx_log_mutation(const struct fx_review_result *result) {
    const char *message = message_of(result);
    if (message == NULL || !fx_log_enabled(FX_LOG_INFO)) {
        return;
    }
    struct line line = {.n_fields = 0};
    for (size_t i = 0; i < PASSES; i++) {
        fx_buf_init(&line.lists[i], 0);
    }
    fill(&line, result);
    fx_log_write(FX_LOG_INFO, message, line.fields);
    for (size_t i = 0; i < PASSES; i++) {
        fx_buf_finish(&line.lists[i]);
    }
}
