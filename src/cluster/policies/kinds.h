/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/kinds.h - the kinds that are watched in a cluster: the rows of the
 * dialects' tables (engine/kind.h) that have a resource.
 */
#ifndef FX_CLUSTER_POLICIES_KINDS_H
#define FX_CLUSTER_POLICIES_KINDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "engine/kind.h"
#include "kube/resource.h"

/* A set of dialects, which `serve --apis` names: a bit for each, at its index in
 * fx_dialects; and one for the native kinds of each, whose group `--apis` names. Unless
 * `--apis` is given, it is the set of all without the native ones. */
#define FX_CLUSTER_API_BIT(dialect)        (1u << (dialect))
#define FX_CLUSTER_API_NATIVE_BIT(dialect) (0x10000u << (dialect))
#define FX_CLUSTER_API_ALL                 0xffffu

/* Reads names of dialects, or groups of native kinds, separated by commas; names may
 * repeat. Errors: FX_EINVALID; the message lists the valid names. */
bool fx_cluster_apis_parse(const char *list, unsigned *ret_apis,
                           struct fx_err *err) FX_MUST_USE;

/* Does a dialect of this set annotate Pods with their Node (fx_node_annotations)? */
bool fx_cluster_apis_annotate_nodes(unsigned apis);

/* What `serve --native-policies` says about native kinds: AUTO finds out whether the API
 * server runs their policies. */
#define FX_NATIVE_MODES(X) \
    X(AUTO, "auto")        \
    X(RUN, "run")          \
    X(LEAVE, "leave")

enum fx_native_mode {
#define X(name, text) FX_NATIVE_MODE_##name,
    FX_NATIVE_MODES(X)
#undef X
};

const char *fx_native_mode_name(enum fx_native_mode mode);

/* Who runs the policies of native kinds. */
#define FX_NATIVE_STATES(X)                                                  \
    X(CHECKING, "checking") /* not known yet: Fixpoint does not run them */  \
    X(RUN, "run")           /* Fixpoint */                                   \
    X(LEFT, "left")         /* the API server */                             \
    X(UNKNOWN, "unknown")   /* it cannot be seen: Fixpoint does not run them \
                             */

enum fx_native_state {
#define X(name, text) FX_NATIVE_##name,
    FX_NATIVE_STATES(X)
#undef X
};

const char *fx_native_state_name(enum fx_native_state state);

#define FX_CLUSTER_KIND_VERSIONS 4
#define FX_CLUSTER_KINDS_MAX     32

struct fx_cluster_kind {
    /* The preferred version first. */
    struct fx_kube_resource versions[FX_CLUSTER_KIND_VERSIONS];
    size_t n_versions;
    const struct fx_kind *kind; /* its row */
    unsigned api;               /* the bit of its dialect */
    char waiting[128];          /* the message until it has been listed */
};

/* The number of kinds, at most FX_CLUSTER_KINDS_MAX, and the kind at an index. They have
 * the order in which policies are built: by dialect, then as in its table. Any thread. */
size_t fx_cluster_kinds_count(void);
const struct fx_cluster_kind *fx_cluster_kind_at(size_t index);

/* The index of a kind from fx_cluster_kind_at(). */
size_t fx_cluster_kind_index(const struct fx_cluster_kind *kind);

/* Does Fixpoint write this part of the kind's status (one of enum fx_kind_status)? */
static inline bool fx_cluster_kind_has(const struct fx_cluster_kind *kind,
                                       enum fx_kind_status status) {
    return (kind->kind->status & (unsigned)status) != 0;
}

#endif
