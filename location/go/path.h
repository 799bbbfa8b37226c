/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/path.h - Go's package path.
 */
#ifndef FX_LOCATION_GO_PATH_H
#define FX_LOCATION_GO_PATH_H

#include "base/text.h"

/* path.Clean: returns the shortest path that is equivalent without looking at files: no
 * `.`, no empty elements, and `..` only at the start of a relative path; `.` for the
 * empty path. The result is in `room`, which has path.len + 1 bytes, or static. Takes
 * linear time, for which the caller spends. */
struct fx_text fx_go_path_clean(struct fx_text path, char *room);

#endif
