/* SPDX-License-Identifier: Apache-2.0
 *
 * server/reload.h - something made of files, made again when they change: looked at and
 * built on a worker thread, taken into use on the loop. One run at a time; what is asked
 * for during a run leads to one more run after it.
 */
#ifndef FX_SERVER_RELOAD_H
#define FX_SERVER_RELOAD_H

#include <stdbool.h>
#include <stddef.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "server/file_set.h"

#define FX_RELOAD_RESULTS(X)                                           \
    X(CHANGED, "changed")     /* there is a new version, now in use */ \
    X(UNCHANGED, "unchanged") /* read again, the same bytes */         \
    X(FAILED, "failed")       /* unreadable or bad: the old one stays */

enum fx_reload_result {
#define X(name, text) FX_RELOAD_##name,
    FX_RELOAD_RESULTS(X)
#undef X
};

/* Everything is borrowed until the reload is closed. */
struct fx_reload_plan {
    struct fx_file_roots roots;
    const char *name; /* of the work, for people: "reload of …" */
    void *user;

    /* On a worker thread (the first time on the caller's): makes the next version. */
    bool (*build)(void *user, const struct fx_file_set *files, void **ret_made,
                  struct fx_err *err);

    /* On the loop, after each run that read the files. CHANGED: `made` is taken over.
     * FAILED: `failure` says why, and `told` whether it said the same last time. */
    void (*done)(void *user, enum fx_reload_result result, void *made,
                 const struct fx_err *failure, bool told);

    void (*discard)(void *made); /* frees a version nobody took */
};

struct fx_reload; /* opaque */

/* Reads and builds the first version at once, blocking; then watches. NULL where that
 * fails, with its reason. `done` is called before this returns. */
struct fx_reload *fx_reload_create(uv_loop_t *loop, const struct fx_reload_plan *plan,
                                   struct fx_err *err) FX_MUST_USE;

/* Reads again now, whatever the files look like from outside. */
void fx_reload_now(struct fx_reload *reload);

/* Ends it; `on_closed` is called on the loop, now or later, when no worker uses `user`
 * any more. */
void fx_reload_close(struct fx_reload *reload, void (*on_closed)(void *user));

#endif
