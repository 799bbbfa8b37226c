/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_go.h - values as Go's %#v shows them, for messages in Go's words (inside
 * this room only).
 */
#ifndef FX_VALUE_YAML_GO_H
#define FX_VALUE_YAML_GO_H

#include <jansson.h>

#include "base/buf.h"

/* Makes `buf` and writes the value into it, cut where it is longer than a message needs.
 * The caller finishes it. */
void fx_yaml_show_go(struct fx_buf *buf, const json_t *value);

#endif
