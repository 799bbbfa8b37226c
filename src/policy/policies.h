/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/policies.h - builds documents into the next snapshot of mutators and resources,
 * with the findings about the sources and the namespaces among them. Pure: it takes bytes
 * and reads no files.
 */
#ifndef FX_POLICY_POLICIES_H
#define FX_POLICY_POLICIES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/dialect.h"
#include "engine/policy_text.h"
#include "engine/schemas.h"
#include "engine/snapshot.h"
#include "policy/findings.h"
#include "policy/namespaces.h"

/* One file of policies, or one object of a cluster. */
struct fx_policy_input {
    const char *file;    /* its name, for messages and to find it in the next build */
    struct fx_text text; /* its bytes; borrowed for the call */
    /* Instead of bytes, the text of one object from a watch. It has no lines, its mutator
     * has a reference to this text, and the same text in the next build is the same
     * policy. It is parsed only while it is compiled, so that there is never more than
     * one tree. */
    struct fx_policy_text *object;
    const char *failure;    /* NULL, or why it could not be read; then it counts as
                             * invalid */
    const char *namespace_; /* the namespace of policies that can have one but name none;
                             * NULL for `default` */
    bool is_flag;           /* not a file but the value of a flag, without lines */
    bool is_parameter;      /* an object of a kind that policies name. If it names no
                             * namespace, a file would put it into `namespace_`; that is
                             * NULL if it is not from a file */
};

/* The result of one file, kept so that the next build can fall back on it. */
struct fx_policy_file {
    char *file;
    struct fx_unit **units; /* counted */
    size_t n_units, cap_units;
    json_t **namespaces; /* counted */
    size_t n_namespaces, cap_namespaces;
    struct fx_policy_text *object; /* counted; NULL for a file */
    bool has_others; /* has objects of kinds that no dialect has; their meaning depends on
                      * the kinds that policies name */
    size_t first_finding, n_findings; /* the findings about it */
};

/* All policies. Immutable once built, and counted. */
struct fx_policies {
    atomic_uint refs;
    struct fx_snapshot *snapshot;
    struct fx_namespaces namespaces;
    struct fx_schema_catalog *schemas; /* of the CustomResourceDefinitions among the
                                        * files; counted; NULL if there are none */
    struct fx_findings findings;
    struct fx_policy_file *files;
    size_t n_files, cap_files;
    struct fx_units units; /* the units of all files; of several with one id, the last */
    struct fx_linked **linked; /* counted; sorted as fx_units.by_name */
    size_t n_linked;
    struct fx_named_kinds named; /* the kinds of the objects that link steps looked up */
    struct fx_policies *base; /* NULL, or the policies that own these files, findings and
                               * namespaces, with another snapshot; counted */
};

/*
 * Compiles all inputs, in their order. Of documents of kinds that no dialect has,
 * Namespaces become context, CustomResourceDefinitions become schemas of their kinds,
 * objects of kinds that policies name become parameters, other objects of a policy API
 * group are errors (`kind X is not supported`), and the rest is ignored with a warning.
 * If an id occurs twice, the later document counts, and a finding says so. Unknown fields
 * are warnings, and so are mutators that ask a provider which none of the inputs defines.
 *
 * `previous` (may be NULL) are the active policies. A mutator or resource whose source
 * and position (file, line) did not change is shared with them. If a file cannot be read
 * or parsed, its previous policies stay active (if it had none, the documents before the
 * error count, as in kubectl). If one policy in it is invalid, that policy's previous
 * version stays active, and the findings say so ("…; the previous version stays active").
 * Policies that are removed from the files are removed. An object that was an input of
 * the previous build, too, is not compiled again: it keeps its result, including its
 * findings.
 *
 * The dialects compile with their default settings (engine/dialect.h).
 *
 * Faults of policies are findings, never failures. The first FX_LIMIT_FINDINGS of a file
 * are reported, then one finding says `and 7 more`. The same limit applies to repeats and
 * to conflicts, over all files. Errors: FX_ENOMEM.
 */
bool fx_policies_build(const struct fx_policy_input *inputs, size_t n_inputs,
                       const struct fx_policies *previous, uint64_t generation,
                       struct fx_policies **ret_policies, struct fx_err *err) FX_MUST_USE;

/* The sources of a build, borrowed for the call. */
struct fx_policy_sources {
    const struct fx_policy_input *inputs;
    size_t n_inputs;
    const struct fx_policies *previous;
    uint64_t generation;
    const struct fx_dialect_settings *settings; /* NULL for the default settings */
    /* The states of the kinds that policies name, if their objects are watched. NULL if
     * the inputs have all such objects. */
    const struct fx_kind_state *kind_states;
    size_t n_kind_states;
};
bool fx_policies_build_from(const struct fx_policy_sources *sources,
                            struct fx_policies **ret_policies,
                            struct fx_err *err) FX_MUST_USE;

/* Returns the same policies with some mutators in quarantine (engine/quarantine.h; NULL
 * for none). Only the snapshot differs; it has the same generation. A build with them as
 * `previous` has no quarantine again. Errors: FX_ENOMEM. */
bool fx_policies_quarantine(struct fx_policies *policies,
                            struct fx_quarantine *quarantine,
                            struct fx_policies **ret_policies,
                            struct fx_err *err) FX_MUST_USE;

struct fx_policies *fx_policies_ref(struct fx_policies *policies);
void fx_policies_unref(struct fx_policies *policies); /* NULL is fine; any thread */

#endif
