/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/format.h - private: values as the verbs of Go's package fmt write
 * them. Failure to append sticks in the buffer.
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

/* What stands between `%` and the verb. */
struct format {
    bool minus, plus, sharp, space, zero;
    bool plus_v, sharp_v; /* %+v, %#v: then `plus`, `sharp` are not set */
    bool has_width, has_precision;
    int width, precision;
};

struct format_printer {
    struct template_run *run;
    struct fx_buf *out;
    struct format format;
    bool is_bad; /* within `%!d(…)`: nothing is asked for its own text */
};

/* Appends blanks, or zeros where the flag says so. */
void format_fill(struct format_printer *p, int count);

/* Appends the text within the width, which counts runes. */
void format_padded(struct format_printer *p, struct fx_text text);

/* The same; what is filled is filled with blanks whatever the flags say. */
void format_padded_blank(struct format_printer *p, struct fx_text text);

/* %s, %q, %x of a string. False: no such verb for it, and nothing was appended. So below.
 */
bool format_string(struct format_printer *p, struct fx_text text,
                   uint32_t verb) FX_MUST_USE;

/* %d, %b, %o, %O, %x, %X, %c, %q, %U. */
bool format_integer(struct format_printer *p, int64_t integer, bool is_signed,
                    uint32_t verb) FX_MUST_USE;

/* %e, %f, %g, %b, %x. */
bool format_float(struct format_printer *p, double number, uint32_t verb) FX_MUST_USE;

/* Any verb of any value; what does not fit becomes `%!d(string=x)`. False over a bound.
 */
bool format_value(struct format_printer *p, const struct value *value,
                  uint32_t verb) FX_MUST_USE;

/* Appends a rune as UTF-8; what is none as U+FFFD. */
void format_rune(struct fx_buf *buf, uint32_t rune);

/* Appends the rune between single quotes, as %q of an integer does; `ascii`: all else is
 * escaped. */
void format_quote_rune(struct fx_buf *buf, uint32_t rune, bool ascii);

/* Appends the text between double quotes; `ascii` as above. */
void format_quote(struct fx_buf *buf, struct fx_text text, bool ascii);

/* Appends `format` with its verbs (package fmt) filled in with the `n` values; what is
 * wrong with one of them stands in the text, as in Go: `%!d(string=x)`. Failure to append
 * sticks in `ret`; false over another bound. */
bool format_values(struct template_run *run, struct fx_text format,
                   const struct value *args, size_t n, struct fx_buf *ret) FX_MUST_USE;

#endif
