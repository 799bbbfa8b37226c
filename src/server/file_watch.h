/* SPDX-License-Identifier: Apache-2.0
 *
 * server/file_watch.h - reports that something in some folders may have changed: soon
 * after a kernel notification (inotify), and every two seconds in any case, because the
 * kernel does not notify everything (network file systems, links above the folder, no
 * watches left).
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

/* Calls `on_hint` on the loop. `is_notified` is true if the kernel reported a change (one
 * call for a burst of them), and false for the regular check. The roots are borrowed
 * until the watch is closed. Errors: FX_ENOMEM. */
struct fx_file_watch *fx_file_watch_create(uv_loop_t *loop, const char *const *roots,
                                           size_t n_roots,
                                           void (*on_hint)(bool is_notified, void *user),
                                           void *user, struct fx_err *err) FX_MUST_USE;

/* Watches these folders from now on, and the names of the roots in the folders above
 * them. A folder that cannot be watched only has the regular check. */
void fx_file_watch_set_folders(struct fx_file_watch *watch,
                               const struct fx_file_list *folders);

/* Ends the reports. The memory is freed when the loop has closed the handles. NULL is
 * fine.
 */
void fx_file_watch_close(struct fx_file_watch *watch);

#endif
