/* SPDX-License-Identifier: Apache-2.0
 *
 * server/policies_watch.h - policies from files and folders, which are read again when
 * they change.
 */
#ifndef FX_SERVER_POLICIES_WATCH_H
#define FX_SERVER_POLICIES_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "policy/policies.h"
#include "server/metrics.h"

struct fx_policies_watch; /* opaque */

/* What to do when the files have no mutators any more: usually the cause is a volume that
 * is not mounted, and not that all policies were deleted. */
enum fx_on_empty {
    FX_ON_EMPTY_KEEP,      /* the previous policies stay active */
    FX_ON_EMPTY_NOT_READY, /* no policies are active, and the replica is not ready */
    FX_ON_EMPTY_ACCEPT,    /* no policies are active */
};

/* Called on the loop for each version; for the first one before
 * fx_policies_watch_create() returns. Both versions are borrowed; `before` is NULL for
 * the first. `seconds`: how long the build took. */
struct fx_policies_watch_events {
    void (*on_policies)(struct fx_policies *made, struct fx_policies *before,
                        double seconds, void *user);
    void *user;
};

/* Everything is borrowed until the watch is closed. */
struct fx_policies_watch_options {
    const char *const *roots; /* files and folders */
    size_t n_roots;
    const struct fx_dialect_settings *settings;
    enum fx_on_empty on_empty;
    struct fx_metrics *metrics;
};

/* Reads the first version, blocking. Invalid policies are findings, not errors. Errors:
 * FX_EIO, FX_ELIMIT (a file or folder is missing or cannot be listed), FX_EINVALID
 * (standard input), FX_ENOMEM. */
struct fx_policies_watch *
fx_policies_watch_create(uv_loop_t *loop, const struct fx_policies_watch_options *options,
                         const struct fx_policies_watch_events *events,
                         struct fx_err *err) FX_MUST_USE;

/* Reads the files again now. */
void fx_policies_watch_reload(struct fx_policies_watch *watch);

/* Is this replica ready? If not, *ret_reason is a constant string. */
bool fx_policies_watch_ready(const struct fx_policies_watch *watch,
                             const char **ret_reason) FX_MUST_USE;

/* Closes the watch. The memory is freed when no worker uses it any more. NULL is fine. */
void fx_policies_watch_close(struct fx_policies_watch *watch);

#endif
