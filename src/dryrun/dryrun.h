/* SPDX-License-Identifier: Apache-2.0
 *
 * dryrun/dryrun.h - KubeMod's dry run (spec section 9): rules are sent along with an
 * object, and nothing but the answer comes of it. Pure: bytes in, bytes out, on any
 * thread.
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
#ifndef FX_DRYRUN_DRYRUN_H
#define FX_DRYRUN_DRYRUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/text.h"
#include "engine/dialect.h"

struct fx_activity;

struct fx_dryrun_answer {
    unsigned
        status;         /* HTTP: 200; 400 for whatever is wrong with the request, with the
                         * faults of all rules; 503 no memory, deadline exceeded; 500 our bug */
    bool retry_after;   /* with 503: it may go better a moment later */
    struct fx_buf body; /* JSON; without memory for the words, empty. To be finished */
};

/* Answers the request, whose policies are meant as `settings` says (NULL: as their
 * dialects have it). Until `deadline_ns` (base/clock.h; 0: none), or soon after it.
 * `activity` tells those who watch it where it is; NULL: nobody watches. */
void fx_dryrun(struct fx_text request, const struct fx_dialect_settings *settings,
               uint64_t deadline_ns, struct fx_activity *activity,
               struct fx_dryrun_answer *ret_answer);

/* Writes an answer with these words alone: {"error": "…"}. */
void fx_dryrun_write_error(struct fx_buf *body, struct fx_text words);

#endif
