/* SPDX-License-Identifier: Apache-2.0
 *
 * server/policies_watch.h - policies of files and folders: read, and read again when
 * those change.
 */
#ifndef FX_SERVER_POLICIES_WATCH_H
#define FX_SERVER_POLICIES_WATCH_H

#include <stddef.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "policy/policies.h"
#include "server/metrics.h"

struct fx_policies_watch; /* opaque */

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

/* Ends it; the memory goes when no worker uses it any more. NULL is fine. */
void fx_policies_watch_close(struct fx_policies_watch *watch);

#endif
