/* SPDX-License-Identifier: Apache-2.0
 *
 * value/go_index.h - indexes of lists, as Go's strconv.Atoi reads them.
 */
#ifndef FX_VALUE_GO_INDEX_H
#define FX_VALUE_GO_INDEX_H

#include <stdint.h>

#include "base/buf.h"
#include "base/text.h"

/* What Go's strconv.Atoi says about a text. */
enum fx_go_index_fault { FX_GO_INDEX_OK, FX_GO_INDEX_SYNTAX, FX_GO_INDEX_RANGE };

/* Reads an index: a sign and leading zeros are allowed. */
enum fx_go_index_fault fx_go_index_read(struct fx_text text, int64_t *ret_index);

/* Appends why the text is no index: `strconv.Atoi: parsing "a": invalid syntax`. */
void fx_go_index_print_fault(struct fx_buf *buf, struct fx_text text,
                             enum fx_go_index_fault fault);

#endif
