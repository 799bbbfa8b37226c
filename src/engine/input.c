/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/input.c - a list of inputs in the order in which they were added.
 */
#include "engine/input.h"

#include <assert.h>
#include <stdlib.h>

#include "base/budget.h"
#include "base/limits.h"
#include "engine/mutator.h"
#include "engine/request.h"
#include "engine/schemas.h"
#include "value/equal.h"

/* ---- keys ------------------------------------------------------------------------ */

struct fx_input_key fx_input_core_key(const char *kind, struct fx_text name) {
    return (struct fx_input_key){
        .type = FX_INPUT_OBJECT,
        .group = FX_TEXT(""),
        .version = FX_TEXT("v1"),
        .kind = fx_text_of(kind),
        .name = name,
    };
}

bool fx_input_namespace_key(const struct fx_request *request,
                            const struct fx_subject *subject,
                            struct fx_input_key *ret_key) {
    *ret_key =
        fx_input_core_key("Namespace", fx_subject_object_namespace(subject, request));
    return ret_key->name.len > 0;
}

bool fx_input_key_is(const struct fx_input_key *key, const char *kind) {
    return key->type == FX_INPUT_OBJECT && key->group.len == 0 &&
           fx_text_is(key->version, "v1") && fx_text_is(key->kind, kind);
}

static bool is_same_object(const struct fx_input_key *has,
                           const struct fx_input_key *wanted) {
    return fx_text_equal(has->name, wanted->name) &&
           fx_text_equal(has->kind, wanted->kind) &&
           fx_text_equal(has->namespace_, wanted->namespace_) &&
           fx_text_equal(has->version, wanted->version) &&
           fx_text_equal(has->group, wanted->group);
}

/* Has the value, or will it have, all of the object that the key asks for? */
static bool has_all(const struct fx_input_entry *entry,
                    const struct fx_input_key *wanted) {
    return wanted->labels_only || !entry->key.labels_only;
}

static bool answers(const struct fx_input_key *has, const struct fx_input_key *wanted) {
    if (has->type != wanted->type) {
        return false;
    }
    switch (has->type) {
    case FX_INPUT_OBJECT: return is_same_object(has, wanted);
    case FX_INPUT_ACCESS: return fx_equal(has->spec, wanted->spec);
    case FX_INPUT_SCHEMA:
        return fx_text_equal(has->version, wanted->version) &&
               fx_text_equal(has->group, wanted->group);
    case FX_INPUT_CALL: break;
    }
    return has->provider == wanted->provider && fx_text_equal(has->body, wanted->body);
}

const struct fx_input *fx_input_find_call(const struct fx_mutator *rule) {
    for (size_t i = 0; i < rule->n_inputs; i++) {
        if (rule->inputs[i].type == FX_INPUT_CALL) {
            return &rule->inputs[i];
        }
    }
    return NULL;
}

/* ---- the set --------------------------------------------------------------------- */

void fx_inputs_init(struct fx_inputs *inputs, void *block, size_t bytes) {
    *inputs = (struct fx_inputs){.first = NULL};
    if (block == NULL) {
        fx_arena_init(&inputs->arena, FX_LIMIT_INPUT_BYTES);
    } else {
        fx_arena_init_within(&inputs->arena, FX_LIMIT_INPUT_BYTES, block, bytes);
    }
}

void fx_inputs_finish(struct fx_inputs *inputs) {
    for (struct fx_input_entry *entry = inputs->first; entry != NULL;
         entry = entry->next) {
        json_decref(entry->key.spec);
        json_decref(entry->value);
        fx_schema_catalog_unref(entry->schemas);
        free(entry->reason);
    }
    fx_arena_finish(&inputs->arena);
    *inputs = (struct fx_inputs){.first = NULL};
}

void fx_inputs_clear(struct fx_inputs *inputs) {
    fx_input_find *find = inputs->find;
    void *user = inputs->user;
    fx_inputs_finish(inputs);
    fx_inputs_init(inputs, NULL, 0);
    inputs->find = find;
    inputs->user = user;
}

struct fx_input_entry *fx_inputs_find(const struct fx_inputs *inputs,
                                      const struct fx_input_key *key) {
    struct fx_input_entry *entry = inputs == NULL ? NULL : inputs->first;
    for (; entry != NULL && fx_spend(1); entry = entry->next) {
        if (answers(&entry->key, key) && has_all(entry, key)) {
            return entry;
        }
    }
    return NULL;
}

/* Returns the WANTED input of the same object that so far asks for less of it. */
static struct fx_input_entry *find_partial(const struct fx_inputs *inputs,
                                           const struct fx_input_key *key) {
    struct fx_input_key labels = *key;
    labels.labels_only = true;
    struct fx_input_entry *entry = fx_inputs_find(inputs, &labels);
    return entry != NULL && entry->state == FX_INPUT_WANTED ? entry : NULL;
}

static bool copy_text(struct fx_arena *arena, struct fx_text *text) {
    if (text->len == 0) {
        *text = (struct fx_text){0};
        return true;
    }
    text->data = fx_arena_copy(arena, *text);
    return text->data != NULL;
}

static bool copy_texts(struct fx_arena *arena, struct fx_input_key *key) {
    return copy_text(arena, &key->group) && copy_text(arena, &key->version) &&
           copy_text(arena, &key->kind) && copy_text(arena, &key->namespace_) &&
           copy_text(arena, &key->name) && copy_text(arena, &key->body);
}

struct fx_input_entry *fx_inputs_add(struct fx_inputs *inputs,
                                     const struct fx_input_key *key, struct fx_err *err) {
    struct fx_input_entry *entry = fx_inputs_find(inputs, key);
    if (entry != NULL) {
        return entry;
    }
    entry = key->type == FX_INPUT_OBJECT ? find_partial(inputs, key) : NULL;
    if (entry != NULL) {
        entry->key.labels_only = false;
        return entry;
    }
    if (inputs->n_entries == FX_LIMIT_INPUTS) {
        (void)fx_fail(err, FX_EMUTATE, "more than %u inputs are needed", FX_LIMIT_INPUTS);
        return NULL;
    }
    entry = fx_arena_alloc(&inputs->arena, sizeof *entry);
    if (entry == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    entry->key = *key;
    if (!copy_texts(&inputs->arena, &entry->key)) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    (void)json_incref(entry->key.spec);
    if (inputs->last == NULL) {
        inputs->first = entry;
    } else {
        inputs->last->next = entry;
    }
    inputs->last = entry;
    inputs->n_entries++;
    return entry;
}

bool fx_inputs_put(struct fx_inputs *inputs, const struct fx_input_key *key,
                   json_t *value) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_input_entry *entry = fx_inputs_add(inputs, key, &err);
    if (entry == NULL) {
        return false;
    }
    json_decref(entry->value);
    entry->value = json_incref(value);
    entry->state = FX_INPUT_GIVEN;
    return true;
}

void fx_inputs_give(struct fx_input_entry *entry, json_t *value_take,
                    const struct fx_err *failure) {
    assert(entry->state == FX_INPUT_WANTED || entry->state == FX_INPUT_AWAITED);
    assert((value_take == NULL) != (failure == NULL));
    entry->value = value_take;
    entry->state = FX_INPUT_GIVEN;
    if (failure == NULL) {
        return;
    }
    entry->code = failure->code;
    entry->reason = fx_text_dup(fx_text_of(failure->msg));
    entry->state = failure->code == FX_EMUTATE && entry->key.type == FX_INPUT_OBJECT
                       ? FX_INPUT_ABSENT
                       : FX_INPUT_FAILED;
    if (entry->reason == NULL) {
        entry->code = FX_ENOMEM;
        entry->state = FX_INPUT_FAILED;
    }
}

void fx_inputs_give_schemas(struct fx_input_entry *entry,
                            struct fx_schema_catalog *catalog_take,
                            const struct fx_err *failure) {
    assert(entry->key.type == FX_INPUT_SCHEMA);
    assert((catalog_take == NULL) != (failure == NULL));
    if (failure != NULL) {
        fx_inputs_give(entry, NULL, failure);
        return;
    }
    assert(entry->state == FX_INPUT_WANTED || entry->state == FX_INPUT_AWAITED);
    entry->schemas = catalog_take;
    entry->state = FX_INPUT_GIVEN;
}

bool fx_input_fail(const struct fx_input_entry *entry, struct fx_err *err) {
    return entry->reason == NULL ? fx_fail_nomem(err)
                                 : fx_fail(err, entry->code, "%s", entry->reason);
}

/* ---- looking up ------------------------------------------------------------------ */

/* Sets the result of an input for which no object is known. */
static void do_without(struct fx_input_entry *entry) {
    struct fx_err err = FX_ERR_INIT;
    if (entry->key.type == FX_INPUT_OBJECT) {
        entry->state = FX_INPUT_ABSENT;
        return;
    }
    (void)fx_fail(&err, FX_EMUTATE, "no access review can be made here");
    fx_inputs_give(entry, NULL, &err);
}

static void look_up(struct fx_input_entry *entry, fx_input_find *find, void *user) {
    struct fx_err err;
    json_t *value = NULL;
    fx_err_reset(&err);
    entry->state = FX_INPUT_AWAITED;
    if (entry->key.type == FX_INPUT_CALL || entry->key.type == FX_INPUT_SCHEMA) {
        return;
    }
    if (find == NULL) {
        do_without(entry);
        return;
    }
    switch (find(user, &entry->key, &value, &err)) {
    case FX_LOOKUP_FOUND: fx_inputs_give(entry, value, NULL); break;
    case FX_LOOKUP_FAILED: fx_inputs_give(entry, NULL, &err); break;
    case FX_LOOKUP_WAIT: break;
    }
}

void fx_inputs_look_up(struct fx_inputs *inputs, fx_input_find *find, void *user) {
    for (struct fx_input_entry *entry = inputs->first; entry != NULL;
         entry = entry->next) {
        if (entry->state == FX_INPUT_WANTED) {
            look_up(entry, find, user);
        }
    }
}

bool fx_inputs_are_missing(const struct fx_inputs *inputs) {
    const struct fx_input_entry *entry = inputs == NULL ? NULL : inputs->first;
    while (entry != NULL && entry->state != FX_INPUT_WANTED &&
           entry->state != FX_INPUT_AWAITED) {
        entry = entry->next;
    }
    return entry != NULL;
}

/* ---- rules ----------------------------------------------------------------------- */

/* Fails with the failure of the input. A lack of memory or time is a failure of the
 * review; all others are failures of the rule. */
static bool fail_rule(const struct fx_input_entry *entry, struct fx_err *err) {
    (void)fx_input_fail(entry, err);
    if (err->code != FX_ENOMEM && err->code != FX_EDEADLINE) {
        err->code = FX_EMUTATE;
    }
    return false;
}

struct fx_input_entry *fx_inputs_want(struct fx_inputs *inputs,
                                      const struct fx_input_key *key,
                                      struct fx_err *err) {
    if (inputs == NULL) {
        (void)fx_fail(err, FX_EMUTATE, "an input is needed that cannot be fetched here");
        return NULL;
    }
    if (inputs->n_rounds == FX_LIMIT_INPUT_ROUNDS) {
        (void)fx_fail(err, FX_EMUTATE, "inputs are needed in more than %u rounds",
                      FX_LIMIT_INPUT_ROUNDS);
        return NULL;
    }
    return fx_inputs_add(inputs, key, err);
}

/* Adds an input that the set does not have, and looks it up if its caller never waits.
 * NULL on failure; then `err` has the reason. */
static struct fx_input_entry *want(struct fx_inputs *inputs,
                                   const struct fx_input_key *key, struct fx_err *err) {
    struct fx_input_entry *entry = fx_inputs_want(inputs, key, err);
    if (entry != NULL && inputs->find != NULL) {
        look_up(entry, inputs->find, inputs->user);
    }
    return entry;
}

bool fx_inputs_read(struct fx_inputs *inputs, const struct fx_input_key *key,
                    json_t **ret_value, struct fx_err *err) {
    const struct fx_input_entry *entry = fx_inputs_find(inputs, key);
    *ret_value = NULL;
    if (fx_budget_exceeded() != FX_EXCEEDED_NOTHING) {
        return fx_fail_exceeded(err);
    }
    if (entry == NULL) {
        entry = want(inputs, key, err);
    }
    if (entry == NULL) {
        return false;
    }
    switch (entry->state) {
    case FX_INPUT_WANTED:
    case FX_INPUT_AWAITED: return fx_fail(err, FX_EINPUT, "an input has to be fetched");
    case FX_INPUT_FAILED: return fail_rule(entry, err);
    case FX_INPUT_GIVEN: *ret_value = entry->value; break;
    case FX_INPUT_ABSENT: break;
    }
    return true;
}
