/* SPDX-License-Identifier: Apache-2.0
 *
 * base/priority.h - threads whose work can wait.
 */
#ifndef FX_BASE_PRIORITY_H
#define FX_BASE_PRIORITY_H

/* Lowers the priority of the calling thread permanently. Repeated calls cost nothing.
 * Does nothing if the system forbids it. */
void fx_priority_lower(void);

/* The same with the lowest priority: for work that delays only its requester. */
void fx_priority_lowest(void);

/* Yields the core to a waiting thread, if the scheduler selects one. */
void fx_priority_yield(void);

#endif
