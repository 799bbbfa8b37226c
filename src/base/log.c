/* SPDX-License-Identifier: Apache-2.0
 *
 * base/log.c - JSON lines on standard error.
 */
#include "base/log.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log_queue.h"
#include "base/text.h"

#define LINE_BYTES 16384u /* a longer line is dropped whole */

static const char *const level_names[] = {
#define X(name, text) [FX_LOG_##name] = text,
    FX_LOG_LEVELS(X)
#undef X
};

static atomic_int least_level = FX_LOG_INFO;

struct fx_log_field fx_log_str(const char *key, const char *value) {
    return (struct fx_log_field){.key = key, .string = value == NULL ? "" : value};
}

struct fx_log_field fx_log_int(const char *key, int64_t value) {
    return (struct fx_log_field){.key = key, .number = (double)value};
}

struct fx_log_field fx_log_num(const char *key, double value) {
    return (struct fx_log_field){.key = key, .number = value};
}

void fx_log_set_level(enum fx_log_level level) {
    atomic_store(&least_level, (int)level);
}

bool fx_log_level_parse(const char *text, enum fx_log_level *ret_level) {
    for (size_t i = 0; i < FX_COUNT(level_names); i++) {
        if (strcmp(text, level_names[i]) == 0) {
            *ret_level = (enum fx_log_level)i;
            return true;
        }
    }
    return false;
}

bool fx_log_enabled(enum fx_log_level level) {
    return (int)level >= atomic_load(&least_level);
}

/* A JSON string (RFC 8259 section 7); malformed UTF-8 becomes U+FFFD. */
static void add_string(struct fx_buf *line, const char *string) {
    fx_buf_char(line, '"');
    for (struct fx_text rest = fx_text_of(string); rest.len > 0;) {
        uint32_t rune = 0;
        char utf8[4];
        const size_t length = fx_text_rune(rest, &rune);
        if (rune == '"' || rune == '\\') {
            fx_buf_printf(line, "\\%c", (char)rune);
        } else if (rune < 0x20) {
            fx_buf_printf(line, "\\u%04x", (unsigned)rune);
        } else {
            fx_buf_add(line, utf8, fx_text_encode_rune(rune, utf8));
        }
        rest.data += length;
        rest.len -= length;
    }
    fx_buf_char(line, '"');
}

/* JSON has no infinity and no NaN; counts keep all their digits. */
static void add_number(struct fx_buf *line, double number) {
    if (!isfinite(number)) {
        fx_buf_str(line, "null");
    } else if (fabs(number) < 0x1p53 && (double)(int64_t)number == number) {
        fx_buf_printf(line, "%.0f", number);
    } else {
        fx_buf_printf(line, "%.15g", number);
    }
}

void fx_log_write(enum fx_log_level level, const char *msg,
                  const struct fx_log_field *fields) {
    if (!fx_log_enabled(level)) {
        return;
    }
    char now[FX_CLOCK_RFC3339];
    fx_clock_rfc3339(now);
    struct fx_buf line;
    fx_buf_init(&line, LINE_BYTES);
    fx_buf_printf(&line, "{\"time\":\"%s\",\"level\":\"%s\",\"msg\":", now,
                  level_names[level]);
    add_string(&line, msg);
    for (const struct fx_log_field *field = fields; field->key != NULL; field++) {
        fx_buf_printf(&line, ",\"%s\":", field->key);
        if (field->string != NULL) {
            add_string(&line, field->string);
        } else {
            add_number(&line, field->number);
        }
    }
    fx_buf_str(&line, "}\n");
    if (!line.failed) {
        fx_log_queue_put(line.data, line.len);
    }
    fx_buf_finish(&line);
}

/* ---- a thread for it ------------------------------------------------------------- */

static void tell_loss(uint64_t n_lines) {
    fx_log(WARN, "log lines lost", fx_log_int("lines", (int64_t)n_lines));
}

bool fx_log_start(void) {
    return fx_log_queue_start(tell_loss);
}

void fx_log_stop(uint64_t ms) {
    fx_log_queue_stop(ms);
}

uint64_t fx_log_lost(void) {
    return fx_log_queue_lost();
}
