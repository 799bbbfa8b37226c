/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/input.h - what rules need besides the object: other objects, access reviews,
 * HTTP calls, schemas of kinds.
 *
 * A rule declares its inputs in rows (struct fx_input). A review keeps a set of them
 * (struct fx_inputs). It adds the inputs that its candidates name before the loop begins,
 * fetches them all at once, and runs the loop. A rule may also ask for an input while it
 * is evaluated (fx_inputs_read()): if the set does not have it, the rule fails with
 * FX_EINPUT, the loop ends after that pass, and begins again from the incoming object
 * when everything that was asked for is there.
 *
 * Does no I/O: the caller of the review fetches the inputs.
 */
#ifndef FX_ENGINE_INPUT_H
#define FX_ENGINE_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

struct fx_mutator;
struct fx_provider;
struct fx_request;
struct fx_schema_catalog; /* engine/schemas.h */
struct fx_subject;

enum fx_input_type {
    FX_INPUT_OBJECT, /* a Kubernetes object */
    FX_INPUT_ACCESS, /* a SubjectAccessReview */
    FX_INPUT_CALL,   /* an HTTP call to a provider */
    FX_INPUT_SCHEMA, /* the schemas of a group and version, from the API server */
};

/* Identifies an input: keys with equal members stand for the same input. Only the members
 * of the type count. Everything is borrowed. */
struct fx_input_key {
    enum fx_input_type type;
    /* OBJECT; `group` and `namespace_` may be empty. SCHEMA: `group` and `version`. */
    struct fx_text group, version, kind, namespace_, name;
    bool labels_only; /* of a Namespace only name and labels are needed */
    /* ACCESS: the `spec` of the review. The value is its `status`. */
    json_t *spec;
    /* CALL: the provider and the body of the request. */
    const struct fx_provider *provider;
    struct fx_text body;
};

/* Returns the key of a cluster-scoped object of the core group, version v1, such as a
 * Namespace or a Node. */
struct fx_input_key fx_input_core_key(const char *kind, struct fx_text name);

/* Is it the key of an object of this kind of the core group, version v1? */
bool fx_input_key_is(const struct fx_input_key *key, const char *kind);

/* A function for struct fx_input.key: sets the key of the whole Namespace of the
 * object. */
bool fx_input_namespace_key(const struct fx_request *request,
                            const struct fx_subject *subject,
                            struct fx_input_key *ret_key);

/* ---- the declaration of a rule --------------------------------------------------- */

enum fx_input_phase {
    FX_INPUT_BEFORE, /* before convergence: the rule sees the value */
    FX_INPUT_AFTER,  /* after convergence: the value replaces a placeholder
                      * (engine/external.h) */
};

/* One input of a rule. Immutable, part of the rule or a constant. */
struct fx_input {
    enum fx_input_type type;
    enum fx_input_phase phase;
    /* Computes the key from the incoming object. Returns false if this object needs no
     * input. NULL if the rule asks with fx_inputs_read(), or (AFTER) writes
     * placeholders. */
    bool (*key)(const struct fx_request *request, const struct fx_subject *subject,
                struct fx_input_key *ret_key);
    /* The user is warned if there is no such object, or if `name` is not a DNS subdomain
     * (then nothing is fetched). */
    bool warns;
    struct fx_text provider; /* CALL: the name of the provider, a text of the policy */
};

/* Returns the first CALL among the inputs of a rule; NULL if it has none. */
const struct fx_input *fx_input_find_call(const struct fx_mutator *rule);

/* ---- the set of a review --------------------------------------------------------- */

enum fx_input_state {
    FX_INPUT_WANTED,  /* not looked up yet */
    FX_INPUT_AWAITED, /* the caller of the review has to fetch it */
    FX_INPUT_GIVEN,
    FX_INPUT_ABSENT, /* there is no such object */
    FX_INPUT_FAILED, /* it could not be fetched */
};

/* One input of a review. The set owns it. */
struct fx_input_entry {
    struct fx_input_entry *next; /* in the order in which they were added */
    struct fx_input_key key;     /* its memory belongs to the set */
    enum fx_input_state state;
    json_t *value;                     /* GIVEN: a counted reference; NULL for a SCHEMA */
    struct fx_schema_catalog *schemas; /* GIVEN, of a SCHEMA: counted */
    enum fx_code code; /* of the failure (ABSENT, FAILED); FX_OK if none */
    char *reason;      /* the message of the failure, freed with the set */
    bool warns;        /* as in struct fx_input */
    void *fetcher;     /* for the code that fetches it */
};

/* The result of a lookup. */
enum fx_lookup {
    FX_LOOKUP_FOUND,  /* *ret_value is a new reference */
    FX_LOOKUP_WAIT,   /* it has to be fetched */
    FX_LOOKUP_FAILED, /* err has the reason, as in fx_inputs_give() */
};
typedef enum fx_lookup fx_input_find(void *user, const struct fx_input_key *key,
                                     json_t **ret_value, struct fx_err *err);

struct fx_inputs {
    struct fx_arena arena; /* memory of the entries and their keys */
    struct fx_input_entry *first, *last;
    size_t n_entries;
    unsigned n_rounds; /* how often the loop ended with FX_EINPUT */
    /* Set by a caller that never waits: it is called as soon as a rule asks for an input
     * that the set does not have. If it is NULL, the rule fails with FX_EINPUT. */
    fx_input_find *find;
    void *user; /* an argument of `find` */
};

/* Makes an empty set. Its first memory is `block`, as in fx_arena_init_within(); NULL if
 * there is none. Allocates nothing. */
void fx_inputs_init(struct fx_inputs *inputs, void *block, size_t bytes);
void fx_inputs_finish(struct fx_inputs *inputs); /* a zeroed set is fine */

/* Drops all inputs, and keeps `find`. */
void fx_inputs_clear(struct fx_inputs *inputs);

/* Returns the input with this key; NULL if the set does not have it, or is NULL. An input
 * with a whole Namespace is also found by a key with `labels_only`. */
struct fx_input_entry *fx_inputs_find(const struct fx_inputs *inputs,
                                      const struct fx_input_key *key);

/* Returns the input with this key. If the set does not have it, adds it as WANTED, with a
 * copy of the key. A WANTED input with `labels_only` changes to the whole object if the
 * key asks for that. NULL on failure; errors: FX_EMUTATE (the set is full), FX_ENOMEM. */
struct fx_input_entry *fx_inputs_add(struct fx_inputs *inputs,
                                     const struct fx_input_key *key,
                                     struct fx_err *err) FX_MUST_USE;

/* Adds an input with its value, and takes a reference of its own. For callers that have
 * the object. False without memory, or if the set is full. */
bool fx_inputs_put(struct fx_inputs *inputs, const struct fx_input_key *key,
                   json_t *value) FX_MUST_USE;

/* Sets the result of the input: a value (the reference is taken over), or a failure.
 * FX_EMUTATE means that the server has no such object (or rejects its name), or that the
 * access review or call failed; other errors mean that it could not be fetched. Writes
 * only this entry, so several threads may set different entries. */
void fx_inputs_give(struct fx_input_entry *entry, json_t *value_take,
                    const struct fx_err *failure);

/* The same for a SCHEMA: its catalog (the reference is taken over), or a failure. */
void fx_inputs_give_schemas(struct fx_input_entry *entry,
                            struct fx_schema_catalog *catalog_take,
                            const struct fx_err *failure);

/* Adds an input that the set does not have, as WANTED, for a rule that is evaluated. NULL
 * on failure; errors: FX_EMUTATE (the rule needs too many inputs or rounds; `inputs` is
 * NULL), FX_ENOMEM. */
struct fx_input_entry *fx_inputs_want(struct fx_inputs *inputs,
                                      const struct fx_input_key *key,
                                      struct fx_err *err) FX_MUST_USE;

/* For `match`, `apply` and `validate` of a rule that has an input without `key`: returns
 * the value of an input, borrowed from the set; NULL if there is no such object. Errors:
 * FX_EINPUT (the set did not have the input, and now has it as WANTED), FX_EMUTATE (the
 * input failed; the rule needs too many inputs or rounds; `inputs` is NULL, so nothing
 * can be fetched), FX_ENOMEM. */
bool fx_inputs_read(struct fx_inputs *inputs, const struct fx_input_key *key,
                    json_t **ret_value, struct fx_err *err) FX_MUST_USE;

/* ---- looking inputs up ----------------------------------------------------------- */

/* Looks up each WANTED input. Calls are never looked up: they have to be fetched. Nor are
 * schemas: fx_schemas_find() does that. If `find` is NULL, no object is known or missed
 * (ABSENT without a reason), and access reviews fail. Inputs that have to be fetched
 * become AWAITED. */
void fx_inputs_look_up(struct fx_inputs *inputs, fx_input_find *find, void *user);

/* Is any input WANTED or AWAITED? `inputs` may be NULL. */
bool fx_inputs_are_missing(const struct fx_inputs *inputs);

/* Fills `err` with the failure of an ABSENT or FAILED input. Always false. */
bool fx_input_fail(const struct fx_input_entry *entry, struct fx_err *err);

#endif
