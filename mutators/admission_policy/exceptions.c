/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/exceptions.c - which PolicyExceptions hold for an object.
 */
#include "mutators/admission_policy/exceptions.h"

#include "base/budget.h"
#include "mutators/admission_policy/invoke.h"

static bool holds(const struct map_exception *exception, const struct fx_request *request,
                  json_t *object, bool *ret_holds, struct fx_err *err) {
    struct map_activation activation;
    struct fx_buf message = {0};
    struct fx_buf part = {0};
    size_t at = 0;
    fx_map_activation_init(&activation, &exception->policy, NULL, request);
    const enum map_evaluation how =
        fx_map_check_conditions(&activation, object, &at, &message, &part, err);
    fx_map_activation_finish(&activation);
    fx_buf_finish(&message);
    fx_buf_finish(&part);
    *ret_holds = how == MAP_EVALUATED && at == exception->policy.n_conditions;
    return how != MAP_BROKEN;
}

static bool allows_something(const struct map_exception *exception) {
    return json_array_size(exception->images) + json_array_size(exception->values) > 0;
}

bool fx_map_exceptions_check(const struct map_rule *rule,
                             struct map_activation *activation, json_t *object,
                             bool *ret_exempt, struct fx_err *err) {
    *ret_exempt = false;
    for (size_t i = 0; i < rule->n_exceptions && !*ret_exempt && fx_spend(1); i++) {
        const struct map_exception *exception =
            (const struct map_exception *)rule->exceptions[i]->linkable;
        bool is_held = false;
        if (!holds(exception, activation->request, object, &is_held, err)) {
            return false;
        }
        *ret_exempt = is_held && !allows_something(exception);
        if (is_held && !*ret_exempt && !fx_map_activation_allow(activation, exception)) {
            return fx_fail_nomem(err);
        }
    }
    return true;
}
