/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/dryrun/dryrun.h - KubeMod's dry run (spec section 9): applies the
 * rules of a request to its object, without any other effect than the response.
 *
 *   {"resourceManifest": {…}, "modRules": [{…}, …]}
 *   → 200 {"patch": […], "diff": "…", "rejections": ["ns/name: \"message\""]}
 *
 * In addition to KubeMod's members, a request may have
 *   operation          CREATE (the default), UPDATE or DELETE
 *   namespace          the namespace of the object; "" if it has none
 *   namespaceManifest  that Namespace, for syntheticRefs and selectors; it also names
 *                      the namespace of the object
 *   nodeManifest       the Node, for syntheticRefs
 *   policies           any policies; then `modRules` may be missing
 *
 * and an answer has
 *   warnings           about the rules, and about rules that were skipped after a failure
 *   rules              for each rule whether it matched, and if not, the criterion that
 *                      did not hold
 *
 * If the request does not name the namespace of the object, all rules apply, and
 * none is excluded by its namespace: they and the object are moved to `dryrun-namespace`,
 * as in KubeMod. Otherwise a rule keeps its namespace, or gets that of the object if it
 * has none, and applies as in a cluster.
 */
#ifndef FX_MUTATORS_KUBEMOD_DRYRUN_DRYRUN_H
#define FX_MUTATORS_KUBEMOD_DRYRUN_DRYRUN_H

#include "engine/dialect.h"

extern const struct fx_dry_run fx_dry_run_kubemod;

#endif
