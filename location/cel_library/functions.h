/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/functions.h - private: what the files of the libraries have from
 * each other.
 */
#ifndef FX_LOCATION_CEL_LIBRARY_FUNCTIONS_H
#define FX_LOCATION_CEL_LIBRARY_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/cel/function.h"
#include "location/cel/functions.h"

/* strings_parts.c */
fx_cel_call cel_replace, cel_replace_some, cel_split, cel_split_some, cel_join,
    cel_join_with, cel_quote;

/* format.c; format_check.c: the check of literal verbs and arguments. */
fx_cel_call cel_format;
fx_cel_call_check cel_format_check;

/* Appends a value as %s does. False with *ret_failure set. (format_value.c) */
bool cel_format_value(struct fx_cel_run *run, struct fx_buf *out,
                      struct fx_cel_value value,
                      struct fx_cel_value *ret_failure) FX_MUST_USE;

/* ceil(len * 0.2) of the receiver: a text is read, and one is built. */
fx_cel_call_cost cel_rebuild_cost;

/* Has the list this element? Spends for each comparison. (sets.c) */
bool cel_list_has(struct fx_cel_value list, struct fx_cel_value element);

#define LIST_COST 11u /* of a new list, and of the call that makes it */

/* lists_order.c: isSorted, min, max, sum, sort. */
fx_cel_call cel_is_sorted, cel_min, cel_max, cel_sum_ints, cel_sum_uints, cel_sum_doubles,
    cel_sum_durations, cel_sort, cel_sort_by_keys;
/* 11 + floor(len² · 2), or 2.1 if the first element is a text: of distinct and sort, and
 * of the keys of sortBy. */
fx_cel_call_cost cel_pairs_cost, cel_key_pairs_cost;

/* The cost of reading the receiver once, with all that it contains. */
fx_cel_call_cost cel_traversal_cost;

#endif
