/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_string.h - strings as YAML scalars, in the style that kubectl chooses
 * (inside this room only).
 */
#ifndef FX_VALUE_YAML_STRING_H
#define FX_VALUE_YAML_STRING_H

#include <stddef.h>

#include "base/buf.h"
#include "base/text.h"

/* Keys beyond this many bytes are not written as `key: value`. A reader looks 1024 runes
 * ahead for the colon, and an escaped byte may take four. */
#define FX_YAML_LONGEST_SIMPLE_KEY 128

/* Appends the string as a value: plain where that reads back as the same string, as a `|`
 * block indented to `column` where it has lines, else quoted. */
void fx_yaml_write_string(struct fx_buf *buf, struct fx_text text, size_t column);

/* Appends the string as a key, which stands on one line. */
void fx_yaml_write_key(struct fx_buf *buf, struct fx_text text);

#endif
