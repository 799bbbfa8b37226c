/* SPDX-License-Identifier: Apache-2.0
 *
 * base/log_queue.h - lines of the log on their way to standard error, written by a thread
 * of its own: whoever reads them may be slow, or have stopped reading for good, and a
 * loop must not wait for that. Used by log.c only.
 */
#ifndef FX_BASE_LOG_QUEUE_H
#define FX_BASE_LOG_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

/* Starts the thread. `on_loss` is called by it when lines can be written again after some
 * were lost, with how many since the last call. False where there can be no thread. */
bool fx_log_queue_start(void (*on_loss)(uint64_t n_lines)) FX_MUST_USE;

/* Writes what waits, for `ms` at most, and ends the thread. Where it is still writing
 * then, it is left behind, and further lines are lost. */
void fx_log_queue_stop(uint64_t ms);

/* Takes one whole line, its end included. Without a thread it is written here and now;
 * where it cannot be written, or has no room, it is lost. Any thread. */
void fx_log_queue_put(const char *line, size_t len);

/* How many lines were lost so far. Any thread. */
uint64_t fx_log_queue_lost(void);

#endif
