/* SPDX-License-Identifier: Apache-2.0
 *
 * operator_costs.c - costs of operators that are not 1 (spec/cel.md section 11).
 */
#include "location/cel/cost.h"
#include "location/cel/operators.h"

#define TRAVERSAL 0.1

uint64_t fx_cel_cost_of_equality(const struct fx_cel_value *args,
                                 struct fx_cel_value result) {
    (void)result;
    const uint64_t left = fx_cel_cost_length(args[0]);
    const uint64_t right = fx_cel_cost_length(args[1]);
    return fx_cel_cost_scale(left < right ? left : right, TRAVERSAL);
}

uint64_t fx_cel_cost_of_joining(const struct fx_cel_value *args,
                                struct fx_cel_value result) {
    (void)result;
    return fx_cel_cost_scale(fx_cel_cost_length(args[0]) + fx_cel_cost_length(args[1]),
                             TRAVERSAL);
}

uint64_t fx_cel_cost_of_in_list(const struct fx_cel_value *args,
                                struct fx_cel_value result) {
    (void)result;
    return fx_cel_cost_length(args[1]);
}
