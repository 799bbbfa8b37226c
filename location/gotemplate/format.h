/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/format.h - prints values as the verbs of Go's package fmt do. A
 * failure to append is kept in the buffer.
 */
#ifndef FX_LOCATION_GOTEMPLATE_FORMAT_H
#define FX_LOCATION_GOTEMPLATE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/gotemplate/run.h"
#include "location/gotemplate/value.h"

/* The part of a directive between `%` and the verb. */
struct format {
    bool minus, plus, sharp, space, zero;
    bool plus_v, sharp_v; /* %+v, %#v: `plus` and `sharp` are then not set */
    bool has_width, has_precision;
    int width, precision;
};

struct format_printer {
    struct template_run *run;
    struct fx_buf *out;
    struct format format;
    bool is_bad; /* true within `%!d(…)`, where objects do not print themselves */
};

/* Appends blanks, or zeros with the flag `0`. */
void format_fill(struct format_printer *p, int count);

/* Appends the text, padded to the width, which counts runes. */
void format_padded(struct format_printer *p, struct fx_text text);

/* Like format_padded() for the text of a buffer, which this function finishes. `blank`
 * never pads with zeros. A failure of the buffer is passed on to p->out. */
void format_finish(struct format_printer *p, struct fx_buf *text, bool blank);

/* Prints a string with %s, %q or %x. Each of these functions returns false, and appends
 * nothing, for a verb that the type does not have. */
bool format_string(struct format_printer *p, struct fx_text text,
                   uint32_t verb) FX_MUST_USE;

/* Prints an integer with %d, %b, %o, %O, %x, %X, %c, %q or %U. */
bool format_integer(struct format_printer *p, int64_t integer, bool is_signed,
                    uint32_t verb) FX_MUST_USE;

/* Prints a number with %e, %f, %g, %b or %x. */
bool format_float(struct format_printer *p, double number, uint32_t verb) FX_MUST_USE;

/* Prints any value with any verb; a verb that the type does not have gives
 * `%!d(string=x)`. False if a limit is exceeded. */
bool format_value(struct format_printer *p, const struct value *value,
                  uint32_t verb) FX_MUST_USE;

/* Appends a rune as UTF-8; an invalid rune becomes U+FFFD. */
void format_rune(struct fx_buf *buf, uint32_t rune);

/* Appends what Go's fmt.Sprintf gives for `format` and the `n` values; a wrong directive
 * gives a text such as `%!d(string=x)`, as in Go. A failure to append is kept in `ret`.
 * False if another limit is exceeded. */
bool format_values(struct template_run *run, struct fx_text format,
                   const struct value *args, size_t n, struct fx_buf *ret) FX_MUST_USE;

#endif
