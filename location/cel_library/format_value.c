/* SPDX-License-Identifier: Apache-2.0
 *
 * format_value.c - values in %s (spec/cel.md section 10): as string() converts them; in
 * lists and maps as literals of CEL.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "location/cel_library/functions.h"

/* What the text of a number or a time takes, as bytes. */
#define SCALAR_WORK ((size_t)16 * FX_BUDGET_BYTES)

struct printing {
    struct fx_cel_run *run;
    struct fx_buf *out;
    struct fx_cel_value failure; /* set when a function returns false */
};

static bool add_member(struct printing *p, struct fx_cel_value value, unsigned depth);

static bool stop(struct printing *p, struct fx_cel_value failure) {
    p->failure = failure;
    return false;
}

static bool spend(struct printing *p, size_t bytes) {
    return fx_cel_spend_bytes(bytes) || stop(p, fx_cel_exceeded(p->run));
}

/* ---- scalars ----------------------------------------------------------------------- */

/* Bytes are printed as the text that they are. */
static bool check_bytes(struct printing *p, struct fx_text bytes) {
    if (!spend(p, 2 * bytes.len)) {
        return false;
    }
    if (!fx_text_is_utf8(bytes)) {
        return stop(p, fx_cel_fail(p->run,
                                   "error during formatting: could not convert argument "
                                   "\"invalid UTF-8 in bytes, cannot convert to string\" "
                                   "to string"));
    }
    return true;
}

/* Doubles in lists and maps have six digits after the point; what is no number is a
 * string. */
static void add_literal_double(struct fx_buf *out, double real) {
    char text[320 + 8];
    if (isnan(real) || isinf(real)) {
        fx_buf_str(out, isnan(real) ? "\"NaN\"" : real > 0 ? "\"+Inf\"" : "\"-Inf\"");
        return;
    }
    (void)snprintf(text, sizeof text, "%.6f", real);
    fx_buf_str(out, text);
}

static bool fail_kind(struct printing *p, struct fx_cel_value value, const char *what) {
    return stop(p, fx_cel_fail(p->run, "error during formatting: %s %s", what,
                               fx_cel_type_name(value)));
}

/* ---- lists and maps
 * ---------------------------------------------------------------------- */

static bool add_list(struct printing *p, struct fx_cel_value list, unsigned depth) {
    const size_t n = fx_cel_list_size(list);
    fx_buf_char(p->out, '[');
    for (size_t i = 0; i < n; i++) {
        fx_buf_str(p->out, i == 0 ? "" : ", ");
        if (!add_member(p, fx_cel_list_at(list, i), depth)) {
            return false;
        }
    }
    fx_buf_char(p->out, ']');
    return true;
}

/* An entry with its key as it is printed. */
struct printed_entry {
    struct fx_text key;
    struct fx_cel_value value;
};

static int compare_entries(const void *a, const void *b) {
    const struct printed_entry *left = a;
    const struct printed_entry *right = b;
    (void)fx_cel_spend_bytes(left->key.len);
    return fx_text_compare(left->key, right->key);
}

static bool print_key(struct printing *p, struct fx_cel_value key,
                      struct fx_text *ret_text) {
    struct fx_buf text;
    struct printing in_text = {.run = p->run, .out = &text};
    if (key.kind != FX_CEL_STRING && key.kind != FX_CEL_BOOL && key.kind != FX_CEL_INT &&
        key.kind != FX_CEL_UINT) {
        return fail_kind(p, key, "no formatting function for map key of type");
    }
    fx_buf_init(&text, FX_LIMIT_CEL_TEXT_BYTES);
    if (!add_member(&in_text, key, 1)) {
        fx_buf_finish(&text);
        return stop(p, in_text.failure);
    }
    const struct fx_cel_value printed = fx_cel_take_buf(p->run, &text);
    *ret_text = printed.text;
    return !fx_cel_is_error(printed) || stop(p, printed);
}

static bool add_map(struct printing *p, struct fx_cel_value map, unsigned depth) {
    struct fx_cel_map_walk walk;
    struct fx_cel_map_entry entry;
    const size_t size = fx_cel_map_size(map);
    size_t n = 0;
    struct printed_entry *entries = fx_arena_alloc(p->run->arena, size * sizeof *entries);
    if (entries == NULL) {
        return stop(p, fx_cel_no_memory(p->run));
    }
    fx_cel_map_walk_start(&walk, map);
    while (n < size && fx_cel_map_walk_next(&walk, &entry)) {
        entries[n].value = entry.value;
        if (!print_key(p, entry.key, &entries[n].key)) {
            return false;
        }
        n++;
    }
    if (n > 0) {
        qsort(entries, n, sizeof *entries, compare_entries);
    }
    fx_buf_char(p->out, '{');
    for (size_t i = 0; i < n; i++) {
        fx_buf_str(p->out, i == 0 ? "" : ", ");
        fx_buf_text(p->out, entries[i].key);
        fx_buf_char(p->out, ':');
        if (!add_member(p, entries[i].value, depth)) {
            return false;
        }
    }
    fx_buf_char(p->out, '}');
    return true;
}

/* ---- values
 * ------------------------------------------------------------------------------ */

/* What prints alike in a list and alone; *ret_done is false for other values. */
static bool add_plain(struct printing *p, struct fx_cel_value value, unsigned depth,
                      bool *ret_done) {
    *ret_done = true;
    switch ((enum fx_cel_kind)value.kind) {
    case FX_CEL_NULL: fx_buf_str(p->out, "null"); return true;
    case FX_CEL_BOOL: fx_buf_str(p->out, value.boolean ? "true" : "false"); return true;
    case FX_CEL_INT: fx_buf_integer(p->out, value.integer); return true;
    case FX_CEL_UINT: fx_buf_number(p->out, value.uinteger); return true;
    case FX_CEL_TYPE: fx_buf_str(p->out, fx_cel_type_long_name(value.type)); return true;
    case FX_CEL_LIST: return add_list(p, value, depth - 1);
    case FX_CEL_MAP: return add_map(p, value, depth - 1);
    case FX_CEL_UNSET:
    case FX_CEL_ERROR:
    case FX_CEL_DOUBLE:
    case FX_CEL_STRING:
    case FX_CEL_BYTES:
    case FX_CEL_DURATION:
    case FX_CEL_TIMESTAMP:
    case FX_CEL_OPTIONAL:
    case FX_CEL_STRUCT:
    case FX_CEL_OPAQUE: break;
    }
    *ret_done = false;
    return true;
}

/* A value in a list or map, with `depth` levels left. */
static bool add_member(struct printing *p, struct fx_cel_value value, unsigned depth) {
    bool done = false;
    if (depth == 0) {
        return stop(p, fx_cel_fail(p->run, "error during formatting: too many levels"));
    }
    if (!spend(p, 0) || !add_plain(p, value, depth, &done)) {
        return false;
    }
    if (done) {
        return true;
    }
    if (value.kind == FX_CEL_DOUBLE) {
        const size_t before = p->out->len;
        add_literal_double(p->out, value.real);
        return spend(p, sizeof(double) * FX_BUDGET_BYTES + 4 * (p->out->len - before));
    }
    if (value.kind == FX_CEL_STRING) {
        fx_text_quote_go(p->out, value.text);
        return spend(p, 4 * value.text.len);
    }
    if (value.kind == FX_CEL_BYTES) {
        if (!check_bytes(p, value.text)) {
            return false;
        }
        fx_buf_char(p->out, 'b');
        fx_text_quote_go(p->out, value.text);
        return spend(p, 4 * value.text.len);
    }
    if (value.kind == FX_CEL_DURATION || value.kind == FX_CEL_TIMESTAMP) {
        const bool is_duration = value.kind == FX_CEL_DURATION;
        fx_buf_str(p->out, is_duration ? "duration(\"" : "timestamp(\"");
        if (is_duration) {
            fx_cel_print_duration(p->out, value.duration);
        } else {
            fx_cel_print_timestamp(p->out, value);
        }
        fx_buf_str(p->out, "\")");
        return spend(p, SCALAR_WORK);
    }
    return fail_kind(p, value, "no formatting function for");
}

/* A value that is an argument itself. */
static bool add_value(struct printing *p, struct fx_cel_value value) {
    bool done = false;
    if (!spend(p, SCALAR_WORK) || !add_plain(p, value, FX_LIMIT_CEL_VALUE_DEPTH, &done)) {
        return false;
    }
    if (done) {
        return true;
    }
    if (value.kind == FX_CEL_DOUBLE) {
        fx_cel_print_double(p->out, value.real);
    } else if (value.kind == FX_CEL_DURATION) {
        fx_cel_print_duration(p->out, value.duration);
    } else if (value.kind == FX_CEL_TIMESTAMP) {
        fx_cel_print_timestamp(p->out, value);
    } else if (value.kind == FX_CEL_STRING) {
        fx_buf_text(p->out, value.text);
        return spend(p, value.text.len);
    } else if (value.kind == FX_CEL_BYTES) {
        fx_buf_text(p->out, value.text);
        return check_bytes(p, value.text);
    } else {
        return fail_kind(p, value,
                         "string clause can only be used on strings, bools, bytes, ints, "
                         "doubles, maps, lists, types, durations, and timestamps, was "
                         "given");
    }
    return true;
}

bool cel_format_value(struct fx_cel_run *run, struct fx_buf *out,
                      struct fx_cel_value value, struct fx_cel_value *ret_failure) {
    struct printing p = {.run = run, .out = out};
    if (add_value(&p, value)) {
        return true;
    }
    *ret_failure = p.failure;
    return false;
}
