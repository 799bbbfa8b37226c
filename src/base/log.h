/* SPDX-License-Identifier: Apache-2.0
 *
 * base/log.h - one JSON object a line, on standard error.
 *
 *     {"time":"2026-…Z","level":"info","msg":"review changed","uid":"…","ms":0.2}
 *
 * Only the edge (server, command line) logs; lower floors return errors. Never pass an
 * object's contents: names, counts and our own words only.
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

/* One named value of a line. Made by the three functions below. */
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

/* Reads a level's name; false when there is none of that name. */
bool fx_log_level_parse(const char *text, enum fx_log_level *ret_level) FX_MUST_USE;

/* Would a line of this level be written? */
bool fx_log_enabled(enum fx_log_level level);

/* Writes one line; those of several threads do not mix. A line that cannot be written is
 * dropped and counted: logging never fails a request. `fields` ends with {0}. */
void fx_log_write(enum fx_log_level level, const char *msg,
                  const struct fx_log_field *fields);

/* fx_log(WARN, "policy refused", fx_log_str("file", file), fx_log_int("line", 3)); */
#define fx_log(level, msg, ...) \
    fx_log_write(FX_LOG_##level, (msg), (const struct fx_log_field[]){__VA_ARGS__, {0}})

/* From now on a thread of its own writes the lines, so that nobody waits for whoever
 * reads them. FX_LIMIT_LOG_BYTES may wait; further lines are lost, and a line `log lines
 * lost` says how many, once lines can be written again. False where there can be no
 * thread: then everything stays as it is. */
bool fx_log_start(void) FX_MUST_USE;

/* Writes what waits, for `ms` at most, and ends the thread. */
void fx_log_stop(uint64_t ms);

/* How many lines could not be written so far. */
uint64_t fx_log_lost(void);

#endif
