/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/refuse.h - an allocator that refuses chosen allocations, and counts those
 * that are not freed.
 */
#ifndef FX_TESTS_OOM_REFUSE_H
#define FX_TESTS_OOM_REFUSE_H

#include <stdbool.h>

/* Makes jansson use this allocator. The linker makes our own code use it. */
void refuse_install(void);

/* From now on, refuses the allocation number `nth` (from 0). `ever_after` refuses all
 * later ones, too, as if memory had run out for good. */
void refuse_from(long nth, bool ever_after);

/* Ends the refusals. True if an allocation was refused. */
bool refuse_stop(void);

/* Until refuse_resume(), no allocation is refused or counted by refuse_from(). For
 * allocations of code that is not tested. */
void refuse_pause(void);
void refuse_resume(void);

/* Returns the number of allocations that are not freed yet. */
long refuse_live(void);

/* True if all allocations since *live was read have been freed. Sets *live to the present
 * number. With `matches` some may be left: base/regex.cc keeps a program that ran out of
 * memory in a match. */
bool refuse_lost_nothing(long *live, bool matches);

#endif
