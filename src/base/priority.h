/* SPDX-License-Identifier: Apache-2.0
 *
 * base/priority.h - threads whose work can wait.
 */
#ifndef FX_BASE_PRIORITY_H
#define FX_BASE_PRIORITY_H

/* From now on the calling thread has less of a busy core than threads that did not call
 * this. For good; a repeat costs nothing. Where the system forbids it, all stays as it
 * is. */
void fx_priority_lower(void);

/* The same, and less than those who called that: for what nobody waits for but who asked
 * for it. */
void fx_priority_lowest(void);

/* A good moment for others: whoever waits for the core has it, if its turn has come. */
void fx_priority_yield(void);

#endif
