/* SPDX-License-Identifier: Apache-2.0
 *
 * value/double_digits.h - the shortest decimal digits of a double.
 */
#ifndef FX_VALUE_DOUBLE_DIGITS_H
#define FX_VALUE_DOUBLE_DIGITS_H

#define FX_DOUBLE_DIGITS 17 /* enough to tell any two doubles apart */

/* 0.d1d2d3… × 10^point */
struct fx_double_digits {
    char text[FX_DOUBLE_DIGITS + 1]; /* NUL-terminated, no zeros at either end */
    int n, point;
};

/* Finds the fewest digits that read back as `value`, which is finite and above 0; of
 * those, the decimal that is nearest to it. The cost is the same for every double. */
void fx_double_digits_find(double value, struct fx_double_digits *ret_digits);

#endif
