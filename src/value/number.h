/* SPDX-License-Identifier: Apache-2.0
 *
 * value/number.h - numbers as Kubernetes reads and writes them: integers exact in 64
 * bits, everything else an IEEE double (sigs.k8s.io/json); written as Go's encoding/json
 * writes them: shortest form that reads back the same, an integral double without a
 * fraction, an exponent only below 1e-6 or from 1e21 on.
 */
#ifndef FX_VALUE_NUMBER_H
#define FX_VALUE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"

struct fx_buf;

#define FX_NUMBER_SIZE 40 /* the text of any number, with the NUL */

/* Writes a finite double; returns the length. */
size_t fx_number_print_double(double value, char out[FX_NUMBER_SIZE]);

/* Writes a double as Go's %v and FormatFloat(value, 'g', -1, 64) do: with an exponent
 * below 1e-4 and from 1e6 on; `NaN`, `+Inf`, `-Inf`. `is_single` writes the digits of a
 * float32. Returns the length. */
size_t fx_number_print_go(double value, bool is_single, char out[FX_NUMBER_SIZE]);

/* Writes an integer; returns the length. */
size_t fx_number_print_integer(int64_t value, char out[FX_NUMBER_SIZE]);

/* Writes an integer or real node; returns the length. */
size_t fx_number_print(const json_t *number, char out[FX_NUMBER_SIZE]);

/* Appends an integer or real node. */
void fx_number_add(struct fx_buf *buf, const json_t *number);

/* Reads a JSON number whose text has the grammar of RFC 8259 section 6. An integer that
 * fits 64 bits signed becomes an integer node, any other number a real. NULL if the value
 * is beyond a double (then *ret_overflow is true) or there is no memory (then it is
 * false). */
json_t *fx_number_parse(struct fx_text text, bool *ret_overflow) FX_MUST_USE;

/* Can the number be read? False if fx_number_parse() would return NULL with an
 * overflow. */
bool fx_number_check(struct fx_text text, bool *ret_overflow) FX_MUST_USE;

#define FX_DOUBLE_DIGITS 17 /* enough to distinguish any two doubles */

/* A number 0.d1d2d3… × 10^point. */
struct fx_double_digits {
    char text[FX_DOUBLE_DIGITS + 1]; /* NUL-terminated, no zeros at either end */
    int n, point;
};

/* Finds the fewest digits that read back as `value`, which is finite and not negative, as
 * a double or, with `is_single`, as a float. Of several such decimals it takes the
 * nearest to the value. The cost is the same for every number. (double_digits.cc) */
void fx_double_digits_find(double value, bool is_single,
                           struct fx_double_digits *ret_digits);

#endif
