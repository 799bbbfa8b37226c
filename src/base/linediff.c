/* SPDX-License-Identifier: Apache-2.0
 *
 * base/linediff.c - Myers' greedy algorithm ("An O(ND) difference algorithm", 1986) over
 * lines, bounded, and hunks of its result.
 */
#include "base/linediff.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define MAX_EDITS     1000 /* with more, everything between the ends is replaced */
#define CONTEXT_LINES ((size_t)3)

#define RED    "\033[31m"
#define GREEN  "\033[32m"
#define CYAN   "\033[36m"
#define BOLD   "\033[1m"
#define NORMAL "\033[0m"

struct lines {
    struct fx_text *items; /* without their ends */
    size_t n_items, cap_items;
};

/* The removed and the added lines. */
struct change {
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

/* The part of both texts between their common beginning and end. Coordinates (x, y) and
 * diagonals k = x - y are relative to it. */
struct middle {
    const struct change *change;
    size_t start;               /* the same in both */
    int n_before, n_after;      /* lines in it */
    int *rounds[MAX_EDITS + 1]; /* round d: the furthest x on each diagonal -d … d */
};

static bool same_line(const struct middle *middle, int x, int y) {
    return fx_text_equal(middle->change->before.items[middle->start + (size_t)x],
                         middle->change->after.items[middle->start + (size_t)y]);
}

/* Did the best path with `d` edits reach diagonal k by a line of `after` (down)? */
static bool came_down(const int *last, int d, int k) {
    return k == -d || (k != d && last[k - 1 + d - 1] < last[k + 1 + d - 1]);
}

/* The x at which diagonal k is entered in round d, before the equal lines. */
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
        /* Paths that have left the field never return. */
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

/* Walks back from the end, round by round, and marks the edit of each. */
static void mark_edits(const struct middle *middle, int rounds) {
    int k = middle->n_before - middle->n_after;
    for (int d = rounds; d > 0; d--) {
        const int x = entry_of(middle, d, k);
        if (came_down(middle->rounds[d - 1], d, k)) {
            middle->change->added[middle->start + (size_t)(x - k - 1)] = true;
            k++;
        } else {
            middle->change->removed[middle->start + (size_t)(x - 1)] = true;
            k--;
        }
    }
}

static void mark_all(const struct middle *middle) {
    for (int i = 0; i < middle->n_before; i++) {
        middle->change->removed[middle->start + (size_t)i] = true;
    }
    for (int i = 0; i < middle->n_after; i++) {
        middle->change->added[middle->start + (size_t)i] = true;
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

/* Skips the common start and end, and compares the rest. */
static bool compare(struct change *change) {
    const struct lines *before = &change->before;
    const struct lines *after = &change->after;
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
        .change = change,
        .start = start,
        .n_before = (int)(before->n_items - start - end),
        .n_after = (int)(after->n_items - start - end),
    };
    return compare_middle(&middle);
}

/* ---- hunks ----------------------------------------------------------------------- */

/* A position in both texts: the next line of each. */
struct cursor {
    size_t before, after;
};

static bool is_edit(const struct change *change, struct cursor at) {
    return (at.before < change->before.n_items && change->removed[at.before]) ||
           (at.after < change->after.n_items && change->added[at.after]);
}

static bool at_end(const struct change *change, struct cursor at) {
    return at.before >= change->before.n_items && at.after >= change->after.n_items;
}

/* Moves on by one line: a removed one, else an added one, else a common one. */
static char step(const struct change *change, struct cursor *at) {
    if (at->before < change->before.n_items && change->removed[at->before]) {
        at->before++;
        return '-';
    }
    if (at->after < change->after.n_items && change->added[at->after]) {
        at->after++;
        return '+';
    }
    at->before++;
    at->after++;
    return ' ';
}

/* The end of the hunk of the edit at `at`. A hunk includes the next edit if that is at
 * most twice the context away. */
static struct cursor hunk_end(const struct change *change, struct cursor at) {
    struct cursor end = at;
    size_t quiet = 0;
    while (!at_end(change, at) && quiet <= 2 * CONTEXT_LINES) {
        if (step(change, &at) == ' ') {
            quiet++;
        } else {
            quiet = 0;
            end = at;
        }
    }
    for (size_t i = 0; i < CONTEXT_LINES && !at_end(change, end); i++) {
        (void)step(change, &end);
    }
    return end;
}

static void print_range(struct fx_buf *buf, char sign, size_t from, size_t to) {
    /* The number of an empty range is that of the line before it. */
    fx_buf_printf(buf, "%c%zu", sign, to > from ? from + 1 : from);
    if (to - from != 1) {
        fx_buf_printf(buf, ",%zu", to - from);
    }
}

/* `colour`: NULL prints none. */
static void print_line(struct fx_buf *buf, const char *colour, const char *sign,
                       struct fx_text line) {
    fx_buf_str(buf, colour != NULL ? colour : "");
    fx_buf_str(buf, sign);
    fx_buf_text(buf, line);
    fx_buf_str(buf, colour != NULL ? NORMAL "\n" : "\n");
}

static void print_hunk(struct fx_buf *buf, const struct change *change,
                       struct cursor from, struct cursor to, bool colour) {
    fx_buf_str(buf, colour ? CYAN "@@ " : "@@ ");
    print_range(buf, '-', from.before, to.before);
    fx_buf_char(buf, ' ');
    print_range(buf, '+', from.after, to.after);
    fx_buf_str(buf, colour ? " @@" NORMAL "\n" : " @@\n");
    while (from.before < to.before || from.after < to.after) {
        const struct cursor at = from;
        const char sign = step(change, &from);
        const struct fx_text line =
            sign == '+' ? change->after.items[at.after] : change->before.items[at.before];
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

static void print_change(struct fx_buf *buf, const struct change *change,
                         const struct fx_linediff_names *names, bool colour) {
    struct cursor at = {0, 0};
    struct cursor from = {0, 0}; /* CONTEXT_LINES before `at`, or the end of a hunk */
    bool named = false;
    while (!at_end(change, at)) {
        if (!is_edit(change, at)) {
            (void)step(change, &at);
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
        at = hunk_end(change, at);
        print_hunk(buf, change, from, at, colour);
        from = at;
    }
}

bool fx_linediff_unified(struct fx_buf *buf, struct fx_text before, struct fx_text after,
                         const struct fx_linediff_names *names, bool colour,
                         struct fx_err *err) {
    struct change change = {0};
    bool ok = split(before, &change.before) && split(after, &change.after);
    if (ok) {
        change.removed = calloc(change.before.n_items + 1, sizeof *change.removed);
        change.added = calloc(change.after.n_items + 1, sizeof *change.added);
        ok = change.removed != NULL && change.added != NULL && compare(&change);
    }
    if (ok) {
        print_change(buf, &change, names, colour);
    }
    free(change.before.items);
    free(change.after.items);
    free(change.removed);
    free(change.added);
    return (ok && !buf->failed) || fx_fail_nomem(err);
}
