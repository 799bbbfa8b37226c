/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/refuse.h - an allocator that says no on order, and counts what is not given
 * back.
 */
#ifndef FX_TESTS_OOM_REFUSE_H
#define FX_TESTS_OOM_REFUSE_H

#include <stdbool.h>

/* Leads jansson's allocations here too; ours are led here by the linker. */
void refuse_install(void);

/* Refuses the allocation number `nth` (from 0) from now on; with `ever_after`, all the
 * later ones as well, as where memory has run out for good. */
void refuse_from(long nth, bool ever_after);

/* Refuses nothing any more; tells whether anything was refused. */
bool refuse_stop(void);

/* Meanwhile everything is granted, and counts for no refusal: what is done by others than
 * those who are tried. */
void refuse_pause(void);
void refuse_resume(void);

/* How many allocations were not freed yet. */
long refuse_live(void);

/* Have all allocations since *live was read been freed? Sets *live anew. With `matches`,
 * some may be left: base/regex.cc keeps a program that had no memory in a match. */
bool refuse_lost_nothing(long *live, bool matches);

#endif
