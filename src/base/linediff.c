/* SPDX-License-Identifier: Apache-2.0
 *
 * base/linediff.c - Myers' greedy algorithm ("An O(ND) difference algorithm", 1986) over
 * lines, bounded, and hunks of its result.
 */
#include "base/linediff.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define MAX_EDITS     1000 /* with more, all lines between the common ends are replaced */
#define CONTEXT_LINES ((size_t)3)

#define RED    "\033[31m"
#define GREEN  "\033[32m"
#define CYAN   "\033[36m"
#define BOLD   "\033[1m"
#define NORMAL "\033[0m"

struct lines {
    struct fx_text *items; /* lines without their line ends */
    size_t n_items, cap_items;
};

/* The lines of both texts, and which of them are removed and added. */
struct line_changes {
    struct lines before, after;
    bool *removed, *added;
};

static bool split(struct fx_text text, struct lines *ret_lines) {
    while (text.len > 0) {
        const char *end = memchr(text.data, '\n', text.len);
        const size_t len = end != NULL ? (size_t)(end - text.data) : text.len;
        if (!FX_VEC_GROW(ret_lines->items, ret_lines->n_items, ret_lines->cap_items)) {
            return false;
        }
        ret_lines->items[ret_lines->n_items++] = (struct fx_text){text.data, len};
        const size_t taken = end != NULL ? len + 1 : len;
        text = (struct fx_text){text.data + taken, text.len - taken};
    }
    return true;
}

/* ---- Myers ----------------------------------------------------------------------- */

/* The part of both texts between their common first and last lines. Coordinates (x, y)
 * and diagonals k = x - y are relative to it. */
struct middle {
    const struct line_changes *changes;
    size_t start;               /* number of common first lines */
    int n_before, n_after;      /* lines of each text in this part */
    int *rounds[MAX_EDITS + 1]; /* round d: the furthest x on each diagonal -d … d */
};

static bool same_line(const struct middle *middle, int x, int y) {
    return fx_text_equal(middle->changes->before.items[middle->start + (size_t)x],
                         middle->changes->after.items[middle->start + (size_t)y]);
}

/* Did the best path with `d` edits reach diagonal k by a line of `after` (down)? */
static bool came_down(const int *last, int d, int k) {
    return k == -d || (k != d && last[k - 1 + d - 1] < last[k + 1 + d - 1]);
}

/* Returns the x at which the path enters diagonal k in round d, before equal lines. */
static int entry_of(const struct middle *middle, int d, int k) {
    if (d == 0) {
        return 0;
    }
    const int *last = middle->rounds[d - 1];
    return came_down(last, d, k) ? last[k + 1 + d - 1] : last[k - 1 + d - 1] + 1;
}

/* Computes round d. Returns 1 at the end, 0 before it, -1 without memory. */
static int run_round(struct middle *middle, int d) {
    int *furthest = calloc(2 * (size_t)d + 1, sizeof *furthest);
    middle->rounds[d] = furthest;
    if (furthest == NULL) {
        return -1;
    }
    for (int k = -d; k <= d; k += 2) {
        int x = entry_of(middle, d, k);
        /* A path that has left the texts never returns. */
        while (x < middle->n_before && x - k < middle->n_after &&
               same_line(middle, x, x - k)) {
            x++;
        }
        furthest[k + d] = x;
        if (x >= middle->n_before && x - k >= middle->n_after) {
            return 1;
        }
    }
    return 0;
}

/* Walks back from the end, round by round, and marks the edit of each round. */
static void mark_edits(const struct middle *middle, int rounds) {
    int k = middle->n_before - middle->n_after;
    for (int d = rounds; d > 0; d--) {
        const int x = entry_of(middle, d, k);
        if (came_down(middle->rounds[d - 1], d, k)) {
            middle->changes->added[middle->start + (size_t)(x - k - 1)] = true;
            k++;
        } else {
            middle->changes->removed[middle->start + (size_t)(x - 1)] = true;
            k--;
        }
    }
}

static void mark_all(const struct middle *middle) {
    for (int i = 0; i < middle->n_before; i++) {
        middle->changes->removed[middle->start + (size_t)i] = true;
    }
    for (int i = 0; i < middle->n_after; i++) {
        middle->changes->added[middle->start + (size_t)i] = true;
    }
}

static bool compare_middle(struct middle *middle) {
    int state = 0;
    int d = 0;
    while (state == 0 && d <= MAX_EDITS) {
        state = run_round(middle, d++);
    }
    if (state == 1) {
        mark_edits(middle, d - 1);
    } else if (state == 0) {
        mark_all(middle);
    }
    for (int i = 0; i < d; i++) {
        free(middle->rounds[i]);
    }
    return state >= 0;
}

/* Skips the common first and last lines, and compares the rest. */
static bool compare_lines(struct line_changes *changes) {
    const struct lines *before = &changes->before;
    const struct lines *after = &changes->after;
    const size_t shorter =
        before->n_items < after->n_items ? before->n_items : after->n_items;
    size_t start = 0;
    while (start < shorter && fx_text_equal(before->items[start], after->items[start])) {
        start++;
    }
    size_t end = 0;
    while (end < shorter - start &&
           fx_text_equal(before->items[before->n_items - 1 - end],
                         after->items[after->n_items - 1 - end])) {
        end++;
    }
    struct middle middle = {
        .changes = changes,
        .start = start,
        .n_before = (int)(before->n_items - start - end),
        .n_after = (int)(after->n_items - start - end),
    };
    return compare_middle(&middle);
}

/* ---- hunks ----------------------------------------------------------------------- */

/* A position in both texts: the index of the next line of each. */
struct cursor {
    size_t before, after;
};

static bool is_edit(const struct line_changes *changes, struct cursor at) {
    return (at.before < changes->before.n_items && changes->removed[at.before]) ||
           (at.after < changes->after.n_items && changes->added[at.after]);
}

static bool at_end(const struct line_changes *changes, struct cursor at) {
    return at.before >= changes->before.n_items && at.after >= changes->after.n_items;
}

/* Moves on by one line. Removed lines come first, then added ones, then common ones.
 * Returns the sign of the line. */
static char next_line(const struct line_changes *changes, struct cursor *at) {
    if (at->before < changes->before.n_items && changes->removed[at->before]) {
        at->before++;
        return '-';
    }
    if (at->after < changes->after.n_items && changes->added[at->after]) {
        at->after++;
        return '+';
    }
    at->before++;
    at->after++;
    return ' ';
}

/* Returns the end of the hunk that begins with the edit at `at`. A hunk includes the next
 * edit if at most 2 * CONTEXT_LINES lines are between them. */
static struct cursor hunk_end(const struct line_changes *changes, struct cursor at) {
    struct cursor end = at;
    size_t quiet = 0;
    while (!at_end(changes, at) && quiet <= 2 * CONTEXT_LINES) {
        if (next_line(changes, &at) == ' ') {
            quiet++;
        } else {
            quiet = 0;
            end = at;
        }
    }
    for (size_t i = 0; i < CONTEXT_LINES && !at_end(changes, end); i++) {
        (void)next_line(changes, &end);
    }
    return end;
}

static void print_range(struct fx_buf *buf, char sign, size_t from, size_t to) {
    /* For an empty range, the number is that of the line before it. */
    fx_buf_printf(buf, "%c%zu", sign, to > from ? from + 1 : from);
    if (to - from != 1) {
        fx_buf_printf(buf, ",%zu", to - from);
    }
}

/* `colour` is NULL for output without colours. */
static void print_line(struct fx_buf *buf, const char *colour, const char *sign,
                       struct fx_text line) {
    fx_buf_str(buf, colour != NULL ? colour : "");
    fx_buf_str(buf, sign);
    fx_buf_text(buf, line);
    fx_buf_str(buf, colour != NULL ? NORMAL "\n" : "\n");
}

static void print_hunk(struct fx_buf *buf, const struct line_changes *changes,
                       struct cursor from, struct cursor to, bool colour) {
    fx_buf_str(buf, colour ? CYAN "@@ " : "@@ ");
    print_range(buf, '-', from.before, to.before);
    fx_buf_char(buf, ' ');
    print_range(buf, '+', from.after, to.after);
    fx_buf_str(buf, colour ? " @@" NORMAL "\n" : " @@\n");
    while (from.before < to.before || from.after < to.after) {
        const struct cursor at = from;
        const char sign = next_line(changes, &from);
        const struct fx_text line = sign == '+' ? changes->after.items[at.after]
                                                : changes->before.items[at.before];
        const char *tint = sign == '+' ? GREEN : RED;
        print_line(buf, colour && sign != ' ' ? tint : NULL, (const char[]){sign, '\0'},
                   line);
    }
}

static void print_names(struct fx_buf *buf, const struct fx_linediff_names *names,
                        bool colour) {
    const char *tint = colour ? BOLD : NULL;
    print_line(buf, tint, "--- ", fx_text_of(names->before));
    print_line(buf, tint, "+++ ", fx_text_of(names->after));
}

static void print_changes(struct fx_buf *buf, const struct line_changes *changes,
                          const struct fx_linediff_names *names, bool colour) {
    struct cursor at = {0, 0};
    struct cursor from = {0, 0}; /* CONTEXT_LINES before `at`, or the last hunk's end */
    bool named = false;
    while (!at_end(changes, at)) {
        if (!is_edit(changes, at)) {
            (void)next_line(changes, &at);
            if (at.before - from.before > CONTEXT_LINES) {
                from.before++;
                from.after++;
            }
            continue;
        }
        if (!named) {
            print_names(buf, names, colour);
            named = true;
        }
        at = hunk_end(changes, at);
        print_hunk(buf, changes, from, at, colour);
        from = at;
    }
}

bool fx_linediff_unified(struct fx_buf *buf, struct fx_text before, struct fx_text after,
                         const struct fx_linediff_names *names, bool colour,
                         struct fx_err *err) {
    struct line_changes changes = {0};
    bool ok = split(before, &changes.before) && split(after, &changes.after);
    if (ok) {
        changes.removed = calloc(changes.before.n_items + 1, sizeof *changes.removed);
        changes.added = calloc(changes.after.n_items + 1, sizeof *changes.added);
        ok = changes.removed != NULL && changes.added != NULL && compare_lines(&changes);
    }
    if (ok) {
        print_changes(buf, &changes, names, colour);
    }
    free(changes.before.items);
    free(changes.after.items);
    free(changes.removed);
    free(changes.added);
    return (ok && !buf->failed) || fx_fail_nomem(err);
}
