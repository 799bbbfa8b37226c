/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/printf.c - the directives of a format, one after another:
 *
 *     directive := '%' flag* [index] [width] ['.' [index] [precision]] [index] verb
 *     flag      := '+' | '-' | '#' | '0' | ' '
 *     index     := '[' number ']'              the argument to take next, from 1
 *     width     := number | '*'                `*`: an argument is the width
 */
#include "location/gotemplate/format.h"

#define MOST_WIDTH 1000000 /* Go's limit */

struct format_reader {
    struct format_printer printer;
    struct fx_text format;
    size_t at;
    const struct value *arguments;
    size_t n_arguments;
    size_t next;          /* the index of the next argument */
    bool is_reordered;    /* an index was used: extra arguments are not reported */
    bool is_index_good;   /* the index of this directive is valid */
    bool is_behind_index; /* the position is directly after an index */
    size_t bracket;       /* the last closing bracket that was found */
};

static char peek(const struct format_reader *r) {
    if (r->at == r->format.len) {
        return '\0';
    }
    return r->format.data[r->at];
}

static bool read_flag(struct format_reader *r) {
    struct format *format = &r->printer.format;
    switch (peek(r)) {
    case '#': format->sharp = true; break;
    case '0': format->zero = !format->minus; break;
    case '+': format->plus = true; break;
    case '-':
        format->minus = true;
        format->zero = false;
        break;
    case ' ': format->space = true; break;
    default: return false;
    }
    r->at++;
    return true;
}

/* Reads digits up to `end`. If the number is far too large, the whole text is consumed,
 * as in Go. */
static bool read_number(struct format_reader *r, size_t end, int *ret_number) {
    int number = 0;
    const size_t from = r->at;
    while (r->at < end && peek(r) >= '0' && peek(r) <= '9') {
        if (number > MOST_WIDTH) {
            r->at = end;
            return false;
        }
        number = 10 * number + (peek(r) - '0');
        r->at++;
    }
    *ret_number = number;
    return r->at > from;
}

/* Returns the offset of the next closing bracket, or the length of the format. Each
 * bracket is searched for once, even if many open before it. */
static size_t find_bracket(struct format_reader *r) {
    if (r->bracket < r->at) {
        r->bracket = r->at;
        while (r->bracket < r->format.len && r->format.data[r->bracket] != ']') {
            r->bracket++;
        }
    }
    return r->bracket;
}

static void read_index(struct format_reader *r) {
    r->is_behind_index = false;
    if (peek(r) != '[') {
        return;
    }
    r->is_reordered = true;
    const size_t close = find_bracket(r);
    if (close == r->format.len || r->format.len - r->at < 3) {
        r->at++;
        r->is_index_good = false;
        return;
    }
    int number = 0;
    r->at++;
    const bool is_number = read_number(r, close, &number) && r->at == close;
    r->at = close + 1;
    r->is_behind_index = is_number;
    if (is_number && number >= 1 && (size_t)number <= r->n_arguments) {
        r->next = (size_t)number - 1;
    } else {
        r->is_index_good = false;
    }
}

/* Takes the argument for a `*`; false if it cannot be a width. */
static bool take_number(struct format_reader *r, int *ret_number) {
    if (r->next >= r->n_arguments) {
        return false;
    }
    const struct value *value = &r->arguments[r->next++];
    if (!value_is_integer(value) || value->integer > MOST_WIDTH ||
        value->integer < -MOST_WIDTH) {
        return false;
    }
    *ret_number = (int)value->integer;
    return true;
}

static void read_width(struct format_reader *r) {
    struct format *format = &r->printer.format;
    if (peek(r) != '*') {
        format->has_width = read_number(r, r->format.len, &format->width);
        if (r->is_behind_index && format->has_width) {
            r->is_index_good = false; /* as in %[3]2d */
        }
        return;
    }
    r->at++;
    format->has_width = take_number(r, &format->width);
    if (!format->has_width) {
        fx_buf_str(r->printer.out, "%!(BADWIDTH)");
    }
    if (format->width < 0) {
        format->width = -format->width;
        format->minus = true;
        format->zero = false;
    }
    r->is_behind_index = false;
}

static void read_star_precision(struct format_reader *r) {
    struct format *format = &r->printer.format;
    r->at++;
    format->has_precision = take_number(r, &format->precision);
    if (format->precision < 0) {
        format->precision = 0;
        format->has_precision = false;
    }
    if (!format->has_precision) {
        fx_buf_str(r->printer.out, "%!(BADPREC)");
    }
    r->is_behind_index = false;
}

static void read_precision(struct format_reader *r) {
    struct format *format = &r->printer.format;
    if (peek(r) != '.') {
        return;
    }
    r->at++;
    if (r->is_behind_index) {
        r->is_index_good = false; /* as in %[3].2d */
    }
    read_index(r);
    if (peek(r) == '*') {
        read_star_precision(r);
        return;
    }
    format->has_precision = true; /* 0 if there are no digits */
    if (!read_number(r, r->format.len, &format->precision)) {
        format->precision = 0;
    }
}

static void add_fault(struct format_reader *r, uint32_t verb, const char *fault) {
    fx_buf_str(r->printer.out, "%!");
    format_rune(r->printer.out, verb);
    fx_buf_str(r->printer.out, fault);
}

static bool add_argument(struct format_reader *r, uint32_t verb) {
    struct format *format = &r->printer.format;
    if (verb == '%') { /* flags have no effect */
        fx_buf_char(r->printer.out, '%');
        return true;
    }
    if (!r->is_index_good) {
        add_fault(r, verb, "(BADINDEX)");
        return true;
    }
    if (r->next >= r->n_arguments) {
        add_fault(r, verb, "(MISSING)");
        return true;
    }
    if (verb == 'v') {
        format->sharp_v = format->sharp;
        format->plus_v = format->plus;
        format->sharp = false;
        format->plus = false;
    }
    return format_value(&r->printer, &r->arguments[r->next++], verb);
}

static bool read_directive(struct format_reader *r) {
    r->printer.format = (struct format){0};
    r->is_index_good = true;
    while (read_flag(r)) {
    }
    read_index(r);
    read_width(r);
    read_precision(r);
    if (!r->is_behind_index) {
        read_index(r);
    }
    if (r->at >= r->format.len) {
        fx_buf_str(r->printer.out, "%!(NOVERB)");
        return true;
    }
    uint32_t verb = 0;
    const struct fx_text rest = {r->format.data + r->at, r->format.len - r->at};
    r->at += fx_text_rune(rest, &verb);
    return add_argument(r, verb);
}

/* Appends `%!(EXTRA int=1, string=x)`. */
static bool add_surplus(struct format_reader *r) {
    if (r->is_reordered || r->next >= r->n_arguments) {
        return true;
    }
    r->printer.format = (struct format){0};
    fx_buf_str(r->printer.out, "%!(EXTRA ");
    for (size_t i = r->next; i < r->n_arguments; i++) {
        const struct value *value = &r->arguments[i];
        if (i > r->next) {
            fx_buf_str(r->printer.out, ", ");
        }
        if (value_is_nil(value)) {
            fx_buf_str(r->printer.out, "<nil>");
            continue;
        }
        fx_buf_str(r->printer.out, value_type_name(value));
        fx_buf_char(r->printer.out, '=');
        if (!format_value(&r->printer, value, 'v')) {
            return false;
        }
    }
    fx_buf_char(r->printer.out, ')');
    return true;
}

/* Appends the text before the next `%`, and skips the `%`. False if there is none. */
static bool copy_text(struct format_reader *r) {
    const size_t from = r->at;
    while (r->at < r->format.len && r->format.data[r->at] != '%') {
        r->at++;
    }
    fx_buf_add(r->printer.out, r->format.data + from, r->at - from);
    return r->at++ < r->format.len;
}

bool format_values(struct template_run *run, struct fx_text format,
                   const struct value *args, size_t n, struct fx_buf *ret) {
    struct format_reader r = {
        .printer = {.run = run, .out = ret},
        .format = format,
        .arguments = args,
        .n_arguments = n,
    };
    if (format.len > 0) {
        while (copy_text(&r)) {
            if (!read_directive(&r)) {
                return false;
            }
        }
    }
    return add_surplus(&r);
}
