/* SPDX-License-Identifier: Apache-2.0
 *
 * base/log.c - JSON lines on standard error, the queue in which they wait, and the thread
 * that writes them.
 *
 * There are two buffers: one is filled while the other is written. After each write the
 * thread pauses, so that many lines are written at once.
 */
#include "base/log.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/text.h"

#define LINE_BYTES 16384u /* a longer line is dropped */
#define PAUSE_MS   10
#define NS_IN_MS   1000000L
#define MS_IN_S    1000u
#define KEPT_BYTES 65536u /* a buffer larger than this is freed */
#define LOST_BYTES 512u   /* reserved for the line that reports lost lines */
#define CAP_BYTES  (FX_LIMIT_LOG_BYTES + LOST_BYTES)

enum state { DIRECT, QUEUED, ENDING, ENDED, LEFT };

/* The lock guards all members but `writing` and `torn`, which belong to the thread.
 * (Without a thread, it guards `torn`, too.) */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t wakeup; /* wakes the thread for new lines and for the end */
    pthread_cond_t ended;  /* signals that the thread has ended */
    enum state state;
    bool pausing;
    struct fx_buf waiting, writing;
    bool torn; /* the last line was written only in part */
    pthread_t thread;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_uint_fast64_t n_lost, n_unreported;

/* The thread itself logs at most one line for each buffer, which reports how many lines
 * were lost for lack of room. LOST_BYTES are reserved for it. */
static _Thread_local bool is_writer;

static void lose(uint64_t n_lines) {
    (void)atomic_fetch_add(&n_lost, n_lines);
    (void)atomic_fetch_add(&n_unreported, n_lines);
}

uint64_t fx_log_lost(void) {
    return atomic_load(&n_lost);
}

/* ---- writing --------------------------------------------------------------------- */

static uint64_t count_ends(const char *data, size_t len) {
    uint64_t n = 0;
    for (size_t i = 0; i < len; i++) {
        n += data[i] == '\n';
    }
    return n;
}

/* Returns the number of bytes written. */
static size_t write_all(const char *data, size_t len) {
    size_t at = 0;
    while (at < len) {
        const ssize_t n = write(STDERR_FILENO, data + at, len - at);
        if (n > 0) {
            at += (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            break;
        }
    }
    return at;
}

/* Writes whole lines, after an end of line if the last one was written in part. */
static bool write_lines(const char *data, size_t len) {
    if (queue.torn) {
        queue.torn = write_all("\n", 1) != 1;
    }
    const size_t done = queue.torn ? 0 : write_all(data, len);
    queue.torn = queue.torn || (done > 0 && data[done - 1] != '\n');
    if (done < len) {
        lose(count_ends(data + done, len - done));
    }
    return done == len;
}

/* ---- the thread ------------------------------------------------------------------ */

static void add_ms(struct timespec *time, uint64_t ms) {
    (void)clock_gettime(CLOCK_MONOTONIC, time);
    time->tv_sec += (time_t)(ms / MS_IN_S);
    time->tv_nsec += (long)(ms % MS_IN_S) * NS_IN_MS;
    if (time->tv_nsec >= (long)MS_IN_S * NS_IN_MS) {
        time->tv_nsec -= (long)MS_IN_S * NS_IN_MS;
        time->tv_sec++;
    }
}

/* Waits for the end of the pause, and then for lines. The caller holds the lock. */
static void await_lines(void) {
    struct timespec end;
    add_ms(&end, PAUSE_MS);
    queue.pausing = true;
    while (queue.state == QUEUED &&
           pthread_cond_timedwait(&queue.wakeup, &queue.lock, &end) == 0) {
    }
    queue.pausing = false;
    while (queue.state == QUEUED && queue.waiting.len == 0) {
        (void)pthread_cond_wait(&queue.wakeup, &queue.lock);
    }
}

/* Takes the waiting lines. False if there are no more and the thread shall end. */
static bool take_lines(void) {
    (void)pthread_mutex_lock(&queue.lock);
    if (queue.state == QUEUED) {
        await_lines();
    }
    const struct fx_buf empty = queue.writing;
    queue.writing = queue.waiting;
    queue.waiting = empty;
    const bool any = queue.writing.len > 0;
    (void)pthread_mutex_unlock(&queue.lock);
    return any;
}

static void forget_written(void) {
    if (queue.writing.cap > KEPT_BYTES) {
        fx_buf_finish(&queue.writing);
        fx_buf_init(&queue.writing, CAP_BYTES);
    }
    fx_buf_reset(&queue.writing);
}

static void *write_queued(void *unused) {
    (void)unused;
    is_writer = true;
    while (take_lines()) {
        if (write_lines(queue.writing.data, queue.writing.len)) {
            const uint64_t n = atomic_exchange(&n_unreported, 0);
            if (n > 0) {
                fx_log(WARN, "log lines lost", fx_log_int("lines", (int64_t)n));
            }
        }
        forget_written();
    }
    (void)pthread_mutex_lock(&queue.lock);
    queue.state = ENDED;
    (void)pthread_cond_signal(&queue.ended);
    (void)pthread_mutex_unlock(&queue.lock);
    return NULL;
}

/* ---- beginning and end ----------------------------------------------------------- */

static bool make_conditions(void) {
    pthread_condattr_t monotonic; /* not the time of day, which may jump */
    if (pthread_condattr_init(&monotonic) != 0) {
        return false;
    }
    const bool ok = pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
                    pthread_cond_init(&queue.wakeup, &monotonic) == 0 &&
                    pthread_cond_init(&queue.ended, &monotonic) == 0;
    (void)pthread_condattr_destroy(&monotonic);
    return ok;
}

/* Blocks all signals in the thread, so that other threads get them. */
static bool make_thread(void) {
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool ok = pthread_create(&queue.thread, NULL, write_queued, NULL) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

bool fx_log_start(void) {
    if (queue.state != DIRECT || !make_conditions()) {
        return false;
    }
    fx_buf_init(&queue.waiting, CAP_BYTES);
    fx_buf_init(&queue.writing, CAP_BYTES);
    queue.state = QUEUED;
    if (!make_thread()) {
        queue.state = DIRECT;
        return false;
    }
    return true;
}

/* Waits for the end of the thread, at most `ms`. The caller holds the lock. */
static bool await_end(uint64_t ms) {
    struct timespec end;
    add_ms(&end, ms);
    while (queue.state != ENDED &&
           pthread_cond_timedwait(&queue.ended, &queue.lock, &end) == 0) {
    }
    return queue.state == ENDED;
}

void fx_log_stop(uint64_t ms) {
    (void)pthread_mutex_lock(&queue.lock);
    const bool running = queue.state == QUEUED;
    if (running) {
        queue.state = ENDING;
        (void)pthread_cond_signal(&queue.wakeup);
    }
    const bool ended = running && await_end(ms);
    if (running) {
        queue.state = ended ? DIRECT : LEFT;
    }
    (void)pthread_mutex_unlock(&queue.lock);
    if (ended) {
        (void)pthread_join(queue.thread, NULL);
        fx_buf_finish(&queue.waiting);
        fx_buf_finish(&queue.writing);
    } else if (running) {
        (void)pthread_detach(queue.thread);
    }
}

/* ---- lines ----------------------------------------------------------------------- */

/* Adds a line to the buffer. False, with the buffer unchanged, if it does not fit. */
static bool add_line(const char *line, size_t len) {
    const size_t before = queue.waiting.len;
    if (before + len > (is_writer ? CAP_BYTES : FX_LIMIT_LOG_BYTES)) {
        return false;
    }
    fx_buf_add(&queue.waiting, line, len);
    const bool added = !queue.waiting.failed;
    if (!added) {
        queue.waiting.failed = false;
        queue.waiting.len = before;
    }
    return added;
}

/* Adds a line to the queue, or counts it as lost. The caller holds the lock. */
static void enqueue(const char *line, size_t len) {
    if (!add_line(line, len)) {
        lose(1);
    } else if (!queue.pausing) {
        (void)pthread_cond_signal(&queue.wakeup);
    }
}

/* Logs one whole line with its line end. Before the thread is started, the line is
 * written at once. A line that does not fit or cannot be written is lost. Any thread may
 * call this. */
static void put_line(const char *line, size_t len) {
    (void)pthread_mutex_lock(&queue.lock);
    switch (queue.state) {
    case DIRECT: (void)write_lines(line, len); break;
    case QUEUED:
    case ENDING: enqueue(line, len); break; /* lost lines are reported at the end */
    case ENDED:
    case LEFT: lose(1); break;
    }
    (void)pthread_mutex_unlock(&queue.lock);
}

/* ---- fields and levels ------------------------------------------------------------- */

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

/* Adds a JSON string (RFC 8259 section 7). Malformed UTF-8 becomes U+FFFD. */
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

/* Adds a number with all its digits. JSON has no infinity and no NaN. */
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
        put_line(line.data, line.len);
    }
    fx_buf_finish(&line);
}
