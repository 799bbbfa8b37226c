/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/dry_run.h - a dialect's API for dry runs: rules run on an object that is sent
 * with them, and only the answer is kept.
 */
#ifndef FX_ENGINE_DRY_RUN_H
#define FX_ENGINE_DRY_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/text.h"
#include "engine/dialect.h"

struct fx_activity;

struct fx_dry_run_answer {
    unsigned status;    /* HTTP: 200; 400 for all that is wrong with the request; 503 no
                         * memory, deadline exceeded; 500 our bug */
    bool retry_after;   /* with 503: it may succeed a moment later */
    struct fx_buf body; /* JSON; empty without memory for it. To be finished */
};

/* One route over HTTP. The functions are pure and run on any thread. */
struct fx_dry_run {
    const char *method, *path; /* "PUT", "/v1/dryrun" */

    /* Answers the body of a request. `settings`: those of the dialects, NULL: their
     * defaults. Ends at `deadline_ns` (base/clock.h; 0: none), or soon after it.
     * `activity` receives what the dry run is doing; NULL: it is not reported. */
    void (*answer)(struct fx_text request, const struct fx_dialect_settings *settings,
                   uint64_t deadline_ns, struct fx_activity *activity,
                   struct fx_dry_run_answer *ret_answer);

    /* Writes an answer that has only this message: {"error": "…"}. Replaces `body`. */
    void (*write_error)(struct fx_buf *body, struct fx_text message);
};

/* All of them; NULL ends. Made by mutators/dryrun/CMakeLists.txt. */
extern const struct fx_dry_run *const fx_dry_runs[];

#endif
