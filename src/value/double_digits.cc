/* SPDX-License-Identifier: Apache-2.0
 *
 * value/double_digits.cc - a C function for std::to_chars(), which finds the shortest
 * digits in a single call, for subnormal numbers too, and throws nothing.
 */
#include <charconv>

extern "C" {
#include "value/number.h"
}

static const int longest_text = 32; /* d.ddde-308 */

extern "C" void fx_double_digits_find(double value, bool is_single,
                                      fx_double_digits *ret_digits) {
    char text[longest_text];
    const auto style = std::chars_format::scientific;
    const auto end = is_single ? std::to_chars(text, text + sizeof text,
                                               static_cast<float>(value), style)
                               : std::to_chars(text, text + sizeof text, value, style);
    const char *at = text;
    int n = 0;
    for (; at < end.ptr && *at != 'e'; at++) {
        if (*at != '.') {
            ret_digits->text[n++] = *at;
        }
    }
    while (n > 1 && ret_digits->text[n - 1] == '0') {
        n--;
    }
    ret_digits->text[n] = '\0';
    ret_digits->n = n;
    int exponent = 0;
    at += at[1] == '+' ? 2 : 1; /* std::from_chars() does not accept a plus */
    (void)std::from_chars(at, end.ptr, exponent);
    ret_digits->point = exponent + 1;
}
