/* SPDX-License-Identifier: Apache-2.0
 *
 * server/reload.h - builds something from files, and builds it again when the files
 * change. Files are checked and versions built on a worker thread; the loop takes the
 * result. One run at a time; a request during a run leads to one more run after it.
 *
 * Changes are found soon after a notification of the kernel (inotify), and every two
 * seconds in any case, because the kernel does not notify everything (network file
 * systems, links above the folder, no watches left).
 */
#ifndef FX_SERVER_RELOAD_H
#define FX_SERVER_RELOAD_H

#include <stdbool.h>
#include <stddef.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "server/file_set.h"

#define FX_RELOAD_RESULTS(X)                                        \
    X(CHANGED, "changed")     /* a new version was built */         \
    X(UNCHANGED, "unchanged") /* read again; the bytes are equal */ \
    X(FAILED, "failed")       /* unreadable or invalid; the old version stays */

enum fx_reload_result {
#define X(name, text) FX_RELOAD_##name,
    FX_RELOAD_RESULTS(X)
#undef X
};

/* Everything is borrowed until the reload is closed. */
struct fx_reload_options {
    struct fx_file_roots roots;
    const char *name; /* the name of the job in messages: "reload of …" */
    void *user;

    /* Builds the next version. Called on a worker thread; the first time, on the caller's
     * thread. */
    bool (*build)(void *user, const struct fx_file_set *files, void **ret_made,
                  struct fx_err *err);

    /* Called on the loop after each run that read the files. CHANGED: the callee owns
     * `made`. FAILED: `failure` is the reason; `is_repeated` if the last failure had the
     * same text. */
    void (*done)(void *user, enum fx_reload_result result, void *made,
                 const struct fx_err *failure, bool is_repeated);

    void (*discard)(void *made); /* frees a version that was not used */
};

struct fx_reload; /* opaque */

/* Reads the files and builds the first version, blocking; `done` is called before it
 * returns. Then watches the files. NULL on failure: see `err`. */
struct fx_reload *fx_reload_create(uv_loop_t *loop,
                                   const struct fx_reload_options *options,
                                   struct fx_err *err) FX_MUST_USE;

/* Reads the files again now, even if they look unchanged. NULL is fine. */
void fx_reload_now(struct fx_reload *reload);

/* Ends the reload. `on_closed` is called later, on the loop, when no worker uses the
 * reload any more; at once if `reload` is NULL. `user` is that of the options. */
void fx_reload_close(struct fx_reload *reload, void (*on_closed)(void *user), void *user);

#endif
