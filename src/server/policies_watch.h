/* SPDX-License-Identifier: Apache-2.0
 *
 * server/policies_watch.h - policies of files and folders: read, and read again when
 * those change.
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

/* What becomes of files that hold no mutators any more, where there were some: nobody
 * deletes all policies at once, but a volume that is not mounted looks so. */
enum fx_on_empty {
    FX_ON_EMPTY_KEEP,      /* the previous policies stay in force */
    FX_ON_EMPTY_NOT_READY, /* nothing is in force, and the replica is not ready */
    FX_ON_EMPTY_ACCEPT,    /* nothing is in force */
};

/* Told on the loop of each version, the first one before the watch is there: borrowed,
 * with the one before it (NULL: none) and how long its making took. */
struct fx_policies_watch_events {
    void (*on_policies)(struct fx_policies *made, struct fx_policies *before,
                        double seconds, void *user);
    void *user;
};

/* What is read, under which settings, and who counts. */
struct fx_policies_watch_options {
    const char *const *roots; /* files and folders */
    size_t n_roots;
    const struct fx_dialect_settings *settings;
    enum fx_on_empty on_empty;
    struct fx_metrics *metrics;
};

/* Reads the first version, blocking; invalid policies in it are findings, not failures.
 * Everything is borrowed until it is closed. Errors: FX_EIO, FX_ELIMIT (a file or folder
 * that is missing or cannot be listed), FX_EINVALID (standard input), FX_ENOMEM. */
struct fx_policies_watch *
fx_policies_watch_create(uv_loop_t *loop, const struct fx_policies_watch_options *options,
                         const struct fx_policies_watch_events *events,
                         struct fx_err *err) FX_MUST_USE;

/* Reads again now. */
void fx_policies_watch_reload(struct fx_policies_watch *watch);

/* May this replica be asked? Else *ret_reason says why not. */
bool fx_policies_watch_ready(const struct fx_policies_watch *watch,
                             const char **ret_reason) FX_MUST_USE;

/* Ends it; the memory goes when no worker uses it any more. NULL is fine. */
void fx_policies_watch_close(struct fx_policies_watch *watch);

#endif
