/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/cost/values.h - trees of each shape.
 */
#ifndef FX_TESTS_COST_VALUES_H
#define FX_TESTS_COST_VALUES_H

#include <stddef.h>

#include <jansson.h>

size_t values_count_shapes(void);
const char *values_shape_name(size_t shape);

/* A new value of about that many bytes of text; a list or object has one element for each
 * 16 of them. */
json_t *values_make(size_t shape, size_t size);

#endif
