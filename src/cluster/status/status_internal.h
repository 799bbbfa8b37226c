/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_internal.h - the parts of writing statuses, Events and removals
 * that do no I/O. Private to this room. Pure, except fx_status_schemas.
 */
#ifndef FX_CLUSTER_STATUS_STATUS_INTERNAL_H
#define FX_CLUSTER_STATUS_STATUS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>
#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "cluster/policies/kinds.h"
#include "cluster/policies/policies.h"
#include "kube/client.h"

#define FX_STATUS_MANAGER_PREFIX "fixpoint-"
#define FX_STATUS_MANAGER_BYTES  129 /* a field manager has 128 characters at most */

/* The field manager of the Pod's entries: `fixpoint-<pod>`. If the name is too long, only
 * its end is used, in which the Pods of a Deployment differ. */
void fx_status_manager(const char *pod, char ret_manager[FX_STATUS_MANAGER_BYTES]);

/* The apply configuration for exactly this object (by its uid), with `item` as the only
 * element of the list `status.<list>`, or, if `list` is NULL, as the status. A new tree;
 * NULL without memory. */
json_t *fx_status_apply(const struct fx_cluster_object *object, const char *list,
                        json_t *item) FX_MUST_USE;

/* The part of a status that says what the types of expressions are like: `types` is
 * status.typeChecking. A new tree; NULL without memory. */
json_t *fx_types_make(const struct fx_cluster_object *object, json_t *types) FX_MUST_USE;

/* A copy of the object with `entry` in its byPod, which is sorted by id (spec section 9).
 * It replaces the entry with the same id, or is added. NULL without memory. */
json_t *fx_status_merge(json_t *object, json_t *entry) FX_MUST_USE;

/* A copy of the object without the entries with these ids (NULL-terminated). NULL without
 * memory. */
json_t *fx_status_drop(json_t *object, const char *const *ids) FX_MUST_USE;

#define FX_STATUS_PARAMETERS 10u /* names of parameters in a status */

/* If the unit is a binding, adds to the entry of its status the number and names of its
 * parameters, and to the errors what is wrong: there is no such policy, or its parameters
 * cannot be found. False without memory. */
bool fx_status_add_binding(const struct fx_policies *built, const struct fx_unit *unit,
                           json_t *entry, json_t *errors) FX_MUST_USE;

#define FX_READY_MESSAGE_BYTES 32768 /* the limit of API servers */

/* The condition `Ready` (a metav1.Condition) in the status of a policy, a summary of an
 * entry of status.byPod (cluster/status/status.h): True; or False, with all errors as the
 * message and the reason of the first one. The transition time is that of `seen` if the
 * status is the same, else `now`. A new tree; NULL without memory. */
json_t *fx_ready_make(const json_t *entry, const struct fx_seen_ready *seen,
                      int64_t now) FX_MUST_USE;

/* ---- the queue of statuses ------------------------------------------------------- */

/* A status is due when it differs from the one in the cluster. After a write there is a
 * pause, in which the watch should show the new status. If it does not, or if the write
 * failed, the status is due again after pauses that double. The pauses are remembered for
 * a while after the status was seen, so that two writers that disagree do no harm; a
 * status with new content is due at once. */

struct fx_status_task {
    uint64_t due_ns;
    uint64_t wanted;     /* the digest of the wanted status */
    uint64_t written;    /* the digest of the last written status; 0: none */
    uint64_t settled_ns; /* when the cluster first showed it; 0: it does not */
    unsigned tries;      /* writes of the same status */
    bool writing;
    char key[]; /* fx_cluster_object.key */
};

/* Sorted by key. Zeroed is empty. */
struct fx_status_queue {
    struct fx_status_task **items;
    size_t n_items, cap_items;
    size_t n_settled;   /* items whose status is as wanted */
    uint64_t forget_ns; /* when to check for items to forget; 0: never */
    size_t cursor;      /* where the search for the next item starts */
};

void fx_status_queue_finish(struct fx_status_queue *queue);

/* Reports that the status of `key` differs from `wanted`. False without memory. */
bool fx_status_queue_add(struct fx_status_queue *queue, const char *key, uint64_t wanted,
                         uint64_t now_ns) FX_MUST_USE;

/* Reports that the status of `key` is as wanted. */
void fx_status_queue_settle(struct fx_status_queue *queue, const char *key,
                            uint64_t now_ns);

/* Removes `key`, because its object is gone or has no status to write. */
void fx_status_queue_drop(struct fx_status_queue *queue, const char *key);

/* The number of statuses to write. */
size_t fx_status_queue_count(const struct fx_status_queue *queue);

/* Returns the next status that is due, borrowed, and marks it as being written. NULL:
 * none. */
struct fx_status_task *fx_status_queue_take(struct fx_status_queue *queue,
                                            uint64_t now_ns);

/* Ends the write of `key`, successful or not: the status is due again after a pause of at
 * least `wait_ns`. */
void fx_status_queue_put_back(struct fx_status_queue *queue, const char *key,
                              uint64_t wait_ns, uint64_t now_ns);

/* The time to call fx_status_queue_take() again; 0: not before an item is added. */
uint64_t fx_status_queue_next(const struct fx_status_queue *queue);

/* ---- the fields of the installed CRDs -------------------------------------------- */

/* The fields of a status that the installed CRDs declare: `status.byPod` as a list keyed
 * by `id`, in which each replica owns its entry, as an atomic value, or not at all; and
 * perhaps `status.conditions` and
 * `status.typeChecking`. Loop thread only. */

struct fx_status_schemas; /* opaque */

/* The fields of a status. Zeroed is the default if the CRD cannot be read; it always
 * works. */
struct fx_status_schema {
    enum {
        FX_STATUS_ATOMIC, /* byPod is one value, or the CRD could not be read */
        FX_STATUS_KEYED,  /* byPod is a list keyed by `id` */
        FX_STATUS_NONE,   /* there is no status, or byPod is pruned */
    } by_pod;
    bool conditions; /* a list keyed by `type` */
    bool types;      /* `typeChecking` */
};

/* Starts to read the CRD of each mutator kind of these APIs (cluster/policies/kinds.h),
 * again every ten minutes. `on_known` is called when all have been read once, and
 * whenever a schema changed. Returns NULL on failure; errors: FX_ENOMEM. */
struct fx_status_schemas *
fx_status_schemas_create(uv_loop_t *loop, struct fx_kube_client *client, unsigned apis,
                         void (*on_known)(void *user), void *user,
                         struct fx_err *err) FX_MUST_USE;

/* Have all CRDs been read? */
bool fx_status_schemas_known(const struct fx_status_schemas *schemas);

/* Reports that objects of that kind exist. If its CRD did not exist when it was read, all
 * CRDs are read again now, and fx_status_schemas_known() is false until `on_known`. */
void fx_status_schemas_request(struct fx_status_schemas *schemas,
                               const struct fx_cluster_kind *kind);

/* The schema of the given version of the resource. */
struct fx_status_schema fx_status_schemas_get(const struct fx_status_schemas *schemas,
                                              const struct fx_kube_resource *resource);

/* Reads the schema of a version from a CRD object. Pure. */
struct fx_status_schema fx_status_schema_read(const json_t *crd, const char *version);

void fx_status_schemas_close(struct fx_status_schemas *schemas); /* NULL is allowed */

/* ---- Events ---------------------------------------------------------------------- */

#define FX_EVENTS_NAMESPACE     "default" /* of Events about cluster-scoped objects */
#define FX_EVENTS_MESSAGE_BYTES 1024
#define FX_EVENTS_REPEAT_S      600 /* the least time between two counts of an Event */

/* An Event about one error of a status entry (cluster/status/status.h), or about a policy
 * that Fixpoint does not run. */
struct fx_event {
    const char *type;   /* Warning, Normal */
    const char *reason; /* Invalid, Conflicting, Quarantined, LeftToAPIServer, NotRun; a
                         * cause */
    char message[FX_EVENTS_MESSAGE_BYTES + 1];
    uint64_t digest; /* of object, generation, reason and message */
};

void fx_event_read(const struct fx_cluster_object *object, const json_t *error,
                   struct fx_event *ret_event);

/* An Event about a policy of a native kind that Fixpoint does not run, with this state
 * (LEFT or UNKNOWN) and its reason (cluster/policies/policies.h). */
void fx_event_of_left(const struct fx_cluster_object *object, enum fx_native_state state,
                      const char *reason, struct fx_event *ret_event);

/* An Event about what went wrong when a rule of the policy ran. */
void fx_event_of_cause(const struct fx_cluster_object *object, const char *reason,
                       struct fx_text message, struct fx_event *ret_event);

/* The body of a new Event (v1). Its name consists of the name of the object and the
 * digest, so that equal Events have equal names. A new tree; NULL without memory. */
json_t *fx_event_new(const struct fx_cluster_identity *identity,
                     const struct fx_cluster_object *object, const struct fx_event *event,
                     int64_t now) FX_MUST_USE;

/* May an existing Event be counted up now? */
bool fx_event_is_due(const json_t *existing, int64_t now);

/* The apply configuration that counts up an existing Event. A new tree; NULL without
 * memory.
 */
json_t *fx_event_count_up(const json_t *existing, int64_t now) FX_MUST_USE;

/* ---- known errors ---------------------------------------------------------------- */

/* The digests of the reported errors that still exist, which a pass over all objects
 * finds. Zeroed is empty. */
struct fx_events_known {
    struct fx_event_known {
        uint64_t digest;
        uint64_t pass; /* the last pass that found it */
    } *items;          /* sorted by digest */
    size_t n_items, cap_items;
    uint64_t pass;
};

void fx_events_known_finish(struct fx_events_known *known);

/* Starts a pass. */
void fx_events_known_begin(struct fx_events_known *known);

/* Reports that an error exists. `*ret_new`: it was not known. False without memory. */
bool fx_events_known_add(struct fx_events_known *known, uint64_t digest,
                         bool *ret_new) FX_MUST_USE;

/* Forgets a digest that could not be reported: it is new again in the next pass. */
void fx_events_known_forget(struct fx_events_known *known, uint64_t digest);

/* Ends a pass: forgets all digests that it did not find. */
void fx_events_known_end(struct fx_events_known *known);

/* ---- the rate -------------------------------------------------------------------- */

/* The rate of Events: 25 at once, then one every five seconds. Zeroed: none yet. */
struct fx_events_rate {
    uint64_t paid_until_ns;
};

/* May one more Event be written now? If so, counts it. */
bool fx_events_rate_take(struct fx_events_rate *rate, uint64_t now_ns) FX_MUST_USE;

/* ---- the removal of obsolete entries --------------------------------------------- */

/* A sorted set of names. Zeroed is empty. */
struct fx_sweep_names {
    char **items;
    size_t n_items, cap_items;
};

void fx_sweep_names_finish(struct fx_sweep_names *names);

/* Adds a name; false without memory, or if there are too many. Fast for names in
 * ascending order, as an API server lists them. */
bool fx_sweep_names_add(struct fx_sweep_names *names, struct fx_text name) FX_MUST_USE;

bool fx_sweep_names_has(const struct fx_sweep_names *names, struct fx_text name);
bool fx_sweep_names_hold_all(const struct fx_sweep_names *names,
                             const struct fx_sweep_names *others);

/* Adds the names of the items of a page of a list. */
bool fx_sweep_names_add_page(struct fx_sweep_names *names,
                             const json_t *list) FX_MUST_USE;

/* How an entry is removed. */
enum fx_sweep_method {
    FX_SWEEP_NONE, /* not removed: its id is not a Pod name, or is our own Pod */
    /* Its Pod's field manager owns it in a list keyed by `id`: removed by an empty
     * apply as that manager. */
    FX_SWEEP_APPLY,
    /* It is of a Pod of our Deployment: removed by an update of the object. */
    FX_SWEEP_DROP,
    FX_SWEEP_FOREIGN, /* it is of another program: removed like DROP, but later */
};

/* How to remove the entry with that id from the object, which must have its
 * managedFields. */
enum fx_sweep_method fx_sweep_method_of(const json_t *object, struct fx_text id,
                                        const char *own_pod);

/* Are both Pods of the same Deployment? Their names then differ only in the last two
 * parts. */
bool fx_sweep_is_sibling(struct fx_text id, const char *own_pod);

/* ---- ids of other programs ------------------------------------------------------- */

/* Ids of status entries that another program wrote, for example the controller that
 * Fixpoint replaced. Fixpoint cannot know whether its Pods still exist. So the entries
 * are removed after a while; if they come back, their writer still runs. */

/* After this many passes in a row with entries to remove, the id is left alone. */
#define FX_SWEEP_TRIES 5u

struct fx_sweep_foreign_id {
    char *id;
    uint64_t due_ns;  /* when its entries are removed */
    unsigned n_tries; /* passes that found it due */
    bool is_seen;     /* in the current pass */
};

/* Zeroed is empty. A short list, searched linearly. */
struct fx_sweep_foreign {
    struct fx_sweep_foreign_id *items;
    size_t n_items, cap_items;
};

void fx_sweep_foreign_finish(struct fx_sweep_foreign *foreign);

/* Reports an entry with that id. A new id is due at `due_ns`; if there are too many ids,
 * it is ignored. False without memory. */
bool fx_sweep_foreign_see(struct fx_sweep_foreign *foreign, struct fx_text id,
                          uint64_t due_ns) FX_MUST_USE;

bool fx_sweep_foreign_is_due(const struct fx_sweep_foreign *foreign, struct fx_text id,
                             uint64_t now_ns);

/* The time when the next id is due; UINT64_MAX: none. */
uint64_t fx_sweep_foreign_next(const struct fx_sweep_foreign *foreign);

/* Ends a pass over all objects: forgets ids that were not seen, and counts a try for
 * those that are due. After the last try an id is left alone for `rest_ns`. Returns such
 * an id, borrowed until the next change, or NULL. */
const char *fx_sweep_foreign_end_pass(struct fx_sweep_foreign *foreign, uint64_t now_ns,
                                      uint64_t rest_ns);

#endif
