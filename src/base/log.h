/* SPDX-License-Identifier: Apache-2.0
 *
 * base/log.h - one JSON object a line, on standard error.
 *
 *     {"time":"2026-…Z","level":"info","msg":"review changed","uid":"…","ms":0.2}
 *
 * Only the edge (server, command line) logs; lower floors return errors. Never pass an
 * object's contents: only names, counts and Fixpoint's own messages.
 */
#ifndef FX_BASE_LOG_H
#define FX_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"

#define FX_LOG_LEVELS(X) \
    X(DEBUG, "debug")    \
    X(INFO, "info")      \
    X(WARN, "warn")      \
    X(ERROR, "error")

enum fx_log_level {
#define X(name, text) FX_LOG_##name,
    FX_LOG_LEVELS(X)
#undef X
};

/* One named value of a line, made by one of the three functions below. */
struct fx_log_field {
    const char *key; /* NULL ends the list */
    const char *string;
    double number;
};

struct fx_log_field fx_log_str(const char *key, const char *value);
struct fx_log_field fx_log_int(const char *key, int64_t value);
struct fx_log_field fx_log_num(const char *key, double value);

/* Lines below `level` are dropped from now on; the default is info. */
void fx_log_set_level(enum fx_log_level level);

/* Reads the name of a level; false for an unknown name. */
bool fx_log_level_parse(const char *text, enum fx_log_level *ret_level) FX_MUST_USE;

/* Would a line of this level be written? */
bool fx_log_enabled(enum fx_log_level level);

/* Writes one line. Lines of several threads do not mix. A line that cannot be written is
 * dropped and counted, because logging must never fail a request. `fields` ends with
 * {0}. */
void fx_log_write(enum fx_log_level level, const char *msg,
                  const struct fx_log_field *fields);

/* fx_log(WARN, "policy refused", fx_log_str("file", file), fx_log_int("line", 3)); */
#define fx_log(level, msg, ...) \
    fx_log_write(FX_LOG_##level, (msg), (const struct fx_log_field[]){__VA_ARGS__, {0}})

/* Starts a thread that writes the lines, so that no other thread waits for the reader of
 * the log. At most FX_LIMIT_LOG_BYTES wait; further lines are lost. When lines can be
 * written again, a line `log lines lost` reports the number. False, with no change, if
 * the thread cannot be created. */
bool fx_log_start(void) FX_MUST_USE;

/* Writes the waiting lines, for at most `ms`, and ends the thread. */
void fx_log_stop(uint64_t ms);

/* Returns the number of lines that could not be written so far. */
uint64_t fx_log_lost(void);

#endif
