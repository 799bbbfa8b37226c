/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/convert_internal.h - private: what both conversions of values
 * need.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_CONVERT_INTERNAL_H
#define FX_MUTATORS_ADMISSION_POLICY_CONVERT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "mutators/admission_policy/convert.h"

#define FX_MAP_MAX_EXACT INT64_C(9007199254740991) /* 2^53-1 */

/* A conversion under way. Every function returns a new reference, NULL if it failed: then
 * `err` has the reason. */
struct conversion {
    bool is_patch;  /* for a JSON Patch: there are no foreign nodes */
    bool wrong_key; /* an object failed because of a map key that is no string */
    size_t nodes;   /* that the tree may still have */
    unsigned depth;
    struct fx_map_refusal *refusal;
    struct fx_err *err;
};

/* How messages name a value of a library: its type, the type of Go, and the name in
 * errors of conversions. */
struct fx_map_opaque_name {
    const char *type, *go_type, *short_name;
};

struct fx_map_opaque_name fx_map_conversion_name(struct fx_cel_value value);

/* The node; fails if it is NULL. */
json_t *fx_map_conversion_check(const struct conversion *conversion, json_t *node);

/* Refuses a value of a JSON Patch. Always NULL. */
FX_PRINTF(2, 3)
json_t *fx_map_conversion_refuse(struct conversion *conversion, const char *fmt, ...);
json_t *fx_map_conversion_refuse_number(struct conversion *conversion, double real);

/* Enters a value that is one level deeper; the caller decrements `depth` afterwards. */
bool fx_map_conversion_enter(struct conversion *conversion) FX_MUST_USE;

/* A part of the object. */
json_t *fx_map_conversion_share(struct conversion *conversion, const json_t *node);

/* Nodes: of a text, which is finished; of bytes; of a number that is finite. */
json_t *fx_map_conversion_text(const struct conversion *conversion, struct fx_buf *buf);
json_t *fx_map_conversion_base64(const struct conversion *conversion,
                                 struct fx_text bytes);
json_t *fx_map_conversion_double(const struct conversion *conversion, double real);

/* Sets a member of `object`, which is freed if this fails. */
bool fx_map_conversion_set(struct conversion *conversion, json_t *object,
                           struct fx_text key, json_t *member_take) FX_MUST_USE;

/* The fields of an Object{…} (convert_object.c). */
json_t *fx_map_convert_fields(struct conversion *conversion,
                              const struct fx_cel_struct *structure);

#endif
