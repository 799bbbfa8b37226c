/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/reads.h - what the mutators of a snapshot look at in an object, all together.
 * Nothing else of it need ever become nodes: what no mutator reads or writes cannot make
 * a difference, and is in no patch.
 *
 * Who takes a part of the object for the whole must see that no part of a part was
 * written: fx_json_is_whole().
 */
#ifndef FX_ENGINE_READS_H
#define FX_ENGINE_READS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "base/text.h"
#include "value/json_part.h"

struct fx_reads {
    struct fx_json_part object;
};

/* What every review asks of an object: its type, its names, labels and annotations. False
 * without memory. Finish it in any case. */
bool fx_reads_init(struct fx_reads *reads) FX_MUST_USE;
void fx_reads_finish(struct fx_reads *reads); /* zeroed ones are fine */

/* All that stands at the end of the path of field names; lists are looked through. The
 * texts are borrowed: those of mutators, which live as long as their snapshot. False
 * without memory, as below. */
bool fx_reads_add(struct fx_reads *reads, const struct fx_text *path,
                  size_t n_keys) FX_MUST_USE;

/* The same for the elements of the list at the end of the path: what tells them apart
 * (the keys by which a diff aligns them, and `key`), not what is in them. */
bool fx_reads_add_list(struct fx_reads *reads, const struct fx_text *path, size_t n_keys,
                       struct fx_text key) FX_MUST_USE;

/* Everything. */
void fx_reads_add_all(struct fx_reads *reads);

#endif
