/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/finding_print.c - prints a finding for a terminal.
 */
#include <string.h>

#include "policy/findings.h"
#include "policy/plain.h"

/* The columns of an excerpt: a line of 80 without the indentation. */
#define INDENT        2u
#define EXCERPT_WIDTH (80u - INDENT)
/* If the caret is nearer to the right edge than this, the line is moved. */
#define CARET_MARGIN 12u

#define BOLD  "\033[1m"
#define GREEN "\033[1;32m"
#define RESET "\033[0m"

static const char *const severity_colours[] = {
    [FX_SEVERITY_WARNING] = "\033[1;35m",
    [FX_SEVERITY_ERROR] = "\033[1;31m",
    [FX_SEVERITY_CONFLICT] = "\033[1;33m",
};

static uint32_t take_rune(struct fx_text *rest) {
    uint32_t rune = 0;
    const size_t length = fx_text_rune(*rest, &rune);
    rest->data += length;
    rest->len -= length;
    return rune;
}

static void add_coloured(struct fx_buf *buf, const char *text, const char *colour) {
    fx_buf_str(buf, colour == NULL ? "" : colour);
    fx_plain_add(buf, fx_text_of(text));
    fx_buf_str(buf, colour == NULL ? "" : RESET);
}

static void print_head(struct fx_buf *buf, const struct fx_finding *finding,
                       bool colour) {
    fx_buf_str(buf, colour ? BOLD : "");
    fx_plain_add(buf, fx_text_of(finding->file));
    if (finding->line > 0) {
        fx_buf_printf(buf, ":%u", (unsigned)finding->line);
    }
    if (finding->line > 0 && finding->column > 0) {
        fx_buf_printf(buf, ":%u", (unsigned)finding->column);
    }
    fx_buf_str(buf, colour ? ":" RESET " " : ": ");
    add_coloured(buf, fx_severity_name(finding->severity),
                 colour ? severity_colours[finding->severity] : NULL);
    fx_buf_str(buf, ": ");
    if (finding->id != NULL) {
        fx_plain_add(buf, fx_text_of(finding->id));
        fx_buf_str(buf, ": ");
    }
    fx_plain_add(buf, fx_text_of(finding->text));
    fx_buf_char(buf, '\n');
}

/* The columns [begin, end) of an excerpt that are shown; `width` is the number of all. */
struct shown_columns {
    size_t begin, end, width;
};

static struct shown_columns window_around(size_t caret, size_t width) {
    struct shown_columns shown = {0, width, width};
    if (width <= EXCERPT_WIDTH) {
        return shown;
    }
    if (caret + CARET_MARGIN > EXCERPT_WIDTH) {
        shown.begin = caret - EXCERPT_WIDTH / 2;
    }
    if (shown.begin + EXCERPT_WIDTH > width) {
        shown.begin = width - EXCERPT_WIDTH;
    }
    shown.end = shown.begin + EXCERPT_WIDTH;
    return shown;
}

/* Prints the shown columns. An ellipsis replaces the outermost column where text is
 * cut. */
static void print_line(struct fx_buf *buf, struct fx_text line,
                       struct shown_columns shown) {
    fx_buf_fill(buf, ' ', INDENT);
    for (size_t column = 0; line.len > 0 && column < shown.end; column++) {
        const uint32_t rune = take_rune(&line);
        const bool first = column == shown.begin && shown.begin > 0;
        const bool last = column + 1 == shown.end && shown.end < shown.width;
        if (first || last) {
            fx_buf_str(buf, "…");
        } else if (column >= shown.begin) {
            fx_plain_add_rune(buf, rune);
        }
    }
    fx_buf_char(buf, '\n');
}

static void print_caret(struct fx_buf *buf, size_t from, size_t len, bool colour) {
    fx_buf_fill(buf, ' ', INDENT + from);
    fx_buf_str(buf, colour ? GREEN : "");
    fx_buf_char(buf, '^');
    fx_buf_fill(buf, '~', len - 1);
    fx_buf_str(buf, colour ? RESET "\n" : "\n");
}

/* Removes the indentation of the source, but nothing at or after the caret. */
static struct fx_text trim_start(struct fx_text line, size_t *caret, bool has_caret) {
    while (line.len > 0 && (*line.data == ' ' || *line.data == '\t') &&
           (!has_caret || *caret > 0)) {
        line.data++;
        line.len--;
        *caret -= has_caret;
    }
    return line;
}

static size_t count_columns(struct fx_text line) {
    size_t count = 0;
    while (line.len > 0) {
        (void)take_rune(&line);
        count++;
    }
    return count;
}

static void print_excerpt(struct fx_buf *buf, const struct fx_finding *finding,
                          bool colour) {
    size_t caret = finding->caret;
    const bool has_caret = finding->caret_len > 0;
    const struct fx_text line =
        trim_start(fx_text_of(finding->excerpt), &caret, has_caret);
    size_t width = count_columns(line);
    if (has_caret && caret > width) {
        caret = width; /* it points after the end */
    }
    if (has_caret && caret == width) {
        width++;
    }
    const struct shown_columns shown = window_around(has_caret ? caret : 0, width);
    print_line(buf, line, shown);
    if (has_caret) {
        const size_t room = shown.end - caret;
        print_caret(buf, caret - shown.begin,
                    finding->caret_len < room ? finding->caret_len : room, colour);
    }
}

void fx_finding_print(struct fx_buf *buf, const struct fx_finding *finding, bool colour) {
    print_head(buf, finding, colour);
    if (finding->excerpt != NULL) {
        print_excerpt(buf, finding, colour);
    }
}
