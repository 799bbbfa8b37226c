/* SPDX-License-Identifier: Apache-2.0
 *
 * server/file_watch.h - hints that something may have changed below some folders: soon
 * after the kernel says so, and every two seconds in any case, since the kernel does not
 * say everything (network file systems, links above the folder, no watches left).
 */
#ifndef FX_SERVER_FILE_WATCH_H
#define FX_SERVER_FILE_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <uv.h>

#include "base/err.h"
#include "base/file.h"
#include "base/macros.h"

struct fx_file_watch; /* opaque */

/* Calls `on_hint` on the loop: `seen` where the kernel reported a change (a burst of
 * reports gives one call), else it is only time to look. The roots are borrowed until
 * the watch is closed. Errors: FX_ENOMEM. */
struct fx_file_watch *fx_file_watch_create(uv_loop_t *loop, const char *const *roots,
                                           size_t n_roots,
                                           void (*on_hint)(bool seen, void *user),
                                           void *user, struct fx_err *err) FX_MUST_USE;

/* From now on these folders are watched, and what names the roots in the folders above
 * them. What cannot be watched is looked at every two seconds all the same. */
void fx_file_watch_set_folders(struct fx_file_watch *watch,
                               const struct fx_file_list *folders);

/* No hint comes any more; the memory goes when the loop has closed the handles. NULL is
 * fine. */
void fx_file_watch_close(struct fx_file_watch *watch);

#endif
