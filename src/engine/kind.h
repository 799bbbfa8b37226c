/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/kind.h - the kinds of objects that a dialect reads: one row each, in one table.
 * The watches, `--apis`, `/v1/admit`, the list of objects that are never mutated, and
 * `check` read this table.
 */
#ifndef FX_ENGINE_KIND_H
#define FX_ENGINE_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"

/* The meaning of the namespace of such an object. */
enum fx_scope {
    FX_SCOPE_CLUSTER, /* none, because the object belongs to the whole cluster */
    FX_SCOPE_NAMED, /* as CLUSTER, but a file may give a namespace, which then is part of
                     * the id */
    FX_SCOPE_NAMESPACE, /* the object is in it; `default` if its file gives none */
    FX_SCOPE_OWN, /* only the object in Fixpoint's own namespace counts; the namespace is
                   * not part of the id */
};

/* The role of such an object. */
enum fx_role {
    FX_ROLE_POLICY,    /* gives rules and has a status */
    FX_ROLE_BINDING,   /* says what a policy applies to; a link step looks it up */
    FX_ROLE_PARAMETER, /* gives values to a policy; a link step looks it up */
    FX_ROLE_RESOURCE,  /* gives something else: a provider, a configuration */
};

/* The parts of an object of a cluster that are kept besides apiVersion, kind, `spec`,
 * and, of its metadata, name, namespace, uid and generation. */
enum fx_kind_keep {
    FX_KIND_KEEP_ANNOTATIONS = 1u << 0, /* metadata.annotations */
    FX_KIND_KEEP_LABELS = 1u << 1,      /* metadata.labels */
    FX_KIND_KEEP_DATA = 1u << 2,        /* data */
};

/* The parts of `status` that Fixpoint writes. */
enum fx_kind_status {
    FX_KIND_STATUS_BY_POD = 1u << 0, /* an entry of `byPod` for each replica */
    FX_KIND_STATUS_READY = 1u << 1,  /* the condition `Ready` */
    FX_KIND_STATUS_TYPES = 1u << 2,  /* `typeChecking` and `observedGeneration` */
};

/* How to find out whether an API server runs policies of a kind itself. */
struct fx_native_api {
    const char *feature_gate;
    /* The releases (1.x) that have the feature gate, and that have it on by default. */
    unsigned first_minor, default_minor;
};

struct fx_kind {
    const char *group, *kind;
    const char *resource; /* as in URL paths: "assign"; NULL if it is only read from
                           * files */
    const char *const *versions; /* the preferred one first; ends with NULL */
    /* Only the object of this name counts; NULL for any name. Other objects of the kind
     * of a parameter are ordinary ones, and so is this one for all other purposes. */
    const char *name;
    enum fx_scope scope;
    enum fx_role role;
    unsigned keeps;               /* a set of enum fx_kind_keep */
    unsigned status;              /* a set of enum fx_kind_status */
    const struct fx_kind *policy; /* of a binding: the kind of its policy; may be NULL */
    /* The dialect with whose kinds it is watched, by its name, if that is not the one
     * that reads it: two dialects may read the kinds of one system. NULL: its own. */
    const char *api;
    /* API servers may run such policies themselves: they are watched only if `--apis`
     * names their group. NULL: only Fixpoint runs them. */
    const struct fx_native_api *native;
};

/* Is the version among those of the kind? */
bool fx_kind_has_version(const struct fx_kind *kind, struct fx_text version);

/* Is it a known cluster-scoped kind? Unknown kinds count as namespaced. */
bool fx_kind_is_cluster_scoped(struct fx_text group, struct fx_text kind);

/* A kind of objects that policies name (their parameters). It need not be a kind of a
 * dialect. */
struct fx_named_kind {
    struct fx_text group, version, kind; /* `group` is empty for the core group */
};

int fx_named_kind_compare(const struct fx_named_kind *a, const struct fx_named_kind *b);

/* Appends "v1 ConfigMap" or "example.com/v1 Widget", as messages name the kind. */
void fx_named_kind_print(struct fx_buf *buf, const struct fx_named_kind *kind);

/* The state of a kind that policies name and whose objects are watched. */
struct fx_kind_state {
    struct fx_named_kind kind;
    const char *unavailable; /* why its objects cannot be read; NULL if they can */
};

/* A sorted set of kinds that policies name; zeroed is empty. It owns the texts. */
struct fx_named_kinds {
    struct fx_named_kind *items;
    char **texts; /* private: the memory of the texts */
    size_t n_items, cap_items, cap_texts;
};

/* Adds a copy of the kind unless it is in the set. False without memory. */
bool fx_named_kinds_add(struct fx_named_kinds *kinds,
                        const struct fx_named_kind *kind) FX_MUST_USE;
bool fx_named_kinds_have(const struct fx_named_kinds *kinds,
                         const struct fx_named_kind *kind);
bool fx_named_kinds_equal(const struct fx_named_kinds *a, const struct fx_named_kinds *b);
void fx_named_kinds_finish(struct fx_named_kinds *kinds); /* zeroed is fine */

#endif
