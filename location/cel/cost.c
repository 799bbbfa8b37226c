/* SPDX-License-Identifier: Apache-2.0
 *
 * cost.c - what the costs of functions share.
 */
#include "location/cel/cost.h"

#include <math.h>

#define TRAVERSAL 0.1

uint64_t fx_cel_cost_length(struct fx_cel_value value) {
    switch ((enum fx_cel_kind)value.kind) {
    case FX_CEL_STRING: return fx_cel_count_runes(value);
    case FX_CEL_BYTES: return value.text.len;
    case FX_CEL_LIST: return fx_cel_list_size(value);
    case FX_CEL_MAP: return fx_cel_map_size(value);
    case FX_CEL_UNSET:
    case FX_CEL_ERROR:
    case FX_CEL_NULL:
    case FX_CEL_BOOL:
    case FX_CEL_INT:
    case FX_CEL_UINT:
    case FX_CEL_DOUBLE:
    case FX_CEL_DURATION:
    case FX_CEL_TIMESTAMP:
    case FX_CEL_TYPE:
    case FX_CEL_OPTIONAL:
    case FX_CEL_STRUCT:
    case FX_CEL_OPAQUE: break;
    }
    return 1;
}

uint64_t fx_cel_cost_scale(uint64_t n, double factor) {
    return (uint64_t)ceil((double)n * factor);
}

uint64_t fx_cel_cost_traverse(struct fx_cel_value value) {
    return fx_cel_cost_scale(fx_cel_cost_length(value), TRAVERSAL);
}
