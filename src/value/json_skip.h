/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_skip.h - past a value that nobody wants; private to this room.
 */
#ifndef FX_VALUE_JSON_SKIP_H
#define FX_VALUE_JSON_SKIP_H

/* Where the value ends that begins at `at`, perhaps behind blanks: one that
 * fx_json_read() would take, nested at most `levels` deep. `end` is that of the whole
 * text, without the blanks before it. NULL where that cannot be said so easily: in an
 * error, in a number that may be too large, and near the end of a text that does not end
 * in `}`. Then it has to be read. */
const char *fx_json_skip(const char *at, const char *end, unsigned levels);

#endif
