/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/decode.h - what becomes of an object when the API server
 * decodes it into Go types: which values are refused, and in which form others come back
 * (spec/mutating-admission-policy.md sections 9 and 18).
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_DECODE_H
#define FX_MUTATORS_ADMISSION_POLICY_DECODE_H

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "mutators/admission_policy/target.h"

enum fx_map_encoding {
    /* From a merged configuration: a number with a fraction of zero becomes an integer,
     * and one that is too large wraps around. */
    FX_MAP_MERGED,
    /* From JSON, strictly: undeclared fields and other types are refused. */
    FX_MAP_JSON,
};

struct fx_map_decoding {
    enum fx_map_encoding from;
    struct fx_schema schema;
    json_t *before; /* nodes that it has at the same place, too, are not looked at; NULL:
                     * all are */
};

/* Decodes the object. Returns a new reference: to `object` if nothing changes. NULL if it
 * is refused, with 403 (merged) or 500 (JSON): then `refusal->message` has been filled
 * behind what it had. */
json_t *fx_map_decode(const struct fx_map_decoding *decoding, json_t *object,
                      struct fx_arena *arena, struct fx_map_refusal *refusal,
                      struct fx_err *err) FX_MUST_USE;

#endif
