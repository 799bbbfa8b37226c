/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/dryrun/dryrun.h - KubeMod's dry run (spec section 9): applies the
 * rules of a request to its object, without any other effect than the response.
 *
 *   {"resourceManifest": {…}, "modRules": [{…}, …]}
 *   → 200 {"patch": […], "diff": "…", "rejections": ["ns/name: \"words\""]}
 *
 * Beyond KubeMod's, a request may have
 *   operation          CREATE (the default), UPDATE or DELETE
 *   namespace          where the object is; "": in none
 *   namespaceManifest  that Namespace, for syntheticRefs and selectors; names it, too
 *   nodeManifest       the Node, for syntheticRefs
 *   policies           any policies we know; then `modRules` may be missing
 * and an answer has
 *   warnings           what is odd about the rules, and who was left out since it failed
 *   rules              of each rule whether it matched, and if not, what did not hold
 *
 * Where nobody says which namespace the object is in, every rule counts, wherever it
 * lives: they are moved to `dryrun-namespace`, as is the object, as KubeMod does. Where
 * somebody does, rules live where they say, or else there, and count as in a cluster.
 */
#ifndef FX_MUTATORS_KUBEMOD_DRYRUN_DRYRUN_H
#define FX_MUTATORS_KUBEMOD_DRYRUN_DRYRUN_H

#include "engine/dialect.h"

extern const struct fx_dry_run fx_dry_run_kubemod;

#endif
