/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/dates_fuzz.c - a layout, and after the first line end a text: the
 * elements of a layout are all of it; a time that was parsed prints so that it parses
 * to the same time, and so do durations.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "location/go/layout.h"
#include "location/go/time.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take_apart(struct fx_text layout) {
    const char *at = layout.data;
    const char *end = layout.data + layout.len;
    struct layout_chunk chunk;
    do {
        layout_next(&layout, &chunk);
        assert(chunk.prefix.data == at);
        at += chunk.prefix.len;
        assert(chunk.element == LAYOUT_END || chunk.text.data == at);
        at += chunk.text.len;
    } while (chunk.element != LAYOUT_END);
    assert(at == end && layout.len == 0);
}

static void check_failure(const struct fx_err *err) {
    assert(err->code == FX_EMUTATE && err->msg[0] != '\0');
}

/* Offsets of 100 hours, and those less than a minute west of UTC, cannot be printed. */
static bool can_be_told(const struct fx_go_time *time) {
    struct fx_go_time_parts parts;
    fx_go_time_split(time, &parts);
    return parts.year >= 0 && parts.year <= 9999 && time->offset < 100 * 3600 &&
           time->offset > -100 * 3600 && (time->offset <= -60 || time->offset >= 0);
}

static void read_again(const struct fx_go_time *time) {
    const struct fx_text layout = FX_TEXT("2006-01-02T15:04:05.999999999 -07:00:00");
    struct fx_err err = FX_ERR_INIT;
    struct fx_go_time again;
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_go_time_format(&buf, time, layout);
    assert(fx_go_time_parse(layout, (struct fx_text){buf.data, buf.len}, &again, &err));
    assert(again.seconds == time->seconds && again.offset == time->offset);
    assert(again.nanoseconds == time->nanoseconds);
    fx_buf_finish(&buf);
}

static void read_time(struct fx_text layout, struct fx_text text) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_go_time time;
    struct fx_buf buf;
    if (!fx_go_time_parse(layout, text, &time, &err)) {
        check_failure(&err);
        return;
    }
    assert(time.nanoseconds >= 0 && time.nanoseconds < FX_GO_SECOND);
    fx_buf_init(&buf, 0);
    fx_go_time_format(&buf, &time, layout);
    fx_go_time_print(&buf, &time);
    fx_buf_finish(&buf);
    if (can_be_told(&time)) {
        read_again(&time);
    }
}

static void read_duration(struct fx_text text) {
    struct fx_err err = FX_ERR_INIT;
    int64_t nanoseconds = 0;
    int64_t again = 0;
    struct fx_buf buf;
    if (!fx_go_duration_parse(text, &nanoseconds, &err)) {
        check_failure(&err);
        return;
    }
    fx_buf_init(&buf, 0);
    fx_go_duration_print(&buf, nanoseconds);
    assert(fx_go_duration_parse((struct fx_text){buf.data, buf.len}, &again, &err));
    assert(again == nanoseconds);
    fx_buf_finish(&buf);
    (void)fx_go_time_add(&fx_go_time_zero, nanoseconds);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    const char *line = size == 0 ? NULL : memchr(text, '\n', size);
    const size_t len = line == NULL ? size : (size_t)(line - text);
    if (size == 0) {
        return 0;
    }
    take_apart((struct fx_text){text, len});
    if (line != NULL) {
        const struct fx_text behind = {line + 1, size - len - 1};
        read_time((struct fx_text){text, len}, behind);
        read_duration(behind);
    }
    return 0;
}
