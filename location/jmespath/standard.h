/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/standard.h - private: the functions of the JMESPath specification,
 * but `sum`, which Kyverno replaces.
 */
#ifndef FX_LOCATION_JMESPATH_STANDARD_H
#define FX_LOCATION_JMESPATH_STANDARD_H

#include "location/jmespath/function.h"

/* Each is fx_jmespath_NAME(). Rows of standard_table.c have their parameters. */
#define STANDARD_FUNCTIONS(X) \
    X(abs)                    \
    X(avg)                    \
    X(ceil)                   \
    X(contains)               \
    X(ends_with)              \
    X(floor)                  \
    X(join)                   \
    X(keys)                   \
    X(length)                 \
    X(map)                    \
    X(max)                    \
    X(max_by)                 \
    X(merge)                  \
    X(min)                    \
    X(min_by)                 \
    X(not_null)               \
    X(reverse)                \
    X(sort)                   \
    X(sort_by)                \
    X(starts_with)            \
    X(to_array)               \
    X(to_number)              \
    X(to_string)              \
    X(type)                   \
    X(values)

#define X(name)                                                                      \
    bool fx_jmespath_##name(const struct fx_jmespath_call *call, json_t **ret_value, \
                            struct fx_err *err);
STANDARD_FUNCTIONS(X)
#undef X

#endif
